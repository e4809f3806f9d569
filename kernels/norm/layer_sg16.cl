/* SPDX-License-Identifier: Apache-2.0 */
/* Layer normalization and RMS normalization of contiguous rows for sub-groups of 16. Rows that fit
 * are kept in registers and read once. For longer rows, a first pass computes the statistics. */
#include "io.h"
#include "layer_params.h"
#include "sg.h"

SPEC_GETTER(weights_dt, SPEC_SRC1_DT, DT_F32)
SPEC_GETTER(layer_flags, SPEC_LAYER_FLAGS, 0)

static inline bool layer_flag(int flag) {
    return (layer_flags() & flag) != 0;
}

/* The row of this sub-group, and values that all its elements share. */
typedef struct {
    gcptr_t src, scale, shift;
    gptr_t dst;
    long at, dst_at;
    int part, len, step;
    float mean, factor;
} layer_t;

/* (x - mean)^2 of the first n elements. The mean is 0 for RMS normalization. */
static inline tile_t squares(tile_t x, float mean, int n) {
    const tile_t d = sg_first(x - mean, n, 0);
    return d * d;
}

/* Computes the mean and the variance of a row that does not fit in registers. Each lane updates its
 * own mean and its own sum of squared distances from it, and the lanes are combined at the end. So
 * the sums of squares never become differences of large numbers. */
static inline float2 scan(const layer_t *l, bool rms, __local sg_place_t *places) {
    float mean = 0, square = 0, count = 0;
    NO_UNROLL_FOR (int k = l->part * SG_TILE; k < l->len; k += l->step) {
        const int left = l->len - k;
        const tile_t x = sg_load(l->src, l->at + k, left, src_dt(), 0);
        if (rms) {
            square += sg_lane_sum(x * x);
            continue;
        }
        const float n = clamp((left - sg_lane() + SG_LANES - 1) / SG_LANES, 0, (int)SG_PARTS),
                    all = fmax(count + n, 1.0f);
        const float own = sg_lane_sum(x) / fmax(n, 1.0f), apart = own - mean;
        square += sg_lane_sum(squares(x, own, left)) + apart * apart * (count * n / all);
        mean += apart * (n / all);
        count += n;
    }
    if (rms) return (float2)(0, sg_sum(square, l->part, places[1]) / l->len);
    const float all = sg_sum(mean * count, l->part, places[0]) / l->len;
    square += count * (mean - all) * (mean - all);
    return (float2)(all, sg_sum(square, l->part, places[1]) / l->len);
}

static inline tile_t result(const layer_t *l, tile_t x, int k) {
    x = (x - l->mean) * l->factor;
    if (layer_flag(LAYER_SCALE)) x *= sg_load(l->scale, k, l->len - k, weights_dt(), 0);
    if (layer_flag(LAYER_SHIFT)) x += sg_load(l->shift, k, l->len - k, weights_dt(), 0);
    return x;
}

SG_KERNEL void layer_sg16(gcptr_t src, gptr_t dst, __global float *means, __global float *variances,
        gcptr_t scale, gcptr_t shift, const layer_params_t p, PO_ARGS) {
    __local sg_place_t places[2];
    po_ctx_t ctx = PO_CTX;
    const bool rms = layer_flag(LAYER_RMS);
    const sg_row_t r = sg_row(&p.nd);
    const long stat_at = sg_row_at(&r, p.stat_stride);
    layer_t l;
    l.src = src, l.dst = dst, l.scale = scale, l.shift = shift;
    l.at = sg_row_at(&r, p.nd.src_stride), l.dst_at = sg_row_at(&r, p.nd.dst_stride);
    l.part = r.part, l.len = p.nd.size[sg_loops()], l.step = sg_groups() * SG_TILE;
    po_seek(&ctx, &po, r.pos, sg_loops());

    tile_t x[SG_MAX_TILES];
    EACH (i, sg_tiles(), SG_MAX_TILES) {
        const int k = l.part * SG_TILE + i * l.step;
        x[i] = sg_load(src, l.at + k, l.len - k, src_dt(), 0);
    }
    float variance;
    l.mean = 0;
    if (layer_flag(LAYER_GIVEN)) {
        if (!rms) l.mean = means[stat_at];
        variance = variances[stat_at];
    } else if (sg_tiles() == 0) {
        const float2 found = scan(&l, rms, places);
        l.mean = found.x;
        variance = found.y;
    } else {
        /* The sums begin with the first tile: the compiler does not drop an addition to 0. */
        tile_t sum = 0;
        if (!rms) {
            EACH (i, sg_tiles(), SG_MAX_TILES) sum = i == 0 ? x[0] : sum + x[i];
            l.mean = sg_sum(sg_lane_sum(sum), l.part, places[0]) / l.len;
        }
        EACH (i, sg_tiles(), SG_MAX_TILES) {
            const tile_t y = squares(x[i], l.mean, l.len - (l.part * SG_TILE + i * l.step));
            sum = i == 0 ? y : sum + y;
        }
        variance = sg_sum(sg_lane_sum(sum), l.part, places[1]) / l.len;
    }
    if (layer_flag(LAYER_SAVE) && r.valid && l.part == 0 && sg_lane() == 0) {
        if (!rms) means[stat_at] = l.mean;
        variances[stat_at] = variance;
    }
    l.factor = 1 / sqrt(variance + p.epsilon);

    int n = 0;
    NO_UNROLL_FOR (int k = l.part * SG_TILE; sg_tiles() ? n < sg_tiles() : k < l.len;
            k += l.step, n++) {
        tile_t y = x[0];
        EACH (i, sg_tiles(), SG_MAX_TILES) y = i == n ? x[i] : y;
        if (sg_tiles() == 0) y = sg_load(src, l.at + k, l.len - k, src_dt(), 0);
        y = po_apply(result(&l, y, k), &ctx, &po, k, l.len - k);
        if (r.valid) sg_store(y, dst, l.dst_at + k, l.len - k, dst_dt());
    }
}
