/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/graph/replay/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/graph/replay/values.h"

typedef struct {
    const char *file;
    document_t document;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    values_t inputs;
    verdict_t verdict;
} session_t;

/* The tensors of one way to execute the graph, without its inputs. */
typedef struct {
    session_t *session;
    values_t values;
} way_t;

#define END(session, answer, ...)                                                                  \
    do {                                                                                           \
        printf("%s: ", (session)->file);                                                           \
        printf(__VA_ARGS__);                                                                       \
        putchar('\n');                                                                             \
        (session)->verdict = answer;                                                               \
        return false;                                                                              \
    } while (0)

static const value_t *find(const way_t *way, size_t id) {
    const value_t *value = values_find(&way->values, id);
    return value ? value : values_find(&way->session->inputs, id);
}

typedef struct {
    dnnl_graph_partition_t partition;
    dnnl_graph_compiled_partition_t compiled;
    size_t nin, nout;
    lt_t *in, *out;
    const lt_t **ins, **outs;
    const_dnnl_graph_tensor_t *inputs, *outputs;
} piece_t;

static void piece_free(piece_t *piece) {
    dnnl_graph_compiled_partition_destroy(piece->compiled);
    free(piece->in);
    free(piece->out);
    free(piece->ins);
    free(piece->outs);
    free(piece->inputs);
    free(piece->outputs);
}

static bool piece_ports(piece_t *piece) {
    if (dnnl_graph_partition_get_input_ports_num(piece->partition, &piece->nin) ||
            dnnl_graph_partition_get_output_ports_num(piece->partition, &piece->nout))
        return false;
    piece->in = calloc(piece->nin + 1, sizeof *piece->in);
    piece->out = calloc(piece->nout + 1, sizeof *piece->out);
    piece->ins = calloc(piece->nin + 1, sizeof *piece->ins);
    piece->outs = calloc(piece->nout + 1, sizeof *piece->outs);
    piece->inputs = calloc(piece->nin + 1, sizeof *piece->inputs);
    piece->outputs = calloc(piece->nout + 1, sizeof *piece->outputs);
    if (!piece->in || !piece->out || !piece->ins || !piece->outs || !piece->inputs ||
            !piece->outputs)
        return false;
    for (size_t i = 0; i < piece->nin; i++) piece->ins[i] = &piece->in[i];
    for (size_t i = 0; i < piece->nout; i++) piece->outs[i] = &piece->out[i];
    return !dnnl_graph_partition_get_input_ports(piece->partition, piece->nin, piece->in) &&
           !dnnl_graph_partition_get_output_ports(piece->partition, piece->nout, piece->out);
}

/* With the shapes of the file, and if these contradict the operation, with those that the library
 * infers. */
static dnnl_status_t piece_compile(piece_t *piece, dnnl_engine_t engine) {
    for (size_t i = 0; i < piece->nout; i++)
        if (piece->out[i].layout_type != dnnl_graph_layout_type_strided)
            piece->out[i].layout_type = dnnl_graph_layout_type_any;
    dnnl_status_t status = dnnl_graph_partition_compile(piece->partition, piece->compiled,
            piece->nin, piece->ins, piece->nout, piece->outs, engine);
    if (status != dnnl_invalid_shape) return status;
    for (size_t i = 0; i < piece->nout; i++)
        dnnl_graph_logical_tensor_init(&piece->out[i], piece->out[i].id, piece->out[i].data_type,
                DNNL_GRAPH_UNKNOWN_NDIMS, dnnl_graph_layout_type_any, piece->out[i].property);
    return dnnl_graph_partition_compile(piece->partition, piece->compiled, piece->nin, piece->ins,
            piece->nout, piece->outs, engine);
}

static bool piece_execute(piece_t *piece, way_t *way) {
    session_t *s = way->session;
    dnnl_status_t status = dnnl_success;
    for (size_t i = 0; i < piece->nout && status == dnnl_success; i++) {
        status = dnnl_graph_compiled_partition_query_logical_tensor(
                piece->compiled, piece->out[i].id, &piece->out[i]);
        if (status == dnnl_success) status = values_add(&way->values, &piece->out[i], s->engine);
    }
    for (size_t i = 0; i < piece->nin; i++) piece->inputs[i] = find(way, piece->in[i].id)->tensor;
    for (size_t i = 0; i < piece->nout && status == dnnl_success; i++)
        piece->outputs[i] = find(way, piece->out[i].id)->tensor;
    if (status == dnnl_success)
        status = dnnl_graph_compiled_partition_execute(
                piece->compiled, s->stream, piece->nin, piece->inputs, piece->nout, piece->outputs);
    if (status == dnnl_success) status = dnnl_stream_wait(s->stream);
    if (status != dnnl_success) END(s, FAILED, "execution answers %d", (int)status);
    return true;
}

