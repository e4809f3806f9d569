/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a source to the layout and type that the convolution kernels for CPUs read, including
 * the padding. */
#define VW 16
#include "conv.h"

static inline float16 zero_point(
        gcptr_t ptr, int value, __private const cv_prepare_t *p, int c, int n) {
    if (!ptr) return (float)value;
    return load_v(ptr, (long)c * p->za_step, p->za_step, n, p->za_dt);
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void conv_prepare(
        gcptr_t src, __global float *dst, const cv_prepare_t p, gcptr_t za_ptr, int za) {
    const int first = get_group_id(0) * p.rows, end = min(first + p.rows, p.nrows);
    for (int row = first; row < end; row++) {
        const int h = row % p.out[1] + p.first[1], d = row / p.out[1] % p.out[0] + p.first[0];
        const long n = row / p.out[1] / p.out[0];
        const bool inside = h >= 0 && h < p.in[1] && d >= 0 && d < p.in[0];
        const long from = n * p.src.n + d * p.src.sp[0] + h * p.src.sp[1];
        __global float *to = dst + (long)row * p.out[2] * p.channels;
        if (p.flat) { /* copies the whole row at once */
            const int all = p.out[2] * p.channels, before = -p.first[2] * p.channels;
            const int stop = inside ? clamp(before + p.in[2] * p.channels, 0, all) : 0;
            const int begin = inside ? clamp(before, 0, stop) : 0;
            for (int k = 0; k < begin; k += 16)
                store_v(0, (gptr_t)to, k, 1, min(16, begin - k), DT_F32);
            for (int k = begin; k < stop; k += 16) {
                const int len = min(16, stop - k);
                float16 v = load_v(src, from + k - before, 1, len, src_dt());
                if (cv_flag(CVF_ZA)) v -= zero_point(za_ptr, za, &p, 0, len);
                store_v(v, (gptr_t)to, k, 1, len, DT_F32);
            }
            for (int k = stop; k < all; k += 16)
                store_v(0, (gptr_t)to, k, 1, min(16, all - k), DT_F32);
            continue;
        }
        for (int x = 0; x < p.out[2]; x++, to += p.channels) {
            const int w = x + p.first[2];
            const bool here = inside && w >= 0 && w < p.in[2];
            for (int c = 0; c < p.channels; c += 16) {
                const int len = min(16, p.channels - c);
                float16 v = 0;
                if (here) {
                    if (p.src.c_inner == 1 && c % p.src.block + len <= p.src.block) {
                        v = load_v(src,
                                from + w * p.src.sp[2] + c / p.src.block * p.src.c_outer +
                                        c % p.src.block,
                                1, len, src_dt());
                    } else {
                        float s[16];
                        for (int i = 0; i < len; i++)
                            s[i] = load_1(src,
                                    from + w * p.src.sp[2] + (c + i) / p.src.block * p.src.c_outer +
                                            (c + i) % p.src.block * p.src.c_inner,
                                    src_dt());
                        for (int i = len; i < 16; i++) s[i] = 0;
                        v = vload16(0, s);
                    }
                    if (cv_flag(CVF_ZA)) v -= zero_point(za_ptr, za, &p, c, len);
                }
                store_v(v, (gptr_t)to, c, 1, len, DT_F32);
            }
        }
    }
}
