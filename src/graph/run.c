/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/run.h"

#include "core/check.h"
#include "graph/constants.h"
#include "graph/report.h"

static dnnl_status_t check(
        const_dnnl_graph_compiled_partition_t cp, dnnl_stream_t stream, const run_t *run) {
    CHECK_NOT_NULL(cp, "graph");
    CHECK_NOT_NULL(stream, "graph");
    CHECK_ARG(cp->frames, "graph", "the compiled partition is not compiled");
    CHECK_ARG((run->in || !run->nin) && (run->out || !run->nout), "graph", "tensors are NULL");
    CHECK_ARG(run->nin >= cp->in.count && run->nout >= cp->out.count, "graph",
            "%zu inputs and %zu outputs for %zu and %zu", run->nin, run->nout, cp->in.count,
            cp->out.count);
    CHECK_ARG(stream_is_of(stream, frames_program(cp->frames)->engine), "graph",
            "the stream is of another device than the compiled partition");
    CHECK_ARG(run->ndeps >= 0 && (run->deps || !run->ndeps), "graph", "events are NULL");
    return dnnl_success;
}

static void *aligned(void *ptr) {
    const uintptr_t mask = SCRATCH_ALIGNMENT - 1;
    return (void *)(((uintptr_t)ptr + mask) & ~mask);
}

/* With memory that the stream keeps. */
static dnnl_status_t run_with_borrowed(
        frames_t *frames, size_t size, dnnl_stream_t stream, execution_t *execution) {
    device_buffer_t buffer;
    TRY(device_borrow(stream, size, &buffer));
    execution->scratch = aligned(buffer.ptr);
    const dnnl_status_t status = frames_execute(frames, execution);
    device_return(stream, buffer);
    return status;
}

/* With memory of the engine's allocator, which is given back at once: the device is done with it
 * before it is freed. */
static dnnl_status_t run_with_own(
        frames_t *frames, size_t size, dnnl_stream_t stream, execution_t *execution) {
    const dnnl_engine_t engine = frames_program(frames)->engine;
    device_event_t event = NULL;
    void *ptr;
    CHECK_ARG(!stream_records(stream), "graph",
            "a stream that records needs a scratchpad of the program");
    if (device_lends(engine, stream)) return run_with_borrowed(frames, size, stream, execution);
    TRY(device_allocate(engine, size, &ptr));
    const bool own_event = device_wants_event(engine) && !execution->event;
    if (own_event) execution->event = &event;
    execution->scratch = aligned(ptr);
    const dnnl_status_t status = frames_execute(frames, execution);
    /* After a failure there is no event, and some steps may run. */
    if (status != dnnl_success) device_wait(stream);
    device_free(engine, ptr, status == dnnl_success && execution->event ? *execution->event : NULL);
    if (own_event) device_drop_event(engine, event);
    return status;
}

static dnnl_status_t run_with_scratchpad(const_dnnl_graph_compiled_partition_t cp,
        dnnl_stream_t stream, const run_t *run, execution_t *execution) {
    const size_t size = frames_program(cp->frames)->scratch;
    if (!size) return frames_execute(cp->frames, execution);
    if (!run->scratchpad) return run_with_own(cp->frames, size, stream, execution);
    CHECK_ARG(run->scratchpad->ptr, "graph", "the scratchpad has no memory");
    CHECK_ARG(lt_bytes(&run->scratchpad->lt) >= size, "graph",
            "the scratchpad has %zu bytes and not %zu", lt_bytes(&run->scratchpad->lt), size);
    execution->scratch = aligned(run->scratchpad->ptr);
    return frames_execute(cp->frames, execution);
}

/* The first execution computes the constants. It waits for them, so that others may use them on
 * all streams. */
static dnnl_status_t run_with_constants(const_dnnl_graph_compiled_partition_t cp,
        dnnl_stream_t stream, const run_t *run, execution_t *execution) {
    const bool records = stream_records(stream);
    kept_t *kept;
    TRY(constants_get(frames_program(cp->frames), run->in, &kept, &execution->has_kept));
    if (records && !execution->has_kept) {
        constants_unref(kept);
        CHECK_ARG(false, "graph",
                "a stream that records needs constants that are in the cache: execute the compiled "
                "partition once on another stream");
    }
    if (records) constants_pin(kept);
    execution->kept = constants_data(kept);
    dnnl_status_t status = run_with_scratchpad(cp, stream, run, execution);
    if (status == dnnl_success && !execution->has_kept && constants_fit(kept)) {
        status = device_wait(stream);
        if (status == dnnl_success) constants_publish(kept);
    }
    constants_unref(kept);
    return status;
}

/* Fetches what is read later of all tensors: between two executions, the data of kernels may have
 * taken the caches. */
static void fetch(const const_dnnl_graph_tensor_t *tensors, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (tensors[i]) __builtin_prefetch(&tensors[i]->ptr);
}

static dnnl_status_t run_checked(
        const_dnnl_graph_compiled_partition_t cp, dnnl_stream_t stream, const run_t *run) {
    execution_t execution = {.stream = stream,
            .in = run->in,
            .out = run->out,
            .ndeps = run->ndeps,
            .deps = run->deps,
            .event = run->event};
    return frames_program(cp->frames)->constants.size
                   ? run_with_constants(cp, stream, run, &execution)
                   : run_with_scratchpad(cp, stream, run, &execution);
}

static __attribute__((noinline)) dnnl_status_t run_logged(
        const_dnnl_graph_compiled_partition_t cp, dnnl_stream_t stream, const run_t *run) {
    const double start = verbose_now_ms();
    const dnnl_status_t status = run_checked(cp, stream, run);
    if (status == dnnl_success && verbose_on(VERBOSE_EXEC))
        report_execution(cp, stream, run, start);
    return status;
}

dnnl_status_t compiled_run(
        const_dnnl_graph_compiled_partition_t cp, dnnl_stream_t stream, const run_t *run) {
    TRY(check(cp, stream, run));
    fetch(run->in, cp->in.count);
    fetch(run->out, cp->out.count);
    return verbose_is_off(VERBOSE_EXEC) ? run_checked(cp, stream, run)
                                        : run_logged(cp, stream, run);
}

dnnl_status_t dnnl_graph_compiled_partition_execute_v2(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const_dnnl_graph_tensor_t scratchpad) {
    dnnl_status_t status;
    const run_t run = {num_inputs, num_outputs, inputs, outputs, scratchpad, 0, NULL, NULL};
    if (stream && device_layer_runs(stream, compiled_partition, &run, &status)) return status;
    return compiled_run(compiled_partition, stream, &run);
}

dnnl_status_t dnnl_graph_compiled_partition_execute(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs) {
    return dnnl_graph_compiled_partition_execute_v2(
            compiled_partition, stream, num_inputs, inputs, num_outputs, outputs, NULL);
}
