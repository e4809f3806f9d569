/* SPDX-License-Identifier: Apache-2.0 */
/* All of attention's gradients for CPUs. A work-item has a matrix of keys, and walks along blocks
 * of queries of all heads that share it; for each it walks along blocks of keys. So each product of
 * a query and a key is computed once. The gradients of keys and values are added up in panels of
 * floats in memory, those of the queries of a block on the stack. */
#define VW 16
#define OF_KEYS 0
#include "gradient_tile.h"

enum {
    TILES = 4,
    QUERIES = TILES * MR, /* of a block */
    BLOCK = 96            /* keys of a block: a multiple of MR and of 32 */
};

/* The factors of a block, in the stack: weights of the values, gradients of the products. */
typedef struct {
    float weights[QUERIES][BLOCK], dots[QUERIES][BLOCK];
} factors_t;

/* The kernel multiplies with NV vectors of columns at a time. The last of them may not be there: it
 * is the first one again then. */
static inline int vector_at(int v, bool is_there) {
    return is_there ? v : 0;
}

/* Products of MR rows and NV panels of `size` rows, which are `apart` rows apart. */
static inline void multiply_panels(float16 x[NV][MR], float rows[SD_MAX_SIZE][MR],
        __global const float *panels, int size, int apart) {
    UNROLL_FOR (int v = 0; v < NV; v++)
        UNROLL_FOR (int r = 0; r < MR; r++) x[v][r] = 0;
    NO_UNROLL_FOR (int i = 0; i < size; i++) {
        float16 y[NV];
        UNROLL_FOR (int v = 0; v < NV; v++) y[v] = vload16(i + v * apart, panels);
        UNROLL_FOR (int r = 0; r < MR; r++)
            UNROLL_FOR (int v = 0; v < NV; v++) x[v][r] = mad((float16)rows[i][r], y[v], x[v][r]);
    }
}

/* Adds n lines of panels, from number `first` of `lines` on, to the sums of MR rows. */
static inline void add_lines(float16 sums[MR][CHUNKS], float factors[][BLOCK],
        __global const float *panels, int size, int lines, int first, int n) {
    NO_UNROLL_FOR (int c = 0; 16 * c < size; c += NV) {
        const bool both = 16 * (c + 1) < size;
        __global const float *from[NV];
        float16 x[NV][MR];
        UNROLL_FOR (int v = 0; v < NV; v++) {
            from[v] = panels + ((long)(c + vector_at(v, both)) * lines + first) * 16;
            UNROLL_FOR (int r = 0; r < MR; r++) x[v][r] = sums[r][c + vector_at(v, both)];
        }
        NO_UNROLL_FOR (int j = 0; j < n; j++) {
            float16 y[NV];
            UNROLL_FOR (int v = 0; v < NV; v++) y[v] = vload16(j, from[v]);
            UNROLL_FOR (int r = 0; r < MR; r++)
                UNROLL_FOR (int v = 0; v < NV; v++)
                    x[v][r] = mad((float16)factors[r][j], y[v], x[v][r]);
        }
        UNROLL_FOR (int v = 0; v < NV; v++)
            UNROLL_FOR (int r = 0; r < MR; r++) sums[r][c + vector_at(v, both)] = x[v][r];
    }
}

/* Adds the products of the transposed factors of n queries, which are lines of panels from number
 * `first` of `lines` on, to the sums of nkeys keys from number `key` of `keys` on. */
static inline void add_transposed(__global float *sums, int keys, int key, int nkeys,
        float factors[QUERIES][BLOCK], __global const float *panels, int size, int lines, int first,
        int n) {
    NO_UNROLL_FOR (int c = 0; 16 * c < size; c += NV) {
        const bool both = 16 * (c + 1) < size;
        __global const float *from[NV];
        __global float *to[NV];
        UNROLL_FOR (int v = 0; v < NV; v++) {
            from[v] = panels + ((long)(c + vector_at(v, both)) * lines + first) * 16;
            to[v] = sums + ((long)(c + vector_at(v, both)) * keys + key) * 16;
        }
        NO_UNROLL_FOR (int k = 0; k < nkeys; k += MR) {
            float16 x[NV][MR];
            UNROLL_FOR (int v = 0; v < NV; v++)
                UNROLL_FOR (int r = 0; r < MR; r++) /* what is not there is the last key again */
                    x[v][r] = vload16(min(k + r, nkeys - 1), to[v]);
            NO_UNROLL_FOR (int i = 0; i < n; i++) {
                float16 y[NV];
                UNROLL_FOR (int v = 0; v < NV; v++) y[v] = vload16(i, from[v]);
                UNROLL_FOR (int r = 0; r < MR; r++)
                    UNROLL_FOR (int v = 0; v < NV; v++)
                        x[v][r] = mad((float16)factors[i][k + r], y[v], x[v][r]);
            }
            UNROLL_FOR (int v = 0; v < NV; v++)
                UNROLL_FOR (int r = 0; r < MR; r++)
                    if (k + r < nkeys) vstore16(x[v][r], k + r, to[v]);
        }
    }
}

/* Sums of a matrix, in panels. */
static inline void clear_sums(__global float *sums, int keys, int size) {
    NO_UNROLL_FOR (int i = 0; i < keys * ((size + 15) / 16); i++) vstore16(0, i, sums);
}

static inline void store_sums(__global const float *sums, gptr_t to, long at,
        const sd_layout_t *layout, int keys, int size, int dt) {
    NO_UNROLL_FOR (int c = 0; c < size; c += 16)
        NO_UNROLL_FOR (int k = 0; k < keys; k++)
            store_v(vload16(c / 16 * (long)keys + k, sums), to,
                    at + k * layout->row + c * layout->col, layout->col, min(16, size - c), dt);
}

