/* SPDX-License-Identifier: Apache-2.0 */
/* Modules and build logs. */
#include "module.h"
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* A loader that wraps handles does not wrap the log of a failed build, but still expects its own
 * table of functions behind the second word of the handle. It finds this empty table and returns an
 * error. */
static const char no_functions[16384];

struct _ze_module_build_log_handle_t {
    object_t object;
    const void *functions;
    char *text;
};
_Static_assert(offsetof(struct _ze_module_build_log_handle_t, functions) == sizeof(void *),
        "the loader reads this word");

static object_pool_t modules = OBJECT_POOL(OBJECT_MODULE, struct _ze_module_handle_t);
static object_pool_t logs = OBJECT_POOL(OBJECT_BUILD_LOG, struct _ze_module_build_log_handle_t);

/* Passes the log to the caller, whether or not the build succeeded. If memory runs out, *out does
 * not change. */
static void hand_out_log(log_t *log, ze_module_build_log_handle_t *out) {
    ze_module_build_log_handle_t handle = object_new(&logs);
    if (!handle) return;
    handle->functions = no_functions;
    handle->text = log->text ? log->text : calloc(1, 1);
    log->text = NULL;
    *out = handle;
}

static ze_result_t make_module(ze_context_handle_t context, const ze_module_desc_t *desc,
        ze_module_handle_t *out, log_t *log) {
    program_t *program = NULL;
    TRY(desc->format == ZE_MODULE_FORMAT_NATIVE ? program_from_native(desc, &program, log)
                                                : program_from_spirv(desc, &program, log));
    ze_module_handle_t module = object_new(&modules);
    if (!module) {
        program_release(program);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    module->context = context;
    module->program = program;
    pthread_mutex_init(&module->lock, NULL);
    *out = module;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t check_constants(const ze_module_constants_t *constants) {
    if (!constants || !constants->numConstants) return ZE_RESULT_SUCCESS;
    CHECK_POINTER(constants->pConstantIds);
    CHECK_POINTER(constants->pConstantValues);
    for (uint32_t i = 0; i < constants->numConstants; i++)
        CHECK_POINTER(constants->pConstantValues[i]);
    return ZE_RESULT_SUCCESS;
}

/* Several modules are SPIR-V, and stand for what the descriptor itself names. */
static ze_result_t check_program(
        const ze_module_desc_t *desc, const ze_module_program_exp_desc_t *program) {
    CHECK(desc->format == ZE_MODULE_FORMAT_IL_SPIRV, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK_POINTER(program->inputSizes);
    CHECK_POINTER(program->pInputModules);
    for (uint32_t i = 0; i < program->count; i++) {
        CHECK_POINTER(program->pInputModules[i]);
        CHECK(program->inputSizes[i] > 0, ZE_RESULT_ERROR_INVALID_SIZE);
        if (program->pConstants) TRY(check_constants(program->pConstants[i]));
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleCreate(ze_context_handle_t context, ze_device_handle_t device,
        const ze_module_desc_t *desc, ze_module_handle_t *out,
        ze_module_build_log_handle_t *out_log) {
    CHECK_CONTEXT_AND_DEVICE(context, device);
    CHECK_POINTER(desc);
    CHECK_POINTER(out);
    CHECK(desc->format == ZE_MODULE_FORMAT_IL_SPIRV || desc->format == ZE_MODULE_FORMAT_NATIVE,
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    const ze_module_program_exp_desc_t *program = parts_described(desc);
    if (program) {
        TRY(check_program(desc, program));
    } else {
        CHECK_POINTER(desc->pInputModule);
        CHECK(desc->inputSize > 0, ZE_RESULT_ERROR_INVALID_SIZE);
        TRY(check_constants(desc->pConstants));
    }
    log_t log = {0};
    ze_result_t result = make_module(context, desc, out, &log);
    if (out_log) hand_out_log(&log, out_log);
    log_free(&log);
    return result;
}

ze_result_t zeModuleDestroy(ze_module_handle_t module) {
    CHECK_HANDLE(module, OBJECT_MODULE);
    CHECK(atomic_load(&module->n_kernels) == 0, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    program_release(module->program);
    pthread_mutex_destroy(&module->lock);
    free(module->native);
    object_delete(&modules, module);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleBuildLogDestroy(ze_module_build_log_handle_t log) {
    CHECK_HANDLE(log, OBJECT_BUILD_LOG);
    free(log->text);
    object_delete(&logs, log);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleBuildLogGetString(ze_module_build_log_handle_t log, size_t *size, char *out) {
    CHECK_HANDLE(log, OBJECT_BUILD_LOG);
    const char *text = log->text ? log->text : "";
    return answer_bytes(size, out, text, strlen(text) + 1);
}

ze_result_t zeModuleGetNativeBinary(ze_module_handle_t module, size_t *size, uint8_t *out) {
    CHECK_HANDLE(module, OBJECT_MODULE);
    CHECK_POINTER(size);
    ze_result_t result = ZE_RESULT_SUCCESS;
    pthread_mutex_lock(&module->lock);
    if (!module->native)
        result = program_to_native(module->program, &module->native, &module->native_size);
    if (result == ZE_RESULT_SUCCESS)
        result = answer_bytes(size, out, module->native, module->native_size);
    pthread_mutex_unlock(&module->lock);
    return result;
}

ze_result_t zeModuleGetKernelNames(ze_module_handle_t module, uint32_t *count, const char **names) {
    CHECK_HANDLE(module, OBJECT_MODULE);
    CHECK_POINTER(count);
    const module_info_t *info = &module->program->info;
    uint32_t n = answer_count(count, info->n_kernels, names);
    for (uint32_t i = 0; i < n; i++) names[i] = info->kernels[i].name;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleGetProperties(ze_module_handle_t module, ze_module_properties_t *out) {
    CHECK_HANDLE(module, OBJECT_MODULE);
    CHECK_POINTER(out);
    out->flags = 0; /* what the module imports was linked when it was created */
    return ZE_RESULT_SUCCESS;
}

/* Modules have nothing left to link: with an open import, they would not have been created. */
ze_result_t zeModuleDynamicLink(
        uint32_t n, ze_module_handle_t *modules, ze_module_build_log_handle_t *out_log) {
    CHECK_POINTER(modules);
    for (uint32_t i = 0; i < n; i++) CHECK_HANDLE(modules[i], OBJECT_MODULE);
    log_t log = {0};
    if (out_log) hand_out_log(&log, out_log);
    return ZE_RESULT_SUCCESS;
}
