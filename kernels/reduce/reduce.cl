/* SPDX-License-Identifier: Apache-2.0 */
/* Reduces any set of loops. Vectors lie along the last reduced loop, or along the last kept loop if
 * SPEC_RED_ALONG_KEPT is set. */
#include "reduce.h"

#if VW == 16
#define ROWS 4
/* Answers the offset of a position, and moves on. */
static inline long walk_by_one(walk_t *w, const reduce_params_t *p, long src_at) {
    const long at = src_at + w->at;
    walk_on(w, p, p->nreduced);
    return at;
}

static inline void reduce_block(gcptr_t src, gptr_t dst, gcptr_t center, const reduce_params_t *p,
        long src_at, long dst_at, long center_at, long from, long to) {
    const int last = p->nkept - 1;
    const long step = p->kept_src[last], dst_step = p->kept_dst[last],
               center_step = p->kept_center[last];
    const long begin = (long)get_global_id(2) * p->block;
    const int len = min((long)p->block, p->kept_size[last] - begin);
    const int full = step == 1 ? len / 16 : 0;
    src_at += begin * step;
    dst_at += begin * dst_step;
    center_at += begin * center_step;
    accv_t acc[RED_BLOCK_VECTORS], mid[RED_BLOCK_VECTORS];
    NO_UNROLL_FOR (int v = 0; v * 16 < len; v++) {
        const int n = min(16, len - v * 16);
        acc[v] = identity();
        mid[v] = center ? load_v(center, center_at + v * 16 * center_step, center_step, n,
                                  center_dt())
                        : V(0);
    }
    walk_t w;
    walk_to(&w, p, p->nreduced, from);
    /* Four rows at a time load and store the sums once, and add in the order of row by row. Those
     * that come next are prefetched, since a piece of a row is too short for the CPU to do it. */
    long next[ROWS];
    const bool in_fours = full * 16 == len && from + ROWS <= to;
    UNROLL_FOR (int r = 0; r < ROWS && in_fours; r++) next[r] = walk_by_one(&w, p, src_at);
    NO_UNROLL_FOR (; in_fours && from + ROWS <= to; from += ROWS) {
        const bool more = from + 2 * ROWS <= to;
        long base[ROWS];
        UNROLL_FOR (int r = 0; r < ROWS; r++) {
            base[r] = next[r];
            if (more) next[r] = walk_by_one(&w, p, src_at);
        }
        NO_UNROLL_FOR (int v = 0; v < full; v++) {
            accv_t sum = acc[v];
            UNROLL_FOR (int r = 0; r < ROWS; r++) {
                sum = accumulate(sum, load_16(src, base[r] + v * 16, src_dt()), mid[v], p->a);
                prefetch_16(src, next[r] + v * 16, src_dt());
            }
            acc[v] = sum;
        }
    }
    NO_UNROLL_FOR (; from < to; from++) {
        const long base = src_at + w.at;
        int v = 0;
        NO_UNROLL_FOR (; v < full; v++)
            acc[v] = accumulate(acc[v], load_16(src, base + v * 16, src_dt()), mid[v], p->a);
        NO_UNROLL_FOR (; v * 16 < len; v++)
            acc[v] = accumulate(acc[v],
                    load_v(src, base + v * 16 * step, step, min(16, len - v * 16), src_dt()),
                    mid[v], p->a);
        walk_on(&w, p, p->nreduced);
    }
    NO_UNROLL_FOR (int v = 0; v * 16 < len; v++)
        store_v(finish(acc[v], p), dst, dst_at + v * 16 * dst_step, dst_step, min(16, len - v * 16),
                dst_dt());
}
#endif

__kernel void reduce(gcptr_t src, gptr_t dst, gcptr_t center, const reduce_params_t p) {
    const long chunk = get_global_id(1);
    const long from = chunk * p.chunk, to = min(from + p.chunk, p.total);
    long row = get_global_id(0) * (long)p.rows_per_item;
    const long row_end = min(row + p.rows_per_item, p.rows);
#if VW == 16
    const int nkept = p.nkept - (along_kept() != 0);
#else
    const int nkept = p.nkept;
#endif
    NO_UNROLL_FOR (; row < row_end; row++) {
        long rest = row, src_at = 0, dst_at = chunk * p.chunk_dst, center_at = 0;
        NO_UNROLL_FOR (int d = nkept - 1; d >= 0; d--) {
            const long pos = rest % AT(p.kept_size, PAR_MAX_DIMS, d, );
            rest /= AT(p.kept_size, PAR_MAX_DIMS, d, );
            src_at += pos * AT(p.kept_src, PAR_MAX_DIMS, d, );
            dst_at += pos * AT(p.kept_dst, PAR_MAX_DIMS, d, );
            center_at += pos * AT(p.kept_center, PAR_MAX_DIMS, d, );
        }
#if VW == 16
        if (along_kept()) {
            reduce_block(src, dst, center, &p, src_at, dst_at, center_at, from, to);
            continue;
        }
#endif
        const accv_t mid = center ? V(load_1(center, center_at, center_dt())) : V(0);
        store_v(finish(reduce_row(src, src_at, &p, from, to, mid, 0), &p), dst, dst_at, 1, 1,
                dst_dt());
    }
}
