/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution for CPUs. A work-item keeps MR pixels x (16 * NV) channels of the result in vector
 * registers and sums over the taps of the window and the channels of the source. Pixels are
 * numbered across rows and images, so that small images also fill the tile. */
#define VW 16
#include "conv.h"
#include "postops.h"

#define NR (16 * NV)
/* A float sum of this many products of 8-bit integers is exact, with the zero point subtracted. */
#define EXACT 256
#define EDGE 64 /* channels copied at a time where a window reaches beyond the source */
#define LANES ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

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

/* The initial value of the sums of 16 channels. */
static inline float16 start_of(
        __global const float *bias, __private const cv_tile_t *t, int g, int oc) {
    if (!cv_flag(CVF_BIAS)) return 0;
    return load_v((gcptr_t)bias, g * t->oc + oc, 1, clamp(t->oc - oc, 0, 16), DT_F32);
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

/* MR pixels: their positions, their first elements in the source, and the positions of the
 * first tap. */
typedef struct {
    pixel_t px[MR];
    __global const float *a[MR];
    int d[MR], h[MR], w[MR];
} rows_t;

static inline void seek_pixel(pixel_t *x, int number, __private const cv_tile_t *t) {
    for (int d = 2; d >= 0; d--) {
        x->p[d] = number % t->win.out[d];
        number /= t->win.out[d];
    }
    x->n = number;
    place_pixel(x, t);
}

/* Finds the pixels from number `first` on; numbers beyond the last pixel repeat it. `next` advances
 * with them. */
static inline void place_rows(rows_t *rows, pixel_t *next, __global const float *src, int first,
        __private const cv_tile_t *t) {
    UNROLL_FOR (int i = 0; i < MR; i++) {
        if (cv_flag(CVF_EVEN)) {
            rows->a[i] = src + min(first + i, t->pixels - 1) * t->src.sp[2];
            rows->px[i].dst = (first + i) * t->dst.sp[2];
            continue;
        }
        rows->px[i] = *next;
        rows->a[i] = src + next->src;
        if (cv_flag(CVF_PADDED)) {
            rows->d[i] = next->p[0] * t->win.stride[0] - t->win.pad[0];
            rows->h[i] = next->p[1] * t->win.stride[1] - t->win.pad[1];
            rows->w[i] = next->p[2] * t->win.stride[2] - t->win.pad[2];
        }
        if (first + i + 1 < t->pixels) next_pixel(next, t);
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
        c->block[j] = channel < t->dst.block ? 0 : channel / t->dst.block;
        c->inner[j] = channel - c->block[j] * t->dst.block;
        c->at[j] = c->block[j] * t->dst.c_outer + c->inner[j] * t->dst.c_inner;
    }
}

/* ---- accumulate ---- */

/* Sums as floats. Integer sums that would exceed the exact range of floats are moved to `sum`. */
typedef struct {
    float16 acc[MR][NV];
    int16 sum[MR][NV];
    int pending; /* products in acc since the last move */
} sums_t;

static inline void start_sums(sums_t *s, const float16 *start) {
    s->pending = 0;
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NV; j++) {
            s->acc[i][j] = start[j];
            s->sum[i][j] = 0;
        }
}

/* acc += x * weights for `count` channels; X(i) points to the channels of pixel i. */
#define MULTIPLY(X, count)                                                                         \
    for (int k = 0; k < (count); k++, w += NR) {                                                   \
        float16 bv[NV];                                                                            \
        UNROLL_FOR (int j = 0; j < NV; j++) bv[j] = load_16(wei, w + j * 16, wei_dt());            \
        UNROLL_FOR (int i = 0; i < MR; i++) {                                                      \
            const float16 av = X(i)[k];                                                            \
            UNROLL_FOR (int j = 0; j < NV; j++) s->acc[i][j] = mad(av, bv[j], s->acc[i][j]);       \
        }                                                                                          \
    }
#define IN_SOURCE(i) (rows->a[i] + tap)
#define IN_CHUNK(i) (rows->a[i] + tap + k0)
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

