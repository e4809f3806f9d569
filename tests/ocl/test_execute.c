/* SPDX-License-Identifier: Apache-2.0 */
/* Execution on command queues: buffers and pointers, events, out-of-order queues, profiling, parts
 * of buffers, blobs of primitives. */
#include "app.h"

#include <stdlib.h>

enum { M = 37, K = 29, COLUMNS = 23, N = 256 };

static void fill(float *values, int n, int seed) {
    for (int i = 0; i < n; i++) values[i] = (float)((i * 7 + seed) % 13 - 6);
}

/* dst = relu(src * weights): small integers, so that sums are exact. */
static void check_product(const float *src, const float *weights, const float *dst) {
    for (int m = 0; m < M; m++)
        for (int n = 0; n < COLUMNS; n++) {
            float sum = 0;
            for (int k = 0; k < K; k++) sum += src[m * K + k] * weights[k * COLUMNS + n];
            assert_float_equal(dst[m * COLUMNS + n], sum > 0 ? sum : 0, 0);
        }
}

typedef struct {
    dnnl_memory_desc_t md[3];
    dnnl_memory_t memory[3];
    dnnl_exec_arg_t args[3];
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
} product_t;

static const int sizes[3] = {M * K, K *COLUMNS, M *COLUMNS};

static void make_product(product_t *p) {
    const dnnl_dim_t dims[3][2] = {{M, K}, {K, COLUMNS}, {M, COLUMNS}};
    dnnl_post_ops_t post_ops;
    dnnl_primitive_attr_t attr;
    for (int i = 0; i < 3; i++) p->md[i] = new_md(2, dims[i]);
    assert_ok(dnnl_post_ops_create(&post_ops));
    assert_ok(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0.f, 0.f));
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_primitive_attr_set_post_ops(attr, post_ops));
    assert_ok(dnnl_matmul_primitive_desc_create(
            &p->pd, app.engine, p->md[0], p->md[1], NULL, p->md[2], attr));
    assert_ok(dnnl_primitive_create(&p->primitive, p->pd));
    assert_ok(dnnl_primitive_attr_destroy(attr));
    assert_ok(dnnl_post_ops_destroy(post_ops));
}

static void set_args(product_t *p) {
    static const int args[3] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    for (int i = 0; i < 3; i++) p->args[i] = (dnnl_exec_arg_t){args[i], p->memory[i]};
}

static void free_product(product_t *p) {
    for (int i = 0; i < 3; i++) {
        assert_ok(dnnl_memory_destroy(p->memory[i]));
        assert_ok(dnnl_memory_desc_destroy(p->md[i]));
    }
    assert_ok(dnnl_primitive_destroy(p->primitive));
    assert_ok(dnnl_primitive_desc_destroy(p->pd));
}

static void product_in_buffers(void **state) {
    (void)state;
    static float values[3][M * K + K * COLUMNS + M * COLUMNS];
    product_t p;
    cl_mem buffers[3];
    dnnl_stream_t stream;
    cl_event event = NULL;
    cl_int how;
    make_product(&p);
    for (int i = 0; i < 3; i++) {
        fill(values[i], sizes[i], i);
        buffers[i] = new_buffer((size_t)sizes[i] * sizeof(float));
        write_floats(buffers[i], values[i], (size_t)sizes[i]);
        p.memory[i] = new_memory(p.md[i], buffers[i]);
    }
    set_args(&p);
    assert_ok(dnnl_ocl_interop_stream_create(&stream, app.engine, app.queue));
    assert_ok(dnnl_ocl_interop_primitive_execute(p.primitive, stream, 3, p.args, NULL, 0, &event));
    assert_cl(clWaitForEvents(1, &event));
    assert_cl(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof how, &how, NULL));
    assert_int_equal(how, CL_COMPLETE);
    assert_cl(clReleaseEvent(event));
    read_floats(buffers[2], values[2], (size_t)sizes[2]);
    check_product(values[0], values[1], values[2]);
    assert_ok(dnnl_stream_destroy(stream));
    free_product(&p);
    for (int i = 0; i < 3; i++) assert_cl(clReleaseMemObject(buffers[i]));
}

