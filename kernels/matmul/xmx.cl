/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product on matrix units with 16 lanes: a sub-group keeps MT x (16 * NT) sums in registers while it walks along k in steps of 64 bytes. */
#include "matmul_params.h"
#include "postops.h"
#include "quant.h"

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

#include "xmx_tile.h"

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

__attribute__((intel_reqd_sub_group_size(16))) __kernel void matmul_xmx(
        gcptr_t a_all, gcptr_t b_all, gptr_t c, const mm_xmx_t t, PO_ARGS) {
    const int nd = t.ndims, rows = AT(t.dims, MM_DIMS, nd - 2, ), columns = AT(t.dims, MM_DIMS, nd - 1, );
    const long c_row = AT(t.c_stride, MM_DIMS, nd - 2, ), c_col = AT(t.c_stride, MM_DIMS, nd - 1, );
    const int sg = get_sub_group_id(), lane = get_sub_group_local_id();
    const int group_m = (int)get_num_sub_groups() / t.group_n;
    const int first_row = (int)get_group_id(1) * group_m * MT, first_col = (int)get_group_id(0) * t.group_n * TILE_N;
    const int m0 = first_row + sg / t.group_n * MT, n0 = first_col + sg % t.group_n * TILE_N;
    const bool packed = mm_flag(MMX_PACKED);
    int pos[PAR_MAX_DIMS];
    po_ctx_t ctx = PO_CTX;

    long a_at = 0, b_at = 0, c_at = 0;
    batch_position(pos, get_group_id(2), t.dims, nd);
    EACH(d, nd - 2, MM_DIMS - 2) {
        a_at += pos[d] * t.a_stride[d];
        b_at += pos[d] * t.b_stride[d];
        c_at += pos[d] * t.c_stride[d];
    }
    gcptr_t a_first = a_all + a_at * ELEMENT, b_first = b_all + b_at * ELEMENT;
    const surface_t a = surface(a_first, t.k * ELEMENT, rows, t.a_pitch);
    const surface_t b = surface(b_first, packed ? 64 : t.n * ELEMENT, t.b_rows, packed ? 64 : t.b_pitch);
    const bool misplaced = is_misplaced(&a) || is_misplaced(&b);

    sum8_t sum[MT / 8][NT];
    clear_sums(sum);

    /* Structures are in memory, which a loop would read again and again. */
    const int panel = n0 / 16, steps = t.panel_steps, a_x = a.x / 2, end = misplaced ? 0 : (t.k * ELEMENT + 1) / 2;
    /* Along k in 16 bits, as block loads count a. */
    for (int at = 0; at < end; at += 32) {
        const int k = at * 2 / ELEMENT;
        ushort av[A_PIECES][2 * A_ROWS];
        uint bv[NT][16];
        read_a(&a, at + a_x, m0, av);
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
        multiply_step(sum, av, bv);
    }

    /* Block by block, with the attributes compiled in once: only the choice of the block is unrolled, so that the sums stay in registers. */
    NO_UNROLL for (int block = 0; block < MT / 8 * NT; block++) {
        union {
            sum8_t v;
            sum_t s[8];
        } x;
        const int row0 = m0 + block / NT * 8, col = n0 + block % NT * 16 + lane;
        x.v = block_of_sums(sum, block);
        if (misplaced) x.v = plain_block(a_first, b_first, &t, row0, col, rows, t.k);
        if (col >= columns) continue;
        NO_UNROLL for (int r = 0; r < 8; r++) {
            if (row0 + r >= rows) break;
            const long at = c_at + (row0 + r) * c_row + col * c_col;
            const sum_t value = AT(x.s, 8, r, );
#ifdef INTS
            if (po_count() == 0 && dst_dt() == DT_S32) {
                ((__global int *)c)[at] = value;
                continue;
            }
#endif
            SET(pos, MM_DIMS, nd - 2, row0 + r);
            SET(pos, MM_DIMS, nd - 1, 0);
            po_seek(&ctx, &po, pos, nd);
            store_1(po_apply((float)value, &ctx, &po, col, 1), c, at, dst_dt());
        }
    }
}
