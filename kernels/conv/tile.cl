/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution for CPUs. A work-item keeps MR pixels x (16 * NV) channels of the result in vector
 * registers and sums over the taps of the window and the channels of the source. Pixels are
 * numbered across rows and images, so that small images also fill the tile. The results of
 * CV_TILE_PIXELS pixels are stored together. With PIECE, which is MR then, a constant of the module
 * says how many pixels a tile has. */
#define VW 16
#define LINES_OF_12 /* CV_TILE_PIXELS */
#include "conv.h"
#include "block_ops.h"
#include "square.h"
#ifdef DOTS
#include "../lib/tile_registers.h"
#else
typedef float elem_t;
#endif

#define NR (16 * NV)
#if CV_TILE_PIXELS % MR == 0
#define PIXELS CV_TILE_PIXELS
#else
#define PIXELS MR
#endif
#define PARTS (PIXELS / MR) /* of a tile: what fits into registers */
#ifdef PIECE
SPEC_GETTER(tile_pixels, SPEC_CONV_PIXELS, PIECE)
#else
static inline int tile_pixels(void) {
    return PIXELS;
}
#endif
static inline int part_pixels(void) {
    return tile_pixels() / PARTS;
}
#define LANES ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

/* A pixel of the destination, its offset, and the offset of the first tap of its window. */
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

/* Columns are numbered first, then rows, depths and images. With CVF_ROWS images come before rows:
 * most tiles have pixels of one row then. */
static inline void next_pixel(pixel_t *x, __private const cv_tile_t *t) {
    if (++x->p[2] < t->win.out[2]) {
        x->src += t->win.stride[2] * t->src.sp[2];
        x->dst += t->out_step[2] * t->dst.sp[2];
        return;
    }
    x->p[2] = 0;
    if (cv_flag(CVF_ROWS)) {
        if (++x->n == t->images) {
            x->n = 0;
            x->p[1]++;
        }
    } else if (++x->p[1] == t->win.out[1]) {
        x->p[1] = 0;
        if (++x->p[0] == t->win.out[0]) {
            x->p[0] = 0;
            x->n++;
        }
    }
    place_pixel(x, t);
}

/* Channels of a panel, and of a vector, of which there are `left` from the first one on. */
static inline int panel_width(int left) {
    return cv_flag(CVF_WHOLE) ? NR : min(NR, left);
}
static inline int vector_width(int left) {
    return cv_flag(CVF_WHOLE) ? 16 : clamp(left, 0, 16);
}

/* The initial value of the sums of 16 channels. */
static inline float16 start_of(
        __global const float *bias, __private const cv_tile_t *t, int g, int oc) {
    if (!cv_flag(CVF_BIAS)) return 0;
    return load_v((gcptr_t)bias, g * t->oc + oc, 1, vector_width(t->oc - oc), DT_F32);
}

/* The position of pixel number `rest`, without its channel. */
static inline void place_even(int *pos, int rest, __private const cv_tile_t *t) {
    for (int d = 2; d >= 0; d--) {
        pos[2 + d] = rest % t->win.out[d];
        rest /= t->win.out[d];
    }
    pos[0] = rest;
}

/* ---- place ---- */

/* MR pixels: their first elements in the source, and the positions of the first tap. */
typedef struct {
    __global const elem_t *a[MR];
    int d[MR], h[MR], w[MR];
} rows_t;

enum { COPY_PITCH = CV_TILE_COPIED + 16 }; /* floats: pixels begin in different cache lines */

/* The pixels of a tile. */
typedef struct {
    pixel_t px[PIXELS];
    rows_t part[PARTS];
    bool is_inside;                  /* CVF_PADDED: all windows lie in the source */
    const float (*copy)[COPY_PITCH]; /* CVF_COPIED: the channels of all pixels */
    bool in_one_row;
    int top; /* CVF_ROWS: the row of the source at which the windows of such a tile begin */
} place_t;

/* Do positions `at` and at + reach lie in a dimension of the source? */
static inline bool lies_inside(int at, int reach, int size) {
    return (uint)at < (uint)size && (uint)(at + reach) < (uint)size;
}

/* Does the whole window of pixel i of a part lie in the source? */
static inline bool window_is_inside(const rows_t *rows, int i, __private const cv_tile_t *t) {
    const cv_window_t w = t->win;
    return lies_inside(rows->d[i], (w.k[0] - 1) * w.dilation[0], w.in[0]) &&
           lies_inside(rows->h[i], (w.k[1] - 1) * w.dilation[1], w.in[1]) &&
           lies_inside(rows->w[i], (w.k[2] - 1) * w.dilation[2], w.in[2]);
}

