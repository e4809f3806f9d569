/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution on matrix units with 8 lanes, for GPUs without 2D block loads. The rows of a product
 * are pixels of the destination, over all images. k runs over the taps of the window and, for each
 * tap, over the channels. A lane copies pieces of 16 bytes to local memory. It finds the pixel of
 * the source that a tap reads, and it stores zeros for pixels outside of the image. */
#include "conv.h"
#include "postops.h"

#ifdef INTS
SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)
#endif

#include "xmx8_tile.h"
#include "xmx_phase.h"
#include "xmx_result.h"

#define LINE 64               /* bytes of k in a step */
#define PANEL (TILE_N * LINE) /* bytes of 32 columns in a step */

/* The pieces of the source that a lane copies: 16 bytes of a step for each of its rows. */
typedef struct {
    gcptr_t image;      /* the image of the tile's first row */
    int at[A_PIECES];   /* offset of the pixel that the tap reads, in bytes */
    int mask[A_PIECES]; /* -1, or 0 outside of the image */
    int taps[A_PIECES]; /* bit n is set if tap n reads inside of the image */
} source_t;

/* A tap: its distance from tap 0 in positions and in bytes, its first step of the weights,
 * its number. */
typedef struct {
    int z, y, x, move, panel, bit;
} tap_t;

/* The changes from tap to tap: [2] with each tap, [1] in addition at the next row of the window,
 * [0] in addition at the next plane. */
typedef struct {
    int end[3]; /* the value at which a position returns to 0 */
    int move[3], panel[3];
} stride_t;

/* A pixel of the destination, and its offset. */
typedef struct {
    int n, z, y, x;
    long at;
} pixel_t;

/* The work of a team: its first pixel and channel, and its part of the steps of k. */
typedef struct {
    int m0, n0, lane;       /* lane of the team */
    int member;             /* number of this sub-group in the team */
    int g;                  /* group of channels */
    int part, parts, steps; /* split-K: number of this part, number of parts; steps per part */
    int first;              /* first step */
    gcptr_t src, wei;       /* pointers to the group of channels */
    bool unaligned;         /* loads of 16 bytes are not supported */
} work_t;

/* Local memory of a team: its first stage, and the tiles of this sub-group in that stage. */
typedef struct {
    __local uint *own;
    const __local uint *a, *b;
} stages_t;

/* The number of a lane's piece. Its place is the place of piece `lane` plus that of piece i *
 * TEAM_LANES, so one address register serves all pieces. */
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

/* Returns the offset that tap 0 reads for a row, in bytes from the image of the tile's first row,
 * and its position in z, y and x. */
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

/* The number of taps of the phase along a dimension. */
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

/* Advances to the next tap and returns the distance in bytes. */
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

/* places: local memory for the positions of the lane's rows, if a window has more than 32 taps. */
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

/* Masks the pieces of a tap's last line that lie beyond its channels; they become zeros. */
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
 * They are stored in pairs of panels of 16 columns, as for the variants with 16 lanes. */

#define PIECES_OF_PANEL (PANEL / 16)

/* Bytes from the weights of a group to a panel; the value is below 2^31. */
static inline uint panel_at(const cv_xmx_t *t, int panel) {
    const int last = t->panel_rows / t->panel_steps / TILE_N - 1;
    return min(panel, last) * t->panel_steps * PANEL;
}

/* panels: offsets of the panels that the lanes' pieces belong to. */
static inline void load_b(gcptr_t wei, const uint *panels, int step, int lane, uint4 *v) {
    UNROLL_FOR (int i = 0; i < B_PIECES; i++) {
        const gcptr_t from = wei + panels[i * TEAM_LANES / PIECES_OF_PANEL] + (uint)step * PANEL;
        v[i] = load_piece(from + i * TEAM_LANES % PIECES_OF_PANEL * 16 + (uint)lane * 16);
    }
}

/* The word of local memory where a piece begins. */
static inline int piece_at(int n) {
    return column_word(n / 64 * 16 + n % 4 * 4, n / 4 % 16);
}

static inline void store_b(int lane, __local uint *to, const uint4 *v) {
    UNROLL_FOR (int i = 0; i < B_PIECES; i++)
        store_piece(to + piece_at(lane) + piece_at(i * TEAM_LANES), v[i]);
}