static bool run_piece(piece_t *piece, way_t *way, const char *name) {
    session_t *s = way->session;
    uint8_t supported;
    if (!piece_ports(piece)) END(s, FAILED, "no ports of %s", name);
    if (!piece->nout) return true; /* End marks an output and computes nothing */
    if (dnnl_graph_partition_is_supported(piece->partition, &supported) || !supported)
        END(s, REFUSED, "the partition of %s is not supported", name);
    for (size_t i = 0; i < piece->nin; i++) {
        const value_t *value = find(way, piece->in[i].id);
        if (!value) END(s, FAILED, "%s needs tensor %zu too early", name, piece->in[i].id);
        piece->in[i] = value->lt;
    }
    if (dnnl_graph_compiled_partition_create(&piece->compiled, piece->partition))
        END(s, FAILED, "no compiled partition of %s", name);
    const dnnl_status_t status = piece_compile(piece, s->engine);
    if (status == dnnl_unimplemented) END(s, REFUSED, "%s is unimplemented", name);
    if (status != dnnl_success) END(s, FAILED, "compilation of %s answers %d", name, (int)status);
    return piece_execute(piece, way);
}

static const char *name_of(const session_t *s, size_t id) {
    for (int i = 0; i < s->document.nnodes; i++) {
        size_t is;
        dnnl_graph_op_get_id(s->document.nodes[i].op, &is);
        if (is == id) return s->document.nodes[i].name;
    }
    return "?";
}

static bool run_partition(dnnl_graph_partition_t partition, way_t *way) {
    size_t count = 0, *ids;
    piece_t piece = {.partition = partition};
    const char *name = "?";
    dnnl_graph_partition_get_op_num(partition, &count);
    ids = calloc(count + 1, sizeof *ids);
    if (ids && dnnl_graph_partition_get_ops(partition, count, ids) == dnnl_success)
        name = name_of(way->session, ids[0]);
    free(ids);
    const bool fine = run_piece(&piece, way, name);
    piece_free(&piece);
    return fine;
}

static dnnl_status_t make_partitions(
        const document_t *document, size_t *count, dnnl_graph_partition_t **partitions) {
    dnnl_graph_graph_t graph;
    dnnl_status_t status =
            dnnl_graph_graph_create_with_fpmath_mode(&graph, dnnl_gpu, document->fpmath);
    if (status != dnnl_success) return status;
    status = dnnl_graph_graph_set_fpmath_mode(graph, document->fpmath, document->fpmath_of_int);
    for (int i = 0; i < document->nnodes && status == dnnl_success; i++)
        status = dnnl_graph_add_op(graph, document->nodes[i].op);
    if (status == dnnl_success) status = dnnl_graph_graph_finalize(graph);
    if (status == dnnl_success)
        status = dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion);
    if (status == dnnl_success) status = dnnl_graph_graph_get_partition_num(graph, count);
    *partitions = calloc(*count + 1, sizeof **partitions);
    if (status == dnnl_success && *partitions && *count)
        status = dnnl_graph_graph_get_partitions(graph, *count, *partitions);
    dnnl_graph_graph_destroy(graph);
    return *partitions ? status : dnnl_out_of_memory;
}

static bool run_partitions(way_t *way, size_t *count) {
    session_t *s = way->session;
    dnnl_graph_partition_t *partitions = NULL;
    *count = 0;
    const dnnl_status_t status = make_partitions(&s->document, count, &partitions);
    bool fine = status == dnnl_success;
    for (size_t i = 0; i < *count && fine; i++) fine = run_partition(partitions[i], way);
    for (size_t i = 0; partitions && i < *count; i++) dnnl_graph_partition_destroy(partitions[i]);
    free(partitions);
    if (status != dnnl_success) END(s, FAILED, "the graph answers %d", (int)status);
    return fine;
}

static bool is_ready(const way_t *way, const node_t *node) {
    for (int i = 0; i < node->nin; i++)
        if (!find(way, node->in[i].id)) return false;
    return true;
}

static bool run_node(way_t *way, const node_t *node) {
    dnnl_graph_partition_t partition;
    if (dnnl_graph_partition_create_with_op(&partition, node->op, dnnl_gpu) != dnnl_success)
        END(way->session, FAILED, "no partition of %s alone", node->name);
    const bool fine = run_partition(partition, way);
    dnnl_graph_partition_destroy(partition);
    return fine;
}

