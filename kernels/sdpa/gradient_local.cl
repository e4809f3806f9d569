/* SPDX-License-Identifier: Apache-2.0 */
/* Attention's gradients in tiles of local memory. A work-group has 64 queries and walks along the
 * keys in blocks of 64, or (COLUMNS) it has 64 keys with their values and walks along the queries
 * of all heads that share them. Of a block it computes the scores and what the gradient of the
 * destination says of the weights, then from both the gradients of the scores, and adds these,
 * times the lines of the block, to up to 64 * NT columns of its gradients. Larger heads have
 * several work-groups, each of which computes the scores. */
#include "gradient.h"
#include "local_walk.h"

/* What the pairs of a query and a key have in common. */
typedef struct {
    __global const float *stats, *delta;
    gcptr_t mask;
    float factor, cap;
    sd_at_t at;
    sd_more_t more;
} pairs_t;

static inline pairs_t pairs_of(__global const float *stats, __global const float *delta,
        gcptr_t mask, float factor, float cap, sd_at_t at, sd_more_t more) {
    pairs_t x;
    x.stats = stats, x.delta = delta, x.mask = mask;
    x.factor = factor, x.cap = cap, x.at = at, x.more = more;
    return x;
}

/* A pair that is beyond the ends, or that the query does not see, has no gradient. */
static inline sd_gradient_t pair_of(
        const pairs_t *x, const sd_params_t *p, float dot, float diff, int query, int key) {
    sd_gradient_t none;
    none.weight = none.scores = none.dots = 0;
    if (query >= p->queries || key >= sd_visible(p, query)) return none;
    return sd_gradient_of(dot, diff, x->stats[x->at.stat + query], x->delta[x->at.stat + query],
            x->factor, x->cap, x->mask, x->at.m + query * p->m_row + key * p->m_col,
            (x->at.stat + query) * p->keys + key, &x->more);
}

/* Row i gets the values of a line. Like line_of(), for a loop that is not unrolled: the code of a
 * pair is long, and is compiled once for each column of a work-item. */
static inline void put_line(sums_t *sums, const line_t *line, int i) {
    UNROLL_FOR (int n = 0; n < MR; n++)
        UNROLL_FOR (int j = 0; j < NR; j++) sums->s[n][j] = n == i ? line->s[j] : sums->s[n][j];
}

static inline void store_sums(const sums_t o[NT], gptr_t to, long at, const sd_layout_t *layout,
        int row, int rows, int column, int columns, int dt) {
    UNROLL_FOR (int n = 0; n < NT; n++)
        UNROLL_FOR (int i = 0; i < MR; i++)
            UNROLL_FOR (int j = 0; j < NR; j++) {
                const int c = n * TILE_N + column + j;
                if (row + i < rows && c < columns)
                    store_1(o[n].s[i][j], to, at + (row + i) * layout->row + c * layout->col, dt);
            }
}

