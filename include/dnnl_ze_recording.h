/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_ze_recording.h. */
#ifndef DNNL_ZE_RECORDING_H
#define DNNL_ZE_RECORDING_H

#include "oneapi/dnnl/dnnl_ze_recording.h"

#endif
