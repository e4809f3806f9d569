/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of the products of many tiles: which pieces of tiles a work-group has, and where their
 * sums go. */
#ifndef KERNELS_MATMUL_SHARES_H
#define KERNELS_MATMUL_SHARES_H

#include "matmul_params.h"

/* Units of k of a tile, and units that are left of the share after it. */
typedef struct {
    int tile, first, last, left;
} piece_t;

static inline int share_begin(const mm_stream_k_t *s, int share) {
    return share * s->size + min(share, s->longer);
}

/* Which share has a unit. */
static inline int share_of(const mm_stream_k_t *s, int unit) {
    const int in_longer = s->longer * (s->size + 1);
    return unit < in_longer ? unit / (s->size + 1) : s->longer + (unit - in_longer) / s->size;
}

/* Field by field: an initial value would be constant data of the module. */
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

/* false: there are no more. */
static inline bool next_piece(piece_t *p, const mm_stream_k_t *s) {
    if (p->left == 0) return false;
    p->tile++;
    p->first = 0;
    p->last = min(p->left, s->units);
    p->left -= p->last;
    return true;
}

/* Beside, below, and in which matrix of the batch. */
static inline int3 place_of_tile(const mm_stream_k_t *s, int tile) {
    return (int3)(tile % s->across, tile / s->across % s->below, tile / s->across / s->below);
}

static inline long slot_of(const piece_t *p, const mm_stream_k_t *s, int share) {
    return (long)(p->tile - s->whole) + share;
}

#ifdef KEEPS_SUMS
__attribute__((overloadable, convergent)) void intel_sub_group_block_write8(__global uint *, uint8);

/* Block number `block` of the scratchpad, a column for each of 16 lanes. */
static inline void keep_block(uint8 sums, gptr_t slots, long block) {
    __global uint *to = (__global uint *)slots + block * MM_FIXUP_GROUP;
    if (((ulong)to & 15) == 0) {
        intel_sub_group_block_write8(to, sums);
        return;
    }
    UNROLL_FOR (int r = 0; r < 8; r++) to[16 * r + get_sub_group_local_id()] = sums[r];
}
#endif

#endif