/* Is the row of taps of a piece that is (d, h) behind its first one outside of the source? */
static inline bool lies_outside(const rows_t *rows, int d, int h, __private const cv_tile_t *t) {
    return (uint)(rows->d[0] + d) >= (uint)t->win.in[0] ||
           (uint)(rows->h[0] + h) >= (uint)t->win.in[1];
}

static inline void seek_pixel(pixel_t *x, int number, __private const cv_tile_t *t) {
    for (int d = 2; d >= 0; d--) {
        x->p[d] = number % t->win.out[d];
        number /= t->win.out[d];
        if (cv_flag(CVF_ROWS) && d == 2) {
            x->n = number % t->images;
            number /= t->images;
        }
    }
    if (!cv_flag(CVF_ROWS)) x->n = number;
    place_pixel(x, t);
}

/* Finds the pixels of a piece, and moves `next` behind it. Pieces end where rows do. */
static inline void place_piece(
        place_t *place, pixel_t *next, __global const elem_t *src, __private const cv_tile_t *t) {
    const long src_step = t->win.stride[2] * t->src.sp[2], dst_step = t->out_step[2] * t->dst.sp[2];
    UNROLL_FOR (int i = 0; i < PIXELS; i++) {
        if (i >= tile_pixels()) break;
        place->px[i] = *next;
        place->px[i].p[2] += i;
        place->px[i].dst += i * dst_step;
        place->part[i / MR].a[i % MR] = src + next->src + i * src_step;
    }
    rows_t *rows = &place->part[0];
    rows->d[0] = next->p[0] * t->win.stride[0] - t->win.pad[0];
    rows->h[0] = next->p[1] * t->win.stride[1] - t->win.pad[1];
    rows->w[0] = next->p[2] * t->win.stride[2] - t->win.pad[2];
    const int steps = tile_pixels() - 1;
    next->p[2] += steps;
    next->src += steps * src_step;
    next->dst += steps * dst_step;
    next_pixel(next, t);
}

/* Finds the pixels from number `first` on; numbers beyond the last pixel repeat it. `next` advances
 * with them. */
static inline void place_tile(place_t *place, pixel_t *next, __global const elem_t *src, int first,
        __private const cv_tile_t *t) {
    if (cv_flag(CVF_PIECES)) {
        place_piece(place, next, src, t);
        return;
    }
    place->is_inside = true;
    UNROLL_FOR (int i = 0; i < PIXELS; i++) {
        if (i >= tile_pixels()) break;
        rows_t *rows = &place->part[i / MR];
        if (cv_flag(CVF_EVEN)) {
            rows->a[i % MR] = src + min(first + i, t->pixels - 1) * t->src.sp[2];
            place->px[i].dst = (first + i) * t->dst.sp[2];
            continue;
        }
        place->px[i] = *next;
        rows->a[i % MR] = src + next->src;
        if (cv_flag(CVF_PADDED)) {
            rows->d[i % MR] = next->p[0] * t->win.stride[0] - t->win.pad[0];
            rows->h[i % MR] = next->p[1] * t->win.stride[1] - t->win.pad[1];
            rows->w[i % MR] = next->p[2] * t->win.stride[2] - t->win.pad[2];
            place->is_inside = place->is_inside && window_is_inside(rows, i % MR, t);
        }
        if (first + i + 1 < t->pixels) next_pixel(next, t);
    }
    if (cv_flag(CVF_ROWS)) {
        place->in_one_row = place->px[0].p[1] == place->px[tile_pixels() - 1].p[1];
        place->top = place->px[0].p[1] * t->win.stride[1] - t->win.pad[1];
    }
}

/* The channels of a panel in the destination: offset, block and position in the block of each
 * 16 channels. */
typedef struct {
    long at[NV];
    int inner[NV], block[NV];
} columns_t;

static inline void place_columns(columns_t *c, int first, __private const cv_tile_t *t) {
    UNROLL_FOR (int j = 0; j < NV; j++) {
        const int channel = first + j * 16;
        if (cv_flag(CVF_WHOLE)) {
            c->block[j] = 0;
            c->inner[j] = c->at[j] = channel;
            continue;
        }
        c->block[j] = channel < t->dst.block ? 0 : channel / t->dst.block;
        c->inner[j] = channel - c->block[j] * t->dst.block;
        c->at[j] = c->block[j] * t->dst.c_outer + c->inner[j] * t->dst.c_inner;
    }
}

