/* SPDX-License-Identifier: Apache-2.0 */
/* The first step of attention's gradients: for each query, the sum of its result's elements times
 * their gradients. */
#include "gradient.h"
#if VW == 16
#include "rows.h"
#endif

__kernel void sdpa_delta(gcptr_t dst, gcptr_t diff_dst, __global float *delta, const sd_params_t p,
        const sd_gradients_t g) {
    const int i = get_global_id(0);
    const uint z = get_global_id(1);
    if (i >= p.queries) return;
    long dst_at = i * p.o_row, diff_at = i * g.dst.row;
    uint matrix = z;
    EACH_DOWN(d, p.nouter, SD_OUTER) {
        const uint size = p.outer[d], pos = matrix % size;
        matrix /= size;
        dst_at += (long)pos * p.o_outer[d];
        diff_at += (long)pos * g.dst.outer[d];
    }
#if VW == 16
    accv_t sum = 0;
    NO_UNROLL_FOR (int c = 0; c < p.width; c += VW) {
        const int n = min(VW, p.width - c);
        const accv_t x = load_v(dst, dst_at + c * p.o_col, p.o_col, n, dst_dt());
        sum = fma(first_lanes(x, n, VW),
                load_v(diff_dst, diff_at + c * g.dst.col, g.dst.col, n, diff_dst_dt()), sum);
    }
    delta[(long)z * p.queries + i] = row_sum(sum);
#else
    float sum = 0;
    NO_UNROLL_FOR (int c = 0; c < p.width; c++)
        sum = fma(load_1(dst, dst_at + c * p.o_col, dst_dt()),
                load_1(diff_dst, diff_at + c * g.dst.col, diff_dst_dt()), sum);
    delta[(long)z * p.queries + i] = sum;
#endif
}
