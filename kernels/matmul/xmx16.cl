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
    const int group_m = is_split_k() ? 1 : m->count / t->group_n;
    w->group_row = place.y * group_m * MT;
    w->group_col = place.x * t->group_n * TILE_N;
    w->row = w->group_row + m->tile / t->group_n * MT;
    w->col = w->group_col + m->tile % t->group_n * TILE_N;
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
        work_t *w, int *pos, const mm_xmx_t *t, gcptr_t a, gcptr_t b, int nd, int z) {
    const batch_t at = batch_element(pos, z, t, nd);
    w->c_at = at.c;
    w->a_first = a + at.a * ELEMENT;
    w->b_first = b + at.b * weight_bits() / 8;
    w->a = surface(w->a_first, t->a_width, t->rows, t->a_pitch);
    w->b = surface(w->b_first, t->b_width, t->b_rows, t->b_pitch);
    w->unaligned = is_misplaced(&w->a) || is_misplaced(&w->b);
}

/* ---- combine and store ---- */

static inline sum8_t block_value(
        sum8_t (*sum)[NT], int block, const work_t *w, const mm_xmx_t *t, const quant_t *q) {
    return w->unaligned ? unaligned_block(w, t, q, block) : block_of_sums(sum, block);
}

/* Stream-K: stores the sums to the scratchpad; fixup.cl adds the sums of a tile. */
static inline void store_slot(sum8_t (*sum)[NT], const work_t *w, const mm_xmx_t *t,
        const quant_t *q, gptr_t slots, long first_block) {
    NO_UNROLL_FOR (int block = 0; block < BLOCKS; block++) {
        const sum8_t x = block_value(sum, block, w, t, q);
        keep_block(as_uint8(x), slots, first_block + block);
    }
}

/* Split-K: stores the sums of this part of k to local memory, and waits for those of the
 * other parts. */
static inline void share_partial_sums(sum8_t (*sum)[NT], const work_t *w, const mm_xmx_t *t,
        const quant_t *q, const member_t *m, __local sum_t *partial) {
    NO_UNROLL_FOR (int block = 0; block < BLOCKS; block++) {
        lines_t x;
        x.v = block_value(sum, block, w, t, q);
        UNROLL_FOR (int r = 0; r < 8; r++)
            partial[((m->part * BLOCKS + block) * 8 + r) * 16 + m->lane] = x.s[r];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* The sums are stored row by row, because the epilogue is then compiled in only once. With split-K
 * each sub-group combines and stores some of the rows. */
static inline void store_tile(sum8_t (*sum)[NT], const work_t *w, const mm_xmx_t *t,
        const quant_t *q, const member_t *m, const __local sum_t *partial, gptr_t c, int nd,
        const po_ctx_t *ctx, const po_params_t *po) {
    lines_t x;
    NO_UNROLL_FOR (int line = m->part; line < 8 * BLOCKS; line += is_split_k() ? m->count : 1) {
        const int block = line / 8, row = w->row + block / NT * 8 + line % 8,
                  col = w->col + column_of(block % NT, m->lane);
        sum_t value = 0;
        if (is_split_k()) {
            for (int p = 0; p < m->count; p++)
                value += partial[(p * BLOCKS * 8 + line) * 16 + m->lane];
        } else {
            if (line % 8 == 0) x.v = block_value(sum, block, w, t, q);
            value = AT(x.s, 8, line % 8, );
        }
        store_sum(value, row, col, c, w->c_at, t, nd, ctx, po);
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
        find_matrices(&work, pos, &t, a, b, nd, place.z);
        place_part(&work, &t, &member, &piece);

        sum8_t sum[MT / 8][NT];
        accumulate(sum, &work, &t, &quant, &member);

        if (is_stream_k()) {
            const long slot = slot_of(&piece, &t.shares, get_group_id(0));
            store_slot(sum, &work, &t, &quant, slots, (slot * member.count + member.tile) * BLOCKS);
            continue;
        }
        if (is_split_k()) share_partial_sums(sum, &work, &t, &quant, &member, partial);
        SET(pos, MM_DIMS, nd - 2, 0);
        SET(pos, MM_DIMS, nd - 1, 0);
        po_seek(&ctx, &po, pos, nd);
        store_tile(sum, &work, &t, &quant, &member, partial, c, nd, &ctx, &po);
    } while (is_stream_k() && next_piece(&piece, &t.shares));
}
