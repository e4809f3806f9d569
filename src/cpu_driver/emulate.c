/* SPDX-License-Identifier: Apache-2.0 */
/* Links the emulated functions of emulate/intel.cl into modules that use them, and answers queries
 * about the emulated device. */
#include "emulate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "spirv_words.h"

/* emulate/intel.cl, embedded by the build */
extern const unsigned char ze_cpu_emulation[], ze_cpu_emulation_end[];

/* ---- the device ---- */

const architecture_t *emulated_architecture(void) {
    static const architecture_t architectures[] = {
            {"xe-lp", {8, 16, 32}, 8, false, false},
            {"xe-hpg", {8, 16, 32}, 8, true, false},
            {"xe2", {16, 32}, 16, true, true},
    };
    const char *wanted = getenv("ZE_CPU_EMULATE");
    if (!wanted || !*wanted) return NULL;
    const ocl_t *ocl;
    if (ocl_open(&ocl) != ZE_RESULT_SUCCESS) return NULL;
    for (size_t i = 0; ocl->n_subgroup_sizes && i < COUNT_OF(architectures); i++)
        if (!strcmp(architectures[i].name, wanted)) return &architectures[i];
    return NULL;
}

/* The common members of the structures of Intel's extended queries, and the types that are
 * answered. */
typedef struct link {
    uint32_t stype;
    struct link *next;
    uint32_t value;
    uint32_t *list;
} link_t;
enum { BLOCK_ARRAY = 0x00030007, REGISTER_FILES = 0x00030010, MODULE_DP = 0x00030013 };

void emulated_device_properties(void *next) {
    enum { STORE = 1, LOAD = 2 };
    const architecture_t *a = emulated_architecture();
    for (link_t *l = a ? next : NULL; l; l = l->next)
        if (l->stype == BLOCK_ARRAY) l->value = a->block_accesses ? STORE | LOAD : 0;
}

void emulated_module_properties(void *next) {
    enum { DP4A = 1, DPAS = 2 };
    static const uint32_t sizes[] = {128, 256};
    const architecture_t *a = emulated_architecture();
    for (link_t *l = a ? next : NULL; l; l = l->next) {
        if (l->stype == MODULE_DP) l->value = DP4A | (a->matrix_units ? DPAS : 0);
        if (l->stype != REGISTER_FILES) continue;
        for (uint32_t i = 0; l->list && i < l->value && i < COUNT_OF(sizes); i++)
            l->list[i] = sizes[i];
        if (!l->list) l->value = COUNT_OF(sizes);
    }
}

/* ---- modules ---- */

/* Whether the instruction decorates an imported function that is emulated. */
static bool is_imported(const uint32_t *i) {
    return op_of(i[0]) == OP_DECORATE && i[2] == DECORATION_LINKAGE &&
           i[length_of(i[0]) - 1] == LINKAGE_IMPORT &&
           (strstr((const char *)(i + 3), "intel_") ||
                   strstr((const char *)(i + 3), "work_group_scan_inclusive_mul"));
}

bool emulate_wanted(const uint32_t *words, size_t n_words) {
    enum { SUBGROUP_BUFFER_BLOCK_IO = 5569, SHUFFLE_DOWN = 5572, SHUFFLE_UP = 5573 };
    for (size_t at = 5; at < n_words; at += length_of(words[at])) {
        const uint32_t *i = words + at, op = op_of(i[0]);
        if (op == OP_CAPABILITY && i[1] == SUBGROUP_BUFFER_BLOCK_IO) return true;
        if (op == SHUFFLE_DOWN || op == SHUFFLE_UP) return true;
        if (op == OP_GROUP_I_MUL || op == OP_GROUP_F_MUL || is_imported(i)) return true;
    }
    return false;
}

/* Marks the ids of functions that call an imported function, directly or not. */
static void mark_callers(const uint32_t *words, size_t n_words, uint8_t *calls, uint32_t bound) {
    for (bool more = true; more;) {
        uint32_t function = 0;
        more = false;
        for (size_t at = 5; at < n_words; at += length_of(words[at])) {
            const uint32_t *i = words + at, op = op_of(i[0]);
            if (is_imported(i) && i[1] < bound) calls[i[1]] = 1;
            if (op == OP_FUNCTION && i[2] < bound) function = i[2];
            if (op != OP_FUNCTION_CALL || i[3] >= bound || !calls[i[3]] || calls[function])
                continue;
            calls[function] = 1;
            more = true;
        }
    }
}

