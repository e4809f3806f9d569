/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product for CPUs. A work-item keeps MR x (16 * NV) results in vector registers while it
 * walks along k. */
#define VW 16
#include "matmul_params.h"
#include "postops.h"
#include "quant.h"
#include "tile.h"

#define NR (16 * NV)
#if defined(DOTS)
#include "dots.h"
#elif defined(PAIRS)
#include "pairs.h"
#else
#include "floats.h"
#endif

/* Are integers the result, without an epilogue? */
static inline bool copies_bits(void) {
    return mm_flag(MMF_INT) && po_count() == 0 && dst_dt() == DT_S32;
}

/* Are the sums the result? Those of integers are copied as bits. */
static inline bool stores_sums(void) {
    if (mm_flag(MMF_INT)) return copies_bits() && !mm_flag(MMF_ZB);
    return po_count() == 0;
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void matmul_tile(
        __global const elem_t *a_all, gcptr_t b, gptr_t c, const mm_tile_t t, gcptr_t za_ptr,
        int za, gcptr_t zb_ptr, int zb, PO_ARGS) {
    const long beside = get_group_id(t.along ? 0 : 1), below = get_group_id(t.along ? 1 : 0);
    const long first_col = beside * NR;
    const long z = get_group_id(2);
    const int width = min((long)NR, t.n - first_col);
    int pos[PAR_MAX_DIMS];
    po_ctx_t ctx = PO_CTX;

    /* Without padding the last panel is shifted to the left, so that it ends where the
     * matrix ends. */
    const int shift = mm_flag(MMF_UNPADDED) ? NR - width : 0;
    seek_row(pos, &t, z * t.rows);
    pos[t.ndims - 2] = 0;
    const long b_at = at(pos, t.b_stride, t.ndims) +
                      (mm_flag(MMF_UNPADDED) ? first_col - shift : beside * t.b_panel);
    if (mm_flag(MMF_ZA) && za_ptr) za = load_int(za_ptr, 0, t.za_dt);
    panel_t panel;
    open_panel(&panel, b, b_at, &t, za + t.za_moved);

    for (int tile = 0; tile < t.tiles; tile++) {
        const long row0 = (below * t.tiles + tile) * MR;
        if (row0 >= t.rows) break;
        __global const elem_t *a[MR];
        seek_row(pos, &t, z * t.rows + row0);
        UNROLL_FOR (int i = 0; i < MR; i++) { /* rows behind the last one repeat it */
            a[i] = a_all + at(pos, t.a_stride, t.ndims);
            if (row0 + i + 1 < t.rows) next_row(pos, &t);
        }

        /* The results pass through memory, so that the epilogue is compiled in only once and lanes
         * can be shifted. */
        float16 done[MR * NV + 1];
        products(done, a, &panel, &t);

        const int height = min((long)MR, t.rows - row0);
        seek_row(pos, &t, z * t.rows + row0);
        if (stores_sums() && width == NR && t.c_stride[t.ndims - 1] == 1) {
            for (int i = 0; i < height; i++, next_row(pos, &t)) {
                const long c_at = at(pos, t.c_stride, t.ndims) + first_col;
                UNROLL_FOR (int j = 0; j < NV; j++)
                    store_16(done[i * NV + j], c, c_at + j * 16,
                            mm_flag(MMF_INT) ? DT_F32 : dst_dt());
            }
            continue;
        }
        po_base_t base[MR];
        long row_at[MR];
        int a_sum[MR];
        for (int i = 0; i < height; i++, next_row(pos, &t)) {
            row_at[i] = at(pos, t.c_stride, t.ndims);
            if (mm_flag(MMF_INT) && mm_flag(MMF_ZB)) {
                a_sum[i] = sum_of_row(a[i], &t);
                if (mm_flag(MMF_ZA)) a_sum[i] -= t.k * (za + t.za_moved);
            }
            if (po_nsrcs() == 0) continue;
            po_seek(&ctx, &po, pos, t.ndims);
            po_keep(&base[i], &ctx);
        }
        const long col_stride = t.c_stride[t.ndims - 1];
        for (int j = 0; j * 16 < width; j++) {
            const int n = min(16, width - j * 16);
            const long col = first_col + j * 16;
            float16 x[MR];
            int16 zb_16 = 0;
            if (mm_flag(MMF_INT) && mm_flag(MMF_ZB))
                zb_16 = load_ints(zb_ptr, zb, col * t.zb_n, t.zb_n, n, t.zb_dt) + t.zb_moved;
            for (int i = 0; i < height; i++) {
                x[i] = vload16(0, (const float *)(done + i * NV + j) + shift);
                if (!mm_flag(MMF_INT)) continue;
                const int16 s = as_int16(x[i]) - (mm_flag(MMF_ZB) ? a_sum[i] * zb_16 : 0);
                x[i] = copies_bits() ? as_float16(s) : convert_float16(s);
            }
            if (po_count() > 0) po_apply_rows(x, height, base, &ctx, &po, col, n);
            for (int i = 0; i < height; i++) {
                const long c_at = row_at[i] + col * col_stride;
                if (copies_bits()) store_ints(as_int16(x[i]), c, c_at, col_stride, n);
                else store_v(x[i], c, c_at, col_stride, n, dst_dt());
            }
        }
    }
    close_panel();
}
