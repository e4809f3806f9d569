/* SPDX-License-Identifier: Apache-2.0 */
/* The last step of a normalization without attributes, in a kernel of its own on CPUs. */
#include <string.h>

#include "core/util.h"
#include "kernels/norm/apply_params.h"
#include "steps/loops.h"
#include "plan/variant_id.h"
#include "ops/norm/norm.h"
#include "plan/device.h"
#include "plan/op.h"
#include "plan/variant.h"

/* Work-items for each hardware thread of the CPU, and elements that make it worth to start one. */
enum { ITEMS_PER_UNIT = 16, MIN_ITEM = 8192 };
/* Elements of a row that a work-item does at a time where a statistic holds for the whole row. */
enum { MAX_CHUNK = 32768 };

/* Does the kernel exist for this device and these types, and does no test force another target? */
static bool can_run(const norm_t *n) {
    const int forced = n->planner.pd->request.hints.forced_variant;
    return variant_runs_on(&variants[KERNEL_norm_apply], n->planner.caps) && n->dt == dnnl_f32 &&
           (forced < 0 || variants[forced].target == TARGET_CPU);
}

enum { STAT = EW_EPILOGUE };

/* Loops as the kernel's parameters; false: it has no such loops. *along: statistics differ along
 * the last. */
static bool set_loops(apply_params_t *p, const norm_t *n, bool *along) {
    const md_t *md[] = {[EW_SRC] = n->src.md, [EW_DST] = n->dst.md, [STAT] = n->variance.md};
    ew_loops_t l;
    if (ew_loops(&l, NULL, NULL, md, 3, false) || l.nlimits || l.naxes > PAR_MAX_DIMS) return false;
    const int last = l.naxes - 1;
    if (l.stride[EW_SRC][last] != 1 || l.stride[EW_DST][last] != 1) return false;
    if (l.stride[STAT][last] != 0 && l.stride[STAT][last] != 1) return false;
    memset(p, 0, sizeof(*p));
    p->nd.ndims = l.naxes;
    p->nd.nrows = 1;
    for (int i = 0; i < l.naxes; i++) {
        if (l.axis[i].size > INT32_MAX / 2) return false;
        p->nd.size[i] = (int32_t)l.axis[i].size;
        p->nd.src_stride[i] = l.stride[EW_SRC][i];
        p->nd.dst_stride[i] = l.stride[EW_DST][i];
        p->stat_stride[i] = l.stride[STAT][i];
        if (i < last) p->nd.nrows *= l.axis[i].size;
    }
    *along = l.stride[STAT][last] != 0;
    return true;
}

/* Rows and parts of rows for each work-item; false: there are too many. */
static bool divide(apply_params_t *p, const caps_t *caps, bool along) {
    const int64_t len = p->nd.size[p->nd.ndims - 1];
    const int64_t share = len * p->nd.nrows / groups_wanted(caps, ITEMS_PER_UNIT);
    const int64_t block = max_i64(share, MIN_ITEM);
    const int64_t most = along ? APPLY_MAX_CHUNK : MAX_CHUNK;
    p->nd.chunk = (int32_t)min_i64(min_i64(block + 15, most) & ~15, (len + 15) & ~15);
    const int64_t rows = max_i64(1, min_i64(block / min_i64(p->nd.chunk, len), p->nd.nrows));
    p->nd.rows_per_item = (int32_t)rows;
    return div_up(p->nd.nrows, rows) <= UINT32_MAX && rows <= INT32_MAX;
}

static void emit(norm_t *n, const apply_params_t *p, uint32_t flags) {
    plan_t *plan = n->planner.plan;
    const int64_t len = p->nd.size[p->nd.ndims - 1];
    plan_step(plan, KERNEL_norm_apply, (uint32_t[3]){1, 1, 1},
            (uint32_t[3]){(uint32_t)div_up(len, p->nd.chunk),
                    (uint32_t)div_up(p->nd.nrows, p->nd.rows_per_item), 1});
    plan_spec(plan, SPEC_SRC_DT, n->src.md->data_type);
    plan_spec(plan, SPEC_DST_DT, n->dst.md->data_type);
    plan_spec(plan, SPEC_FLAGS, md_size(n->dst.md, 0) >= STREAM_BYTES ? SPECF_STREAM : 0);
    plan_spec(plan, SPEC_APPLY_FLAGS, flags);
    const operand_t scale = norm_argument(n, DNNL_ARG_SCALE);
    const operand_t shift = norm_argument(n, DNNL_ARG_SHIFT);
    bind_operand(plan, &n->src);
    bind_operand(plan, &n->dst);
    bind_operand(plan, &n->mean);
    bind_operand(plan, &n->variance);
    norm_bind(n, &scale);
    norm_bind(n, &shift);
    plan_const(plan, p, sizeof(*p));
}

bool norm_apply_fused(norm_t *n, bool relu) {
    const pd_t *pd = n->planner.pd;
    apply_params_t p;
    bool along;
    if (!can_run(n) || !set_loops(&p, n, &along)) return false;
    p.epsilon = pd->params.epsilon;
    if (!divide(&p, n->planner.caps, along)) return false;
    emit(n, &p,
            (norm_flag(pd, dnnl_use_scale) ? APPLY_SCALE : 0) |
                    (norm_flag(pd, dnnl_use_shift) ? APPLY_SHIFT : 0) | (relu ? APPLY_RELU : 0) |
                    (along ? APPLY_ALONG : 0));
    return true;
}
