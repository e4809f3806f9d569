/* SPDX-License-Identifier: Apache-2.0 */
/* dst = epilogue(src), where the source is contiguous along one loop and the destination along
 * another one. For sub-groups of 16, which transpose tiles in registers.
 *
 * One of the two tensors is contiguous along the fast loop, and the lanes lie along this loop. The
 * other tensor is contiguous along the vector loop. Each lane accesses up to 16 bytes of the vector
 * loop as one vector, which it gathers from the source or scatters to the destination. In registers
 * a row of a tile is a value of sg_tile.h: 128 elements of the fast loop, or 16 elements of it for
 * each of 8 positions of a third loop, the part loop. */
#include "io.h"
#include "sg.h"

SPEC_GETTER(words, SPEC_TRANSPOSE_WORDS, 4)

static inline bool gathers(void) {
    return (flags() & SPECF_GATHER) != 0;
}
static inline bool whole(void) {
    return (flags() & SPECF_WHOLE) != 0;
}
static inline bool padded(void) {
    return (flags() & SPECF_PADDED) != 0;
}
/* Without other loops than those of the tile, a division is spared. */
static inline bool is_one_row(void) {
    return sg_loops() == 0;
}
static inline bool copies(void) {
    return src_dt() == dst_dt() && po_count() == 0;
}

/* A loop of the tile. */
typedef struct {
    int size, mult, limit;
    long src, dst;
} loop_t;

/* d: a constant of the module, as are src_step, dst_step: strides that are known; 0: not known. */
static inline loop_t loop_of(const nd_params_t *p, int d, int src_step, int dst_step) {
    loop_t l;
    l.size = p->size[d];
    l.mult = padded() ? p->mult[d] : 0;
    l.limit = padded() ? p->limit_of[d] : -1;
    l.src = src_step ? src_step : p->src_stride[d];
    l.dst = dst_step ? dst_step : p->dst_stride[d];
    return l;
}

/* The ends of a padded tensor, which limit the positions in the fast, the vector and the part
 * loop. An element of the tile is inside if, for both the fast and the vector loop, position *
 * mult is less than the end. If the part loop counts towards the same limit, its position * mult
 * is added first. If the part loop has a limit of its own, its position * mult must also be less
 * than its end. */
typedef struct {
    int fast, vec, part;
} ends_t;

static inline int left_of(const nd_params_t *p, const long *limits, const int *pos, int l) {
    int at = 0;
    if (l < 0) return 0x7fffffff;
    EACH (d, sg_loops(), PAR_MAX_DIMS)
        if (p->limit_of[d] == l) at += pos[d] * p->mult[d];
    return (int)AT(limits, ND_MAX_LIMITS, l, ) - at;
}
static inline bool ends_of(ends_t *e, const nd_params_t *p, const long *limits, const int *pos,
        const loop_t *fast, const loop_t *vec, const loop_t *part) {
    bool any = true;
    EACH (l, p->nlimits, ND_MAX_LIMITS) any = any && left_of(p, limits, pos, l) > 0;
    e->fast = any ? left_of(p, limits, pos, fast->limit) : 0;
    e->vec = left_of(p, limits, pos, vec->limit);
    e->part = left_of(p, limits, pos, part->limit);
    return any;
}

/* One bit for each element that a lane has in a row of the tile: set if the element is inside. */
static inline uint within(
        const ends_t *e, const loop_t *fast, const loop_t *part, int i, int first_part) {
    const int shared = part->limit == fast->limit && fast->limit >= 0 ? part->mult : 0;
    uint bits = 0;
    if (whole() && !padded()) {
        const int n = clamp((fast->size - i + SG_LANES - 1) / SG_LANES, 0, (int)SG_PARTS);
        return (1u << n) - 1;
    }
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++) {
        const int at = i + (whole() ? SG_LANES * j : 0), q = whole() ? 0 : first_part + j;
        bool in = at < fast->size && (whole() || q < part->size);
        if (padded())
            in = in && at * fast->mult + q * shared < e->fast &&
                 (whole() || q * part->mult < e->part);
        bits |= (uint)in << j;
    }
    return bits;
}
/* The same bits at a position of the vector loop. */
static inline uint within_row(
        uint bits, const ends_t *e, const loop_t *vec, const loop_t *part, int at, int first_part) {
    const int shared = part->limit == vec->limit && vec->limit >= 0 ? part->mult : 0;
    if (!padded()) return bits;
    if (whole() || shared == 0) return at * vec->mult < e->vec ? bits : 0;
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++)
        bits &= at * vec->mult + (first_part + j) * shared < e->vec ? 0xffu : ~(1u << j);
    return bits;
}

