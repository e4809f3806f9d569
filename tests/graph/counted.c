/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/graph/counted.h"

#include "tests/ref/ref.h"

struct counts counts = {.fail_after = -1};

static void *give(
        size_t size, size_t alignment, ze_device_handle_t device, ze_context_handle_t context) {
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *ptr;
    assert_int_equal(alignment, 0);
    assert_true(size > 0);
    if (atomic_load(&counts.fail_after) >= 0 && atomic_fetch_sub(&counts.fail_after, 1) == 0)
        return NULL;
    if (zeMemAllocDevice(context, &desc, size, 64, device, &ptr) != ZE_RESULT_SUCCESS) return NULL;
    atomic_fetch_add(&counts.live, 1);
    atomic_fetch_add(&counts.given, 1);
    atomic_store(&counts.size, size);
    return ptr;
}

static void take_back(void *ptr, ze_device_handle_t device, ze_context_handle_t context,
        ze_event_handle_t event) {
    assert_non_null(ptr);
    assert_non_null(device);
    if (event) {
        if (zeEventQueryStatus(event) == ZE_RESULT_NOT_READY) atomic_fetch_add(&counts.early, 1);
        assert_ze(zeEventHostSynchronize(event, FOREVER));
        atomic_fetch_add(&counts.with_event, 1);
    }
    assert_ze(zeMemFree(context, ptr));
    atomic_fetch_sub(&counts.live, 1);
}

dnnl_graph_allocator_t counting_allocator(void) {
    dnnl_graph_allocator_t allocator;
    assert_ok(dnnl_graph_ze_interop_allocator_create(&allocator, give, take_back));
    return allocator;
}

int begin_counted(void **state) {
    (void)state;
    const dnnl_graph_allocator_t allocator = counting_allocator();
    const dnnl_status_t status =
            dnnl_graph_make_engine_with_allocator(&engine, dnnl_gpu, 0, allocator);
    dnnl_graph_allocator_destroy(allocator);
    return status || dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
}

int end_counted(void **state) {
    return end_tests(state) || atomic_load(&counts.live);
}

ze_context_handle_t context_of(dnnl_engine_t of) {
    ze_context_handle_t context;
    assert_ok(dnnl_ze_interop_engine_get_context(of, &context));
    return context;
}

ze_device_handle_t device_of(dnnl_engine_t of) {
    ze_device_handle_t device;
    assert_ok(dnnl_ze_interop_engine_get_device(of, &device));
    return device;
}

static int64_t elements(const norm_t *norm, int i) {
    return i == 0 || i == NORM_INPUTS ? PIXELS * norm->channels : norm->channels;
}

static void *shared_memory(size_t size) {
    const ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *ptr;
    assert_ze(zeMemAllocShared(
            context_of(engine), &device, &host, size, 64, device_of(engine), &ptr));
    return ptr;
}

static void set_tensor(norm_t *norm, int i) {
    assert_ok(dnnl_graph_tensor_create(&norm->tensors[i], &norm->lts[i], engine, norm->data[i]));
}

static void fill_input(norm_t *norm, int i, float value) {
    for (int64_t k = 0; k < elements(norm, i); k++)
        ref_store(dnnl_bf16, norm->data[i], k, i ? value : (double)(1 + k % 7));
}

static void make_partition(norm_t *norm) {
    const float epsilon = 1e-6f;
    dnnl_graph_op_t op;
    assert_ok(dnnl_graph_op_create(&op, 1, KIND(batch_norm_inference), "norm"));
    assert_ok(dnnl_graph_op_set_attr_f32(op, ATTR(epsilon), &epsilon, 1));
    for (int i = 0; i < NORM_INPUTS; i++) assert_ok(dnnl_graph_op_add_input(op, &norm->lts[i]));
    assert_ok(dnnl_graph_op_add_output(op, &norm->lts[NORM_INPUTS]));
    assert_ok(dnnl_graph_partition_create_with_op(&norm->part, op, dnnl_gpu));
    assert_ok(dnnl_graph_op_destroy(op));
}

