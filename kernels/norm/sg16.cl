/* SPDX-License-Identifier: Apache-2.0 */
/* Group and batch normalization for sub-groups of 16. Statistics are taken over the contiguous loop
 * (rows). With COLUMNS, each position of that loop has its own statistics. Data that fit in
 * registers are read once. */
#include "io.h"
#include "norm_params.h"
#include "sg_pieces.h"

SPEC_GETTER(norm_flags, SPEC_NORM_FLAGS, 0)

static inline bool norm_flag(int flag) {
    return (norm_flags() & flag) != 0;
}

/* The work of a sub-group. */
typedef struct {
    gcptr_t src;
    long at, step0, step1;
    int size0, size1, len; /* sizes of the loops after those that count the rows */
    int k;                 /* the first of its columns */
    uint row_pieces;       /* pieces along the contiguous loop */
    uint from, end;        /* pieces of the work-group */
} work_t;

/* The position of a piece, and the number of its elements. */
typedef struct {
    int i0, i1, k, n;
} place_t;

static inline place_t place_of(const work_t *w, uint piece) {
    place_t at;
    uint outer = piece;
    at.k = w->k;
#ifndef COLUMNS
    if (w->row_pieces > 1) {
        outer = piece / w->row_pieces;
        at.k = (piece - outer * w->row_pieces) * sg_piece_size();
    }
#endif
    at.i0 = w->size0 > 1 ? outer / w->size1 : 0;
    at.i1 = outer - at.i0 * w->size1;
    at.n = piece < w->end ? min(w->len - at.k, sg_piece_size()) : 0;
    return at;
}

static inline tile_t load_tile(const work_t *w, uint piece) {
    tile_t x = 0;
    UNROLL_FOR (int q = 0; q < SG_PARTS; q++)
        if (q < sg_pieces() && piece + q < w->end) {
            const place_t at = place_of(w, piece + q);
            const long i = w->at + at.i0 * w->step0 + at.i1 * w->step1 + at.k;
            x = sg_with_piece(x, q, sg_load_piece(w->src, i, at.n, src_dt(), 0));
        }
    return x;
}

/* True if all elements of a tile exist. With COLUMNS, an existing piece counts as complete. */
static inline bool is_whole(const work_t *w, uint piece) {
#ifndef COLUMNS
    if (w->len % sg_piece_size()) return false;
#endif
    return piece + sg_pieces() <= w->end;
}
/* Sets the elements of x that do not exist to 0. */
static inline tile_t clear_missing(const work_t *w, tile_t x, uint piece) {
    if (is_whole(w, piece)) return x;
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++) {
        const uint q = piece + j / sg_piece();
#ifdef COLUMNS
        x[j] = q < w->end ? x[j] : 0;
#else
        x[j] = SG_LANES * (j % sg_piece()) + sg_lane() < place_of(w, q).n ? x[j] : 0;
#endif
    }
    return x;
}

/* The sum over all elements that share a statistic, in local memory of type SUMS_PLACE. */
#ifdef COLUMNS
#define SUMS_PLACE sg_columns_t
static inline tile_t total(tile_t x, int part, __local float *place) {
    return sg_columns_sum(x, part, place);
}
#else
#define SUMS_PLACE sg_many_t
static inline tile_t total(tile_t x, int part, __local float *place) {
    return sg_many_sum(sg_lane_sum(x), part, place);
}
#endif

/* Loads a statistic, or with COLUMNS those of the columns. */
static inline tile_t get_stat(__global const float *p, long at, int n, uint share) {
    (void)n, (void)share;
#ifdef COLUMNS
    if (share == 1) return sg_repeat_piece(sg_load_piece((gcptr_t)p, at, n, DT_F32, 0));
    tile_t x = 0;
    UNROLL_FOR (int j = 0; j < SG_PARTS; j++) {
        const int k = SG_LANES * j + sg_lane();
        if (j < sg_piece() && k < n) x[j] = p[((uint)at + k) / share];
    }
    return sg_repeat_piece(x);
#else
    return p[at];
#endif
}
static inline void put_stat(tile_t x, __global float *p, long at, int n) {
    (void)n;
#ifdef COLUMNS
    sg_store_piece(x, (gptr_t)p, at, n, DT_F32);
#else
    if (sg_lane() == 0) p[at] = x[0];
#endif
}

