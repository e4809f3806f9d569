/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles that consist of pieces of short rows, for sub-groups of 16. A piece has w components per
 * lane: component w * q + j of lane l is element 16 * j + l of piece q. One access of 32 to 256
 * bytes loads a piece of 16-bit elements. */
#ifndef KERNELS_SG_PIECES_H
#define KERNELS_SG_PIECES_H

#include "sg.h"

#ifndef TARGET_GROUP
SG_FUNCTION uint intel_sub_group_block_read(const __global uint *);
SG_FUNCTION uint2 intel_sub_group_block_read2(const __global uint *);
SG_FUNCTION uint4 intel_sub_group_block_read4(const __global uint *);
SG_FUNCTION ushort intel_sub_group_block_read_us(const __global ushort *);
SG_FUNCTION ushort2 intel_sub_group_block_read_us2(const __global ushort *);
SG_FUNCTION ushort4 intel_sub_group_block_read_us4(const __global ushort *);
SG_FUNCTION uchar intel_sub_group_block_read_uc(const __global uchar *);
SG_FUNCTION uchar2 intel_sub_group_block_read_uc2(const __global uchar *);
SG_FUNCTION uchar4 intel_sub_group_block_read_uc4(const __global uchar *);
SG_FUNCTION void intel_sub_group_block_write(__global uint *, uint);
SG_FUNCTION void intel_sub_group_block_write2(__global uint *, uint2);
SG_FUNCTION void intel_sub_group_block_write4(__global uint *, uint4);
SG_FUNCTION void intel_sub_group_block_write_us(__global ushort *, ushort);
SG_FUNCTION void intel_sub_group_block_write_us2(__global ushort *, ushort2);
SG_FUNCTION void intel_sub_group_block_write_us4(__global ushort *, ushort4);
SG_FUNCTION void intel_sub_group_block_write_uc(__global uchar *, uchar);
SG_FUNCTION void intel_sub_group_block_write_uc2(__global uchar *, uchar2);
SG_FUNCTION void intel_sub_group_block_write_uc4(__global uchar *, uchar4);
#endif

SPEC_GETTER(sg_piece, SPEC_SG_PIECE, 8) /* components per piece: 1, 2, 4 or 8 */

/* Number of pieces in a tile. */
static inline int sg_pieces(void) {
    return SG_PARTS / sg_piece();
}
/* Number of elements in a piece. */
static inline int sg_piece_size(void) {
    return SG_LANES * sg_piece();
}

/* Returns piece q in components 0, 1, ... */
static inline tile_t sg_piece_of(tile_t x, int q) {
    tile_t y = x;
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++)
        UNROLL_FOR (int i = 1; i < SG_PARTS; i++) y[j] = i == q * sg_piece() + j ? x[i] : y[j];
    return y;
}
/* Replaces piece q of x by y. */
static inline tile_t sg_with_piece(tile_t x, int q, tile_t y) {
    UNROLL_FOR (int i = 0; i < SG_PARTS; i++)
        UNROLL_FOR (int j = 0; j < SG_PARTS; j++)
            x[i] = j < sg_piece() && i == q * sg_piece() + j ? y[j] : x[i];
    return x;
}

/* ---- memory ---- */

