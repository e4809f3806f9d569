/* SPDX-License-Identifier: Apache-2.0 */
/* Layers: data that objects own, calls that a layer takes over, events that come back. */
#define DNNL_EXPERIMENTAL_PROFILING
#include "oneapi/dnnl/dnnl_graph.h"
#include "oneapi/dnnl/dnnl_ze_layer.h"
#include "rt.h"

static const affine_t one = {.n = N, .steps = 1, .factor = 2, .addend = 1};

static int destroyed, executed, waited, mapped;
static void *handle_of_layer;

static void destroy(void *data) {
    destroyed += *(int *)data;
}

static dnnl_status_t execute_by_layer(
        void *data, const_dnnl_primitive_t primitive, int nargs, const dnnl_exec_arg_t *args) {
    assert_int_equal(*(int *)data, 1);
    assert_non_null(primitive);
    assert_true(nargs == 0 || args);
    executed++;
    return dnnl_unimplemented;
}

static dnnl_status_t wait_by_layer(void *data) {
    assert_int_equal(*(int *)data, 1);
    waited++;
    return dnnl_success;
}

static dnnl_status_t get_handle(void *data, void **handle) {
    *handle = data;
    return dnnl_success;
}

static dnnl_status_t set_handle(void *data, void *handle) {
    assert_non_null(data);
    handle_of_layer = handle;
    return dnnl_success;
}

static dnnl_status_t map(void *data, void **ptr) {
    mapped++;
    *ptr = data;
    return dnnl_success;
}

static dnnl_status_t unmap(void *data, void *ptr) {
    assert_ptr_equal(data, ptr);
    mapped--;
    return dnnl_success;
}

static const dnnl_ze_layer_t layer = {.name = "test",
        .destroy = destroy,
        .execute = execute_by_layer,
        .wait = wait_by_layer,
        .get_handle = get_handle,
        .set_handle = set_handle,
        .map = map,
        .unmap = unmap};
static const dnnl_ze_layer_t other = {.name = "other"};

/* The first one wins, another layer is refused, and the object frees the data once. */
static void objects_own_data(void **state) {
    (void)state;
    int first = 1, second = 10;
    void *data = NULL;
    dnnl_engine_t engine = new_engine();
    destroyed = 0;
    assert_ok(dnnl_ze_layer_get_engine(engine, "test", &data));
    assert_null(data);
    assert_ok(dnnl_ze_layer_attach_engine(engine, &layer, &first, &data));
    assert_ptr_equal(data, &first);
    assert_ok(dnnl_ze_layer_attach_engine(engine, &layer, &second, &data));
    assert_ptr_equal(data, &first);
    assert_status(dnnl_ze_layer_attach_engine(engine, &other, &second, &data), invalid_arguments);
    assert_ok(dnnl_ze_layer_get_engine(engine, "test", &data));
    assert_ptr_equal(data, &first);
    assert_ok(dnnl_ze_layer_get_engine(engine, "other", &data));
    assert_null(data);
    assert_status(dnnl_ze_layer_attach_engine(NULL, &layer, &first, &data), invalid_arguments);
    assert_status(dnnl_ze_layer_attach_engine(engine, NULL, &first, &data), invalid_arguments);
    assert_status(dnnl_ze_layer_attach_engine(engine, &layer, &first, NULL), invalid_arguments);
    assert_status(dnnl_ze_layer_get_engine(engine, NULL, &data), invalid_arguments);
    assert_int_equal(destroyed, 0);
    assert_ok(dnnl_engine_destroy(engine));
    assert_int_equal(destroyed, 1);
}

static void streams_ask_the_layer(void **state) {
    (void)state;
    int data = 1;
    void *attached = NULL;
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t primitive = new_primitive(b.engine, &one);
    destroyed = executed = waited = 0;
    assert_ok(dnnl_ze_layer_attach_stream(b.stream, &layer, &data, &attached));
    assert_ok(dnnl_ze_layer_get_stream(b.stream, "test", &attached));
    assert_ptr_equal(attached, &data);
    const dnnl_exec_arg_t *args = b.args;
    assert_status(dnnl_primitive_execute(primitive, b.stream, 2, args), unimplemented);
    assert_int_equal(executed, 1);
    assert_ok(dnnl_stream_wait(b.stream));
    assert_int_equal(waited, 1);
    /* The layer itself reaches the library. */
    assert_ok(execute(primitive, b.stream, 2, args, 0, NULL, NULL));
    assert_int_equal(executed, 1);
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
    assert_int_equal(destroyed, 1);
}

static void memory_asks_the_layer(void **state) {
    (void)state;
    int data = 1;
    void *attached = NULL, *ptr = NULL;
    dnnl_engine_t engine = new_engine();
    dnnl_memory_t memory = new_floats(engine, N, NULL);
    destroyed = mapped = 0;
    assert_ok(dnnl_ze_layer_attach_memory(memory, &layer, &data, &attached));
    assert_ok(dnnl_ze_layer_get_memory(memory, "test", &attached));
    assert_ptr_equal(attached, &data);
    assert_ok(dnnl_memory_get_data_handle(memory, &ptr));
    assert_ptr_equal(ptr, &data);
    assert_ok(dnnl_memory_set_data_handle(memory, &destroyed));
    assert_ptr_equal(handle_of_layer, &destroyed);
    assert_ok(dnnl_memory_map_data(memory, &ptr));
    assert_int_equal(mapped, 1);
    assert_ok(dnnl_memory_unmap_data(memory, ptr));
    assert_int_equal(mapped, 0);
    assert_ok(dnnl_memory_destroy(memory));
    assert_int_equal(destroyed, 1);
    assert_ok(dnnl_engine_destroy(engine));
}

