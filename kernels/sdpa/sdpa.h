/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the kernels of attention share: specialisation constants, the offsets of the matrices
 * of a work-item, and the keys that a query sees. */
#ifndef KERNELS_SDPA_H
#define KERNELS_SDPA_H

#include "sdpa_params.h"
#include "random.h"
#include "types.h"

SPEC_GETTER(query_dt, SPEC_SRC_DT, DT_F32)
SPEC_GETTER(key_dt, SPEC_SRC1_DT, DT_F32)
SPEC_GETTER(value_dt, SPEC_SD_VALUE_DT, DT_F32)
SPEC_GETTER(dst_dt, SPEC_DST_DT, DT_F32)
SPEC_GETTER(mask_dt, SPEC_SD_MASK_DT, 0)
SPEC_GETTER(scale_dt, SPEC_SD_SCALE_DT, 0)
SPEC_GETTER(sd_flags, SPEC_FLAGS, 0)
SPEC_GETTER(cap_dt, SPEC_SD_CAP_DT, 0)

SPEC_GETTER(key_scale_dt, SPEC_SD_KEY_SCALE_DT, 0)
SPEC_GETTER(key_zero_dt, SPEC_SD_KEY_ZERO_DT, 0)
SPEC_GETTER(value_scale_dt, SPEC_SD_VALUE_SCALE_DT, 0)
SPEC_GETTER(value_zero_dt, SPEC_SD_VALUE_ZERO_DT, 0)

/* The last arguments of the kernels. */
#define SD_REST                                                                                    \
    gcptr_t mask, gcptr_t scale, float host_scale, gptr_t dst, const sd_params_t p,                \
            __global float *stats, gcptr_t cap, float host_cap

/* ---- masks of booleans, and dropout ---- */

typedef struct {
    float fill; /* replaces scores */
    ulong seed, offset;
    uint least;   /* weights with a larger random number are kept */
    float factor; /* of weights that are kept */
    gptr_t mask;  /* with SDF_DROP_MASK: 1 for each weight that is kept, else 0 */
} sd_more_t;

SPEC_GETTER(fill_dt, SPEC_SD_FILL_DT, 0)

#define SD_MORE                                                                                    \
    gcptr_t fill, float host_fill, gcptr_t drop_probability, gcptr_t drop_seed,                    \
            gcptr_t drop_offset, float host_probability, uint host_seed, uint host_seed_high,      \
            uint host_offset, uint host_offset_high, gptr_t drop_mask
#define SD_MORE_VALUES                                                                             \
    fill, host_fill, drop_probability, drop_seed, drop_offset, host_probability,                   \
            host_seed | (ulong)host_seed_high << 32, host_offset | (ulong)host_offset_high << 32,  \
            drop_mask

static inline sd_more_t sd_more(gcptr_t fill, float host_fill, gcptr_t probability, gcptr_t seed,
        gcptr_t offset, float host_probability, ulong host_seed, ulong host_offset, gptr_t mask) {
    sd_more_t more;
    const bool drops = sd_flags() & SDF_DROPOUT, host = sd_flags() & SDF_DROP_HOST;
    more.fill = fill_dt() ? load_1(fill, 0, fill_dt()) : host_fill;
    const float p = host || !drops ? host_probability : *(__global const float *)probability;
    more.seed = host || !drops ? host_seed : *(__global const ulong *)seed;
    more.offset = host || !drops ? host_offset : *(__global const ulong *)offset;
    more.least = drop_threshold(p);
    more.factor = p != 1 ? 1 / (1 - p) : 0;
    more.mask = mask;
    return more;
}

static inline float sd_masked(float score, float mask, const sd_more_t *more) {
    if (!(sd_flags() & SDF_CHOOSE)) return score + mask;
    return (mask != 0) == !(sd_flags() & SDF_INVERT) ? score : more->fill;
}

#if VW != 16
/* Is a weight kept? `at`: its number among those of all matrices. `stores`: the caller is the one
 * that stores the answer, if it is wanted. */
static inline bool sd_keeps(long at, bool stores, const sd_more_t *more) {
    const bool keeps = random_at(at, 1, 1, more->seed, more->offset) > more->least;
    if ((sd_flags() & SDF_DROP_MASK) && stores) more->mask[at] = keeps;
    return keeps;
}

