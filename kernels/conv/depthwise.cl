/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution for CPUs: vectors of 16 channels, MR pixels of a row at a time. */
#define VW 16
#include "conv.h"
#include "postops.h"

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

/* The weights are stored in blocks of 16 channels. A block is dense, with the taps in order. */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void conv_depthwise(gcptr_t src,
        gcptr_t wei, gptr_t dst, const cv_depthwise_t t, gcptr_t za_ptr, int za, PO_ARGS) {
    const int c = get_group_id(0) * 16;
    const int len = clamp(t.channels - c, 0, 16), stored = min(16, t.padded_channels - c);
    const int taps = t.win.k[0] * t.win.k[1] * t.win.k[2];
    po_ctx_t ctx = PO_CTX;
    const long src_c = c / t.src.block * t.src.c_outer + c % t.src.block;
    const int inner = c % t.dst.block;
    int pos[6];
    pos[1] = c / t.dst.block;

    /* Float sums of 8-bit products are exact for as many taps as the planner lets in. Larger
     * windows use another variant. */
    float16 zero = (float)za;
    if (cv_flag(CVF_ZA) && za_ptr)
        zero = load_v(za_ptr, (long)c * t.za_step, t.za_step, len, t.za_dt);

    const int first = get_group_id(1) * t.rows, end = min(first + t.rows, t.nrows);
    for (int row = first; row < end; row++) {
        pos[3] = row % t.win.out[1];
        pos[2] = row / t.win.out[1] % t.win.out[0];
        pos[0] = row / t.win.out[1] / t.win.out[0];
        const int at_d = pos[2] * t.win.stride[0] - t.win.pad[0],
                  at_h = pos[3] * t.win.stride[1] - t.win.pad[1];
        const long row_at = pos[0] * t.dst.n + pos[1] * t.dst.c_outer + inner * t.dst.c_inner +
                            pos[2] * t.dst.sp[0] + pos[3] * t.dst.sp[1];
        for (int x = 0; x < t.win.out[2]; x += MR) {
            const int at_w = x * t.win.stride[2] - t.win.pad[2];
            const int count = min(MR, t.win.out[2] - x);
            float16 acc[MR];
            UNROLL_FOR (int i = 0; i < MR; i++) acc[i] = 0;
            long w = (long)get_group_id(0) * taps * 16;
            for (int kd = 0; kd < t.win.k[0]; kd++)
                for (int kh = 0; kh < t.win.k[1]; kh++) {
                    const int d = at_d + kd * t.win.dilation[0], h = at_h + kh * t.win.dilation[1];
                    if ((uint)d >= (uint)t.win.in[0] || (uint)h >= (uint)t.win.in[1]) {
                        w += t.win.k[2] * 16;
                        continue;
                    }
                    const long from = src_c + pos[0] * t.src.n + d * t.src.sp[0] + h * t.src.sp[1];
                    for (int kw = 0; kw < t.win.k[2]; kw++, w += 16) {
                        const float16 wv = load_16(wei, w, wei_dt());
                        const int iw = at_w + kw * t.win.dilation[2];
                        if (len == 16 && iw >= 0 && count == MR &&
                                iw + (MR - 1) * t.win.stride[2] < t.win.in[2]) {
                            UNROLL_FOR (int i = 0; i < MR; i++) {
                                float16 v = load_16(src,
                                        from + (iw + i * t.win.stride[2]) * t.src.sp[2], src_dt());
                                if (cv_flag(CVF_ZA)) v -= zero;
                                acc[i] = mad(v, wv, acc[i]);
                            }
                        } else {
                            UNROLL_FOR (int i = 0; i < MR; i++) {
                                const int at = iw + i * t.win.stride[2];
                                if (i >= count || (uint)at >= (uint)t.win.in[2]) continue;
                                float16 v = load_v(src, from + at * t.src.sp[2], 1, len, src_dt());
                                if (cv_flag(CVF_ZA)) v -= zero;
                                acc[i] = mad(v, wv, acc[i]);
                            }
                        }
                    }
                }
            float16 done[MR];
            UNROLL_FOR (int i = 0; i < MR; i++) done[i] = acc[i];
            for (int i = 0; i < count; i++) {
                pos[4] = x + i;
                float16 v = done[i];
                if (len > 0) {
                    po_seek(&ctx, &po, pos, 5);
                    v = po_apply(v, &ctx, &po, inner, len);
                }
                if (len < stored)
                    v = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < len
                                ? v
                                : (float16)0.0f;
                store_v(v, dst, row_at + (x + i) * t.dst.sp[2], t.dst.c_inner, stored, dst_dt());
            }
        }
    }
}
