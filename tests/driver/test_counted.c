/* SPDX-License-Identifier: Apache-2.0 */
/* Counter-based events: what was appended last to signal one is what it stands for. Made by a
 * pool, and where loader or driver have the call, each by itself. */
#include "ze_test.h"

/* Declarations that older headers lack. */
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint32_t flags;
} counted_pool_t;
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint32_t flags, signal, wait;
} counted_event_t;
typedef ze_result_t (*create_t)(void *, void *, const counted_event_t *, ze_event_handle_t *);
enum { STYPE_POOL = 0x00020014, STYPE_EVENT = 0x0002003a };
enum { IMMEDIATE = 1, NON_IMMEDIATE = 2, HOST_VISIBLE = 4, DEVICE_TIMESTAMP = 16 };

enum { N_EVENTS = 4 };
static create_t create;
static bool by_pool, has_both;
static ze_event_pool_handle_t pool, plain_pool;
static ze_event_handle_t e[N_EVENTS], gate;
static ze_module_handle_t module;
static ze_kernel_handle_t increment, digit;
static ze_command_list_handle_t list;
static uint32_t *x;
static uint64_t *order;

static bool driver_has_pools(void) {
    uint32_t n = 0;
    bool found = false;
    assert_ok(zeDriverGetExtensionProperties(zt.driver, &n, NULL));
    ze_driver_extension_properties_t *all = calloc(n + 1, sizeof *all);
    assert_non_null(all);
    assert_ok(zeDriverGetExtensionProperties(zt.driver, &n, all));
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(all[i].name, "ZE_experimental_event_pool_counter_based")) found = true;
    free(all);
    return found;
}

static int setup_group(void **state) {
    (void)state;
    bool from_driver;
    create = (create_t)newer_function("zeEventCounterBasedCreate", &from_driver);
    /* What the driver makes behind its back, the loader does not know. */
    if (create && from_driver && (zt.intercept || zt.layers)) create = NULL;
    has_both = create && driver_has_pools();
    by_pool = !create;
    module = load_module("basic");
    increment = get_kernel(module, "increment");
    digit = get_kernel(module, "append_digit");
    x = usm(USM_SHARED, 64);
    order = usm(USM_SHARED, 8);
    set_pointer(increment, 0, x);
    set_pointer(digit, 0, order);
    plain_pool = event_pool(1, 0);
    gate = event(plain_pool, 0);
    return 0;
}

static int teardown_group(void **state) {
    (void)state;
    usm_free(x);
    usm_free(order);
    return zeEventDestroy(gate) || zeEventPoolDestroy(plain_pool) || zeKernelDestroy(increment) ||
           zeKernelDestroy(digit) || zeModuleDestroy(module);
}

static void open_events(void) {
    skip_unless(create || driver_has_pools(), "no counter-based events");
    const counted_pool_t counted = {.stype = (ze_structure_type_t)STYPE_POOL, .flags = IMMEDIATE};
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
            .pNext = &counted,
            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
            .count = N_EVENTS};
    const counted_event_t one = {.stype = (ze_structure_type_t)STYPE_EVENT,
            .flags = IMMEDIATE | HOST_VISIBLE | DEVICE_TIMESTAMP,
            .signal = ZE_EVENT_SCOPE_FLAG_HOST,
            .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    list = in_order_list();
    if (by_pool) assert_ok(zeEventPoolCreate(zt.context, &desc, 1, &zt.device, &pool));
    for (uint32_t i = 0; i < N_EVENTS; i++) {
        if (by_pool) e[i] = event(pool, i);
        else assert_ok(create(zt.context, zt.device, &one, &e[i]));
    }
    assert_ok(zeEventHostReset(gate));
    *x = 0;
    *order = 0;
}

static void close_events(void) {
    finish(list);
    assert_ok(zeCommandListDestroy(list));
    for (uint32_t i = 0; i < N_EVENTS; i++) assert_ok(zeEventDestroy(e[i]));
    if (by_pool) assert_ok(zeEventPoolDestroy(pool));
}

/* Each test with both kinds of events, where there are both. */
static void both(void (*body)(void)) {
    for (int i = 0; i <= has_both; i++) {
        open_events();
        body();
        close_events();
        if (has_both) by_pool = !by_pool;
    }
}