static inline float sd_dropped(float weight, long at, bool stores, const sd_more_t *more) {
    if (!(sd_flags() & SDF_DROPOUT)) return weight;
    return sd_keeps(at, stores, more) ? weight * more->factor : 0;
}
#endif

/* ---- scales and zero points of whole tensors, and weights that are rounded ---- */

SPEC_GETTER(weight_dt, SPEC_SD_WEIGHT_DT, 0)
SPEC_GETTER(weight_scale_dt, SPEC_SD_WEIGHT_SCALE_DT, 0)
SPEC_GETTER(weight_zero_dt, SPEC_SD_WEIGHT_ZERO_DT, 0)

typedef struct {
    float score, query_zero;                    /* factor of scores; what queries lose */
    float per_weight, weight_zero, weight_step; /* stored weight = weight * per_weight + zero */
    float result, result_zero; /* stored result = sum of weights * result + result_zero */
} sd_scales_t;

#define SD_SCALES                                                                                  \
    gcptr_t weight_scale, float host_weight_scale, gcptr_t weight_zero, float host_weight_zero,    \
            gcptr_t query_scale, gcptr_t query_zero, gcptr_t whole_key_scale,                      \
            gcptr_t whole_value_scale, gcptr_t dst_scale, gcptr_t dst_zero
#define SD_SCALES_VALUES                                                                           \
    weight_scale, host_weight_scale, weight_zero, host_weight_zero, query_scale, query_zero,       \
            whole_key_scale, whole_value_scale, dst_scale, dst_zero

static inline float sd_factor(gcptr_t factor, int flag) {
    return (sd_flags() & flag) ? *(__global const float *)factor : 1;
}

static inline float sd_zero(gcptr_t zero, int flag) {
    return (sd_flags() & flag) ? *(__global const int *)zero : 0;
}

static inline sd_scales_t sd_scales(gcptr_t weight_scale, float host_weight_scale,
        gcptr_t weight_zero, float host_weight_zero, gcptr_t query_scale, gcptr_t query_zero,
        gcptr_t key_scale, gcptr_t value_scale, gcptr_t dst_scale, gcptr_t dst_zero) {
    sd_scales_t s;
    s.score = sd_factor(query_scale, SDF_QUERY_SCALE) * sd_factor(key_scale, SDF_KEY_SCALE);
    s.query_zero = sd_zero(query_zero, SDF_QUERY_ZERO);
    s.weight_step =
            weight_scale_dt() ? load_1(weight_scale, 0, weight_scale_dt()) : host_weight_scale;
    s.per_weight = 1 / s.weight_step;
    s.weight_zero = weight_zero_dt() ? load_1(weight_zero, 0, weight_zero_dt()) : host_weight_zero;
    s.result = (weight_dt() ? s.weight_step : 1) * sd_factor(value_scale, SDF_VALUE_SCALE) /
               sd_factor(dst_scale, SDF_DST_SCALE);
    s.result_zero = sd_zero(dst_zero, SDF_DST_ZERO);
    return s;
}

/* A weight between 0 and 1 in steps of the type that weights are stored in, without zero point. */
static inline float sd_rounded(float weight, const sd_scales_t *s) {
    const float x = weight * s->per_weight;
    if (weight_dt() == DT_U8) return to_int(x + s->weight_zero, 0, 255) - s->weight_zero;
    if (weight_dt() == DT_S8) return to_int(x + s->weight_zero, -128, 127) - s->weight_zero;
    return small_value(small_code(x, weight_dt()), weight_dt());
}

static inline float sd_query(gcptr_t q, long at, const sd_scales_t *s) {
    const float x = load_1(q, at, query_dt());
    return (sd_flags() & SDF_QUERY_ZERO) ? x - s->query_zero : x;
}

/* Factors of results, and zero points behind them, are rarely there; without them the kernels must
 * not compute more. */
#define SD_HAS_FACTOR (weight_dt() || (sd_flags() & (SDF_VALUE_SCALE | SDF_DST_SCALE)))
#define SD_RESULT(x, scales) ((sd_flags() & SDF_DST_ZERO) ? (x) + (scales)->result_zero : (x))