/* columns: panels of keys and values for the products with queries and the gradient of the
 * destination. lines: panels of keys, queries and that gradient for the sums. */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void sdpa_gradients_head(gcptr_t query,
        gcptr_t diff_dst, __global const float *key_columns, __global const float *value_columns,
        __global const float *key_lines, __global const float *query_lines,
        __global const float *diff_lines, __global float *key_sums, __global float *value_sums,
        SDG_REST, gptr_t diff_query, gptr_t diff_score, gptr_t diff_key, gptr_t diff_value) {
    const uint z0 = (uint)get_group_id(0) * (uint)g.share;
    const float factor = sd_scale(scale, host_scale), most = sd_cap(cap, host_cap);
    const sd_more_t more = sd_more(SD_MORE_VALUES);
    const long panels = (p.keys + 15) / 16 * 16, /* columns of a matrix of panels */
            size = (p.size + 15) / 16 * 16, width = (p.width + 15) / 16 * 16,
               matrix = get_group_id(0);
    float a[TILES][SD_MAX_SIZE][MR], b[TILES][SD_MAX_SIZE][MR];
    float16 sums[TILES][MR][CHUNKS];
    factors_t f;
    key_columns += matrix * panels * p.size;
    value_columns += matrix * panels * p.width;
    key_lines += matrix * p.keys * size;
    key_sums += matrix * p.keys * size;
    value_sums += matrix * p.keys * width;
    clear_sums(key_sums, p.keys, p.size);
    clear_sums(value_sums, p.keys, p.width);

    NO_UNROLL_FOR (int head = 0; head < g.share; head++) {
        const uint z = z0 + head;
        const sd_at_t at = sd_seek(&p, z);
        const long diff_at = sdg_seek(&g.dst, &p, z, false),
                   query_at = sdg_seek(&g.query, &p, z, false),
                   score_at = sdg_seek(&g.score, &p, z, false);
        NO_UNROLL_FOR (int query0 = 0; query0 < p.queries; query0 += QUERIES) {
            const int queries = min((int)QUERIES, p.queries - query0),
                      tiles = (queries + MR - 1) / MR,
                      end = diff_score_dt() ? p.keys : sd_visible(&p, query0 + queries - 1);
            NO_UNROLL_FOR (int t = 0; t < tiles; t++) {
                const int row0 = query0 + t * MR, rows = min(MR, p.queries - row0);
                read_rows(a[t], query, at.q + row0 * p.q_row, p.q_row, p.q_col, rows, p.size,
                        query_dt());
                read_rows(b[t], diff_dst, diff_at + row0 * g.dst.row, g.dst.row, g.dst.col, rows,
                        p.width, diff_dst_dt());
                NO_UNROLL_FOR (int r = 0; r < MR; r++)
                    NO_UNROLL_FOR (int c = 0; 16 * c < p.size; c++) sums[t][r][c] = 0;
            }
            NO_UNROLL_FOR (int block = 0; block < end; block += BLOCK) {
                const int n = min((int)BLOCK, end - block);
                NO_UNROLL_FOR (int t = 0; t < tiles; t++) {
                    const int row0 = query0 + t * MR;
                    NO_UNROLL_FOR (int j = 0; j < n; j += 16 * NV) {
                        const int key = block + j, last = vector_at(NV - 1, j + 16 < n);
                        float16 x[NV][MR], y[NV][MR];
                        multiply_panels(
                                x, a[t], key_columns + (long)key * p.size, p.size, last * p.size);
                        multiply_panels(y, b[t], value_columns + (long)key * p.width, p.width,
                                last * p.width);
                        NO_UNROLL_FOR (int h = 0; h <= last; h++)
                            NO_UNROLL_FOR (int r = 0; r < MR; r++) {
                                const int other = key + 16 * h, row = t * MR + r;
                                gradients_t of;
                                of.weight = of.scores = of.dots = 0;
                                if (row < queries) {
                                    const line_t line =
                                            line_at(&p, &at, stats, delta, row0 + r, other);
                                    of = gradients_of(
                                            x[h][r], y[h][r], &line, factor, most, mask, &more);
                                    if (diff_score_dt())
                                        store_v(of.scores, diff_score,
                                                score_at + (row0 + r) * g.score.row +
                                                        other * g.score.col,
                                                g.score.col, line.n, diff_score_dt());
                                }
                                vstore16(of.dots, 0, f.dots[row] + j + 16 * h);
                                vstore16(of.weight, 0, f.weights[row] + j + 16 * h);
                            }
                    }
                    add_lines(sums[t], f.dots + t * MR, key_lines, p.size, p.keys, block, n);
                }
                add_transposed(key_sums, p.keys, block, n, f.dots,
                        query_lines + z * (long)p.queries * size, p.size, p.queries, query0,
                        queries);
                add_transposed(value_sums, p.keys, block, n, f.weights,
                        diff_lines + z * (long)p.queries * width, p.width, p.queries, query0,
                        queries);
            }
            NO_UNROLL_FOR (int t = 0; t < tiles; t++)
                store_rows(sums[t], diff_query, query_at + (query0 + t * MR) * g.query.row,
                        g.query.row, g.query.col, min(MR, queries - t * MR), p.size,
                        diff_query_dt());
        }
    }
    store_sums(key_sums, diff_key, sdg_seek(&g.key, &p, z0, true), &g.key, p.keys, p.size,
            diff_key_dt());
    store_sums(value_sums, diff_value, sdg_seek(&g.value, &p, z0, true), &g.value, p.keys, p.width,
            diff_value_dt());
}
