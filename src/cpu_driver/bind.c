/* SPDX-License-Identifier: Apache-2.0 */
/* Sets kernel arguments, and remembers the block that was set last. */
#include "bind.h"
#include "memory.h"
#include "strict.h"

#include <string.h>

cl_int bind_argument(kernel_exec_t *kernel, uint32_t index, const uint8_t *value) {
    const arg_info_t *arg = &kernel->info->args[index];
    switch (arg->kind) {
    case ARG_POINTER: {
        void *pointer;
        memcpy(&pointer, value, sizeof pointer);
        return icd.SetKernelArgSVMPointer(kernel->cl, index, memory_view(pointer));
    }
    case ARG_LOCAL: {
        uint64_t size;
        memcpy(&size, value, sizeof size);
        return icd.SetKernelArg(kernel->cl, index, size, NULL);
    }
    default: return icd.SetKernelArg(kernel->cl, index, arg->size, value);
    }
}

cl_int bind_changed_arguments(kernel_exec_t *kernel, const uint8_t *block) {
    if (kernel->is_bound && memcmp(kernel->bound, block, kernel->n_bytes) == 0) return CL_SUCCESS;
    for (uint32_t i = 0; i < kernel->info->n_args; i++) {
        uint32_t at = kernel->offsets[i], end = kernel->offsets[i + 1];
        if (kernel->is_bound && memcmp(kernel->bound + at, block + at, end - at) == 0) continue;
        cl_int status = bind_argument(kernel, i, block + at);
        if (status != CL_SUCCESS) {
            kernel->is_bound = false;
            return status;
        }
        memcpy(kernel->bound + at, block + at, end - at);
    }
    kernel->is_bound =
            !strict_level; /* in strict mode one address may mean different memory later */
    return CL_SUCCESS;
}
