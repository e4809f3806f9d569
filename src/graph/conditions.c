/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/conditions.h"

#include <string.h>

#include "graph/shape.h"

static dnnl_data_type_t in_type(const op_t *op) {
    return op->in.list[0].data_type;
}

static dnnl_data_type_t out_type(const op_t *op) {
    return op->out.list[0].data_type;
}

static bool is_int8(dnnl_data_type_t dt) {
    return dt == dnnl_u8 || dt == dnnl_s8;
}

/* The input is of 8-bit integers. */
static bool int8in(const op_t *op, const op_t *producer) {
    (void)producer;
    return is_int8(in_type(op));
}

static bool int8out(const op_t *op, const op_t *producer) {
    (void)producer;
    return is_int8(out_type(op));
}

static bool s8in(const op_t *op, const op_t *producer) {
    (void)producer;
    return in_type(op) == dnnl_s8;
}

static bool not_u8in(const op_t *op, const op_t *producer) {
    (void)producer;
    return in_type(op) != dnnl_u8;
}

static bool f8in(const op_t *op, const op_t *producer) {
    (void)producer;
    return in_type(op) == dnnl_f8_e5m2 || in_type(op) == dnnl_f8_e4m3;
}

static bool bf16in(const op_t *op, const op_t *producer) {
    (void)producer;
    return in_type(op) == dnnl_bf16;
}

static bool bf16out(const op_t *op, const op_t *producer) {
    (void)producer;
    return out_type(op) == dnnl_bf16;
}

static bool f32in(const op_t *op, const op_t *producer) {
    (void)producer;
    for (size_t i = 0; i < op->in.count; i++)
        if (op->in.list[i].data_type != dnnl_f32) return false;
    return true;
}

static bool f32out(const op_t *op, const op_t *producer) {
    (void)producer;
    return out_type(op) == dnnl_f32;
}

/* The inputs do not broadcast. */
static bool same(const op_t *op, const op_t *producer) {
    (void)producer;
    return op_text_is(op, ATTR(auto_broadcast), "none");
}

static bool two_inputs(const op_t *op, const op_t *producer) {
    (void)producer;
    return op->in.count == 2;
}

static bool three_inputs(const op_t *op, const op_t *producer) {
    (void)producer;
    return op->in.count == 3;
}

static bool one_group(const op_t *op, const op_t *producer) {
    (void)producer;
    return op_s64(op, ATTR(groups), 1) <= 1;
}

static bool grouped(const op_t *op, const op_t *producer) {
    return !one_group(op, producer);
}

/* The operation before has no bias yet. */
static bool nobias(const op_t *op, const op_t *producer) {
    (void)op;
    return producer && producer->in.count == 2;
}

static bool per_tensor(const op_t *op, const op_t *producer) {
    (void)producer;
    return op_text_is(op, ATTR(qtype), "per_tensor");
}

static bool zp0(const op_t *op, const op_t *producer) {
    const attribute_t *zps = op_attribute(op, ATTR(zps));
    (void)producer;
    for (size_t i = 0; zps && i < zps->count; i++)
        if (zps->value.s64[i]) return false;
    return true;
}

static bool scale1(const op_t *op, const op_t *producer) {
    const attribute_t *scales = op_attribute(op, ATTR(scales));
    (void)producer;
    for (size_t i = 0; scales && i < scales->count; i++)
        if (scales->value.f32[i] != 1) return false;
    return true;
}

/* Groups of the last dimension only. */
static bool last_groups(const op_t *op, const op_t *producer) {
    const attribute_t *groups = op_attribute(op, ATTR(group_shape));
    (void)producer;
    for (size_t i = 0; groups && i + 1 < groups->count; i++)
        if (groups->value.s64[i] != 1) return false;
    return groups && op_text_is(op, ATTR(qtype), "per_group");
}

static bool half_pixel(const op_t *op, const op_t *producer) {
    (void)producer;
    return op_text_is(op, ATTR(coordinate_transformation_mode), "half_pixel");
}

static bool has_axes(const op_t *op, const op_t *producer) {
    const attribute_t *axes = op_attribute(op, ATTR(axes));
    (void)producer;
    return axes && axes->count;
}

/* A transposition that exchanges groups of channels with the channels of a group. */
static bool exchanges(const op_t *op, const op_t *producer) {
    const attribute_t *order = op_attribute(op, ATTR(order));
    (void)producer;
    int moved = 0;
    for (size_t i = 0; i < order->count; i++) moved += order->value.s64[i] != (int64_t)i;
    return moved == 2;
}

static const struct {
    const char *name;
    condition_t function;
} conditions[] = {{"int8in", int8in}, {"int8out", int8out}, {"s8in", s8in}, {"not_u8in", not_u8in},
        {"f8in", f8in}, {"bf16in", bf16in}, {"bf16out", bf16out}, {"f32in", f32in},
        {"f32out", f32out}, {"same", same}, {"nobias", nobias}, {"per_tensor", per_tensor},
        {"zp0", zp0}, {"scale1", scale1}, {"last_groups", last_groups}, {"half_pixel", half_pixel},
        {"has_axes", has_axes}, {"exchanges", exchanges}, {"two_inputs", two_inputs},
        {"three_inputs", three_inputs}, {"one_group", one_group}, {"grouped", grouped}};

condition_t condition_find(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (strlen(conditions[i].name) == length && !memcmp(conditions[i].name, name, length))
            return conditions[i].function;
    return NULL;
}
