/* SPDX-License-Identifier: Apache-2.0 */
/* Attention on matrix units with 16 lanes. A sub-group keeps the results of MT queries, up to 16 *
 * NT columns, in registers while it walks along the keys in steps of 32. Each step computes scores,
 * their maximum, weights, and the product of the weights with the values. */
#include "sdpa.h"
#define src_dt query_dt
#include "xmx_tile.h"

SPEC_GETTER(steps, SPEC_SD_STEPS, 1)
SPEC_GETTER(pairs, SPEC_SD_PAIRS, 1)

#define BLOCK 32 /* keys per step */
#define LOG2_E 1.44269504f
/* The limit for the sum of the weights of two keys; above it, scores are measured from a new base.
 * The matrix units multiply weights as halves, whose largest value is 65504. */
#define ROOM 512
#define MAX_STEPS (16 * NT / 32)
#define ROW_BLOCKS (MT / 8)

/* A float for each of the MT queries in each lane. */
typedef union {
    float8 v[ROW_BLOCKS];
    float s[MT];
} rows_t;

/* ---- surfaces ---- */

/* A matrix as block loads see it. A surface begins at a multiple of 64 bytes, but the matrices of a
 * batch are stored one after the other. So a surface may begin up to 3 rows before its matrix. If
 * that is not enough, it begins some elements before the matrix, provided that the pitch has room
 * for them. */
typedef struct {
    surface_t s;
    int row; /* first row of the matrix on the surface */
} block_t;

static inline block_t block_of(gcptr_t first, int width, int height, int pitch) {
    block_t b = {{(__global void *)first, width, height, pitch, 0}, 0};
    UNROLL_FOR (int n = 3; n >= 0; n--)
        if ((((ulong)first - (ulong)(n * pitch)) & 63) == 0) b.row = n;
    const bool found = (((ulong)first - (ulong)(b.row * pitch)) & 63) == 0;
    if (!found) b.s = unaligned_surface(first, width, height, pitch);
    else b.s.base = (__global void *)(first - b.row * pitch);
    b.s.height += b.row;
    return b;
}

/* Reads 32 elements of MT queries. */
static inline void read_queries(const block_t *b, int x, int row, ushort *out) {
    READ_A(b->s.base, b->s.width, b->s.height, b->s.pitch, (int2)(x + b->s.x / 2, row + b->row),
            out);
}

/* The operands of the queries. With HOLD, the operands of all steps stay in registers. Otherwise
 * the kernel reads those of one step again for each block of keys. */
#ifdef HOLD
typedef ushort queries_t[MAX_STEPS][2 * A_ROWS];

/* Reads them even if block loads do not support the surface; the surface is made valid first. */
static inline void hold_queries(ushort (*held)[2 * A_ROWS], block_t *q, int row0, bool plain) {
    if (plain) q->s.x &= ~3, q->s.width = min(q->s.width, q->s.pitch);
    UNROLL_FOR (int s = 0; s < steps(); s++) read_queries(q, 32 * s, row0, held[s]);
}
static inline const ushort *queries_of(
        ushort (*held)[2 * A_ROWS], const block_t *q, int row0, int s) {
    (void)q, (void)row0;
    return held[s];
}
#else
typedef ushort queries_t[1][2 * A_ROWS];

static inline void hold_queries(ushort (*held)[2 * A_ROWS], block_t *q, int row0, bool plain) {
    (void)held, (void)q, (void)row0, (void)plain;
}
static inline const ushort *queries_of(
        ushort (*held)[2 * A_ROWS], const block_t *q, int row0, int s) {
    read_queries(q, 32 * s, row0, held[0]);
    return held[0];
}
#endif

/* Reads 32 elements of 32 keys. out[t] + 8 * s holds the 16 keys from 16 * t on, one per lane, and
 * the pairs of elements from 16 * s on. */
