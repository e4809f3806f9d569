/* SPDX-License-Identifier: Apache-2.0 */
/* What the conformance tests of a Level Zero driver share: one device, checks of results, short
 * forms of common calls. */
#ifndef TESTS_DRIVER_ZE_TEST_H
#define TESTS_DRIVER_ZE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <level_zero/loader/ze_loader.h>
#include <level_zero/ze_api.h>

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define NEVER UINT64_MAX
#define MILLISECOND 1000000ull
#define SECOND 1000000000ull

/* Younger than the oldest header the tests are built with. */
#define QUEUE_FLAG_IN_ORDER 0x2u
#define LIST_FLAG_IN_ORDER 0x8u

typedef struct {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_device_properties_t properties;
    ze_device_compute_properties_t compute;
    uint32_t ordinal; /* of the first queue group that computes */
    ze_command_queue_group_properties_t group;
    bool is_cpu;    /* a driver that checks every argument, and recognises stale handles */
    bool intercept; /* the loader wraps handles, and reads through them before the driver checks */
    bool layers;    /* the validation layer answers before the driver does */
} test_device_t;
extern test_device_t zt;

bool open_device(void); /* fills in zt; false: there is none */

/* main() of a test program: 77 where the environment names no driver and none is found. */
int run_driver_tests(const char *name, const struct CMUnitTest *tests, size_t count,
        CMFixtureFunction setup, CMFixtureFunction teardown);
#define RUN_TESTS_WITH(tests, setup, teardown)                                                     \
    run_driver_tests(#tests, tests, COUNT_OF(tests), setup, teardown)
#define RUN_TESTS(tests) RUN_TESTS_WITH(tests, NULL, NULL)
#define TEST(function) {#function, function, NULL, NULL, NULL}

const char *result_name(ze_result_t result);
void check_result(
        ze_result_t got, ze_result_t expected, const char *call, const char *file, int line);
void check_refused(ze_result_t got, const char *call, const char *file, int line);
#define assert_result(call, expected) check_result((call), (expected), #call, __FILE__, __LINE__)
#define assert_ok(call) assert_result(call, ZE_RESULT_SUCCESS)
#define assert_refused(call)                                                                       \
    check_refused((call), #call, __FILE__,                                                         \
            __LINE__) /* any error, and neither success nor "not ready" */

/* Is the first OpenCL platform a PoCL of this version? */
bool is_pocl(const char *version);

/* Ends the test as skipped; cmocka counts it. */
#define skip_unless(condition, why)                                                                \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_message("skipped: %s\n", why);                                                   \
            skip();                                                                                \
        }                                                                                          \
    } while (0)
/* For misuse that the specification leaves undefined and only a checking driver answers. */
#define skip_unless_checked()                                                                      \
    skip_unless(zt.is_cpu && !zt.intercept && !zt.layers, "needs the driver's own checks")

/* An entry point that old loaders lack: from the loader, else from the driver; NULL where
 * neither has it.
   From the driver it takes the driver's own handles: pass what raw_handle() gives. */
typedef void (*function_t)(void);
function_t newer_function(const char *name, bool *from_driver);
void *raw_handle(zel_handle_type_t kind, void *handle);

uint64_t setting(const char *name,
        uint64_t otherwise); /* from the environment, for longer or shorter runs by hand */
uint64_t now_ns(void);
uint64_t random_u64(uint64_t *state); /* splitmix64: the same numbers in every run */

typedef enum { USM_HOST, USM_DEVICE, USM_SHARED, USM_KINDS } usm_kind_t;
ze_result_t usm_try(usm_kind_t kind, size_t size, size_t alignment, void **pointer);
void *usm(usm_kind_t kind, size_t size);
void usm_free(void *pointer);

typedef struct {
    uint8_t *bytes;
    size_t size;
} blob_t;
blob_t read_spirv(const char *name); /* kernels/<name>.cl, compiled */
ze_result_t module_try(ze_module_format_t format, const void *bytes, size_t size,
        const ze_module_constants_t *constants, ze_module_handle_t *module, char *log,
        size_t log_size);
ze_module_handle_t load_module(const char *name);
ze_kernel_handle_t get_kernel(ze_module_handle_t module, const char *name); /* group size 1 1 1 */
void set_pointer(ze_kernel_handle_t kernel, uint32_t index, const void *pointer);
#define set_value(kernel, index, type, value)                                                      \
    assert_ok(zeKernelSetArgumentValue(kernel, index, sizeof(type), &(type){value}))

ze_command_list_handle_t immediate_list(
        ze_command_queue_flags_t flags, ze_command_queue_mode_t mode);
ze_command_list_handle_t in_order_list(
        void); /* immediate, asynchronous; skips the test where there is none */
ze_command_list_handle_t regular_list(void);
ze_command_queue_handle_t queue(ze_command_queue_mode_t mode);
void finish(ze_command_list_handle_t
                immediate); /* waits for all that was appended; fails after a minute */
void launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel, uint32_t groups,
        ze_event_handle_t signal, uint32_t n_waits, ze_event_handle_t *waits);

ze_event_pool_handle_t event_pool(uint32_t count, ze_event_pool_flags_t flags);
ze_event_handle_t event(ze_event_pool_handle_t pool, uint32_t index);
void assert_event(ze_event_handle_t event, bool signalled); /* as it is now */
void await(ze_event_handle_t event);                        /* fails after a minute */

#endif
