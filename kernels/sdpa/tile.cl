/* SPDX-License-Identifier: Apache-2.0 */
/* Attention for CPUs. A work-item processes MR queries and walks along the keys and values, which
 * are packed in panels of 16 columns of floats. */
#define VW 16
#include "exp.h"
#include "rows.h"
#include "sdpa.h"

/* The same as sd_capped(). */
static inline float16 capped(float16 score, float cap) {
    const float16 e = exp_nonpositive(-2 * fabs(score));
    return copysign((1 - e) / (1 + e), score) * cap;
}

/* The same as sd_masked(). */
static inline float16 masked(float16 score, float16 mask, const sd_more_t *more) {
    if (!(sd_flags() & SDF_CHOOSE)) return score + mask;
    const int16 is_set = mask != 0;
    return (sd_flags() & SDF_INVERT) ? (is_set ? (float16)more->fill : score)
                                     : (is_set ? score : (float16)more->fill);
}

/* The same as sd_dropped(), for 16 weights from number `at` on, the first n of which are stored. */
static inline float16 dropped(float16 weights, long at, int n, const sd_more_t *more) {
    if (!(sd_flags() & SDF_DROPOUT)) return weights;
    const int16 keeps = random_at(at, 1, 16, more->seed, more->offset) > (uint16)more->least;
    if ((sd_flags() & SDF_DROP_MASK) && n > 0)
        store_v(keeps ? (float16)1 : (float16)0, more->mask, at, 1, min(n, 16), DT_U8);
    return keeps ? weights * more->factor : (float16)0;
}

/* The same as sd_rounded(). */
static inline float16 rounded(float16 weights, const sd_scales_t *s) {
    const float16 x = weights * s->per_weight;
    if (weight_dt() == DT_U8)
        return convert_float16(to_byte_16(x + s->weight_zero, 0, 255)) - s->weight_zero;
    if (weight_dt() == DT_S8)
        return convert_float16(to_byte_16(x + s->weight_zero, -128, 127)) - s->weight_zero;
    return small_value_16(small_code_16(x, weight_dt()), weight_dt());
}

/* Turns n scores of a query into rounded weights. */
static inline void round_weights(
        float *scores, int n, float top, float sum, const sd_scales_t *scales) {
    const float base = top == -INFINITY ? 0 : top, share = sum == 0 ? 0 : 1 / sum;
    NO_UNROLL_FOR (int t = 0; t < n; t += 16) {
        const float16 x = exp_nonpositive(vload16(0, scores + t) - base) * share;
        vstore16(rounded(x, scales), 0, scores + t);
    }
}

