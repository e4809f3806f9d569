/* SPDX-License-Identifier: Apache-2.0 */
#include "dry_kernel.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "ocl/core.h"

/* Functions of the loader that the library itself does not use. */
static struct {
    cl_int (*kernel_info)(cl_kernel, cl_uint, size_t, void *, size_t *);
    cl_int (*subgroup_info)(
            cl_kernel, cl_device_id, cl_uint, size_t, const void *, size_t, void *, size_t *);
} opencl;

enum { /* numbers of OpenCL 3.0, and of cl_intel_required_subgroup_size */
    KERNEL_NUM_ARGS = 0x1191,
    KERNEL_LOCAL_MEM_SIZE = 0x11B2,
    KERNEL_PRIVATE_MEM_SIZE = 0x11B4,
    KERNEL_MAX_SUB_GROUP_SIZE = 0x2033
};

static void open_opencl(void) {
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    *(void **)&opencl.kernel_info = dlsym(library, "clGetKernelInfo");
    *(void **)&opencl.subgroup_info = dlsym(library, "clGetKernelSubGroupInfo");
    assert_true(opencl.kernel_info && opencl.subgroup_info);
}

static uint32_t number_of(cl_kernel kernel, cl_device_id device, cl_uint what) {
    cl_ulong bytes = 0;
    assert_int_equal(
            ocl.GetKernelWorkGroupInfo(kernel, device, what, sizeof bytes, &bytes, NULL), 0);
    return (uint32_t)bytes;
}

static dry_kernel_t opencl_kernel(const ocl_core_t *core, cl_kernel kernel, const size_t group[3]) {
    size_t lanes = 0;
    cl_uint arguments = 0;
    if (!opencl.kernel_info) open_opencl();
    assert_int_equal(
            opencl.kernel_info(kernel, KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL), 0);
    assert_int_equal(opencl.subgroup_info(kernel, core->device, KERNEL_MAX_SUB_GROUP_SIZE,
                             3 * sizeof *group, group, sizeof lanes, &lanes, NULL),
            0);
    return (dry_kernel_t){
            .spilled = number_of(kernel, core->device, CL_KERNEL_SPILL_MEM_SIZE_INTEL),
            .private_size = number_of(kernel, core->device, KERNEL_PRIVATE_MEM_SIZE),
            .local = number_of(kernel, core->device, KERNEL_LOCAL_MEM_SIZE),
            .subgroup = (uint32_t)lanes,
            .arguments = arguments};
}

dry_kernel_t dry_kernel(const device_core_t *core, const exec_step_t *step) {
    static const size_t group[3] = {64, 1, 1};
    ze_kernel_properties_t kernel = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    if (core->backend)
        return opencl_kernel((const ocl_core_t *)core, (cl_kernel)(void *)step->kernel, group);
    assert_int_equal(ze.KernelGetProperties(step->kernel, &kernel), ZE_RESULT_SUCCESS);
    return (dry_kernel_t){kernel.spillMemSize, kernel.privateMemSize, kernel.localMemSize,
            kernel.maxSubgroupSize, kernel.numKernelArgs};
}

void dry_device_name(const device_core_t *core, char *name, size_t size) {
    ze_device_properties_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    if (core->backend) {
        const cl_device_id id = ((const ocl_core_t *)core)->device;
        assert_int_equal(ocl.GetDeviceInfo(id, CL_DEVICE_NAME, size, name, NULL), 0);
        return;
    }
    assert_int_equal(ze.DeviceGetProperties(core->device, &device), ZE_RESULT_SUCCESS);
    snprintf(name, size, "%s", device.name);
}
