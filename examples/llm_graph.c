/* SPDX-License-Identifier: Apache-2.0 */
/* A decoder layer by the Graph API. It is two graphs: the first one writes keys and values into
 * the cache, the second one reads the cache. No operation of a graph appends to a tensor. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dnnl_graph.h"
#include "llm.h"

#define KIND(name) dnnl_graph_op_##name
#define ATTR(name) dnnl_graph_op_attr_##name
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MAX_TENSORS = 64, MAX_PARTS = 24, MAX_PORTS = 16 };
static const size_t none = SIZE_MAX;

typedef struct {
    dnnl_graph_partition_t partition;
    dnnl_graph_compiled_partition_t compiled;
    size_t nin, nout;
    const_dnnl_graph_tensor_t in[MAX_PORTS], out[MAX_PORTS];
    int constant; /* it depends on weights alone: executed once */
} part_t;

typedef struct {
    llm_t *llm;
    dnnl_graph_graph_t graph;
    size_t ntensors, nops, nparts;
    dnnl_graph_logical_tensor_t lts[MAX_TENSORS]; /* by number, as are: */
    void *handles[MAX_TENSORS];                   /* memory of the application; NULL: none */
    float scalars[MAX_TENSORS];
    dnnl_graph_tensor_t tensors[MAX_TENSORS];
    part_t parts[MAX_PARTS];
    dnnl_graph_tensor_t scratchpad; /* NULL: none is needed */
    double compile_ms;
} graph_t;

struct llm_graph {
    graph_t before, after; /* the cache has the new keys and values */
};

/* ---- tensors and operations ---- */

static size_t new_number(graph_t *g) {
    if (g->ntensors < MAX_TENSORS) return g->ntensors++;
    fprintf(stderr, "the graph has too many tensors\n");
    exit(1);
}

/* A tensor inside the graph: the library infers its dimensions and chooses its layout. */
static size_t inner(graph_t *g, dnnl_data_type_t type) {
    const size_t id = new_number(g);
    CHECK_DNNL(dnnl_graph_logical_tensor_init(&g->lts[id], id, type, DNNL_GRAPH_UNKNOWN_NDIMS,
            dnnl_graph_layout_type_any, dnnl_graph_tensor_property_variable));
    return id;
}

/* A tensor in memory of the application, from a byte on. NULL: it is row-major. */
static size_t outer(graph_t *g, dnnl_memory_t memory, size_t offset, int ndims,
        const dnnl_dim_t *dims, const dnnl_dim_t *strides, dnnl_graph_tensor_property_t property) {
    const size_t id = new_number(g);
    dnnl_data_type_t type;
    void *handle;
    CHECK_DNNL(dnnl_memory_desc_query(memory_desc(memory), dnnl_query_data_type, &type));
    CHECK_DNNL(dnnl_memory_get_data_handle(memory, &handle));
    g->handles[id] = (char *)handle + offset;
    if (strides)
        CHECK_DNNL(dnnl_graph_logical_tensor_init_with_strides(
                &g->lts[id], id, type, ndims, dims, strides, property));
    else
        CHECK_DNNL(dnnl_graph_logical_tensor_init_with_dims(
                &g->lts[id], id, type, ndims, dims, dnnl_graph_layout_type_strided, property));
    return id;
}

static size_t weights(graph_t *g, dnnl_memory_t memory) {
    return outer(g, memory, 0, desc_ndims(memory_desc(memory)), desc_dims(memory_desc(memory)),
            NULL, dnnl_graph_tensor_property_constant);
}

static size_t data(graph_t *g, dnnl_memory_t memory) {
    return outer(g, memory, 0, desc_ndims(memory_desc(memory)), desc_dims(memory_desc(memory)),
            NULL, dnnl_graph_tensor_property_variable);
}

/* A number of the host. */
static size_t scalar(graph_t *g, float value) {
    const size_t id = new_number(g);
    CHECK_DNNL(dnnl_graph_logical_tensor_init(&g->lts[id], id, dnnl_f32, 0,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_host_scalar));
    g->scalars[id] = value;
    return id;
}

