/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_ze_cache.h. */
#ifndef DNNL_ZE_CACHE_H
#define DNNL_ZE_CACHE_H

#include "oneapi/dnnl/dnnl_ze_cache.h"

#endif