typedef struct {
    long q, k, v, m, o; /* offsets in elements */
    long stat;          /* number of the first query among all queries */
} sd_at_t;

static inline sd_at_t sd_seek(const sd_params_t *p, uint z) {
    sd_at_t at; /* an initial value would be a constant of the module */
    at.q = at.k = at.v = at.m = at.o = 0;
    at.stat = (long)z * p->queries;
    EACH_DOWN(d, p->nouter, SD_OUTER) {
        const uint size = p->outer[d], pos = z % size, shared = pos / (uint)p->share[d];
        z /= size;
        at.q += (long)pos * p->q_outer[d];
        at.k += (long)shared * p->k_outer[d];
        at.v += (long)shared * p->v_outer[d];
        at.m += (long)pos * p->m_outer[d];
        at.o += (long)pos * p->o_outer[d];
    }
    return at;
}

/* The number of keys that query number i sees. */
static inline int sd_visible(const sd_params_t *p, int i) {
    return (sd_flags() & SDF_CAUSAL) ? clamp(p->first + i * p->step, 0, p->keys) : p->keys;
}

/* The number of keys that a walk passes whose last query is number i: a mask of dropout has an
 * element for each key. */
static inline int sd_end(const sd_params_t *p, int i) {
    return (sd_flags() & SDF_DROP_MASK) ? p->keys : sd_visible(p, i);
}

static inline float sd_scale(gcptr_t scale, float host_scale) {
    const float s = scale_dt() ? load_1(scale, 0, scale_dt()) : host_scale;
    return (sd_flags() & SDF_DIVIDE) ? 1 / s : s;
}

static inline float sd_cap(gcptr_t cap, float host_cap) {
    return cap_dt() ? load_1(cap, 0, cap_dt()) : host_cap;
}

/* A score between -cap and cap: cap * tanh(score), without a difference of almost equal numbers
 * where the exponential is 1 or infinite. */
static inline float sd_capped(float score, float cap) {
    const float e = exp(-2 * fabs(score));
    return copysign((1 - e) / (1 + e), score) * cap;
}

/* The statistics of a query: the logarithm of the sum of the exponentials of its scores, from the
 * largest score and the sum of the exponentials of the scores minus that one. If no score counts,
 * it is zero: so the exponentials of the scores minus the statistics are the weights, all zero.
 * For log() Intel's compiler adds a table of constants to the module, also if no statistics are
 * wanted; the device's own logarithm has an error of 2^-21, half a unit of 8. */
static inline float sd_stats(float top, float sum) {
    const float ln_2 = 0.693147181f;
    return sum == 0 ? 0 : top + native_log2(sum) * ln_2;
}

/* ---- quantised keys and values ---- */

/* Scales and zero points as a work-item sees them. */
typedef struct {
    gcptr_t key_scale, key_zero, value_scale, value_zero;
    const sd_quants_t *at;
    long key_scale_at, key_zero_at, value_scale_at, value_zero_at; /* offsets of the matrices */
} sd_quantised_t;

static inline long sd_quant_seek(const sd_quant_t *q, const sd_params_t *p, uint z) {
    long at = 0;
    EACH_DOWN(d, p->nouter, SD_OUTER) {
        const uint size = p->outer[d], pos = z % size;
        z /= size;
        at += (long)(pos / (uint)p->share[d]) * q->outer[d];
    }
    return at;
}

static inline long sd_quant_at(const sd_quant_t *q, int row, int col) {
    return (long)(row / q->group[0]) * q->row + (long)(col / q->group[1]) * q->col;
}

static inline float sd_key(gcptr_t k, long at, int row, int col, const sd_quantised_t *quant) {
    float x = load_1(k, at, key_dt());
    if (key_zero_dt())
        x -= load_1(quant->key_zero,
                quant->key_zero_at + sd_quant_at(&quant->at->key_zero, row, col), key_zero_dt());
    if (key_scale_dt())
        x *= load_1(quant->key_scale,
                quant->key_scale_at + sd_quant_at(&quant->at->key_scale, row, col), key_scale_dt());
    return x;
}

