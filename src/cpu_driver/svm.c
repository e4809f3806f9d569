/* SPDX-License-Identifier: Apache-2.0 */
/* Shared virtual memory of an OpenCL device. */
#include "svm.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "module.h"

enum {
    WORTH_ASKING = 64 << 10, /* bytes: the host copies less than this faster than it asks */
    MAX_PATTERN = 128,       /* bytes of clEnqueueSVMMemFill()'s pattern */
};

bool svm_is_used(void) {
    const ocl_t *ocl = ocl_get();
    return ocl && (ocl->memory == MEMORY_SVM || ocl->memory == MEMORY_SVM_MAPPED);
}

/* A queue for the maps of allocations: OpenCL maps memory by commands. */
static cl_command_queue map_queue(const ocl_t *ocl) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static cl_command_queue queue;
    pthread_mutex_lock(&lock);
    if (!queue) queue = icd.CreateCommandQueueWithProperties(ocl->context, ocl->device, NULL, NULL);
    pthread_mutex_unlock(&lock);
    return queue;
}

static cl_int map(cl_command_queue queue, void *base, size_t size) {
    return icd.EnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, base, size, 0, NULL, NULL);
}

bool svm_obtain(size_t size, size_t alignment, char **base, void **start) {
    const ocl_t *ocl = ocl_get();
    const bool is_fine = ocl->memory == MEMORY_SVM;
    const cl_svm_mem_flags flags =
            CL_MEM_READ_WRITE | (is_fine ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0u);
    const bool is_usual = alignment <= SVM_MAX_ALIGNMENT;
    const size_t more = is_usual ? 0 : alignment;
    if (size > SIZE_MAX - more) return false;
    *start = icd.SVMAlloc(ocl->context, flags, size + more, is_usual ? (cl_uint)alignment : 0);
    if (!*start) return false;
    *base = (char *)(((uintptr_t)*start + alignment - 1) / alignment * alignment);
    if (is_fine || map(map_queue(ocl), *base, size) == CL_SUCCESS) return true;
    icd.SVMFree(ocl->context, *start);
    return false;
}

void svm_give_back(char *base, void *start) {
    const ocl_t *ocl = ocl_get();
    if (ocl->memory == MEMORY_SVM_MAPPED) {
        cl_command_queue queue = map_queue(ocl);
        if (icd.EnqueueSVMUnmap(queue, base, 0, NULL, NULL) == CL_SUCCESS) icd.Finish(queue);
    }
    icd.SVMFree(ocl->context, start);
}

static bool is_allocated(const void *address) {
    char *base;
    size_t size;
    return memory_range(address, &base, &size);
}

/* Mapped memory belongs to the host: it copies that itself. */
static bool is_work_for_device(size_t size) {
    return size >= WORTH_ASKING && ocl_get()->memory == MEMORY_SVM;
}

bool svm_copy(cl_command_queue queue, void *to, const void *from, size_t size) {
    const char *a = to, *b = from;
    if (!queue || !is_work_for_device(size) || (a < b + size && b < a + size)) return false;
    if (!is_allocated(to) || !is_allocated(from)) return false;
    return icd.EnqueueSVMMemcpy(queue, CL_TRUE, to, from, size, 0, NULL, NULL) == CL_SUCCESS;
}

bool svm_fill(
        cl_command_queue queue, void *to, size_t size, const void *pattern, size_t pattern_size) {
    if (!queue || !is_work_for_device(size) || !is_allocated(to)) return false;
    if (pattern_size > MAX_PATTERN || (pattern_size & (pattern_size - 1)) || size % pattern_size ||
            (uintptr_t)to % pattern_size)
        return false;
    return icd.EnqueueSVMMemFill(queue, to, pattern, pattern_size, size, 0, NULL, NULL) ==
                   CL_SUCCESS &&
           icd.Finish(queue) == CL_SUCCESS;
}

/* ---- launches ---- */

/* The allocations that a launch may use: those of its arguments, or all of them if the kernel finds
 * pointers in memory. */
typedef struct {
    void **base;
    size_t n;
} used_t;

static cl_int find_all(used_t *used) {
    const size_t room = memory_list(NULL, 0);
    used->base = calloc(room + 1, sizeof *used->base);
    if (!used->base) return CL_OUT_OF_HOST_MEMORY;
    const size_t n = memory_list(used->base, room);
    used->n = n < room ? n : room;
    return CL_SUCCESS;
}

static bool is_listed(const used_t *used, const void *base) {
    for (size_t i = 0; i < used->n; i++)
        if (used->base[i] == base) return true;
    return false;
}

