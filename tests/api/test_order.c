/* SPDX-License-Identifier: Apache-2.0 */
/* Out-of-order streams on a device that starts what may overlap in another order (ZE_CPU_ORDER
 * of the CPU driver): the dependencies that the library and the caller give are complete, and
 * one that is left out is noticed. */
#define DNNL_EXPERIMENTAL_PROFILING
#include "rt.h"

#include <stdlib.h>

#include "ze/engine.h"

enum { ROUNDS = 10, LENGTH = 6 };

static const affine_t one_step = {.n = N, .steps = 1, .factor = 2, .addend = 1};
/* The factor is 1: a chain of 24 steps that multiply would leave the integers that a float holds.
 * Devices that fuse multiplication and addition round there in another way than the host. */
static const affine_t many_steps = {.n = N, .steps = 4, .factor = 1, .addend = -3};

#define NEEDS_ORDER "the device is not the CPU driver's, which chooses the order"
static bool order_is_reverse(void) {
    const char *order = getenv("ZE_CPU_ORDER");
    return order && strcmp(order, "reverse") == 0;
}

/* A chain of primitives from src to dst by way of buffers of its own, each waiting for the one
 * before. */
static void run_chain(bench_t *b, const affine_t *affine, bool with_deps) {
    dnnl_primitive_t primitive = new_primitive(b->engine, affine);
    float *between[LENGTH - 1];
    dnnl_memory_t memory[LENGTH + 1];
    memory[0] = b->src_mem;
    memory[LENGTH] = b->dst_mem;
    for (int i = 0; i < LENGTH - 1; i++) {
        between[i] = new_usm(N * sizeof(float));
        for (int k = 0; k < N; k++) between[i][k] = -7;
        memory[i + 1] = new_floats(b->engine, N, between[i]);
    }
    ze_event_handle_t before = NULL;
    for (int i = 0; i < LENGTH; i++) {
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory[i]}, {DNNL_ARG_DST, memory[i + 1]}};
        ze_event_handle_t after;
        assert_ok(execute(primitive, b->stream, 2, args, with_deps && i ? 1 : 0, &before, &after));
        before = after;
    }
    assert_ok(dnnl_stream_wait(b->stream));
    for (int i = 0; i < LENGTH - 1; i++) {
        assert_ok(dnnl_memory_destroy(memory[i + 1]));
        free_usm(between[i]);
    }
    assert_ok(dnnl_primitive_destroy(primitive));
}

static bool epilogue_is_right(const bench_t *b, const affine_t *affine) {
    for (int i = 0; i < N; i++) {
        float x = (float)i;
        for (int k = 0; k < LENGTH; k++) x = affine_result(affine, x);
        if (b->dst[i] != x) return false;
    }
    return true;
}

static void deps_order_chains(void **state) {
    (void)state;
    const affine_t *const kinds[] = {&one_step, &many_steps};
    const unsigned flags[] = {dnnl_stream_out_of_order,
            dnnl_stream_out_of_order | dnnl_stream_profiling, dnnl_stream_in_order};
    for (size_t f = 0; f < COUNT_OF(flags); f++) {
        bench_t b = bench_begin(flags[f]);
        for (int i = 0; i < ROUNDS; i++) {
            memset(b.dst, 0, N * sizeof *b.dst);
            run_chain(&b, kinds[i % 2], true);
            assert_true(epilogue_is_right(&b, kinds[i % 2]));
        }
        bench_end(&b);
    }
}

static void forgotten_deps_are_noticed(void **state) {
    (void)state;
    if (!order_is_reverse()) skip();
    bench_t b = bench_begin(dnnl_stream_out_of_order);
    for (int i = 0; i < ROUNDS; i++) {
        memset(b.dst, 0, N * sizeof *b.dst);
        run_chain(&b, &one_step, false);
        assert_false(epilogue_is_right(&b, &one_step));
    }
    bench_end(&b);
}

