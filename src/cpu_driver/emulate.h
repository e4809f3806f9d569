/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's GPUs on the CPU: their sub-group functions, and what a device of one of their architectures says of
 * itself. */
#ifndef ZE_CPU_EMULATE_H
#define ZE_CPU_EMULATE_H

#include "ocl.h"

/* What ZE_CPU_EMULATE shows programs, for tests of what they do on such a device. */
typedef struct {
    const char *name;
    uint32_t subgroup_sizes[4]; /* 0: the end */
    uint32_t simd_width;
    bool matrix_units, block_accesses; /* of rectangles */
} architecture_t;

/* NULL: the CPU as it is; always so where PoCL has no sub-groups. */
const architecture_t *emulated_architecture(void);

/* The chains of extended queries, where an architecture is emulated. */
void emulated_device_properties(void *next);
void emulated_module_properties(void *next);

/* Does the module use functions that only Intel's compilers have? */
bool emulate_wanted(const uint32_t *words, size_t n_words);
/* Takes back the wish to unroll loops: each call of an emulated function is a lot of code, and a loop that
 * holds one in registers on a GPU can as well be a loop here. Where lanes reduce between matrix products,
 * loops without such a call stay as wished: PoCL 6 puts barriers into loops of known length, and gets some of
 * them wrong. */
void emulate_roll(uint32_t *words, size_t n_words);
/* Removes the ends of variables' lifetimes, and returns how many words are left. Where a kernel has barriers,
 * PoCL 6 makes one array of the same variable of all work-items, and lets LLVM end it when the first of them
 * is done with its own: other arrays then lie where those of the next work-items still are. */
size_t emulate_keep_variables(uint32_t *words, size_t n_words);
/* Compiles *program, created from SPIR-V, and links it with the emulated functions; *program is replaced. */
ze_result_t emulate_build(const ocl_t *ocl, cl_program *program, log_t *log);

#endif
