/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution on matrix units with 8 lanes, for GPUs that load no rectangles: the rows of a product are pixels of the destination, over all
 * images, and k goes through the taps and for each through the channels. A lane finds the pixel of the source that a tap reads when it brings
 * 16 bytes of it to local memory; of what is outside of the image it brings zeros. */
#include "conv.h"
#include "postops.h"

#ifdef INTS
SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)
#endif

#include "xmx8_tile.h"
#include "xmx_phase.h"
#ifdef INTS
#include "xmx_zero.h"
#endif

#define LINE 64               /* bytes of k in a step */
#define PANEL (TILE_N * LINE) /* bytes of 32 columns in a step */

/* What a lane brings of the source: of each of its rows 16 bytes of a step. */
typedef struct {
    gcptr_t image;      /* of the tile's first row */
    int at[A_PIECES];   /* what the tap reads: bytes from there */
    int mask[A_PIECES]; /* -1; 0: it is outside of the image */
    int taps[A_PIECES]; /* a bit for each tap that is not */
} source_t;

/* Where a tap is: how far from tap 0, in positions and in bytes, and where its weights begin, in steps. */
typedef struct {
    int z, y, x, move, panel, bit;
} tap_t;

/* How these change: with each tap; with one of the next row or plane of the window, besides. */
typedef struct {
    int end[3]; /* where each returns to 0 */
    int move[3], panel[3];
} stride_t;

/* A pixel of the destination, and where it is. */
typedef struct {
    int n, z, y, x;
    long at;
} pixel_t;

/* The number of a lane's piece. Where it lies is where those of the lane and of i * TEAM_LANES do, together: one address in registers. */
#define NUMBER(i) ((i) * TEAM_LANES + lane)

static inline long image_at(const cv_xmx_t *t, const phase_t *phase, const pixel_t *p) {
    return p->n * t->dst_n + POSITION(0, p->z) * t->dst_outer + POSITION(1, p->y) * t->dst_row +
           POSITION(2, p->x) * t->dst_column;
}

static inline pixel_t pixel_of(const cv_xmx_t *t, int row) {
    pixel_t p;
    p.x = row % t->out[2];
    row /= t->out[2];
    p.y = row % t->out[1];
    row /= t->out[1];
    p.z = row % t->out[0];
    p.n = row / t->out[0];
    p.at = 0;
    return p;
}

static inline void next_pixel(const cv_xmx_t *t, const phase_t *phase, pixel_t *p) {
    p->at += APART(2) * t->dst_column;
    if (++p->x < t->out[2]) return;
    p->x = 0;
    if (++p->y == t->out[1]) {
        p->y = 0;
        if (++p->z == t->out[0]) {
            p->z = 0;
            p->n++;
        }
    }
    p->at = image_at(t, phase, p);
}

/* ---- the source ---- */

/* Where tap 0 of a row reads: bytes from the image of the tile's first row, and position. */
static inline int find_row(
        const cv_xmx_t *t, const phase_t *phase, int row, int first, int *z, int *y, int *x) {
    const pixel_t p = pixel_of(t, min(row, t->images * t->out[0] * t->out[1] * t->out[2] - 1));
    *z = p.z * t->stride[0] + phase->lead[0];
    *y = p.y * t->stride[1] + phase->lead[1];
    *x = p.x * t->stride[2] + phase->lead[2];
    return (p.n - first) * (int)t->src_n + *z * (int)t->src_outer + *y * (int)t->src_row +
           *x * t->column;
}

static inline int first_image(const cv_xmx_t *t, int m0) {
    return m0 / t->out[2] / t->out[1] / t->out[0];
}

static inline int lines_of(const cv_xmx_t *t) {
    return (t->run + LINE - 1) / LINE;
}

/* The taps of the phase along a dimension. */
static inline int taps_of(const cv_xmx_t *t, const phase_t *phase, int i) {
    return cv_flag(CVF_PHASES) ? max((t->k[i] - phase->tap[i] + APART(i) - 1) / APART(i), 0)
                               : t->k[i];
}

