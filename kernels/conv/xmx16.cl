/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution on matrix units with 16 lanes, channels last. Each tap of the window is a product of
 * pixels x channels with channels x output channels. A sub-group computes PIECE pixels along the
 * rows of an image by MT / PIECE pixels along its columns, and 16 * NT output channels. */
#define A_ROWS PIECE
#include "conv.h"
#include "postops.h"

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

#include "xmx_tile.h"
#include "xmx_phase.h"
#include "xmx_result.h"
#include "xmx_write.h"

#define BLOCK_ALIGN 64    /* bytes: where surfaces begin */
#define NOWHERE (1 << 24) /* a row beyond the end of every surface: block loads read zeros there */

/* The strides and types of the epilogue's tensors occupy registers during the whole kernel. With
 * more than four tensors, tiles of 64 channels load the weights of two panels at a time. */
#define MANY_TENSORS (NT > 2 && po_nsrcs() > 4)

enum { OUTER, ROWS, COLUMNS };

/* Has the dimension one position and one tap, as a constant? Only the outer one has a flag. */
static inline bool is_flat(int i) {
    return i == OUTER && cv_flag(CVF_FLAT);
}

/* Distances along k are in units of 16 bits. Those in bytes are even, so that a shift, which is
 * shorter than a division, divides negative ones as well. */
#define UNITS(bytes) ((bytes) >> 1)

/* A block of 8 pixels x 16 channels. */
typedef struct {
    int n, outer, row, column, c;
} place_t;

/* The state of the loops over the window, besides the surface of the source. A step along k has 32
 * units. */
typedef struct {
    surface_t b;
    int first_row;   /* first row of the tile's first panel of weights */
    int next_panel;  /* rows from a pair of panels to the next one */
    int tap_rows;    /* rows of a panel from tap to tap */
    int run;         /* units that a tap sums; 0: addresses are not aligned */
    int next_column; /* from a column of pixels to the next */
    /* Where this sub-group prefetches: position in the source, row of the weights. */
    int ahead_x, ahead_y, ahead_row;
} walk_t;

/* ---- addresses that block loads do not support ---- */

#ifdef INTS
static inline int add_product(int sum, gcptr_t src, gcptr_t wei, long at) {
    return sum + load_int(src, 0, src_dt()) * load_int(wei, at, wei_dt());
}
#else
static inline float add_product(float sum, gcptr_t src, gcptr_t wei, long at) {
    return mad(load_1(src, 0, src_dt()), load_1(wei, at, wei_dt()), sum);
}
#endif

/* Adds the products of one tap for 8 pixels. The pixels begin at row y0 of `plane`, `x` bytes into
 * the row, and the weights of a channel at element `first`. */
static inline void add_unaligned_tap(
        lines_t *sum, gcptr_t plane, gcptr_t wei, const cv_xmx_t *t, int y0, int x, long first) {
    const int per_word = 4 / ELEMENT; /* elements of k in 32 bits of a panel */
    for (int k = 0; k < t->run / ELEMENT; k++) {
        const int in_x = x + k * ELEMENT;
        if (in_x < 0 || in_x >= t->width) continue;
        const long w = first + k / STEP * (32L * 64 / ELEMENT) +
                       k % STEP / per_word * (64 / ELEMENT) + k % per_word;
        NO_UNROLL_FOR (int r = 0; r < 8; r++) {
            const int y = y0 + r * t->stride[ROWS];
            if (y < 0 || y >= t->in[ROWS]) continue;
            sum->s[r] = add_product(sum->s[r], plane + y * t->src_row + in_x, wei, w);
        }
    }
}

