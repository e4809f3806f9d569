/* SPDX-License-Identifier: Apache-2.0 */
/* Engines, streams and memory objects on OpenCL's: what they answer, what they refuse, and who owns
 * what. */
#include "app.h"
#include "dnnl_ze.h"

#include <stdlib.h>

enum { N = 64 };
static const dnnl_dim_t dims[] = {N};

static void engines(void **state) {
    (void)state;
    cl_device_id device = NULL;
    cl_context context = NULL;
    dnnl_engine_kind_t kind;
    dnnl_engine_t engine = NULL;
    assert_ok(dnnl_ocl_interop_get_device(app.engine, &device));
    assert_ptr_equal(device, app.device);
    assert_ok(dnnl_ocl_interop_engine_get_context(app.engine, &context));
    assert_ptr_equal(context, app.context);
    assert_ok(dnnl_engine_get_kind(app.engine, &kind));
    assert_int_equal(kind, dnnl_gpu);

    assert_status(dnnl_ocl_interop_engine_create(NULL, device, context), invalid_arguments);
    assert_status(dnnl_ocl_interop_engine_create(&engine, NULL, context), invalid_arguments);
    assert_status(dnnl_ocl_interop_engine_create(&engine, device, NULL), invalid_arguments);
    assert_status(dnnl_ocl_interop_get_device(NULL, &device), invalid_arguments);
    assert_status(dnnl_ocl_interop_get_device(app.engine, NULL), invalid_arguments);
    assert_status(dnnl_ocl_interop_engine_get_context(app.engine, NULL), invalid_arguments);
    assert_null(engine);
}

/* The library's other runtime does not take its objects for its own. */
static void runtimes_do_not_mix(void **state) {
    (void)state;
    ze_device_handle_t ze_device;
    ze_command_list_handle_t list;
    dnnl_memory_desc_t md = new_md(1, dims);
    dnnl_memory_t memory;
    dnnl_stream_t stream;
    void *handle = DNNL_MEMORY_ALLOCATE;
    size_t size;
    assert_status(dnnl_ze_interop_engine_get_device(app.engine, &ze_device), invalid_arguments);
    assert_status(
            dnnl_ze_interop_engine_get_cache_blob(app.engine, &size, NULL), invalid_arguments);
    assert_status(dnnl_ze_interop_stream_create(
                          &stream, app.engine, (ze_command_list_handle_t)(void *)&stream, 0),
            invalid_arguments);
    assert_status(
            dnnl_ze_interop_memory_create(&memory, md, app.engine, 1, &handle), invalid_arguments);
    assert_ok(dnnl_stream_create(&stream, app.engine, dnnl_stream_default_flags));
    assert_status(dnnl_ze_interop_stream_get_list(stream, &list), invalid_arguments);
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_memory_desc_destroy(md));

    dnnl_engine_t ze_engine;
    cl_device_id device;
    if (dnnl_engine_create(&ze_engine, dnnl_gpu, 0) != dnnl_success) return; /* no Level Zero */
    if (dnnl_ze_interop_engine_get_device(ze_engine, &ze_device) == dnnl_success) {
        assert_status(dnnl_ocl_interop_get_device(ze_engine, &device), invalid_arguments);
        assert_status(
                dnnl_ocl_interop_stream_create(&stream, ze_engine, app.queue), invalid_arguments);
    }
    assert_ok(dnnl_engine_destroy(ze_engine));
}

static void streams(void **state) {
    (void)state;
    dnnl_stream_t stream = NULL;
    cl_command_queue queue = NULL;
    cl_int result;
    assert_ok(dnnl_ocl_interop_stream_create(&stream, app.engine, app.queue));
    assert_ok(dnnl_ocl_interop_stream_get_command_queue(stream, &queue));
    assert_ptr_equal(queue, app.queue);
    assert_ok(dnnl_stream_wait(stream));
    assert_ok(dnnl_stream_destroy(stream));

    cl_context other = clCreateContext(NULL, 1, &app.device, NULL, NULL, &result);
    assert_cl(result);
    cl_command_queue foreign = clCreateCommandQueue(other, app.device, 0, &result);
    assert_cl(result);
    assert_status(dnnl_ocl_interop_stream_create(&stream, app.engine, foreign), invalid_arguments);
    assert_status(dnnl_ocl_interop_stream_create(&stream, app.engine, NULL), invalid_arguments);
    assert_cl(clReleaseCommandQueue(foreign));
    assert_cl(clReleaseContext(other));

    /* The library retains the queue. */
    queue = new_queue(0);
    assert_ok(dnnl_ocl_interop_stream_create(&stream, app.engine, queue));
    assert_cl(clReleaseCommandQueue(queue));
    assert_ok(dnnl_stream_wait(stream));
    assert_ok(dnnl_stream_destroy(stream));
}

