/* SPDX-License-Identifier: Apache-2.0 */
/* The portable kernels of attention's gradients: any strides and sizes. A work-item computes
 * SD_COLUMNS elements of the gradient of one query, or (COLUMNS) of one key and of its value. */
#include "gradient.h"

typedef struct {
    float s[SD_COLUMNS];
} columns_t;

/* The sum of products of two vectors. */
static inline float dot_of(
        gcptr_t x, long at, long step, int dt, gcptr_t y, long y_at, long y_step, int y_dt, int n) {
    float sum = 0;
    NO_UNROLL_FOR (int i = 0; i < n; i++)
        sum = fma(load_1(x, at + i * step, dt), load_1(y, y_at + i * y_step, y_dt), sum);
    return sum;
}

static inline void add_to(
        columns_t *sums, float factor, gcptr_t x, long at, long step, int n, int dt) {
    UNROLL_FOR (int c = 0; c < SD_COLUMNS; c++)
        if (c < n) sums->s[c] = fma(factor, load_1(x, at + c * step, dt), sums->s[c]);
}

static inline void store_columns(
        const columns_t *sums, gptr_t to, long at, long step, int n, int dt) {
    UNROLL_FOR (int c = 0; c < SD_COLUMNS; c++)
        if (c < n) store_1(sums->s[c], to, at + c * step, dt);
}

#ifdef COLUMNS
__kernel void sdpa_diff_keys_any(gcptr_t q, gcptr_t k, gcptr_t v, gcptr_t diff_dst, SDG_REST,
        gptr_t diff_key, gptr_t diff_value) {
    const int key = get_global_id(0), col = (int)get_global_id(1) * SD_COLUMNS;
    const uint z = (uint)get_global_id(2) * (uint)g.share;
    if (key >= p.keys) return;
    const float factor = sd_scale(scale, host_scale), most = sd_cap(cap, host_cap);
    const sd_more_t more = sd_more(SD_MORE_VALUES);
    long key_at = key * g.key.row + col * g.key.col,
         value_at = key * g.value.row + col * g.value.col;
    uint matrix = z;
    EACH_DOWN(d, p.nouter, SD_OUTER) {
        const uint size = p.outer[d], pos = matrix % size / (uint)p.share[d];
        matrix /= size;
        key_at += (long)pos * g.key.outer[d];
        value_at += (long)pos * g.value.outer[d];
    }
    columns_t of_key, of_value;
    UNROLL_FOR (int c = 0; c < SD_COLUMNS; c++) of_key.s[c] = of_value.s[c] = 0;
    NO_UNROLL_FOR (int head = 0; head < g.share; head++) {
        const sd_at_t at = sd_seek(&p, z + head);
        const long diff_at = sdg_seek(&g.dst, &p, z + head, false);
        NO_UNROLL_FOR (int i = 0; i < p.queries; i++) {
            if (key >= sd_visible(&p, i)) continue;
            const long q_at = at.q + i * p.q_row, o_at = diff_at + i * g.dst.row;
            const float dot = dot_of(q, q_at, p.q_col, query_dt(), k, at.k + key * p.k_col, p.k_row,
                    key_dt(), p.size);
            const float diff = dot_of(diff_dst, o_at, g.dst.col, diff_dst_dt(), v,
                    at.v + key * p.v_row, p.v_col, value_dt(), p.width);
            const sd_gradient_t x = sd_gradient_of(dot, diff, stats[at.stat + i],
                    delta[at.stat + i], factor, most, mask, at.m + i * p.m_row + key * p.m_col,
                    (at.stat + i) * p.keys + key, &more);
            add_to(&of_key, x.dots, q, q_at + col * p.q_col, p.q_col, p.size - col, query_dt());
            add_to(&of_value, x.weight, diff_dst, o_at + col * g.dst.col, g.dst.col, p.width - col,
                    diff_dst_dt());
        }
    }
    store_columns(&of_key, diff_key, key_at, g.key.col, p.size - col, diff_key_dt());
    store_columns(&of_value, diff_value, value_at, g.value.col, p.width - col, diff_value_dt());
}
#else
__kernel void sdpa_diff_queries_any(gcptr_t q, gcptr_t k, gcptr_t v, gcptr_t diff_dst, SDG_REST,
        gptr_t diff_query, gptr_t diff_score) {
    const int i = get_global_id(0), col = (int)get_global_id(1) * SD_COLUMNS;
    const uint z = get_global_id(2);
    if (i >= p.queries) return;
    const float factor = sd_scale(scale, host_scale), most = sd_cap(cap, host_cap);
    const sd_more_t more = sd_more(SD_MORE_VALUES);
    const sd_at_t at = sd_seek(&p, z);
    const long q_at = at.q + i * p.q_row, o_at = sdg_seek(&g.dst, &p, z, false) + i * g.dst.row,
               score_at = sdg_seek(&g.score, &p, z, false) + i * g.score.row;
    const bool stores = diff_score_dt() && col == 0;
    const int seen = sd_visible(&p, i), end = stores ? p.keys : seen;
    columns_t sums;
    UNROLL_FOR (int c = 0; c < SD_COLUMNS; c++) sums.s[c] = 0;
    NO_UNROLL_FOR (int key = 0; key < end; key++) {
        float of_score = 0;
        if (key < seen) {
            const float dot = dot_of(q, q_at, p.q_col, query_dt(), k, at.k + key * p.k_col, p.k_row,
                    key_dt(), p.size);
            const float diff = dot_of(diff_dst, o_at, g.dst.col, diff_dst_dt(), v,
                    at.v + key * p.v_row, p.v_col, value_dt(), p.width);
            const sd_gradient_t x = sd_gradient_of(dot, diff, stats[at.stat + i],
                    delta[at.stat + i], factor, most, mask, at.m + i * p.m_row + key * p.m_col,
                    (at.stat + i) * p.keys + key, &more);
            add_to(&sums, x.dots, k, at.k + key * p.k_col + col * p.k_row, p.k_row, p.size - col,
                    key_dt());
            of_score = x.scores;
        }
        if (stores) store_1(of_score, diff_score, score_at + key * g.score.col, diff_score_dt());
    }
    store_columns(&sums, diff_query,
            sdg_seek(&g.query, &p, z, false) + i * g.query.row + col * g.query.col, g.query.col,
            p.size - col, diff_query_dt());
}
#endif
