/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of Intel's compilers that is emulated, each in a kernel: lane l writes its values
 * to out + l * STRIDE. */
#define FUNCTION __attribute__((overloadable, convergent))
#define LANES(n) __attribute__((intel_reqd_sub_group_size(n)))
#define STRIDE 64

#define READ(name, type, n)                                                                        \
    FUNCTION void intel_sub_group_2d_block_read_##name(                                            \
            global void *, int, int, int, int2, private type *);                                   \
    LANES(16)                                                                                      \
    kernel void read_##name(                                                                       \
            global void *base, int w, int h, int pitch, int x, int y, global uint *out) {          \
        type t[n];                                                                                 \
        intel_sub_group_2d_block_read_##name(base, w, h, pitch, (int2)(x, y), t);                  \
        for (int i = 0; i < n; i++) out[get_sub_group_local_id() * STRIDE + i] = t[i];             \
    }
READ(16b_8r16x1c, ushort, 8)
READ(16b_8r16x2c, ushort, 16)
READ(16b_16r16x1c, ushort, 16)
READ(16b_16r16x2c, ushort, 32)
READ(16b_32r16x1c, ushort, 32)
READ(16b_32r16x2c, ushort, 64)
READ(32b_8r8x1c, uint, 4)
READ(32b_16r8x1c, uint, 8)
READ(32b_32r8x1c, uint, 16)
READ(32b_8r16x1c, uint, 8)
READ(32b_16r16x1c, uint, 16)
READ(32b_32r16x1c, uint, 32)
READ(transform_16b_16r16x1c, uint, 8)
READ(transform_16b_16r16x2c, uint, 16)
READ(transform_16b_32r16x1c, uint, 16)
READ(transform_16b_32r16x2c, uint, 32)
READ(transform_8b_32r16x1c, uint, 8)
READ(transform_8b_32r16x2c, uint, 16)
READ(transform_8b_32r16x4c, uint, 32)
READ(transpose_32b_16r4x1c, uint, 4)
READ(transpose_32b_16r8x1c, uint, 8)

#define WRITE(name, type)                                                                          \
    FUNCTION void intel_sub_group_2d_block_write_##name(                                           \
            global void *, int, int, int, int2, private type *);                                   \
    LANES(16)                                                                                      \
    kernel void write_##name(                                                                      \
            global void *base, int w, int h, int pitch, int x, int y, global uint *in) {           \
        type t[8];                                                                                 \
        for (int i = 0; i < 8; i++) t[i] = in[get_sub_group_local_id() * STRIDE + i];              \
        intel_sub_group_2d_block_write_##name(base, w, h, pitch, (int2)(x, y), t);                 \
    }
WRITE(16b_8r16x1c, ushort)
WRITE(32b_8r16x1c, uint)

FUNCTION void intel_sub_group_2d_block_prefetch_16b_8r16x2c(global void *, int, int, int, int2);
int *__builtin_IB_subgroup_createBlock2DAddressPayload(
        long, int, int, int, int, int, int, int, int);
void __builtin_IB_subgroup_setBlock2DAddressPayloadBlockX(int *, int);
void __builtin_IB_subgroup_setBlock2DAddressPayloadBlockY(int *, int);
void __builtin_IB_subgroup_block_read_ap_prefetch_u16_m32k16v2(int *, int, int, int);

/* Stores whose message is kept, with the block 16 columns and 8 rows behind the corner. */
#define WRITE_KEPT(name, own, vector, element)                                                     \
    void __builtin_IB_subgroup_block_write_ap_##own(int *, int, int, vector, int);                 \
    LANES(16)                                                                                      \
    kernel void write_kept_##name(                                                                 \
            global void *base, int w, int h, int pitch, int x, int y, global uint *in) {           \
        union {                                                                                    \
            vector v;                                                                              \
            element s[8];                                                                          \
        } t;                                                                                       \
        int *message = __builtin_IB_subgroup_createBlock2DAddressPayload(                          \
                (long)base, w - 1, h - 1, pitch - 1, x - 16, y - 8, 16, 8, 1);                     \
        for (int i = 0; i < 8; i++) t.s[i] = in[get_sub_group_local_id() * STRIDE + i];            \
        __builtin_IB_subgroup_block_write_ap_##own(message, 16, 8, t.v, 0);                        \
    }
WRITE_KEPT(16b_8r16x1c, u16_m8k16v1, short8, short)
WRITE_KEPT(32b_8r16x1c, u32_m8k16v1, int8, int)