static void reuse(void) {
    assert_event(e[0], true); /* nothing is going to signal it */
    assert_ok(zeEventHostSynchronize(e[0], NEVER));
    for (uint32_t i = 1; i <= 200; i++) {
        launch(list, increment, 1, e[0], 1, &gate);
        assert_event(e[0], false);
        assert_result(zeEventHostSynchronize(e[0], 0), ZE_RESULT_NOT_READY);
        assert_ok(zeEventHostSignal(gate));
        await(e[0]);
        assert_int_equal(*x, i);
        assert_event(e[0], true);
        assert_ok(zeEventHostReset(gate));
    }
}
static void signalled_again_without_a_reset(void **state) {
    (void)state;
    both(reuse);
}

static void put(ze_command_list_handle_t to, uint32_t value, ze_event_handle_t signal,
        uint32_t n_waits, ze_event_handle_t *waits) {
    set_value(digit, 1, uint32_t, value);
    launch(to, digit, 1, signal, n_waits, waits);
}

/* The first wait is for what e[0] stood for then, though e[0] is signalled again only behind it. */
static void turns(void) {
    ze_command_list_handle_t other = in_order_list(),
                             free_order = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    put(list, 1, e[0], 1, &gate);
    put(other, 2, e[1], 1, &e[0]);
    put(list, 3, e[0], 1, &e[1]);
    put(free_order, 4, NULL, 1, &e[0]);
    assert_event(e[0], false);
    assert_ok(zeEventHostSignal(gate));
    finish(free_order);
    assert_int_equal(*order, 1234);
    finish(other);
    assert_ok(zeCommandListDestroy(other));
    assert_ok(zeCommandListDestroy(free_order));
}
static void a_wait_is_for_what_was_before(void **state) {
    (void)state;
    both(turns);
}

/* An event moves to the list that signals it last, and outlives lists. */
static void move(void) {
    for (int i = 0; i < 20; i++) {
        ze_command_list_handle_t other = in_order_list();
        launch(list, increment, 1, e[0], 1, &gate);
        launch(other, increment, 1, e[0], 0, NULL);
        await(e[0]);
        assert_int_equal(*x, 2 * i + 1);
        assert_ok(zeEventHostSignal(gate));
        finish(list);
        assert_ok(zeCommandListDestroy(other));
        assert_event(e[0], true);
        assert_ok(zeEventHostReset(gate));
    }
}
static void moves_from_list_to_list(void **state) {
    (void)state;
    both(move);
}

static void all_commands(void) {
    const uint32_t one = 1;
    launch(list, increment, 1, e[0], 1, &gate);
    assert_ok(zeCommandListAppendBarrier(list, e[1], 0, NULL));
    assert_ok(zeCommandListAppendMemoryFill(list, x + 1, &one, 4, 4, e[2], 0, NULL));
    assert_ok(zeCommandListAppendSignalEvent(list, e[3]));
    for (int i = 0; i < 4; i++) assert_event(e[i], false);
    assert_ok(zeEventHostSignal(gate));
    for (int i = 0; i < 4; i++) await(e[i]);
    ze_kernel_timestamp_result_t t;
    assert_ok(zeEventQueryKernelTimestamp(e[0], &t));
    assert_true(t.context.kernelEnd > t.context.kernelStart);
}
static void commands_and_times(void **state) {
    (void)state;
    both(all_commands);
}

/* A regular list may wait for one: for what it stood for when the list was made, at each run. */
static void replay(void) {
    ze_command_list_handle_t regular = regular_list();
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    put(list, 1, e[0], 1, &gate);
    put(regular, 2, NULL, 1, &e[0]);
    assert_ok(zeCommandListClose(regular));
    assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &regular, NULL));
    assert_ok(zeEventHostSignal(gate));
    assert_ok(zeCommandQueueSynchronize(q, NEVER));
    assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &regular, NULL));
    assert_ok(zeCommandQueueSynchronize(q, NEVER));
    assert_int_equal(*order, 122);
    assert_ok(zeCommandListDestroy(regular));
    assert_ok(zeCommandQueueDestroy(q));
}
static void waited_for_in_regular_lists(void **state) {
    (void)state;
    both(replay);
}

