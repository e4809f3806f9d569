/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events and the order of work. */
#define DNNL_EXPERIMENTAL_PROFILING
#include <stdlib.h>

#include "rt.h"
#include "ze/loader.h"

static const affine_t slow = {.n = N, .steps = 1, .factor = 2, .addend = 1, .spin = 20000};
static const affine_t nothing = {.n = 0, .steps = 1};

static void arguments(void **state) {
    (void)state;
    dnnl_engine_t engine = new_engine(), got;
    dnnl_stream_t stream = NULL;
    ze_command_list_handle_t list = new_list(), got_list;
    static const unsigned bad[] = {0, 3, dnnl_stream_profiling, 8 | dnnl_stream_in_order, ~0u};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_status(dnnl_stream_create(&stream, engine, bad[i]), invalid_arguments);
    assert_status(dnnl_stream_create(NULL, engine, dnnl_stream_in_order), invalid_arguments);
    assert_status(dnnl_stream_create(&stream, NULL, dnnl_stream_in_order), invalid_arguments);
    assert_status(runtime->stream(NULL, engine, list), invalid_arguments);
    assert_status(runtime->stream(&stream, NULL, list), invalid_arguments);
    assert_status(runtime->stream(&stream, engine, NULL), invalid_arguments);
    assert_null(stream);

    assert_ok(dnnl_stream_create(&stream, engine, dnnl_stream_in_order));
    assert_ok(dnnl_stream_get_engine(stream, &got));
    assert_ptr_equal(got, engine);
    assert_ok(runtime->list_of(stream, &got_list));
    assert_non_null(got_list);
    assert_status(dnnl_stream_get_engine(NULL, &got), invalid_arguments);
    assert_status(dnnl_stream_get_engine(stream, NULL), invalid_arguments);
    assert_status(runtime->list_of(NULL, &got_list), invalid_arguments);
    assert_status(runtime->list_of(stream, NULL), invalid_arguments);
    assert_status(dnnl_stream_wait(NULL), invalid_arguments);
    assert_ok(dnnl_stream_wait(stream));
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_stream_destroy(NULL));

    assert_ok(runtime->stream(&stream, engine, list));
    assert_ok(runtime->list_of(stream, &got_list));
    assert_ptr_equal(got_list, list);
    /* The list may go first. */
    free_list(list);
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_engine_destroy(engine));
}

/* A list that a stream cannot work with, as far as the loader can tell. */
static void unfit_list(void **state) {
    (void)state;
    dnnl_engine_t engine = new_engine(), stranger;
    ze_command_list_handle_t list = new_list();
    dnnl_stream_t stream = NULL;
    assert_ok(dnnl_engine_create(&stranger, dnnl_gpu, 0)); /* has a context of its own */
    const bool told = app.on_opencl || ze.CommandListGetContextHandle != NULL;
    assert_int_equal(
            runtime->stream(&stream, stranger, list), told ? dnnl_invalid_arguments : dnnl_success);
    assert_int_equal(stream != NULL, !told);
    assert_ok(dnnl_stream_destroy(stream));
    free_list(list);
    assert_ok(dnnl_engine_destroy(stranger));
    assert_ok(dnnl_engine_destroy(engine));
}

/* The application's own commands and primitives take turns on one list. */
static void shared_list(void **state) {
    (void)state;
    bench_t b = bench_begin_on_list();
    dnnl_primitive_t primitive = new_primitive(b.engine, &slow);
    float *copy = new_usm(N * sizeof *copy);
    assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
    /* Where lists are not in-order for lack of the flag, a barrier does no harm. */
    assert_ze(zeCommandListAppendBarrier(b.list, NULL, 0, NULL));
    assert_ze(zeCommandListAppendMemoryCopy(b.list, copy, b.dst, N * sizeof *copy, NULL, 0, NULL));
    assert_ok(dnnl_stream_wait(b.stream));
    for (int i = 0; i < N; i++) assert_true(copy[i] == affine_result(&slow, (float)i));
    assert_ok(dnnl_primitive_destroy(primitive));
    free_usm(copy);
    bench_end(&b);
}

