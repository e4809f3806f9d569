/* SPDX-License-Identifier: Apache-2.0 */
/* Backward layer normalization and RMS normalization of contiguous rows. The first pass reads a few
 * rows of both tensors from memory, the second one from the cache. diff_src may be in the place of
 * diff_dst: an element is read, by the same work-item, before it is written.
 *
 * Each work-item adds up the gradients of scale and shift over its rows in the first pass, which
 * waits for the memory; a later step adds up those sums. Both passes ask for the rows that come
 * next, so that the memory never rests. */
#include "io.h"
#include "layer_params.h"
#include "rows.h"

SPEC_GETTER(weights_dt, SPEC_SRC1_DT, DT_F32)
SPEC_GETTER(layer_flags, SPEC_LAYER_FLAGS, 0)
SPEC_GETTER(data_dt, SPEC_LAYER_DATA_DT, DT_F32)

/* Rows whose terms are added up at once: the sums of the columns are read and written once for all
 * of them, and two blocks of 4096 floats stay in a second-level cache. */
enum { ROWS = 4 };

typedef struct {
    gcptr_t diff, src, scale;
    gptr_t dst;
    __global float *scale_sums, *shift_sums;
} tensors_t;

/* Rows of a block: where they begin in all three tensors, and what is known of them. */
typedef struct {
    long at[ROWS], next[ROWS]; /* next: that of the row ROWS later, which is read soon */
    float mean[ROWS], factor[ROWS], offset[ROWS], slope[ROWS];
} block_t;

static inline float16 scaled(float16 diff, float16 scale) {
    return layer_flags() & LAYER_SCALE ? diff * scale : diff;
}

static inline float16 load_scale(const tensors_t *t, int k, int n) {
    return layer_flags() & LAYER_SCALE ? row_load(t->scale, k, n, weights_dt()) : (float16)1.0f;
}

/* Adds terms to a sum of the columns, which begins with the first rows. */
static inline void add_to(__global float *sums, float16 x, bool is_first) {
    vstore16(is_first ? x : vload16(0, sums) + x, 0, sums);
}

/* The terms of 16 columns or, at the end of the rows, of n columns. */
static inline void add_columns(const tensors_t *t, const block_t *b, const int rows, int k, int n,
        bool is_first, float16 *plain, float16 *centred) {
    const float16 scale = load_scale(t, k, n);
    float16 of_scale = 0, of_shift = 0;
    UNROLL_FOR (int r = 0; r < rows; r++) {
        const float16 diff = row_load(t->diff, b->at[r] + k, n, src_dt());
        const float16 x_hat =
                (row_load(t->src, b->at[r] + k, n, data_dt()) - b->mean[r]) * b->factor[r];
        const float16 term = row_merge(diff * x_hat, (float16)0.0f, n);
        of_scale += term;
        of_shift += diff;
        plain[r] += scaled(diff, scale);
        centred[r] += scaled(term, scale);
        if (rows == ROWS) prefetch_16(t->src, b->next[r] + k, data_dt());
    }
    if (layer_flags() & LAYER_SCALE_SUMS) add_to(t->scale_sums + k, of_scale, is_first);
    if (layer_flags() & LAYER_SHIFT_SUMS) add_to(t->shift_sums + k, of_shift, is_first);
}

/* Adds up columns, and rows: the means of g and of g * x_hat. */
static inline void first_pass(
        const tensors_t *t, block_t *b, const int rows, int len, bool is_first) {
    float16 plain[ROWS], centred[ROWS];
    UNROLL_FOR (int r = 0; r < rows; r++) plain[r] = centred[r] = 0;
    int k = 0;
    NO_UNROLL_FOR (; k + 16 <= len; k += 16)
        add_columns(t, b, rows, k, 16, is_first, plain, centred);
    if (k < len) add_columns(t, b, rows, k, len - k, is_first, plain, centred);
    UNROLL_FOR (int r = 0; r < rows; r++) {
        b->offset[r] = layer_flags() & (LAYER_GIVEN | LAYER_RMS) ? 0 : row_sum(plain[r]) / len;
        b->slope[r] = layer_flags() & LAYER_GIVEN ? 0 : row_sum(centred[r]) / len;
    }
}

