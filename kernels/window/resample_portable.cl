/* SPDX-License-Identifier: Apache-2.0 */
/* The portable resampling: any types and strides, one element of the result per work-item. */
#include "place.h"
#include "resample.h"

__kernel void resample_any(gcptr_t src, gptr_t dst, const resample_params_t p, PO_ARGS) {
    const int c = get_global_id(0);
    if (c >= p.padded_channels) return;
    po_ctx_t ctx = PO_CTX;
    int pos[6];
    const long dst_at = place_item(pos, &p.dst, p.out, c);
    const int inner = c % p.dst.block;
    if (c >= p.channels) {
        store_1(0, dst, dst_at, dst_dt());
        return;
    }
    const long from = pos[0] * p.src.n + channel_at(&p.src, c);
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