/* Accesses to one element. An element that combines several smaller ones may have any alignment. */
static inline bool misplaced(gcptr_t p, int size) {
    return (flags() & SPECF_COMBINED) && ((ulong)p & (size - 1));
}
static inline uint load_bits(gcptr_t p, long i, int size) {
    if (size == 1) return p[i];
    if (size == 2)
        return misplaced(p, size) ? as_ushort(vload2(i, p)) : ((__global const ushort *)p)[i];
    return misplaced(p, size) ? as_uint(vload4(i, p)) : ((__global const uint *)p)[i];
}
static inline void store_bits(uint bits, gptr_t p, long i, int size) {
    if (size == 1) p[i] = bits;
    else if (size == 2 && misplaced(p, size)) vstore2(as_uchar2((ushort)bits), i, p);
    else if (size == 2) ((__global ushort *)p)[i] = bits;
    else if (misplaced(p, size)) vstore4(as_uchar4(bits), i, p);
    else ((__global uint *)p)[i] = bits;
}

/* Loads the elements of a row one by one. Whole rows and gathered rows need this at edges alone: a
 * loop is short there. Other rows always do, so their loads must not wait for one another. */
static inline uint8 load_row(gcptr_t p, long first, long step, uint in, int size) {
    uint8 bits = 0;
    if (whole() || gathers()) {
        SG_EDGE_FOR (int j = 0; j < SG_PARTS; j++) {
            uint x = 0;
            if (in >> j & 1) x = load_bits(p, first, size);
            SG_SET(bits, j, x);
            first += step;
        }
        return bits;
    }
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++) {
        if (in >> j & 1) bits[j] = load_bits(p, first, size);
        first += step;
    }
    return bits;
}
static inline void store_row(uint8 bits, gptr_t p, long first, long step, uint in, int size) {
    SG_EDGE_FOR (int j = 0; j < SG_PARTS; j++) {
        uint x = 0;
        SG_GET(x, bits, j);
        if (in >> j & 1) store_bits(x, p, first, size);
        first += step;
    }
}

/* The vectors of all lanes. Four words of a part stay together in part[], and word `d` is selected.
 * Fewer words are in word[], where component j belongs to part j, and move down to the first one:
 * devices with small registers have two words at most, and no registers for a selection. */
typedef struct {
    uint4 part[SG_PARTS];
    uint8 word[2];
} vectors_t;

static inline uint8 get_word(const vectors_t *v, int d) {
    if (words() < 4) return v->word[0];
    uint8 bits;
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++) {
        const uint4 x = v->part[j];
        bits[j] = d & 2 ? (d & 1 ? x.w : x.z) : (d & 1 ? x.y : x.x);
    }
    return bits;
}
/* Keeps word `d` after its last element. */
static inline void put_word(vectors_t *v, int d, uint8 bits) {
    if (words() < 4) {
        v->word[0] = v->word[1], v->word[1] = bits;
        return;
    }
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++) {
        const uint4 x = v->part[j];
        v->part[j] = (uint4)(d == 0 ? bits[j] : x.x, d == 1 ? bits[j] : x.y, d == 2 ? bits[j] : x.z,
                d == 3 ? bits[j] : x.w);
    }
}

/* Lanes without an element read the vector of the tile's corner. A branch would make the compiler
 * copy the vectors between registers. */