#ifdef TARGET_GROUP
/* Loads a whole piece as bits; each element is in the low bits of a component. */
static inline uint8 sg_piece_bits(gcptr_t p, int size) {
    uint8 x = 0;
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++) {
        const int k = SG_LANES * j + sg_lane();
        if (j < sg_piece())
            x[j] = size == 4   ? ((__global const uint *)p)[k]
                   : size == 2 ? ((__global const ushort *)p)[k]
                               : p[k];
    }
    return x;
}
static inline void sg_put_piece_bits(uint8 x, gptr_t p, int size) {
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++) {
        const int k = SG_LANES * j + sg_lane();
        if (j >= sg_piece()) continue;
        if (size == 4) ((__global uint *)p)[k] = x[j];
        else if (size == 2) ((__global ushort *)p)[k] = (ushort)x[j];
        else p[k] = (uchar)x[j];
    }
}
#else
/* Loads a whole piece as bits; each element is in the low bits of a component. */
static inline uint8 sg_piece_bits(gcptr_t p, int size) {
    const int w = sg_piece();
    uint8 x = 0;
#define READ(type, suffix, convert)                                                                \
    do {                                                                                           \
        __global const type *from = (__global const type *)p;                                      \
        if (w == 1) x.s0 = intel_sub_group_block_read##suffix(from);                               \
        if (w == 2) x.s01 = convert##2(intel_sub_group_block_read##suffix##2(from));               \
        if (w == 4) x.s0123 = convert##4(intel_sub_group_block_read##suffix##4(from));             \
    } while (0)
    if (size == 4) READ(uint, , convert_uint);
    else if (size == 2) READ(ushort, _us, convert_uint);
    else READ(uchar, _uc, convert_uint);
#undef READ
    return x;
}

static inline void sg_put_piece_bits(uint8 x, gptr_t p, int size) {
    const int w = sg_piece();
#define WRITE(type, suffix, convert)                                                               \
    do {                                                                                           \
        __global type *to = (__global type *)p;                                                    \
        if (w == 1) intel_sub_group_block_write##suffix(to, (type)x.s0);                           \
        if (w == 2) intel_sub_group_block_write##suffix##2(to, convert##2(x.s01));                 \
        if (w == 4) intel_sub_group_block_write##suffix##4(to, convert##4(x.s0123));               \
    } while (0)
    if (size == 4) WRITE(uint, , convert_uint);
    else if (size == 2) WRITE(ushort, _us, convert_ushort);
    else WRITE(uchar, _uc, convert_uchar);
#undef WRITE
}
#endif

static inline float sg_decode(uint bits, int dt) {
    const ushort half_bits = (ushort)bits;
    switch (dt) {
    case DT_F32: return as_float(bits);
    case DT_S32: return (float)as_int(bits);
    case DT_F16: return vload_half(0, (const half *)&half_bits);
    case DT_BF16: return as_float(bits << 16);
    case DT_S8: return (float)(char)bits;
    }
    return (float)bits;
}
static inline uint sg_encode(float x, int dt) {
    ushort half_bits;
    switch (dt) {
    case DT_F32: return as_uint(x);
    case DT_S32: return (uint)to_int(x, -2147483648.0f, INT_HIGH);
    case DT_F16: vstore_half_rte(x, 0, (half *)&half_bits); return half_bits;
    case DT_BF16: return bf16_bits(x);
    case DT_S8: return (uint)to_int(x, -128, 127);
    }
    return (uint)to_int(x, 0, 255);
}

static inline bool sg_piece_fits(gcptr_t p, long i, int n, int dt, int align) {
    return n >= sg_piece_size() && sg_has_blocks(dt) &&
           (((ulong)p + i * sg_element_size(dt)) & (align - 1)) == 0;
}

/* Loads elements i ... of a piece that has n elements into the first components; n may be 0 or
 * negative. The other elements are `fill`. */
static inline tile_t sg_load_piece(gcptr_t p, long i, int n, int dt, float fill) {
    if (sg_piece() == SG_PARTS) return sg_load(p, i, n, dt, fill);
    tile_t x = fill;
    if (sg_piece_fits(p, i, n, dt, SG_READ_ALIGN)) {
        const uint8 bits = sg_piece_bits(p + i * sg_element_size(dt), sg_element_size(dt));
        UNROLL_FOR (int j = 0; j < SG_PARTS; j++)
            if (j < sg_piece()) x[j] = sg_decode(bits[j], dt);
        return x;
    }
    NO_UNROLL_FOR (int j = 0; j < sg_piece(); j++) {
        const int k = SG_LANES * j + sg_lane();
        const float y = k < n ? load_1(p, i + k, dt) : fill;
        UNROLL_FOR (int c = 0; c < SG_PARTS; c++) x[c] = c == j ? y : x[c];
    }
    return x;
}
static inline void sg_store_piece(tile_t x, gptr_t p, long i, int n, int dt) {
    if (sg_piece() == SG_PARTS) {
        sg_store(x, p, i, n, dt);
        return;
    }
    if (sg_piece_fits(p, i, n, dt, SG_WRITE_ALIGN)) {
        uint8 bits = 0;
        UNROLL_FOR (int j = 0; j < SG_PARTS; j++)
            if (j < sg_piece()) bits[j] = sg_encode(x[j], dt);
        sg_put_piece_bits(bits, p + i * sg_element_size(dt), sg_element_size(dt));
        return;
    }
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++) {
        const int k = SG_LANES * j + sg_lane();
        if (j < sg_piece() && k < n) store_1(x[j], p, i + k, dt);
    }
}

