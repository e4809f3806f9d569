/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled twice: into the benchmark with this project's headers, and into a module with those of
 * oneDNN's CPU library. */
#include "graph_chains.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_graph.h>

#define CHECK(call) check((int)(call), #call)

#define KIND(name) dnnl_graph_op_##name
#define ATTR(name) dnnl_graph_op_attr_##name
#define DIMS(...)                                                                                  \
    (int)(sizeof((dnnl_dim_t[]){__VA_ARGS__}) / sizeof(dnnl_dim_t)), (dnnl_dim_t[]) {              \
        __VA_ARGS__                                                                                \
    }

enum { MOST_TENSORS = 512, MOST_PARTS = 192, MOST_PORTS = 16, NONE = MOST_TENSORS };

typedef struct {
    dnnl_graph_partition_t partition;
    dnnl_graph_compiled_partition_t compiled;
    size_t nin, nout;
    const_dnnl_graph_tensor_t in[MOST_PORTS], out[MOST_PORTS];
} part_t;

typedef struct {
    const chains_device_t *device;
    dnnl_graph_graph_t graph;
    dnnl_graph_op_t op; /* that is described */
    size_t ntensors, nops, nparts;
    dnnl_graph_logical_tensor_t lts[MOST_TENSORS];
    dnnl_graph_tensor_t tensors[MOST_TENSORS];
    part_t parts[MOST_PARTS];
    double compile; /* seconds */
} chain_t;

