/* SPDX-License-Identifier: Apache-2.0 */
/* Programs and kernels from SPIR-V.
 *
 * Specialisation constants are written into the SPIR-V before OpenCL sees it. OpenCL has a call for
 * them since version 2.2 only, and the result is the same. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/status.h"
#include "core/verbose.h"
#include "ocl/core.h"
#include "plan/slim_params.h"

enum { /* numbers of the specification of SPIR-V */
    SPIRV_HEADER = 5,
    OP_SPEC_CONSTANT = 50,
    OP_FUNCTION = 54,
    OP_DECORATE = 71,
    DECORATION_SPEC_ID = 1
};

static size_t length_of(const uint32_t *instruction) {
    return instruction[0] >> 16 ? instruction[0] >> 16 : 1;
}

static int op_of(const uint32_t *instruction) {
    return (int)(instruction[0] & 0xffff);
}

/* The value of an OpSpecConstant of 32 bits is its fourth word. */
static void set_constant(uint32_t *words, size_t n, uint32_t result_id, uint32_t value) {
    for (size_t at = SPIRV_HEADER; at + 3 < n; at += length_of(words + at)) {
        if (op_of(words + at) == OP_FUNCTION) return;
        if (op_of(words + at) == OP_SPEC_CONSTANT && words[at + 2] == result_id)
            words[at + 3] = value;
    }
}

static void specialize(uint32_t *words, size_t n, const spec_t *specs, int nspecs) {
    for (size_t at = SPIRV_HEADER; at + 3 < n; at += length_of(words + at)) {
        const uint32_t *i = words + at;
        if (op_of(i) == OP_FUNCTION) return;
        if (op_of(i) != OP_DECORATE || length_of(i) != 4 || i[2] != DECORATION_SPEC_ID) continue;
        for (int k = 0; k < nspecs; k++)
            if (specs[k].id == i[3]) set_constant(words, n, i[1], specs[k].value);
    }
}

