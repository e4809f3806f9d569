/* SPDX-License-Identifier: Apache-2.0 */
/* Out-of-order lists whose commands the driver starts in another order than that of the appends,
 * as ZE_CPU_ORDER asks: what a program forgot to order goes wrong, what barriers and events
 * order does not. */
#include "ze_test.h"

enum { SLOTS = 8, ROUNDS = 40 };

static uint32_t *data;

static int allocate(void **state) {
    (void)state;
    data = usm(USM_HOST, SLOTS * sizeof *data);
    return 0;
}

static int give_back(void **state) {
    (void)state;
    usm_free(data);
    return 0;
}

static bool order_is(const char *which) {
    const char *order = getenv("ZE_CPU_ORDER");
    return order && strncmp(order, which, strlen(which)) == 0;
}

static void write_value(ze_command_list_handle_t list, int slot, uint32_t value,
        ze_event_handle_t signal, ze_event_handle_t wait) {
    assert_ok(zeCommandListAppendMemoryFill(list, &data[slot], &value, sizeof value, sizeof value,
            signal, wait ? 1 : 0, wait ? &wait : NULL));
}

static void copy_value(ze_command_list_handle_t list, int to, int from) {
    assert_ok(zeCommandListAppendMemoryCopy(
            list, &data[to], &data[from], sizeof *data, NULL, 0, NULL));
}

/* A copy that does not wait for what it copies finds the old value. */
static void forgotten_dependency(void **state) {
    (void)state;
    skip_unless(order_is("reverse"), "the order is not the reverse one");
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    for (int i = 0; i < ROUNDS; i++) {
        data[0] = data[1] = 0;
        write_value(list, 0, 7, NULL, NULL);
        copy_value(list, 1, 0);
        finish(list);
        assert_int_equal(data[0], 7);
        assert_int_equal(data[1], 0);
    }
    assert_ok(zeCommandListDestroy(list));
}

static void barrier_orders(void **state) {
    (void)state;
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        write_value(list, 0, i, NULL, NULL);
        for (int slot = 1; slot < SLOTS; slot++) {
            assert_ok(zeCommandListAppendBarrier(list, NULL, 0, NULL));
            copy_value(list, slot, slot - 1);
        }
        finish(list);
        for (int slot = 0; slot < SLOTS; slot++) assert_int_equal(data[slot], i);
    }
    assert_ok(zeCommandListDestroy(list));
}

static void events_order(void **state) {
    (void)state;
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t pool = event_pool(SLOTS, 0);
    ze_event_handle_t events[SLOTS];
    for (uint32_t i = 0; i < SLOTS; i++) events[i] = event(pool, i);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < SLOTS; i++) assert_ok(zeEventHostReset(events[i]));
        for (int i = 0; i < SLOTS; i++)
            write_value(list, 0, round * SLOTS + (uint32_t)i, events[i], i ? events[i - 1] : NULL);
        await(events[SLOTS - 1]);
        assert_int_equal(data[0], round * SLOTS + SLOTS - 1);
    }
    for (uint32_t i = 0; i < SLOTS; i++) assert_ok(zeEventDestroy(events[i]));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeCommandListDestroy(list));
}

/* A wait in the list holds back what comes after it. */
static void waits_order(void **state) {
    (void)state;
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t pool = event_pool(1, 0);
    ze_event_handle_t written = event(pool, 0);
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        assert_ok(zeEventHostReset(written));
        write_value(list, 0, i, written, NULL);
        assert_ok(zeCommandListAppendWaitOnEvents(list, 1, &written));
        copy_value(list, 1, 0);
        finish(list);
        assert_int_equal(data[1], i);
    }
    assert_ok(zeEventDestroy(written));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeCommandListDestroy(list));
}