static void check_returned_events(bench_t *b) {
    dnnl_primitive_t primitive = new_primitive(b->engine, &slow),
                     empty = new_primitive(b->engine, &nothing);
    dnnl_memory_t zero = new_floats(b->engine, 0, NULL);
    const dnnl_exec_arg_t zeros[] = {{DNNL_ARG_SRC, zero}, {DNNL_ARG_DST, zero}};
    ze_event_handle_t first = NULL, second = NULL, third = NULL;
    assert_ok(execute(primitive, b->stream, 2, b->args, 0, NULL, &first));
    assert_non_null(first);
    assert_true(wait_for(first));
    bench_check(b, &slow, N);
    /* It stays signalled, and can be waited for again and again. */
    assert_ok(execute(empty, b->stream, 2, zeros, 1, &first, &second));
    const ze_event_handle_t both[] = {first, second};
    assert_ok(execute(primitive, b->stream, 2, b->args, 2, both, &third));
    assert_ptr_not_equal(second, first);
    assert_ptr_not_equal(third, first);
    assert_ptr_not_equal(third, second);
    assert_ok(dnnl_stream_wait(b->stream));
    assert_true(is_over(first));
    assert_true(is_over(second));
    assert_true(is_over(third));
    assert_ok(dnnl_memory_destroy(zero));
    assert_ok(dnnl_primitive_destroy(primitive));
    assert_ok(dnnl_primitive_destroy(empty));
}

static void returned_events(void **state) {
    (void)state;
    bench_t b = bench_begin(dnnl_stream_in_order);
    check_returned_events(&b);
    bench_end(&b);
    b = bench_begin(dnnl_stream_out_of_order);
    check_returned_events(&b);
    bench_end(&b);
    b = bench_begin(dnnl_stream_in_order | dnnl_stream_profiling);
    check_returned_events(&b);
    bench_end(&b);
    b = bench_begin_on_list();
    check_returned_events(&b);
    bench_end(&b);
}

/* Nothing begins before the application's event is signalled, not even nothing. */
static void check_user_event(bench_t *b) {
    ze_event_pool_handle_t pool;
    const ze_event_handle_t gate = new_event(&pool);
    const affine_t steps = {.n = N, .steps = 3, .factor = 2, .addend = 1};
    dnnl_primitive_t primitive = new_primitive(b->engine, &steps),
                     empty = new_primitive(b->engine, &nothing);
    dnnl_memory_t zero = new_floats(b->engine, 0, NULL);
    const dnnl_exec_arg_t zeros[] = {{DNNL_ARG_SRC, zero}, {DNNL_ARG_DST, zero}};
    ze_event_handle_t done, empty_done;
    assert_ok(execute(empty, b->stream, 2, zeros, 1, &gate, &empty_done));
    assert_ok(execute(primitive, b->stream, 2, b->args, 1, &gate, &done));
    enum { A_WHILE = 2000000 /* ns */ };
    assert_false(is_over_after(done, A_WHILE));
    assert_false(is_over(empty_done));
    assert_true(b->dst[N - 1] == 0);
    signal_event(gate);
    assert_true(wait_for(done));
    assert_true(wait_for(empty_done));
    bench_check(b, &steps, N);
    assert_ok(dnnl_stream_wait(b->stream));
    assert_ok(dnnl_memory_destroy(zero));
    assert_ok(dnnl_primitive_destroy(primitive));
    assert_ok(dnnl_primitive_destroy(empty));
    free_event(pool, gate);
}

static void user_event(void **state) {
    (void)state;
    bench_t b = bench_begin(dnnl_stream_in_order);
    check_user_event(&b);
    bench_end(&b);
    b = bench_begin(dnnl_stream_out_of_order);
    check_user_event(&b);
    bench_end(&b);
    b = bench_begin_on_list();
    check_user_event(&b);
    bench_end(&b);
}

