/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the runtime share: a device, and primitives made by hand from one kernel of
 * their own, so that any plan can be tried. */
#ifndef TESTS_API_RT_H
#define TESTS_API_RT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "core/primitive_desc.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define FOREVER UINT64_MAX

/* The application's own objects; on the loader that the library finds, too. With
 * ONEDNN_GPU_RUNTIME=ocl they, and the handles of command lists and events below, are those of
 * OpenCL: a list is a command queue. */
typedef struct {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    bool on_opencl;
} app_t;
extern app_t app;

/* Group set-up of a program: 77 ends it where there is no device. */
int run_api_tests(const char *name, const struct CMUnitTest *tests, size_t count);
#define RUN_TESTS(tests) run_api_tests(#tests, tests, COUNT_OF(tests))
#define TEST(function) {#function, function, note_live_allocations, check_live_allocations, NULL}
/* A test that OpenCL engines skip, and why. */
#define LEVEL_ZERO_TEST(function, reason)                                                          \
    {#function, function, note_live_allocations, check_live_allocations, (void *)reason}

#define assert_status(call, expected) assert_int_equal(call, dnnl_##expected)
#define assert_ok(call) assert_status(call, success)
#define assert_ze(call) assert_int_equal(call, ZE_RESULT_SUCCESS)

/* What differs between the runtimes. Functions with a status call the library. */
typedef struct {
    bool (*find_device)(void); /* fills in app */
    void (*close_device)(void);
    dnnl_status_t (*engine)(dnnl_engine_t *engine); /* on the application's objects */
    dnnl_status_t (*stream)(
            dnnl_stream_t *stream, dnnl_engine_t engine, ze_command_list_handle_t list);
    dnnl_status_t (*list_of)(dnnl_stream_t stream, ze_command_list_handle_t *list);
    dnnl_status_t (*memory)(dnnl_memory_t *memory, const md_t *md, dnnl_engine_t engine, void *ptr);
    dnnl_status_t (*execute)(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
            const dnnl_exec_arg_t *args, int ndeps, const ze_event_handle_t *deps,
            ze_event_handle_t *event);
    dnnl_status_t (*engine_blob)(dnnl_engine_t engine, size_t *size, uint8_t *blob);
    dnnl_status_t (*engine_from_blob)(dnnl_engine_t *engine, size_t size, const uint8_t *blob);
    /* Immediate, in-order where the loader's headers know that. */
    ze_command_list_handle_t (*new_list)(void);
    void (*free_list)(ze_command_list_handle_t list);
    void *(*new_usm)(size_t size);
    void (*free_usm)(void *ptr);
    ze_event_handle_t (*new_event)(ze_event_pool_handle_t *pool);
    void (*free_event)(ze_event_pool_handle_t pool, ze_event_handle_t event);
    bool (*is_over)(ze_event_handle_t event);
    bool (*wait)(ze_event_handle_t event);
    void (*signal)(ze_event_handle_t event);
    void (*settle)(dnnl_stream_t stream); /* waits for what it was given, past what fails */
    void (*drop_events)(void);            /* that executions returned */
} runtime_t;
extern const runtime_t level_zero_runtime, opencl_runtime;
extern const runtime_t *runtime;

dnnl_engine_t new_engine(void);
ze_command_list_handle_t new_list(void);
void free_list(ze_command_list_handle_t list);
/* With an event that the application waits for or hands on; it exists until the bench ends. */
dnnl_status_t execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
        const dnnl_exec_arg_t *args, int ndeps, const ze_event_handle_t *deps,
        ze_event_handle_t *event);
bool is_over(ze_event_handle_t event); /* has completed */
bool is_over_after(ze_event_handle_t event, long ns);
bool wait_for(ze_event_handle_t event);     /* whether it ended well */
void signal_event(ze_event_handle_t event); /* of new_event() */
dnnl_status_t create_memory(dnnl_memory_t *memory, const md_t *md, dnnl_engine_t engine, void *ptr);
/* Host memory. Drivers move shared memory when it is touched, by a signal that cmocka takes for
 * a crash. */
void *new_usm(size_t size);
void free_usm(void *ptr);
ze_event_handle_t new_event(ze_event_pool_handle_t *pool);
void free_event(ze_event_pool_handle_t pool, ze_event_handle_t event);

/* Descriptor of n floats, and a memory object over them. */
void floats_md(md_t *md, int64_t n);
dnnl_memory_t new_floats(dnnl_engine_t engine, int64_t n, void *ptr);

enum { ARG_ADDEND = DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC };

/* dst = factor * src + addend, in `steps` steps of which each does it once, through the
 * scratchpad. */
typedef struct {
    int64_t n; /* DNNL_RUNTIME_DIM_VAL: known at execution */
    int steps;
    int factor;
    int apart; /* added to the factor from step to step: each step then has its own module */
    float addend;
    bool host_addend; /* argument ARG_ADDEND instead of `addend` */
    bool user_scratchpad;
    uint32_t spin; /* turns of an empty loop */
    bool broken;   /* cannot be built */
    bool split;    /* a plan for each step */
    bool meets;    /* not that at all: kernels/meet.cl */
    bool lines;    /* buffers begin with lines; kernels for others have a factor that is 1 more */
} affine_t;
dnnl_primitive_desc_t new_affine(dnnl_engine_t engine, const affine_t *affine);
void free_affine(dnnl_primitive_desc_t desc);
/* A primitive of it; its descriptor is gone. */
dnnl_primitive_t new_primitive(dnnl_engine_t engine, const affine_t *affine);
float affine_result(const affine_t *affine, float src);

/* An engine, a stream, and N floats to compute. */
enum { N = 1000 };
typedef struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    ze_command_list_handle_t list; /* of the application, or NULL */
    float *src, *dst;              /* src[i] is i, dst[i] 0 */
    dnnl_memory_t src_mem, dst_mem;
    dnnl_exec_arg_t args[4]; /* the first two are filled in */
} bench_t;
bench_t bench_begin(unsigned flags);
bench_t bench_begin_on_list(void); /* on a list of the application */
void bench_end(bench_t *b);
/* The first n of dst are what the primitive makes of src. */
void bench_check(const bench_t *b, const affine_t *affine, int n);

/* Checks at the end of a test that it has given all memory back. */
int note_live_allocations(void **state);
int check_live_allocations(void **state);

#endif
