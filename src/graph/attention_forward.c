/* SPDX-License-Identifier: Apache-2.0 */
/* Attention as one primitive. */
#include <string.h>

#include "core/check.h"
#include "graph/attention_lower.h"

static bool is_kind(const op_t *op, dnnl_graph_op_kind_t kind) {
    return op->kind == kind;
}

/* What computes a value in the match, across conversions and, for weights, Dequantize; NULL: there
 * is nothing of that kind. */
static const node_t *producer(const attention_t *a, size_t value, dnnl_graph_op_kind_t kind) {
    for (;;) {
        const size_t op = a->b->edges.values[value].producer.op;
        if (op == NOTHING || !match_has(a->match, op)) return NULL;
        const node_t *node = &a->b->nodes[op];
        if (is_kind(node->op, kind)) return node;
        const bool passes = is_kind(node->op, KIND(type_cast)) ||
                            (kind == KIND(quantize) && is_kind(node->op, KIND(dequantize)));
        if (!passes) return NULL;
        value = edges_in(&a->b->edges, op, 0);
    }
}

static const node_t *dequantiser(const attention_t *a, size_t value) {
    const node_t *node = producer(a, value, KIND(dequantize));
    return node ? node : producer(a, value, KIND(dynamic_dequantize));
}

static void sort_ops(attention_t *a) {
    for (size_t i = 0; i < a->match->nops; i++) {
        const node_t *node = &a->b->nodes[a->match->ops[i]];
        switch (node->op->kind) {
        case KIND(matmul):
            if (a->first) a->second = node;
            else a->first = node;
            break;
        case KIND(softmax): a->softmax = node; break;
        case KIND(multiply):
        case KIND(divide):
            if (!a->tanh) a->scale = node;
            break;
        case KIND(tanh): a->tanh = node; break;
        case KIND(gen_index):
            if (a->rows) a->columns = node;
            else a->rows = node;
            break;
        case KIND(select):
            if (a->rows && !a->select) a->select = node;
            else a->choice = node;
            break;
        case KIND(dropout): a->dropout = node; break;
        case KIND(subtract): a->shifted = true; break;
        case KIND(quantize): a->last = node; break;
        default: break;
        }
    }
    if (!a->last) a->last = a->second;
    a->rounding =
            producer(a, edges_in(&a->b->edges, attention_number(a, a->second), 0), KIND(quantize));
    for (int i = 0; i < 3; i++) a->from[i] = dequantiser(a, attention_named(a, "qkv"[i]));
    if (a->last == a->rounding) a->last = a->second;
}

/* Are all operands there before attention? Scores may be their own mask, for example. */
static bool has_operands(const attention_t *a) {
    for (const char *name = "qkvslmbf"; *name; name++) {
        if (attention_named(a, *name) == NOTHING) continue;
        const size_t from = a->b->edges.values[attention_named(a, *name)].producer.op;
        if (from == NOTHING || !match_has(a->match, from)) continue;
        if (!strchr("qkv", *name) || !dequantiser(a, attention_named(a, *name))) return false;
    }
    return true;
}

/* Are weights dequantised as they were quantised, with one scale and one zero point? */
static bool fits_rounding(const attention_t *a) {
    if (!a->rounding) return true;
    const port_t use =
            a->b->edges.values[edges_out(&a->b->edges, attention_number(a, a->rounding), 0)]
                    .uses[0];
    const op_t *there = a->rounding->op, *back = a->b->ops[use.op];
    const attribute_t *scale = op_attribute(there, ATTR(scales)),
                      *same = op_attribute(back, ATTR(scales)),
                      *zero = op_attribute(there, ATTR(zps)),
                      *again = op_attribute(back, ATTR(zps));
    if (!op_text_is(there, ATTR(qtype), "per_tensor") ||
            !op_text_is(back, ATTR(qtype), "per_tensor") || !scale->count || !same->count)
        return false;
    const int64_t first = zero && zero->count ? zero->value.s64[0] : 0,
                  second = again && again->count ? again->value.s64[0] : 0;
    return scale->value.f32[0] == same->value.f32[0] && first == second;
}

/* What the primitive has in one form only. */
static bool fits(const attention_t *a) {
    if (!has_operands(a) || !fits_rounding(a)) return false;
    if (!attention_is_last(a->softmax->op, op_s64(a->softmax->op, ATTR(axis), 1), 1)) return false;
    if (op_flag(a->first->op, ATTR(transpose_a)) || op_flag(a->second->op, ATTR(transpose_a)))
        return false;
    if (a->rows && (!attention_fits_causal(a) || attention_named(a, 'm') != NOTHING)) return false;
    if (a->first->op->in.count > 2 || a->second->op->in.count > 2) return false;
    if (a->choice && (a->rows || attention_named(a, 'm') != NOTHING)) return false;
    return attention_is_one(a, 's') && attention_is_one(a, 'l') && attention_is_one(a, 'f');
}

