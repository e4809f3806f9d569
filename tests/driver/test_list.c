/* SPDX-License-Identifier: Apache-2.0 */
/* Command lists, queues and fences: closing, executing, replaying, resetting, and the errors
 * between. */
#include "ze_test.h"

static ze_module_handle_t module;
static ze_kernel_handle_t increment, append_digit;
static ze_event_pool_handle_t pool;

static int setup(void **state) {
    (void)state;
    module = load_module("basic");
    increment = get_kernel(module, "increment");
    append_digit = get_kernel(module, "append_digit");
    pool = event_pool(4, 0);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    return zeKernelDestroy(increment) || zeKernelDestroy(append_digit) || zeModuleDestroy(module) ||
           zeEventPoolDestroy(pool);
}

static uint32_t *new_counter(void) {
    uint32_t *x = usm(USM_SHARED, 64);
    memset(x, 0, 64);
    set_pointer(increment, 0, x);
    return x;
}

static void execute(ze_command_queue_handle_t q, ze_command_list_handle_t list) {
    assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &list, NULL));
    assert_ok(zeCommandQueueSynchronize(q, 60 * SECOND));
}

static void synchronous_lists_return_when_done(void **state) {
    (void)state;
    uint32_t *x = new_counter();
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    for (uint32_t i = 1; i <= 100; i++) {
        launch(list, increment, 1, NULL, 0, NULL);
        assert_int_equal(*x, i);
    }
    assert_ok(zeCommandListDestroy(list));
    usm_free(x);
}

static void in_order_lists_keep_order(void **state) {
    (void)state;
    ze_command_list_handle_t list = in_order_list();
    uint64_t *x = usm(USM_SHARED, 8);
    for (int round = 0; round < 50; round++) {
        *x = 0;
        set_pointer(append_digit, 0, x);
        for (uint32_t digit = 1; digit <= 9; digit++) {
            set_value(append_digit, 1, uint32_t, digit);
            launch(list, append_digit, 1, NULL, 0, NULL);
        }
        finish(list);
        assert_int_equal(*x, 123456789);
    }
    assert_ok(zeCommandListDestroy(list));
    usm_free(x);
}

/* Copies, fills and kernels are one order, whatever executes them. */
static void in_order_lists_mix_kinds(void **state) {
    (void)state;
    ze_command_list_handle_t list = in_order_list();
    enum { N = 1000 };
    uint32_t *x = usm(USM_SHARED, N * 4), *y = usm(USM_DEVICE, N * 4), *z = usm(USM_HOST, N * 4);
    ze_kernel_handle_t k = get_kernel(module, "increment");
    for (uint32_t round = 0; round < 20; round++) {
        assert_ok(zeCommandListAppendMemoryFill(list, y, &round, 4, N * 4, NULL, 0, NULL));
        set_pointer(k, 0, y);
        launch(list, k, N, NULL, 0, NULL);
        assert_ok(zeCommandListAppendMemoryCopy(list, x, y, N * 4, NULL, 0, NULL));
        set_pointer(k, 0, x);
        launch(list, k, N, NULL, 0, NULL);
        assert_ok(zeCommandListAppendMemoryCopy(list, z, x, N * 4, NULL, 0, NULL));
        finish(list);
        for (int i = 0; i < N; i++) assert_int_equal(z[i], round + 2);
    }
    assert_ok(zeKernelDestroy(k));
    assert_ok(zeCommandListDestroy(list));
    usm_free(x);
    usm_free(y);
    usm_free(z);
}

static void barriers_order_any_list(void **state) {
    (void)state;
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    uint64_t *x = usm(USM_SHARED, 8);
    *x = 0;
    set_pointer(append_digit, 0, x);
    for (uint32_t digit = 1; digit <= 9; digit++) {
        set_value(append_digit, 1, uint32_t, digit);
        launch(list, append_digit, 1, NULL, 0, NULL);
        assert_ok(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    }
    finish(list);
    assert_int_equal(*x, 123456789);
    assert_ok(zeCommandListDestroy(list));
    usm_free(x);
}

static void nothing_runs_before_it_is_executed(void **state) {
    (void)state;
    uint32_t *x = new_counter();
    ze_command_list_handle_t list = regular_list();
    launch(list, increment, 2, NULL, 0, NULL);
    assert_ok(zeCommandListClose(list));
    assert_int_equal(x[0] + x[1], 0);
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &list, NULL));
    assert_int_equal(x[0] + x[1], 2);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(q));
    usm_free(x);
}

