/* SPDX-License-Identifier: Apache-2.0 */
/* Makes instructions of the functions of dots.h. */
#ifndef ZE_CPU_LLVM_DOTS_H
#define ZE_CPU_LLVM_DOTS_H

#include "llvm_api.h"

/* Does nothing for a module that declares none of the functions, or defines them. */
void llvm_bind_dots(const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t module);
/* Gives the functions that the module declares the bodies of emulate/dots.cl; false: it cannot. */
bool llvm_define_dots(const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t module,
        const void *bitcode, size_t size);
/* After inlining: gives each kernel that uses these bodies its tiles. */
void llvm_place_tiles(const llvm_api_t *llvm, llvm_ref_t context, llvm_ref_t module);
/* After inlining: can all calls be compiled? LLVM ends the process where one cannot. */
bool llvm_dots_are_bound(const llvm_api_t *llvm, llvm_ref_t module);

#endif