static dnnl_status_t seen_as_stored(const lower_t *l, const view_t *view, view_t *seen) {
    (void)l;
    *seen = *view;
    return dnnl_success;
}

static dnnl_status_t seen_in_product(const lower_t *l, const view_t *view, view_t *seen) {
    *seen = attention_matrix(view, op_flag(l->op, ATTR(transpose_b)), view->ndims);
    return dnnl_success;
}

/* Keys or values as they are stored, with attributes of their own if they are dequantised. */
static dnnl_status_t add_operand(attention_t *a, int which, int ndims, md_t *md) {
    static const int names[] = {DNNL_ARG_KEYS, DNNL_ARG_VALUES};
    const factor_rule_t rule = {1, names[which], seen_in_product};
    const node_t *product = which ? a->second : a->first, *from = a->from[which + 1];
    lower_t *l = &a->lower;
    factors_t factors[2];
    a->fused = (fused_t){.node = product, .from = {NULL, from}};
    l->op = product->op;
    l->in = product->in;
    const view_t stored = lower_in(l, 1);
    const view_t view = attention_matrix(&stored, op_flag(product->op, ATTR(transpose_b)), ndims);
    TRY(view_md(&view, md));
    a->args[a->nargs++] = (step_arg_t){names[which], view};
    if (!from) return dnnl_success;
    TRY(lower_factors(l, &rule, factors));
    TRY(dnnl_primitive_attr_create(&a->attrs[which]));
    for (int i = 0; i < 2; i++) {
        const factors_t *f = &factors[i];
        const dnnl_dim_t *groups = f->group_ndims ? f->groups : NULL;
        if (!f->given) continue;
        const int kind = i ? DNNL_ARG_ATTR_ZERO_POINTS : DNNL_ARG_ATTR_SCALES;
        a->args[a->nargs++] = (step_arg_t){kind | names[which], f->view};
        TRY((i ? dnnl_primitive_attr_set_zero_points : dnnl_primitive_attr_set_scales)(
                a->attrs[which], DNNL_ARG_WEIGHTS, f->mask, f->group_ndims, groups, f->view.dt));
    }
    return dnnl_success;
}

/* Queries as they are stored. */
static dnnl_status_t add_queries(attention_t *a, view_t *queries, md_t *md) {
    const factor_rule_t rule = {0, DNNL_ARG_QUERIES, seen_as_stored};
    lower_t *l = &a->lower;
    factors_t factors[2];
    a->fused = (fused_t){.node = a->first, .from = {a->from[0], NULL}};
    l->op = a->first->op;
    l->in = a->first->in;
    *queries = lower_in(l, 0);
    a->args[a->nargs++] = (step_arg_t){DNNL_ARG_QUERIES, *queries};
    TRY(view_md(queries, md));
    if (!a->from[0]) return dnnl_success;
    TRY(lower_factors(l, &rule, factors));
    return lower_set_factors(l, DNNL_ARG_QUERIES, factors);
}

/* A number of the program. */
static dnnl_status_t add_number(attention_t *a, int arg, float value, md_t *md) {
    const dnnl_dim_t one = 1;
    view_t view;
    TRY(program_constant(a->lower.program, dnnl_f32, 1, &one, &value, &view));
    TRY(view_md(&view, md));
    a->args[a->nargs++] = (step_arg_t){arg, view};
    return dnnl_success;
}

/* What the weights are rounded to. */
static dnnl_status_t add_rounding(
        attention_t *a, dnnl_ze_attn_weights_t *weights, md_t *scale, md_t *zero) {
    if (!a->rounding) return dnnl_success;
    const op_t *op = a->rounding->op;
    const attribute_t *zps = op_attribute(op, ATTR(zps));
    const int64_t point = zps && zps->count ? zps->value.s64[0] : 0;
    weights->data_type = op->out.list[0].data_type;
    TRY(add_number(
            a, DNNL_ARG_ATTN_WEIGHT_SCALE, op_attribute(op, ATTR(scales))->value.f32[0], scale));
    if (point) TRY(add_number(a, DNNL_ARG_ATTN_WEIGHT_ZERO_POINT, (float)point, zero));
    weights->scale_desc = scale;
    weights->zero_point_desc = point ? zero : NULL;
    return dnnl_success;
}

/* For masks that select, for dropout and for integers there may be only the portable kernel. */
static dnnl_status_t check_kernel(const attention_t *a) {
    if (!a->choice && !a->dropout && !a->rounding && !a->from[0]) return dnnl_success;
    return attention_check_variant(a);
}

