/* SPDX-License-Identifier: Apache-2.0 */
/* Many small commands: right results in bounded memory; a process may exit while work is
 * waiting. */
#include "ze_test.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static ze_module_handle_t module;

static size_t resident_bytes(void) {
    unsigned long pages = 0, ignored;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &ignored, &pages), 2);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void append_many(ze_command_list_handle_t list, ze_kernel_handle_t kernel, uint32_t n) {
    const ze_group_count_t one = {1, 1, 1};
    for (uint32_t i = 0; i < n; i++)
        if (zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL))
            fail_msg("launch %u was refused", i);
}

/* 100 000 launches that nobody waits for: each sees the one before. Memory that a burst took
 * serves the next.
 */
static void a_hundred_thousand_launches(void **state) {
    (void)state;
    enum { ROUNDS = 3 };
    const uint32_t n = (uint32_t)setting("TEST_STRESS_LAUNCHES", 100000);
    const size_t MiB = 1 << 20;
    ze_command_list_handle_t list = in_order_list();
    uint32_t *x = usm(USM_SHARED, 8), expected = 1;
    x[0] = 1;
    x[1] = 0;
    ze_kernel_handle_t k = get_kernel(module, "spin"); /* one round: x = x * a + c */
    set_pointer(k, 0, x);
    set_value(k, 1, uint32_t, 1);
    ze_event_pool_handle_t pool = event_pool(1, 0);
    ze_event_handle_t go = event(pool, 0);
    append_many(list, k, 100);
    finish(list);
    size_t before = resident_bytes(), after[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        assert_ok(zeCommandListAppendWaitOnEvents(list, 1, &go));
        append_many(list, k, n);
        assert_ok(zeEventHostSignal(go));
        finish(list);
        assert_ok(zeEventHostReset(go));
        after[round] = resident_bytes();
    }
    for (uint32_t i = 0; i < ROUNDS * n + 100; i++) expected = expected * 1664525u + 1013904223u;
    assert_int_equal(x[0], expected);
    print_message("resident: %zu MiB before, %zu, %zu, %zu after\n", before / MiB, after[0] / MiB,
            after[1] / MiB, after[2] / MiB);
    if (!getenv("ASAN_OPTIONS")) { /* a sanitizer keeps memory by design */
        assert_true(after[0] < before + 256 * MiB);
        assert_true(after[2] < after[0] + 64 * MiB);
    }
    assert_ok(zeEventDestroy(go));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
}

/* The way applications work: a batch, a wait, and the next batch with other arguments. */
static void batches_with_waits(void **state) {
    (void)state;
    ze_command_list_handle_t list = in_order_list();
    uint64_t *x = usm(USM_SHARED, 8);
    ze_kernel_handle_t k = get_kernel(module, "append_digit");
    set_pointer(k, 0, x);
    ze_event_pool_handle_t pool = event_pool(1, 0);
    ze_event_handle_t done = event(pool, 0);
    for (uint32_t batch = 0; batch < 1000; batch++) {
        *x = 0;
        uint64_t expected = 0;
        for (uint32_t i = 0; i < 10; i++) {
            uint32_t digit = (batch + i * 7) % 10;
            set_value(k, 1, uint32_t, digit);
            launch(list, k, 1, i == 9 ? done : NULL, 0, NULL);
            expected = expected * 10 + digit;
        }
        await(done);
        assert_int_equal(*x, expected);
        assert_ok(zeEventHostReset(done));
    }
    assert_ok(zeEventDestroy(done));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
}

static void objects_come_and_go(void **state) {
    (void)state;
    uint32_t *x = usm(USM_SHARED, 4);
    *x = 0;
    size_t settled = 0;
    for (int i = 0; i < 2000; i++) {
        ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
        ze_kernel_handle_t k = get_kernel(module, "increment");
        ze_event_pool_handle_t pool = event_pool(8, 0);
        ze_event_handle_t done = event(pool, 7);
        void *memory = usm(USM_DEVICE, 100000);
        set_pointer(k, 0, x);
        launch(list, k, 1, done, 0, NULL);
        await(done);
        usm_free(memory);
        assert_ok(zeEventDestroy(done));
        assert_ok(zeEventPoolDestroy(pool));
        assert_ok(zeKernelDestroy(k));
        assert_ok(zeCommandListDestroy(list));
        if (i == 500) settled = resident_bytes();
    }
    assert_int_equal(*x, 2000);
    if (!getenv("ASAN_OPTIONS")) assert_true(resident_bytes() < settled + ((size_t)16 << 20));
    usm_free(x);
}

/* Leaves a list that waits for an event that never comes, one that is busy, and ends the
 * process. */
static void leave_work_behind(void) {
    module = load_module("basic");
    uint32_t *x = usm(USM_SHARED, 8);
    ze_event_pool_handle_t pool = event_pool(1, 0);
    ze_event_handle_t never = event(pool, 0);
    ze_kernel_handle_t k = get_kernel(module, "spin");
    set_pointer(k, 0, x);
    set_value(k, 1, uint32_t, 1000);
    ze_command_list_handle_t blocked = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t busy = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    launch(blocked, k, 1, NULL, 1, &never);
    for (int i = 0; i < 1000; i++) launch(busy, k, 1, NULL, 0, NULL);
    exit(0);
}

static void a_process_exits_with_work_waiting(void **state) {
    (void)state;
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = 0;
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            execl(self, self, "--leave-work-behind", (char *)NULL);
            _exit(127);
        }
        int status = 0;
        pid_t ended = 0;
        for (int tenth = 0; tenth < 300 && ended == 0; tenth++) {
            ended = waitpid(child, &status, WNOHANG);
            if (ended == 0) nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        }
        if (ended == 0) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            fail_msg("the process does not end");
        }
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

static void leave_work_behind_test(void **state) {
    (void)state;
    leave_work_behind();
}

static int setup(void **state) {
    (void)state;
    module = load_module("basic");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    return zeModuleDestroy(module);
}

int main(int argc, char **argv) {
    const struct CMUnitTest child[] = {TEST(leave_work_behind_test)};
    if (argc > 1 && strcmp(argv[1], "--leave-work-behind") == 0) return RUN_TESTS(child);
    const struct CMUnitTest tests[] = {
            TEST(a_hundred_thousand_launches),
            TEST(batches_with_waits),
            TEST(objects_come_and_go),
            TEST(a_process_exits_with_work_waiting),
    };
    return RUN_TESTS_WITH(tests, setup, teardown);
}