static void refusals(void) {
    const ze_group_count_t groups = {1, 1, 1};
    ze_command_list_handle_t free_order = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
                             regular = regular_list();
    assert_refused(zeCommandListAppendBarrier(free_order, e[0], 0, NULL));
    assert_refused(zeCommandListAppendLaunchKernel(free_order, increment, &groups, e[0], 0, NULL));
    if (zt.is_cpu) assert_refused(zeCommandListAppendBarrier(regular, e[0], 0, NULL));
    assert_refused(zeCommandListAppendEventReset(list, e[0]));
    assert_refused(zeEventHostReset(e[0]));
    assert_refused(zeEventHostSignal(e[0]));
    launch(list, increment, 1, e[0], 0, NULL); /* nothing of that did harm */
    await(e[0]);
    assert_int_equal(*x, 1);
    assert_ok(zeCommandListDestroy(free_order));
    assert_ok(zeCommandListDestroy(regular));
}
static void what_they_cannot_is_refused(void **state) {
    (void)state;
    both(refusals);
}

/* Intel's SYCL runtime makes events for regular lists too, and uses them with immediate ones. */
static void for_regular_lists_too(void **state) {
    (void)state;
    skip_unless(driver_has_pools(), "no counter-based pools");
    const counted_pool_t counted = {
            .stype = (ze_structure_type_t)STYPE_POOL, .flags = IMMEDIATE | NON_IMMEDIATE};
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
            .pNext = &counted,
            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
            .count = 1};
    ze_event_pool_handle_t both_kinds;
    assert_ok(zeEventPoolCreate(zt.context, &desc, 1, &zt.device, &both_kinds));
    ze_event_handle_t done = event(both_kinds, 0);
    ze_command_list_handle_t in_order = in_order_list();
    *x = 0;
    for (uint32_t i = 1; i <= 3; i++) {
        launch(in_order, increment, 1, done, 0, NULL);
        await(done);
        assert_int_equal(*x, i);
    }
    finish(in_order);
    assert_ok(zeCommandListDestroy(in_order));
    if (create) {
        const counted_event_t alone = {
                .stype = (ze_structure_type_t)STYPE_EVENT, .flags = IMMEDIATE | NON_IMMEDIATE};
        ze_event_handle_t created;
        assert_ok(create(zt.context, zt.device, &alone, &created));
        assert_ok(zeEventDestroy(created));
    }
    assert_ok(zeEventDestroy(done));
    assert_ok(zeEventPoolDestroy(both_kinds));
}

static void what_is_not_there_is_refused(void **state) {
    (void)state;
    skip_unless(zt.is_cpu, "says what the CPU driver lacks");
    const counted_pool_t counted = {.stype = (ze_structure_type_t)STYPE_POOL, .flags = 4};
    const ze_event_pool_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .pNext = &counted, .count = 1};
    ze_event_pool_handle_t none;
    ze_event_handle_t no_event;
    assert_refused(zeEventPoolCreate(zt.context, &desc, 1, &zt.device, &none));
    if (!create) return;
    const counted_event_t bad[] = {
            {.stype = (ze_structure_type_t)STYPE_EVENT, .flags = 8 /* for other processes */},
            {.stype = (ze_structure_type_t)STYPE_EVENT, .flags = 0x80},
            {.stype = (ze_structure_type_t)STYPE_EVENT, .flags = 0x30},
            {.stype = (ze_structure_type_t)STYPE_EVENT, .next = &counted},
            {.stype = (ze_structure_type_t)STYPE_EVENT, .signal = 8}};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_refused(create(zt.context, zt.device, &bad[i], &no_event));
}

int main(void) {
    const struct CMUnitTest counted[] = {TEST(signalled_again_without_a_reset),
            TEST(a_wait_is_for_what_was_before), TEST(moves_from_list_to_list),
            TEST(commands_and_times), TEST(waited_for_in_regular_lists),
            TEST(what_they_cannot_is_refused), TEST(for_regular_lists_too),
            TEST(what_is_not_there_is_refused)};
    return RUN_TESTS_WITH(counted, setup_group, teardown_group);
}
