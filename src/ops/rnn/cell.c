/* SPDX-License-Identifier: Apache-2.0 */
/* What the pointwise steps of both directions of propagation share. */
#include "core/util.h"
#include "ops/rnn/rnn.h"
#include "plan/device.h"
#include "plan/variant.h"

/* Vectors that are worth a work-item on a CPU, and work-items for each of its threads. */
enum { FEW_VECTORS = 16, ITEMS_PER_THREAD = 4 };
enum { GROUP = 16 }; /* work-items of a group elsewhere, beside one another */

static uint32_t flags_of(const rnn_t *r) {
    return (r->has_bias ? RNN_BIAS : 0) | (r->has_peephole ? RNN_PEEPHOLE : 0) |
           (r->has_attention ? RNN_ATTENTION : 0) | (r->is_training ? RNN_SAVES : 0) |
           (r->is_int8 ? RNN_INT8 : 0) | (r->scales.dt ? RNN_SCALES : 0);
}

void rnn_begin_cell(rnn_t *r, int variant, int part, rnn_cell_t *params) {
    const planner_t *p = &r->mm.planner;
    const bool is_cpu = variants[variant].target == TARGET_CPU;
    const int64_t vectors = div_up(r->dhc, max_i64(variants[variant].geometry.vw, 1)),
                  fair = vectors * r->batch / groups_wanted(p->caps, ITEMS_PER_THREAD);
    const int64_t each = is_cpu ? min_i64(vectors, max_i64(fair, FEW_VECTORS)) : 1;
    const uint32_t beside = is_cpu ? 1 : GROUP;
    params->rows = (int32_t)r->batch;
    params->channels = (int32_t)r->dhc;
    params->vectors = (int32_t)each;
    params->gates = r->gates * r->dhc;
    params->h_prev = r->pitch;
    params->alpha = p->pd->params.alpha;
    plan_step(p->plan, variant, (uint32_t[3]){beside, 1, 1},
            (uint32_t[3]){(uint32_t)div_up(div_up(vectors, each), beside), (uint32_t)r->batch, 1});
    plan_spec(p->plan, SPEC_RNN_CELL, (uint32_t)r->cell);
    plan_spec(p->plan, SPEC_RNN_PART, (uint32_t)part);
    plan_spec(p->plan, SPEC_RNN_FLAGS, flags_of(r));
    plan_spec(p->plan, SPEC_SRC_DT, (uint32_t)r->dt);
}
