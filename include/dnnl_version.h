/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_version.h. */
#ifndef DNNL_VERSION_H
#define DNNL_VERSION_H

#include "oneapi/dnnl/dnnl_version.h"

#endif
