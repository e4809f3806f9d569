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

static bool has_host_scalar(const op_t *op) {
    for (size_t i = 0; i < op->in.count; i++)
        if (op->in.list[i].property == dnnl_graph_tensor_property_host_scalar) return true;
    return false;
}

/* What an operation of a supported kind can have that is not supported. */
static bool is_refused(const op_t *op) {
    if (op_text_is(op, ATTR(coordinate_transformation_mode), "align_corners")) return true;
    if (op->kind == dnnl_graph_op_dropout) return false;
    return has_host_scalar(op);
}

lower_fn_t lower_find(const op_t *op) {
    return is_refused(op) ? NULL : lowerings[op->kind];
}

dnnl_status_t lower_op(program_t *program, const graph_mode_t *mode, const op_t *op,
        const place_t *in, const place_t *out) {
    lower_t l = {.program = program, .mode = mode, .op = op, .in = in, .out = out};
    const lower_fn_t lower = lower_find(op);
    if (!lower) return verbose_check(dnnl_unimplemented, "graph", "%s is not supported", op->name);
    program->has_workspace = false;
    const dnnl_status_t status = lower(&l);
    dnnl_primitive_attr_destroy(l.attr);
    dnnl_post_ops_destroy(l.post_ops);
    dnnl_primitive_desc_destroy(l.desc);
    dnnl_primitive_desc_destroy(l.hint);
    return status;
}
