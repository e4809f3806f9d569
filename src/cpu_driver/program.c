/* SPDX-License-Identifier: Apache-2.0 */
/* Builds programs from SPIR-V, and caches them. */
#include "module.h"
#include "disk_cache.h"
#include "emulate.h"
#include "llvm_fold.h"
#include "host.h"
#include "needs.h"
#include "say.h"
#include "split.h"
#include "subgroups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACHED_PROGRAMS = 256 };

typedef struct {
    uint64_t hash, used;
    void *key;
    size_t size;
    char *options;
    program_t *program;
} cache_entry_t;

static struct {
    pthread_mutex_t lock;
    cache_entry_t entries[CACHED_PROGRAMS];
    uint64_t clock;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

void program_retain(program_t *program) {
    atomic_fetch_add(&program->references, 1);
}

void program_release(program_t *program) {
    if (!program || atomic_fetch_sub(&program->references, 1) != 1) return;
    if (program->cl) icd.ReleaseProgram(program->cl);
    module_info_free(&program->info);
    free(program);
}

program_t *program_cache_find(const void *key, size_t size, const char *options) {
    uint64_t hash = hash_bytes(size, key, size);
    program_t *found = NULL;
    pthread_mutex_lock(&cache.lock);
    for (size_t i = 0; i < CACHED_PROGRAMS && !found; i++) {
        cache_entry_t *e = &cache.entries[i];
        if (!e->program || e->hash != hash || e->size != size || strcmp(e->options, options) != 0 ||
                memcmp(e->key, key, size) != 0)
            continue;
        e->used = ++cache.clock;
        found = e->program;
        program_retain(found);
    }
    pthread_mutex_unlock(&cache.lock);
    return found;
}

void program_cache_add(const void *key, size_t size, const char *options, program_t *program) {
    void *key_copy = malloc(size);
    char *options_copy = strdup(options);
    if (!key_copy || !options_copy) {
        free(key_copy);
        free(options_copy);
        return;
    }
    memcpy(key_copy, key, size);
    pthread_mutex_lock(&cache.lock);
    cache_entry_t *oldest = &cache.entries[0];
    for (size_t i = 1; i < CACHED_PROGRAMS && oldest->program; i++)
        if (!cache.entries[i].program || cache.entries[i].used < oldest->used)
            oldest = &cache.entries[i];
    cache_entry_t evicted = *oldest;
    program_retain(program);
    *oldest = (cache_entry_t){
            hash_bytes(size, key, size), ++cache.clock, key_copy, size, options_copy, program};
    pthread_mutex_unlock(&cache.lock);
    program_release(evicted.program);
    free(evicted.key);
    free(evicted.options);
}

static void add_build_log(const ocl_t *ocl, cl_program program, log_t *log) {
    size_t size = 0;
    if (icd.GetProgramBuildInfo(program, ocl->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) !=
            CL_SUCCESS)
        return;
    char *text = size > 1 ? malloc(size) : NULL;
    if (!text) return;
    if (icd.GetProgramBuildInfo(program, ocl->device, CL_PROGRAM_BUILD_LOG, size, text, NULL) ==
            CL_SUCCESS)
        log_add(log, "%s\n", text);
    free(text);
}

/* Translates the program to LLVM bitcode, for a PoCL that does not support SPIR-V. */
static ze_result_t make_bitcode(const void *spirv, size_t size, const module_info_t *info,
        void **out, size_t *out_size, log_t *log) {
    if (disk_cache_load(spirv, size, out, out_size)) return ZE_RESULT_SUCCESS;
    TRY(bitcode_from_spirv(spirv, size, out, out_size, log));
    size_t folded_size;
    void *folded = info->has_barriers ? NULL : llvm_fold(*out, *out_size, &folded_size);
    if (folded) {
        free(*out);
        *out = folded;
        *out_size = folded_size;
    }
    disk_cache_store(spirv, size, *out, *out_size);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t create(
        const ocl_t *ocl, const void *spirv, size_t size, program_t *program, log_t *log) {
    cl_int status;
    if (ocl->supports_spirv) {
        program->cl = icd.CreateProgramWithIL(ocl->context, spirv, size, &status);
    } else {
        void *bitcode;
        size_t bitcode_size;
        TRY(make_bitcode(spirv, size, &program->info, &bitcode, &bitcode_size, log));
        const unsigned char *binary = bitcode;
        program->cl = icd.CreateProgramWithBinary(
                ocl->context, 1, &ocl->device, &bitcode_size, &binary, NULL, &status);
        free(bitcode);
    }
    if (program->cl) return ZE_RESULT_SUCCESS;
    log_add(log, "error: OpenCL refuses the module (status %d)\n", status);
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

static ze_result_t build(
        const ocl_t *ocl, const void *spirv, size_t size, program_t *program, log_t *log) {
    const host_t *host;
    uint32_t *parts = NULL;
    size_t n_parts = 0;
    TRY(host_get(&host));
    split_which_t which = ocl->supports_spirv ? SPLIT_ALL : SPLIT_LARGE;
    if (!ocl->is_gpu) /* long vectors help the CPU's loops only */
        TRY(spirv_split_wide(spirv, size / 4, host->simd_width * 4, which, &parts, &n_parts));
    const bool emulated = !ocl->is_gpu && ocl->supports_spirv && emulate_wanted(spirv, size / 4);
    if (emulated && !parts) {
        parts = malloc(size);
        if (!parts) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        memcpy(parts, spirv, size);
        n_parts = size / 4;
    }
    if (emulated) {
        emulate_roll(parts, n_parts);
        n_parts = emulate_keep_variables(parts, n_parts);
    }
    ze_result_t result =
            create(ocl, parts ? parts : spirv, parts ? n_parts * 4 : size, program, log);
    free(parts);
    TRY(result);
    const char *options = ocl->supports_spirv ? "-cl-kernel-arg-info"
                                              : "-x spir -spir-std=1.2 -cl-kernel-arg-info";
    if (emulated) {
        result = emulate_build(ocl, &program->cl, log);
    } else {
        cl_int status = icd.BuildProgram(program->cl, 1, &ocl->device, options, NULL, NULL);
        if (status != CL_SUCCESS) {
            log_add(log, "error: the build failed (OpenCL status %d)\n", status);
            result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
        }
    }
    program->is_plain = !emulated;
    add_build_log(ocl, program->cl, log);
    if (result == ZE_RESULT_SUCCESS) return result;
    for (uint32_t i = 0; i < program->info.n_imports; i++)
        log_add(log, "note: the module imports %s\n", program->info.imports[i]);
    return result;
}

/* Checks the limits of the device that are known before the build. */
static ze_result_t check_limits(const ocl_t *ocl, const module_info_t *info, log_t *log) {
    if (info->local_memory > ocl->local_memory) {
        log_add(log, "error: the module uses %llu bytes of local memory, but the device has %llu\n",
                (unsigned long long)info->local_memory, (unsigned long long)ocl->local_memory);
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    if (info->has_doubles && !ocl->fp64) {
        log_add(log, "error: the module needs double precision, which the device lacks\n");
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    for (uint32_t i = 0; i < info->n_kernels; i++) {
        const kernel_info_t *k = &info->kernels[i];
        if (k->required_subgroup && ocl->n_subgroup_sizes == 0) {
            log_add(log, "error: kernel %s requires sub-groups, which this PoCL does not support\n",
                    k->name);
            return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* Gives kernels that use sub-groups and require no size the one that the driver tells. */
static ze_result_t choose_subgroups(
        const ocl_t *ocl, uint32_t **words, size_t *n_words, module_info_t *info) {
    CHECK(subgroups_find(*words, *n_words, info), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    if (!ocl->subgroup || !subgroups_are_open(info)) return ZE_RESULT_SUCCESS;
    size_t n;
    uint32_t *changed = subgroups_require(*words, *n_words, info, ocl->subgroup, &n);
    CHECK(changed, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    free(*words);
    *words = changed;
    *n_words = n;
    return ZE_RESULT_SUCCESS;
}

ze_result_t compiler_ready(const ocl_t *ocl, log_t *log) {
    ze_result_t result = needs_files();
    if (result == ZE_RESULT_SUCCESS && ocl->is_pocl) result = needs_linker();
    if (result != ZE_RESULT_SUCCESS) log_add(log, "error: %s\n", said());
    return result;
}

ze_result_t program_from_spirv(const ze_module_desc_t *desc, program_t **out, log_t *log) {
    const ocl_t *ocl;
    TRY(ocl_open(&ocl));
    TRY(compiler_ready(ocl, log));
    if (desc->inputSize % 4 != 0) {
        log_add(log, "error: the size of a SPIR-V module must be a multiple of 4, but is %zu\n",
                desc->inputSize);
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    size_t n_words = desc->inputSize / 4;
    uint32_t *words = malloc(desc->inputSize);
    program_t *program = calloc(1, sizeof *program);
    if (program) atomic_store(&program->references, 1);
    ze_result_t result = words && program ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (result == ZE_RESULT_SUCCESS) {
        memcpy(words, desc->pInputModule, desc->inputSize);
        result = spirv_read(words, n_words, &program->info, log);
    }
    if (result == ZE_RESULT_SUCCESS) {
        if (desc->pConstants && desc->pConstants->numConstants) {
            /* A constant may be the length of an array, so that sizes change: read the module
             * again. */
            module_info_free(&program->info);
            spirv_specialize(words, n_words, desc->pConstants, log);
            result = spirv_read(words, n_words, &program->info, log);
        }
    }
    const char *flags = desc->pBuildFlags ? desc->pBuildFlags : "";
    program_t *cached = NULL;
    if (result == ZE_RESULT_SUCCESS)
        result = choose_subgroups(ocl, &words, &n_words, &program->info);
    if (result == ZE_RESULT_SUCCESS) cached = program_cache_find(words, n_words * 4, flags);
    if (!cached && result == ZE_RESULT_SUCCESS) result = check_limits(ocl, &program->info, log);
    if (!cached && result == ZE_RESULT_SUCCESS)
        result = build(ocl, words, n_words * 4, program, log);
    if (!cached && result == ZE_RESULT_SUCCESS)
        program_cache_add(words, n_words * 4, flags, program);
    free(words);
    if (cached || result != ZE_RESULT_SUCCESS) {
        program_release(program);
        program = cached;
    }
    *out = program;
    return result;
}