/* Adds products of integers. Moves the float sums to integers before they lose exactness. */
static inline long add_integers(
        sums_t *s, const rows_t *rows, gcptr_t wei, long w, long tap, int len) {
    for (int k0 = 0; k0 < len; k0 += EXACT) {
        const int count = min(EXACT, len - k0);
        if (s->pending + count > EXACT) {
            UNROLL_FOR (int i = 0; i < MR; i++)
                UNROLL_FOR (int j = 0; j < NV; j++) {
                    s->sum[i][j] += convert_int16(s->acc[i][j]);
                    s->acc[i][j] = 0;
                }
            s->pending = 0;
        }
        s->pending += count;
        MULTIPLY(IN_CHUNK, count)
    }
    return w;
}

/* Adds a tap that reads outside of the source for some pixels; it reads a copy with zeros. */
static inline long add_edge(
        sums_t *s, const rows_t *rows, gcptr_t wei, long w, long tap, int len, const bool *valid) {
    for (int k0 = 0; k0 < len; k0 += EDGE) {
        float edge[MR][EDGE];
        const int count = min(EDGE, len - k0);
        for (int i = 0; i < MR; i++) copy_channels(edge[i], rows->a[i] + tap + k0, count, valid[i]);
        MULTIPLY(IN_COPY, count)
    }
    return w;
}

/* Counts the pixels whose tap at (d, h, c) lies inside of the source, and marks them in `valid`. */
static inline int find_inside(
        bool *valid, const rows_t *rows, __private const cv_tile_t *t, int d, int h, int c) {
    int inside = 0;
    UNROLL_FOR (int i = 0; i < MR; i++) {
        valid[i] = (uint)(rows->d[i] + d) < (uint)t->win.in[0] &&
                   (uint)(rows->h[i] + h) < (uint)t->win.in[1] &&
                   (uint)(rows->w[i] + c) < (uint)t->win.in[2];
        inside += valid[i];
    }
    return inside;
}

/* Adds the products of the tap at distance (d, h, c) from the first tap. Its weights begin at
 * element w. */
static inline void add_tap(sums_t *s, const rows_t *rows, gcptr_t wei, long w,
        __private const cv_tile_t *t, int d, int h, int c) {
    const int blocks = (t->ic + t->src.block - 1) / t->src.block;
    long tap = d * t->src.sp[0] + h * t->src.sp[1] + c * t->src.sp[2];
    bool valid[MR];
    const int inside = cv_flag(CVF_PADDED) ? find_inside(valid, rows, t, d, h, c) : MR;
    if (inside == 0) return;
    for (int b = 0; b < blocks; b++, tap += t->src.c_outer) {
        const int len = min(t->ic - b * t->src.block, t->src.block);
        if (cv_flag(CVF_INT)) {
            w = add_integers(s, rows, wei, w, tap, len);
        } else if (inside == MR) {
            MULTIPLY(IN_SOURCE, len)
        } else {
            w = add_edge(s, rows, wei, w, tap, len, valid);
        }
    }
}

static inline void accumulate(
        sums_t *s, const rows_t *rows, gcptr_t wei, long wei_at, __private const cv_tile_t *t) {
    for (int kd = 0; kd < t->win.k[0]; kd++)
        for (int kh = 0; kh < t->win.k[1]; kh++)
            for (int kw = 0; kw < t->win.k[2]; kw++)
                add_tap(s, rows, wei,
                        wei_at + kd * t->wei_k[0] + kh * t->wei_k[1] + kw * t->wei_k[2], t,
                        kd * t->win.dilation[0], kh * t->win.dilation[1], kw * t->win.dilation[2]);
}

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