static inline float sd_value(gcptr_t v, long at, int row, int col, const sd_quantised_t *quant) {
    float x = load_1(v, at, value_dt());
    if (value_zero_dt())
        x -= load_1(quant->value_zero,
                quant->value_zero_at + sd_quant_at(&quant->at->value_zero, row, col),
                value_zero_dt());
    if (value_scale_dt())
        x *= load_1(quant->value_scale,
                quant->value_scale_at + sd_quant_at(&quant->at->value_scale, row, col),
                value_scale_dt());
    return x;
}

/* ---- one query ---- */

/* Computes up to SD_COLUMNS elements of a query's result from column `col` on, for any alignment of
 * the addresses, and the statistics of the query with column 0. quant may be NULL in kernels whose
 * keys and values are not quantised. */
#if VW != 16
#define SD_COLUMNS 16
/* Scales and zero points of values take registers: Intel's compiler spills with all columns. */
static inline int sd_columns(void) {
    return value_scale_dt() || value_zero_dt() ? SD_COLUMNS / 2 : SD_COLUMNS;
}
static inline void sd_plain(gcptr_t q, gcptr_t k, gcptr_t v, gcptr_t mask, float factor, float cap,
        gptr_t dst, __global float *stats, const sd_params_t *p, const sd_at_t *at,
        const sd_quantised_t *quant, const sd_more_t *more, const sd_scales_t *scales, int row,
        int col) {
    const int seen = sd_visible(p, row), end = sd_end(p, row),
              n = min(sd_columns(), p->width - col);
    const long q_at = at->q + row * p->q_row;
    float acc[SD_COLUMNS], top = -INFINITY, sum = 0;
    UNROLL_FOR (int c = 0; c < SD_COLUMNS; c++) acc[c] = 0;

    /* Weights that are rounded have to be known as a whole: the first walk finds their sum. */
    NO_UNROLL_FOR (int walk = weight_dt() ? 0 : 1; walk < 2; walk++) {
        const bool rounds = weight_dt() && walk;
        const float share_of_sum = rounds && sum != 0 ? 1 / sum : 0;
        NO_UNROLL_FOR (int j = 0; j < end; j++) {
            const float share = sd_dropped(1, (at->stat + row) * p->keys + j, col == 0, more);
            float score = 0;
            if (j >= seen) continue;
            NO_UNROLL_FOR (int i = 0; i < p->size; i++)
                score = fma(sd_query(q, q_at + i * p->q_col, scales),
                        sd_key(k, at->k + i * p->k_row + j * p->k_col, i, j, quant), score);
            score *= factor;
            if (sd_flags() & SDF_CAP) score = sd_capped(score, cap);
            if (mask_dt())
                score = sd_masked(score,
                        load_1(mask, at->m + row * p->m_row + j * p->m_col, mask_dt()), more);
            if (score == -INFINITY) continue;
            const float new_top = !rounds && score > top ? score : top,
                        kept = rounds             ? 1
                               : top == -INFINITY ? 0
                                                  : exp(top - new_top);
            float weight = exp(score - new_top);
            if (rounds) weight = sd_rounded(weight * share_of_sum, scales);
            else top = new_top, sum = sum * kept + weight;
            if (!walk) continue;
            const float part = weight * share;
            UNROLL_FOR (int c = 0; c < SD_COLUMNS; c++)
                acc[c] = acc[c] * kept +
                         (c < n ? part * sd_value(v, at->v + j * p->v_row + (col + c) * p->v_col, j,
                                                 col + c, quant)
                                : 0);
        }
    }
    UNROLL_FOR (int c = 0; c < SD_COLUMNS; c++)
        if (c < n) {
            float result = weight_dt() ? acc[c] : sum == 0 ? 0 : acc[c] / sum;
            if (SD_HAS_FACTOR) result *= scales->result;
            store_1(SD_RESULT(result, scales), dst, at->o + row * p->o_row + (col + c) * p->o_col,
                    dst_dt());
        }
    if ((sd_flags() & SDF_STATS) && col == 0) stats[at->stat + row] = sd_stats(top, sum);
}
#endif

#endif