static inline void read_keys(const block_t *b, int x, int key, uint (*out)[16]) {
    if (sd_flags() & SDF_ROWS) {
        intel_sub_group_2d_block_read_transform_16b_32r16x2c(b->s.base, b->s.width, b->s.height,
                b->s.pitch, (int2)(key + b->s.x / 2, x + b->row), out[0]);
    } else {
        UNROLL_FOR (int t = 0; t < 2; t++)
            UNROLL_FOR (int s = 0; s < 2; s++)
                intel_sub_group_2d_block_read_transpose_32b_16r8x1c(b->s.base, b->s.width,
                        b->s.height, b->s.pitch,
                        (int2)(x / 2 + 8 * s + b->s.x / 4, key + 16 * t + b->row), out[t] + 8 * s);
    }
}

/* Converts weights to the type that the matrix units multiply. Weights are between 0 and ROOM,
 * or NaN. */
static inline short8 narrow_weights(float8 x) {
    if (query_dt() == DT_BF16) return __builtin_IB_ftobf_8(x);
    ushort8 bits;
    vstore_half8_rte(x, 0, (half *)&bits);
    return as_short8(bits);
}

/* ---- scores ---- */

/* Adds the products of 32 elements of the queries and of the keys. */
static inline void add_scores(rows_t *x, const ushort *a, uint (*keys)[16]) {
    UNROLL_FOR (int h = 0; h < 2; h++)
        UNROLL_FOR (int t = 0; t < 2; t++)
            UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++)
                x[t].v[i] = multiply(as_short8(vload8(0, a + h * A_ROWS + 8 * i)),
                        as_int8(vload8(0, keys[t] + 8 * h)), x[t].v[i]);
}

/* The keys of a step that the queries see. A key that is not seen has no weight: either its score
 * becomes minus infinity, or its weight becomes zero. The choice is the one for which the compilers
 * copy less. */
typedef struct {
    int key, row0; /* key of this lane; first query */
    bool some;     /* true if some query does not see all keys of the step */
} seen_t;
#define HIDES_SCORES (mask_dt() || query_dt() == DT_BF16)
#define IS_SEEN(r, t) (seen->key + 16 * (t) < sd_visible(p, seen->row0 + (r)))

static inline void hide_scores(rows_t *x, const seen_t *seen, const sd_params_t *p) {
    if (HIDES_SCORES && seen->some)
        UNROLL_FOR (int r = 0; r < MT; r++)
            UNROLL_FOR (int t = 0; t < 2; t++) x[t].s[r] = IS_SEEN(r, t) ? x[t].s[r] : -INFINITY;
}
static inline void hide_weights(rows_t *x, const seen_t *seen, const sd_params_t *p) {
    if (!HIDES_SCORES && seen->some)
        UNROLL_FOR (int r = 0; r < MT; r++)
            UNROLL_FOR (int t = 0; t < 2; t++) x[t].s[r] = IS_SEEN(r, t) ? x[t].s[r] : 0;
}

/* Scales the scores, and caps them; the results are exponents of two. */
static inline void cap_scores(rows_t *x, float cap, float to_powers) {
    UNROLL_FOR (int t = 0; t < 2; t++)
        UNROLL_FOR (int r = 0; r < MT; r++) {
            const float score = x[t].s[r] * to_powers, e = native_exp2(-2 * fabs(score));
            x[t].s[r] = copysign(native_divide(1 - e, 1 + e), score) * (cap * LOG2_E);
        }
}

/* What replaces scores, as an exponent of two: only minus infinity becomes minus infinity. */
static inline float fill_power(const sd_more_t *more) {
    return more->fill == -INFINITY ? more->fill : fmax(more->fill * LOG2_E, -FLT_MAX);
}

/* Applies an element of the mask to a score, which becomes an exponent of two. */
static inline float masked(float score, float mask, float to_powers, float fill) {
    if (!(sd_flags() & SDF_CHOOSE)) return fma(mask, LOG2_E, score * to_powers);
    return (mask != 0) == !(sd_flags() & SDF_INVERT) ? score * to_powers : fill;
}

