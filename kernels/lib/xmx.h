/* SPDX-License-Identifier: Apache-2.0 */
/* Imported functions of Intel's compilers: 2D block accesses, which move a rectangle between memory
 * and registers, and matrix units. A rectangle lies on a surface. The surface has a base address (a
 * multiple of 64), a width in bytes (at least 64, a multiple of 4), a height in rows, and a pitch
 * in bytes (a multiple of 16). The corner of the rectangle is given in elements and rows. Elements
 * outside of the surface are read as 0 and not written. */
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

/* Accesses whose message the program keeps. The compiler keeps the messages of loads in loops by
 * itself, but builds one anew for each prefetch above and for each store. Sizes and pitch of the
 * surface are one less than above; then come the corner, and width, height and number of blocks. An
 * access adds two constants to the corner; caches 0 are the compiler's choice. */
int *__builtin_IB_subgroup_createBlock2DAddressPayload(long base, int width, int height, int pitch,
        int x, int row, int block_width, int block_height, int blocks);
void __builtin_IB_subgroup_setBlock2DAddressPayloadBlockX(int *, int x);
void __builtin_IB_subgroup_setBlock2DAddressPayloadBlockY(int *, int row);
void __builtin_IB_subgroup_block_read_ap_prefetch_u16_m32k16v2(
        int *, int more_x, int more_rows, int caches);
void __builtin_IB_subgroup_block_write_ap_u16_m8k16v1(
        int *, int more_x, int more_rows, short8 rows, int caches);
void __builtin_IB_subgroup_block_write_ap_u32_m8k16v1(
        int *, int more_x, int more_rows, int8 rows, int caches);

/* Rounds to the nearest bf16, with one instruction for each component. */
short8 __builtin_IB_ftobf_8(float8 x);

/* Multiplies 8 rows of a; each lane computes one column. The lanes together hold a row of a: 16
 * bits per lane with 16 lanes, 32 bits per lane with 8 lanes. */
#define SG_MULTIPLY(rows, unsigned_rows)                                                           \
    SG_FUNCTION float8 intel_sub_group_f16_f16_matrix_mad_k16(rows a, int8 b, float8 acc);         \
    SG_FUNCTION float8 intel_sub_group_bf16_bf16_matrix_mad_k16(rows a, int8 b, float8 acc);       \
    SG_FUNCTION int8 intel_sub_group_i8_i8_matrix_mad_k32(rows a, int8 b, int8 acc);               \
    SG_FUNCTION int8 intel_sub_group_i8_u8_matrix_mad_k32(rows a, uint8 b, int8 acc);              \
    SG_FUNCTION int8 intel_sub_group_u8_i8_matrix_mad_k32(unsigned_rows a, int8 b, int8 acc);      \
    SG_FUNCTION int8 intel_sub_group_u8_u8_matrix_mad_k32(unsigned_rows a, uint8 b, int8 acc);
SG_MULTIPLY(short8, ushort8)
SG_MULTIPLY(int8, uint8)
/* For 16 lanes and units that support tf32: each component of a holds two rows of 8 elements, one
 * row in each half of the lanes. */
SG_FUNCTION float8 intel_sub_group_tf32_tf32_matrix_mad_k8(float4 a, float8 b, float8 acc);

#endif
