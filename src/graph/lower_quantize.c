/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions to and from integers, with scales and zero points. */
#include "core/alloc.h"
#include "graph/lower_quantize.h"
#include "graph/lowerings.h"

#define KIND(name) dnnl_graph_op_##name

dnnl_status_t lower_set_factors(lower_t *l, int arg, const factors_t *factors) {
    const factors_t *scales = &factors[0], *zps = &factors[1];
    if (scales->given) {
        l->extra[l->nextra++] = (step_arg_t){DNNL_ARG_ATTR_SCALES | arg, scales->view};
        TRY(dnnl_primitive_attr_set_scales(l->attr, arg, scales->mask, scales->group_ndims,
                scales->group_ndims ? scales->groups : NULL, scales->view.dt));
    }
    if (!zps->given) return dnnl_success;
    l->extra[l->nextra++] = (step_arg_t){DNNL_ARG_ATTR_ZERO_POINTS | arg, zps->view};
    return dnnl_primitive_attr_set_zero_points(l->attr, arg, zps->mask, zps->group_ndims,
            zps->group_ndims ? zps->groups : NULL, zps->view.dt);
}

/* The copy of input 0 to output 0; the factors belong to its integer side. */
static dnnl_status_t copy(lower_t *l, bool to_integers, const factors_t *factors) {
    const int side = to_integers ? DNNL_ARG_DST : DNNL_ARG_SRC;
    const view_t src = lower_in(l, 0), dst = lower_out(l, 0);
    const dnnl_engine_t engine = l->program->engine;
    md_t from, to;
    const step_arg_t args[] = {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}};
    TRY(view_md(&src, &from));
    TRY(view_md(&dst, &to));
    TRY(lower_attr(l));
    TRY(lower_set_factors(l, side, factors));
    TRY(dnnl_reorder_primitive_desc_create(&l->desc, &from, engine, &to, engine, l->attr));
    return lower_step(l, 2, args);
}

/* The axis of channels, and the number of them; -1 and 1 for one value of the whole tensor. */
static dnnl_status_t channels_of(const op_t *op, int *axis, dnnl_dim_t *count) {
    const lt_t *src = &op->in.list[0];
    *axis = -1;
    *count = 1;
    if (op_text_is(op, ATTR(qtype), "per_tensor")) return dnnl_success;
    *axis = normal_axis(op_s64(op, ATTR(axis), 1), src->ndims);
    if (*axis < 0)
        return verbose_check(
                dnnl_invalid_shape, "graph", "%s: the axis is not one of the source", op->name);
    *count = src->dims[*axis];
    return dnnl_success;
}

static dnnl_status_t constant_zero_points(lower_t *l, const op_t *op, int mask, factors_t *zps) {
    const attribute_t *values = op_attribute(op, ATTR(zps));
    const dnnl_dim_t count = values ? (dnnl_dim_t)values->count : 0;
    for (dnnl_dim_t i = 0; i < count; i++) zps->given |= values->value.s64[i] != 0;
    if (!zps->given) return dnnl_success;
    int32_t *narrow = dz_malloc((size_t)count * sizeof *narrow);
    if (!narrow) return dnnl_out_of_memory;
    for (dnnl_dim_t i = 0; i < count; i++) narrow[i] = (int32_t)values->value.s64[i];
    zps->mask = mask;
    const dnnl_status_t status =
            program_constant(l->program, dnnl_s32, 1, &count, narrow, &zps->view);
    dz_free(narrow);
    return status;
}

/* Those of Quantize and Dequantize, which are attributes. */
static dnnl_status_t constant_factors(lower_t *l, const op_t *op, factors_t *factors) {
    const attribute_t *values = op_attribute(op, ATTR(scales));
    const dnnl_dim_t given = (dnnl_dim_t)values->count;
    dnnl_dim_t count;
    int axis;
    factors[0] = (factors_t){.given = true};
    factors[1] = (factors_t){0};
    TRY(channels_of(op, &axis, &count));
    if (given != count)
        return verbose_check(dnnl_invalid_shape, "graph", "%s: %lld scales for %lld channels",
                op->name, (long long)given, (long long)count);
    factors[0].mask = axis < 0 ? 0 : 1 << axis;
    TRY(program_constant(l->program, dnnl_f32, 1, &given, values->value.f32, &factors[0].view));
    return constant_zero_points(l, op, factors[0].mask, &factors[1]);
}

/* Weights of a transposed convolution by groups have an output channel for each channel of a group,
 * and may have a scale for each channel of all groups. */
