/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that fails on the device, long after the call that launched it: whoever waits for it
 * is told, everything can be destroyed, and the process goes on with another context. */
#include "rt.h"

#include <stdlib.h>

#include "heard.h"
#include "ze/stream.h"

static void replace_context(void) {
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    assert_ze(zeContextDestroy(app.context));
    assert_ze(zeContextCreate(app.driver, &desc, &app.context));
}

static void run_well(unsigned flags) {
    const affine_t affine = {.n = N, .steps = 3, .factor = 2, .addend = 1};
    bench_t b = bench_begin(flags);
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
    assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
    assert_ok(dnnl_stream_wait(b.stream));
    bench_check(&b, &affine, N);
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

/* In strict mode a kernel does not start whose memory is freed while it waits for `gate`. */
static void fail_on(unsigned flags, bool own_list) {
    const affine_t affine = {.n = N, .steps = 3, .factor = 2, .addend = 1};
    ze_event_pool_handle_t pool;
    const ze_event_handle_t gate = new_event(&pool);
    ze_event_handle_t done;
    bench_t b = own_list ? bench_begin_on_list() : bench_begin(flags);
    void *gone = new_usm(N * sizeof(float));
    dnnl_memory_t memory = new_floats(b.engine, N, gone);
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
    const dnnl_exec_arg_t args[2] = {b.args[0], {DNNL_ARG_DST, memory}};
    assert_ok(dnnl_ze_interop_primitive_execute(primitive, b.stream, 2, args, 1, &gate, &done));
    assert_int_equal(zeEventQueryStatus(done), ZE_RESULT_NOT_READY);
    free_usm(gone);
    assert_ze(zeEventHostSignal(gate));

    assert_int_equal(zeEventHostSynchronize(done, FOREVER), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(zeEventQueryStatus(done), ZE_RESULT_ERROR_DEVICE_LOST);
    for (int i = 0; i < 2; i++) { /* it does not get better */
        listen_to_log();
        const dnnl_status_t status = dnnl_stream_wait(b.stream);
        const char *log = heard();
        assert_status(status, runtime_error);
        assert_int_equal(errors_in(log), 1);
        assert_non_null(strstr(log, "DEVICE_LOST"));
    }

    listen_to_log();
    assert_ok(dnnl_stream_destroy(b.stream));
    assert_ok(dnnl_primitive_destroy(primitive));
    assert_ok(dnnl_memory_destroy(memory));
    assert_ok(dnnl_memory_destroy(b.src_mem));
    assert_ok(dnnl_memory_destroy(b.dst_mem));
    assert_ok(dnnl_engine_destroy(b.engine));
    /* The end waits as well: a program that has not waited hears of the failure now. */
    const char *log = heard();
    assert_int_equal(errors_in(log), own_list ? 0 : 1);
    assert_null(strstr(log, "is leaked"));
    if (b.list) assert_ze(zeCommandListDestroy(b.list));
    free_usm(b.src);
    free_usm(b.dst);
    free_event(pool, gate);

    replace_context();
    run_well(flags);
}

static void in_order(void **state) {
    (void)state;
    fail_on(dnnl_stream_in_order, false);
}

static void out_of_order(void **state) {
    (void)state;
    fail_on(dnnl_stream_out_of_order, false);
}

static void profiling(void **state) {
    (void)state;
    fail_on(dnnl_stream_in_order | 4 /* profiling */, false);
}

static void on_own_list(void **state) {
    (void)state;
    fail_on(dnnl_stream_in_order, true);
}

/* Old loaders cannot wait for a list: an event behind its work is waited for. */
static void without_newer_calls(void **state) {
    (void)state;
    const ze_table_t real = ze;
    ze.CommandListHostSynchronize = NULL;
    fail_on(dnnl_stream_in_order, false);
    fail_on(dnnl_stream_in_order, true);
    ze = real;
}

typedef struct {
    bench_t bench;
    dnnl_primitive_t primitive;
} user_t;

static user_t user_begin(const affine_t *affine) {
    user_t u = {.bench = bench_begin(dnnl_stream_in_order)};
    u.primitive = new_primitive(u.bench.engine, affine);
    return u;
}

static void user_end(user_t *u) {
    assert_ok(dnnl_stream_destroy(u->bench.stream));
    assert_ok(dnnl_primitive_destroy(u->primitive));
    assert_ok(dnnl_memory_destroy(u->bench.src_mem));
    assert_ok(dnnl_memory_destroy(u->bench.dst_mem));
    assert_ok(dnnl_engine_destroy(u->bench.engine));
    free_usm(u->bench.src);
    free_usm(u->bench.dst);
}

/* What waits on another stream for the work that failed has failed, too; what does not, has not. */
static void elsewhere(void **state) {
    (void)state;
    const affine_t affine = {.n = N, .steps = 1, .factor = 2, .addend = 1};
    ze_event_pool_handle_t pool;
    const ze_event_handle_t gate = new_event(&pool);
    ze_event_handle_t done;
    user_t fails = user_begin(&affine), waits = user_begin(&affine), other = user_begin(&affine);
    void *gone = new_usm(N * sizeof(float));
    dnnl_memory_t memory = new_floats(fails.bench.engine, N, gone);
    const dnnl_exec_arg_t args[2] = {fails.bench.args[0], {DNNL_ARG_DST, memory}};
    assert_ok(dnnl_ze_interop_primitive_execute(
            fails.primitive, fails.bench.stream, 2, args, 1, &gate, &done));
    assert_ok(dnnl_ze_interop_primitive_execute(
            waits.primitive, waits.bench.stream, 2, waits.bench.args, 1, &done, NULL));
    assert_ok(dnnl_primitive_execute(other.primitive, other.bench.stream, 2, other.bench.args));
    free_usm(gone);
    assert_ze(zeEventHostSignal(gate));
    listen_to_log();
    const dnnl_status_t status = dnnl_stream_wait(waits.bench.stream);
    assert_int_equal(errors_in(heard()), 1);
    assert_status(status, runtime_error);
    assert_ok(dnnl_stream_wait(other.bench.stream));
    bench_check(&other.bench, &affine, N);
    assert_ok(dnnl_memory_destroy(memory));
    user_end(&waits);
    user_end(&other);
    user_end(&fails);
    free_event(pool, gate);
    replace_context();
    run_well(dnnl_stream_in_order);
}

#define REASON "only the CPU driver makes a kernel fail"

int main(void) {
    if (!getenv("ZE_ENABLE_ALT_DRIVERS")) {
        printf("skipped: no other driver than the CPU's makes a kernel fail on request\n");
        return 77;
    }
    setenv("ZE_CPU_STRICT", "1", 1);
    const struct CMUnitTest failed[] = {LEVEL_ZERO_TEST(in_order, REASON),
            LEVEL_ZERO_TEST(out_of_order, REASON), LEVEL_ZERO_TEST(profiling, REASON),
            LEVEL_ZERO_TEST(on_own_list, REASON), LEVEL_ZERO_TEST(without_newer_calls, REASON),
            LEVEL_ZERO_TEST(elsewhere, REASON)};
    return RUN_TESTS(failed);
}