static void replayed_a_thousand_times(void **state) {
    (void)state;
    uint32_t *x = new_counter();
    ze_command_list_handle_t list = regular_list();
    launch(list, increment, 3, NULL, 0, NULL);
    assert_ok(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    launch(list, increment, 1, NULL, 0, NULL);
    assert_ok(zeCommandListClose(list));
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    for (int i = 0; i < 1000; i++) execute(q, list);
    assert_int_equal(x[0], 2000);
    assert_int_equal(x[1], 1000);
    assert_int_equal(x[2], 1000);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(q));
    usm_free(x);
}

static void reset_and_filled_again_a_thousand_times(void **state) {
    (void)state;
    uint32_t *x = new_counter();
    ze_command_list_handle_t list = regular_list();
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    for (uint32_t i = 0; i < 1000; i++) {
        launch(list, increment, 1 + i % 2, NULL, 0, NULL);
        if (i % 3 == 0) { /* an open list is reset as well */
            assert_ok(zeCommandListReset(list));
            continue;
        }
        assert_ok(zeCommandListClose(list));
        execute(q, list);
        assert_ok(zeCommandListReset(list));
    }
    assert_int_equal(x[0], 666);
    assert_int_equal(x[1], 333);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(q));
    usm_free(x);
}

static void several_lists_in_one_call_keep_order(void **state) {
    (void)state;
    uint64_t *x = usm(USM_SHARED, 8);
    *x = 0;
    set_pointer(append_digit, 0, x);
    ze_command_list_handle_t lists[9];
    for (uint32_t i = 0; i < 9; i++) {
        lists[i] = regular_list();
        assert_ok(zeCommandListAppendBarrier(lists[i], NULL, 0, NULL));
        set_value(append_digit, 1, uint32_t, i + 1);
        launch(lists[i], append_digit, 1, NULL, 0, NULL);
        assert_ok(zeCommandListAppendBarrier(lists[i], NULL, 0, NULL));
        assert_ok(zeCommandListClose(lists[i]));
    }
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_ok(zeCommandQueueExecuteCommandLists(q, 5, lists, NULL));
    assert_ok(zeCommandQueueExecuteCommandLists(q, 4, lists + 5, NULL));
    assert_ok(zeCommandQueueSynchronize(q, NEVER));
    assert_int_equal(*x, 123456789);
    for (int i = 0; i < 9; i++) assert_ok(zeCommandListDestroy(lists[i]));
    assert_ok(zeCommandQueueDestroy(q));
    usm_free(x);
}

static void empty_lists_execute(void **state) {
    (void)state;
    ze_command_list_handle_t list = regular_list();
    assert_ok(zeCommandListClose(list));
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence = NULL;
    assert_ok(zeFenceCreate(q, &desc, &fence));
    assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &list, fence));
    assert_ok(zeFenceHostSynchronize(fence, 60 * SECOND));
    assert_ok(zeFenceDestroy(fence));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(q));
}

static void fences_follow_execution(void **state) {
    (void)state;
    uint32_t *x = new_counter();
    ze_event_handle_t go = event(pool, 0);
    ze_command_list_handle_t list = regular_list();
    assert_ok(zeCommandListAppendWaitOnEvents(list, 1, &go));
    launch(list, increment, 1, NULL, 0, NULL);
    assert_ok(zeCommandListClose(list));
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence = NULL;
    assert_ok(zeFenceCreate(q, &desc, &fence));
    for (uint32_t round = 1; round <= 3; round++) {
        assert_result(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
        assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &list, fence));
        assert_result(zeFenceHostSynchronize(fence, 20 * MILLISECOND), ZE_RESULT_NOT_READY);
        assert_result(zeFenceHostSynchronize(fence, 0), ZE_RESULT_NOT_READY);
        assert_result(zeCommandQueueSynchronize(q, 20 * MILLISECOND), ZE_RESULT_NOT_READY);
        assert_result(zeCommandQueueSynchronize(q, 0), ZE_RESULT_NOT_READY);
        assert_int_equal(*x, round - 1);
        assert_ok(zeEventHostSignal(go));
        assert_ok(zeFenceHostSynchronize(fence, NEVER));
        assert_ok(zeFenceQueryStatus(fence));
        assert_int_equal(*x, round);
        assert_ok(zeCommandQueueSynchronize(q, NEVER));
        assert_ok(zeFenceReset(fence));
        assert_ok(zeEventHostReset(go));
    }
    assert_ok(zeFenceDestroy(fence));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(q));
    assert_ok(zeEventDestroy(go));
    usm_free(x);
}

