/* SPDX-License-Identifier: Apache-2.0 */
/* Launches whose call passes the group size and the arguments. */
#include "module.h"
#include "newer.h"
#include "queue.h"

#include <string.h>

static ze_result_t set_argument(ze_kernel_handle_t kernel, uint32_t index, const void *value) {
    const arg_info_t *arg = &kernel->exec->info->args[index];
    if (arg->kind != ARG_LOCAL) return zeKernelSetArgumentValue(kernel, index, arg->size, value);
    CHECK_POINTER(value);
    size_t size;
    memcpy(&size, value, sizeof size);
    return zeKernelSetArgumentValue(kernel, index, size, NULL);
}

ze_result_t cpu_launch_with_arguments(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
        ze_group_count_t groups, cpu_group_size_t size, void **arguments, const void *next,
        ze_event_handle_t signal, uint32_t n_waits, ze_event_handle_t *waits) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    CHECK(!next, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    const uint32_t n = kernel->exec->info->n_args;
    CHECK(arguments || n == 0, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    if (memcmp(kernel->group_size, &size, sizeof kernel->group_size) != 0)
        TRY(zeKernelSetGroupSize(kernel, size.x, size.y, size.z));
    for (uint32_t i = 0; i < n; i++) TRY(set_argument(kernel, i, arguments[i]));
    return zeCommandListAppendLaunchKernel(list, kernel, &groups, signal, n_waits, waits);
}
