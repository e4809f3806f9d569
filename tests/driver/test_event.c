/* SPDX-License-Identifier: Apache-2.0 */
/* Events: signalling from host and device, waits, resets, time-outs, timestamps. */
#include "ze_test.h"

#include <pthread.h>
#include <time.h>

enum { N_EVENTS = 8 };
static ze_module_handle_t module;
static ze_kernel_handle_t increment, spin;
static ze_event_pool_handle_t pool;
static ze_event_handle_t e[N_EVENTS]; /* unsignalled at the start of each test */
static ze_command_list_handle_t list;
static uint32_t *x;

static int setup_group(void **state) {
    (void)state;
    module = load_module("basic");
    increment = get_kernel(module, "increment");
    spin = get_kernel(module, "spin");
    pool = event_pool(N_EVENTS, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    x = usm(USM_SHARED, 64);
    set_pointer(increment, 0, x);
    set_pointer(spin, 0, x);
    set_value(spin, 1, uint32_t, 3000000);
    return 0;
}

static int teardown_group(void **state) {
    (void)state;
    usm_free(x);
    return zeKernelDestroy(increment) || zeKernelDestroy(spin) || zeModuleDestroy(module) ||
           zeEventPoolDestroy(pool);
}

static int setup(void **state) {
    (void)state;
    for (uint32_t i = 0; i < N_EVENTS; i++) e[i] = event(pool, i);
    list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    memset(x, 0, 64);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    finish(list);
    int bad = zeCommandListDestroy(list) != ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; i < N_EVENTS; i++) bad += zeEventDestroy(e[i]) != ZE_RESULT_SUCCESS;
    return bad;
}

static void the_host_signals_and_resets(void **state) {
    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_event(e[0], false);
        assert_result(zeEventHostSynchronize(e[0], 0), ZE_RESULT_NOT_READY);
        assert_ok(zeEventHostSignal(e[0]));
        assert_event(e[0], true);
        assert_ok(zeEventHostSignal(e[0])); /* twice is once */
        assert_event(e[0], true);
        assert_event(e[1], false);
        assert_ok(zeEventHostSynchronize(e[0], NEVER));
        assert_ok(zeEventHostSynchronize(e[0], 0));
        assert_ok(zeEventHostReset(e[0]));
    }
    assert_ok(zeEventHostReset(e[0]));
    assert_event(e[0], false);
}

static void a_new_event_is_not_signalled(void **state) {
    (void)state;
    for (int i = 0; i < 10; i++) {
        assert_event(e[3], false);
        assert_ok(zeEventHostSignal(e[3]));
        assert_ok(zeEventDestroy(e[3]));
        e[3] = event(pool, 3); /* the same place in the pool */
    }
    assert_event(e[3], false);
}

static void time_outs_take_their_time(void **state) {
    (void)state;
    static const uint64_t timeouts[] = {1, 1000, 5 * MILLISECOND, 60 * MILLISECOND};
    for (size_t i = 0; i < COUNT_OF(timeouts); i++) {
        uint64_t start = now_ns();
        assert_result(zeEventHostSynchronize(e[0], timeouts[i]), ZE_RESULT_NOT_READY);
        uint64_t took = now_ns() - start;
        assert_true(took + MILLISECOND >= timeouts[i]);
        assert_true(took < 20 * SECOND); /* no promise on a busy machine, but not "for ever" */
    }
}

static void every_command_signals(void **state) {
    (void)state;
    const uint32_t one = 1;
    uint64_t *timestamp = usm(USM_SHARED, 8);
    ze_copy_region_t region = {0, 0, 0, 4, 1, 1};
    launch(list, increment, 1, e[0], 0, NULL);
    assert_ok(zeCommandListAppendBarrier(list, e[1], 0, NULL));
    assert_ok(zeCommandListAppendMemoryFill(list, x + 1, &one, 4, 4, e[2], 0, NULL));
    assert_ok(zeCommandListAppendMemoryCopy(list, x + 2, x + 10, 4, e[3], 0, NULL));
    assert_ok(zeCommandListAppendMemoryCopyRegion(
            list, x + 3, &region, 4, 4, x + 11, &region, 4, 4, e[4], 0, NULL));
    assert_ok(zeCommandListAppendWriteGlobalTimestamp(list, timestamp, e[5], 0, NULL));
    assert_ok(zeCommandListAppendSignalEvent(list, e[6]));
    for (int i = 0; i < 7; i++) await(e[i]);
    for (int i = 0; i < 7; i++) assert_event(e[i], true);
    assert_event(e[7], false);
    usm_free(timestamp);
}

