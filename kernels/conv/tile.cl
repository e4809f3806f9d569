/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution for CPUs: a work-item keeps MR pixels x (16 * NV) channels of the result in vector registers
 * while it walks through the taps of the window and the channels of the source. Pixels are counted over rows
 * and images, so that small images fill the tile too. */
#define VW 16
#include "conv.h"
#include "postops.h"

#define NR (16 * NV)
#define EXACT 256 /* products of 8-bit integers, zero point subtracted, whose float sum is exact */
#define EDGE 64   /* channels copied at a time where a window reaches outside of the source */
#define LANES ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

/* A pixel of the destination, and where it and the first tap of its window are. */
typedef struct {
    int n, p[3];
    long src, dst;
} pixel_t;

static inline void place_pixel(pixel_t *x, __private const cv_tile_t *t) {
    x->src = x->n * t->src.n;
    x->dst = x->n * t->dst.n;
    for (int d = 0; d < 3; d++) {
        x->src += (x->p[d] * t->win.stride[d] - t->win.pad[d]) * t->src.sp[d];
        x->dst += (t->out_first[d] + x->p[d] * t->out_step[d]) * t->dst.sp[d];
    }
}

static inline void next_pixel(pixel_t *x, __private const cv_tile_t *t) {
    if (++x->p[2] < t->win.out[2]) {
        x->src += t->win.stride[2] * t->src.sp[2];
        x->dst += t->out_step[2] * t->dst.sp[2];
        return;
    }
    x->p[2] = 0;
    if (++x->p[1] == t->win.out[1]) {
        x->p[1] = 0;
        if (++x->p[0] == t->win.out[0]) {
            x->p[0] = 0;
            x->n++;
        }
    }
    place_pixel(x, t);
}

/* Where the sums of 16 channels start. */
static inline float16 start_of(
        __global const float *bias, __private const cv_tile_t *t, int g, int oc) {
    if (!cv_flag(CVF_BIAS)) return 0;
    return load_v((gcptr_t)bias, g * t->oc + oc, 1, clamp(t->oc - oc, 0, 16), DT_F32);
}

/* The position of pixel number `rest` but for its channel. */
static inline void place_even(int *pos, int rest, __private const cv_tile_t *t) {
    for (int d = 2; d >= 0; d--) {
        pos[2 + d] = rest % t->win.out[d];
        rest /= t->win.out[d];
    }
    pos[0] = rest;
}

/* acc += x * weights for `count` channels; X(i) is where those of pixel i are. */
#define MULTIPLY(X, count)                                                                         \
    for (int k = 0; k < (count); k++, w += NR) {                                                   \
        float16 bv[NV];                                                                            \
        UNROLL_FOR (int j = 0; j < NV; j++) bv[j] = load_16(wei, w + j * 16, wei_dt());            \
        UNROLL_FOR (int i = 0; i < MR; i++) {                                                      \
            const float16 av = X(i)[k];                                                            \
            UNROLL_FOR (int j = 0; j < NV; j++) acc[i][j] = mad(av, bv[j], acc[i][j]);             \
        }                                                                                          \
    }
#define IN_SOURCE(i) (a[i] + tap)
#define IN_CHUNK(i) (a[i] + tap + k0)
#define IN_COPY(i) edge[i]

static inline void copy_channels(float *to, __global const float *from, int count, bool valid) {
    int k = 0;
    if (valid) {
        for (; k + 8 <= count; k += 8) vstore8(vload8(0, from + k), 0, to + k);
        for (; k < count; k++) to[k] = from[k];
    } else {
        for (; k < count; k += 8) vstore8((float8)0.0f, 0, to + k);
    }
}

