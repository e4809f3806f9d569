/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled partitions on devices: memory of the program's allocator, events, recordings, threads,
 * failures. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "core/alloc.h"
#include "tests/graph/counted.h"

static const dnnl_graph_tensor_property_t VARIABLE = dnnl_graph_tensor_property_variable;

static void test_tensor(void **state) {
    (void)state;
    const dnnl_dims_t dims = {3, 5}, strides = {7, 1}, none = {0, 5};
    const int live = atomic_load(&counts.live), given = atomic_load(&counts.given);
    dnnl_graph_tensor_t tensor;
    lt_t lt, empty;
    void *handle;
    assert_ok(dnnl_graph_logical_tensor_init_with_strides(
            &lt, 1, dnnl_f16, 2, dims, strides, VARIABLE));
    assert_ok(dnnl_graph_tensor_create(&tensor, &lt, engine, DNNL_MEMORY_ALLOCATE));
    assert_int_equal(atomic_load(&counts.live), live + 1);
    assert_int_equal(atomic_load(&counts.size), 3 * 7 * 2);
    assert_ok(dnnl_graph_tensor_set_data_handle(tensor, NULL)); /* gives it back */
    assert_int_equal(atomic_load(&counts.live), live);
    assert_ok(dnnl_graph_tensor_destroy(tensor));
    assert_ok(dnnl_graph_tensor_create(&tensor, &lt, engine, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_graph_tensor_destroy(tensor));
    assert_int_equal(atomic_load(&counts.live), live);
    atomic_store(&counts.fail_after, 0);
    assert_int_equal(dnnl_graph_tensor_create(&tensor, &lt, engine, DNNL_MEMORY_ALLOCATE),
            dnnl_out_of_memory);
    assert_int_equal(atomic_load(&counts.given), given + 2);
    assert_ok(dnnl_graph_logical_tensor_init_with_dims(
            &empty, 1, dnnl_f16, 2, none, dnnl_graph_layout_type_strided, VARIABLE));
    assert_ok(dnnl_graph_tensor_create(&tensor, &empty, engine, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_graph_tensor_get_data_handle(tensor, &handle));
    assert_null(handle);
    assert_ok(dnnl_graph_tensor_destroy(tensor));
    assert_int_equal(atomic_load(&counts.given), given + 2);
}

/* One allocation for each execution, of the size of the scratchpad, given back with an event. */
static void test_scratchpad(void **state) {
    (void)state;
    norm_t norm = norm_make(8, VARIABLE);
    const size_t size = norm_scratch(&norm);
    assert_true(size > 0);
    for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
        dnnl_stream_t own;
        assert_ok(dnnl_stream_create(
                &own, engine, out_of_order ? dnnl_stream_out_of_order : dnnl_stream_in_order));
        for (int k = 1; k <= 4; k *= 2) {
            const int given = atomic_load(&counts.given), events = atomic_load(&counts.with_event);
            norm_scale(&norm, (float)k);
            assert_true(norm_result(&norm, own) == (float)k);
            assert_int_equal(atomic_load(&counts.given), given + 1);
            assert_int_equal(atomic_load(&counts.with_event), events + 1);
            assert_int_equal(atomic_load(&counts.live), 0);
            assert_int_equal(atomic_load(&counts.size), size);
        }
        assert_ok(dnnl_stream_destroy(own));
    }
    /* The program's own: the allocator is not asked. */
    norm_add_scratch(&norm);
    const int given = atomic_load(&counts.given);
    assert_true(norm_result(&norm, stream) == 4);
    assert_int_equal(atomic_load(&counts.given), given);
    norm_end(&norm);
}

static void test_no_memory(void **state) {
    (void)state;
    norm_t norm = norm_make(8, VARIABLE);
    norm_clear(&norm);
    atomic_store(&counts.fail_after, 0);
    assert_int_equal(norm_run(&norm, stream, 0, NULL, NULL), dnnl_out_of_memory);
    assert_ok(dnnl_stream_wait(stream));
    assert_true(norm_read(&norm) == 0); /* nothing has run */
    assert_int_equal(atomic_load(&counts.live), 0);
    assert_true(norm_result(&norm, stream) == 1);
    norm_end(&norm);
}

static ze_event_handle_t new_event(ze_event_pool_handle_t *pool) {
    const ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
            .count = 1};
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
            .signal = ZE_EVENT_SCOPE_FLAG_HOST,
            .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event;
    assert_ze(zeEventPoolCreate(context_of(engine), &pool_desc, 0, NULL, pool));
    assert_ze(zeEventCreate(*pool, &desc, &event));
    return event;
}