static dnnl_graph_op_t begin(
        graph_t *g, dnnl_graph_op_kind_t kind, const char *name, size_t a, size_t b, size_t c) {
    const size_t in[] = {a, b, c};
    dnnl_graph_op_t op;
    CHECK_DNNL(dnnl_graph_op_create(&op, g->nops++, kind, name));
    for (int i = 0; i < 3 && in[i] != none; i++)
        CHECK_DNNL(dnnl_graph_op_add_input(op, &g->lts[in[i]]));
    return op;
}

static void end(graph_t *g, dnnl_graph_op_t op, size_t out) {
    CHECK_DNNL(dnnl_graph_op_add_output(op, &g->lts[out]));
    CHECK_DNNL(dnnl_graph_add_op(g->graph, op));
    CHECK_DNNL(dnnl_graph_op_destroy(op)); /* the graph has a copy */
}

/* An operation without attributes, with a new tensor as result. */
static size_t apply(graph_t *g, dnnl_graph_op_kind_t kind, const char *name, size_t a, size_t b,
        dnnl_data_type_t type) {
    const size_t out = inner(g, type);
    end(g, begin(g, kind, name, a, b, none), out);
    return out;
}

static size_t with_numbers(graph_t *g, dnnl_graph_op_t op, dnnl_graph_op_attr_t attr,
        const int64_t *numbers, size_t count, dnnl_data_type_t type) {
    const size_t out = inner(g, type);
    CHECK_DNNL(dnnl_graph_op_set_attr_s64(op, attr, numbers, count));
    end(g, op, out);
    return out;
}

/* ---- parts of the layer ---- */

static size_t norm(graph_t *g, int which, const char *name, size_t x) {
    const size_t out = inner(g, dnnl_f16);
    dnnl_graph_op_t op = begin(g, KIND(rms_norm), name, x, weights(g, g->llm->norms[which]), none);
    CHECK_DNNL(dnnl_graph_op_set_attr_f32(op, ATTR(epsilon), &llm_epsilon, 1));
    end(g, op, out);
    return out;
}

/* A product with a matrix of int4. */
static size_t product(graph_t *g, int which, const char *name, size_t x) {
    const matrix_t *m = &g->llm->matrices[which];
    const int64_t group[] = {g->llm->s.group, 1};
    dnnl_graph_op_t op = begin(
            g, KIND(dynamic_dequantize), name, weights(g, m->packed), weights(g, m->scales), none);
    CHECK_DNNL(dnnl_graph_op_set_attr_str(op, ATTR(qtype), "per_group", 1));
    const size_t matrix = with_numbers(g, op, ATTR(group_shape), group, COUNT(group), dnnl_f16);
    return apply(g, KIND(matmul), name, x, matrix, dnnl_f16);
}

static dnnl_graph_op_t reshape(graph_t *g, size_t x) {
    static const uint8_t no = 0;
    dnnl_graph_op_t op = begin(g, KIND(static_reshape), "", x, none, none);
    CHECK_DNNL(dnnl_graph_op_set_attr_bool(op, ATTR(special_zero), &no, 1));
    return op;
}

/* From [tokens][heads * size] to [1][key heads][heads for each][tokens][size]. */
static dnnl_graph_op_t by_heads(graph_t *g, const phase_t *phase, size_t x, dnnl_dim_t each) {
    static const int64_t order[] = {0, 2, 3, 1, 4};
    const llm_sizes_t *s = &g->llm->s;
    const int64_t shape[] = {1, phase->tokens, s->key_heads, each, s->size};
    const size_t split = with_numbers(g, reshape(g, x), ATTR(shape), shape, COUNT(shape), dnnl_f16);
    dnnl_graph_op_t op = begin(g, KIND(static_transpose), "", split, none, none);
    CHECK_DNNL(dnnl_graph_op_set_attr_s64(op, ATTR(order), order, COUNT(order)));
    return op;
}

/* Rows of the cache as [1][key heads][1][rows][size]. */
static size_t cached(graph_t *g, dnnl_memory_t cache, dnnl_dim_t row, dnnl_dim_t rows) {
    const llm_sizes_t *s = &g->llm->s;
    const dnnl_dim_t step = s->key_heads * s->size;
    const dnnl_dims_t dims = {1, s->key_heads, 1, rows, s->size};
    const dnnl_dims_t strides = {g->llm->capacity * step, s->size, step, step, 1};
    return outer(g, cache, (size_t)row * llm_cache_row(g->llm), 5, dims, strides,
            dnnl_graph_tensor_property_variable);
}

