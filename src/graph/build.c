/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes, layouts and places of the values of a partition. */
#include "graph/build.h"

#include "core/alloc.h"
#include "core/check.h"
#include "graph/constants.h"
#include "graph/dump.h"
#include "graph/inplace.h"
#include "graph/schema.h"
#include "graph/shape.h"

static const lt_t *find_given(const ports_t *given, size_t id, size_t *at) {
    for (size_t i = 0; i < given->count; i++) {
        if (given->list[i].id != id) continue;
        *at = i;
        return &given->list[i];
    }
    return NULL;
}

/* Replaces the port's logical tensor by that of the same number among the arguments. */
static dnnl_status_t match(lt_t *port, const ports_t *given, place_kind_t kind, place_t *place) {
    size_t at = 0;
    const lt_t *lt = find_given(given, port->id, &at);
    CHECK_ARG(lt, "graph", "logical tensor %zu is missing", port->id);
    CHECK_ARG(lt->data_type == port->data_type, "graph",
            "logical tensor %zu has another type than in the graph", port->id);
    *port = *lt;
    *place = (place_t){kind, at};
    return dnnl_success;
}

static dnnl_status_t check_input(const lt_t *lt) {
    CHECK_ARG(lt_has_dims(lt), "graph", "the dimensions of input %zu are not known", lt->id);
    CHECK_ARG(lt->data_type != dnnl_data_type_undef, "graph", "the type of input %zu is not known",
            lt->id);
    CHECK_ARG(lt->layout_type == dnnl_graph_layout_type_any ||
                      lt->layout_type == dnnl_graph_layout_type_strided,
            "graph", "the layout of input %zu is not known", lt->id);
    return dnnl_success;
}

/* The library's layouts are dense and row-major. */
static void choose_layout(lt_t *lt) {
    bool known = lt->layout_type == dnnl_graph_layout_type_strided;
    for (int d = 0; known && d < lt->ndims; d++) known = lt->layout.strides[d] >= 0;
    if (!known) lt_set_dense(lt);
}

/* An output of these kinds cannot always be inferred from inputs and attributes. */
static bool needs_dims(const op_t *op) {
    switch (op->kind) {
    case dnnl_graph_op_avg_pool_backward:
    case dnnl_graph_op_convolution_backward_data:
    case dnnl_graph_op_convolution_backward_weights:
    case dnnl_graph_op_conv_transpose_backward_weights: return true;
    default: return false;
    }
}

static bool is_output(const dnnl_graph_partition_t partition, size_t id) {
    size_t at;
    return find_given(&partition->out, id, &at) != NULL;
}

/* An inner value has the dims that are inferred: those of the graph may be of another
 * compilation. */
static dnnl_status_t resolve_output(
        build_t *b, dnnl_graph_compiled_partition_t cp, size_t i, size_t p) {
    op_t *op = b->ops[i];
    const size_t value = edges_out(&b->edges, i, p);
    b->inner[value] = !is_output(cp->partition, op->out.list[p].id);
    if (!b->inner[value]) return match(&op->out.list[p], &cp->out, AT_OUTPUT, &b->places[value]);
    lt_t *lt = &op->out.list[p];
    lt->layout_type = dnnl_graph_layout_type_any;
    if (!needs_dims(op)) lt->ndims = DNNL_GRAPH_UNKNOWN_NDIMS;
    return dnnl_success;
}

static dnnl_status_t resolve_input(
        build_t *b, dnnl_graph_compiled_partition_t cp, size_t i, size_t p) {
    lt_t *lt = &b->ops[i]->in.list[p];
    const size_t value = edges_in(&b->edges, i, p);
    const port_t from = b->edges.values[value].producer;
    if (from.op != NOTHING) {
        *lt = b->ops[from.op]->out.list[from.port];
        return dnnl_success;
    }
    TRY(match(lt, &cp->in, AT_INPUT, &b->places[value]));
    TRY(check_input(lt));
    choose_layout(lt);
    cp->in.list[b->places[value].at] = *lt;
    return dnnl_success;
}

