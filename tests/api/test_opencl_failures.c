/* SPDX-License-Identifier: Apache-2.0 */
/* Makes each call of OpenCL fail in turn, and counts references to OpenCL's objects. */
#include "walk.h"

#include <stdlib.h>

#include "ocl/core.h"

enum { NO_MEMORY = CL_MEM_OBJECT_ALLOCATION_FAILURE, INVALID_QUEUE = -36 };

static ocl_table_t real;
static ocl_usm_t usm;
static cl_int answer;
static long references;

/* A call that fails has done nothing; one that succeeds has made so many references. */
#define CALL(made, name, params, args)                                                             \
    static cl_int fake_##name params {                                                             \
        if (call_fails()) return answer;                                                           \
        const cl_int result = real.name args;                                                      \
        if (result == CL_SUCCESS) references += made;                                              \
        return result;                                                                             \
    }
/* The result comes out of the last argument, `result`. */
#define CREATE(type, name, params, args)                                                           \
    static type fake_##name params {                                                               \
        *result = answer;                                                                          \
        if (call_fails()) return NULL;                                                             \
        type object = real.name args;                                                              \
        references += object != NULL;                                                              \
        return object;                                                                             \
    }
/* What ends a reference does so on a lost device, too. */
#define RELEASE(name, type)                                                                        \
    static cl_int fake_##name(type handle) {                                                       \
        const cl_int result = real.name(handle);                                                   \
        references--;                                                                              \
        return is_lost() ? answer : result;                                                        \
    }
#define CALLS(X)                                                                                   \
    X(1, RetainContext, (cl_context a), (a))                                                       \
    X(0, GetContextInfo, (cl_context a, cl_uint b, size_t c, void *d, size_t *e), (a, b, c, d, e)) \
    X(1, RetainCommandQueue, (cl_command_queue a), (a))                                            \
    X(0, GetCommandQueueInfo, (cl_command_queue a, cl_uint b, size_t c, void *d, size_t *e),       \
            (a, b, c, d, e))                                                                       \
    X(0, Finish, (cl_command_queue a), (a))                                                        \
    X(0, Flush, (cl_command_queue a), (a))                                                         \
    X(0, EnqueueReadBuffer,                                                                        \
            (cl_command_queue a, cl_mem b, cl_uint c, size_t d, size_t e, void *f, cl_uint g,      \
                    const cl_event *h, cl_event *i),                                               \
            (a, b, c, d, e, f, g, h, i))                                                           \
    X(0, EnqueueWriteBuffer,                                                                       \
            (cl_command_queue a, cl_mem b, cl_uint c, size_t d, size_t e, const void *f,           \
                    cl_uint g, const cl_event *h, cl_event *i),                                    \
            (a, b, c, d, e, f, g, h, i))                                                           \
    X(0, BuildProgram,                                                                             \
            (cl_program a, cl_uint b, const cl_device_id *c, const char *d, void *e, void *f),     \
            (a, b, c, d, e, f))                                                                    \
    X(0, GetProgramInfo, (cl_program a, cl_uint b, size_t c, void *d, size_t *e), (a, b, c, d, e)) \
    X(0, SetKernelArg, (cl_kernel a, cl_uint b, size_t c, const void *d), (a, b, c, d))            \
    X(i != NULL, EnqueueNDRangeKernel,                                                             \
            (cl_command_queue a, cl_kernel b, cl_uint c, const size_t *d, const size_t *e,         \
                    const size_t *f, cl_uint g, const cl_event *h, cl_event *i),                   \
            (a, b, c, d, e, f, g, h, i))                                                           \
    X(d != NULL, EnqueueMarkerWithWaitList,                                                        \
            (cl_command_queue a, cl_uint b, const cl_event *c, cl_event *d), (a, b, c, d))         \
    X(0, WaitForEvents, (cl_uint a, const cl_event *b), (a, b))                                    \
    X(1, RetainEvent, (cl_event a), (a))                                                           \
    X(0, SetKernelArgSVMPointer, (cl_kernel a, cl_uint b, const void *c), (a, b, c))               \
    X(0, EnqueueSVMMemcpy,                                                                         \
            (cl_command_queue a, cl_uint b, void *c, const void *d, size_t e, cl_uint f,           \
                    const cl_event *g, cl_event *h),                                               \
            (a, b, c, d, e, f, g, h))
