/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchrony: appends do not wait, events order what has to be ordered, and nothing else is held
 * up. */
#include "ze_test.h"

#include <pthread.h>
#include <time.h>

static ze_module_handle_t module;
static ze_event_pool_handle_t pool;
enum { N_EVENTS = 512 };
static ze_event_handle_t e[N_EVENTS];

static int setup_group(void **state) {
    (void)state;
    module = load_module("basic");
    pool = event_pool(N_EVENTS, 0);
    return 0;
}

static int teardown_group(void **state) {
    (void)state;
    return zeModuleDestroy(module) || zeEventPoolDestroy(pool);
}

static int setup(void **state) {
    (void)state;
    for (uint32_t i = 0; i < N_EVENTS; i++) e[i] = event(pool, i);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    int bad = 0;
    for (uint32_t i = 0; i < N_EVENTS; i++) bad += zeEventDestroy(e[i]) != ZE_RESULT_SUCCESS;
    return bad;
}

static void pause_ms(long ms) {
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static ze_kernel_handle_t kernel_on(const char *name, void *pointer) {
    ze_kernel_handle_t k = get_kernel(module, name);
    set_pointer(k, 0, pointer);
    return k;
}

static uint32_t *zeros(size_t n) {
    uint32_t *x = usm(USM_SHARED, n * 4);
    memset(x, 0, n * 4);
    return x;
}

static void check_appends_return(ze_command_list_handle_t list) {
    uint32_t *x = zeros(2);
    ze_kernel_handle_t k = kernel_on("count", x);
    const uint32_t seven = 7;
    assert_ok(zeCommandListAppendWaitOnEvents(list, 1, &e[0]));
    for (int i = 0; i < 500; i++) launch(list, k, 2, NULL, 0, NULL);
    assert_ok(zeCommandListAppendMemoryFill(list, x + 1, &seven, 4, 4, NULL, 0, NULL));
    assert_ok(zeCommandListAppendBarrier(list, e[1], 0, NULL));
    pause_ms(20);
    assert_event(e[1], false);
    assert_int_equal(x[0] + x[1], 0);
    assert_ok(zeEventHostSignal(e[0]));
    await(e[1]);
    assert_int_equal(x[0], 1000);
    assert_int_equal(x[1], 7);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
}

static void appends_return_while_a_list_waits(void **state) {
    (void)state;
    check_appends_return(immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS));
}

static void appends_return_while_an_in_order_list_waits(void **state) {
    (void)state;
    check_appends_return(in_order_list());
}

static void execution_returns_while_a_queue_waits(void **state) {
    (void)state;
    uint32_t *x = zeros(1);
    ze_kernel_handle_t k = kernel_on("increment", x);
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t first = regular_list(), second = regular_list();
    launch(first, k, 1, NULL, 1, &e[0]);
    assert_ok(zeCommandListClose(first));
    assert_ok(zeCommandListAppendBarrier(second, NULL, 0, NULL));
    launch(second, k, 1, e[1], 0, NULL);
    assert_ok(zeCommandListClose(second));
    assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &first, NULL));
    assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &second, NULL));
    assert_result(zeCommandQueueSynchronize(q, 10 * MILLISECOND), ZE_RESULT_NOT_READY);
    assert_int_equal(*x, 0); /* the barrier is for all that went before in the queue */
    assert_ok(zeEventHostSignal(e[0]));
    assert_ok(zeCommandQueueSynchronize(q, 60 * SECOND));
    assert_int_equal(*x, 2);
    assert_event(e[1], true);
    assert_ok(zeCommandListDestroy(second));
    assert_ok(zeCommandListDestroy(first));
    assert_ok(zeCommandQueueDestroy(q));
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
}

static void another_list_is_not_held_up(void **state) {
    (void)state;
    uint32_t *x = zeros(2);
    ze_kernel_handle_t a = kernel_on("increment", x), b = kernel_on("increment", x + 1);
    ze_command_list_handle_t blocked = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    launch(blocked, a, 1, e[1], 1, &e[0]);
    for (int i = 0; i < 100; i++) {
        ze_command_list_handle_t other = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
        launch(other, b, 1, NULL, 0, NULL);
        finish(other);
        assert_ok(zeCommandListDestroy(other));
    }
    assert_int_equal(x[0], 0);
    assert_int_equal(x[1], 100);
    assert_ok(zeEventHostSignal(e[0]));
    await(e[1]);
    assert_int_equal(x[0], 1);
    assert_ok(zeCommandListDestroy(blocked));
    assert_ok(zeKernelDestroy(a));
    assert_ok(zeKernelDestroy(b));
    usm_free(x);
}

