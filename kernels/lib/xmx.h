/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that Intel's compilers bring along, as imports: rectangles of memory into registers,
 * and matrix units. A rectangle lies on a surface: base (a multiple of 64), width in bytes (64 or
 * more, a multiple of 4), height, pitch in bytes (a multiple of 16), and its corner in elements and
 * rows. What is outside of the surface reads as 0. */
#ifndef KERNELS_XMX_H
#define KERNELS_XMX_H

#define SG_FUNCTION __attribute__((overloadable, convergent))
#define SG_READ(name, type)                                                                        \
    SG_FUNCTION void intel_sub_group_2d_block_read_##name(                                         \
            __global void *, int, int, int, int2, __private type *);
#define SG_PREFETCH(name)                                                                          \
    SG_FUNCTION void intel_sub_group_2d_block_prefetch_##name(__global void *, int, int, int, int2);

SG_READ(16b_32r16x2c, ushort)
SG_READ(16b_8r16x1c, ushort)
SG_READ(16b_8r16x2c, ushort)
SG_READ(16b_16r16x2c, ushort)
SG_READ(32b_8r8x1c, uint)
SG_READ(32b_16r8x1c, uint)
SG_READ(32b_32r8x1c, uint)
SG_READ(32b_8r16x1c, uint)
SG_READ(32b_16r16x1c, uint)
SG_READ(32b_32r16x1c, uint)
SG_READ(transform_16b_16r16x1c, uint)
SG_READ(transform_16b_32r16x1c, uint)
SG_READ(transform_16b_32r16x2c, uint)
SG_READ(transform_8b_32r16x1c, uint)
SG_READ(transform_8b_32r16x2c, uint)
SG_READ(transform_8b_32r16x4c, uint)
SG_READ(transpose_32b_16r4x1c, uint)
SG_READ(transpose_32b_16r8x1c, uint)
SG_PREFETCH(16b_8r16x2c)
SG_PREFETCH(16b_16r16x2c)
SG_PREFETCH(16b_32r16x1c)
SG_PREFETCH(16b_32r16x2c)

/* 8 rows, and a column for each lane. A row of a is spread over the lanes: 16 bits for each of 16
 * lanes, 32 bits for each of 8. */
#define SG_MULTIPLY(rows, unsigned_rows)                                                           \
    SG_FUNCTION float8 intel_sub_group_f16_f16_matrix_mad_k16(rows a, int8 b, float8 acc);         \
    SG_FUNCTION float8 intel_sub_group_bf16_bf16_matrix_mad_k16(rows a, int8 b, float8 acc);       \
    SG_FUNCTION int8 intel_sub_group_i8_i8_matrix_mad_k32(rows a, int8 b, int8 acc);               \
    SG_FUNCTION int8 intel_sub_group_i8_u8_matrix_mad_k32(rows a, uint8 b, int8 acc);              \
    SG_FUNCTION int8 intel_sub_group_u8_i8_matrix_mad_k32(unsigned_rows a, int8 b, int8 acc);      \
    SG_FUNCTION int8 intel_sub_group_u8_u8_matrix_mad_k32(unsigned_rows a, uint8 b, int8 acc);
SG_MULTIPLY(short8, ushort8)
SG_MULTIPLY(int8, uint8)
/* Of 16 lanes, where units have tf32: a value of a has two rows of 8 elements, one for each half of
 * the lanes. */
SG_FUNCTION float8 intel_sub_group_tf32_tf32_matrix_mad_k8(float4 a, float8 b, float8 acc);

#endif
