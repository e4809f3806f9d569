/* SPDX-License-Identifier: Apache-2.0 */
/* Backward resampling: any types and strides. A work-item owns one element of the result and adds
 * up the gradients of the positions that read it. `in` and `out` are the sizes of the forward
 * source and destination. */
#include "place.h"
#include "resample.h"

/* Positions first <= o < end of the forward destination read an element. */
typedef struct {
    int first, end;
} readers_t;

/* From above, at least 0. */
static inline int ratio(long num, long den) {
    return num > 0 ? (int)((num + den - 1) / den) : 0;
}

/* The inverse of between_of(): nearest, i <= ((2 o + 1) in) / (2 out) < i + 1; linear, one element
 * more on each side of i, less half an element. */
static inline readers_t readers_of(int i, int in, int out) {
    const int below = is_linear() ? 1 : 0, above = is_linear() ? 3 : 2;
    readers_t r;
    r.first = ratio((2 * (long)i - below) * out - in, 2 * (long)in);
    r.end = min(ratio((2 * (long)i + above) * out - in, 2 * (long)in), out);
    return r;
}

/* The weight that element i has at position o. */
static inline float weight_of(int i, int o, int in, int out) {
    const between_t b = between_of(o, in, out);
    return (b.lo == i ? 1 - b.w : 0) + (b.hi == i ? b.w : 0);
}

__kernel void resample_backward(gcptr_t src, gptr_t dst, const resample_params_t p) {
    const int c = get_global_id(0);
    if (c >= p.padded_channels) return;
    int pos[5];
    const long to = place_item(pos, &p.dst, p.in, c);
    if (c >= p.channels) {
        store_1(0, dst, to, dst_dt());
        return;
    }
    const long from = pos[0] * p.src.n + channel_at(&p.src, c);
    readers_t r[3];
    for (int d = 0; d < 3; d++) r[d] = readers_of(pos[2 + d], p.in[d], p.out[d]);
    float x = 0;
    for (int d = r[0].first; d < r[0].end; d++) {
        const float of_depth = weight_of(pos[2], d, p.in[0], p.out[0]);
        for (int h = r[1].first; h < r[1].end; h++) {
            const float of_row = of_depth * weight_of(pos[3], h, p.in[1], p.out[1]);
            float sum = 0;
            for (int w = r[2].first; of_row != 0 && w < r[2].end; w++) {
                const float weight = weight_of(pos[4], w, p.in[2], p.out[2]);
                if (weight == 0) continue; /* times infinity it would be a NaN */
                const long at = from + d * p.src.sp[0] + h * p.src.sp[1] + w * p.src.sp[2];
                sum = fma(weight, load_1(src, at, src_dt()), sum);
            }
            x = fma(of_row, sum, x);
        }
    }
    store_1(x, dst, to, dst_dt());
}