static inline void second_pass(const tensors_t *t, const block_t *b, const int rows, int len) {
    UNROLL_FOR (int r = 0; r < rows; r++) {
        const long at = b->at[r];
        const float mean = b->mean[r], f = b->factor[r], offset = b->offset[r], slope = b->slope[r];
        const bool stream = (flags() & SPECF_STREAM) && row_aligned(t->dst, at, dst_dt());
        NO_UNROLL_FOR (int k = 0; k < len; k += 16) {
            const int n = min(16, len - k);
            const float16 g = scaled(row_load(t->diff, at + k, n, src_dt()), load_scale(t, k, n));
            const float16 x_hat = (row_load(t->src, at + k, n, data_dt()) - mean) * f;
            if (rows == ROWS) prefetch_16(t->diff, b->next[r] + k, src_dt());
            row_store((g - offset - x_hat * slope) * f, t->dst, at + k, n, dst_dt(), stream);
        }
    }
}

static inline void do_rows(const tensors_t *t, block_t *b, const int rows, int len, bool is_first) {
    const int sums = LAYER_SCALE_SUMS | LAYER_SHIFT_SUMS;
    UNROLL_FOR (int r = 0; r < rows; r++) b->offset[r] = b->slope[r] = 0;
    if (!(layer_flags() & LAYER_GIVEN) || layer_flags() & sums)
        first_pass(t, b, rows, len, is_first);
    second_pass(t, b, rows, len);
}

/* Where a row begins in the tensors, and its statistics. */
typedef struct {
    long at, stat_at;
} place_t;

/* Answers that of a position, and moves on. After the last one, the first one follows. */
static inline place_t next_place(const layer_params_t *p, int *pos, int last) {
    place_t place = {0, 0};
    NO_UNROLL_FOR (int d = 0; d < last; d++) {
        place.at += pos[d] * p->nd.dst_stride[d];
        place.stat_at += pos[d] * p->stat_stride[d];
    }
    nd_next(&p->nd, pos, last);
    return place;
}

/* Takes the rows that come next into the block: those from `from` on. */
static inline void take_rows(block_t *b, const place_t *ahead, const int rows, int from,
        __global const float *means, __global const float *variances, float epsilon) {
    UNROLL_FOR (int r = 0; r < rows; r++) {
        const place_t place = ahead[from + r];
        b->at[r] = b->next[r] = place.at;
        b->mean[r] = layer_flags() & LAYER_RMS ? 0 : means[place.stat_at];
        b->factor[r] = 1 / sqrt(variances[place.stat_at] + epsilon);
    }
}

__kernel void layer_bwd_row(gcptr_t diff_dst, gptr_t diff_src, gcptr_t src,
        __global const float *means, __global const float *variances, gcptr_t scale,
        __global float *scale_sums, __global float *shift_sums, const layer_params_t p) {
    int pos[PAR_MAX_DIMS];
    const int last = p.nd.ndims - 1, len = p.nd.size[last];
    const long item = get_global_id(0), first_row = item * p.nd.rows_per_item;
    const long row_end = min(first_row + p.nd.rows_per_item, p.nd.nrows);
    const long sums_at = item * ((len + 15) & ~15);
    const tensors_t t = {
            diff_dst, src, scale, diff_src, scale_sums + sums_at, shift_sums + sums_at};
    place_t ahead[ROWS];
    block_t b;
    long row = first_row;
    nd_go_to(&p.nd, pos, last, first_row);
    UNROLL_FOR (int r = 0; r < ROWS; r++) ahead[r] = next_place(&p, pos, last);
    NO_UNROLL_FOR (; row + ROWS <= row_end; row += ROWS) {
        take_rows(&b, ahead, ROWS, 0, means, variances, p.epsilon);
        UNROLL_FOR (int r = 0; r < ROWS; r++) {
            ahead[r] = next_place(&p, pos, last);
            if (row + ROWS + r < row_end) b.next[r] = ahead[r].at;
        }
        do_rows(&t, &b, ROWS, len, row == first_row);
    }
    NO_UNROLL_FOR (int r = 0; row < row_end; row++, r++) {
        take_rows(&b, ahead, 1, r, means, variances, p.epsilon);
        do_rows(&t, &b, 1, len, row == first_row);
    }
}
