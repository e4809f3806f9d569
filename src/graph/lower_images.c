/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling, PReLU, selection, gradients of a bias, indices and dropout. */
#include "core/alloc.h"
#include "core/util.h"
#include "graph/lower_util.h"
#include "graph/lowerings.h"

#define KIND(name) dnnl_graph_op_##name

static dnnl_alg_kind_t resampling_algorithm(const op_t *op) {
    return op_text_is(op, ATTR(mode), "nearest") ? dnnl_resampling_nearest : dnnl_resampling_linear;
}

static bool has_aligned_corners(const op_t *op) {
    return op_text_is(op, ATTR(coordinate_transformation_mode), "align_corners");
}

dnnl_status_t lower_interpolate(lower_t *l) {
    if (has_aligned_corners(l->op))
        return lower_corners(l, 0, resampling_algorithm(l->op) == dnnl_resampling_linear);
    const view_t from = lower_in(l, 0), to = lower_out(l, 0);
    const step_arg_t args[] = {
            {DNNL_ARG_SRC, lower_images(l->op, &from)}, {DNNL_ARG_DST, lower_images(l->op, &to)}};
    md_t src, dst;
    TRY(view_md(&args[0].view, &src));
    TRY(view_md(&args[1].view, &dst));
    TRY(lower_epilogue(l, seen_as_images, 0, NULL));
    TRY(dnnl_resampling_forward_primitive_desc_create(&l->desc, l->program->engine,
            dnnl_forward_inference, resampling_algorithm(l->op), NULL, &src, &dst, l->attr));
    return lower_step(l, 2, args);
}

dnnl_status_t lower_interpolate_backward(lower_t *l) {
    const dnnl_alg_kind_t alg = resampling_algorithm(l->op);
    if (has_aligned_corners(l->op)) return lower_corners(l, 1, alg == dnnl_resampling_linear);
    const view_t from = lower_in(l, 1), to = lower_out(l, 0);
    const step_arg_t args[] = {{DNNL_ARG_DIFF_DST, lower_images(l->op, &from)},
            {DNNL_ARG_DIFF_SRC, lower_images(l->op, &to)}};
    md_t diff_dst, diff_src;
    TRY(view_md(&args[0].view, &diff_dst));
    TRY(view_md(&args[1].view, &diff_src));
    TRY(lower_attr(l));
    TRY(dnnl_resampling_forward_primitive_desc_create(&l->hint, l->program->engine,
            dnnl_forward_training, alg, NULL, &diff_src, &diff_dst, l->attr));
    TRY(dnnl_resampling_backward_primitive_desc_create(
            &l->desc, l->program->engine, alg, NULL, &diff_src, &diff_dst, l->hint, l->attr));
    return lower_step(l, 2, args);
}

/* Slopes with the source's number of dimensions. One dimension is that of the channels, or the last
 * one. */
static dnnl_status_t slopes(const lower_t *l, const view_t *slope, const view_t *src, view_t *out) {
    const bool gradient = l->op->kind == KIND(prelu_backward);
    const bool channels = gradient || op_flag(l->op, ATTR(per_channel_broadcast));
    if (slope->ndims == 1 && slope->dims[0] != 1 && channels && src->ndims > 1)
        *out = view_on_axis(slope, src->ndims, channel_axis(l->op, src->ndims));
    else if (slope->ndims <= src->ndims) *out = view_expanded(slope, src->ndims);
    bool fits = slope->ndims <= src->ndims;
    for (int d = 0; fits && d < src->ndims; d++)
        fits = out->dims[d] == 1 || out->dims[d] == src->dims[d];
    if (fits) return dnnl_success;
    return verbose_check(dnnl_invalid_shape, "graph",
            "%s: the slopes do not broadcast to the source", l->op->name);
}

dnnl_status_t lower_prelu(lower_t *l) {
    const view_t src = lower_in(l, 0), slope = lower_in(l, 1);
    step_arg_t args[] = {
            {DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, slope}, {DNNL_ARG_DST, lower_out(l, 0)}};
    md_t mds[3];
    TRY(slopes(l, &slope, &src, &args[1].view));
    for (int i = 0; i < 3; i++) TRY(view_md(&args[i].view, &mds[i]));
    TRY(lower_attr(l));
    TRY(dnnl_prelu_forward_primitive_desc_create(&l->desc, l->program->engine,
            dnnl_forward_inference, &mds[0], &mds[1], &mds[2], l->attr));
    return lower_step(l, 3, args);
}

dnnl_status_t lower_prelu_backward(lower_t *l) {
    const dnnl_engine_t engine = l->program->engine;
    const view_t src = lower_in(l, 0), slope = lower_in(l, 1), diff_slope = lower_out(l, 1);
    step_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, slope},
            {DNNL_ARG_DIFF_DST, lower_in(l, 2)}, {DNNL_ARG_DIFF_SRC, lower_out(l, 0)},
            {DNNL_ARG_DIFF_WEIGHTS, diff_slope}};
    md_t mds[5];
    TRY(slopes(l, &slope, &src, &args[1].view));
    TRY(slopes(l, &diff_slope, &src, &args[4].view));
    for (int i = 0; i < 5; i++) TRY(view_md(&args[i].view, &mds[i]));
    TRY(lower_attr(l));
    TRY(dnnl_prelu_forward_primitive_desc_create(
            &l->hint, engine, dnnl_forward_training, &mds[0], &mds[1], &mds[0], l->attr));
    TRY(dnnl_prelu_backward_primitive_desc_create(
            &l->desc, engine, &mds[0], &mds[1], &mds[3], &mds[4], &mds[2], l->hint, l->attr));
    return lower_step(l, 5, args);
}

