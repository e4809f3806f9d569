/* SPDX-License-Identifier: Apache-2.0 */
/* Splits built-in functions on vectors that are wider than the CPU's registers, and turns some into
 * instructions. */
#ifndef ZE_CPU_SPLIT_H
#define ZE_CPU_SPLIT_H

#include "common.h"

/* PoCL's built-in functions are compiled for the host, where a vector that does not fit a register is passed
   as a copy on the stack; what comes out of SPIR-V passes it as a value. PoCL 3.1 bridges that with wrappers,
   wrongly for what is not inlined; PoCL 6 does not bridge it at all. Either way the function computes on
   garbage. So a call on a wide vector is turned into calls on parts that fit, which is also what the code
   generator would do.

   PoCL 6 inlines none of its functions into what comes out of SPIR-V. Loads and stores of vectors become
   instructions for it, and mad() an addition of a product that may be contracted for both versions: it
   promises less than fma(), which has to stay the function that it is. */
typedef enum {
    SPLIT_LARGE, /* functions that may not be inlined */
    SPLIT_ALL,
} split_which_t;

/* On success *out (to be freed) is the new module; NULL: there was nothing to split. The module has been
   accepted by spirv_read. */
ze_result_t spirv_split_wide(const uint32_t *words, size_t n_words, uint32_t register_bytes,
        split_which_t which, uint32_t **out, size_t *out_words);

#endif