/* Computes the sums of a block without block loads. */
static sum8_t unaligned_block(
        gcptr_t src, gcptr_t wei, const cv_xmx_t *t, const phase_t *phase, place_t at, int g) {
    lines_t sum;
    sum.v = 0;
    const int steps = (t->run / ELEMENT + STEP - 1) / STEP;
    const long first = (long)panel_row(at.c / 16, 0, t->panel_steps) * (64 / ELEMENT) +
                       at.c % 16 * (4 / ELEMENT);
    int z = at.outer * t->stride[OUTER] + phase->lead[OUTER];
    for (int kz = phase->tap[OUTER]; kz < t->k[OUTER];
            kz += APART(OUTER), z += t->dilation[OUTER]) {
        int y = at.row * t->stride[ROWS] + phase->lead[ROWS];
        for (int kr = phase->tap[ROWS]; kr < t->k[ROWS];
                kr += APART(ROWS), y += t->dilation[ROWS]) {
            int x = (at.column * t->stride[COLUMNS] + phase->lead[COLUMNS]) * t->column +
                    g * t->channels;
            for (int kx = phase->tap[COLUMNS]; kx < t->k[COLUMNS];
                    kx += APART(COLUMNS), x += t->dilation[COLUMNS] * t->column) {
                if (z < 0 || z >= t->in[OUTER] || at.c >= t->oc) continue;
                add_unaligned_tap(&sum, src + at.n * t->src_n + z * t->src_outer, wei, t, y, x,
                        first + (long)(TAP(kz, kr, kx) * steps) * (32L * 64 / ELEMENT));
            }
        }
    }
    return sum.v;
}

/* ---- place ---- */

/* Tiles of a work-group below and beside one another. */
#define GROUP_M (cv_flag(CVF_PREFETCH) ? CONV_XMX_GROUP_M : 1)
#define GROUP_N (cv_flag(CVF_PREFETCH) ? CONV_XMX_GROUP_N : 1)

/* Finds the tile of this sub-group. Returns false if there is no tile; the image is then the
 * first one. */
static inline bool place_tile(place_t *tile, const cv_xmx_t *t, const phase_t *phase, uint sg) {
    uint m = get_group_id(1) * GROUP_M + sg / GROUP_N;
    tile->column = tile->row = tile->outer = 0;
    /* A loop, because a division is long code. */
    NO_UNROLL_FOR (int axis = COLUMNS; axis >= (is_flat(OUTER) ? ROWS : OUTER); axis--) {
        const uint size = axis == COLUMNS ? t->tiles[1]
                          : axis == ROWS  ? t->tiles[0]
                                          : t->out[OUTER],
                   rest = m / size, at = m - rest * size;
        if (axis == COLUMNS) tile->column = at * (MT / PIECE);
        else if (axis == ROWS) tile->row = at * PIECE;
        else tile->outer = at;
        m = rest;
    }
    tile->n = m;
    if (is_flat(OUTER)) tile->outer = 0; /* as it is: compilers do not see that in the loop */
    bool is_tile = tile->n < t->images;
    if (!is_tile) tile->n = 0;
    if (cv_flag(CVF_PHASES) && POSITION(OUTER, tile->outer) >= t->whole[OUTER]) is_tile = false;
    tile->c = (int)get_group_id(0) * GROUP_N * TILE_N + sg % GROUP_N * TILE_N;
    return is_tile;
}

/* ---- surfaces ---- */

static inline void start_walk(
        walk_t *w, gcptr_t wei, const cv_xmx_t *t, int first_channel, uint sg, bool unaligned) {
    const surface_t b = {(__global void *)wei, 64, t->panel_rows, 64, 0};
    w->b = b;
    w->run = !cv_flag(CVF_BLOCKS) && unaligned ? 0 : UNITS(t->run);
    w->tap_rows = (w->run + 31) & -32;
    w->next_panel = t->panel_steps * 32;
    w->next_column = UNITS(t->stride[COLUMNS] * t->column);
    w->first_row = panel_row(first_channel / 16, 0, t->panel_steps);
    w->ahead_x = w->ahead_y = w->ahead_row = 0;
    if (!cv_flag(CVF_PREFETCH)) return;
    /* Four tiles of the group read the same pixels, and eight tiles read the same weights. So each
     * sub-group prefetches a quarter of the pixels and an eighth of the weights. */
    const int group_channel = (int)get_group_id(0) * GROUP_N * TILE_N;
    w->ahead_row = panel_row(group_channel / 16 + sg / 4 * 2, 0, t->panel_steps) + sg % 4 * 8 -
                   w->first_row;
    w->ahead_x = MT > PIECE ? sg % 4 * w->next_column : 0;
    w->ahead_y = MT > PIECE ? 0 : sg % 4 * 8;
}

