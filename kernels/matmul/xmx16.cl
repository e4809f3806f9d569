/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product on matrix units with 16 lanes. A sub-group keeps a tile of MT x (16 * NT) sums in
 * registers while it walks along k in steps of 64 bytes.
 *
 * The sources of a variant: xmx16_direct.h, xmx16_int8.h or xmx16_decoded.h defines the factors and
 * the operations on their sums, and xmx16_loop.h walks along k. Tiles of few rows (MT < 32) have
 * registers left for zero points and for decoded weights; tiles of TF32 have neither.
 *
 * Positions along k (`at`) are in units of 16 bits of a row of a; a step has 32 units. */
#include "matmul_params.h"
#include "postops.h"
#include "quant.h"

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

#include "xmx_tile.h"
#define KEEPS_SUMS
#include "stream_k.h"
#include "xmx16_work.h"
#if MT >= 32 || defined(TF32)
#include "xmx16_direct.h"
#elif defined(INTS)
#include "xmx16_int8.h"
#else
#include "xmx16_decoded.h"
#endif
#include "xmx16_loop.h"
#include "xmx16_unaligned.h"
#include "xmx_batch.h"
#include "xmx_result.h"
#include "xmx_write.h"

/* ---- place ---- */

static inline bool is_stream_k(void) {
    return mm_flag(MMX_STREAM_K);
}
static inline bool is_split_k(void) {
    return mm_flag(MMX_SPLIT);
}

/* Finds the tile of a sub-group in its work-group, and with split-K its part of k. */
static inline member_t this_member(void) {
    member_t m;
    m.sg = sg_number();
    m.count = get_num_sub_groups();
    m.lane = get_sub_group_local_id();
    m.tile = is_split_k() ? 0 : m.sg;
    m.part = is_split_k() ? m.sg : 0;
    return m;
}

/* Column, row and matrix of the batch, for a tile or for the tiles of a work-group. */
static inline int3 place_of_group(const mm_xmx_t *t, const piece_t *piece) {
    if (is_stream_k()) return place_of_tile(&t->shares, piece->tile);
    if (mm_flag(MMX_COUNTED)) return place_of_tile(&t->shares, get_group_id(0));
    return (int3)(get_group_id(0), get_group_id(1), get_group_id(2));
}

static inline void place_tile(work_t *w, const mm_xmx_t *t, const member_t *m, int3 place) {
    /* With MMX_PREFETCH the numbers are no constants: Intel's compiler would add the parts of a
     * position in each step of the loop. */
    const bool ahead = mm_flag(MMX_PREFETCH);
    const int shift = t->group_shift,
              group_n = ahead                ? 1 << shift
                        : mm_flag(MMX_PAIRS) ? 2
                                             : 1,
              group_m = ahead ? m->count >> shift : 1;
    const int below = ahead ? m->tile >> shift : m->tile / group_n;
    w->group_row = place.y * group_m * MT;
    w->group_col = place.x * group_n * TILE_N;
    w->row = w->group_row + below * MT;
    w->col = w->group_col + (m->tile - below * group_n) * TILE_N;
    w->a_part = m->tile % 2 * 32;
}

/* The part of k that this sub-group multiplies. */
static inline void place_part(work_t *w, const mm_xmx_t *t, const member_t *m, const piece_t *p) {
    w->first = (is_stream_k() ? p->first : m->part) * t->part;
    w->last = t->a_end;
    if (is_stream_k()) w->last = min(p->last * t->part, t->a_end);
    else if (is_split_k()) w->last = min(w->first + t->part, t->a_end);
}

/* ---- surfaces ---- */

