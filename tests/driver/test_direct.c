/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are launched so often that a driver may run them another way than the first time. */
#define _GNU_SOURCE /* sched_setaffinity() */
#include <dirent.h>
#include <sched.h>
#include <unistd.h>

#include "ze_test.h"

static ze_module_handle_t basic, args, geometry;

enum { LAUNCHES = 200 };

/* Launches a kernel of one group, and waits for each launch or for all. */
static void launch_often(ze_command_list_handle_t list, ze_kernel_handle_t kernel, bool each) {
    for (int i = 0; i < LAUNCHES; i++) {
        launch(list, kernel, 1, NULL, 0, NULL);
        if (each) finish(list);
    }
    finish(list);
}

static void each_launch_counts(void **state) {
    (void)state;
    uint32_t *x = usm(USM_SHARED, 64 * sizeof *x);
    memset(x, 0, 64 * sizeof *x);
    ze_kernel_handle_t k = get_kernel(basic, "increment");
    assert_ok(zeKernelSetGroupSize(k, 64, 1, 1));
    set_pointer(k, 0, x);
    ze_command_list_handle_t list = in_order_list();
    launch_often(list, k, true);
    launch_often(list, k, false);
    for (int i = 0; i < 64; i++) assert_int_equal(x[i], 2 * LAUNCHES);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
}

/* Short and long launches of one kernel, and copies, in one list. */
static void order_of_short_and_long(void **state) {
    (void)state;
    enum { N = 1 << 16 };
    uint32_t *x = usm(USM_SHARED, 64), *many = usm(USM_SHARED, N * sizeof *many);
    uint64_t *digits = usm(USM_SHARED, sizeof *digits);
    ze_kernel_handle_t digit = get_kernel(basic, "append_digit"), k = get_kernel(basic, "set");
    ze_command_list_handle_t list = in_order_list();
    set_pointer(digit, 0, digits);
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        const uint64_t zero = 0;
        assert_ok(zeCommandListAppendMemoryCopy(list, digits, &zero, sizeof zero, NULL, 0, NULL));
        for (uint32_t d = 1; d <= 4; d++) {
            set_value(digit, 1, uint32_t, (i + d) % 10);
            launch(list, digit, 1, NULL, 0, NULL);
            set_value(k, 1, uint32_t, i);
            set_pointer(k, 0, d % 2 ? many : x);
            launch(list, k, d % 2 ? N : 1, NULL, 0, NULL);
        }
        finish(list);
        uint64_t expected = 0;
        for (uint32_t d = 1; d <= 4; d++) expected = expected * 10 + (i + d) % 10;
        assert_true(*digits == expected);
        assert_int_equal(x[0], i);
        assert_int_equal(many[N - 1], i);
    }
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(digit));
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
    usm_free(many);
    usm_free(digits);
}

