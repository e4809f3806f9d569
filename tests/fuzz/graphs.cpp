/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: bytes become a graph, mostly one that follows the schemas of its operations. It is
 * divided into partitions, which are compiled and executed one after the other. Whatever the
 * bytes are, there is a documented status; what compiles has known shapes, and what is supported
 * and has memory can be executed.
 *
 * FUZZ_EXECUTE=0 in the environment leaves out compilation; FUZZ_COMPILE_MS=n and
 * FUZZ_COMPILE_SHARE=s limit its time (execute.h). */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "dnnl_graph.h"
#include "draw.hpp"
#include "target.hpp"
extern "C" {
#include "execute.h"
#include "graph/schema.h"
}

namespace {

executor_t executor;
struct {
    long graphs, ops, added, partitions, compiled, executed;
    double compile_ms;
} done;
std::chrono::steady_clock::time_point start;

double ms_since(std::chrono::steady_clock::time_point then) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - then)
            .count();
}

bool rarely() {
    return below(32) == 31;
}

/* One of the statuses that the headers name. */
dnnl_status_t checked(dnnl_status_t status, const char *call) {
    switch (status) {
    case dnnl_success:
    case dnnl_out_of_memory:
    case dnnl_invalid_arguments:
    case dnnl_unimplemented:
    case dnnl_invalid_graph:
    case dnnl_invalid_graph_op:
    case dnnl_invalid_shape: return status;
    default: fprintf(stderr, "%s answers %d\n", call, (int)status); abort();
    }
}
#define CHECKED(call) checked(call, #call)

void require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "wrong: %s\n", what);
    abort();
}

struct graph_t {
    std::map<size_t, lt_t> values; /* by number: with dims once they are known */
    size_t last_value = 0;
};

std::vector<int64_t> draw_shape() {
    static const std::vector<int64_t> shapes[] = {{2, 4, 3, 4}, {2, 3, 4, 4}, {4}, {1}, {3, 4},
            {4, 3}, {4, 4}, {2, 4, 4}, {4, 4, 1, 1}, {4, 4, 2, 2}, {2, 2, 4, 4}, {}, {0, 4},
            {2, 4, 3, 3, 4}, {1, 1, 1, 1}, {4, 2}};
    std::vector<int64_t> shape = one_of(shapes);
    for (int64_t &dim : shape)
        if (below(48) == 47) dim = odd_dim();
    return shape;
}

dnnl_data_type_t draw_type(uint32_t types) {
    std::vector<dnnl_data_type_t> list;
    for (int dt = 1; dt < 32; dt++)
        if (types >> dt & 1) list.push_back((dnnl_data_type_t)dt);
    return list.empty() || rarely() ? draw<dnnl_data_type_t>::get() : list[below(list.size())];
}

dnnl_graph_tensor_property_t draw_property() {
    if (rarely()) return (dnnl_graph_tensor_property_t)below(5);
    return below(4) ? dnnl_graph_tensor_property_variable : dnnl_graph_tensor_property_constant;
}

/* An input of the graph. */
lt_t new_input(graph_t &g, dnnl_data_type_t dt) {
    const std::vector<int64_t> shape = draw_shape();
    dnnl_dims_t dims = {0}, strides = {0};
    lt_t lt = lt_empty(g.last_value + 1);
    for (size_t d = 0; d < shape.size(); d++) dims[d] = shape[d];
    const auto property = draw_property();
    if (below(8)) {
        CHECKED(dnnl_graph_logical_tensor_init_with_dims(&lt, g.last_value + 1, dt,
                (int)shape.size(), dims,
                below(8) ? dnnl_graph_layout_type_strided : dnnl_graph_layout_type_any, property));
    } else { /* the first dimension is the densest one, or all are anything */
        int64_t stride = 1;
        for (size_t d = 0; d < shape.size(); d++) {
            strides[d] = rarely() ? odd_dim() : stride;
            if (__builtin_mul_overflow(stride, shape[d], &stride)) stride = 1;
        }
        CHECKED(dnnl_graph_logical_tensor_init_with_strides(
                &lt, g.last_value + 1, dt, (int)shape.size(), dims, strides, property));
    }
    lt.id = ++g.last_value;
    g.values[lt.id] = lt;
    return lt;
}

