/* SPDX-License-Identifier: Apache-2.0 */
/* The table of embedded native code, made by the build; empty unless devices were named. */
#include "ze/embedded.h"

/* clang-format off: the second one uses the first */
#include "kernel_info.h"
#include "embedded_code.h"
/* clang-format on */

const embedded_code_t *const embedded_codes = codes;
const int embedded_code_count = NCODES;