static void buffers(void **state) {
    (void)state;
    dnnl_memory_desc_t md = new_md(1, dims);
    cl_mem buffer = new_buffer(N * sizeof(float)), small = new_buffer(N * sizeof(float) - 4), got;
    dnnl_ocl_interop_memory_kind_t kind;
    dnnl_memory_t memory = new_memory(md, buffer), refused = NULL;
    void *handle;
    assert_int_equal(references(buffer), 2);
    assert_ok(dnnl_ocl_interop_memory_get_memory_kind(memory, &kind));
    assert_int_equal(kind, dnnl_ocl_interop_buffer);
    assert_ok(dnnl_ocl_interop_memory_get_mem_object(memory, &got));
    assert_ptr_equal(got, buffer);
    assert_ok(dnnl_memory_get_data_handle(memory, &handle));
    assert_ptr_equal(handle, buffer);

    assert_status(dnnl_ocl_interop_memory_set_mem_object(memory, small), invalid_arguments);
    assert_int_equal(references(small), 1);
    assert_status(dnnl_ocl_interop_memory_create(
                          &refused, md, app.engine, dnnl_ocl_interop_buffer, small),
            invalid_arguments);
    assert_status(dnnl_ocl_interop_memory_create(&refused, md, app.engine,
                          (dnnl_ocl_interop_memory_kind_t)7, DNNL_MEMORY_ALLOCATE),
            invalid_arguments);
    assert_ok(dnnl_ocl_interop_memory_set_mem_object(memory, NULL));
    assert_int_equal(references(buffer), 1);
    assert_ok(dnnl_ocl_interop_memory_set_mem_object(memory, buffer));
    assert_int_equal(references(buffer), 2);
    assert_ok(dnnl_memory_destroy(memory));
    assert_int_equal(references(buffer), 1);
    assert_ok(dnnl_ocl_interop_memory_get_mem_object(NULL, &got));
    assert_null(got);
    assert_cl(clReleaseMemObject(small));
    assert_cl(clReleaseMemObject(buffer));
    assert_ok(dnnl_memory_desc_destroy(md));
}

static void buffer_of_another_context(void **state) {
    (void)state;
    cl_int result;
    dnnl_memory_t memory;
    dnnl_memory_desc_t md = new_md(1, dims);
    cl_context other = clCreateContext(NULL, 1, &app.device, NULL, NULL, &result);
    assert_cl(result);
    cl_mem buffer = clCreateBuffer(other, CL_MEM_READ_WRITE, N * sizeof(float), NULL, &result);
    assert_cl(result);
    assert_status(dnnl_ocl_interop_memory_create(
                          &memory, md, app.engine, dnnl_ocl_interop_buffer, buffer),
            invalid_arguments);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseContext(other));
    assert_ok(dnnl_memory_desc_destroy(md));
}

/* What the host writes through one mapping it reads through the next. */
static void check_mapping(dnnl_memory_t memory) {
    float *mapped;
    assert_ok(dnnl_memory_map_data(memory, (void **)&mapped));
    for (int i = 0; i < N; i++) mapped[i] = (float)i;
    assert_ok(dnnl_memory_unmap_data(memory, mapped));
    assert_ok(dnnl_memory_map_data(memory, (void **)&mapped));
    for (int i = 0; i < N; i++) assert_float_equal(mapped[i], (float)i, 0);
    assert_ok(dnnl_memory_unmap_data(memory, mapped));
    assert_ok(dnnl_memory_destroy(memory));
}

static void mappings(void **state) {
    (void)state;
    dnnl_memory_desc_t md = new_md(1, dims);
    dnnl_ocl_interop_memory_kind_t kind;
    dnnl_memory_t memory;
    cl_mem got;
    assert_ok(dnnl_memory_create(&memory, md, app.engine, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_ocl_interop_memory_get_memory_kind(memory, &kind));
    assert_int_equal(kind, dnnl_ocl_interop_buffer);
    check_mapping(memory);
    const dnnl_status_t status = dnnl_ocl_interop_memory_create(
            &memory, md, app.engine, dnnl_ocl_interop_usm, DNNL_MEMORY_ALLOCATE);
    if (status != dnnl_unimplemented) {
        assert_ok(status);
        assert_ok(dnnl_ocl_interop_memory_get_memory_kind(memory, &kind));
        assert_int_equal(kind, dnnl_ocl_interop_usm);
        assert_status(dnnl_ocl_interop_memory_get_mem_object(memory, &got), invalid_arguments);
        assert_status(dnnl_ocl_interop_memory_set_mem_object(memory, NULL), invalid_arguments);
        check_mapping(memory);
    }
    assert_ok(dnnl_memory_desc_destroy(md));
}

static void engine_blobs(void **state) {
    (void)state;
    size_t size = 0, other = 0;
    dnnl_engine_t engine;
    assert_ok(dnnl_ocl_interop_engine_get_cache_blob_id(app.device, &size, NULL));
    assert_true(size > 0);
    uint8_t *id = malloc(size), *again = malloc(size);
    assert_ok(dnnl_ocl_interop_engine_get_cache_blob_id(app.device, &size, id));
    assert_ok(dnnl_ocl_interop_engine_get_cache_blob_id(app.device, &size, again));
    assert_memory_equal(id, again, size);
    other = size - 1;
    assert_status(
            dnnl_ocl_interop_engine_get_cache_blob_id(app.device, &other, id), invalid_arguments);
    free(id);
    free(again);

    assert_ok(dnnl_ocl_interop_engine_get_cache_blob(app.engine, &size, NULL));
    uint8_t *blob = malloc(size);
    assert_ok(dnnl_ocl_interop_engine_get_cache_blob(app.engine, &size, blob));
    assert_ok(dnnl_ocl_interop_engine_create_from_cache_blob(
            &engine, app.device, app.context, size, blob));
    assert_ok(dnnl_engine_destroy(engine));
    assert_status(dnnl_ocl_interop_engine_create_from_cache_blob(
                          &engine, app.device, app.context, size - 1, blob),
            invalid_arguments);
    blob[size / 2] ^= 1;
    assert_status(dnnl_ocl_interop_engine_create_from_cache_blob(
                          &engine, app.device, app.context, size, blob),
            invalid_arguments);
    free(blob);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(engines),
            cmocka_unit_test(runtimes_do_not_mix), cmocka_unit_test(streams),
            cmocka_unit_test(buffers), cmocka_unit_test(buffer_of_another_context),
            cmocka_unit_test(mappings), cmocka_unit_test(engine_blobs)};
    return cmocka_run_group_tests(tests, open_app, close_app);
}
