/* SPDX-License-Identifier: Apache-2.0 */
/* Makes instructions of the functions of dots.h. */
#ifndef ZE_CPU_LLVM_DOTS_H
#define ZE_CPU_LLVM_DOTS_H

#include "llvm_api.h"

/* Does nothing for a module that declares none of the functions. */
void llvm_bind_dots(const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t module);
/* After inlining: can all calls be compiled? LLVM ends the process where one cannot. */
bool llvm_dots_are_bound(const llvm_api_t *llvm, llvm_ref_t module);

#endif
