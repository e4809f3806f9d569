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

/* The application's own objects; on the loader that the library finds, too. */
typedef struct {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
} app_t;
extern app_t app;

/* Group set-up of a program: 77 ends it where there is no device. */
int run_api_tests(const char *name, const struct CMUnitTest *tests, size_t count);
#define RUN_TESTS(tests) run_api_tests(#tests, tests, COUNT_OF(tests))
#define TEST(function) {#function, function, note_live_allocations, check_live_allocations, NULL}

#define assert_status(call, expected) assert_int_equal(call, dnnl_##expected)
#define assert_ok(call) assert_status(call, success)
#define assert_ze(call) assert_int_equal(call, ZE_RESULT_SUCCESS)

dnnl_engine_t new_engine(void); /* on the application's objects */
ze_command_list_handle_t new_list(
        void); /* immediate, in-order where the loader's headers know that */
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
    float addend;
    bool host_addend; /* argument ARG_ADDEND instead of `addend` */
    bool user_scratchpad;
    uint32_t spin; /* turns of an empty loop */
    bool broken;   /* cannot be built */
    bool split;    /* a plan for each step */
    bool meets;    /* not that at all: kernels/meet.cl */
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
