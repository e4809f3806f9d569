/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product on matrix units with 8 lanes, for GPUs without 2D block loads. A team of SGM x SGN
 * sub-groups walks along k in steps of 64 bytes. Each sub-group keeps a tile of MT x 32 sums in
 * registers. While the lanes multiply a step, they copy the next step to local memory, in the
 * layout of the matrix units. They copy pieces of 16 bytes if rows begin at multiples of 4 bytes,
 * and single words at the ends of rows and columns. */
#include "matmul_params.h"
#include "postops.h"
#include "quant.h"

#ifdef INTS
SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)
#endif

#include "xmx8_tile.h"
#include "xmx_batch.h"
#include "xmx_result.h"

/* The work of a team: its matrices, first row and column, and part of k. */
typedef struct {
    gcptr_t a, b;
    long c_at; /* offset of the batch's matrix in c */
    int m0, n0;
    int lane;               /* lane of the team */
    int member;             /* number of this sub-group in the team */
    int part, parts, first; /* split-K: number of this part, number of parts, first step */
} place_t;

/* Local memory of a team: its first stage, and the tiles of this sub-group in that stage. */
typedef struct {
    __local uint *own;
    const __local uint *a, *b;
} stages_t;

#define NUMBER(i) ((i) * TEAM_LANES + at->lane)

/* ---- pieces ----
 * Rows and columns beyond the ends repeat the last ones. */

static inline void load_a(const place_t *at, const mm_xmx_t *t, int step, uint4 *v) {
    const gcptr_t first = at->a + (long)at->m0 * t->a_pitch + step * 64;
    UNROLL_FOR (int i = 0; i < A_PIECES; i++) {
        const int n = NUMBER(i), row = min(n / 4, t->rows - 1 - at->m0);
        v[i] = load_piece(first + (uint)(row * t->a_pitch + n % 4 * 16));
    }
}
static inline void store_a(const place_t *at, __local uint *to, const uint4 *v) {
    UNROLL_FOR (int i = 0; i < A_PIECES; i++)
        store_piece(to + row_word(NUMBER(i) / 4, NUMBER(i) % 4 * 4), v[i]);
}

/* Packed weights have the layout of local memory: panels of 32 columns that contain all of k. */
static inline gcptr_t panel(const place_t *at, const mm_xmx_t *t, int n, int step) {
    const int last = (t->n - 1) / TILE_N;
    return at->b + ((long)min(at->n0 / TILE_N + n, last) * t->panel_steps + step) * (TILE_N * 64);
}
/* Weights that are stored column by column are loaded like the rows of a, but neighbouring lanes
 * load neighbouring columns. */
static inline int column_of(int n) {
    return n / 16 * 4 + n % 4;
}
static inline int quarter_of(int n) {
    return n / 4 % 4;
}
/* Weights that are stored row by row: PER pieces, one below the other, become one word for each of
 * WIDE columns. */
static inline int row_of(int n) {
    return n / 2 % 16 * PER;
}
static inline int wide_of(int n) {
    return (n / 32 * 2 + n % 2) * WIDE;
}

static inline void load_b(const place_t *at, const mm_xmx_t *t, int step, uint4 *v) {
    if (mm_flag(MMX_PACKED)) {
        UNROLL_FOR (int i = 0; i < B_PIECES; i++) {
            const int n = NUMBER(i), number = SGN > 1 ? n / (TILE_N * 4) : 0;
            v[i] = load_piece(panel(at, t, number, step) + n % (TILE_N * 4) * 16);
        }
    } else if (mm_flag(MMX_COLUMNS)) {
        const gcptr_t first = at->b + step * 64;
        UNROLL_FOR (int i = 0; i < B_PIECES; i++) {
            const int n = NUMBER(i), col = min(at->n0 + column_of(n), t->n - 1);
            v[i] = load_piece(first + ((long)col * t->b_pitch + quarter_of(n) * 16));
        }
    } else {
        const gcptr_t first = at->b + (long)step * STEP * t->b_pitch + at->n0 * ELEMENT;
        UNROLL_FOR (int i = 0; i < B_PIECES; i++) {
            const int n = NUMBER(i / PER), col = min(wide_of(n), t->n - WIDE - at->n0);
            v[i] = load_piece(first + (uint)((row_of(n) + i % PER) * t->b_pitch + col * ELEMENT));
        }
    }
}

