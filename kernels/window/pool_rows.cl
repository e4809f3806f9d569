/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling for CPUs, where the width is contiguous in the source: 16 results of a row at a time. */
#include "place.h"
#include "pool_16.h"
#include "square.h"

/* 16 elements of a row that has them all, one or two apart. */
static inline float16 load_inside(gcptr_t src, long at, int stride) {
    if (stride == 1) return load_16(src, at, src_dt());
    /* loads nothing after the last element */
    const float16 a = load_16(src, at, src_dt()), b = load_16(src, at + 15, src_dt());
    return (float16)(a.even, b.odd);
}

/* Loads elements at, at + stride, ... of a row that has `width` elements. Lanes outside of the row,
 * and lanes from n on, are `none`. */
static inline float16 load_row(
        gcptr_t src, long row, int at, int stride, int width, int n, float none) {
    if (n == 16 && stride <= 2) {
        if (at >= 0 && at + 15 * stride < width) return load_inside(src, row + at, stride);
        /* The first window lacks one element on the left. */
        if (at < 0 && at + stride >= 0 && at + 16 * stride < width) {
            const float16 v = load_inside(src, row + at + stride, stride);
            return (float16)(none, v.s0, v.s123, v.s4567, v.s89ab, v.scde);
        }
    }
    union {
        float16 v;
        float s[16];
    } t;
    t.v = none;
    NO_UNROLL_FOR (int k = 0; k < n; k++) {
        const int i = at + k * stride;
        if ((uint)i < (uint)width) t.s[k] = load_1(src, row + i, src_dt());
    }
    return t.v;
}

#define JOIN(a, b) (flag(PLF_MAX) ? MAXIMUM(a, b) : (a) + (b))

/* Pools a whole plane that is one window. */
static inline float pool_plane(gcptr_t src, long at, int n, int *index) {
    float16 x = flag(PLF_MAX) ? -INFINITY : 0;
    int k = 0;
    for (; k + 16 <= n; k += 16) {
        const float16 v = load_16(src, at + k, src_dt());
        x = JOIN(v, x);
    }
    const float8 x8 = JOIN(x.lo, x.hi);
    const float4 x4 = JOIN(x8.lo, x8.hi);
    const float2 x2 = JOIN(x4.lo, x4.hi);
    float y = JOIN(x2.x, x2.y);
    NO_UNROLL_FOR (; k < n; k++) {
        const float v = load_1(src, at + k, src_dt());
        y = JOIN(v, y);
    }
    if (flag(PLF_WS)) {
        *index = 0;
        NO_UNROLL_FOR (int i = n - 1; i >= 0; i--) {
            const float v = load_1(src, at + i, src_dt());
            if (v == y || (v != v && y != y)) *index = i;
        }
    }
    return y;
}

/* Pools `count` <= 16 planes of n >= 16 elements, `step` elements apart: a result in each lane. */
static inline float16 pool_planes(gcptr_t src, long at, long step, int count, int n, float none) {
    const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    float16 x[16];
    UNROLL_FOR (int i = 0; i < 16; i++) x[i] = none;
    NO_UNROLL_FOR (int i = 0; i < count; i++, at += step) {
        float16 sum = load_16(src, at, src_dt());
        NO_UNROLL_FOR (int k = 16; k < n; k += 16) {
            /* The last vector overlaps the one before it. */
            const float16 v = load_16(src, at + min(k, n - 16), src_dt());
            sum = JOIN(lane >= k - (n - 16) ? v : (float16)none, sum);
        }
        x[i] = sum;
    }
    square_turn(x);
    float16 y = x[0];
    UNROLL_FOR (int i = 1; i < 16; i++) y = JOIN(x[i], y);
    return y;
}

/* The same for all rows, which are planes, up to number `last`. */
static inline void pool_each_plane(
        gcptr_t src, gptr_t dst, const pool_params_t *p, int row, int last, int in_plane) {
    while (row < last) {
        const int image = row / p->channels, c = row - image * p->channels,
                  count = min(min(16, p->channels - c), last - row);
        float16 y = pool_planes(src, image * p->src.n + c * (long)p->src.c_inner, p->src.c_inner,
                count, in_plane, flag(PLF_MAX) ? -INFINITY : 0);
        if (!flag(PLF_MAX)) y /= (float)in_plane;
        store_v(y, dst, image * p->dst.n + c * (long)p->dst.c_inner, p->dst.c_inner, count,
                dst_dt());
        row += count;
    }
}

/* ---- windows without indices are separable: first rows are joined, then columns ---- */

enum {
    COLUMNS = 1024, /* of the source that are joined at a time: 4 KiB */
    BEHIND = 32,    /* columns that the last vectors load and drop */
    AHEAD = 1344    /* elements from those that are read to those that are asked for: 5 KiB */
};

/* Joins all rows of windows that the module knows, at columns begin <= i < end of the source: 16 or
 * more. False: there may be a NaN, and the columns are no result. */