/* More blocked lists than any driver has threads; each is let go alone, the last one first. */
static void many_lists_block_at_once(void **state) {
    (void)state;
    enum { N = 64 };
    uint32_t *x = zeros(N);
    ze_command_list_handle_t lists[N];
    ze_kernel_handle_t k = get_kernel(module, "increment");
    for (int i = 0; i < N; i++) {
        lists[i] = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
        set_pointer(k, 0, x + i);
        launch(lists[i], k, 1, e[N + i], 1, &e[i]);
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = 0; j < N; j++) assert_int_equal(x[j], j > i);
        assert_ok(zeEventHostSignal(e[i]));
        await(e[N + i]);
    }
    for (int i = 0; i < N; i++) assert_ok(zeCommandListDestroy(lists[i]));
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
}

/* Each list waits for the next: only the last can start, whatever order a driver tries them in. */
static void a_long_chain_of_lists(void **state) {
    (void)state;
    enum { N = 100 };
    uint64_t *x = usm(USM_SHARED, 8);
    *x = 0;
    ze_kernel_handle_t k = kernel_on("append_digit", x);
    ze_command_list_handle_t lists[N];
    for (int i = 0; i < N; i++) {
        lists[i] = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
        set_value(k, 1, uint32_t, i < 9 ? 9 - (uint32_t)i : 0);
        launch(lists[i], k, 1, e[i], 1, &e[i + 1]);
    }
    pause_ms(5);
    assert_int_equal(*x, 0);
    assert_ok(zeEventHostSignal(e[N]));
    await(e[0]);
    assert_int_equal(*x, 123456789);
    for (int i = 0; i < N; i++) assert_ok(zeCommandListDestroy(lists[i]));
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
}

static void two_lists_take_turns(void **state) {
    (void)state;
    enum { ROUNDS = N_EVENTS };
    /* Adding one and multiplying do not commute: a lost or early turn shows. */
    uint32_t *x = zeros(2), expected = 0;
    ze_kernel_handle_t add = kernel_on("increment", x), spin = kernel_on("spin", x);
    set_value(spin, 1, uint32_t, 1);
    ze_command_list_handle_t lists[] = {immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
            immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS)};
    for (uint32_t i = 0; i < ROUNDS; i++) {
        launch(lists[i % 2], i % 2 ? spin : add, 1, e[i], i > 0, i > 0 ? &e[i - 1] : NULL);
        expected = i % 2 ? expected * 1664525u + 1013904223u : expected + 1;
    }
    await(e[ROUNDS - 1]);
    assert_int_equal(x[0], expected);
    for (int i = 0; i < 2; i++) assert_ok(zeCommandListDestroy(lists[i]));
    assert_ok(zeKernelDestroy(add));
    assert_ok(zeKernelDestroy(spin));
    usm_free(x);
}

static void barriers_hold_back(void **state) {
    (void)state;
    uint32_t *x = zeros(2);
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_kernel_handle_t before = kernel_on("increment", x), after = kernel_on("copy_bytes", x + 1);
    set_pointer(after, 1, x); /* sees what the first one did */
    launch(list, before, 1, NULL, 1, &e[0]);
    assert_ok(zeCommandListAppendBarrier(list, e[1], 0, NULL));
    launch(list, after, 1, e[2], 0, NULL);
    pause_ms(20);
    assert_event(e[1], false);
    assert_event(e[2], false);
    assert_ok(zeEventHostSignal(e[0]));
    await(e[2]);
    assert_event(e[1], true);
    assert_int_equal(x[1], 1);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(before));
    assert_ok(zeKernelDestroy(after));
    usm_free(x);
}

static void launches_capture_their_kernel(void **state) {
    (void)state;
    enum { N = 100 };
    uint32_t *x = zeros(4 * N);
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_kernel_handle_t set = get_kernel(module, "set");
    ze_event_handle_t waits[1] = {e[0]};
    ze_group_count_t count;
    for (uint32_t i = 0; i < N; i++) {
        set_pointer(set, 0, x + 4 * i);
        set_value(set, 1, uint32_t, 1000 + i);
        assert_ok(zeKernelSetGroupSize(set, 1 + i % 2, 1, 1));
        count = (ze_group_count_t){1 + i % 2, 1, 1}; /* 1 or 4 items */
        assert_ok(zeCommandListAppendLaunchKernel(list, set, &count, NULL, 1, waits));
    }
    set_pointer(set, 0, NULL);
    set_value(set, 1, uint32_t, 0);
    memset(&count, 0, sizeof count);
    waits[0] = NULL;
    assert_ok(zeCommandListAppendBarrier(list, e[1], 0, NULL));
    assert_ok(zeEventHostSignal(e[0]));
    await(e[1]);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < 4; j++)
            assert_int_equal(x[4 * i + j], j == 0 || i % 2 ? 1000 + i : 0);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(set));
    usm_free(x);
}

