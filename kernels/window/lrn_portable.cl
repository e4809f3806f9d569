/* SPDX-License-Identifier: Apache-2.0 */
/* The portable local response normalization: any strides, one element of the result
 * per work-item. */
#include "place.h"
#include "lrn.h"

__kernel void lrn_any(gcptr_t src, gptr_t dst, gptr_t ws, const lrn_params_t p) {
    const int c = get_global_id(0);
    if (c >= p.padded_channels) return;
    int item[5];
    const long to = place_item(item, &p.dst, p.size, c);
    const int *pos = item + 2;
    long from = item[0] * p.src.n;
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
                        const acc_t v = load_1(src,
                                from + d * p.src.sp[0] + h * p.src.sp[1] + w * p.src.sp[2],
                                src_dt());
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
        x *= denominator(base, p.beta);
    }
    store_1(x, dst, to, dst_dt());
    if (flag(LRF_WS)) ((__global float *)ws)[to] = base;
}