/* Every launch signals an event with times, and waits for the one before it, in another list. */
static void events_of_short_kernels(void **state) {
    (void)state;
    uint64_t *x = usm(USM_SHARED, sizeof *x);
    ze_kernel_handle_t k = get_kernel(basic, "append_digit");
    set_pointer(k, 0, x);
    ze_command_list_handle_t lists[2] = {in_order_list(), in_order_list()};
    ze_event_pool_handle_t pool = event_pool(4, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_event_handle_t events[4];
    for (uint32_t i = 0; i < 4; i++) events[i] = event(pool, i);
    for (int round = 0; round < LAUNCHES; round++) {
        *x = 0;
        for (uint32_t i = 0; i < 4; i++) {
            set_value(k, 1, uint32_t, i + 1);
            launch(lists[i % 2], k, 1, events[i], i > 0, i ? &events[i - 1] : NULL);
        }
        await(events[3]);
        assert_true(*x == 1234);
        uint64_t before = 0;
        for (uint32_t i = 0; i < 4; i++) {
            ze_kernel_timestamp_result_t t;
            assert_ok(zeEventQueryKernelTimestamp(events[i], &t));
            assert_true(t.global.kernelStart >= before);
            assert_true(t.global.kernelEnd >= t.global.kernelStart);
            before = t.global.kernelEnd;
            assert_ok(zeEventHostReset(events[i]));
        }
    }
    for (uint32_t i = 0; i < 4; i++) assert_ok(zeEventDestroy(events[i]));
    assert_ok(zeEventPoolDestroy(pool));
    for (int i = 0; i < 2; i++) assert_ok(zeCommandListDestroy(lists[i]));
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
}

/* A kernel that was short becomes long: the result stays right, and so does what follows. */
static void a_short_kernel_becomes_long(void **state) {
    (void)state;
    uint32_t *x = usm(USM_SHARED, 64);
    x[0] = 1;
    x[1] = 0;
    ze_kernel_handle_t k = get_kernel(basic, "spin");
    set_pointer(k, 0, x);
    ze_command_list_handle_t list = in_order_list();
    uint32_t expected = 1;
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        const uint32_t rounds = i % 50 == 49 ? 1000000 : 10;
        set_value(k, 1, uint32_t, rounds);
        launch(list, k, 1, NULL, 0, NULL);
        for (uint32_t r = 0; r < rounds; r++) expected = expected * 1664525u + 1013904223u;
    }
    finish(list);
    assert_int_equal(x[0], expected);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
}

static void vectors_and_grids(void **state) {
    (void)state;
    int32_t *out = usm(USM_SHARED, 64);
    ze_kernel_handle_t k = get_kernel(args, "vectors");
    ze_command_list_handle_t list = in_order_list();
    int32_t e[16];
    for (int i = 0; i < 16; i++) e[i] = 100 * i;
    set_pointer(k, 0, out);
    assert_ok(zeKernelSetArgumentValue(k, 1, 2, (int8_t[]){3, -4}));
    assert_ok(zeKernelSetArgumentValue(k, 2, 8, (int16_t[]){1, 2, 3, 1000}));
    assert_ok(zeKernelSetArgumentValue(k, 3, 16, (int32_t[]){5, 6, 7, 99}));
    assert_ok(zeKernelSetArgumentValue(k, 4, 16, (float[]){1, 2, 3, 4}));
    assert_ok(zeKernelSetArgumentValue(k, 5, sizeof e, e));
    const int32_t expected[] = {-5, 1 + 4 + 12 + 8000, 5 + 12 + 28, 1 + 4 + 12 + 32, 2200};
    for (int i = 0; i < 20; i++) {
        memset(out, 0, sizeof expected);
        launch(list, k, 1, NULL, 0, NULL);
        finish(list);
        assert_memory_equal(out, expected, sizeof expected);
    }
    assert_ok(zeKernelDestroy(k));
    uint8_t *bytes = usm(USM_SHARED, 35);
    memset(bytes, 0, 35);
    k = get_kernel(basic, "count_rows");
    set_pointer(k, 0, bytes);
    set_value(k, 1, uint32_t, 7);
    for (int i = 0; i < 100; i++)
        assert_ok(zeCommandListAppendLaunchKernel(
                list, k, &(ze_group_count_t){1, 7, 5}, NULL, 0, NULL));
    finish(list);
    for (int i = 0; i < 35; i++) assert_int_equal(bytes[i], 100);
    assert_ok(zeKernelDestroy(k));
    assert_ok(zeCommandListDestroy(list));
    usm_free(out);
    usm_free(bytes);
}

/* Several lists at once, with more work-groups than one thread should run. Each group runs once,
 * also where the threads that help have gone to sleep between launches. Where PoCL runs all of
 * them, their grids have one size: with several at once, PoCL 3.1 may end the process
 * ("found->ref_count > 0", docs/cpu-driver.md). */