static cl_int find_arguments(const cmd_t *cmd, used_t *used) {
    const kernel_exec_t *kernel = cmd->u.launch.kernel;
    used->base = calloc(kernel->info->n_args + 1, sizeof *used->base);
    if (!used->base) return CL_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < kernel->info->n_args; i++) {
        char *pointer, *base;
        size_t size;
        if (kernel->info->args[i].kind != ARG_POINTER) continue;
        memcpy(&pointer, cmd->bytes + kernel->offsets[i], sizeof pointer);
        if (memory_range(pointer, &base, &size) && !is_listed(used, base))
            used->base[used->n++] = base;
    }
    return CL_SUCCESS;
}

bool svm_takes_grid(const kernel_exec_t *kernel, const ze_group_count_t *groups) {
    return !ocl_get()->is_gpu || !kernel->program->info.has_group_numbers ||
           (groups->groupCountY <= SVM_MAX_GROUPS_YZ && groups->groupCountZ <= SVM_MAX_GROUPS_YZ);
}

/* Enqueues the parts of a grid that is larger than the device takes along y and z. */
static cl_int enqueue(cl_command_queue queue, const cmd_t *cmd, const size_t offset[3],
        const size_t global[3], const size_t local[3], cl_event *event) {
    const kernel_exec_t *kernel = cmd->u.launch.kernel;
    const size_t most[3] = {0, local[1] * SVM_MAX_GROUPS_YZ, local[2] * SVM_MAX_GROUPS_YZ};
    cl_int status = CL_SUCCESS;
    const bool is_large = global[1] > most[1] || global[2] > most[2];
    if (is_large && kernel->program->info.has_group_numbers) return CL_INVALID_GLOBAL_WORK_SIZE;
    for (size_t z = 0; z < global[2] && status == CL_SUCCESS; z += most[2])
        for (size_t y = 0; y < global[1] && status == CL_SUCCESS; y += most[1]) {
            const size_t ny = global[1] - y < most[1] ? global[1] - y : most[1];
            const size_t nz = global[2] - z < most[2] ? global[2] - z : most[2];
            const size_t at[3] = {offset[0], offset[1] + y, offset[2] + z};
            const size_t part[3] = {global[0], ny, nz};
            const bool is_last = y + ny == global[1] && z + nz == global[2];
            status = icd.EnqueueNDRangeKernel(queue, kernel->cl, 3,
                    at[0] || at[1] || at[2] ? at : NULL, part, local, 0, NULL,
                    is_last ? event : NULL);
        }
    return status;
}

/* Takes the memory from the host, launches, and gives it back to the host. */
static cl_int launch_mapped(cl_command_queue queue, const cmd_t *cmd, const used_t *used,
        const size_t offset[3], const size_t global[3], const size_t local[3], cl_event *event) {
    cl_int status = CL_SUCCESS;
    size_t taken = 0;
    for (; taken < used->n && status == CL_SUCCESS; taken++)
        status = icd.EnqueueSVMUnmap(queue, used->base[taken], 0, NULL, NULL);
    if (status == CL_SUCCESS) status = enqueue(queue, cmd, offset, global, local, event);
    for (size_t i = 0; i < taken; i++) {
        char *base;
        size_t size;
        if (!memory_range(used->base[i], &base, &size)) continue;
        const cl_int mapped = map(queue, base, size);
        if (status == CL_SUCCESS) status = mapped;
    }
    return status;
}

cl_int svm_launch(cl_command_queue queue, const cmd_t *cmd, const size_t offset[3],
        const size_t global[3], const size_t local[3], cl_event *event) {
    const bool is_mapped = ocl_get()->memory == MEMORY_SVM_MAPPED;
    const bool finds_pointers = cmd->u.launch.finds_pointers;
    used_t used = {0};
    cl_int status = CL_SUCCESS;
    if (finds_pointers) status = find_all(&used);
    else if (is_mapped) status = find_arguments(cmd, &used);
    if (status == CL_SUCCESS && finds_pointers && used.n)
        status = icd.SetKernelExecInfo(cmd->u.launch.kernel->cl, CL_KERNEL_EXEC_INFO_SVM_PTRS,
                used.n * sizeof *used.base, used.base);
    if (status == CL_SUCCESS)
        status = is_mapped ? launch_mapped(queue, cmd, &used, offset, global, local, event)
                           : enqueue(queue, cmd, offset, global, local, event);
    free(used.base);
    return status;
}
