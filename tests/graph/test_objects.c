/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses of misuse, logical tensors, and the order of partitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dnnl_graph.h"
#include "ze/engine.h"

#define assert_status(call, expected) assert_int_equal(call, dnnl_##expected)
#define assert_ok(call) assert_status(call, success)
#define ATTR(name) dnnl_graph_op_attr_##name

typedef dnnl_graph_logical_tensor_t lt_t;
static dnnl_engine_t engine;

static lt_t matrix(size_t id, int64_t rows, int64_t columns) {
    const dnnl_dims_t dims = {rows, columns};
    lt_t lt;
    assert_ok(dnnl_graph_logical_tensor_init_with_dims(&lt, id, dnnl_f32, 2, dims,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable));
    return lt;
}

static lt_t unknown(size_t id) {
    lt_t lt;
    assert_ok(dnnl_graph_logical_tensor_init(&lt, id, dnnl_f32, DNNL_GRAPH_UNKNOWN_NDIMS,
            dnnl_graph_layout_type_any, dnnl_graph_tensor_property_variable));
    return lt;
}

static dnnl_graph_op_t new_op(
        size_t id, dnnl_graph_op_kind_t kind, int nin, const lt_t *in, const lt_t *out) {
    dnnl_graph_op_t op;
    assert_ok(dnnl_graph_op_create(&op, id, kind, ""));
    for (int i = 0; i < nin; i++) assert_ok(dnnl_graph_op_add_input(op, &in[i]));
    if (out) assert_ok(dnnl_graph_op_add_output(op, out));
    return op;
}

static void test_logical_tensors(void **state) {
    (void)state;
    lt_t lt = matrix(1, 3, 5), other = lt;
    size_t size;
    uint8_t equal;
    assert_int_equal(lt.layout.strides[0], 5);
    assert_ok(dnnl_graph_logical_tensor_get_mem_size(&lt, &size));
    assert_int_equal(size, 60);
    assert_ok(dnnl_graph_logical_tensor_is_equal(&lt, &other, &equal));
    assert_int_equal(equal, 1);
    other.layout.strides[0] = 7;
    assert_ok(dnnl_graph_logical_tensor_is_equal(&lt, &other, &equal));
    assert_int_equal(equal, 0);
    assert_ok(dnnl_graph_logical_tensor_get_mem_size(&other, &size));
    assert_int_equal(size, 84);
    lt = unknown(2);
    assert_ok(dnnl_graph_logical_tensor_get_mem_size(&lt, &size));
    assert_true(size == SIZE_MAX);
    assert_status(dnnl_graph_logical_tensor_init(&lt, 1, dnnl_f32, 13, dnnl_graph_layout_type_any,
                          dnnl_graph_tensor_property_variable),
            invalid_arguments);
    assert_status(dnnl_graph_logical_tensor_init(&lt, 1, dnnl_f16, 0, dnnl_graph_layout_type_any,
                          dnnl_graph_tensor_property_host_scalar),
            invalid_arguments);
}

static dnnl_status_t add(dnnl_graph_graph_t graph, dnnl_graph_op_t op) {
    const dnnl_status_t status = dnnl_graph_add_op(graph, op);
    assert_ok(dnnl_graph_op_destroy(op));
    return status;
}

static void test_operations(void **state) {
    (void)state;
    dnnl_graph_graph_t graph;
    const lt_t in[] = {matrix(1, 3, 5), matrix(2, 3, 5)}, out = unknown(3);
    lt_t s32 = in[0];
    s32.data_type = dnnl_s32;
    assert_ok(dnnl_graph_graph_create(&graph, dnnl_gpu));
    assert_status(add(graph, new_op(1, dnnl_graph_op_relu, 2, in, &out)), invalid_graph_op);
    assert_status(add(graph, new_op(1, dnnl_graph_op_relu, 1, in, NULL)), invalid_graph_op);
    assert_status(add(graph, new_op(1, dnnl_graph_op_relu, 1, &s32, &out)), invalid_graph_op);
    assert_status(add(graph, new_op(1, dnnl_graph_op_elu, 1, in, &out)), invalid_graph_op);
    assert_status(add(graph, new_op(1, dnnl_graph_op_last_symbol, 1, in, &out)), invalid_graph_op);
    assert_status(add(graph, new_op(1, dnnl_graph_op_reduce_sum, 1, in, &out)), invalid_graph_op);
    dnnl_graph_op_t op = new_op(1, dnnl_graph_op_gelu, 1, in, &out);
    assert_ok(dnnl_graph_op_set_attr_str(op, ATTR(mode), "gelu", 1));
    assert_status(add(graph, op), invalid_graph_op);
    assert_ok(add(graph, new_op(1, dnnl_graph_op_relu, 1, in, &out)));
    assert_ok(add(graph, new_op(1, dnnl_graph_op_add, 2, in, &out)));
    assert_status(
            dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion), invalid_graph);
    assert_ok(dnnl_graph_graph_finalize(graph));
    assert_status(add(graph, new_op(2, dnnl_graph_op_relu, 1, in, &out)), invalid_graph);
    assert_ok(dnnl_graph_graph_destroy(graph));
}

