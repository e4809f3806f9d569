/* SPDX-License-Identifier: Apache-2.0 */
/* What functions of graphs answer to calls that are wrong, and to those that look wrong and are
 * not. test_objects.c has operations, shapes and compilation. */
#include "harness.h"

static lt_t vector(size_t id) {
    const dnnl_dims_t dims = {8};
    lt_t lt;
    assert_ok(dnnl_graph_logical_tensor_init_with_dims(&lt, id, dnnl_f32, 1, dims,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable));
    return lt;
}

static lt_t scalar(void) {
    lt_t lt;
    assert_ok(dnnl_graph_logical_tensor_init(&lt, 1, dnnl_f32, 0, dnnl_graph_layout_type_strided,
            dnnl_graph_tensor_property_host_scalar));
    return lt;
}

static dnnl_graph_op_t new_op(
        size_t id, dnnl_graph_op_kind_t kind, const lt_t *in, const lt_t *out) {
    dnnl_graph_op_t op;
    assert_ok(dnnl_graph_op_create(&op, id, kind, ""));
    assert_ok(dnnl_graph_op_add_input(op, in));
    assert_ok(dnnl_graph_op_add_output(op, out));
    return op;
}

static void test_nothing(void **state) {
    (void)state;
    dnnl_graph_op_t op;
    dnnl_engine_t made;
    lt_t lt;
    assert_ok(dnnl_graph_op_destroy(NULL));
    assert_ok(dnnl_graph_graph_destroy(NULL));
    assert_ok(dnnl_graph_partition_destroy(NULL));
    assert_ok(dnnl_graph_compiled_partition_destroy(NULL));
    assert_ok(dnnl_graph_tensor_destroy(NULL));
    assert_status(dnnl_graph_allocator_destroy(NULL), invalid_arguments);
    assert_status(dnnl_graph_allocator_create(NULL, NULL, NULL), invalid_arguments);
    assert_status(
            dnnl_graph_make_engine_with_allocator(&made, dnnl_gpu, 0, NULL), invalid_arguments);
    assert_status(dnnl_graph_op_create(&op, 1, KIND(relu), NULL), invalid_arguments);
    assert_status(dnnl_graph_op_create(NULL, 1, KIND(relu), ""), invalid_arguments);
    assert_status(dnnl_graph_graph_create(NULL, dnnl_gpu), invalid_arguments);
    assert_status(dnnl_graph_logical_tensor_init_with_dims(&lt, 1, dnnl_f32, 2, NULL,
                          dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable),
            invalid_arguments);
}

static void test_scalars(void **state) {
    (void)state;
    const float value = 2;
    const lt_t lt = scalar(), wrong = vector(1);
    dnnl_graph_tensor_t tensor;
    dnnl_engine_t of = engine;
    void *handle = &of;
    assert_status(dnnl_graph_tensor_create(&tensor, &lt, engine, NULL), invalid_arguments);
    assert_status(dnnl_graph_tensor_create_scalar(&tensor, &lt, NULL), invalid_arguments);
    assert_status(
            dnnl_graph_tensor_create_scalar(&tensor, &lt, DNNL_MEMORY_ALLOCATE), invalid_arguments);
    assert_status(
            dnnl_graph_tensor_create_scalar(&tensor, &wrong, (void *)&value), invalid_arguments);
    assert_ok(dnnl_graph_tensor_create_scalar(&tensor, &lt, (void *)&value));
    assert_ok(dnnl_graph_tensor_get_data_handle(tensor, &handle));
    assert_null(handle);
    assert_ok(dnnl_graph_tensor_get_engine(tensor, &of));
    assert_null(of);
    assert_status(dnnl_graph_tensor_set_data_handle(tensor, (void *)&value), invalid_arguments);
    assert_ok(dnnl_graph_tensor_destroy(tensor));
}

static void test_attributes(void **state) {
    (void)state;
    const uint8_t flags[] = {1, 0};
    const int64_t axis = 1;
    dnnl_graph_op_t op;
    assert_ok(dnnl_graph_op_create(&op, 1, KIND(softmax), ""));
    assert_ok(dnnl_graph_op_set_attr_s64(op, ATTR(axis), &axis, 0));
    assert_status(dnnl_graph_op_set_attr_s64(op, ATTR(axis), NULL, 1), invalid_arguments);
    assert_status(dnnl_graph_op_set_attr_bool(op, ATTR(keep_dims), flags, 2), invalid_arguments);
    assert_status(dnnl_graph_op_set_attr_str(op, ATTR(mode), "none", 0), invalid_arguments);
    assert_status(dnnl_graph_op_add_input(op, NULL), invalid_arguments);
    assert_ok(dnnl_graph_op_destroy(op));
}

