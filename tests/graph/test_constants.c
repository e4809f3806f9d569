/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of constant tensors. A constant that is overwritten in place tells whether it was
 * read again. */
#include <pthread.h>
#include <stdlib.h>

#include "tests/graph/counted.h"

static const dnnl_graph_tensor_property_t CONSTANT = dnnl_graph_tensor_property_constant;

static void set_capacity(size_t mib) {
    assert_ok(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_gpu, mib));
}

static size_t capacity(dnnl_engine_kind_t kind) {
    size_t mib;
    assert_ok(dnnl_graph_get_constant_tensor_cache_capacity(kind, &mib));
    return mib;
}

static void test_capacities(void **state) {
    (void)state;
    int flag;
    assert_int_equal(capacity(dnnl_cpu), 3); /* main() says so */
    assert_int_equal(capacity(dnnl_gpu), 5);
    assert_ok(dnnl_graph_get_constant_tensor_cache(&flag));
    assert_int_equal(flag, 1);
    assert_ok(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_cpu, SIZE_MAX));
    assert_true(capacity(dnnl_cpu) == SIZE_MAX / (1024 * 1024));
    assert_int_equal(capacity(dnnl_gpu), 5);
    assert_ok(dnnl_graph_set_constant_tensor_cache(0));
    assert_int_equal(capacity(dnnl_cpu) + capacity(dnnl_gpu), 0);
    assert_ok(dnnl_graph_get_constant_tensor_cache(&flag));
    assert_int_equal(flag, 0);
    assert_ok(dnnl_graph_set_constant_tensor_cache(1));
    assert_true(capacity(dnnl_gpu) == SIZE_MAX / (1024 * 1024));
    assert_int_equal(dnnl_graph_set_constant_tensor_cache(-1), dnnl_invalid_arguments);
    assert_int_equal(dnnl_graph_get_constant_tensor_cache(NULL), dnnl_invalid_arguments);
    assert_int_equal(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_any_engine, 1),
            dnnl_invalid_arguments);
    assert_int_equal(
            dnnl_graph_get_constant_tensor_cache_capacity(dnnl_gpu, NULL), dnnl_invalid_arguments);
    set_capacity(0);
}

/* Without a capacity, constants are read at each execution. */
static void test_off(void **state) {
    (void)state;
    set_capacity(0);
    norm_t norm = norm_make(8, CONSTANT);
    assert_true(norm_scratch(&norm) >= 4 * 8 * sizeof(float));
    assert_true(norm_result(&norm, stream) == 1);
    norm_scale(&norm, 2);
    assert_true(norm_result(&norm, stream) == 2);
    set_capacity(1); /* too late for what is compiled */
    norm_scale(&norm, 4);
    assert_true(norm_result(&norm, stream) == 4);
    norm_end(&norm);
    set_capacity(0);
}

static void test_kept(void **state) {
    (void)state;
    set_capacity(1);
    norm_t norm = norm_make(8, CONSTANT);
    const int before = atomic_load(&counts.live);
    assert_int_equal(norm_scratch(&norm), 0);
    assert_true(norm_result(&norm, stream) == 1);
    assert_int_equal(atomic_load(&counts.live), before + 1);
    assert_true(atomic_load(&counts.size) >= 4 * 8 * sizeof(float));
    norm_scale(&norm, 2);
    assert_true(norm_result(&norm, stream) == 1);
    norm_move_scale(&norm);
    norm_scale(&norm, 4);
    assert_true(norm_result(&norm, stream) == 4);
    assert_int_equal(atomic_load(&counts.live), before + 2);
    set_capacity(1); /* forgets all */
    assert_int_equal(atomic_load(&counts.live), before);
    norm_scale(&norm, 2);
    assert_true(norm_result(&norm, stream) == 2);
    norm_compile(&norm); /* what is compiled again finds its constants */
    norm_scale(&norm, 1);
    assert_true(norm_result(&norm, stream) == 2);
    set_capacity(0);
    assert_true(norm_result(&norm, stream) == 1);
    assert_int_equal(atomic_load(&counts.live), before);
    norm_end(&norm);
}

static void test_variable(void **state) {
    (void)state;
    set_capacity(1);
    norm_t norm = norm_make(8, dnnl_graph_tensor_property_variable);
    assert_true(norm_scratch(&norm) > 0);
    assert_true(norm_result(&norm, stream) == 1);
    norm_scale(&norm, 2);
    assert_true(norm_result(&norm, stream) == 2);
    norm_end(&norm);
    set_capacity(0);
}

/* 1.6 MB do not fit into one MiB. */
static void test_full(void **state) {
    (void)state;
    set_capacity(1);
    norm_t norm = norm_make(100000, CONSTANT);
    for (int scale = 1; scale <= 4; scale *= 2) {
        norm_scale(&norm, (float)scale);
        assert_true(norm_result(&norm, stream) == (float)scale);
    }
    set_capacity(2);
    assert_true(norm_result(&norm, stream) == 4);
    norm_scale(&norm, 2);
    assert_true(norm_result(&norm, stream) == 4);
    norm_end(&norm);
    set_capacity(0);
}

