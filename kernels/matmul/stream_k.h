/* SPDX-License-Identifier: Apache-2.0 */
/* Stream-K: finds the pieces of tiles in the share of a work-group, and the slots of their sums. */
#ifndef KERNELS_MATMUL_STREAM_K_H
#define KERNELS_MATMUL_STREAM_K_H

#include "matmul_params.h"

/* A piece of a tile, in units of k, and the number of units that the share has after it. */
typedef struct {
    int tile, first, last, left;
} piece_t;

static inline int share_begin(const mm_stream_k_t *s, int share) {
    return share * s->size + min(share, s->longer);
}

/* The share that contains a unit. */
static inline int share_of(const mm_stream_k_t *s, int unit) {
    const int in_longer = s->longer * (s->size + 1);
    return unit < in_longer ? unit / (s->size + 1) : s->longer + (unit - in_longer) / s->size;
}

/* The fields are set one by one, because an initial value would be a constant of the module. */
static inline piece_t no_piece(void) {
    piece_t p;
    p.tile = p.first = p.last = p.left = 0;
    return p;
}

static inline piece_t first_piece(const mm_stream_k_t *s, int share) {
    const int begin = share_begin(s, share), count = share_begin(s, share + 1) - begin;
    piece_t p = {s->whole + begin / s->units, begin % s->units, 0, 0};
    p.last = min(p.first + count, s->units);
    p.left = count - (p.last - p.first);
    return p;
}

/* Returns false if there are no more pieces. */
static inline bool next_piece(piece_t *p, const mm_stream_k_t *s) {
    if (p->left == 0) return false;
    p->tile++;
    p->first = 0;
    p->last = min(p->left, s->units);
    p->left -= p->last;
    return true;
}

/* The position of a tile: column, row, and number of the matrix in the batch. */
static inline int3 place_of_tile(const mm_stream_k_t *s, int tile) {
    return (int3)(tile % s->across, tile / s->across % s->below, tile / s->across / s->below);
}

static inline long slot_of(const piece_t *p, const mm_stream_k_t *s, int share) {
    return (long)(p->tile - s->whole) + share;
}

#ifdef KEEPS_SUMS
__attribute__((overloadable, convergent)) void intel_sub_group_block_write8(__global uint *, uint8);

static inline __global uint *kept_block(gptr_t slots, long block) {
    return (__global uint *)slots + block * MM_FIXUP_GROUP;
}
static inline bool is_slot_aligned(gptr_t slots) {
    return ((ulong)slots & 15) == 0;
}

/* Stores a block to block number `block` of the scratchpad; each of the 16 lanes has a column. */
static inline void keep_aligned_block(uint8 sums, gptr_t slots, long block) {
    intel_sub_group_block_write8(kept_block(slots, block), sums);
}
static inline void keep_block(uint8 sums, gptr_t slots, long block) {
    __global uint *to = kept_block(slots, block);
    if (is_slot_aligned(slots)) {
        keep_aligned_block(sums, slots, block);
        return;
    }
    UNROLL_FOR (int r = 0; r < 8; r++) to[16 * r + get_sub_group_local_id()] = sums[r];
}
#endif

#endif
