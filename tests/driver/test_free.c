/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed while commands use it: the driver keeps it until they are over. */
#include "ze_test.h"

#include <pthread.h>
#include <unistd.h>

enum { N = 256, BIG = 3 << 20 /* bytes: the driver maps it */ };

static ze_module_handle_t module;

/* The policies that the driver reports. */
static ze_driver_memory_free_policy_ext_flags_t policies(void) {
    ze_driver_memory_free_ext_properties_t free_properties = {
            .stype = ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES};
    ze_driver_properties_t p = {
            .stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES, .pNext = &free_properties};
    assert_ok(zeDriverGetProperties(zt.driver, &p));
    return free_properties.freePolicies;
}

static ze_result_t free_by(ze_driver_memory_free_policy_ext_flags_t policy, void *pointer) {
    ze_memory_free_ext_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC, .freePolicy = policy};
    return zeMemFreeExt(zt.context, &desc, pointer);
}

static ze_result_t free_later(void *pointer) {
    return free_by(ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE, pointer);
}

static bool is_strict(void) {
    return setting("ZE_CPU_STRICT", 0) != 0;
}

/* The parameter checks of old layers do not know the flag. */
static ze_command_queue_flags_t in_order(void) {
    return zt.layers ? 0 : QUEUE_FLAG_IN_ORDER;
}

/* Frees by one policy or the other. Strict mode takes the plain one for a mistake. */
static void free_in_flight(void *pointer, int number) {
    if (number % 2 || is_strict()) assert_ok(free_later(pointer));
    else usm_free(pointer);
}

static void the_extension_is_reported(void **state) {
    ze_driver_extension_properties_t all[64];
    uint32_t n = COUNT_OF(all);
    bool found = false;
    (void)state;
    skip_unless(zt.is_cpu, "tests the CPU driver's extension");
    skip_unless_checked(); /* the validation layer of loader 1.20 crashes in the query */
    assert_ok(zeDriverGetExtensionProperties(zt.driver, &n, all));
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(all[i].name, ZE_MEMORY_FREE_POLICIES_EXT_NAME)) found = true;
    assert_true(found);
    assert_int_equal(policies(), ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE |
                                         ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE);
}