lt_t some_value(graph_t &g, dnnl_data_type_t dt) {
    std::vector<const lt_t *> same;
    for (const auto &value : g.values)
        if (value.second.data_type == dt) same.push_back(&value.second);
    return same.empty() || below(3) == 0 ? new_input(g, dt) : *same[below(same.size())];
}

lt_t new_output(graph_t &g, dnnl_data_type_t dt) {
    lt_t lt = lt_empty(++g.last_value);
    lt.data_type = dt;
    if (rarely()) lt.layout_type = dnnl_graph_layout_type_strided;
    if (rarely()) lt.id = below(g.last_value + 1); /* a cycle, or two producers */
    g.values[lt.id] = lt;
    return lt;
}

/* Types of the ports of an operation, by letters. */
typedef std::map<int, dnnl_data_type_t> letters_t;

void add_ports(
        graph_t &g, dnnl_graph_op_t op, const ports_rule_t &rule, bool out, letters_t &letters) {
    const int most = std::min(rule.largest, rule.least + 3 * rule.step);
    int n = rule.least + (int)below((uint64_t)(most - rule.least + 1));
    if (rarely()) n = (int)below(6);
    for (int i = 0; i < n; i++) {
        const port_rule_t &port = rule.ports[std::min(i, rule.nports - 1)];
        if (!letters.count(port.letter) || rarely()) letters[port.letter] = draw_type(port.types);
        const dnnl_data_type_t dt = letters[port.letter];
        const lt_t lt = out ? new_output(g, dt) : some_value(g, dt);
        CHECKED(out ? dnnl_graph_op_add_output(op, &lt) : dnnl_graph_op_add_input(op, &lt));
    }
}

std::string draw_choice(const char *choices) {
    std::vector<std::string> list(1);
    for (const char *c = choices; c && *c; c++)
        if (*c == '|') list.push_back("");
        else list.back() += *c;
    return rarely() ? "anything" : list[below(list.size())];
}

std::vector<int64_t> draw_ints() {
    static const std::vector<int64_t> lists[] = {{1, 1}, {2, 2}, {0, 0}, {1}, {0}, {1, 1, 1},
            {0, 2, 1, 3}, {2, -1}, {2, 4, 3, 4}, {}, {1, 4}, {0, 1}, {-1}, {2, 12, 4}};
    std::vector<int64_t> list = one_of(lists);
    for (int64_t &value : list)
        if (below(48) == 47) value = odd_dim();
    return list;
}

void set_attribute(dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const char *choices) {
    static const int64_t ints[] = {0, 1, 2, -1, 3, 4, INT64_MAX, INT64_MIN};
    switch (attribute_type(rarely() ? (dnnl_graph_op_attr_t)below(256) : name)) {
    case ATTRIBUTE_F32:
    case ATTRIBUTE_F32_LIST: {
        const float values[] = {draw<float>::get(), 1, 2, .5f};
        CHECKED(dnnl_graph_op_set_attr_f32(op, name, values, below(5)));
        break;
    }
    case ATTRIBUTE_S64: {
        const int64_t value = ints[below(rarely() ? 8 : 3)];
        CHECKED(dnnl_graph_op_set_attr_s64(op, name, &value, below(2)));
        break;
    }
    case ATTRIBUTE_S64_LIST: {
        std::vector<int64_t> list = draw_ints();
        list.push_back(0);
        CHECKED(dnnl_graph_op_set_attr_s64(op, name, list.data(), list.size() - 1));
        break;
    }
    case ATTRIBUTE_FLAG: {
        const uint8_t flag = (uint8_t)below(2);
        CHECKED(dnnl_graph_op_set_attr_bool(op, name, &flag, !rarely()));
        break;
    }
    default: {
        const std::string text = draw_choice(choices);
        CHECKED(dnnl_graph_op_set_attr_str(op, name, text.c_str(), !rarely()));
    }
    }
}

