/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/graph/graphs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph/kinds.h"
#include "tests/ref/ref.h"

static const struct {
    const char *name;
    dnnl_data_type_t dt;
} types[] = {{"f32", dnnl_f32}, {"f16", dnnl_f16}, {"bf16", dnnl_bf16}, {"u8", dnnl_u8},
        {"s8", dnnl_s8}, {"s4", dnnl_s4}, {"u4", dnnl_u4}, {"s32", dnnl_s32},
        {"bool", dnnl_boolean}, {"s64", dnnl_s64}, {"f8_e4m3", dnnl_f8_e4m3}};

/* ---- reading ---- */

static dnnl_data_type_t read_type(const char **text) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const size_t length = strlen(types[i].name);
        if (strncmp(*text, types[i].name, length) || isalnum((*text)[length])) continue;
        *text += length;
        return types[i].dt;
    }
    return dnnl_f32;
}

static int read_number(const char **text) {
    char *end;
    const int number = (int)strtol(*text, &end, 10);
    if (end == *text || number < 0 || number >= MOST_TENSORS) fail_msg("no number: %s", *text);
    *text = end;
    return number;
}

static void read_dims(const char **text, node_tensor_t *t) {
    char *end;
    t->ndims = 0;
    t->scalar = strncmp(*text, "host", 4) == 0;
    if (t->scalar) {
        t->value = strtod(*text + 4, &end);
        *text = end;
        return;
    }
    t->positive = **text == '+';
    if (t->positive) ++*text;
    t->low = strncmp(*text, "low", 3) == 0;
    if (t->low) {
        *text += 3;
        t->dims[t->ndims++] = 1;
    }
    for (; isdigit(**text); *text = *end == 'x' ? end + 1 : end)
        t->dims[t->ndims++] = strtoll(*text, &end, 10);
}

static void read_inputs(graph_text_t *graph, const char *text) {
    for (; *text; text += *text == ' ') {
        node_tensor_t *t = &graph->tensors[read_number(&text)];
        *t = (node_tensor_t){.used = true, .input = true};
        text += *text == ':';
        t->dt = read_type(&text);
        text += *text == ':';
        read_dims(&text, t);
        assert_true(*text == ' ' || !*text);
    }
}

static void read_output(graph_text_t *graph, graph_node_t *node, const char **text) {
    const int number = read_number(text);
    node->out[node->nout++] = number;
    graph->tensors[number] = (node_tensor_t){.used = true, .ndims = -1, .dt = dnnl_f32};
    if (**text != ':') return;
    ++*text;
    graph->tensors[number].dt = read_type(text);
}

static void read_until(const char **text, const char *ends, char *out, size_t size) {
    const size_t length = strcspn(*text, ends);
    assert_true(length < size);
    memcpy(out, *text, length);
    out[length] = 0;
    *text += length;
}

static void read_nodes(graph_text_t *graph, const char *text) {
    for (; *text; text += *text == ' ') {
        graph_node_t *node = &graph->nodes[graph->nnodes++];
        assert_true(graph->nnodes <= MOST_NODES);
        *node = (graph_node_t){.nin = 0};
        if (*text != '=') read_output(graph, node, &text);
        if (*text == ',') {
            text++;
            read_output(graph, node, &text);
        }
        assert_true(*text++ == '=');
        read_until(&text, "[(", node->kind, sizeof node->kind);
        if (*text == '[') {
            text++;
            read_until(&text, "]", node->attributes, sizeof node->attributes);
            text++;
        }
        assert_true(*text == '(');
        while (*text++ != ')') node->in[node->nin++] = read_number(&text);
    }
}

static int64_t count_of(const node_tensor_t *t) {
    int64_t n = 1;
    for (int d = 0; d < t->ndims; d++) n *= t->dims[d];
    return n;
}

/* Integers are small, so that sums of products stay in range. */
static void fill_tensor(node_tensor_t *t) {
    t->count = count_of(t);
    t->values = calloc((size_t)t->count + 1, sizeof *t->values);
    assert_non_null(t->values);
    for (int64_t i = 0; i < t->count; i++) {
        const double x = 2. * rand() / RAND_MAX - 1;
        t->values[i] = t->value;
        if (t->scalar) continue;
        switch (t->dt) {
        case dnnl_u8:
        case dnnl_s8: t->values[i] = floor(x * 20) + (t->dt == dnnl_u8 ? 30 : 0); break;
        case dnnl_s32:
        case dnnl_s64:
        case dnnl_s4: t->values[i] = floor(x * 4); break;
        case dnnl_u4: t->values[i] = floor(x * 4) + 8; break;
        case dnnl_boolean: t->values[i] = x > 0; break;
        default:
            t->values[i] = t->low      ? -INFINITY
                           : t->scalar ? 2
                                       : ref_round(t->dt, t->positive ? 1 + x / 2 : x);
        }
    }
}