static void groups_of_several_lists(void **state) {
    (void)state;
    enum { LISTS = 4, ROUNDS = 100, PAUSE_US = 2000 };
    static const uint32_t sizes[LISTS] = {3, 1000, 4099, 60000};
    const char *way = getenv("ZE_TEST_DIRECT");
    const bool by_pocl = way && *way == '0';
    uint32_t groups[LISTS];
    ze_command_list_handle_t lists[LISTS];
    ze_kernel_handle_t k = get_kernel(basic, "increment");
    uint32_t *x[LISTS];
    for (int l = 0; l < LISTS; l++) {
        groups[l] = by_pocl ? 4099 : sizes[l];
        lists[l] = in_order_list();
        x[l] = usm(USM_SHARED, groups[l] * sizeof *x[l]);
        memset(x[l], 0, groups[l] * sizeof *x[l]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        if (round % 10 == 9) usleep(PAUSE_US);
        for (int l = 0; l < LISTS; l++) {
            set_pointer(k, 0, x[l]);
            launch(lists[l], k, groups[l], NULL, 0, NULL);
        }
        if (round % 3 == 0) finish(lists[round % LISTS]);
    }
    for (int l = 0; l < LISTS; l++) {
        finish(lists[l]);
        for (uint32_t i = 0; i < groups[l]; i++) assert_int_equal(x[l][i], ROUNDS);
        assert_ok(zeCommandListDestroy(lists[l]));
        usm_free(x[l]);
    }
    assert_ok(zeKernelDestroy(k));
}

/* A grid of three dimensions that several threads share. */
static void every_place_of_a_grid(void **state) {
    (void)state;
    enum { X = 5, Y = 33, Z = 17, ROUNDS = 50 };
    uint8_t *x = usm(USM_SHARED, Y * Z);
    memset(x, 0, Y * Z);
    ze_kernel_handle_t k = get_kernel(basic, "count_rows");
    ze_command_list_handle_t list = in_order_list();
    set_pointer(k, 0, x);
    set_value(k, 1, uint32_t, Y);
    for (int i = 0; i < ROUNDS; i++)
        assert_ok(zeCommandListAppendLaunchKernel(
                list, k, &(ze_group_count_t){1, Y, Z}, NULL, 0, NULL));
    finish(list);
    for (int i = 0; i < Y * Z; i++) assert_int_equal(x[i], ROUNDS);
    assert_ok(zeKernelDestroy(k));

    uint32_t *counts = usm(USM_SHARED, sizeof *counts);
    *counts = 0;
    k = get_kernel(basic, "count");
    set_pointer(k, 0, counts);
    for (int i = 0; i < ROUNDS; i++)
        assert_ok(zeCommandListAppendLaunchKernel(
                list, k, &(ze_group_count_t){X, Y, Z}, NULL, 0, NULL));
    finish(list);
    assert_int_equal(*counts, ROUNDS * X * Y * Z);
    assert_ok(zeKernelDestroy(k));
    assert_ok(zeCommandListDestroy(list));
    usm_free(x);
    usm_free(counts);
}

/* What the driver says of a kernel: "" if nothing. */
static void said_of(ze_kernel_handle_t k, char *text, size_t size) {
    int pipes[2];
    const int old = dup(STDERR_FILENO);
    assert_int_equal(pipe(pipes), 0);
    dup2(pipes[1], STDERR_FILENO);
    ze_command_list_handle_t list = in_order_list();
    launch_often(list, k, true);
    dup2(old, STDERR_FILENO);
    close(old);
    close(pipes[1]);
    const ssize_t n = read(pipes[0], text, size - 1);
    text[n > 0 ? n : 0] = 0;
    close(pipes[0]);
    assert_ok(zeCommandListDestroy(list));
}

/* Whether the driver knows the functions of the PoCL below. */
static bool is_known_pocl(void) {
#if defined(__x86_64__)
    return is_pocl("3.1") || is_pocl("6.0");
#else
    return false;
#endif
}

/* Two groups run at the same time, on two threads. */
static void groups_meet(void **state) {
    (void)state;
    const char *known = getenv("ZE_TEST_THREADS");
    skip_unless(known && is_known_pocl(), "needs ZE_TEST_THREADS, and PoCL 3.1 or 6.0 on x86-64");
    uint32_t *x = usm(USM_SHARED, 64);
    ze_kernel_handle_t k = get_kernel(basic, "meet");
    ze_command_list_handle_t list = in_order_list();
    set_pointer(k, 0, x);
    for (int i = 0; i < 20; i++) {
        x[0] = x[1] = 0;
        launch(list, k, 2, NULL, 0, NULL);
        finish(list);
        assert_int_equal(x[0], 2);
        if (i > 0) assert_int_equal(x[1], 2); /* the first launch is PoCL's */
    }
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
}

/* The threads of this process that help with work-groups. */
static int count_helpers(void) {
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (const struct dirent *task; (task = readdir(tasks));) {
        char path[300], name[16] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *f = fopen(path, "r");
        if (f && fgets(name, sizeof name, f) && strncmp(name, "ze_cpu_helper", 13) == 0) n++;
        if (f) fclose(f);
    }
    closedir(tasks);
    return n;
}

/* Runs on the CPUs that this process may use: one helper for each but the one that launches. */
static void a_helper_for_each_cpu(void **state) {
    (void)state;
    const char *way = getenv("ZE_TEST_DIRECT");
    skip_unless(zt.is_cpu && is_known_pocl() && way && *way == '1',
            "needs ZE_TEST_DIRECT=1, and PoCL 3.1 or 6.0 on x86-64");
    enum { GROUPS = 60000 };
    cpu_set_t cpus;
    assert_int_equal(sched_getaffinity(0, sizeof cpus, &cpus), 0);
    uint32_t *x = usm(USM_SHARED, GROUPS * sizeof *x);
    ze_kernel_handle_t k = get_kernel(basic, "increment");
    ze_command_list_handle_t list = in_order_list();
    set_pointer(k, 0, x);
    for (int i = 0; i < 10; i++) {
        launch(list, k, GROUPS, NULL, 0, NULL);
        finish(list);
    }
    assert_int_equal(count_helpers(), CPU_COUNT(&cpus) - 1);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
}

/* The kernel is said to go the way; nothing is said with ZE_CPU_DIRECT=0. */
static void assert_way(ze_kernel_handle_t k, const char *name, const char *way) {
    const char *known = getenv("ZE_TEST_DIRECT");
    char text[512], line[512] = "";
    if (known && strcmp(known, "0") != 0)
        snprintf(line, sizeof line, "ze_cpu: kernel \"%s\" %s\n", name, way);
    said_of(k, text, sizeof text);
    assert_string_equal(text, line);
}

static const char by_driver[] = "can run on the driver's threads",
                  by_pocl[] = "runs on PoCL's threads";

/* The module's kernel runs on the driver's threads, and writes what it should. */
static void is_found(ze_module_handle_t module) {
    int64_t *x = usm(USM_SHARED, 6 * sizeof *x);
    float *f = usm(USM_SHARED, sizeof *f);
    ze_kernel_handle_t k = get_kernel(module, "constants");
    set_pointer(k, 0, x);
    set_pointer(k, 1, f);
    x[3] = 0;
    assert_way(k, "constants", by_driver);
    assert_int_equal(x[3], -70000);
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
    usm_free(f);
}

/* Two programs of the same code: PoCL loads one library for both. The second is built with an
 * option, as the driver would share the program otherwise. */
static void programs_of_equal_code(void **state) {
    (void)state;
    const char *way = getenv("ZE_TEST_DIRECT");
    skip_unless(zt.is_cpu && is_known_pocl() && way && *way == '1',
            "needs ZE_TEST_DIRECT=1, and PoCL 3.1 or 6.0 on x86-64");
    blob_t spirv = read_spirv("constants");
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
            .format = ZE_MODULE_FORMAT_IL_SPIRV,
            .inputSize = spirv.size,
            .pInputModule = spirv.bytes,
            .pBuildFlags = "-ze-opt-greater-than-4GB-buffer-required"};
    for (int round = 0; round < 2; round++) {
        ze_module_handle_t first = load_module("constants"), second;
        assert_ok(zeModuleCreate(zt.context, zt.device, &desc, &second, NULL));
        is_found(first);
        is_found(second);
        assert_ok(zeModuleDestroy(first));
        is_found(second);
        assert_ok(zeModuleDestroy(second));
    }
    free(spirv.bytes);
}