static void *signal_later(void *arg) {
    pause_ms(30);
    return (void *)(uintptr_t)zeEventHostSignal(arg);
}

/* A synchronous list waits in the append itself; another thread has to let it go. */
static void synchronous_appends_wait(void **state) {
    (void)state;
    uint32_t *x = zeros(1);
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_kernel_handle_t k = kernel_on("increment", x);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, signal_later, e[0]), 0);
    launch(list, k, 1, NULL, 1, &e[0]);
    assert_int_equal(*x, 1);
    assert_event(e[0], true);
    void *result;
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_null(result);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
}

typedef struct {
    uint32_t *x;
    unsigned bad;
    ze_command_list_handle_t list;
    ze_kernel_handle_t kernel;
    ze_event_handle_t done;
} worker_t;

/* No cmocka calls in threads: they count what is wrong. */
static void *work(void *arg) {
    worker_t *w = arg;
    ze_group_count_t count = {2, 1, 1};
    for (uint32_t i = 0; i < 300; i++) {
        w->bad += zeCommandListAppendLaunchKernel(w->list, w->kernel, &count, NULL, 0, NULL) !=
                  ZE_RESULT_SUCCESS;
        w->bad += zeCommandListAppendBarrier(w->list, NULL, 0, NULL) != ZE_RESULT_SUCCESS;
        if (i % 50 != 49) continue;
        w->bad += zeCommandListAppendSignalEvent(w->list, w->done) != ZE_RESULT_SUCCESS;
        w->bad += zeEventHostSynchronize(w->done, 60 * SECOND) != ZE_RESULT_SUCCESS;
        w->bad += w->x[0] != i + 1 || w->x[1] != i + 1;
        w->bad += zeEventHostReset(w->done) != ZE_RESULT_SUCCESS;
    }
    return NULL;
}

static void threads_append_to_lists_of_their_own(void **state) {
    (void)state;
    enum { N = 8 };
    worker_t workers[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        uint32_t *x = zeros(2);
        workers[i] = (worker_t){.x = x,
                .list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
                .kernel = kernel_on("increment", x),
                .done = e[i]};
    }
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < N; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < N; i++) {
        assert_int_equal(workers[i].bad, 0);
        assert_ok(zeCommandListDestroy(workers[i].list));
        assert_ok(zeKernelDestroy(workers[i].kernel));
        usm_free(workers[i].x);
    }
}

typedef struct {
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    unsigned bad;
} executor_t;

static void *execute_often(void *arg) {
    executor_t *x = arg;
    for (int i = 0; i < 100; i++) {
        x->bad +=
                zeCommandQueueExecuteCommandLists(x->queue, 1, &x->list, NULL) != ZE_RESULT_SUCCESS;
        x->bad += zeCommandQueueSynchronize(x->queue, 60 * SECOND) != ZE_RESULT_SUCCESS;
    }
    return NULL;
}

static void threads_share_a_queue(void **state) {
    (void)state;
    enum { N = 6 };
    uint32_t *x = zeros(1);
    ze_kernel_handle_t k = kernel_on("count", x);
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    executor_t executors[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        executors[i] = (executor_t){.queue = q, .list = regular_list()};
        launch(executors[i].list, k, 3, NULL, 0, NULL);
        assert_ok(zeCommandListClose(executors[i].list));
    }
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, execute_often, &executors[i]), 0);
    for (int i = 0; i < N; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(executors[i].bad, 0);
        assert_ok(zeCommandListDestroy(executors[i].list));
    }
    assert_int_equal(*x, N * 100 * 3);
    assert_ok(zeCommandQueueDestroy(q));
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
}

static void *build_and_destroy(void *arg) {
    const blob_t *spirv = arg;
    uintptr_t bad = 0;
    for (int i = 0; i < 4; i++) {
        ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                .inputSize = spirv->size,
                .pInputModule = spirv->bytes};
        ze_kernel_desc_t kernel_desc = {
                .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "set"};
        ze_module_handle_t m = NULL;
        ze_kernel_handle_t k = NULL;
        bad += zeModuleCreate(zt.context, zt.device, &desc, &m, NULL) != ZE_RESULT_SUCCESS;
        bad += zeKernelCreate(m, &kernel_desc, &k) != ZE_RESULT_SUCCESS;
        bad += zeKernelDestroy(k) != ZE_RESULT_SUCCESS;
        bad += zeModuleDestroy(m) != ZE_RESULT_SUCCESS;
    }
    return (void *)bad;
}

