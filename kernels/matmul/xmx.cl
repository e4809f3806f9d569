/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product on matrix units with 16 lanes: a sub-group keeps MT x (16 * NT) sums in registers while it walks along k in steps of 64 bytes. */
#include "matmul_params.h"
#include "postops.h"
#include "quant.h"
#include "xmx.h"

#ifdef INTS
#define ELEMENT 1
typedef int8 sum8_t;
typedef int sum_t;
#else
#define ELEMENT 2
typedef float8 sum8_t;
typedef float sum_t;
#endif
#define DIV_UP(x, y) (((x) + (y) - 1) / (y))
/* Of a one step, in as large pieces as there are. */
#if MT < 32
#define A_ROWS 8
#define READ_A intel_sub_group_2d_block_read_16b_8r16x2c
#else
#define A_ROWS 32
#define READ_A intel_sub_group_2d_block_read_16b_32r16x2c
#endif
#define STEP (64 / ELEMENT) /* of k */
#define TILE_N (16 * NT)
#define AHEAD 3 /* steps that are prefetched */
#define UNROLL _Pragma("unroll")

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

static inline sum8_t multiply(short8 a, int8 b, sum8_t sum) {
#ifdef INTS
    if (src_dt() == DT_S8 && wei_dt() == DT_S8) return intel_sub_group_i8_i8_matrix_mad_k32(a, b, sum);
    if (src_dt() == DT_S8) return intel_sub_group_i8_u8_matrix_mad_k32(a, as_uint8(b), sum);
    if (wei_dt() == DT_S8) return intel_sub_group_u8_i8_matrix_mad_k32(as_ushort8(a), b, sum);
    return intel_sub_group_u8_u8_matrix_mad_k32(as_ushort8(a), as_uint8(b), sum);
#else
    if (src_dt() == DT_F16) return intel_sub_group_f16_f16_matrix_mad_k16(a, b, sum);
    return intel_sub_group_bf16_bf16_matrix_mad_k16(a, b, sum);
#endif
}

/* A matrix as the block loads see it: they want a base that is a multiple of 64, so the corner moves instead. */
typedef struct {
    __global void *base;
    int width, height, pitch, x; /* x: of the first column, in bytes */
} surface_t;

static inline surface_t surface(gcptr_t p, int width, int height, int pitch) {
    const int x = (int)((ulong)p & 63);
    const surface_t s = {(__global void *)(p - x), width + x, height, pitch, x};
    return s;
}

/* Packed weights: two panels of 16 columns after each other for every STEP of k, 16 rows of 64 bytes each. The first row of one at a multiple
 * of STEP. */
static inline int panel_row(int panel, int k, int steps) {
    return (panel / 2 * steps) * 32 + panel % 2 * 16 + (k * ELEMENT >> 1);
}

/* One block of 8 x 16 sums without block loads, for addresses that they cannot take. */
static sum8_t plain_block(gcptr_t a, gcptr_t b, const mm_xmx_t *t, int row, int col, int rows, int k_end) {
    union {
        sum8_t v;
        sum_t s[8];
    } sum;
    sum.v = 0;
    const bool packed = mm_flag(MMX_PACKED);
    for (int k = 0; k < k_end && col < t->n; k++) {
        const int pairs = 4 / ELEMENT; /* of elements in 32 bits */
        const long at = packed ? (long)panel_row(col / 16, k & -STEP, t->panel_steps) * (64 / ELEMENT) + k / pairs % 16 * (64 / ELEMENT) +
                                         col % 16 * pairs + k % pairs
                               : k * t->b_row + col * t->b_col;
#ifdef INTS
        const int y = load_int(b, at, wei_dt());
        NO_UNROLL for (int r = 0; r < 8; r++)
            if (row + r < rows) sum.s[r] += load_int(a, (row + r) * t->a_row + k, src_dt()) * y;
#else
        const float y = load_1(b, at, wei_dt());
        NO_UNROLL for (int r = 0; r < 8; r++)
            if (row + r < rows) sum.s[r] += load_1(a, (row + r) * t->a_row + k, src_dt()) * y;
#endif
    }
    return sum.v;
}

