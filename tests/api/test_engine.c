/* SPDX-License-Identifier: Apache-2.0 */
/* Engines: creation, sharing, lifetimes in odd orders, cache blobs. */
#include "rt.h"

#include <stdlib.h>

#include "ze/engine.h"

static void creation(void **state) {
    (void)state;
    dnnl_engine_t engine, untouched = (dnnl_engine_t)&app;
    dnnl_engine_kind_t kind = dnnl_any_engine;
    const size_t count = dnnl_engine_get_count(dnnl_gpu);
    assert_true(count >= 1);
    assert_int_equal(dnnl_engine_get_count(dnnl_cpu), 0);
    assert_int_equal(dnnl_engine_get_count(dnnl_any_engine), 0);
    assert_status(dnnl_engine_create(&untouched, dnnl_cpu, 0), invalid_arguments);
    assert_status(dnnl_engine_create(&untouched, dnnl_gpu, count), invalid_arguments);
    assert_status(dnnl_engine_create(NULL, dnnl_gpu, 0), invalid_arguments);
    assert_ptr_equal(untouched, &app);
    for (size_t i = 0; i < count; i++) {
        assert_ok(dnnl_engine_create(&engine, dnnl_gpu, i));
        assert_ok(dnnl_engine_get_kind(engine, &kind));
        assert_int_equal(kind, dnnl_gpu);
        assert_ok(dnnl_engine_destroy(engine));
    }
    assert_status(dnnl_engine_get_kind(NULL, &kind), invalid_arguments);
    engine = new_engine();
    assert_status(dnnl_engine_get_kind(engine, NULL), invalid_arguments);
    assert_ok(dnnl_engine_destroy(engine));
    assert_ok(dnnl_engine_destroy(NULL));
}

/* Engines of one device share a context. */
static void handles(void **state) {
    (void)state;
    const size_t count = dnnl_engine_get_count(dnnl_gpu);
    for (size_t i = 0; i < count; i++) {
        ze_driver_handle_t driver;
        ze_device_handle_t device;
        ze_context_handle_t context, other_context;
        dnnl_engine_t engine, other;
        assert_ok(dnnl_engine_create(&engine, dnnl_gpu, i));
        assert_ok(dnnl_engine_create(&other, dnnl_gpu, i));
        assert_ok(dnnl_ze_interop_engine_get_driver(engine, &driver));
        assert_ok(dnnl_ze_interop_engine_get_device(engine, &device));
        assert_ok(dnnl_ze_interop_engine_get_context(engine, &context));
        assert_ok(dnnl_ze_interop_engine_get_context(other, &other_context));
        assert_ptr_equal(context, other_context);
        assert_ze(zeContextGetStatus(context));
        assert_int_equal(engine_index(engine), (int)i);
        assert_ok(dnnl_engine_destroy(engine));
        /* On the handles of another engine. */
        assert_ok(dnnl_ze_interop_engine_create(&engine, driver, device, other_context));
        assert_ok(dnnl_engine_destroy(engine));
        assert_ok(dnnl_engine_destroy(other));
    }
}

static void same_order_every_time(void **state) {
    (void)state;
    const size_t count = dnnl_engine_get_count(dnnl_gpu);
    bool seen_cpu = false;
    for (size_t i = 0; i < count; i++) {
        dnnl_engine_t engine;
        assert_ok(dnnl_engine_create(&engine, dnnl_gpu, i));
        const bool cpu = engine_caps(engine)->is_cpu;
        assert_false(seen_cpu && !cpu);
        seen_cpu = cpu;
        assert_ok(dnnl_engine_destroy(engine));
    }
}