static void policies_are_checked(void **state) {
    void *x = usm(USM_DEVICE, N);
    (void)state;
    skip_unless_checked();
    assert_result(free_by(4, x), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_result(free_later((char *)x + 1), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(free_later(x));
    assert_result(free_later(x), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/* A list that is blocked by an event, and what it uses. */
typedef struct {
    ze_command_list_handle_t list;
    ze_event_pool_handle_t pool;
    ze_event_handle_t go;
    uint32_t *result; /* N elements, which stay */
} blocked_t;

static blocked_t block(ze_command_queue_flags_t flags) {
    blocked_t b = {.list = immediate_list(flags, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
            .pool = event_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE),
            .result = usm(USM_HOST, N * sizeof(uint32_t))};
    b.go = event(b.pool, 0);
    memset(b.result, 0, N * sizeof(uint32_t));
    assert_ok(zeCommandListAppendWaitOnEvents(b.list, 1, &b.go));
    return b;
}

static void unblock(blocked_t *b) {
    assert_ok(zeEventHostSignal(b->go));
    finish(b->list);
    usm_free(b->result);
    assert_ok(zeEventDestroy(b->go));
    assert_ok(zeEventPoolDestroy(b->pool));
    assert_ok(zeCommandListDestroy(b->list));
}

/* Takes addresses that were given back, and fills them. */
static void reuse_memory(size_t size) {
    enum { TIMES = 8 };
    void *taken[TIMES];
    for (int i = 0; i < TIMES; i++) memset(taken[i] = usm(USM_HOST, size), 0xee, size);
    for (int i = 0; i < TIMES; i++) usm_free(taken[i]);
}

/* fill -> copy -> kernel -> copy, all through memory that is freed before anything runs. */
static void check_in_flight(ze_command_queue_flags_t flags, size_t size) {
    for (int round = 0; round < 4; round++) {
        blocked_t b = block(flags);
        const uint32_t seven = 7;
        uint32_t *a = usm(USM_DEVICE, size), *c = usm(USM_HOST, size);
        ze_kernel_handle_t kernel = get_kernel(module, "increment");
        const size_t bytes = N * sizeof *a;
        uint32_t *middle = c + size / sizeof *c / 2; /* not only the first byte counts */
        assert_ok(zeCommandListAppendMemoryFill(
                b.list, a, &seven, sizeof seven, bytes, NULL, 0, NULL));
        assert_ok(zeCommandListAppendBarrier(b.list, NULL, 0, NULL));
        assert_ok(zeCommandListAppendMemoryCopy(b.list, middle, a, bytes, NULL, 0, NULL));
        assert_ok(zeCommandListAppendBarrier(b.list, NULL, 0, NULL));
        set_pointer(kernel, 0, middle);
        launch(b.list, kernel, N, NULL, 0, NULL);
        assert_ok(zeCommandListAppendBarrier(b.list, NULL, 0, NULL));
        assert_ok(zeCommandListAppendMemoryCopy(b.list, b.result, middle, bytes, NULL, 0, NULL));
        free_in_flight(a, round);
        free_in_flight(c, round);
        assert_ok(zeKernelDestroy(kernel)); /* code as well */
        reuse_memory(size);
        assert_ok(zeEventHostSignal(b.go));
        finish(b.list);
        for (int i = 0; i < N; i++) assert_int_equal(b.result[i], 8);
        unblock(&b);
    }
}

static void in_order_lists_keep_memory(void **state) {
    (void)state;
    skip_unless(policies(), "needs the policy of deferred frees");
    check_in_flight(in_order(), N * 4 * 2);
    check_in_flight(in_order(), BIG);
}

static void out_of_order_lists_keep_memory(void **state) {
    (void)state;
    skip_unless(policies(), "needs the policy of deferred frees");
    check_in_flight(0, N * 4 * 2);
    check_in_flight(0, BIG);
}

static void regular_lists_keep_memory_while_they_run(void **state) {
    (void)state;
    skip_unless(policies(), "needs the policy of deferred frees");
    for (int round = 0; round < 4; round++) {
        blocked_t b = block(0);
        ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
        ze_command_list_handle_t waits = regular_list(), works = regular_list();
        uint32_t *a = usm(USM_HOST, N * sizeof *a);
        for (int i = 0; i < N; i++) a[i] = (uint32_t)i;
        assert_ok(zeCommandListAppendWaitOnEvents(waits, 1, &b.go));
        assert_ok(zeCommandListAppendBarrier(waits, NULL, 0, NULL));
        if (round < 2) assert_ok(zeCommandListAppendBarrier(works, NULL, 0, NULL));
        assert_ok(zeCommandListAppendMemoryCopy(works, b.result, a, N * sizeof *a, NULL, 0, NULL));
        assert_ok(zeCommandListClose(waits));
        assert_ok(zeCommandListClose(works));
        assert_ok(zeCommandQueueExecuteCommandLists(
                q, 2, (ze_command_list_handle_t[]){waits, works}, NULL));
        free_in_flight(a, round);
        assert_ok(zeCommandListDestroy(works));
        reuse_memory(N * sizeof *a);
        assert_ok(zeEventHostSignal(b.go));
        assert_ok(zeCommandQueueSynchronize(q, 60 * SECOND));
        for (int i = 0; i < N; i++) assert_int_equal(b.result[i], i);
        assert_ok(zeCommandListDestroy(waits));
        assert_ok(zeCommandQueueDestroy(q));
        unblock(&b);
    }
}

/* Memory is free as soon as its own users are over, even if another list never ends. */
static void others_do_not_keep_memory(void **state) {
    enum { TIMES = 20, LARGE = 4 << 20 };
    (void)state;
    skip_unless_checked();
    blocked_t other = block(in_order());
    ze_command_list_handle_t list = in_order_list();
    const uint32_t seven = 7;
    const void *seen[TIMES];
    int places = 0;
    for (int i = 0; i < TIMES; i++) {
        uint32_t *a = usm(USM_DEVICE, LARGE);
        int known = 0;
        while (known < places && seen[known] != a) known++;
        if (known == places) seen[places++] = a;
        assert_ok(zeCommandListAppendMemoryFill(
                list, a, &seven, sizeof seven, sizeof seven, NULL, 0, NULL));
        free_in_flight(a, i);
        finish(list);
    }
    /* The same addresses come back. Other threads may take one of them meanwhile. */
    if (!is_strict()) assert_in_range(places, 1, TIMES / 2);
    assert_ok(zeCommandListDestroy(list));
    unblock(&other);
}

static void *unblock_soon(void *gate) {
    usleep(20000); /* microseconds: the call that waits for it has begun */
    return zeEventHostSignal(gate) == ZE_RESULT_SUCCESS ? NULL : gate;
}

/* A blocking free returns when the commands that use the memory are over, and not before. */
static void a_free_can_wait(void **state) {
    (void)state;
    const ze_driver_memory_free_policy_ext_flags_t policy =
            ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE;
    skip_unless(policies() & policy, "needs the policy of blocking frees");
    assert_ok(free_by(policy, usm(USM_DEVICE, N))); /* nothing uses it */
    for (int round = 0; round < 2; round++) {
        blocked_t b = block(round ? in_order() : 0);
        uint32_t *a = usm(USM_HOST, N * sizeof *a);
        memset(a, 1, N * sizeof *a);
        assert_ok(zeCommandListAppendBarrier(b.list, NULL, 0, NULL));
        assert_ok(zeCommandListAppendMemoryCopy(b.list, b.result, a, N * sizeof *a, NULL, 0, NULL));
        pthread_t thread;
        void *failed;
        assert_int_equal(pthread_create(&thread, NULL, unblock_soon, b.go), 0);
        assert_ok(free_by(policy, a));
        for (int i = 0; i < N; i++) assert_int_equal(b.result[i], 0x01010101);
        pthread_join(thread, &failed);
        assert_null(failed);
        unblock(&b);
    }
}

/* Two lists use it; the slower one decides. */
static void the_last_user_counts(void **state) {
    (void)state;
    skip_unless(policies(), "needs the policy of deferred frees");
    blocked_t b[2] = {block(in_order()), block(0)};
    for (int slow = 0; slow < 2; slow++) {
        uint32_t *a = usm(USM_HOST, N * sizeof *a);
        memset(a, slow + 1, N * sizeof *a);
        for (int i = 0; i < 2; i++) {
            assert_ok(zeEventHostReset(b[i].go));
            assert_ok(zeCommandListAppendWaitOnEvents(b[i].list, 1, &b[i].go));
            assert_ok(zeCommandListAppendBarrier(b[i].list, NULL, 0, NULL));
            assert_ok(zeCommandListAppendMemoryCopy(
                    b[i].list, b[i].result, a, N * sizeof *a, NULL, 0, NULL));
        }
        free_in_flight(a, slow);
        assert_ok(zeEventHostSignal(b[!slow].go));
        finish(b[!slow].list);
        reuse_memory(N * sizeof *a);
        assert_ok(zeEventHostSignal(b[slow].go));
        finish(b[slow].list);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < N; j++)
                assert_int_equal(b[i].result[j], 0x01010101u * (unsigned)(slow + 1));
    }
    unblock(&b[0]);
    unblock(&b[1]);
}

/* Frees all the time while lists are busy: with a sanitizer, a mistake shows. */
static void frees_among_many_launches(void **state) {
    enum { TIMES = 3000 };
    (void)state;
    skip_unless(policies(), "needs the policy of deferred frees");
    ze_command_list_handle_t lists[] = {
            immediate_list(in_order(), ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
            immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS)};
    ze_kernel_handle_t kernel = get_kernel(module, "increment");
    uint32_t *sum = usm(USM_HOST, sizeof *sum);
    *sum = 0;
    for (int i = 0; i < TIMES; i++) {
        uint32_t *a = usm(USM_HOST, 4 * sizeof *a);
        *a = (uint32_t)i;
        set_pointer(kernel, 0, a);
        launch(lists[i % 2], kernel, 1, NULL, 0, NULL);
        assert_ok(zeCommandListAppendBarrier(lists[i % 2], NULL, 0, NULL));
        assert_ok(zeCommandListAppendMemoryCopy(
                lists[i % 2], i + 1 == TIMES ? sum : a + 1, a, sizeof *a, NULL, 0, NULL));
        free_in_flight(a, i);
    }
    for (int i = 0; i < 2; i++) finish(lists[i]);
    assert_int_equal(*sum, TIMES);
    usm_free(sum);
    assert_ok(zeKernelDestroy(kernel));
    for (int i = 0; i < 2; i++) assert_ok(zeCommandListDestroy(lists[i]));
}

static int load(void **state) {
    (void)state;
    module = load_module("basic");
    return 0;
}

static int unload(void **state) {
    (void)state;
    return zeModuleDestroy(module) != ZE_RESULT_SUCCESS;
}

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(the_extension_is_reported),
            TEST(policies_are_checked),
            TEST(in_order_lists_keep_memory),
            TEST(out_of_order_lists_keep_memory),
            TEST(regular_lists_keep_memory_while_they_run),
            TEST(others_do_not_keep_memory),
            TEST(a_free_can_wait),
            TEST(the_last_user_counts),
            TEST(frees_among_many_launches),
    };
    return RUN_TESTS_WITH(tests, load, unload);
}
