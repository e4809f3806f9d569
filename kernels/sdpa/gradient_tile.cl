/* SPDX-License-Identifier: Apache-2.0 */
/* Attention's gradients for CPUs. A work-item has MR queries and walks along the keys, or (COLUMNS)
 * MR keys and walks along the queries of all heads that share them. What it walks along is packed
 * in panels of 16 columns of floats. */
#define VW 16
#ifdef COLUMNS
#define OF_KEYS 1
#else
#define OF_KEYS 0
#endif
#include "gradient_tile.h"

enum { BLOCK = 64 }; /* lines whose weights are kept */

/* Products of MR rows and 16 columns of a panel of `size` rows. */
static inline void multiply(
        float16 x[MR], float rows[SD_MAX_SIZE][MR], __global const float *panel, int size) {
    UNROLL_FOR (int r = 0; r < MR; r++) x[r] = 0;
    NO_UNROLL_FOR (int i = 0; i < size; i++) {
        const float16 y = vload16(i, panel);
        UNROLL_FOR (int r = 0; r < MR; r++) x[r] = mad((float16)rows[i][r], y, x[r]);
    }
}

/* Adds n lines of panels, from number `first` of `lines` on, with their factors. */
static inline void add_lines(float16 sums[MR][CHUNKS], float factors[MR][BLOCK],
        __global const float *panels, int size, int lines, int first, int n) {
    NO_UNROLL_FOR (int c = 0; 16 * c < size; c++) {
        float16 x[MR];
        UNROLL_FOR (int r = 0; r < MR; r++) x[r] = sums[r][c];
        __global const float *panel = panels + ((long)c * lines + first) * 16;
        NO_UNROLL_FOR (int j = 0; j < n; j++) {
            const float16 y = vload16(j, panel);
            UNROLL_FOR (int r = 0; r < MR; r++) x[r] = mad((float16)factors[r][j], y, x[r]);
        }
        UNROLL_FOR (int r = 0; r < MR; r++) sums[r][c] = x[r];
    }
}

/* own, own_diff: rows of queries and of the gradient of the destination, or of keys and values.
 * The others in panels: columns for the products, lines for the sums. */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void
#if OF_KEYS
sdpa_diff_keys_tile(gcptr_t own, gcptr_t own_diff, __global const float *columns,
        __global const float *diff_columns, __global const float *lines,
        __global const float *diff_lines, SDG_REST, gptr_t diff_own, gptr_t diff_value)
#else
sdpa_diff_queries_tile(gcptr_t own, gcptr_t own_diff, __global const float *columns,
        __global const float *diff_columns, __global const float *lines, SDG_REST, gptr_t diff_own,
        gptr_t diff_score)
#endif
{
    const int row0 = (int)get_group_id(0) * MR, others = OF_KEYS ? p.queries : p.keys,
              rows = min(MR, (OF_KEYS ? p.keys : p.queries) - row0);
    const uint z0 = (uint)get_group_id(1) * (OF_KEYS ? (uint)g.share : 1);
    const float factor = sd_scale(scale, host_scale), most = sd_cap(cap, host_cap);
    const sd_more_t more = sd_more(SD_MORE_VALUES);
    const long panels = (long)((others + 15) / 16) * 16; /* columns of a matrix of panels */
    float a[SD_MAX_SIZE][MR], b[SD_MAX_SIZE][MR], dots[MR][BLOCK];
    float16 sums[MR][CHUNKS];
#if OF_KEYS
    float weights[MR][BLOCK];
    float16 value_sums[MR][CHUNKS];
#endif
    NO_UNROLL_FOR (int r = 0; r < MR; r++)
        NO_UNROLL_FOR (int c = 0; c < CHUNKS; c++) {
            sums[r][c] = 0;
#if OF_KEYS
            value_sums[r][c] = 0;
#endif
        }
    const sd_at_t first = sd_seek(&p, z0);
#if OF_KEYS
    read_rows(a, own, first.k + row0 * p.k_col, p.k_col, p.k_row, rows, p.size, key_dt());
    read_rows(b, own_diff, first.v + row0 * p.v_row, p.v_row, p.v_col, rows, p.width, value_dt());
    /* the first query that sees the first key, at the start of a panel */
    const int start = (sd_flags() & SDF_CAUSAL) ? clamp(row0 + 1 - p.first, 0, others) & ~15 : 0,
              end = others;
#else
    read_rows(a, own, first.q + row0 * p.q_row, p.q_row, p.q_col, rows, p.size, query_dt());
    read_rows(b, own_diff, sdg_seek(&g.dst, &p, z0, false) + row0 * g.dst.row, g.dst.row, g.dst.col,
            rows, p.width, diff_dst_dt());
    const long score_at = sdg_seek(&g.score, &p, z0, false) + row0 * g.score.row;
    const int start = 0, end = diff_score_dt() ? p.keys : sd_visible(&p, row0 + rows - 1);
#endif

    NO_UNROLL_FOR (int head = 0; head < (OF_KEYS ? g.share : 1); head++) {
        const sd_at_t at = sd_seek(&p, z0 + head);
        const long matrix = OF_KEYS ? z0 + head : z0 / (uint)g.share;
        NO_UNROLL_FOR (int block = start; block < end; block += BLOCK) {
            const int n = min((int)BLOCK, end - block);
            NO_UNROLL_FOR (int t = 0; t < n; t += 16) {
                const int other = block + t;
                float16 x[MR], y[MR];
                multiply(x, a, columns + (matrix * panels + other) * p.size, p.size);
                multiply(y, b, diff_columns + (matrix * panels + other) * p.width, p.width);
                NO_UNROLL_FOR (int r = 0; r < MR; r++) {
                    gradients_t of;
                    of.weight = of.scores = of.dots = 0;
                    if (r < rows) {
                        const line_t line = line_at(&p, &at, stats, delta, row0 + r, other);
                        of = gradients_of(x[r], y[r], &line, factor, most, mask, &more);
#if !OF_KEYS
                        if (diff_score_dt())
                            store_v(of.scores, diff_score,
                                    score_at + r * g.score.row + other * g.score.col, g.score.col,
                                    line.n, diff_score_dt());
#endif
                    }
                    vstore16(of.dots, 0, dots[r] + t);
#if OF_KEYS
                    vstore16(of.weight, 0, weights[r] + t);
#endif
                }
            }
            add_lines(sums, dots, lines + matrix * others * ((p.size + 15) / 16 * 16), p.size,
                    others, block, n);
#if OF_KEYS
            add_lines(value_sums, weights,
                    diff_lines + matrix * others * ((p.width + 15) / 16 * 16), p.width, others,
                    block, n);
#endif
        }
    }
#if OF_KEYS
    store_rows(sums, diff_own, sdg_seek(&g.key, &p, z0, true) + row0 * g.key.row, g.key.row,
            g.key.col, rows, p.size, diff_key_dt());
    store_rows(value_sums, diff_value, sdg_seek(&g.value, &p, z0, true) + row0 * g.value.row,
            g.value.row, g.value.col, rows, p.width, diff_value_dt());
#else
    store_rows(sums, diff_own, sdg_seek(&g.query, &p, z0, false) + row0 * g.query.row, g.query.row,
            g.query.col, rows, p.size, diff_query_dt());
#endif
}