typedef union {
    uint4 v;
    uint s[4];
} words_t;

/* Transposes 16 bytes of each of PER rows to one word per column, and returns the words of columns
 * 4 * i to 4 * i + 3. */
static inline uint4 transpose_rows(const uint4 *rows, int i) {
    words_t in[PER], out;
    UNROLL_FOR (int r = 0; r < PER; r++) in[r].v = rows[r];
#if ELEMENT == 2
    UNROLL_FOR (int j = 0; j < 2; j++) {
        const uint low = in[0].s[2 * i + j], high = in[1].s[2 * i + j];
        out.s[2 * j] = (low & 0xffff) | high << 16;
        out.s[2 * j + 1] = low >> 16 | (high & 0xffff0000u);
    }
#elif MT == 8
    /* Merges pairs of rows first, and then the pairs. Merging byte by byte is shorter, but for this
     * tile the compiler then moves each word once more. */
    const uint m = 0x00ff00ffu;
    const uint even0 = (in[0].s[i] & m) | (in[1].s[i] & m) << 8,
               even2 = (in[2].s[i] & m) | (in[3].s[i] & m) << 8;
    const uint odd0 = (in[0].s[i] >> 8 & m) | (in[1].s[i] & ~m),
               odd2 = (in[2].s[i] >> 8 & m) | (in[3].s[i] & ~m);
    out.s[0] = (even0 & 0xffff) | even2 << 16;
    out.s[1] = (odd0 & 0xffff) | odd2 << 16;
    out.s[2] = even0 >> 16 | (even2 & 0xffff0000u);
    out.s[3] = odd0 >> 16 | (odd2 & 0xffff0000u);
#else
    const uchar4 x0 = as_uchar4(in[0].s[i]), x1 = as_uchar4(in[1].s[i]), x2 = as_uchar4(in[2].s[i]),
                 x3 = as_uchar4(in[3].s[i]);
    out.s[0] = as_uint((uchar4)(x0.s0, x1.s0, x2.s0, x3.s0));
    out.s[1] = as_uint((uchar4)(x0.s1, x1.s1, x2.s1, x3.s1));
    out.s[2] = as_uint((uchar4)(x0.s2, x1.s2, x2.s2, x3.s2));
    out.s[3] = as_uint((uchar4)(x0.s3, x1.s3, x2.s3, x3.s3));
#endif
    return out.v;
}

static inline void store_b(const place_t *at, __local uint *to, const uint4 *v) {
    if (mm_flag(MMX_PACKED)) {
        UNROLL_FOR (int i = 0; i < B_PIECES; i++) store_piece(to + NUMBER(i) * 4, v[i]);
    } else if (mm_flag(MMX_COLUMNS)) {
        UNROLL_FOR (int i = 0; i < B_PIECES; i++) {
            __local uint *p = to + column_word(column_of(NUMBER(i)), quarter_of(NUMBER(i)) * 4);
            p[0] = v[i].s0;
            p[8] = v[i].s1;
            p[16] = v[i].s2;
            p[24] = v[i].s3;
        }
    } else {
        UNROLL_FOR (int i = 0; i < B_PIECES / PER; i++) {
            const int n = NUMBER(i);
            UNROLL_FOR (int c = 0; c < WIDE / 4; c++)
                store_piece(to + column_word(wide_of(n) + 4 * c, row_of(n) / PER),
                        transpose_rows(v + i * PER, c));
        }
    }
}

/* ---- words ---- */

/* Loads a word along k: up to n elements, the first one in the lowest bits. The other bits
 * are 0. */
