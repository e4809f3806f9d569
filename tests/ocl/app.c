/* SPDX-License-Identifier: Apache-2.0 */
#include "app.h"

#include <stdlib.h>

app_t app;

static bool has_spirv(cl_device_id device) {
    char version[256] = "";
    return clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof version - 1, version, NULL) ==
                   CL_SUCCESS &&
           strstr(version, "SPIR-V");
}

int find_devices(bool with_spirv, cl_device_id *devices, int room) {
    enum { MOST = 16 };
    cl_platform_id platforms[MOST];
    cl_device_id found[MOST];
    cl_uint nplatforms = 0;
    int n = 0;
    if (clGetPlatformIDs(MOST, platforms, &nplatforms) != CL_SUCCESS) return 0;
    for (cl_uint p = 0; p < nplatforms && p < MOST; p++) {
        cl_uint count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST, found, &count) != CL_SUCCESS)
            continue;
        for (cl_uint i = 0; i < count && i < MOST && n < room; i++)
            if (has_spirv(found[i]) == with_spirv) devices[n++] = found[i];
    }
    return n;
}

int open_app(void **state) {
    cl_int result;
    (void)state;
    if (!find_devices(true, &app.device, 1)) {
        puts("no OpenCL device here supports SPIR-V");
        exit(77);
    }
    app.context = clCreateContext(NULL, 1, &app.device, NULL, NULL, &result);
    if (result != CL_SUCCESS) return -1;
    app.queue = clCreateCommandQueue(app.context, app.device, 0, &result);
    if (result != CL_SUCCESS) return -1;
    return dnnl_ocl_interop_engine_create(&app.engine, app.device, app.context) == dnnl_success
                   ? 0
                   : -1;
}

int close_app(void **state) {
    (void)state;
    dnnl_engine_destroy(app.engine);
    clReleaseCommandQueue(app.queue);
    return clReleaseContext(app.context);
}

cl_mem new_buffer(size_t size) {
    cl_int result;
    cl_mem buffer = clCreateBuffer(app.context, CL_MEM_READ_WRITE, size, NULL, &result);
    assert_cl(result);
    return buffer;
}

cl_command_queue new_queue(cl_command_queue_properties properties) {
    cl_int result;
    cl_command_queue queue = clCreateCommandQueue(app.context, app.device, properties, &result);
    assert_cl(result);
    return queue;
}

void write_floats(cl_mem buffer, const float *values, size_t n) {
    assert_cl(clEnqueueWriteBuffer(
            app.queue, buffer, CL_TRUE, 0, n * sizeof *values, values, 0, NULL, NULL));
}

void read_floats(cl_mem buffer, float *values, size_t n) {
    assert_cl(clEnqueueReadBuffer(
            app.queue, buffer, CL_TRUE, 0, n * sizeof *values, values, 0, NULL, NULL));
}

cl_uint references(cl_mem buffer) {
    cl_uint count = 0;
    assert_cl(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

dnnl_memory_desc_t new_md(int ndims, const dnnl_dim_t *dims) {
    dnnl_memory_desc_t md;
    assert_ok(dnnl_memory_desc_create_with_tag(
            &md, ndims, dims, dnnl_f32, ndims == 1 ? dnnl_a : dnnl_ab));
    return md;
}

dnnl_memory_t new_memory(dnnl_memory_desc_t md, cl_mem buffer) {
    dnnl_memory_t memory;
    assert_ok(dnnl_ocl_interop_memory_create(
            &memory, md, app.engine, dnnl_ocl_interop_buffer, buffer));
    return memory;
}

dnnl_primitive_t new_relu(dnnl_memory_desc_t md) {
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    assert_ok(dnnl_eltwise_forward_primitive_desc_create(
            &pd, app.engine, dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0.f, 0.f, NULL));
    assert_ok(dnnl_primitive_create(&primitive, pd));
    assert_ok(dnnl_primitive_desc_destroy(pd));
    return primitive;
}
