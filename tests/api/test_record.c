/* SPDX-License-Identifier: Apache-2.0 */
/* Streams on regular command lists: recording once, running many times. */
#define DNNL_EXPERIMENTAL_PROFILING
#include <unistd.h>

#include "rt.h"
#include "ze/loader.h"

static const affine_t slow = {.n = N, .steps = 1, .factor = 2, .addend = 1, .spin = 20000};
static const affine_t steps = {.n = N, .steps = 3, .factor = 3, .addend = 1};

/* Loaders before 1.9 cannot tell; then the test does. */
static ze_command_list_handle_t told;
static ze_result_t tell(ze_command_list_handle_t list, ze_bool_t *immediate) {
    *immediate = list != told;
    return ZE_RESULT_SUCCESS;
}

typedef struct {
    bench_t b; /* the stream on the regular list is b.stream */
    ze_command_queue_handle_t queue;
} record_t;

static record_t begin(int profiling) {
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {
            .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    record_t r = {.b = bench_begin(dnnl_stream_in_order)};
    assert_ok(dnnl_stream_destroy(r.b.stream));
    assert_ze(zeCommandQueueCreate(app.context, app.device, &queue_desc, &r.queue));
    assert_ze(zeCommandListCreate(app.context, app.device, &list_desc, &r.b.list));
    told = r.b.list;
    const __typeof__(ze.CommandListIsImmediate) real = ze.CommandListIsImmediate;
    if (!real) ze.CommandListIsImmediate = tell;
    assert_ok(dnnl_ze_interop_stream_create(&r.b.stream, r.b.engine, r.b.list, profiling));
    ze.CommandListIsImmediate = real;
    return r;
}

static void end(record_t *r) {
    assert_ze(zeCommandQueueDestroy(r->queue));
    assert_ok(dnnl_stream_destroy(r->b.stream));
    assert_ok(dnnl_stream_create(
            &r->b.stream, r->b.engine, dnnl_stream_in_order)); /* one that can be waited for */
    bench_end(&r->b);
}

static void submit(record_t *r) {
    assert_ze(zeCommandQueueExecuteCommandLists(r->queue, 1, &r->b.list, NULL));
}

static void run(record_t *r) {
    submit(r);
    assert_ze(zeCommandQueueSynchronize(r->queue, FOREVER));
}

/* Two primitives, of which the second reads what the first writes, and the scratchpad that grows between
 * them. Runs read what the buffers hold by then. */
static void runs_many_times(void **state) {
    (void)state;
    record_t r = begin(0);
    bench_t *b = &r.b;
    dnnl_primitive_t first = new_primitive(b->engine, &slow), second = new_primitive(b->engine, &steps);
    float *between = new_usm(N * sizeof *between), *copy = new_usm(N * sizeof *copy);
    dnnl_memory_t mid = new_floats(b->engine, N, between);
    assert_ok(dnnl_primitive_execute(
            first, b->stream, 2, (dnnl_exec_arg_t[]){b->args[0], {DNNL_ARG_DST, mid}}));
    assert_ok(dnnl_primitive_execute(
            second, b->stream, 2, (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, mid}, b->args[1]}));
    /* The application's own command takes its place. */
    assert_ze(zeCommandListAppendMemoryCopy(b->list, copy, b->dst, N * sizeof *copy, NULL, 0, NULL));
    assert_ze(zeCommandListClose(b->list));
    for (int i = 0; i < N; i++) assert_true(b->dst[i] == 0); /* nothing has run yet */

    for (int turn = 0; turn < 200; turn++) {
        for (int i = 0; i < N; i++) b->src[i] = (float)(i + turn);
        run(&r);
        for (int i = 0; i < N; i++)
            assert_true(copy[i] == affine_result(&steps, affine_result(&slow, (float)(i + turn))));
    }
    assert_ok(dnnl_memory_destroy(mid));
    assert_ok(dnnl_primitive_destroy(first));
    assert_ok(dnnl_primitive_destroy(second));
    end(&r);
    free_usm(between);
    free_usm(copy);
}

/* Nothing that waits for the device can, and says so instead. */
static void does_not_wait(void **state) {
    (void)state;
    record_t r = begin(0);
    dnnl_primitive_t primitive = new_primitive(r.b.engine, &steps);
    assert_status(dnnl_stream_wait(r.b.stream), invalid_arguments);
    assert_ok(dnnl_set_verbose(2)); /* which waits before and after an execution, where it can */
    assert_ok(dnnl_primitive_execute(primitive, r.b.stream, 2, r.b.args));
    assert_ok(dnnl_set_verbose(0));
    assert_status(dnnl_stream_wait(r.b.stream), invalid_arguments);
    assert_ze(zeCommandListClose(r.b.list));
    run(&r);
    bench_check(&r.b, &steps, N);
    assert_ok(dnnl_primitive_destroy(primitive));
    end(&r);
}

