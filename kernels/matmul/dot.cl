/* SPDX-License-Identifier: Apache-2.0 */
/* A few rows times weights that are stored column by column, for CPUs. A work-item computes dot
 * products along k for 16 columns. */
#define VW 16
#include "matmul_params.h"
#include "postops.h"
#include "quant.h"
#include "tile.h"

/* Rows and columns whose sums are in registers at the same time. */
#define MR 2
#define NC 2
/* Number of products for which each of the 16 lanes of a sum stays exact. */
#define EXACT_STEPS (EXACT_K * 16)

static inline float total(float16 x) {
    float8 a = x.lo + x.hi;
    float4 b = a.lo + a.hi;
    return b.x + b.y + b.z + b.w;
}

static inline int total_int(float16 x) {
    int8 a = convert_int8(x.lo) + convert_int8(x.hi);
    int4 b = a.lo + a.hi;
    return b.x + b.y + b.z + b.w;
}

/* Sums over all k for the rows a[] and the columns at b_at + j * b_column. */
static inline void dots(float result[MR][NC], __global const float *const *a, gcptr_t b, long b_at,
        long b_column, int k_total) {
    int sum[MR][NC];
    float16 acc[MR][NC];
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NC; j++) acc[i][j] = 0, sum[i][j] = 0;
    const int step = mm_flag(MMF_INT) ? EXACT_STEPS : k_total;
    for (int k0 = 0; k0 < k_total; k0 += step) {
        const int end = min(k_total, k0 + step);
        int k = k0;
        for (; k + 16 <= end; k += 16) {
            float16 bv[NC];
            UNROLL_FOR (int j = 0; j < NC; j++)
                bv[j] = load_16(b, b_at + j * b_column + k, wei_dt());
            UNROLL_FOR (int i = 0; i < MR; i++) {
                const float16 av = vload16(0, a[i] + k);
                UNROLL_FOR (int j = 0; j < NC; j++) acc[i][j] = mad(av, bv[j], acc[i][j]);
            }
        }
        if (k < end)
            UNROLL_FOR (int j = 0; j < NC; j++) {
                const float16 bv = load_v(b, b_at + j * b_column + k, 1, end - k, wei_dt());
                UNROLL_FOR (int i = 0; i < MR; i++)
                    acc[i][j] = mad(load_v((gcptr_t)a[i], k, 1, end - k, DT_F32), bv, acc[i][j]);
            }
        if (mm_flag(MMF_INT))
            UNROLL_FOR (int i = 0; i < MR; i++)
                UNROLL_FOR (int j = 0; j < NC; j++) {
                    sum[i][j] += total_int(acc[i][j]);
                    acc[i][j] = 0;
                }
    }
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NC; j++)
            result[i][j] = mm_flag(MMF_INT) ? as_float(sum[i][j]) : total(acc[i][j]);
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void matmul_dot(
        __global const float *a_all, gcptr_t b, gptr_t c, const mm_tile_t t, PO_ARGS) {
    const long first_col = (long)get_group_id(0) * 16;
    const long z = get_group_id(2);
    const int width = min(16L, t.n - first_col);
    int pos[PAR_MAX_DIMS];
    po_ctx_t ctx = PO_CTX;

    seek_row(pos, &t, z * t.rows);
    pos[t.ndims - 2] = 0;
    const long b_at = at(pos, t.b_stride, t.ndims) + first_col * t.b_panel;

    for (long row = (long)get_group_id(1) * MR; row < t.rows; row += (long)get_num_groups(1) * MR) {
        __global const float *a[MR];
        union {
            float16 v[MR];
            float s[MR][16];
        } done;
        const int height = min((long)MR, t.rows - row);
        for (int i = 0; i < MR; i++) {
            seek_row(pos, &t, z * t.rows + min(row + i, t.rows - 1));
            a[i] = a_all + at(pos, t.a_stride, t.ndims);
            done.v[i] = 0;
        }
        for (int j = 0; j < width; j += NC) {
            float part[MR][NC];
            const int next = j + 1 < width; /* an odd last column is computed twice */
            dots(part, a, b, b_at + j * t.b_panel, next * t.b_panel, t.k);
            for (int i = 0; i < MR; i++) {
                done.s[i][j] = part[i][0];
                if (next) done.s[i][j + 1] = part[i][1];
            }
        }
        for (int i = 0; i < height; i++) {
            seek_row(pos, &t, z * t.rows + row + i);
            po_seek(&ctx, &po, pos, t.ndims);
            const long col_stride = t.c_stride[t.ndims - 1];
            const long c_at = at(pos, t.c_stride, t.ndims) + first_col * col_stride;
            float16 x = done.v[i];
            if (mm_flag(MMF_INT)) {
                if (po_count() == 0 && dst_dt() == DT_S32) {
                    store_ints(as_int16(x), c, c_at, col_stride, width);
                    continue;
                }
                x = convert_float16(as_int16(x));
            }
            x = po_apply(x, &ctx, &po, first_col, width);
            store_v(x, c, c_at, col_stride, width, dst_dt());
        }
    }
}
