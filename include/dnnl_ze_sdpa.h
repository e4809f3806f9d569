/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_ze_sdpa.h. */
#ifndef DNNL_ZE_SDPA_H
#define DNNL_ZE_SDPA_H

#include "oneapi/dnnl/dnnl_ze_sdpa.h"

#endif
