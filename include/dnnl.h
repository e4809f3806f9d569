/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl.h. */
#ifndef DNNL_H
#define DNNL_H

#include "oneapi/dnnl/dnnl.h"

#endif
