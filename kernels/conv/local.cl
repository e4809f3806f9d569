/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution in tiles of local memory (local_tile.h): pixels of all images by output channels of a
 * group. k runs over the taps of the window and the channels of the source, which has its channels
 * last. Row k of the weights has the output channels next to each other. */
#include "conv.h"
#include "postops.h"
#include "local_tile.h"

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

/* A pixel of the destination, where its window begins, and which channels a work-item brings. */
typedef struct {
    long at;    /* of the image and the group in the source */
    int3 first; /* depth, height, width of tap 0 */
    int k;      /* its first channel in a step */
    bool valid;
    int to; /* where its four elements go in local memory */
} pixel_t;

/* A tap, and the first channel of a step. */
typedef struct {
    int3 tap;
    int row, channel; /* the tap's number times the channels */
} place_t;

static inline void next_place(place_t *p, const cv_tile_t *t) {
    p->channel += STEP;
    if (p->channel < t->ic) return;
    p->channel = 0;
    p->row += t->ic;
    if (++p->tap.z < t->win.k[2]) return;
    p->tap.z = 0;
    if (++p->tap.y < t->win.k[1]) return;
    p->tap.y = 0;
    p->tap.x++;
}

static inline pixel_t pixel_of(const cv_tile_t *t, int first, int item, int g) {
    pixel_t p;
    const int line = item / (STEP / 4);
    uint rest = min(first + line, t->pixels - 1);
    p.valid = first + line < t->pixels;
    p.first.z = (int)(rest % t->win.out[2]) * t->win.stride[2] - t->win.pad[2];
    rest /= t->win.out[2];
    p.first.y = (int)(rest % t->win.out[1]) * t->win.stride[1] - t->win.pad[1];
    rest /= t->win.out[1];
    p.first.x = (int)(rest % t->win.out[0]) * t->win.stride[0] - t->win.pad[0];
    p.at = rest / t->win.out[0] * t->src.n + (long)g * t->ic;
    p.k = item % (STEP / 4) * 4;
    p.to = p.k * A_PITCH + line;
    return p;
}

/* May four channels of the source be read at once? */
static inline bool source_has_vectors(gcptr_t src, const cv_tile_t *t, int g) {
    const long steps = t->src.n | t->src.sp[0] | t->src.sp[1] | t->src.sp[2] | (long)g * t->ic;
    return has_vectors(src_dt()) && (steps & 3) == 0 &&
           ((ulong)src & (4 * element_bytes(src_dt()) - 1)) == 0;
}

static inline num4_t read_pixel(
        gcptr_t src, const cv_tile_t *t, const pixel_t *p, const place_t *place, bool vectors) {
    const int d = p->first.x + place->tap.x * t->win.dilation[0],
              h = p->first.y + place->tap.y * t->win.dilation[1],
              w = p->first.z + place->tap.z * t->win.dilation[2];
    const bool inside = p->valid && (uint)d < (uint)t->win.in[0] && (uint)h < (uint)t->win.in[1] &&
                        (uint)w < (uint)t->win.in[2];
    const int c = place->channel + p->k, n = inside ? t->ic - c : 0;
    const long at = p->at + d * t->src.sp[0] + h * t->src.sp[1] + w * t->src.sp[2] + c;
    if (n >= 4 && vectors) return read_vector(src, at, src_dt());
    num4_t x = 0;
    if (n > 0) x.s0 = read_one(src, at, src_dt());
    if (n > 1) x.s1 = read_one(src, at + 1, src_dt());
    if (n > 2) x.s2 = read_one(src, at + 2, src_dt());
    if (n > 3) x.s3 = read_one(src, at + 3, src_dt());
    return x;
}

/* Four output channels of row place->row + k of the weights. */
static inline num4_t read_weights(gcptr_t wei, const cv_tile_t *t, long first, const place_t *place,
        int k, int left, bool vectors) {
    const int c = place->channel + k, n = c < t->ic ? left : 0;
    const long at = first + (place->row + c) * t->wei_panel;
    if (n >= 4 && vectors) return read_vector(wei, at, wei_dt());
    num4_t x = 0;
    if (n > 0) x.s0 = read_one(wei, at, wei_dt());
    if (n > 1) x.s1 = read_one(wei, at + 1, wei_dt());
    if (n > 2) x.s2 = read_one(wei, at + 2, wei_dt());
    if (n > 3) x.s3 = read_one(wei, at + 3, wei_dt());
    return x;
}

static inline long pixel_at(int *pos, const cv_tile_t *t, uint pixel) {
    for (int d = 2; d >= 0; d--) {
        pos[2 + d] = pixel % (uint)t->win.out[d];
        pixel /= (uint)t->win.out[d];
    }
    pos[0] = pixel;
    return pixel * t->dst.n + pos[2] * t->dst.sp[0] + pos[3] * t->dst.sp[1] + pos[4] * t->dst.sp[2];
}

/* May the sums be stored as they are, four channels at once? */
static inline bool result_has_vectors(gcptr_t dst, const cv_tile_t *t) {
    if (po_count() > 0 || !stores_vectors(dst_dt())) return false;
    const long steps = t->dst.n | t->dst.sp[0] | t->dst.sp[1] | t->dst.sp[2] | (long)t->oc;
    return t->dst.c_inner == 1 && t->padded_oc == t->oc && t->dst.block >= t->groups * t->oc &&
           (steps & 3) == 0 && ((ulong)dst & (4 * element_bytes(dst_dt()) - 1)) == 0;
}

