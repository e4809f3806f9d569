/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of backward.cl for sub-groups of 16: the sums of each channel, and the gradient of
 * the source. The pieces of a tile (sg_pieces.h) are rows of channels that lie next to each other
 * (BACKWARD_COLUMNS) or pixels of consecutive channels. */
#include "io.h"
#include "backward_params.h"
#include "sg_pieces.h"

SPEC_GETTER(diff_dt, SPEC_SRC1_DT, DT_F32)
SPEC_GETTER(backward_flags, SPEC_BACKWARD_FLAGS, 0)

static inline bool backward_flag(int flag) {
    return (backward_flags() & flag) != 0;
}

typedef __global const float *gvalues_t;

/* ---- what a sub-group does ---- */

typedef struct {
    int share; /* number of the part of the rows */
    long row;  /* its first row */
    int rows;  /* 0: there is nothing left to do */
    long outer, outer_end;
    int column, columns; /* first channel, and channels from it on */
} share_t;

static inline share_t share_of(const backward_params_t *p) {
    const int blocks = backward_flag(BACKWARD_COLUMNS)
                               ? (int)((p->columns + sg_piece_size() - 1) / sg_piece_size())
                               : 1;
    const int shares = (p->rows + p->rows_per_item - 1) / p->rows_per_item;
    const uint number = get_group_id(0) * sg_count() + sg_number(), above = number / shares;
    share_t s;
    s.share = number % shares;
    s.row = s.share * p->rows_per_item;
    s.rows = min(p->rows_per_item, p->rows - s.row);
    s.column = above % blocks * sg_piece_size();
    s.columns = p->columns - s.column;
    s.outer = above / blocks * p->outer_per_item;
    s.outer_end = min(s.outer + p->outer_per_item, p->outer);
    return s;
}

/* Outer positions that a tile has. */
static inline int outer_step(void) {
    return backward_flag(BACKWARD_COLUMNS) ? 1 : sg_pieces();
}

/* Pieces of a tile lie `step` elements apart; the next tile of the same channels begins `next`
 * elements after this one, and has as many fewer rows. */
typedef struct {
    long at, step, next;
    int rows_in_tile, outers, columns;
} walk_t;

static inline walk_t walk_of(const share_t *s, const backward_params_t *p) {
    const bool columns = backward_flag(BACKWARD_COLUMNS);
    walk_t w;
    w.at = (s->outer * p->rows + s->row) * p->columns + s->column;
    w.step = columns ? p->columns : p->rows;
    w.rows_in_tile = columns ? sg_pieces() : sg_piece_size();
    w.next = w.rows_in_tile * p->columns;
    w.outers = s->outer_end - s->outer;
    w.columns = s->columns;
    return w;
}

/* Pieces of a tile, and elements of a piece, with so many rows left. */
static inline int pieces_of(const walk_t *w, int rows) {
    return backward_flag(BACKWARD_COLUMNS) ? rows : w->outers;
}
static inline int elements_of(const walk_t *w, int rows) {
    return backward_flag(BACKWARD_COLUMNS) ? w->columns : rows;
}

static inline tile_t load(gcptr_t p, const walk_t *w, int rows, int dt) {
    return sg_load_pieces(p, w->at, w->step, pieces_of(w, rows), elements_of(w, rows), dt, 0);
}

static inline tile_t load_diff(gcptr_t diff, gcptr_t mask, const walk_t *w, int rows) {
    const tile_t x = load(diff, w, rows, diff_dt());
    if (!backward_flag(BACKWARD_MASK)) return x;
    return load(mask, w, rows, DT_U8) != 0.0f ? x : (tile_t)0.0f;
}

/* Numbers of the first channel's scale and statistics at an outer position. */
static inline long scale_at(long outer, const share_t *s, const backward_params_t *p) {
    return outer % p->blocks * p->columns + s->column;
}
static inline long stat_at(long outer, const share_t *s, const backward_params_t *p) {
    return p->of_images ? outer * p->columns + s->column : scale_at(outer, s, p);
}

/* The values of a tile's channels; those that do not exist are 1. */
static inline tile_t load_values(
        gvalues_t v, const share_t *s, const backward_params_t *p, bool of_stat) {
    tile_t x = 1.0f;
    if (backward_flag(BACKWARD_COLUMNS)) {
        const long at = of_stat ? stat_at(s->outer, s, p) : scale_at(s->outer, s, p);
        return sg_repeat_piece(sg_load_piece((gcptr_t)v, at, s->columns, DT_F32, 1));
    }
    UNROLL_FOR (int q = 0; q < SG_PARTS; q++) {
        const long outer = s->outer + q;
        if (q < sg_pieces() && outer < s->outer_end)
            x = sg_with_piece(x, q, v[of_stat ? stat_at(outer, s, p) : scale_at(outer, s, p)]);
    }
    return x;
}