/* Finds the matrices of element `z` of the batch, and stores its position in `pos`. */
static inline void find_matrices(
        work_t *w, int *pos, const mm_xmx_t *t, gcptr_t a, gcptr_t b, gptr_t c, int nd, int z) {
    const batch_t at = batch_element(pos, z, t, nd);
    w->c_at = at.c;
    w->a_first = a + at.a * ELEMENT;
    w->b_first = b + at.b * weight_bits() / 8;
    const gptr_t c_first = c + at.c * dst_size();
    w->unaligned = false;
    if (mm_flag(MMX_ALIGNED)) {
        w->a = surface(w->a_first, t->a_width, t->rows, t->a_pitch);
        w->b = surface(w->b_first, t->b_width, t->b_rows, t->b_pitch);
        w->c = surface(c_first, t->c_width, t->rows, t->c_pitch);
        return;
    }
    w->a = unaligned_surface(w->a_first, t->a_width, t->rows, t->a_pitch);
    w->b = unaligned_surface(w->b_first, t->b_width, t->b_rows, t->b_pitch);
    w->c = unaligned_surface(c_first, t->c_width, t->rows, t->c_pitch);
    w->unaligned = is_misplaced(&w->a) || is_misplaced(&w->b);
    if (mm_flag(MMX_BLOCKS)) w->unaligned |= is_misplaced(&w->c);
}

/* ---- sums in memory ---- */

static inline int row_of_block(const work_t *w, int block) {
    return w->row + block / NT * 8;
}

/* Stream-K: stores the sums to the scratchpad; fixup.cl adds the sums of a tile. */
static inline void store_slot(sum8_t (*sum)[NT], const work_t *w, const mm_xmx_t *t,
        const quant_t *q, const member_t *m, gptr_t slots, long first_block) {
    if (!w->unaligned) {
        UNROLL_FOR (int block = 0; block < BLOCKS; block++)
            keep_aligned_block(as_uint8(sum[block / NT][block % NT]), slots, first_block + block);
        return;
    }
    __global sum_t *to = (__global sum_t *)kept_block(slots, first_block) + m->lane;
    NO_UNROLL_FOR (int line = 0; line < 8 * BLOCKS; line++) {
        const int block = line / 8, row = row_of_block(w, block) + line % 8,
                  col = w->col + column_of(block % NT, m->lane);
        to[16 * line] = unaligned_sum(w, t, q, row, col, k_of(w->first), k_of(w->last));
    }
}

/* Split-K: sub-groups share the sums of their parts of k in local memory. A lane has the 8 rows of
 * its column of a block beside one another. */
static inline int shared_rows(const member_t *m, int part, int block) {
    return ((part * BLOCKS + block) * 16 + m->lane) * 8;
}

/* Stores the sums of this part, and waits for those of the others. */
static inline void share_partial_sums(
        sum8_t (*sum)[NT], const member_t *m, __local sum_t *partial) {
    UNROLL_FOR (int block = 0; block < BLOCKS; block++)
        vstore8(sum[block / NT][block % NT], 0, partial + shared_rows(m, m->part, block));
    barrier(CLK_LOCAL_MEM_FENCE);
}

static inline sum8_t sum_of_parts(const member_t *m, const __local sum_t *partial, int block) {
    sum8_t x = 0;
    for (int p = 0; p < m->count; p++) x += vload8(0, partial + shared_rows(m, p, block));
    return x;
}

/* ---- short epilogues, for whole blocks ---- */

static inline void write_tile(sum8_t (*sum)[NT], const work_t *w, const mm_xmx_t *t,
        const member_t *m, const __local sum_t *partial, const po_ctx_t *ctx,
        const po_params_t *po) {
    if (is_split_k()) {
        /* Sub-groups without a block write outside of c: control flow is the same for all. */
        NO_UNROLL_FOR (int first = 0; first < BLOCKS; first += m->count) {
            const int block = min(first + m->part, BLOCKS - 1), col = w->col + 16 * (block % NT),
                      row = first + m->part < BLOCKS ? row_of_block(w, block) : t->rows;
            const column_t column = column_values(min(col + m->lane, t->columns - 1), ctx, po);
            const message_t message = write_message(&w->c, col, row);
            write_sums(sum_of_parts(m, partial, block), message, 0, 0, &column);
        }
        return;
    }
    const message_t message = write_message(&w->c, w->col, w->row);
    UNROLL_FOR (int j = 0; j < NT; j++) {
        const column_t column =
                column_values(min(w->col + 16 * j + m->lane, t->columns - 1), ctx, po);
        UNROLL_FOR (int i = 0; i < MT / 8; i++)
            write_sums(sum[i][j], message, 16 * j, 8 * i, &column);
    }
}

