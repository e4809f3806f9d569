/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/infer.h"
#include "graph/infer_set.h"
#include "graph/shape.h"

/* Outputs from number `first` on have one value for each channel. */
static dnnl_status_t set_channels(op_t *op, size_t first) {
    const lt_t *src = &op->in.list[0];
    if (src->ndims < 2) REFUSE_SHAPE("%s: the source has no channels", op->name);
    for (size_t i = first; i < op->out.count; i++)
        TRY(infer_set(op, i, 1, &src->dims[channel_axis(op, src->ndims)]));
    return infer_set(op, 0, src->ndims, src->dims);
}

dnnl_status_t infer_batch_norm_training(op_t *op) {
    return set_channels(op, 1);
}

dnnl_status_t infer_batch_norm_backward(op_t *op) {
    return set_channels(op, 1);
}

static dnnl_status_t first_axis(const op_t *op, int *axis) {
    *axis = normal_axis(op_s64(op, ATTR(begin_norm_axis), -1), op->in.list[0].ndims);
    if (*axis < 0) REFUSE_SHAPE("%s: the first axis is not one of the source", op->name);
    return dnnl_success;
}

dnnl_status_t infer_layer_norm(op_t *op) {
    const lt_t *src = &op->in.list[0];
    int axis;
    TRY(first_axis(op, &axis));
    TRY(infer_set(op, 0, src->ndims, src->dims));
    for (size_t i = 1; i < op->out.count; i++) TRY(infer_set(op, i, axis, src->dims));
    return dnnl_success;
}

dnnl_status_t infer_layer_norm_backward(op_t *op) {
    const lt_t *src = &op->in.list[0];
    int axis;
    TRY(first_axis(op, &axis));
    TRY(infer_set(op, 0, src->ndims, src->dims));
    for (size_t i = 1; i < op->out.count; i++)
        TRY(infer_set(op, i, src->ndims - axis, src->dims + axis));
    return dnnl_success;
}

dnnl_status_t infer_group_norm(op_t *op) {
    const lt_t *src = &op->in.list[0];
    if (src->ndims < 2) REFUSE_SHAPE("%s: the source has no channels", op->name);
    const dnnl_dim_t dims[] = {src->dims[0], op_s64(op, ATTR(groups), 1)};
    TRY(infer_set(op, 0, src->ndims, src->dims));
    for (size_t i = 1; i < op->out.count; i++) TRY(infer_set(op, i, 2, dims));
    return dnnl_success;
}
