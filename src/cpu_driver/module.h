/* SPDX-License-Identifier: Apache-2.0 */
/* Programs, modules and kernels. */
#ifndef ZE_CPU_MODULE_H
#define ZE_CPU_MODULE_H

#include "device.h"
#include "ocl.h"
#include "spirv.h"

/* The work-group functions of a kernel (direct.h). */
struct direct;

/* Names what OpenCL compiled a program from. */
typedef struct {
    uint64_t hashes[2]; /* with different seeds */
    size_t size;        /* bytes */
} code_id_t;

/* A built program. Modules of the same bytes share it, and it lives as long as its kernels. */
typedef struct program {
    _Atomic uint32_t references;
    cl_program cl;
    module_info_t info;
    bool from_native;
    bool is_plain;  /* built from SPIR-V, without parts of the driver */
    code_id_t code; /* if it is plain */
} program_t;

/* Whether the system has what a build needs. If not, the log says what is missing. */
ze_result_t compiler_ready(const ocl_t *ocl, log_t *log);
ze_result_t program_from_spirv(const ze_module_desc_t *desc, program_t **out, log_t *log);
ze_result_t program_from_native(const ze_module_desc_t *desc, program_t **out, log_t *log);
void program_retain(program_t *program);
void program_release(program_t *program);
/* Writes the program as bytes for program_from_native(). The caller frees *out. */
ze_result_t program_to_native(program_t *program, uint8_t **out, size_t *size);

/* The cache of programs in memory. The key is the input of the build; program_cache_add() copies
 * it. */
program_t *program_cache_find(const void *key, size_t size, const char *options);
void program_cache_add(const void *key, size_t size, const char *options, program_t *program);

/* Translates SPIR-V to LLVM bitcode with the external translator. The caller frees *out. */
ze_result_t bitcode_from_spirv(
        const void *spirv, size_t size, void **out, size_t *out_size, log_t *log);

struct _ze_module_handle_t {
    object_t object;
    ze_context_handle_t context;
    program_t *program;
    _Atomic uint32_t n_kernels; /* live handles */
    pthread_mutex_t lock;       /* guards: */
    uint8_t *native;            /* made by the first query */
    size_t native_size;
};

/* The executable part of a kernel. Commands hold references, so that it can outlive the handle. */
typedef struct kernel_exec {
    _Atomic uint32_t references;
    program_t *program;
    const kernel_info_t *info;
    pthread_mutex_t lock; /* guards all below from setting the arguments to enqueuing */
    cl_kernel cl;
    uint32_t n_bytes;  /* size of the block of all arguments */
    uint32_t *offsets; /* of each argument in the block */
    uint8_t *bound;    /* the block that was set in `cl` last */
    bool is_bound;
    size_t compiled_for[3];          /* the group size of the latest launch */
    _Atomic(struct direct *) direct; /* grows under the lock, and is read without it */
} kernel_exec_t;

void kernel_exec_retain(kernel_exec_t *exec);
void kernel_exec_release(kernel_exec_t *exec);

struct _ze_kernel_handle_t {
    object_t object;
    ze_module_handle_t module;
    kernel_exec_t *exec;
    uint32_t group_size[3], offset[3];
    ze_kernel_indirect_access_flags_t indirect_access;
    uint8_t *args; /* the block that the next launch copies */
    bool *is_set;  /* for each argument */
    uint32_t n_unset;
    uint64_t local_memory; /* bytes of a group: variables of the module, and arguments */
};

#endif
