/* SPDX-License-Identifier: Apache-2.0 */
/* Backward layer normalization and RMS normalization of contiguous rows for sub-groups of 16. A
 * work-group does some rows, one after the other, and its sub-groups share each of them: every
 * sub-group has the same columns in all rows. Rows of one tile for each sub-group are kept in
 * registers and read once. For longer rows, a first pass computes the sums.
 *
 * Each sub-group adds up the gradients of scale and shift over its rows, in registers or in memory;
 * a later step adds up what the work-groups have. diff_src may be in the place of diff_dst: the
 * sub-group that writes an element has read it before. */
#include "io.h"
#include "layer_params.h"
#include "sg.h"

SPEC_GETTER(weights_dt, SPEC_SRC1_DT, DT_F32)
SPEC_GETTER(layer_flags, SPEC_LAYER_FLAGS, 0)
SPEC_GETTER(data_dt, SPEC_LAYER_DATA_DT, DT_F32)

static inline bool layer_flag(int flag) {
    return (layer_flags() & flag) != 0;
}

/* The tensors at a row, and values that all its elements share. */
typedef struct {
    gcptr_t diff_dst, src, scale;
    gptr_t diff_src;
    long at; /* in all three tensors */
    int len;
    float mean, factor, offset, slope;
} layer_t;

/* A tile of the row: the gradient of the destination, that of x_hat, and x_hat. */
typedef struct {
    tile_t diff, g, x_hat;
} piece_t;

static inline piece_t read_piece(const layer_t *l, int k) {
    const int n = l->len - k;
    piece_t t;
    t.diff = sg_load(l->diff_dst, l->at + k, n, src_dt(), 0);
    t.x_hat = (sg_load(l->src, l->at + k, n, data_dt(), 0) - l->mean) * l->factor;
    t.g = t.diff;
    if (layer_flag(LAYER_SCALE)) t.g *= sg_load(l->scale, k, n, weights_dt(), 0);
    return t;
}

static inline void write_piece(const layer_t *l, const piece_t *t, int k) {
    const tile_t x = (t->g - l->offset - t->x_hat * l->slope) * l->factor;
    sg_store(x, l->diff_src, l->at + k, l->len - k, dst_dt());
}

/* The means of g and of g * x_hat over the row, from the sums of this sub-group. g is 0 after the
 * end of the row, but x_hat is not. */
static inline void set_means(
        layer_t *l, tile_t plain, tile_t centred, int part, __local sg_many_t *places) {
    l->offset = l->slope = 0;
    if (layer_flag(LAYER_GIVEN)) return;
    if (!layer_flag(LAYER_RMS))
        l->offset = sg_many_sum(sg_lane_sum(plain), part, places[0]) / l->len;
    l->slope = sg_many_sum(sg_lane_sum(centred), part, places[1]) / l->len;
}

static inline void add_to(__global float *sums, tile_t x, long at, int n, bool is_first) {
    if (!is_first) x += sg_load((gcptr_t)sums, at, n, DT_F32, 0);
    sg_store(x, (gptr_t)sums, at, n, DT_F32);
}

SG_KERNEL void layer_bwd_sg16(gcptr_t diff_dst, gptr_t diff_src, gcptr_t src,
        __global const float *means, __global const float *variances, gcptr_t scale,
        __global float *scale_sums, __global float *shift_sums, const layer_params_t p) {
    /* For even and odd rows: a sub-group may be a row ahead of another one. */
    __local sg_many_t places[2][2];
    const int part = sg_number(), first = part * SG_TILE, step = sg_groups() * SG_TILE;
    const uint group = get_group_id(0), first_row = group * (uint)p.nd.rows_per_item,
               row_end = min(first_row + (uint)p.nd.rows_per_item, (uint)p.nd.nrows);
    const bool scale_wanted = layer_flag(LAYER_SCALE_SUMS),
               shift_wanted = layer_flag(LAYER_SHIFT_SUMS);
    layer_t l;
    l.diff_dst = diff_dst, l.src = src, l.scale = scale, l.diff_src = diff_src;
    l.len = p.nd.size[sg_loops()];
    const long sums_at = group * (long)((l.len + 15) & ~15);
    tile_t scale_sum = 0, shift_sum = 0;

    NO_UNROLL_FOR (uint row = first_row; row < row_end; row++) {
        const sg_row_t r = sg_row_number(&p.nd, row);
        const long stat_at = sg_row_at(&r, p.stat_stride);
        __local sg_many_t *place = places[row & 1];
        l.at = sg_row_at(&r, p.nd.dst_stride);
        l.mean = layer_flag(LAYER_RMS) ? 0 : means[stat_at];
        l.factor = 1 / sqrt(variances[stat_at] + p.epsilon);
        if (sg_tiles() == 1) {
            const piece_t t = read_piece(&l, first);
            scale_sum += t.diff * t.x_hat;
            shift_sum += t.diff;
            set_means(&l, t.g, t.g * t.x_hat, part, place);
            write_piece(&l, &t, first);
            continue;
        }
        tile_t plain = 0, centred = 0;
        NO_UNROLL_FOR (int k = first; !layer_flag(LAYER_GIVEN) && k < l.len; k += step) {
            const piece_t t = read_piece(&l, k);
            plain += t.g;
            centred += t.g * t.x_hat;
        }
        set_means(&l, plain, centred, part, place);
        NO_UNROLL_FOR (int k = first; k < l.len; k += step) {
            const piece_t t = read_piece(&l, k);
            const bool is_first = row == first_row;
            if (scale_wanted)
                add_to(scale_sums, t.diff * t.x_hat, sums_at + k, l.len - k, is_first);
            if (shift_wanted) add_to(shift_sums, t.diff, sums_at + k, l.len - k, is_first);
            write_piece(&l, &t, k);
        }
    }
    if (sg_tiles() == 0) return;
    if (scale_wanted)
        sg_store(scale_sum, (gptr_t)scale_sums, sums_at + first, l.len - first, DT_F32);
    if (shift_wanted)
        sg_store(shift_sum, (gptr_t)shift_sums, sums_at + first, l.len - first, DT_F32);
}