/* Primitives of several steps beside each other: they have the stream's scratchpad in common. */
static void steps_beside_each_other(void **state) {
    (void)state;
    enum { SIDE_BY_SIDE = 5 };
    bench_t b = bench_begin(dnnl_stream_out_of_order);
    dnnl_primitive_t primitive = new_primitive(b.engine, &many_steps);
    for (int round = 0; round < ROUNDS; round++) {
        float *to[SIDE_BY_SIDE];
        dnnl_memory_t memory[SIDE_BY_SIDE];
        for (int i = 0; i < SIDE_BY_SIDE; i++) {
            to[i] = new_usm(N * sizeof(float));
            memory[i] = new_floats(b.engine, N, to[i]);
            b.args[1].memory = memory[i];
            assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
        }
        assert_ok(dnnl_stream_wait(b.stream));
        for (int i = 0; i < SIDE_BY_SIDE; i++) {
            for (int k = 0; k < N; k++)
                assert_true(to[i][k] == affine_result(&many_steps, (float)k));
            assert_ok(dnnl_memory_destroy(memory[i]));
            free_usm(to[i]);
        }
    }
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

static ze_result_t ZE_APICALL no_barrier(ze_command_list_handle_t list, ze_event_handle_t signal,
        uint32_t n, ze_event_handle_t *waits) {
    (void)list, (void)signal, (void)n, (void)waits;
    return ZE_RESULT_SUCCESS;
}

static __typeof__(ze.CommandListAppendLaunchKernel) append_launch;
static ze_result_t ZE_APICALL no_waits(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
        const ze_group_count_t *groups, ze_event_handle_t signal, uint32_t n,
        ze_event_handle_t *waits) {
    (void)n, (void)waits;
    return append_launch(list, kernel, groups, signal, 0, NULL);
}

static ze_result_t ZE_APICALL not_in_one_call(ze_command_list_handle_t list,
        ze_kernel_handle_t kernel, ze_group_count_t groups, ze_group_dims_t size, void **arguments,
        const void *next, ze_event_handle_t signal, uint32_t n, ze_event_handle_t *waits) {
    (void)list, (void)kernel, (void)groups, (void)size, (void)arguments, (void)next, (void)signal,
            (void)n, (void)waits;
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* The library without what orders the steps of a primitive, events or barriers: the proof that
 * this order of execution shows it. */
static void forgotten_order_is_noticed(void **state) {
    (void)state;
    if (!order_is_reverse()) skip();
    bench_t b = bench_begin(dnnl_stream_out_of_order);
    dnnl_primitive_t primitive = new_primitive(b.engine, &many_steps);
    /* Once as it should be: then events are there, the steps come close after each other, and
     * the scratchpad holds what belongs to another source. */
    assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
    assert_ok(dnnl_stream_wait(b.stream));
    for (int k = 0; k < N; k++) b.src[k] = (float)(k + N);
    device_core_t *core = b.engine->core;
    const __typeof__(ze.CommandListAppendBarrier) barrier = ze.CommandListAppendBarrier;
    const __typeof__(core->launch_with_arguments) in_one_call = core->launch_with_arguments;
    append_launch = ze.CommandListAppendLaunchKernel;
    ze.CommandListAppendBarrier = no_barrier;
    ze.CommandListAppendLaunchKernel = no_waits;
    if (in_one_call) core->launch_with_arguments = not_in_one_call;
    const dnnl_status_t status = dnnl_primitive_execute(primitive, b.stream, 2, b.args);
    ze.CommandListAppendBarrier = barrier;
    ze.CommandListAppendLaunchKernel = append_launch;
    core->launch_with_arguments = in_one_call;
    assert_ok(status);
    assert_ok(dnnl_stream_wait(b.stream));
    int wrong = 0;
    for (int k = 0; k < N; k++) wrong += b.dst[k] != affine_result(&many_steps, (float)(k + N));
    assert_true(wrong > 0);
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

int main(void) {
    const struct CMUnitTest order[] = {TEST(deps_order_chains),
            LEVEL_ZERO_TEST(forgotten_deps_are_noticed, NEEDS_ORDER), TEST(steps_beside_each_other),
            LEVEL_ZERO_TEST(forgotten_order_is_noticed, NEEDS_ORDER)};
    return RUN_TESTS(order);
}
