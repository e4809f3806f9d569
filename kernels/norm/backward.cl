/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of batch and group normalization: sums of each channel, and the gradient of
 * the source from the means that are made of them. */
#include "io.h"
#include "backward_params.h"
#include "types.h"

SPEC_GETTER(diff_dt, SPEC_SRC1_DT, DT_F32)
SPEC_GETTER(backward_flags, SPEC_BACKWARD_FLAGS, 0)

static inline bool backward_flag(int flag) {
    return (backward_flags() & flag) != 0;
}

typedef __global const float *gvalues_t;

/* 16 elements along the rows or, with BACKWARD_COLUMNS, along the channels; n of them, the others
 * are zero. */
static inline float16 load_diff(gcptr_t diff, gcptr_t mask, long at, int n) {
    const float16 x = load_v(diff, at, 1, n, diff_dt());
    if (!backward_flag(BACKWARD_MASK)) return x;
    return load_v(mask, at, 1, n, DT_U8) != 0.0f ? x : (float16)0.0f;
}

/* Values of 16 channels, n of which exist, or the value of one channel. */
static inline float16 load_values(gvalues_t p, long at, int n) {
    return backward_flag(BACKWARD_COLUMNS) ? load_v((gcptr_t)p, at, 1, n, DT_F32) : (float16)p[at];
}

static inline float add_lanes(float16 x) {
    const float8 a = x.lo + x.hi;
    const float4 b = a.lo + a.hi;
    const float2 c = b.lo + b.hi;
    return c.x + c.y;
}

/* What a work-item does. */
typedef struct {
    long outer, outer_end, row;
    int rows, column, columns;
} share_t;

static inline share_t share_of(const backward_params_t *p) {
    share_t s;
    s.row = get_group_id(0) * p->rows_per_item;
    s.rows = min(p->rows_per_item, p->rows - s.row);
    s.outer = get_group_id(1) * p->outer_per_item;
    s.outer_end = min(s.outer + p->outer_per_item, p->outer);
    s.column = get_group_id(2) * BACKWARD_BLOCK;
    s.columns = min((long)BACKWARD_BLOCK, p->columns - s.column);
    return s;
}

/* Numbers of the first channel's scale and statistics. */
static inline long scale_at(const share_t *s, const backward_params_t *p) {
    return s->outer % p->blocks * p->columns + s->column;
}
static inline long stat_at(const share_t *s, const backward_params_t *p) {
    return p->of_images ? s->outer * p->columns + s->column : scale_at(s, p);
}

/* ---- sums ---- */

typedef struct {
    float16 slope, shift;
} sums_t;

static inline sums_t add_terms(sums_t sums, float16 x, float16 diff, float16 mean, float16 factor) {
    sums.slope = fma((x - mean) * factor, diff, sums.slope);
    sums.shift += diff;
    return sums;
}

static inline sums_t sum_row(
        gcptr_t src, gcptr_t diff, gcptr_t mask, long at, int rows, float16 mean, float16 factor) {
    sums_t sums = {0.0f, 0.0f};
    int k = 0;
    NO_UNROLL_FOR (; k + 16 <= rows; k += 16)
        sums = add_terms(sums, load_16(src, at + k, src_dt()), load_diff(diff, mask, at + k, 16),
                mean, factor);
    if (k < rows)
        sums = add_terms(sums, load_v(src, at + k, 1, rows - k, src_dt()),
                load_diff(diff, mask, at + k, rows - k), mean, factor);
    return sums;
}

/* Sums of a block of channels. */
static inline void sum_columns(gcptr_t src, gcptr_t diff, gcptr_t mask, gvalues_t mean,
        gvalues_t root, __global float *sums, long second, long at, long stat, const share_t *s,
        long step) {
    sums_t acc[BACKWARD_BLOCK / 16];
    float16 center[BACKWARD_BLOCK / 16], factor[BACKWARD_BLOCK / 16];
    const int full = s->columns & ~15;
    NO_UNROLL_FOR (int k = 0; k < s->columns; k += 16) {
        const int n = min(16, s->columns - k);
        acc[k / 16].slope = acc[k / 16].shift = 0.0f;
        center[k / 16] = load_values(mean, stat + k, n);
        factor[k / 16] = 1.0f / load_values(root, stat + k, n);
    }
    NO_UNROLL_FOR (int row = 0; row < s->rows; row++, at += step) {
        int k = 0;
        NO_UNROLL_FOR (; k < full; k += 16)
            acc[k / 16] = add_terms(acc[k / 16], load_16(src, at + k, src_dt()),
                    load_diff(diff, mask, at + k, 16), center[k / 16], factor[k / 16]);
        if (k < s->columns)
            acc[k / 16] = add_terms(acc[k / 16], load_v(src, at + k, 1, s->columns - k, src_dt()),
                    load_diff(diff, mask, at + k, s->columns - k), center[k / 16], factor[k / 16]);
    }
    NO_UNROLL_FOR (int k = 0; k < s->columns; k += 16) {
        const int n = min(16, s->columns - k);
        store_v(acc[k / 16].slope, (gptr_t)sums, k, 1, n, DT_F32);
        store_v(acc[k / 16].shift, (gptr_t)sums, second + k, 1, n, DT_F32);
    }
}

