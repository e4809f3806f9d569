/* SPDX-License-Identifier: Apache-2.0 */
/* Deconvolution to few channels, for CPUs: so the gradient by data of a net's first convolution. A
 * vector of channels would be nearly empty. Here a vector goes on along the taps of a row: MR
 * pixels of the source times the weights of these taps are what they add to a row of the
 * destination, where their windows overlap. */
#include "conv.h"

#define NV CV_FOLD_VECTORS
#define NR CV_FOLD_COLUMNS
#define VECTOR 8
#define LANES ((int8)(0, 1, 2, 3, 4, 5, 6, 7))

/* Adds the products of `count` pixels of the source, `apart` elements from one to the next, to the
 * sums from `sums` on, `step` elements further for each pixel. */
static inline void add_pixels(float *sums, int step, __global const float *src, long apart,
        __global const float *wei, int count, __private const cv_fold_t *p) {
    __global const float *a[MR];
    float8 acc[MR][NV];
    UNROLL_FOR (int i = 0; i < MR; i++) {
        a[i] = src + min(i, count - 1) * apart;
        UNROLL_FOR (int j = 0; j < NV; j++) acc[i][j] = 0;
    }
    for (int k = 0; k < p->ic; k++, wei += NR) {
        float8 bv[NV];
        UNROLL_FOR (int j = 0; j < NV; j++) bv[j] = vload8(j, wei);
        UNROLL_FOR (int i = 0; i < MR; i++) {
            const float8 av = a[i][k];
            UNROLL_FOR (int j = 0; j < NV; j++) acc[i][j] = mad(av, bv[j], acc[i][j]);
        }
    }
    /* What the weights have behind the last column is anything. */
    UNROLL_FOR (int j = 0; j < NV; j++) {
        if (j * VECTOR >= p->columns) break;
        const int8 has = LANES + j * VECTOR < p->columns;
        UNROLL_FOR (int i = 0; i < MR; i++) {
            if (i >= count) continue;
            float *to = sums + i * step + j * VECTOR;
            vstore8(vload8(0, to) + select((float8)0.0f, acc[i][j], has), 0, to);
        }
    }
}

/* Adds what a row of the source adds to pixels from w0 to w1 of a row of the destination. The sums
 * begin p->margin elements before pixel w0. */
static inline void add_row(float *sums, __global const float *src, __global const float *wei,
        int w0, int w1, __private const cv_fold_t *p) {
    const int s = p->win.stride[2], pad = p->win.pad[2], from = max(w0 + pad - p->win.k[2] + 1, 0),
              first = (from + s - 1) / s, end = min((w1 - 1 + pad) / s + 1, p->win.in[2]);
    /* The pixels that are multiplied together are far from each other, so that what one adds is in
     * the cache before the next one adds to it. */
    const int apart = (end - first + MR - 1) / MR;
    for (int i = 0; i < apart; i++) {
        const int x = first + i;
        add_pixels(sums + (x * s - pad - w0) * p->oc + p->margin, apart * s * p->oc,
                src + x * p->src.sp[2], apart * p->src.sp[2], wei, (end - x + apart - 1) / apart,
                p);
    }
}

/* The position of the source whose tap k adds to position `at` of the destination; -1: none. */
static inline int source_at(int d, int at, int k, __private const cv_fold_t *p) {
    const int distance = at + p->win.pad[d] - k * p->win.dilation[d], s = p->win.stride[d];
    if (distance < 0 || distance % s || distance / s >= p->win.in[d]) return -1;
    return distance / s;
}

static inline void store_row(
        gptr_t dst, long at, const float *sums, int pixels, __private const cv_fold_t *p) {
    const cv_tensor_t *t = &p->dst;
    for (int w = 0; w < pixels; w++, at += t->sp[2], sums += p->oc)
        for (int c = 0; c < p->padded_oc; c++)
            store_1(c < p->oc ? sums[c] : 0, dst,
                    at + c / t->block * t->c_outer + c % t->block * t->c_inner, dst_dt());
}

/* wei: by depth and height of the taps and channels of src, NR columns: taps of a row, channels of
 * dst fastest. */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void conv_fold(
        __global const float *src, __global const float *wei, gptr_t dst, const cv_fold_t p) {
    const int first = get_group_id(0) * p.rows_of_item, end = min(first + p.rows_of_item, p.rows),
              w0 = get_group_id(1) * p.segment, w1 = min(w0 + p.segment, p.win.out[2]);
    float sums[CV_FOLD_SUMS];
    for (int row = first; row < end; row++) {
        const int h = row % p.win.out[1], d = row / p.win.out[1] % p.win.out[0];
        const long n = row / p.win.out[1] / p.win.out[0];
        for (int i = 0; i < CV_FOLD_SUMS; i += VECTOR) vstore8((float8)0.0f, 0, sums + i);
        for (int kd = 0; kd < p.win.k[0]; kd++) {
            const int from_d = source_at(0, d, kd, &p);
            for (int kh = 0; from_d >= 0 && kh < p.win.k[1]; kh++) {
                const int from_h = source_at(1, h, kh, &p);
                if (from_h < 0) continue;
                add_row(sums, src + n * p.src.n + from_d * p.src.sp[0] + from_h * p.src.sp[1],
                        wei + (long)(kd * p.win.k[1] + kh) * p.ic * NR, w0, w1, &p);
            }
        }
        const long at = n * p.dst.n + d * p.dst.sp[0] + h * p.dst.sp[1] + w0 * p.dst.sp[2];
        store_row(dst, at, sums + p.margin, w1 - w0, &p);
    }
}
