/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax along contiguous rows for sub-groups of 16. Rows that fit are kept in registers and read
 * once. For longer rows, a first pass computes the maximum and the sum together. */
#include "io.h"
#include "sg.h"

SPEC_GETTER(is_log, SPEC_FIRST_FREE, 0)

/* The maximum of a row, and the reciprocal or the logarithm of the sum. */
typedef struct {
    float top, rest;
} total_t;

static inline tile_t result(tile_t x, total_t t) {
    return is_log() ? x - t.top - t.rest : exp(x - t.top) * t.rest;
}
static inline float rest_of(float sum) {
    return is_log() ? log(sum) : 1 / sum;
}

/* exp(x - top), where both may be -INFINITY. */
static inline float below(float x, float top) {
    return x == -INFINITY ? 0.0f : exp(x - top);
}

static inline total_t scan(gcptr_t src, long at, int len, int part, __local sg_place_t *places) {
    float top = -INFINITY, sum = 0;
    NO_UNROLL_FOR (int k = part * SG_TILE; k < len; k += sg_groups() * SG_TILE) {
        const tile_t x = sg_load(src, at + k, len - k, src_dt(), -INFINITY);
        const float before = top;
        top = fmax(top, sg_lane_max(x));
        sum = sum * below(before, top);
        sum += sg_lane_sum(exp(x - (top == -INFINITY ? 0.0f : top)));
    }
    total_t t;
    t.top = sg_max(top, part, places[0]);
    t.rest = rest_of(sg_sum(sum * below(top, t.top), part, places[1]));
    return t;
}

SG_KERNEL void softmax_sg16(gcptr_t src, gptr_t dst, const nd_params_t p, PO_ARGS) {
    __local sg_place_t places[2];
    po_ctx_t ctx = PO_CTX;
    const sg_row_t r = sg_row(&p);
    const int part = r.part, len = p.size[sg_loops()], step = sg_groups() * SG_TILE;
    const long at = sg_row_at(&r, p.src_stride), dst_at = sg_row_at(&r, p.dst_stride);
    po_seek(&ctx, &po, r.pos, sg_loops());

    if (sg_tiles() == 0) {
        const total_t t = scan(src, at, len, part, places);
        NO_UNROLL_FOR (int k = part * SG_TILE; k < len; k += step) {
            const tile_t x = result(sg_load(src, at + k, len - k, src_dt(), 0), t);
            if (r.valid)
                sg_store(po_apply(x, &ctx, &po, k, len - k), dst, dst_at + k, len - k, dst_dt());
        }
        return;
    }

    tile_t x[SG_MAX_TILES], most = -INFINITY, sum = 0;
    total_t t;
    EACH (i, sg_tiles(), SG_MAX_TILES) {
        const int k = part * SG_TILE + i * step;
        x[i] = sg_load(src, at + k, len - k, src_dt(), -INFINITY);
        most = i == 0 ? x[i] : fmax(most, x[i]);
    }
    t.top = sg_max(sg_lane_max(most), part, places[0]);
    EACH (i, sg_tiles(), SG_MAX_TILES) {
        const tile_t y = x[i] - t.top, e = exp(y);
        x[i] = is_log() ? y : e;
        sum = i == 0 ? e : sum + e; /* the compiler does not drop an addition to 0 */
    }
    t.rest = rest_of(sg_sum(sg_lane_sum(sum), part, places[1]));
    NO_UNROLL_FOR (int n = 0; n < sg_tiles(); n++) {
        const int k = part * SG_TILE + n * step;
        tile_t y = x[0];
        EACH (i, sg_tiles(), SG_MAX_TILES) y = i == n ? x[i] : y;
        y = is_log() ? y - t.rest : y * t.rest;
        if (r.valid)
            sg_store(po_apply(y, &ctx, &po, k, len - k), dst, dst_at + k, len - k, dst_dt());
    }
}
