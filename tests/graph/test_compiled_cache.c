/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of compiled partitions: what shares a program, and for how long. */
#include <pthread.h>
#include <stdlib.h>

#include "graph/frames.h"
#include "tests/graph/harness.h"

static dnnl_graph_partition_t relu(const char *name, dnnl_data_type_t dt) {
    dnnl_graph_op_t op;
    dnnl_graph_partition_t part;
    lt_t lt;
    assert_ok(dnnl_graph_op_create(&op, 1, KIND(relu), name));
    for (size_t i = 0; i < 2; i++) {
        assert_ok(dnnl_graph_logical_tensor_init(&lt, i, dt, DNNL_GRAPH_UNKNOWN_NDIMS,
                dnnl_graph_layout_type_any, dnnl_graph_tensor_property_variable));
        assert_ok(i ? dnnl_graph_op_add_output(op, &lt) : dnnl_graph_op_add_input(op, &lt));
    }
    assert_ok(dnnl_graph_partition_create_with_op(&part, op, dnnl_gpu));
    assert_ok(dnnl_graph_op_destroy(op));
    return part;
}

static dnnl_graph_compiled_partition_t compile(
        dnnl_graph_partition_t part, dnnl_data_type_t dt, int64_t count, dnnl_engine_t on) {
    const dnnl_dims_t dims = {count, 3};
    dnnl_graph_compiled_partition_t cp;
    lt_t src, dst;
    assert_ok(dnnl_graph_logical_tensor_init_with_dims(&src, 0, dt, 2, dims,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable));
    assert_ok(dnnl_graph_logical_tensor_init(&dst, 1, dt, DNNL_GRAPH_UNKNOWN_NDIMS,
            dnnl_graph_layout_type_any, dnnl_graph_tensor_property_variable));
    const lt_t *in[] = {&src}, *out[] = {&dst};
    assert_ok(dnnl_graph_compiled_partition_create(&cp, part));
    assert_ok(dnnl_graph_partition_compile(part, cp, 1, in, 1, out, on));
    return cp;
}

/* Compiles twice. Did both get the same program? */
static bool is_shared(dnnl_graph_partition_t a, int64_t count_a, dnnl_graph_partition_t b,
        int64_t count_b, dnnl_engine_t on) {
    const dnnl_graph_compiled_partition_t one_cp = compile(a, dnnl_f32, count_a, engine);
    const dnnl_graph_compiled_partition_t other = compile(b, dnnl_f32, count_b, on);
    const bool shared = one_cp->frames == other->frames;
    lt_t lt;
    assert_ok(dnnl_graph_compiled_partition_query_logical_tensor(other, 1, &lt));
    assert_int_equal(lt.ndims, 2);
    assert_int_equal(lt.dims[0], count_b);
    assert_int_equal(lt.layout.strides[0], 3);
    dnnl_graph_compiled_partition_destroy(one_cp);
    dnnl_graph_compiled_partition_destroy(other);
    return shared;
}

static void test_keys(void **state) {
    (void)state;
    const dnnl_graph_partition_t a = relu("a", dnnl_f32), same = relu("a", dnnl_f32),
                                 named = relu("b", dnnl_f32);
    dnnl_engine_t other;
    assert_ok(dnnl_engine_create(&other, dnnl_gpu, 0));
    assert_true(is_shared(a, 5, a, 5, engine));
    assert_true(is_shared(a, 5, same, 5, engine));
    assert_false(is_shared(a, 5, a, 6, engine));
    assert_false(is_shared(a, 5, named, 5, engine));
    assert_false(is_shared(a, 5, a, 5, other));
    assert_ok(dnnl_engine_destroy(other));
    dnnl_graph_partition_destroy(a);
    dnnl_graph_partition_destroy(same);
    dnnl_graph_partition_destroy(named);
}