/* Keys whose scores stay in private memory between the two walks, if there are no more. */
#define KEPT 1024
#define BLOCK 64 /* keys whose weights are computed together */

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void sdpa_tile(gcptr_t q,
        __global const float *k_all, __global const float *v_all, SD_REST, SD_MORE, SD_SCALES) {
    const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const int row0 = (int)get_group_id(0) * MR, rows = min(MR, p.queries - row0);
    const sd_at_t at = sd_seek(&p, get_group_id(1));
    const sd_scales_t scales = sd_scales(SD_SCALES_VALUES);
    const float factor = sd_scale(scale, host_scale) * scales.score;
    const sd_more_t more = sd_more(SD_MORE_VALUES);
    __global const float *k = k_all + at.k, *v = v_all + at.v;
    float heads[SD_MAX_SIZE][MR], weights[MR][BLOCK], top[MR], sum[MR];
    float scores[MR][KEPT]; /* for weights that are rounded */
    float16 result[MR][SD_MAX_SIZE / 16];
    NO_UNROLL_FOR (int r = 0; r < MR; r++) {
        NO_UNROLL_FOR (int i = 0; i < p.size; i++)
            heads[i][r] =
                    r < rows ? sd_query(q, at.q + (row0 + r) * p.q_row + i * p.q_col, &scales) *
                                       factor
                             : 0;
        NO_UNROLL_FOR (int c = 0; c < SD_MAX_SIZE / 16; c++) result[r][c] = 0;
        top[r] = -INFINITY;
        sum[r] = 0;
    }

    const int end = sd_end(&p, row0 + rows - 1);
    /* Weights that are rounded have to be known as a whole: the first walk finds their sums. */
    NO_UNROLL_FOR (int walk = weight_dt() ? 0 : 1; walk < 2; walk++) {
        const bool rounds = weight_dt() && walk, keeps = weight_dt() && end <= KEPT - 16;
        NO_UNROLL_FOR (int key = 0; key < end; key += BLOCK) {
            const int n = min(BLOCK, end - key);
            NO_UNROLL_FOR (int t = 0; t < n; t += 16) {
                float16 x[MR];
                if (rounds && keeps) {
                    UNROLL_FOR (int r = 0; r < MR; r++)
                        vstore16(vload16(0, scores[r] + key + t), 0, weights[r] + t);
                    continue;
                }
                UNROLL_FOR (int r = 0; r < MR; r++) x[r] = 0;
                __global const float *panel = k + (long)(key + t) * p.size;
                NO_UNROLL_FOR (int i = 0; i < p.size; i++) {
                    const float16 y = vload16(i, panel);
                    UNROLL_FOR (int r = 0; r < MR; r++) x[r] = mad((float16)heads[i][r], y, x[r]);
                }
                NO_UNROLL_FOR (int r = 0; r < rows; r++) {
                    const int seen = sd_visible(&p, row0 + r) - key - t;
                    if (sd_flags() & SDF_CAP) x[r] = capped(x[r], sd_cap(cap, host_cap));
                    if (mask_dt())
                        x[r] = masked(x[r],
                                load_v(mask, at.m + (row0 + r) * p.m_row + (key + t) * p.m_col,
                                        p.m_col, min(16, p.keys - key - t), mask_dt()),
                                &more);
                    if (seen < 16) x[r] = lane < seen ? x[r] : (float16)-INFINITY;
                }
                UNROLL_FOR (int r = 0; r < MR; r++) {
                    vstore16(x[r], 0, weights[r] + t);
                    if (keeps) vstore16(x[r], 0, scores[r] + key + t);
                }
            }

            NO_UNROLL_FOR (int r = 0; r < MR; r++) {
                float16 most = -INFINITY, all = 0;
                if (rounds) {
                    round_weights(weights[r], n, top[r], sum[r], &scales);
                    continue;
                }
                NO_UNROLL_FOR (int t = 0; t < n; t += 16) {
                    const float16 x = vload16(0, weights[r] + t);
                    most = x > most ? x : most;
                }
                const float new_top = fmax(top[r], row_max(most)),
                            base = new_top == -INFINITY ? 0 : new_top;
                NO_UNROLL_FOR (int t = 0; t < n; t += 16) {
                    const float16 x = exp_nonpositive(vload16(0, weights[r] + t) - base);
                    const long number = (at.stat + row0 + r) * p.keys + key + t;
                    vstore16(dropped(x, number, r < rows ? n - t : 0, &more), 0, weights[r] + t);
                    all += x;
                }
                if (new_top > top[r]) {
                    const float kept = exp(top[r] - base);
                    sum[r] *= kept;
                    NO_UNROLL_FOR (int c = 0; 16 * c < p.width; c++) result[r][c] *= kept;
                }
                sum[r] += row_sum(all);
                top[r] = new_top;
            }

            NO_UNROLL_FOR (int c = 0; walk && 16 * c < p.width; c++) {
                float16 x[MR];
                UNROLL_FOR (int r = 0; r < MR; r++) x[r] = result[r][c];
                __global const float *panel = v + ((long)c * p.keys + key) * 16;
                NO_UNROLL_FOR (int j = 0; j < n; j++) {
                    const float16 y = vload16(j, panel);
                    UNROLL_FOR (int r = 0; r < MR; r++) x[r] = mad((float16)weights[r][j], y, x[r]);
                }
                UNROLL_FOR (int r = 0; r < MR; r++) result[r][c] = x[r];
            }
        }
    }

    NO_UNROLL_FOR (int r = 0; r < rows; r++) {
        float f = weight_dt() ? 1 : sum[r] == 0 ? 0 : 1 / sum[r];
        if (SD_HAS_FACTOR) f *= scales.result;
        if (sd_flags() & SDF_STATS) stats[at.stat + row0 + r] = sd_stats(top[r], sum[r]);
        NO_UNROLL_FOR (int c = 0; 16 * c < p.width; c++)
            store_v(SD_RESULT(result[r][c] * f, &scales), dst,
                    at.o + (row0 + r) * p.o_row + 16 * c * p.o_col, p.o_col,
                    min(16, p.width - 16 * c), dst_dt());
    }
}