/* Events that come back are handed out again, whichever supply they are from. */
static void events_come_back(void **state) {
    (void)state;
    static const unsigned flags[] = {dnnl_stream_in_order, dnnl_stream_out_of_order,
            dnnl_stream_in_order | dnnl_stream_profiling,
            dnnl_stream_out_of_order | dnnl_stream_profiling};
    enum { MOST = 8 };
    for (size_t kind = 0; kind < COUNT_OF(flags); kind++) {
        bench_t b = bench_begin(flags[kind]);
        dnnl_primitive_t primitive = new_primitive(b.engine, &one);
        const dnnl_exec_arg_t *args = b.args;
        ze_event_handle_t seen[MOST];
        int nseen = 0;
        for (int turn = 0; turn < 100; turn++) {
            ze_event_handle_t event = NULL;
            assert_ok(dnnl_ze_interop_primitive_execute(
                    primitive, b.stream, 2, args, 0, NULL, &event));
            assert_ze(zeEventHostSynchronize(event, FOREVER));
            assert_ok(dnnl_ze_layer_return_event(b.stream, event));
            int i = 0;
            while (i < nseen && seen[i] != event) i++;
            if (i == nseen && nseen < MOST) seen[nseen++] = event;
            if (flags[kind] & dnnl_stream_profiling) assert_ok(dnnl_reset_profiling(b.stream));
        }
        assert_in_range(nseen, 1, MOST - 1);
        assert_ok(dnnl_ze_layer_return_event(b.stream, NULL));
        assert_ok(dnnl_primitive_destroy(primitive));
        bench_end(&b);
    }
    assert_status(dnnl_ze_layer_return_event(NULL, NULL), invalid_arguments);
}

static void lists_are_known(void **state) {
    (void)state;
    int answer = -1;
    bench_t b = bench_begin(dnnl_stream_in_order);
    ze_command_list_handle_t list = NULL;
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    assert_ze(zeCommandListCreateImmediate(app.context, app.device, &desc, &list));
    assert_ok(dnnl_ze_layer_list_is_in_order(b.engine, list, &answer));
    assert_int_equal(answer, 0);
    assert_ze(zeCommandListDestroy(list));
    assert_ok(dnnl_ze_layer_is_opencl(b.engine, &answer));
    assert_int_equal(answer, 0);
    assert_status(dnnl_ze_layer_list_is_in_order(b.engine, NULL, &answer), invalid_arguments);
    assert_status(dnnl_ze_layer_is_opencl(NULL, &answer), invalid_arguments);
    assert_status(dnnl_ze_layer_report(dnnl_runtime_error, "a sentence"), runtime_error);
    bench_end(&b);
}

static int allocations;

static void *allocate(void *data, size_t size) {
    assert_int_equal(*(int *)data, 1);
    allocations++;
    return new_usm(size);
}

static void deallocate(void *data, void *ptr, void *event) {
    assert_int_equal(*(int *)data, 1);
    assert_null(event);
    allocations--;
    free_usm(ptr);
}

static void function(void) {}

/* An allocator carries the functions of its layer only to this layer, and an engine frees what
 * belongs to it after all memory. */
static void allocators(void **state) {
    (void)state;
    int data = 1;
    dnnl_graph_allocator_t alloc, usual;
    dnnl_ze_layer_function_t first = NULL, second = NULL;
    dnnl_engine_t engine = NULL;
    assert_ok(dnnl_ze_layer_allocator_create(&alloc, "test", function, function));
    assert_ok(dnnl_graph_allocator_create(&usual, NULL, NULL));
    assert_ok(dnnl_ze_layer_allocator_get(alloc, "test", &first, &second));
    assert_true(first == function && second == function);
    assert_status(dnnl_ze_layer_allocator_get(alloc, "other", &first, &second), invalid_arguments);
    assert_ok(dnnl_ze_layer_allocator_get(usual, "test", &first, &second));
    assert_true(!first && !second);
    assert_status(
            dnnl_graph_make_engine_with_allocator(&engine, dnnl_gpu, 0, alloc), unimplemented);
    assert_ok(dnnl_graph_allocator_destroy(alloc));
    assert_ok(dnnl_graph_allocator_destroy(usual));

    destroyed = allocations = 0;
    engine = new_engine();
    assert_ok(dnnl_ze_layer_set_allocator(engine, allocate, deallocate, &data, destroy));
    assert_status(dnnl_ze_layer_set_allocator(engine, allocate, deallocate, &data, destroy),
            invalid_arguments);
    dnnl_graph_logical_tensor_t lt;
    dnnl_graph_tensor_t tensor;
    const dnnl_dims_t dims = {N};
    assert_ok(dnnl_graph_logical_tensor_init_with_dims(&lt, 0, dnnl_f32, 1, dims,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_undef));
    assert_ok(dnnl_graph_tensor_create(&tensor, &lt, engine, DNNL_MEMORY_ALLOCATE));
    assert_int_equal(allocations, 1);
    assert_ok(dnnl_graph_tensor_destroy(tensor));
    assert_ok(dnnl_engine_destroy(engine));
    assert_int_equal(allocations, 0);
    assert_int_equal(destroyed, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(objects_own_data), TEST(streams_ask_the_layer),
            TEST(memory_asks_the_layer),
            LEVEL_ZERO_TEST(events_come_back, "events of OpenCL belong to the application"),
            LEVEL_ZERO_TEST(lists_are_known, "lists"), TEST(allocators)};
    return RUN_TESTS(tests);
}