static bool has_scales_of_groups(const lower_t *l, const op_t *op) {
    const int64_t groups = op_s64(l->op, ATTR(groups), 1);
    const lt_t *weights = &op->in.list[0];
    const dnnl_dim_t given = (dnnl_dim_t)op_attribute(op, ATTR(scales))->count;
    if (l->op->kind != KIND(conv_transpose) || op_text_is(op, ATTR(qtype), "per_tensor"))
        return false;
    const int axis = weights_out_axis(l->op, weights->ndims);
    return groups > 1 && normal_axis(op_s64(op, ATTR(axis), 1), weights->ndims) == axis &&
           given % groups == 0 && given / groups == weights->dims[axis];
}

/* The primitive's weights begin with the groups and the output channels. */
static dnnl_status_t factors_of_groups(lower_t *l, const op_t *op, factors_t *factors) {
    const attribute_t *values = op_attribute(op, ATTR(scales));
    const dnnl_dim_t given = (dnnl_dim_t)values->count;
    factors[0] = (factors_t){.given = true, .mask = 3};
    TRY(program_constant(l->program, dnnl_f32, 1, &given, values->value.f32, &factors[0].view));
    return constant_zero_points(l, op, factors[0].mask, &factors[1]);
}

dnnl_status_t lower_quantize(lower_t *l) {
    factors_t factors[2];
    TRY(constant_factors(l, l->op, factors));
    return copy(l, l->op->kind == KIND(quantize), factors);
}

/* A row-major tensor of type dt with the elements of a view. */
static dnnl_status_t make_dense(lower_t *l, dnnl_data_type_t dt, view_t *view) {
    const view_t from = *view;
    if (view_is_dense(view) && view->dt == dt) return dnnl_success;
    TRY(program_temporary(l->program, dt, from.ndims, from.dims, view));
    return lower_copy(l, &from, view);
}

/* Repeats a view's elements along dimension d for all elements of their groups. */
static dnnl_status_t repeat(lower_t *l, int d, dnnl_dim_t group, view_t *view) {
    const dnnl_data_type_t dt = dt_is_nibble(view->dt) ? dnnl_s32 : view->dt;
    dnnl_dim_t before = 1, after = 1;
    view_t to;
    TRY(make_dense(l, dt, view));
    for (int i = 0; i < d; i++) before *= view->dims[i];
    for (int i = d + 1; i < view->ndims; i++) after *= view->dims[i];
    const dnnl_dim_t dims[] = {before, view->dims[d], group, after};
    view_t from = view_reshaped(view, 4, dims);
    from.strides[0] = view->dims[d] * after;
    from.strides[1] = after;
    from.strides[2] = 0;
    TRY(program_temporary(l->program, dt, 4, dims, &to));
    TRY(lower_copy(l, &from, &to));
    view->dims[d] *= group;
    *view = view_reshaped(&to, view->ndims, view->dims);
    return dnnl_success;
}

/* A view as factors of groups, one after the other; a dimension that has one of them is left out of
 * the mask. Primitives have groups of the last two dimensions only. */
static dnnl_status_t group_factors(
        lower_t *l, const op_t *op, const view_t *src, const view_t *view, factors_t *factors) {
    dnnl_dim_t count = 1;
    factors->given = true;
    factors->view = *view;
    for (int d = 0; d < src->ndims; d++) {
        const dnnl_dim_t n = view->dims[d], group = n ? src->dims[d] / n : 1;
        const bool last = d >= src->ndims - 2;
        count *= n;
        if (n * group != src->dims[d])
            return verbose_check(dnnl_invalid_shape, "graph",
                    "%s: dimension %d of its factors is not the source's by groups", op->name, d);
        if (!last && group != 1 && n != 1) {
            TRY(repeat(l, d, group, &factors->view));
            count *= group;
        }
        if (last || n != 1) factors->mask |= 1 << d;
        if (last && src->ndims > 1) factors->groups[factors->group_ndims++] = group;
    }
    TRY(make_dense(l, factors->view.dt, &factors->view));
    factors->view = view_reshaped(&factors->view, 1, &count);
    return dnnl_success;
}

static dnnl_status_t check_groups(const op_t *op, size_t i) {
    const lt_t *src = &op->in.list[0], *in = &op->in.list[i];
    if (in->ndims != src->ndims)
        return verbose_check(dnnl_invalid_shape, "graph",
                "%s: input %zu has not the source's dimensions", op->name, i);
    for (int d = 0; d < src->ndims; d++)
        if (in->dims[d] * op_item(op, ATTR(group_shape), (size_t)d, 1) != src->dims[d])
            return verbose_check(dnnl_invalid_shape, "graph",
                    "%s: dimension %d of input %zu is not the source's by groups", op->name, d, i);
    return dnnl_success;
}