/* ---- unaligned addresses ---- */

static inline void store_bytes(__local uint *to, gcptr_t p, bool inside) {
    NO_UNROLL_FOR (int i = 0; i < 4; i++, p += 4)
        to[i] = inside ? p[0] | p[1] << 8 | p[2] << 16 | (uint)p[3] << 24 : 0;
}

/* The parameters are scalars, because a pointer to a work_t would keep it in memory. */
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

/* ---- place ---- */

/* Finds the team of this sub-group. With split-K a team is one sub-group, the teams of a work-group
 * share a tile, and each team sums a part of k. */
static inline void place_team(work_t *w, const cv_xmx_t *t, gcptr_t src, gcptr_t wei, int g) {
    const int sg = sg_number();
    w->g = g;
    w->part = cv_flag(CVF_SPLIT) ? sg / TEAM : 0;
    w->parts = get_num_sub_groups() / TEAM;
    w->member = sg % TEAM;
    w->lane = w->member * LANES + get_sub_group_local_id();
    w->m0 = (int)get_group_id(1) * ROWS;
    w->n0 = (int)get_group_id(0) * COLUMNS;
    w->src = src + (long)g * t->channels;
    w->wei = wei + g * t->wei_g;
    w->unaligned = (((ulong)w->src | (ulong)w->wei) & 3) != 0;
}

static inline void place_steps(work_t *w, const cv_xmx_t *t, const phase_t *phase) {
    w->steps = cv_flag(CVF_SPLIT) ? t->part
                                  : taps_of(t, phase, 0) * taps_of(t, phase, 1) *
                                            taps_of(t, phase, 2) * lines_of(t);
    w->first = w->part * w->steps;
}

static inline stages_t stages_of(const work_t *w, __local uint *stages) {
    stages_t s;
    s.own = stages + w->part * CVX8_STAGES * STAGE;
    s.a = s.own + w->member / SGN * (MT * WORDS);
    s.b = s.own + A_WORDS + w->member % SGN * (TILE_N * WORDS);
    return s;
}

/* The positions of this lane's rows in local memory, for windows with more than 32 taps. */
static inline __local int4 *places_of(const work_t *w, __local uint *stages) {
    __local int4 *places = (__local int4 *)(stages + w->parts * CVX8_STAGES * STAGE);
    return places + w->part * (A_PIECES * TEAM_LANES) + w->lane;
}

/* ---- accumulate ---- */

/* Loads the first step to local memory. */
static inline void load_first(source_t *source, tap_t *tap, int *line, const uint *panels,
        const work_t *w, const cv_xmx_t *t, const phase_t *phase, const __local int4 *places,
        __local uint *own) {
    const int lines = lines_of(t);
    if (w->steps == 0) { /* deconvolution: no tap reaches these positions */
        NO_UNROLL_FOR (int i = w->lane; i < STAGE; i += TEAM_LANES) own[i] = 0;
        return;
    }
    seek_tap(tap, t, phase, w->first / lines);
    *line = w->first % lines;
    if (w->unaligned) {
        fill_by_bytes(w->src, w->wei, t, phase, tap, *line, w->m0, w->n0 / TILE_N, w->lane, own);
        return;
    }
    uint4 a[A_PIECES], b[B_PIECES];
    find_tap(source, t, tap, tap->move, places);
    if (cv_flag(CVF_PART_OF_LINE)) end_line(source, t, *line, w->lane);
    load_a(source, *line, a);
    load_b(w->wei, panels, tap->panel + *line, w->lane, b);
    store_a(source, w->lane, own, a);
    store_b(w->lane, own + A_WORDS, b);
}

/* Double-buffered in local memory: multiplies the step at `a` and `b` while it loads a line to
 * `stage`. Before each half of the products it loads one of the two factors. */