/* sums: for each share of the rows, that of diff * x_hat of all channels of all images; behind all
 * of these, that of diff. */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void norm_backward_sums(gcptr_t src,
        gcptr_t diff, gcptr_t mask, gvalues_t mean, gvalues_t root, __global float *sums,
        const backward_params_t p) {
    share_t s = share_of(&p);
    const long channels = p.outer * p.columns, second = channels * get_num_groups(0);
    NO_UNROLL_FOR (; s.outer < s.outer_end; s.outer++) {
        const long at = (s.outer * p.rows + s.row) * p.columns + s.column, stat = stat_at(&s, &p);
        __global float *to = sums + get_group_id(0) * channels + s.outer * p.columns + s.column;
        if (backward_flag(BACKWARD_COLUMNS)) {
            sum_columns(src, diff, mask, mean, root, to, second, at, stat, &s, p.columns);
            continue;
        }
        const sums_t row =
                sum_row(src, diff, mask, at, s.rows, mean[stat], (float16)(1.0f / root[stat]));
        to[0] = add_lanes(row.slope);
        to[second] = add_lanes(row.shift);
    }
}

/* ---- the gradient of the source ---- */

/* diff * of_diff + (x - mean) * of_src + rest */
typedef struct {
    float16 of_diff, of_src, mean, rest;
} line_t;

static inline line_t line_of(gvalues_t mean, gvalues_t root, gvalues_t scale, gvalues_t slope,
        gvalues_t shift, long stat, long channel, int n) {
    line_t l = {0.0f, 0.0f, 0.0f, 0.0f};
    const float16 factor = 1.0f / load_values(root, stat, n);
    l.of_diff = factor;
    if (backward_flag(BACKWARD_SCALE)) l.of_diff *= load_values(scale, channel, n);
    if (!backward_flag(BACKWARD_CORRECT)) return l;
    const float16 outside = backward_flag(BACKWARD_INSIDE) ? factor : l.of_diff;
    l.mean = load_values(mean, stat, n);
    l.of_src = load_values(slope, stat, n) * outside;
    l.rest = -load_values(shift, stat, n) * outside;
    return l;
}

static inline void apply(gcptr_t src, gcptr_t diff, gcptr_t mask, gptr_t dst, long at, int n,
        line_t l, bool past_caches) {
    float16 y = load_diff(diff, mask, at, n) * l.of_diff;
    if (backward_flag(BACKWARD_CORRECT))
        y = fma(load_v(src, at, 1, n, src_dt()) - l.mean, l.of_src, y + l.rest);
    if (past_caches) stream_16(y, dst, at, dst_dt());
    else store_v(y, dst, at, 1, n, dst_dt());
}

static inline void apply_row(gcptr_t src, gcptr_t diff, gcptr_t mask, gptr_t dst, long at, int n,
        line_t l, bool past_caches) {
    int k = 0;
    NO_UNROLL_FOR (; k + 16 <= n; k += 16) apply(src, diff, mask, dst, at + k, 16, l, past_caches);
    if (k < n) apply(src, diff, mask, dst, at + k, n - k, l, false);
}

static inline void apply_columns(gcptr_t src, gcptr_t diff, gcptr_t mask, gptr_t dst, long at,
        int n, const line_t *l, bool past_caches) {
    int k = 0;
    NO_UNROLL_FOR (; k + 16 <= n; k += 16)
        apply(src, diff, mask, dst, at + k, 16, l[k / 16], past_caches);
    if (k < n) apply(src, diff, mask, dst, at + k, n - k, l[k / 16], false);
}

/* slope, shift: the means of diff * x_hat, divided by -root, and of diff. */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void norm_backward_apply(gcptr_t src,
        gcptr_t diff, gcptr_t mask, gptr_t dst, gvalues_t mean, gvalues_t root, gvalues_t scale,
        gvalues_t slope, gvalues_t shift, const backward_params_t p) {
    share_t s = share_of(&p);
    const long size = dst_dt() == DT_F32 ? 4 : 2;
    line_t lines[BACKWARD_BLOCK / 16];
    long before = -1;
    NO_UNROLL_FOR (; s.outer < s.outer_end; s.outer++) {
        const long stat = stat_at(&s, &p), channel = scale_at(&s, &p);
        long at = (s.outer * p.rows + s.row) * p.columns + s.column;
        if (stat != before)
            NO_UNROLL_FOR (int k = 0; k < s.columns; k += 16)
                lines[k / 16] = line_of(mean, root, scale, slope, shift, stat + k, channel + k,
                        min(16, s.columns - k));
        before = stat;
        const bool stream = flag(SPECF_STREAM);
        if (!backward_flag(BACKWARD_COLUMNS)) {
            const bool aligned = (((ulong)dst + (ulong)at * size) & (16 * size - 1)) == 0;
            apply_row(src, diff, mask, dst, at, s.rows, lines[0], stream && aligned);
            continue;
        }
        NO_UNROLL_FOR (int row = 0; row < s.rows; row++, at += p.columns) {
            const bool aligned = (((ulong)dst + (ulong)at * size) & (16 * size - 1)) == 0;
            apply_columns(src, diff, mask, dst, at, s.columns, lines, stream && aligned);
        }
    }
}
