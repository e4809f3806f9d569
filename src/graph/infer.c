/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/infer.h"

#include "core/util.h"
#include "graph/infer_set.h"
#include "graph/shape.h"

dnnl_status_t infer_same(op_t *op) {
    const lt_t *src = &op->in.list[0];
    for (size_t i = 0; i < op->out.count; i++) TRY(infer_set(op, i, src->ndims, src->dims));
    return dnnl_success;
}

dnnl_status_t infer_inputs(op_t *op) {
    for (size_t i = 0; i < op->out.count; i++)
        TRY(infer_set(op, i, op->in.list[i].ndims, op->in.list[i].dims));
    return dnnl_success;
}

dnnl_status_t infer_nothing(op_t *op) {
    (void)op;
    return dnnl_success;
}

dnnl_status_t infer_unknown(op_t *op) {
    for (size_t i = 0; i < op->out.count; i++)
        if (!lt_has_dims(&op->out.list[i]))
            return verbose_check(dnnl_unimplemented, "graph",
                    "%s: the dimensions of output %zu cannot be inferred", op->name, i);
    return dnnl_success;
}

/* Broadcasts the last n dims of two tensors to `dims`. */
static bool broadcast(const dnnl_dim_t *a, int na, const dnnl_dim_t *b, int nb, dnnl_dim_t *dims) {
    const int n = na > nb ? na : nb;
    for (int d = 0; d < n; d++) {
        const dnnl_dim_t x = d < n - na ? 1 : a[d - (n - na)], y = d < n - nb ? 1 : b[d - (n - nb)];
        if (x != y && x != 1 && y != 1) return false;
        dims[d] = x == 1 ? y : x;
    }
    return true;
}

static dnnl_status_t broadcast_inputs(const op_t *op, size_t i, int *ndims, dnnl_dim_t *dims) {
    const lt_t *a = &op->in.list[i], *b = &op->in.list[i + 1];
    *ndims = a->ndims > b->ndims ? a->ndims : b->ndims;
    bool fits = broadcast(a->dims, a->ndims, b->dims, b->ndims, dims);
    if (op_text_is(op, ATTR(auto_broadcast), "none")) {
        fits = a->ndims == b->ndims;
        for (int d = 0; fits && d < a->ndims; d++) fits = a->dims[d] == b->dims[d];
    }
    if (!fits) REFUSE_SHAPE("%s: the inputs do not broadcast to each other", op->name);
    return dnnl_success;
}

dnnl_status_t infer_broadcast(op_t *op) {
    dnnl_dims_t dims;
    int ndims;
    TRY(broadcast_inputs(op, 0, &ndims, dims));
    return infer_set(op, 0, ndims, dims);
}

dnnl_status_t infer_select(op_t *op) {
    const lt_t *cond = &op->in.list[0];
    dnnl_dims_t dims, all;
    int ndims;
    TRY(broadcast_inputs(op, 1, &ndims, dims));
    bool fits = cond->ndims <= ndims && broadcast(cond->dims, cond->ndims, dims, ndims, all);
    for (int d = 0; fits && d < ndims; d++) fits = all[d] == dims[d];
    if (!fits) REFUSE_SHAPE("%s: the condition does not broadcast to the others", op->name);
    return infer_set(op, 0, ndims, dims);
}

dnnl_status_t infer_concat(op_t *op) {
    const lt_t *first = &op->in.list[0];
    const int axis = normal_axis(op_s64(op, ATTR(axis), 0), first->ndims);
    lt_t sum = *first;
    if (axis < 0) REFUSE_SHAPE("%s: the axis is not one of the inputs", op->name);
    for (size_t i = 1; i < op->in.count; i++) {
        const lt_t *in = &op->in.list[i];
        if (in->ndims != sum.ndims) REFUSE_SHAPE("%s: input %zu has other dimensions", op->name, i);
        for (int d = 0; d < sum.ndims; d++)
            if (d != axis && in->dims[d] != sum.dims[d])
                REFUSE_SHAPE("%s: input %zu has other dimensions", op->name, i);
        sum.dims[axis] += in->dims[axis];
    }
    return infer_set(op, 0, sum.ndims, sum.dims);
}

/* An operand of a product as matrices: a vector becomes one row (`is_row`) or one column. */
static void as_matrix(const lt_t *lt, bool transpose, bool is_row, lt_t *out) {
    *out = *lt;
    if (lt->ndims == 1) {
        out->ndims = 2;
        out->dims[0] = is_row ? 1 : lt->dims[0];
        out->dims[1] = is_row ? lt->dims[0] : 1;
    } else if (transpose) {
        out->dims[lt->ndims - 1] = lt->dims[lt->ndims - 2];
        out->dims[lt->ndims - 2] = lt->dims[lt->ndims - 1];
    }
}