static void product_behind_pointers(void **state) {
    (void)state;
    static float values[3][M * K + K * COLUMNS + M * COLUMNS];
    product_t p;
    dnnl_stream_t stream;
    float *mapped;
    make_product(&p);
    for (int i = 0; i < 3; i++) {
        const dnnl_status_t status = dnnl_ocl_interop_memory_create(
                &p.memory[i], p.md[i], app.engine, dnnl_ocl_interop_usm, DNNL_MEMORY_ALLOCATE);
        if (status == dnnl_unimplemented) skip(); /* no such pointers */
        assert_ok(status);
        fill(values[i], sizes[i], i + 3);
        assert_ok(dnnl_memory_map_data(p.memory[i], (void **)&mapped));
        memcpy(mapped, values[i], (size_t)sizes[i] * sizeof(float));
        assert_ok(dnnl_memory_unmap_data(p.memory[i], mapped));
    }
    set_args(&p);
    assert_ok(dnnl_stream_create(&stream, app.engine, dnnl_stream_default_flags));
    assert_ok(dnnl_primitive_execute(p.primitive, stream, 3, p.args));
    assert_ok(dnnl_stream_wait(stream));
    assert_ok(dnnl_memory_map_data(p.memory[2], (void **)&mapped));
    check_product(values[0], values[1], mapped);
    assert_ok(dnnl_memory_unmap_data(p.memory[2], mapped));
    assert_ok(dnnl_stream_destroy(stream));
    free_product(&p);
}

/* Two primitives on a queue that promises no order; the first waits for an event that the
 * application completes later. */
static void events_order(void **state) {
    (void)state;
    const dnnl_dim_t dims[] = {N};
    dnnl_memory_desc_t md = new_md(1, dims);
    dnnl_primitive_t relu = new_relu(md);
    cl_command_queue queue = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem buffers[3];
    dnnl_memory_t memory[3];
    float values[N];
    dnnl_stream_t stream;
    cl_int result;
    cl_event gate = clCreateUserEvent(app.context, &result), first = NULL, second = NULL;
    assert_cl(result);
    for (int i = 0; i < 3; i++) {
        fill(values, N, i);
        buffers[i] = new_buffer(sizeof values);
        write_floats(buffers[i], values, N);
        memory[i] = new_memory(md, buffers[i]);
    }
    const dnnl_exec_arg_t one[] = {{DNNL_ARG_SRC, memory[0]}, {DNNL_ARG_DST, memory[1]}},
                          two[] = {{DNNL_ARG_SRC, memory[1]}, {DNNL_ARG_DST, memory[2]}};
    assert_ok(dnnl_ocl_interop_stream_create(&stream, app.engine, queue));
    assert_ok(dnnl_ocl_interop_primitive_execute(relu, stream, 2, one, &gate, 1, &first));
    assert_ok(dnnl_ocl_interop_primitive_execute(relu, stream, 2, two, &first, 1, &second));
    assert_cl(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_cl(clWaitForEvents(1, &second));
    read_floats(buffers[2], values, N);
    float expected[N];
    fill(expected, N, 0);
    for (int i = 0; i < N; i++) assert_float_equal(values[i], expected[i] > 0 ? expected[i] : 0, 0);

    cl_event none = NULL, kept = (cl_event)(void *)&none;
    assert_status(dnnl_ocl_interop_primitive_execute(relu, stream, 2, one, &none, 1, &kept),
            invalid_arguments);
    assert_status(dnnl_ocl_interop_primitive_execute(relu, stream, 2, one, NULL, 1, &kept),
            invalid_arguments);
    assert_status(dnnl_ocl_interop_primitive_execute(relu, stream, 2, one, NULL, -1, &kept),
            invalid_arguments);
    assert_status(dnnl_ocl_interop_primitive_execute(relu, stream, 1, one, NULL, 0, &kept),
            invalid_arguments);
    assert_ptr_equal(kept, &none);
    assert_cl(clReleaseEvent(gate));
    assert_cl(clReleaseEvent(first));
    assert_cl(clReleaseEvent(second));
    assert_ok(dnnl_stream_destroy(stream));
    for (int i = 0; i < 3; i++) {
        assert_ok(dnnl_memory_destroy(memory[i]));
        assert_cl(clReleaseMemObject(buffers[i]));
    }
    assert_cl(clReleaseCommandQueue(queue));
    assert_ok(dnnl_primitive_destroy(relu));
    assert_ok(dnnl_memory_desc_destroy(md));
}

/* A primitive with nothing to do waits and signals like any other. */
static void nothing_to_do(void **state) {
    (void)state;
    const dnnl_dim_t dims[] = {0};
    dnnl_memory_desc_t md = new_md(1, dims);
    dnnl_primitive_t relu = new_relu(md);
    dnnl_memory_t memory = new_memory(md, DNNL_MEMORY_NONE);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    dnnl_stream_t stream;
    cl_event event = NULL;
    assert_ok(dnnl_ocl_interop_stream_create(&stream, app.engine, app.queue));
    assert_ok(dnnl_ocl_interop_primitive_execute(relu, stream, 2, args, NULL, 0, &event));
    assert_non_null(event);
    assert_cl(clWaitForEvents(1, &event));
    assert_cl(clReleaseEvent(event));
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_memory_destroy(memory));
    assert_ok(dnnl_primitive_destroy(relu));
    assert_ok(dnnl_memory_desc_destroy(md));
}