/* Loads n elements each of `rows` pieces that lie `step` elements apart. `rows` may be larger than
 * the number of pieces in a tile, zero or negative. */
static inline tile_t sg_load_pieces(
        gcptr_t p, long i, long step, int rows, int n, int dt, float fill) {
    tile_t x = fill;
    UNROLL_FOR (int q = 0; q < SG_PARTS; q++)
        if (q < sg_pieces() && q < rows)
            x = sg_with_piece(x, q, sg_load_piece(p, i + q * step, n, dt, fill));
    return x;
}
static inline void sg_store_pieces(tile_t x, gptr_t p, long i, long step, int rows, int n, int dt) {
    UNROLL_FOR (int q = 0; q < SG_PARTS; q++)
        if (q < sg_pieces() && q < rows) sg_store_piece(sg_piece_of(x, q), p, i + q * step, n, dt);
}

/* ---- lanes as columns: the pieces of a tile are rows ---- */

/* Copies the first piece to all the others. */
static inline tile_t sg_repeat_piece(tile_t x) {
    if (sg_piece() == 1) return x.s00000000;
    if (sg_piece() == 2) return x.s01010101;
    return sg_piece() == 4 ? x.s01230123 : x;
}

enum {
    /* Floats of local memory per reduction: sub-groups times elements of a piece. */
    SG_MAX_COLUMNS = 2048
};
typedef float sg_columns_t[SG_MAX_COLUMNS];

/* Reduces over the pieces of the tiles of all sub-groups that share columns; every piece receives
 * the result. `place` is in local memory, and each reduction needs its own. */
#define SG_COLUMNS(name, op)                                                                       \
    static inline tile_t name##_pieces(tile_t x) {                                                 \
        if (sg_piece() <= 4) x = op(x, x.s45670123);                                               \
        if (sg_piece() <= 2) x = op(x, x.s23016745);                                               \
        if (sg_piece() == 1) x = op(x, x.s10325476);                                               \
        return x;                                                                                  \
    }                                                                                              \
    static inline tile_t name(tile_t x, int part, __local float *place) {                          \
        x = name##_pieces(x);                                                                      \
        if (sg_groups() == 1) return x;                                                            \
        UNROLL_FOR (int j = 0; j < SG_PARTS; j++)                                                  \
            if (j < sg_piece()) place[(part * sg_piece() + j) * SG_LANES + sg_lane()] = x[j];      \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        tile_t all = 0;                                                                            \
        UNROLL_FOR (int j = 0; j < SG_PARTS; j++)                                                  \
            if (j < sg_piece()) all[j] = place[j * SG_LANES + sg_lane()];                          \
        NO_UNROLL_FOR (int g = 1; g < sg_groups(); g++)                                            \
            UNROLL_FOR (int j = 0; j < SG_PARTS; j++)                                              \
                if (j < sg_piece())                                                                \
                    all[j] = op(all[j], place[(g * sg_piece() + j) * SG_LANES + sg_lane()]);       \
        return sg_repeat_piece(all);                                                               \
    }
#define SG_PLUS(a, b) ((a) + (b))
SG_COLUMNS(sg_columns_sum, SG_PLUS)
SG_COLUMNS(sg_columns_max, fmax)

#endif
