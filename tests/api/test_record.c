/* SPDX-License-Identifier: Apache-2.0 */
/* Streams on regular command lists: recording once, running many times. */
#define DNNL_EXPERIMENTAL_PROFILING
#include <unistd.h>

#include "oneapi/dnnl/dnnl_ze_recording.h"
#include "rt.h"
#include "ze/stream.h"

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
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
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

/* Two primitives, of which the second reads what the first writes, and the scratchpad that grows
 * between them. Runs read what the buffers hold by then. */
static void runs_many_times(void **state) {
    (void)state;
    record_t r = begin(0);
    bench_t *b = &r.b;
    dnnl_primitive_t first = new_primitive(b->engine, &slow),
                     second = new_primitive(b->engine, &steps);
    float *between = new_usm(N * sizeof *between), *copy = new_usm(N * sizeof *copy);
    dnnl_memory_t mid = new_floats(b->engine, N, between);
    assert_ok(dnnl_primitive_execute(
            first, b->stream, 2, (dnnl_exec_arg_t[]){b->args[0], {DNNL_ARG_DST, mid}}));
    assert_ok(dnnl_primitive_execute(
            second, b->stream, 2, (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, mid}, b->args[1]}));
    /* The application's own command takes its place. */
    assert_ze(
            zeCommandListAppendMemoryCopy(b->list, copy, b->dst, N * sizeof *copy, NULL, 0, NULL));
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
    dnnl_primitive_t primitive = new_primitive(b->engine, &steps),
                     other = new_primitive(b->engine, &slow);
    float *out = new_usm(N * sizeof *out);
    dnnl_memory_t out_mem = new_floats(b->engine, N, out);
    const dnnl_exec_arg_t args[] = {b->args[1], {DNNL_ARG_DST, out_mem}};
    assert_ok(dnnl_ze_interop_primitive_execute(primitive, b->stream, 2, b->args, 1, &gate, &done));
    assert_ok(dnnl_ze_interop_primitive_execute(other, b->stream, 2,
            (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, b->dst_mem}, args[1]}, 1, &done, &after));
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
    dnnl_primitive_t primitive = new_primitive(b->engine, &steps),
                     other = new_primitive(b->engine, &slow);
    ze_event_handle_t done;
    uint64_t ns[2] = {0, 0};
    int entries = 0;
    for (int record = 0; record < 2; record++) {
        assert_ok(dnnl_ze_interop_primitive_execute(
                primitive, b->stream, 2, b->args, 0, NULL, &done));
        assert_ok(dnnl_primitive_execute(other, b->stream, 2, b->args));
        assert_ze(zeCommandListClose(b->list));
        assert_ok(dnnl_query_profiling_data(
                b->stream, dnnl_profiling_data_kind_time, &entries, NULL));
        assert_int_equal(entries, 2);
        if (record == 0) /* it has not run */
            assert_status(dnnl_query_profiling_data(
                                  b->stream, dnnl_profiling_data_kind_time, &entries, ns),
                    runtime_error);
        for (int turn = 0; turn < 3; turn++) {
            run(&r);
            ns[0] = ns[1] = 0;
            assert_ok(dnnl_query_profiling_data(
                    b->stream, dnnl_profiling_data_kind_time, &entries, ns));
            assert_true(ns[0] > 0 && ns[1] > 0 && ns[0] < 60000000000 && ns[1] < 60000000000);
            assert_ze(zeEventQueryStatus(done));
        }
        bench_check(b, &slow, N);
        assert_ze(zeCommandListReset(b->list));
        assert_ok(dnnl_reset_profiling(b->stream));
        assert_ok(dnnl_query_profiling_data(
                b->stream, dnnl_profiling_data_kind_time, &entries, NULL));
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

/* A list that takes no reset, and one that is closed: a status, no event, and the next attempt
 * works. */
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
        assert_status(
                dnnl_ze_interop_primitive_execute(primitive, b->stream, 2, b->args, 0, NULL, &done),
                out_of_memory);
        ze.CommandListAppendEventReset = real;
        assert_int_equal(resets_left, 0);
        assert_null(done);
        assert_ok(dnnl_ze_interop_primitive_execute(
                primitive, b->stream, 2, b->args, 0, NULL, &done));
        assert_non_null(done);
        assert_ze(zeCommandListClose(b->list));
        run(&r);
        assert_ze(zeEventQueryStatus(done));
        bench_check(b, &slow, N);
        assert_ok(dnnl_primitive_destroy(primitive));
        end(&r);
    }
}

