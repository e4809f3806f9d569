/* SPDX-License-Identifier: Apache-2.0 */
/* Translates results of Level Zero into statuses of this library. */
#include <stddef.h>

#include "core/verbose.h"
#include "ze/loader.h"

/* Every failure but out of memory is a runtime error, because the library checks the arguments of
 * its callers before it calls the driver. */
static const struct {
    ze_result_t result;
    dnnl_status_t status;
    const char *name;
} results[] = {
#define ROW(name, status) {ZE_RESULT_##name, dnnl_##status, #name}
        ROW(SUCCESS, success),
        ROW(ERROR_OUT_OF_HOST_MEMORY, out_of_memory),
        ROW(ERROR_OUT_OF_DEVICE_MEMORY, out_of_memory),
        ROW(ERROR_UNSUPPORTED_SIZE, out_of_memory),
        ROW(NOT_READY, runtime_error),
        ROW(ERROR_DEVICE_LOST, runtime_error),
        ROW(ERROR_MODULE_BUILD_FAILURE, runtime_error),
        ROW(ERROR_MODULE_LINK_FAILURE, runtime_error),
        ROW(ERROR_INSUFFICIENT_PERMISSIONS, runtime_error),
        ROW(ERROR_NOT_AVAILABLE, runtime_error),
        ROW(ERROR_DEPENDENCY_UNAVAILABLE, runtime_error),
        ROW(ERROR_UNINITIALIZED, runtime_error),
        ROW(ERROR_UNSUPPORTED_VERSION, runtime_error),
        ROW(ERROR_UNSUPPORTED_FEATURE, runtime_error),
        ROW(ERROR_INVALID_ARGUMENT, runtime_error),
        ROW(ERROR_INVALID_NULL_HANDLE, runtime_error),
        ROW(ERROR_HANDLE_OBJECT_IN_USE, runtime_error),
        ROW(ERROR_INVALID_NULL_POINTER, runtime_error),
        ROW(ERROR_INVALID_SIZE, runtime_error),
        ROW(ERROR_UNSUPPORTED_ALIGNMENT, runtime_error),
        ROW(ERROR_INVALID_SYNCHRONIZATION_OBJECT, runtime_error),
        ROW(ERROR_INVALID_ENUMERATION, runtime_error),
        ROW(ERROR_UNSUPPORTED_ENUMERATION, runtime_error),
        ROW(ERROR_INVALID_NATIVE_BINARY, runtime_error),
        ROW(ERROR_INVALID_GLOBAL_NAME, runtime_error),
        ROW(ERROR_INVALID_KERNEL_NAME, runtime_error),
        ROW(ERROR_INVALID_FUNCTION_NAME, runtime_error),
        ROW(ERROR_INVALID_GROUP_SIZE_DIMENSION, runtime_error),
        ROW(ERROR_INVALID_GLOBAL_WIDTH_DIMENSION, runtime_error),
        ROW(ERROR_INVALID_KERNEL_ARGUMENT_INDEX, runtime_error),
        ROW(ERROR_INVALID_KERNEL_ARGUMENT_SIZE, runtime_error),
        ROW(ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE, runtime_error),
        ROW(ERROR_INVALID_MODULE_UNLINKED, runtime_error),
        ROW(ERROR_INVALID_COMMAND_LIST_TYPE, runtime_error),
        ROW(ERROR_OVERLAPPING_REGIONS, runtime_error),
#undef ROW
};

static int find(ze_result_t result) {
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].result == result) return (int)i;
    return -1;
}

dnnl_status_t ze_status(ze_result_t result) {
    const int i = find(result);
    return i < 0 ? dnnl_runtime_error : results[i].status;
}

const char *ze_result_name(ze_result_t result) {
    const int i = find(result);
    return i < 0 ? "an unknown result" : results[i].name;
}

bool ze_is_refusal(ze_result_t result) {
    enum { KIND = 0x7f000000, OF_ARGUMENTS = 0x78000000 }; /* by the numbers of the specification */
    return ((unsigned)result & KIND) == OF_ARGUMENTS;
}

/* What the user can do about it. */
static const char *advice(ze_result_t result) {
    if (result == ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE)
        return ": the driver misses a library; libze_cpu.so needs PoCL (Debian: pocl-opencl-icd)";
    return "";
}

dnnl_status_t ze_report(ze_result_t result, const char *call) {
    return verbose_error(ze_status(result), "ze", "%s answers %s (0x%x)%s", call,
            ze_result_name(result), (unsigned)result, advice(result));
}