#ifdef DOTS
#include "dots.h"
#else
#include "floats.h"
#endif

/* ---- store ---- */

/* Sets the position as po_seek() expects it: image, block of channels, depth, height, width. */
static inline void set_position(
        int *pos, const pixel_t *x, int number, int block, __private const cv_tile_t *t) {
    pos[0] = x->n;
    pos[1] = block;
    if (cv_flag(CVF_EVEN)) {
        place_even(pos, number, t);
        return;
    }
    for (int d = 0; d < 3; d++) pos[2 + d] = t->out_first[d] + x->p[d] * t->out_step[d];
}

/* Do the operands of the epilogue have values of their own for each pixel? */
static inline bool differs_by_pixel(__private const po_params_t *po) {
    long strides = 0;
    for (int s = 0; s < po_nsrcs(); s++)
        for (int d = 0; d < 5; d++)
            if (d != 1) strides |= PO_STRIDE(s, stride[d]);
    return strides != 0;
}

/* Are the sums the bits of the result? */
static inline bool copies_bits(void) {
    return cv_flag(CVF_INT) && po_count() == 0 && dst_dt() == DT_S32;
}

/* The number that the epilogue begins with. */
static inline float16 number_of(float16 sum) {
    return cv_flag(CVF_INT) && !copies_bits() ? convert_float16(as_int16(sum)) : sum;
}

/* Can a whole vector of floats or bf16 go past the caches? */
static inline bool streams(gptr_t dst, long at) {
    const ulong size = dst_dt() == DT_F32 ? 4 : 2;
    return cv_flag(CVF_STREAM) && (((ulong)dst | (ulong)at * size) & (16 * size - 1)) == 0;
}

/* Stores n elements, `step` elements apart, and then zeros up to `stored`. */
static inline void store_padded(float16 x, gptr_t dst, long at, long step, int n, int stored) {
    if (n < stored) x = as_float16(LANES < n ? as_int16(x) : (int16)0);
    if (step == 1 && stored == 16 && streams(dst, at)) stream_16(x, dst, at, dst_dt());
    else store_v(x, dst, at, step, stored, copies_bits() ? DT_F32 : dst_dt());
}

/* Finds the operands of the epilogue for `height` pixels, and a block of channels. */
static inline void seek_rows(po_base_t *base, const pixel_t *px, int first, int height, int block,
        __private const cv_tile_t *t, po_ctx_t *ctx, __private const po_params_t *po,
        bool by_pixel) {
    for (int i = 0; i < height; i++) {
        int pos[5];
        if (i == 0 || by_pixel) {
            set_position(pos, &px[i], first + i, block, t);
            po_seek(ctx, po, pos, 5);
        }
        po_keep(&base[i], ctx);
    }
}

/* Stores the tile whose first pixel is number `first`. x: for each 16 channels, all pixels. */
static inline void store_tile(float16 (*x)[PIXELS], po_base_t *base, const pixel_t *px,
        const columns_t *columns, gptr_t dst, int first, int height, int first_oc,
        __private const cv_tile_t *t, po_ctx_t *ctx, __private const po_params_t *po,
        bool by_pixel) {
    const int width = panel_width(t->padded_oc - first_oc);
    for (int j = 0; j * 16 < width; j++) {
        const int n = vector_width(t->oc - first_oc - j * 16), stored = min(16, width - j * 16);
        if (po_count() > 0 && n > 0) {
            if (po_nsrcs() > 0 && j > 0 && columns->block[j] != columns->block[j - 1])
                seek_rows(base, px, first, height, columns->block[j], t, ctx, po, by_pixel);
            po_apply_rows(x[j], height, base, ctx, po, columns->inner[j], n);
        }
        for (int i = 0; i < height; i++)
            store_padded(x[j][i], dst, px[i].dst + columns->at[j], t->dst.c_inner, n, stored);
    }
}

/* ---- store by planes ---- */

/* The epilogue with pixels along the axis of the vector. */
static inline void use_planes(po_params_t *po) {
    for (int s = 0; s < po_nsrcs(); s++) {
        const int channel = po->src[s].vec_stride;
        po->src[s].vec_stride = po->src[s].stride[4];
        po->src[s].stride[1] = channel;
    }
}