/* All steps wait for the event that comes in, and are before the one that goes out. */
static void test_events(void **state) {
    (void)state;
    norm_t norm = norm_make(8, VARIABLE);
    norm_add_scratch(&norm);
    for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
        ze_event_pool_handle_t pool;
        const ze_event_handle_t gate = new_event(&pool);
        ze_event_handle_t done = NULL;
        dnnl_stream_t own;
        assert_ok(dnnl_stream_create(
                &own, engine, out_of_order ? dnnl_stream_out_of_order : dnnl_stream_in_order));
        norm_clear(&norm);
        norm_scale(&norm, 1);
        assert_ok(norm_run(&norm, own, 1, &gate, &done));
        assert_non_null(done);
        assert_int_equal(zeEventHostSynchronize(done, 20000000), ZE_RESULT_NOT_READY);
        assert_true(norm_read(&norm) == 0);
        norm_scale(&norm, 2); /* no step has read it yet */
        assert_ze(zeEventHostSignal(gate));
        assert_ze(zeEventHostSynchronize(done, FOREVER));
        assert_true(norm_read(&norm) == 2);
        assert_int_equal(norm_run(&norm, own, 1, NULL, NULL), dnnl_invalid_arguments);
        assert_int_equal(norm_run(&norm, own, -1, &gate, NULL), dnnl_invalid_arguments);
        assert_ok(dnnl_stream_wait(own));
        assert_ok(dnnl_stream_destroy(own));
        assert_ze(zeEventDestroy(gate));
        assert_ze(zeEventPoolDestroy(pool));
    }
    norm_end(&norm);
}

typedef struct {
    norm_t *norm;
    ze_event_handle_t gate;
    bool early; /* the library asked for the end before the gate was open */
} gate_t;

/* Opens the gate when the library has given the scratchpad back, or after a second. */
static void *open_gate(void *arg) {
    const struct timespec millisecond = {0, 1000000};
    gate_t *g = arg;
    for (int i = 0; i < 1000 && !g->early; i++) {
        nanosleep(&millisecond, NULL);
        g->early = atomic_load(&counts.early) > 0;
    }
    norm_scale(g->norm, 2); /* no step has read it yet */
    assert_ze(zeEventHostSignal(g->gate));
    return NULL;
}

/* The library gives its scratchpad back while the device still waits, with the event of the last
 * step: the allocator may free it when that one is signalled, and not before. */
static void test_scratchpad_in_flight(void **state) {
    (void)state;
    norm_t norm = norm_make(8, VARIABLE);
    for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
        ze_event_pool_handle_t pool;
        gate_t gate = {.norm = &norm, .gate = new_event(&pool)};
        pthread_t thread;
        dnnl_stream_t own;
        assert_ok(dnnl_stream_create(
                &own, engine, out_of_order ? dnnl_stream_out_of_order : dnnl_stream_in_order));
        norm_clear(&norm);
        norm_scale(&norm, 1);
        atomic_store(&counts.early, 0);
        assert_int_equal(pthread_create(&thread, NULL, open_gate, &gate), 0);
        assert_ok(norm_run(&norm, own, 1, &gate.gate, NULL));
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(gate.early);
        assert_int_equal(atomic_load(&counts.live), 0);
        assert_ok(dnnl_stream_wait(own));
        assert_true(norm_read(&norm) == 2);
        assert_ok(dnnl_stream_destroy(own));
        assert_ze(zeEventDestroy(gate.gate));
        assert_ze(zeEventPoolDestroy(pool));
    }
    norm_end(&norm);
}

