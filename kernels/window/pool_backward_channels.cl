/* SPDX-License-Identifier: Apache-2.0 */
/* Backward pooling for CPUs, where channels are contiguous in the gradient of the destination and
 * in the workspace. A work-item owns rows of the result by a chunk of channels. For each position
 * it adds up the windows that the position is in, NC vectors of 16 channels at once. */
#define VW 16
#include "pool_backward.h"

/* The windows of a position in each dimension, and where the first channel of its image is. */
typedef struct {
    windows_t d, h, w;
    long src, ws;
} position_t;

/* Adds up n vectors, which are a constant where the function is inlined; `lanes` of each. */
static inline void add_windows(float16 *x, int n, gcptr_t src, gcptr_t ws, int c, int lanes,
        const pool_backward_params_t *p, const position_t *at) {
    for (int i = 0; i < n; i++) x[i] = 0;
    for (int od = at->d.first; od < at->d.end; od++) {
        const int kd = tap_of(&p->win, 0, &at->d, od);
        for (int oh = at->h.first; kd >= 0 && oh < at->h.end; oh++) {
            const int kh = tap_of(&p->win, 1, &at->h, oh);
            float rows = 1;
            if (flag(PLF_EXCLUDE))
                rows = count_in(&p->win, 0, od) * (float)count_in(&p->win, 1, oh);
            const long src_row = at->src + c + od * p->src.sp[0] + oh * p->src.sp[1],
                       ws_row = at->ws + c + od * p->ws.sp[0] + oh * p->ws.sp[1];
            float16 sum[NC]; /* of a row: a sum of all could lose small terms in rounding */
            for (int i = 0; i < n; i++) sum[i] = 0;
            for (int ow = at->w.first; kh >= 0 && ow < at->w.end; ow++) {
                const int kw = tap_of(&p->win, 2, &at->w, ow);
                if (kw < 0) continue;
                const int index = (kd * p->win.k[1] + kh) * p->win.k[2] + kw;
                const float share = flag(PLF_EXCLUDE) ? 1 / (rows * count_in(&p->win, 2, ow)) : 1;
                UNROLL_FOR (int i = 0; i < n; i++) {
                    float16 v =
                            load_v(src, src_row + ow * p->src.sp[2] + 16 * i, 1, lanes, src_dt());
                    if (flag(PLF_MAX))
                        v = load_indices(ws, ws_row + ow * p->ws.sp[2] + 16 * i, lanes) == index
                                    ? v
                                    : (float16)0.0f;
                    if (flag(PLF_EXCLUDE)) v *= share;
                    sum[i] += v;
                }
            }
            for (int i = 0; i < n; i++) x[i] += sum[i];
        }
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void pool_backward_channels(
        gcptr_t src, gptr_t dst, gcptr_t ws, const pool_backward_params_t p) {
    /* A chunk does not cross the border between two blocks of channels. */
    const int begin = get_group_id(0) * p.chunk, end = min(begin + p.chunk, p.padded_channels);
    const long src_c = (begin / p.src.block) * p.src.c_outer + begin % p.src.block;
    const long ws_c = flag(PLF_MAX) ? (begin / p.ws.block) * p.ws.c_outer + begin % p.ws.block : 0;
    const long dst_c =
            (begin / p.dst.block) * p.dst.c_outer + (begin % p.dst.block) * p.dst.c_inner;
    const float share =
            flag(PLF_MAX | PLF_EXCLUDE) ? 1 : 1 / ((float)p.win.k[0] * p.win.k[1] * p.win.k[2]);
    const bool stream = flag(PLF_STREAM) && ((ulong)dst & 63) == 0 && p.dst.c_inner == 1;
    const int last_row = min((int)(get_group_id(1) + 1) * p.rows, p.nrows);
    NO_UNROLL_FOR (int row = get_group_id(1) * p.rows; row < last_row; row++) {
        const int h = row % p.win.in[1], d = row / p.win.in[1] % p.win.in[0],
                  image = row / p.win.in[1] / p.win.in[0];
        position_t at = {.d = windows_of(&p.win, 0, d),
                .h = windows_of(&p.win, 1, h),
                .src = image * p.src.n + src_c,
                .ws = flag(PLF_MAX) ? image * p.ws.n + ws_c : 0};
        const long row_at = image * p.dst.n + dst_c + d * p.dst.sp[0] + h * p.dst.sp[1];
        NO_UNROLL_FOR (int w = 0; w < p.win.in[2]; w++) {
            at.w = windows_of(&p.win, 2, w);
            NO_UNROLL_FOR (int c = begin; c < end;) {
                float16 x[NC];
                const int left = min(end, p.channels) - c;
                const int n = left >= 16 * NC ? NC : 1, lanes = clamp(left, 0, 16);
                if (n == NC) add_windows(x, NC, src, ws, c - begin, 16, &p, &at);
                else if (lanes == 16) add_windows(x, 1, src, ws, c - begin, 16, &p, &at);
                else add_windows(x, 1, src, ws, c - begin, lanes, &p, &at);
                NO_UNROLL_FOR (int i = 0; i < n; i++) {
                    const int channel = c + 16 * i, valid = clamp(p.channels - channel, 0, 16),
                              stored = min(16, end - channel);
                    const long to = row_at + w * p.dst.sp[2] + (channel - begin) * p.dst.c_inner;
                    if (stream && valid == 16 && to % 16 == 0)
                        stream_16(x[i] * share, dst, to, dst_dt());
                    else
                        store_v(first_lanes(x[i] * share, valid, stored), dst, to, p.dst.c_inner,
                                stored, dst_dt());
                }
                c += 16 * n;
            }
        }
    }
}
