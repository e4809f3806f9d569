/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product on matrix units with 16 lanes: a sub-group keeps MT x (16 * NT) sums in registers while it walks along k in steps of 64
 * bytes. The tiles for few rows (FEW) also take what changes along k, and zero points, but not of TF32: f32 of which tf32 is multiplied. */
#if MT < 32
#define FEW
#ifndef TF32
#define QUANTISED
#endif
#endif
#include "matmul_params.h"
#include "postops.h"
#include "quant.h"

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

#include "xmx_tile.h"
#define KEEPS_SUMS
#include "stream_k.h"
#if defined(QUANTISED) && !defined(INTS)
#include "xmx_decode.h"
#define DECODES
#else
#define weight_bits() (8 * ELEMENT)
#endif
#include "xmx_result.h"

/* ---- scales and zero points of weights ---- */

#ifdef QUANTISED
static inline long quant_number(const mm_xmx_quant_t *q, int k, int col) {
    return k / q->group_k * q->k + col / q->group_n * q->n;
}
#endif

#ifdef DECODES
SPEC_GETTER(scale_dt, SPEC_MMX_SCALE_DT, DT_F32)

static inline float weight_scale(gcptr_t p, const mm_xmx_t *t, int k, int col) {
    return load_1(p, quant_number(&t->scale, k, min(col, t->n - 1)), scale_dt());
}

#endif
#ifdef QUANTISED
SPEC_GETTER(zero_dt, SPEC_MMX_ZERO_DT, DT_S32)

static inline int weight_zero(gcptr_t p, int otherwise, const mm_xmx_t *t, int k, int col) {
    return p ? load_int(p, quant_number(&t->zero, k, min(col, t->n - 1)), zero_dt()) : otherwise;
}

#endif
/* ---- what the units cannot take ---- */

/* One block of 8 x 16 sums without block loads, for addresses that they cannot take. */
static sum8_t plain_block(gcptr_t a, gcptr_t b, const mm_xmx_t *t, int row, int col, int k_first,
        int k_end, int za, gcptr_t zb, int zb_value, gcptr_t scale) {
    union {
        sum8_t v;
        sum_t s[8];
    } sum;
    sum.v = 0;
    (void)za, (void)zb, (void)zb_value, (void)scale;
    for (int k = k_first; k < min(k_end, t->k) && col < t->n; k++) {
        const int pairs = 4 / ELEMENT; /* of elements in 32 bits */
        const long at =
                mm_flag(MMX_PACKED)
                        ? (long)panel_row(col / 16, k & -STEP, t->panel_steps) * (64 / ELEMENT) +
                                  k / pairs % 16 * (64 / ELEMENT) + col % 16 * pairs + k % pairs
                        : k * t->b_row + col * t->b_col;
#ifdef INTS
        int y = load_int(b, at, wei_dt());
#ifdef QUANTISED
        if (mm_flag(MMX_ZB)) y -= weight_zero(zb, zb_value, t, k, col);
#endif
#else
        float y = load_1(b, at, wei_dt());
#ifdef DECODES
        if (mm_flag(MMX_ZB)) y -= weight_zero(zb, zb_value, t, k, col);
        if (mm_flag(MMX_SCALES)) y *= weight_scale(scale, t, k, col);
#endif
#endif
        NO_UNROLL_FOR (int r = 0; r < 8; r++) {
            if (row + r >= t->rows) break;
#ifdef INTS
            sum.s[r] +=
                    (load_int(a, (row + r) * t->a_row + k, src_dt()) - (mm_flag(MMX_ZA) ? za : 0)) *
                    y;
#else
            sum.s[r] += load_1(a, (row + r) * t->a_row + k, src_dt()) * y;
#endif
        }
    }
    return sum.v;
}

#ifdef QUANTISED
/* Sums of rows of a and of columns of b are wanted for zero points, and for what decoding adds. */
static inline bool sums_a(void) {
#ifdef DECODES
    return is_decoded() && (is_in_mantissa() || mm_flag(MMX_ZB));
#else
    return mm_flag(MMX_ZB);
#endif
}
static inline bool sums_b(void) {
    return ELEMENT == 1 && mm_flag(MMX_ZA);
}

