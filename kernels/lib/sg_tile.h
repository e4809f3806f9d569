/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a sub-group of 16 lanes, with VW = 8. A value is a tile of 128 consecutive elements:
 * component j of lane l is element 16 * j + l. A tile of 16-bit elements is then one access of 256
 * bytes. Where the address or the end of a row forbids that, each component is one coalesced
 * access. */
#ifndef KERNELS_SG_TILE_H
#define KERNELS_SG_TILE_H

#ifndef TARGET_GROUP
#define SG_FUNCTION __attribute__((overloadable, convergent))
#define SG_BLOCKS(suffix, n, type)                                                                 \
    SG_FUNCTION type##n intel_sub_group_block_read##suffix##n(const __global type *);              \
    SG_FUNCTION void intel_sub_group_block_write##suffix##n(__global type *, type##n);
#define SG_ALL_BLOCKS(suffix, type)                                                                \
    SG_BLOCKS(suffix, , type)                                                                      \
    SG_BLOCKS(suffix, 2, type) SG_BLOCKS(suffix, 4, type) SG_BLOCKS(suffix, 8, type)
SG_ALL_BLOCKS(, uint)
SG_ALL_BLOCKS(_us, ushort)
SG_ALL_BLOCKS(_uc, uchar)
#endif

enum { SG_LANES = 16, SG_PARTS = VW, SG_TILE = SG_LANES * SG_PARTS };
typedef float8 accv_t;

static inline int sg_lane(void) {
#ifdef TARGET_GROUP
    return get_local_id(0) % SG_LANES; /* sub_group.h says what a sub-group is */
#else
    return get_sub_group_local_id();
#endif
}

static inline uint sg_element_size(int dt) {
    return dt == DT_F32 || dt == DT_S32 ? 4 : dt == DT_F16 || dt == DT_BF16 ? 2 : 1;
}
static inline bool sg_has_blocks(int dt) {
    return dt == DT_F32 || dt == DT_S32 || dt == DT_F16 || dt == DT_BF16 || dt == DT_S8 ||
           dt == DT_U8;
}
/* Alignment in bytes that sub-group block reads and writes require. */
enum { SG_READ_ALIGN = 4, SG_WRITE_ALIGN = 16 };
static inline bool sg_block_fits(gcptr_t p, long i, int n, int dt, int align) {
    return n >= SG_TILE && sg_has_blocks(dt) &&
           (((ulong)p + i * sg_element_size(dt)) & (align - 1)) == 0;
}

/* Are rows multiples of a tile, and does each tile begin at a multiple of 16 bytes? Then a number
 * of elements says only whether there is a tile: it is none if it is 0 or less. transpose.cl:
 * vectors are whole, too. */
SPEC_GETTER(sg_whole, SPEC_SG_WHOLE, 0)

/* Component j of a tile, where j is not a constant: an access by address register. Devices without
 * such registers select it, because they would keep the whole tile in memory otherwise.
 *
 * SG_EDGE_FOR: a loop over components that are stored or loaded one by one. Intel's compiler takes
 * less time for a loop than for eight copies of its body. */
#ifdef TARGET_GROUP
#define SG_EDGE_FOR UNROLL_FOR
#define SG_GET(y, x, j)                                                                            \
    UNROLL_FOR (int i_ = 0; i_ < SG_PARTS; i_++) (y) = i_ == (j) ? (x)[i_] : (y)
#define SG_SET(x, j, y)                                                                            \
    UNROLL_FOR (int i_ = 0; i_ < SG_PARTS; i_++) (x)[i_] = i_ == (j) ? (y) : (x)[i_]
#else
#define SG_EDGE_FOR NO_UNROLL_FOR
#define SG_GET(y, x, j) (y) = (x)[j]
#define SG_SET(x, j, y) (x)[j] = (y)
#endif

/* Converts elements of a type, in the low bits of integers, to floats; sg_bits() converts back. */
static inline accv_t sg_values(uint8 bits, int dt) {
    accv_t x;
    if (dt == DT_F32) return as_float8(bits);
    if (dt == DT_S32) return convert_float8(as_int8(bits));
    if (dt == DT_F16) {
        const ushort8 halves = convert_ushort8(bits);
        return vload_half8(0, (const half *)&halves);
    }
    if (dt == DT_BF16) return as_float8(bits << 16);
    if (dt == DT_S8) return convert_float8(as_char8(convert_uchar8(bits)));
    if (dt == DT_U8) return convert_float8(convert_uchar8(bits));
    NO_UNROLL_FOR (int j = 0; j < SG_PARTS; j++) {
        uint code = 0;
        SG_GET(code, bits, j);
        const float y = small_value(code & 255, dt);
        SG_SET(x, j, y);
    }
    return x;
}
static inline uint8 sg_bits(accv_t x, int dt) {
    uint8 bits;
    if (dt == DT_F32) return as_uint8(x);
    if (dt == DT_F16) {
        ushort8 halves;
        vstore_half8_rte(x, 0, (half *)&halves);
        return convert_uint8(halves);
    }
    if (sg_has_blocks(dt)) {
        UNROLL_FOR (int j = 0; j < SG_PARTS; j++)
            bits[j] = dt == DT_BF16  ? (uint)bf16_bits(x[j])
                      : dt == DT_S32 ? (uint)to_int(x[j], -2147483648.0f, INT_HIGH)
                      : dt == DT_S8  ? (uint)to_int(x[j], -128, 127) & 255
                                     : (uint)to_int(x[j], 0, 255);
        return bits;
    }
    NO_UNROLL_FOR (int j = 0; j < SG_PARTS; j++) {
        float y = 0;
        SG_GET(y, x, j);
        const uint code = small_code(y, dt);
        SG_SET(bits, j, code);
    }
    return bits;
}