/* What one stream makes, another one reads: ordered by an event only. */
static void two_streams(void **state) {
    (void)state;
    static const unsigned flags[] = {dnnl_stream_in_order, dnnl_stream_out_of_order};
    for (size_t i = 0; i < COUNT_OF(flags); i++) {
        bench_t b = bench_begin(flags[i]);
        dnnl_stream_t other;
        const affine_t next = {.n = N, .steps = 1, .factor = 1, .addend = 5};
        dnnl_primitive_t make = new_primitive(b.engine, &slow),
                         use = new_primitive(b.engine, &next);
        dnnl_memory_t middle = new_floats(b.engine, N, DNNL_MEMORY_ALLOCATE);
        const dnnl_exec_arg_t make_args[] = {b.args[0], {DNNL_ARG_DST, middle}};
        const dnnl_exec_arg_t use_args[] = {{DNNL_ARG_SRC, middle}, b.args[1]};
        ze_event_handle_t made, used;
        assert_ok(dnnl_stream_create(&other, b.engine, flags[1 - i]));
        for (int turn = 0; turn < 20; turn++) {
            /* And back again: the next turn must not overwrite what is still read. */
            assert_ok(execute(make, b.stream, 2, make_args, turn > 0, turn ? &used : NULL, &made));
            assert_ok(execute(use, other, 2, use_args, 1, &made, &used));
        }
        assert_ok(dnnl_stream_wait(other));
        for (int j = 0; j < N; j++) assert_true(b.dst[j] == affine_result(&slow, (float)j) + 5);
        assert_ok(dnnl_stream_wait(b.stream));
        assert_ok(dnnl_stream_destroy(other));
        assert_ok(dnnl_memory_destroy(middle));
        assert_ok(dnnl_primitive_destroy(make));
        assert_ok(dnnl_primitive_destroy(use));
        bench_end(&b);
    }
}

static void many_events(void **state) {
    (void)state;
    enum { EVENTS = 100000, EVERY = 1000 };
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t empty = new_primitive(b.engine, &nothing);
    dnnl_memory_t zero = new_floats(b.engine, 0, NULL);
    const dnnl_exec_arg_t zeros[] = {{DNNL_ARG_SRC, zero}, {DNNL_ARG_DST, zero}};
    ze_event_handle_t event, kept[EVENTS / EVERY];
    for (int i = 0; i < EVENTS; i++) {
        assert_ok(execute(empty, b.stream, 2, zeros, 0, NULL, &event));
        if (i % EVERY == 0) kept[i / EVERY] = event;
    }
    assert_ok(dnnl_stream_wait(b.stream));
    for (size_t i = 0; i < COUNT_OF(kept); i++) {
        assert_true(is_over(kept[i]));
        for (size_t j = 0; j < i; j++) assert_ptr_not_equal(kept[i], kept[j]);
    }
    assert_ok(dnnl_memory_destroy(zero));
    assert_ok(dnnl_primitive_destroy(empty));
    bench_end(&b);
}

