/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling for GPUs: any types and strides. Neighbouring work-items have neighbouring elements of
 * the result: positions of an image, or with RSF_CHANNELS its channels and then positions. A
 * work-item computes once what it reads, for the same position of several images and channels. */
#include "bytes.h"
#include "place.h"
#include "resample.h"

/* Elements between which a position lies: of two dimensions if there is no depth. */
enum { MOST_CORNERS = 8 };
static inline int corners(void) {
    return !is_linear() ? 1 : flag(RSF_FLAT) ? 4 : MOST_CORNERS;
}

/* What a position reads, from the first element of its image and channel on, with weights. */
typedef struct {
    int at[MOST_CORNERS];
    float weight[MOST_CORNERS];
} corners_t;

static inline corners_t corners_of(const int *pos, const resample_params_t *p) {
    corners_t k;
    between_t b[3];
    UNROLL_FOR (int d = 0; d < 3; d++)
        if (d > 0 || !flag(RSF_FLAT)) b[d] = between_of(pos[d], p->in[d], p->out[d]);
    UNROLL_FOR (int corner = 0; corner < MOST_CORNERS; corner++) {
        if (corner >= corners()) break; /* at least one, as EACH does not know */
        k.weight[corner] = 1;
        k.at[corner] = 0;
        UNROLL_FOR (int i = 0; i < 3; i++) {
            const int d = 2 - i; /* the width first: depth has the highest bit */
            const bool high = (corner >> i & 1) != 0;
            if (d == 0 && flag(RSF_FLAT)) continue;
            k.weight[corner] *= high ? b[d].w : 1 - b[d].w;
            k.at[corner] += (high ? b[d].hi : b[d].lo) * (int)p->src.sp[d];
        }
    }
    return k;
}

/* An element without weight does not count, even if it is infinite. */
static inline float interpolate(gcptr_t src, const corners_t *k) {
    if (!is_linear()) return load_1(src, k->at[0], src_dt());
    float x = 0;
    EACH (corner, corners(), MOST_CORNERS) {
        const float y = load_1(src, k->at[corner], src_dt());
        x = fma(k->weight[corner], k->weight[corner] != 0 ? y : 0, x);
    }
    return x;
}

/* An image, or a channel of an image. */
typedef struct {
    int n, c;
    gcptr_t src; /* its first element */
    gptr_t dst;  /* the work-item's element */
} plane_t;

static inline void move_plane(plane_t *x, long src, long dst) {
    x->src += src * element_bytes(src_dt());
    x->dst += dst * element_bytes(dst_dt());
}

/* src, dst: the first elements of the first image. */
static inline plane_t plane_of(int n, int c, gcptr_t src, gptr_t dst, const resample_params_t *p) {
    plane_t x = {n, c, src, dst};
    move_plane(&x, n * p->src.n + plain_channel_at(&p->src, c),
            n * p->dst.n + plain_channel_at(&p->dst, c));
    return x;
}

/* The next image of the same channel, or the next channel. */
static inline void next_plane(plane_t *x, gcptr_t src, gptr_t dst, const resample_params_t *p) {
    if (flag(RSF_CHANNELS)) {
        x->n++;
        move_plane(x, p->src.n, p->dst.n);
    } else if (++x->c == p->padded_channels) {
        *x = plane_of(x->n + 1, 0, src, dst, p);
    } else if (flag(RSF_PLANES)) {
        move_plane(x, p->src.c_inner, p->dst.c_inner);
    } else {
        *x = plane_of(x->n, x->c, src, dst, p);
    }
}

/* RSF_EVEN: the planes of a work-item are evenly spaced, and none of them is padding. Several loads
 * are on their way at once. */
static inline void even_planes(
        plane_t x, int planes, const corners_t *k, const resample_params_t *p) {
    enum { AT_ONCE = 4 };
    const long src_step = flag(RSF_CHANNELS) ? p->src.n : p->src.c_inner,
               dst_step = flag(RSF_CHANNELS) ? p->dst.n : p->dst.c_inner;
    NO_UNROLL_FOR (; planes >= AT_ONCE; planes -= AT_ONCE) {
        float y[AT_ONCE];
        UNROLL_FOR (int i = 0; i < AT_ONCE; i++) {
            y[i] = interpolate(x.src, k);
            move_plane(&x, src_step, 0);
        }
        UNROLL_FOR (int i = 0; i < AT_ONCE; i++) {
            store_1(y[i], x.dst, 0, dst_dt());
            move_plane(&x, 0, dst_step);
        }
    }
    NO_UNROLL_FOR (; planes > 0; planes--) {
        store_1(interpolate(x.src, k), x.dst, 0, dst_dt());
        move_plane(&x, src_step, dst_step);
    }
}