static inline uint word_at(gcptr_t p, long at, long stride, int n) {
    uint word = 0;
    NO_UNROLL_FOR (int e = min(n, PER) - 1; e >= 0; e--) {
#if ELEMENT == 2
        word = word << 16 | ((__global const ushort *)p)[at + e * stride];
#else
        word = word << 8 | p[at + e * stride];
#endif
    }
    return word;
}

/* Copies a step from any address, up to the ends of rows and columns. */
static void fill_by_words(const place_t *at, const mm_xmx_t *t, int step, __local uint *to) {
    const int k0 = step * STEP;
    NO_UNROLL_FOR (int i = at->lane; i < A_WORDS; i += TEAM_LANES) {
        const int row = at->m0 + i / 16, k = k0 + i % 16 * PER;
        to[row_word(i / 16, i % 16)] =
                row < t->rows ? word_at(at->a, row * t->a_row + k, 1, t->k - k) : 0;
    }
    NO_UNROLL_FOR (int i = at->lane; i < B_WORDS; i += TEAM_LANES) {
        uint word = 0;
        if (mm_flag(MMX_PACKED)) {
            word = word_at(
                    panel(at, t, i / (TILE_N * WORDS), step), i % (TILE_N * WORDS) * PER, 1, PER);
        } else {
            const int col = at->n0 + i / 128 * 8 + i % 8, k = k0 + i / 8 % 16 * PER;
            if (col < t->n)
                word = word_at(at->b, col * t->b_col + k * t->b_row, t->b_row, t->k - k);
        }
        to[A_WORDS + i] = word;
    }
}

/* The number of steps that can be loaded in pieces. */
static inline int whole_steps(const place_t *at, const mm_xmx_t *t) {
    if ((((ulong)at->a | (ulong)at->b) & 3) != 0) return 0;
    const bool in_rows = !mm_flag(MMX_PACKED) && !mm_flag(MMX_COLUMNS);
    if (in_rows && t->n % WIDE && at->n0 + COLUMNS > t->n) return 0;
    return t->k / STEP;
}

/* ---- the product ---- */

static inline void load_pieces(
        const place_t *at, const mm_xmx_t *t, int step, __local uint *stage) {
    uint4 a[A_PIECES], b[B_PIECES];
    load_a(at, t, step, a);
    load_b(at, t, step, b);
    store_a(at, stage, a);
    store_b(at, stage + A_WORDS, b);
}

/* Double-buffered in local memory: multiplies the step at `a` and `b` while it loads step `next` to
 * `stage`. Before each half of the products it loads one of the two factors. */
static inline void multiply_and_load(sum8_t (*sum)[NT], const place_t *at, const mm_xmx_t *t,
        const __local uint *a, const __local uint *b, int next, __local uint *stage) {
    uint4 av[A_PIECES], bv[B_PIECES];
    load_b(at, t, next, bv);
    multiply_half(sum, a, b);
    store_b(at, stage + A_WORDS, bv);
    load_a(at, t, next, av);
    multiply_half(sum, a + 64, b + 64);
    store_a(at, stage, av);
}

/* Computes the sums of the team's part of k. All teams have the same number of steps. If the very
 * last step must be loaded word by word, every team loads the same number of steps word by word at
 * its end. */
