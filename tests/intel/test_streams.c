/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events, profiling, memory and cache blobs on a driver that executes nothing: every
 * call has to be one that driver and layers accept, and what does not depend on the device's
 * work has to be right. */
#define DNNL_EXPERIMENTAL_PROFILING
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "oneapi/dnnl/dnnl_ze.h"
#include "oneapi/dnnl/dnnl_ze_recording.h"
#include "ze/engine.h"

#define OK(call) assert_int_equal(call, dnnl_success)
#define ZE(call) assert_int_equal(call, ZE_RESULT_SUCCESS)
enum { N = 1000, MAX_DEVICES = 8 };

static ze_driver_handle_t driver;
static ze_device_handle_t devices[MAX_DEVICES]; /* and their tiles */
static uint32_t ndevices;
static ze_context_handle_t context;

static int open_driver(void **unused) {
    (void)unused;
    uint32_t n = 1;
    ZE(zeInit(0));
    ZE(zeDriverGet(&n, &driver));
    ndevices = MAX_DEVICES;
    ZE(zeDeviceGet(driver, &ndevices, devices));
    const uint32_t nroots = ndevices;
    for (uint32_t i = 0; i < nroots; i++) {
        uint32_t ntiles = MAX_DEVICES - ndevices;
        ZE(zeDeviceGetSubDevices(devices[i], &ntiles, devices + ndevices));
        ndevices += ntiles;
    }
    const char *expected = getenv("DNNL_ZE_TEST_DEVICES");
    if (expected) assert_int_equal(ndevices, atoi(expected));
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ZE(zeContextCreate(driver, &desc, &context));
    return 0;
}

/* The loader's leak checker does not know each call that makes events: here they are counted. */
static long pooled, counted, destroyed;
static __typeof__(ze.EventCreate) event_create;
static __typeof__(ze.EventCounterBasedCreate) counted_create;
static __typeof__(ze.EventDestroy) event_destroy;
static ze_result_t count_pooled(
        ze_event_pool_handle_t pool, const ze_event_desc_t *desc, ze_event_handle_t *event) {
    pooled++;
    return event_create(pool, desc, event);
}
static ze_result_t count_counted(ze_context_handle_t c, ze_device_handle_t device,
        const ze_counted_event_desc_t *desc, ze_event_handle_t *event) {
    counted++;
    return counted_create(c, device, desc, event);
}
static ze_result_t count_destroyed(ze_event_handle_t event) {
    destroyed++;
    return event_destroy(event);
}

static void watch_events(void) {
    if (event_create) return;
    event_create = ze.EventCreate;
    counted_create = ze.EventCounterBasedCreate;
    event_destroy = ze.EventDestroy;
    ze.EventCreate = count_pooled;
    if (counted_create) ze.EventCounterBasedCreate = count_counted;
    ze.EventDestroy = count_destroyed;
}

static int close_driver(void **unused) {
    (void)unused;
    ZE(zeContextDestroy(context));
    print_message("events: %ld of pools, %ld counter-based\n", pooled, counted);
    assert_int_equal(pooled + counted, destroyed);
    return 0;
}

/* ---- an engine with a relu of N floats ---- */

typedef struct {
    ze_device_handle_t device;
    dnnl_engine_t engine;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t relu;
    dnnl_memory_t src, dst;
    dnnl_exec_arg_t args[2];
} net_t;

static net_t net_open(ze_device_handle_t device) {
    net_t net = {.device = device};
    dnnl_memory_desc_t md;
    const dnnl_dims_t dims = {N};
    OK(dnnl_ze_interop_engine_create(&net.engine, driver, device, context));
    watch_events();
    OK(dnnl_memory_desc_create_with_tag(&md, 1, dims, dnnl_f32, dnnl_a));
    OK(dnnl_eltwise_forward_primitive_desc_create(
            &net.pd, net.engine, dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0, 0, NULL));
    OK(dnnl_primitive_create(&net.relu, net.pd));
    OK(dnnl_memory_create(&net.src, md, net.engine, DNNL_MEMORY_ALLOCATE));
    OK(dnnl_memory_create(&net.dst, md, net.engine, DNNL_MEMORY_ALLOCATE));
    OK(dnnl_memory_desc_destroy(md));
    net.args[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, net.src};
    net.args[1] = (dnnl_exec_arg_t){DNNL_ARG_DST, net.dst};
    return net;
}