static bool run_nodes(way_t *way) {
    const document_t *document = &way->session->document;
    bool *done = calloc((size_t)document->nnodes + 1, sizeof *done), fine = done != NULL;
    int left = document->nnodes;
    for (int before = left + 1; fine && left && left < before;) {
        before = left;
        for (int i = 0; i < document->nnodes && fine; i++) {
            if (done[i] || !is_ready(way, &document->nodes[i])) continue;
            fine = run_node(way, &document->nodes[i]);
            done[i] = true;
            left--;
        }
    }
    free(done);
    if (fine && left) END(way->session, FAILED, "%d operations cannot be executed", left);
    return fine;
}

static bool add_inputs(session_t *s) {
    for (int i = 0; i < s->document.nnodes; i++)
        for (int p = 0; p < s->document.nodes[i].nin; p++) {
            lt_t lt = s->document.nodes[i].in[p];
            if (document_producer(&s->document, lt.id) || values_find(&s->inputs, lt.id)) continue;
            if (lt.layout_type != dnnl_graph_layout_type_strided && lt_has_dims(&lt))
                lt_set_dense(&lt);
            if (!lt_has_dims(&lt)) END(s, FAILED, "input %zu has no dimensions", lt.id);
            if (values_add_random(&s->inputs, &lt, s->engine, &s->document) != dnnl_success)
                END(s, FAILED, "no memory for input %zu", lt.id);
        }
    return true;
}

/* The error that roundings of the graph's coarsest type may cause. */
static double tolerance(const document_t *document) {
    static const struct {
        dnnl_data_type_t dt;
        double most;
    } types[] = {{dnnl_f8_e5m2, 0.2}, {dnnl_f8_e4m3, 0.1}, {dnnl_s4, 0.05}, {dnnl_u4, 0.05},
            {dnnl_s8, 0.03}, {dnnl_u8, 0.03}, {dnnl_bf16, 0.02}, {dnnl_f16, 4e-3}};
    double most = 1e-4;
    for (int i = 0; i < document->nnodes; i++) {
        const node_t *node = &document->nodes[i];
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
            for (int p = 0; p < node->nin + node->nout; p++) {
                const lt_t *lt = p < node->nin ? &node->in[p] : &node->out[p - node->nin];
                if (lt->data_type == types[t].dt) most = fmax(most, types[t].most);
            }
    }
    return most;
}

static bool compare(const way_t *is, const way_t *should, size_t partitions) {
    session_t *s = is->session;
    const double most = tolerance(&s->document);
    double worst = 0, strange = 0;
    for (int i = 0; i < is->values.count; i++) {
        const value_t *value = &is->values.list[i];
        const value_t *other = values_find(&should->values, value->lt.id);
        if (!other) END(s, FAILED, "there is no tensor %zu to compare with", value->lt.id);
        const comparison_t c = values_compare(value, other);
        if (!c.equal_dims) END(s, FAILED, "tensor %zu has other dimensions", value->lt.id);
        if (!(c.error <= most))
            END(s, FAILED, "tensor %zu differs by %g, the limit is %g", value->lt.id, c.error,
                    most);
        worst = fmax(worst, c.error);
        strange = fmax(strange, c.strange);
    }
    printf("%s: %d operations in %zu partitions, error %.2g, limit %g", s->file, s->document.nnodes,
            partitions, worst, most);
    if (strange > 0) printf(", up to %.0f%% of a tensor is not finite", 100 * strange);
    putchar('\n');
    return true;
}

verdict_t replay_file(const char *file) {
    session_t s = {.file = file, .verdict = PASSED};
    way_t fused = {.session = &s}, single = {.session = &s};
    size_t partitions;
    if (!document_load(&s.document, file)) s.verdict = FAILED;
    else if (dnnl_set_default_fpmath_mode(s.document.fpmath) ||
             dnnl_engine_create(&s.engine, dnnl_gpu, 0) ||
             dnnl_stream_create(&s.stream, s.engine, dnnl_stream_default_flags))
        s.verdict = FAILED;
    else if (add_inputs(&s) && run_partitions(&fused, &partitions) && run_nodes(&single))
        compare(&fused, &single, partitions);
    values_free(&fused.values);
    values_free(&single.values);
    values_free(&s.inputs);
    dnnl_stream_destroy(s.stream);
    dnnl_engine_destroy(s.engine);
    document_free(&s.document);
    return s.verdict;
}
