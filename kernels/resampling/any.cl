/* SPDX-License-Identifier: Apache-2.0 */
/* The portable resampling: any types and strides, one element of the result for each work-item. */
#include "resample.h"

__kernel void resample_any(gcptr_t src, gptr_t dst, const resample_params_t p, PO_ARGS) {
    const int c = get_global_id(0);
    if (c >= p.padded_channels) return;
    po_ctx_t ctx = PO_CTX;
    int at = get_global_id(1);
    int pos[6];
    pos[0] = get_global_id(2);
    pos[1] = c / p.dst.block;
    for (int d = 2; d >= 0; d--) {
        pos[2 + d] = at % p.out[d];
        at /= p.out[d];
    }
    const int inner = c % p.dst.block;
    long dst_at = pos[0] * p.dst.n + pos[1] * p.dst.c_outer + inner * p.dst.c_inner;
    for (int d = 0; d < 3; d++) dst_at += pos[2 + d] * p.dst.sp[d];
    if (c >= p.channels) {
        store_1(0, dst, dst_at, dst_dt());
        return;
    }
    const long from = pos[0] * p.src.n + (c / p.src.block) * p.src.c_outer + (c % p.src.block) * p.src.c_inner;
    between_t b[3];
    for (int d = 0; d < 3; d++) b[d] = between_of(pos[2 + d], p.in[d], p.out[d]);
    float x = 0;
    for (int corner = 0; corner < 8; corner++) {
        float w = 1;
        long s = from;
        for (int d = 0; d < 3; d++) {
            const bool high = (corner >> d & 1) != 0;
            w *= high ? b[d].w : 1 - b[d].w;
            s += (long)(high ? b[d].hi : b[d].lo) * p.src.sp[d];
        }
        if (w != 0) x = fma(w, load_1(src, s, src_dt()), x);
    }
    po_seek(&ctx, &po, pos, 5);
    store_1(po_apply(x, &ctx, &po, inner, 1), dst, dst_at, dst_dt());
}