/* ---- accumulate ---- */

/* Adds the products of a tap whose pixels begin at (x, y) of the surface. */
static inline void add_tap(sum8_t (*sum)[NT], const walk_t *w, const cv_xmx_t *t,
        const surface_t *a, int x, int y, int b_row) {
    surface_t part[A_PIECES];
    UNROLL_FOR (int i = 0; i < A_PIECES; i++) {
        part[i] = *a;
        part[i].base = (__global void *)((gcptr_t)a->base + i * t->none);
    }
    int at = 0;
    if (!cv_flag(CVF_BLOCKS) && w->run <= 0) return;
    do {
        ushort av[A_PIECES][2 * A_ROWS];
        uint bv[NT][16];
        UNROLL_FOR (int i = 0; i < A_PIECES; i++)
            READ_A(part[i].base, a->width, a->height, a->pitch,
                    (int2)(x + i * w->next_column + at, y), av[i]);
        if (!MANY_TENSORS) read_packed(&w->b, b_row + at, w->next_panel, bv);
        if (cv_flag(CVF_PREFETCH)) {
            prefetch(a, x + at + AHEAD * 32 + w->ahead_x, y + w->ahead_y);
            /* All work-groups share the weights, so a cache nearby holds them. Only tiles of one
             * piece prefetch them. */
            if (PIECE == MT) prefetch(&w->b, 0, b_row + at + AHEAD * 32 + w->ahead_row);
        }
        if (MANY_TENSORS) multiply_by_pairs(sum, av, &w->b, b_row + at, w->next_panel);
        else multiply_step(sum, av, bv);
        at += 32;
    } while (at < w->run);
}

/* Is there such a tap? With CVF_BLOCKS the compiler knows of the first one: if the loop might not
 * run, it would clear the sums a second time for that case. */
#define HAS_TAP(i, tap)                                                                            \
    (is_flat(i) ? (tap) == 0 : (tap) < t->k[i] || (cv_flag(CVF_BLOCKS) && (tap) == 0))

/* Adds the products of all taps of the window. Rows of the source at a distance of the stride form
 * a surface: tap `kr` reads the rows that are `rest` modulo the stride, from row `step` of that
 * surface on. */
static inline void accumulate(sum8_t (*sum)[NT], const walk_t *w, gcptr_t image, const cv_xmx_t *t,
        const phase_t *phase, const place_t *tile, bool is_tile, int g) {
    const int width = t->width, pitch = t->pitch;
    int b_row = w->first_row;
    int z = tile->outer * t->stride[OUTER] + phase->lead[OUTER];
    for (int kz = phase->tap[OUTER]; HAS_TAP(OUTER, kz);
            kz += APART(OUTER), z += t->dilation[OUTER]) {
        const bool inside = is_tile && (is_flat(OUTER) || (z >= 0 && z < t->in[OUTER]));
        gcptr_t plane = inside && !is_flat(OUTER) ? image + z * t->src_outer : image;
        int step = cv_flag(CVF_PHASES) ? phase->lead[ROWS] : t->first_step,
            rest = cv_flag(CVF_PHASES) ? 0 : t->first_rest;
        for (int kr = phase->tap[ROWS]; HAS_TAP(ROWS, kr); kr += APART(ROWS)) {
            const int height = t->in_steps + (rest < t->in_rest);
            const surface_t a = {
                    (__global void *)(plane + rest * t->src_row), width, max(height, 1), pitch, 0};
            const int y = inside && height > 0 ? tile->row + step : NOWHERE;
            int x = UNITS((tile->column * t->stride[COLUMNS] + phase->lead[COLUMNS]) * t->column +
                          g * t->channels);
            for (int kx = phase->tap[COLUMNS]; HAS_TAP(COLUMNS, kx); kx += APART(COLUMNS)) {
                if (cv_flag(CVF_PHASES)) b_row = w->first_row + TAP(kz, kr, kx) * w->tap_rows;
                add_tap(sum, w, t, &a, x, y, b_row);
                b_row += w->tap_rows;
                x += UNITS(t->dilation[COLUMNS] * t->column);
            }
            step += t->tap_step;
            rest += t->tap_rest;
            if (rest >= t->stride[ROWS]) {
                rest -= t->stride[ROWS];
                step++;
            }
        }
    }
}

