/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution on matrix units with 16 lanes, channels last: for each tap of the window a product of pixels x channels with channels x output
 * channels. A sub-group has PIECE pixels along the rows of an image by MT / PIECE along its columns, and 16 * NT channels. */
#define A_ROWS PIECE
#include "conv.h"
#include "postops.h"

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

#include "xmx_tile.h"
#include "xmx_phase.h"
#ifdef INTS
#include "xmx_zero.h"
#endif

#define AHEAD 3           /* steps that are prefetched */
#define NOWHERE (1 << 24) /* a row that no surface has */

/* What the chain knows of its tensors lies in registers from the first instruction on: with so many, weights have to do with less of them. */
#define MANY_TENSORS (NT > 2 && po_nsrcs() > 4)

enum { OUTER, ROWS, COLUMNS };

/* A block of 8 pixels x 16 channels. */
typedef struct {
    int n, outer, row, column, c;
} place_t;

/* The sums of a block without block loads, for addresses that they cannot take. */
static sum8_t plain_block(
        gcptr_t src, gcptr_t wei, const cv_xmx_t *t, const phase_t *phase, place_t at, int g) {
    union {
        sum8_t v;
        sum_t s[8];
    } sum;
    sum.v = 0;
    const int run = t->run / ELEMENT, pairs = 4 / ELEMENT; /* of elements in 32 bits */
    const int steps = (run + STEP - 1) / STEP;
    const long image = at.n * t->src_n,
               first = (long)panel_row(at.c / 16, 0, t->panel_steps) * (64 / ELEMENT) +
                       at.c % 16 * pairs;
    int z = at.outer * t->stride[OUTER] + phase->lead[OUTER];
    for (int kz = phase->tap[OUTER]; kz < t->k[OUTER];
            kz += APART(OUTER), z += t->dilation[OUTER]) {
        int y0 = at.row * t->stride[ROWS] + phase->lead[ROWS];
        for (int kr = phase->tap[ROWS]; kr < t->k[ROWS];
                kr += APART(ROWS), y0 += t->dilation[ROWS]) {
            int x = (at.column * t->stride[COLUMNS] + phase->lead[COLUMNS]) * t->column +
                    g * t->channels;
            for (int kx = phase->tap[COLUMNS]; kx < t->k[COLUMNS];
                    kx += APART(COLUMNS), x += t->dilation[COLUMNS] * t->column) {
                if (z < 0 || z >= t->in[OUTER] || at.c >= t->oc) continue;
                const int step = TAP(kz, kr, kx) * steps;
                for (int k = 0; k < run; k++) {
                    const int in_x = x + k * ELEMENT;
                    if (in_x < 0 || in_x >= t->width) continue;
                    const long w = first + (step + k / STEP) * (32L * 64 / ELEMENT) +
                                   k % STEP / pairs * (64 / ELEMENT) + k % pairs;
                    NO_UNROLL_FOR (int r = 0; r < 8; r++) {
                        const int y = y0 + r * t->stride[ROWS];
                        if (y < 0 || y >= t->in[ROWS]) continue;
                        gcptr_t p = src + image + z * t->src_outer + y * t->src_row + in_x;
#ifdef INTS
                        sum.s[r] += load_int(p, 0, src_dt()) * load_int(wei, w, wei_dt());
#else
                        sum.s[r] = mad(load_1(p, 0, src_dt()), load_1(wei, w, wei_dt()), sum.s[r]);
#endif
                    }
                }
            }
        }
    }
    return sum.v;
}