/* ---- exchanged buffers ---- */

enum { STYPE_MUTABLE_LIST = 0x00020016 };
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint32_t flags;
} mutable_list_desc_t;

/* On a mutable list; false: there are none, and the library says so. */
static bool begin_mutable(record_t *r, int profiling) {
    const mutable_list_desc_t more = {.stype = (ze_structure_type_t)STYPE_MUTABLE_LIST};
    const ze_command_list_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .pNext = &more};
    *r = begin(0);
    const device_core_t *core = r->b.engine->core;
    const bool there = core->next_command_id && core->update_commands;
    assert_ok(dnnl_stream_destroy(r->b.stream));
    assert_ze(zeCommandListDestroy(r->b.list));
    if (core->caps.has_mutable_arguments)
        assert_ze(zeCommandListCreate(app.context, app.device, &desc, &r->b.list));
    else r->b.list = new_list();
    const dnnl_status_t status =
            dnnl_ze_recording_create(&r->b.stream, r->b.engine, r->b.list, profiling);
    assert_int_equal(status, there ? dnnl_success : dnnl_unimplemented);
    if (there) return true;
    print_message("no mutable lists here\n");
    assert_ok(dnnl_stream_create(&r->b.stream, r->b.engine, dnnl_stream_in_order));
    end(r);
    return false;
}

enum { BUFFERS = 6 };
typedef struct {
    float *all[BUFFERS], *at[BUFFERS]; /* the memory objects begin in the middle */
    dnnl_memory_t mem[BUFFERS];
} buffers_t;

static buffers_t new_buffers(dnnl_engine_t engine) {
    buffers_t f;
    for (int i = 0; i < BUFFERS; i++) {
        f.all[i] = new_usm((N + BUFFERS) * sizeof(float));
        f.at[i] = f.all[i] + i; /* aligned to nothing but a float */
        f.mem[i] = new_floats(engine, N, f.at[i]);
    }
    return f;
}

static void free_buffers(buffers_t *f) {
    for (int i = 0; i < BUFFERS; i++) {
        assert_ok(dnnl_memory_destroy(f->mem[i]));
        free_usm(f->all[i]);
    }
}

static void exchange(record_t *r, int n, const dnnl_memory_t *from, const dnnl_memory_t *to) {
    assert_ok(dnnl_ze_recording_exchange(
            r->b.stream, n, (const const_dnnl_memory_t *)from, (const const_dnnl_memory_t *)to));
    assert_ze(zeCommandListClose(r->b.list));
}

/* first: in -> mid, second, of several steps: mid -> out, each of them any of the buffers. */
static void run_with(record_t *r, buffers_t *f, int in, int mid, int out, int turn) {
    for (int i = 0; i < BUFFERS; i++)
        for (int j = 0; j < N; j++) f->at[i][j] = -1;
    for (int j = 0; j < N; j++) f->at[in][j] = (float)(j + turn);
    run(r);
    for (int j = 0; j < N; j++) {
        const float between = affine_result(&slow, (float)(j + turn));
        assert_true(f->at[mid][j] == between);
        assert_true(f->at[out][j] == affine_result(&steps, between));
        for (int i = 0; i < BUFFERS; i++)
            if (i != in && i != mid && i != out) assert_true(f->at[i][j] == -1);
    }
}