static void every_command_waits(void **state) {
    (void)state;
    const uint32_t one = 1;
    uint64_t *timestamp = usm(USM_SHARED, 8);
    ze_copy_region_t region = {0, 0, 0, 4, 1, 1};
    x[10] = x[11] = 7;
    *timestamp = 0;
    launch(list, increment, 1, e[1], 1, e);
    assert_ok(zeCommandListAppendMemoryFill(list, x + 1, &one, 4, 4, e[2], 1, e));
    assert_ok(zeCommandListAppendMemoryCopy(list, x + 2, x + 10, 4, e[3], 1, e));
    assert_ok(zeCommandListAppendMemoryCopyRegion(
            list, x + 3, &region, 4, 4, x + 11, &region, 4, 4, e[4], 1, e));
    assert_ok(zeCommandListAppendWriteGlobalTimestamp(list, timestamp, e[5], 1, e));
    assert_ok(zeCommandListAppendBarrier(list, e[6], 1, e));
    nanosleep(&(struct timespec){.tv_nsec = 30 * 1000 * 1000}, NULL);
    for (int i = 1; i < 7; i++) assert_event(e[i], false);
    assert_int_equal(x[0] + x[1] + x[2] + x[3], 0);
    assert_true(*timestamp == 0);
    assert_ok(zeEventHostSignal(e[0]));
    for (int i = 1; i < 7; i++) await(e[i]);
    assert_true(x[0] == 1 && x[1] == 1 && x[2] == 7 && x[3] == 7);
    assert_true(*timestamp != 0);
    usm_free(timestamp);
}

static void all_of_several_are_waited_for(void **state) {
    (void)state;
    launch(list, increment, 1, e[7], 6, e);
    static const int order[] = {5, 0, 3, 1, 4, 2};
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        assert_result(zeEventHostSynchronize(e[7], 5 * MILLISECOND), ZE_RESULT_NOT_READY);
        assert_int_equal(*x, 0);
        assert_ok(zeEventHostSignal(e[order[i]]));
    }
    await(e[7]);
    assert_int_equal(*x, 1);
}

static void a_chain_across_lists_and_queues(void **state) {
    (void)state;
    ze_command_list_handle_t other = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
                             regular = regular_list();
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    uint64_t *order = usm(USM_SHARED, 8);
    ze_kernel_handle_t k = get_kernel(module, "append_digit");
    *order = 0;
    set_pointer(k, 0, order);
    /* Given to the device last first: 4 waits for 3, 3 for 2, 2 for 1, 1 for the host. */
    set_value(k, 1, uint32_t, 4);
    launch(list, k, 1, e[4], 1, &e[3]);
    set_value(k, 1, uint32_t, 3);
    launch(regular, k, 1, e[3], 1, &e[2]);
    assert_ok(zeCommandListClose(regular));
    assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &regular, NULL));
    set_value(k, 1, uint32_t, 2);
    launch(other, k, 1, e[2], 1, &e[1]);
    ze_command_list_handle_t third = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    set_value(k, 1, uint32_t, 1);
    launch(third, k, 1, e[1], 1, &e[0]);
    assert_result(zeEventHostSynchronize(e[4], 20 * MILLISECOND), ZE_RESULT_NOT_READY);
    assert_ok(zeEventHostSignal(e[0]));
    await(e[4]);
    assert_int_equal(*order, 1234);
    assert_ok(zeCommandQueueSynchronize(q, NEVER));
    finish(other);
    finish(third);
    assert_ok(zeCommandListDestroy(third));
    assert_ok(zeCommandListDestroy(other));
    assert_ok(zeCommandListDestroy(regular));
    assert_ok(zeCommandQueueDestroy(q));
    assert_ok(zeKernelDestroy(k));
    usm_free(order);
}