/* Two lists that wait for each other's events in turn, appended to from the end backwards. */
static void lists_wait_for_each_other(void **state) {
    (void)state;
    ze_command_list_handle_t lists[2];
    ze_event_pool_handle_t pool = event_pool(SLOTS, 0);
    ze_event_handle_t events[SLOTS];
    for (int i = 0; i < 2; i++) lists[i] = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    for (uint32_t i = 0; i < SLOTS; i++) events[i] = event(pool, i);
    for (int i = 0; i < SLOTS; i++) {
        const int back = SLOTS - 1 - i;
        const int k = getenv("ZE_CPU_ORDER")
                              ? back
                              : i; /* in the order of the appends, the last would hold back all */
        write_value(lists[k % 2], 0, (uint32_t)k, events[k], k ? events[k - 1] : NULL);
    }
    await(events[SLOTS - 1]);
    assert_int_equal(data[0], SLOTS - 1);
    for (uint32_t i = 0; i < SLOTS; i++) assert_ok(zeEventDestroy(events[i]));
    assert_ok(zeEventPoolDestroy(pool));
    for (int i = 0; i < 2; i++) assert_ok(zeCommandListDestroy(lists[i]));
}

static void in_order_lists_stay_so(void **state) {
    (void)state;
    ze_command_list_handle_t list = in_order_list();
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        write_value(list, 0, i, NULL, NULL);
        for (int slot = 1; slot < SLOTS; slot++) copy_value(list, slot, slot - 1);
        finish(list);
        assert_int_equal(data[SLOTS - 1], i);
    }
    assert_ok(zeCommandListDestroy(list));
}

/* Which of eight unordered writes is the last one, round after round. */
static void last_writers(uint8_t last[ROUNDS]) {
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    for (int i = 0; i < ROUNDS; i++) {
        for (uint32_t k = 0; k < 8; k++) write_value(list, 0, k, NULL, NULL);
        finish(list);
        last[i] = (uint8_t)data[0];
    }
    assert_ok(zeCommandListDestroy(list));
}

static void random_order(void **state) {
    (void)state;
    skip_unless(order_is("random"), "the order is not a random one");
    uint8_t first[ROUNDS], again[ROUNDS], seen[8] = {0};
    int different = 0;
    last_writers(first);
    last_writers(again);
    assert_memory_equal(first, again, ROUNDS); /* the same for the same seed */
    for (int i = 0; i < ROUNDS; i++) seen[first[i]] = 1;
    for (int i = 0; i < 8; i++) different += seen[i];
    assert_true(different >= 5);
}

static void reverse_order(void **state) {
    (void)state;
    skip_unless(order_is("reverse"), "the order is not the reverse one");
    uint8_t last[ROUNDS];
    last_writers(last);
    for (int i = 0; i < ROUNDS; i++) assert_int_equal(last[i], 0);
}

/* The commands of a regular list, too. */
static void regular_lists(void **state) {
    (void)state;
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t list = regular_list();
    write_value(list, 0, 1, NULL, NULL);
    if (order_is("reverse")) copy_value(list, 2, 0); /* forgotten */
    assert_ok(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    copy_value(list, 1, 0);
    assert_ok(zeCommandListClose(list));
    data[0] = data[1] = data[2] = 5;
    assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &list, NULL));
    assert_ok(zeCommandQueueSynchronize(q, NEVER));
    assert_int_equal(data[1], 1);
    assert_int_equal(data[2], 5);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(q));
}

/* The host does not find the result before the device wrote it. */
static void delay(void **state) {
    (void)state;
    const char *us = getenv("ZE_CPU_DELAY");
    skip_unless(us, "there is no delay");
    ze_command_list_handle_t list = in_order_list();
    data[0] = 0;
    const uint64_t begin = now_ns();
    write_value(list, 0, 1, NULL, NULL);
    const uint32_t early = *(volatile uint32_t *)data; /* the host did not wait */
    const uint64_t looked = now_ns();
    finish(list);
    assert_int_equal(data[0], 1);
    assert_true(now_ns() - begin >= (uint64_t)atoi(us) * 1000);
    if (looked - begin < (uint64_t)atoi(us) * 1000) assert_int_equal(early, 0);
    assert_ok(zeCommandListDestroy(list));
}

int main(void) {
    const struct CMUnitTest order[] = {TEST(forgotten_dependency), TEST(barrier_orders),
            TEST(events_order), TEST(waits_order), TEST(lists_wait_for_each_other),
            TEST(in_order_lists_stay_so), TEST(random_order), TEST(reverse_order),
            TEST(regular_lists), TEST(delay)};
    return RUN_TESTS_WITH(order, allocate, give_back);
}