/* x * cosine + (x * rotation) * sine: a product with a constant exchanges the elements of pairs
 * and signs, as no operation takes parts of a tensor. */
static void rotate(graph_t *g, size_t x, size_t cosines, size_t sines, size_t out) {
    const size_t straight = apply(g, KIND(multiply), "cosine", x, cosines, dnnl_f16);
    const size_t turned =
            apply(g, KIND(matmul), "rotation", x, weights(g, g->llm->rotation), dnnl_f16);
    const size_t sine = apply(g, KIND(multiply), "sine", turned, sines, dnnl_f16);
    end(g, begin(g, KIND(add), "rotated", sine, straight, none), out);
}

/* Scores of keys behind a query's own become -inf. */
static size_t causal(graph_t *g, size_t scores) {
    const int64_t rows = -2, columns = -1;
    const size_t row = with_numbers(g, begin(g, KIND(gen_index), "rows", scores, none, none),
            ATTR(axis), &rows, 1, dnnl_s32);
    const size_t column = with_numbers(g, begin(g, KIND(gen_index), "columns", scores, none, none),
            ATTR(axis), &columns, 1, dnnl_s32);
    const size_t seen = apply(g, KIND(greater_equal), "seen", row, column, dnnl_boolean);
    const size_t out = inner(g, dnnl_f32);
    end(g, begin(g, KIND(select), "causal", seen, scores, scalar(g, -INFINITY)), out);
    return out;
}

static size_t attention(graph_t *g, const phase_t *phase, size_t queries) {
    static const int64_t back[] = {0, 3, 1, 2, 4}, last = -1;
    static const uint8_t yes = 1;
    const llm_sizes_t *s = &g->llm->s;
    const int64_t shape[] = {phase->tokens, s->heads * s->size};
    size_t x = inner(g, dnnl_f32);
    dnnl_graph_op_t op = begin(
            g, KIND(matmul), "scores", queries, cached(g, g->llm->keys, 0, phase->keys), none);
    CHECK_DNNL(dnnl_graph_op_set_attr_bool(op, ATTR(transpose_b), &yes, 1));
    end(g, op, x);
    x = apply(g, KIND(multiply), "scale", x, scalar(g, 1 / sqrtf((float)s->size)), dnnl_f32);
    if (phase->causal) x = causal(g, x);
    else x = apply(g, KIND(add), "mask", x, data(g, phase->mask), dnnl_f32);
    x = with_numbers(
            g, begin(g, KIND(softmax), "shares", x, none, none), ATTR(axis), &last, 1, dnnl_f16);
    x = apply(g, KIND(matmul), "heads", x, cached(g, g->llm->values, 0, phase->keys), dnnl_f16);
    x = with_numbers(g, begin(g, KIND(static_transpose), "", x, none, none), ATTR(order), back,
            COUNT(back), dnnl_f16);
    return with_numbers(g, reshape(g, x), ATTR(shape), shape, COUNT(shape), dnnl_f16);
}

static size_t gated(graph_t *g, size_t x) {
    const size_t gate = product(g, GATE, "gate", x);
    const size_t sigmoid = apply(g, KIND(sigmoid), "", gate, none, dnnl_f16);
    const size_t swish = apply(g, KIND(multiply), "swish", gate, sigmoid, dnnl_f16);
    const size_t up = product(g, UP, "up", x);
    const size_t both = apply(g, KIND(multiply), "gated", swish, up, dnnl_f16);
    return product(g, DOWN, "down", both);
}

/* Queries go to the second graph, keys and values to the cache. */
static void add_before(graph_t *g, const phase_t *phase, dnnl_memory_t queries) {
    const llm_sizes_t *s = &g->llm->s;
    const dnnl_dim_t each = s->heads / s->key_heads;
    const size_t cosines = data(g, phase->cosines), sines = data(g, phase->sines);
    const size_t x = norm(g, 0, "norm 1", data(g, phase->x));
    const size_t q = inner(g, dnnl_f16), k = inner(g, dnnl_f16);
    end(g, by_heads(g, phase, product(g, QUERY, "queries", x), each), q);
    end(g, by_heads(g, phase, product(g, KEY, "keys", x), 1), k);
    end(g, by_heads(g, phase, product(g, VALUE, "values", x), 1),
            cached(g, g->llm->values, phase->row, phase->tokens));
    rotate(g, q, cosines, sines, data(g, queries));
    rotate(g, k, cosines, sines, cached(g, g->llm->keys, phase->row, phase->tokens));
}

