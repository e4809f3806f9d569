/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a SPIR-V module: its kernels with arguments and attributes, its imports, its local
 * memory. */
#ifndef ZE_CPU_SPIRV_H
#define ZE_CPU_SPIRV_H

#include "common.h"

typedef enum {
    ARG_VALUE,   /* a scalar, a vector or a structure, by value */
    ARG_POINTER, /* global, constant or generic memory */
    ARG_LOCAL,   /* a pointer to local memory: the value is its size */
    ARG_OPAQUE,  /* images, samplers and the like: not supported */
} arg_kind_t;

typedef struct {
    uint32_t kind; /* arg_kind_t */
    uint32_t size; /* bytes of a value; 8 for a pointer */
} arg_info_t;

typedef struct {
    char *name;
    uint32_t required_group[3]; /* 0 0 0: any */
    uint32_t required_subgroup; /* 0: any */
    bool uses_subgroups;        /* subgroups.c notes it */
    bool collects;              /* votes, sums or scans over a work-group; subgroups.c notes it */
    uint64_t local_memory;      /* bytes of the local variables that it reaches; local.c notes it */
    uint32_t n_args;
    arg_info_t *args;
} kernel_info_t;

typedef struct {
    uint32_t n_kernels;
    kernel_info_t *kernels;
    uint32_t n_imports;
    char **imports;    /* names that the module uses and does not define */
    bool has_barriers; /* of work-groups */
    bool has_doubles;
    bool has_wide_vectors; /* of 8 elements and more */
    bool needs_more; /* prints, has global variables or calls functions of groups and sub-groups */
    bool may_wait;   /* atomic or volatile: may wait for another kernel or the host */
    bool has_group_numbers; /* reads the number of its work-group, or how many there are */
    uint64_t local_memory;  /* bytes of all local variables of the module */
} module_info_t;

/* Checks and reads a module. On failure, *info is empty and the log names the word and the
 * error. */
ze_result_t spirv_read(const uint32_t *words, size_t n_words, module_info_t *info, log_t *log);
void module_info_free(module_info_t *info);

/* Sets specialisation constants in place, in a module that spirv_read() has accepted. */
void spirv_specialize(
        uint32_t *words, size_t n_words, const ze_module_constants_t *constants, log_t *log);

#endif
