/* SPDX-License-Identifier: Apache-2.0 */
/* Splits built-in functions on vectors that are wider than the CPU's registers. */
#ifndef ZE_CPU_SPLIT_H
#define ZE_CPU_SPLIT_H

#include "common.h"

/* PoCL 3.1 resolves the built-in functions of an SPIR module by wrappers which pass a vector argument that
   does not fit a register by a bare pointer to functions that expect a copy on the stack: unless it happens
   to be inlined, the function computes on garbage. So such a call is turned into calls on parts that fit,
   which is also what the code generator would do. On success *out (to be freed) is the new module; NULL:
   there was nothing to split. The module has been accepted by spirv_read. */
ze_result_t spirv_split_wide(
        const uint32_t *words, size_t n_words, uint32_t register_bytes, uint32_t **out, size_t *out_words);

#endif