static inline bool join_known(float *to, gcptr_t src, long at, long step_h, int begin, int end,
        float none, __private const pool_params_t *p) {
    const long next = at + (AHEAD + step_h - 1) / step_h * step_h;
    float16 seen = 0;
    for (int i = begin; i < end; i += 16) {
        const int c = min(i, end - 16); /* The last vector overlaps the one before it. */
        float16 x = none;
        EACH_KNOWN(h, known_below(), POOL_MOST_TAPS)
        pool_ordered(&x, &seen, load_16(src, at + h * step_h + c, src_dt()));
        vstore16(x, 0, to + c);
        if (!flag(PLF_AHEAD)) continue;
        prefetch_16(src, next + c, src_dt());
        if (p->win.stride[1] > 1) prefetch_16(src, next + step_h + c, src_dt());
    }
    return is_ordered(seen);
}

/* Joins the rows of the source that the windows of one row of the result see: n columns from number
 * `first` on. Columns outside of the source are `none`. at: column 0 of the first of the rows.
 * Returns whether it knows that no NaN is among them. */
static inline bool join_rows(float *to, gcptr_t src, long at, const pool_params_t *p, int lines_d,
        int lines_h, int first, int n, float none) {
    const long step_d = (long)p->win.dilation[0] * p->src.sp[0],
               step_h = (long)p->win.dilation[1] * p->src.sp[1];
    const int begin = clamp(0, first, first + n), end = clamp((int)p->win.in[2], begin, first + n);
    to -= first;
    NO_UNROLL_FOR (int i = first; i < begin; i++) to[i] = none;
    const bool ordered = window() && lines_d == 1 && lines_h == known_below() &&
                         end - begin >= 16 && join_known(to, src, at, step_h, begin, end, none, p);
    for (int i = begin; i < end && !ordered;) {
        /* The last vector overlaps the one before it. */
        const int c = end - begin >= 16 ? min(i, end - 16) : i, m = min(16, end - c);
        float16 x = none;
        for (int d = 0; d < lines_d; d++)
            for (int h = 0; h < lines_h; h++) {
                const float16 v = load_v(src, at + d * step_d + h * step_h + c, 1, m, src_dt());
                x = JOIN(v, x);
            }
        vstore16(x, 0, to + c);
        i = c + m;
    }
    /* Now, as a vector that is not full writes behind its columns. */
    NO_UNROLL_FOR (int i = end; i < first + n; i++) to[i] = none;
    return ordered;
}

/* Every stride-th of 16 * stride joined columns. */
static inline float16 every(int stride, const float *from) {
    if (stride == 1) return vload16(0, from);
    if (stride == 2) {
        const float16 a = vload16(0, from), b = vload16(0, from + 15);
        return (float16)(a.even, b.odd);
    }
    float s[16];
    NO_UNROLL_FOR (int i = 0; i < 16; i++) s[i] = from[i * stride];
    return vload16(0, s);
}

