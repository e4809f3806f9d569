/* SPDX-License-Identifier: Apache-2.0 */
/* A system that starts no more threads: appends are refused until a first worker runs, and one
 * worker does everything. */
#include "ze_test.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

/* Calls of pthread_create() that fail from now on. */
static atomic_int failures_left;
static atomic_int calls;

/* The driver's calls come here, because the program is searched before the C library. */
__attribute__((visibility("default"))) int pthread_create(
        pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument) {
    __typeof__(&pthread_create) next;
    void *symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&next, &symbol, sizeof next);
    atomic_fetch_add(&calls, 1);
    if (atomic_load(&failures_left) > 0) {
        atomic_fetch_sub(&failures_left, 1);
        return EAGAIN;
    }
    return next(thread, attr, start, argument);
}

static void fill(ze_command_list_handle_t list, int *to, int value, ze_result_t expected) {
    assert_result(zeCommandListAppendMemoryFill(
                          list, to, &value, sizeof value, sizeof value, NULL, 0, NULL),
            expected);
}

/* Must be the first test: the driver has no worker yet. */
static void appends_are_refused_without_a_worker(void **state) {
    (void)state;
    const ze_result_t refused = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    skip_unless(zt.is_cpu, "looks at the CPU driver's own threads");
    ze_command_list_handle_t list = in_order_list(), regular = regular_list();
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t pool = event_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t done = event(pool, 0);
    int *x = usm(USM_HOST, 2 * sizeof *x);
    x[0] = x[1] = 1;
    fill(regular, &x[1], 7, ZE_RESULT_SUCCESS);
    assert_ok(zeCommandListClose(regular));

    atomic_store(&failures_left, INT32_MAX);
    const int before = atomic_load(&calls);
    fill(list, x, 5, refused);
    assert_true(atomic_load(&calls) > before); /* else the wrapper wraps nothing */
    fill(list, x, 5, refused);                 /* each append tries again */
    assert_result(zeCommandListAppendSignalEvent(list, done), refused);
    assert_result(zeCommandQueueExecuteCommandLists(q, 1, &regular, NULL), refused);
    assert_ok(zeCommandQueueSynchronize(q, SECOND)); /* nothing was appended */
    assert_event(done, false);
    assert_int_equal(x[0] + x[1], 2);

    atomic_store(&failures_left, 1);
    fill(list, x, 5, refused);
    fill(list, x, 5, ZE_RESULT_SUCCESS);
    assert_ok(zeCommandListAppendSignalEvent(list, done));
    assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &regular, NULL));
    await(done);
    finish(list);
    assert_ok(zeCommandQueueSynchronize(q, 60 * SECOND));
    assert_int_equal(x[0], 5);
    assert_int_equal(x[1], 7);

    usm_free(x);
    assert_ok(zeEventDestroy(done));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeCommandQueueDestroy(q));
    assert_ok(zeCommandListDestroy(regular));
    assert_ok(zeCommandListDestroy(list));
}

/* Several lists, one of which waits for another. */
static void one_worker_does_everything(void **state) {
    enum { LISTS = 6 };
    (void)state;
    skip_unless(zt.is_cpu, "looks at the CPU driver's own threads");
    ze_command_list_handle_t lists[LISTS];
    ze_event_pool_handle_t pool = event_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t last = event(pool, 0);
    int *x = usm(USM_HOST, LISTS * sizeof *x);
    for (int i = 0; i < LISTS; i++) lists[i] = in_order_list();
    atomic_store(&failures_left, INT32_MAX);
    assert_ok(zeCommandListAppendWaitOnEvents(lists[0], 1, &last));
    for (int i = 0; i < LISTS; i++) fill(lists[i], &x[i], i + 1, ZE_RESULT_SUCCESS);
    assert_ok(zeCommandListAppendSignalEvent(lists[LISTS - 1], last));
    for (int i = 0; i < LISTS; i++) finish(lists[i]);
    atomic_store(&failures_left, 0);
    for (int i = 0; i < LISTS; i++) {
        assert_int_equal(x[i], i + 1);
        assert_ok(zeCommandListDestroy(lists[i]));
    }
    usm_free(x);
    assert_ok(zeEventDestroy(last));
    assert_ok(zeEventPoolDestroy(pool));
}

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(appends_are_refused_without_a_worker),
            TEST(one_worker_does_everything),
    };
    return RUN_TESTS(tests);
}
