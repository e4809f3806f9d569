/* SPDX-License-Identifier: Apache-2.0 */
/* Copies up to 16 tensors to their places along one axis of the destination. Concatenations of more
 * tensors than a plan has steps use it. The sources have the same data type; a work-item copies
 * whole rows of one source. */
#include "concat_params.h"
#include "io.h"
#include "types.h"

__kernel void concat(gcptr_t s0, gcptr_t s1, gcptr_t s2, gcptr_t s3, gcptr_t s4, gcptr_t s5,
        gcptr_t s6, gcptr_t s7, gcptr_t s8, gcptr_t s9, gcptr_t s10, gcptr_t s11, gcptr_t s12,
        gcptr_t s13, gcptr_t s14, gcptr_t s15, gptr_t dst, const cat_params_t p) {
    const int s = get_global_id(1), last = p.ndims - 1;
    gcptr_t low = s < 4 ? (s < 2 ? (s == 0 ? s0 : s1) : (s == 2 ? s2 : s3))
                        : (s < 6 ? (s == 4 ? s4 : s5) : (s == 6 ? s6 : s7));
    gcptr_t high = s < 12 ? (s < 10 ? (s == 8 ? s8 : s9) : (s == 10 ? s10 : s11))
                          : (s < 14 ? (s == 12 ? s12 : s13) : (s == 14 ? s14 : s15));
    gcptr_t src = s < 8 ? low : high;
    const int len = AT(p.len, CAT_SOURCES, s, );
    int stride[CAT_DIMS];
    long nrows = 1;
    EACH (d, p.ndims, CAT_DIMS) {
        stride[d] = AT(p.src_stride, CAT_SOURCES, s, [d]);
        if (d < last) nrows *= d == p.axis ? len : p.size[d];
    }
    const int count = last == p.axis ? len : AT(p.size, CAT_DIMS, last, );
    const long src_step = stride[last], dst_step = AT(p.dst_stride, CAT_DIMS, last, );
    const long begin = (long)AT(p.begin, CAT_SOURCES, s, ) * AT(p.dst_stride, CAT_DIMS, p.axis, );
    long row = (long)get_global_id(0) * p.rows_per_item;
    const long end = min(row + p.rows_per_item, nrows);
    for (; row < end; row++) {
        long src_at = 0, dst_at = begin, rest = row;
        NO_UNROLL_FOR (int d = last - 1; d >= 0; d--) {
            const int size = d == p.axis ? len : AT(p.size, CAT_DIMS, d, ), pos = rest % size;
            rest /= size;
            src_at += (long)pos * stride[d];
            dst_at += (long)pos * AT(p.dst_stride, CAT_DIMS, d, );
        }
        NO_UNROLL_FOR (int k = 0; k < count; k += VW) {
            const int n = min(VW, count - k);
            store_v(load_v(src, src_at + k * src_step, src_step, n, src_dt()), dst,
                    dst_at + k * dst_step, dst_step, n, dst_dt());
        }
    }
}
