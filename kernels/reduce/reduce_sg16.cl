/* SPDX-License-Identifier: Apache-2.0 */
/* Reduces any set of loops, the innermost of which is contiguous, for sub-groups of 16. A sub-group
 * reduces along the last reduced loop and has one result. If SPEC_RED_ALONG_KEPT is set, it has a
 * tile of 128 neighbouring results. */
#include "reduce.h"
#include "sub_group.h"

#ifdef TARGET_GROUP
enum { ROWS = 4, MOST_TOGETHER = 8 };

/* Combines the values of the sub-groups of a work-group. */
static inline accv_t join_sub_groups(accv_t x, __local float *place) {
    const int own = sg_number() * SG_TILE + sg_lane();
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++) place[own + SG_LANES * j] = x[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    accv_t all = identity();
    NO_UNROLL_FOR (uint g = 0; g < sg_count(); g++) {
        UNROLL_FOR (int j = 0; j < SG_PARTS; j++)
            x[j] = place[g * SG_TILE + SG_LANES * j + sg_lane()];
        all = join(red_op(), all, x);
    }
    return all;
}

/* The elements from .. to - 1 of a contiguous loop: each sub-group has every sg_count()th tile. */
static inline accv_t reduce_tiles(gcptr_t src, long at, long from, long to, accv_t mid, float a) {
    const int step = sg_count() * SG_TILE;
    accv_t acc = identity();
    long k = from + sg_number() * SG_TILE;
    NO_UNROLL_FOR (; k + (ROWS - 1) * step + SG_TILE <= to; k += ROWS * step) {
        UNROLL_FOR (int i = 0; i < ROWS; i++)
            acc = accumulate(acc, load_whole(src, at + k + i * step), mid, a);
    }
    NO_UNROLL_FOR (; k < to; k += step) {
        const int n = min((long)SG_TILE, to - k);
        acc = merge(accumulate(acc, sg_load(src, at + k, n, src_dt(), 0), mid, a), acc, n);
    }
    return acc;
}

/* Rows from .. to - 1 of a block of n columns, `pitch` elements apart: each sub-group has every
 * sg_count()th one. */
static inline accv_t reduce_columns(
        gcptr_t src, long at, long pitch, long from, long to, int n, accv_t mid, float a) {
    const int step = sg_count();
    accv_t acc = identity();
    long k = from + sg_number();
    NO_UNROLL_FOR (; n >= SG_TILE && k + (ROWS - 1) * step < to; k += ROWS * step) {
        UNROLL_FOR (int i = 0; i < ROWS; i++)
            acc = accumulate(acc, load_whole(src, at + (k + i * step) * pitch), mid, a);
    }
    NO_UNROLL_FOR (; k < to; k += step)
        acc = accumulate(acc, sg_load(src, at + k * pitch, n, src_dt(), 0), mid, a);
    return acc;
}
#endif

SG_KERNEL void reduce_sg16(gcptr_t src, gptr_t dst, gcptr_t center, const reduce_params_t p) {
    LANES_PLACE(place);
#ifdef TARGET_GROUP
    __local float tiles[MOST_TOGETHER * SG_TILE];
#endif
    const long chunk = get_group_id(1), from = chunk * p.chunk, to = min(from + p.chunk, p.total);
    const bool shared = along_kept() == RED_SHARED, together = (along_kept() & RED_TOGETHER) != 0,
               blocks = (along_kept() & ~RED_TOGETHER) != 0;
    const uint row = shared || together ? get_group_id(0)
                                        : get_group_id(0) * sg_count() + sg_number(),
               rows = p.rows;
    const int last = p.nkept - 1, nkept = p.nkept - blocks;
    long src_at = 0, dst_at = chunk * p.chunk_dst, center_at = 0;
    uint rest = min(row, rows - 1); /* sub-groups beyond the last row store nothing */
    EACH_DOWN(d, nkept, PAR_MAX_DIMS) {
        const uint size = p.kept_size[d], pos = d ? rest % size : rest;
        rest /= size;
        src_at += pos * p.kept_src[d];
        dst_at += pos * p.kept_dst[d];
        center_at += pos * p.kept_center[d];
    }
    if (!blocks) {
        const accv_t mid = center ? V(load_1(center, center_at, center_dt())) : V(0);
        accv_t x;
#ifdef TARGET_GROUP
        if (together)
            x = across(
                    join_sub_groups(reduce_tiles(src, src_at, from, to, mid, p.a), tiles), place);
        else
#endif
            x = reduce_row(src, src_at, &p, from, to, mid, place);
        x = finish(x, &p);
        if (row < rows && sg_lane() == 0 && (!together || sg_number() == 0))
            store_1(x[0], dst, dst_at, dst_dt());
        return;
    }
    const uint number = shared ? get_group_id(2) * sg_count() + sg_number() : get_group_id(2);
    const int begin = number * p.block, n = AT(p.kept_size, PAR_MAX_DIMS, last, ) - begin;
    if (shared && n <= 0) return;
    const long dst_step = AT(p.kept_dst, PAR_MAX_DIMS, last, ),
               center_step = AT(p.kept_center, PAR_MAX_DIMS, last, );
    const accv_t mid =
            center ? load_v(center, center_at + begin * center_step, center_step, n, center_dt())
                   : V(0);
#ifdef TARGET_GROUP
    if (together) {
        const accv_t own =
                reduce_columns(src, src_at + begin, p.reduced_src[0], from, to, n, mid, p.a);
        const accv_t all = finish(join_sub_groups(own, tiles), &p);
        if (sg_number() == 0) store_v(all, dst, dst_at + begin * dst_step, dst_step, n, dst_dt());
        return;
    }
#endif
    accv_t acc = identity();
    walk_t w;
    walk_to(&w, &p, p.nreduced, from);
    long k = from;
#ifdef TARGET_GROUP /* several rows are on their way at once */
    NO_UNROLL_FOR (; n >= SG_TILE && k + ROWS <= to; k += ROWS) {
        UNROLL_FOR (int i = 0; i < ROWS; i++) {
            acc = accumulate(acc, load_whole(src, src_at + w.at + begin), mid, p.a);
            walk_on(&w, &p, p.nreduced);
        }
    }
#endif
    NO_UNROLL_FOR (; k < to; k++) {
        acc = accumulate(acc, sg_load(src, src_at + w.at + begin, n, src_dt(), 0), mid, p.a);
        walk_on(&w, &p, p.nreduced);
    }
    if (row < rows) store_v(finish(acc, &p), dst, dst_at + begin * dst_step, dst_step, n, dst_dt());
}