static void add_after(graph_t *g, const phase_t *phase, dnnl_memory_t queries) {
    const size_t heads = attention(g, phase, data(g, queries));
    const size_t middle = apply(
            g, KIND(add), "residual 1", product(g, OUT, "out", heads), data(g, phase->x), dnnl_f16);
    const size_t out = gated(g, norm(g, 1, "norm 2", middle));
    end(g, begin(g, KIND(add), "residual 2", out, middle, none), data(g, phase->y));
}

/* ---- partitions ---- */

static dnnl_graph_tensor_t tensor(graph_t *g, size_t id) {
    const dnnl_graph_logical_tensor_t *lt = &g->lts[id];
    if (g->tensors[id]) return g->tensors[id];
    if (lt->property == dnnl_graph_tensor_property_host_scalar)
        CHECK_DNNL(dnnl_graph_tensor_create_scalar(&g->tensors[id], lt, &g->scalars[id]));
    else
        CHECK_DNNL(dnnl_graph_tensor_create(&g->tensors[id], lt, g->llm->net.engine,
                g->handles[id] ? g->handles[id] : DNNL_MEMORY_ALLOCATE));
    return g->tensors[id];
}

/* A partition's inputs are there already: partitions are in topological order. */
static void compile(graph_t *g, part_t *part) {
    dnnl_graph_logical_tensor_t in[MAX_PORTS], out[MAX_PORTS];
    const dnnl_graph_logical_tensor_t *ins[MAX_PORTS], *outs[MAX_PORTS];
    CHECK_DNNL(dnnl_graph_partition_get_input_ports_num(part->partition, &part->nin));
    CHECK_DNNL(dnnl_graph_partition_get_output_ports_num(part->partition, &part->nout));
    CHECK_DNNL(dnnl_graph_partition_get_input_ports(part->partition, part->nin, in));
    CHECK_DNNL(dnnl_graph_partition_get_output_ports(part->partition, part->nout, out));
    part->constant = 1;
    for (size_t i = 0; i < part->nin; i++) {
        ins[i] = &g->lts[in[i].id];
        part->in[i] = tensor(g, in[i].id);
        part->constant &= ins[i]->property == dnnl_graph_tensor_property_constant;
    }
    for (size_t i = 0; i < part->nout; i++) outs[i] = &g->lts[out[i].id];
    const double start = now_ms();
    CHECK_DNNL(dnnl_graph_compiled_partition_create(&part->compiled, part->partition));
    CHECK_DNNL(dnnl_graph_partition_compile(
            part->partition, part->compiled, part->nin, ins, part->nout, outs, g->llm->net.engine));
    g->compile_ms += now_ms() - start;
    for (size_t i = 0; i < part->nout; i++) {
        dnnl_graph_logical_tensor_t *lt = &g->lts[out[i].id];
        CHECK_DNNL(
                dnnl_graph_compiled_partition_query_logical_tensor(part->compiled, out[i].id, lt));
        if (part->constant) lt->property = dnnl_graph_tensor_property_constant;
        part->out[i] = tensor(g, out[i].id);
    }
}

/* One for all partitions: they follow each other on the stream. */
static void make_scratchpad(graph_t *g) {
    dnnl_graph_logical_tensor_t lt, largest = {0};
    for (size_t i = 0; i < g->nparts; i++) {
        CHECK_DNNL(dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(
                g->parts[i].compiled, &lt));
        if (lt.dims[0] > largest.dims[0]) largest = lt;
    }
    if (largest.dims[0])
        CHECK_DNNL(dnnl_graph_tensor_create(
                &g->scratchpad, &largest, g->llm->net.engine, DNNL_MEMORY_ALLOCATE));
}