/* ---- strips ---- */

/* Between two elements of a row of the source. The upper one does not count without weight. */
static inline float along_row(gcptr_t src, int row, const between_t *x) {
    const float lo = load_1(src, row + x->lo, src_dt()), hi = load_1(src, row + x->hi, src_dt());
    return fma(x->w, x->w != 0 ? hi : 0, (1 - x->w) * lo);
}

/* RSF_STRIP: RS_STRIP results below one another. Most of the rows that one of them lies between are
 * those of the one above, so that they are read once. */
static inline void strip_planes(
        plane_t x, int planes, int column, int first, const resample_params_t *p) {
    between_t at = between_of(column, p->in[2], p->out[2]), rows[RS_STRIP];
    at.lo *= (int)p->src.sp[2];
    at.hi *= (int)p->src.sp[2];
    UNROLL_FOR (int i = 0; i < RS_STRIP; i++) {
        rows[i] = between_of(min(first + i, p->out[1] - 1), p->in[1], p->out[1]);
        rows[i].lo *= (int)p->src.sp[1];
        rows[i].hi *= (int)p->src.sp[1];
    }
    NO_UNROLL_FOR (int plane = 0; plane < planes; plane++) {
        float lo = 0, hi = 0;
        UNROLL_FOR (int i = 0; i < RS_STRIP; i++) {
            const between_t *r = &rows[i], *above = &rows[i > 0 ? i - 1 : 0];
            const float last = hi;
            if (i == 0 || r->hi != above->hi) hi = along_row(x.src, r->hi, &at);
            if (i > 0 && r->lo == above->hi) lo = last;
            else if (i == 0 || r->lo != above->lo) lo = along_row(x.src, r->lo, &at);
            const float y = fma(r->w, r->w != 0 ? hi : 0, (1 - r->w) * lo);
            if (first + i < p->out[1]) store_1(y, x.dst, i * p->dst.sp[1], dst_dt());
        }
        move_plane(&x, p->src.c_inner, p->dst.c_inner);
    }
}

__kernel void resample_group(gcptr_t src, gptr_t dst, const resample_params_t p, PO_ARGS) {
    const uint channels = p.padded_channels, beside = flag(RSF_CHANNELS) ? channels : 1;
    const int strip = flag(RSF_STRIP) ? RS_STRIP : 1, below = (p.out[1] + strip - 1) / strip;
    uint rest = get_global_id(0);
    if (rest >= (uint)p.out[0] * below * p.out[2] * beside) return;
    int pos[3];
    const int own = rest % beside;
    rest /= beside;
    pos[2] = rest % (uint)p.out[2];
    rest /= (uint)p.out[2];
    pos[1] = flag(RSF_FLAT) ? rest * strip : rest % (uint)p.out[1];
    pos[0] = flag(RSF_FLAT) ? 0 : rest / (uint)p.out[1];
    corners_t k;
    if (!flag(RSF_STRIP)) k = corners_of(pos, &p);
    dst += (pos[0] * p.dst.sp[0] + pos[1] * p.dst.sp[1] + pos[2] * p.dst.sp[2]) *
           element_bytes(dst_dt());

    const int first = get_group_id(1) * p.rows, end = min(first + p.rows, p.nrows);
    plane_t x = flag(RSF_CHANNELS)
                        ? plane_of(first, own, src, dst, &p)
                        : plane_of(first / (int)channels, first % (int)channels, src, dst, &p);
    if (flag(RSF_STRIP)) {
        strip_planes(x, end - first, pos[2], pos[1], &p);
        return;
    }
    if (flag(RSF_EVEN)) {
        even_planes(x, end - first, &k, &p);
        return;
    }
    po_ctx_t ctx = PO_CTX;
    NO_UNROLL_FOR (int plane = first; plane < end; plane++) {
        float y = x.c < p.channels ? interpolate(x.src, &k) : 0;
        if (po_count() > 0 && x.c < p.channels) {
            int at[6];
            at[0] = x.n, at[1] = x.c / p.dst.block;
            at[2] = pos[0], at[3] = pos[1], at[4] = pos[2];
            po_seek(&ctx, &po, at, 5);
            y = po_apply(y, &ctx, &po, x.c % p.dst.block, 1);
        }
        store_1(y, x.dst, 0, dst_dt());
        next_plane(&x, src, dst, &p);
    }
}