static void test_capacity(void **state) {
    (void)state;
    const dnnl_graph_partition_t part = relu("a", dnnl_f32);
    int capacity;
    assert_ok(dnnl_graph_get_compiled_partition_cache_capacity(&capacity));
    assert_int_equal(capacity, 7); /* main() says so */
    assert_int_equal(dnnl_graph_set_compiled_partition_cache_capacity(-1), dnnl_invalid_arguments);
    assert_int_equal(
            dnnl_graph_get_compiled_partition_cache_capacity(NULL), dnnl_invalid_arguments);
    assert_ok(dnnl_graph_set_compiled_partition_cache_capacity(0));
    assert_ok(dnnl_graph_get_compiled_partition_cache_capacity(&capacity));
    assert_int_equal(capacity, 0);
    assert_false(is_shared(part, 5, part, 5, engine));
    /* The one that was used last stays. */
    assert_ok(dnnl_graph_set_compiled_partition_cache_capacity(1));
    const dnnl_graph_compiled_partition_t first = compile(part, dnnl_f32, 5, engine);
    dnnl_graph_compiled_partition_destroy(compile(part, dnnl_f32, 6, engine));
    const dnnl_graph_compiled_partition_t again = compile(part, dnnl_f32, 5, engine);
    assert_true(first->frames != again->frames);
    assert_true(is_shared(part, 5, part, 5, engine));
    dnnl_graph_compiled_partition_destroy(first);
    dnnl_graph_compiled_partition_destroy(again);
    assert_ok(dnnl_graph_set_compiled_partition_cache_capacity(1024));
    dnnl_graph_partition_destroy(part);
}

/* The cache keeps no engine alive, and nothing of one that is gone. */
static void test_engine(void **state) {
    (void)state;
    const dnnl_graph_partition_t part = relu("a", dnnl_f32);
    for (int k = 0; k < 3; k++) {
        dnnl_engine_t other;
        assert_ok(dnnl_engine_create(&other, dnnl_gpu, 0));
        const dnnl_graph_compiled_partition_t cp = compile(part, dnnl_f32, 4, other);
        assert_int_equal(frames_refs(cp->frames), 2);
        assert_ok(dnnl_engine_destroy(other));
        assert_int_equal(frames_refs(cp->frames), 1);
        dnnl_graph_compiled_partition_destroy(cp);
    }
    dnnl_graph_partition_destroy(part);
}

/* A failed compilation is not kept. */
static void test_failure(void **state) {
    (void)state;
    const dnnl_graph_partition_t part = relu("a", dnnl_f32);
    dnnl_graph_compiled_partition_t cp;
    const dnnl_dims_t dims = {4, 3}, wrong = {4, 4};
    lt_t src, dst;
    const lt_t *in[] = {&src}, *out[] = {&dst};
    assert_ok(dnnl_graph_logical_tensor_init_with_dims(&src, 0, dnnl_f32, 2, dims,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable));
    assert_ok(dnnl_graph_logical_tensor_init_with_dims(&dst, 1, dnnl_f32, 2, wrong,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable));
    assert_ok(dnnl_graph_compiled_partition_create(&cp, part));
    for (int k = 0; k < 2; k++)
        assert_int_equal(
                dnnl_graph_partition_compile(part, cp, 1, in, 1, out, engine), dnnl_invalid_shape);
    assert_null(cp->frames);
    dnnl_graph_compiled_partition_destroy(cp);
    dnnl_graph_partition_destroy(part);
}

enum { THREADS = 4, TURNS = 200 };
static dnnl_graph_partition_t of_threads;

/* Other threads compile the same and change the capacity meanwhile. */
static void *compile_many(void *number) {
    const uintptr_t self = (uintptr_t)number;
    for (int k = 0; k < TURNS; k++) {
        const int64_t count = 1 + k % 3;
        dnnl_graph_compiled_partition_t cp = compile(of_threads, dnnl_f32, count, engine);
        lt_t lt;
        assert_ok(dnnl_graph_compiled_partition_query_logical_tensor(cp, 1, &lt));
        assert_int_equal(lt.dims[0], count);
        dnnl_graph_compiled_partition_destroy(cp);
        if (!self) assert_ok(dnnl_graph_set_compiled_partition_cache_capacity(k % 4));
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    of_threads = relu("a", dnnl_f32);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, compile_many, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_ok(dnnl_graph_set_compiled_partition_cache_capacity(1024));
    dnnl_graph_partition_destroy(of_threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_capacity),
            cmocka_unit_test(test_keys),
            cmocka_unit_test(test_engine),
            cmocka_unit_test(test_failure),
            cmocka_unit_test(test_threads),
    };
    setenv("ONEDNN_GRAPH_COMPILED_PARTITION_CACHE_CAPACITY", "7", 1);
    return cmocka_run_group_tests(tests, begin_tests, end_tests);
}