/* They are products with ones. Of `none`, which is 0, compilers do not know that: ones would be made anew in each step. */
static inline void add_ones(
        sum8_t *a_sum, sum8_t *b_sum, a_word_t (*a)[A_WORDS], uint (*b)[16], uint none) {
    a_word_t ones_a[A_PIECES][A_WORDS];
    uint ones_b[8];
    UNROLL_FOR (int i = 0; i < A_WORDS; i++) ones_a[0][i] = 0x0101 | none;
#ifdef DECODES
    UNROLL_FOR (int i = 0; i < 8; i++) ones_b[i] = decoded_one() | none;
#else
    UNROLL_FOR (int i = 0; i < 8; i++) ones_b[i] = 0x01010101 | none;
#endif
    UNROLL_FOR (int s = 0; s < 2; s++) {
        UNROLL_FOR (int i = 0; i < MT / 8; i++)
            if (sums_a()) a_sum[i] = multiply_rows(a, s, i, ones_b, a_sum[i]);
        UNROLL_FOR (int j = 0; j < NT; j++)
            if (sums_b()) b_sum[j] = multiply_rows(ones_a, s, 0, b[j] + 8 * s, b_sum[j]);
    }
}
#endif

#ifdef FEW
/* The operands of a step. */
typedef struct {
    rows8_t a[2][MT / 8];
    int8 b[2][NT];
} operands_t;

static inline void multiply_operands(sum8_t (*sum)[NT], const operands_t *x) {
    UNROLL_FOR (int h = 0; h < 2; h++)
        UNROLL_FOR (int j = 0; j < NT; j++)
            UNROLL_FOR (int i = 0; i < MT / 8; i++)
                sum[i][j] = multiply(x->a[h][i], x->b[h][j], sum[i][j]);
}
#endif

/* ---- the kernel ---- */

/* Places along k are in 16 bits of a row of a. */
static inline int k_of(int at) {
    return ELEMENT == 1 ? at << 1 : ELEMENT == 4 ? at >> 1 : at;
}

static inline void read_weights(
        const surface_t *b, const mm_xmx_t *t, int col, int at, uint (*out)[16]) {
#ifdef DECODES
    if (is_decoded()) {
        if (mm_flag(MMX_COLUMNS)) decode_columns(b, col, k_of(at), out);
        else decode_rows(b, col, k_of(at), out);
        return;
    }
#endif
    if (mm_flag(MMX_PACKED))
        read_packed(b, panel_row(col / 16, 0, t->panel_steps) + at, t->panel_steps * 32, out);
    else if (mm_flag(MMX_COLUMNS)) read_columns(b, col, at, out);
    else read_plain(b, col, k_of(at), out);
}

#ifdef FEW
/* Are loads a step ahead of the products? What else the loop does with its operands would have them moved. */
static inline bool in_turn(void) {
#ifdef DECODES
    return !is_decoded();
#elif defined(QUANTISED)
    return !sums_a() && !sums_b();
#else
    return true;
#endif
}

static inline void read_operands(const surface_t *a, const surface_t *b, const mm_xmx_t *t, int row,
        int col, int at, operands_t *x) {
    UNROLL_FOR (int h = 0; h < 2; h++) {
        UNROLL_FOR (int i = 0; i < MT / 8; i++)
            x->a[h][i] = read_a_operand(a, at + 16 * h, row + 8 * i);
        UNROLL_FOR (int j = 0; j < NT; j++) {
            const int from = col + 16 * j;
            x->b[h][j] = mm_flag(MMX_PACKED)
                                 ? read_packed_operand(
                                           b, panel_row(from / 16, 0, t->panel_steps) + at + 8 * h)
                         : mm_flag(MMX_COLUMNS) ? read_columns_operand(b, from, at + 16 * h)
                                                : read_plain_operand(b, from, k_of(at + 16 * h));
        }
    }
}
#endif

