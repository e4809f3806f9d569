/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_ze.h. */
#ifndef DNNL_ZE_H
#define DNNL_ZE_H

#include "oneapi/dnnl/dnnl_ze.h"

#endif
