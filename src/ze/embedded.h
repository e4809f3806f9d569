/* SPDX-License-Identifier: Apache-2.0 */
/* Native code that was compiled when the library was built, for the devices of
 * DNNL_ZE_AOT_DEVICES. */
#ifndef ZE_EMBEDDED_H
#define ZE_EMBEDDED_H

#include <stddef.h>

#include "core/plan.h"
#include "plan/packed.h"

typedef struct {
    uint64_t spirv_hash; /* of the variant */
    uint32_t ip_version; /* of the device that the code is compiled for: caps_t */
    int nspecs;
    const spec_t *specs; /* in the order of the plan, as in module_t */
} embedded_code_t;

/* The code itself is the member of the same number; empty: the compiler refused the module. */
extern const embedded_code_t *const embedded_codes;
extern const uint8_t *const embedded_pack;
extern const int embedded_code_count;

#endif
