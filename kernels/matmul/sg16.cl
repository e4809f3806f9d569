/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product of floats for sub-groups of 16 without matrix units. A sub-group computes MR x
 * (16 * NV) sums, and each lane has every 16th column. All lanes need the same elements of a: each
 * lane loads the element of a different k and broadcasts it. The elements of b in neighbouring
 * lanes are contiguous. */
#include "matmul_params.h"
#include "postops.h"
#include "quant.h"
#define KEEPS_SUMS
#include "stream_k.h"

/* Values of k per step: lanes 0 to 7 load one each for a row, lanes 8 to 15 for the next row. */
#define STEP 8

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

/* sum += a * b for the k number `at` of a step. */
static inline void add_products(
        float (*sum)[NV], const float *av, int at, gcptr_t b, const long *b_at, long offset) {
    UNROLL_FOR (int j = 0; j < NV; j++) {
        const float y = load_1(b, b_at[j] + offset, wei_dt());
        UNROLL_FOR (int i = 0; i < MR; i++)
            sum[i][j] = mad(sub_group_broadcast(av[i / 2], i % 2 * STEP + at), y, sum[i][j]);
    }
}

__attribute__((reqd_work_group_size(16, 1, 1)))
__attribute__((intel_reqd_sub_group_size(16))) __kernel void
matmul_sg16(gcptr_t a, gcptr_t b, gptr_t c, const mm_tile_t t, const mm_stream_k_t shares,
        gptr_t slots, PO_ARGS) {
    const int nd = min(t.ndims, (int)MM_DIMS), lane = get_local_id(0), columns = t.n;
    const int rows = AT(t.dims, MM_DIMS, nd - 2, );
    const long a_k = mm_flag(MMF_DENSE_K) ? 1 : t.a_k, b_k = t.b_k,
               a_row = AT(t.a_stride, MM_DIMS, nd - 2, );
    const long c_row = AT(t.c_stride, MM_DIMS, nd - 2, ), c_col = AT(t.c_stride, MM_DIMS, nd - 1, );
    int pos[PAR_MAX_DIMS];
    po_ctx_t ctx = PO_CTX;
    piece_t piece = no_piece();
    if (mm_flag(MMF_STREAM_K)) piece = first_piece(&shares, get_group_id(0));

    do {
        const int3 place = mm_flag(MMF_STREAM_K) ? place_of_tile(&shares, piece.tile)
                           : mm_flag(MMF_COUNTED)
                                   ? place_of_tile(&shares, get_group_id(0))
                                   : (int3)(get_group_id(0), get_group_id(1), get_group_id(2));
        const int first_col = place.x * 16 * NV + lane, row0 = place.y * MR;
        const int k_first = mm_flag(MMF_STREAM_K) ? piece.first * STEP : 0,
                  k_end = mm_flag(MMF_STREAM_K) ? min(piece.last * STEP, t.k) : t.k;
        long a_first = 0, b_first = 0, c_first = 0;
        batch_position(pos, place.z, t.dims, nd);
        EACH (d, nd - 2, MM_DIMS - 2) {
            a_first += pos[d] * t.a_stride[d];
            b_first += pos[d] * t.b_stride[d];
            c_first += pos[d] * t.c_stride[d];
        }
        /* Rows beyond the end are zeros, and columns beyond the end repeat the last one. */
        const int a_rows = rows - row0 - lane / STEP, a_lane = lane % STEP;
        const long a_at = a_first + (row0 + lane / STEP) * a_row;
        long b_at[NV];
        UNROLL_FOR (int j = 0; j < NV; j++)
            b_at[j] = b_first + min(first_col + 16 * j, columns - 1) * t.b_panel;

        float sum[MR][NV];
        UNROLL_FOR (int i = 0; i < MR; i++)
            UNROLL_FOR (int j = 0; j < NV; j++) sum[i][j] = 0;
        for (int k = k_first; k < k_end; k += STEP) {
            float av[MR / 2];
            UNROLL_FOR (int i = 0; i < MR / 2; i++)
                av[i] = 2 * i < a_rows && k + a_lane < k_end
                                ? load_1(a, a_at + 2 * i * a_row + (k + a_lane) * a_k, src_dt())
                                : 0;
            if (k + STEP <= k_end) {
                UNROLL_FOR (int s = 0; s < STEP; s++)
                    add_products(sum, av, s, b, b_at, (k + s) * b_k);
            } else {
                NO_UNROLL_FOR (int s = 0; s < k_end - k; s++)
                    add_products(sum, av, s, b, b_at, (k + s) * b_k);
            }
        }

        if (mm_flag(MMF_STREAM_K)) {
            const long block0 = slot_of(&piece, &shares, get_group_id(0)) * NV;
            UNROLL_FOR (int j = 0; j < NV; j++) {
                float8 block;
                UNROLL_FOR (int r = 0; r < MR; r++) block[r] = sum[r][j];
                keep_block(as_uint8(block), slots, block0 + j);
            }
            continue;
        }
        /* The sums are stored one by one, because the epilogue is then compiled in only once. The
         * unrolled loops only select the sum. */
        SET(pos, MM_DIMS, nd - 2, 0);
        SET(pos, MM_DIMS, nd - 1, 0);
        po_seek(&ctx, &po, pos, nd);
        NO_UNROLL_FOR (int n = 0; n < MR * NV; n++) {
            const int row = row0 + n / NV, col = first_col + n % NV * 16;
            float x = 0;
            UNROLL_FOR (int i = 0; i < MR; i++)
                UNROLL_FOR (int j = 0; j < NV; j++)
                    if (n == i * NV + j) x = sum[i][j];
            if (row >= rows || col >= columns) continue;
            po_ctx_t row_ctx = ctx;
            po_advance(&row_ctx, &po, nd - 2, row);
            const long at = c_first + row * c_row + col * c_col;
            store_1(po_apply(x, &row_ctx, &po, col, 1), c, at, dst_dt());
        }
    } while (mm_flag(MMF_STREAM_K) && next_piece(&piece, &shares));
}