/* A stream over the program's list keeps the scratchpad, if the engine has no allocator. Destroyed
 * while the device waits, it leaves the scratchpad to the work that is on the list. */
static void test_destroyed_stream(void **state) {
    (void)state;
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    const dnnl_engine_t counting = engine;
    ze_driver_handle_t driver;
    ze_command_list_handle_t list;
    ze_event_pool_handle_t pools[2];
    dnnl_stream_t own;
    assert_ok(dnnl_ze_interop_engine_get_driver(counting, &driver));
    assert_ok(dnnl_ze_interop_engine_create(
            &engine, driver, device_of(counting), context_of(counting)));
    norm_t norm = norm_make(8, VARIABLE);
    const ze_event_handle_t gate = new_event(&pools[0]), done = new_event(&pools[1]);
    assert_true(norm_scratch(&norm) > 0);
    assert_ze(zeCommandListCreateImmediate(context_of(engine), device_of(engine), &desc, &list));
    assert_ok(dnnl_ze_interop_stream_create(&own, engine, list, 0));
    norm_clear(&norm);
    assert_ok(norm_run(&norm, own, 1, &gate, NULL));
    assert_ok(dnnl_stream_destroy(own));
    assert_true(norm_read(&norm) == 0);
    norm_scale(&norm, 2); /* no step has read it yet */
    assert_ze(zeEventHostSignal(gate));
    assert_ze(zeCommandListAppendBarrier(list, done, 0, NULL));
    assert_ze(zeEventHostSynchronize(done, FOREVER));
    assert_true(norm_read(&norm) == 2);
    norm_end(&norm);
    assert_ze(zeCommandListDestroy(list));
    assert_ze(zeEventDestroy(gate));
    assert_ze(zeEventDestroy(done));
    for (int i = 0; i < 2; i++) assert_ze(zeEventPoolDestroy(pools[i]));
    assert_ok(dnnl_engine_destroy(engine));
    engine = counting;
}