static void test_cycle(void **state) {
    (void)state;
    dnnl_graph_graph_t graph;
    const lt_t a = matrix(1, 3, 5), b = matrix(2, 3, 5);
    assert_ok(dnnl_graph_graph_create(&graph, dnnl_gpu));
    assert_ok(add(graph, new_op(1, dnnl_graph_op_relu, 1, &a, &b)));
    assert_ok(add(graph, new_op(2, dnnl_graph_op_relu, 1, &b, &a)));
    assert_status(dnnl_graph_graph_finalize(graph), invalid_graph);
    assert_ok(dnnl_graph_graph_destroy(graph));
}

static void test_order(void **state) {
    (void)state;
    dnnl_graph_graph_t graph;
    dnnl_graph_partition_t parts[3];
    const lt_t t[] = {matrix(1, 3, 5), unknown(2), unknown(3), unknown(4)};
    size_t num, id;
    uint8_t supported;
    assert_ok(dnnl_graph_graph_create(&graph, dnnl_cpu));
    assert_ok(add(graph, new_op(7, dnnl_graph_op_wildcard, 1, &t[2], &t[3])));
    assert_ok(add(graph, new_op(8, dnnl_graph_op_tanh, 1, &t[1], &t[2])));
    assert_ok(add(graph, new_op(9, dnnl_graph_op_relu, 1, &t[0], &t[1])));
    assert_ok(dnnl_graph_graph_finalize(graph));
    assert_ok(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_debug));
    assert_ok(dnnl_graph_graph_get_partition_num(graph, &num));
    assert_int_equal(num, 3);
    assert_ok(dnnl_graph_graph_get_partitions(graph, 3, parts));
    assert_ok(dnnl_graph_graph_destroy(graph));
    for (size_t i = 0; i < 3; i++) {
        assert_ok(dnnl_graph_partition_get_ops(parts[i], 1, &id));
        assert_int_equal(id, 9 - i);
        assert_ok(dnnl_graph_partition_is_supported(parts[i], &supported));
        assert_int_equal(supported, i < 2);
        assert_ok(dnnl_graph_partition_destroy(parts[i]));
    }
}

static dnnl_status_t compile_for(dnnl_engine_kind_t kind, const lt_t *in, const lt_t *out) {
    dnnl_graph_partition_t part;
    dnnl_graph_compiled_partition_t cp;
    const lt_t declared[] = {unknown(1), unknown(2)}, *ins[] = {&in[0], &in[1]}, *outs[] = {out};
    const lt_t result = unknown(3);
    dnnl_graph_op_t op = new_op(1, dnnl_graph_op_matmul, 2, declared, &result);
    assert_ok(dnnl_graph_partition_create_with_op(&part, op, kind));
    assert_ok(dnnl_graph_op_destroy(op));
    assert_ok(dnnl_graph_compiled_partition_create(&cp, part));
    const dnnl_status_t status = dnnl_graph_partition_compile(part, cp, 2, ins, 1, outs, engine);
    assert_ok(dnnl_graph_compiled_partition_destroy(cp));
    assert_ok(dnnl_graph_partition_destroy(part));
    return status;
}

static dnnl_status_t compile(const lt_t *in, const lt_t *out) {
    return compile_for(dnnl_gpu, in, out);
}

/* A graph for CPUs is compiled where the device is one. */
static void test_kinds(void **state) {
    (void)state;
    const lt_t in[] = {matrix(1, 3, 5), matrix(2, 5, 4)}, out = unknown(3);
    assert_int_equal(compile_for(dnnl_cpu, in, &out),
            engine->core->caps.is_cpu ? dnnl_success : dnnl_invalid_arguments);
}