static inline void multiply_and_load(sum8_t (*sum)[NT], const source_t *source, int line, int step,
        const uint *panels, const work_t *w, const __local uint *a, const __local uint *b,
        __local uint *own, int stage) {
    uint4 av[A_PIECES], bv[B_PIECES];
    load_b(w->wei, panels, step, w->lane, bv);
    multiply_half(sum, a, b);
    store_b(w->lane, own + A_WORDS + stage, bv);
    load_a(source, line, av);
    multiply_half(sum, a + 64, b + 64);
    store_a(source, w->lane, own + stage, av);
}

/* Prepares the next lines. Returns the first line that needs preparation again: the end of the tap,
 * its last line if that line is shorter, or the line after `left` steps. */
static inline int prepare_lines(source_t *source, tap_t *tap, int *line, const stride_t *stride,
        const work_t *w, const cv_xmx_t *t, const __local int4 *places, int left) {
    const int lines = lines_of(t);
    if (*line == lines) {
        const int bytes = next_tap(tap, stride, t);
        find_tap(source, t, tap, bytes, places);
        *line = 0;
    }
    const bool is_last = cv_flag(CVF_PART_OF_LINE) && *line == lines - 1;
    if (is_last) end_line(source, t, *line, w->lane);
    return min(cv_flag(CVF_PART_OF_LINE) && !is_last ? lines - 1 : lines, *line + left);
}

/* A step without double buffering, for any address: multiplies, then loads step `next`. */
static inline int multiply_then_fill(sum8_t (*sum)[NT], tap_t *tap, int *line,
        const stride_t *stride, const work_t *w, const cv_xmx_t *t, const phase_t *phase,
        const stages_t *s, int stage, int next) {
    NO_UNROLL_FOR (int half_step = 0; half_step < 2; half_step++)
        multiply_half(sum, s->a + stage + half_step * 64, s->b + stage + half_step * 64);
    stage ^= STAGE;
    if (next < w->steps) {
        if (*line == lines_of(t)) {
            next_tap(tap, stride, t);
            *line = 0;
        }
        fill_by_bytes(w->src, w->wei, t, phase, tap, *line, w->m0, w->n0 / TILE_N, w->lane,
                s->own + stage);
    }
    return stage;
}

/* Computes the sums of the team's part of k. places: local memory for the positions of the
 * lane's rows. */
static inline void accumulate(sum8_t (*sum)[NT], const work_t *w, const cv_xmx_t *t,
        const phase_t *phase, const stages_t *s, __local int4 *places) {
    source_t source;
    tap_t tap;
    stride_t stride;
    uint panels[SGN];
    set_stride(&stride, t, phase);
    find_rows(&source, w->src, t, phase, &stride, w->m0, w->lane, places);
    UNROLL_FOR (int i = 0; i < SGN; i++) panels[i] = panel_at(t, w->n0 / TILE_N + i);
    const int whole = w->unaligned ? 0 : w->steps; /* steps that are loaded in pieces */
    int stage = 0, next = 1, line = 0; /* offset of the stage in words; step and line to load */
    load_first(&source, &tap, &line, panels, w, t, phase, places, s->own);
    barrier(CLK_LOCAL_MEM_FENCE);
    line++;
    while (next < whole) {
        const int end = prepare_lines(&source, &tap, &line, &stride, w, t, places, whole - next);
        next += end - line;
        do {
            const __local uint *a = s->a + stage, *b = s->b + stage;
            stage ^= STAGE;
            multiply_and_load(sum, &source, line, tap.panel + line, panels, w, a, b, s->own, stage);
            barrier(CLK_LOCAL_MEM_FENCE);
        } while (++line < end);
    }
    do {
        stage = multiply_then_fill(sum, &tap, &line, &stride, w, t, phase, s, stage, next);
        barrier(CLK_LOCAL_MEM_FENCE);
        line++;
    } while (++next <= w->steps);
}

/* ---- combine and store ---- */

/* The sum of row r of a block. With split-K the sums of all parts are in local memory. */
static inline sum_t sum_of_row(
        const lines_t *x, const work_t *w, const __local sum_t *partial, int block, int r) {
    if (!cv_flag(CVF_SPLIT)) return AT(x->s, 8, r, );
    sum_t value = 0;
    for (int p = 0; p < w->parts; p++)
        value += partial[((p * BLOCKS + block) * 8 + r) * LANES + get_sub_group_local_id()];
    return value;
}