static inline void set_stride(stride_t *s, const cv_xmx_t *t, const phase_t *phase) {
    const int lines = lines_of(t), x_taps = taps_of(t, phase, 2), y_taps = taps_of(t, phase, 1);
    UNROLL_FOR (int i = 0; i < 3; i++) s->end[i] = taps_of(t, phase, i) * t->dilation[i];
    s->move[2] = t->dilation[2] * t->column;
    s->move[1] = t->dilation[1] * (int)t->src_row - s->end[2] * t->column;
    s->move[0] = t->dilation[0] * (int)t->src_outer - s->end[1] * (int)t->src_row;
    s->panel[2] = APART(2) * lines;
    s->panel[1] = (TAP(0, APART(1), 0) - x_taps * APART(2)) * lines;
    s->panel[0] = (TAP(APART(0), 0, 0) - TAP(0, y_taps * APART(1), 0)) * lines;
}

static inline void seek_tap(tap_t *tap, const cv_xmx_t *t, const phase_t *phase, int number) {
    const int x_taps = taps_of(t, phase, 2), y_taps = taps_of(t, phase, 1), x = number % x_taps,
              y = number / x_taps % y_taps, z = number / x_taps / y_taps;
    tap->z = z * t->dilation[0];
    tap->y = y * t->dilation[1];
    tap->x = x * t->dilation[2];
    tap->move = tap->z * (int)t->src_outer + tap->y * (int)t->src_row + tap->x * t->column;
    tap->panel = TAP(phase->tap[0] + z * APART(0), phase->tap[1] + y * APART(1),
                         phase->tap[2] + x * APART(2)) *
                 lines_of(t);
    tap->bit = number;
}

/* Answers the bytes to go. */
static inline int next_tap(tap_t *tap, const stride_t *s, const cv_xmx_t *t) {
    tap->x += t->dilation[2];
    const bool row = tap->x == s->end[2];
    tap->x = row ? 0 : tap->x;
    tap->y += row ? t->dilation[1] : 0;
    const bool plane = row & (tap->y == s->end[1]);
    tap->y = plane ? 0 : tap->y;
    tap->z += plane ? t->dilation[0] : 0;
    const int bytes = s->move[2] + (row ? s->move[1] : 0) + (plane ? s->move[0] : 0);
    tap->move += bytes;
    tap->panel += s->panel[2] + (row ? s->panel[1] : 0) + (plane ? s->panel[0] : 0);
    tap->bit++;
    return bytes;
}

static inline bool is_in_image(const cv_xmx_t *t, const tap_t *tap, int z, int y, int x) {
    return ((uint)(z + tap->z) < (uint)t->in[0]) & ((uint)(y + tap->y) < (uint)t->in[1]) &
           ((uint)(x + tap->x) < (uint)t->in[2]);
}

/* places: local memory for those of the lane's rows, for windows with more than 32 taps. */
static inline void find_rows(source_t *s, gcptr_t src, const cv_xmx_t *t, const phase_t *phase,
        const stride_t *stride, int m0, int lane, __local int4 *places) {
    int z[A_PIECES], y[A_PIECES], x[A_PIECES];
    s->image = src + first_image(t, m0) * t->src_n;
    UNROLL_FOR (int i = 0; i < A_PIECES; i++) {
        s->at[i] = find_row(t, phase, m0 + NUMBER(i) / 4, first_image(t, m0), &z[i], &y[i], &x[i]) +
                   lane % 4 * 16;
        s->taps[i] = 0;
        if (cv_flag(CVF_MANY_TAPS)) places[i * TEAM_LANES] = (int4)(z[i], y[i], x[i], 0);
    }
    if (!cv_flag(CVF_PADDED) || cv_flag(CVF_MANY_TAPS)) return;
    tap_t tap;
    seek_tap(&tap, t, phase, 0);
    const int taps = taps_of(t, phase, 0) * taps_of(t, phase, 1) * taps_of(t, phase, 2);
    NO_UNROLL_FOR (int n = 0; n < taps; n++) {
        UNROLL_FOR (int i = 0; i < A_PIECES; i++)
            s->taps[i] |= is_in_image(t, &tap, z[i], y[i], x[i]) ? 1 << n : 0;
        next_tap(&tap, stride, t);
    }
}