dnnl_status_t infer_matmul(op_t *op) {
    const lt_t *src = &op->in.list[0], *weights = &op->in.list[1];
    lt_t a, b;
    dnnl_dims_t dims;
    if (src->ndims < 1 || weights->ndims < 1)
        REFUSE_SHAPE("%s: an input has no dimensions", op->name);
    as_matrix(src, op_flag(op, ATTR(transpose_a)), true, &a);
    as_matrix(weights, op_flag(op, ATTR(transpose_b)), false, &b);
    if (a.dims[a.ndims - 1] != b.dims[b.ndims - 2])
        REFUSE_SHAPE("%s: %lld columns of the source for %lld rows of the weights", op->name,
                (long long)a.dims[a.ndims - 1], (long long)b.dims[b.ndims - 2]);
    if (!broadcast(a.dims, a.ndims - 2, b.dims, b.ndims - 2, dims))
        REFUSE_SHAPE("%s: the batches do not broadcast to each other", op->name);
    int ndims = (a.ndims > b.ndims ? a.ndims : b.ndims) - 2;
    if (src->ndims > 1) dims[ndims++] = a.dims[a.ndims - 2];
    if (weights->ndims > 1) dims[ndims++] = b.dims[b.ndims - 1];
    return infer_set(op, 0, ndims, dims);
}

dnnl_status_t infer_reduce(op_t *op) {
    const lt_t *src = &op->in.list[0];
    const attribute_t *axes = op_attribute(op, ATTR(axes));
    bool reduced[DNNL_MAX_NDIMS] = {false};
    dnnl_dims_t dims;
    int ndims = 0;
    for (size_t i = 0; i < axes->count; i++) {
        const int axis = normal_axis(axes->value.s64[i], src->ndims);
        if (axis < 0 || reduced[axis])
            REFUSE_SHAPE("%s: an axis is given twice or is not one of the source", op->name);
        reduced[axis] = true;
    }
    for (int d = 0; d < src->ndims; d++) {
        if (!reduced[d]) dims[ndims++] = src->dims[d];
        else if (op_flag(op, ATTR(keep_dims))) dims[ndims++] = 1;
    }
    return infer_set(op, 0, ndims, dims);
}

dnnl_status_t infer_reshape(op_t *op) {
    const lt_t *src = &op->in.list[0];
    const attribute_t *shape = op_attribute(op, ATTR(shape));
    const int64_t count = lt_count(src);
    dnnl_dims_t dims;
    int64_t product = 1;
    int open = -1;
    if (shape->count > DNNL_MAX_NDIMS) REFUSE_SHAPE("%s: the shape is too long", op->name);
    for (int d = 0; d < (int)shape->count; d++) {
        dims[d] = shape->value.s64[d];
        if (dims[d] == 0 && op_flag(op, ATTR(special_zero)) && d < src->ndims)
            dims[d] = src->dims[d];
        if (dims[d] < -1 || (dims[d] == -1 && open >= 0))
            REFUSE_SHAPE("%s: the shape has a negative dimension", op->name);
        if (dims[d] == -1) open = d;
        else if (!mul_ok(product, dims[d], &product))
            REFUSE_SHAPE("%s: the shape is too large", op->name);
    }
    if (open >= 0) dims[open] = product ? count / product : 0;
    if (open >= 0) product *= dims[open];
    if (product != count)
        REFUSE_SHAPE("%s: the shape has not as many elements as the source", op->name);
    return infer_set(op, 0, (int)shape->count, dims);
}

dnnl_status_t infer_transpose(op_t *op) {
    const lt_t *src = &op->in.list[0];
    const attribute_t *order = op_attribute(op, ATTR(order));
    bool taken[DNNL_MAX_NDIMS] = {false};
    dnnl_dims_t dims;
    if (order->count && (int)order->count != src->ndims)
        REFUSE_SHAPE("%s: the order has not as many axes as the source", op->name);
    for (int d = 0; d < src->ndims; d++) {
        const int from =
                order->count ? normal_axis(order->value.s64[d], src->ndims) : src->ndims - 1 - d;
        if (from < 0 || taken[from]) REFUSE_SHAPE("%s: the order is no permutation", op->name);
        taken[from] = true;
        dims[d] = src->dims[from];
    }
    return infer_set(op, 0, src->ndims, dims);
}

dnnl_status_t infer_softmax(op_t *op) {
    lt_t stats = op->in.list[0];
    const int axis = normal_axis(op_s64(op, ATTR(axis), 1), stats.ndims);
    if (axis < 0) REFUSE_SHAPE("%s: the axis is not one of the source", op->name);
    TRY(infer_set(op, 0, stats.ndims, stats.dims));
    stats.dims[axis] = 1;
    return op->out.count > 1 ? infer_set(op, 1, stats.ndims, stats.dims) : dnnl_success;
}

dnnl_status_t infer_bias_gradient(op_t *op) {
    const lt_t *src = &op->in.list[0];
    if (src->ndims < 2) REFUSE_SHAPE("%s: the source has no channels", op->name);
    return infer_set(op, 0, 1, &src->dims[channel_axis(op, src->ndims)]);
}
