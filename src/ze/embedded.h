/* SPDX-License-Identifier: Apache-2.0 */
/* Native code that was compiled when the library was built (DNNL_ZE_AOT_DEVICES, kernels/README.md). */
#ifndef ZE_EMBEDDED_H
#define ZE_EMBEDDED_H

#include <stddef.h>

#include "core/plan.h"

typedef struct {
    uint64_t spirv_hash; /* of the row */
    uint32_t ip_version; /* of the device it was compiled for: caps_t */
    int nspecs;
    const spec_t *specs;       /* in the order of the plan, as in module_t */
    const uint8_t *data, *end; /* nothing between them: the compiler refused */
} embedded_code_t;

extern const embedded_code_t *const embedded_codes;
extern const int embedded_code_count;

#endif