static inline void find_tap(
        source_t *s, const cv_xmx_t *t, const tap_t *tap, int bytes, const __local int4 *places) {
    UNROLL_FOR (int i = 0; i < A_PIECES; i++) {
        s->at[i] += bytes;
        if (cv_flag(CVF_MANY_TAPS)) {
            const int4 p = places[i * TEAM_LANES];
            s->mask[i] = is_in_image(t, tap, p.s0, p.s1, p.s2) ? -1 : 0;
        } else {
            s->mask[i] = cv_flag(CVF_PADDED) ? s->taps[i] << (31 - tap->bit) >> 31 : -1;
        }
    }
}

#define IS_MASKED (cv_flag(CVF_PADDED) || cv_flag(CVF_PART_OF_LINE))

/* The last line of a tap's channels ends before 64 bytes. */
static inline void end_line(source_t *s, const cv_xmx_t *t, int line, int lane) {
    const int rest = line * LINE + lane % 4 * 16 < t->run ? -1 : 0;
    UNROLL_FOR (int i = 0; i < A_PIECES; i++) s->mask[i] &= rest;
}

static inline void load_a(const source_t *s, int line, uint4 *v) {
    UNROLL_FOR (int i = 0; i < A_PIECES; i++) {
        const int from = s->at[i] + line * LINE;
        v[i] = load_piece(s->image + (uint)(IS_MASKED ? from & s->mask[i] : from));
    }
}

static inline void store_a(const source_t *s, int lane, __local uint *to, const uint4 *v) {
    UNROLL_FOR (int i = 0; i < A_PIECES; i++) {
        const uint4 x = IS_MASKED ? v[i] & (uint4)(s->mask[i]) : v[i];
        store_piece(to + row_word(lane / 4, lane % 4 * 4) + row_word(i * TEAM_LANES / 4, 0), x);
    }
}

/* ---- weights ----
 * In pairs of panels of 16 columns, as the rows for 16 lanes have them. */

#define PIECES_OF_PANEL (PANEL / 16)

/* Bytes from the weights of a group to a panel: less than 2^31. */
static inline uint panel_at(const cv_xmx_t *t, int panel) {
    const int last = t->panel_rows / t->panel_steps / TILE_N - 1;
    return min(panel, last) * t->panel_steps * PANEL;
}

/* panels: those that lanes have pieces of. */
static inline void load_b(gcptr_t wei, const uint *panels, int step, int lane, uint4 *v) {
    UNROLL_FOR (int i = 0; i < B_PIECES; i++) {
        const gcptr_t from = wei + panels[i * TEAM_LANES / PIECES_OF_PANEL] + (uint)step * PANEL;
        v[i] = load_piece(from + i * TEAM_LANES % PIECES_OF_PANEL * 16 + (uint)lane * 16);
    }
}

/* Of local memory. */
static inline int piece_at(int n) {
    return column_word(n / 64 * 16 + n % 4 * 4, n / 4 % 16);
}

static inline void store_b(int lane, __local uint *to, const uint4 *v) {
    UNROLL_FOR (int i = 0; i < B_PIECES; i++)
        store_piece(to + piece_at(lane) + piece_at(i * TEAM_LANES), v[i]);
}

/* ---- at any address ---- */

static inline void store_bytes(__local uint *to, gcptr_t p, bool inside) {
    NO_UNROLL_FOR (int i = 0; i < 4; i++, p += 4)
        to[i] = inside ? p[0] | p[1] << 8 | p[2] << 16 | (uint)p[3] << 24 : 0;
}