static void run_part(const graph_t *g, part_t *part, dnnl_stream_t stream) {
    CHECK_DNNL(dnnl_graph_compiled_partition_execute_v2(
            part->compiled, stream, part->nin, part->in, part->nout, part->out, g->scratchpad));
}

static void divide(graph_t *g) {
    dnnl_graph_partition_t partitions[MAX_PARTS];
    CHECK_DNNL(dnnl_graph_graph_finalize(g->graph));
    CHECK_DNNL(dnnl_graph_graph_filter(g->graph, dnnl_graph_partition_policy_fusion));
    CHECK_DNNL(dnnl_graph_graph_get_partition_num(g->graph, &g->nparts));
    if (g->nparts > MAX_PARTS) {
        fprintf(stderr, "the graph has too many partitions\n");
        exit(1);
    }
    CHECK_DNNL(dnnl_graph_graph_get_partitions(g->graph, g->nparts, partitions));
    for (size_t i = 0; i < g->nparts; i++) {
        g->parts[i].partition = partitions[i];
        compile(g, &g->parts[i]);
    }
    make_scratchpad(g);
    for (size_t i = 0; i < g->nparts; i++)
        if (g->parts[i].constant) run_part(g, &g->parts[i], g->llm->net.stream);
}

static void graph_begin(graph_t *g, llm_t *llm) {
    g->llm = llm;
    CHECK_DNNL(dnnl_graph_graph_create(&g->graph, dnnl_gpu));
    /* Matrices of int4 are multiplied as f16. */
    CHECK_DNNL(dnnl_graph_graph_set_fpmath_mode(g->graph, dnnl_fpmath_mode_f16, 1));
}

static void graph_end(graph_t *g) {
    for (size_t i = 0; i < g->nparts; i++) {
        CHECK_DNNL(dnnl_graph_compiled_partition_destroy(g->parts[i].compiled));
        CHECK_DNNL(dnnl_graph_partition_destroy(g->parts[i].partition));
    }
    for (size_t i = 0; i < g->ntensors; i++) CHECK_DNNL(dnnl_graph_tensor_destroy(g->tensors[i]));
    CHECK_DNNL(dnnl_graph_tensor_destroy(g->scratchpad));
    CHECK_DNNL(dnnl_graph_graph_destroy(g->graph));
}

llm_graph_t *llm_graph_make(llm_t *llm, const phase_t *phase) {
    const llm_sizes_t *s = &llm->s;
    llm_graph_t *graph = check_alloc(calloc(1, sizeof *graph));
    dnnl_memory_t queries =
            net_device_memory(&llm->net, NET_DESC(&llm->net, dnnl_f16, dnnl_abcde, 1, s->key_heads,
                                                 s->heads / s->key_heads, phase->tokens, s->size));
    graph_begin(&graph->before, llm);
    graph_begin(&graph->after, llm);
    add_before(&graph->before, phase, queries);
    add_after(&graph->after, phase, queries);
    divide(&graph->before);
    divide(&graph->after);
    return graph;
}

void llm_graph_end(llm_graph_t *graph) {
    graph_end(&graph->before);
    graph_end(&graph->after);
    free(graph);
}

void llm_graph_print(const llm_graph_t *graph, const char *name) {
    const graph_t *both[] = {&graph->before, &graph->after};
    size_t nops = 0, nparts = 0, constants = 0;
    for (int i = 0; i < 2; i++) {
        nops += both[i]->nops;
        nparts += both[i]->nparts;
        for (size_t p = 0; p < both[i]->nparts; p++) constants += both[i]->parts[p].constant != 0;
    }
    printf("%s: %zu operations in %zu partitions, %zu of which compute constants once; compiled in "
           "%.2f ms\n",
            name, nops, nparts, constants, both[0]->compile_ms + both[1]->compile_ms);
}

void llm_graph_run(llm_graph_t *graph, dnnl_stream_t stream, ze_command_list_handle_t list) {
    graph_t *both[] = {&graph->before, &graph->after};
    for (int i = 0; i < 2; i++)
        for (size_t p = 0; p < both[i]->nparts; p++) {
            if (both[i]->parts[p].constant) continue;
            run_part(both[i], &both[i]->parts[p], stream);
            if (list) CHECK_ZE(zeCommandListAppendBarrier(list, NULL, 0, NULL));
        }
}
