/* SPDX-License-Identifier: Apache-2.0 */
/* Reduces any set of loops, the innermost of which is contiguous, for sub-groups of 16. A sub-group
 * reduces along the last reduced loop and has one result. If SPEC_RED_ALONG_KEPT is set, it has a
 * tile of 128 neighbouring results. */
#include "reduce.h"
#include "sub_group.h"

SG_KERNEL void reduce_sg16(gcptr_t src, gptr_t dst, gcptr_t center, const reduce_params_t p) {
    LANES_PLACE(place);
    const long chunk = get_group_id(1), from = chunk * p.chunk, to = min(from + p.chunk, p.total);
    const bool shared = along_kept() == RED_SHARED;
    const uint row = shared ? get_group_id(0) : get_group_id(0) * sg_count() + sg_number(),
               rows = p.rows;
    const int last = p.nkept - 1, nkept = p.nkept - (along_kept() != 0);
    long src_at = 0, dst_at = chunk * p.chunk_dst, center_at = 0;
    uint rest = min(row, rows - 1); /* sub-groups beyond the last row store nothing */
    EACH_DOWN(d, nkept, PAR_MAX_DIMS) {
        const uint size = p.kept_size[d], pos = d ? rest % size : rest;
        rest /= size;
        src_at += pos * p.kept_src[d];
        dst_at += pos * p.kept_dst[d];
        center_at += pos * p.kept_center[d];
    }
    if (!along_kept()) {
        const accv_t mid = center ? V(load_1(center, center_at, center_dt())) : V(0);
        const accv_t x = finish(reduce_row(src, src_at, &p, from, to, mid, place), &p);
        if (row < rows && sg_lane() == 0) store_1(x[0], dst, dst_at, dst_dt());
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
    accv_t acc = identity();
    walk_t w;
    walk_to(&w, &p, p.nreduced, from);
    NO_UNROLL_FOR (long k = from; k < to; k++) {
        acc = accumulate(acc, sg_load(src, src_at + w.at + begin, n, src_dt(), 0), mid, p.a);
        walk_on(&w, &p, p.nreduced);
    }
    if (row < rows) store_v(finish(acc, &p), dst, dst_at + begin * dst_step, dst_step, n, dst_dt());
}
