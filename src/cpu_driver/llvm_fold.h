/* SPDX-License-Identifier: Apache-2.0 */
/* Folds what specialisation constants have decided, before PoCL sees the program. */
#ifndef ZE_CPU_LLVM_FOLD_H
#define ZE_CPU_LLVM_FOLD_H

#include <stddef.h>

/* Inlines and simplifies LLVM bitcode. PoCL would inline the branches that are never taken too, with all the
   built-in functions that they call, and compile the lot for every group size. NULL: nothing was done (no
   LLVM library of PoCL's version in the process, or bitcode that it does not read) and the original serves.
   The result is to be freed. */
void *llvm_fold(const void *bitcode, size_t size, size_t *out_size);

#endif
