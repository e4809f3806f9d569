/* SPDX-License-Identifier: Apache-2.0 */
/* How much local memory each kernel of a SPIR-V module uses. */
#ifndef ZE_CPU_LOCAL_H
#define ZE_CPU_LOCAL_H

#include "spirv.h"

/* Adds up, for each kernel, the variables that its function and those it calls mention. bytes[id]
 * is the size of the local variable with this id, 0 of everything else; functions[k] is the id of
 * the function of kernel k. The module has been checked. Returns false if memory ran out. */
bool local_memory_of_kernels(const uint32_t *words, size_t n_words, uint32_t bound,
        const uint64_t *bytes, const uint32_t *functions, module_info_t *info);

#endif
