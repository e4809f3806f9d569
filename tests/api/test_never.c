/* SPDX-License-Identifier: Apache-2.0 */
/* An event that nobody signals: the application can stop waiting, everything can be destroyed,
 * and the process goes on. */
#include "rt.h"

#include <time.h>

#include "ze/stream_state.h"

enum { A_WHILE = 20000000 /* ns */, PATIENCE = 100000000, FAST = 5 /* s */ };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Work that waits for an event; it is destroyed before the event is signalled, if that ever
 * happens. */
static void destroy_what_waits(unsigned flags, bool on_own_list) {
    const affine_t affine = {.n = N, .steps = 3, .factor = 2, .addend = 1};
    ze_event_pool_handle_t pool;
    const ze_event_handle_t gate = new_event(&pool);
    ze_event_handle_t done;
    bench_t b = on_own_list ? bench_begin_on_list() : bench_begin(flags);
    b.stream->patience_ns = PATIENCE;
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
    dnnl_memory_t device = new_floats(b.engine, N, DNNL_MEMORY_ALLOCATE);
    assert_ok(execute(primitive, b.stream, 2, b.args, 1, &gate, &done));
    assert_false(is_over_after(done, A_WHILE));

    /* Mappings, which go by another list, work in the meantime. */
    void *mapped;
    assert_ok(dnnl_memory_map_data(device, &mapped));
    assert_ok(dnnl_memory_unmap_data(device, mapped));

    const double start = now();
    assert_ok(dnnl_memory_destroy(device));
    if (on_own_list) { /* whose end the application has to wait for, ahead of the stream's */
        signal_event(gate);
        bench_end(&b);
        assert_ok(dnnl_primitive_destroy(primitive));
        free_event(pool, gate);
        return;
    }
    assert_ok(dnnl_stream_destroy(b.stream));
    assert_ok(dnnl_memory_destroy(b.src_mem));
    assert_ok(dnnl_memory_destroy(b.dst_mem));
    assert_ok(dnnl_engine_destroy(b.engine));
    assert_true(now() - start < FAST);

    /* The process goes on, on a new stream of the same device and context. */
    bench_t next = bench_begin(flags);
    dnnl_primitive_t again = new_primitive(next.engine, &affine);
    assert_ok(dnnl_primitive_execute(again, next.stream, 2, next.args));
    assert_ok(dnnl_stream_wait(next.stream));
    bench_check(&next, &affine, N);
    assert_ok(dnnl_primitive_destroy(again));
    bench_end(&next);

    /* Late, but not too late for what was left behind: its list is still there. */
    assert_true(b.dst[N - 1] == 0);
    signal_event(gate);
    for (const double end = now() + FAST; ((volatile float *)b.dst)[N - 1] == 0 && now() < end;) {
    }
    assert_true(b.dst[N - 1] != 0);
    assert_ok(dnnl_primitive_destroy(primitive));
    /* The event, src and dst stay: how much of the work is over, nobody can ask. */
}

/* A stream that is left behind keeps its host memory; that is all that it may keep. */
static void in_order(void **state) {
    (void)state;
    destroy_what_waits(dnnl_stream_in_order, false);
}

static void out_of_order(void **state) {
    (void)state;
    destroy_what_waits(dnnl_stream_out_of_order, false);
}

static void profiling(void **state) {
    (void)state;
    destroy_what_waits(dnnl_stream_in_order | 4 /* profiling */, false);
}

static void on_own_list(void **state) {
    (void)state;
    destroy_what_waits(0, true);
}

static void without_newer_calls(void **state) {
    (void)state;
    const ze_table_t real = ze;
    ze.CommandListHostSynchronize = NULL;
    destroy_what_waits(dnnl_stream_in_order, false);
    ze = real;
}

#define NO_LIMIT "waits of OpenCL have no time limit"
#define LEAVES(function) {#function, function, NULL, NULL, (void *)NO_LIMIT}

int main(void) {
    const struct CMUnitTest never[] = {LEAVES(in_order), LEAVES(out_of_order), LEAVES(profiling),
            LEVEL_ZERO_TEST(on_own_list, NO_LIMIT), LEAVES(without_newer_calls)};
    return RUN_TESTS(never);
}