/* The statistics have the layout that the primitive says. */
static dnnl_status_t add_statistics(attention_t *a) {
    const op_t *op = a->softmax->op;
    const md_t *md = dnnl_primitive_desc_query_md(a->lower.desc, dnnl_query_workspace_md, 0);
    if (op->out.count < 2) return dnnl_success;
    if (!md || !lt_is_dense(&op->out.list[1])) return dnnl_unimplemented;
    view_t view = view_of(&op->out.list[1], a->softmax->out[1]);
    view = view_reshaped(&view, md->ndims, md->dims);
    a->args[a->nargs++] = (step_arg_t){DNNL_ARG_WORKSPACE, view};
    return dnnl_success;
}

/* The view of a value behind which only operations that move or convert elements follow, and then
 * the last one. */
static dnnl_status_t view_before(const attention_t *a, const node_t *from, view_t *view) {
    const edges_t *edges = &a->b->edges;
    const node_t *path[4];
    int n = 0;
    *view = view_of(&a->last->op->out.list[0], a->last->out[0]);
    for (const node_t *node = from; node != a->last && n < 4;) {
        node = &a->b->nodes
                        [edges->values[edges_out(edges, attention_number(a, node), 0)].uses[0].op];
        path[n++] = node;
    }
    while (n-- > 0) {
        const op_t *op = path[n]->op;
        const lt_t *in = &op->in.list[0];
        if (op->kind == KIND(static_reshape)) {
            if (!view_is_dense(view)) return dnnl_unimplemented;
            *view = view_reshaped(view, in->ndims, in->dims);
        } else if (op->kind == KIND(static_transpose)) {
            const attribute_t *order = op_attribute(op, ATTR(order));
            view_t moved = *view;
            for (int d = 0; d < in->ndims; d++) {
                const int to = order->count ? normal_axis(order->value.s64[d], in->ndims)
                                            : in->ndims - 1 - d;
                moved.dims[to] = view->dims[d];
                moved.strides[to] = view->strides[d];
            }
            *view = moved;
        }
    }
    return dnnl_success;
}

/* The result, which may be quantised. */
static dnnl_status_t add_result(attention_t *a, view_t *out, md_t *md) {
    TRY(view_before(a, a->second, out));
    a->args[a->nargs++] = (step_arg_t){DNNL_ARG_DST, *out};
    TRY(view_md(out, md));
    if (a->last == a->second) return dnnl_success;
    if (!op_text_is(a->last->op, ATTR(qtype), "per_tensor")) return dnnl_unimplemented;
    return lower_quantized_dst(&a->lower, a->last, seen_as_is);
}

static dnnl_status_t append(attention_t *a) {
    lower_t *l = &a->lower;
    md_t q, k, v, dst, scale = {0}, cap = {0}, fill = {0}, mask = {0}, step = {0}, zero = {0};
    dnnl_ze_attn_weights_t weights = {dnnl_data_type_undef, NULL, NULL};
    view_t queries, out;
    const int ndims = a->first->op->in.list[0].ndims;
    const bool training = a->softmax->op->out.count > 1;
    const bool divide = a->scale && a->scale->op->kind == KIND(divide);
    if (ndims < 2 || a->second->op->out.list[0].ndims != ndims) return dnnl_unimplemented;
    TRY(lower_attr(l));
    TRY(add_queries(a, &queries, &q));
    TRY(add_result(a, &out, &dst));
    TRY(add_operand(a, 0, ndims, &k));
    TRY(add_operand(a, 1, ndims, &v));
    TRY(attention_add_factor(a, 's', DNNL_ARG_SCALE, &scale));
    TRY(attention_add_factor(a, 'l', DNNL_ARG_ATTN_CAP, &cap));
    TRY(attention_add_factor(a, 'f', DNNL_ARG_ATTN_FILL, &fill));
    TRY(attention_add_mask(a, ndims, &mask));
    TRY(add_rounding(a, &weights, &step, &zero));
    TRY(attention_add_dropout(a));
    TRY(dnnl_ze_sdpa_forward_primitive_desc_create_v4(&l->desc, l->program->engine,
            training ? dnnl_forward_training : dnnl_forward_inference, &q, &k, &v, &dst, &mask,
            &scale, divide, &cap, &fill, &weights, ndims > 2 ? k.dims[ndims - 3] : 1,
            attention_mask_kind(a), l->attr, a->attrs[0], a->attrs[1]));
    TRY(check_kernel(a));
    TRY(add_statistics(a));
    return lower_step(l, a->nargs, a->args);
}

dnnl_status_t attention_emit_forward(attention_t *a) {
    sort_ops(a);
    return fits(a) ? append(a) : dnnl_unimplemented;
}
