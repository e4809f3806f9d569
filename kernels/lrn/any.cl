/* SPDX-License-Identifier: Apache-2.0 */
/* The portable local response normalization: any strides, one element of the result for each work-item. */
#include "lrn.h"

static inline long channel_at(const cv_tensor_t *t, int c) {
    return (c / t->block) * t->c_outer + (c % t->block) * t->c_inner;
}

__kernel void lrn_any(gcptr_t src, gptr_t dst, gptr_t ws, const lrn_params_t p) {
    const int c = get_global_id(0);
    if (c >= p.padded_channels) return;
    int at = get_global_id(1), pos[3];
    for (int d = 2; d >= 0; d--) {
        pos[d] = at % p.size[d];
        at /= p.size[d];
    }
    long from = get_global_id(2) * p.src.n, to = get_global_id(2) * p.dst.n + channel_at(&p.dst, c);
    for (int d = 0; d < 3; d++) to += pos[d] * p.dst.sp[d];
    acc_t sum = 0, x = 0, base = 0;
    if (c < p.channels) {
        if (flag(LRF_ACROSS)) {
            for (int d = 0; d < 3; d++) from += pos[d] * p.src.sp[d];
            for (int i = max(c - p.reach, 0); i <= min(c + p.reach, p.channels - 1); i++) {
                const acc_t v = load_1(src, from + channel_at(&p.src, i), src_dt());
                sum = fma(v, v, sum);
            }
            x = load_1(src, from + channel_at(&p.src, c), src_dt());
        } else {
            int low[3], high[3];
            from += channel_at(&p.src, c);
            for (int d = 0; d < 3; d++) {
                low[d] = max(pos[d] - p.reach, 0);
                high[d] = min(pos[d] + p.reach, p.size[d] - 1);
            }
            for (int d = low[0]; d <= high[0]; d++)
                for (int h = low[1]; h <= high[1]; h++)
                    for (int w = low[2]; w <= high[2]; w++) {
                        const acc_t v =
                                load_1(src, from + d * p.src.sp[0] + h * p.src.sp[1] + w * p.src.sp[2], src_dt());
                        sum = fma(v, v, sum);
                    }
            for (int d = 0; d < 3; d++) from += pos[d] * p.src.sp[d];
            x = load_1(src, from, src_dt());
        }
#ifdef USE_F64
        base = fma((acc_t)p.numerator / p.elements, sum, (acc_t)p.k);
#else
        base = fma(p.alpha, sum, p.k);
#endif
        x *= denominator(base, &p);
    }
    store_1(x, dst, to, dst_dt());
    if (flag(LRF_WS)) ((__global float *)ws)[to] = base;
}
