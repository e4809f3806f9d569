/* SPDX-License-Identifier: Apache-2.0 */
/* Native code that was compiled when the library was built, for the devices of
 * DNNL_ZE_AOT_DEVICES. */
#ifndef ZE_EMBEDDED_H
#define ZE_EMBEDDED_H

#include <stddef.h>

#include "core/plan.h"

typedef struct {
    uint64_t spirv_hash; /* of the variant */
    uint32_t ip_version; /* of the device that the code is compiled for: caps_t */
    int nspecs;
    const spec_t *specs;       /* in the order of the plan, as in module_t */
    const uint8_t *data, *end; /* equal: the compiler refused the module */
} embedded_code_t;

extern const embedded_code_t *const embedded_codes;
extern const int embedded_code_count;

#endif