/* What the tile itself reads a few steps later. */
static inline void prefetch_tile(
        const surface_t *a, const surface_t *b, const mm_xmx_t *t, int row, int col, int at) {
    const int bits = weight_bits(), k = k_of(at);
    if (MT >= 32)
        UNROLL_FOR (int i = 0; i < MT; i += 32) prefetch_32_rows(a, at, row + i);
    UNROLL_FOR (int j = 0; j < NT; j += 2) {
        const int x = (col + 16 * j) * bits / 16;
        if (mm_flag(MMX_PACKED))
            prefetch_32_rows(b, 0, panel_row(col / 16 + j, 0, t->panel_steps) + at);
        else if (mm_flag(MMX_COLUMNS) && bits == 8 * ELEMENT) prefetch_32_rows(b, at, col + 16 * j);
        else if (mm_flag(MMX_COLUMNS))
            prefetch_32_half_rows(b, bits == 8 ? k >> 1 : k >> 2, col + 16 * j);
        else if (ELEMENT == 4)
            UNROLL_FOR (int i = 0; i < 2; i++) prefetch_16_rows(b, x + 32 * i, k);
        else if (bits == 16) prefetch_32_rows(b, x, k);
        else if (ELEMENT == 2) prefetch_32_half_rows(b, x, k);
        else if (NT == 4) prefetch_32_rows(b, col >> 1, k + 16 * j);
        else
            UNROLL_FOR (int i = 0; i < 2; i++) prefetch_32_half_rows(b, x, k + 32 * i);
    }
}

/* The same for all tiles of a work-group, which share 256 rows and columns: a piece of 16 lines of 64 bytes for each sub-group, which is of a for
 * one half of them. */
typedef struct {
    surface_t s;
    int x, row;           /* for the first step: in 16 bits, the corner's place among them */
    int along_x, along_y; /* all bits where steps go there */
} ahead_t;

static inline int along_rows(int at) {
    return mm_flag(MMX_PACKED) ? at : k_of(at);
}

static inline ahead_t group_ahead(
        const surface_t *a, const surface_t *b, const mm_xmx_t *t, int row, int col, int sg) {
    const bool of_b = sg >= MMX_GROUP / 2;
    const bool rows = of_b && !mm_flag(MMX_PACKED) && !mm_flag(MMX_COLUMNS);
    ahead_t p = {of_b ? *b : *a, 0, 0, 0, 0};
    /* A product, not a choice: of that Intel's compiler keeps the halves and puts them together in each step. */
    p.s.base = (gptr_t)((ulong)a->base +
                        ((ulong)b->base - (ulong)a->base) * (ulong)(sg / (MMX_GROUP / 2)));
    sg %= MMX_GROUP / 2;
    if (rows && ELEMENT == 4) p.x = 2 * col + sg * 32;
    else if (rows && ELEMENT == 2) p.x = col + sg % 8 * 32, p.row = sg / 8 * 16;
    else if (rows) p.x = col / 2 + sg % 4 * 32, p.row = sg / 4 * 16;
    else if (of_b && mm_flag(MMX_PACKED))
        p.row = panel_row(col / 16 + sg / 2 * 2, 0, t->panel_steps) + sg % 2 * 16;
    else p.row = (of_b ? col : row) + sg * 16;
    p.along_y = of_b && !mm_flag(MMX_COLUMNS) ? -1 : 0;
    p.along_x = ~p.along_y;
    p.x += p.s.x / 2 + (AHEAD * 32 & p.along_x);
    p.row += along_rows(AHEAD * 32) & p.along_y;
    p.s.x = 0;
    return p;
}

static inline void prefetch_group(const ahead_t *p, int at) {
    if (mm_flag(MMX_COLUMNS)) prefetch_16_rows(&p->s, p->x + at, p->row);
    else prefetch_16_rows(&p->s, p->x + (at & p->along_x), p->row + (along_rows(at) & p->along_y));
}

/* Which of the columns of a tile block j has in a lane. */
static inline int column_of(int j, int lane) {
#ifdef DECODES
    if (is_decoded() && !mm_flag(MMX_COLUMNS)) return j / 2 * 32 + 2 * lane + j % 2;
#endif
    return 16 * j + lane;
}