/* A recording runs with what the buffers hold by then. It needs a scratchpad of the program. */
static void test_recording(void **state) {
    (void)state;
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue;
    dnnl_stream_t recording;
    norm_t norm = norm_make(8, VARIABLE);
    assert_ze(zeCommandListCreate(context_of(engine), device_of(engine), &list_desc, &list));
    assert_ze(zeCommandQueueCreate(context_of(engine), device_of(engine), &queue_desc, &queue));
    assert_ok(dnnl_ze_interop_stream_create(&recording, engine, list, 0));
    assert_int_equal(norm_run(&norm, recording, 0, NULL, NULL), dnnl_invalid_arguments);
    assert_int_equal(atomic_load(&counts.live), 0);
    norm_add_scratch(&norm);
    assert_ok(norm_run(&norm, recording, 0, NULL, NULL));
    assert_ze(zeCommandListClose(list));
    for (int k = 1; k <= 4; k *= 2) {
        norm_clear(&norm);
        norm_scale(&norm, (float)k);
        assert_ze(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        assert_true(norm_read(&norm) == (float)k);
    }
    assert_ok(dnnl_stream_destroy(recording));
    assert_ze(zeCommandQueueDestroy(queue));
    assert_ze(zeCommandListDestroy(list));
    norm_end(&norm);
}

enum { THREADS = 4, TURNS = 30 };

static void *run_many(void *arg) {
    norm_t *norm = arg;
    dnnl_stream_t own;
    assert_ok(dnnl_stream_create(&own, engine, dnnl_stream_out_of_order));
    for (int k = 0; k < TURNS; k++) {
        const float scale = (float)(1 << k % 3);
        norm_scale(norm, scale);
        assert_true(norm_result(norm, own) == scale);
    }
    assert_ok(dnnl_stream_destroy(own));
    return NULL;
}

/* Threads execute one compiled partition, each on tensors and a stream of its own. */
static void test_threads(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    norm_t norms[THREADS];
    for (int i = 0; i < THREADS; i++) norms[i] = norm_make(8, VARIABLE);
    const dnnl_graph_compiled_partition_t shared = norms[0].cp;
    for (int i = 1; i < THREADS; i++) {
        assert_ok(dnnl_graph_compiled_partition_destroy(norms[i].cp));
        norms[i].cp = shared;
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_many, &norms[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&counts.live), 0);
    for (int i = 0; i < THREADS; i++) {
        if (i) norms[i].cp = NULL;
        norm_end(&norms[i]);
    }
}

/* A compiled partition outlives its partition and the program's reference to its engine. */
static void test_owners(void **state) {
    (void)state;
    norm_t norm = norm_make(8, VARIABLE);
    assert_ok(dnnl_graph_partition_destroy(norm.part));
    norm.part = NULL;
    assert_true(norm_result(&norm, stream) == 1);
    norm_end(&norm);
}

static void test_blob(void **state) {
    (void)state;
    const dnnl_graph_allocator_t allocator = counting_allocator();
    const dnnl_engine_t before = engine;
    ze_driver_handle_t driver;
    dnnl_stream_t own;
    uint8_t blob[1 << 12];
    size_t size = 0;
    assert_ok(dnnl_ze_interop_engine_get_cache_blob(engine, &size, NULL));
    assert_true(size > 0 && size <= sizeof blob);
    assert_ok(dnnl_ze_interop_engine_get_cache_blob(engine, &size, blob));
    assert_ok(dnnl_ze_interop_engine_get_driver(engine, &driver));
    assert_int_equal(
            dnnl_graph_ze_interop_make_engine_from_cache_blob_with_allocator(&engine, driver,
                    device_of(before), context_of(before), allocator, size - 1, blob),
            dnnl_invalid_arguments);
    assert_int_equal(dnnl_graph_ze_interop_make_engine_from_cache_blob_with_allocator(&engine,
                             driver, device_of(before), context_of(before), NULL, size, blob),
            dnnl_invalid_arguments);
    assert_ok(dnnl_graph_ze_interop_make_engine_from_cache_blob_with_allocator(
            &engine, driver, device_of(before), context_of(before), allocator, size, blob));
    assert_ok(dnnl_graph_allocator_destroy(allocator));
    assert_ok(dnnl_stream_create(&own, engine, dnnl_stream_default_flags));
    norm_t norm = norm_make(8, VARIABLE);
    const int given = atomic_load(&counts.given);
    assert_true(norm_result(&norm, own) == 1);
    assert_int_equal(atomic_load(&counts.given), given + 1);
    norm_end(&norm);
    assert_ok(dnnl_stream_destroy(own));
    assert_ok(dnnl_engine_destroy(engine));
    engine = before;
}

static void drop_caches(void) {
    atomic_store(&dz_alloc_fail_after, 0);
    assert_ok(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_gpu, 0));
    assert_ok(dnnl_graph_set_compiled_partition_cache_capacity(0));
    assert_ok(dnnl_set_primitive_cache_capacity(0));
}

static dnnl_status_t build_graph(dnnl_graph_graph_t graph, const lt_t *lts) {
    const float alpha = .5f;
    dnnl_graph_op_t op = NULL;
    dnnl_status_t status = dnnl_graph_op_create(&op, 1, KIND(elu), "");
    if (!status) status = dnnl_graph_op_set_attr_f32(op, ATTR(alpha), &alpha, 1);
    if (!status) status = dnnl_graph_op_add_input(op, &lts[0]);
    if (!status) status = dnnl_graph_op_add_output(op, &lts[1]);
    if (!status) status = dnnl_graph_add_op(graph, op);
    dnnl_graph_op_destroy(op);
    if (!status) status = dnnl_graph_graph_finalize(graph);
    if (!status) status = dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion);
    return status;
}