/* As po_seek() takes positions: image, block of channels, depth, height, width. */
static inline void set_position(
        int *pos, const cv_xmx_t *t, const phase_t *phase, place_t at, int row, int block) {
    if (cv_flag(CVF_FLAT)) {
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

/* zero: of cv_zero_t, where CVF_ZA is set. */
__attribute__((intel_reqd_sub_group_size(16))) __kernel void conv_xmx(gcptr_t src, gcptr_t wei_all,
        gptr_t dst, __global const int *zero, const cv_xmx_t t_, PO_ARGS) {
    const cv_xmx_t *t = &t_;
    const int sg = sg_number(), lane = get_sub_group_local_id();
    const int g = cv_flag(CVF_PHASES) ? get_group_id(2) / t->phases : get_group_id(2);
    const phase_t phase_ = phase_of(t, get_group_id(2) - g * t->phases), *phase = &phase_;
    const int group_m = (int)get_num_sub_groups() / t->group_n;
    const int first_col = (int)get_group_id(0) * t->group_n * TILE_N,
              n0 = first_col + sg % t->group_n * TILE_N;
    gcptr_t wei = wei_all + g * t->wei_g;
    place_t tile;
    int m = (int)get_group_id(1) * group_m + sg / t->group_n;
    tile.column = m % t->tiles[1] * (MT / PIECE);
    m /= t->tiles[1];
    tile.row = m % t->tiles[0] * PIECE;
    m /= t->tiles[0];
    tile.outer = m % t->out[OUTER];
    tile.n = m / t->out[OUTER];
    bool is_tile = tile.n < t->images;
    if (!is_tile) tile.n = 0;
    if (cv_flag(CVF_PHASES) && POSITION(OUTER, tile.outer) >= t->whole[OUTER]) is_tile = false;
    const bool misplaced = (((ulong)src | (ulong)wei_all) & 63) != 0;

    sum8_t sum[MT / 8][NT];
    clear_sums(sum);

    /* Structures are in memory, which a loop would read again and again. Along k in 16 bits, as block loads count pixels. */
    const surface_t b = {(__global void *)wei, 64, t->panel_rows, 64, 0};
    const int width = t->width, pitch = t->pitch, next_panel = t->panel_steps * 32,
              run = misplaced ? 0 : t->run / 2;
    const int next_piece = t->stride[COLUMNS] * t->column / 2;
    int b_row = panel_row(n0 / 16, 0, t->panel_steps), ahead_row = 0;
    int ahead_x = 0, ahead_y = 0;
    if (cv_flag(CVF_PREFETCH)) {
        /* The group has 4 tiles with the same pixels, and 8 with the same weights: each loads a quarter and an eighth. */
        ahead_row = panel_row(first_col / 16 + sg / 4 * 2, 0, t->panel_steps) + sg % 4 * 8 - b_row;
        ahead_x = MT > PIECE ? sg % 4 * next_piece : 0;
        ahead_y = MT > PIECE ? 0 : sg % 4 * 8;
    }
    gcptr_t image = src + tile.n * t->src_n;
    const int first_b = b_row, tap_rows = (run + 31) & -32;
    int z = tile.outer * t->stride[OUTER] + phase->lead[OUTER];
    for (int kz = phase->tap[OUTER]; kz < t->k[OUTER];
            kz += APART(OUTER), z += t->dilation[OUTER]) {
        const bool inside = is_tile && z >= 0 && z < t->in[OUTER];
        gcptr_t plane = inside ? image + z * t->src_outer : image;
        int step = cv_flag(CVF_PHASES) ? phase->lead[ROWS] : t->first_step,
            rest = cv_flag(CVF_PHASES) ? 0 : t->first_rest;
        for (int kr = phase->tap[ROWS]; kr < t->k[ROWS]; kr += APART(ROWS)) {
            const int height = (t->in[ROWS] - rest + t->stride[ROWS] - 1) / t->stride[ROWS];
            const surface_t a = {
                    (__global void *)(plane + rest * t->src_row), width, max(height, 1), pitch, 0};
            const int y = inside && height > 0 ? tile.row + step : NOWHERE;
            int x = ((tile.column * t->stride[COLUMNS] + phase->lead[COLUMNS]) * t->column +
                            g * t->channels) /
                    2;
            for (int kx = phase->tap[COLUMNS]; kx < t->k[COLUMNS]; kx += APART(COLUMNS)) {
                if (cv_flag(CVF_PHASES)) b_row = first_b + TAP(kz, kr, kx) * tap_rows;
                surface_t part[A_PIECES];
                UNROLL_FOR (int i = 0; i < A_PIECES; i++) {
                    part[i] = a;
                    part[i].base = (__global void *)((gcptr_t)a.base + i * t->none);
                }
                for (int at = 0; at < run; at += 32) {
                    ushort av[A_PIECES][2 * A_ROWS];
                    uint bv[NT][16];
                    UNROLL_FOR (int i = 0; i < A_PIECES; i++)
                        READ_A(part[i].base, a.width, a.height, a.pitch,
                                (int2)(x + i * next_piece + at, y), av[i]);
                    if (!MANY_TENSORS) read_packed(&b, b_row + at, next_panel, bv);
                    if (cv_flag(CVF_PREFETCH)) {
                        prefetch(&a, x + at + AHEAD * 32 + ahead_x, y + ahead_y);
                        /* All groups share the weights: they are near by. */
                        if (PIECE == MT) prefetch(&b, 0, b_row + at + AHEAD * 32 + ahead_row);
                    }
                    if (MANY_TENSORS) multiply_by_pairs(sum, av, &b, b_row + at, next_panel);
                    else multiply_step(sum, av, bv);
                }
                b_row += tap_rows;
                x += t->dilation[COLUMNS] * t->column / 2;
            }
            step += t->tap_step;
            rest += t->tap_rest;
            if (rest >= t->stride[ROWS]) {
                rest -= t->stride[ROWS];
                step++;
            }
        }
    }
    if (!is_tile) return;

    /* Block by block, with the attributes compiled in once. */
    po_ctx_t ctx = PO_CTX;
    int pos[PAR_MAX_DIMS];
    NO_UNROLL_FOR (int block = 0; block < BLOCKS; block++) {
        union {
            sum8_t v;
            sum_t s[8];
        } x;
        place_t at = tile;
        at.row += block / NT % (PIECE / 8) * 8;
        at.column += block / NT / (PIECE / 8);
        at.c = n0 + block % NT * 16 + lane;
        x.v = block_of_sums(sum, block);
        if (misplaced) x.v = plain_block(src, wei, t, phase, at, g);
        const int column = POSITION(COLUMNS, at.column);
        if (at.c >= t->padded_oc || column >= (cv_flag(CVF_PHASES) ? t->whole : t->out)[COLUMNS])
            continue;
        const int c = g * t->oc + at.c, inner = c % t->dst_block;
        const long first = at.n * t->dst_n + POSITION(OUTER, at.outer) * t->dst_outer +
                           column * t->dst_column + c / t->dst_block * t->dst_c_outer +
                           inner * t->dst_c_inner;
#ifdef INTS
        __global const int *sums = zero + (long)g * t->zero_taps * t->zero_columns + at.c;
        int all = 0;
        if (cv_flag(CVF_ZA) && at.c < t->oc)
            for (int tap = 0; tap < t->zero_taps; tap++) all += sums[tap * t->zero_columns];
#else
        (void)zero;
#endif
        NO_UNROLL_FOR (int r = 0; r < 8; r++) {
            const int row = POSITION(ROWS, at.row + r);
            if (row >= (cv_flag(CVF_PHASES) ? t->whole : t->out)[ROWS]) break;
            const long to = first + row * t->dst_row;
            sum_t value = AT(x.s, 8, r, );
            if (at.c >= t->oc) {
                store_1(0, dst, to, dst_dt());
                continue;
            }
            if (po_nsrcs() > 0 || cv_flag(CVF_ZA))
                set_position(pos, t, phase, at, at.row + r, c / t->dst_block);
#ifdef INTS
            if (cv_flag(CVF_ZA)) value -= zero_part(sums, t, pos, all);
            if (po_count() == 0 && dst_dt() == DT_S32) {
                ((__global int *)dst)[to] = value;
                continue;
            }
#endif
            if (po_nsrcs() > 0) po_seek(&ctx, &po, pos, 5);
            store_1(po_apply((float)value, &ctx, &po, inner, 1), dst, to, dst_dt());
        }
    }
}