static void interop_arguments(void **state) {
    (void)state;
    int on_stack[64] = {0};
    dnnl_engine_t engine = NULL;
    ze_driver_handle_t driver;
    ze_device_handle_t device, foreign = (ze_device_handle_t)on_stack;
    ze_context_handle_t context;
    assert_status(dnnl_ze_interop_engine_create(NULL, app.driver, app.device, app.context),
            invalid_arguments);
    assert_status(dnnl_ze_interop_engine_create(&engine, NULL, app.device, app.context),
            invalid_arguments);
    assert_status(dnnl_ze_interop_engine_create(&engine, app.driver, NULL, app.context),
            invalid_arguments);
    assert_status(dnnl_ze_interop_engine_create(&engine, app.driver, app.device, NULL),
            invalid_arguments);
    assert_status(dnnl_ze_interop_engine_create(&engine, app.driver, foreign, app.context),
            invalid_arguments);
    assert_status(dnnl_ze_interop_engine_create(
                          &engine, (ze_driver_handle_t)on_stack, app.device, app.context),
            invalid_arguments);
    assert_status(dnnl_ze_interop_engine_create(&engine, (ze_driver_handle_t)app.device,
                          (ze_device_handle_t)app.driver, app.context),
            invalid_arguments);
    assert_null(engine);

    engine = new_engine();
    assert_ok(dnnl_ze_interop_engine_get_driver(engine, &driver));
    assert_ok(dnnl_ze_interop_engine_get_device(engine, &device));
    assert_ok(dnnl_ze_interop_engine_get_context(engine, &context));
    assert_ptr_equal(driver, app.driver);
    assert_ptr_equal(device, app.device);
    assert_ptr_equal(context, app.context);
    assert_status(dnnl_ze_interop_engine_get_driver(engine, NULL), invalid_arguments);
    assert_status(dnnl_ze_interop_engine_get_device(NULL, &device), invalid_arguments);
    assert_status(dnnl_ze_interop_engine_get_context(NULL, &context), invalid_arguments);
    assert_ok(dnnl_engine_destroy(engine));
    assert_ze(zeContextGetStatus(app.context));
}

/* Needs a driver that knows its dead handles, and a loader that does not look into them first. */
static void dead_context(void **state) {
    (void)state;
    dnnl_engine_t engine = NULL;
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    assert_ze(zeDeviceGetProperties(app.device, &properties));
    if (properties.type != ZE_DEVICE_TYPE_CPU || getenv("ZE_ENABLE_LOADER_INTERCEPT") ||
            getenv("ZE_ENABLE_VALIDATION_LAYER"))
        skip();
    ze_context_handle_t context;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    assert_ze(zeContextCreate(app.driver, &desc, &context));
    assert_ze(zeContextDestroy(context));
    assert_status(dnnl_ze_interop_engine_create(&engine, app.driver, app.device, context),
            invalid_arguments);
    assert_status(dnnl_ze_interop_engine_create(
                          &engine, app.driver, app.device, (ze_context_handle_t)app.device),
            invalid_arguments);
    assert_null(engine);
}

static void sub_devices(void **state) {
    (void)state;
    uint32_t count = 0;
    if (zeDeviceGetSubDevices(app.device, &count, NULL) != ZE_RESULT_SUCCESS || !count) skip();
    ze_device_handle_t subs[64];
    if (count > COUNT_OF(subs)) count = COUNT_OF(subs);
    assert_ze(zeDeviceGetSubDevices(app.device, &count, subs));
    for (uint32_t i = 0; i < count; i++) {
        dnnl_engine_t engine;
        assert_ok(dnnl_ze_interop_engine_create(&engine, app.driver, subs[i], app.context));
        assert_ok(dnnl_engine_destroy(engine));
    }
}

/* Every order in which five objects can be destroyed; none may touch another that is gone. */
static void destroy_in_any_order(void **state) {
    (void)state;
    enum { OBJECTS = 5, ORDERS = 120 };
    const affine_t affine = {.n = N, .steps = 2, .factor = 2, .addend = 1};
    for (int order = 0; order < ORDERS; order++) {
        bench_t b = {.engine = NULL};
        if (order % 2) assert_ok(dnnl_engine_create(&b.engine, dnnl_gpu, 0));
        else b.engine = new_engine();
        assert_ok(dnnl_stream_create(&b.stream, b.engine, dnnl_stream_in_order));
        dnnl_memory_t memory = new_floats(b.engine, N, DNNL_MEMORY_ALLOCATE);
        dnnl_primitive_desc_t desc = new_affine(b.engine, &affine);
        dnnl_primitive_t primitive;
        assert_ok(dnnl_primitive_create(&primitive, desc));
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
        assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, args));
        assert_ok(dnnl_stream_wait(b.stream));
        bool gone[OBJECTS] = {false};
        for (int left = OBJECTS, code = order; left > 0; left--) {
            int which = code % left;
            code /= left;
            for (int i = 0; i <= which; i++) which += gone[i];
            gone[which] = true;
            switch (which) {
            case 0: assert_ok(dnnl_engine_destroy(b.engine)); break;
            case 1: assert_ok(dnnl_stream_destroy(b.stream)); break;
            case 2: assert_ok(dnnl_memory_destroy(memory)); break;
            case 3: free_affine(desc); break;
            case 4: assert_ok(dnnl_primitive_destroy(primitive)); break;
            default: fail();
            }
        }
    }
}