static void runs_with_other_buffers(void **state) {
    (void)state;
    for (int timed = 0; timed < 2; timed++) {
        record_t r;
        if (!begin_mutable(&r, timed)) return;
        dnnl_primitive_t first = new_primitive(r.b.engine, &slow),
                         second = new_primitive(r.b.engine, &steps);
        buffers_t f = new_buffers(r.b.engine);
        int at[] = {0, 1, 2};
        assert_ok(dnnl_primitive_execute(first, r.b.stream, 2,
                (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, f.mem[0]}, {DNNL_ARG_DST, f.mem[1]}}));
        assert_ok(dnnl_primitive_execute(second, r.b.stream, 2,
                (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, f.mem[1]}, {DNNL_ARG_DST, f.mem[2]}}));
        assert_ze(zeCommandListClose(r.b.list));
        run_with(&r, &f, 0, 1, 2, 0);
        for (int turn = 1; turn < 40; turn++) {
            /* One, all, or two that change places. */
            const int to[] = {turn % 3 == 1 ? (at[0] + 3) % BUFFERS : at[turn % 3 == 2],
                    turn % 3 == 1 ? (at[1] + 3) % BUFFERS : at[turn % 3 != 2],
                    turn % 3 == 1 ? (at[2] + 3) % BUFFERS : at[2]};
            const dnnl_memory_t old[] = {f.mem[at[0]], f.mem[at[1]], f.mem[at[2]]},
                                fresh[] = {f.mem[to[0]], f.mem[to[1]], f.mem[to[2]]};
            exchange(&r, 3, old, fresh);
            memcpy(at, to, sizeof at);
            run_with(&r, &f, at[0], at[1], at[2], turn);
        }
        /* Exchanged by any object at the address, alone and to the same. */
        dnnl_memory_t alias = new_floats(r.b.engine, 1, f.at[at[2]]);
        const int spare = (at[2] + 3) % BUFFERS;
        exchange(&r, 1, &alias, &f.mem[spare]);
        run_with(&r, &f, at[0], at[1], spare, 3);
        exchange(&r, 1, &f.mem[spare], &f.mem[spare]);
        run_with(&r, &f, at[0], at[1], spare, 4);
        if (timed) {
            int n = 2;
            uint64_t ns[2];
            assert_ok(dnnl_query_profiling_data(r.b.stream, dnnl_profiling_data_kind_time, &n, ns));
            assert_true(ns[0] > 0 && ns[1] > 0);
        }
        assert_ok(dnnl_memory_destroy(alias));
        assert_ok(dnnl_primitive_destroy(first));
        assert_ok(dnnl_primitive_destroy(second));
        end(&r);
        free_buffers(&f);
    }
}

/* A scratchpad of the application is a buffer like others: afterwards the old one is left alone. */
static void exchanges_the_scratchpad(void **state) {
    (void)state;
    record_t r;
    if (!begin_mutable(&r, 0)) return;
    const affine_t user = {.n = N, .steps = 3, .factor = 3, .addend = 1, .user_scratchpad = true};
    dnnl_primitive_t primitive = new_primitive(r.b.engine, &user);
    float *scratch[2];
    dnnl_memory_t mem[2];
    for (int i = 0; i < 2; i++) {
        scratch[i] = new_usm(4 * N * sizeof(float));
        mem[i] = new_floats(r.b.engine, 4 * N, scratch[i]);
    }
    const dnnl_exec_arg_t args[] = {r.b.args[0], r.b.args[1], {DNNL_ARG_SCRATCHPAD, mem[0]}};
    assert_ok(dnnl_primitive_execute(primitive, r.b.stream, 3, args));
    assert_ze(zeCommandListClose(r.b.list));
    exchange(&r, 1, &mem[0], &mem[1]);
    memset(scratch[0], 0x55, 4 * N * sizeof(float));
    memset(scratch[1], 0x55, 4 * N * sizeof(float));
    float before;
    memcpy(&before, scratch[0], sizeof before);
    run(&r);
    bench_check(&r.b, &user, N);
    bool used = false;
    for (int i = 0; i < 4 * N; i++) {
        assert_true(scratch[0][i] == before);
        if (scratch[1][i] != before) used = true;
    }
    assert_true(used);
    for (int i = 0; i < 2; i++) {
        assert_ok(dnnl_memory_destroy(mem[i]));
        free_usm(scratch[i]);
    }
    assert_ok(dnnl_primitive_destroy(primitive));
    end(&r);
}

static ze_result_t fail_to_update(ze_command_list_handle_t list, const ze_mutable_desc_t *desc) {
    (void)list;
    (void)desc;
    return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
}