#ifdef TARGET_GROUP
/* Each component is one access of all lanes. */
#define SG_READ(type)                                                                              \
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++)                                                      \
    bits[j] = ((__global const type *)p)[i + SG_LANES * j + sg_lane()]
#define SG_WRITE(type)                                                                             \
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++)                                                      \
    ((__global type *)p)[i + SG_LANES * j + sg_lane()] = (type)bits[j]
static inline uint8 sg_block_bits(gcptr_t p, long i, uint size) {
    uint8 bits;
    if (size == 4) SG_READ(uint);
    else if (size == 2) SG_READ(ushort);
    else SG_READ(uchar);
    return bits;
}
static inline void sg_block_store_bits(uint8 bits, gptr_t p, long i, uint size) {
    if (size == 4) SG_WRITE(uint);
    else if (size == 2) SG_WRITE(ushort);
    else SG_WRITE(uchar);
}
#else
static inline uint8 sg_block_bits(gcptr_t p, long i, uint size) {
    if (size == 4) return intel_sub_group_block_read8((__global const uint *)p + i);
    if (size == 2)
        return convert_uint8(intel_sub_group_block_read_us8((__global const ushort *)p + i));
    return convert_uint8(intel_sub_group_block_read_uc8(p + i));
}
static inline void sg_block_store_bits(uint8 bits, gptr_t p, long i, uint size) {
    if (size == 4) intel_sub_group_block_write8((__global uint *)p + i, bits);
    else if (size == 2)
        intel_sub_group_block_write_us8((__global ushort *)p + i, convert_ushort8(bits));
    else intel_sub_group_block_write_uc8(p + i, convert_uchar8(bits));
}
#endif

/* Loads elements first, first + stride, ...; there are n of them. n may be larger than a tile, zero
 * or negative. The other elements are `fill`. */
static inline accv_t sg_load_strided(
        gcptr_t p, long first, long stride, int n, int dt, float fill) {
    accv_t x = fill;
    NO_UNROLL_FOR (int j = 0; j < SG_PARTS; j++) {
        const int k = SG_LANES * j + sg_lane();
        const float y = k < n ? load_1(p, first + k * stride, dt) : fill;
        SG_SET(x, j, y);
    }
    return x;
}
static inline accv_t sg_load(gcptr_t p, long i, int n, int dt, float fill) {
    if (sg_whole() && sg_has_blocks(dt))
        return n > 0 ? sg_values(sg_block_bits(p, i, sg_element_size(dt)), dt) : (accv_t)fill;
    return sg_block_fits(p, i, n, dt, SG_READ_ALIGN)
                   ? sg_values(sg_block_bits(p, i, sg_element_size(dt)), dt)
                   : sg_load_strided(p, i, 1, n, dt, fill);
}

static inline void sg_store_strided(accv_t x, gptr_t p, long first, long stride, int n, int dt) {
    SG_EDGE_FOR (int j = 0; j < SG_PARTS; j++) {
        const int k = SG_LANES * j + sg_lane();
        float y = 0;
        SG_GET(y, x, j);
        if (k < n) store_1(y, p, first + k * stride, dt);
    }
}
static inline void sg_store(accv_t x, gptr_t p, long i, int n, int dt) {
    const bool whole = sg_whole() && sg_has_blocks(dt);
    if (whole && n <= 0) return;
    if (whole || sg_block_fits(p, i, n, dt, SG_WRITE_ALIGN))
        sg_block_store_bits(sg_bits(x, dt), p, i, sg_element_size(dt));
    else sg_store_strided(x, p, i, 1, n, dt);
}

/* Keeps the first n elements of a tile and sets the others to `fill`. */
static inline accv_t sg_first(accv_t x, int n, float fill) {
    if (sg_whole()) return n > 0 ? x : (accv_t)fill;
    if (n >= SG_TILE) return x;
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++) x[j] = SG_LANES * j + sg_lane() < n ? x[j] : fill;
    return x;
}

/* The functions that types.h defines for other values of VW. */
static inline accv_t load_v(gcptr_t p, long i, long stride, int n, int dt) {
    if (stride == 0) return load_1(p, i, dt);
    return stride == 1 ? sg_load(p, i, n, dt, 0) : sg_load_strided(p, i, stride, n, dt, 0);
}
static inline void store_v(accv_t x, gptr_t p, long i, long stride, int n, int dt) {
    if (stride == 1) sg_store(x, p, i, n, dt);
    else sg_store_strided(x, p, i, stride, n, dt);
}
static inline accv_t first_lanes(accv_t x, int nv, int n) {
    return nv < n ? sg_first(x, nv, 0) : x;
}

#endif
