/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization: statistics of each channel over all else. */
#include <string.h>

#include "core/status.h"
#include "core/verbose.h"
#include "ops/norm/norm.h"
#include "plan/op.h"
#include "plan/variant.h"

enum {
    FLAGS = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | dnnl_fuse_norm_relu |
            dnnl_fuse_norm_add_relu
};

static bool has_relu(const pd_t *pd) {
    return norm_flag(pd, dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu);
}

/* Training remembers for each element whether relu let it pass, in a byte. The destination's
 * padding counts. */
static dnnl_status_t add_workspace(pd_t *pd) {
    if (!has_relu(pd) || pd->params.prop_kind != dnnl_forward_training) return dnnl_success;
    const dnnl_dim_t size = md_nelems(pd_md(pd, DNNL_ARG_DST), true);
    md_t md;
    TRY(md_init_strides(&md, 1, &size, dnnl_u8, NULL));
    return pd_add_arg(pd, DNNL_ARG_WORKSPACE, PD_OUT, &md);
}

/* The workspace as a tensor: in the order of the destination, or row-major where that has holes. */
static const char *workspace_view(md_t *view, const md_t *dst) {
    *view = *dst;
    view->data_type = dnnl_u8;
    view->offset0 = 0;
    if (md_is_dense(view, true)) return NULL;
    memset(&view->format_desc, 0, sizeof(view->format_desc));
    view->format_kind = dnnl_format_kind_any;
    return why_not_of(md_set_plain(view), "the tensor is too large");
}

/* x: the result of relu; x > 0 where -x < x. */
const char *norm_fill_workspace(norm_t *n, const operand_t *x) {
    const int slot = pd_find_arg(n->planner.pd, DNNL_ARG_WORKSPACE);
    md_t view;
    if (slot < 0) return NULL;
    REFUSE_IF(workspace_view(&view, n->dst.md));
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    epilogue_add_eltwise(&epilogue, dnnl_eltwise_linear, 1, -1, 0);
    if (x->slot >= 0) {
        epilogue_add_tensor(&epilogue, n->planner.pd, OP_LT, x->slot);
    } else {
        const epilogue_source_t source = operand_source(x, ~0u, n->dst.slot);
        epilogue_add_source(&epilogue, OP_LT, &source);
    }
    const operand_t ws = {&view, slot, 0};
    return ew_plan(&n->planner, -1, &epilogue, 0, x, &ws, &ws);
}

/* What follows scale and shift, up to relu. */
static void add_fused(const pd_t *pd, epilogue_t *epilogue) {
    if (norm_flag(pd, dnnl_fuse_norm_add_relu))
        epilogue_add_tensor(epilogue, pd, OP_ADD, pd_find_arg(pd, DNNL_ARG_SRC_1));
    if (has_relu(pd)) epilogue_add_eltwise(epilogue, dnnl_eltwise_relu, 1, 0, 0);
}

static void make_epilogue(const pd_t *pd, epilogue_t *epilogue) {
    add_fused(pd, epilogue);
    epilogue_add_post_ops(epilogue, pd);
}

bool norm_has_late_post_ops(const pd_t *pd) {
    return pd->attr.post_ops.len > 0 && pd_find_arg(pd, DNNL_ARG_WORKSPACE) >= 0;
}

/* Applies the statistics and the rest. The result of relu goes to the scratchpad, the workspace is
 * made of it, and then come the post-ops. */
static const char *apply_in_parts(norm_t *n, const epilogue_t *fused) {
    const operand_t dst = n->dst;
    operand_t x;
    md_t md;
    epilogue_t post_ops;
    REFUSE_IF(operand_like(&n->planner, &x, &md, dst.md, ~0u, n->dt));
    REFUSE_IF(ew_plan(&n->planner, -1, fused, 0, &n->src, &x, &x));
    REFUSE_IF(norm_fill_workspace(n, &x));
    epilogue_init(&post_ops);
    epilogue_add_post_ops(&post_ops, n->planner.pd);
    return ew_plan(&n->planner, -1, &post_ops, 0, &x, &dst, &x);
}