/* STEP rows of weights that lie in rows, as pairs or fours along k. */
static inline void read_plain(const surface_t *s, int col, int k, uint (*out)[16]) {
#ifdef INTS
    uint t[2][NT * 8];
    UNROLL for (int i = 0; i < 2; i++)
#if NT == 1
        intel_sub_group_2d_block_read_transform_8b_32r16x1c(s->base, s->width, s->height, s->pitch, (int2)(col + s->x, k + 32 * i), t[i]);
#else
        intel_sub_group_2d_block_read_transform_8b_32r16x4c(s->base, s->width, s->height, s->pitch, (int2)(col + s->x, k + 32 * i), t[i]);
#endif
    UNROLL for (int j = 0; j < NT; j++) UNROLL for (int i = 0; i < 16; i++) out[j][i] = t[i / 8][j * 8 + i % 8];
#elif NT == 1
    intel_sub_group_2d_block_read_transform_16b_32r16x1c(s->base, s->width, s->height, s->pitch, (int2)(col + s->x / 2, k), out[0]);
#else
    UNROLL for (int j = 0; j < NT; j += 2) intel_sub_group_2d_block_read_transform_16b_32r16x2c(
            s->base, s->width, s->height, s->pitch, (int2)(col + 16 * j + s->x / 2, k), out[j]);
#endif
}

/* The same of packed weights; a pair of panels is `next` rows after the one before. */
static inline void read_packed(const surface_t *s, int row, int next, uint (*out)[16]) {
#if NT == 1
    (void)next;
    intel_sub_group_2d_block_read_32b_16r16x1c(s->base, s->width, s->height, s->pitch, (int2)(0, row), out[0]);
#else
    UNROLL for (int j = 0; j < NT / 2; j++) intel_sub_group_2d_block_read_32b_32r16x1c(
            s->base, s->width, s->height, s->pitch, (int2)(0, row + j * next), out[2 * j]);
#endif
}

/* 8 rows of 64 bytes; x in 16 bits. */
static inline void prefetch(const surface_t *s, int x, int y) {
    intel_sub_group_2d_block_prefetch_16b_8r16x2c(s->base, s->width, s->height, s->pitch, (int2)(x + s->x / 2, y));
}

