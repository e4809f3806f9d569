/* SPDX-License-Identifier: Apache-2.0 */
/* Several matrix products in one. The groups divide either the rows of the source, each group with
 * its own weights, or the dimension k. The kernel reads the ends of the groups from memory. A few
 * rows of one group share the weights that a work-item loads. */
#include "grouped_params.h"
#include "postops.h"
#include "quant.h"

#ifndef MR
#define MR 1
#endif
/* Products of 8-bit integers whose float sum is exact, with the zero points subtracted. */
#define EXACT 256

#if VW == 16
typedef int16 sumv_t;
#define TO_SUM convert_int16
#define TO_FLOAT convert_float16
#else
typedef int sumv_t;
#define TO_SUM convert_int
#define TO_FLOAT convert_float
#endif

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

/* The first element after a group, clamped to the matrix whatever the offsets are. */
static inline int end_of(__global const int *ends, int group, int limit) {
    return group < 0 ? 0 : clamp(ends[group], 0, limit);
}

/* The group of a row: the first group that ends after the row. The number of groups means that the
 * row has none. */
static inline int group_of(__global const int *ends, int groups, int row) {
    int first = 0, last = groups;
    while (first < last) {
        const int middle = (first + last) / 2;
        if (ends[middle] > row) last = middle;
        else first = middle + 1;
    }
    return first;
}

/* acc[i] = sum of (a - za) * (b - zb) for k in [from, to) */
static inline void products(accv_t *acc, gcptr_t a, const long *a_at, long a_k, gcptr_t b,
        long b_at, long b_k, long b_col, const acc_t *za, accv_t zb, int from, int to, int n) {
    UNROLL_FOR (int i = 0; i < MR; i++) acc[i] = 0;
    NO_UNROLL_FOR (int k = from; k < to; k++) {
        accv_t y = load_v(b, b_at + k * b_k, b_col, n, wei_dt());
        if (mm_flag(MMF_ZB)) y -= zb;
        UNROLL_FOR (int i = 0; i < MR; i++) {
            acc_t x = load_1(a, a_at[i] + k * a_k, src_dt());
            if (mm_flag(MMF_ZA)) x -= za[i];
            acc[i] = mad((accv_t)x, y, acc[i]);
        }
    }
}

__kernel void matmul_grouped(gcptr_t a, __global const int *ends, gcptr_t b, gptr_t c,
        const mm_grouped_t p, gcptr_t sa, gcptr_t sb, gcptr_t za, gcptr_t zb, PO_ARGS) {
    const int col = get_global_id(0) * VW;
    if (col >= p.cols) return;
    const int n = min(VW, p.cols - col);
    const bool split_k = mm_flag(MMG_SPLIT_K);
    const int first_row = get_global_id(1) * p.rows_per_item,
              last_row = min(first_row + p.rows_per_item, p.rows);
    po_ctx_t ctx = PO_CTX;

    for (int row = first_row, height; row < last_row; row += height) {
        int group, first_k = 0, last_k = p.k;
        if (split_k) {
            group = get_global_id(2);
            first_k = end_of(ends, group - 1, p.k);
            last_k = end_of(ends, group, p.k);
            height = min(MR, last_row - row);
        } else {
            group = group_of(ends, p.groups, row);
            if (group == p.groups) return;
            height = min(min(MR, last_row - row), ends[group] - row);
        }
        const long b_at = (split_k ? 0 : group * p.b_group) + col * p.b_col;
        long a_at[MR];
        accv_t total[MR];
        UNROLL_FOR (int i = 0; i < MR; i++) {
            a_at[i] = min(row + i, row + height - 1) * p.a_row;
            total[i] = 0;
        }
        NO_UNROLL_FOR (int k = first_k; k < last_k;) {
            const int next_k = min(last_k - k, p.step) + k;
            acc_t a_zero[MR], a_scale[MR];
            accv_t b_zero = 0, b_scale = 1;
            int pos[3] = {group, k, col};
            if (mm_flag(MMF_ZB))
                b_zero = load_v(zb, quant_at(&p.zb, 3, pos), p.zb.stride[2], n, p.zb.dt);
            if (mm_flag(MMF_SB))
                b_scale = load_v(sb, quant_at(&p.sb, 3, pos), p.sb.stride[2], n, p.sb.dt);
            pos[2] = k;
            UNROLL_FOR (int i = 0; i < MR; i++) {
                pos[1] = min(row + i, row + height - 1);
                a_zero[i] = mm_flag(MMF_ZA) ? load_1(za, quant_at(&p.za, 3, pos), p.za.dt) : 0;
                a_scale[i] = mm_flag(MMF_SA) ? load_1(sa, quant_at(&p.sa, 3, pos), p.sa.dt) : 1;
            }
            accv_t acc[MR];
            if (mm_flag(MMF_INT)) {
                sumv_t sum[MR];
                UNROLL_FOR (int i = 0; i < MR; i++) sum[i] = 0;
                for (int from = k; from < next_k; from += EXACT) {
                    products(acc, a, a_at, p.a_k, b, b_at, p.b_k, p.b_col, a_zero, b_zero, from,
                            min(next_k, from + EXACT), n);
                    UNROLL_FOR (int i = 0; i < MR; i++) sum[i] += TO_SUM(acc[i]);
                }
                UNROLL_FOR (int i = 0; i < MR; i++) acc[i] = TO_FLOAT(sum[i]);
            } else {
                products(
                        acc, a, a_at, p.a_k, b, b_at, p.b_k, p.b_col, a_zero, b_zero, k, next_k, n);
            }
            UNROLL_FOR (int i = 0; i < MR; i++)
                total[i] = mad(acc[i], (accv_t)a_scale[i] * b_scale, total[i]);
            k = next_k;
        }
        for (int i = 0; i < height; i++) {
            const int pos[3] = {group, row + i, 0};
            po_seek(&ctx, &po, pos, 3);
            const accv_t x = po_apply(total[i], &ctx, &po, col, n);
            const long at = (split_k ? group * p.c_group : 0) + (row + i) * p.c_row + col * p.c_col;
            store_v(x, c, at, p.c_col, n, dst_dt());
        }
    }
}
