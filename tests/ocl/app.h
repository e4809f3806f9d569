/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of OpenCL share: a device, the application's own objects, and small tensors. */
#ifndef TESTS_OCL_APP_H
#define TESTS_OCL_APP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, which all versions have */
#define DNNL_EXPERIMENTAL_PROFILING
#include "dnnl_ocl.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define assert_status(call, expected) assert_int_equal(call, dnnl_##expected)
#define assert_ok(call) assert_status(call, success)
#define assert_cl(call) assert_int_equal(call, CL_SUCCESS)

/* The first device that supports SPIR-V, its context and an in-order queue, and an engine. */
typedef struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    dnnl_engine_t engine;
} app_t;
extern app_t app;

/* Group set-up: leaves the program with 77 where no device supports SPIR-V. */
int open_app(void **state);
int close_app(void **state);

/* The devices of all platforms that do, or do not, support SPIR-V. */
int find_devices(bool with_spirv, cl_device_id *devices, int room);

cl_mem new_buffer(size_t size);
cl_command_queue new_queue(cl_command_queue_properties properties);
void write_floats(cl_mem buffer, const float *values, size_t n);
void read_floats(cl_mem buffer, float *values, size_t n);
/* The number of references that a buffer has. */
cl_uint references(cl_mem buffer);

dnnl_memory_desc_t new_md(int ndims, const dnnl_dim_t *dims);
/* A memory object of n floats on a buffer. */
dnnl_memory_t new_memory(dnnl_memory_desc_t md, cl_mem buffer);
/* dst = relu(src) for tensors of md. */
dnnl_primitive_t new_relu(dnnl_memory_desc_t md);

#endif