static void test_compile(void **state) {
    (void)state;
    const lt_t good[] = {matrix(1, 3, 5), matrix(2, 5, 4)}, bad[] = {good[0], matrix(2, 4, 5)};
    const lt_t missing[] = {good[0], matrix(9, 5, 4)}, open[] = {good[0], unknown(2)};
    const lt_t out = unknown(3), wrong = matrix(3, 3, 5);
    assert_ok(compile(good, &out));
    assert_status(compile(bad, &out), invalid_shape);
    assert_status(compile(good, &wrong), invalid_shape);
    assert_status(compile(missing, &out), invalid_arguments);
    assert_status(compile(open, &out), invalid_arguments);
}

/* The first axis of a norm has to be one of the source. */
static void test_axis(void **state) {
    (void)state;
    static const int64_t axes[] = {1, 2, -3, INT64_MIN, INT64_MAX};
    for (int k = 0; k < 5; k++) {
        const lt_t src = matrix(1, 3, 5), dst = unknown(2), *in[] = {&src}, *out[] = {&dst};
        dnnl_graph_partition_t part;
        dnnl_graph_compiled_partition_t cp;
        dnnl_graph_op_t op = new_op(1, dnnl_graph_op_rms_norm, 1, &src, &dst);
        assert_ok(dnnl_graph_op_set_attr_s64(op, ATTR(begin_norm_axis), &axes[k], 0));
        assert_ok(dnnl_graph_partition_create_with_op(&part, op, dnnl_gpu));
        assert_ok(dnnl_graph_op_destroy(op));
        assert_ok(dnnl_graph_compiled_partition_create(&cp, part));
        assert_int_equal(dnnl_graph_partition_compile(part, cp, 1, in, 1, out, engine),
                k ? dnnl_invalid_shape : dnnl_success);
        assert_ok(dnnl_graph_compiled_partition_destroy(cp));
        assert_ok(dnnl_graph_partition_destroy(part));
    }
}

/* Nor may its axes have more elements together than a number can count: 2^64 would be none. */
static void test_many(void **state) {
    (void)state;
    static const dnnl_dims_t all[] = {
            {1, 1LL << 32, 1LL << 32}, {1, 1LL << 32, (1LL << 32) + 1}, {1, 1LL << 62, 3}};
    for (int k = 0; k < 6; k++) {
        const dnnl_graph_op_kind_t kind = k < 3 ? dnnl_graph_op_rms_norm : dnnl_graph_op_layer_norm;
        const int64_t axis = 1;
        const uint8_t no = 0;
        const lt_t dst = unknown(2), *in[1], *out[] = {&dst};
        lt_t src;
        dnnl_graph_partition_t part;
        dnnl_graph_compiled_partition_t cp;
        assert_ok(dnnl_graph_logical_tensor_init_with_dims(&src, 1, dnnl_f32, 3, all[k % 3],
                dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable));
        in[0] = &src;
        dnnl_graph_op_t op = new_op(1, kind, 1, &src, &dst);
        assert_ok(dnnl_graph_op_set_attr_s64(op, ATTR(begin_norm_axis), &axis, 0));
        assert_ok(dnnl_graph_op_set_attr_bool(op, ATTR(keep_stats), &no, 1));
        assert_ok(dnnl_graph_partition_create_with_op(&part, op, dnnl_gpu));
        assert_ok(dnnl_graph_op_destroy(op));
        assert_ok(dnnl_graph_compiled_partition_create(&cp, part));
        assert_int_equal(
                dnnl_graph_partition_compile(part, cp, 1, in, 1, out, engine), dnnl_invalid_shape);
        assert_ok(dnnl_graph_compiled_partition_destroy(cp));
        assert_ok(dnnl_graph_partition_destroy(part));
    }
}

/* What no memory can hold has no size. */
static void test_large(void **state) {
    (void)state;
    const lt_t lt = matrix(1, INT64_MAX, 4);
    size_t size;
    assert_ok(dnnl_graph_logical_tensor_get_mem_size(&lt, &size));
    assert_true(size == SIZE_MAX);
}

static int begin(void **state) {
    (void)state;
    return dnnl_engine_create(&engine, dnnl_gpu, 0);
}

static int end(void **state) {
    (void)state;
    return dnnl_engine_destroy(engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_logical_tensors),
            cmocka_unit_test(test_operations),
            cmocka_unit_test(test_cycle),
            cmocka_unit_test(test_order),
            cmocka_unit_test(test_compile),
            cmocka_unit_test(test_kinds),
            cmocka_unit_test(test_axis),
            cmocka_unit_test(test_many),
            cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
