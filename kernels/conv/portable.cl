/* SPDX-License-Identifier: Apache-2.0 */
/* The portable convolution and deconvolution: any types and strides, one element of the result
 * per work-item. */
#include "conv_params.h"
#include "postops.h"
#include "conv.h"
#include "place.h"

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

static inline int load_weight(gcptr_t wei, long at) {
    if (is_nibble(wei_dt())) return (int)load_1(wei, at, wei_dt());
    return load_int(wei, at, wei_dt());
}

/* The source position that tap k of a window at position o reads; negative: none. */
static inline int source_at(const cv_window_t *w, int d, int o, int k) {
    int i;
    if (cv_flag(CVF_TRANSPOSED)) {
        i = o + w->pad[d] - k * w->dilation[d];
        if (i % w->stride[d]) return -1;
        i /= w->stride[d];
    } else {
        i = o * w->stride[d] - w->pad[d] + k * w->dilation[d];
    }
    return i < w->in[d] ? i : -1;
}

__kernel void conv_any(gcptr_t src, gcptr_t wei, gptr_t dst, const cv_any_t p, gcptr_t za_ptr,
        int za, gcptr_t zb_ptr, int zb, PO_ARGS) {
    const int c = get_global_id(0);
    if (c >= p.padded_channels) return;
    po_ctx_t ctx = PO_CTX;
    int pos[6];
    const long dst_at = place_item(pos, &p.dst, p.win.out, c);
    const int inner = c % p.dst.block;

    if (c >= p.groups * p.oc) {
        store_1(0, dst, dst_at, dst_dt());
        return;
    }
    const int g = c / p.oc;
    if (cv_flag(CVF_ZB) && zb_ptr) zb = load_int(zb_ptr, 0, p.zb_dt);

    acc_t x = 0;
    int sum = 0;
    for (int kd = 0; kd < p.win.k[0]; kd++) {
        const int id = source_at(&p.win, 0, pos[2], kd);
        if (id < 0) continue;
        for (int kh = 0; kh < p.win.k[1]; kh++) {
            const int ih = source_at(&p.win, 1, pos[3], kh);
            if (ih < 0) continue;
            for (int kw = 0; kw < p.win.k[2]; kw++) {
                const int iw = source_at(&p.win, 2, pos[4], kw);
                if (iw < 0) continue;
                const long from =
                        pos[0] * p.src.n + id * p.src.sp[0] + ih * p.src.sp[1] + iw * p.src.sp[2];
                long w = g * p.wei_g + (c - g * p.oc) * p.wei_o + kd * p.wei_k[0] +
                         kh * p.wei_k[1] + kw * p.wei_k[2];
                for (int i = 0; i < p.ic; i++, w += p.wei_i) {
                    const int ci = g * p.ic + i;
                    const long s = from + channel_at(&p.src, ci);
                    if (cv_flag(CVF_INT)) {
                        int sv = load_int(src, s, src_dt()), wv = load_weight(wei, w);
                        if (cv_flag(CVF_ZA))
                            sv -= za_ptr ? load_int(za_ptr, (long)ci * p.za_step, p.za_dt) : za;
                        if (cv_flag(CVF_ZB)) wv -= zb;
                        sum += sv * wv;
                    } else {
                        x = fma(load_1(src, s, src_dt()), load_1(wei, w, wei_dt()), x);
                    }
                }
            }
        }
    }
    if (cv_flag(CVF_INT)) {
        if (po_count() == 0 && dst_dt() == DT_S32) {
            ((__global int *)dst)[dst_at] = sum;
            return;
        }
        x = sum;
    }
    po_seek(&ctx, &po, pos, 5);
    store_1(po_apply(x, &ctx, &po, inner, 1), dst, dst_at, dst_dt());
}
