/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling for CPUs where channels lie next to each other: vectors of 16 channels. */
#define VW 16
#include "resample.h"

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void resample_channels(
        gcptr_t src, gptr_t dst, const resample_params_t p, PO_ARGS) {
    const int begin = get_group_id(0) * p.chunk, end = min(begin + p.chunk, p.padded_channels);
    po_ctx_t ctx = PO_CTX;
    int pos[6];
    const bool stream = (flags() & RSF_STREAM) && ((ulong)dst & 63) == 0 && p.dst.c_inner == 1;
    const int last_row = min((int)(get_group_id(1) + 1) * p.rows, p.nrows);
    for (int row = get_group_id(1) * p.rows; row < last_row; row++) {
        pos[3] = row % p.out[1];
        pos[2] = row / p.out[1] % p.out[0];
        pos[0] = row / p.out[1] / p.out[0];
        const between_t bd = between_of(pos[2], p.in[0], p.out[0]), bh = between_of(pos[3], p.in[1], p.out[1]);
        for (int ow = 0; ow < p.out[2]; ow++) {
            const between_t bw = between_of(ow, p.in[2], p.out[2]);
            /* The corners that count. */
            long offset[8];
            float weight[8];
            int n = 0;
            NO_UNROLL for (int corner = 0; corner < 8; corner++) {
                const bool d = (corner & 4) != 0, h = (corner & 2) != 0, w = (corner & 1) != 0;
                weight[n] = (d ? bd.w : 1 - bd.w) * (h ? bh.w : 1 - bh.w) * (w ? bw.w : 1 - bw.w);
                offset[n] = (d ? bd.hi : bd.lo) * p.src.sp[0] + (h ? bh.hi : bh.lo) * p.src.sp[1] +
                            (w ? bw.hi : bw.lo) * p.src.sp[2];
                n += weight[n] != 0;
            }
            pos[4] = ow;
            for (int c = begin; c < end; c += 16) {
                const int lanes = clamp(p.channels - c, 0, 16), stored = min(16, end - c);
                const long from = pos[0] * p.src.n + (c / p.src.block) * p.src.c_outer + c % p.src.block;
                float16 x = 0;
                if (lanes == 16 && n == 1) {
                    x = weight[0] * load_16(src, from + offset[0], src_dt());
                } else if (lanes == 16 && n == 4) { /* two dimensions */
                    x = weight[0] * load_16(src, from + offset[0], src_dt());
                    x = fma((float16)weight[1], load_16(src, from + offset[1], src_dt()), x);
                    x = fma((float16)weight[2], load_16(src, from + offset[2], src_dt()), x);
                    x = fma((float16)weight[3], load_16(src, from + offset[3], src_dt()), x);
                } else {
                    NO_UNROLL for (int i = 0; i < n; i++)
                        x = fma((float16)weight[i], load_v(src, from + offset[i], 1, lanes, src_dt()), x);
                }
                pos[1] = c / p.dst.block;
                const int inner = c % p.dst.block;
                if (lanes > 0) {
                    if (po_count() > 0) po_seek(&ctx, &po, pos, 5);
                    x = po_apply(x, &ctx, &po, inner, lanes);
                }
                const long dst_at = pos[0] * p.dst.n + pos[1] * p.dst.c_outer + inner * p.dst.c_inner +
                                    pos[2] * p.dst.sp[0] + pos[3] * p.dst.sp[1] + ow * p.dst.sp[2];
                if (stream && lanes == 16 && dst_at % 16 == 0) stream_16(x, dst, dst_at, dst_dt());
                else store_v(first_lanes(x, lanes, stored), dst, dst_at, p.dst.c_inner, stored, dst_dt());
            }
        }
    }
}