static void fences_may_start_signalled(void **state) {
    (void)state;
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC, .flags = ZE_FENCE_FLAG_SIGNALED};
    ze_fence_handle_t fence = NULL;
    assert_ok(zeFenceCreate(q, &desc, &fence));
    assert_ok(zeFenceQueryStatus(fence));
    assert_ok(zeFenceHostSynchronize(fence, NEVER));
    assert_ok(zeFenceReset(fence));
    assert_result(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
    assert_ok(zeFenceDestroy(fence));
    assert_ok(zeCommandQueueDestroy(q));
}

static void misuse_of_lists_is_refused(void **state) {
    (void)state;
    skip_unless(zt.is_cpu, "undefined elsewhere");
    uint32_t *x = new_counter();
    const uint32_t one = 1;
    ze_group_count_t count = {1, 1, 1};
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t open = regular_list(), closed = regular_list(),
                             immediate = immediate_list(0, 0);
    assert_ok(zeCommandListClose(closed));
    assert_refused(zeCommandListAppendLaunchKernel(closed, increment, &count, NULL, 0, NULL));
    assert_refused(zeCommandListAppendMemoryFill(closed, x, &one, 4, 4, NULL, 0, NULL));
    assert_refused(zeCommandListAppendMemoryCopy(closed, x, x + 4, 4, NULL, 0, NULL));
    assert_refused(zeCommandListAppendBarrier(closed, NULL, 0, NULL));
    assert_refused(zeCommandQueueExecuteCommandLists(q, 1, &open, NULL));
    assert_refused(zeCommandQueueExecuteCommandLists(q, 1, &immediate, NULL));
    ze_command_list_handle_t good_and_bad[] = {closed, open}; /* all or none */
    assert_refused(zeCommandQueueExecuteCommandLists(q, 2, good_and_bad, NULL));
    assert_ok(zeCommandListReset(immediate)); /* has no need of it, but may be */
    assert_ok(zeCommandListClose(open));
    execute(q, open);
    execute(q, closed);
    assert_int_equal(*x, 0);
    launch(immediate, increment, 1, NULL, 0, NULL); /* still of use */
    finish(immediate);
    assert_int_equal(*x, 1);
    assert_ok(zeCommandListDestroy(open));
    assert_ok(zeCommandListDestroy(closed));
    assert_ok(zeCommandListDestroy(immediate));
    assert_ok(zeCommandQueueDestroy(q));
    usm_free(x);
}