static inline void gather(vectors_t *v, gcptr_t p, long corner, long first, long step, uint in) {
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++) {
        __global const uint *from = (__global const uint *)(p + (in >> j & 1 ? first : corner));
        if (words() == 4) {
            v->part[j] = vload4(0, from);
        } else if (words() == 2) {
            const uint2 x = vload2(0, from);
            v->word[0][j] = x.x, v->word[1][j] = x.y;
        } else {
            v->word[0][j] = *from;
        }
        first += step;
    }
}
static inline void scatter(const vectors_t *v, gptr_t p, long first, long step, uint in) {
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++) {
        __global uint *to = (__global uint *)(p + first);
        first += step;
        if (!(in >> j & 1)) continue;
        if (words() == 4) vstore4(v->part[j], 0, to);
        else if (words() == 2) vstore2((uint2)(v->word[0][j], v->word[1][j]), 0, to);
        else *to = v->word[1][j];
    }
}

SG_KERNEL void turn(gcptr_t src, gptr_t dst, const nd_params_t p, PO_ARGS) {
    po_ctx_t ctx = PO_CTX;
    const int loops = sg_loops(), at_vec = loops + (whole() ? 0 : 1);
    const loop_t fast = loop_of(&p, at_vec + 1, !gathers(), gathers()),
                 vec = loop_of(&p, at_vec, gathers(), !gathers());
    loop_t part = loop_of(&p, loops, 0, 0);
    if (whole()) part.size = 1, part.mult = 0, part.limit = -1, part.src = part.dst = 0;

    /* Selects the tiles of this sub-group, which lie along the vector loop. */
    const int across = whole() ? SG_TILE : SG_LANES;
    const uint n_fast = (fast.size + across - 1) / across, n_vec = p.rows_per_item,
               n_part = p.chunk;
    uint item = get_group_id(0) * sg_count() + sg_number();
    const int k0 = item % n_fast * across;
    item /= n_fast;
    const uint n_tiles = n_vec * n_part, row = is_one_row() ? 0 : item / n_tiles;
    item -= row * n_tiles;
    sg_row_t r = sg_row_number(&p, row);
    if (!r.valid || item >= n_tiles) return;
    const uint of_part = whole() ? 0 : item / n_vec;
    const int q0 = of_part * SG_PARTS;
    const int begin = (item - of_part * n_vec) * p.chunk2, end = min(begin + p.chunk2, vec.size);

    const int k = k0 + sg_lane();
    ends_t valid, stop;
    valid.fast = valid.vec = valid.part = stop.fast = stop.vec = stop.part = 0x7fffffff;
    if (padded()) {
        if (!ends_of(&stop, &p, p.skip, r.pos, &fast, &vec, &part)) return;
        ends_of(&valid, &p, p.limit, r.pos, &fast, &vec, &part);
    }
    const uint in = sg_whole() ? 0xff : within(&valid, &fast, &part, k, q0),
               out = padded() ? within(&stop, &fast, &part, k, q0) : in;
    const int end_k = padded() && fast.limit >= 0
                              ? (valid.fast > 0 ? (valid.fast - 1) / fast.mult + 1 : 0)
                              : fast.size;
    const int count = min(fast.size, end_k) - k0;

    /* Offsets, in elements, of the tile's corner and of a lane, and the step from part to part. */
    const int src_size = sg_element_size(src_dt()), dst_size = sg_element_size(dst_dt());
    const long src_at = sg_row_at(&r, p.src_stride) + q0 * part.src + k0 * fast.src;
    const long dst_at = sg_row_at(&r, p.dst_stride) + q0 * part.dst + k0 * fast.dst;
    const long src_lane = src_at + sg_lane() * fast.src,
               src_step = whole() ? SG_LANES * fast.src : part.src;
    const long dst_lane = dst_at + sg_lane() * fast.dst,
               dst_step = whole() ? SG_LANES * fast.dst : part.dst;

    /* Vectors need whole 32-bit words everywhere in the tile. */
    const int size = gathers() ? src_size : dst_size, in_word = 4 / size,
              in_vector = words() * in_word;
    const ulong place = gathers() ? (ulong)src + src_at * size : (ulong)dst + dst_at * size;
    const ulong strides = gathers() ? (fast.src | part.src) * size : (fast.dst | part.dst) * size;
    const bool corner =
            !padded() || !gathers() ||
            (k0 * fast.mult < valid.fast && q0 * part.mult < valid.part &&
                    k0 * fast.mult + (part.limit == fast.limit ? q0 * part.mult : 0) < valid.fast);
    const bool aligned = sg_whole() || (corner && ((place + begin * size | strides) & 3) == 0);
    const int last_part = min(q0 + SG_PARTS, part.size) - 1;
    const int vec_end = gathers() ? valid.vec : stop.vec;
    const int shared = !whole() && part.limit == vec.limit && vec.limit >= 0 ? part.mult : 0;

    SET(r.pos, PAR_MAX_DIMS, loops, q0);
    NO_UNROLL_FOR (int w = begin; w < end; w += in_vector) {
        const bool vectors =
                sg_whole() ||
                (aligned && w + in_vector <= end &&
                        (!padded() ||
                                (w + in_vector - 1) * vec.mult + last_part * shared < vec_end));
        /* Components without an element stay undefined and are never stored. Setting them to zero
         * would cost moves. */
        vectors_t v;
        if (gathers() && vectors)
            gather(&v, src + (w * (long)size), src_at * size, src_lane * size, src_step * size, in);
        NO_UNROLL_FOR (int d = 0; d < words(); d++) {
            uint8 word = 0; /* of elements that are scattered, the first one in the lowest bits */
            NO_UNROLL_FOR (int e = 0; e < in_word; e++) {
                const int at = w + d * in_word + e;
                if (!sg_whole() && at >= end) break;
                const uint in_row = within_row(in, &valid, &vec, &part, at, q0);
                const bool some = !padded() || at * vec.mult + q0 * shared < valid.vec;
                const long from = at * vec.src, to = at * vec.dst;
                uint8 bits;
                if (gathers() && vectors) {
                    bits = get_word(&v, d) >> (uint8)(e * size * 8);
                } else if (!gathers() && some && whole() &&
                           (sg_whole() || sg_block_fits(src, src_at + from, count, src_dt(),
                                                  SG_READ_ALIGN))) {
                    bits = sg_block_bits(src, src_at + from, src_size);
                } else {
                    bits = load_row(src, src_lane + from, src_step, in_row, src_size);
                }
                if (!copies()) {
                    tile_t x = sg_values(bits, src_dt());
                    if (po_count() > 0 && some) {
                        SET(r.pos, PAR_MAX_DIMS, at_vec, at);
                        po_seek(&ctx, &po, r.pos, at_vec + 1);
                        x = po_apply(x, &ctx, &po, k0, whole() ? count : SG_TILE);
                    }
                    bits = sg_bits(x, dst_dt());
                } else if (size < 4) {
                    bits &= size == 2 ? 0xffffu : 0xffu;
                }
                if (padded()) {
                    UNROLL_FOR (int j = 0; j < SG_PARTS; j++)
                        bits[j] = in_row >> j & 1 ? bits[j] : 0;
                }
                if (!gathers() && vectors) {
                    word = in_word > 1 ? word >> (uint8)(size * 8) | bits << (uint8)(32 - size * 8)
                                       : bits;
                } else if (gathers() && !padded() && whole() &&
                           (sg_whole() || sg_block_fits(dst, dst_at + to, count, dst_dt(),
                                                  SG_WRITE_ALIGN))) {
                    sg_block_store_bits(bits, dst, dst_at + to, dst_size);
                } else {
                    const uint out_row = within_row(out, &stop, &vec, &part, at, q0);
                    store_row(bits, dst, dst_lane + to, dst_step, out_row, dst_size);
                }
            }
            if (!gathers() && vectors) put_word(&v, d, word);
            if (gathers() && words() < 4) v.word[0] = v.word[1];
        }
        if (!gathers() && vectors)
            scatter(&v, dst + (w * (long)size), dst_lane * size, dst_step * size, out);
    }
}