static void test_graphs(void **state) {
    (void)state;
    dnnl_graph_graph_t graph;
    dnnl_graph_partition_t part;
    dnnl_fpmath_mode_t mode;
    int to_int;
    size_t num = 9;
    uint8_t is_final;
    const lt_t in = vector(1), out = vector(2);
    dnnl_graph_op_t op = new_op(5, KIND(relu), &in, &out);
    assert_ok(dnnl_graph_graph_create(&graph, dnnl_gpu));
    assert_ok(dnnl_graph_graph_set_fpmath_mode(graph, dnnl_fpmath_mode_any, 0));
    assert_status(dnnl_graph_add_op(graph, NULL), invalid_arguments);
    assert_ok(dnnl_graph_add_op(graph, op));
    assert_ok(dnnl_graph_add_op(graph, op)); /* is there, and ignored */
    assert_ok(dnnl_graph_op_destroy(op));
    assert_ok(dnnl_graph_graph_get_partition_num(graph, &num));
    assert_int_equal(num, 0);
    assert_ok(dnnl_graph_graph_finalize(graph));
    assert_ok(dnnl_graph_graph_finalize(graph));
    assert_ok(dnnl_graph_graph_is_finalized(graph, &is_final));
    assert_int_equal(is_final, 1);
    assert_status(dnnl_graph_graph_set_fpmath_mode(graph, dnnl_fpmath_mode_any, 0), invalid_graph);
    assert_status(dnnl_graph_graph_get_fpmath_mode(graph, &mode, &to_int), invalid_graph);
    assert_ok(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion));
    assert_ok(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_debug));
    assert_ok(dnnl_graph_graph_get_partition_num(graph, &num));
    assert_int_equal(num, 1);
    assert_status(dnnl_graph_graph_get_partitions(graph, 0, &part), invalid_graph);
    assert_status(dnnl_graph_graph_get_partitions(graph, 1, NULL), invalid_graph);
    assert_ok(dnnl_graph_graph_destroy(graph));
}

/* One number of a logical tensor has one meaning. */
static void test_ids(void **state) {
    (void)state;
    dnnl_graph_graph_t graph;
    const lt_t first = vector(1), second = vector(2);
    lt_t other = second, third = vector(3);
    other.data_type = third.data_type = dnnl_f16;
    dnnl_graph_op_t ops[] = {
            new_op(1, KIND(relu), &first, &second), new_op(2, KIND(relu), &other, &third)};
    assert_ok(dnnl_graph_graph_create(&graph, dnnl_gpu));
    for (int i = 0; i < 2; i++) assert_ok(dnnl_graph_add_op(graph, ops[i]));
    assert_status(dnnl_graph_graph_finalize(graph), invalid_graph);
    for (int i = 0; i < 2; i++) assert_ok(dnnl_graph_op_destroy(ops[i]));
    assert_ok(dnnl_graph_graph_destroy(graph));
}

static dnnl_graph_partition_t new_partition(dnnl_graph_op_kind_t kind) {
    dnnl_graph_partition_t part;
    const lt_t in = vector(1), out = vector(2);
    dnnl_graph_op_t op = new_op(7, kind, &in, &out);
    assert_ok(dnnl_graph_partition_create_with_op(&part, op, dnnl_gpu));
    assert_ok(dnnl_graph_op_destroy(op));
    return part;
}

static void test_partitions(void **state) {
    (void)state;
    dnnl_graph_partition_t part = new_partition(KIND(relu)), none = new_partition(KIND(wildcard));
    dnnl_graph_compiled_partition_t cp;
    const lt_t in = vector(1), out = vector(2), *ins[] = {&in}, *outs[] = {&out};
    lt_t undefined = in, found;
    size_t ids[2];
    lt_t ports[2];
    undefined.data_type = dnnl_data_type_undef;
    const lt_t *bad[] = {&undefined};
    assert_status(dnnl_graph_partition_get_ops(part, 2, ids), invalid_arguments);
    assert_status(dnnl_graph_partition_get_input_ports(part, 2, ports), invalid_arguments);
    assert_status(dnnl_graph_partition_get_output_ports(part, 0, ports), invalid_arguments);
    assert_ok(dnnl_graph_compiled_partition_create(&cp, none));
    assert_status(
            dnnl_graph_partition_compile(none, cp, 1, ins, 1, outs, engine), invalid_arguments);
    assert_ok(dnnl_graph_compiled_partition_destroy(cp));
    assert_ok(dnnl_graph_compiled_partition_create(&cp, part));
    assert_ok(dnnl_graph_compiled_partition_query_logical_tensor(cp, 1, &found));
    assert_true(found.id == SIZE_MAX && found.ndims == -1); /* nothing is compiled */
    assert_status(
            dnnl_graph_partition_compile(part, cp, 1, bad, 1, outs, engine), invalid_arguments);
    assert_status(
            dnnl_graph_partition_compile(part, cp, 0, ins, 1, outs, engine), invalid_arguments);
    assert_ok(dnnl_graph_partition_compile(part, cp, 1, ins, 1, outs, engine));
    assert_ok(dnnl_graph_compiled_partition_query_logical_tensor(cp, 2, &found));
    assert_int_equal(found.id, 2);
    assert_ok(dnnl_graph_compiled_partition_query_logical_tensor(cp, 99, &found));
    assert_true(found.id == SIZE_MAX && found.ndims == -1 &&
                found.layout_type == dnnl_graph_layout_type_any);
    assert_status(
            dnnl_graph_compiled_partition_execute(cp, NULL, 0, NULL, 0, NULL), invalid_arguments);
    assert_status(
            dnnl_graph_compiled_partition_execute(cp, stream, 0, NULL, 0, NULL), invalid_arguments);
    assert_ok(dnnl_graph_compiled_partition_destroy(cp));
    assert_ok(dnnl_graph_partition_destroy(part));
    assert_ok(dnnl_graph_partition_destroy(none));
}

static void test_caches(void **state) {
    (void)state;
    assert_status(dnnl_graph_set_constant_tensor_cache(-1), invalid_arguments);
    assert_status(dnnl_graph_set_compiled_partition_cache_capacity(-1), invalid_arguments);
    assert_status(dnnl_graph_get_compiled_partition_cache_capacity(NULL), invalid_arguments);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_nothing),
            cmocka_unit_test(test_scalars),
            cmocka_unit_test(test_attributes),
            cmocka_unit_test(test_graphs),
            cmocka_unit_test(test_ids),
            cmocka_unit_test(test_partitions),
            cmocka_unit_test(test_caches),
    };
    return cmocka_run_group_tests(tests, begin_tests, end_tests);
}