static void bad_descriptions_are_refused(void **state) {
    (void)state;
    skip_unless(zt.is_cpu || zt.layers, "needs checked arguments");
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .flags = 0x100};
    ze_command_queue_handle_t q = NULL;
    ze_command_list_handle_t list = NULL;
    assert_result(zeCommandQueueCreate(zt.context, zt.device, &desc, &q),
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_result(zeCommandListCreateImmediate(zt.context, zt.device, &desc, &list),
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc.flags = 0;
    desc.mode = (ze_command_queue_mode_t)9;
    assert_result(zeCommandQueueCreate(zt.context, zt.device, &desc, &q),
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc.mode = ZE_COMMAND_QUEUE_MODE_DEFAULT;
    desc.priority = (ze_command_queue_priority_t)9;
    assert_result(zeCommandListCreateImmediate(zt.context, zt.device, &desc, &list),
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc.priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL;
    desc.ordinal = 1000;
    assert_refused(zeCommandQueueCreate(zt.context, zt.device, &desc, &q));
    assert_refused(zeCommandListCreateImmediate(zt.context, zt.device, &desc, &list));
    ze_command_list_desc_t list_desc = {
            .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .commandQueueGroupOrdinal = 1000};
    assert_refused(zeCommandListCreate(zt.context, zt.device, &list_desc, &list));
    list_desc = (ze_command_list_desc_t){.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
            .commandQueueGroupOrdinal = zt.ordinal,
            .flags = 0x1000};
    assert_result(zeCommandListCreate(zt.context, zt.device, &list_desc, &list),
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_null(q);
    assert_null(list);
    q = queue(ZE_COMMAND_QUEUE_MODE_DEFAULT);
    list = regular_list();
    assert_ok(zeCommandListClose(list));
    assert_result(
            zeCommandQueueExecuteCommandLists(q, 0, &list, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(q));
}

/* What newer versions of the interface add to immediate lists. */
static void check_host_synchronize(ze_command_list_handle_t list) {
    typedef ze_result_t (*synchronize_t)(void *, uint64_t);
    bool from_driver;
    synchronize_t synchronize =
            (synchronize_t)newer_function("zeCommandListHostSynchronize", &from_driver);
    skip_unless(synchronize, "neither loader nor driver has zeCommandListHostSynchronize");
    uint32_t *x = new_counter();
    ze_event_handle_t go = event(pool, 0);
    ze_command_list_handle_t regular = regular_list();
    void *raw = from_driver ? raw_handle(ZEL_HANDLE_COMMAND_LIST, list) : list;
    assert_ok(synchronize(raw, NEVER)); /* nothing to wait for */
    launch(list, increment, 1, NULL, 1, &go);
    assert_result(synchronize(raw, 0), ZE_RESULT_NOT_READY);
    uint64_t start = now_ns();
    assert_result(synchronize(raw, 30 * MILLISECOND), ZE_RESULT_NOT_READY);
    uint64_t took = now_ns() - start;
    assert_true(took >= 25 * MILLISECOND && took < 20 * SECOND);
    assert_ok(zeEventHostSignal(go));
    assert_ok(synchronize(raw, NEVER));
    assert_int_equal(*x, 1);
    assert_ok(synchronize(raw, 0));
    if (zt.is_cpu)
        assert_refused(synchronize(
                from_driver ? raw_handle(ZEL_HANDLE_COMMAND_LIST, regular) : regular, 0));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandListDestroy(regular));
    assert_ok(zeEventDestroy(go));
    usm_free(x);
}

static void host_synchronize_of_a_list(void **state) {
    (void)state;
    check_host_synchronize(immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS));
}

static void host_synchronize_of_an_in_order_list(void **state) {
    (void)state;
    check_host_synchronize(in_order_list());
}

static void regular_lists_may_be_in_order(void **state) {
    (void)state;
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
            .commandQueueGroupOrdinal = zt.ordinal,
            .flags = LIST_FLAG_IN_ORDER};
    ze_command_list_handle_t list = NULL;
    ze_result_t result = zeCommandListCreate(zt.context, zt.device, &desc, &list);
    skip_unless(!(zt.layers && result == ZE_RESULT_ERROR_INVALID_ENUMERATION),
            "the validation layer does not know in-order lists");
    assert_ok(result);
    uint64_t *x = usm(USM_SHARED, 8);
    set_pointer(append_digit, 0, x);
    for (uint32_t digit = 1; digit <= 9; digit++) {
        set_value(append_digit, 1, uint32_t, digit);
        launch(list, append_digit, 1, NULL, 0, NULL);
    }
    assert_ok(zeCommandListClose(list));
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    for (int round = 0; round < 20; round++) {
        *x = 0;
        execute(q, list);
        assert_int_equal(*x, 123456789);
    }
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(q));
    usm_free(x);
}

static void queues_tell_what_they_are(void **state) {
    (void)state;
    typedef ze_result_t (*get_number_t)(void *, uint32_t *);
    bool from_driver;
    get_number_t get_ordinal =
            (get_number_t)newer_function("zeCommandQueueGetOrdinal", &from_driver);
    get_number_t get_index = (get_number_t)newer_function("zeCommandQueueGetIndex", &from_driver);
    get_number_t get_list_index =
            (get_number_t)newer_function("zeCommandListImmediateGetIndex", &from_driver);
    skip_unless(get_ordinal && get_index && get_list_index,
            "neither loader nor driver has these queries");
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .ordinal = zt.ordinal,
            .index = zt.group.numQueues - 1};
    ze_command_queue_handle_t q = NULL;
    ze_command_list_handle_t list = NULL;
    assert_ok(zeCommandQueueCreate(zt.context, zt.device, &desc, &q));
    assert_ok(zeCommandListCreateImmediate(zt.context, zt.device, &desc, &list));
    void *raw_queue = from_driver ? raw_handle(ZEL_HANDLE_COMMAND_QUEUE, q) : q;
    void *raw_list = from_driver ? raw_handle(ZEL_HANDLE_COMMAND_LIST, list) : list;
    uint32_t n = 999;
    assert_ok(get_ordinal(raw_queue, &n));
    assert_int_equal(n, zt.ordinal);
    assert_ok(get_index(raw_queue, &n));
    assert_int_equal(n, desc.index);
    n = 999;
    assert_ok(get_list_index(raw_list, &n));
    assert_int_equal(n, desc.index);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(q));
    desc.index = zt.group.numQueues;
    if (zt.is_cpu) assert_refused(zeCommandQueueCreate(zt.context, zt.device, &desc, &q));
}

