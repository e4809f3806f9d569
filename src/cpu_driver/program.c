/* SPDX-License-Identifier: Apache-2.0 */
/* Builds programs from SPIR-V, and caches them. */
#include "module.h"
#include "disk_cache.h"
#include "dots.h"
#include "emulate.h"
#include "llvm_api.h"
#include "llvm_fold.h"
#include "host.h"
#include "needs.h"
#include "say.h"
#include "parts.h"
#include "split.h"

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

/* emulate/dots.cl, embedded by the build */
extern const unsigned char ze_cpu_dots[], ze_cpu_dots_end[];

/* Settings of entries on disk. */
enum { NOT_FOLDED = 1, SOFTWARE_DOTS = 2 };

static bool calls_dots(const module_info_t *info) {
    for (uint32_t i = 0; i < info->n_imports; i++)
        if (strncmp(info->imports[i], "ze_cpu_", 7) == 0) return true;
    return false;
}

static ze_result_t make_dots(void **out, size_t *out_size, log_t *log) {
    const disk_key_t key = {ze_cpu_dots, (size_t)(ze_cpu_dots_end - ze_cpu_dots), NOT_FOLDED};
    if (disk_cache_load(&key, out, out_size)) return ZE_RESULT_SUCCESS;
    TRY(bitcode_from_spirv(key.bytes, key.size, out, out_size, log));
    disk_cache_store(&key, *out, *out_size);
    return ZE_RESULT_SUCCESS;
}

/* Folds the bitcode, if that can be done. */
static ze_result_t fold(void **bitcode, size_t *size, bool software, log_t *log) {
    void *dots = NULL;
    size_t dots_size = 0, folded_size;
    if (software) TRY(make_dots(&dots, &dots_size, log));
    void *folded = llvm_fold(&(bitcode_t){*bitcode, *size},
            software ? &(bitcode_t){dots, dots_size} : NULL, &folded_size);
    free(dots);
    if (!folded) return ZE_RESULT_SUCCESS;
    free(*bitcode);
    *bitcode = folded;
    *size = folded_size;
    return ZE_RESULT_SUCCESS;
}

/* Translates the program to LLVM bitcode, for a PoCL that does not support SPIR-V. */
static ze_result_t make_bitcode(const void *spirv, size_t size, const module_info_t *info,
        void **out, size_t *out_size, log_t *log) {
    const bool software = dots_are_software() && calls_dots(info);
    const uint32_t settings = (llvm_api() ? 0 : NOT_FOLDED) | (software ? SOFTWARE_DOTS : 0);
    const disk_key_t key = {spirv, size, settings};
    if (disk_cache_load(&key, out, out_size)) return ZE_RESULT_SUCCESS;
    TRY(bitcode_from_spirv(spirv, size, out, out_size, log));
    const ze_result_t result =
            info->has_barriers ? ZE_RESULT_SUCCESS : fold(out, out_size, software, log);
    if (result == ZE_RESULT_SUCCESS) disk_cache_store(&key, *out, *out_size);
    else free(*out);
    return result;
}

static code_id_t code_id(const void *bytes, size_t size) {
    static const uint64_t seeds[2] = {0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu};
    return (code_id_t){
            {hash_bytes(seeds[0], bytes, size), hash_bytes(seeds[1], bytes, size)}, size};
}

