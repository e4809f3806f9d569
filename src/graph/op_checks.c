/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/op_checks.h"

#include "core/status.h"
#include "core/util.h"

#define ATTR(name) dnnl_graph_op_attr_##name

static dnnl_data_type_t in_type(const op_t *op, size_t i) {
    return op->in.list[i].data_type;
}

static dnnl_data_type_t out_type(const op_t *op, size_t i) {
    return op->out.list[i].data_type;
}

static size_t length(const op_t *op, dnnl_graph_op_attr_t name) {
    const attribute_t *a = op_attribute(op, name);
    return a ? a->count : 0;
}

static bool all_at_least(const op_t *op, dnnl_graph_op_attr_t name, int64_t least) {
    for (size_t i = 0; i < length(op, name); i++)
        if (op_item(op, name, i, least) < least) return false;
    return true;
}

const char *check_pads(const op_t *op) {
    const size_t spatial = length(op, ATTR(strides));
    if (!all_at_least(op, ATTR(pads_begin), 0) || !all_at_least(op, ATTR(pads_end), 0))
        return "a padding is negative";
    if (!all_at_least(op, ATTR(strides), 1)) return "a stride is not positive";
    if (length(op, ATTR(pads_begin)) != spatial || length(op, ATTR(pads_end)) != spatial)
        return "there are not as many paddings as strides";
    if (op_attribute(op, ATTR(kernel)) && length(op, ATTR(kernel)) != spatial)
        return "the kernel has not as many dimensions as there are strides";
    if (!all_at_least(op, ATTR(kernel), 1) || !all_at_least(op, ATTR(dilations), 1))
        return "a size of the kernel or a dilation is not positive";
    if (op_s64(op, ATTR(groups), 1) < 1) return "the number of groups is not positive";
    return NULL;
}

const char *check_max_pool(const op_t *op) {
    const size_t dilations = length(op, ATTR(dilations));
    if (dilations && dilations != length(op, ATTR(kernel)))
        return "there are not as many dilations as dimensions of the kernel";
    return check_pads(op);
}

/* The other tensors of a normalization are bf16 only if the source is. */
const char *check_norm_types(const op_t *op) {
    for (size_t i = 1; i < op->in.count; i++)
        if (in_type(op, i) != dnnl_f32 && in_type(op, i) != in_type(op, 0))
            return "parameters are of a narrower type than f32, which is not the source's";
    for (size_t i = 1; i < op->out.count; i++)
        if (out_type(op, i) != dnnl_f32 && out_type(op, i) != in_type(op, 0))
            return "statistics are of a narrower type than f32, which is not the source's";
    return NULL;
}

const char *check_norm_forward(const op_t *op) {
    if (op_flag(op, ATTR(keep_stats)) != (op->out.count == 3))
        return "it has three outputs if statistics are kept, else one";
    return check_norm_types(op);
}

const char *check_norm_backward(const op_t *op) {
    if (op_flag(op, ATTR(use_affine)) != (op->out.count == 3))
        return "it has three outputs if it uses scale and shift, else one";
    return check_norm_types(op);
}

const char *check_interpolate(const op_t *op) {
    const bool sizes = length(op, ATTR(sizes)) > 0, scales = length(op, ATTR(scales)) > 0;
    return sizes == scales ? "exactly one of sizes and scales has to be given" : NULL;
}

const char *check_reduce(const op_t *op) {
    if (op->in.count == 2) return "axes are an attribute, not an input";
    return length(op, ATTR(axes)) ? NULL : "there are no axes";
}

const char *check_matmul(const op_t *op) {
    const dnnl_data_type_t dst = out_type(op, 0);
    return dst == dnnl_f32 || dst == in_type(op, 0)
                   ? NULL
                   : "the destination is neither f32 nor of the source's type";
}

const char *check_softmax(const op_t *op) {
    const dnnl_data_type_t src = in_type(op, 0), dst = out_type(op, 0);
    return src == dst || src == dnnl_f32 || dst == dnnl_f32
                   ? NULL
                   : "source and destination differ in their types, and neither is f32";
}

const char *check_softmax_backward(const op_t *op) {
    return check_matmul(op);
}

const char *check_type_cast(const op_t *op) {
    const dnnl_data_type_t src = in_type(op, 0), dst = out_type(op, 0);
    if (src == dst) return "source and destination have the same type";
    return src == dnnl_f32 || dst == dnnl_f32 ? NULL : "it does not convert between bf16 and f16";
}

static const char *check_qtype(const op_t *op, bool groups) {
    if (op_text_is(op, ATTR(qtype), "per_tensor") || op_text_is(op, ATTR(qtype), "per_channel"))
        return NULL;
    return groups && op_text_is(op, ATTR(qtype), "per_group") ? NULL
                                                              : "the attribute qtype is unknown";
}

const char *check_quantize(const op_t *op) {
    const size_t scales = length(op, ATTR(scales)), zps = length(op, ATTR(zps));
    const dnnl_data_type_t dt =
            op->kind == dnnl_graph_op_quantize ? out_type(op, 0) : in_type(op, 0);
    REFUSE_IF(check_qtype(op, false));
    if (!scales) return "there are no scales";
    if (op_text_is(op, ATTR(qtype), "per_tensor") && scales != 1)
        return "there are several scales for one tensor";
    if (zps && zps != scales) return "there are not as many zero points as scales";
    if (zps && (dt == dnnl_f8_e5m2 || dt == dnnl_f8_e4m3)) return "f8 has no zero points";
    return NULL;
}

static bool same_shape(const lt_t *a, const lt_t *b) {
    if (a->ndims != b->ndims) return false;
    for (int d = 0; d < a->ndims; d++)
        if (a->dims[d] != b->dims[d]) return false;
    return true;
}

static const char *check_groups(const op_t *op) {
    const lt_t *src = &op->in.list[0], *scales = &op->in.list[1];
    if (!lt_has_dims(src)) return NULL;
    if ((int)length(op, ATTR(group_shape)) != src->ndims)
        return "group_shape has not as many entries as the source has dimensions";
    if (!all_at_least(op, ATTR(group_shape), 1)) return "an entry of group_shape is not positive";
    if (!lt_has_dims(scales)) return NULL;
    if (scales->ndims != src->ndims) return "scales of groups have the source's dimensions";
    for (int d = 0; d < src->ndims; d++)
        if (scales->dims[d] * op_item(op, ATTR(group_shape), (size_t)d, 1) != src->dims[d])
            return "dimensions of the source are not those of the scales times the groups";
    return NULL;
}

const char *check_dynamic(const op_t *op) {
    const lt_t *scales = &op->in.list[1], *zps = op->in.count > 2 ? &op->in.list[2] : NULL;
    const bool known = lt_has_dims(scales);
    REFUSE_IF(check_qtype(op, op->kind == dnnl_graph_op_dynamic_dequantize));
    if (op_text_is(op, ATTR(qtype), "per_group")) {
        if (zps && known && lt_has_dims(zps) && !same_shape(scales, zps))
            return "scales and zero points of groups differ in their dimensions";
        return check_groups(op);
    }
    if (known && op_text_is(op, ATTR(qtype), "per_tensor") && lt_count(scales) != 1)
        return "there are several scales for one tensor";
    if (zps && known && lt_has_dims(zps) && lt_count(zps) != 1 && lt_count(zps) != lt_count(scales))
        return "there are not as many zero points as scales";
    return NULL;
}