/* Applies the mask and scales the scores to exponents of two. */
static inline void add_mask(rows_t *x, gcptr_t mask, long at, const sd_params_t *p, int row0,
        int key, float to_powers, float fill) {
    /* All lanes have the same row. The maximum tells the compiler so, and it then computes the
     * address of a row when it needs it. Otherwise it would keep the addresses of all rows and have
     * no registers for the results. */
    const int here = min(sub_group_reduce_max(row0), p->queries - 1), below = p->queries - 1 - here;
    long mask_at = at + here * p->m_row;
    UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++) {
        UNROLL_FOR (int r = 8 * i; r < 8 * i + 8; r++) {
            UNROLL_FOR (int t = 0; t < 2; t++) {
                const int j = min(key + 16 * t + (int)get_sub_group_local_id(), p->keys - 1);
                x[t].s[r] = masked(x[t].s[r], load_1(mask, mask_at + j * p->m_col, mask_dt()),
                        to_powers, fill);
            }
            mask_at += r < below ? p->m_row : 0;
        }
        /* The barrier keeps the compiler from loading so many elements of the mask at once that it
         * would have to spill the results. */
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* ---- softmax ---- */

/* Raises the base of each query to the largest score of the step if `raise` is set, and scales the
 * previous sums to the new base. */
static inline void raise_bases(rows_t *base, rows_t *sum, float8 (*result)[NT], const rows_t *x,
        const seen_t *seen, const sd_params_t *p, float left, bool raise) {
    rows_t kept;
    UNROLL_FOR (int r = 0; r < MT; r++) {
        const float first = HIDES_SCORES || IS_SEEN(r, 0) ? x[0].s[r] : -INFINITY;
        const float second = HIDES_SCORES || IS_SEEN(r, 1) ? x[1].s[r] : -INFINITY;
        const float top = sub_group_reduce_max(fmax(first, second)) * left,
                    most = raise ? fmax(base->s[r], top) : base->s[r];
        kept.s[r] = native_exp2(base->s[r] - most);
        base->s[r] = most;
    }
    UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++) {
        sum->v[i] *= kept.v[i];
        UNROLL_FOR (int j = 0; j < NT; j++) result[i][j] *= kept.v[i];
    }
}

/* Converts scores to weights. `added` receives the sums of two keys; the function returns the
 * largest of them. */
static inline float find_weights(rows_t *x, rows_t *added, const rows_t *base, const seen_t *seen,
        const sd_params_t *p, float left) {
    UNROLL_FOR (int r = 0; r < MT; r++)
        UNROLL_FOR (int t = 0; t < 2; t++)
            x[t].s[r] = native_exp2(fma(x[t].s[r], left, -base->s[r]));
    hide_weights(x, seen, p);
    UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++) added->v[i] = x[0].v[i] + x[1].v[i];
    float most = added->s[0];
    UNROLL_FOR (int r = 1; r < MT; r++) most = fmax(most, added->s[r]);
    return most;
}

/* Drops weights of a step whose first query and key are given. The results are scaled at the end
 * for it: scaled weights might be too large for the type that the matrix units multiply. */
static inline void drop_weights(
        rows_t *x, const sd_more_t *more, long query, const sd_params_t *p, int row0, int key) {
    const int lane_key = key + (int)get_sub_group_local_id();
    UNROLL_FOR (int r = 0; r < MT; r++)
        UNROLL_FOR (int t = 0; t < 2; t++) {
            const int j = lane_key + 16 * t;
            const bool stores = row0 + r < p->queries && j < p->keys;
            x[t].s[r] = sd_keeps((query + r) * p->keys + j, stores, more) ? x[t].s[r] : 0;
        }
}

/* Turns scores into rounded weights: the bases are final, and a share is one over the sum of the
 * weights of a query. */