/* The pixels whose distance is 1 in the destination, and constant in the operands of the epilogue:
 * those of a row, a plane or an image. */
static inline int pixels_of_run(__private const cv_tile_t *t, __private const po_params_t *po) {
    int run = t->win.out[2];
    for (int d = 1; d >= 0; d--) {
        bool goes_on = t->win.out[d] == 1 || (t->out_step[d] == 1 && t->dst.sp[d] == run);
        for (int s = 0; s < po_nsrcs(); s++)
            goes_on = goes_on && (t->win.out[d] == 1 || PO_STRIDE(s, stride[2 + d]) ==
                                                                run * PO_STRIDE(s, vec_stride));
        if (!goes_on) break;
        run *= t->win.out[d];
    }
    return run;
}

/* Finds the operands of the epilogue for `width` channels of a run of pixels. */
static inline void seek_planes(po_base_t *base, const pixel_t *px, int number, int width,
        const columns_t *columns, __private const cv_tile_t *t, po_ctx_t *ctx,
        __private const po_params_t *po) {
    int pos[5];
    set_position(pos, px, number, columns->inner[0], t);
    po_seek(ctx, po, pos, 5);
    for (int c = 0; c < width; c++, po_advance(ctx, po, 1, 1)) po_keep(&base[c], ctx);
}

/* Stores a tile whose channels are planes: vectors of pixels. */
static inline void store_tile_by_planes(float16 (*sums)[PIXELS], po_base_t *base, const pixel_t *px,
        const columns_t *columns, gptr_t dst, int first, int height, int width,
        __private const cv_tile_t *t, po_ctx_t *ctx, __private const po_params_t *po, int run) {
    float16 planes[NR + 1]; /* a vector behind the last one is loaded where a run begins */
    UNROLL_FOR (int j = 0; j < NV; j++) {
        float16 x[16];
        UNROLL_FOR (int i = 0; i < 16; i++) x[i] = i < tile_pixels() ? sums[j][i] : (float16)0.0f;
        square_turn(x);
        UNROLL_FOR (int i = 0; i < 16; i++) planes[j * 16 + i] = x[i];
    }
    for (int i = 0, n; i < height; i += n) {
        float16 x[NR];
        const long at = px[i].dst + columns->at[0];
        n = min(height - i, run - (first + i) % run);
        if (po_nsrcs() > 0 && i > 0)
            seek_planes(base, &px[i], first + i, width, columns, t, ctx, po);
        for (int c = 0; c < width; c++) x[c] = vload16(0, (const float *)(planes + c) + i);
        po_apply_rows(x, width, base, ctx, po, 0, n);
        for (int c = 0; c < width; c++) store_padded(x[c], dst, at + c * t->dst.c_inner, 1, n, n);
    }
}

/* Are the sums the result? Those of integers are copied as bits. */
static inline bool stores_sums(void) {
    return po_count() == 0 && (!cv_flag(CVF_INT) || copies_bits());
}

/* Asks for the operands of a tile's epilogue that each pixel has its own ones of: they arrive while
 * the sums are computed. count: channels of planes, or pixels; element: of each of them. */
static inline void ask_for_operands(const po_base_t *base, int count, int element,
        const po_ctx_t *ctx, __private const po_params_t *po) {
    for (int s = 0; s < po_nsrcs(); s++) {
        const long at = element * PO_STRIDE(s, vec_stride);
        if ((cv_flag(CVF_PLANES) ? PO_STRIDE(s, vec_stride) : PO_STRIDE(s, stride[4])) == 0)
            continue;
        for (int i = 0; i < count; i++)
            prefetch_16(po_ptr(ctx, s), base[i].of[s] + at, PO_SRC(s, dt));
    }
}

/* ---- the kernel ---- */

