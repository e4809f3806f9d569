/* SPDX-License-Identifier: Apache-2.0 */
/* dst = epilogue(src) between any two layouts. All tensors are strided over the same loops, the
 * last of which is the vector axis. */
#if VW != 16
#define LARGE_STRIDES
#endif
#include "io.h"
#include "strided.h"
#include "postops.h"

__kernel void nd(__global const uchar *src, __global uchar *dst, const nd_params_t p, PO_ARGS) {
    po_ctx_t ctx = PO_CTX;
    int pos[PAR_MAX_DIMS];
    int last = p.ndims - 1;
    int len = AT(p.size, PAR_MAX_DIMS, last, );
    int begin = get_global_id(0) * p.chunk, end = min((long)begin + p.chunk, (long)len);
    long row = (long)get_global_id(1) * p.rows_per_item,
         row_end = min(row + p.rows_per_item, p.nrows);
    long src_step = AT(p.src_stride, PAR_MAX_DIMS, last, ),
         dst_step = AT(p.dst_stride, PAR_MAX_DIMS, last, );

    nd_go_to(&p, pos, last, row);
    NO_UNROLL_FOR (; row < row_end; row++) {
        long src_at = 0, dst_at = 0;
        EACH (d, last, PAR_MAX_DIMS) {
            src_at += pos[d] * p.src_stride[d];
            dst_at += pos[d] * p.dst_stride[d];
        }
        po_seek(&ctx, &po, pos, last);
        int stop = end, valid = end;
        if (flags() & SPECF_PADDED) {
            stop = elements_within(&p, p.skip, pos, last, end);
            valid = elements_within(&p, p.limit, pos, last, end);
        }
        NO_UNROLL_FOR (int k = begin; k < stop; k += VW) {
            int n = min(VW, stop - k), nv = clamp(valid - k, 0, n);
            accv_t x = V(0);
            if (nv > 0) {
                x = load_v(src, src_at + k * src_step, src_step, nv, src_dt());
                x = po_apply(x, &ctx, &po, k, nv);
            }
            store_v(first_lanes(x, nv, n), dst, dst_at + k * dst_step, dst_step, n, dst_dt());
        }
        nd_next(&p, pos, last);
    }
}