#ifdef COLUMNS
LOCAL_TILE_KERNEL void sdpa_diff_keys_local(gcptr_t q, gcptr_t k, gcptr_t v, gcptr_t diff_dst,
        SDG_REST, gptr_t diff_key, gptr_t diff_value) {
    __local float pairs[2 * (A_BUFFER + B_BUFFER)] __attribute__((aligned(16)));
    __local float parts[VALUE_BUFFERS * NT * B_BUFFER] __attribute__((aligned(16)));
    const int item = get_local_id(0), row = item / SIDE * 4, column = item % SIDE * 4;
    const int row0 = (int)get_group_id(0) * TILE_M, rows = min((int)TILE_M, p.keys - row0);
    const int col0 = (int)get_group_id(2) * TILE_N * NT;
    const uint z = (uint)get_group_id(1) * (uint)g.share;
    const bool turned = (sd_flags() & SDF_ROWS) != 0;
    pairs_t x = pairs_of(stats, delta, mask, sd_scale(scale, host_scale), sd_cap(cap, host_cap),
            sd_seek(&p, z), sd_more(SD_MORE_VALUES));
    const reader_t from_k = reader_of(k, x.at.k + row0 * p.k_col, p.k_col, p.k_row, rows, TILE_M,
                           !turned, key_dt(), item),
                   from_v = reader_of(v, x.at.v + row0 * p.v_row, p.v_row, p.v_col, rows, TILE_M,
                           true, value_dt(), item);
    sums_t of_key[NT], of_value[NT];
    UNROLL_FOR (int n = 0; n < NT; n++) of_key[n] = of_value[n] = no_sums();
    /* Causal masks hide the keys from the first queries. */
    int first = 0;
    NO_UNROLL_FOR (; first < p.queries; first += TILE_N)
        if (sd_visible(&p, min(first + (int)TILE_N, p.queries) - 1) > row0) break;

    NO_UNROLL_FOR (int head = 0; head < g.share; head++) {
        x.at = sd_seek(&p, z + head);
        const long o_at = sdg_seek(&g.dst, &p, z + head, false);
        NO_UNROLL_FOR (int q0 = first; q0 < p.queries; q0 += TILE_N) {
            const reader_t from_q = reader_of(q, x.at.q + q0 * p.q_row, p.q_row, p.q_col,
                                   p.queries - q0, TILE_N, true, query_dt(), item),
                           from_o = reader_of(diff_dst, o_at + q0 * g.dst.row, g.dst.row, g.dst.col,
                                   p.queries - q0, TILE_N, true, diff_dst_dt(), item);
            sums_t dots = products_of(&from_k, &from_q, p.size, pairs, row, column),
                   weights = products_of(&from_v, &from_o, p.width, pairs, row, column);
            NO_UNROLL_FOR (int i = 0; i < MR; i++) {
                line_t dot = line_of(&dots, i), weight = line_of(&weights, i);
                UNROLL_FOR (int j = 0; j < NR; j++) {
                    const sd_gradient_t pair =
                            pair_of(&x, &p, dot.s[j], weight.s[j], q0 + column + j, row0 + row + i);
                    weight.s[j] = pair.weight, dot.s[j] = pair.dots;
                }
                put_line(&dots, &dot, i);
                put_line(&weights, &weight, i);
            }
            reader_t from[NT];
            keep_sums(pairs, &weights, row, column);
            read_columns(from, diff_dst, o_at + col0 * g.dst.col, g.dst.col, g.dst.row,
                    p.width - col0, false, diff_dst_dt(), item);
            add_weighted(of_value, from, q0, p.queries, pairs, parts, row, column);
            barrier(CLK_LOCAL_MEM_FENCE); /* the weights have been read */
            keep_sums(pairs, &dots, row, column);
            read_columns(from, q, x.at.q + col0 * p.q_col, p.q_col, p.q_row, p.size - col0, false,
                    query_dt(), item);
            add_weighted(of_key, from, q0, p.queries, pairs, parts, row, column);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    store_sums(of_key, diff_key,
            sdg_seek(&g.key, &p, z, true) + row0 * g.key.row + col0 * g.key.col, &g.key, row, rows,
            column, p.size - col0, diff_key_dt());
    store_sums(of_value, diff_value,
            sdg_seek(&g.value, &p, z, true) + row0 * g.value.row + col0 * g.value.col, &g.value,
            row, rows, column, p.width - col0, diff_value_dt());
}
#else
LOCAL_TILE_KERNEL void sdpa_diff_queries_local(gcptr_t q, gcptr_t k, gcptr_t v, gcptr_t diff_dst,
        SDG_REST, gptr_t diff_query, gptr_t diff_score) {
    __local float pairs[2 * (A_BUFFER + B_BUFFER)] __attribute__((aligned(16)));
    __local float parts[VALUE_BUFFERS * NT * B_BUFFER] __attribute__((aligned(16)));
    const int item = get_local_id(0), row = item / SIDE * 4, column = item % SIDE * 4;
    const int row0 = (int)get_group_id(0) * TILE_M, rows = min((int)TILE_M, p.queries - row0);
    const int col0 = (int)get_group_id(2) * TILE_N * NT;
    const uint z = get_group_id(1);
    const bool turned = (sd_flags() & SDF_ROWS) != 0, stores = diff_score_dt() && col0 == 0;
    const int end = stores ? p.keys : sd_visible(&p, row0 + rows - 1);
    pairs_t x = pairs_of(stats, delta, mask, sd_scale(scale, host_scale), sd_cap(cap, host_cap),
            sd_seek(&p, z), sd_more(SD_MORE_VALUES));
    const long o_at = sdg_seek(&g.dst, &p, z, false), score_at = sdg_seek(&g.score, &p, z, false);
    const reader_t from_q = reader_of(q, x.at.q + row0 * p.q_row, p.q_row, p.q_col, rows, TILE_M,
                           true, query_dt(), item),
                   from_o = reader_of(diff_dst, o_at + row0 * g.dst.row, g.dst.row, g.dst.col, rows,
                           TILE_M, true, diff_dst_dt(), item);
    reader_t from[NT];
    sums_t o[NT];
    read_columns(from, k, x.at.k + col0 * p.k_row, p.k_row, p.k_col, p.size - col0, turned,
            key_dt(), item);
    UNROLL_FOR (int n = 0; n < NT; n++) o[n] = no_sums();

    NO_UNROLL_FOR (int key0 = 0; key0 < end; key0 += TILE_N) {
        const reader_t from_k = reader_of(k, x.at.k + key0 * p.k_col, p.k_col, p.k_row,
                               p.keys - key0, TILE_N, !turned, key_dt(), item),
                       from_v = reader_of(v, x.at.v + key0 * p.v_row, p.v_row, p.v_col,
                               p.keys - key0, TILE_N, true, value_dt(), item);
        sums_t dots = products_of(&from_q, &from_k, p.size, pairs, row, column);
        const sums_t diff = products_of(&from_o, &from_v, p.width, pairs, row, column);
        NO_UNROLL_FOR (int i = 0; i < MR; i++) {
            const line_t change = line_of(&diff, i);
            line_t dot = line_of(&dots, i);
            UNROLL_FOR (int j = 0; j < NR; j++) {
                const int query = row0 + row + i, key = key0 + column + j;
                const sd_gradient_t pair = pair_of(&x, &p, dot.s[j], change.s[j], query, key);
                dot.s[j] = pair.dots;
                if (stores && query < p.queries && key < p.keys)
                    store_1(pair.scores, diff_score,
                            score_at + query * g.score.row + key * g.score.col, diff_score_dt());
            }
            put_line(&dots, &dot, i);
        }
        keep_sums(pairs, &dots, row, column);
        add_weighted(o, from, key0, p.keys, pairs, parts, row, column);
        barrier(CLK_LOCAL_MEM_FENCE); /* the pairs have been read */
    }
    store_sums(o, diff_query,
            sdg_seek(&g.query, &p, z, false) + row0 * g.query.row + col0 * g.query.col, &g.query,
            row, rows, column, p.size - col0, diff_query_dt());
}
#endif