static void fill_by_bytes(gcptr_t src, gcptr_t wei, const cv_xmx_t *t, const phase_t *phase,
        const tap_t *tap, int line, int m0, int panel, int lane, __local uint *to) {
    const gcptr_t image = src + first_image(t, m0) * t->src_n;
    NO_UNROLL_FOR (int n = lane; n < A_WORDS / 4; n += TEAM_LANES) {
        int z, y, x;
        const int byte = line * LINE + n % 4 * 16,
                  from = find_row(t, phase, m0 + n / 4, first_image(t, m0), &z, &y, &x) +
                         tap->move + byte;
        const bool inside = is_in_image(t, tap, z, y, x) && byte < t->run;
        store_bytes(to + row_word(n / 4, n % 4 * 4), image + (inside ? from : 0), inside);
    }
    NO_UNROLL_FOR (int n = lane; n < B_WORDS / 4; n += TEAM_LANES)
        store_bytes(to + A_WORDS + piece_at(n),
                wei + panel_at(t, panel + n / PIECES_OF_PANEL) + (uint)(tap->panel + line) * PANEL +
                        n % PIECES_OF_PANEL * 16,
                true);
}

/* zero: of cv_zero_t, where CVF_ZA is set. */
__attribute__((intel_reqd_sub_group_size(8))) __kernel void conv_xmx8(gcptr_t src, gcptr_t wei_all,
        gptr_t dst, __global const int *zero, const cv_xmx_t t_, __local uint *stages, PO_ARGS) {
    const cv_xmx_t *t = &t_;
    const int sg = sg_number(), sg_lane = get_sub_group_local_id();
    /* With a part of k for each team, the teams share a tile and each has a sub-group. */
    const bool split = cv_flag(CVF_SPLIT);
    const int part = split ? sg / TEAM : 0, parts = get_num_sub_groups() / TEAM, member = sg % TEAM;
    const int lane = member * LANES + sg_lane; /* of the team */
    const int g = cv_flag(CVF_PHASES) ? get_group_id(2) / t->phases : get_group_id(2);
    const phase_t phase_ = phase_of(t, get_group_id(2) - g * t->phases), *phase = &phase_;
    const int m0 = (int)get_group_id(1) * ROWS, n0 = (int)get_group_id(0) * COLUMNS,
              panel = n0 / TILE_N;
    gcptr_t wei = wei_all + g * t->wei_g;

    sum8_t sum[MT / 8][NT];
    clear_sums(sum);

    source_t source;
    tap_t tap;
    src += (long)g * t->channels;
    stride_t stride;
    set_stride(&stride, t, phase);
    __local int4 *places = (__local int4 *)(stages + parts * CVX8_STAGES * STAGE) +
                           part * (A_PIECES * TEAM_LANES) + lane;
    find_rows(&source, src, t, phase, &stride, m0, lane, places);
    uint panels[SGN];
    UNROLL_FOR (int i = 0; i < SGN; i++) panels[i] = panel_at(t, panel + i);
    const int lines = lines_of(t), steps = split ? t->part
                                                 : taps_of(t, phase, 0) * taps_of(t, phase, 1) *
                                                           taps_of(t, phase, 2) * lines;
    const bool misplaced = (((ulong)src | (ulong)wei) & 3) != 0;
    const int whole = misplaced ? 0 : steps; /* that are loaded ahead */
    __local uint *own = stages + part * CVX8_STAGES * STAGE;
    const __local uint *a_tile = own + member / SGN * (MT * WORDS),
                       *b_tile = own + A_WORDS + member % SGN * (TILE_N * WORDS);
    uint4 av[A_PIECES], bv[B_PIECES];
    int stage = 0, line = 0; /* words from the first one, and lines of the tap */
    if (steps == 0) {        /* of a deconvolution, no tap reaches these positions */
        NO_UNROLL_FOR (int i = lane; i < STAGE; i += TEAM_LANES) own[i] = 0;
    } else {
        seek_tap(&tap, t, phase, part * steps / lines);
        line = part * steps % lines;
        if (misplaced) {
            fill_by_bytes(src, wei, t, phase, &tap, line, m0, panel, lane, own);
        } else {
            find_tap(&source, t, &tap, tap.move, places);
            if (cv_flag(CVF_PART_OF_LINE)) end_line(&source, t, line, lane);
            load_a(&source, line, av);
            load_b(wei, panels, tap.panel + line, lane, bv);
            store_a(&source, lane, own, av);
            store_b(lane, own + A_WORDS, bv);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    line++;
    int next = 1; /* step to bring */
    while (next < whole) {
        if (line == lines) {
            const int bytes = next_tap(&tap, &stride, t);
            find_tap(&source, t, &tap, bytes, places);
            line = 0;
        }
        const bool last = cv_flag(CVF_PART_OF_LINE) && line == lines - 1;
        if (last) end_line(&source, t, line, lane);
        const int end =
                min(cv_flag(CVF_PART_OF_LINE) && !last ? lines - 1 : lines, line + whole - next);
        next += end - line;
        do {
            const __local uint *a = a_tile + stage, *b = b_tile + stage;
            stage = STAGE - stage;
            load_b(wei, panels, tap.panel + line, lane, bv);
            multiply_half(sum, a, b);
            store_b(lane, own + A_WORDS + stage, bv);
            load_a(&source, line, av);
            multiply_half(sum, a + 64, b + 64);
            store_a(&source, lane, own + stage, av);
            barrier(CLK_LOCAL_MEM_FENCE);
        } while (++line < end);
    }
    do {
        NO_UNROLL_FOR (int half_step = 0; half_step < 2; half_step++)
            multiply_half(sum, a_tile + stage + half_step * 64, b_tile + stage + half_step * 64);
        stage = STAGE - stage;
        if (next < steps) {
            if (line == lines) {
                next_tap(&tap, &stride, t);
                line = 0;
            }
            fill_by_bytes(src, wei, t, phase, &tap, line, m0, panel, lane, own + stage);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        line++;
    } while (++next <= steps);

    /* Block by block, with the attributes compiled in once. Those of a tile whose k was split lie in local memory, part after part. */
    union {
        sum8_t v;
        sum_t s[8];
    } x;
    __local sum_t *partial = (__local sum_t *)stages;
    if (split) {
        NO_UNROLL_FOR (int block = 0; block < BLOCKS; block++) {
            x.v = block_of_sums(sum, block);
            UNROLL_FOR (int r = 0; r < 8; r++)
                partial[((part * BLOCKS + block) * 8 + r) * LANES + sg_lane] = x.s[r];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    po_ctx_t ctx = PO_CTX;
    int pos[PAR_MAX_DIMS];
    pixel_t pixel = pixel_of(t, m0 + member / SGN * MT + part), first;
    pixel.at = image_at(t, phase, &pixel);
    NO_UNROLL_FOR (int block = 0; block < BLOCKS; block++) {
        if (block % NT == 0) first = pixel;
        pixel = first;
        if (!split) x.v = block_of_sums(sum, block);
        const int of_group = n0 + member % SGN * TILE_N + block % NT * LANES + sg_lane,
                  c = g * t->oc + of_group;
        const int outer = c / t->dst_block, inner = c - outer * t->dst_block;
        const long channel = outer * t->dst_c_outer + inner * t->dst_c_inner;
#ifdef INTS
        __global const int *sums = zero + (long)g * t->zero_taps * t->zero_columns + of_group;
        int all = 0;
        if (cv_flag(CVF_ZA) && of_group < t->oc)
            for (int tap = 0; tap < t->zero_taps; tap++) all += sums[tap * t->zero_columns];
#else
        (void)zero;
#endif
        NO_UNROLL_FOR (int r = part; r < 8; r += parts) {
            const pixel_t here = pixel;
            NO_UNROLL_FOR (int n = 0; n < parts; n++) next_pixel(t, phase, &pixel);
            if (here.n >= t->images) break;
            sum_t value = 0;
            if (split) {
                for (int p = 0; p < parts; p++)
                    value += partial[((p * BLOCKS + block) * 8 + r) * LANES + sg_lane];
            } else {
                value = AT(x.s, 8, r, );
            }
            if (of_group >= t->padded_oc) continue;
            pos[0] = here.n;
            pos[1] = outer;
            pos[2] = POSITION(0, here.z);
            pos[3] = POSITION(1, here.y);
            pos[4] = POSITION(2, here.x);
            if (cv_flag(CVF_PHASES) &&
                    (pos[2] >= t->whole[0] || pos[3] >= t->whole[1] || pos[4] >= t->whole[2]))
                continue;
            const long to = here.at + channel;
            if (of_group >= t->oc) {
                store_1(0, dst, to, dst_dt());
                continue;
            }
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