__attribute__((intel_reqd_sub_group_size(16))) __kernel void matmul_xmx(gcptr_t a_all,
        gcptr_t b_all, gptr_t c, const mm_xmx_t t, __local sum_t *partial, gptr_t slots,
        gcptr_t za_ptr, int za, gcptr_t zb_ptr, int zb, gcptr_t scale_ptr, PO_ARGS) {
    const int nd = min(t.ndims, (int)MM_DIMS), rows = t.rows;
    const int sg = sg_number(), parts = get_num_sub_groups(), lane = get_sub_group_local_id();
    const bool split = mm_flag(MMX_SPLIT), shares = mm_flag(MMX_STREAM_K);
    const int tile = split ? 0 : sg, part = split ? sg : 0;
    const int group_m = split ? 1 : parts / t.group_n;
    int pos[PAR_MAX_DIMS];
    po_ctx_t ctx = PO_CTX;
    piece_t piece = no_piece();
    if (shares) piece = first_piece(&t.shares, get_group_id(0));

    do {
        const int3 place = shares ? place_of_tile(&t.shares, piece.tile)
                           : mm_flag(MMX_COUNTED)
                                   ? place_of_tile(&t.shares, get_group_id(0))
                                   : (int3)(get_group_id(0), get_group_id(1), get_group_id(2));
        const int first_row = place.y * group_m * MT, first_col = place.x * t.group_n * TILE_N;
        const int m0 = first_row + tile / t.group_n * MT,
                  n0 = first_col + tile % t.group_n * TILE_N;
        long a_at = 0, b_at = 0, c_at = 0;
        batch_position(pos, place.z, t.dims, nd);
        EACH (d, nd - 2, MM_DIMS - 2) {
            a_at += pos[d] * t.a_stride[d];
            b_at += pos[d] * t.b_stride[d];
            c_at += pos[d] * t.c_stride[d];
        }
        gcptr_t a_first = a_all + a_at * ELEMENT, b_first = b_all + b_at * weight_bits() / 8;
        const surface_t a = surface(a_first, t.a_width, rows, t.a_pitch);
        const surface_t b = surface(b_first, t.b_width, t.b_rows, t.b_pitch);
        const bool misplaced = is_misplaced(&a) || is_misplaced(&b);

        sum8_t sum[MT / 8][NT];
        clear_sums(sum);
        const ahead_t ahead = group_ahead(&a, &b, &t, first_row, first_col, sg);

        const int first = (shares ? piece.first : part) * t.part;
        const int last = shares || split
                                 ? min(shares ? piece.last * t.part : first + t.part, t.a_end)
                                 : t.a_end;
        const int end = misplaced ? 0 : last;
#ifdef QUANTISED
        /* Sums of the rows of a and of the columns of b, for zero points of integers; sums of groups of k with a scale of their own. */
        sum8_t a_sum[MT / 8], b_sum[NT], group_sum[MT / 8][NT];
        UNROLL_FOR (int i = 0; i < MT / 8; i++) a_sum[i] = 0;
        UNROLL_FOR (int j = 0; j < NT; j++) b_sum[j] = 0;
        clear_sums(group_sum);
        const uint none = (uint)(t.k + lane) >> 31;
        const int group = mm_flag(MMX_GROUPS) ? t.group : last;
        for (int at_group = first; at_group < end; at_group += group) {
            const int stop = min(at_group + group, end);
#else
        {
            const int at_group = first, stop = end;
#endif
            int at = at_group;
#ifdef FEW
            /* The operands of a step are read before the products of the one before; those of the last step for nothing. */
            if (in_turn()) {
                operands_t even, odd;
                read_operands(&a, &b, &t, m0, n0, at, &even);
                for (; at + 32 < stop; at += 64) {
                    read_operands(&a, &b, &t, m0, n0, at + 32, &odd);
                    prefetch_tile(&a, &b, &t, m0, n0, at + AHEAD * 32);
                    multiply_operands(sum, &even);
                    read_operands(&a, &b, &t, m0, n0, at + 64, &even);
                    prefetch_tile(&a, &b, &t, m0, n0, at + (AHEAD + 1) * 32);
                    multiply_operands(sum, &odd);
                }
                if (at < stop) multiply_operands(sum, &even);
                at = stop;
            }
#endif
            for (; at < stop; at += 32) {
                a_word_t av[A_PIECES][A_WORDS];
                uint bv[NT][16];
                read_a(&a, at, m0, av);
                read_weights(&b, &t, n0, at, bv);
                if (mm_flag(MMX_PREFETCH)) prefetch_group(&ahead, at);
                else prefetch_tile(&a, &b, &t, m0, n0, at + AHEAD * 32);
                multiply_step(sum, av, bv);
#ifdef QUANTISED
                add_ones(a_sum, b_sum, av, bv, none);
#endif
            }
#ifdef DECODES
            if (is_decoded()) {
                UNROLL_FOR (int j = 0; j < NT; j++) {
                    const int col = n0 + column_of(j, lane), k = k_of(at_group);
                    const float scale =
                            (mm_flag(MMX_SCALES) ? weight_scale(scale_ptr, &t, k, col) : 1) /
                            decoded_unit();
                    const float excess =
                            decoded_unit() *
                            (decoded_excess(j) +
                                    (mm_flag(MMX_ZB) ? weight_zero(zb_ptr, zb, &t, k, col) : 0));
                    UNROLL_FOR (int i = 0; i < MT / 8; i++) {
                        if (sums_a()) sum[i][j] -= a_sum[i] * excess;
                        group_sum[i][j] = mad(sum[i][j], (float8)scale, group_sum[i][j]);
                        sum[i][j] = 0;
                    }
                }
                UNROLL_FOR (int i = 0; i < MT / 8; i++) a_sum[i] = 0;
            }
#endif
        }
        if (mm_flag(MMX_ZA) && za_ptr) za = load_int(za_ptr, 0, t.za_dt);
#ifdef QUANTISED
        UNROLL_FOR (int i = 0; i < MT / 8; i++)
            UNROLL_FOR (int j = 0; j < NT; j++) {
#ifdef INTS
                const int zero_b =
                        mm_flag(MMX_ZB) ? weight_zero(zb_ptr, zb, &t, 0, n0 + 16 * j + lane) : 0;
                if (mm_flag(MMX_ZB)) sum[i][j] -= a_sum[i] * zero_b;
                if (mm_flag(MMX_ZA)) sum[i][j] -= b_sum[j] * za;
                if (mm_flag(MMX_ZA) && mm_flag(MMX_ZB) && first == 0)
                    sum[i][j] += t.k * za * zero_b;
#else
                if (is_decoded()) sum[i][j] = group_sum[i][j];
#endif
            }
#endif

        /* Line by line, with the attributes compiled in once. Those of a tile whose k was split lie in local memory, part after part. */
        union {
            sum8_t v;
            sum_t s[8];
        } x;
#define BLOCK_VALUE(block)                                                                         \
    misplaced ? plain_block(a_first, b_first, &t, m0 + (block) / NT * 8,                           \
                        n0 + column_of((block) % NT, lane), k_of(first), k_of(last), za, zb_ptr,   \
                        zb, scale_ptr)                                                             \
              : block_of_sums(sum, block)
        if (shares) {
            const long block0 =
                    (slot_of(&piece, &t.shares, get_group_id(0)) * parts + tile) * BLOCKS;
            NO_UNROLL_FOR (int block = 0; block < BLOCKS; block++) {
                x.v = BLOCK_VALUE(block);
                keep_block(as_uint8(x.v), slots, block0 + block);
            }
            continue;
        }
        if (split) {
            NO_UNROLL_FOR (int block = 0; block < BLOCKS; block++) {
                x.v = BLOCK_VALUE(block);
                UNROLL_FOR (int r = 0; r < 8; r++)
                    partial[((part * BLOCKS + block) * 8 + r) * 16 + lane] = x.s[r];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        SET(pos, MM_DIMS, nd - 2, 0);
        SET(pos, MM_DIMS, nd - 1, 0);
        po_seek(&ctx, &po, pos, nd);
        NO_UNROLL_FOR (int line = part; line < 8 * BLOCKS; line += split ? parts : 1) {
            const int block = line / 8, row = m0 + block / NT * 8 + line % 8,
                      col = n0 + column_of(block % NT, lane);
            sum_t value = 0;
            if (split) {
                for (int p = 0; p < parts; p++)
                    value += partial[(p * BLOCKS * 8 + line) * 16 + lane];
            } else {
                if (line % 8 == 0) x.v = BLOCK_VALUE(block);
                value = AT(x.s, 8, line % 8, );
            }
            store_sum(value, row, col, c, c_at, &t, nd, &ctx, &po);
        }
    } while (shares && next_piece(&piece, &t.shares));
}
