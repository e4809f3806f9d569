/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one buffer for each allocation that a launch uses. Pointers into an allocation become
 * sub-buffers. */
#include "mirror.h"

#include "bind.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    char *base;
    size_t size;
    cl_mem buffer;
} mirror_t;

typedef struct {
    const ocl_t *ocl;
    cl_command_queue queue;
    uint32_t n_mirrors, n_views;
    mirror_t *mirrors; /* room for one mirror and one view for each argument */
    cl_mem *views;
} mirrors_t;

static mirror_t *mirror_of(mirrors_t *m, const void *pointer, cl_int *status) {
    char *base;
    size_t size;
    *status = CL_INVALID_MEM_OBJECT;
    if (!memory_range(pointer, &base, &size)) return NULL;
    for (uint32_t i = 0; i < m->n_mirrors; i++)
        if (m->mirrors[i].base == base) return &m->mirrors[i];
    cl_mem buffer = icd.CreateBuffer(m->ocl->context, CL_MEM_READ_WRITE, size, NULL, status);
    if (!buffer) return NULL;
    mirror_t *mirror = &m->mirrors[m->n_mirrors++];
    *mirror = (mirror_t){base, size, buffer};
    *status = icd.EnqueueWriteBuffer(
            m->queue, buffer, CL_TRUE, 0, size, memory_view(base), 0, NULL, NULL);
    return *status == CL_SUCCESS ? mirror : NULL;
}

static cl_int bind_pointer(mirrors_t *m, cl_kernel kernel, uint32_t index, const char *pointer) {
    cl_int status;
    if (!pointer) return icd.SetKernelArg(kernel, index, sizeof(cl_mem), NULL);
    const mirror_t *mirror = mirror_of(m, pointer, &status);
    if (!mirror) return status;
    cl_mem buffer = mirror->buffer;
    if (pointer != mirror->base) {
        const size_t at = (size_t)(pointer - mirror->base);
        const cl_buffer_region region = {at, mirror->size - at};
        buffer = icd.CreateSubBuffer(
                buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
        if (!buffer) return status;
        m->views[m->n_views++] = buffer;
    }
    return icd.SetKernelArg(kernel, index, sizeof buffer, &buffer);
}

static cl_int bind(mirrors_t *m, kernel_exec_t *kernel, uint32_t index, const uint8_t *value) {
    char *pointer;
    if (kernel->info->args[index].kind != ARG_POINTER) return bind_argument(kernel, index, value);
    memcpy(&pointer, value, sizeof pointer);
    return bind_pointer(m, kernel->cl, index, pointer);
}

cl_int mirror_launch(kernel_exec_t *kernel, const uint8_t *block, cl_command_queue queue,
        const size_t *offset, const size_t *global, const size_t *local) {
    const uint32_t n = kernel->info->n_args;
    mirrors_t m = {.ocl = ocl_get(), .queue = queue};
    cl_int status = CL_SUCCESS;
    m.mirrors = calloc(n + 1, sizeof *m.mirrors);
    m.views = calloc(n + 1, sizeof *m.views);
    if (!m.mirrors || !m.views) status = CL_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < n && status == CL_SUCCESS; i++)
        status = bind(&m, kernel, i, block + kernel->offsets[i]);
    if (status == CL_SUCCESS)
        status = icd.EnqueueNDRangeKernel(
                queue, kernel->cl, 3, offset, global, local, 0, NULL, NULL);
    if (status == CL_SUCCESS) status = icd.Finish(queue);
    for (uint32_t i = 0; i < m.n_mirrors && status == CL_SUCCESS; i++)
        status = icd.EnqueueReadBuffer(queue, m.mirrors[i].buffer, CL_TRUE, 0, m.mirrors[i].size,
                memory_view(m.mirrors[i].base), 0, NULL, NULL);
    for (uint32_t i = 0; i < m.n_views; i++) icd.ReleaseMemObject(m.views[i]);
    for (uint32_t i = 0; i < m.n_mirrors; i++) icd.ReleaseMemObject(m.mirrors[i].buffer);
    free(m.views);
    free(m.mirrors);
    return status;
}
