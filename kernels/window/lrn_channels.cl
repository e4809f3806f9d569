/* SPDX-License-Identifier: Apache-2.0 */
/* Local response normalization for CPUs, where channels are contiguous in the source: vectors of
 * 16 channels. */
#define VW 16
#include "place.h"
#include "lrn.h"

/* Loads 16 channels from channel c on; channels that do not exist are 0. */
static inline float16 load_channels(gcptr_t src, long from, int c, const lrn_params_t *p) {
    const int n = clamp(p->channels - c, 0, 16);
    if (c < 0 || n == 0) return 0;
    return load_v(
            src, from + (c / p->src.block) * p->src.c_outer + c % p->src.block, 1, n, src_dt());
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void lrn_channels(
        gcptr_t src, gptr_t dst, gptr_t ws, const lrn_params_t p) {
    const int last_row = min((int)(get_group_id(0) + 1) * p.rows, p.nrows);
    for (int row = get_group_id(0) * p.rows; row < last_row; row++) {
        const int h = row % p.size[1], d = row / p.size[1] % p.size[0],
                  n = row / p.size[1] / p.size[0];
        const int d0 = max(d - p.reach, 0), d1 = min(d + p.reach, p.size[0] - 1);
        const int h0 = max(h - p.reach, 0), h1 = min(h + p.reach, p.size[1] - 1);
        for (int w = 0; w < p.size[2]; w++) {
            const long image = n * p.src.n,
                       from = image + d * p.src.sp[0] + h * p.src.sp[1] + w * p.src.sp[2];
            const long to = n * p.dst.n + d * p.dst.sp[0] + h * p.dst.sp[1] + w * p.dst.sp[2];
            const int w0 = max(w - p.reach, 0), w1 = min(w + p.reach, p.size[2] - 1);
            union {
                float16 v[3];
                float s[48];
            } near; /* squares of the vectors before, at and after c */
            near.v[0] = 0;
            float16 x = load_channels(src, from, 0, &p);
            near.v[1] = x * x;
            for (int c = 0; c < p.padded_channels; c += 16) {
                const float16 next = load_channels(src, from, c + 16, &p);
                float16 sum = 0;
                if (flag(LRF_ACROSS)) {
                    near.v[2] = next * next;
                    NO_UNROLL_FOR (int i = -p.reach; i <= p.reach; i++)
                        sum += vload16(0, &near.s[16 + i]);
                    near.v[0] = near.v[1];
                    near.v[1] = near.v[2];
                } else {
                    for (int a = d0; a <= d1; a++)
                        for (int b = h0; b <= h1; b++)
                            for (int e = w0; e <= w1; e++) {
                                const float16 v = load_channels(src,
                                        image + a * p.src.sp[0] + b * p.src.sp[1] + e * p.src.sp[2],
                                        c, &p);
                                sum = fma(v, v, sum);
                            }
                }
                const float16 base = fma((float16)p.alpha, sum, (float16)p.k);
                const int valid = clamp(p.channels - c, 0, 16),
                          stored = min(16, p.padded_channels - c);
                const long at = to + channel_at(&p.dst, c);
                float16 y = x * denominator(base, p.beta);
                store_v(first_lanes(y, valid, stored), dst, at, p.dst.c_inner, stored, dst_dt());
                if (flag(LRF_WS))
                    store_v(first_lanes(base, valid, stored), ws, at, p.dst.c_inner, stored,
                            DT_F32);
                x = next;
            }
        }
    }
}