static void net_close(net_t *net) {
    OK(dnnl_primitive_destroy(net->relu));
    OK(dnnl_primitive_desc_destroy(net->pd));
    OK(dnnl_memory_destroy(net->src));
    OK(dnnl_memory_destroy(net->dst));
    OK(dnnl_engine_destroy(net->engine));
}

static ze_command_list_handle_t new_list(
        ze_device_handle_t device, ze_command_queue_flags_t flags) {
    ze_command_list_handle_t list;
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .flags = flags,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ZE(zeCommandListCreateImmediate(context, device, &desc, &list));
    return list;
}

/* ---- streams ---- */

/* Executions with and without events, each event waited for by the next. */
static void execute_chain(net_t *net, dnnl_stream_t stream, ze_event_handle_t *last) {
    enum { TIMES = 40 };
    ze_event_handle_t events[TIMES];
    for (int i = 0; i < TIMES; i++) {
        OK(dnnl_primitive_execute(net->relu, stream, 2, net->args));
        OK(dnnl_ze_interop_primitive_execute(
                net->relu, stream, 2, net->args, i > 0, i > 0 ? &events[i - 1] : NULL, &events[i]));
        for (int j = 0; j < i; j++) assert_ptr_not_equal(events[i], events[j]);
    }
    OK(dnnl_stream_wait(stream));
    for (int i = 0; i < TIMES; i++) ZE(zeEventHostSynchronize(events[i], UINT64_MAX));
    *last = events[TIMES - 1];
}

static void check_profiling(dnnl_stream_t stream, int executions) {
    int n = -1;
    OK(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &n, NULL));
    assert_int_equal(n, executions);
    OK(dnnl_reset_profiling(stream));
    OK(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &n, NULL));
    assert_int_equal(n, 0);
}

static void streams_of_the_library(void **unused) {
    (void)unused;
    static const unsigned flags[] = {dnnl_stream_in_order, dnnl_stream_out_of_order,
            dnnl_stream_in_order | dnnl_stream_profiling,
            dnnl_stream_out_of_order | dnnl_stream_profiling};
    for (uint32_t d = 0; d < ndevices; d++) {
        net_t net = net_open(devices[d]);
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
            dnnl_stream_t stream;
            ze_event_handle_t last;
            const long before[] = {pooled, counted};
            OK(dnnl_stream_create(&stream, net.engine, flags[i]));
            execute_chain(&net, stream, &last);
            /* In order, and only then, they are counter-based. */
            if (counted_create)
                assert_true((flags[i] & dnnl_stream_in_order ? pooled - before[0]
                                                             : counted - before[1]) == 0);
            if (flags[i] & dnnl_stream_profiling) check_profiling(stream, 80);
            OK(dnnl_stream_destroy(stream));
        }
        net_close(&net);
    }
}

static void streams_on_lists(void **unused) {
    (void)unused;
    for (uint32_t d = 0; d < ndevices; d++) {
        net_t net = net_open(devices[d]);
        for (int i = 0; i < 4; i++) {
            ze_command_list_handle_t list = new_list(devices[d], i & 1 ? ZE_QUEUE_IN_ORDER : 0);
            dnnl_stream_t stream;
            ze_event_handle_t last;
            OK(dnnl_ze_interop_stream_create(&stream, net.engine, list, i >> 1));
            execute_chain(&net, stream, &last);
            ZE(zeCommandListAppendBarrier(list, NULL, 1, &last));
            OK(dnnl_stream_wait(stream));
            if (i >> 1) check_profiling(stream, 80);
            OK(dnnl_stream_destroy(stream));
            ZE(zeCommandListDestroy(list));
        }
        net_close(&net);
    }
}

