/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/lower.h"

#include "core/check.h"
#include "graph/lowerings.h"
#include "graph/shape.h"

static const lower_fn_t lowerings[] = {
#define OP(kind, name, in, out, attrs, check, infer, lower) [dnnl_graph_op_##kind] = lower,
#define PORTS(...) 0
#define ATTRS(...) 0
#include "graph/ops.def"
};

lower_fn_t lower_find(const op_t *op) {
    return lowerings[op->kind];
}

dnnl_status_t lower_fused(program_t *program, const graph_mode_t *mode, const fused_t *fused) {
    const node_t *first = fused->node;
    const node_t *last = fused->nepilogue ? fused->epilogue[fused->nepilogue - 1].node : first;
    lower_t l = {.program = program,
            .mode = mode,
            .fused = fused,
            .op = first->op,
            .in = first->in,
            .out = last->out};
    const size_t nsteps = program->nsteps;
    const lower_fn_t lower = lower_find(l.op);
    if (!lower)
        return verbose_check(dnnl_unimplemented, "graph", "%s is not supported", l.op->name);
    program->has_workspace = false;
    const dnnl_status_t status = lower(&l);
    if (status != dnnl_success) program_cut(program, nsteps);
    dnnl_primitive_attr_destroy(l.attr);
    dnnl_post_ops_destroy(l.post_ops);
    dnnl_primitive_desc_destroy(l.desc);
    dnnl_primitive_desc_destroy(l.hint);
    return status;
}

bool lower_has_epilogue(const op_t *op) {
    switch (op->kind) {
    case dnnl_graph_op_matmul:
    case dnnl_graph_op_convolution:
    case dnnl_graph_op_conv_transpose:
    case dnnl_graph_op_avg_pool:
    case dnnl_graph_op_max_pool: return true;
    case dnnl_graph_op_interpolate:
        return !op_text_is(op, ATTR(coordinate_transformation_mode), "align_corners");
    case dnnl_graph_op_softmax:
        return op->out.count == 1 && !op_text_is(op, ATTR(mode), "inf_as_zero");
    case dnnl_graph_op_squared_difference: return false;
    default: break;
    }
    const lower_fn_t lower = lower_find(op);
    return lower == lower_eltwise || lower == lower_binary || lower == lower_bias_add ||
           lower == lower_reduce;
}