static void threads_build_modules(void **state) {
    (void)state;
    blob_t spirv = read_spirv("basic");
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, build_and_destroy, &spirv), 0);
    for (int i = 0; i < 4; i++) {
        void *bad;
        assert_int_equal(pthread_join(threads[i], &bad), 0);
        assert_null(bad);
    }
    free(spirv.bytes);
}

static void destruction_in_odd_orders(void **state) {
    (void)state;
    uint32_t *x = zeros(1);
    ze_module_handle_t own = load_module("basic");
    ze_kernel_handle_t k = get_kernel(own, "count");
    set_pointer(k, 0, x);
    ze_event_pool_handle_t own_pool = event_pool(1, 0);
    ze_event_handle_t done = event(own_pool, 0);
    ze_command_list_handle_t never_closed = regular_list(), never_executed = regular_list(),
                             executed = regular_list(),
                             immediate = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
                             unused = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
                              second = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    launch(never_closed, k, 1, done, 1, &done);
    launch(never_executed, k, 1, done, 1, &done);
    assert_ok(zeCommandListClose(never_executed));
    launch(executed, k, 1, NULL, 0, NULL);
    assert_ok(zeCommandListClose(executed));
    assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &executed, NULL));
    assert_ok(zeCommandQueueSynchronize(q, NEVER));
    assert_ok(zeCommandQueueDestroy(q)); /* lists do not belong to a queue */
    assert_ok(zeCommandQueueExecuteCommandLists(second, 1, &executed, NULL));
    launch(immediate, k, 1, done, 0, NULL);
    await(done);
    assert_ok(zeCommandQueueSynchronize(second, NEVER));
    assert_int_equal(*x, 3);
    finish(immediate);
    /* What the lists refer to goes before the lists. */
    assert_ok(zeEventDestroy(done));
    assert_ok(zeEventPoolDestroy(own_pool));
    assert_ok(zeKernelDestroy(k));
    assert_ok(zeModuleDestroy(own));
    usm_free(x);
    assert_ok(zeCommandListDestroy(unused));
    assert_ok(zeCommandListDestroy(executed));
    assert_ok(zeCommandListDestroy(immediate));
    assert_ok(zeCommandListReset(never_executed));
    assert_ok(zeCommandListDestroy(never_executed));
    assert_ok(zeCommandListDestroy(never_closed));
    assert_ok(zeCommandQueueDestroy(second));
}

static void kernels_may_go_while_their_commands_wait(void **state) {
    (void)state;
    skip_unless(zt.is_cpu, "undefined elsewhere");
    uint32_t *x = zeros(1);
    ze_module_handle_t own = load_module("basic");
    ze_kernel_handle_t k = get_kernel(own, "increment");
    set_pointer(k, 0, x);
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    launch(list, k, 1, e[1], 1, &e[0]);
    assert_ok(zeKernelDestroy(k));
    assert_ok(zeModuleDestroy(own));
    assert_ok(zeEventHostSignal(e[0]));
    await(e[1]);
    assert_int_equal(*x, 1);
    assert_ok(zeCommandListDestroy(list));
    usm_free(x);
}

#define ASYNC_TEST(f) {#f, f, setup, teardown, NULL}

int main(void) {
    const struct CMUnitTest tests[] = {
            ASYNC_TEST(appends_return_while_a_list_waits),
            ASYNC_TEST(appends_return_while_an_in_order_list_waits),
            ASYNC_TEST(execution_returns_while_a_queue_waits),
            ASYNC_TEST(another_list_is_not_held_up),
            ASYNC_TEST(many_lists_block_at_once),
            ASYNC_TEST(a_long_chain_of_lists),
            ASYNC_TEST(two_lists_take_turns),
            ASYNC_TEST(barriers_hold_back),
            ASYNC_TEST(launches_capture_their_kernel),
            ASYNC_TEST(synchronous_appends_wait),
            ASYNC_TEST(threads_append_to_lists_of_their_own),
            ASYNC_TEST(threads_share_a_queue),
            ASYNC_TEST(threads_build_modules),
            ASYNC_TEST(destruction_in_odd_orders),
            ASYNC_TEST(kernels_may_go_while_their_commands_wait),
    };
    return RUN_TESTS_WITH(tests, setup_group, teardown_group);
}