norm_t norm_make(int64_t channels, dnnl_graph_tensor_property_t property) {
    norm_t norm = {.channels = channels};
    const dnnl_dims_t image = {1, PIXELS, channels}, vector = {channels};
    for (int i = 0; i <= NORM_INPUTS; i++) {
        const bool is_image = i == 0 || i == NORM_INPUTS;
        assert_ok(dnnl_graph_logical_tensor_init_with_dims(&norm.lts[i], (size_t)i, dnnl_bf16,
                is_image ? 3 : 1, is_image ? image : vector, dnnl_graph_layout_type_strided,
                is_image ? dnnl_graph_tensor_property_variable : property));
        norm.data[i] = shared_memory((size_t)elements(&norm, i) * 2);
        set_tensor(&norm, i);
        /* gamma 1, beta 0, mean 0, variance 1 */
        fill_input(&norm, i, i == 1 || i == 4);
    }
    make_partition(&norm);
    assert_ok(dnnl_graph_compiled_partition_create(&norm.cp, norm.part));
    norm_compile(&norm);
    return norm;
}

void norm_compile(norm_t *norm) {
    const lt_t *in[NORM_INPUTS], *out[] = {&norm->lts[NORM_INPUTS]};
    for (int i = 0; i < NORM_INPUTS; i++) in[i] = &norm->lts[i];
    assert_ok(dnnl_graph_partition_compile(norm->part, norm->cp, NORM_INPUTS, in, 1, out, engine));
}

size_t norm_scratch(const norm_t *norm) {
    lt_t lt;
    assert_ok(dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(norm->cp, &lt));
    return (size_t)lt.dims[0];
}

void norm_add_scratch(norm_t *norm) {
    lt_t lt;
    assert_ok(dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(norm->cp, &lt));
    assert_ok(dnnl_graph_tensor_create(&norm->scratch, &lt, engine, DNNL_MEMORY_ALLOCATE));
}

void norm_scale(norm_t *norm, float scale) {
    fill_input(norm, 1, scale);
}

void norm_move_scale(norm_t *norm) {
    void *old = norm->data[1];
    norm->data[1] = shared_memory((size_t)norm->channels * 2);
    assert_ok(dnnl_graph_tensor_set_data_handle(norm->tensors[1], norm->data[1]));
    assert_ze(zeMemFree(context_of(engine), old));
}

dnnl_status_t norm_run(norm_t *norm, dnnl_stream_t on, int ndeps, const ze_event_handle_t *deps,
        ze_event_handle_t *event) {
    const_dnnl_graph_tensor_t in[NORM_INPUTS], out[] = {norm->tensors[NORM_INPUTS]};
    for (int i = 0; i < NORM_INPUTS; i++) in[i] = norm->tensors[i];
    return dnnl_graph_ze_interop_compiled_partition_execute_v2(
            norm->cp, on, NORM_INPUTS, in, 1, out, norm->scratch, deps, ndeps, event);
}

void norm_clear(norm_t *norm) {
    fill_input(norm, NORM_INPUTS, 0);
}

float norm_read(norm_t *norm) {
    const double first = ref_load(dnnl_bf16, norm->data[NORM_INPUTS], 0);
    for (int64_t k = 0; k < elements(norm, 0); k++)
        assert_true(ref_load(dnnl_bf16, norm->data[NORM_INPUTS], k) == first * (double)(1 + k % 7));
    return (float)first;
}

float norm_result(norm_t *norm, dnnl_stream_t on) {
    norm_clear(norm);
    assert_ok(norm_run(norm, on, 0, NULL, NULL));
    assert_ok(dnnl_stream_wait(on));
    return norm_read(norm);
}

void norm_end(norm_t *norm) {
    for (int i = 0; i <= NORM_INPUTS; i++) {
        assert_ok(dnnl_graph_tensor_destroy(norm->tensors[i]));
        assert_ze(zeMemFree(context_of(engine), norm->data[i]));
    }
    assert_ok(dnnl_graph_tensor_destroy(norm->scratch));
    assert_ok(dnnl_graph_compiled_partition_destroy(norm->cp));
    assert_ok(dnnl_graph_partition_destroy(norm->part));
}