/* A module of dot products imports functions, which the driver binds. */
static void the_way_of_dots(void **state) {
    (void)state;
    enum { DOTS_OF_BYTES = 1 << 28 };
    const char *known = getenv("ZE_TEST_DIRECT");
    ze_device_module_properties_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    assert_ok(zeDeviceGetModuleProperties(zt.device, &device));
    skip_unless(zt.is_cpu && known && (device.flags & DOTS_OF_BYTES) && is_known_pocl(),
            "needs dot products of the CPU driver, PoCL 3.1, and ZE_TEST_DIRECT");
    uint32_t *x = usm(USM_SHARED, 64);
    ze_module_handle_t dots = load_module("dots");
    ze_kernel_handle_t k = get_kernel(dots, "bytes");
    for (uint32_t i = 0; i < 3; i++) set_pointer(k, i, x);
    assert_way(k, "bytes", by_driver);
    assert_ok(zeKernelDestroy(k));
    assert_ok(zeModuleDestroy(dots));
    usm_free(x);
}

/* On the versions of PoCL that the driver knows, it must find the function; and only with
 * ZE_CPU_DIRECT=0 it must not look for it. */
static void the_way_is_told(void **state) {
    (void)state;
    const char *known = getenv("ZE_TEST_DIRECT");
    skip_unless(zt.is_cpu && known, "needs the CPU driver, and ZE_TEST_DIRECT, which says its way");
    skip_unless(is_known_pocl(), "needs PoCL 3.1 or 6.0 on x86-64");
    uint32_t *x = usm(USM_SHARED, 64);
    ze_kernel_handle_t k = get_kernel(basic, "copy_bytes");
    set_pointer(k, 0, x);
    set_pointer(k, 1, x);
    assert_way(k, "copy_bytes", by_driver);
    assert_ok(zeKernelDestroy(k));
    k = get_kernel(geometry, "group_sum"); /* it has local memory */
    set_pointer(k, 0, x);
    set_pointer(k, 1, x + 8);
    assert_way(k, "group_sum", by_pocl);
    assert_ok(zeKernelDestroy(k));
    usm_free(x);
}

static int setup(void **state) {
    (void)state;
    basic = load_module("basic");
    args = load_module("args");
    geometry = load_module("geometry");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    assert_ok(zeModuleDestroy(basic));
    assert_ok(zeModuleDestroy(args));
    assert_ok(zeModuleDestroy(geometry));
    return 0;
}

/* ZE_TEST_CPUS=1: leaves this process the first of its CPUs alone. */
static void keep_one_cpu(void) {
    cpu_set_t cpus, one;
    if (!getenv("ZE_TEST_CPUS") || sched_getaffinity(0, sizeof cpus, &cpus)) return;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &cpus)) CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
}

int main(void) {
    keep_one_cpu();
    const struct CMUnitTest tests[] = {TEST(the_way_is_told), TEST(the_way_of_dots),
            TEST(programs_of_equal_code), TEST(a_helper_for_each_cpu), TEST(each_launch_counts),
            TEST(order_of_short_and_long), TEST(events_of_short_kernels),
            TEST(a_short_kernel_becomes_long), TEST(vectors_and_grids),
            TEST(groups_of_several_lists), TEST(every_place_of_a_grid), TEST(groups_meet)};
    return RUN_TESTS_WITH(tests, setup, teardown);
}