/* Each run takes back the events that the one before signalled, and waits for the application's. */
static void events_in_each_run(void **state) {
    (void)state;
    record_t r = begin(0);
    bench_t *b = &r.b;
    ze_event_pool_handle_t pool;
    const ze_event_handle_t gate = new_event(&pool);
    ze_event_handle_t done = NULL, after = NULL;
    dnnl_primitive_t primitive = new_primitive(b->engine, &steps), other = new_primitive(b->engine, &slow);
    float *out = new_usm(N * sizeof *out);
    dnnl_memory_t out_mem = new_floats(b->engine, N, out);
    const dnnl_exec_arg_t args[] = {b->args[1], {DNNL_ARG_DST, out_mem}};
    assert_ok(dnnl_ze_interop_primitive_execute(primitive, b->stream, 2, b->args, 1, &gate, &done));
    assert_ok(dnnl_ze_interop_primitive_execute(
            other, b->stream, 2, (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, b->dst_mem}, args[1]}, 1, &done, &after));
    assert_ze(zeCommandListClose(b->list));
    for (int turn = 0; turn < 3; turn++) {
        memset(b->dst, 0, N * sizeof *b->dst);
        memset(out, 0, N * sizeof *out);
        submit(&r);
        while (zeEventQueryStatus(done) == ZE_RESULT_SUCCESS) {
        } /* of the run before */
        assert_true(b->dst[N - 1] == 0);
        assert_ze(zeEventHostSignal(gate));
        assert_ze(zeCommandQueueSynchronize(r.queue, FOREVER));
        assert_ze(zeEventQueryStatus(done));
        assert_ze(zeEventQueryStatus(after));
        for (int i = 0; i < N; i++)
            assert_true(out[i] == affine_result(&slow, affine_result(&steps, (float)i)));
        assert_ze(zeEventHostReset(gate));
    }
    assert_ok(dnnl_memory_destroy(out_mem));
    assert_ok(dnnl_primitive_destroy(primitive));
    assert_ok(dnnl_primitive_destroy(other));
    end(&r);
    free_usm(out);
    free_event(pool, gate);
}

static void profiling(void **state) {
    (void)state;
    record_t r = begin(1);
    bench_t *b = &r.b;
    dnnl_primitive_t primitive = new_primitive(b->engine, &steps), other = new_primitive(b->engine, &slow);
    ze_event_handle_t done;
    uint64_t ns[2] = {0, 0};
    int entries = 0;
    for (int record = 0; record < 2; record++) {
        assert_ok(dnnl_ze_interop_primitive_execute(primitive, b->stream, 2, b->args, 0, NULL, &done));
        assert_ok(dnnl_primitive_execute(other, b->stream, 2, b->args));
        assert_ze(zeCommandListClose(b->list));
        assert_ok(dnnl_query_profiling_data(b->stream, dnnl_profiling_data_kind_time, &entries, NULL));
        assert_int_equal(entries, 2);
        if (record == 0) /* it has not run */
            assert_status(dnnl_query_profiling_data(b->stream, dnnl_profiling_data_kind_time, &entries, ns),
                    runtime_error);
        for (int turn = 0; turn < 3; turn++) {
            run(&r);
            ns[0] = ns[1] = 0;
            assert_ok(dnnl_query_profiling_data(b->stream, dnnl_profiling_data_kind_time, &entries, ns));
            assert_true(ns[0] > 0 && ns[1] > 0 && ns[0] < 60000000000 && ns[1] < 60000000000);
            assert_ze(zeEventQueryStatus(done));
        }
        bench_check(b, &slow, N);
        assert_ze(zeCommandListReset(b->list));
        assert_ok(dnnl_reset_profiling(b->stream));
        assert_ok(dnnl_query_profiling_data(b->stream, dnnl_profiling_data_kind_time, &entries, NULL));
        assert_int_equal(entries, 0);
    }
    assert_ok(dnnl_primitive_destroy(primitive));
    assert_ok(dnnl_primitive_destroy(other));
    end(&r);
}

static int resets_left;
static ze_result_t fail_to_reset(ze_command_list_handle_t list, ze_event_handle_t event) {
    (void)list;
    (void)event;
    resets_left--;
    return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
}

/* A list that takes no reset, and one that is closed: a status, no event, and the next attempt works. */
static void failures(void **state) {
    (void)state;
    for (int timed = 0; timed < 2; timed++) {
        record_t r = begin(timed);
        bench_t *b = &r.b;
        dnnl_primitive_t primitive = new_primitive(b->engine, &slow);
        ze_event_handle_t done = NULL;
        const __typeof__(ze.CommandListAppendEventReset) real = ze.CommandListAppendEventReset;
        ze.CommandListAppendEventReset = fail_to_reset;
        resets_left = 1;
        assert_status(dnnl_ze_interop_primitive_execute(primitive, b->stream, 2, b->args, 0, NULL, &done),
                out_of_memory);
        ze.CommandListAppendEventReset = real;
        assert_int_equal(resets_left, 0);
        assert_null(done);
        assert_ok(dnnl_ze_interop_primitive_execute(primitive, b->stream, 2, b->args, 0, NULL, &done));
        assert_non_null(done);
        assert_ze(zeCommandListClose(b->list));
        run(&r);
        assert_ze(zeEventQueryStatus(done));
        bench_check(b, &slow, N);
        assert_ok(dnnl_primitive_destroy(primitive));
        end(&r);
    }
}

int main(void) {
    const struct CMUnitTest record[] = {TEST(runs_many_times), TEST(does_not_wait), TEST(events_in_each_run),
            TEST(profiling), TEST(failures)};
    return RUN_TESTS(record);
}