/* Sets the position as po_seek() expects it: image, block of channels, depth, height, width.
 * Returns false if the phase does not have the position. */
static inline bool set_position(
        int *pos, const cv_xmx_t *t, const phase_t *phase, const pixel_t *p, int block) {
    pos[0] = p->n;
    pos[1] = block;
    pos[2] = POSITION(0, p->z);
    pos[3] = POSITION(1, p->y);
    pos[4] = POSITION(2, p->x);
    return !cv_flag(CVF_PHASES) ||
           (pos[2] < t->whole[0] && pos[3] < t->whole[1] && pos[4] < t->whole[2]);
}

/* Stores a block whose first pixel is `pixel`, and advances to the pixel after it. */
static inline void store_block(const lines_t *x, int block, pixel_t *pixel, const work_t *w,
        const cv_xmx_t *t, const phase_t *phase, const __local sum_t *partial,
        __global const int *zero, gptr_t dst, po_ctx_t *ctx, const po_params_t *po) {
    const int of_group = w->n0 + w->member % SGN * TILE_N + block % NT * LANES +
                         get_sub_group_local_id(),
              c = w->g * t->oc + of_group;
    const int outer = c / t->dst_block, inner = c - outer * t->dst_block;
    const long channel = outer * t->dst_c_outer + inner * t->dst_c_inner;
    const zero_sums_t sums_of_zero = zero_sums(zero, t, w->g, of_group);
    int pos[PAR_MAX_DIMS];
    NO_UNROLL_FOR (int r = w->part; r < 8; r += w->parts) {
        const pixel_t here = *pixel;
        NO_UNROLL_FOR (int n = 0; n < w->parts; n++) next_pixel(t, phase, pixel);
        if (here.n >= t->images) break;
        const sum_t value = sum_of_row(x, w, partial, block, r);
        if (of_group >= t->padded_oc || !set_position(pos, t, phase, &here, outer)) continue;
        store_sum(value, dst, here.at + channel, of_group, inner, t, &sums_of_zero, pos, ctx, po);
    }
}

/* The blocks are stored one by one, because the epilogue is then compiled in only once. With
 * split-K each team combines and stores some of the rows. */
static inline void store_tile(sum8_t (*sum)[NT], const work_t *w, const cv_xmx_t *t,
        const phase_t *phase, const __local sum_t *partial, __global const int *zero, gptr_t dst,
        po_ctx_t *ctx, const po_params_t *po) {
    lines_t x;
    pixel_t pixel = pixel_of(t, w->m0 + w->member / SGN * MT + w->part), first;
    pixel.at = image_at(t, phase, &pixel);
    NO_UNROLL_FOR (int block = 0; block < BLOCKS; block++) {
        if (block % NT == 0) first = pixel;
        pixel = first;
        if (!cv_flag(CVF_SPLIT)) x.v = block_of_sums(sum, block);
        store_block(&x, block, &pixel, w, t, phase, partial, zero, dst, ctx, po);
    }
}

/* ---- the kernel ---- */

/* zero: sums of cv_zero_t, if CVF_ZA is set. */
__attribute__((intel_reqd_sub_group_size(8))) __kernel void conv_xmx8(gcptr_t src, gcptr_t wei,
        gptr_t dst, __global const int *zero, const cv_xmx_t t_, __local uint *stages, PO_ARGS) {
    const cv_xmx_t *t = &t_;
    const int g = cv_flag(CVF_PHASES) ? get_group_id(2) / t->phases : get_group_id(2);
    const phase_t phase = phase_of(t, get_group_id(2) - g * t->phases);
    work_t work;
    place_team(&work, t, src, wei, g);
    place_steps(&work, t, &phase);
    const stages_t own = stages_of(&work, stages);

    sum8_t sum[MT / 8][NT];
    clear_sums(sum);
    accumulate(sum, &work, t, &phase, &own, places_of(&work, stages));

    po_ctx_t ctx = PO_CTX;
    __local sum_t *partial = (__local sum_t *)stages;
    if (cv_flag(CVF_SPLIT)) share_partial_sums(sum, partial, work.part);
    store_tile(sum, &work, t, &phase, partial, zero, dst, &ctx, &po);
}