static void check(int result, const char *call) {
    if (!result) return;
    fprintf(stderr, "%s answers %d\n", call, result);
    exit(1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- description ---- */

static size_t new_tensor(chain_t *c, int ndims, const dnnl_dim_t *given, bool varies) {
    dnnl_dims_t dims;
    memcpy(dims, given, (size_t)ndims * sizeof *given);
    CHECK(dnnl_graph_logical_tensor_init_with_dims(&c->lts[c->ntensors], c->ntensors, dnnl_f32,
            ndims, dims, dnnl_graph_layout_type_strided,
            varies ? dnnl_graph_tensor_property_variable : dnnl_graph_tensor_property_constant));
    return c->ntensors++;
}

static size_t input(chain_t *c, int ndims, const dnnl_dim_t *dims) {
    return new_tensor(c, ndims, dims, true);
}

/* Weights, which a library may keep in a layout of its own. */
static size_t constant(chain_t *c, int ndims, const dnnl_dim_t *dims) {
    return new_tensor(c, ndims, dims, false);
}

static void begin(chain_t *c, dnnl_graph_op_kind_t kind, size_t a, size_t b) {
    CHECK(dnnl_graph_op_create(&c->op, c->nops++, kind, ""));
    CHECK(dnnl_graph_op_add_input(c->op, &c->lts[a]));
    if (b != NONE) CHECK(dnnl_graph_op_add_input(c->op, &c->lts[b]));
}

static size_t end_of(chain_t *c, dnnl_data_type_t dt) {
    dnnl_graph_logical_tensor_t *lt = &c->lts[c->ntensors];
    CHECK(dnnl_graph_logical_tensor_init(lt, c->ntensors, dt, DNNL_GRAPH_UNKNOWN_NDIMS,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable));
    CHECK(dnnl_graph_op_add_output(c->op, lt));
    CHECK(dnnl_graph_add_op(c->graph, c->op));
    CHECK(dnnl_graph_op_destroy(c->op));
    return c->ntensors++;
}

static size_t end(chain_t *c) {
    return end_of(c, dnnl_f32);
}

static size_t apply(chain_t *c, dnnl_graph_op_kind_t kind, size_t a, size_t b) {
    begin(c, kind, a, b);
    return end(c);
}

static void set_ints(chain_t *c, dnnl_graph_op_attr_t attr, int64_t value, size_t count) {
    const int64_t values[] = {value, value};
    CHECK(dnnl_graph_op_set_attr_s64(c->op, attr, values, count));
}

static void set_window(chain_t *c, int64_t stride, int64_t padding) {
    set_ints(c, ATTR(strides), stride, 2);
    set_ints(c, ATTR(pads_begin), padding, 2);
    set_ints(c, ATTR(pads_end), padding, 2);
    set_ints(c, ATTR(dilations), 1, 2);
    CHECK(dnnl_graph_op_set_attr_str(c->op, ATTR(data_format), "NCX", 1));
}

static size_t attention(chain_t *c, dnnl_dim_t tokens, bool caps) {
    const uint8_t yes = 1;
    const int64_t last = -1;
    const size_t q = input(c, DIMS(1, 8, tokens, 64)), k = input(c, DIMS(1, 8, tokens, 64)),
                 v = input(c, DIMS(1, 8, tokens, 64)), scale = input(c, DIMS(1)),
                 other = caps ? input(c, DIMS(1)) : input(c, DIMS(1, 1, tokens, tokens));
    begin(c, KIND(matmul), q, k);
    CHECK(dnnl_graph_op_set_attr_bool(c->op, ATTR(transpose_b), &yes, 1));
    size_t x = apply(c, KIND(multiply), end(c), scale);
    if (caps) x = apply(c, KIND(multiply), apply(c, KIND(tanh), x, NONE), other);
    else x = apply(c, KIND(add), x, other);
    begin(c, KIND(softmax), x, NONE);
    CHECK(dnnl_graph_op_set_attr_s64(c->op, ATTR(axis), &last, 0));
    return apply(c, KIND(matmul), end(c), v);
}

static void make_attention(chain_t *c, dnnl_dim_t size) {
    attention(c, size, false);
}

static void make_capped(chain_t *c, dnnl_dim_t size) {
    attention(c, size, true);
}

static size_t convert(
        chain_t *c, dnnl_graph_op_kind_t kind, size_t x, dnnl_data_type_t dt, float scale) {
    const int64_t zero = 0;
    begin(c, kind, x, NONE);
    CHECK(dnnl_graph_op_set_attr_f32(c->op, ATTR(scales), &scale, 1));
    CHECK(dnnl_graph_op_set_attr_s64(c->op, ATTR(zps), &zero, 1));
    return end_of(c, dt);
}

static size_t bytes(chain_t *c, dnnl_dim_t tokens, float scale) {
    const size_t x = input(c, DIMS(1, 8, tokens, 64));
    c->lts[x].data_type = dnnl_s8;
    return convert(c, KIND(dequantize), x, dnnl_f32, scale);
}

/* Queries, keys, values, weights and result are integers; the last operation makes floats of it. */
static void make_integers(chain_t *c, dnnl_dim_t tokens) {
    const uint8_t yes = 1;
    const int64_t last = -1;
    const float fine = 1.f / 255;
    const size_t q = bytes(c, tokens, .02f), k = bytes(c, tokens, .02f), v = bytes(c, tokens, .02f),
                 scale = input(c, DIMS(1)), mask = input(c, DIMS(1, 1, tokens, tokens));
    begin(c, KIND(matmul), q, k);
    CHECK(dnnl_graph_op_set_attr_bool(c->op, ATTR(transpose_b), &yes, 1));
    const size_t x = apply(c, KIND(add), apply(c, KIND(multiply), end(c), scale), mask);
    begin(c, KIND(softmax), x, NONE);
    CHECK(dnnl_graph_op_set_attr_s64(c->op, ATTR(axis), &last, 0));
    const size_t weights = convert(c, KIND(quantize), end(c), dnnl_u8, fine);
    const size_t y =
            apply(c, KIND(matmul), convert(c, KIND(dequantize), weights, dnnl_f32, fine), v);
    convert(c, KIND(quantize), y, dnnl_s8, .01f);
}

static size_t product(chain_t *c, size_t x, size_t y, uint8_t turns_x, uint8_t turns_y) {
    begin(c, KIND(matmul), x, y);
    CHECK(dnnl_graph_op_set_attr_bool(c->op, ATTR(transpose_a), &turns_x, 1));
    CHECK(dnnl_graph_op_set_attr_bool(c->op, ATTR(transpose_b), &turns_y, 1));
    return end(c);
}

/* The gradients of attention with a mask. */
static void make_gradients(chain_t *c, dnnl_dim_t tokens) {
    const uint8_t yes = 1;
    const int64_t last = 3;
    const size_t q = input(c, DIMS(1, 8, tokens, 64)), k = input(c, DIMS(1, 8, tokens, 64)),
                 v = input(c, DIMS(1, 8, tokens, 64)), scale = input(c, DIMS(1)),
                 mask = input(c, DIMS(1, 1, tokens, tokens)),
                 stats = input(c, DIMS(1, 8, tokens, 1)), dst = input(c, DIMS(1, 8, tokens, 64)),
                 diff = input(c, DIMS(1, 8, tokens, 64));
    size_t x = apply(c, KIND(multiply), product(c, q, k, 0, 1), scale);
    x = apply(c, KIND(subtract), apply(c, KIND(add), x, mask), stats);
    const size_t weights = apply(c, KIND(exp), x, NONE);
    product(c, weights, diff, 1, 0);
    const size_t of_weights = product(c, diff, v, 0, 1);
    begin(c, KIND(reduce_sum), apply(c, KIND(multiply), dst, diff), NONE);
    CHECK(dnnl_graph_op_set_attr_s64(c->op, ATTR(axes), &last, 1));
    CHECK(dnnl_graph_op_set_attr_bool(c->op, ATTR(keep_dims), &yes, 1));
    x = apply(c, KIND(subtract), of_weights, end(c));
    x = apply(c, KIND(multiply), apply(c, KIND(multiply), weights, x), scale);
    product(c, x, k, 0, 0);
    product(c, x, q, 1, 0);
}

static void make_gated(chain_t *c, dnnl_dim_t size) {
    const dnnl_dim_t inner = 3 * size;
    const size_t x = input(c, DIMS(64, size)), gate = constant(c, DIMS(size, inner)),
                 up = constant(c, DIMS(size, inner)), down = constant(c, DIMS(inner, size));
    const size_t g = apply(c, KIND(matmul), x, gate);
    const size_t swish = apply(c, KIND(multiply), g, apply(c, KIND(sigmoid), g, NONE));
    apply(c, KIND(matmul), apply(c, KIND(multiply), swish, apply(c, KIND(matmul), x, up)), down);
}

static void make_mlp(chain_t *c, dnnl_dim_t size) {
    size_t x = input(c, DIMS(64, size));
    for (int i = 0; i < 3; i++) {
        const size_t weights = constant(c, DIMS(size, size)), bias = constant(c, DIMS(size));
        x = apply(c, KIND(add), apply(c, KIND(matmul), x, weights), bias);
        x = apply(c, KIND(gelu), x, NONE);
    }
}

/* A convolution with batch norm by fixed statistics. */
static size_t convolution(
        chain_t *c, size_t x, dnnl_dim_t from, dnnl_dim_t to, dnnl_dim_t kernel, int64_t stride) {
    const float epsilon = 1e-5f;
    const size_t weights = constant(c, DIMS(to, from, kernel, kernel));
    begin(c, KIND(convolution), x, weights);
    set_window(c, stride, kernel / 2);
    CHECK(dnnl_graph_op_set_attr_str(c->op, ATTR(weights_format), "OIX", 1));
    x = end(c);
    begin(c, KIND(batch_norm_inference), x, NONE);
    for (int i = 0; i < 4; i++) {
        const size_t vector = constant(c, DIMS(to));
        CHECK(dnnl_graph_op_add_input(c->op, &c->lts[vector]));
    }
    CHECK(dnnl_graph_op_set_attr_f32(c->op, ATTR(epsilon), &epsilon, 1));
    CHECK(dnnl_graph_op_set_attr_str(c->op, ATTR(data_format), "NCX", 1));
    return end(c);
}

static void make_convolution(chain_t *c, dnnl_dim_t size) {
    const size_t x = input(c, DIMS(1, 64, size, size)), other = input(c, DIMS(1, 64, size, size));
    const size_t sum = apply(c, KIND(add), convolution(c, x, 64, 64, 3, 1), other);
    apply(c, KIND(relu), sum, NONE);
}

static size_t bottleneck(
        chain_t *c, size_t x, dnnl_dim_t from, dnnl_dim_t inner, int64_t stride, bool projects) {
    const dnnl_dim_t to = 4 * inner;
    size_t y = apply(c, KIND(relu), convolution(c, x, from, inner, 1, 1), NONE);
    y = apply(c, KIND(relu), convolution(c, y, inner, inner, 3, stride), NONE);
    y = convolution(c, y, inner, to, 1, 1);
    if (projects) x = convolution(c, x, from, to, 1, stride);
    return apply(c, KIND(relu), apply(c, KIND(add), y, x), NONE);
}

/* ResNet-50, to the last block. */
static void make_resnet(chain_t *c, dnnl_dim_t size) {
    static const int blocks[] = {3, 4, 6, 3};
    dnnl_dim_t from = 64;
    size_t x = input(c, DIMS(1, 3, size, size));
    x = apply(c, KIND(relu), convolution(c, x, 3, 64, 7, 2), NONE);
    begin(c, KIND(max_pool), x, NONE);
    set_window(c, 2, 1);
    set_ints(c, ATTR(kernel), 3, 2);
    x = end(c);
    for (int stage = 0; stage < 4; stage++)
        for (int i = 0; i < blocks[stage]; i++) {
            const dnnl_dim_t inner = (dnnl_dim_t)64 << stage;
            x = bottleneck(c, x, from, inner, i == 0 && stage ? 2 : 1, i == 0);
            from = 4 * inner;
        }
}

/* ---- partitions ---- */

static void compile(chain_t *c, part_t *part) {
    dnnl_graph_logical_tensor_t in[MOST_PORTS], out[MOST_PORTS];
    const dnnl_graph_logical_tensor_t *ins[MOST_PORTS], *outs[MOST_PORTS];
    CHECK(dnnl_graph_partition_get_input_ports_num(part->partition, &part->nin));
    CHECK(dnnl_graph_partition_get_output_ports_num(part->partition, &part->nout));
    CHECK(part->nin > MOST_PORTS || part->nout > MOST_PORTS);
    CHECK(dnnl_graph_partition_get_input_ports(part->partition, part->nin, in));
    CHECK(dnnl_graph_partition_get_output_ports(part->partition, part->nout, out));
    for (size_t i = 0; i < part->nin; i++) ins[i] = &c->lts[in[i].id];
    for (size_t i = 0; i < part->nout; i++) outs[i] = &c->lts[out[i].id];
    const double start = now();
    CHECK(dnnl_graph_compiled_partition_create(&part->compiled, part->partition));
    CHECK(dnnl_graph_partition_compile(
            part->partition, part->compiled, part->nin, ins, part->nout, outs, c->device->engine));
    c->compile += now() - start;
    for (size_t i = 0; i < part->nout; i++)
        CHECK(dnnl_graph_compiled_partition_query_logical_tensor(
                part->compiled, out[i].id, &c->lts[out[i].id]));
}

/* Values around 1/8, all positive: they may be variances. */
static void fill(const chain_t *c, void *ptr, size_t size, size_t id) {
    const bool is_bytes = c->lts[id].data_type == dnnl_s8;
    const size_t count = is_bytes ? 0 : size / sizeof(float);
    float *values = malloc(size + 1);
    uint32_t random = (uint32_t)id + 1;
    CHECK(!values);
    for (size_t i = 0; i < count; i++) {
        random = random * 1664525 + 1013904223;
        values[i] = .0625f + (float)(random >> 16) / (1 << 19);
    }
    for (size_t i = 0; is_bytes && i < size; i++) {
        random = random * 1664525 + 1013904223;
        ((uint8_t *)values)[i] = (uint8_t)(random >> 24);
    }
    c->device->copy(ptr, values, size);
    free(values);
}

static const_dnnl_graph_tensor_t tensor(chain_t *c, size_t id) {
    size_t size;
    void *ptr;
    if (c->tensors[id]) return c->tensors[id];
    CHECK(dnnl_graph_logical_tensor_get_mem_size(&c->lts[id], &size));
    CHECK(dnnl_graph_tensor_create(
            &c->tensors[id], &c->lts[id], c->device->engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_graph_tensor_get_data_handle(c->tensors[id], &ptr));
    fill(c, ptr, size, id);
    return c->tensors[id];
}

static void make_tensors(chain_t *c, part_t *part) {
    dnnl_graph_logical_tensor_t ports[MOST_PORTS];
    CHECK(dnnl_graph_partition_get_input_ports(part->partition, part->nin, ports));
    for (size_t i = 0; i < part->nin; i++) part->in[i] = tensor(c, ports[i].id);
    CHECK(dnnl_graph_partition_get_output_ports(part->partition, part->nout, ports));
    for (size_t i = 0; i < part->nout; i++) part->out[i] = tensor(c, ports[i].id);
}

static void partition(chain_t *c, dnnl_graph_partition_policy_t policy) {
    dnnl_graph_partition_t partitions[MOST_PARTS];
    CHECK(dnnl_graph_graph_finalize(c->graph));
    CHECK(dnnl_graph_graph_filter(c->graph, policy));
    CHECK(dnnl_graph_graph_get_partition_num(c->graph, &c->nparts));
    CHECK(c->nparts > MOST_PARTS);
    CHECK(dnnl_graph_graph_get_partitions(c->graph, c->nparts, partitions));
    for (size_t i = 0; i < c->nparts; i++) {
        c->parts[i].partition = partitions[i];
        compile(c, &c->parts[i]);
    }
}

/* ---- the interface ---- */

static void *make(const chains_device_t *device, const char *name, int64_t size, int fused) {
    static const struct {
        const char *name;
        void (*make)(chain_t *, dnnl_dim_t);
    } all[] = {{"attention", make_attention}, {"capped", make_capped}, {"integers", make_integers},
            {"gradients", make_gradients}, {"mlp", make_mlp}, {"gated", make_gated},
            {"convolution", make_convolution}, {"resnet", make_resnet}};
    chain_t *c = calloc(1, sizeof *c);
    CHECK(!c);
    c->device = device;
    CHECK(dnnl_graph_graph_create(&c->graph, device->is_cpu ? dnnl_cpu : dnnl_gpu));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, name)) all[i].make(c, size);
    partition(c, fused ? dnnl_graph_partition_policy_fusion : dnnl_graph_partition_policy_debug);
    return c;
}

static void prepare(void *arg) {
    chain_t *c = arg;
    for (size_t i = 0; i < c->nparts; i++) make_tensors(c, &c->parts[i]);
}

static void run(void *arg) {
    chain_t *c = arg;
    for (size_t i = 0; i < c->nparts; i++) {
        part_t *part = &c->parts[i];
        CHECK(dnnl_graph_compiled_partition_execute(
                part->compiled, c->device->stream, part->nin, part->in, part->nout, part->out));
    }
    CHECK(dnnl_stream_wait(c->device->stream));
}

static chain_facts_t facts(const void *arg) {
    const chain_t *c = arg;
    return (chain_facts_t){c->nops, c->nparts, c->compile};
}

static float *result(const void *arg, size_t *count) {
    const chain_t *c = arg;
    const size_t id = c->ntensors - 1;
    size_t size;
    void *ptr;
    CHECK(dnnl_graph_logical_tensor_get_mem_size(&c->lts[id], &size));
    CHECK(dnnl_graph_tensor_get_data_handle(c->tensors[id], &ptr));
    const bool is_bytes = c->lts[id].data_type == dnnl_s8;
    float *values = malloc((is_bytes ? sizeof *values : 1) * size + 1);
    CHECK(!values);
    c->device->copy(values, ptr, size);
    *count = is_bytes ? size : size / sizeof(float);
    for (size_t i = size; is_bytes && i-- > 0;) values[i] = ((const int8_t *)values)[i];
    return values;
}

static void destroy(void *arg) {
    chain_t *c = arg;
    for (size_t i = 0; i < c->nparts; i++) {
        CHECK(dnnl_graph_compiled_partition_destroy(c->parts[i].compiled));
        CHECK(dnnl_graph_partition_destroy(c->parts[i].partition));
    }
    for (size_t i = 0; i < c->ntensors; i++) CHECK(dnnl_graph_tensor_destroy(c->tensors[i]));
    CHECK(dnnl_graph_graph_destroy(c->graph));
    free(c);
}

const chains_t *chains_library(void) {
    static const chains_t chains = {make, prepare, run, facts, result, destroy};
    return &chains;
}
