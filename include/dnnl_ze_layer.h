/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_ze_layer.h. */
#ifndef DNNL_ZE_LAYER_H
#define DNNL_ZE_LAYER_H

#include "oneapi/dnnl/dnnl_ze_layer.h"

#endif
