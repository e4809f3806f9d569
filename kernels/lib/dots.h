/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of the CPU driver (src/cpu_driver/dots.h). DOTS is the number of elements in a word
 * of 32 bits: 4 bytes, or 2 bf16. */
#ifndef KERNELS_DOTS_H
#define KERNELS_DOTS_H

/* A function that computes dot products: the driver compiles it for a CPU that has them. It returns
 * nothing, and has no arguments that are vectors. */
#define DOTS_FUNCTION static __attribute__((noinline))

#if DOTS == 4
int16 ze_cpu_dot_u8s8(int16 sum, int16 a, int16 b);
#define dot ze_cpu_dot_u8s8
typedef int16 dot_sums_t;
typedef uchar elem_t;

static inline int load_word(__global const elem_t *p, int k) {
    return as_int(vload4(k, p));
}

static inline int16 as_int16_of_bytes(__global const elem_t *p) {
    return (int16)(as_int4(vload16(0, p)), as_int4(vload16(1, p)), as_int4(vload16(2, p)),
            as_int4(vload16(3, p)));
}
#else
float16 ze_cpu_dot_bf16(float16 sum, int16 a, int16 b);
#define dot ze_cpu_dot_bf16
typedef float16 dot_sums_t;
typedef ushort elem_t;

static inline int load_word(__global const elem_t *p, int k) {
    return as_int(vload2(k, p));
}
#endif

#endif