/* Waiting and executing without events leaves nothing behind. */
static void no_growth(void **state) {
    (void)state;
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t primitive =
            new_primitive(b.engine, &(affine_t){.n = N, .steps = 2, .factor = 2});
    long live = 0;
    for (int i = 0; i < 200; i++) {
        assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
        assert_ok(dnnl_stream_wait(b.stream));
        if (i == 0) live = atomic_load(&dz_alloc_live);
        assert_int_equal(atomic_load(&dz_alloc_live), live);
    }
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

static void profiling(void **state) {
    (void)state;
    bench_t b = bench_begin(dnnl_stream_in_order | dnnl_stream_profiling);
    const affine_t steps = {.n = N, .steps = 3, .factor = 2, .spin = 20000};
    dnnl_primitive_t one = new_primitive(b.engine, &slow), three = new_primitive(b.engine, &steps);
    dnnl_primitive_t empty = new_primitive(b.engine, &nothing);
    dnnl_memory_t zero = new_floats(b.engine, 0, NULL);
    const dnnl_exec_arg_t zeros[] = {{DNNL_ARG_SRC, zero}, {DNNL_ARG_DST, zero}};
    uint64_t least_one = UINT64_MAX, least_three = UINT64_MAX;
    /* Three kernels take longer than one as slow. Other work on the machine only adds to a time, so
     * the shortest of several turns are compared. More turns follow while they do not show it. */
    for (int turn = 0; turn < 3 || (least_three <= 2 * least_one && turn < 100); turn++) {
        int entries = -1;
        uint64_t ns[3] = {0};
        assert_ok(dnnl_primitive_execute(one, b.stream, 2, b.args));
        assert_ok(dnnl_primitive_execute(empty, b.stream, 2, zeros));
        assert_ok(dnnl_primitive_execute(three, b.stream, 2, b.args));
        assert_ok(dnnl_stream_wait(b.stream));
        assert_ok(
                dnnl_query_profiling_data(b.stream, dnnl_profiling_data_kind_time, &entries, NULL));
        assert_int_equal(entries, 3);
        entries = 2;
        assert_status(
                dnnl_query_profiling_data(b.stream, dnnl_profiling_data_kind_time, &entries, ns),
                invalid_arguments);
        entries = 3;
        assert_ok(dnnl_query_profiling_data(b.stream, dnnl_profiling_data_kind_time, &entries, ns));
        assert_true(ns[0] > 0);
        assert_true(ns[0] < UINT64_C(60000000000));
        assert_int_equal(ns[1], 0);
        if (ns[0] < least_one) least_one = ns[0];
        if (ns[2] < least_three) least_three = ns[2];
        assert_status(
                dnnl_query_profiling_data(b.stream, dnnl_profiling_data_kind_undef, &entries, NULL),
                invalid_arguments);
        assert_ok(dnnl_reset_profiling(b.stream));
        assert_ok(
                dnnl_query_profiling_data(b.stream, dnnl_profiling_data_kind_time, &entries, NULL));
        assert_int_equal(entries, 0);
    }
    assert_true(least_three > 2 * least_one);
    dnnl_stream_t plain;
    int entries;
    assert_ok(dnnl_stream_create(&plain, b.engine, dnnl_stream_in_order));
    assert_status(dnnl_query_profiling_data(plain, dnnl_profiling_data_kind_time, &entries, NULL),
            invalid_arguments);
    assert_status(dnnl_query_profiling_data(NULL, dnnl_profiling_data_kind_time, &entries, NULL),
            invalid_arguments);
    assert_status(dnnl_query_profiling_data(b.stream, dnnl_profiling_data_kind_time, NULL, NULL),
            invalid_arguments);
    assert_status(dnnl_reset_profiling(plain), invalid_arguments);
    assert_status(dnnl_reset_profiling(NULL), invalid_arguments);
    assert_ok(dnnl_stream_destroy(plain));
    assert_ok(dnnl_memory_destroy(zero));
    assert_ok(dnnl_primitive_destroy(one));
    assert_ok(dnnl_primitive_destroy(three));
    assert_ok(dnnl_primitive_destroy(empty));
    bench_end(&b);
}

/* The two primitives share nothing, so an out-of-order stream may run them in any order; both
 * are complete after a wait. */
static void out_of_order_completes(void **state) {
    (void)state;
    bench_t b = bench_begin(dnnl_stream_out_of_order);
    const affine_t steps = {.n = N, .steps = 4, .factor = 3, .addend = 1};
    dnnl_primitive_t a = new_primitive(b.engine, &slow), c = new_primitive(b.engine, &steps);
    enum { TURNS = 10 };
    float *out[TURNS];
    dnnl_memory_t mem[TURNS];
    for (int i = 0; i < TURNS; i++) {
        out[i] = new_usm(N * sizeof(float));
        mem[i] = new_floats(b.engine, N, out[i]);
        const dnnl_exec_arg_t args[] = {b.args[0], {DNNL_ARG_DST, mem[i]}};
        assert_ok(dnnl_primitive_execute(i % 2 ? a : c, b.stream, 2, args));
    }
    assert_ok(dnnl_stream_wait(b.stream));
    for (int i = 0; i < TURNS; i++) {
        for (int j = 0; j < N; j++)
            assert_true(out[i][j] == affine_result(i % 2 ? &slow : &steps, (float)j));
        assert_ok(dnnl_memory_destroy(mem[i]));
        free_usm(out[i]);
    }
    assert_ok(dnnl_primitive_destroy(a));
    assert_ok(dnnl_primitive_destroy(c));
    bench_end(&b);
}

/* ---- overlap ---- */

enum { PATIENT = 1 << 29, HASTY = 1 << 12 };

/* Two primitives of which each waits for the other to run, behind one event and before a third
 * primitive. */
typedef struct {
    dnnl_primitive_t meet, after;
    int *side[2];
    dnnl_memory_t mem[2];
    dnnl_exec_arg_t args[2][2];
    ze_event_handle_t met[2];
} meeting_t;

static meeting_t meeting_begin(const bench_t *b, uint32_t patience) {
    meeting_t m = {.meet = new_primitive(b->engine,
                           &(affine_t){.n = N, .steps = 1, .meets = true, .spin = patience}),
            .after = new_primitive(b->engine, &(affine_t){.n = N, .steps = 3, .factor = 2})};
    for (int i = 0; i < 2; i++) {
        m.side[i] = new_usm(N * sizeof(float));
        memset(m.side[i], 0, N * sizeof(float));
        m.mem[i] = new_floats(b->engine, N, m.side[i]);
    }
    for (int i = 0; i < 2; i++) {
        m.args[i][0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, m.mem[1 - i]};
        m.args[i][1] = (dnnl_exec_arg_t){DNNL_ARG_DST, m.mem[i]};
    }
    return m;
}

static void meeting_end(meeting_t *m) {
    for (int i = 0; i < 2; i++) {
        assert_ok(dnnl_memory_destroy(m->mem[i]));
        free_usm(m->side[i]);
    }
    assert_ok(dnnl_primitive_destroy(m->meet));
    assert_ok(dnnl_primitive_destroy(m->after));
}

static void check_overlap(bench_t *b, bool overlaps) {
    meeting_t m = meeting_begin(b, overlaps ? PATIENT : HASTY);
    ze_event_pool_handle_t pool;
    const ze_event_handle_t gate = new_event(&pool);
    ze_event_handle_t done;
    for (int i = 0; i < 2; i++)
        assert_ok(execute(m.meet, b->stream, 2, m.args[i], 1, &gate, &m.met[i]));
    assert_ok(execute(m.after, b->stream, 2, b->args, 2, m.met, &done));
    assert_false(is_over(m.met[0]));
    signal_event(gate);
    assert_true(wait_for(done));
    for (int i = 0; i < 2; i++) {
        assert_true(is_over(m.met[i]));
        assert_int_equal(m.side[i][0], 1);
    }
    assert_int_equal(m.side[0][1], overlaps); /* the first one met the second */
    assert_int_equal(m.side[1][1], 1);
    bench_check(b, &(affine_t){.steps = 3, .factor = 2}, N);
    assert_ok(dnnl_stream_wait(b->stream));
    free_event(pool, gate);
    meeting_end(&m);
}

static bench_t begin_on_unordered_list(int profiling) {
    bench_t b = bench_begin(dnnl_stream_out_of_order);
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    assert_ok(dnnl_stream_destroy(b.stream));
    assert_ze(zeCommandListCreateImmediate(app.context, app.device, &desc, &b.list));
    assert_ok(dnnl_ze_interop_stream_create(&b.stream, b.engine, b.list, profiling));
    return b;
}

/* Kernels that end well only if both run at once, on streams of each kind; and on in-order ones
 * they do not.
 */
static void overlap(void **state) {
    (void)state;
    if (getenv("ZE_CPU_ORDER")) skip(); /* the driver then runs one command at a time */
    static const unsigned kinds[] = {
            dnnl_stream_out_of_order, dnnl_stream_out_of_order | dnnl_stream_profiling};
    for (int i = 0; i < 2; i++) {
        bench_t b = bench_begin(kinds[i]);
        check_overlap(&b, true);
        bench_end(&b);
        b = begin_on_unordered_list(i);
        check_overlap(&b, true);
        bench_end(&b);
    }
    bench_t b = bench_begin(dnnl_stream_in_order);
    check_overlap(&b, false);
    bench_end(&b);
}

int main(void) {
    const struct CMUnitTest streams[] = {TEST(arguments), TEST(unfit_list),
            LEVEL_ZERO_TEST(shared_list, "its own commands are those of lists"),
            TEST(returned_events), TEST(user_event), TEST(two_streams), TEST(many_events),
            TEST(no_growth), TEST(profiling), TEST(out_of_order_completes),
            LEVEL_ZERO_TEST(overlap, "OpenCL does not promise it")};
    return RUN_TESTS(streams);
}