/* ---- store ---- */

/* Sets the position as po_seek() expects it: image, block of channels, depth, height, width. */
static inline void set_position(
        int *pos, const cv_xmx_t *t, const phase_t *phase, place_t at, int row, int block) {
    if (cv_flag(CVF_DENSE)) {
        pos[4] = row % t->size[2];
        row /= t->size[2];
        pos[3] = row % t->size[1];
        row /= t->size[1];
        pos[2] = row % t->size[0];
        pos[0] = row / t->size[0];
    } else {
        pos[0] = at.n;
        row = POSITION(ROWS, row);
        pos[2] = POSITION(OUTER, at.outer);
        pos[3] = cv_flag(CVF_ALONG_W) ? 0 : row;
        pos[4] = cv_flag(CVF_ALONG_W) ? row : POSITION(COLUMNS, at.column);
    }
    pos[1] = block;
}

/* The position of block number `block` in the tile. */
static inline place_t place_block(const place_t *tile, int block, int lane) {
    place_t at = *tile;
    at.row += block / NT % (PIECE / 8) * 8;
    at.column += block / NT / (PIECE / 8);
    at.c += block % NT * 16 + lane;
    return at;
}

static inline void store_block(const lines_t *x, place_t at, const cv_xmx_t *t,
        const phase_t *phase, int g, __global const int *zero, gptr_t dst, po_ctx_t *ctx,
        const po_params_t *po) {
    int pos[PAR_MAX_DIMS];
    const int column = POSITION(COLUMNS, at.column);
    const int last_row = (cv_flag(CVF_PHASES) ? t->whole : t->out)[ROWS];
    if (at.c >= t->padded_oc || column >= (cv_flag(CVF_PHASES) ? t->whole : t->out)[COLUMNS])
        return;
    const int c = g * t->oc + at.c, inner = c % t->dst_block;
    const long first = at.n * t->dst_n + POSITION(OUTER, at.outer) * t->dst_outer +
                       column * t->dst_column + c / t->dst_block * t->dst_c_outer +
                       inner * t->dst_c_inner;
    const zero_sums_t sums_of_zero = zero_sums(zero, t, g, at.c);
    column_t channel;
    if (cv_flag(CVF_BLOCKS)) channel = column_values(inner, ctx, po);
    NO_UNROLL_FOR (int r = 0; r < 8; r++) {
        const int row = POSITION(ROWS, at.row + r);
        if (row >= last_row) break;
        if (cv_flag(CVF_BLOCKS)) {
            write_one(AT(x->s, 8, r, ), dst, first + row * t->dst_row, &channel);
            continue;
        }
        if (po_nsrcs() > 0 || cv_flag(CVF_ZA))
            set_position(pos, t, phase, at, at.row + r, c / t->dst_block);
        store_sum(AT(x->s, 8, r, ), dst, first + row * t->dst_row, at.c, inner, t, &sums_of_zero,
                pos, ctx, po);
    }
}