/* A recorded kernel that expects a line at the start of a buffer cannot be given another one. */
static void exchanges_lines(void **state) {
    (void)state;
    record_t r;
    if (!begin_mutable(&r, 0)) return;
    affine_t lines = slow;
    lines.n = N;
    lines.lines = true;
    dnnl_primitive_t primitive = new_primitive(r.b.engine, &lines);
    uint8_t *usm = new_usm(4 * 64 * N);
    const int at[] = {0, 64 * N, 64 * N + 4, 2 * 64 * N};
    dnnl_memory_t mem[4];
    for (int i = 0; i < 4; i++) mem[i] = new_floats(r.b.engine, N, usm + at[i]);
    assert_ok(dnnl_primitive_execute(primitive, r.b.stream, 2,
            (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, mem[0]}, {DNNL_ARG_DST, mem[1]}}));
    assert_ze(zeCommandListClose(r.b.list));
    assert_status(dnnl_ze_recording_exchange(r.b.stream, 1, (const const_dnnl_memory_t *)mem + 1,
                          (const const_dnnl_memory_t *)mem + 2),
            invalid_arguments);
    exchange(&r, 1, mem + 1, mem + 3);
    float *src = (float *)(void *)usm, *dst = (float *)(void *)(usm + at[3]);
    for (int j = 0; j < N; j++) src[j] = (float)j;
    run(&r);
    for (int j = 0; j < N; j++) assert_true(dst[j] == affine_result(&lines, (float)j));
    for (int i = 0; i < 4; i++) assert_ok(dnnl_memory_destroy(mem[i]));
    free_usm(usm);
    assert_ok(dnnl_primitive_destroy(primitive));
    end(&r);
}

