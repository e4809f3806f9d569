/* SPDX-License-Identifier: Apache-2.0 */
/* The portable kernel of attention: any strides and sizes, a query and COLUMNS elements of its result for each work-item. */
#include "sdpa.h"

#define COLUMNS 16

__kernel void sdpa_any(gcptr_t q, gcptr_t k, gcptr_t v, SD_REST) {
    const int row = get_global_id(0), col = (int)get_global_id(1) * COLUMNS;
    if (row >= p.queries) return;
    const sd_at_t at = sd_seek(&p, get_global_id(2));
    const float factor = sd_scale(scale, host_scale);
    const long q_at = at.q + row * p.q_row;
    const int seen = sd_visible(&p, row), n = min(COLUMNS, p.width - col);
    float acc[COLUMNS], top = -INFINITY, sum = 0;
    UNROLLED for (int c = 0; c < COLUMNS; c++) acc[c] = 0;

    NO_UNROLL for (int j = 0; j < seen; j++) {
        float score = 0;
        NO_UNROLL for (int i = 0; i < p.size; i++) score =
                fma(load_1(q, q_at + i * p.q_col, query_dt()), load_1(k, at.k + i * p.k_row + j * p.k_col, key_dt()), score);
        score *= factor;
        if (mask_dt()) score += load_1(mask, at.m + row * p.m_row + j * p.m_col, mask_dt());
        if (score == -INFINITY) continue;
        const float new_top = score > top ? score : top, kept = top == -INFINITY ? 0 : exp(top - new_top),
                    weight = exp(score - new_top);
        top = new_top;
        sum = sum * kept + weight;
        UNROLLED for (int c = 0; c < COLUMNS; c++)
            acc[c] = acc[c] * kept + (c < n ? weight * load_1(v, at.v + j * p.v_row + (col + c) * p.v_col, value_dt()) : 0);
    }
    UNROLLED for (int c = 0; c < COLUMNS; c++)
        if (c < n) store_1(sum == 0 ? 0 : acc[c] / sum, dst, at.o + row * p.o_row + (col + c) * p.o_col, dst_dt());
}