/* ---- any epilogue, row by row, because it is then compiled in only once ---- */

static inline void store_tile(sum8_t (*sum)[NT], const work_t *w, const mm_xmx_t *t,
        const quant_t *q, const member_t *m, const __local sum_t *partial, gptr_t c, int nd,
        const po_ctx_t *ctx, const po_params_t *po) {
    NO_UNROLL_FOR (int block = m->part; block < BLOCKS; block += is_split_k() ? m->count : 1) {
        const int row = row_of_block(w, block), col = w->col + column_of(block % NT, m->lane);
        column_t column;
        lines_t x;
        if (mm_flag(MMX_BLOCKS)) { /* the addresses are not aligned */
            column = column_values(min(col, t->columns - 1), ctx, po);
            x.v = 0;
        } else if (is_split_k()) x.v = sum_of_parts(m, partial, block);
        else x.v = block_of_sums(sum, block);
        NO_UNROLL_FOR (int r = 0; r < 8; r++) {
            sum_t value = AT(x.s, 8, r, );
            if (w->unaligned) value = unaligned_sum(w, t, q, row + r, col, 0, t->k);
            if (!mm_flag(MMX_BLOCKS)) store_sum(value, row + r, col, c, w->c_at, t, nd, ctx, po);
            else if (row + r < t->rows && col < t->columns)
                write_one(value, c, w->c_at + (row + r) * t->c_row + col, &column);
        }
    }
}

/* ---- the kernel ---- */

__attribute__((intel_reqd_sub_group_size(16))) __kernel void matmul_xmx(gcptr_t a, gcptr_t b,
        gptr_t c, const mm_xmx_t t, __local sum_t *partial, gptr_t slots, gcptr_t za_ptr, int za,
        gcptr_t zb_ptr, int zb, gcptr_t scale_ptr, PO_ARGS) {
    const int nd = min(t.ndims, (int)MM_DIMS);
    const member_t member = this_member();
    int pos[PAR_MAX_DIMS];
    po_ctx_t ctx = PO_CTX;
    quant_t quant = {za_ptr, zb_ptr, scale_ptr, za, zb};
    piece_t piece = no_piece();
    if (is_stream_k()) piece = first_piece(&t.shares, get_group_id(0));

    do {
        work_t work;
        const int3 place = place_of_group(&t, &piece);
        place_tile(&work, &t, &member, place);
        find_matrices(&work, pos, &t, a, b, c, nd, place.z);
        place_part(&work, &t, &member, &piece);
        if (is_stream_k() && !mm_flag(MMX_ALIGNED)) work.unaligned |= !is_slot_aligned(slots);

        SET(pos, MM_DIMS, nd - 2, 0);
        SET(pos, MM_DIMS, nd - 1, 0);
        /* Without dimensions of the batch, sources for whole blocks begin with the first column. */
        if (!mm_flag(MMX_BLOCKS) || mm_flag(MMX_BATCH)) po_seek(&ctx, &po, pos, nd);
        sum8_t sum[MT / 8][NT];
        /* A part of its own: two ways to one epilogue would need copies of the sums. */
        if (mm_flag(MMX_BLOCKS) && work.unaligned) {
            store_tile(sum, &work, &t, &quant, &member, partial, c, nd, &ctx, &po);
            continue;
        }
        accumulate(sum, &work, &t, &quant, &member);

        if (is_stream_k()) {
            const long slot = slot_of(&piece, &t.shares, get_group_id(0));
            store_slot(sum, &work, &t, &quant, &member, slots,
                    (slot * member.count + member.tile) * BLOCKS);
            continue;
        }
        if (is_split_k()) share_partial_sums(sum, &member, partial);
        if (mm_flag(MMX_BLOCKS)) write_tile(sum, &work, &t, &member, partial, &ctx, &po);
        else store_tile(sum, &work, &t, &quant, &member, partial, c, nd, &ctx, &po);
    } while (is_stream_k() && next_piece(&piece, &t.shares));
}
