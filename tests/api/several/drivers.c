/* SPDX-License-Identifier: Apache-2.0 */
/* Two drivers in one process: the order of engines, and handles of one given to the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze.h"

#define assert_status(call, expected) assert_int_equal(call, dnnl_##expected)
#define assert_ok(call) assert_status(call, success)
#define assert_ze(call) assert_int_equal(call, ZE_RESULT_SUCCESS)

enum { DRIVERS = 2, N = 37 };

/* What an engine is made of. */
typedef struct {
    dnnl_engine_t engine;
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
} place_t;

static int open_places(void **state) {
    static place_t places[DRIVERS];
    for (size_t i = 0; i < DRIVERS; i++) {
        place_t *p = &places[i];
        assert_ok(dnnl_engine_create(&p->engine, dnnl_gpu, i));
        assert_ok(dnnl_ze_interop_engine_get_driver(p->engine, &p->driver));
        assert_ok(dnnl_ze_interop_engine_get_device(p->engine, &p->device));
        assert_ok(dnnl_ze_interop_engine_get_context(p->engine, &p->context));
    }
    *state = places;
    return 0;
}

static int close_places(void **state) {
    place_t *places = *state;
    for (int i = 0; i < DRIVERS; i++) assert_ok(dnnl_engine_destroy(places[i].engine));
    return 0;
}

static void order(void **state) {
    const place_t *places = *state;
    ze_driver_handle_t drivers[DRIVERS];
    uint32_t count = DRIVERS;
    assert_int_equal(dnnl_engine_get_count(dnnl_gpu), DRIVERS);
    assert_ze(zeDriverGet(&count, drivers));
    assert_int_equal(count, DRIVERS);
    for (int i = 0; i < DRIVERS; i++) {
        ze_device_handle_t device;
        count = 1;
        assert_ze(zeDeviceGet(drivers[i], &count, &device));
        assert_ptr_equal(places[i].driver, drivers[i]);
        assert_ptr_equal(places[i].device, device);
    }
}

static void mixed_handles(void **state) {
    const place_t *a = *state, *b = a + 1;
    dnnl_engine_t engine = NULL;
    assert_status(dnnl_ze_interop_engine_create(&engine, a->driver, b->device, a->context),
            invalid_arguments);
    assert_status(dnnl_ze_interop_engine_create(&engine, b->driver, a->device, a->context),
            invalid_arguments);
    assert_status(dnnl_ze_interop_engine_create(&engine, a->driver, a->device, b->context),
            invalid_arguments);
    assert_null(engine);
    assert_ok(dnnl_ze_interop_engine_create(&engine, b->driver, b->device, b->context));
    assert_ok(dnnl_engine_destroy(engine));
}

static dnnl_memory_desc_t new_md(void) {
    const dnnl_dims_t dims = {N};
    dnnl_memory_desc_t md;
    assert_ok(dnnl_memory_desc_create_with_tag(&md, 1, dims, dnnl_f32, dnnl_a));
    return md;
}

static void compute_on_each(void **state) {
    const place_t *places = *state;
    dnnl_memory_desc_t md = new_md();
    for (int i = 0; i < DRIVERS; i++) {
        const place_t *here = &places[i], *there = &places[1 - i];
        dnnl_primitive_desc_t pd, across = NULL;
        dnnl_primitive_t relu;
        dnnl_memory_t memory, foreign;
        dnnl_stream_t stream, foreign_stream;
        float *x;
        assert_ok(dnnl_eltwise_forward_primitive_desc_create(&pd, here->engine,
                dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0.5f, 0, NULL));
        assert_ok(dnnl_primitive_create(&relu, pd));
        assert_ok(dnnl_stream_create(&stream, here->engine, dnnl_stream_in_order));
        assert_ok(dnnl_stream_create(&foreign_stream, there->engine, dnnl_stream_in_order));
        assert_ok(dnnl_memory_create(&memory, md, here->engine, DNNL_MEMORY_ALLOCATE));
        assert_ok(dnnl_memory_create(&foreign, md, there->engine, DNNL_MEMORY_ALLOCATE));
        assert_ok(dnnl_memory_map_data(memory, (void **)&x));
        for (int k = 0; k < N; k++) x[k] = (float)(k - 5 - i);
        assert_ok(dnnl_memory_unmap_data(memory, x));

        const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}},
                              mixed[] = {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, foreign}};
        assert_status(dnnl_primitive_execute(relu, stream, 2, mixed), invalid_arguments);
        assert_status(dnnl_primitive_execute(relu, foreign_stream, 2, args), invalid_arguments);
        assert_ok(dnnl_primitive_execute(relu, stream, 2, args));
        assert_ok(dnnl_stream_wait(stream));
        assert_ok(dnnl_memory_map_data(memory, (void **)&x));
        for (int k = 0; k < N; k++)
            assert_true(x[k] == (k < 5 + i ? 0.5f * (float)(k - 5 - i) : (float)(k - 5 - i)));
        assert_ok(dnnl_memory_unmap_data(memory, x));

        assert_status(dnnl_reorder_primitive_desc_create(
                              &across, md, here->engine, md, there->engine, NULL),
                unimplemented);
        assert_null(across);
        assert_ok(dnnl_memory_destroy(foreign));
        assert_ok(dnnl_memory_destroy(memory));
        assert_ok(dnnl_stream_destroy(foreign_stream));
        assert_ok(dnnl_stream_destroy(stream));
        assert_ok(dnnl_primitive_destroy(relu));
        assert_ok(dnnl_primitive_desc_destroy(pd));
    }
    assert_ok(dnnl_memory_desc_destroy(md));
}

int main(void) {
    const struct CMUnitTest drivers[] = {cmocka_unit_test(order), cmocka_unit_test(mixed_handles),
            cmocka_unit_test(compute_on_each)};
    return cmocka_run_group_tests(drivers, open_places, close_places);
}
