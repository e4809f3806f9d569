/* SPDX-License-Identifier: Apache-2.0 */
/* Makes an instruction of OpenCL's prefetch(), which PoCL 3.1 implements as nothing. */
#ifndef ZE_CPU_LLVM_PREFETCH_H
#define ZE_CPU_LLVM_PREFETCH_H

#include "llvm_api.h"

/* Prefetches of bytes ask for the cache line of the first one, in the second-level cache. Those of
 * other types stay as they are. */
void llvm_define_prefetch(const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t module);

#endif
