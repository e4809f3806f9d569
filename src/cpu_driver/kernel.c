/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: arguments, group sizes, properties. */
#include "module.h"
#include "direct.h"

#include <stdlib.h>
#include <string.h>

static object_pool_t kernels = OBJECT_POOL(OBJECT_KERNEL, struct _ze_kernel_handle_t);

enum { INDIRECT_FLAGS_ALL = 0x7, CACHE_FLAGS_ALL = 0x3, KERNEL_FLAGS_ALL = 0x3 };

void kernel_exec_retain(kernel_exec_t *exec) {
    atomic_fetch_add_explicit(&exec->references, 1, memory_order_relaxed);
}

void kernel_exec_release(kernel_exec_t *exec) {
    if (!exec || atomic_fetch_sub(&exec->references, 1) != 1) return;
    direct_free(atomic_load(&exec->direct));
    if (exec->cl) icd.ReleaseKernel(exec->cl);
    pthread_mutex_destroy(&exec->lock);
    program_release(exec->program);
    free(exec->offsets);
    free(exec->bound);
    free(exec);
}

static ze_result_t exec_create(program_t *program, const kernel_info_t *info, kernel_exec_t **out) {
    kernel_exec_t *exec = calloc(1, sizeof *exec);
    CHECK(exec, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    atomic_store(&exec->references, 1);
    pthread_mutex_init(&exec->lock, NULL);
    program_retain(program);
    exec->program = program;
    exec->info = info;
    exec->offsets = calloc(info->n_args + 1, sizeof *exec->offsets);
    if (exec->offsets) {
        for (uint32_t i = 0; i < info->n_args; i++)
            exec->offsets[i + 1] = exec->offsets[i] + ((info->args[i].size + 7u) & ~7u);
        exec->n_bytes = exec->offsets[info->n_args];
        exec->bound = calloc(1, exec->n_bytes ? exec->n_bytes : 1);
    }
    ze_result_t result = exec->bound ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (result == ZE_RESULT_SUCCESS) {
        cl_int status;
        exec->cl = icd.CreateKernel(program->cl, info->name, &status);
        if (!exec->cl)
            result = status == CL_OUT_OF_HOST_MEMORY ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                                     : ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
    }
    if (result != ZE_RESULT_SUCCESS) {
        kernel_exec_release(exec);
        exec = NULL;
    }
    *out = exec;
    return result;
}

ze_result_t zeKernelCreate(
        ze_module_handle_t module, const ze_kernel_desc_t *desc, ze_kernel_handle_t *out) {
    CHECK_HANDLE(module, OBJECT_MODULE);
    CHECK_POINTER(desc);
    CHECK_POINTER(desc->pKernelName);
    CHECK_POINTER(out);
    CHECK((desc->flags & ~(uint32_t)KERNEL_FLAGS_ALL) == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    const module_info_t *program = &module->program->info;
    const kernel_info_t *info = NULL;
    for (uint32_t i = 0; i < program->n_kernels && !info; i++)
        if (strcmp(program->kernels[i].name, desc->pKernelName) == 0) info = &program->kernels[i];
    CHECK(info, ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
    for (uint32_t i = 0; i < info->n_args; i++)
        CHECK(info->args[i].kind != ARG_OPAQUE, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);

    kernel_exec_t *exec;
    TRY(exec_create(module->program, info, &exec));
    ze_kernel_handle_t kernel = object_new(&kernels);
    if (kernel) {
        kernel->args = calloc(1, exec->n_bytes ? exec->n_bytes : 1);
        kernel->is_set = calloc(info->n_args ? info->n_args : 1, sizeof *kernel->is_set);
    }
    if (!kernel || !kernel->args || !kernel->is_set) {
        if (kernel) {
            free(kernel->args);
            free(kernel->is_set);
            object_delete(&kernels, kernel);
        }
        kernel_exec_release(exec);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    kernel->module = module;
    kernel->exec = exec;
    kernel->n_unset = info->n_args;
    kernel->local_memory = info->local_memory;
    for (int d = 0; d < 3; d++)
        kernel->group_size[d] = info->required_group[d] ? info->required_group[d] : 1;
    atomic_fetch_add(&module->n_kernels, 1);
    *out = kernel;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelDestroy(ze_kernel_handle_t kernel) {
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    atomic_fetch_sub(&kernel->module->n_kernels, 1);
    free(kernel->args);
    free(kernel->is_set);
    kernel_exec_release(kernel->exec);
    object_delete(&kernels, kernel);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSetGroupSize(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z) {
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    const ocl_t *ocl = ocl_get();
    const uint32_t *required = kernel->exec->info->required_group;
    uint32_t size[3] = {x, y, z};
    for (int d = 0; d < 3; d++) {
        CHECK(size[d] > 0 && size[d] <= ocl->max_group_dim[d],
                ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
        CHECK(!required[0] || size[d] == required[d], ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    }
    CHECK((uint64_t)x * y * z <= ocl->max_group_size, ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    memcpy(kernel->group_size, size, sizeof size);
    return ZE_RESULT_SUCCESS;
}

/* The largest power of two that divides n, at most `limit`. */
static uint32_t power_of_two_in(uint32_t n, uint32_t limit) {
    uint32_t p = 1;
    while (p * 2 <= limit && n % (p * 2) == 0) p *= 2;
    return p;
}

ze_result_t zeKernelSuggestGroupSize(ze_kernel_handle_t kernel, uint32_t global_x,
        uint32_t global_y, uint32_t global_z, uint32_t *x, uint32_t *y, uint32_t *z) {
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    CHECK_POINTER(x);
    CHECK_POINTER(y);
    CHECK_POINTER(z);
    CHECK(global_x && global_y && global_z, ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION);
    const uint32_t *required = kernel->exec->info->required_group;
    /* PoCL compiles a kernel again for each group size, so few different sizes are better than
     * perfect ones. */
    *x = required[0] ? required[0] : power_of_two_in(global_x, 64);
    *y = required[0] ? required[1] : power_of_two_in(global_y, 64 / *x);
    *z = required[0] ? required[2] : 1;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSuggestMaxCooperativeGroupCount(ze_kernel_handle_t kernel, uint32_t *count) {
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    CHECK_POINTER(count);
    *count = 1; /* a thread runs groups one after another: they cannot wait for each other */
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSetArgumentValue(
        ze_kernel_handle_t kernel, uint32_t index, size_t size, const void *value) {
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    const kernel_exec_t *exec = kernel->exec;
    CHECK(index < exec->info->n_args, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    const arg_info_t *arg = &exec->info->args[index];
    uint8_t *slot = kernel->args + exec->offsets[index];
    if (arg->kind == ARG_LOCAL) {
        CHECK(size > 0 && size <= UINT32_MAX, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
        CHECK(!value, ZE_RESULT_ERROR_INVALID_ARGUMENT);
        uint64_t before, bytes = size;
        memcpy(&before, slot, sizeof before);
        kernel->local_memory += bytes - before;
        memcpy(slot, &bytes, sizeof bytes);
    } else {
        CHECK(size == arg->size, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
        /* No value stands for zeros, as the specification says of pointers. Intel's SYCL runtime
         * passes none for every value whose bytes are all zero. */
        if (value) memcpy(slot, value, size);
        else memset(slot, 0, size);
    }
    if (!kernel->is_set[index]) {
        kernel->is_set[index] = true;
        kernel->n_unset--;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSetIndirectAccess(
        ze_kernel_handle_t kernel, ze_kernel_indirect_access_flags_t flags) {
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    CHECK((flags & ~(uint32_t)INDIRECT_FLAGS_ALL) == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    kernel->indirect_access = flags;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelGetIndirectAccess(
        ze_kernel_handle_t kernel, ze_kernel_indirect_access_flags_t *out) {
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    CHECK_POINTER(out);
    *out = kernel->indirect_access;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelGetSourceAttributes(ze_kernel_handle_t kernel, uint32_t *size, char **out) {
    static char none[1]; /* SPIR-V has no source attributes */
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    CHECK_POINTER(size);
    if (out) *out = none;
    *size = sizeof none;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSetCacheConfig(ze_kernel_handle_t kernel, ze_cache_config_flags_t flags) {
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    CHECK((flags & ~(uint32_t)CACHE_FLAGS_ALL) == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    return ZE_RESULT_SUCCESS; /* a hint: a CPU cannot partition its caches */
}

ze_result_t zeKernelGetProperties(ze_kernel_handle_t kernel, ze_kernel_properties_t *out) {
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    CHECK_POINTER(out);
    const ocl_t *ocl = ocl_get();
    const kernel_exec_t *exec = kernel->exec;
    const kernel_info_t *info = exec->info;
    out->numKernelArgs = info->n_args;
    out->requiredGroupSizeX = info->required_group[0];
    out->requiredGroupSizeY = info->required_group[1];
    out->requiredGroupSizeZ = info->required_group[2];
    out->requiredNumSubGroups = 0;
    out->requiredSubgroupSize = info->required_subgroup;
    out->maxSubgroupSize = info->required_subgroup ? info->required_subgroup : ocl->subgroup;
    if (!out->maxSubgroupSize)
        out->maxSubgroupSize =
                ocl->n_subgroup_sizes ? ocl->subgroup_sizes[ocl->n_subgroup_sizes - 1] : 1;
    out->maxNumSubgroups = ocl->max_subgroups ? ocl->max_subgroups : ocl->max_group_size;
    cl_ulong private = 0;
    icd.GetKernelWorkGroupInfo(
            exec->cl, ocl->device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private, &private, NULL);
    out->localMemSize = (uint32_t)info->local_memory;
    out->privateMemSize = (uint32_t)private;
    out->spillMemSize = 0;
    memset(&out->uuid, 0, sizeof out->uuid);
    uint64_t id = hash_bytes(ocl->identity, info->name, strlen(info->name));
    uint64_t shape = hash_bytes(id, info->args, info->n_args * sizeof *info->args);
    memcpy(out->uuid.kid, &id, sizeof id);
    memcpy(out->uuid.kid + 8, &shape, sizeof shape);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelGetName(ze_kernel_handle_t kernel, size_t *size, char *out) {
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    const char *name = kernel->exec->info->name;
    return answer_bytes(size, out, name, strlen(name) + 1);
}

ze_result_t zeKernelSetGlobalOffsetExp(
        ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z) {
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    memcpy(kernel->offset, (uint32_t[]){x, y, z}, sizeof kernel->offset);
    return ZE_RESULT_SUCCESS;
}