static inline void accumulate(
        sum8_t (*sum)[NT], const place_t *at, const mm_xmx_t *t, const stages_t *s) {
    const int steps = mm_flag(MMX_SPLIT) ? t->part : t->a_end,
              whole = max(steps - (t->a_end - whole_steps(at, t)), 0);
    const int end = at->first + steps, end_of_pieces = at->first + whole;
    int stage = 0;            /* offset of the stage in words */
    int next = at->first + 1; /* step to load */
    if (whole > 0) load_pieces(at, t, at->first, s->own);
    else fill_by_words(at, t, at->first, s->own);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (; next < end_of_pieces; next++) {
        const __local uint *a = s->a + stage, *b = s->b + stage;
        stage ^= STAGE;
        multiply_and_load(sum, at, t, a, b, next, s->own + stage);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (; next <= end; next++) {
        NO_UNROLL_FOR (int half_step = 0; half_step < 2; half_step++)
            multiply_half(sum, s->a + stage + half_step * 64, s->b + stage + half_step * 64);
        stage ^= STAGE;
        if (next < end) fill_by_words(at, t, next, s->own + stage);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* ---- place ---- */

/* Finds the team of this sub-group. With split-K a team is one sub-group, the teams of a work-group
 * share a tile, and each team sums a part of k. */
static inline void place_team(place_t *at, const mm_xmx_t *t) {
    const int sg = sg_number();
    at->part = mm_flag(MMX_SPLIT) ? sg / TEAM : 0;
    at->parts = get_num_sub_groups() / TEAM;
    at->member = sg % TEAM;
    at->m0 = (int)get_group_id(1) * ROWS;
    at->n0 = (int)get_group_id(0) * COLUMNS;
    at->lane = at->member * LANES + get_sub_group_local_id();
    at->first = at->part * t->part;
}

/* Finds the matrices of the batch's element, and stores its position in `pos`. */
static inline void find_matrices(
        place_t *at, int *pos, const mm_xmx_t *t, gcptr_t a, gcptr_t b, int nd) {
    const batch_t of = batch_element(pos, get_group_id(2), t, nd);
    at->c_at = of.c;
    at->a = a + of.a * ELEMENT;
    at->b = b + of.b * ELEMENT;
}

static inline stages_t stages_of(const place_t *at, __local uint *stages) {
    stages_t s;
    s.own = stages + at->part * MMX8_STAGES * STAGE;
    s.a = s.own + at->member / SGN * (MT * WORDS);
    s.b = s.own + A_WORDS + at->member % SGN * (TILE_N * WORDS);
    return s;
}

/* ---- combine and store ---- */

/* The sums are stored row by row, because the epilogue is then compiled in only once. With split-K
 * each team combines and stores some of the rows. */
static inline void store_tile(sum8_t (*sum)[NT], const place_t *at, const mm_xmx_t *t,
        const __local sum_t *partial, gptr_t c, int nd, const po_ctx_t *ctx,
        const po_params_t *po) {
    const int lane = get_sub_group_local_id(), m0 = at->m0 + at->member / SGN * MT,
              n0 = at->n0 + at->member % SGN * TILE_N + lane;
    lines_t x;
    NO_UNROLL_FOR (int line = at->part; line < 8 * BLOCKS; line += at->parts) {
        const int block = line / 8;
        sum_t value = 0;
        if (mm_flag(MMX_SPLIT)) {
            for (int p = 0; p < at->parts; p++)
                value += partial[(p * BLOCKS * 8 + line) * LANES + lane];
        } else {
            if (line % 8 == 0) x.v = block_of_sums(sum, block);
            value = AT(x.s, 8, line % 8, );
        }
        store_sum(value, m0 + block / NT * 8 + line % 8, n0 + block % NT * LANES, c, at->c_at, t,
                nd, ctx, po);
    }
}

/* ---- the kernel ---- */

__attribute__((intel_reqd_sub_group_size(8))) __kernel void matmul_xmx8(
        gcptr_t a, gcptr_t b, gptr_t c, const mm_xmx_t t, __local uint *stages, PO_ARGS) {
    const int nd = min(t.ndims, (int)MM_DIMS);
    int pos[PAR_MAX_DIMS];
    po_ctx_t ctx = PO_CTX;
    place_t place;
    place_team(&place, &t);
    find_matrices(&place, pos, &t, a, b, nd);
    const stages_t own = stages_of(&place, stages);

    sum8_t sum[MT / 8][NT];
    clear_sums(sum);
    accumulate(sum, &place, &t, &own);

    __local sum_t *partial = (__local sum_t *)stages;
    if (mm_flag(MMX_SPLIT)) share_partial_sums(sum, partial, place.part);
    SET(pos, MM_DIMS, nd - 2, 0);
    SET(pos, MM_DIMS, nd - 1, 0);
    po_seek(&ctx, &po, pos, nd);
    store_tile(sum, &place, &t, partial, c, nd, &ctx, &po);
}