static void cache_blob(void **state) {
    (void)state;
    dnnl_engine_t engine = new_engine(), other = NULL;
    size_t size = 0, again = 0;
    assert_ok(dnnl_ze_interop_engine_get_cache_blob(engine, &size, NULL));
    assert_true(size > 0);
    uint8_t *blob = malloc(size), *twin = malloc(size);
    assert_ok(dnnl_ze_interop_engine_get_cache_blob(engine, &size, blob));
    again = size;
    assert_ok(dnnl_ze_interop_engine_get_cache_blob(engine, &again, twin));
    assert_memory_equal(blob, twin, size);
    again = size - 1;
    assert_status(dnnl_ze_interop_engine_get_cache_blob(engine, &again, twin), invalid_arguments);
    assert_status(dnnl_ze_interop_engine_get_cache_blob(engine, NULL, twin), invalid_arguments);
    assert_status(dnnl_ze_interop_engine_get_cache_blob(NULL, &size, NULL), invalid_arguments);

#define FROM_BLOB(size, bytes)                                                                     \
    dnnl_ze_interop_engine_create_from_cache_blob(                                                 \
            &other, app.driver, app.device, app.context, size, bytes)
    for (size_t i = 0; i < size; i++) {
        assert_status(FROM_BLOB(i, blob), invalid_arguments);
        twin[i] ^= (uint8_t)(1 << i % 8);
        assert_status(FROM_BLOB(size, twin), invalid_arguments);
        twin[i] = blob[i];
    }
    assert_status(FROM_BLOB(size, NULL), invalid_arguments);
    assert_null(other);
    assert_ok(FROM_BLOB(size, blob));
    assert_ok(dnnl_engine_destroy(other));
    free(blob);
    free(twin);
    assert_ok(dnnl_engine_destroy(engine));
}

static void cache_blob_id(void **state) {
    (void)state;
    size_t size = 0, again;
    uint8_t id[1024], twin[1024];
    int on_stack[64] = {0};
    assert_ok(dnnl_ze_interop_engine_get_cache_blob_id(app.driver, app.device, &size, NULL));
    assert_true(size > 0 && size <= sizeof id);
    assert_ok(dnnl_ze_interop_engine_get_cache_blob_id(app.driver, app.device, &size, id));
    memset(twin, 0xff, sizeof twin);
    assert_ok(dnnl_ze_interop_engine_get_cache_blob_id(app.driver, app.device, &size, twin));
    assert_memory_equal(id, twin, size);
    again = size - 1;
    assert_status(dnnl_ze_interop_engine_get_cache_blob_id(app.driver, app.device, &again, id),
            invalid_arguments);
    assert_status(dnnl_ze_interop_engine_get_cache_blob_id(NULL, app.device, &size, NULL),
            invalid_arguments);
    assert_status(dnnl_ze_interop_engine_get_cache_blob_id(app.driver, NULL, &size, NULL),
            invalid_arguments);
    assert_status(dnnl_ze_interop_engine_get_cache_blob_id(app.driver, app.device, NULL, id),
            invalid_arguments);
    assert_status(dnnl_ze_interop_engine_get_cache_blob_id(
                          app.driver, (ze_device_handle_t)on_stack, &size, NULL),
            invalid_arguments);
}

#define INTEROP "functions of Level Zero alone; ocl_objects has those of OpenCL"

int main(void) {
    const struct CMUnitTest engines[] = {TEST(creation), LEVEL_ZERO_TEST(handles, INTEROP),
            TEST(same_order_every_time), LEVEL_ZERO_TEST(interop_arguments, INTEROP),
            LEVEL_ZERO_TEST(dead_context, INTEROP), LEVEL_ZERO_TEST(sub_devices, INTEROP),
            TEST(destroy_in_any_order), LEVEL_ZERO_TEST(cache_blob, INTEROP),
            LEVEL_ZERO_TEST(cache_blob_id, INTEROP)};
    return RUN_TESTS(engines);
}
