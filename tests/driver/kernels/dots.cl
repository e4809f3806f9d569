/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of the CPU driver: src/cpu_driver/dots.h. */
int16 ze_cpu_dot_u8s8(int16 sum, int16 a, int16 b);
float16 ze_cpu_dot_bf16(float16 sum, int16 a, int16 b);

__attribute__((noinline)) void add_bytes(
        __global const int *a, __global const int *b, __global int *out) {
    vstore16(ze_cpu_dot_u8s8(vload16(0, out), vload16(0, a), vload16(0, b)), 0, out);
}
__kernel void bytes(__global const int *a, __global const int *b, __global int *out) {
    const int i = 16 * get_global_id(0);
    add_bytes(a + i, b + i, out + i);
}

__attribute__((noinline)) void add_halves(
        __global const int *a, __global const int *b, __global float *out) {
    vstore16(ze_cpu_dot_bf16(vload16(0, out), vload16(0, a), vload16(0, b)), 0, out);
}
__kernel void halves(__global const int *a, __global const int *b, __global float *out) {
    const int i = 16 * get_global_id(0);
    add_halves(a + i, b + i, out + i);
}