/* Input i of a dynamic operation: groups, one value for each channel, or one. */
static dnnl_status_t tensor_factors(lower_t *l, const node_t *node, size_t i, dnnl_data_type_t dt,
        const factor_rule_t *rule, factors_t *factors) {
    const op_t *op = node->op;
    view_t src = view_of(&op->in.list[0], node->in[0]),
           view = view_of(&op->in.list[i], node->in[i]);
    int axis = -1;
    dnnl_dim_t count = 1;
    if (op_text_is(op, ATTR(qtype), "per_group")) {
        TRY(check_groups(op, i));
        const view_t plain[] = {src, view};
        if (rule) TRY(rule->seen(l, &plain[0], &src));
        if (rule) TRY(rule->seen(l, &plain[1], &view));
        return group_factors(l, op, &src, &view, factors);
    }
    TRY(channels_of(op, &axis, &count));
    const dnnl_dim_t given = lt_count(&op->in.list[i]);
    if (given == 1) axis = -1;
    else if (given != count)
        return verbose_check(dnnl_invalid_shape, "graph", "%s: input %zu has not %lld elements",
                op->name, i, (long long)count);
    factors->given = true;
    factors->mask = axis < 0 ? 0 : 1 << axis;
    TRY(make_dense(l, dt ? dt : view.dt, &view));
    factors->view = view_reshaped(&view, 1, &given);
    return dnnl_success;
}

static dnnl_status_t dynamic_factors(
        lower_t *l, const node_t *node, const factor_rule_t *rule, factors_t *factors) {
    factors[0] = factors[1] = (factors_t){0};
    TRY(tensor_factors(l, node, 1, dnnl_data_type_undef, rule, &factors[0]));
    if (node->op->in.count < 3) return dnnl_success;
    return tensor_factors(l, node, 2, dnnl_s32, rule, &factors[1]);
}

dnnl_status_t lower_dynamic_quantize(lower_t *l) {
    factors_t factors[2];
    TRY(dynamic_factors(l, l->fused->node, NULL, factors));
    return copy(l, l->op->kind == KIND(dynamic_quantize), factors);
}

/* The mask of factors along one axis of a tensor, as a primitive sees the tensor. */
static dnnl_status_t move_mask(lower_t *l, const lt_t *lt, seen_in_t seen, factors_t *factors) {
    view_t one = view_of(lt, (place_t){0}), moved;
    if (!factors->given || !factors->mask || factors->group_ndims) return dnnl_success;
    for (int d = 0; d < one.ndims; d++)
        if (!(factors->mask >> d & 1)) one.dims[d] = 1;
    TRY(seen(l, &one, &moved));
    factors->mask = 0;
    for (int d = 0; d < moved.ndims; d++)
        if (moved.dims[d] != 1) factors->mask |= 1 << d;
    return dnnl_success;
}

dnnl_status_t lower_factors(lower_t *l, const factor_rule_t *rule, factors_t *factors) {
    const node_t *from = l->fused->from[rule->input];
    factors[0] = factors[1] = (factors_t){0};
    if (!from) return dnnl_success;
    if (from->op->kind == KIND(dequantize) && rule->input && has_scales_of_groups(l, from->op))
        return factors_of_groups(l, from->op, factors);
    if (from->op->kind == KIND(dynamic_dequantize)) TRY(dynamic_factors(l, from, rule, factors));
    else TRY(constant_factors(l, from->op, factors));
    for (int i = 0; i < 2; i++) TRY(move_mask(l, &from->op->in.list[0], rule->seen, &factors[i]));
    return dnnl_success;
}

dnnl_status_t lower_quantized_dst(lower_t *l, const node_t *node, seen_t seen) {
    factors_t factors[2];
    TRY(constant_factors(l, node->op, factors));
    for (int i = 0; i < 2; i++) {
        view_t one = view_of(&node->op->out.list[0], (place_t){0});
        if (!factors[i].given || !factors[i].mask) continue;
        for (int d = 0; d < one.ndims; d++)
            if (!(factors[i].mask >> d & 1)) one.dims[d] = 1;
        const view_t moved = seen(l, &one);
        factors[i].mask = 0;
        for (int d = 0; d < moved.ndims; d++)
            if (moved.dims[d] != 1) factors[i].mask |= 1 << d;
    }
    return lower_set_factors(l, DNNL_ARG_DST, factors);
}