#define CREATES(X)                                                                                 \
    X(cl_context, CreateContext,                                                                   \
            (const intptr_t *a, cl_uint b, const cl_device_id *c, void *d, void *e,                \
                    cl_int *result),                                                               \
            (a, b, c, d, e, result))                                                               \
    X(cl_command_queue, CreateCommandQueue,                                                        \
            (cl_context a, cl_device_id b, cl_ulong c, cl_int * result), (a, b, c, result))        \
    X(cl_mem, CreateBuffer, (cl_context a, cl_ulong b, size_t c, void *d, cl_int *result),         \
            (a, b, c, d, result))                                                                  \
    X(cl_program, CreateProgramWithIL, (cl_context a, const void *b, size_t c, cl_int *result),    \
            (a, b, c, result))                                                                     \
    X(cl_program, CreateProgramWithBinary,                                                         \
            (cl_context a, cl_uint b, const cl_device_id *c, const size_t *d,                      \
                    const unsigned char **e, cl_int *f, cl_int *result),                           \
            (a, b, c, d, e, f, result))                                                            \
    X(cl_kernel, CreateKernel, (cl_program a, const char *b, cl_int *result), (a, b, result))
#define RELEASES(X)                                                                                \
    X(ReleaseContext, cl_context)                                                                  \
    X(ReleaseCommandQueue, cl_command_queue)                                                       \
    X(ReleaseMemObject, cl_mem)                                                                    \
    X(ReleaseProgram, cl_program)                                                                  \
    X(ReleaseKernel, cl_kernel)                                                                    \
    X(ReleaseEvent, cl_event)

CALLS(CALL)
CREATES(CREATE)
RELEASES(RELEASE)

/* ---- pointers of USM, which cores ask the platform for ---- */

static void *fake_alloc(cl_context context, cl_device_id device, const cl_ulong *properties,
        size_t size, cl_uint alignment, cl_int *result) {
    *result = answer;
    if (call_fails()) return NULL;
    void *ptr = usm.alloc_device(context, device, properties, size, alignment, result);
    references += ptr != NULL;
    return ptr;
}

static cl_int fake_free(cl_context context, void *ptr) {
    references--;
    const cl_int result = usm.free_blocking(context, ptr);
    return is_lost() ? answer : result;
}

static cl_int fake_info(
        cl_context context, const void *ptr, cl_uint what, size_t size, void *out, size_t *got) {
    return call_fails() ? answer : usm.info(context, ptr, what, size, out, got);
}

static cl_int fake_set(cl_kernel kernel, cl_uint argument, const void *ptr) {
    return call_fails() ? answer : usm.set_argument(kernel, argument, ptr);
}

static cl_int fake_copy(cl_command_queue queue, cl_uint blocking, void *to, const void *from,
        size_t size, cl_uint n, const cl_event *waits, cl_event *event) {
    return call_fails() ? answer : usm.copy(queue, blocking, to, from, size, n, waits, event);
}

static void *fake_address(cl_platform_id platform, const char *name) {
    void *found = real.GetExtensionFunctionAddressForPlatform(platform, name);
    if (!found) return NULL;
#define OURS(text, member, fake)                                                                   \
    if (!strcmp(name, text)) {                                                                     \
        __typeof__(usm.member) ours = fake;                                                        \
        *(void **)&usm.member = found;                                                             \
        return *(void **)&ours;                                                                    \
    }
    OURS("clDeviceMemAllocINTEL", alloc_device, fake_alloc)
    OURS("clMemBlockingFreeINTEL", free_blocking, fake_free)
    OURS("clGetMemAllocInfoINTEL", info, fake_info)
    OURS("clSetKernelArgMemPointerINTEL", set_argument, fake_set)
    OURS("clEnqueueMemcpyINTEL", copy, fake_copy)
#undef OURS
    return found;
}

/* ---- */

static long live(void) {
    runtime->drop_events();
    return references + atomic_load(&dz_alloc_live);
}

static void walk_with(const fault_t *fault, cl_int result) {
    answer = result;
    real = ocl;
#define REPLACE(made, name, params, args) ocl.name = fake_##name;
#define REPLACE_RELEASE(name, type) ocl.name = fake_##name;
    CALLS(REPLACE)
    CREATES(REPLACE)
    RELEASES(REPLACE_RELEASE)
    ocl.GetExtensionFunctionAddressForPlatform = fake_address;
    walk(fault);
    ocl = real;
    assert_int_equal(references, 0);
}

static void each_fails_once(void **state) {
    (void)state;
    const fault_t no_memory = {dnnl_out_of_memory, false, arm_calls, disarm_calls, live};
    walk_with(&no_memory, NO_MEMORY);
}

static void each_loses_the_device_for_once(void **state) {
    (void)state;
    const fault_t lost = {dnnl_runtime_error, false, arm_calls, disarm_calls, live};
    walk_with(&lost, INVALID_QUEUE);
}

static void all_fail_from_each_on(void **state) {
    (void)state;
    const fault_t lost = {dnnl_runtime_error, true, arm_calls, disarm_calls, live};
    walk_with(&lost, INVALID_QUEUE);
}

int main(void) {
    setenv("ONEDNN_GPU_RUNTIME", "ocl", 1);
    const struct CMUnitTest failures[] = {TEST(each_fails_once),
            TEST(each_loses_the_device_for_once), TEST(all_fail_from_each_on)};
    return RUN_TESTS(failures);
}