/* bias: floats of the destination's channels, where CVF_BIAS is set. */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void conv_tile(
        __global const float *src_all, gcptr_t wei, gptr_t dst, __global const float *bias,
        const cv_tile_t t, PO_ARGS) {
    const int chunk_id = get_group_id(t.by_panel ? 0 : 1), run = get_group_id(t.by_panel ? 1 : 0);
    const int chunks = (t.panels + t.chunk - 1) / t.chunk, g = chunk_id / chunks;
    const int first_panel = (chunk_id - g * chunks) * t.chunk,
              end_panel = min(first_panel + t.chunk, t.panels);
    const int first_ic = g * t.ic, blocks = (t.ic + t.src.block - 1) / t.src.block;
    po_ctx_t ctx = PO_CTX;

    src_all += first_ic / t.src.block * t.src.c_outer + first_ic % t.src.block;
    int first = run * t.tiles * MR;
    const int end = min(first + t.tiles * MR, t.pixels);
    pixel_t next;
    if (!cv_flag(CVF_EVEN)) {
        int rest = first;
        for (int d = 2; d >= 0; d--) {
            next.p[d] = rest % t.win.out[d];
            rest /= t.win.out[d];
        }
        next.n = rest;
        place_pixel(&next, &t);
    }

    for (; first < end; first += MR) {
        pixel_t px[MR];
        __global const float *a[MR];
        int at_d[MR], at_h[MR], at_w[MR];
        UNROLL_FOR (int i = 0; i < MR; i++) {
            if (cv_flag(CVF_EVEN)) {
                a[i] = src_all + min(first + i, t.pixels - 1) * t.src.sp[2];
                px[i].dst = (first + i) * t.dst.sp[2];
                continue;
            }
            px[i] = next;
            a[i] = src_all + next.src;
            if (cv_flag(CVF_PADDED)) {
                at_d[i] = next.p[0] * t.win.stride[0] - t.win.pad[0];
                at_h[i] = next.p[1] * t.win.stride[1] - t.win.pad[1];
                at_w[i] = next.p[2] * t.win.stride[2] - t.win.pad[2];
            }
            if (first + i + 1 < t.pixels) next_pixel(&next, &t);
        }

        for (int panel = first_panel; panel < end_panel; panel++) {
            const int first_oc = panel * NR, width = min(NR, t.padded_oc - first_oc);
            const bool whole_panel = t.oc - first_oc >= NR && t.dst.c_inner == 1;
            const long wei_at = g * t.wei_g + panel * t.wei_panel;
            long channel_at[NV]; /* in the destination */
            int inner_at[NV], block_at[NV];
            UNROLL_FOR (int j = 0; j < NV; j++) {
                const int channel = g * t.oc + first_oc + j * 16;
                block_at[j] = channel < t.dst.block ? 0 : channel / t.dst.block;
                inner_at[j] = channel - block_at[j] * t.dst.block;
                channel_at[j] = block_at[j] * t.dst.c_outer + inner_at[j] * t.dst.c_inner;
            }

            float16 acc[MR][NV], start[NV];
            UNROLL_FOR (int j = 0; j < NV; j++) start[j] = start_of(bias, &t, g, first_oc + j * 16);
            int16 sum[MR][NV];
            int pending = 0; /* products in acc */
            UNROLL_FOR (int i = 0; i < MR; i++)
                UNROLL_FOR (int j = 0; j < NV; j++) {
                    acc[i][j] = start[j];
                    sum[i][j] = 0;
                }
            for (int kd = 0; kd < t.win.k[0]; kd++)
                for (int kh = 0; kh < t.win.k[1]; kh++)
                    for (int kw = 0; kw < t.win.k[2]; kw++) {
                        const int d = kd * t.win.dilation[0], h = kh * t.win.dilation[1],
                                  c = kw * t.win.dilation[2];
                        long w = wei_at + kd * t.wei_k[0] + kh * t.wei_k[1] + kw * t.wei_k[2];
                        long tap = d * t.src.sp[0] + h * t.src.sp[1] + c * t.src.sp[2];
                        bool valid[MR];
                        int inside = MR;
                        if (cv_flag(CVF_PADDED)) {
                            inside = 0;
                            UNROLL_FOR (int i = 0; i < MR; i++) {
                                valid[i] = (uint)(at_d[i] + d) < (uint)t.win.in[0] &&
                                           (uint)(at_h[i] + h) < (uint)t.win.in[1] &&
                                           (uint)(at_w[i] + c) < (uint)t.win.in[2];
                                inside += valid[i];
                            }
                            if (inside == 0) continue;
                        }
                        for (int b = 0; b < blocks; b++, tap += t.src.c_outer) {
                            const int len = min(t.ic - b * t.src.block, t.src.block);
                            if (cv_flag(CVF_INT)) {
                                for (int k0 = 0; k0 < len; k0 += EXACT) {
                                    const int count = min(EXACT, len - k0);
                                    if (pending + count > EXACT) {
                                        UNROLL_FOR (int i = 0; i < MR; i++)
                                            UNROLL_FOR (int j = 0; j < NV; j++) {
                                                sum[i][j] += convert_int16(acc[i][j]);
                                                acc[i][j] = 0;
                                            }
                                        pending = 0;
                                    }
                                    pending += count;
                                    MULTIPLY(IN_CHUNK, count)
                                }
                                continue;
                            }
                            if (inside == MR) {
                                MULTIPLY(IN_SOURCE, len)
                                continue;
                            }
                            for (int k0 = 0; k0 < len; k0 += EDGE) {
                                float edge[MR][EDGE];
                                const int count = min(EDGE, len - k0);
                                for (int i = 0; i < MR; i++)
                                    copy_channels(edge[i], a[i] + tap + k0, count, valid[i]);
                                MULTIPLY(IN_COPY, count)
                            }
                        }
                    }

            const int height = min(MR, end - first);
            if (!cv_flag(CVF_INT) && po_count() == 0 && height == MR && whole_panel) {
                UNROLL_FOR (int i = 0; i < MR; i++)
                    UNROLL_FOR (int j = 0; j < NV; j++)
                        store_16(acc[i][j], dst, px[i].dst + channel_at[j], dst_dt());
                continue;
            }
            /* Through memory, so that the attributes are compiled in once. */
            float16 done[NV][MR];
            UNROLL_FOR (int i = 0; i < MR; i++)
                UNROLL_FOR (int j = 0; j < NV; j++)
                    done[j][i] = cv_flag(CVF_INT) ? as_float16(sum[i][j] + convert_int16(acc[i][j]))
                                                  : acc[i][j];
            for (int j = 0; j * 16 < width; j++) {
                const int n = clamp(t.oc - first_oc - j * 16, 0, 16),
                          stored = min(16, width - j * 16);
                for (int i = 0; i < height; i++) {
                    const long at = px[i].dst + channel_at[j];
                    float16 x = done[j][i];
                    if (cv_flag(CVF_INT)) {
                        if (po_count() == 0 && dst_dt() == DT_S32) { /* all bits */
                            store_v(n < stored ? as_float16(LANES < n ? as_int16(x) : (int16)0) : x,
                                    dst, at, t.dst.c_inner, stored, DT_F32);
                            continue;
                        }
                        x = convert_float16(as_int16(x));
                    }
                    if (po_count() > 0 && n > 0) {
                        if (po_nsrcs() > 0) {
                            int pos[5] = {px[i].n, block_at[j]};
                            if (cv_flag(CVF_EVEN)) {
                                place_even(pos, first + i, &t);
                            } else {
                                for (int d = 0; d < 3; d++)
                                    pos[2 + d] = t.out_first[d] + px[i].p[d] * t.out_step[d];
                            }
                            po_seek(&ctx, &po, pos, 5);
                        }
                        x = po_apply(x, &ctx, &po, inner_at[j], n);
                    }
                    if (n < stored) x = LANES < n ? x : (float16)0.0f;
                    store_v(x, dst, at, t.dst.c_inner, stored, dst_dt());
                }
            }
        }
    }
}
