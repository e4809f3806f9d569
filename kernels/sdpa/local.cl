/* SPDX-License-Identifier: Apache-2.0 */
/* Attention in tiles of local memory (local_tile.h). A work-group has 64 queries, and walks along
 * the keys in blocks of 64: scores of queries by keys, their exponentials, and the sum of values
 * weighted by these. Its result has up to 64 * NT columns. As in online softmax, what was summed is
 * scaled down when a larger score turns up. */
#include "sdpa.h"
#include "local_walk.h"

enum {
    QUERIES = TILE_M,
    KEYS = TILE_N,
    PARTS = ITEMS / QUERIES, /* work-items that share the softmax of a query */
    PART = KEYS / PARTS      /* keys of one of them */
};

/* One of the work-items that share a query: its part of the keys. */
typedef struct {
    int query, part;  /* of the work-group; of the query */
    int seen, stored; /* keys that the query sees; whose weights it has */
    long mask;        /* offset of its row */
    long number;      /* of its first weight among those of all matrices */
    float top, sum;   /* largest score so far, of the query; sum of the exponentials, of the part */
    float share;      /* 1 / sum of the query, once it is known */
} share_t;

/* Turns the scores of a block into weights, and answers by how much earlier sums shrink. */
static inline float weigh(share_t *my, __local float *weights, __local float *tops, int key0,
        gcptr_t mask, float factor, float cap, const sd_more_t *more, const sd_scales_t *scales,
        const sd_params_t *p, bool rounds) {
    float x[PART], largest = -INFINITY;
    const int first = key0 + my->part * PART;
    __local float *mine = weights + my->part * PART * A_PITCH + my->query;
    UNROLL_FOR (int j = 0; j < PART; j++) {
        x[j] = -INFINITY;
        if (first + j < my->seen) {
            x[j] = mine[j * A_PITCH] * factor;
            if (sd_flags() & SDF_CAP) x[j] = sd_capped(x[j], cap);
            if (mask_dt())
                x[j] = sd_masked(
                        x[j], load_1(mask, my->mask + (first + j) * p->m_col, mask_dt()), more);
        }
        largest = x[j] > largest ? x[j] : largest;
    }
    tops[my->part * QUERIES + my->query] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    float top = my->top;
    UNROLL_FOR (int i = 0; i < PARTS; i++) top = fmax(top, tops[i * QUERIES + my->query]);
    const float base = top == -INFINITY ? 0 : top, kept = exp(my->top - base);
    if (rounds) {
        UNROLL_FOR (int j = 0; j < PART; j++)
            mine[j * A_PITCH] = sd_rounded(exp(x[j] - base) * my->share, scales);
        return 1;
    }
    my->top = top;
    my->sum *= kept;
    UNROLL_FOR (int j = 0; j < PART; j++) {
        const float weight = exp(x[j] - base);
        my->sum += weight;
        mine[j * A_PITCH] =
                sd_dropped(weight, my->number + first + j, first + j < my->stored, more);
    }
    return kept;
}

