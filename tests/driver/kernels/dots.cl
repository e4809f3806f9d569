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

/* Tile registers: `rows` rows of `words` words by as many rows of 16 words, added to out. Rows of a
 * are 20 words apart. */
void ze_cpu_tile_configure(__private const char *shapes);
void ze_cpu_tile_load(uchar tile, __private const char *from, long pitch);
void ze_cpu_tile_store(uchar tile, __private char *to, long pitch);
void ze_cpu_tile_dot_u8s8(uchar sum, uchar a, uchar b);
void ze_cpu_tile_dot_bf16(uchar sum, uchar a, uchar b);
void ze_cpu_tile_release(void);

#define AS_PRIVATE(p) ((__private char *)(ulong)(p))
#define MULTIPLY_TILES(dot)                                                                        \
    do {                                                                                           \
        uint16 shapes = 0;                                                                         \
        shapes.s0 = 1;                                                                             \
        shapes.s4 = 64 | words * 4 << 16; /* bytes of rows */                                      \
        shapes.s7 = 64 << 16;                                                                      \
        shapes.sc = rows | rows << 8; /* numbers of rows */                                        \
        shapes.sd = words << 24;                                                                   \
        ze_cpu_tile_configure(AS_PRIVATE(&shapes));                                                \
        ze_cpu_tile_load(0, AS_PRIVATE(out), 64);                                                  \
        ze_cpu_tile_load(1, AS_PRIVATE(a), 80);                                                    \
        ze_cpu_tile_load(7, AS_PRIVATE(b), 64);                                                    \
        dot(0, 1, 7);                                                                              \
        ze_cpu_tile_store(0, AS_PRIVATE(out), 64);                                                 \
        ze_cpu_tile_release();                                                                     \
    } while (0)

__attribute__((noinline)) void multiply_bytes(
        __global const int *a, __global const int *b, __global int *out, uint rows, uint words) {
    MULTIPLY_TILES(ze_cpu_tile_dot_u8s8);
}
__kernel void tiles_of_bytes(
        __global const int *a, __global const int *b, __global int *out, uint rows, uint words) {
    multiply_bytes(a, b, out, rows, words);
}

__attribute__((noinline)) void multiply_halves(
        __global const int *a, __global const int *b, __global float *out, uint rows, uint words) {
    MULTIPLY_TILES(ze_cpu_tile_dot_bf16);
}
__kernel void tiles_of_halves(
        __global const int *a, __global const int *b, __global float *out, uint rows, uint words) {
    multiply_halves(a, b, out, rows, words);
}