/* Stores the blocks one by one, because the epilogue is then compiled in only once. */
static inline void store_tile(sum8_t (*sum)[NT], gcptr_t src, gcptr_t wei, const cv_xmx_t *t,
        const phase_t *phase, const place_t *tile, bool unaligned, int lane, int g,
        __global const int *zero, gptr_t dst, po_ctx_t *ctx, const po_params_t *po) {
    NO_UNROLL_FOR (int block = 0; block < BLOCKS; block++) {
        const place_t at = place_block(tile, block, lane);
        lines_t x;
        /* `x` is set before the branch. If the compiler had to choose between two values, it would
         * copy all sums. */
        x.v = cv_flag(CVF_BLOCKS) ? 0 : block_of_sums(sum, block);
        if (unaligned) x.v = unaligned_block(src, wei, t, phase, at, g);
        store_block(&x, at, t, phase, g, zero, dst, ctx, po);
    }
}

/* Stores a tile where CVF_BLOCKS is set. Each column of pixels is a surface. */
static inline void write_tile(sum8_t (*sum)[NT], const cv_xmx_t *t, const place_t *tile,
        bool is_tile, int lane, int g, gptr_t dst, po_ctx_t *ctx, const po_params_t *po) {
    const long first = tile->n * t->dst_n + tile->outer * t->dst_outer +
                       tile->column * t->dst_column + g * t->oc;
    column_t channels[NT];
    UNROLL_FOR (int j = 0; j < NT; j++)
        channels[j] = column_values(g * t->oc + min(tile->c + 16 * j + lane, t->oc - 1), ctx, po);
    UNROLL_FOR (int i = 0; i < A_PIECES; i++) {
        /* What is no part of the image goes outside of the surface: control flow is the same for
         * all sub-groups. */
        const bool inside = is_tile && tile->column + i < t->out[COLUMNS];
        const surface_t s = surface(dst + (first + i * t->dst_column) * dst_size(), t->dst_width,
                t->out[ROWS], t->dst_pitch);
        const message_t message = write_message(&s, tile->c, inside ? tile->row : t->out[ROWS]);
        UNROLL_FOR (int j = 0; j < NT; j++)
            UNROLL_FOR (int r = 0; r < PIECE / 8; r++)
                write_sums(sum[i * (PIECE / 8) + r][j], message, 16 * j, 8 * r, &channels[j]);
    }
}

/* ---- the kernel ---- */

/* zero: sums of cv_zero_t, if CVF_ZA is set. */
__attribute__((intel_reqd_sub_group_size(16))) __kernel void conv_xmx(gcptr_t src, gcptr_t wei_all,
        gptr_t dst, __global const int *zero, const cv_xmx_t t_, PO_ARGS) {
    const cv_xmx_t *t = &t_;
    const int sg = sg_number(), lane = get_sub_group_local_id();
    const int g = cv_flag(CVF_PHASES) ? get_group_id(2) / t->phases : get_group_id(2);
    const phase_t phase = phase_of(t, get_group_id(2) - g * t->phases);
    gcptr_t wei = wei_all + g * t->wei_g;
    const ulong places = (ulong)src | (ulong)wei_all | (cv_flag(CVF_BLOCKS) ? (ulong)dst : 0);
    const bool unaligned = !cv_flag(CVF_ALIGNED) && (places & (BLOCK_ALIGN - 1)) != 0;
    place_t tile;
    const bool is_tile = place_tile(&tile, t, &phase, sg);

    po_ctx_t ctx = PO_CTX;
    sum8_t sum[MT / 8][NT];
    walk_t walk;
    /* With CVF_BLOCKS this is a part of its own: two ways to one epilogue would need copies of the
     * sums. */
    if (cv_flag(CVF_BLOCKS) && unaligned) {
        if (is_tile)
            store_tile(sum, src, wei, t, &phase, &tile, unaligned, lane, g, zero, dst, &ctx, &po);
        return;
    }
    clear_sums(sum);
    start_walk(&walk, wei, t, tile.c, sg, unaligned);
    accumulate(sum, &walk, src + tile.n * t->src_n, t, &phase, &tile, is_tile, g);
    if (cv_flag(CVF_BLOCKS)) write_tile(sum, t, &tile, is_tile, lane, g, dst, &ctx, &po);
    else if (is_tile)
        store_tile(sum, src, wei, t, &phase, &tile, unaligned, lane, g, zero, dst, &ctx, &po);
}
