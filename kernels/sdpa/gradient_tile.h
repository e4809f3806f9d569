/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of attention's gradients for CPUs share. OF_KEYS: a line of scores belongs to a
 * key, not to a query. */
#ifndef KERNELS_SDPA_GRADIENT_TILE_H
#define KERNELS_SDPA_GRADIENT_TILE_H

#include "exp.h"
#include "rows.h"
#include "gradient.h"

enum { CHUNKS = SD_MAX_SIZE / 16 };

/* The exponential of any number. */
static inline float16 exp_any(float16 x) {
    return x > 88.7f ? (float16)INFINITY : exp_nonpositive(x);
}

/* 16 scores beside one another: of a query and 16 keys, or of a key and 16 queries. */
typedef struct {
    float16 stat, delta;
    int16 seen;           /* not 0: the query sees the key */
    long mask_at, number; /* of the first */
    long mask_step;       /* from one to the next */
    long number_step;
    int n; /* how many there are */
} line_t;

typedef struct {
    float16 weight, scores, dots; /* as in sd_gradient_t */
} gradients_t;

static inline gradients_t gradients_of(float16 dot, float16 diff, const line_t *line, float factor,
        float cap, gcptr_t mask, const sd_more_t *more) {
    gradients_t x;
    float16 score = dot * factor, slope = factor, share = 1;
    if (sd_flags() & SDF_CAP) {
        const float16 e = exp_nonpositive(-2 * fabs(score));
        const float16 t = copysign((1 - e) / (1 + e), score);
        slope *= (1 - t * t) * cap;
        score = t * cap;
    }
    if (mask_dt()) {
        const float16 m = load_v(mask, line->mask_at, line->mask_step, line->n, mask_dt());
        const int16 replaced = (sd_flags() & SDF_INVERT) ? m != 0 : m == 0;
        if (sd_flags() & SDF_CHOOSE) {
            score = replaced ? (float16)more->fill : score;
            slope = replaced ? (float16)0 : slope;
        } else {
            score += m;
        }
    }
    const float16 weight = line->seen ? exp_any(score - line->stat) : (float16)0;
    if (sd_flags() & SDF_DROPOUT) {
        const uint16 random =
                random_at(line->number, line->number_step, line->n, more->seed, more->offset);
        share = random > (uint16)more->least ? (float16)more->factor : (float16)0;
    }
    x.weight = weight * share;
    x.scores = weight == 0 ? (float16)0 : weight * (diff * share - line->delta);
    x.dots = x.scores * slope;
    return x;
}

static inline void read_rows(float to[SD_MAX_SIZE][MR], gcptr_t from, long at, long row, long step,
        int rows, int n, int dt) {
    NO_UNROLL_FOR (int r = 0; r < MR; r++)
        NO_UNROLL_FOR (int i = 0; i < n; i++)
            to[i][r] = r < rows ? load_1(from, at + r * row + i * step, dt) : 0;
}

static inline void store_rows(float16 sums[MR][CHUNKS], gptr_t to, long at, long row, long step,
        int rows, int n, int dt) {
    NO_UNROLL_FOR (int r = 0; r < rows; r++)
        NO_UNROLL_FOR (int c = 0; c < n; c += 16)
            store_v(sums[r][c / 16], to, at + r * row + c * step, step, min(16, n - c), dt);
}

/* The scores of own row number `own`, and the 16 from number `other` on. */
static inline line_t line_at(const sd_params_t *p, const sd_at_t *at, __global const float *stats,
        __global const float *delta, int own, int other) {
    const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const int query = OF_KEYS ? other : own, key = OF_KEYS ? own : other;
    line_t line;
    line.n = min(16, (OF_KEYS ? p->queries : p->keys) - other);
    line.mask_at = at->m + query * p->m_row + key * p->m_col;
    line.mask_step = OF_KEYS ? p->m_row : p->m_col;
    line.number = (at->stat + query) * p->keys + key;
    line.number_step = OF_KEYS ? p->keys : 1;
    if (OF_KEYS) {
        line.stat = load_v((gcptr_t)stats, at->stat + query, 1, line.n, DT_F32);
        line.delta = load_v((gcptr_t)delta, at->stat + query, 1, line.n, DT_F32);
        line.seen = lane < line.n;
        if (sd_flags() & SDF_CAUSAL)
            line.seen = line.seen && (p->first + (query + lane) * p->step > key);
    } else {
        line.stat = stats[at->stat + query];
        line.delta = delta[at->stat + query];
        line.seen = lane < min(line.n, sd_visible(p, query) - key);
    }
    return line;
}

#endif