__attribute__((intel_reqd_sub_group_size(16))) __kernel void matmul_xmx(
        gcptr_t a_all, gcptr_t b_all, gptr_t c, const mm_xmx_t t, PO_ARGS) {
    const int nd = t.ndims, rows = t.dims[nd - 2], columns = t.dims[nd - 1];
    const int sg = get_sub_group_id(), lane = get_sub_group_local_id();
    const int group_m = (int)get_num_sub_groups() / t.group_n;
    const int first_row = (int)get_group_id(1) * group_m * MT, first_col = (int)get_group_id(0) * t.group_n * TILE_N;
    const int m0 = first_row + sg / t.group_n * MT, n0 = first_col + sg % t.group_n * TILE_N;
    const bool packed = mm_flag(MMX_PACKED);
    int pos[PAR_MAX_DIMS];
    po_ctx_t ctx = PO_CTX;

    long z = get_group_id(2), a_at = 0, b_at = 0, c_at = 0;
    for (int d = nd - 3; d >= 0; d--) {
        pos[d] = z % t.dims[d];
        z /= t.dims[d];
        a_at += pos[d] * t.a_stride[d];
        b_at += pos[d] * t.b_stride[d];
        c_at += pos[d] * t.c_stride[d];
    }
    gcptr_t a_first = a_all + a_at * ELEMENT, b_first = b_all + b_at * ELEMENT;
    const surface_t a = surface(a_first, t.k * ELEMENT, rows, t.a_pitch);
    const surface_t b = surface(b_first, packed ? 64 : t.n * ELEMENT, t.b_rows, packed ? 64 : t.b_pitch);
    const bool misplaced = ((a.x | b.x) & 3) != 0 || a.width > a.pitch || b.width > b.pitch;

    sum8_t sum[MT / 8][NT];
    UNROLL for (int i = 0; i < MT / 8; i++) UNROLL for (int j = 0; j < NT; j++) sum[i][j] = 0;

    /* Structures are in memory, which a loop would read again and again. */
    const int panel = n0 / 16, steps = t.panel_steps, a_x = a.x / 2, end = misplaced ? 0 : (t.k * ELEMENT + 1) / 2;
    /* Along k in 16 bits, as block loads count a. */
    for (int at = 0; at < end; at += 32) {
        const int k = at * 2 / ELEMENT;
        ushort av[DIV_UP(MT, 32)][2 * A_ROWS];
        uint bv[NT][16];
        UNROLL for (int i = 0; i < DIV_UP(MT, 32); i++) READ_A(
                a.base, a.width, a.height, a.pitch, (int2)(at + a_x, m0 + 32 * i), av[i]);
        if (packed) {
            read_packed(&b, panel_row(panel, 0, steps) + at, steps * 32, bv);
        } else {
            read_plain(&b, n0, k, bv);
        }
        if (mm_flag(MMX_PREFETCH)) {
            /* The tiles of the group share 256 rows and columns: 32 pieces of 8 lines of 64 bytes each. */
            const int next = at + AHEAD * 32, next_k = next * 2 / ELEMENT;
            prefetch(&a, next, first_row + sg * 8);
            if (packed) prefetch(&b, 0, panel_row(first_col / 16 + sg / 4 * 2, 0, steps) + sg % 4 * 8 + next);
            else if (ELEMENT == 2) prefetch(&b, first_col + sg % 8 * 32, next_k + sg / 8 * 8);
            else prefetch(&b, first_col / 2 + sg % 4 * 32, next_k + sg / 4 * 8);
        }
        UNROLL for (int s = 0; s < 2; s++) UNROLL for (int j = 0; j < NT; j++) UNROLL for (int i = 0; i < MT / 8; i++)
            sum[i][j] = multiply(as_short8(vload8(0, av[i / 4] + s * A_ROWS + i % 4 * 8)), as_int8(vload8(0, bv[j] + s * 8)), sum[i][j]);
    }

    /* Block by block, with the attributes compiled in once: only the choice of the block is unrolled, so that the sums stay in registers. */
    NO_UNROLL for (int block = 0; block < MT / 8 * NT; block++) {
        union {
            sum8_t v;
            sum_t s[8];
        } x;
        const int row0 = m0 + block / NT * 8, col = n0 + block % NT * 16 + lane;
        x.v = 0;
        UNROLL for (int i = 0; i < MT / 8; i++) UNROLL for (int j = 0; j < NT; j++)
            if (block == i * NT + j) x.v = sum[i][j];
        if (misplaced) x.v = plain_block(a_first, b_first, &t, row0, col, rows, t.k);
        if (col >= columns) continue;
        NO_UNROLL for (int r = 0; r < 8; r++) {
            if (row0 + r >= rows) break;
            const long at = c_at + (row0 + r) * t.c_stride[nd - 2] + col * t.c_stride[nd - 1];
#ifdef INTS
            if (po_count() == 0 && dst_dt() == DT_S32) {
                ((__global int *)c)[at] = x.s[r];
                continue;
            }
#endif
            pos[nd - 2] = row0 + r;
            pos[nd - 1] = 0;
            po_seek(&ctx, &po, pos, nd);
            store_1(po_apply((float)x.s[r], &ctx, &po, col, 1), c, at, dst_dt());
        }
    }
}