/* Whether the module has reductions over work-items. */
static bool reduces(const uint32_t *words, size_t n_words) {
    for (size_t at = 5; at < n_words; at += length_of(words[at]))
        if (op_of(words[at]) >= OP_GROUP_I_ADD && op_of(words[at]) <= OP_GROUP_S_MAX) return true;
    return false;
}

/* Whether the module imports matrix multiplications. */
static bool multiplies(const uint32_t *words, size_t n_words) {
    for (size_t at = 5; at < n_words; at += length_of(words[at]))
        if (is_imported(words + at) && strstr((const char *)(words + at + 3), "_matrix_mad_"))
            return true;
    return false;
}

void emulate_roll(uint32_t *words, size_t n_words) {
    enum { UNROLL = 1, DO_NOT = 2 };
    const uint32_t bound = words[3];
    const bool all = !reduces(words, n_words) || !multiplies(words, n_words);
    uint8_t *calls = calloc(bound, 1);
    if (!calls) return;
    mark_callers(words, n_words, calls, bound);
    for (size_t at = 5; at < n_words; at += length_of(words[at])) {
        if (op_of(words[at]) != OP_LOOP_MERGE || words[at + 3] != UNROLL) continue;
        if (all) words[at + 3] = DO_NOT;
        /* The blocks of a loop come before its merge block. */
        for (size_t in = at; in < n_words; in += length_of(words[in])) {
            if (op_of(words[in]) == OP_LABEL && words[in + 1] == words[at + 1]) break;
            if (op_of(words[in]) == OP_FUNCTION_CALL && words[in + 3] < bound &&
                    calls[words[in + 3]])
                words[at + 3] = DO_NOT;
        }
    }
    free(calls);
}

size_t emulate_keep_variables(uint32_t *words, size_t n_words) {
    size_t kept = 5;
    for (size_t at = 5, length; at < n_words; at += length) {
        length = length_of(words[at]);
        if (op_of(words[at]) == OP_LIFETIME_STOP) continue;
        memmove(words + kept, words + at, length * sizeof(*words));
        kept += length;
    }
    return kept;
}

static struct {
    pthread_mutex_t lock;
    cl_program compiled;
} emulation = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Returns the emulated functions, compiled at the first call; NULL if OpenCL refuses them. */
static cl_program get_emulation(const ocl_t *ocl) {
    pthread_mutex_lock(&emulation.lock);
    if (!emulation.compiled) {
        cl_int status;
        const size_t size = (size_t)(ze_cpu_emulation_end - ze_cpu_emulation);
        uint32_t *words = malloc(size);
        if (words) memcpy(words, ze_cpu_emulation, size);
        const size_t left = words ? emulate_keep_variables(words, size / 4) * 4 : 0;
        cl_program program =
                words ? icd.CreateProgramWithIL(ocl->context, words, left, &status) : NULL;
        free(words);
        if (program && icd.CompileProgram(program, 1, &ocl->device, "", 0, NULL, NULL, NULL,
                               NULL) != CL_SUCCESS) {
            icd.ReleaseProgram(program);
            program = NULL;
        }
        emulation.compiled = program;
    }
    cl_program program = emulation.compiled;
    pthread_mutex_unlock(&emulation.lock);
    return program;
}

ze_result_t emulate_link(const ocl_t *ocl, const cl_program *parts, uint32_t n, bool emulated,
        cl_program *out, log_t *log) {
    cl_program *all = calloc(n + 1, sizeof *all);
    CHECK(all, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    cl_int status = CL_SUCCESS;
    memcpy(all, parts, n * sizeof *all);
    if (emulated && !(all[n] = get_emulation(ocl))) status = CL_COMPILE_PROGRAM_FAILURE;
    for (uint32_t i = 0; i < n && status == CL_SUCCESS; i++)
        status = icd.CompileProgram(
                all[i], 1, &ocl->device, "-cl-kernel-arg-info", 0, NULL, NULL, NULL, NULL);
    if (status == CL_SUCCESS) {
        *out = icd.LinkProgram(
                ocl->context, 1, &ocl->device, "", n + emulated, all, NULL, NULL, &status);
        if (!*out && status == CL_SUCCESS) status = CL_LINK_PROGRAM_FAILURE;
    }
    free(all);
    if (status == CL_SUCCESS) return ZE_RESULT_SUCCESS;
    log_add(log, "error: linking%s failed (OpenCL status %d)\n",
            emulated ? " with the emulated functions" : "", status);
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}
