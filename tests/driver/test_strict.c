/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes, each made in a process of its own with the CPU driver in strict mode: the report
 * names the call, and the process ends or goes on with the status that is promised. */
#include "ze_test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 100 }; /* not a multiple of an alignment */

typedef struct {
    ze_module_handle_t module;
    ze_kernel_handle_t set; /* x[global id] = value */
    ze_command_list_handle_t list;
} work_t;

static work_t work(void) {
    work_t w = {.module = load_module("basic")};
    w.set = get_kernel(w.module, "set");
    w.list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    return w;
}

static ze_result_t run_set(work_t *w, void *to, uint32_t groups) {
    const ze_group_count_t count = {groups, 1, 1};
    set_pointer(w->set, 0, to);
    set_value(w->set, 1, uint32_t, 42);
    return zeCommandListAppendLaunchKernel(w->list, w->set, &count, NULL, 0, NULL);
}

/* What follows runs in the children. Those of which the process ends come back from no mistake. */
static void host_reads(void) {
    volatile char *device = usm(USM_DEVICE, SIZE);
    (void)device[8];
}

static void host_writes(void) {
    volatile char *device = usm(USM_DEVICE, SIZE);
    device[SIZE - 1] = 1;
}

static void host_reads_while_kernels_run(void) {
    work_t w = work();
    volatile uint32_t *device = usm(USM_DEVICE, SIZE);
    ze_kernel_handle_t spin = get_kernel(w.module, "spin");
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    set_pointer(spin, 0, (void *)(uintptr_t)device);
    set_value(spin, 1, uint32_t, 2000000000u);
    launch(list, spin, 1, NULL, 0, NULL);
    usleep(300000);
    (void)device[0];
}

static void host_overruns(void) {
    volatile char *host = usm(USM_HOST, 128);
    host[128 + 3] = 1;
}

static void host_reads_freed(void) {
    volatile char *host = usm(USM_HOST, SIZE);
    usm_free((void *)(uintptr_t)host);
    (void)host[0];
}

/* One element is too many: with more, another thread may be the first to write past the end. */
static void kernel_overruns(void) {
    work_t w = work();
    run_set(&w, usm(USM_DEVICE, 128), 33);
}

static void kernel_overruns_shared(void) {
    work_t w = work();
    run_set(&w, usm(USM_SHARED, 128), 33);
}

static void kernel_writes_behind(void) {
    work_t w = work();
    assert_result(run_set(&w, usm(USM_DEVICE, SIZE), SIZE / 4 + 1), ZE_RESULT_ERROR_DEVICE_LOST);
}

static void kernel_writes_in_front(void) {
    work_t w = work();
    run_set(&w, (char *)usm(USM_DEVICE, SIZE) - 4, 1);
}

static void frees_while_a_kernel_runs(void) {
    work_t w = work();
    uint32_t *device = usm(USM_DEVICE, SIZE);
    ze_kernel_handle_t spin = get_kernel(w.module, "spin");
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    set_pointer(spin, 0, device);
    set_value(spin, 1, uint32_t, 1000000000u);
    launch(list, spin, 1, NULL, 0, NULL);
    usleep(200000);
    usm_free(device);
    finish(list);
}

static void frees_what_was_written_in_front_of(void) {
    char *host = usm(USM_HOST, SIZE);
    host[-3] = 1;
    usm_free(host);
}

static void frees_what_was_written_around(void) {
    char *host = usm(USM_HOST, SIZE);
    host[SIZE + 1] = 1;
    usm_free(host);
}

static void kernel_gets_freed(void) {
    work_t w = work();
    void *device = usm(USM_DEVICE, SIZE);
    usm_free(device);
    assert_refused(run_set(&w, device, 1));
}

/* Every way to wait for the launch tells that it failed, a list that waits for its event is
 * told, too, and no other is. */
