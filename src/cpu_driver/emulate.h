/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's GPUs on the CPU: their sub-group functions, and what a device of one of their architectures says of
 * itself. */
#ifndef ZE_CPU_EMULATE_H
#define ZE_CPU_EMULATE_H

#include "module.h"

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
 * holds one in registers on a GPU can as well be a loop here. */
void emulate_roll(uint32_t *words, size_t n_words);
/* Compiles *program, created from SPIR-V, and links it with the emulated functions; *program is replaced. */
ze_result_t emulate_build(const ocl_t *ocl, cl_program *program, log_t *log);

#endif
