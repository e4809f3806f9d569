/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product in tiles of local memory (local_tile.h). */
#include "matmul_params.h"
#include "postops.h"
#include "quant.h"
#include "local_tile.h"

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

/* May the sums be stored as they are, four columns at once? */
static inline bool result_has_vectors(gcptr_t c, long at, long row, long column, int columns) {
    return po_count() == 0 && stores_vectors(dst_dt()) && column == 1 &&
           ((at | row | columns) & 3) == 0 && ((ulong)c & (4 * element_bytes(dst_dt()) - 1)) == 0;
}

LOCAL_TILE_KERNEL void matmul_local(gcptr_t a, gcptr_t b, gptr_t c, const mm_tile_t t, PO_ARGS) {
    __local num_t a_part[2 * A_BUFFER] __attribute__((aligned(16)));
    __local num_t b_part[2 * B_BUFFER] __attribute__((aligned(16)));
    const int nd = min(t.ndims, (int)MM_DIMS), item = get_local_id(0);
    const int rows = AT(t.dims, MM_DIMS, nd - 2, ), columns = t.n;
    const int row0 = get_group_id(1) * TILE_M, column0 = get_group_id(0) * TILE_N;
    const int row = item / SIDE * 4, column = item % SIDE * 4;
    const long a_row = AT(t.a_stride, MM_DIMS, nd - 2, );
    int pos[PAR_MAX_DIMS];
    po_ctx_t ctx = PO_CTX;
    long a_at = 0, b_at = 0, c_at = 0;
    batch_position(pos, get_group_id(2), t.dims, nd);
    EACH (d, nd - 2, MM_DIMS - 2) {
        a_at += pos[d] * t.a_stride[d];
        b_at += pos[d] * t.b_stride[d];
        c_at += pos[d] * t.c_stride[d];
    }
    reader_t from_a[A_FOURS], from_b[B_FOURS];
    UNROLL_FOR (int q = 0; q < A_FOURS; q++)
        from_a[q] = reader_of(a, a_at + row0 * a_row, a_row, t.a_k, rows - row0, TILE_M,
                mm_flag(MMF_DENSE_K), src_dt(), item + q * ITEMS);
    UNROLL_FOR (int q = 0; q < B_FOURS; q++)
        from_b[q] = reader_of(b, b_at + column0 * t.b_panel, t.b_panel, t.b_k, columns - column0,
                TILE_N, mm_flag(MMF_DENSE_B), wei_dt(), item + q * ITEMS);

    sums_t sums = no_sums();
    num4_t x[A_FOURS], y[B_FOURS];
    int now = 0;
    NO_UNROLL_FOR (int k = -STEP; k < t.k; k += STEP) {
        UNROLL_FOR (int q = 0; q < A_FOURS; q++) x[q] = read_four(&from_a[q], k + STEP, t.k);
        UNROLL_FOR (int q = 0; q < B_FOURS; q++) y[q] = read_four(&from_b[q], k + STEP, t.k);
        if (k >= 0)
            multiply_step(&sums, a_part + now * A_BUFFER, b_part + now * B_BUFFER, row, column);
        now = 1 - now;
        UNROLL_FOR (int q = 0; q < A_FOURS; q++)
            keep_four(x[q], a_part + now * A_BUFFER + from_a[q].to, A_PITCH, from_a[q].along_k);
        UNROLL_FOR (int q = 0; q < B_FOURS; q++)
            keep_four(y[q], b_part + now * B_BUFFER + from_b[q].to, B_PITCH, from_b[q].along_k);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const long c_row = AT(t.c_stride, MM_DIMS, nd - 2, ),
               c_column = AT(t.c_stride, MM_DIMS, nd - 1, );
    if (result_has_vectors(c, c_at, c_row, c_column, columns)) {
        UNROLL_FOR (int i = 0; i < MR; i++)
            UNROLL_FOR (int j = 0; j < NV; j++) {
                const int r = row0 + row + place_in_tile(i), col = column0 + column + 64 * j;
                if (r < rows && col < columns)
                    write_vector(four_sums(&sums, i, j), c, c_at + r * c_row + col, dst_dt());
            }
        return;
    }
    SET(pos, MM_DIMS, nd - 2, 0);
    SET(pos, MM_DIMS, nd - 1, 0);
    po_seek(&ctx, &po, pos, nd);
    NO_UNROLL_FOR (int i = 0; i < MR; i++) {
        const line_t line = line_of(&sums, i);
        const int r = row0 + row + place_in_tile(i);
        if (r >= rows) continue;
        po_ctx_t row_ctx = ctx;
        po_advance(&row_ctx, &po, nd - 2, r);
        NO_UNROLL_FOR (int j = 0; j < NR; j++) {
            const int col = column0 + column + place_in_tile(j);
            const num_t z = sum_of(&line, j);
            if (col >= columns) continue;
            const long at = c_at + r * c_row + col * c_column;
#ifdef INTS
            if (po_count() == 0 && dst_dt() == DT_S32) {
                ((__global int *)c)[at] = z;
                continue;
            }
#endif
            store_1(po_apply(z, &row_ctx, &po, col, 1), c, at, dst_dt());
        }
    }
}
