/* SPDX-License-Identifier: Apache-2.0 */
/* The last step of a normalization without attributes, in a kernel of its own on CPUs. */
#include <string.h>

#include "core/util.h"
#include "kernels/norm/apply_params.h"
#include "steps/loops.h"
#include "plan/variant_id.h"
#include "ops/norm/norm.h"
#include "plan/op.h"
#include "plan/variant.h"

/* Elements of a work-item, and destinations that are larger than the caches. */
enum { MIN_ITEM = 8192, ITEMS_PER_UNIT = 16, MAX_CHUNK = 32768, STREAM_BYTES = 16 << 20 };

static void bind_weights(const norm_t *n, int arg) {
    const int slot = pd_find_arg(n->pd, arg);
    if (slot < 0) plan_arg(&n->pd->plan, -1, 0);
    else bind_operand(&n->pd->plan, &(operand_t){&n->pd->args[slot].md, slot, 0});
}

bool norm_apply_fused(norm_t *n, bool relu) {
    enum { STAT = EW_CHAIN };
    const int row = KERNEL_norm_apply;
    const int wanted = n->pd->request.hints.forced_variant;
    const variant_t *forced = wanted >= 0 ? &variants[wanted] : NULL;
    if (!variant_runs_on(&variants[row], n->caps) || n->dt != dnnl_f32 ||
            n->pd->plan.nsteps == ROOM_STEPS || (forced && forced->target != TARGET_CPU))
        return false;
    const md_t *md[] = {[EW_SRC] = n->src.md, [EW_DST] = n->dst.md, [STAT] = n->variance.md};
    ew_loops_t l;
    if (ew_loops(&l, NULL, NULL, md, 3, false) || l.nlimits || l.naxes > PAR_MAX_DIMS) return false;
    const int last = l.naxes - 1;
    if (l.stride[EW_SRC][last] != 1 || l.stride[EW_DST][last] != 1) return false;
    apply_params_t p;
    memset(&p, 0, sizeof(p));
    p.nd.ndims = l.naxes;
    p.nd.nrows = 1;
    for (int i = 0; i < l.naxes; i++) {
        if (l.axis[i].size > INT32_MAX / 2) return false;
        p.nd.size[i] = (int32_t)l.axis[i].size;
        p.nd.src_stride[i] = l.stride[EW_SRC][i];
        p.nd.dst_stride[i] = l.stride[EW_DST][i];
        p.stat_stride[i] = l.stride[STAT][i];
        if (i < last) p.nd.nrows *= l.axis[i].size;
    }
    const bool along = l.stride[STAT][last] != 0;
    if (along && l.stride[STAT][last] != 1) return false;
    p.epsilon = n->pd->params.epsilon;
    const int64_t len = l.axis[last].size;
    const int64_t share = len * p.nd.nrows / (ITEMS_PER_UNIT * max_i64(n->caps->compute_units, 1));
    const int64_t block = max_i64(share, MIN_ITEM);
    p.nd.chunk = (int32_t)min_i64(
            min_i64(block + 15, along ? APPLY_MAX_CHUNK : MAX_CHUNK) & ~15, (len + 15) & ~15);
    const int64_t rows = max_i64(1, min_i64(block / min_i64(p.nd.chunk, len), p.nd.nrows));
    if (div_up(p.nd.nrows, rows) > UINT32_MAX || rows > INT32_MAX) return false;
    p.nd.rows_per_item = (int32_t)rows;

    plan_t *plan = &n->pd->plan;
    plan_step(plan, row, (uint32_t[3]){1, 1, 1},
            (uint32_t[3]){
                    (uint32_t)div_up(len, p.nd.chunk), (uint32_t)div_up(p.nd.nrows, rows), 1});
    plan_spec(plan, SPEC_SRC_DT, n->src.md->data_type);
    plan_spec(plan, SPEC_DST_DT, n->dst.md->data_type);
    plan_spec(plan, SPEC_FLAGS, md_size(n->dst.md, 0) >= STREAM_BYTES ? SPECF_STREAM : 0);
    plan_spec(plan, SPEC_APPLY_FLAGS,
            (norm_flag(n->pd, dnnl_use_scale) ? APPLY_SCALE : 0) |
                    (norm_flag(n->pd, dnnl_use_shift) ? APPLY_SHIFT : 0) | (relu ? APPLY_RELU : 0) |
                    (along ? APPLY_ALONG : 0));
    bind_operand(plan, &n->src);
    bind_operand(plan, &n->dst);
    bind_operand(plan, &n->mean);
    bind_operand(plan, &n->variance);
    bind_weights(n, DNNL_ARG_SCALE);
    bind_weights(n, DNNL_ARG_SHIFT);
    plan_const(plan, &p, sizeof(p));
    return true;
}
