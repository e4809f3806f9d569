/* SPDX-License-Identifier: Apache-2.0 */
/* Splits calls of built-in functions on vectors that are wider than the registers of the CPU, and
 * replaces some calls by instructions. */
#ifndef ZE_CPU_SPLIT_H
#define ZE_CPU_SPLIT_H

#include "common.h"

/* PoCL compiles its built-in functions for the host, where a vector that does not fit a register is
 * passed as a copy on the stack. Code from SPIR-V passes such a vector by value. PoCL 3.1 has
 * wrappers for this, which are wrong for functions that are not inlined; PoCL 6 has none. In both
 * cases the function reads garbage. Therefore the driver splits a call on a wide vector into calls
 * on parts that fit, as the code generator would do.
 *
 * For both versions, loads and stores of vectors become instructions: PoCL 6 does not inline its
 * functions into code from SPIR-V, and PoCL 3.1 stores bytes one by one. And mad() becomes a
 * product and an addition that LLVM may contract: unlike fma(), mad() may round the product. */
typedef enum {
    SPLIT_LARGE, /* only functions that PoCL may not inline */
    SPLIT_ALL,
} split_which_t;

/* Writes the new module to *out, which the caller frees; NULL: the module does not change.
 * spirv_read() has accepted the module. */
ze_result_t spirv_split_wide(const uint32_t *words, size_t n_words, uint32_t register_bytes,
        split_which_t which, uint32_t **out, size_t *out_words);

#endif