typedef struct {
    tile_t count, mean, square;
} moments_t;

/* Moments of elements that do not fit in registers. Each component of a tile updates its own mean
 * and its own sum of squared distances from it, and the components are combined at the end. So the
 * sums of squares never become differences of large numbers. */
static inline moments_t scan(const work_t *w, int part, __local SUMS_PLACE *places) {
    moments_t m;
    m.count = m.mean = m.square = 0;
    bool even = true; /* all components have the same count */
    NO_UNROLL_FOR (uint piece = w->from + part * sg_pieces(); piece < w->end;
            piece += sg_groups() * sg_pieces()) {
        const tile_t x = load_tile(w, piece);
        even = even && is_whole(w, piece);
        m.count += clear_missing(w, 1, piece);
        const tile_t share = even ? (tile_t)(1 / m.count[0]) : 1 / fmax(m.count, 1.0f);
        const tile_t apart = clear_missing(w, x - m.mean, piece);
        m.mean += apart * share;
        m.square += apart * (x - m.mean);
    }
    const tile_t own = m.mean, n = m.count;
    m.count = total(n, part, places[0]);
    m.mean = total(own * n, part, places[1]) / m.count;
    m.square = total(m.square + n * (own - m.mean) * (own - m.mean), part, places[2]);
    return m;
}

/* Loads scale or shift of a piece. */
static inline tile_t weights_of(__global const float *p, long at, int n) {
    return norm_flag(NORM_ALONG) ? sg_load_piece((gcptr_t)p, at, n, DT_F32, 0) : (tile_t)p[at];
}
static inline tile_t weights_of_tile(
        const work_t *w, __global const float *p, long first, const norm_params_t *np, uint piece) {
    tile_t x = 0;
    UNROLL_FOR (int q = 0; q < SG_PARTS; q++)
        if (q < sg_pieces() && piece + q < w->end) {
            const place_t at = place_of(w, piece + q);
            const long i = first + (long)at.i0 * np->weight_stride[sg_loops()] +
                           (long)at.i1 * np->weight_stride[sg_loops() + 1] +
                           (norm_flag(NORM_ALONG) ? at.k : 0);
            x = sg_with_piece(x, q, weights_of(p, i, at.n));
        }
    return x;
}

/* ---- place ---- */

/* Finds the row, or group of columns, of this sub-group, and its number among those that
 * share it. */
static inline sg_row_t place_work(work_t *w, int *part, gcptr_t src, const norm_params_t *p) {
    const uint group = get_group_id(0), sg = sg_number(), chunk = get_group_id(1);
    const uint item = sg_groups() == 1 ? group * sg_count() + sg : group;
    const int loops = sg_loops();
    *part = sg_groups() == 1 ? 0 : sg;
    w->len = p->nd.size[loops + 2];
    w->row_pieces = (w->len + sg_piece_size() - 1) / sg_piece_size();
#ifdef COLUMNS
    const uint row = item / w->row_pieces;
    w->k = (item - row * w->row_pieces) * sg_piece_size();
#else
    const uint row = item;
    w->k = 0;
#endif
    sg_row_t r = sg_row_number(&p->nd, row);
    w->src = src, w->at = sg_row_at(&r, p->nd.src_stride);
    w->size0 = p->nd.size[loops], w->size1 = p->nd.size[loops + 1];
    w->step0 = p->nd.src_stride[loops], w->step1 = p->nd.src_stride[loops + 1];
    w->from = chunk * (uint)p->chunk, w->end = min(w->from + (uint)p->chunk, (uint)p->pieces);
    return r;
}

/* ---- statistics ---- */