/* Stores 16 sums of a pixel: n channels and then padding up to `stored`. */
static inline void store_sums(float16 x, gptr_t dst, long at, int n, int stored, const pixel_t *px,
        int number, int block, int inner, __private const cv_tile_t *t, po_ctx_t *ctx,
        __private const po_params_t *po) {
    if (cv_flag(CVF_INT)) {
        if (po_count() == 0 && dst_dt() == DT_S32) { /* copies all bits */
            store_v(n < stored ? as_float16(LANES < n ? as_int16(x) : (int16)0) : x, dst, at,
                    t->dst.c_inner, stored, DT_F32);
            return;
        }
        x = convert_float16(as_int16(x));
    }
    if (po_count() > 0 && n > 0) {
        if (po_nsrcs() > 0) {
            int pos[5];
            set_position(pos, px, number, block, t);
            po_seek(ctx, po, pos, 5);
        }
        x = po_apply(x, ctx, po, inner, n);
    }
    if (n < stored) x = LANES < n ? x : (float16)0.0f;
    store_v(x, dst, at, t->dst.c_inner, stored, dst_dt());
}

/* Stores the tile whose first pixel is number `first`. The sums pass through memory, because the
 * epilogue is then compiled in only once. */
static inline void store_tile(const sums_t *s, const rows_t *rows, const columns_t *columns,
        gptr_t dst, int first, int height, int first_oc, __private const cv_tile_t *t,
        po_ctx_t *ctx, __private const po_params_t *po) {
    const int width = min(NR, t->padded_oc - first_oc);
    float16 done[NV][MR];
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NV; j++)
            done[j][i] = cv_flag(CVF_INT) ? as_float16(s->sum[i][j] + convert_int16(s->acc[i][j]))
                                          : s->acc[i][j];
    for (int j = 0; j * 16 < width; j++) {
        const int n = clamp(t->oc - first_oc - j * 16, 0, 16), stored = min(16, width - j * 16);
        for (int i = 0; i < height; i++)
            store_sums(done[j][i], dst, rows->px[i].dst + columns->at[j], n, stored, &rows->px[i],
                    first + i, columns->block[j], columns->inner[j], t, ctx, po);
    }
}

/* ---- the kernel ---- */

/* bias: floats, one per channel of the destination, if CVF_BIAS is set. */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void conv_tile(
        __global const float *src_all, gcptr_t wei, gptr_t dst, __global const float *bias,
        const cv_tile_t t, PO_ARGS) {
    const int chunk_id = get_group_id(t.by_panel ? 0 : 1), run = get_group_id(t.by_panel ? 1 : 0);
    const int chunks = (t.panels + t.chunk - 1) / t.chunk, g = chunk_id / chunks;
    const int first_panel = (chunk_id - g * chunks) * t.chunk,
              end_panel = min(first_panel + t.chunk, t.panels), first_ic = g * t.ic;
    po_ctx_t ctx = PO_CTX;
    src_all += first_ic / t.src.block * t.src.c_outer + first_ic % t.src.block;
    int first = run * t.tiles * MR;
    const int end = min(first + t.tiles * MR, t.pixels);
    pixel_t next;
    if (!cv_flag(CVF_EVEN)) seek_pixel(&next, first, &t);

    for (; first < end; first += MR) {
        const int height = min(MR, end - first);
        rows_t rows;
        place_rows(&rows, &next, src_all, first, &t);
        for (int panel = first_panel; panel < end_panel; panel++) {
            const int first_oc = panel * NR;
            const bool whole_panel = t.oc - first_oc >= NR && t.dst.c_inner == 1;
            columns_t columns;
            float16 start[NV];
            sums_t sums;
            place_columns(&columns, g * t.oc + first_oc, &t);
            UNROLL_FOR (int j = 0; j < NV; j++) start[j] = start_of(bias, &t, g, first_oc + j * 16);
            start_sums(&sums, start);
            accumulate(&sums, &rows, wei, g * t.wei_g + panel * t.wei_panel, &t);
            if (!cv_flag(CVF_INT) && po_count() == 0 && height == MR && whole_panel) {
                UNROLL_FOR (int i = 0; i < MR; i++)
                    UNROLL_FOR (int j = 0; j < NV; j++)
                        store_16(sums.acc[i][j], dst, rows.px[i].dst + columns.at[j], dst_dt());
                continue;
            }
            store_tile(&sums, &rows, &columns, dst, first, height, first_oc, &t, &ctx, &po);
        }
    }
}