static void log_failure(const ocl_core_t *core, cl_program program, const module_source_t *source,
        const char *call, cl_int result) {
    size_t size = 0;
    char *text = NULL;
    if (program && ocl.GetProgramBuildInfo(program, core->device, CL_PROGRAM_BUILD_LOG, 0, NULL,
                           &size) == CL_SUCCESS)
        text = dz_calloc(1, size + 1);
    if (text && ocl.GetProgramBuildInfo(program, core->device, CL_PROGRAM_BUILD_LOG, size, text,
                        NULL) != CL_SUCCESS)
        *text = 0;
    for (char *c = text; c && *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' '; /* the log has one line for each event */
    verbose_error(ocl_status(result), "ocl", "kernel %s cannot be built: %s answers %d; %s",
            source->id, call, (int)result, text && *text ? text : "no build log");
    dz_free(text);
}

static cl_program create_from_spirv(
        const ocl_core_t *core, const module_source_t *source, cl_int *result) {
    uint32_t *words = dz_malloc(source->size + 1);
    *result = CL_OUT_OF_HOST_MEMORY;
    if (!words) return NULL;
    memcpy(words, source->data, source->size);
    specialize(words, source->size / sizeof *words, source->specs, source->nspecs);
    cl_program program = core->program_from_il(core->context, words, source->size, result);
    dz_free(words);
    return program;
}

static cl_program create_from_binary(
        const ocl_core_t *core, const module_source_t *source, cl_int *result) {
    const unsigned char *data = source->data;
    return ocl.CreateProgramWithBinary(
            core->context, 1, &core->device, &source->size, &data, NULL, result);
}

/* Options of Intel's GPUs, the only devices here with sub-groups. Other compilers do not know
 * them. */
static const char *options_of(const ocl_core_t *core, const module_source_t *source) {
    static const char *const options[2][2] = {{"", "-cl-intel-256-GRF-per-thread"},
            {"-cl-intel-greater-than-4GB-buffer-required",
                    "-cl-intel-greater-than-4GB-buffer-required -cl-intel-256-GRF-per-thread"}};
    if (!core->base.caps.subgroup_sizes) return "";
    return options[source->large_offsets][source->many_registers];
}

dnnl_status_t ocl_module_create(device_core_t *base, const module_source_t *source, void **module) {
    const ocl_core_t *core = ocl_core_of(base);
    const char *call = source->is_native ? "clCreateProgramWithBinary" : "clCreateProgramWithIL";
    cl_int result;
    cl_program program =
            (source->is_native ? create_from_binary : create_from_spirv)(core, source, &result);
    if (result == CL_SUCCESS) {
        call = "clBuildProgram";
        result = ocl.BuildProgram(program, 1, &core->device, options_of(core, source), NULL, NULL);
    }
    if (result == CL_SUCCESS) {
        *module = program;
        return dnnl_success;
    }
    if (!source->is_native && !source->may_fail) log_failure(core, program, source, call, result);
    if (program) ocl.ReleaseProgram(program);
    return ocl_status(result);
}

/* A program of a context with several devices has a binary for each device that it was built for:
 * this one alone. */
dnnl_status_t ocl_module_binary(
        const device_core_t *base, void *module, size_t *size, uint8_t *data) {
    enum { MOST = OCL_MOST_DEVICES };
    size_t sizes[MOST] = {0}, used = 0;
    unsigned char *binaries[MOST] = {NULL};
    (void)base;
    TRY(OCL_CALL(GetProgramInfo, module, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &used));
    int which = 0;
    for (size_t i = 0; i < used / sizeof *sizes; i++)
        if (sizes[i]) which = (int)i;
    if (!data) {
        *size = sizes[which];
        return dnnl_success;
    }
    if (sizes[which] != *size)
        return verbose_error(dnnl_runtime_error, "ocl",
                "the binary of a program has %zu bytes, and had %zu before", sizes[which], *size);
    binaries[which] = data;
    return OCL_CALL(GetProgramInfo, module, CL_PROGRAM_BINARIES, used, (void *)binaries, NULL);
}

dnnl_status_t ocl_module_kernel(void *module, const char *entry, char *name, size_t room) {
    char names[16 * SLIM_NAME_ROOM], *rest = names;
    snprintf(name, room, "%s", entry);
    TRY(OCL_CALL(GetProgramInfo, module, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    for (char *one; (one = strtok_r(rest, ";", &rest));)
        if (slim_is_name_of(one, entry)) snprintf(name, room, "%s", one);
    return dnnl_success;
}

/* Only Intel's GPUs tell. */
bool ocl_module_spills(device_core_t *base, void *module, const char *entry) {
    cl_ulong bytes = 0;
    cl_int result;
    cl_kernel kernel = ocl.CreateKernel(module, entry, &result);
    if (result != CL_SUCCESS) return false;
    result = ocl.GetKernelWorkGroupInfo(kernel, ocl_core_of(base)->device,
            CL_KERNEL_SPILL_MEM_SIZE_INTEL, sizeof bytes, &bytes, NULL);
    ocl.ReleaseKernel(kernel);
    return result == CL_SUCCESS && bytes > 0;
}

void ocl_module_destroy(device_core_t *core, void *module) {
    (void)core;
    OCL_CALL(ReleaseProgram, module);
}

dnnl_status_t ocl_kernel_create(void *module, const char *entry, void **kernel) {
    cl_int result;
    *kernel = ocl.CreateKernel(module, entry, &result);
    return ocl_check(result, "clCreateKernel");
}

dnnl_status_t ocl_set_argument(void *kernel, uint32_t argument, size_t size, const void *value) {
    return OCL_CALL(SetKernelArg, kernel, argument, size, value);
}

void ocl_kernel_destroy(void *kernel) {
    OCL_CALL(ReleaseKernel, kernel);
}