/* Whatever is refused leaves the recording as it was. */
static void refuses_to_exchange(void **state) {
    (void)state;
    record_t r;
    dnnl_stream_t none = NULL;
    if (!begin_mutable(&r, 0)) return;
    dnnl_engine_t other_engine;
    dnnl_primitive_t first = new_primitive(r.b.engine, &slow),
                     second = new_primitive(r.b.engine, &steps);
    buffers_t f = new_buffers(r.b.engine);
    float few_floats = 1;
    dnnl_memory_t small = new_floats(r.b.engine, N - 1, f.at[4]),
                  empty = new_floats(r.b.engine, N, NULL), scalar, foreign;
    md_t md;
    floats_md(&md, N);
    dnnl_memory_desc_t scalar_md;
    assert_ok(dnnl_memory_desc_create_host_scalar(&scalar_md, dnnl_f32));
    assert_ok(dnnl_memory_create_host_scalar(&scalar, scalar_md, &few_floats));
    assert_ok(dnnl_memory_desc_destroy(scalar_md));
    ze_context_handle_t context;
    const ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    assert_ze(zeContextCreate(app.driver, &context_desc, &context));
    assert_ok(dnnl_ze_interop_engine_create(&other_engine, app.driver, app.device, context));
    assert_ok(dnnl_memory_create(
            &foreign, (const_dnnl_memory_desc_t)&md, other_engine, DNNL_MEMORY_ALLOCATE));

    assert_ok(dnnl_primitive_execute(first, r.b.stream, 2,
            (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, f.mem[0]}, {DNNL_ARG_DST, f.mem[1]}}));
    assert_ok(dnnl_primitive_execute(second, r.b.stream, 2,
            (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, f.mem[1]}, {DNNL_ARG_DST, f.mem[2]}}));
    assert_ze(zeCommandListClose(r.b.list));

    const dnnl_memory_t from[][2] = {{f.mem[0], f.mem[5]}, {f.mem[0], f.mem[1]},
            {f.mem[0], f.mem[1]}, {f.mem[0], f.mem[1]}, {f.mem[0], scalar}, {f.mem[0], f.mem[0]},
            {f.mem[0], NULL}, {f.mem[0], f.mem[1]}, {f.mem[0], f.mem[1]}};
    const dnnl_memory_t to[][2] = {{f.mem[3], f.mem[4]}, {f.mem[3], small}, {f.mem[3], empty},
            {f.mem[3], scalar}, {f.mem[3], f.mem[4]}, {f.mem[3], f.mem[4]}, {f.mem[3], f.mem[4]},
            {f.mem[3], foreign}, {f.mem[3], NULL}};
    for (size_t i = 0; i < COUNT_OF(from); i++)
        assert_status(
                dnnl_ze_recording_exchange(r.b.stream, 2, (const const_dnnl_memory_t *)from[i],
                        (const const_dnnl_memory_t *)to[i]),
                invalid_arguments);
    const const_dnnl_memory_t *a = (const const_dnnl_memory_t *)f.mem,
                              *b = (const const_dnnl_memory_t *)f.mem + 3;
    assert_status(dnnl_ze_recording_exchange(r.b.stream, -1, a, b), invalid_arguments);
    assert_status(dnnl_ze_recording_exchange(r.b.stream, 1, NULL, b), invalid_arguments);
    assert_status(dnnl_ze_recording_exchange(r.b.stream, 1, a, NULL), invalid_arguments);
    assert_status(dnnl_ze_recording_exchange(NULL, 1, a, b), invalid_arguments);
    assert_ok(dnnl_ze_recording_exchange(r.b.stream, 0, NULL, NULL));
    device_core_t *core = r.b.engine->core;
    const __typeof__(core->update_commands) real = core->update_commands;
    core->update_commands = fail_to_update;
    assert_status(dnnl_ze_recording_exchange(r.b.stream, 1, a, b), out_of_memory);
    core->update_commands = real;
    run_with(&r, &f, 0, 1, 2, 5);
    exchange(&r, 1, f.mem, f.mem + 3);
    run_with(&r, &f, 3, 1, 2, 6);

    /* Streams that were not made for it, and lists that are none for it. */
    record_t plain = begin(0);
    assert_status(dnnl_ze_recording_exchange(plain.b.stream, 1, a, b), invalid_arguments);
    if (core->is_mutable)
        assert_status(dnnl_ze_recording_create(&none, plain.b.engine, plain.b.list, 0),
                invalid_arguments);
    end(&plain);
    ze_command_list_handle_t immediate = new_list();
    if (core->is_mutable || core->is_immediate)
        assert_status(dnnl_ze_recording_create(&none, r.b.engine, immediate, 0), invalid_arguments);
    assert_ze(zeCommandListDestroy(immediate));
    const __typeof__(core->next_command_id) next = core->next_command_id;
    core->next_command_id = NULL;
    assert_status(dnnl_ze_recording_create(&none, r.b.engine, r.b.list, 0), unimplemented);
    core->next_command_id = next;
    assert_status(dnnl_ze_recording_create(NULL, r.b.engine, r.b.list, 0), invalid_arguments);
    assert_status(dnnl_ze_recording_create(&none, NULL, r.b.list, 0), invalid_arguments);
    assert_status(dnnl_ze_recording_create(&none, r.b.engine, NULL, 0), invalid_arguments);
    assert_null(none);

    assert_ok(dnnl_memory_destroy(small));
    assert_ok(dnnl_memory_destroy(empty));
    assert_ok(dnnl_memory_destroy(scalar));
    assert_ok(dnnl_memory_destroy(foreign));
    assert_ok(dnnl_engine_destroy(other_engine));
    assert_ze(zeContextDestroy(context));
    assert_ok(dnnl_primitive_destroy(first));
    assert_ok(dnnl_primitive_destroy(second));
    end(&r);
    free_buffers(&f);
}

#define RECORDINGS "there are no recordings on OpenCL"

int main(void) {
    const struct CMUnitTest record[] = {LEVEL_ZERO_TEST(runs_many_times, RECORDINGS),
            LEVEL_ZERO_TEST(does_not_wait, RECORDINGS),
            LEVEL_ZERO_TEST(events_in_each_run, RECORDINGS), LEVEL_ZERO_TEST(profiling, RECORDINGS),
            LEVEL_ZERO_TEST(failures, RECORDINGS),
            LEVEL_ZERO_TEST(runs_with_other_buffers, RECORDINGS),
            LEVEL_ZERO_TEST(exchanges_the_scratchpad, RECORDINGS),
            LEVEL_ZERO_TEST(exchanges_lines, RECORDINGS),
            LEVEL_ZERO_TEST(refuses_to_exchange, RECORDINGS)};
    return RUN_TESTS(record);
}