/* A prefetch whose message is kept. */
void prefetch(global uint *in) {
    int *message = __builtin_IB_subgroup_createBlock2DAddressPayload(
            (long)in, 63, 31, 63, 0, 0, 16, 32, 2);
    __builtin_IB_subgroup_setBlock2DAddressPayloadBlockX(message, 16);
    __builtin_IB_subgroup_setBlock2DAddressPayloadBlockY(message, 1);
    __builtin_IB_subgroup_block_read_ap_prefetch_u16_m32k16v2(message, 0, 0, 0);
}

FUNCTION uint8 intel_sub_group_block_read8(const global uint *);
FUNCTION ushort8 intel_sub_group_block_read_us8(const global ushort *);
FUNCTION uint intel_sub_group_block_read(const global uint *);
FUNCTION uint4 intel_sub_group_block_read4(const local uint *);
FUNCTION void intel_sub_group_block_write8(global uint *, uint8);

#define LINES(n)                                                                                   \
    LANES(n) kernel void lines_##n(global uint *in, global uint *copy, global uint *out) {         \
        local uint shared[4 * n];                                                                  \
        const uint lane = get_sub_group_local_id();                                                \
        intel_sub_group_2d_block_prefetch_16b_8r16x2c(in, 64, 1, 64, (int2)(0, 0));                \
        prefetch(in);                                                                              \
        for (uint i = 0; i < 4; i++) shared[i * n + (lane + 1) % n] = in[i * n + lane];            \
        work_group_barrier(CLK_LOCAL_MEM_FENCE);                                                   \
        const uint8 a = intel_sub_group_block_read8(in);                                           \
        const ushort8 b = intel_sub_group_block_read_us8((global ushort *)in);                     \
        const uint4 c = intel_sub_group_block_read4(shared);                                       \
        intel_sub_group_block_write8(copy, a);                                                     \
        vstore8(a, 0, out + lane * STRIDE);                                                        \
        vstore8(convert_uint8(b), 0, out + lane * STRIDE + 8);                                     \
        vstore4(c, 0, out + lane * STRIDE + 16);                                                   \
        out[lane * STRIDE + 20] = intel_sub_group_block_read(in + 1);                              \
    }
LINES(8)
LINES(16)

/* a has 4 or 8 32-bit words for a lane, b 8, the sums 8 */
#define MATRIX(name, n, a_t, a_words, a_vec, b_t, acc_t)                                           \
    FUNCTION acc_t intel_sub_group_##name(a_t, b_t, acc_t);                                        \
    LANES(n) kernel void name##_##n(global uint *a, global uint *b, global uint *c) {              \
        const uint lane = get_sub_group_local_id();                                                \
        const acc_t sum = intel_sub_group_##name(as_##a_t(a_vec(0, a + lane * a_words)),           \
                as_##b_t(vload8(0, b + lane * 8)), as_##acc_t(vload8(0, c + lane * STRIDE)));      \
        vstore8(as_uint8(sum), 0, c + lane * STRIDE);                                              \
    }
#define MATRICES(name, a16, a32, b, acc)                                                           \
    MATRIX(name, 16, a16, 4, vload4, b, acc)                                                       \
    MATRIX(name, 8, a32, 8, vload8, b, acc)
MATRICES(f16_f16_matrix_mad_k16, short8, int8, int8, float8)
MATRIX(tf32_tf32_matrix_mad_k8, 16, float4, 4, vload4, float8, float8)
MATRICES(bf16_bf16_matrix_mad_k16, short8, int8, int8, float8)
MATRICES(i8_i8_matrix_mad_k32, short8, int8, int8, int8)
MATRICES(i8_u8_matrix_mad_k32, short8, int8, uint8, int8)
MATRICES(u8_i8_matrix_mad_k32, ushort8, uint8, int8, int8)
MATRICES(u8_u8_matrix_mad_k32, ushort8, uint8, uint8, int8)

/* Values of two sub-groups' length in a row: a lane has the element at its place, moved by
 * `delta`. */
#define SHUFFLES(type)                                                                             \
    FUNCTION type intel_sub_group_shuffle_down(type, type, uint);                                  \
    FUNCTION type intel_sub_group_shuffle_up(type, type, uint);                                    \
    LANES(16) kernel void shuffles_##type(global const type *in, global type *out, uint delta) {   \
        const uint lane = get_sub_group_local_id();                                                \
        out[lane] = intel_sub_group_shuffle_down(in[lane], in[16 + lane], delta);                  \
        out[16 + lane] = intel_sub_group_shuffle_up(in[lane], in[16 + lane], delta);               \
    }
SHUFFLES(char)
SHUFFLES(ushort)
SHUFFLES(int)
SHUFFLES(uint)
SHUFFLES(long)
SHUFFLES(float)
SHUFFLES(double)
