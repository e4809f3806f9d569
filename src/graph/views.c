/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that move no elements: their inputs and outputs are two views of the same memory. */
#include "graph/build.h"
#include "graph/shape.h"

#define KIND(name) dnnl_graph_op_##name

void build_bind(build_t *b) {
    for (size_t i = 0; i < b->nops; i++) {
        const op_t *op = b->ops[i];
        place_t *room = &b->rooms[b->edges.first[i]];
        for (size_t p = 0; p < op->in.count; p++) room[p] = b->places[edges_in(&b->edges, i, p)];
        for (size_t p = 0; p < op->out.count; p++)
            room[op->in.count + p] = b->places[edges_out(&b->edges, i, p)];
        b->nodes[i] = (node_t){op, room, room + op->in.count};
    }
}

static bool is_view(const op_t *op) {
    switch (op->kind) {
    case KIND(static_reshape):
    case KIND(static_transpose):
    case KIND(reorder): return true;
    default: return false;
    }
}

/* Dimension d of the output is number axis_of(op, d) of the input. */
static int axis_of(const op_t *op, int d) {
    const attribute_t *order = op_attribute(op, ATTR(order));
    const int ndims = op->in.list[0].ndims;
    if (op->kind != KIND(static_transpose)) return d;
    return order->count ? normal_axis(order->value.s64[d], ndims) : ndims - 1 - d;
}

/* Gives a value the strides of its producer's output, and its place, everywhere. */
static void set_value(build_t *b, size_t value, const lt_t *lt, place_t place) {
    const value_t *v = &b->edges.values[value];
    b->places[value] = place;
    if (v->producer.op != NOTHING)
        b->ops[v->producer.op]->out.list[v->producer.port].layout = lt->layout;
    for (size_t u = 0; u < v->nuses; u++)
        b->ops[v->uses[u].op]->in.list[v->uses[u].port].layout = lt->layout;
}

/* The input is an output of the partition, if only this operation consumes it. */
static bool put_input_into_output(build_t *b, size_t i) {
    const op_t *op = b->ops[i];
    const size_t in = edges_in(&b->edges, i, 0), out = edges_out(&b->edges, i, 0);
    lt_t lt = op->in.list[0];
    const lt_t *to = &op->out.list[0];
    if (!b->inner[in] || b->edges.values[in].nuses != 1) return false;
    if (b->places[out].kind != AT_OUTPUT) return false;
    if (op->kind == KIND(static_reshape)) {
        if (!lt_is_dense(to)) return false;
        lt_set_dense(&lt);
    } else
        for (int d = 0; d < lt.ndims; d++)
            lt.layout.strides[axis_of(op, d)] = to->layout.strides[d];
    set_value(b, in, &lt, b->places[out]);
    return true;
}

/* The output is the input, if only the partition sees it, and if it is not in an output already. */
static bool put_output_into_input(build_t *b, size_t i) {
    const op_t *op = b->ops[i];
    const size_t in = edges_in(&b->edges, i, 0), out = edges_out(&b->edges, i, 0);
    lt_t lt = op->out.list[0];
    const lt_t *from = &op->in.list[0];
    if (!b->inner[out] || b->places[out].kind != AT_SCRATCH) return false;
    if (from->property == dnnl_graph_tensor_property_host_scalar) return false;
    if (op->kind == KIND(static_reshape)) {
        if (!lt_is_dense(from)) return false;
        lt_set_dense(&lt);
    } else
        for (int d = 0; d < lt.ndims; d++)
            lt.layout.strides[d] = from->layout.strides[axis_of(op, d)];
    set_value(b, out, &lt, b->places[in]);
    return true;
}

void build_views(build_t *b, bool *done) {
    for (size_t i = b->nops; i-- > 0;)
        if (is_view(b->ops[i])) done[i] = put_input_into_output(b, i);
    for (size_t i = 0; i < b->nops; i++)
        if (is_view(b->ops[i]) && !done[i]) done[i] = put_output_into_input(b, i);
    build_bind(b);
}
