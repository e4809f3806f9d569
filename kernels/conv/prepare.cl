/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a source to the layout and type that the convolution kernels for CPUs read, including
 * the padding. */
#define VW 16
#include "conv.h"
#include "square.h"

static inline float16 zero_point(
        gcptr_t ptr, int value, __private const cv_prepare_t *p, int c, int n) {
    if (!ptr) return (float)value;
    return load_v(ptr, (long)c * p->za_step, p->za_step, n, p->za_dt);
}

/* Copies a pixel whose channels lie in blocks. */
static inline void copy_pixel(__global float *to, gcptr_t src, long from,
        __private const cv_prepare_t *p, gcptr_t za_ptr, int za) {
    for (int c = 0; c < p->channels; c += 16) {
        const int len = min(16, p->channels - c);
        float16 v;
        if (p->src.c_inner == 1 && c % p->src.block + len <= p->src.block) {
            v = load_v(src, from + c / p->src.block * p->src.c_outer + c % p->src.block, 1, len,
                    src_dt());
        } else {
            float s[16];
            for (int i = 0; i < len; i++)
                s[i] = load_1(src,
                        from + (c + i) / p->src.block * p->src.c_outer +
                                (c + i) % p->src.block * p->src.c_inner,
                        src_dt());
            for (int i = len; i < 16; i++) s[i] = 0;
            v = vload16(0, s);
        }
        if (cv_flag(CVF_ZA)) v -= zero_point(za_ptr, za, p, c, len);
        store_v(v, (gptr_t)to, c, 1, len, DT_F32);
    }
}

static inline void fill(__global float *to, int from, int end) {
    for (int k = from; k < end; k += 16) store_v(0, (gptr_t)to, k, 1, min(16, end - k), DT_F32);
}

/* Copies pixels whose channels are planes, 16 pixels of 16 channels at a time. The last ones of a
 * row are copied with those before them. */
static inline void copy_planes(__global float *to, gcptr_t src, long from, int width,
        __private const cv_prepare_t *p, gcptr_t za_ptr, int za) {
    for (int x = 0; x < width; x += 16) {
        const int first = max(min(x, width - 16), 0), pixels = min(width - first, 16);
        for (int c = 0; c < p->channels; c += 16) {
            const int channels = min(16, p->channels - c);
            float16 v[16];
            for (int i = 0; i < channels; i++)
                v[i] = load_v(src, from + first + (c + i) * p->src.c_inner, 1, pixels, src_dt());
            for (int i = channels; i < 16; i++) v[i] = 0;
            square_turn(v);
            for (int i = 0; i < pixels; i++) {
                if (cv_flag(CVF_ZA)) v[i] -= zero_point(za_ptr, za, p, c, channels);
                store_v(v[i], (gptr_t)to, (long)(first + i) * p->channels + c, 1, channels, DT_F32);
            }
        }
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void conv_prepare(
        gcptr_t src, __global float *dst, const cv_prepare_t p, gcptr_t za_ptr, int za) {
    const int first = get_group_id(0) * p.rows, end = min(first + p.rows, p.nrows);
    const bool planes = p.src.sp[2] == 1 && p.src.block >= p.channels;
    for (int row = first; row < end; row++) {
        const int h = row % p.out[1] + p.first[1], d = row / p.out[1] % p.out[0] + p.first[0];
        const long n = row / p.out[1] / p.out[0];
        const bool inside = h >= 0 && h < p.in[1] && d >= 0 && d < p.in[0];
        const long from = n * p.src.n + d * p.src.sp[0] + h * p.src.sp[1];
        __global float *to = dst + (long)row * p.out[2] * p.channels;
        /* the positions of the copy that the source has */
        const int stop = inside ? clamp(p.in[2] - p.first[2], 0, p.out[2]) : 0;
        const int begin = inside ? clamp(-p.first[2], 0, stop) : 0;
        const int at = begin * p.channels, len = (stop - begin) * p.channels;
        const long first_pixel = from + (begin + p.first[2]) * p.src.sp[2];
        fill(to, 0, at);
        fill(to, at + len, p.out[2] * p.channels);
        if (p.flat) { /* the whole row at once */
            for (int k = 0; k < len; k += 16) {
                const int n = min(16, len - k);
                float16 v = load_v(src, first_pixel + k, 1, n, src_dt());
                if (cv_flag(CVF_ZA)) v -= zero_point(za_ptr, za, &p, 0, n);
                store_v(v, (gptr_t)to, at + k, 1, n, DT_F32);
            }
            continue;
        }
        if (planes) {
            copy_planes(to + at, src, first_pixel, stop - begin, &p, za_ptr, za);
            continue;
        }
        for (int x = begin; x < stop; x++)
            copy_pixel(to + x * p.channels, src, from + (x + p.first[2]) * p.src.sp[2], &p, za_ptr,
                    za);
    }
}