static void the_device_resets(void **state) {
    (void)state;
    assert_ok(zeEventHostSignal(e[0]));
    assert_ok(zeCommandListAppendEventReset(list, e[0]));
    assert_ok(zeCommandListAppendBarrier(list, e[1], 0, NULL));
    await(e[1]);
    assert_event(e[0], false);
    /* One event, signalled and reset in turns, by commands in order. */
    uint32_t rounds = 100;
    for (uint32_t i = 0; i < rounds; i++) {
        launch(list, increment, 1, e[2], 0, NULL);
        assert_ok(zeCommandListAppendWaitOnEvents(list, 1, &e[2]));
        assert_ok(zeCommandListAppendBarrier(list, NULL, 0, NULL));
        assert_ok(zeCommandListAppendEventReset(list, e[2]));
        assert_ok(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    }
    assert_ok(zeCommandListAppendSignalEvent(list, e[3]));
    await(e[3]);
    assert_int_equal(*x, rounds);
    assert_event(e[2], false);
}

static void *wait_for_it(void *arg) {
    return (void *)(uintptr_t)zeEventHostSynchronize(arg, 60 * SECOND);
}

static void many_threads_wait_for_one(void **state) {
    (void)state;
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wait_for_it, e[1]), 0);
    launch(list, increment, 1, e[1], 1, &e[0]);
    nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    assert_ok(zeEventHostSignal(e[0]));
    for (int i = 0; i < 8; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_null(result);
    }
}

static uint64_t kernel_ticks(const ze_kernel_timestamp_data_t *t) {
    uint32_t bits = zt.properties.kernelTimestampValidBits;
    return (t->kernelEnd - t->kernelStart) & (bits >= 64 ? UINT64_MAX : (1ull << bits) - 1);
}

static void timestamps_of_kernels(void **state) {
    (void)state;
    ze_kernel_timestamp_result_t t[2], untouched;
    memset(&untouched, 0x77, sizeof untouched);
    t[0] = untouched;
    launch(list, spin, 1, e[0], 1, &e[2]);
    assert_result(zeEventQueryKernelTimestamp(e[0], &t[0]), ZE_RESULT_NOT_READY);
    assert_memory_equal(&t[0], &untouched, sizeof untouched);
    uint64_t start = now_ns();
    assert_ok(zeEventHostSignal(e[2]));
    launch(list, spin, 1, e[1], 1, &e[0]);
    await(e[1]);
    double took = (double)(now_ns() - start);
    for (int i = 0; i < 2; i++) {
        assert_ok(zeEventQueryKernelTimestamp(e[i], &t[i]));
        assert_true(kernel_ticks(&t[i].global) > 0);
        assert_true(kernel_ticks(&t[i].context) <= kernel_ticks(&t[i].global));
    }
    assert_true(t[1].global.kernelStart >= t[0].global.kernelEnd);
    if (!zt.is_cpu) return; /* the version of the structure decides: ns, or cycles per second */
    double busy = (double)(kernel_ticks(&t[0].global) + kernel_ticks(&t[1].global)) *
                  (double)zt.properties.timerResolution;
    assert_true(busy <= took);
    assert_true(busy >= 100e3); /* six million dependent multiplications */
}