/* bias: where each channel of the destination begins, if CVF_BIAS is set: floats, or with dots.h
 * and CVF_INT integers. */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void conv_tile(
        __global const elem_t *src_all, gcptr_t wei, gptr_t dst, __global const float *bias,
        const cv_tile_t t, PO_ARGS) {
    const int chunk_id = get_group_id(t.by_panel ? 0 : 1), run = get_group_id(t.by_panel ? 1 : 0);
    const int chunks = (t.panels + t.chunk - 1) / t.chunk, g = chunk_id / chunks;
    const int first_panel = (chunk_id - g * chunks) * t.chunk,
              end_panel = min(first_panel + t.chunk, t.panels), first_ic = g * t.ic;
    po_ctx_t ctx = PO_CTX;
    const bool by_pixel = differs_by_pixel(&po);
    po_params_t by_plane = po;
    if (cv_flag(CVF_PLANES)) use_planes(&by_plane);
    const int pixels_run = cv_flag(CVF_PLANES) ? pixels_of_run(&t, &by_plane) : 0;
    src_all += first_ic / t.src.block * t.src.c_outer + first_ic % t.src.block;
    const long tiles = (t.pixels + tile_pixels() - 1) / tile_pixels();
    int first = (int)(run * tiles / t.runs) * tile_pixels();
    const int end = min((int)((run + 1) * tiles / t.runs) * tile_pixels(), t.pixels);
    pixel_t next;
    if (!cv_flag(CVF_EVEN)) seek_pixel(&next, first, &t);

    float copy[PIXELS][COPY_PITCH];
    open_products(&t);
    for (; first < end; first += tile_pixels()) {
        const int height = cv_flag(CVF_PIECES) ? tile_pixels() : min(tile_pixels(), end - first);
        place_t place;
        place_tile(&place, &next, src_all, first, &t);
        if (cv_flag(CVF_COPIED)) copy_tile(copy, &place, &t);
        for (int panel = first_panel; panel < end_panel; panel++) {
            const int first_oc = panel * NR;
            const bool copies =
                    (stores_sums() || cv_flag(CVF_SHORT)) && height == tile_pixels() &&
                    (cv_flag(CVF_WHOLE) || (t.dst.c_inner == 1 && t.oc - first_oc >= NR));
            column_t operands[NV]; /* CVF_SHORT */
            columns_t columns;
            po_base_t base[NR > PIXELS ? NR : PIXELS];
            float16 start[NV], done[NV][PIXELS];
            place_columns(&columns, g * t.oc + first_oc, &t);
            UNROLL_FOR (int j = 0; j < NV; j++) start[j] = start_of(bias, &t, g, first_oc + j * 16);
            if (cv_flag(CVF_SHORT) && copies) {
                const int nowhere[5] = {0, 0, 0, 0, 0}; /* they are the same for all pixels */
                po_seek(&ctx, &po, nowhere, 5);
                UNROLL_FOR (int j = 0; j < NV; j++)
                    operands[j] = column_values(columns.inner[j], &ctx, &po);
            } else if (po_nsrcs() > 0 && cv_flag(CVF_PLANES)) {
                const int width = panel_width(t.oc - first_oc);
                seek_planes(base, place.px, first, width, &columns, &t, &ctx, &by_plane);
                /* The last pixel: the first one often is in the cache line of the tile before. */
                const int last = min(height, pixels_run - first % pixels_run) - 1;
                ask_for_operands(base, width, last, &ctx, &by_plane);
            } else if (po_nsrcs() > 0 && t.oc > first_oc) {
                seek_rows(base, place.px, first, height, columns.block[0], &t, &ctx, &po, by_pixel);
                for (int j = 0; j * 16 < panel_width(t.oc - first_oc); j++)
                    if (columns.block[j] == columns.block[0])
                        ask_for_operands(base, height, j * 16, &ctx, &po);
            }
            NO_UNROLL_FOR (int part = 0; part * MR < height; part++) {
                sums_t sums;
                start_sums(&sums, start);
                accumulate(&sums, &place, part, wei, g * t.wei_g + panel * t.wei_panel, &t);
                UNROLL_FOR (int i = 0; i < MR; i++)
                    UNROLL_FOR (int j = 0; j < NV; j++) {
                        const int pixel = part * MR + i;
                        if (pixel >= tile_pixels()) continue;
                        float16 x = number_of(sum_of(&sums, i, j));
                        if (!copies) {
                            done[j][pixel] = x;
                            continue;
                        }
                        if (cv_flag(CVF_SHORT))
                            EACH_BLOCK_OP(e) x = BLOCK_OP(block_op(e), x, operands[j].y[e]);
                        store_padded(x, dst, place.px[pixel].dst + columns.at[j], 1, 16, 16);
                    }
            }
            if (copies) continue;
            if (cv_flag(CVF_PLANES))
                store_tile_by_planes(done, base, place.px, &columns, dst, first, height,
                        min(NR, t.oc - first_oc), &t, &ctx, &by_plane, pixels_run);
            else
                store_tile(done, base, place.px, &columns, dst, first, height, first_oc, &t, &ctx,
                        &po, by_pixel);
        }
    }
    close_products();
}