/* ---- sums ---- */

/* The sum of each channel of a tile, which goes to the place of its outer position. All sub-groups
 * of a work-group call it as often. */
static inline void store_sums(tile_t x, __global float *sums, const share_t *s,
        const backward_params_t *p, __local float *place) {
    if (backward_flag(BACKWARD_COLUMNS)) {
        if (s->outer < s->outer_end)
            sg_store_piece(sg_columns_sum_pieces(x), (gptr_t)sums,
                    s->outer * p->columns + s->column, s->columns, DT_F32);
        return;
    }
    NO_UNROLL_FOR (int q = 0; q < sg_pieces(); q++) {
        const tile_t piece = sg_piece_of(x, q);
        float sum = 0;
        UNROLL_FOR (int j = 0; j < SG_PARTS; j++)
            if (j < sg_piece()) sum += piece[j];
        sum = lanes_sum(sum, place);
        if (sg_lane() == 0 && s->outer + q < s->outer_end) sums[s->outer + q] = sum;
    }
}

/* sums: for each share of the rows, that of diff * x_hat of all channels of all images; behind all
 * of these, that of diff. */
SG_KERNEL void norm_backward_sums(gcptr_t src, gcptr_t diff, gcptr_t mask, gvalues_t mean,
        gvalues_t root, __global float *sums, const backward_params_t p) {
    LANES_PLACE(place);
    share_t s = share_of(&p);
    const long channels = p.outer * p.columns, to = s.share * channels,
               second = channels * ((p.rows + p.rows_per_item - 1) / p.rows_per_item);
    NO_UNROLL_FOR (int i = 0; i < p.outer_per_item; i += outer_step(), s.outer += outer_step()) {
        tile_t slope = 0, shift = 0;
        if (s.outer < s.outer_end) {
            const tile_t center = load_values(mean, &s, &p, true),
                         factor = 1 / load_values(root, &s, &p, true);
            walk_t w = walk_of(&s, &p);
            NO_UNROLL_FOR (int k = 0; k < s.rows; k += w.rows_in_tile, w.at += w.next) {
                const tile_t x = load(src, &w, s.rows - k, src_dt()),
                             y = load_diff(diff, mask, &w, s.rows - k);
                slope += (x - center) * factor * y;
                shift += y;
            }
        }
        store_sums(slope, sums + to, &s, &p, place);
        store_sums(shift, sums + to + second, &s, &p, place);
    }
}

/* ---- the gradient of the source ---- */

/* diff * of_diff + (x - mean) * of_src + rest */
typedef struct {
    tile_t of_diff, of_src, mean, rest;
} line_t;

static inline line_t line_of(gvalues_t mean, gvalues_t root, gvalues_t scale, gvalues_t slope,
        gvalues_t shift, const share_t *s, const backward_params_t *p) {
    line_t l;
    const tile_t factor = 1 / load_values(root, s, p, true);
    l.of_diff = factor;
    if (backward_flag(BACKWARD_SCALE)) l.of_diff *= load_values(scale, s, p, false);
    if (!backward_flag(BACKWARD_CORRECT)) return l;
    const tile_t outside = backward_flag(BACKWARD_INSIDE) ? factor : l.of_diff;
    l.mean = load_values(mean, s, p, true);
    l.of_src = load_values(slope, s, p, true) * outside;
    l.rest = -load_values(shift, s, p, true) * outside;
    return l;
}

/* slope, shift: the means of diff * x_hat, divided by -root, and of diff. */
SG_KERNEL void norm_backward_apply(gcptr_t src, gcptr_t diff, gcptr_t mask, gptr_t dst,
        gvalues_t mean, gvalues_t root, gvalues_t scale, gvalues_t slope, gvalues_t shift,
        const backward_params_t p) {
    share_t s = share_of(&p);
    NO_UNROLL_FOR (; s.outer < s.outer_end; s.outer += outer_step()) {
        const line_t l = line_of(mean, root, scale, slope, shift, &s, &p);
        walk_t w = walk_of(&s, &p);
        NO_UNROLL_FOR (int k = 0; k < s.rows; k += w.rows_in_tile, w.at += w.next) {
            const int rows = s.rows - k;
            tile_t y = load_diff(diff, mask, &w, rows) * l.of_diff;
            if (backward_flag(BACKWARD_CORRECT))
                y = fma(load(src, &w, rows, src_dt()) - l.mean, l.of_src, y + l.rest);
            sg_store_pieces(
                    y, dst, w.at, w.step, pieces_of(&w, rows), elements_of(&w, rows), dst_dt());
        }
    }
}