static void timestamps_read_by_the_device(void **state) {
    (void)state;
    ze_kernel_timestamp_result_t *out = usm(USM_SHARED, 3 * sizeof *out), direct[2];
    memset(out, 0, 3 * sizeof *out);
    launch(list, spin, 1, e[0], 0, NULL);
    launch(list, spin, 1, e[1], 1, &e[0]);
    ze_event_handle_t of[] = {e[1], e[0]};
    const size_t offsets[] = {2 * sizeof *out, 0};
    ze_result_t result =
            zeCommandListAppendQueryKernelTimestamps(list, 2, of, out, offsets, e[2], 2, of);
    if (result == ZE_RESULT_SUCCESS) {
        await(e[2]);
        for (int i = 0; i < 2; i++) assert_ok(zeEventQueryKernelTimestamp(e[i], &direct[i]));
        assert_memory_equal(&out[0].global, &direct[0].global, sizeof direct[0].global);
        assert_memory_equal(&out[2].global, &direct[1].global, sizeof direct[1].global);
        assert_true(out[1].global.kernelEnd == 0);
    } else {
        assert_int_equal(result, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        await(e[1]);
    }
    usm_free(out);
}

static void timestamps_of_a_device(void **state) {
    (void)state;
    ze_kernel_timestamp_result_t direct, t[4];
    uint32_t n = 0;
    launch(list, spin, 1, e[0], 0, NULL);
    await(e[0]);
    assert_ok(zeEventQueryKernelTimestamp(e[0], &direct));
    ze_result_t result = zeEventQueryTimestampsExp(e[0], zt.device, &n, NULL);
    if (result != ZE_RESULT_SUCCESS) {
        assert_int_equal(result, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        return;
    }
    assert_in_range(n, 1, 4);
    assert_ok(zeEventQueryTimestampsExp(e[0], zt.device, &n, t));
    if (n == 1) assert_memory_equal(&t[0].global, &direct.global, sizeof direct.global);
    for (uint32_t i = 0; i < n; i++) assert_true(kernel_ticks(&t[i].global) > 0);
}

static void global_timestamps_are_ordered(void **state) {
    (void)state;
    uint64_t *t = usm(USM_SHARED, 4 * 8), host, before, after;
    assert_ok(zeDeviceGetGlobalTimestamps(zt.device, &host, &before));
    for (int i = 0; i < 4; i++) {
        assert_ok(zeCommandListAppendWriteGlobalTimestamp(list, &t[i], NULL, 0, NULL));
        assert_ok(zeCommandListAppendBarrier(list, NULL, 0, NULL));
        launch(list, spin, 1, NULL, 0, NULL);
        assert_ok(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    }
    finish(list);
    assert_ok(zeDeviceGetGlobalTimestamps(zt.device, &host, &after));
    if (zt.properties.timestampValidBits == 64) {
        assert_true(before <= t[0] && t[3] <= after);
        for (int i = 1; i < 4; i++) assert_true(t[i - 1] < t[i]);
    } else {
        assert_true(t[0] != t[1] && t[1] != t[2] && t[2] != t[3]);
    }
    usm_free(t);
}

static void events_without_timestamps_have_none(void **state) {
    (void)state;
    skip_unless(zt.is_cpu, "undefined elsewhere");
    ze_event_pool_handle_t plain = event_pool(1, 0);
    ze_event_handle_t one = event(plain, 0);
    launch(list, increment, 1, one, 0, NULL);
    await(one);
    ze_kernel_timestamp_result_t t;
    assert_refused(zeEventQueryKernelTimestamp(one, &t));
    assert_ok(zeEventDestroy(one));
    assert_ok(zeEventPoolDestroy(plain));
}

static void pools_of_many(void **state) {
    (void)state;
    enum { N = 2000 };
    ze_event_pool_handle_t large = event_pool(N, 0);
    ze_event_handle_t *many = calloc(N, sizeof *many);
    assert_non_null(many);
    for (uint32_t i = 0; i < N; i++) many[i] = event(large, i);
    for (uint32_t i = 0; i < N; i += 2) assert_ok(zeEventHostSignal(many[i]));
    for (uint32_t i = 0; i < N; i++) assert_event(many[i], i % 2 == 0);
    launch(list, increment, 1, e[0], N, many);
    for (uint32_t i = 1; i < N; i += 2) assert_ok(zeEventHostSignal(many[i]));
    await(e[0]);
    for (uint32_t i = 0; i < N; i++) assert_ok(zeEventDestroy(many[i]));
    free(many);
    assert_ok(zeEventPoolDestroy(large));
}

static void events_tell_what_they_are(void **state) {
    (void)state;
    typedef ze_result_t (*get_handle_t)(void *, void **);
    typedef ze_result_t (*get_flags_t)(void *, uint32_t *);
    bool from_driver;
    get_handle_t get_pool = (get_handle_t)newer_function("zeEventGetEventPool", &from_driver);
    get_handle_t get_context =
            (get_handle_t)newer_function("zeEventPoolGetContextHandle", &from_driver);
    get_flags_t get_signal = (get_flags_t)newer_function("zeEventGetSignalScope", &from_driver);
    get_flags_t get_wait = (get_flags_t)newer_function("zeEventGetWaitScope", &from_driver);
    get_flags_t get_flags = (get_flags_t)newer_function("zeEventPoolGetFlags", &from_driver);
    skip_unless(get_pool && get_context && get_signal && get_wait && get_flags,
            "neither loader nor driver has these queries");
    void *raw_event = from_driver ? raw_handle(ZEL_HANDLE_EVENT, e[0]) : e[0];
    void *raw_pool = from_driver ? raw_handle(ZEL_HANDLE_EVENT_POOL, pool) : pool;
    void *raw_context = from_driver ? raw_handle(ZEL_HANDLE_CONTEXT, zt.context) : zt.context,
         *got = NULL;
    uint32_t flags = 77;
    assert_ok(get_pool(raw_event, &got));
    assert_ptr_equal(got, raw_pool);
    assert_ok(get_context(raw_pool, &got));
    assert_ptr_equal(got, raw_context);
    assert_ok(get_signal(raw_event, &flags));
    assert_int_equal(flags, ZE_EVENT_SCOPE_FLAG_HOST);
    assert_ok(get_wait(raw_event, &flags));
    assert_int_equal(flags, ZE_EVENT_SCOPE_FLAG_HOST);
    assert_ok(get_flags(raw_pool, &flags));
    assert_int_equal(flags, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
}

static void bad_descriptions_are_refused(void **state) {
    (void)state;
    skip_unless(zt.is_cpu || zt.layers, "needs checked arguments");
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 0};
    ze_event_pool_handle_t p = NULL;
    assert_result(
            zeEventPoolCreate(zt.context, &desc, 1, &zt.device, &p), ZE_RESULT_ERROR_INVALID_SIZE);
    desc.count = 2;
    desc.flags = 0x100;
    assert_result(zeEventPoolCreate(zt.context, &desc, 1, &zt.device, &p),
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc.flags = 0;
    if (!zt.intercept)
        assert_result(
                zeEventPoolCreate(zt.context, &desc, 1, NULL, &p), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_null(p);
    assert_ok(zeEventPoolCreate(zt.context, &desc, 0, NULL, &p)); /* no devices: all of them */
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .signal = 0x10};
    ze_event_handle_t bad = NULL;
    assert_result(zeEventCreate(p, &event_desc, &bad), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    event_desc.signal = 0;
    event_desc.index = 2;
    if (zt.is_cpu) assert_refused(zeEventCreate(p, &event_desc, &bad));
    assert_null(bad);
    assert_ok(zeEventPoolDestroy(p));
    if (zt.intercept) return; /* the loader itself reads the list */
    assert_result(
            zeCommandListAppendWaitOnEvents(list, 1, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeCommandListAppendBarrier(list, NULL, 1, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
}

#define EVENT_TEST(f) {#f, f, setup, teardown, NULL}

int main(void) {
    const struct CMUnitTest tests[] = {
            EVENT_TEST(the_host_signals_and_resets),
            EVENT_TEST(a_new_event_is_not_signalled),
            EVENT_TEST(time_outs_take_their_time),
            EVENT_TEST(every_command_signals),
            EVENT_TEST(every_command_waits),
            EVENT_TEST(all_of_several_are_waited_for),
            EVENT_TEST(a_chain_across_lists_and_queues),
            EVENT_TEST(the_device_resets),
            EVENT_TEST(many_threads_wait_for_one),
            EVENT_TEST(timestamps_of_kernels),
            EVENT_TEST(timestamps_read_by_the_device),
            EVENT_TEST(timestamps_of_a_device),
            EVENT_TEST(global_timestamps_are_ordered),
            EVENT_TEST(events_without_timestamps_have_none),
            EVENT_TEST(pools_of_many),
            EVENT_TEST(events_tell_what_they_are),
            EVENT_TEST(bad_descriptions_are_refused),
    };
    return RUN_TESTS_WITH(tests, setup_group, teardown_group);
}