/* The sum of the exponentials of a query, in all work-items that share it. */
static inline float whole_sum(const share_t *my, __local float *sums) {
    float sum = 0;
    sums[my->part * QUERIES + my->query] = my->sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL_FOR (int i = 0; i < PARTS; i++) sum += sums[i * QUERIES + my->query];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

/* Row i of a work-item's four. */
static inline float of_row(float4 x, int i) {
    return i == 0 ? x.s0 : i == 1 ? x.s1 : i == 2 ? x.s2 : x.s3;
}

static inline void scale_rows(sums_t o[NT], float4 factors) {
    UNROLL_FOR (int n = 0; n < NT; n++)
        UNROLL_FOR (int i = 0; i < MR; i++)
            UNROLL_FOR (int j = 0; j < NR; j++) o[n].s[i][j] *= of_row(factors, i);
}

LOCAL_TILE_KERNEL void sdpa_local(gcptr_t q, gcptr_t k, gcptr_t v, SD_REST, SD_MORE, SD_SCALES) {
    /* The inputs of the scores; then the weights, a row of all queries for each key. */
    __local float weights[2 * (A_BUFFER + B_BUFFER)] __attribute__((aligned(16)));
    __local float value_parts[VALUE_BUFFERS * NT * B_BUFFER] __attribute__((aligned(16)));
    __local float tops[PARTS * QUERIES], factors[QUERIES] __attribute__((aligned(16)));
    const int item = get_local_id(0), row = item / SIDE * 4, column = item % SIDE * 4;
    const int row0 = (int)get_group_id(0) * QUERIES, rows = min((int)QUERIES, p.queries - row0);
    const sd_at_t at = sd_seek(&p, get_group_id(1));
    const sd_scales_t scales = sd_scales(SD_SCALES_VALUES);
    const float factor = sd_scale(scale, host_scale) * scales.score, most = sd_cap(cap, host_cap);
    const int end = sd_end(&p, row0 + rows - 1);
    share_t my;
    my.query = item % QUERIES, my.part = item / QUERIES;
    my.seen = my.query < rows ? sd_visible(&p, row0 + my.query) : 0;
    my.stored = my.query < rows ? p.keys : 0;
    my.mask = at.m + (row0 + my.query) * p.m_row;
    my.number = (at.stat + row0 + my.query) * p.keys;
    my.top = -INFINITY, my.sum = 0, my.share = 0;
    const sd_more_t more = sd_more(SD_MORE_VALUES);
    const reader_t from_q = reader_of(
            q, at.q + row0 * p.q_row, p.q_row, p.q_col, rows, TILE_M, true, query_dt(), item);
    reader_t from_v[NT];
    sums_t o[NT];
    read_columns(from_v, v, at.v, p.v_col, p.v_row, p.width, false, value_dt(), item);
    UNROLL_FOR (int n = 0; n < NT; n++) o[n] = no_sums();

    /* Weights that are rounded have to be known as a whole: the first walk finds their sums. */
    NO_UNROLL_FOR (int walk = weight_dt() ? 0 : 1; walk < 2; walk++) {
        const bool rounds = weight_dt() && walk;
        if (rounds) {
            const float sum = whole_sum(&my, tops);
            my.share = sum == 0 ? 0 : 1 / sum;
        }
        NO_UNROLL_FOR (int key0 = 0; key0 < end; key0 += KEYS) {
            const reader_t from_k = reader_of(k, at.k + key0 * p.k_col, p.k_col, p.k_row,
                    p.keys - key0, TILE_N, !(sd_flags() & SDF_ROWS), key_dt(), item);
            const sums_t s = products_of(&from_q, &from_k, p.size, weights, row, column);
            keep_sums(weights, &s, row, column);
            const float kept =
                    weigh(&my, weights, tops, key0, mask, factor, most, &more, &scales, &p, rounds);
            if (!walk) {
                barrier(CLK_LOCAL_MEM_FENCE); /* the largest scores have been read */
                continue;
            }
            if (my.part == 0) factors[my.query] = kept;
            barrier(CLK_LOCAL_MEM_FENCE);
            scale_rows(o, *(__local const float4 *)(factors + row));
            add_weighted(o, from_v, key0, p.keys, weights, value_parts, row, column);
            barrier(CLK_LOCAL_MEM_FENCE); /* the weights have been read */
        }
    }

    const float sum = whole_sum(&my, tops);
    if (my.part == 0) {
        float f = weight_dt() ? 1 : sum == 0 ? 0 : 1 / sum;
        if (SD_HAS_FACTOR) f *= scales.result;
        factors[my.query] = f;
        if ((sd_flags() & SDF_STATS) && my.query < rows)
            stats[at.stat + row0 + my.query] = sd_stats(my.top, sum);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    scale_rows(o, *(__local const float4 *)(factors + row));
    UNROLL_FOR (int n = 0; n < NT; n++)
        UNROLL_FOR (int i = 0; i < MR; i++)
            UNROLL_FOR (int j = 0; j < NR; j++) {
                const int c = n * TILE_N + column + j;
                if (row + i < rows && c < p.width)
                    store_1(SD_RESULT(o[n].s[i][j], &scales), dst,
                            at.o + (row0 + row + i) * p.o_row + c * p.o_col, dst_dt());
            }
}
