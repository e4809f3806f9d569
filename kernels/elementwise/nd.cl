/* SPDX-License-Identifier: Apache-2.0 */
/* dst = chain(src) between any two layouts: each tensor is strided over the same loops, the last of which is the vector axis. */
#include "postops.h"

SPEC_GETTER(src_dt, SPEC_SRC_DT, DT_F32)
SPEC_GETTER(dst_dt, SPEC_DST_DT, DT_F32)
SPEC_GETTER(flags, SPEC_FLAGS, 0)

/* How many elements of the row at pos lie before the limits; what comes after is padding, or another tensor's. */
static inline int elements_within(const nd_params_t *p, const int *limits, const int *pos, int len) {
    int last = p->ndims - 1;
    for (int l = 0; l < p->nlimits; l++) {
        int at = 0;
        for (int d = 0; d < last; d++)
            if (p->limit_of[d] == l) at += pos[d] * p->mult[d];
        int left = max(limits[l] - at, 0);
        if (p->limit_of[last] == l)
            len = min(len, (left + p->mult[last] - 1) / p->mult[last]);
        else if (left == 0)
            len = 0;
    }
    return len;
}

__kernel void nd(__global const uchar *src, __global uchar *dst, const nd_params_t p, PO_ARGS) {
    po_ctx_t ctx = PO_CTX;
    int pos[PAR_MAX_DIMS];
    int last = p.ndims - 1;
    int len = p.size[last];
    int begin = get_global_id(0) * p.chunk, end = min((long)begin + p.chunk, (long)len);
    long row = (long)get_global_id(1) * p.rows_per_item, row_end = min(row + p.rows_per_item, p.nrows);
    long src_step = p.src_stride[last], dst_step = p.dst_stride[last];

    long rest = row;
    for (int d = last - 1; d >= 0; d--) {
        pos[d] = rest % p.size[d];
        rest /= p.size[d];
    }
    pos[last] = 0;
    for (; row < row_end; row++) {
        long src_at = 0, dst_at = 0;
        for (int d = 0; d < last; d++) {
            src_at += pos[d] * p.src_stride[d];
            dst_at += pos[d] * p.dst_stride[d];
        }
        po_seek(&ctx, &po, pos, last);
        int stop = end, valid = end;
        if (flags() & SPECF_PADDED) {
            stop = elements_within(&p, p.skip, pos, end);
            valid = elements_within(&p, p.limit, pos, end);
        }
        for (int k = begin; k < stop; k += VW) {
            int n = min(VW, stop - k), nv = clamp(valid - k, 0, n);
            accv_t x = V(0);
            if (nv > 0) {
                x = load_v(src, src_at + k * src_step, src_step, nv, src_dt());
                x = po_apply(x, &ctx, &po, k, nv);
            }
#if VW == 16
            if (nv < n) x = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < nv ? x : V(0);
#endif
            store_v(x, dst, dst_at + k * dst_step, dst_step, n, dst_dt());
        }
        for (int d = last - 1; d >= 0; d--) {
            if (++pos[d] < p.size[d]) break;
            pos[d] = 0;
        }
    }
}
