/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the kernels of attention's gradients share. With the scores s, the statistics L of a
 * query and the gradient of the destination dO:
 *     P = exp(s - L)               weights, as forward; D: what dropout makes of one
 *     delta = sum(dO * dst)        of a row
 *     dV = D(P)' dO                summed over the queries, and over the heads that share values
 *     dS = P * (D(dO V') - delta)  gradient of the scores behind the mask
 *     dQ = scale * dS K, dK = scale * dS' Q
 * Nothing of the size of the scores is in memory: each kernel computes them again. */
#ifndef KERNELS_SDPA_GRADIENT_H
#define KERNELS_SDPA_GRADIENT_H

#include "gradient_params.h"
#include "sdpa.h"

SPEC_GETTER(diff_dst_dt, SPEC_SDG_DIFF_DST_DT, DT_F32)
SPEC_GETTER(diff_query_dt, SPEC_SDG_DIFF_QUERY_DT, DT_F32)
SPEC_GETTER(diff_key_dt, SPEC_SDG_DIFF_KEY_DT, DT_F32)
SPEC_GETTER(diff_value_dt, SPEC_SDG_DIFF_VALUE_DT, DT_F32)
SPEC_GETTER(diff_score_dt, SPEC_SDG_DIFF_SCORE_DT, 0)

/* The last arguments of the kernels. */
#define SDG_REST                                                                                   \
    __global const float *stats, __global const float *delta, gcptr_t mask, gcptr_t scale,         \
            float host_scale, gcptr_t cap, float host_cap, const sd_params_t p,                    \
            const sd_gradients_t g, SD_MORE

/* Offset of the matrix that belongs to query matrix z; shared: one of keys or values. */
static inline long sdg_seek(const sd_layout_t *layout, const sd_params_t *p, uint z, bool shared) {
    long at = 0;
    EACH_DOWN(d, p->nouter, SD_OUTER) {
        const uint size = p->outer[d], pos = z % size;
        z /= size;
        at += (long)(shared ? pos / (uint)p->share[d] : pos) * layout->outer[d];
    }
    return at;
}

#if VW != 16
typedef struct {
    float weight; /* of the value, with dropout */
    float scores; /* gradient of the score behind the mask */
    float dots;   /* gradient of the product of query and key */
} sd_gradient_t;

/* dot: product of query and key; diff: of the gradient of the destination and the value; number:
 * of the weight among those of all matrices. */
static inline sd_gradient_t sd_gradient_of(float dot, float diff, float stat, float delta,
        float factor, float cap, gcptr_t mask, long mask_at, long number, const sd_more_t *more) {
    sd_gradient_t x;
    float score = dot * factor, slope = factor;
    if (sd_flags() & SDF_CAP) {
        const float t = sd_capped(score, 1);
        slope *= 1 - t * t;
        score = t * cap;
        slope *= cap;
    }
    if (mask_dt()) {
        const float m = load_1(mask, mask_at, mask_dt());
        score = sd_masked(score, m, more);
        if ((sd_flags() & SDF_CHOOSE) && (m != 0) == !!(sd_flags() & SDF_INVERT)) slope = 0;
    }
    const float weight = exp(score - stat), share = sd_dropped(1, number, false, more);
    x.weight = weight * share;
    x.scores = weight == 0 ? 0 : weight * (diff * share - delta);
    x.dots = x.scores * slope;
    return x;
}
#endif

#endif
