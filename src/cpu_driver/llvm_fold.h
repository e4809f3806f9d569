/* SPDX-License-Identifier: Apache-2.0 */
/* Simplifies programs by their specialisation constants before PoCL compiles them. */
#ifndef ZE_CPU_LLVM_FOLD_H
#define ZE_CPU_LLVM_FOLD_H

#include <stddef.h>

typedef struct {
    const void *bytes;
    size_t size;
} bitcode_t;

/* Inlines and simplifies LLVM bitcode. Without this, PoCL would also inline branches that are never
 * taken, with all built-in functions that they call, and compile all of it for every group size.
 * The caller frees the result. NULL: nothing was done, and the caller uses the original; either the
 * process has no LLVM library of PoCL's version, or LLVM cannot read the bitcode.
 * `dots`: bitcode of emulate/dots.cl, whose functions the module calls, or NULL. */
void *llvm_fold(const bitcode_t *bitcode, const bitcode_t *dots, size_t *out_size);

#endif
