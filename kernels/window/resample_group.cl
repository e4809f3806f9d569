/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling for GPUs: any types and strides. Neighbouring work-items have neighbouring elements of
 * the result: positions of an image, or with RSF_CHANNELS its channels and then positions. A
 * work-item computes once what it reads, for the same position of several images and channels. */
#include "place.h"
#include "resample.h"

enum { CORNERS = 8 };

/* The elements that a position reads, from those of its image and channel on, and their weights. */
typedef struct {
    long at[CORNERS];
    float weight[CORNERS];
} corners_t;

static inline corners_t corners_of(const int *pos, const resample_params_t *p) {
    corners_t k;
    between_t b[3];
    UNROLL_FOR (int d = 0; d < 3; d++) b[d] = between_of(pos[d], p->in[d], p->out[d]);
    UNROLL_FOR (int corner = 0; corner < CORNERS; corner++) {
        k.weight[corner] = 1;
        k.at[corner] = 0;
        UNROLL_FOR (int d = 0; d < 3; d++) {
            const bool high = (corner >> d & 1) != 0;
            k.weight[corner] *= high ? b[d].w : 1 - b[d].w;
            k.at[corner] += (long)(high ? b[d].hi : b[d].lo) * p->src.sp[d];
        }
    }
    return k;
}

static inline float interpolate(gcptr_t src, long from, const corners_t *k) {
    if (!is_linear()) return load_1(src, from + k->at[0], src_dt());
    float x = 0;
    UNROLL_FOR (int corner = 0; corner < CORNERS; corner++)
        if (k->weight[corner] != 0)
            x = fma(k->weight[corner], load_1(src, from + k->at[corner], src_dt()), x);
    return x;
}

/* channel_at() without divisions where channels are in no blocks. */
static inline long plane_at(const cv_tensor_t *t, int c) {
    return t->block == 1 ? c * t->c_outer : channel_at(t, c);
}

__kernel void resample_group(gcptr_t src, gptr_t dst, const resample_params_t p, PO_ARGS) {
    const bool along = (flags() & RSF_CHANNELS) != 0;
    const uint channels = p.padded_channels, beside = along ? channels : 1;
    uint rest = get_global_id(0);
    if (rest >= (uint)p.out[0] * p.out[1] * p.out[2] * beside) return;
    int pos[3];
    const int own = along ? rest % channels : 0;
    rest /= beside;
    pos[2] = rest % (uint)p.out[2];
    rest /= (uint)p.out[2];
    pos[1] = rest % (uint)p.out[1];
    pos[0] = rest / (uint)p.out[1];
    const corners_t corners = corners_of(pos, &p);
    const long to = pos[0] * p.dst.sp[0] + pos[1] * p.dst.sp[1] + pos[2] * p.dst.sp[2];

    const int first = get_group_id(1) * p.rows, end = min(first + p.rows, p.nrows);
    int n = along ? first : first / (int)channels, c = along ? own : first % (int)channels;
    po_ctx_t ctx = PO_CTX;
    NO_UNROLL_FOR (int plane = first; plane < end; plane++) {
        const long dst_at = n * p.dst.n + plane_at(&p.dst, c) + to;
        if (c >= p.channels) {
            store_1(0, dst, dst_at, dst_dt());
        } else {
            float x = interpolate(src, n * p.src.n + plane_at(&p.src, c), &corners);
            if (po_count() > 0) {
                int at[6];
                at[0] = n, at[1] = c / p.dst.block;
                at[2] = pos[0], at[3] = pos[1], at[4] = pos[2];
                po_seek(&ctx, &po, at, 5);
                x = po_apply(x, &ctx, &po, c % p.dst.block, 1);
            }
            store_1(x, dst, dst_at, dst_dt());
        }
        if (along) n++;
        else if (++c == (int)channels) c = 0, n++;
    }
}