void graph_read(graph_text_t *graph, const char *inputs, const char *nodes) {
    memset(graph, 0, sizeof *graph);
    read_inputs(graph, inputs);
    read_nodes(graph, nodes);
    for (int i = 0; i < MOST_TENSORS; i++)
        if (graph->tensors[i].input) fill_tensor(&graph->tensors[i]);
}

void graph_end(graph_text_t *graph) {
    for (int i = 0; i < MOST_TENSORS; i++) free(graph->tensors[i].values);
}

/* ---- operations ---- */

const char *graph_default_attributes(const char *kind) {
    static const char *const all[][2] = {
            {"Conv", "strides=1x1,pads_begin=0x0,pads_end=0x0,dilations=1x1,data_format=NCX"},
            {"Pool", "strides=2x2,pads_begin=0x0,pads_end=0x0,kernel=2x2,data_format=NCX"},
            {"BatchNorm", "epsilon=0.001,data_format=NCX"}, {"BiasAdd", "data_format=NCX"},
            {"Quantize", "scales=0.1,zps=0"}, {"Dequantize", "scales=0.1,zps=0"},
            {"StaticReshape", "special_zero=false"}, {"Concat", "axis=1"}, {"Elu", "alpha=1"},
            {"LeakyReLU", "alpha=0.1"}, {"Clamp", "min=-0.5,max=0.5"},
            {"HardSigmoid", "alpha=0.2,beta=0.5"}, {"SoftMax", "axis=-1"}, {"Reduce", "axes=1"},
            {"Interpolate", "mode=nearest,sizes=6x6,data_format=NCX"},
            {"LayerNorm", "keep_stats=false"},
            {"GroupNorm", "groups=2,data_format=NCX,"
                          "keep_stats=false"}};
    if (strncmp(kind, "Dynamic", 7) == 0) return "";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strstr(kind, all[i][0])) return all[i][1];
    return "";
}

static dnnl_graph_op_attr_t attribute_of(const char *name) {
    static const struct {
        const char *name;
        dnnl_graph_op_attr_t attr;
    } all[] = {
#define NAME(n) {#n, ATTR(n)}
            NAME(alpha), NAME(beta), NAME(min), NAME(max), NAME(epsilon), NAME(scales), NAME(zps),
            NAME(axis), NAME(axes), NAME(groups), NAME(strides), NAME(pads_begin), NAME(pads_end),
            NAME(dilations), NAME(kernel), NAME(order), NAME(shape), NAME(sizes), NAME(group_shape),
            NAME(transpose_a), NAME(transpose_b), NAME(keep_dims), NAME(special_zero),
            NAME(exclude_pad), NAME(keep_stats), NAME(data_format), NAME(weights_format),
            NAME(mode), NAME(qtype), NAME(auto_broadcast)
#undef NAME
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0) return all[i].attr;
    fail_msg("no attribute %s", name);
    return ATTR(undef);
}

/* The number of an attribute tells its type. */
static void set_attribute(dnnl_graph_op_t op, const char *name, char *value) {
    const dnnl_graph_op_attr_t attr = attribute_of(name);
    enum { MOST_VALUES = 8 };
    int64_t ints[MOST_VALUES];
    float floats[MOST_VALUES];
    size_t n = 0;
    const uint8_t flag = strcmp(value, "true") == 0;
    if (attr >= 0x80) {
        assert_ok(dnnl_graph_op_set_attr_str(op, attr, value, 1));
        return;
    }
    if (attr >= 0x60) {
        assert_ok(dnnl_graph_op_set_attr_bool(op, attr, &flag, 1));
        return;
    }
    /* Without the x, which would make a number hexadecimal. */
    for (char *at = strtok(value, "x"); at && n < MOST_VALUES; at = strtok(NULL, "x"), n++) {
        floats[n] = strtof(at, NULL);
        ints[n] = (int64_t)floats[n];
    }
    if (attr < 0x30) assert_ok(dnnl_graph_op_set_attr_f32(op, attr, floats, attr < 0x20 ? 0 : n));
    else assert_ok(dnnl_graph_op_set_attr_s64(op, attr, ints, attr < 0x40 ? 0 : n));
}

