/* SPDX-License-Identifier: Apache-2.0 */
/* Emulates Intel GPUs on the CPU: their sub-group functions, and the properties of a device. */
#ifndef ZE_CPU_EMULATE_H
#define ZE_CPU_EMULATE_H

#include "ocl.h"

/* A device that ZE_CPU_EMULATE shows to programs, so that tests can run their code for it. */
typedef struct {
    const char *name;
    uint32_t subgroup_sizes[4]; /* 0: the end */
    uint32_t simd_width;
    bool matrix_units, block_accesses; /* block_accesses: 2D block loads and stores */
} architecture_t;

/* NULL: no emulation. Always NULL if PoCL has no sub-groups. */
const architecture_t *emulated_architecture(void);

/* Answer the chained structures of extended queries, if a device is emulated. */
void emulated_device_properties(void *next);
void emulated_module_properties(void *next);

/* Whether the module uses functions that only Intel's compilers have. */
bool emulate_wanted(const uint32_t *words, size_t n_words);
/* Replaces hints to unroll a loop by hints not to: the emulated functions are large, and a loop
 * that a GPU must unroll to keep arrays in registers can stay a loop here. In modules with matrix
 * products and reductions, loops without calls of emulated functions keep their hints, because PoCL
 * 6 puts barriers into loops of known length and miscompiles some of them. */
void emulate_roll(uint32_t *words, size_t n_words);
/* Removes the instructions that end the lifetime of a variable, and returns the number of words
 * left. In kernels with barriers, PoCL 6 merges a variable of all work-items into one array, but
 * ends the lifetime of this array when the first work-item is done. LLVM then reuses memory that
 * other work-items still need. */
size_t emulate_keep_variables(uint32_t *words, size_t n_words);
/* Compiles programs that were created from SPIR-V, links them with each other and, if wanted, with
 * the emulated functions. */
ze_result_t emulate_link(const ocl_t *ocl, const cl_program *parts, uint32_t n, bool emulated,
        cl_program *out, log_t *log);

#endif