static void lists_tell_what_they_are(void **state) {
    (void)state;
    typedef ze_result_t (*is_immediate_t)(void *, ze_bool_t *);
    typedef ze_result_t (*get_handle_t)(void *, void **);
    typedef ze_result_t (*get_number_t)(void *, uint32_t *);
    bool from_driver;
    is_immediate_t is_immediate =
            (is_immediate_t)newer_function("zeCommandListIsImmediate", &from_driver);
    get_handle_t get_device =
            (get_handle_t)newer_function("zeCommandListGetDeviceHandle", &from_driver);
    get_handle_t get_context =
            (get_handle_t)newer_function("zeCommandListGetContextHandle", &from_driver);
    get_number_t get_ordinal =
            (get_number_t)newer_function("zeCommandListGetOrdinal", &from_driver);
    skip_unless(is_immediate && get_device && get_context && get_ordinal,
            "neither loader nor driver has these queries");
    ze_command_list_handle_t lists[] = {
            immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS), regular_list()};
    for (int i = 0; i < 2; i++) {
        void *raw = from_driver ? raw_handle(ZEL_HANDLE_COMMAND_LIST, lists[i]) : lists[i],
             *device = NULL, *context = NULL;
        ze_bool_t immediate = 9;
        uint32_t ordinal = 999;
        assert_ok(is_immediate(raw, &immediate));
        assert_int_equal(immediate, i == 0);
        assert_ok(get_device(raw, &device));
        assert_ptr_equal(
                device, from_driver ? raw_handle(ZEL_HANDLE_DEVICE, zt.device) : (void *)zt.device);
        assert_ok(get_context(raw, &context));
        assert_ptr_equal(context,
                from_driver ? raw_handle(ZEL_HANDLE_CONTEXT, zt.context) : (void *)zt.context);
        assert_ok(get_ordinal(raw, &ordinal));
        assert_int_equal(ordinal, zt.ordinal);
        assert_ok(zeCommandListDestroy(lists[i]));
    }
}

static void immediate_lists_take_closed_lists(void **state) {
    (void)state;
    typedef ze_result_t (*append_t)(void *, uint32_t, void **, void *, uint32_t, void **);
    bool from_driver;
    append_t append =
            (append_t)newer_function("zeCommandListImmediateAppendCommandListsExp", &from_driver);
    skip_unless(
            append, "neither loader nor driver has zeCommandListImmediateAppendCommandListsExp");
    uint32_t *x = new_counter();
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
                             regular = regular_list();
    launch(regular, increment, 1, NULL, 0, NULL);
    assert_ok(zeCommandListClose(regular));
    ze_event_handle_t go = event(pool, 0), done = event(pool, 1);
    void *raw[] = {list, regular, go, done};
    static const zel_handle_type_t kinds[] = {
            ZEL_HANDLE_COMMAND_LIST, ZEL_HANDLE_COMMAND_LIST, ZEL_HANDLE_EVENT, ZEL_HANDLE_EVENT};
    for (int i = 0; from_driver && i < 4; i++) raw[i] = raw_handle(kinds[i], raw[i]);
    ze_result_t result = append(raw[0], 1, &raw[1], raw[3], 1, &raw[2]);
    if (result == ZE_RESULT_SUCCESS) {
        assert_event(done, false);
        assert_int_equal(*x, 0);
        assert_ok(zeEventHostSignal(go));
        await(done);
        assert_int_equal(*x, 1);
    } else {
        assert_int_equal(result, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    }
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandListDestroy(regular));
    assert_ok(zeEventDestroy(go));
    assert_ok(zeEventDestroy(done));
    usm_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(synchronous_lists_return_when_done),
            TEST(in_order_lists_keep_order),
            TEST(in_order_lists_mix_kinds),
            TEST(barriers_order_any_list),
            TEST(nothing_runs_before_it_is_executed),
            TEST(replayed_a_thousand_times),
            TEST(reset_and_filled_again_a_thousand_times),
            TEST(several_lists_in_one_call_keep_order),
            TEST(empty_lists_execute),
            TEST(fences_follow_execution),
            TEST(fences_may_start_signalled),
            TEST(misuse_of_lists_is_refused),
            TEST(bad_descriptions_are_refused),
            TEST(host_synchronize_of_a_list),
            TEST(host_synchronize_of_an_in_order_list),
            TEST(regular_lists_may_be_in_order),
            TEST(queues_tell_what_they_are),
            TEST(lists_tell_what_they_are),
            TEST(immediate_lists_take_closed_lists),
    };
    return RUN_TESTS_WITH(tests, setup, teardown);
}