/* 16 windows over joined rows. ordered: no NaN is among them. */
static inline float16 join_columns(
        const float *from, const pool_params_t *p, float none, bool ordered) {
    float16 x = none, seen = 0;
    if (window() && ordered) {
        EACH_KNOWN(k, known_across(), POOL_MOST_TAPS)
        pool_ordered(&x, &seen, every(window() >> 16, from + k));
        return x;
    }
    for (int k = 0; k < p->win.k[2]; k++, from += p->win.dilation[2]) {
        const float16 v = every(p->win.stride[2], from);
        x = JOIN(v, x);
    }
    return x;
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void pool_rows(
        gcptr_t src, gptr_t dst, gptr_t ws, const pool_params_t p, PO_ARGS) {
    po_ctx_t ctx = PO_CTX;
    int pos[6];
    const int width = p.win.out[2], in_plane = p.win.in[0] * p.win.in[1] * p.win.in[2];
    const bool plane = p.win.out[0] * p.win.out[1] * width == 1 && p.win.k[0] == p.win.in[0] &&
                       p.win.k[1] == p.win.in[1] && p.win.k[2] == p.win.in[2] &&
                       p.win.pad[0] + p.win.pad[1] + p.win.pad[2] == 0 && p.src.sp[2] == 1 &&
                       (p.win.in[1] == 1 || p.src.sp[1] == p.win.in[2]) &&
                       (p.win.in[0] == 1 || p.src.sp[0] == p.win.in[1] * p.win.in[2]) &&
                       p.win.dilation[0] * p.win.dilation[1] * p.win.dilation[2] == 1;
    const float none = flag(PLF_MAX) ? -INFINITY : 0.0f;
    /* Results of a row whose columns are joined at a time, a multiple of 16; 0: none are. */
    float joined[COLUMNS];
    const int reach = (p.win.k[2] - 1) * p.win.dilation[2] + BEHIND,
              piece = flag(PLF_WS) || reach > COLUMNS
                              ? 0
                              : (COLUMNS - reach) / p.win.stride[2] / 16 * 16;
    const int first_row = get_group_id(1) * p.rows, last_row = min(first_row + p.rows, p.nrows);
    if (plane && in_plane >= 16 && !flag(PLF_WS) && po_count() == 0 &&
            p.channels == p.padded_channels && min(p.src.block, p.dst.block) >= p.channels) {
        pool_each_plane(src, dst, &p, first_row, last_row, in_plane);
        return;
    }
    for (int row = first_row; row < last_row; row++) {
        int rest = row;
        pos[4] = rest % p.win.out[1];
        rest /= p.win.out[1];
        pos[3] = rest % p.win.out[0];
        rest /= p.win.out[0];
        const int c = rest % p.padded_channels;
        pos[0] = rest / p.padded_channels;
        pos[1] = c / p.dst.block;
        pos[2] = c % p.dst.block;
        const long dst_at = pos[0] * p.dst.n + pos[1] * p.dst.c_outer + pos[2] * p.dst.c_inner +
                            pos[3] * p.dst.sp[0] + pos[4] * p.dst.sp[1];
        const long from = pos[0] * p.src.n + channel_at(&p.src, c);
        const taps_t td = taps_of(&p.win, 0, pos[3]), th = taps_of(&p.win, 1, pos[4]);
        const int lines = count_of(&td) * count_of(&th);
        if (po_count() > 0) po_seek(&ctx, &po, pos, 5);
        const long lines_at = from + (long)(td.at + td.first * p.win.dilation[0]) * p.src.sp[0] +
                              (long)(th.at + th.first * p.win.dilation[1]) * p.src.sp[1];
        int first_joined = 0, end_joined = 0; /* results */
        bool ordered = false;
        for (int x = 0; x < width;) {
            /* The last vector overlaps the one before it and has full length. */
            const int ow = width >= 16 && x + 16 > width ? width - 16 : x, n = min(16, width - ow);
            pooled_t r;
            r.x = none;
            r.index = 0;
            int index = 0;
            if (c < p.channels && plane) {
                r.x = pool_plane(src, from, in_plane, &index);
                r.index = index;
            } else if (c < p.channels && piece > 0) {
                if (ow + n > end_joined) {
                    first_joined = ow;
                    end_joined = min(ow + piece, width);
                    ordered = join_rows(joined, src, lines_at, &p, count_of(&td), count_of(&th),
                            ow * p.win.stride[2] - p.win.pad[2],
                            (end_joined - ow - 1) * p.win.stride[2] + reach - BEHIND + 1, none);
                }
                r.x = join_columns(
                        joined + (ow - first_joined) * p.win.stride[2], &p, none, ordered);
            } else if (c < p.channels) {
                const int at = ow * p.win.stride[2] - p.win.pad[2];
                for (int kd = td.first; kd < td.end; kd++)
                    for (int kh = th.first; kh < th.end; kh++) {
                        const long line = from +
                                          (long)(td.at + kd * p.win.dilation[0]) * p.src.sp[0] +
                                          (long)(th.at + kh * p.win.dilation[1]) * p.src.sp[1];
                        for (int kw = 0; kw < p.win.k[2]; kw++)
                            pool_in(&r,
                                    load_row(src, line, at + kw * p.win.dilation[2],
                                            p.win.stride[2], p.win.in[2], n, none),
                                    (kd * p.win.k[1] + kh) * p.win.k[2] + kw);
                    }
            }
            union {
                float16 v;
                float s[16];
            } count;
            union {
                int16 v;
                int s[16];
            } first; /* the first tap that reads the source, if there is one */
            count.v = lines * p.win.k[2];
            first.v = 0;
            if (p.ragged && p.win.dilation[2] == 1) {
                const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                            left = (ow + lane) * p.win.stride[2] - p.win.pad[2];
                first.v = max(-left, 0);
                const int16 end = min(p.win.in[2] - left, (int)p.win.k[2]);
                count.v = convert_float16(lines * max(end - first.v, 0));
            } else if (p.ragged) {
                NO_UNROLL_FOR (int k = 0; k < n; k++) {
                    const taps_t tw = taps_of(&p.win, 2, ow + k);
                    count.s[k] = lines * count_of(&tw);
                    first.s[k] = tw.first;
                }
            }
            first.v += (td.first * p.win.k[1] + th.first) * p.win.k[2];
            if (!flag(PLF_MAX)) {
                r.x /= flag(PLF_EXCLUDE) ? fmax(count.v, (float16)1.0f)
                                         : (float16)(float)(p.win.k[0] * p.win.k[1] * p.win.k[2]);
            } else {
                if (flag(PLF_WS))
                    r.index = r.x == -INFINITY ? first.v & (count.v != 0.0f) : r.index;
                r.x = count.v == 0.0f ? (float16)p.lowest : r.x;
            }
            const bool valid = c < p.channels;
            float16 y = r.x;
            if (valid) y = po_apply(y, &ctx, &po, ow, n);
            store_v(valid ? y : (float16)0.0f, dst, dst_at + ow * p.dst.sp[2], p.dst.sp[2], n,
                    dst_dt());
            if (flag(PLF_WS))
                store_indices(
                        valid ? r.index : (int16)0, ws, dst_at + ow * p.dst.sp[2], p.dst.sp[2], n);
            x = ow + n;
        }
    }
}
