/* SPDX-License-Identifier: Apache-2.0 */
/* What PoCL needs of the system is missing, for ever or for a moment: the driver answers with a
 * status and a sentence, the process goes on, and the driver works as soon as it can.
 *
 * Each case is a process of its own, because a driver starts once. */
#include "ze_test.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the process of a case ---- */

static atomic_bool no_threads;

/* The driver's and PoCL's calls come here, because the program is searched before the C library. */
__attribute__((visibility("default"))) int pthread_create(
        pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument) {
    __typeof__(&pthread_create) next;
    void *symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&next, &symbol, sizeof next);
    return atomic_load(&no_threads) ? EAGAIN : next(thread, attr, start, argument);
}

static void limit(int what, rlim_t soft) {
    struct rlimit now;
    if (getrlimit(what, &now)) exit(2);
    now.rlim_cur = soft == RLIM_INFINITY ? now.rlim_max : soft;
    if (setrlimit(what, &now)) exit(2);
}

static void no_files(bool missing) {
    limit(RLIMIT_NOFILE, missing ? 3 : RLIM_INFINITY);
}
static void no_memory(bool missing) {
    limit(RLIMIT_AS, missing ? 200 << 20 : RLIM_INFINITY);
}
static void refuse_threads(bool missing) {
    atomic_store(&no_threads, missing);
}

/* The driver's sentence about the last failure. */
static const char *description(void) {
    const char *text = "";
    bool from_driver;
    ze_result_t (*ask)(ze_driver_handle_t, const char **) = (ze_result_t(*)(ze_driver_handle_t,
            const char **))newer_function("zeDriverGetLastErrorDescription", &from_driver);
    assert_non_null(ask);
    assert_ok(ask(from_driver ? raw_handle(ZEL_HANDLE_DRIVER, zt.driver) : zt.driver, &text));
    return text;
}

static void report(const char *step, ze_result_t result) {
    printf("%s: %s: %s\n", step, result_name(result), result ? description() : "");
}

static ze_result_t get_properties(void) {
    zt.properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    return zeDeviceGetProperties(zt.device, &zt.properties);
}

/* The first call that needs PoCL. */
static ze_result_t get_compute_properties(void) {
    zt.compute.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES;
    return zeDeviceGetComputeProperties(zt.device, &zt.compute);
}

/* Makes the call while something is missing, and reports its result when it is back. */
static void try_without(void (*take)(bool missing), const char *step, ze_result_t (*call)(void)) {
    take(true);
    const ze_result_t result = call();
    take(false);
    report(step, result);
}

static ze_module_handle_t module;

static ze_result_t make_module(void) {
    blob_t spirv = read_spirv("basic");
    char log[4096];
    const ze_result_t result = module_try(
            ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, NULL, &module, log, sizeof log);
    free(spirv.bytes);
    if (result) printf("log: %s", log);
    return result;
}

/* Runs a kernel in groups of `size`. */
static ze_result_t run(uint32_t size) {
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_kernel_handle_t kernel = get_kernel(module, "increment");
    const ze_group_count_t one = {1, 1, 1};
    int *x = usm(USM_HOST, 64 * sizeof *x);
    memset(x, 0, 64 * sizeof *x);
    set_pointer(kernel, 0, x);
    assert_ok(zeKernelSetGroupSize(kernel, size, 1, 1));
    const ze_result_t result = zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL);
    if (result == ZE_RESULT_SUCCESS) assert_int_equal(x[size - 1], 1);
    usm_free(x);
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeCommandListDestroy(list));
    return result;
}

static ze_result_t run_first(void) {
    return run(8);
}

static int child(void (*take)(bool missing)) {
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    uint32_t n = 1;
    assert_ok(zeInit(0));
    assert_ok(zeDriverGet(&n, &zt.driver));
    assert_ok(zeDeviceGet(zt.driver, &n, &zt.device));
    if (take) try_without(take, "first call", get_properties);
    assert_ok(get_properties());
    if (take) try_without(take, "first use", get_compute_properties);
    ze_result_t result = get_compute_properties();
    report("device", result);
    if (result || (take && take != no_files)) return 0;
    assert_ok(zeContextCreate(zt.driver, &desc, &zt.context));
    report("module", result = make_module());
    if (result) return 0;
    /* PoCL compiles the kernel when it is launched. */
    if (take == no_files) try_without(take, "launch", run_first);
    report("run", run(16));
    assert_ok(zeModuleDestroy(module));
    return 0;
}

/* ---- the cases ---- */

typedef struct {
    const char *name;
    const char *unset, *set[2][2]; /* environment */
    const char *expected[4];       /* parts of the output */
    const char *never;
} case_t;

static const struct {
    const char *name;
    void (*take)(bool);
} takers[] = {{"files", no_files}, {"memory", no_memory}, {"threads", refuse_threads}, {"", NULL}};

static char folder[] = "/tmp/needs_XXXXXX";