/* On a regular list, which is closed and run many times. */
static void recording(void **unused) {
    (void)unused;
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    for (uint32_t d = 0; d < ndevices; d++)
        for (int profiling = 0; profiling < 2; profiling++) {
            net_t net = net_open(devices[d]);
            ze_command_list_handle_t list;
            ze_command_queue_handle_t queue;
            dnnl_stream_t stream;
            ZE(zeCommandListCreate(context, devices[d], &list_desc, &list));
            ZE(zeCommandQueueCreate(context, devices[d], &queue_desc, &queue));
            OK(dnnl_ze_interop_stream_create(&stream, net.engine, list, profiling));
            for (int i = 0; i < 20; i++) OK(dnnl_primitive_execute(net.relu, stream, 2, net.args));
            ZE(zeCommandListClose(list));
            for (int i = 0; i < 100; i++) {
                ZE(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
                ZE(zeCommandQueueSynchronize(queue, UINT64_MAX));
            }
            OK(dnnl_stream_destroy(stream));
            ZE(zeCommandQueueDestroy(queue));
            ZE(zeCommandListDestroy(list));
            net_close(&net);
        }
}

/* On a mutable list, with the buffers of two memory objects in turns. Devices that have none say
 * so. */
static void recording_with_other_buffers(void **unused) {
    (void)unused;
    const struct {
        ze_structure_type_t stype;
        const void *next;
        uint32_t flags;
    } more = {.stype = (ze_structure_type_t)0x00020016}; /* ze_mutable_command_list_exp_desc_t */
    const ze_command_list_desc_t list_desc = {
            .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .pNext = &more};
    const ze_command_list_desc_t plain_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    for (uint32_t d = 0; d < ndevices; d++)
        for (int profiling = 0; profiling < 2; profiling++) {
            net_t net = net_open(devices[d]);
            const bool there = engine_caps(net.engine)->has_mutable_arguments;
            ze_command_list_handle_t list, plain;
            ze_command_queue_handle_t queue;
            dnnl_stream_t stream, none;
            const_dnnl_memory_desc_t md;
            dnnl_memory_t other[2];
            print_message("recorded kernels %s other arguments\n", there ? "take" : "do not take");
            ZE(zeCommandListCreate(context, devices[d], &plain_desc, &plain));
            assert_int_equal(dnnl_ze_recording_create(&none, net.engine, plain, 0),
                    there ? dnnl_invalid_arguments : dnnl_unimplemented);
            ZE(zeCommandListDestroy(plain));
            if (!there) {
                net_close(&net);
                continue;
            }
            OK(dnnl_memory_get_memory_desc(net.src, &md));
            for (int i = 0; i < 2; i++)
                OK(dnnl_memory_create(&other[i], md, net.engine, DNNL_MEMORY_ALLOCATE));
            ZE(zeCommandListCreate(context, devices[d], &list_desc, &list));
            ZE(zeCommandQueueCreate(context, devices[d], &queue_desc, &queue));
            OK(dnnl_ze_recording_create(&stream, net.engine, list, profiling));
            for (int i = 0; i < 20; i++) OK(dnnl_primitive_execute(net.relu, stream, 2, net.args));
            ZE(zeCommandListClose(list));
            const const_dnnl_memory_t own[] = {net.src, net.dst}, others[] = {other[0], other[1]};
            for (int i = 0; i < 20; i++) {
                ZE(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
                ZE(zeCommandQueueSynchronize(queue, UINT64_MAX));
                OK(dnnl_ze_recording_exchange(
                        stream, 2, i % 2 ? others : own, i % 2 ? own : others));
                ZE(zeCommandListClose(list));
            }
            OK(dnnl_stream_destroy(stream));
            ZE(zeCommandQueueDestroy(queue));
            ZE(zeCommandListDestroy(list));
            for (int i = 0; i < 2; i++) OK(dnnl_memory_destroy(other[i]));
            net_close(&net);
        }
}

static void events_between_streams(void **unused) {
    (void)unused;
    net_t net = net_open(devices[0]);
    dnnl_stream_t a, b;
    OK(dnnl_stream_create(&a, net.engine, dnnl_stream_in_order));
    OK(dnnl_stream_create(&b, net.engine, dnnl_stream_out_of_order));
    ze_event_handle_t event = NULL;
    for (int i = 0; i < 100; i++) {
        const ze_event_handle_t before = event;
        OK(dnnl_ze_interop_primitive_execute(net.relu, i % 2 ? a : b, 2, net.args, event != NULL,
                before ? &before : NULL, &event));
    }
    ZE(zeEventHostSynchronize(event, UINT64_MAX));
    OK(dnnl_stream_wait(a));
    OK(dnnl_stream_wait(b));
    OK(dnnl_stream_destroy(b));
    OK(dnnl_stream_destroy(a));
    net_close(&net);
}

/* ---- memory ---- */

static void memory_of_every_kind(void **unused) {
    (void)unused;
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    net_t net = net_open(devices[0]);
    dnnl_stream_t stream;
    const_dnnl_memory_desc_t md;
    void *usm[3];
    const size_t size = N * sizeof(float);
    OK(dnnl_stream_create(&stream, net.engine, dnnl_stream_in_order));
    OK(dnnl_memory_get_memory_desc(net.src, &md));
    ZE(zeMemAllocDevice(context, &on_device, size, 64, net.device, &usm[0]));
    ZE(zeMemAllocHost(context, &on_host, size, 64, &usm[1]));
    ZE(zeMemAllocShared(context, &on_device, &on_host, size, 64, net.device, &usm[2]));
    for (int i = 0; i < 3; i++) {
        dnnl_memory_t memory;
        void *mapped = NULL;
        OK(dnnl_ze_interop_memory_create(&memory, md, net.engine, 1, &usm[i]));
        OK(dnnl_memory_map_data(memory, &mapped));
        assert_non_null(mapped);
        OK(dnnl_memory_unmap_data(memory, mapped));
        dnnl_exec_arg_t args[] = {net.args[0], {DNNL_ARG_DST, memory}};
        OK(dnnl_primitive_execute(net.relu, stream, 2, args));
        OK(dnnl_stream_wait(stream));
        OK(dnnl_memory_set_data_handle(memory, usm[(i + 1) % 3]));
        OK(dnnl_primitive_execute(net.relu, stream, 2, args));
        OK(dnnl_stream_wait(stream));
        OK(dnnl_memory_destroy(memory));
    }
    for (int i = 0; i < 3; i++) ZE(zeMemFree(context, usm[i]));
    OK(dnnl_stream_destroy(stream));
    net_close(&net);
}

/* ---- blobs ---- */

static __typeof__(ze.ModuleCreate) create_module;
static int built, loaded; /* modules, from SPIR-V and from native code */

static ze_result_t count_modules(ze_context_handle_t c, ze_device_handle_t d,
        const ze_module_desc_t *desc, ze_module_handle_t *module,
        ze_module_build_log_handle_t *log) {
    *(desc->format == ZE_MODULE_FORMAT_IL_SPIRV ? &built : &loaded) += 1;
    return create_module(c, d, desc, module, log);
}

static void forget_primitives(void) {
    int capacity;
    OK(dnnl_get_primitive_cache_capacity(&capacity));
    OK(dnnl_set_primitive_cache_capacity(0));
    OK(dnnl_set_primitive_cache_capacity(capacity));
}

static void nothing_is_compiled_from_blobs(void **unused) {
    (void)unused;
    net_t net = net_open(devices[0]);
    size_t engine_size = 0, size = 0;
    OK(dnnl_ze_interop_engine_get_cache_blob(net.engine, &engine_size, NULL));
    OK(dnnl_primitive_get_cache_blob(net.relu, &size, NULL));
    uint8_t *engine_blob = malloc(engine_size), *blob = malloc(size);
    OK(dnnl_ze_interop_engine_get_cache_blob(net.engine, &engine_size, engine_blob));
    OK(dnnl_primitive_get_cache_blob(net.relu, &size, blob));
    OK(dnnl_primitive_destroy(net.relu));
    forget_primitives();

    create_module = ze.ModuleCreate;
    ze.ModuleCreate = count_modules;
    built = loaded = 0;
    dnnl_engine_t engine;
    OK(dnnl_ze_interop_engine_create_from_cache_blob(
            &engine, driver, net.device, context, engine_size, engine_blob));
    OK(dnnl_primitive_create_from_cache_blob(&net.relu, net.pd, size, blob));
    assert_int_equal(built, 0);
    assert_int_equal(loaded, 1);
    dnnl_stream_t stream;
    OK(dnnl_stream_create(&stream, net.engine, dnnl_stream_in_order));
    OK(dnnl_primitive_execute(net.relu, stream, 2, net.args));
    OK(dnnl_stream_wait(stream));
    OK(dnnl_stream_destroy(stream));
    ze.ModuleCreate = create_module;

    OK(dnnl_engine_destroy(engine));
    free(blob);
    free(engine_blob);
    net_close(&net);
}

/* With an argument, the tests of that name only, which may have wildcards. */
int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(streams_of_the_library),
            cmocka_unit_test(streams_on_lists), cmocka_unit_test(recording),
            cmocka_unit_test(recording_with_other_buffers),
            cmocka_unit_test(events_between_streams), cmocka_unit_test(memory_of_every_kind),
            cmocka_unit_test(nothing_is_compiled_from_blobs)};
    return cmocka_run_group_tests(tests, open_driver, close_driver);
}
