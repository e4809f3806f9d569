/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of floats for sub-groups of 16 without matrix units. A sub-group computes MR pixels
 * of a row by 16 * NV channels. Each lane loads a column of weights and one of 16 channels of each
 * pixel, which it broadcasts to the other lanes. */
#include "conv.h"
#include "postops.h"

#define NR (16 * NV)

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

__attribute__((overloadable)) uint intel_sub_group_block_read(const __global uint *p);

/* Loads element `lane` of 16. */
static inline float load_lane(gcptr_t p, long first, int lane, int dt) {
    if (dt == DT_F32) return as_float(intel_sub_group_block_read((__global const uint *)p + first));
    return load_1(p, first + lane, dt);
}

__attribute__((reqd_work_group_size(16, 1, 1)))
__attribute__((intel_reqd_sub_group_size(16))) __kernel void
conv_sg16(gcptr_t src, gcptr_t wei, gptr_t dst, const cv_tile_t t, PO_ARGS) {
    const int lane = get_local_id(0), panel = (int)get_group_id(0) % t.panels,
              g = (int)get_group_id(0) / t.panels;
    const int first_ow = (int)get_group_id(1) * MR, ic = t.ic;
    uint rest = get_group_id(2);
    const int oh = rest % t.win.out[1];
    rest /= t.win.out[1];
    const int od = rest % t.win.out[0], n = rest / t.win.out[0];

    float sum[MR][NV];
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NV; j++) sum[i][j] = 0;
    for (int kd = 0; kd < t.win.k[0]; kd++) {
        const int d = od * t.win.stride[0] - t.win.pad[0] + kd * t.win.dilation[0];
        if (d < 0 || d >= t.win.in[0]) continue;
        for (int kh = 0; kh < t.win.k[1]; kh++) {
            const int h = oh * t.win.stride[1] - t.win.pad[1] + kh * t.win.dilation[1];
            if (h < 0 || h >= t.win.in[1]) continue;
            const long row = n * t.src.n + d * t.src.sp[0] + h * t.src.sp[1] + (long)g * ic;
            for (int kw = 0; kw < t.win.k[2]; kw++) {
                long w = g * t.wei_g + panel * t.wei_panel + kd * t.wei_k[0] + kh * t.wei_k[1] +
                         kw * t.wei_k[2];
                /* Pixels outside of the image are 0; the load reads the edge of the
                 * image instead. */
                long at[MR];
                bool inside[MR];
                UNROLL_FOR (int i = 0; i < MR; i++) {
                    const int x = (first_ow + i) * t.win.stride[2] - t.win.pad[2] +
                                  kw * t.win.dilation[2];
                    inside[i] = x >= 0 && x < t.win.in[2];
                    at[i] = row + clamp(x, 0, t.win.in[2] - 1) * t.src.sp[2];
                }
                int c = 0;
                for (; c + 16 <= ic; c += 16, w += 16 * NR) {
                    float av[MR];
                    UNROLL_FOR (int i = 0; i < MR; i++) {
                        const float x = load_lane(src, at[i] + c, lane, src_dt());
                        av[i] = inside[i] ? x : 0;
                    }
                    UNROLL_FOR (int k = 0; k < 16; k++)
                        UNROLL_FOR (int j = 0; j < NV; j++) {
                            const float y = load_lane(wei, w + k * NR + j * 16, lane, wei_dt());
                            UNROLL_FOR (int i = 0; i < MR; i++)
                                sum[i][j] = mad(sub_group_broadcast(av[i], k), y, sum[i][j]);
                        }
                }
                NO_UNROLL_FOR (; c < ic; c++, w += NR)
                    UNROLL_FOR (int j = 0; j < NV; j++) {
                        const float y = load_1(wei, w + j * 16 + lane, wei_dt());
                        UNROLL_FOR (int i = 0; i < MR; i++) {
                            const float x = load_1(src, at[i] + c, src_dt());
                            sum[i][j] = mad(inside[i] ? x : 0, y, sum[i][j]);
                        }
                    }
            }
        }
    }

    /* The sums are stored one by one, because the epilogue is then compiled in only once. The
     * unrolled loops only select the sum. */
    po_ctx_t ctx = PO_CTX;
    int pos[PAR_MAX_DIMS];
    const long out = n * t.dst.n + od * t.dst.sp[0] + oh * t.dst.sp[1];
    NO_UNROLL_FOR (int s = 0; s < MR * NV; s++) {
        const int ow = first_ow + s / NV, c = panel * NR + s % NV * 16 + lane;
        float x = 0;
        UNROLL_FOR (int i = 0; i < MR; i++)
            UNROLL_FOR (int j = 0; j < NV; j++)
                if (s == i * NV + j) x = sum[i][j];
        if (ow >= t.win.out[2] || c >= t.padded_oc) continue;
        const int channel = g * t.oc + c, inner = channel % t.dst.block;
        const long to = out + ow * t.dst.sp[2] + channel / t.dst.block * t.dst.c_outer +
                        inner * t.dst.c_inner;
        if (c >= t.oc) {
            store_1(0, dst, to, dst_dt());
            continue;
        }
        if (po_nsrcs() > 0) {
            pos[0] = n;
            pos[1] = channel / t.dst.block;
            pos[2] = od;
            pos[3] = oh;
            pos[4] = ow;
            po_seek(&ctx, &po, pos, 5);
        }
        store_1(po_apply(x, &ctx, &po, inner, 1), dst, to, dst_dt());
    }
}
