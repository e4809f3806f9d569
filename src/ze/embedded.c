/* SPDX-License-Identifier: Apache-2.0 */
/* The table of embedded native code. The build generates it; it is empty unless devices are
 * named. */
#include "ze/embedded.h"

#include "embedded_code.h"

const embedded_code_t *const embedded_codes = codes;
const uint8_t *const embedded_specs = specs;
const uint8_t *const embedded_pack = native_pack;
const int embedded_code_count = NCODES;