void add_op(graph_t &g, dnnl_graph_graph_t graph, size_t id) {
    const auto kind = (dnnl_graph_op_kind_t)below(90);
    const op_schema_t *schema = schema_find(kind);
    dnnl_graph_op_t op = nullptr;
    letters_t letters;
    if (CHECKED(dnnl_graph_op_create(&op, rarely() ? 1 : id, kind, rarely() ? "" : "op"))) return;
    if (schema) {
        add_ports(g, op, schema->in, false, letters);
        add_ports(g, op, schema->out, true, letters);
        for (int i = 0; i < schema->nattributes; i++) {
            const attribute_rule_t &rule = schema->attributes[i];
            if (rule.required ? !rarely() : below(4) == 0)
                set_attribute(op, rule.name, rule.choices);
        }
    }
    if (rarely()) set_attribute(op, (dnnl_graph_op_attr_t)below(256), nullptr);
    done.ops++;
    if (CHECKED(dnnl_graph_add_op(graph, op)) == dnnl_success) done.added++;
    dnnl_graph_op_destroy(op);
}

std::vector<lt_t> ports_of(const_dnnl_graph_partition_t part, bool out) {
    size_t n = 0;
    if (out) CHECKED(dnnl_graph_partition_get_output_ports_num(part, &n));
    else CHECKED(dnnl_graph_partition_get_input_ports_num(part, &n));
    std::vector<lt_t> ports(n);
    const dnnl_status_t status =
            !n    ? dnnl_success
            : out ? CHECKED(dnnl_graph_partition_get_output_ports(part, n, ports.data()))
                  : CHECKED(dnnl_graph_partition_get_input_ports(part, n, ports.data()));
    require(status == dnnl_success, "ports of a partition");
    return ports;
}

/* Tensors with memory of the engine. False: one is too large, or its size is not known. */
bool make_tensors(const std::vector<lt_t> &lts, std::vector<const_dnnl_graph_tensor_t> &tensors) {
    for (const lt_t &lt : lts) {
        dnnl_graph_tensor_t tensor = nullptr;
        size_t size = 0;
        if (lt.property == dnnl_graph_tensor_property_host_scalar) {
            int64_t value = 1;
            if (CHECKED(dnnl_graph_tensor_create_scalar(&tensor, &lt, &value))) return false;
        } else {
            CHECKED(dnnl_graph_logical_tensor_get_mem_size(&lt, &size));
            if (size > 1 << 20) return false;
            if (CHECKED(dnnl_graph_tensor_create(
                        &tensor, &lt, executor.engine, DNNL_MEMORY_ALLOCATE)))
                return false;
        }
        tensors.push_back(tensor);
    }
    return true;
}

void execute(dnnl_graph_compiled_partition_t cp, const std::vector<lt_t> &in,
        const std::vector<lt_t> &out) {
    std::vector<const_dnnl_graph_tensor_t> inputs, outputs;
    lt_t scratch;
    CHECKED(dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(cp, &scratch));
    require(scratch.dims[0] >= 0, "size of a scratchpad");
    if (scratch.dims[0] < 1 << 24 && make_tensors(in, inputs) && make_tensors(out, outputs)) {
        const size_t nin = inputs.size() - (rarely() && !inputs.empty());
        const dnnl_status_t status = CHECKED(dnnl_graph_compiled_partition_execute(
                cp, executor.stream, nin, inputs.data(), outputs.size(), outputs.data()));
        require(status == dnnl_success || nin < inputs.size() || status == dnnl_invalid_arguments,
                "status of an execution");
        CHECKED(dnnl_stream_wait(executor.stream));
        done.executed += status == dnnl_success;
    }
    for (auto list : {&inputs, &outputs})
        for (const_dnnl_graph_tensor_t tensor : *list)
            dnnl_graph_tensor_destroy((dnnl_graph_tensor_t)tensor);
}