static void set_attributes(dnnl_graph_op_t op, const char *text) {
    char name[32], value[64];
    while (*text) {
        read_until(&text, "=", name, sizeof name);
        text++;
        read_until(&text, ",", value, sizeof value);
        text += *text == ',';
        set_attribute(op, name, value);
    }
}

static dnnl_graph_op_kind_t kind_of(const char *name) {
    for (int kind = 0; kind < dnnl_graph_op_last_symbol; kind++)
        if (strcmp(name, kind_name((dnnl_graph_op_kind_t)kind)) == 0)
            return (dnnl_graph_op_kind_t)kind;
    fail_msg("no operation %s", name);
    return KIND(wildcard);
}

static lt_t tensor_of(const graph_text_t *graph, int number) {
    const node_tensor_t *t = &graph->tensors[number];
    lt_t lt;
    if (t->input && !t->scalar)
        assert_ok(dnnl_graph_logical_tensor_init_with_dims(&lt, (size_t)number, t->dt, t->ndims,
                t->dims, dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable));
    else
        assert_ok(dnnl_graph_logical_tensor_init(&lt, (size_t)number, t->dt,
                t->scalar ? 0 : DNNL_GRAPH_UNKNOWN_NDIMS,
                t->scalar ? dnnl_graph_layout_type_strided : dnnl_graph_layout_type_any,
                t->scalar ? dnnl_graph_tensor_property_host_scalar
                          : dnnl_graph_tensor_property_variable));
    return lt;
}

static void add_node(dnnl_graph_graph_t graph, const graph_text_t *text, int i) {
    const graph_node_t *node = &text->nodes[i];
    dnnl_graph_op_t op;
    assert_ok(dnnl_graph_op_create(&op, (size_t)i, kind_of(node->kind), ""));
    for (int p = 0; p < node->nin; p++) {
        const lt_t lt = tensor_of(text, node->in[p]);
        assert_ok(dnnl_graph_op_add_input(op, &lt));
    }
    for (int p = 0; p < node->nout; p++) {
        const lt_t lt = tensor_of(text, node->out[p]);
        assert_ok(dnnl_graph_op_add_output(op, &lt));
    }
    set_attributes(op, graph_default_attributes(node->kind));
    set_attributes(op, node->attributes);
    if (dnnl_graph_add_op(graph, op) != dnnl_success) fail_msg("%s is refused", node->kind);
    assert_ok(dnnl_graph_op_destroy(op));
}

/* ---- files ---- */

bool graph_next_line(FILE *file, graph_line_t *line) {
    while (fgets(line->text, sizeof line->text, file)) {
        if (*line->text == '#' || *line->text == '\n') continue;
        char *inputs = strstr(line->text, " | "), *nodes = strstr(inputs + 1, " | ");
        *inputs = *nodes = line->text[strcspn(line->text, "\n")] = 0;
        line->counts = line->text;
        line->inputs = inputs + 3;
        line->nodes = nodes + 3;
        return true;
    }
    return false;
}

bool graph_has_counts(const graph_line_t *line, const char *counts) {
    if (!strcmp(counts, line->counts)) return true;
    print_error("%s: partitions of %s and not %s operations\n", line->nodes, counts, line->counts);
    return false;
}

/* ---- execution ---- */

int graph_in_place;
bool graph_dry;

typedef struct {
    dnnl_memory_t memory;
    dnnl_graph_tensor_t tensor;
    lt_t lt;
} slot_t;

static dnnl_data_type_t stored(dnnl_data_type_t dt) {
    return dt == dnnl_boolean ? dnnl_u8 : dt;
}

static int64_t elements(const lt_t *lt) {
    int64_t n = 1;
    for (int d = 0; d < lt->ndims; d++) n *= lt->dims[d];
    return n;
}

static void new_slot(slot_t *slot, const lt_t *lt, const double *values) {
    const dnnl_data_type_t dt = stored(lt->data_type);
    const int64_t n = elements(lt);
    const dnnl_dims_t dims = {n ? n : 1};
    dnnl_memory_desc_t md;
    void *data;
    slot->lt = *lt;
    if (lt->property == dnnl_graph_tensor_property_host_scalar) {
        char value[8];
        if (dt == dnnl_s64) *(int64_t *)(void *)value = (int64_t)values[0];
        else ref_store(dt, value, 0, values[0]);
        assert_ok(dnnl_graph_tensor_create_scalar(&slot->tensor, lt, value));
        return;
    }
    assert_ok(dnnl_memory_desc_create_with_strides(&md, 1, dims, dt, NULL));
    assert_ok(dnnl_memory_create(&slot->memory, md, engine, DNNL_MEMORY_ALLOCATE));
    if (!graph_dry) {
        assert_ok(dnnl_memory_map_data(slot->memory, &data));
        for (int64_t i = 0; values && i < n; i++) ref_store(dt, data, i, values[i]);
        assert_ok(dnnl_memory_unmap_data(slot->memory, data));
    }
    assert_ok(dnnl_memory_get_data_handle(slot->memory, &data));
    assert_ok(dnnl_graph_tensor_create(&slot->tensor, lt, engine, data));
    dnnl_memory_desc_destroy(md);
}

