/* SPDX-License-Identifier: Apache-2.0 */
/* Backward softmax along contiguous rows for sub-groups of 16. Rows that fit are kept in registers
 * and read once. For longer rows, a first pass computes the sum. diff_src may be in the place of
 * diff_dst: the sub-group that writes an element has read it before. */
#include "io.h"
#include "sg.h"

SPEC_GETTER(is_log, SPEC_FIRST_FREE, 0)

/* The terms of a tile in the sum of its row. */
static inline tile_t terms(tile_t dst, tile_t diff) {
    return is_log() ? diff : dst * diff;
}

static inline tile_t gradient(tile_t dst, tile_t diff, float sum) {
    return is_log() ? diff - sum * exp(dst) : dst * (diff - sum);
}

SG_KERNEL void softmax_bwd_sg16(
        gcptr_t diff_dst, gptr_t diff_src, gcptr_t dst, const nd_params_t p) {
    __local sg_place_t place;
    const sg_row_t r = sg_row(&p);
    const int len = p.size[sg_loops()], first = r.part * SG_TILE, step = sg_groups() * SG_TILE;
    const long at = sg_row_at(&r, p.dst_stride); /* in all three tensors */
    tile_t sum = 0;

    if (sg_tiles() == 0) {
        NO_UNROLL_FOR (int k = first; k < len; k += step)
            sum += terms(sg_load(dst, at + k, len - k, src_dt(), 0),
                    sg_load(diff_dst, at + k, len - k, src_dt(), 0));
        const float all = sg_sum(sg_lane_sum(sum), r.part, place);
        NO_UNROLL_FOR (int k = first; k < len; k += step) {
            const tile_t x = gradient(sg_load(dst, at + k, len - k, src_dt(), 0),
                    sg_load(diff_dst, at + k, len - k, src_dt(), 0), all);
            if (r.valid) sg_store(x, diff_src, at + k, len - k, dst_dt());
        }
        return;
    }

    tile_t x[SG_MAX_TILES], diff[SG_MAX_TILES];
    EACH (i, sg_tiles(), SG_MAX_TILES) {
        const int k = first + i * step;
        x[i] = sg_load(dst, at + k, len - k, src_dt(), 0);
        diff[i] = sg_load(diff_dst, at + k, len - k, src_dt(), 0);
        sum += terms(x[i], diff[i]);
    }
    const float all = sg_sum(sg_lane_sum(sum), r.part, place);
    NO_UNROLL_FOR (int n = 0; n < sg_tiles(); n++) {
        const int k = first + n * step;
        tile_t y = x[0], g = diff[0];
        EACH (i, sg_tiles(), SG_MAX_TILES) {
            y = i == n ? x[i] : y;
            g = i == n ? diff[i] : g;
        }
        if (r.valid) sg_store(gradient(y, g, all), diff_src, at + k, len - k, dst_dt());
    }
}