/* A failure of the allocator is a status, and the next execution is as the first. */
static void test_no_memory(void **state) {
    (void)state;
    set_capacity(1);
    norm_t norm = norm_make(8, CONSTANT);
    const int before = atomic_load(&counts.live);
    atomic_store(&counts.fail_after, 0);
    assert_int_equal(norm_run(&norm, stream, 0, NULL, NULL), dnnl_out_of_memory);
    assert_int_equal(atomic_load(&counts.fail_after), -1);
    assert_int_equal(atomic_load(&counts.live), before);
    assert_true(norm_result(&norm, stream) == 1);
    norm_end(&norm);
    set_capacity(0);
}

/* A recording needs constants that are there, and keeps them. */
static void test_recording(void **state) {
    (void)state;
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue;
    dnnl_stream_t recording;
    set_capacity(1);
    norm_t norm = norm_make(8, CONSTANT);
    assert_ze(zeCommandListCreate(context_of(engine), device_of(engine), &list_desc, &list));
    assert_ze(zeCommandQueueCreate(context_of(engine), device_of(engine), &queue_desc, &queue));
    assert_ok(dnnl_ze_interop_stream_create(&recording, engine, list, 0));
    assert_int_equal(norm_run(&norm, recording, 0, NULL, NULL), dnnl_invalid_arguments);
    assert_true(norm_result(&norm, stream) == 1);
    assert_ok(norm_run(&norm, recording, 0, NULL, NULL));
    assert_ze(zeCommandListClose(list));
    set_capacity(0);
    for (int k = 0; k < 2; k++) {
        norm_clear(&norm);
        assert_ze(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        assert_true(norm_read(&norm) == 1);
    }
    assert_ok(dnnl_stream_destroy(recording));
    assert_ze(zeCommandQueueDestroy(queue));
    assert_ze(zeCommandListDestroy(list));
    norm_end(&norm);
}

enum { THREADS = 4, TURNS = 20 };

static void *run_on_own_stream(void *arg) {
    norm_t *norm = arg;
    dnnl_stream_t own;
    assert_ok(dnnl_stream_create(&own, engine, dnnl_stream_out_of_order));
    for (int k = 0; k < TURNS; k++) {
        assert_true(norm_result(norm, own) == 4);
        if (k % 5 == 4) set_capacity(1);
    }
    assert_ok(dnnl_stream_destroy(own));
    return NULL;
}

/* Partitions with the same constants, of which others may be the first to compute them, while
 * they are dropped now and then. */
static void test_threads(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    norm_t norms[THREADS];
    set_capacity(1);
    for (int i = 0; i < THREADS; i++) {
        norms[i] = norm_make(8, CONSTANT);
        norm_scale(&norms[i], 4);
        for (int k = 1; i && k < NORM_INPUTS; k++)
            assert_ok(dnnl_graph_tensor_set_data_handle(norms[i].tensors[k], norms[0].data[k]));
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_on_own_stream, &norms[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) norm_end(&norms[i]);
    set_capacity(0);
}

/* Constant weights of products and convolutions are kept in the layout that the primitive wants:
 * results are those of plain loops. */
static void test_weights(void **state) {
    (void)state;
    enum { M = 40, K = 24, N = 36, PIXELS = 9 };
    const int before = atomic_load(&counts.live);
    set_capacity(1);
    begin(KIND(matmul));
    input(dnnl_f32, DIMS(M, K));
    input(dnnl_f32, DIMS(N, K));
    one.in[1].property = CONSTANT;
    output(dnnl_f32);
    set_flag(ATTR(transpose_b), true);
    fill(0, -1, 1);
    fill(1, -1, 1);
    run();
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            double sum = 0;
            for (int k = 0; k < K; k++) sum += one.x[0][m * K + k] * one.x[1][n * K + k];
            assert_true(fabs(one.y[0][m * N + n] - sum) < 1e-4);
        }
    assert_true(atomic_load(&counts.live) > before);
    const int kept = atomic_load(&counts.live);
    begin(KIND(convolution));
    input(dnnl_f32, DIMS(1, K, 3, 3));
    input(dnnl_f32, DIMS(N, K, 1, 1));
    one.in[1].property = CONSTANT;
    output(dnnl_f32);
    set_ints(ATTR(strides), DIMS(1, 1));
    set_ints(ATTR(pads_begin), DIMS(0, 0));
    set_ints(ATTR(pads_end), DIMS(0, 0));
    set_ints(ATTR(dilations), DIMS(1, 1));
    set_text(ATTR(data_format), "NCX");
    set_text(ATTR(weights_format), "OIX");
    fill(0, -1, 1);
    fill(1, -1, 1);
    run();
    for (int n = 0; n < N; n++)
        for (int i = 0; i < PIXELS; i++) {
            double sum = 0;
            for (int k = 0; k < K; k++) sum += one.x[0][k * PIXELS + i] * one.x[1][n * K + k];
            assert_true(fabs(one.y[0][n * PIXELS + i] - sum) < 1e-4);
        }
    assert_true(atomic_load(&counts.live) > kept);
    set_capacity(0);
    assert_int_equal(atomic_load(&counts.live), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_capacities),
            cmocka_unit_test(test_off),
            cmocka_unit_test(test_kept),
            cmocka_unit_test(test_variable),
            cmocka_unit_test(test_full),
            cmocka_unit_test(test_no_memory),
            cmocka_unit_test(test_recording),
            cmocka_unit_test(test_weights),
            cmocka_unit_test(test_threads),
    };
    setenv("ONEDNN_GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY", "cpu:3;gpu:5", 1);
    return cmocka_run_group_tests(tests, begin_counted, end_counted);
}