/* A tensor inside of a larger one begins in the middle of its buffer. `at` is a row of it. */
static dnnl_status_t run_part(int at, float *values) {
    const dnnl_dims_t dims = {8, N}, part_dims = {2, N}, offsets = {at, 0};
    dnnl_memory_desc_t whole = new_md(2, dims), part;
    assert_ok(dnnl_memory_desc_create_submemory(&part, whole, part_dims, offsets));
    dnnl_primitive_t relu = new_relu(part);
    cl_mem buffer = new_buffer(8 * N * sizeof(float));
    write_floats(buffer, values, 8 * N);
    dnnl_memory_t memory = new_memory(part, buffer);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    dnnl_stream_t stream;
    assert_ok(dnnl_ocl_interop_stream_create(&stream, app.engine, app.queue));
    const dnnl_status_t status = dnnl_primitive_execute(relu, stream, 2, args);
    assert_ok(dnnl_stream_wait(stream));
    read_floats(buffer, values, 8 * N);
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_memory_destroy(memory));
    assert_cl(clReleaseMemObject(buffer));
    assert_ok(dnnl_primitive_destroy(relu));
    assert_ok(dnnl_memory_desc_destroy(part));
    assert_ok(dnnl_memory_desc_destroy(whole));
    return status;
}

static void part_of_a_buffer(void **state) {
    (void)state;
    static float values[8 * N], before[8 * N];
    cl_uint bits = 0;
    assert_cl(clGetDeviceInfo(app.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
    if (N * sizeof(float) % (bits / 8)) skip();
    fill(values, 8 * N, 5);
    memcpy(before, values, sizeof values);
    assert_ok(run_part(3, values));
    for (int i = 0; i < 8 * N; i++) {
        const bool inside = i / N == 3 || i / N == 4;
        assert_float_equal(values[i], inside && before[i] < 0 ? 0 : before[i], 0);
    }
}

static void profiling(void **state) {
    (void)state;
    const dnnl_dim_t dims[] = {N};
    dnnl_memory_desc_t md = new_md(1, dims);
    dnnl_primitive_t relu = new_relu(md);
    cl_mem buffer = new_buffer(N * sizeof(float));
    dnnl_memory_t memory = new_memory(md, buffer);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    cl_command_queue queue = new_queue(CL_QUEUE_PROFILING_ENABLE);
    dnnl_stream_t stream;
    uint64_t times[3] = {0};
    int n = 0;
    assert_ok(dnnl_ocl_interop_stream_create(&stream, app.engine, queue));
    for (int i = 0; i < 3; i++) assert_ok(dnnl_primitive_execute(relu, stream, 2, args));
    assert_ok(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &n, NULL));
    assert_int_equal(n, 3);
    assert_ok(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &n, times));
    for (int i = 0; i < 3; i++) assert_in_range(times[i], 1, UINT64_C(60000000000));
    n = 2;
    assert_status(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &n, times),
            invalid_arguments);
    assert_ok(dnnl_reset_profiling(stream));
    assert_ok(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(dnnl_stream_destroy(stream));
    assert_cl(clReleaseCommandQueue(queue));
    assert_ok(dnnl_memory_destroy(memory));
    assert_cl(clReleaseMemObject(buffer));
    assert_ok(dnnl_primitive_destroy(relu));
    assert_ok(dnnl_memory_desc_destroy(md));
}

static void primitive_blobs(void **state) {
    (void)state;
    product_t p;
    size_t size = 0;
    dnnl_primitive_t again;
    memset(p.memory, 0, sizeof p.memory);
    make_product(&p);
    assert_ok(dnnl_primitive_get_cache_blob(p.primitive, &size, NULL));
    uint8_t *blob = malloc(size);
    assert_ok(dnnl_primitive_get_cache_blob(p.primitive, &size, blob));
    assert_ok(dnnl_primitive_destroy(p.primitive));
    assert_ok(dnnl_set_primitive_cache_capacity(0)); /* so that the blob is used */
    assert_ok(dnnl_primitive_create_from_cache_blob(&p.primitive, p.pd, size, blob));
    blob[size - 1] ^= 1;
    assert_status(
            dnnl_primitive_create_from_cache_blob(&again, p.pd, size, blob), invalid_arguments);
    assert_ok(dnnl_set_primitive_cache_capacity(1024));
    free(blob);
    free_product(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(product_in_buffers),
            cmocka_unit_test(product_behind_pointers), cmocka_unit_test(events_order),
            cmocka_unit_test(nothing_to_do), cmocka_unit_test(part_of_a_buffer),
            cmocka_unit_test(profiling), cmocka_unit_test(primitive_blobs)};
    return cmocka_run_group_tests(tests, open_app, close_app);
}