static inline void round_weights(rows_t *x, const rows_t *base, const rows_t *share,
        const seen_t *seen, const sd_params_t *p, float left, const sd_scales_t *scales) {
    UNROLL_FOR (int r = 0; r < MT; r++)
        UNROLL_FOR (int t = 0; t < 2; t++)
            x[t].s[r] = native_exp2(fma(x[t].s[r], left, -base->s[r])) * share->s[r];
    hide_weights(x, seen, p);
    UNROLL_FOR (int r = 0; r < MT; r++)
        UNROLL_FOR (int t = 0; t < 2; t++) x[t].s[r] = sd_rounded(x[t].s[r], scales);
}

/* ---- values ---- */

static inline void add_values(float8 (*result)[NT], const rows_t *x, const block_t *v, int key) {
    short8 weights[2][ROW_BLOCKS];
    UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++)
        UNROLL_FOR (int t = 0; t < 2; t++) weights[t][i] = narrow_weights(x[t].v[i]);
    UNROLL_FOR (int j = 0; j < 2 * pairs(); j += 2) {
        uint vv[2][16];
        intel_sub_group_2d_block_read_transform_16b_32r16x2c(v->s.base, v->s.width, v->s.height,
                v->s.pitch, (int2)(16 * j + v->s.x / 2, key + v->row), vv[0]);
        UNROLL_FOR (int t = 0; t < 2; t++)
            UNROLL_FOR (int h = 0; h < 2; h++)
                UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++)
                    result[i][j + h] = multiply(
                            weights[t][i], as_int8(vload8(0, vv[h] + 8 * t)), result[i][j + h]);
    }
}

/* ---- store ---- */

/* Reduces the sums over the lanes and converts them to factors of the results. */
static inline void invert_sums(rows_t *sum) {
    UNROLL_FOR (int r = 0; r < MT; r++) {
        const float all = sub_group_reduce_add(sum->s[r]);
        sum->s[r] = all == 0 ? 0 : 1 / all;
    }
}

/* Stores the statistics of query r in lane r, after invert_sums(). Bases are exponents of two. */
static inline void store_stats(const rows_t *factor, const rows_t *base, __global float *stats,
        const sd_params_t *p, int row0) {
    const int lane = get_sub_group_local_id();
    float f = 0, top = 0;
    UNROLL_FOR (int r = 0; r < MT; r++) {
        f = r == lane ? factor->s[r] : f;
        top = r == lane ? base->s[r] : top;
    }
    if (lane < MT && row0 + lane < p->queries)
        stats[row0 + lane] = f == 0 ? 0 : (top - native_log2(f)) / LOG2_E;
}

/* The unrolled loops only select a block, so that every index is constant. */
static inline void store_results(float8 (*result)[NT], const rows_t *factor, gptr_t dst,
        const sd_params_t *p, const sd_scales_t *scales, long at, int row0) {
    NO_UNROLL_FOR (int block = 0; block < ROW_BLOCKS * 2 * pairs(); block++) {
        lines_t out;
        out.v = 0;
        UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++)
            UNROLL_FOR (int j = 0; j < NT; j++)
                if (block == j * ROW_BLOCKS + i) out.v = result[i][j] * factor->v[i];
        const int row = row0 + block % ROW_BLOCKS * 8,
                  col = block / ROW_BLOCKS * 16 + (int)get_sub_group_local_id();
        if (col >= p->width) continue;
        UNROLL_FOR (int r = 0; r < 8; r++)
            if (row + r < p->queries)
                store_1(SD_RESULT(out.s[r], scales), dst,
                        at + (row + r) * p->o_row + col * p->o_col, dst_dt());
    }
}

/* ---- the walk along the keys ---- */

