/* SPDX-License-Identifier: Apache-2.0 */
/* Backward resampling for CPUs, where the width is contiguous in the gradient of the destination.
 * A work-item owns rows of the result for one channel. For each row it adds up the rows that read
 * it, 16 positions at once, and then the positions that read each element: their weights are the
 * same in all rows. */
#define VW 16
#include "place.h"
#include "resample_backward.h"

typedef struct {
    float sums[RS_BACKWARD_ROW + 16], result[RS_BACKWARD_ROW + 16];
    /* Of each element of a row: the first position that reads it, and its first weight. */
    int first[RS_BACKWARD_ROW], at[RS_BACKWARD_ROW + 1];
    float weight[2 * RS_BACKWARD_ROW]; /* a position reads two elements at most */
} row_t;

/* A weight of 0 is none: times infinity it would be a NaN. */
static inline void prepare(row_t *r, const resample_params_t *p) {
    int n = 0;
    NO_UNROLL_FOR (int i = 0; i < p->in[2]; i++) {
        const readers_t of = readers_of(i, p->in[2], p->out[2]);
        r->at[i] = n;
        r->first[i] = of.first;
        NO_UNROLL_FOR (int o = of.first; o < of.end; o++) {
            const float weight = weight_of(i, o, p->in[2], p->out[2]);
            if (weight != 0) r->weight[n++] = weight;
            else if (r->at[i] == n) r->first[i] = o + 1;
        }
    }
    r->at[p->in[2]] = n;
}

/* The sums of row h at depth d; `from` is where the channel begins. */
static inline void add_rows(
        row_t *r, gcptr_t src, long from, const resample_params_t *p, int d, int h) {
    const readers_t of_d = readers_of(d, p->in[0], p->out[0]),
                    of_h = readers_of(h, p->in[1], p->out[1]);
    const int width = p->out[2];
    bool starts = true;
    NO_UNROLL_FOR (int od = of_d.first; od < of_d.end; od++) {
        const float of_depth = weight_of(d, od, p->in[0], p->out[0]);
        NO_UNROLL_FOR (int oh = of_h.first; oh < of_h.end; oh++) {
            const float of_row = of_depth * weight_of(h, oh, p->in[1], p->out[1]);
            const long row = from + od * p->src.sp[0] + oh * p->src.sp[1];
            if (of_row == 0) continue;
            NO_UNROLL_FOR (int x = 0; x < width; x += 16) {
                const float16 v = load_v(src, row + x, 1, min(16, width - x), src_dt()) * of_row;
                vstore16(starts ? v : vload16(0, r->sums + x) + v, 0, r->sums + x);
            }
            starts = false;
        }
    }
    if (!starts) return;
    NO_UNROLL_FOR (int x = 0; x < width; x += 16) vstore16((float16)0.0f, 0, r->sums + x);
}

/* The elements of the row. */
static inline void collect(row_t *r, int width) {
    NO_UNROLL_FOR (int i = 0; i < width; i++) {
        const float *sums = r->sums + r->first[i] - r->at[i];
        float x = 0;
        NO_UNROLL_FOR (int k = r->at[i]; k < r->at[i + 1]; k++) x = fma(r->weight[k], sums[k], x);
        r->result[i] = x;
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void resample_backward_rows(
        gcptr_t src, gptr_t dst, const resample_params_t p) {
    row_t r;
    const int width = p.in[2], last_row = min((int)(get_group_id(1) + 1) * p.rows, p.nrows);
    prepare(&r, &p);
    NO_UNROLL_FOR (int row = get_group_id(1) * p.rows; row < last_row; row++) {
        const int h = row % p.in[1], d = row / p.in[1] % p.in[0], channel = row / p.in[1] / p.in[0],
                  c = channel % p.padded_channels, image = channel / p.padded_channels;
        const long to = image * p.dst.n + channel_at(&p.dst, c) + d * p.dst.sp[0] + h * p.dst.sp[1];
        const bool valid = c < p.channels;
        if (valid) {
            add_rows(&r, src, image * p.src.n + channel_at(&p.src, c), &p, d, h);
            collect(&r, width);
        }
        NO_UNROLL_FOR (int x = 0; x < width; x += 16)
            store_v(valid ? vload16(0, r.result + x) : (float16)0.0f, dst, to + x * p.dst.sp[2],
                    p.dst.sp[2], min(16, width - x), dst_dt());
    }
}
