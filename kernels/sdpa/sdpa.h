/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of attention share: the constants, where the matrices of a work-item are, and what a query sees. */
#ifndef KERNELS_SDPA_H
#define KERNELS_SDPA_H

#include "sdpa_params.h"
#include "types.h"

SPEC_GETTER(query_dt, SPEC_SRC_DT, DT_F32)
SPEC_GETTER(key_dt, SPEC_SRC1_DT, DT_F32)
SPEC_GETTER(value_dt, SPEC_SD_VALUE_DT, DT_F32)
SPEC_GETTER(dst_dt, SPEC_DST_DT, DT_F32)
SPEC_GETTER(mask_dt, SPEC_SD_MASK_DT, 0)
SPEC_GETTER(scale_dt, SPEC_SD_SCALE_DT, 0)
SPEC_GETTER(sd_flags, SPEC_FLAGS, 0)

/* The last arguments of the kernels. */
#define SD_REST gcptr_t mask, gcptr_t scale, float host_scale, gptr_t dst, const sd_params_t p

typedef struct {
    long q, k, v, m, o; /* elements */
} sd_at_t;

static inline sd_at_t sd_seek(const sd_params_t *p, long z) {
    sd_at_t at = {0, 0, 0, 0, 0};
    EACH_DOWN(d, p->nouter, SD_OUTER) {
        const long pos = z % p->outer[d], shared = pos / p->share[d];
        z /= p->outer[d];
        at.q += pos * p->q_outer[d];
        at.k += shared * p->k_outer[d];
        at.v += shared * p->v_outer[d];
        at.m += pos * p->m_outer[d];
        at.o += pos * p->o_outer[d];
    }
    return at;
}

/* How many keys query number i sees. */
static inline int sd_visible(const sd_params_t *p, int i) {
    return (sd_flags() & SDF_CAUSAL) ? (int)clamp(p->first + (long)i * p->step, 0L, (long)p->keys) : p->keys;
}

static inline float sd_scale(gcptr_t scale, float host_scale) {
    const float s = scale_dt() ? load_1(scale, 0, scale_dt()) : host_scale;
    return (sd_flags() & SDF_DIVIDE) ? 1 / s : s;
}

#endif
