/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/infer.h"
#include "graph/infer_set.h"
#include "graph/shape.h"

static dnnl_status_t check_rank(const op_t *op, const lt_t *lt) {
    const attribute_t *strides = op_attribute(op, ATTR(strides));
    if (strides && lt->ndims != (int)strides->count + 2)
        REFUSE_SHAPE("%s: a tensor of %d dimensions with %zu strides", op->name, lt->ndims,
                strides->count);
    return dnnl_success;
}

dnnl_status_t infer_pool(op_t *op) {
    const lt_t *src = &op->in.list[0];
    lt_t dst = *src;
    const bool ceil = op_text_is(op, ATTR(rounding_type), "ceil");
    TRY(check_rank(op, src));
    for (int i = 0; i < src->ndims - 2; i++) {
        const int d = spatial_axis(op, i);
        const int64_t kernel = op_item(op, ATTR(kernel), (size_t)i, 1);
        const window_t w = window_along(op, i, kernel, src->dims[d], false);
        dst.dims[d] = window_positions(&w, src->dims[d], ceil);
        if (src->dims[d] && dst.dims[d] < 1)
            REFUSE_SHAPE("%s: the kernel is larger than the source", op->name);
    }
    return infer_set(op, 0, dst.ndims, dst.dims);
}

/* Checks weights against `channels` of the side whose channels they have divided by the groups. */
static dnnl_status_t check_weights(const op_t *op, const lt_t *src, const lt_t *weights, int axis) {
    const int64_t groups = op_s64(op, ATTR(groups), 1);
    if (weights->ndims != src->ndims)
        REFUSE_SHAPE("%s: source and weights differ in their dimensions", op->name);
    if (src->dims[channel_axis(op, src->ndims)] != weights->dims[axis] * groups)
        REFUSE_SHAPE("%s: the channels of the source are not those of the weights", op->name);
    return dnnl_success;
}

dnnl_status_t infer_conv(op_t *op) {
    const lt_t *src = &op->in.list[0], *weights = &op->in.list[1];
    lt_t dst = *src;
    const bool gradient = op->kind == dnnl_graph_op_conv_transpose_backward_data;
    TRY(check_rank(op, src));
    const int in = weights_in_axis(op, src->ndims), out = weights_out_axis(op, src->ndims);
    TRY(check_weights(op, src, weights, gradient ? out : in));
    for (int i = 0; i < src->ndims - 2; i++) {
        const int d = spatial_axis(op, i);
        const int64_t kernel = weights->dims[weights_spatial_axis(op, i)];
        const window_t w = window_along(op, i, kernel, src->dims[d], false);
        dst.dims[d] = window_positions(&w, src->dims[d], false);
        if (src->dims[d] && dst.dims[d] < 1)
            REFUSE_SHAPE("%s: the kernel is larger than the source", op->name);
    }
    dst.dims[channel_axis(op, dst.ndims)] = weights->dims[gradient ? in : out];
    return infer_set(op, 0, dst.ndims, dst.dims);
}

dnnl_status_t infer_deconv(op_t *op) {
    const lt_t *src = &op->in.list[0], *weights = &op->in.list[1];
    const int64_t groups = op_s64(op, ATTR(groups), 1);
    lt_t dst = *src;
    TRY(check_rank(op, src));
    if (weights->ndims != src->ndims)
        REFUSE_SHAPE("%s: source and weights differ in their dimensions", op->name);
    if (src->dims[channel_axis(op, src->ndims)] != weights->dims[weights_in_axis(op, src->ndims)])
        REFUSE_SHAPE("%s: the channels of the source are not those of the weights", op->name);
    for (int i = 0; i < src->ndims - 2; i++) {
        const int d = spatial_axis(op, i);
        const int64_t kernel = weights->dims[weights_spatial_axis(op, i)];
        const window_t w = window_along(op, i, kernel, src->dims[d], true);
        dst.dims[d] = w.stride * (src->dims[d] - 1) + window_extent(&w) - w.begin - w.end +
                      op_item(op, ATTR(output_padding), (size_t)i, 0);
    }
    dst.dims[channel_axis(op, dst.ndims)] =
            weights->dims[weights_out_axis(op, src->ndims)] * groups;
    return infer_set(op, 0, dst.ndims, dst.dims);
}

/* The dims are an attribute, unless they are known anyway. */
static dnnl_status_t set_from(op_t *op, dnnl_graph_op_attr_t name) {
    const attribute_t *shape = op_attribute(op, name);
    if (shape && shape->count && shape->count <= DNNL_MAX_NDIMS)
        return infer_set(op, 0, (int)shape->count, shape->value.s64);
    return infer_unknown(op);
}

dnnl_status_t infer_src_shape(op_t *op) {
    return set_from(op, ATTR(src_shape));
}

dnnl_status_t infer_dst_shape(op_t *op) {
    return set_from(op, ATTR(dst_shape));
}

dnnl_status_t infer_weights_shape(op_t *op) {
    return set_from(op, ATTR(weights_shape));
}

dnnl_status_t infer_interpolate(op_t *op) {
    const lt_t *src = &op->in.list[0];
    const attribute_t *sizes = op_attribute(op, ATTR(sizes));
    const attribute_t *scales = op_attribute(op, ATTR(scales));
    const bool sized = sizes && sizes->count;
    lt_t dst = *src;
    const int spatial = src->ndims - 2;
    if ((int)(sized ? sizes->count : scales->count) != spatial)
        REFUSE_SHAPE("%s: there are not as many sizes as spatial dimensions", op->name);
    for (int i = 0; i < spatial; i++) {
        const int d = spatial_axis(op, i);
        dst.dims[d] =
                sized ? sizes->value.s64[i] : (int64_t)((float)src->dims[d] * scales->value.f32[i]);
        if (dst.dims[d] < 0) REFUSE_SHAPE("%s: a size is negative", op->name);
    }
    return infer_set(op, 0, dst.ndims, dst.dims);
}