dnnl_status_t lower_select(lower_t *l) {
    const view_t dst = lower_out(l, 0);
    static const int names[] = {DNNL_ARG_SRC_2, DNNL_ARG_SRC_0, DNNL_ARG_SRC_1};
    step_arg_t args[4] = {[3] = {DNNL_ARG_DST, dst}};
    md_t mds[4];
    for (int i = 0; i < 3; i++) {
        const view_t in = lower_in(l, (size_t)i);
        args[i] = (step_arg_t){names[i], view_expanded(&in, dst.ndims)};
    }
    args[0].view.dt = dnnl_s8; /* a boolean is a byte of 0 or 1 */
    for (int i = 0; i < 4; i++) TRY(view_md(&args[i].view, &mds[i]));
    TRY(lower_attr(l));
    TRY(dnnl_binary_primitive_desc_create_v2(&l->desc, l->program->engine, dnnl_binary_select,
            &mds[1], &mds[2], &mds[0], &mds[3], l->attr));
    return lower_step(l, 4, args);
}

dnnl_status_t lower_bias_gradient(lower_t *l) {
    const view_t src = lower_in(l, 0), bias = lower_out(l, 0);
    const view_t dst = view_on_axis(&bias, src.ndims, channel_axis(l->op, src.ndims));
    const step_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    md_t from, to;
    TRY(view_md(&src, &from));
    TRY(view_md(&dst, &to));
    TRY(lower_attr(l));
    TRY(dnnl_reduction_primitive_desc_create(
            &l->desc, l->program->engine, dnnl_reduction_sum, &from, &to, 0, 0, l->attr));
    return lower_step(l, 2, args);
}

/* The numbers along the axis are a constant, which a copy repeats along the other axes. */
dnnl_status_t lower_gen_index(lower_t *l) {
    const view_t dst = lower_out(l, 0);
    const int axis = normal_axis(op_s64(l->op, ATTR(axis), 0), dst.ndims);
    CHECK_ARG(axis >= 0, "graph", "%s: the axis is not one of the source", l->op->name);
    const dnnl_dim_t count = dst.dims[axis];
    int32_t *numbers = dz_malloc((size_t)max_i64(count, 1) * sizeof *numbers);
    view_t repeated;
    if (!numbers) return dnnl_out_of_memory;
    for (dnnl_dim_t i = 0; i < count; i++) numbers[i] = (int32_t)i;
    const dnnl_status_t status =
            program_constant(l->program, dnnl_s32, 1, &count, numbers, &repeated);
    dz_free(numbers);
    TRY(status);
    repeated.ndims = dst.ndims;
    for (int d = 0; d < dst.ndims; d++) {
        repeated.dims[d] = dst.dims[d];
        repeated.strides[d] = d == axis;
    }
    return lower_copy(l, &repeated, &dst);
}

/* A copy with dropout. Probability, seed and offset are all on the device or all on the host. */
dnnl_status_t lower_dropout(lower_t *l) {
    const bool masked = l->op->out.count > 1;
    view_t seed = lower_in(l, 1), offset = lower_in(l, 2), probability = lower_in(l, 3);
    step_arg_t args[] = {{DNNL_ARG_SRC, lower_in(l, 0)}, {DNNL_ARG_DST, lower_out(l, 0)},
            {DNNL_ARG_ATTR_DROPOUT_SEED, seed}, {DNNL_ARG_ATTR_DROPOUT_OFFSET, offset},
            {DNNL_ARG_ATTR_DROPOUT_PROBABILITY, probability}, {DNNL_ARG_ATTR_DROPOUT_MASK, {0}}};
    md_t src, dst, mask = {0};
    if (seed.host != offset.host || seed.host != probability.host)
        return verbose_check(dnnl_unimplemented, "graph",
                "%s: some of probability, seed and offset are host scalars", l->op->name);
    if (masked) args[5].view = lower_out(l, 1);
    if (masked) TRY(view_md(&args[5].view, &mask));
    TRY(view_md(&args[0].view, &src));
    TRY(view_md(&args[1].view, &dst));
    TRY(lower_attr(l));
    TRY(dnnl_primitive_attr_set_dropout_v2(l->attr, &mask, dnnl_s64, 1, seed.host));
    TRY(dnnl_eltwise_forward_primitive_desc_create(&l->desc, l->program->engine,
            dnnl_forward_inference, dnnl_eltwise_linear, &src, &dst, 1, 0, l->attr));
    return lower_step(l, 5 + masked, args);
}