static inline void store_vectors(
        const sums_t *sums, gptr_t dst, const cv_tile_t *t, int pixel0, int c0, int g) {
    UNROLL_FOR (int i = 0; i < MR; i++) {
        int pos[PAR_MAX_DIMS];
        const int pixel = pixel0 + place_in_tile(i);
        if (pixel >= t->pixels) continue;
        const long at = pixel_at(pos, t, pixel) + g * t->oc;
        UNROLL_FOR (int j = 0; j < NV; j++)
            if (c0 + 64 * j < t->oc)
                write_vector(four_sums(sums, i, j), dst, at + c0 + 64 * j, dst_dt());
    }
}

LOCAL_TILE_KERNEL void conv_local(
        gcptr_t src, gcptr_t wei, gptr_t dst, const cv_tile_t t, PO_ARGS) {
    __local num_t a_part[2 * A_BUFFER] __attribute__((aligned(16)));
    __local num_t b_part[2 * B_BUFFER] __attribute__((aligned(16)));
    const int item = get_local_id(0), row = item / SIDE * 4, column = item % SIDE * 4;
    const int panel = (int)get_group_id(1) % t.panels, g = (int)get_group_id(1) / t.panels;
    const int pixel0 = (int)get_group_id(0) * TILE_M, column0 = panel * TILE_N;
    const bool src_vectors = source_has_vectors(src, &t, g);
    const bool wei_vectors = has_vectors(wei_dt()) && ((t.wei_panel | g * t.wei_g) & 3) == 0 &&
                             ((ulong)wei & (4 * element_bytes(wei_dt()) - 1)) == 0;
    pixel_t pixels[A_FOURS];
    UNROLL_FOR (int q = 0; q < A_FOURS; q++) pixels[q] = pixel_of(&t, pixel0, item + q * ITEMS, g);
    int wei_k[B_FOURS], wei_column[B_FOURS];
    UNROLL_FOR (int q = 0; q < B_FOURS; q++) {
        wei_k[q] = (item + q * ITEMS) / (TILE_N / 4);
        wei_column[q] = (item + q * ITEMS) % (TILE_N / 4) * 4;
    }

    const int steps =
            (t.ic + STEP - 1) / STEP * t.win.k[0] * t.win.k[1] * t.win.k[2]; /* of all taps */
    sums_t sums = no_sums();
    num4_t x[A_FOURS], y[B_FOURS];
    place_t place;
    place.tap = (int3)(0, 0, 0), place.row = 0, place.channel = 0;
    int now = 0;
    NO_UNROLL_FOR (int s = -1; s < steps; s++) {
        /* The last step reads what it does not use: the first one again. */
        if (s + 1 == steps) place.tap = (int3)(0, 0, 0), place.row = 0, place.channel = 0;
        UNROLL_FOR (int q = 0; q < A_FOURS; q++)
            x[q] = read_pixel(src, &t, &pixels[q], &place, src_vectors);
        UNROLL_FOR (int q = 0; q < B_FOURS; q++)
            y[q] = read_weights(wei, &t, g * t.wei_g + column0 + wei_column[q], &place, wei_k[q],
                    t.oc - column0 - wei_column[q], wei_vectors);
        next_place(&place, &t);
        if (s >= 0)
            multiply_step(&sums, a_part + now * A_BUFFER, b_part + now * B_BUFFER, row, column);
        now = 1 - now;
        UNROLL_FOR (int q = 0; q < A_FOURS; q++)
            keep_four(x[q], a_part + now * A_BUFFER + pixels[q].to, A_PITCH, true);
        UNROLL_FOR (int q = 0; q < B_FOURS; q++)
            keep_four(y[q], b_part + now * B_BUFFER + wei_k[q] * B_PITCH + wei_column[q], B_PITCH,
                    false);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (result_has_vectors(dst, &t)) {
        store_vectors(&sums, dst, &t, pixel0 + row, column0 + column, g);
        return;
    }
    po_ctx_t ctx = PO_CTX;
    int pos[PAR_MAX_DIMS];
    NO_UNROLL_FOR (int i = 0; i < MR; i++) {
        const line_t line = line_of(&sums, i);
        const int pixel = pixel0 + row + place_in_tile(i);
        if (pixel >= t.pixels) continue;
        const long out = pixel_at(pos, &t, pixel);
        NO_UNROLL_FOR (int j = 0; j < NR; j++) {
            const int c = column0 + column + place_in_tile(j);
            const num_t z = sum_of(&line, j);
            if (c >= t.padded_oc) continue;
            const int channel = g * t.oc + c, /* without a division where there are no blocks */
                    block = channel < t.dst.block ? 0 : channel / t.dst.block,
                      inner = channel - block * t.dst.block;
            const long to = out + block * t.dst.c_outer + inner * t.dst.c_inner;
            if (c >= t.oc) {
                store_1(0, dst, to, dst_dt());
                continue;
            }
#ifdef INTS
            if (po_count() == 0 && dst_dt() == DT_S32) {
                ((__global int *)dst)[to] = z;
                continue;
            }
#endif
            if (po_nsrcs() > 0) {
                pos[1] = block;
                po_seek(&ctx, &po, pos, 5);
            }
            store_1(po_apply(z, &ctx, &po, inner, 1), dst, to, dst_dt());
        }
    }
}