static void frees_too_early(void) {
    work_t w = work();
    void *device = usm(USM_DEVICE, SIZE), *other = usm(USM_DEVICE, SIZE);
    ze_event_pool_handle_t pool = event_pool(5, 0);
    ze_event_handle_t go = event(pool, 0), done = event(pool, 1), behind = event(pool, 2);
    ze_event_handle_t elsewhere = event(pool, 3), apart = event(pool, 4);
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t second = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t third = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    set_pointer(w.set, 0, device);
    set_value(w.set, 1, uint32_t, 42);
    launch(list, w.set, 1, done, 1, &go);
    assert_ok(zeCommandListAppendBarrier(list, behind, 0, NULL));
    set_pointer(w.set, 0, other);
    launch(second, w.set, 1, elsewhere, 1, &done);
    launch(third, w.set, 1, apart, 0, NULL);
    usm_free(device);
    assert_ok(zeContextGetStatus(zt.context));
    assert_ok(zeEventHostSignal(go));
    assert_result(zeEventHostSynchronize(done, NEVER), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_result(zeEventHostSynchronize(behind, NEVER), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_result(zeEventHostSynchronize(elsewhere, NEVER), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_result(zeEventQueryStatus(elsewhere), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_result(zeContextGetStatus(zt.context), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_ok(zeEventHostSynchronize(apart, NEVER));
    finish(third);
    assert_ok(zeEventHostReset(done)); /* and signalled again, by a list without a failure */
    launch(third, w.set, 1, done, 0, NULL);
    assert_ok(zeEventHostSynchronize(done, NEVER));
}

static void frees_what_a_queue_uses(void) {
    work_t w = work();
    void *device = usm(USM_DEVICE, SIZE);
    ze_event_pool_handle_t pool = event_pool(2, 0);
    ze_event_handle_t go = event(pool, 0), done = event(pool, 1);
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t list = regular_list();
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence;
    assert_ok(zeFenceCreate(q, &desc, &fence));
    set_pointer(w.set, 0, device);
    set_value(w.set, 1, uint32_t, 42);
    launch(list, w.set, 1, done, 1, &go);
    assert_ok(zeCommandListClose(list));
    assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &list, fence));
    assert_result(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
    usm_free(device);
    assert_ok(zeEventHostSignal(go));
    assert_result(zeFenceHostSynchronize(fence, NEVER), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_result(zeFenceQueryStatus(fence), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_result(zeEventQueryStatus(done), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_result(zeCommandQueueSynchronize(q, NEVER), ZE_RESULT_ERROR_DEVICE_LOST);
}

static void frees_twice(void) {
    void *device = usm(USM_DEVICE, SIZE);
    usm_free(device);
    assert_refused(zeMemFree(zt.context, device));
}

static void copies_too_much(void) {
    work_t w = work();
    assert_refused(zeCommandListAppendMemoryCopy(
            w.list, usm(USM_HOST, 2 * SIZE), usm(USM_DEVICE, SIZE), SIZE + 1, NULL, 0, NULL));
}

static void fills_too_much(void) {
    work_t w = work();
    const char pattern = 1;
    assert_refused(zeCommandListAppendMemoryFill(
            w.list, (char *)usm(USM_DEVICE, SIZE) + 1, &pattern, 1, SIZE, NULL, 0, NULL));
}

static void copies_too_large_a_region(void) {
    work_t w = work();
    const ze_copy_region_t region = {.originX = 0, .originY = 0, .width = 10, .height = 10};
    void *source = usm(USM_DEVICE, SIZE), *smaller = usm(USM_DEVICE, SIZE - 1);
    assert_ok(zeCommandListAppendMemoryCopyRegion(
            w.list, source, &region, 10, 0, source, &region, 10, 0, NULL, 0, NULL));
    assert_refused(zeCommandListAppendMemoryCopyRegion(
            w.list, smaller, &region, 10, 0, source, &region, 10, 0, NULL, 0, NULL));
}

static void uses_a_destroyed_event(void) {
    ze_event_handle_t gone = event(event_pool(1, 0), 0);
    assert_ok(zeEventDestroy(gone));
    for (int i = 0; i < 1000; i++)
        event(event_pool(1, 0), 0); /* would take the place of the one that is gone */
    assert_refused(zeEventHostSignal(gone));
}

static void uses_a_destroyed_kernel(void) {
    work_t w = work();
    void *device = usm(USM_DEVICE, SIZE);
    assert_ok(zeKernelDestroy(w.set));
    assert_refused(zeKernelSetArgumentValue(w.set, 0, sizeof device, &device));
}

static void appends_to_a_closed_list(void) {
    ze_command_list_handle_t list = regular_list();
    assert_ok(zeCommandListClose(list));
    assert_refused(zeCommandListAppendBarrier(list, NULL, 0, NULL));
}

static void forgets_an_argument(void) {
    work_t w = work();
    const ze_group_count_t one = {1, 1, 1};
    set_pointer(w.set, 0, usm(USM_DEVICE, SIZE));
    assert_refused(zeCommandListAppendLaunchKernel(w.list, w.set, &one, NULL, 0, NULL));
}

static void waits_for_no_event(void) {
    ze_event_handle_t never = event(event_pool(1, 0), 0);
    assert_result(zeEventHostSynchronize(never, NEVER), ZE_RESULT_ERROR_DEVICE_LOST);
}

static void waits_for_a_list_that_waits(void) {
    ze_event_handle_t never = event(event_pool(1, 0), 0), after = event(event_pool(1, 0), 0);
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_ok(zeCommandListAppendBarrier(list, after, 1, &never));
    assert_result(zeEventHostSynchronize(after, NEVER), ZE_RESULT_ERROR_DEVICE_LOST);
}

static void waits_for_a_queue_that_waits(void) {
    ze_event_handle_t never = event(event_pool(1, 0), 0);
    ze_command_queue_handle_t q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t list = regular_list();
    assert_ok(zeCommandListAppendBarrier(list, NULL, 1, &never));
    assert_ok(zeCommandListClose(list));
    assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &list, NULL));
    assert_result(zeCommandQueueSynchronize(q, NEVER), ZE_RESULT_ERROR_DEVICE_LOST);
}

static void waits_for_no_fence(void) {
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t never;
    assert_ok(zeFenceCreate(queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS), &desc, &never));
    assert_result(zeFenceHostSynchronize(never, NEVER), ZE_RESULT_ERROR_DEVICE_LOST);
}

static void *signal_later(void *argument) {
    sleep(1);
    assert_ok(zeEventHostSignal(argument));
    return NULL;
}

/* The other thread is late, not gone. */
static void waits_for_another_thread(void) {
    ze_event_handle_t late = event(event_pool(1, 0), 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, signal_later, late), 0);
    assert_ok(zeEventHostSynchronize(late, NEVER));
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* No mistake: new memory holds the pattern; copies and kernels reach it; the host what it
 * copied. */
static void no_mistake(void) {
    work_t w = work();
    uint8_t *host = usm(USM_HOST, SIZE);
    void *device = usm(USM_DEVICE, SIZE);
    for (int i = 0; i < SIZE; i++) assert_int_equal(host[i], 0xff);
    memset(host, 0, SIZE);
    assert_ok(zeCommandListAppendMemoryCopy(w.list, host, device, SIZE, NULL, 0, NULL));
    for (int i = 0; i < SIZE; i++) assert_int_equal(host[i], 0xff);
    assert_ok(run_set(&w, device, SIZE / 4));
    assert_ok(zeCommandListAppendMemoryCopy(w.list, host, device, SIZE, NULL, 0, NULL));
    for (int i = 0; i < SIZE / 4; i++) assert_int_equal(((uint32_t *)(void *)host)[i], 42);
    void *aligned;
    assert_ok(usm_try(USM_DEVICE, 3 << 20, 2 << 20, &aligned));
    assert_int_equal((uintptr_t)aligned % (2 << 20), 0);
    assert_ok(run_set(&w, aligned, 3 << 18));
    usm_free(aligned);
    usm_free(device);
    usm_free(host);
}

static void own_handler(int number) {
    (void)number;
    static const char text[] = "own handler\n";
    _exit(write(2, text, sizeof text - 1) > 0 ? 3 : 4);
}

/* Faults that are none of the driver's go to whoever had the signal before. */
static void faults_elsewhere(void) {
    volatile char *volatile nowhere = NULL;
    nowhere[64] = 1;
}

enum { GOES_ON = 0, OWN = 3, ABORTED = -SIGABRT };

static const struct {
    const char *name;
    void (*function)(void);
    int end, level;
    const char *text[2]; /* of the report; NULL: there is none */
} mistakes[] = {
#define MISTAKE(name, end, ...)                                                                    \
    {                                                                                              \
        #name, name, end, 1, {                                                                     \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
        MISTAKE(host_reads, ABORTED, "the host: it reads at byte 8 of the allocation",
                "(zeMemAllocDevice)"),
        MISTAKE(host_writes, ABORTED, "the host: it writes at byte 99 of the allocation",
                "of 100 bytes"),
        MISTAKE(host_reads_while_kernels_run, ABORTED, "the host: it reads at byte 0",
                "(zeMemAllocDevice)"),
        MISTAKE(host_overruns, ABORTED, "the host: it writes 3 bytes past the end",
                "(zeMemAllocHost)"),
        MISTAKE(host_reads_freed, ABORTED, "the host: it reads at byte 0 of the freed allocation",
                "of 100 bytes"),
        MISTAKE(kernel_overruns, ABORTED,
                "zeCommandListAppendLaunchKernel: kernel \"set\" writes 0 bytes past the end",
                "of 128 bytes (zeMemAllocDevice)"),
        MISTAKE(kernel_overruns_shared, ABORTED,
                "zeCommandListAppendLaunchKernel: kernel \"set\" writes 0 bytes past the end",
                "of 128 bytes (zeMemAllocShared)"),
        MISTAKE(kernel_writes_behind, GOES_ON,
                "zeCommandListAppendLaunchKernel: kernel \"set\" wrote 0 bytes past the end",
                "of 100 bytes"),
        MISTAKE(kernel_writes_in_front, ABORTED,
                "zeCommandListAppendLaunchKernel: kernel \"set\" writes 4 bytes in front of",
                "of 100 bytes"),
        MISTAKE(frees_while_a_kernel_runs, ABORTED, "kernel \"spin\"", "of the freed allocation"),
        MISTAKE(frees_what_was_written_in_front_of, GOES_ON,
                "zeMemFree: something wrote 3 bytes in front of", "of 100 bytes"),
        MISTAKE(frees_what_was_written_around, GOES_ON,
                "zeMemFree: something wrote 1 bytes past the end", "of 100 bytes"),
        MISTAKE(kernel_gets_freed, GOES_ON,
                "zeCommandListAppendLaunchKernel: argument 0 of kernel \"set\",",
                "lies in the freed allocation"),
        MISTAKE(frees_too_early, GOES_ON,
                "zeCommandListAppendLaunchKernel: kernel \"set\" starts now, and its "
                "argument",
                "lies in the freed allocation"),
        MISTAKE(frees_what_a_queue_uses, GOES_ON,
                "zeCommandListAppendLaunchKernel: kernel \"set\" starts now, and its "
                "argument",
                "lies in the freed allocation"),
        MISTAKE(frees_twice, GOES_ON, "zeMemFree: ", "was freed before"),
        MISTAKE(copies_too_much, GOES_ON,
                "zeCommandListAppendMemoryCopy: the source: 101 bytes from", "of 100 bytes"),
        MISTAKE(fills_too_much, GOES_ON,
                "zeCommandListAppendMemoryFill: the destination: 100 bytes", "of 100 bytes"),
        MISTAKE(copies_too_large_a_region, GOES_ON,
                "zeCommandListAppendMemoryCopyRegion: the destination: 100 bytes", "of 99 bytes"),
        MISTAKE(uses_a_destroyed_event, GOES_ON, "zeEventHostSignal: ", "not a live event"),
        MISTAKE(uses_a_destroyed_kernel, GOES_ON,
                "zeKernelSetArgumentValue: ", "not a live kernel"),
        MISTAKE(appends_to_a_closed_list, GOES_ON, "zeCommandListAppendBarrier: the list",
                "is closed"),
        MISTAKE(forgets_an_argument, GOES_ON,
                "zeCommandListAppendLaunchKernel: argument 1 of kernel \"set\"", "was never set"),
        MISTAKE(waits_for_no_event, GOES_ON,
                "zeEventHostSynchronize: nothing will signal the event", "index 0"),
        MISTAKE(waits_for_a_list_that_waits, GOES_ON,
                "zeEventHostSynchronize: nothing will signal the event", "index 0"),
        MISTAKE(waits_for_a_queue_that_waits, GOES_ON,
                "zeCommandQueueSynchronize: a command waits for the event",
                "which nothing will signal"),
        MISTAKE(waits_for_no_fence, GOES_ON,
                "zeFenceHostSynchronize: nothing will signal the fence", "0x"),
        MISTAKE(waits_for_another_thread, GOES_ON, NULL),
        MISTAKE(no_mistake, GOES_ON, NULL),
        MISTAKE(faults_elsewhere, OWN, NULL),
        {"uses_a_destroyed_event", uses_a_destroyed_event, ABORTED, 2,
                {"zeEventHostSignal: ", "not a live event"}},
};

/* What a child writes to its standard error, and how it ends: an exit code, or a signal with a
 * minus. */
static int run_child(const char *name, int level, char *text, size_t size) {
    int ends[2], status = 0;
    char number[8];
    size_t n = 0;
    snprintf(number, sizeof number, "%d", level);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        setenv("ZE_CPU_STRICT", number, 1);
        execl("/proc/self/exe", "driver_strict", name, (char *)NULL);
        _exit(125);
    }
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], text + n, size - 1 - n)) > 0;) n += (size_t)got;
    text[n] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void each_mistake(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
        char text[8192];
        const int end = run_child(mistakes[i].name, mistakes[i].level, text, sizeof text);
        bool good = end == mistakes[i].end;
        if (!mistakes[i].text[0]) good = good && !strstr(text, "strict:");
        for (int k = 0; k < 2 && mistakes[i].text[k]; k++)
            good = good && strstr(text, mistakes[i].text[k]);
        if (good) continue;
        print_error("%s at level %d ended with %d and wrote:\n%s\n", mistakes[i].name,
                mistakes[i].level, end, text);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static int make(const char *name) {
    for (size_t i = 0; i < COUNT_OF(mistakes); i++)
        if (strcmp(mistakes[i].name, name) == 0) {
            if (mistakes[i].end == OWN) signal(SIGSEGV, own_handler);
            if (!open_device()) return 124;
            usm_free(usm(USM_HOST, 1));
            mistakes[i].function();
            _exit(0); /* nothing was given back: no leak is to be looked for */
        }
    return 123;
}

int main(int argc, char **argv) {
    if (argc > 1) return make(argv[1]);
    const struct CMUnitTest strict[] = {TEST(each_mistake)};
    return cmocka_run_group_tests(strict, NULL, NULL);
}