static ze_result_t create(const ocl_t *ocl, const void *spirv, size_t size,
        const module_info_t *info, cl_program *out, code_id_t *code, log_t *log) {
    cl_int status;
    if (ocl->supports_spirv) {
        *code = code_id(spirv, size);
        *out = icd.CreateProgramWithIL(ocl->context, spirv, size, &status);
    } else {
        void *bitcode;
        size_t bitcode_size;
        TRY(make_bitcode(spirv, size, info, &bitcode, &bitcode_size, log));
        const unsigned char *binary = bitcode;
        *code = code_id(bitcode, bitcode_size);
        *out = icd.CreateProgramWithBinary(
                ocl->context, 1, &ocl->device, &bitcode_size, &binary, NULL, &status);
        free(bitcode);
    }
    if (*out) return ZE_RESULT_SUCCESS;
    log_add(log, "error: OpenCL refuses the module (status %d)\n", status);
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

/* Creates the OpenCL program of a part. *emulated becomes true if it needs emulated functions. */
static ze_result_t create_part(const ocl_t *ocl, const part_t *part, cl_program *out,
        code_id_t *code, bool *emulated, log_t *log) {
    const host_t *host;
    uint32_t *words = NULL;
    size_t n_words = 0;
    TRY(host_get(&host));
    split_which_t which = ocl->supports_spirv ? SPLIT_ALL : SPLIT_LARGE;
    if (!ocl->is_gpu) /* long vectors help the CPU's loops only */
        TRY(spirv_split_wide(
                part->words, part->n_words, host->simd_width * 4, which, &words, &n_words));
    if (!ocl->is_gpu && ocl->supports_spirv && emulate_wanted(part->words, part->n_words)) {
        if (!words) {
            n_words = part->n_words;
            words = malloc(n_words * sizeof *words);
            if (!words) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
            memcpy(words, part->words, n_words * sizeof *words);
        }
        emulate_roll(words, n_words);
        n_words = emulate_keep_variables(words, n_words);
        *emulated = true;
    }
    const ze_result_t result = create(ocl, words ? words : part->words,
            (words ? n_words : part->n_words) * sizeof *words, &part->info, out, code, log);
    free(words);
    return result;
}

static ze_result_t build_alone(const ocl_t *ocl, cl_program program, log_t *log) {
    const char *options = ocl->supports_spirv ? "-cl-kernel-arg-info"
                                              : "-x spir -spir-std=1.2 -cl-kernel-arg-info";
    const cl_int status = icd.BuildProgram(program, 1, &ocl->device, options, NULL, NULL);
    if (status == CL_SUCCESS) return ZE_RESULT_SUCCESS;
    log_add(log, "error: the build failed (OpenCL status %d)\n", status);
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

/* Builds the programs of all parts, which it takes over, into one. */
static ze_result_t join(const ocl_t *ocl, cl_program *programs, uint32_t n, bool emulated,
        program_t *program, log_t *log) {
    ze_result_t result;
    program->is_plain = n == 1 && !emulated;
    if (program->is_plain) {
        program->cl = programs[0];
        programs[0] = NULL;
        result = build_alone(ocl, program->cl, log);
    } else {
        result = emulate_link(ocl, programs, n, emulated, &program->cl, log);
    }
    if (program->cl) add_build_log(ocl, program->cl, log);
    else
        for (uint32_t i = 0; i < n; i++) add_build_log(ocl, programs[i], log);
    return result;
}

static ze_result_t build(
        const ocl_t *ocl, const part_t *parts, uint32_t n, program_t *program, log_t *log) {
    if (n > 1 && !ocl->supports_spirv) {
        log_add(log, "error: this PoCL cannot link several modules: they need PoCL 6 or newer\n");
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    cl_program *programs = calloc(n, sizeof(cl_program));
    CHECK(programs, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    bool emulated = false;
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; i < n && result == ZE_RESULT_SUCCESS; i++)
        result = create_part(ocl, &parts[i], &programs[i], &program->code, &emulated, log);
    const bool created = result == ZE_RESULT_SUCCESS;
    if (created) result = join(ocl, programs, n, emulated, program, log);
    for (uint32_t i = 0; i < n; i++)
        if (programs[i]) icd.ReleaseProgram(programs[i]);
    free(programs);
    if (result == ZE_RESULT_SUCCESS || !created) return result;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < parts[i].info.n_imports; k++)
            log_add(log, "note: the module imports %s\n", parts[i].info.imports[k]);
    return result;
}

/* Checks the limits of the device that are known before the build. */
static ze_result_t check_limits(const ocl_t *ocl, const module_info_t *info, log_t *log) {
    if (info->has_doubles && !ocl->fp64) {
        log_add(log, "error: the module needs double precision, which the device lacks\n");
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    for (uint32_t i = 0; i < info->n_kernels; i++) {
        const kernel_info_t *k = &info->kernels[i];
        if (k->local_memory > ocl->local_memory) {
            log_add(log, "error: kernel %s uses %llu bytes of local memory, the device has %llu\n",
                    k->name, (unsigned long long)k->local_memory,
                    (unsigned long long)ocl->local_memory);
            return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
        }
        if (k->required_subgroup && ocl->n_subgroup_sizes == 0) {
            log_add(log, "error: kernel %s requires sub-groups, which this PoCL does not support\n",
                    k->name);
            return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t check_parts(const ocl_t *ocl, const part_t *parts, uint32_t n, log_t *log) {
    for (uint32_t i = 0; i < n; i++) TRY(check_limits(ocl, &parts[i].info, log));
    return ZE_RESULT_SUCCESS;
}

ze_result_t compiler_ready(const ocl_t *ocl, log_t *log) {
    ze_result_t result = needs_files();
    if (result == ZE_RESULT_SUCCESS && ocl->is_pocl) result = needs_linker();
    if (result != ZE_RESULT_SUCCESS) log_add(log, "error: %s\n", said());
    return result;
}

/* Finds the program of the parts in the cache, or builds it. */
static ze_result_t find_or_build(const ocl_t *ocl, part_t *parts, uint32_t n,
        const ze_module_desc_t *desc, program_t **out, log_t *log) {
    void *key;
    size_t size;
    char *flags;
    CHECK(parts_key(parts, n, desc, &key, &size, &flags), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    ze_result_t result = ZE_RESULT_SUCCESS;
    program_t *program = program_cache_find(key, size, flags);
    if (!program) {
        program = calloc(1, sizeof *program);
        if (!program) result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        else atomic_store(&program->references, 1);
        /* What is known of the parts is needed until they are built. */
        if (result == ZE_RESULT_SUCCESS) result = check_parts(ocl, parts, n, log);
        if (result == ZE_RESULT_SUCCESS) result = build(ocl, parts, n, program, log);
        if (result == ZE_RESULT_SUCCESS && !parts_merge(parts, n, &program->info))
            result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        if (result == ZE_RESULT_SUCCESS) program_cache_add(key, size, flags, program);
        if (result != ZE_RESULT_SUCCESS) {
            program_release(program);
            program = NULL;
        }
    }
    free(key);
    free(flags);
    *out = program;
    return result;
}

ze_result_t program_from_spirv(const ze_module_desc_t *desc, program_t **out, log_t *log) {
    const ocl_t *ocl;
    TRY(ocl_open(&ocl));
    TRY(compiler_ready(ocl, log));
    part_t *parts;
    uint32_t n;
    TRY(parts_read(ocl, desc, &parts, &n, log));
    const ze_result_t result = find_or_build(ocl, parts, n, desc, out, log);
    parts_free(parts, n);
    return result;
}
