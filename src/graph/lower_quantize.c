/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions to and from integers, with scales and zero points. */
#include "core/alloc.h"
#include "graph/lower_util.h"
#include "graph/lowerings.h"

#define KIND(name) dnnl_graph_op_##name

/* Scales or zero points of a copy. */
typedef struct {
    bool given;
    view_t view; /* one value, an array, or a tensor of groups */
    int mask, group_ndims;
    dnnl_dims_t groups;
} factors_t;

/* The copy of input 0 to output 0; the factors belong to its integer side. */
static dnnl_status_t copy(
        lower_t *l, bool to_integers, const factors_t *scales, const factors_t *zps) {
    const int side = to_integers ? DNNL_ARG_DST : DNNL_ARG_SRC;
    const view_t src = lower_in(l, 0), dst = lower_out(l, 0);
    const dnnl_engine_t engine = l->program->engine;
    md_t from, to;
    int n = 3;
    step_arg_t args[4] = {
            {DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}, {DNNL_ARG_ATTR_SCALES | side, scales->view}};
    TRY(view_md(&src, &from));
    TRY(view_md(&dst, &to));
    TRY(lower_attr(l));
    TRY(dnnl_primitive_attr_set_scales(l->attr, side, scales->mask, scales->group_ndims,
            scales->group_ndims ? scales->groups : NULL, scales->view.dt));
    if (zps->given) {
        args[n++] = (step_arg_t){DNNL_ARG_ATTR_ZERO_POINTS | side, zps->view};
        TRY(dnnl_primitive_attr_set_zero_points(l->attr, side, zps->mask, zps->group_ndims,
                zps->group_ndims ? zps->groups : NULL, zps->view.dt));
    }
    TRY(dnnl_reorder_primitive_desc_create(&l->desc, &from, engine, &to, engine, l->attr));
    return lower_step(l, n, args);
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

static dnnl_status_t constant_zero_points(lower_t *l, int axis, factors_t *zps) {
    const attribute_t *values = op_attribute(l->op, ATTR(zps));
    const dnnl_dim_t count = values ? (dnnl_dim_t)values->count : 0;
    for (dnnl_dim_t i = 0; i < count; i++) zps->given |= values->value.s64[i] != 0;
    if (!zps->given) return dnnl_success;
    int32_t *narrow = dz_malloc((size_t)count * sizeof *narrow);
    if (!narrow) return dnnl_out_of_memory;
    for (dnnl_dim_t i = 0; i < count; i++) narrow[i] = (int32_t)values->value.s64[i];
    zps->mask = axis < 0 ? 0 : 1 << axis;
    const dnnl_status_t status =
            program_constant(l->program, dnnl_s32, 1, &count, narrow, &zps->view);
    dz_free(narrow);
    return status;
}

dnnl_status_t lower_quantize(lower_t *l) {
    const attribute_t *values = op_attribute(l->op, ATTR(scales));
    const dnnl_dim_t given = (dnnl_dim_t)values->count;
    factors_t scales = {.given = true}, zps = {0};
    dnnl_dim_t count;
    int axis;
    TRY(channels_of(l->op, &axis, &count));
    if (given != count)
        return verbose_check(dnnl_invalid_shape, "graph", "%s: %lld scales for %lld channels",
                l->op->name, (long long)given, (long long)count);
    scales.mask = axis < 0 ? 0 : 1 << axis;
    TRY(program_constant(l->program, dnnl_f32, 1, &given, values->value.f32, &scales.view));
    TRY(constant_zero_points(l, axis, &zps));
    return copy(l, l->op->kind == KIND(quantize), &scales, &zps);
}

/* Input i as factors of groups; a dimension that has one of them is left out of the mask. */
static dnnl_status_t group_factors(lower_t *l, size_t i, factors_t *factors) {
    const lt_t *src = &l->op->in.list[0], *in = &l->op->in.list[i];
    factors->given = true;
    if (in->ndims != src->ndims)
        return verbose_check(dnnl_invalid_shape, "graph",
                "%s: input %zu has not the source's dimensions", l->op->name, i);
    for (int d = 0; d < src->ndims; d++) {
        const dnnl_dim_t group = op_item(l->op, ATTR(group_shape), (size_t)d, 1);
        const bool last = d >= src->ndims - 2;
        if (in->dims[d] * group != src->dims[d])
            return verbose_check(dnnl_invalid_shape, "graph",
                    "%s: dimension %d of input %zu is not the source's by groups", l->op->name, d,
                    i);
        if (!last && group != 1 && in->dims[d] != 1)
            return verbose_check(dnnl_unimplemented, "graph",
                    "%s: groups of a dimension before the last two are not supported", l->op->name);
        if (last || in->dims[d] == src->dims[d]) factors->mask |= 1 << d;
        if (last && src->ndims > 1) factors->groups[factors->group_ndims++] = group;
    }
    return lower_dense(l, i, dnnl_data_type_undef, &factors->view);
}

/* Input i: groups, one value for each channel, or one. */
static dnnl_status_t tensor_factors(
        lower_t *l, size_t i, int axis, dnnl_dim_t count, dnnl_data_type_t dt, factors_t *factors) {
    if (op_text_is(l->op, ATTR(qtype), "per_group")) return group_factors(l, i, factors);
    if (lt_count(&l->op->in.list[i]) == 1) axis = -1;
    factors->given = true;
    factors->mask = axis < 0 ? 0 : 1 << axis;
    return lower_array(l, i, axis < 0 ? 1 : count, dt, &factors->view);
}

dnnl_status_t lower_dynamic_quantize(lower_t *l) {
    factors_t scales = {0}, zps = {0};
    dnnl_dim_t count = 1;
    int axis = -1;
    if (!op_text_is(l->op, ATTR(qtype), "per_group")) TRY(channels_of(l->op, &axis, &count));
    TRY(tensor_factors(l, 1, axis, count, dnnl_data_type_undef, &scales));
    if (l->op->in.count > 2) TRY(tensor_factors(l, 2, axis, count, dnnl_s32, &zps));
    return copy(l, l->op->kind == KIND(dynamic_quantize), &scales, &zps);
}