static const char *plan_reductions(planner_t *p, int variant) {
    norm_t *n = (norm_t *)p;
    const pd_t *pd = p->pd;
    epilogue_t epilogue;
    REFUSE_IF(reduce_variant_can(variant, n->dt == dnnl_f64));
    REFUSE_IF(norm_statistics(n, variant, &n->src, 2));
    const bool plain = !pd->attr.post_ops.len && !norm_flag(pd, dnnl_fuse_norm_add_relu);
    if (plain && norm_apply_fused(n, has_relu(pd))) return norm_fill_workspace(n, &n->dst);
    REFUSE_IF(norm_root(n, &n->src, 2));
    norm_epilogue(n, &epilogue, 2, 2);
    add_fused(pd, &epilogue);
    if (norm_has_late_post_ops(pd)) return apply_in_parts(n, &epilogue);
    epilogue_add_post_ops(&epilogue, pd);
    REFUSE_IF(norm_apply(n, &epilogue));
    return norm_fill_workspace(n, &n->dst);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    TRY(norm_check(pd, FLAGS, 2, DNNL_MAX_NDIMS));
    const md_t src = *pd_md(pd, DNNL_ARG_SRC), dst = *pd_md(pd, DNNL_ARG_DST);
    if (pd->params.prop_kind == dnnl_forward_training && dt_is_int(src.data_type))
        return verbose_refuse(
                dnnl_unimplemented, "batch_normalization", "integers are for inference only");
    md_t stat;
    TRY(md_init_strides(&stat, 1, &src.dims[1], dnnl_f32, NULL));
    TRY(norm_add_args(pd, &stat, src.dims[1], dnnl_f32));
    if (norm_flag(pd, dnnl_fuse_norm_add_relu)) TRY(pd_add_arg(pd, DNNL_ARG_SRC_1, PD_IN, &dst));
    TRY(add_workspace(pd));
    TRY(norm_attributes(pd, false, POST_OP_ELTWISE));
    if (md_has_zero_dim(&src)) return nothing_to_do(pd);
    return norm_plan(pd, caps, NORM_FAMILY, plan_reductions);
}

const op_kind_t op_batch_normalization = {.kind = dnnl_batch_normalization,
        .name = "batch_normalization",
        .init = init,
        .make_epilogue = make_epilogue,
        .format_problem = norm_format_problem,
        .format_aux = norm_format_aux};

/* ---- backward propagation ---- */

/* What the forward primitive wrote there. */
static dnnl_status_t take_workspace(pd_t *pd) {
    const md_t *ws = pd_hint_workspace(pd);
    if (!has_relu(pd)) return dnnl_success;
    if (!ws)
        return verbose_refuse(dnnl_unimplemented, "batch_normalization",
                "the gradient of relu needs the descriptor of forward training with relu as its "
                "hint");
    return pd_add_arg(pd, DNNL_ARG_WORKSPACE, PD_IN, ws);
}

static const char *plan_backward(planner_t *p, int variant) {
    norm_t *n = (norm_t *)p;
    operand_t passed = {NULL, -1, 0};
    md_t view;
    REFUSE_IF(reduce_variant_can(variant, n->dt == dnnl_f64));
    if (has_relu(p->pd)) {
        const md_t *forward_dst = pd_md(p->pd->request.hint_fwd, DNNL_ARG_DST);
        REFUSE_IF(workspace_view(&view, forward_dst));
        passed = (operand_t){&view, pd_find_arg(p->pd, DNNL_ARG_WORKSPACE), 0};
    }
    REFUSE_IF(norm_statistics(n, variant, &n->src, 2));
    REFUSE_IF(norm_root(n, &n->src, 2));
    return norm_backward_channels(n, variant, 0, &passed);
}

static dnnl_status_t init_backward(pd_t *pd, const caps_t *caps) {
    TRY(norm_check_backward(pd, FLAGS, 2, DNNL_MAX_NDIMS));
    const md_t src = *pd_md(pd, DNNL_ARG_SRC), diff_dst = *pd_md(pd, DNNL_ARG_DIFF_DST);
    md_t stat;
    TRY(md_init_strides(&stat, 1, &src.dims[1], dnnl_f32, NULL));
    TRY(norm_add_args(pd, &stat, src.dims[1], dnnl_f32));
    TRY(take_workspace(pd));
    if (norm_flag(pd, dnnl_fuse_norm_add_relu))
        TRY(pd_add_arg(pd, DNNL_ARG_DIFF_SRC_1, PD_OUT, &diff_dst));
    TRY(norm_add_gradients(pd, src.dims[1], dnnl_f32));
    return norm_plan_backward(pd, caps, plan_backward);
}

const op_kind_t op_batch_normalization_backward = {.kind = dnnl_batch_normalization,
        .directions = DIRECTION_BACKWARD | DIRECTION_BACKWARD_DATA,
        .name = "batch_normalization",
        .init = init_backward,
        .format_problem = norm_format_problem,
        .format_aux = norm_format_aux};
