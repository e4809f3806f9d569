/* SPDX-License-Identifier: Apache-2.0 */
/* Backward resampling for CPUs, where channels are contiguous in the gradient of the destination.
 * A work-item owns rows of the result by a chunk of channels. For each element it adds up the
 * positions that read it, NC vectors of 16 channels at once. */
#define VW 16
#include "resample_backward.h"

/* The readers of an element in each dimension, and where the first channel of its image is. */
typedef struct {
    readers_t r[3];
    int pos[3];
    long from;
} element_t;

/* Adds up n vectors, which are a constant where the function is inlined; `lanes` of each. */
static inline void add_readers(float16 *x, int n, gcptr_t src, int c, int lanes,
        __private const resample_params_t *p, const element_t *e) {
    for (int i = 0; i < n; i++) x[i] = 0;
    for (int d = e->r[0].first; d < e->r[0].end; d++) {
        const float of_depth = weight_of(e->pos[0], d, p->in[0], p->out[0]);
        for (int h = e->r[1].first; h < e->r[1].end; h++) {
            const float of_row = of_depth * weight_of(e->pos[1], h, p->in[1], p->out[1]);
            const long row = e->from + c + d * p->src.sp[0] + h * p->src.sp[1];
            float16 sum[NC];
            for (int i = 0; i < n; i++) sum[i] = 0;
            for (int w = e->r[2].first; of_row != 0 && w < e->r[2].end; w++) {
                const float weight = weight_of(e->pos[2], w, p->in[2], p->out[2]);
                if (weight == 0) continue; /* times infinity it would be a NaN */
                UNROLL_FOR (int i = 0; i < n; i++)
                    sum[i] = fma((float16)weight,
                            load_v(src, row + w * p->src.sp[2] + 16 * i, 1, lanes, src_dt()),
                            sum[i]);
            }
            for (int i = 0; i < n; i++) x[i] = fma((float16)of_row, sum[i], x[i]);
        }
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void resample_backward_channels(
        gcptr_t src, gptr_t dst, const resample_params_t p) {
    /* A chunk does not cross the border between two blocks of channels. */
    const int begin = get_group_id(0) * p.chunk, end = min(begin + p.chunk, p.padded_channels);
    const long src_c = (begin / p.src.block) * p.src.c_outer + begin % p.src.block;
    const long dst_c =
            (begin / p.dst.block) * p.dst.c_outer + (begin % p.dst.block) * p.dst.c_inner;
    const int last_row = min((int)(get_group_id(1) + 1) * p.rows, p.nrows);
    NO_UNROLL_FOR (int row = get_group_id(1) * p.rows; row < last_row; row++) {
        const int h = row % p.in[1], d = row / p.in[1] % p.in[0], image = row / p.in[1] / p.in[0];
        element_t e = {.pos = {d, h}, .from = image * p.src.n + src_c};
        e.r[0] = readers_of(d, p.in[0], p.out[0]);
        e.r[1] = readers_of(h, p.in[1], p.out[1]);
        const long row_at = image * p.dst.n + dst_c + d * p.dst.sp[0] + h * p.dst.sp[1];
        NO_UNROLL_FOR (int w = 0; w < p.in[2]; w++) {
            e.pos[2] = w;
            e.r[2] = readers_of(w, p.in[2], p.out[2]);
            NO_UNROLL_FOR (int c = begin; c < end;) {
                float16 x[NC];
                const int left = min(end, p.channels) - c;
                const int n = left >= 16 * NC ? NC : 1, lanes = clamp(left, 0, 16);
                if (n == NC) add_readers(x, NC, src, c - begin, 16, &p, &e);
                else if (lanes == 16) add_readers(x, 1, src, c - begin, 16, &p, &e);
                else add_readers(x, 1, src, c - begin, lanes, &p, &e);
                NO_UNROLL_FOR (int i = 0; i < n; i++) {
                    const int channel = c + 16 * i, valid = clamp(p.channels - channel, 0, 16),
                              stored = min(16, end - channel);
                    const long to = row_at + w * p.dst.sp[2] + (channel - begin) * p.dst.c_inner;
                    store_v(first_lanes(x[i], valid, stored), dst, to, p.dst.c_inner, stored,
                            dst_dt());
                }
                c += 16 * n;
            }
        }
    }
}