static const case_t cases[] = {
        {"", "PATH", {{NULL}}, {"run: SUCCESS"}, "ze_cpu:"},
        {"", NULL, {{"PATH", "/nonexistent"}}, {"run: SUCCESS"}, "ze_cpu:"},
        {"", NULL, {{"PATH", "/nonexistent"}, {"ZE_CPU_SYSTEM_PATH", "/nonexistent"}},
                {"module: ERROR_DEPENDENCY_UNAVAILABLE: PoCL needs the linker ld",
                        "ze_cpu: PoCL needs", "log: error: PoCL needs"},
                "run"},
        {"", NULL, {{"OCL_ICD_VENDORS", "/nonexistent"}},
                {"device: ERROR_DEPENDENCY_UNAVAILABLE: no OpenCL platform \"Portable",
                        "/nonexistent", "pocl-opencl-icd"},
                "run"},
        {"", NULL, {{"LD_LIBRARY_PATH", folder}},
                {"device: ERROR_DEPENDENCY_UNAVAILABLE: the OpenCL loader libOpenCL.so.1 cannot be",
                        "ocl-icd-libopencl1"},
                "run"},
        {"files", NULL, {{NULL}},
                {"first call: ERROR_OUT_OF_HOST_MEMORY: the properties of the CPU",
                        "first use: ERROR_OUT_OF_HOST_MEMORY: PoCL needs",
                        "launch: ERROR_DEVICE_LOST", "run: SUCCESS"},
                NULL},
        {"memory", NULL, {{NULL}}, {"first use: ERROR_", "device: SUCCESS"}, NULL},
        {"threads", NULL, {{NULL}},
                {"first use: ERROR_OUT_OF_HOST_MEMORY: PoCL needs", "threads", "device: SUCCESS"},
                NULL},
};

static void set_environment(const case_t *c, int number) {
    char cache[64];
    snprintf(cache, sizeof cache, "%s/cache%d", folder, number);
    if (mkdir(cache, 0700)) _exit(3);
    setenv("POCL_CACHE_DIR", cache, 1); /* empty: kernels are compiled and linked */
    setenv("ZE_CPU_CACHE_DIR", "", 1);
    setenv("NEEDS_CASE", c->name, 1);
    if (c->unset) unsetenv(c->unset);
    for (int i = 0; i < 2; i++)
        if (c->set[i][0]) setenv(c->set[i][0], c->set[i][1], 1);
}

/* Runs this program in the environment of a case; returns what it wrote. */
static char *run_case(int number) {
    enum { MOST = 1 << 16 };
    char *text = calloc(1, MOST);
    int ends[2], status;
    assert_non_null(text);
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        if (dup2(ends[1], 1) < 0 || dup2(ends[1], 2) < 0) _exit(3);
        set_environment(&cases[number], number);
        execl("/proc/self/exe", "needs", (char *)NULL);
        _exit(3);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; (got = read(ends[0], text + n, MOST - 1 - n)) > 0;) n += (size_t)got;
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status)
        print_error("case %d: status 0x%x, and it wrote:\n%s\n", number, (unsigned)status, text);
    assert_int_equal(status, 0);
    return text;
}

/* Newer loaders sort the drivers by their devices' properties before the program's first call. */
static bool is_known_before(const char *expected) {
    return !strncmp(expected, "first call:", 11) && dlsym(RTLD_DEFAULT, "zeInitDrivers");
}

static void check_case(int number) {
    const case_t *c = &cases[number];
    char *text = run_case(number);
    for (int i = 0; i < 4; i++) {
        if (!c->expected[i] || strstr(text, c->expected[i]) || is_known_before(c->expected[i]))
            continue;
        print_error("case %d lacks \"%s\":\n%s\n", number, c->expected[i], text);
        fail();
    }
    if (c->never && strstr(text, c->never)) {
        print_error("case %d has \"%s\":\n%s\n", number, c->never, text);
        fail();
    }
    free(text);
}

static void the_linker_is_found_without_path(void **state) {
    (void)state;
    check_case(0);
    check_case(1);
}

static void a_missing_linker_is_named(void **state) {
    (void)state;
    check_case(2);
}

static void a_missing_pocl_is_named(void **state) {
    (void)state;
    check_case(3);
}

static void a_missing_loader_is_named(void **state) {
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "%s/libOpenCL.so.1", folder);
    FILE *file = fopen(path, "w"); /* not a library, and found before the system's */
    assert_non_null(file);
    fclose(file);
    check_case(4);
}

static void files_come_back(void **state) {
    (void)state;
    check_case(5);
}

static void memory_comes_back(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip_unless(false, "sanitizers need address space without limits");
#endif
    check_case(6);
}

static void threads_come_back(void **state) {
    (void)state;
    check_case(7);
}

static int begin(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int end(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void) {
    const char *name = getenv("NEEDS_CASE");
    for (size_t i = 0; name && i < COUNT_OF(takers); i++)
        if (!strcmp(takers[i].name, name)) return child(takers[i].take);
    const struct CMUnitTest tests[] = {
            TEST(the_linker_is_found_without_path),
            TEST(a_missing_linker_is_named),
            TEST(a_missing_pocl_is_named),
            TEST(a_missing_loader_is_named),
            TEST(files_come_back),
            TEST(memory_comes_back),
            TEST(threads_come_back),
    };
    if (!open_device() || !zt.is_cpu) return 77;
    const int failed = cmocka_run_group_tests_name("needs", tests, begin, end);
    return zeContextDestroy(zt.context) == ZE_RESULT_SUCCESS ? failed : 1;
}