/* The tensors of a partition's inputs: those of the graph, or results of partitions before. */
static size_t bind_inputs(const graph_text_t *graph, slot_t *slots, const lt_t *ports, size_t n,
        lt_t *lts, const_dnnl_graph_tensor_t *tensors) {
    for (size_t i = 0; i < n; i++) {
        slot_t *slot = &slots[ports[i].id];
        if (!slot->tensor) {
            const lt_t lt = tensor_of(graph, (int)ports[i].id);
            new_slot(slot, &lt, graph->tensors[ports[i].id].values);
        }
        lts[i] = slot->lt;
        tensors[i] = slot->tensor;
    }
    return n;
}

static size_t find_number(const lt_t *lts, size_t n, size_t number) {
    for (size_t i = 0; i < n; i++)
        if (lts[i].id == number) return i;
    fail_msg("%zu is no tensor of the partition", number);
    return 0;
}

static void assert_bytes(dnnl_memory_t a, dnnl_memory_t b, size_t size) {
    void *x, *y;
    assert_ok(dnnl_memory_map_data(a, &x));
    assert_ok(dnnl_memory_map_data(b, &y));
    assert_memory_equal(x, y, size);
    assert_ok(dnnl_memory_unmap_data(a, x));
    assert_ok(dnnl_memory_unmap_data(b, y));
}

static void copy_memory(dnnl_memory_t to, dnnl_memory_t from, size_t size) {
    void *x, *y;
    assert_ok(dnnl_memory_map_data(to, &x));
    assert_ok(dnnl_memory_map_data(from, &y));
    memcpy(x, y, size);
    assert_ok(dnnl_memory_unmap_data(to, x));
    assert_ok(dnnl_memory_unmap_data(from, y));
}

/* Executes again with a copy of an input, in which an output is: with the same bits. */
static void run_in_place(dnnl_graph_compiled_partition_t cp, const dnnl_graph_inplace_pair_t *pair,
        slot_t *slots, size_t nin, const lt_t *in, const_dnnl_graph_tensor_t *inputs, size_t nout,
        const lt_t *out, const_dnnl_graph_tensor_t *outputs) {
    const slot_t *from = &slots[pair->input_id], *to = &slots[pair->output_id];
    const size_t i = find_number(in, nin, pair->input_id),
                 o = find_number(out, nout, pair->output_id);
    slot_t both, result;
    size_t size;
    void *handle;
    if (!elements(&to->lt)) return;
    assert_ok(dnnl_graph_logical_tensor_get_mem_size(&to->lt, &size));
    new_slot(&both, &from->lt, NULL);
    new_slot(&result, &to->lt, NULL);
    if (!graph_dry) copy_memory(both.memory, from->memory, size);
    assert_ok(dnnl_graph_tensor_get_data_handle(both.tensor, &handle));
    assert_ok(dnnl_graph_tensor_set_data_handle(result.tensor, handle));
    inputs[i] = both.tensor;
    outputs[o] = result.tensor;
    assert_ok(dnnl_graph_compiled_partition_execute(cp, stream, nin, inputs, nout, outputs));
    assert_ok(dnnl_stream_wait(stream));
    if (!graph_dry) assert_bytes(both.memory, to->memory, size);
    graph_in_place++;
    inputs[i] = from->tensor;
    outputs[o] = to->tensor;
    for (slot_t *slot = &both; slot; slot = slot == &both ? &result : NULL) {
        dnnl_graph_tensor_destroy(slot->tensor);
        dnnl_memory_destroy(slot->memory);
    }
}