/* Mean and variance of the tiles in registers, in two passes. */
static inline void two_passes(tile_t *mean, tile_t *variance, const tile_t *x, const work_t *w,
        uint first, int step, int part, __local SUMS_PLACE *places, float count) {
    /* The sums begin with the first tile: the compiler does not drop an addition to 0. */
    tile_t sum = 0;
    EACH (i, sg_tiles(), SG_MAX_TILES) sum = i == 0 ? x[0] : sum + x[i];
    *mean = total(sum, part, places[0]) / count;
    EACH (i, sg_tiles(), SG_MAX_TILES) {
        const tile_t apart = clear_missing(w, x[i] - *mean, first + i * step);
        sum = i == 0 ? apart * apart : sum + apart * apart;
    }
    *variance = total(sum, part, places[1]) / count;
}

/* NORM_PARTS: stores the moments of a chunk, which join.cl combines. */
static inline void put_moments(
        const moments_t *m, __global float *parts, const norm_params_t *p, long at, int n) {
    const long chunks = get_num_groups(1), to = get_group_id(1) * (long)p->stats + at;
    put_stat(m->count, parts, to, n);
    put_stat(m->mean, parts, to + chunks * p->stats, n);
    put_stat(m->square, parts, to + 2 * chunks * p->stats, n);
}

/* Finds mean and variance. They are inputs, or they are computed from the tiles in registers or
 * from a longer row. Returns false if the work ends here because the moments of a chunk have
 * been stored. */
static inline bool find_stats(tile_t *mean, tile_t *variance, const tile_t *x, const work_t *w,
        uint first, int part, bool valid, long stat_at, __global float *means,
        __global float *variances, __global float *parts, const norm_params_t *p,
        __local SUMS_PLACE *places) {
    const int n = w->len - w->k, step = sg_groups() * sg_pieces();
    if (norm_flag(NORM_GIVEN)) {
        *mean = get_stat(means, stat_at, n, p->share);
        *variance = get_stat(variances, stat_at, n, p->share);
    } else if (sg_tiles() == 0) {
        const moments_t m = scan(w, part, places);
        if (norm_flag(NORM_PARTS)) {
            if (part == 0 && valid) put_moments(&m, parts, p, stat_at, n);
            return false;
        }
        *mean = m.mean;
        *variance = m.square / p->count;
    } else {
        two_passes(mean, variance, x, w, first, step, part, places, p->count);
    }
    return true;
}

/* ---- results ---- */

/* Applies the epilogue, piece by piece if its tensors may have other strides than
 * the destination. */
static inline tile_t apply_epilogue(
        tile_t y, const work_t *w, uint piece, sg_row_t *r, po_ctx_t *ctx, const po_params_t *po) {
    const int n = po_nsrcs() ? sg_pieces() : 1;
    NO_UNROLL_FOR (int q = 0; q < n && piece + q < w->end; q++) {
        const place_t at = place_of(w, piece + q);
        if (po_nsrcs()) {
            SET(r->pos, PAR_MAX_DIMS, sg_loops(), at.i0);
            SET(r->pos, PAR_MAX_DIMS, sg_loops() + 1, at.i1);
            po_seek(ctx, po, r->pos, sg_loops() + 2);
        }
        const tile_t z = po_apply(n == 1 ? y : sg_piece_of(y, q), ctx, po, at.k, at.n);
        y = n == 1 ? z : sg_with_piece(y, q, z);
    }
    return y;
}

/* dst_at: offset of the row; step0, step1: strides of the two loops, in elements. */
static inline void store_tile(
        tile_t y, gptr_t dst, long dst_at, long step0, long step1, const work_t *w, uint piece) {
    UNROLL_FOR (int q = 0; q < SG_PARTS; q++)
        if (q < sg_pieces() && piece + q < w->end) {
            const place_t at = place_of(w, piece + q);
            sg_store_piece(sg_piece_of(y, q), dst, dst_at + at.i0 * step0 + at.i1 * step1 + at.k,
                    at.n, dst_dt());
        }
}