/* Computes the scores of a step of keys. */
static inline void find_scores(rows_t *x, ushort (*held)[2 * A_ROWS], const block_t *q,
        const block_t *k, int row0, int key) {
    UNROLL_FOR (int t = 0; t < 2; t++)
        UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++) x[t].v[i] = 0;
    UNROLL_FOR (int s = 0; s < steps(); s++) {
        uint keys[2][16];
        read_keys(k, 32 * s, key, keys);
        add_scores(x, queries_of(held, q, row0, s), keys);
    }
}

/* The same with the cap and the masks. */
static inline void find_masked_scores(rows_t *x, const seen_t *seen, ushort (*held)[2 * A_ROWS],
        const block_t *q, const block_t *k, gcptr_t mask, const sd_at_t *at, const sd_params_t *p,
        int row0, int key, float to_powers, float cap, const sd_more_t *more) {
    const bool caps = sd_flags() & SDF_CAP, selects = sd_flags() & SDF_CHOOSE;
    find_scores(x, held, q, k, row0, key);
    if (caps) cap_scores(x, cap, to_powers);
    /* A mask that selects must not replace scores of keys behind the last one. */
    if (!selects) hide_scores(x, seen, p);
    if (mask_dt()) add_mask(x, mask, at->m, p, row0, key, caps ? 1 : to_powers, fill_power(more));
    if (selects) hide_scores(x, seen, p);
}

/* Walks along the keys up to key `end`, which all sub-groups of a work-group share. A weight is two
 * to the power of the distance between a score and its base. The base is the largest score at the
 * time of the last search. If a weight exceeds ROOM, the step raises the base and starts again. */
static inline void accumulate(rows_t *sum, rows_t *last_base, float8 (*result)[NT],
        ushort (*held)[2 * A_ROWS], const block_t *q, const block_t *k, const block_t *v,
        gcptr_t mask, const sd_at_t *at, const sd_params_t *p, int row0, int end, float to_powers,
        float cap, const sd_more_t *more, bool adds) {
    const int lane = get_sub_group_local_id(), all_see = sd_visible(p, row0);
    const bool caps = sd_flags() & SDF_CAP;
    /* The factor that is not yet applied to the scores: before a mask, and after it. */
    const float to_mask = caps ? 1 : to_powers, left = mask_dt() ? 1 : to_mask;
    rows_t base;
    bool raise = true;
    UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++) base.v[i] = -FLT_MAX;
    int key = 0;
    while (key < end) {
        rows_t x[2], added;
        const seen_t seen = {key + lane, row0, key + BLOCK > all_see};
        find_masked_scores(x, &seen, held, q, k, mask, at, p, row0, key, to_powers, cap, more);
        /* With SDF_UNIFORM all sub-groups of a work-group take this branch in each step.
         * Sub-groups that do not raise their bases keep them. */
        if (raise || (sd_flags() & SDF_UNIFORM))
            raise_bases(&base, sum, result, x, &seen, p, left, raise);
        const float most = find_weights(x, &added, &base, &seen, p, left);
        raise = sub_group_any(most > ROOM) && !raise;
        if (sd_flags() & SDF_UNIFORM) raise = work_group_any(raise);
        if (raise) continue;

        UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++) sum->v[i] += added.v[i];
        if (sd_flags() & SDF_DROPOUT) drop_weights(x, more, at->stat + row0, p, row0, key);
        if (adds) add_values(result, x, v, key);
        key += BLOCK;
    }
    *last_base = base;
}

/* Walks along the keys again, with the bases and the sums that are known now. */
static inline void accumulate_rounded(const rows_t *share, const rows_t *base, float8 (*result)[NT],
        ushort (*held)[2 * A_ROWS], const block_t *q, const block_t *k, const block_t *v,
        gcptr_t mask, const sd_at_t *at, const sd_params_t *p, int row0, int end, float to_powers,
        float cap, const sd_more_t *more, const sd_scales_t *scales) {
    const int lane = get_sub_group_local_id(), all_see = sd_visible(p, row0);
    const bool caps = sd_flags() & SDF_CAP;
    const float to_mask = caps ? 1 : to_powers, left = mask_dt() ? 1 : to_mask;
    NO_UNROLL_FOR (int key = 0; key < end; key += BLOCK) {
        rows_t x[2];
        const seen_t seen = {key + lane, row0, key + BLOCK > all_see};
        find_masked_scores(x, &seen, held, q, k, mask, at, p, row0, key, to_powers, cap, more);
        round_weights(x, base, share, &seen, p, left, scales);
        add_values(result, x, v, key);
    }
}

