/* SPDX-License-Identifier: Apache-2.0 */
/* Native code that was compiled when the library was built, for the devices of
 * DNNL_ZE_AOT_DEVICES. */
#ifndef ZE_EMBEDDED_H
#define ZE_EMBEDDED_H

#include <stddef.h>

#include "core/plan.h"
#include "plan/packed.h"

typedef struct {
    uint16_t variant, nspecs;
    uint32_t ip_version; /* of the device that the code is compiled for: caps_t */
    uint32_t specs;      /* its constants in embedded_specs */
} embedded_code_t;

/* The code itself is that of the same number (packed_code_new()). The table has no addresses, which
 * would have to be relocated in each process. */
extern const embedded_code_t *const embedded_codes;
extern const uint8_t *const embedded_pack;
extern const int embedded_code_count;
/* Constants in the order of the plan, as in module_t. Each is its id in a byte, and its value in a
 * byte below EMBEDDED_LONG, or that byte and four more, the lowest first. */
extern const uint8_t *const embedded_specs;
enum { EMBEDDED_LONG = 255 };

#endif