/* Stores y = (x - mean) / deviation, with scale, shift and epilogue, for the whole row. */
static inline void store_results(const tile_t *x, tile_t mean, tile_t variance, const work_t *w,
        uint first, sg_row_t *r, long weight_at, __global const float *scale,
        __global const float *shift, gptr_t dst, const norm_params_t *p, po_ctx_t *ctx,
        const po_params_t *po) {
    const int loops = sg_loops(), n = w->len - w->k;
    tile_t factor = 1 / sqrt(variance + p->epsilon), offset = 0;
    if (norm_flag(NORM_SAME)) {
        if (norm_flag(NORM_SCALE)) factor *= sg_repeat_piece(weights_of(scale, weight_at, n));
        if (norm_flag(NORM_SHIFT)) offset = sg_repeat_piece(weights_of(shift, weight_at, n));
    }
    const long dst_at = sg_row_at(r, p->nd.dst_stride);
    const long step0 = p->nd.dst_stride[loops], step1 = p->nd.dst_stride[loops + 1];
    int tile = 0;
    NO_UNROLL_FOR (uint piece = first; sg_tiles() ? tile < sg_tiles() : piece < w->end;
            piece += sg_groups() * sg_pieces(), tile++) {
        tile_t y = x[0];
        EACH (i, sg_tiles(), SG_MAX_TILES) y = i == tile ? x[i] : y;
        if (sg_tiles() == 0) y = load_tile(w, piece);
        y = (y - mean) * factor;
        if (norm_flag(NORM_SAME)) {
            y += offset;
        } else {
            if (norm_flag(NORM_SCALE)) y *= weights_of_tile(w, scale, weight_at, p, piece);
            if (norm_flag(NORM_SHIFT)) y += weights_of_tile(w, shift, weight_at, p, piece);
        }
        y = apply_epilogue(y, w, piece, r, ctx, po);
        store_tile(y, dst, dst_at, step0, step1, w, piece);
    }
}

static inline void normalise(gcptr_t src, gptr_t dst, __global float *means,
        __global float *variances, __global const float *scale, __global const float *shift,
        __global float *parts, const norm_params_t *p, __local SUMS_PLACE *places, po_ctx_t *ctx,
        const po_params_t *po) {
    work_t w;
    int part;
    sg_row_t r = place_work(&w, &part, src, p);
    long stat_at = w.k, weight_at = norm_flag(NORM_ALONG) ? w.k : 0;
    EACH (d, sg_loops(), PAR_MAX_DIMS) {
        stat_at += (long)r.pos[d] * p->stat_stride[d];
        weight_at += (long)r.pos[d] * p->weight_stride[d];
    }
    const int n = w.len - w.k, step = sg_groups() * sg_pieces();
    const uint first = w.from + part * sg_pieces();

    tile_t x[SG_MAX_TILES], mean, variance;
    EACH (i, sg_tiles(), SG_MAX_TILES) x[i] = load_tile(&w, first + i * step);
    if (!find_stats(&mean, &variance, x, &w, first, part, r.valid, stat_at, means, variances, parts,
                p, places) ||
            !r.valid)
        return;
    if (norm_flag(NORM_SAVE) && part == 0) {
        put_stat(mean, means, stat_at, n);
        put_stat(variance, variances, stat_at, n);
    }
    store_results(x, mean, variance, &w, first, &r, weight_at, scale, shift, dst, p, ctx, po);
}

/* ---- the kernels ---- */

#define NORM_ARGS                                                                                  \
    gcptr_t src, gptr_t dst, __global float *means, __global float *variances,                     \
            __global const float *scale, __global const float *shift, __global float *parts,       \
            const norm_params_t p, PO_ARGS
#define NORMALISE normalise(src, dst, means, variances, scale, shift, parts, &p, places, &ctx, &po)

#ifdef COLUMNS
SG_KERNEL void norm_columns(NORM_ARGS) {
    __local SUMS_PLACE places[3];
    po_ctx_t ctx = PO_CTX;
    NORMALISE;
}
#else
SG_KERNEL void norm_rows(NORM_ARGS) {
    __local SUMS_PLACE places[3];
    po_ctx_t ctx = PO_CTX;
    NORMALISE;
}
#endif