static void run_partition(const graph_text_t *graph, dnnl_graph_partition_t part, slot_t *slots) {
    enum { MOST_INPUTS = 256 };
    dnnl_graph_compiled_partition_t cp;
    lt_t in[MOST_INPUTS], out[MOST_INPUTS];
    const lt_t *ins[MOST_INPUTS], *outs[MOST_INPUTS];
    const_dnnl_graph_tensor_t inputs[MOST_INPUTS], outputs[MOST_INPUTS];
    lt_t ports[MOST_INPUTS];
    size_t nin, nout;
    assert_ok(dnnl_graph_partition_get_input_ports_num(part, &nin));
    assert_ok(dnnl_graph_partition_get_output_ports_num(part, &nout));
    assert_true(nin < MOST_INPUTS && nout < MOST_INPUTS);
    for (int i = 0; i < MOST_INPUTS; i++) {
        ins[i] = &in[i];
        outs[i] = &out[i];
    }
    assert_ok(dnnl_graph_partition_get_input_ports(part, nin, ports));
    bind_inputs(graph, slots, ports, nin, in, inputs);
    assert_ok(dnnl_graph_partition_get_output_ports(part, nout, out));
    assert_ok(dnnl_graph_compiled_partition_create(&cp, part));
    assert_ok(dnnl_graph_partition_compile(part, cp, nin, ins, nout, outs, engine));
    for (size_t i = 0; i < nout; i++) {
        const size_t id = out[i].id;
        assert_ok(dnnl_graph_compiled_partition_query_logical_tensor(cp, id, &out[i]));
        new_slot(&slots[id], &out[i], NULL);
        outputs[i] = slots[id].tensor;
    }
    assert_ok(dnnl_graph_compiled_partition_execute(cp, stream, nin, inputs, nout, outputs));
    assert_ok(dnnl_stream_wait(stream));
    const dnnl_graph_inplace_pair_t *pairs;
    size_t npairs;
    assert_ok(dnnl_graph_compiled_partition_get_inplace_ports(cp, &npairs, &pairs));
    for (size_t i = 0; i < npairs; i++)
        run_in_place(cp, &pairs[i], slots, nin, in, inputs, nout, out, outputs);
    dnnl_graph_compiled_partition_destroy(cp);
}

static bool is_consumed(const graph_text_t *graph, int number) {
    for (int i = 0; i < graph->nnodes; i++)
        for (int p = 0; p < graph->nodes[i].nin; p++)
            if (graph->nodes[i].in[p] == number) return true;
    return false;
}

static void read_results(graph_text_t *graph, slot_t *slots) {
    for (int i = 0; i < MOST_TENSORS; i++) {
        node_tensor_t *t = &graph->tensors[i];
        void *data;
        if (!t->used || t->input || is_consumed(graph, i)) continue;
        free(t->values);
        t->count = elements(&slots[i].lt);
        t->values = calloc((size_t)t->count + 1, sizeof *t->values);
        assert_non_null(t->values);
        assert_ok(dnnl_memory_map_data(slots[i].memory, &data));
        for (int64_t k = 0; k < t->count; k++) t->values[k] = ref_load(stored(t->dt), data, k);
        assert_ok(dnnl_memory_unmap_data(slots[i].memory, data));
    }
}

void graph_run(
        graph_text_t *text, dnnl_graph_partition_policy_t policy, bool execute, char *counts) {
    static slot_t slots[MOST_TENSORS];
    dnnl_graph_graph_t graph;
    dnnl_graph_partition_t parts[MOST_NODES];
    size_t num;
    memset(slots, 0, sizeof slots);
    assert_ok(dnnl_graph_graph_create(&graph, dnnl_gpu));
    for (int i = 0; i < text->nnodes; i++) add_node(graph, text, i);
    assert_ok(dnnl_graph_graph_finalize(graph));
    assert_ok(dnnl_graph_graph_filter(graph, policy));
    assert_ok(dnnl_graph_graph_get_partition_num(graph, &num));
    assert_true(num <= MOST_NODES);
    assert_ok(dnnl_graph_graph_get_partitions(graph, num, parts));
    assert_ok(dnnl_graph_graph_destroy(graph));
    *counts = 0;
    for (size_t i = 0; i < num; i++) {
        size_t ops;
        uint8_t supported;
        assert_ok(dnnl_graph_partition_get_op_num(parts[i], &ops));
        assert_ok(dnnl_graph_partition_is_supported(parts[i], &supported));
        counts += sprintf(counts, i ? " %zu%s" : "%zu%s", ops, supported ? "" : "!");
        if (execute) run_partition(text, parts[i], slots);
        dnnl_graph_partition_destroy(parts[i]);
    }
    if (execute && !graph_dry) read_results(text, slots);
    for (int i = 0; i < MOST_TENSORS; i++) {
        dnnl_graph_tensor_destroy(slots[i].tensor);
        dnnl_memory_destroy(slots[i].memory);
    }
}