bool may_compile() {
    return done.compile_ms < executor.compile_ms ||
           done.compile_ms < executor.compile_share * ms_since(start);
}

void compile(graph_t &g, dnnl_graph_partition_t part) {
    std::vector<lt_t> in = ports_of(part, false), out = ports_of(part, true);
    std::vector<const lt_t *> ins, outs;
    dnnl_graph_compiled_partition_t cp = nullptr;
    for (lt_t &lt : in) {
        lt = g.values[lt.id];
        ins.push_back(&lt);
    }
    for (const lt_t &lt : out) outs.push_back(&lt);
    if (rarely() && !ins.empty()) ins.pop_back();
    const auto before = std::chrono::steady_clock::now();
    CHECKED(dnnl_graph_compiled_partition_create(&cp, part));
    const dnnl_status_t status = CHECKED(dnnl_graph_partition_compile(
            part, cp, ins.size(), ins.data(), outs.size(), outs.data(), executor.engine));
    if (status == dnnl_success) {
        done.compiled++;
        for (auto list : {&in, &out})
            for (lt_t &lt : *list) {
                CHECKED(dnnl_graph_compiled_partition_query_logical_tensor(cp, lt.id, &lt));
                require(lt_has_dims(&lt), "dims of a compiled partition");
                require(lt.layout_type == dnnl_graph_layout_type_strided, "layout");
            }
        for (const lt_t &lt : out) g.values[lt.id] = lt;
        execute(cp, in, out);
    }
    dnnl_graph_compiled_partition_destroy(cp);
    /* Of executions as well: drivers put off the work. */
    done.compile_ms += ms_since(before);
}

void run(graph_t &g, dnnl_graph_graph_t graph, bool executes) {
    size_t n = 0;
    const auto policy =
            rarely() ? (dnnl_graph_partition_policy_t)below(4) : dnnl_graph_partition_policy_fusion;
    if (!rarely()) CHECKED(dnnl_graph_graph_finalize(graph));
    if (CHECKED(dnnl_graph_graph_filter(graph, policy)) != dnnl_success) return;
    CHECKED(dnnl_graph_graph_get_partition_num(graph, &n));
    std::vector<dnnl_graph_partition_t> parts(n + 1);
    if (!n || CHECKED(dnnl_graph_graph_get_partitions(graph, n, parts.data()))) return;
    for (size_t i = 0; i < n; i++) {
        uint8_t is_supported = 0;
        done.partitions++;
        CHECKED(dnnl_graph_partition_is_supported(parts[i], &is_supported));
        if (executes && may_compile() && (is_supported || rarely())) compile(g, parts[i]);
        dnnl_graph_partition_destroy(parts[i]);
    }
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
    executor_open(&executor);
    start = std::chrono::steady_clock::now();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const bool executes = executor_is_wanted();
    graph_t g;
    dnnl_graph_graph_t graph = nullptr;
    draw_from(data, size);
    done.graphs++;
    const dnnl_engine_kind_t kind = rarely() ? draw<dnnl_engine_kind_t>::get() : dnnl_gpu;
    const dnnl_fpmath_mode_t mode =
            rarely() ? draw<dnnl_fpmath_mode_t>::get() : dnnl_fpmath_mode_strict;
    if (CHECKED(dnnl_graph_graph_create_with_fpmath_mode(&graph, kind, mode))) return 0;
    CHECKED(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_gpu, below(2)));
    const size_t nops = 1 + below(6);
    for (size_t i = 0; i < nops; i++) add_op(g, graph, i + 1);
    run(g, graph, executes);
    dnnl_graph_graph_destroy(graph);
    return 0;
}

bool finish_target() {
    printf("%ld graphs with %ld operations, of which %ld were added; %ld partitions, %ld compiled, "
           "%ld executed\n",
            done.graphs, done.ops, done.added, done.partitions, done.compiled, done.executed);
    executor_close(&executor);
    return true;
}
