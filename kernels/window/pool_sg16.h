/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the pooling kernels for sub-groups of 16 share: tiles that have only as many parts of
 * 16 elements as the problem needs, and workspaces. */
#ifndef KERNELS_POOL_SG16_H
#define KERNELS_POOL_SG16_H

#include "sg.h"
#include "pool.h"

SPEC_GETTER(parts, SPEC_POOL_PARTS, SG_PARTS)

static inline int tile_size(void) {
    return SG_LANES * parts();
}

/* True if a block access to elements i .. i + n - 1 is possible: they fill the tile and the address
 * is aligned. */
static inline bool parts_fit(gcptr_t p, long i, int n, int size, int align) {
    return n >= tile_size() && (((ulong)p + i * size) & (align - 1)) == 0;
}

#ifdef TARGET_GROUP
#define READ_PARTS(suffix, type)                                                                   \
    static inline uint8 read_parts##suffix(__global const type *p) {                               \
        uint8 bits = 0;                                                                            \
        EACH (j, parts(), SG_PARTS) bits[j] = p[SG_LANES * j + sg_lane()];                         \
        return bits;                                                                               \
    }                                                                                              \
    static inline void write_parts##suffix(uint8 bits, __global type *p) {                         \
        EACH (j, parts(), SG_PARTS) p[SG_LANES * j + sg_lane()] = (type)bits[j];                   \
    }
#else
#define READ_PARTS(suffix, type)                                                                   \
    static inline uint8 read_parts##suffix(__global const type *p) {                               \
        uint8 bits = 0;                                                                            \
        if (parts() == 8) bits = convert_uint8(intel_sub_group_block_read##suffix##8(p));          \
        else if (parts() == 4)                                                                     \
            bits.s0123 = convert_uint4(intel_sub_group_block_read##suffix##4(p));                  \
        else if (parts() == 2) bits.s01 = convert_uint2(intel_sub_group_block_read##suffix##2(p)); \
        else bits.s0 = intel_sub_group_block_read##suffix(p);                                      \
        return bits;                                                                               \
    }                                                                                              \
    static inline void write_parts##suffix(uint8 bits, __global type *p) {                         \
        if (parts() == 8) intel_sub_group_block_write##suffix##8(p, convert_##type##8(bits));      \
        else if (parts() == 4)                                                                     \
            intel_sub_group_block_write##suffix##4(p, convert_##type##4(bits.s0123));              \
        else if (parts() == 2)                                                                     \
            intel_sub_group_block_write##suffix##2(p, convert_##type##2(bits.s01));                \
        else intel_sub_group_block_write##suffix(p, bits.s0);                                      \
    }
#endif
READ_PARTS(, uint)
READ_PARTS(_us, ushort)
READ_PARTS(_uc, uchar)

static inline uint8 load_lanes(gcptr_t p, long first, long stride, int n, int size) {
    uint8 bits = 0;
    EACH (j, parts(), SG_PARTS) {
        const int k = SG_LANES * j + sg_lane();
        const long i = first + k * stride;
        if (k < n)
            bits[j] = size == 4   ? ((__global const uint *)p)[i]
                      : size == 2 ? ((__global const ushort *)p)[i]
                                  : p[i];
    }
    return bits;
}
static inline void store_lanes(uint8 bits, gptr_t p, long first, long stride, int n, int size) {
    EACH (j, parts(), SG_PARTS) {
        const int k = SG_LANES * j + sg_lane();
        const long i = first + k * stride;
        if (k >= n) continue;
        if (size == 4) ((__global uint *)p)[i] = bits[j];
        else if (size == 2) ((__global ushort *)p)[i] = bits[j];
        else p[i] = bits[j];
    }
}

static inline tile_t load_tile(gcptr_t p, long i, int n, int dt) {
    const int size = sg_element_size(dt);
    uint8 bits;
    if (!parts_fit(p, i, n, size, SG_READ_ALIGN)) bits = load_lanes(p, i, 1, n, size);
    else if (size == 4) bits = read_parts((__global const uint *)p + i);
    else if (size == 2) bits = read_parts_us((__global const ushort *)p + i);
    else bits = read_parts_uc(p + i);
    return sg_values(bits, dt);
}

static inline void store_bits(uint8 bits, gptr_t p, long i, long stride, int n, int size) {
    if (stride != 1 || !parts_fit(p, i, n, size, SG_WRITE_ALIGN))
        store_lanes(bits, p, i, stride, n, size);
    else if (size == 4) write_parts(bits, (__global uint *)p + i);
    else if (size == 2) write_parts_us(bits, (__global ushort *)p + i);
    else write_parts_uc(bits, p + i);
}

/* Stores the first `valid` of n elements, zeros after them, and their indices. */
static inline void store_pooled(
        const pooled_t *r, gptr_t dst, gptr_t ws, long i, long stride, int valid, int n) {
    store_bits(sg_bits(valid < n ? sg_first(r->x, valid, 0) : r->x, dst_dt()), dst, i, stride, n,
            sg_element_size(dst_dt()));
    if (!flag(PLF_WS)) return;
    uint8 index = as_uint8(r->index);
    if (valid < n) {
        UNROLL_FOR (int j = 0; j < SG_PARTS; j++)
            index[j] = SG_LANES * j + sg_lane() < valid ? index[j] : 0;
    }
    store_bits(index, ws, i, stride, n, flag(PLF_WS_U8) ? 1 : 4);
}

#endif
