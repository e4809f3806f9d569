/* SPDX-License-Identifier: Apache-2.0 */
/* A child of a process that had used the driver gets an answer from every call, and ends. A child
 * that was forked before can use the driver. */
#include "ze_test.h"

#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 60 /* seconds */ };

/* Runs the function in a child, and returns its exit code; a child that hangs fails the test. */
static int in_child(int (*function)(void)) {
    int status = 0;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(PATIENCE);
        _exit(function());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status)) fail_msg("the child ends with status 0x%x", (unsigned)status);
    return WEXITSTATUS(status);
}

/* ---- used by both processes ---- */

static ze_command_list_handle_t list, closed;
static ze_command_queue_handle_t own_queue;
static ze_event_pool_handle_t pool;
static ze_event_handle_t signalled;
static ze_fence_handle_t fence;
static ze_module_handle_t module;
static ze_kernel_handle_t kernel;
static uint32_t *memory;

static void make_all(void) {
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    closed = regular_list();
    assert_ok(zeCommandListClose(closed));
    own_queue = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_ok(zeFenceCreate(own_queue, &desc, &fence));
    pool = event_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    signalled = event(pool, 0);
    module = load_module("basic");
    kernel = get_kernel(module, "increment");
    memory = usm(USM_HOST, sizeof *memory);
    *memory = 0;
    set_pointer(kernel, 0, memory);
}

static void use_all(void) {
    launch(list, kernel, 1, NULL, 0, NULL);
    finish(list);
    assert_ok(zeCommandQueueExecuteCommandLists(own_queue, 1, &closed, NULL));
    assert_ok(zeCommandQueueSynchronize(own_queue, PATIENCE * SECOND));
}

static void destroy_all(void) {
    usm_free(memory);
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeModuleDestroy(module));
    assert_ok(zeEventDestroy(signalled));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeFenceDestroy(fence));
    assert_ok(zeCommandQueueDestroy(own_queue));
    assert_ok(zeCommandListDestroy(closed));
    assert_ok(zeCommandListDestroy(list));
}

/* ---- the child ---- */

static int calls, wrong;

static void expect_refusal(ze_result_t result, const char *call) {
    calls++;
    if (result == ZE_RESULT_ERROR_UNINITIALIZED) return;
    wrong++;
    fprintf(stderr, "in the child, %s gives %s\n", call, result_name(result));
}
#define REFUSED(call) expect_refusal(call, #call)

static void call_for_objects(void) {
    const ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t context;
    ze_device_handle_t device;
    ze_driver_handle_t driver;
    ze_kernel_handle_t other;
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "increment"};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_command_list_handle_t made;
    void *pointer;
    uint32_t n = 1;
    /* Newer loaders know that it was successful, and do not ask the driver again. */
    const ze_result_t again = zeInit(0);
    if (again != ZE_RESULT_SUCCESS && again != ZE_RESULT_ERROR_UNINITIALIZED) wrong++;
    REFUSED(zeDriverGet(&n, &driver));
    REFUSED(zeDeviceGet(zt.driver, &n, &device));
    REFUSED(zeDeviceGetProperties(zt.device, &zt.properties));
    REFUSED(zeDeviceGetComputeProperties(zt.device, &zt.compute));
    REFUSED(zeContextCreate(zt.driver, &context_desc, &context));
    REFUSED(zeMemAllocHost(zt.context, &host, 64, 64, &pointer));
    REFUSED(zeKernelCreate(module, &desc, &other));
    REFUSED(zeCommandListCreateImmediate(zt.context, zt.device, &queue_desc, &made));
}

static void call_for_work(void) {
    const ze_group_count_t one = {1, 1, 1};
    REFUSED(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL));
    REFUSED(zeCommandListAppendBarrier(list, signalled, 0, NULL));
    REFUSED(zeCommandListAppendMemoryCopy(list, memory, memory, 4, NULL, 0, NULL));
    REFUSED(zeKernelSetArgumentValue(kernel, 0, sizeof memory, &memory));
    REFUSED(zeCommandQueueExecuteCommandLists(own_queue, 1, &closed, fence));
    REFUSED(zeCommandQueueSynchronize(own_queue, NEVER));
    REFUSED(zeFenceHostSynchronize(fence, NEVER));
    REFUSED(zeEventHostSynchronize(signalled, NEVER));
    REFUSED(zeEventQueryStatus(signalled));
    REFUSED(zeEventHostSignal(signalled));
}

static void call_for_the_end(void) {
    REFUSED(zeMemFree(zt.context, memory));
    REFUSED(zeKernelDestroy(kernel));
    REFUSED(zeModuleDestroy(module));
    REFUSED(zeEventDestroy(signalled));
    REFUSED(zeCommandListDestroy(list));
    REFUSED(zeContextDestroy(zt.context));
}

/* Takes no lock, which another thread of the parent may hold. */
static int call_everything(void) {
    call_for_objects();
    call_for_work();
    call_for_the_end();
    return wrong || calls != 24;
}

static int use_nothing(void) {
    const char *text = "";
    bool from_driver;
    call_everything();
    ze_result_t (*describe)(ze_driver_handle_t, const char **) = (ze_result_t(*)(ze_driver_handle_t,
            const char **))newer_function("zeDriverGetLastErrorDescription", &from_driver);
    /* The driver's own function, which an older loader hands out, cannot be asked for any more. */
    if (describe && !from_driver &&
            (describe(zt.driver, &text) != ZE_RESULT_SUCCESS || !strstr(text, "forked")))
        wrong++;
    return wrong || calls != 24;
}

static int leave_by_exit(void) {
    exit(7);
}

static void a_child_gets_answers(void **state) {
    (void)state;
    skip_unless_checked();
    make_all();
    use_all();
    assert_int_equal(in_child(use_nothing), 0);
    assert_int_equal(in_child(leave_by_exit), 7);
    use_all(); /* the parent goes on */
    assert_int_equal(*memory, 2);
    destroy_all();
}

static void a_child_of_a_busy_process_gets_answers(void **state) {
    enum { ROUNDS = 20, LAUNCHES = 50 };
    (void)state;
    skip_unless_checked();
    make_all();
    for (int i = 0; i < ROUNDS; i++) {
        for (int j = 0; j < LAUNCHES; j++) launch(list, kernel, 1, NULL, 0, NULL);
        assert_int_equal(in_child(call_everything), 0);
    }
    finish(list);
    destroy_all();
}

/* Everything from the beginning, as a child of a process that has only listed devices. */
static int use_from_the_beginning(void) {
    if (!open_device()) return 1;
    make_all();
    use_all();
    const bool good = *memory == 1;
    destroy_all();
    return !good;
}

static int early_child = -1;

static void a_child_forked_before_use_works(void **state) {
    (void)state;
    skip_unless_checked();
    assert_int_equal(early_child, 0);
}

int main(void) {
    uint32_t n = 1;
    const struct CMUnitTest tests[] = {
            TEST(a_child_gets_answers),
            TEST(a_child_of_a_busy_process_gets_answers),
            TEST(a_child_forked_before_use_works),
    };
    if (zeInit(0) == ZE_RESULT_SUCCESS && zeDriverGet(&n, &zt.driver) == ZE_RESULT_SUCCESS &&
            n == 1 && zeDeviceGet(zt.driver, &n, &zt.device) == ZE_RESULT_SUCCESS)
        early_child = in_child(use_from_the_beginning);
    return RUN_TESTS(tests);
}