/* From the graph to the compiled partition and its execution. Whatever fails, all is freed. */
static dnnl_status_t live_once(norm_t *norm, const lt_t *lts) {
    dnnl_graph_graph_t graph = NULL;
    dnnl_graph_partition_t part = NULL;
    dnnl_graph_compiled_partition_t cp = NULL, elu = NULL;
    dnnl_stream_t own = NULL;
    const dnnl_graph_compiled_partition_t before = norm->cp;
    const lt_t *in[NORM_INPUTS], *out[] = {&norm->lts[NORM_INPUTS]}, *elu_in[] = {&lts[0]},
                                 *elu_out[] = {&lts[1]};
    for (int i = 0; i < NORM_INPUTS; i++) in[i] = &norm->lts[i];
    dnnl_status_t status = dnnl_stream_create(&own, engine, dnnl_stream_in_order);
    if (!status) status = dnnl_graph_graph_create(&graph, dnnl_gpu);
    if (!status) status = build_graph(graph, lts);
    if (!status) status = dnnl_graph_graph_get_partitions(graph, 1, &part);
    if (!status) status = dnnl_graph_compiled_partition_create(&elu, part);
    if (!status) status = dnnl_graph_partition_compile(part, elu, 1, elu_in, 1, elu_out, engine);
    if (!status) status = dnnl_graph_compiled_partition_create(&cp, norm->part);
    if (!status)
        status = dnnl_graph_partition_compile(norm->part, cp, NORM_INPUTS, in, 1, out, engine);
    norm->cp = cp;
    if (!status) status = norm_run(norm, own, 0, NULL, NULL);
    if (!status) status = dnnl_stream_wait(own);
    norm->cp = before;
    dnnl_graph_graph_destroy(graph);
    dnnl_graph_partition_destroy(part);
    dnnl_graph_compiled_partition_destroy(elu);
    dnnl_graph_compiled_partition_destroy(cp);
    dnnl_stream_destroy(own);
    return status;
}

/* Each allocation of host memory fails once. */
static void test_no_host_memory(void **state) {
    (void)state;
    const dnnl_dims_t dims = {3, 5};
    norm_t norm = norm_make(8, dnnl_graph_tensor_property_constant);
    lt_t lts[2];
    long failures = 0, live = 0;
    int device = atomic_load(&counts.live);
    for (size_t i = 0; i < 2; i++)
        assert_ok(dnnl_graph_logical_tensor_init_with_dims(
                &lts[i], i, dnnl_f32, 2, dims, dnnl_graph_layout_type_strided, VARIABLE));
    for (long n = -2;; n++) { /* twice without a failure, so that what is made once is there */
        assert_ok(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_gpu, 1));
        assert_ok(dnnl_graph_set_compiled_partition_cache_capacity(16));
        assert_ok(dnnl_set_primitive_cache_capacity(16));
        atomic_store(&dz_alloc_fail_after, n > 0 ? n : 0);
        const dnnl_status_t status = live_once(&norm, lts);
        const bool reached = n > 0 && atomic_load(&dz_alloc_fail_after) <= 0;
        drop_caches();
        if (n == -1) live = atomic_load(&dz_alloc_live);
        if (n > 0 && status != dnnl_success) assert_int_equal(status, dnnl_out_of_memory);
        if (n > 0) assert_int_equal(atomic_load(&dz_alloc_live), live);
        assert_int_equal(atomic_load(&counts.live), device);
        if (!reached) assert_ok(status);
        failures += status != dnnl_success;
        if (n > 0 && !reached) break;
    }
    assert_true(failures > 50);
    assert_ok(dnnl_graph_set_compiled_partition_cache_capacity(1024));
    assert_ok(dnnl_set_primitive_cache_capacity(1024));
    norm_end(&norm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_tensor),
            cmocka_unit_test(test_scratchpad),
            cmocka_unit_test(test_no_memory),
            cmocka_unit_test(test_events),
            cmocka_unit_test(test_scratchpad_in_flight),
            cmocka_unit_test(test_destroyed_stream),
            cmocka_unit_test(test_recording),
            cmocka_unit_test(test_threads),
            cmocka_unit_test(test_owners),
            cmocka_unit_test(test_blob),
            cmocka_unit_test(test_no_host_memory),
    };
    return cmocka_run_group_tests(tests, begin_counted, end_counted);
}