static dnnl_status_t resolve(build_t *b, dnnl_graph_compiled_partition_t cp) {
    for (size_t i = 0; i < b->nops; i++) {
        op_t *op = b->ops[i];
        for (size_t p = 0; p < op->in.count; p++) TRY(resolve_input(b, cp, i, p));
        for (size_t p = 0; p < op->out.count; p++) TRY(resolve_output(b, cp, i, p));
        TRY(op->schema->infer(op));
        for (size_t p = 0; p < op->out.count; p++) {
            lt_t *lt = &op->out.list[p];
            const size_t value = edges_out(&b->edges, i, p);
            CHECK_ARG(lt->layout_type != dnnl_graph_layout_type_opaque, "graph",
                    "the layout of output %zu is not known", lt->id);
            choose_layout(lt);
            if (!b->inner[value]) cp->out.list[b->places[value].at] = *lt;
        }
    }
    return dnnl_success;
}

/* Inner values get parts of the scratchpad, of which program_finish() drops those without use. */
static dnnl_status_t place_inner(build_t *b) {
    for (size_t v = 0; v < b->edges.nvalues; v++) {
        if (!b->inner[v]) continue;
        const port_t from = b->edges.values[v].producer;
        TRY(program_scratch(
                b->program, lt_bytes(&b->ops[from.op]->out.list[from.port]), &b->places[v]));
    }
    return dnnl_success;
}

static dnnl_status_t copy_ops(build_t *b, const dnnl_graph_partition_t partition) {
    b->ops = dz_calloc(partition->nops + 1, sizeof *b->ops);
    if (!b->ops) return dnnl_out_of_memory;
    for (size_t i = 0; i < partition->nops; i++) {
        TRY(op_clone(&b->ops[i], partition->ops[i]));
        b->nops++;
    }
    return dnnl_success;
}

static dnnl_status_t make_room(build_t *b) {
    size_t ports = 1;
    for (size_t i = 0; i < b->nops; i++) ports += b->ops[i]->in.count + b->ops[i]->out.count;
    b->places = dz_calloc(b->edges.nvalues + 1, sizeof *b->places);
    b->inner = dz_calloc(b->edges.nvalues + 1, sizeof *b->inner);
    b->nodes = dz_calloc(b->nops + 1, sizeof *b->nodes);
    b->rooms = dz_calloc(ports, sizeof *b->rooms);
    return b->places && b->inner && b->nodes && b->rooms ? dnnl_success : dnnl_out_of_memory;
}

static dnnl_status_t build(build_t *b, dnnl_graph_compiled_partition_t cp) {
    TRY(copy_ops(b, cp->partition));
    TRY(edges_make(&b->edges, b->ops, b->nops));
    TRY(make_room(b));
    TRY(resolve(b, cp));
    if (dump_wants(dnnl_graph_dump_mode_subgraph))
        dump_compilation(cp->partition, (const op_t *const *)b->ops, b->nops);
    TRY(place_inner(b));
    TRY(build_steps(b));
    if (constants_wanted(b->mode->engine_kind)) TRY(constants_mark(b->program, &cp->in));
    TRY(inplace_find(b->program, &cp->in, &cp->out));
    return program_finish(b->program);
}

dnnl_status_t build_program(program_t *program, dnnl_graph_compiled_partition_t cp) {
    build_t b = {.program = program, .mode = &cp->partition->mode};
    const dnnl_status_t status = build(&b, cp);
    for (size_t i = 0; i < b.nops; i++) op_free(b.ops[i]);
    edges_end(&b.edges);
    dz_free(b.ops);
    dz_free(b.places);
    dz_free(b.nodes);
    dz_free(b.rooms);
    dz_free(b.inner);
    return status;
}
