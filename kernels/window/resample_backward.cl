/* SPDX-License-Identifier: Apache-2.0 */
/* Backward resampling: any types and strides. A work-item owns one element of the result and adds
 * up the gradients of the positions that read it. `in` and `out` are the sizes of the forward
 * source and destination. */
#include "place.h"
#include "resample_backward.h"

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