/* ---- the kernel ---- */

__attribute__((intel_reqd_sub_group_size(16))) __kernel void sdpa_xmx(
        gcptr_t q_all, gcptr_t k_all, gcptr_t v_all, SD_REST, SD_MORE, SD_SCALES) {
    const int lane = get_sub_group_local_id(), group_rows = (int)get_num_sub_groups() * MT;
    const int first_row = (int)get_group_id(0) * group_rows, row0 = first_row + sg_number() * MT;
    const sd_at_t at = sd_seek(&p, get_group_id(1));
    const sd_scales_t scales = sd_scales(SD_SCALES_VALUES);
    const float factor = sd_scale(scale, host_scale) * scales.score;
    const sd_more_t more = sd_more(SD_MORE_VALUES);
    block_t q = block_of(q_all + at.q * 2, p.size * 2, p.queries, p.q_pitch);
    const block_t k = (sd_flags() & SDF_ROWS)
                              ? block_of(k_all + at.k * 2, p.keys * 2, p.size, p.k_pitch)
                              : block_of(k_all + at.k * 2, p.size * 2, p.keys, p.k_pitch);
    const block_t v = block_of(v_all + at.v * 2, p.width * 2, p.keys, p.v_pitch);
    /* If block loads do not support a matrix, or the factor is not positive, the walk has no keys.
     * At the end each lane then computes a query by itself. A branch around the walk would not
     * work, because compilers cannot tell that it is uniform in the sub-group. */
    const bool plain =
            is_misplaced(&q.s) || is_misplaced(&k.s) || is_misplaced(&v.s) || !(factor > 0);

    rows_t sum, base;
    queries_t held;
    float8 result[ROW_BLOCKS][NT];
    UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++) sum.v[i] = 0;
    UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++)
        UNROLL_FOR (int j = 0; j < NT; j++) result[i][j] = 0;
    hold_queries(held, &q, row0, plain);
    const int end = plain ? 0 : sd_end(&p, min(first_row + group_rows, p.queries) - 1);
    accumulate(&sum, &base, result, held, &q, &k, &v, mask, &at, &p, row0, end, factor * LOG2_E,
            sd_cap(cap, host_cap), &more, !weight_dt());

    invert_sums(&sum);
    if (weight_dt())
        accumulate_rounded(&sum, &base, result, held, &q, &k, &v, mask, &at, &p, row0, end,
                factor * LOG2_E, sd_cap(cap, host_cap), &more, &scales);
    if (!plain) {
        if (sd_flags() & SDF_STATS) store_stats(&sum, &base, stats + at.stat, &p, row0);
        if (weight_dt())
            UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++) sum.v[i] = 1;
        if (SD_HAS_FACTOR)
            UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++) sum.v[i] *= scales.result;
        if (sd_flags() & SDF_DROPOUT)
            UNROLL_FOR (int i = 0; i < ROW_BLOCKS; i++) sum.v[i] *= more.factor;
        store_results(result, &sum, dst, &p, &scales, at.o, row0);
        return;
    }
    if (lane < MT && row0 + lane < p.queries)
        NO_UNROLL_FOR (int col = 0; col < p.width; col += sd_columns())
            sd_plain(q_all, k_all, v_all, mask, factor, sd_cap(cap, host_cap), dst, stats, &p, &at,
                    NULL, &more, &scales, row0 + lane, col);
}
