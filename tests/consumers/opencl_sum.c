/* SPDX-License-Identifier: Apache-2.0 */
/* An OpenCL program with local memory, for OpenCL devices that stand on Level Zero. Argument: part
 * of the device's name. Exit code 0: the sums are right. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

enum { GROUP = 64, GROUPS = 20, N = GROUP * GROUPS };

static const char source[] = "kernel void sums(global const int *in, global int *out) {\n"
                             "    local int part[64];\n"
                             "    const int i = get_local_id(0);\n"
                             "    part[i] = in[get_global_id(0)];\n"
                             "    for (int n = 32; n > 0; n /= 2) {\n"
                             "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "        if (i < n) part[i] += part[i + n];\n"
                             "    }\n"
                             "    if (i == 0) out[get_group_id(0)] = part[0];\n"
                             "}\n";

static cl_device_id find(const char *wanted) {
    cl_platform_id platforms[8];
    cl_device_id devices[8];
    cl_uint n_platforms = 0, n = 0;
    char name[256];
    clGetPlatformIDs(8, platforms, &n_platforms);
    for (cl_uint p = 0; p < n_platforms && p < 8; p++) {
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 8, devices, &n)) continue;
        for (cl_uint d = 0; d < n && d < 8; d++) {
            clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL);
            if (strstr(name, wanted)) return devices[d];
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    cl_device_id device = find(argc > 1 ? argv[1] : "Portable");
    if (!device) {
        fprintf(stderr, "no such device\n");
        return 1;
    }
    cl_int status, in[N], out[GROUPS] = {0};
    for (int i = 0; i < N; i++) in[i] = i % 7;
    const size_t global = N, local = GROUP;
    const char *text = source;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    if (status || clBuildProgram(program, 1, &device, "", NULL, NULL)) return 1;
    cl_kernel kernel = clCreateKernel(program, "sums", &status);
    cl_mem from = clCreateBuffer(
                   context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in, in, &status),
           to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out, NULL, &status);
    if (status || clSetKernelArg(kernel, 0, sizeof from, &from) ||
            clSetKernelArg(kernel, 1, sizeof to, &to) ||
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL) ||
            clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL))
        return 1;
    for (int g = 0; g < GROUPS; g++) {
        int expected = 0;
        for (int i = 0; i < GROUP; i++) expected += in[g * GROUP + i];
        if (out[g] != expected) return 1;
    }
    return 0;
}
