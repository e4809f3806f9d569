/* SPDX-License-Identifier: Apache-2.0 */
/* The events that the library uses itself: profiling on every kind of stream, lines of the log
 * that wait for their times, and memory that does not grow. */
#define DNNL_EXPERIMENTAL_PROFILING
#include <stdlib.h>
#include <unistd.h>

#include "rt.h"
#include "ze/stream.h"

static const affine_t one = {.n = N, .steps = 1, .factor = 2, .addend = 1, .spin = 2000};
static const affine_t four = {.n = N, .steps = 4, .factor = 2, .addend = 1, .spin = 2000};

enum { KINDS = 4 };
static bench_t begin_kind(int kind) {
    static const unsigned flags[] = {dnnl_stream_in_order, dnnl_stream_out_of_order};
    bench_t b = bench_begin(flags[kind % 2] | dnnl_stream_profiling);
    if (kind < 2) return b;
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    assert_ok(dnnl_stream_destroy(b.stream));
    if (kind == 2) b.list = new_list();
    else assert_ze(zeCommandListCreateImmediate(app.context, app.device, &desc, &b.list));
    assert_ok(dnnl_ze_interop_stream_create(&b.stream, b.engine, b.list, 1));
    return b;
}

static int entries_of(dnnl_stream_t stream) {
    int entries = -1;
    assert_ok(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &entries, NULL));
    return entries;
}

/* What the events of the kernels say, to compare sums with. */
enum { MAX_TIMES = 64 };
static uint64_t kernel_ns[MAX_TIMES];
static int nkernels;
static __typeof__(ze.EventQueryKernelTimestamp) real_timestamp;
static ze_result_t note_time(ze_event_handle_t event, ze_kernel_timestamp_result_t *stamp) {
    const ze_result_t result = real_timestamp(event, stamp);
    if (result == ZE_RESULT_SUCCESS && nkernels < MAX_TIMES)
        kernel_ns[nkernels++] = stamp->context.kernelEnd - stamp->context.kernelStart;
    return result;
}

/* One entry for each execution, the sum of its kernels; with events handed out or not; after a
 * reset from the beginning. */
static void profiling_of_every_kind(void **state) {
    (void)state;
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2};
    assert_ze(zeDeviceGetProperties(app.device, &properties));
    for (int kind = 0; kind < KINDS; kind++) {
        bench_t b = begin_kind(kind);
        dnnl_primitive_t single = new_primitive(b.engine, &one),
                         several = new_primitive(b.engine, &four);
        for (int turn = 0; turn < 3; turn++) {
            enum { EXECUTIONS = 6 };
            ze_event_handle_t event[EXECUTIONS];
            uint64_t ns[EXECUTIONS];
            nkernels = 0;
            real_timestamp = ze.EventQueryKernelTimestamp;
            ze.EventQueryKernelTimestamp = note_time;
            for (int i = 0; i < EXECUTIONS; i++)
                assert_ok(execute(i % 2 ? several : single, b.stream, 2, b.args, i > 0,
                        i ? &event[i - 1] : NULL, &event[i]));
            assert_int_equal(entries_of(b.stream), EXECUTIONS);
            int n = EXECUTIONS;
            assert_ok(dnnl_query_profiling_data(b.stream, dnnl_profiling_data_kind_time, &n, ns));
            ze.EventQueryKernelTimestamp = real_timestamp;
            assert_int_equal(nkernels, EXECUTIONS / 2 * (1 + 4));
            uint64_t each[MAX_TIMES];
            int kernels = -1;
            assert_ok(dnnl_query_profiling_data(
                    b.stream, DNNL_ZE_PROFILING_TIME_PER_KERNEL, &kernels, NULL));
            assert_int_equal(kernels, nkernels);
            assert_ok(dnnl_query_profiling_data(
                    b.stream, DNNL_ZE_PROFILING_TIME_PER_KERNEL, &kernels, each));
            for (int i = 0; i < kernels; i++) {
                const double expected =
                        (double)kernel_ns[i] * 1e9 / (double)properties.timerResolution;
                assert_true((double)each[i] >= expected - 2 && (double)each[i] <= expected + 2);
            }
            bench_check(&b, &four, N);
            for (int i = 0, k = 0; i < EXECUTIONS; i++) {
                uint64_t sum = 0;
                for (int j = 0; j < (i % 2 ? 4 : 1); j++) sum += kernel_ns[k++];
                const double expected = (double)sum * 1e9 / (double)properties.timerResolution;
                assert_true(ns[i] > 0);
                assert_true((double)ns[i] >= expected - 8 && (double)ns[i] <= expected + 8);
                assert_true(is_over(event[i])); /* not taken back */
            }
            assert_ok(dnnl_reset_profiling(b.stream));
            assert_int_equal(entries_of(b.stream), 0);
            assert_ok(dnnl_query_profiling_data(
                    b.stream, DNNL_ZE_PROFILING_TIME_PER_KERNEL, &kernels, NULL));
            assert_int_equal(kernels, 0);
            /* An execution of no kernels has a time, and no kernel's. */
            dnnl_memory_t zero = new_floats(b.engine, 0, NULL);
            dnnl_primitive_t empty = new_primitive(b.engine, &(affine_t){.steps = 1});
            const dnnl_exec_arg_t zeros[] = {{DNNL_ARG_SRC, zero}, {DNNL_ARG_DST, zero}};
            assert_ok(dnnl_primitive_execute(empty, b.stream, 2, zeros));
            assert_ok(dnnl_primitive_execute(single, b.stream, 2, b.args));
            int two = 2;
            kernels = 1;
            assert_int_equal(entries_of(b.stream), two);
            assert_ok(dnnl_query_profiling_data(b.stream, dnnl_profiling_data_kind_time, &two, ns));
            assert_ok(dnnl_query_profiling_data(
                    b.stream, DNNL_ZE_PROFILING_TIME_PER_KERNEL, &kernels, each));
            assert_true(ns[0] == 0 && ns[1] > 0 && ns[1] == each[0]);
            assert_ok(dnnl_memory_destroy(zero));
            assert_ok(dnnl_primitive_destroy(empty));
            assert_ok(dnnl_reset_profiling(b.stream));
        }
        assert_ok(dnnl_primitive_destroy(single));
        assert_ok(dnnl_primitive_destroy(several));
        bench_end(&b);
    }
}

static long created, pools;
static __typeof__(ze.EventCreate) real_create;
static __typeof__(ze.EventPoolCreate) real_pool;
static ze_result_t count_event(
        ze_event_pool_handle_t pool, const ze_event_desc_t *desc, ze_event_handle_t *event) {
    created++;
    return real_create(pool, desc, event);
}
static ze_result_t count_pool(ze_context_handle_t context, const ze_event_pool_desc_t *desc,
        uint32_t n, ze_device_handle_t *devices, ze_event_pool_handle_t *pool) {
    pools++;
    return real_pool(context, desc, n, devices, pool);
}

/* Events are used again, waited for or not: there are never more than there are kernels in
 * flight. */
static void events_are_used_again(void **state) {
    (void)state;
    real_create = ze.EventCreate;
    real_pool = ze.EventPoolCreate;
    ze.EventCreate = count_event;
    ze.EventPoolCreate = count_pool;
    for (int kind = 0; kind < 2 * KINDS; kind++) {
        enum { EXECUTIONS = 2000, RESET = 500, IN_FLIGHT = 20, MOST = 256 + 4 * IN_FLIGHT * 4 };
        bench_t b = begin_kind(kind % KINDS);
        const bool profiled = kind < KINDS;
        if (!profiled) { /* the same without: events between the kernels */
            if (b.list) assert_ok(dnnl_stream_destroy(b.stream));
            if (b.list) assert_ok(dnnl_ze_interop_stream_create(&b.stream, b.engine, b.list, 0));
        }
        dnnl_primitive_t several =
                new_primitive(b.engine, &(affine_t){.n = N, .steps = 4, .factor = 1});
        long live = 0;
        created = pools = 0;
        for (int i = 1; i <= EXECUTIONS; i++) {
            assert_ok(dnnl_primitive_execute(several, b.stream, 2, b.args));
            /* By an event of the application's own, of which the library learns nothing. */
            if (i % IN_FLIGHT == 0) {
                ze_event_handle_t event;
                ze_command_list_handle_t list;
                ze_event_pool_handle_t pool;
                event = new_event(&pool);
                assert_ok(dnnl_ze_interop_stream_get_list(b.stream, &list));
                assert_ze(zeCommandListAppendBarrier(list, event, 0, NULL));
                assert_true(wait_for(event));
                free_event(pool, event);
            }
            if (i % RESET == 0 && (profiled || !b.list)) assert_ok(dnnl_reset_profiling(b.stream));
            if (i == RESET) live = atomic_load(&dz_alloc_live);
            if (i % RESET == 0) assert_int_equal(atomic_load(&dz_alloc_live), live);
        }
        assert_true(created <= MOST);
        assert_true(pools <= 8);
        assert_ok(dnnl_primitive_destroy(several));
        bench_end(&b);
    }
    ze.EventCreate = real_create;
    ze.EventPoolCreate = real_pool;
}

/* ---- a million ---- */

/* A device that is done at once: what is counted here is the library's memory. A counter-based
 * event that nothing signals is over already. */
static bool is_counting;
static ze_result_t launch_nothing(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
        const ze_group_count_t *count, ze_event_handle_t signal, uint32_t nwaits,
        ze_event_handle_t *waits) {
    (void)list;
    (void)kernel;
    (void)count;
    (void)nwaits;
    (void)waits;
    if (signal && !is_counting) return zeEventHostSignal(signal);
    return ZE_RESULT_SUCCESS;
}

static double resident_bytes(void) {
    unsigned long size = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu %lu", &size, &pages), 2);
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* A million executions of each kind: those events that were handed out are all there, and others
 * do not grow in number. */
static void a_million(void **state) {
    (void)state;
    enum { MILLION = 1000000, FEW = 1024 };
    static const struct {
        const char *what;
        unsigned flags;
        bool returned;
    } kinds[] = {{"returned events", dnnl_stream_in_order, true},
            {"returned events, out of order", dnnl_stream_out_of_order, true},
            {"profiled", dnnl_stream_in_order | dnnl_stream_profiling, false},
            {"out of order", dnnl_stream_out_of_order, false},
            {"profiled, out of order", dnnl_stream_out_of_order | dnnl_stream_profiling, false}};
    const __typeof__(ze.CommandListAppendLaunchKernel) real_launch =
            ze.CommandListAppendLaunchKernel;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    const bool checked = true;
#else
    const bool checked =
            getenv("ZE_ENABLE_VALIDATION_LAYER"); /* which takes its time, as sanitizers do */
#endif
    real_create = ze.EventCreate;
    ze_event_handle_t *events = malloc(MILLION * sizeof(ze_event_handle_t));
    assert_non_null(events);
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        bench_t b = bench_begin(kinds[k].flags);
        device_core_t *core = b.engine->core;
        const __typeof__(core->launch_with_arguments) in_one_call = core->launch_with_arguments;
        core->launch_with_arguments = NULL; /* seen when the primitive is made */
        const int n = checked ? MILLION / 10 : MILLION;
        dnnl_primitive_t primitive =
                new_primitive(b.engine, &(affine_t){.n = N, .steps = 2, .factor = 1});
        core->launch_with_arguments = in_one_call;
        ze.CommandListAppendLaunchKernel = launch_nothing;
        is_counting = b.stream->order == ORDER_BY_LIST && core->counted_events;
        ze.EventCreate = count_event;
        created = 0;
        double half = 0;
        long live = 0;
        for (int i = 0; i < n; i++) {
            if (i == n / 2) half = resident_bytes();
            if (i == n / 2) live = atomic_load(&dz_alloc_live);
            assert_ok(execute(primitive, b.stream, 2, b.args, 0, NULL,
                    kinds[k].returned ? &events[i] : NULL));
            if ((i + 1) % (n / 10) == 0 && (kinds[k].flags & dnnl_stream_profiling))
                assert_ok(dnnl_reset_profiling(b.stream));
        }
        const double grown = (resident_bytes() - half) / (n - n / 2);
        print_message("%d executions, %s: %.1f bytes each\n", n, kinds[k].what, grown);
        if (kinds[k].returned) {
            for (int i = 0; i < n; i++) assert_true(is_over(events[i]));
            for (int i = 1; i < n; i++) assert_ptr_not_equal(events[i], events[i - 1]);
            assert_true(atomic_load(&dz_alloc_live) - live <= n / 1024);
        } else {
            assert_true(created <= FEW);
            assert_int_equal(atomic_load(&dz_alloc_live), live);
        }
        ze.CommandListAppendLaunchKernel = real_launch;
        ze.EventCreate = real_create;
        assert_ok(dnnl_primitive_destroy(primitive));
        bench_end(&b);
    }
    free(events);
}

/* ---- counter-based events ---- */

static int asked, refusing;
static ze_result_t pool_or_refusal(ze_context_handle_t context, const ze_event_pool_desc_t *desc,
        uint32_t n, ze_device_handle_t *devices, ze_event_pool_handle_t *pool) {
    if (desc->pNext) asked++;
    return desc->pNext && refusing ? ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
                                   : real_pool(context, desc, n, devices, pool);
}
static __typeof__(ze.EventCounterBasedCreate) real_counted;
static ze_result_t counted_or_refusal(ze_context_handle_t context, ze_device_handle_t device,
        const ze_counted_event_desc_t *desc, ze_event_handle_t *event) {
    asked++;
    return refusing ? ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
                    : real_counted(context, device, desc, event);
}

/* A loader that is older than the call leaves it to the driver, where nothing is between the
 * two. */
static __typeof__(ze.EventCounterBasedCreate) find_counted(const device_core_t *core) {
    void *own = NULL;
    if (ze.EventCounterBasedCreate || getenv("ZE_ENABLE_LOADER_INTERCEPT") ||
            getenv("ZE_ENABLE_VALIDATION_LAYER"))
        return ze.EventCounterBasedCreate;
    if (zeDriverGetExtensionFunctionAddress(core->driver, "zeEventCounterBasedCreate", &own) !=
            ZE_RESULT_SUCCESS)
        return NULL;
    return *(__typeof__(ze.EventCounterBasedCreate) *)(void *)&own;
}

/* In-order streams take them where they are, whichever way they are made, and others where they
 * are refused: what is executed, waited for and measured is the same. An event that is
 * counter-based cannot be reset. */
static void in_order_streams_count(void **state) {
    (void)state;
    static const unsigned flags[] = {dnnl_stream_in_order,
            dnnl_stream_in_order | dnnl_stream_profiling, dnnl_stream_out_of_order,
            dnnl_stream_out_of_order | dnnl_stream_profiling};
    real_pool = ze.EventPoolCreate;
    const __typeof__(ze.EventCounterBasedCreate) of_loader = ze.EventCounterBasedCreate;
    int counting = 0, in_order = 0;
    for (int how = COUNTED_BY_POOL; how <= COUNTED_BY_CALL; how++)
        for (refusing = 0; refusing < 2; refusing++)
            for (size_t i = 0; i < COUNT_OF(flags); i++) {
                bench_t b = bench_begin(flags[i]);
                device_core_t *core = b.engine->core;
                const counted_events_t found = core->counted_events;
                real_counted = find_counted(core);
                const bool there = how == COUNTED_BY_POOL ? core->caps.has_counted_pools
                                                          : real_counted != NULL;
                dnnl_primitive_t several = new_primitive(b.engine, &four);
                assert_ok(dnnl_stream_destroy(b.stream));
                core->counted_events = there ? (counted_events_t)how : COUNTED_NONE;
                ze.EventPoolCreate = pool_or_refusal;
                ze.EventCounterBasedCreate = counted_or_refusal;
                asked = 0;
                assert_ok(dnnl_stream_create(&b.stream, b.engine, flags[i]));
                const bool counts =
                        there &&
                        b.stream->order == ORDER_BY_LIST; /* else there is nobody to count */
                ze_event_handle_t event[40];
                for (int j = 0; j < 40; j++)
                    assert_ok(execute(several, b.stream, 2, b.args, j > 0, j ? &event[j - 1] : NULL,
                            &event[j]));
                for (int j = 0; j < 40; j++) assert_true(wait_for(event[j]));
                bench_check(&b, &four, N);
                if (flags[i] & dnnl_stream_profiling) {
                    uint64_t ns[40] = {0};
                    int n = entries_of(b.stream);
                    assert_int_equal(n, 40);
                    assert_ok(dnnl_query_profiling_data(
                            b.stream, dnnl_profiling_data_kind_time, &n, ns));
                    for (int j = 0; j < 40; j++) assert_true(ns[j] > 0);
                }
                assert_true(counts == (asked > 0));
                if (counts)
                    assert_true((zeEventHostReset(event[0]) != ZE_RESULT_SUCCESS) == !refusing);
                counting += counts;
                in_order += how == COUNTED_BY_POOL && b.stream->order == ORDER_BY_LIST &&
                            core->caps.is_cpu;
                assert_ok(dnnl_primitive_destroy(several));
                ze.EventCounterBasedCreate = of_loader;
                ze.EventPoolCreate = real_pool;
                core->counted_events = found;
                bench_end(&b);
            }
    assert_true(counting >= in_order); /* the CPU driver has them */
}

/* ---- lines of the log ---- */

typedef struct {
    int saved;
    FILE *file;
} capture_t;

static capture_t capture_begin(void) {
    capture_t c = {.file = tmpfile()};
    assert_non_null(c.file);
    fflush(stdout);
    c.saved = dup(STDOUT_FILENO);
    assert_true(dup2(fileno(c.file), STDOUT_FILENO) >= 0);
    return c;
}

/* What was written since, line by line. */
static int exec_times(const capture_t *c, const char *text, double *ms, int max) {
    char line[1024];
    int n = 0;
    fflush(stdout);
    rewind(c->file);
    while (fgets(line, sizeof line, c->file))
        if (strstr(line, text) && n < max) ms[n++] = atof(strrchr(line, ',') + 1);
    return n;
}

static void capture_end(capture_t *c) {
    fflush(stdout);
    dup2(c->saved, STDOUT_FILENO);
    close(c->saved);
    fclose(c->file);
}

/* An execution that cannot begin yet does not hold back the host, and its line comes when it is
 * over, before those of later ones. */
static void lines_wait_for_their_times(void **state) {
    (void)state;
    static const unsigned flags[] = {dnnl_stream_in_order, dnnl_stream_out_of_order,
            dnnl_stream_in_order | dnnl_stream_profiling};
    for (size_t i = 0; i < COUNT_OF(flags); i++) {
        bench_t b = bench_begin(flags[i]);
        const affine_t slow = {.n = N, .steps = 3, .factor = 2, .spin = 60000};
        dnnl_primitive_t quick = new_primitive(b.engine, &one),
                         late = new_primitive(b.engine, &slow);
        ze_event_pool_handle_t pool;
        const ze_event_handle_t gate = new_event(&pool);
        ze_event_handle_t done = NULL;
        double ms[4] = {0}, more[4];
        assert_ok(dnnl_set_verbose(1));
        capture_t c = capture_begin();
        assert_ok(execute(late, b.stream, 2, b.args, 1, &gate, &done));
        assert_ok(execute(quick, b.stream, 2, b.args, 1, &done, NULL));
        const bool at_once = is_over(done);
        const int before = exec_times(&c, "primitive,exec,", ms, 4);
        signal_event(gate);
        assert_ok(dnnl_stream_wait(b.stream));
        const int after = exec_times(&c, "primitive,exec,", ms, 4);
        /* The next execution prints what is over, too. */
        assert_ok(execute(quick, b.stream, 2, b.args, 0, NULL, &done));
        assert_true(wait_for(done));
        assert_ok(dnnl_set_verbose(0));
        assert_ok(dnnl_primitive_execute(quick, b.stream, 2, b.args));
        const int in_the_end = exec_times(&c, "primitive,exec,", more, 4);
        capture_end(&c);
        assert_false(at_once);
        assert_int_equal(before, 0);
        assert_int_equal(after, 2);
        assert_true(ms[0] > ms[1] && ms[1] > 0 &&
                    ms[0] < 60000); /* the slow one first, as it was submitted */
        assert_int_equal(in_the_end, 3);
        if (flags[i] & dnnl_stream_profiling) assert_int_equal(entries_of(b.stream), 4);
        assert_ok(dnnl_primitive_destroy(quick));
        assert_ok(dnnl_primitive_destroy(late));
        bench_end(&b);
        free_event(pool, gate);
    }
}

/* Nothing to run has a line too, and a stream that is destroyed prints what is left. */
static void lines_at_the_end(void **state) {
    (void)state;
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t quick = new_primitive(b.engine, &one),
                     empty = new_primitive(b.engine, &(affine_t){.steps = 1});
    dnnl_memory_t zero = new_floats(b.engine, 0, NULL);
    const dnnl_exec_arg_t zeros[] = {{DNNL_ARG_SRC, zero}, {DNNL_ARG_DST, zero}};
    double ms[4] = {-1, -1, -1, -1};
    assert_ok(dnnl_set_verbose(1));
    capture_t c = capture_begin();
    assert_ok(dnnl_primitive_execute(quick, b.stream, 2, b.args));
    assert_ok(dnnl_primitive_execute(empty, b.stream, 2, zeros));
    assert_ok(dnnl_set_verbose(0));
    assert_ok(dnnl_stream_destroy(b.stream));
    const int n = exec_times(&c, "primitive,exec,", ms, 4);
    capture_end(&c);
    assert_int_equal(n, 2);
    assert_true(ms[0] > 0);
    assert_true(ms[1] == 0);
    assert_ok(dnnl_stream_create(&b.stream, b.engine, dnnl_stream_in_order));
    assert_ok(dnnl_memory_destroy(zero));
    assert_ok(dnnl_primitive_destroy(quick));
    assert_ok(dnnl_primitive_destroy(empty));
    bench_end(&b);
}

/* Primitives that share the stream's scratchpad take turns; nothing else orders them. */
static void shared_scratchpad(void **state) {
    (void)state;
    enum { TURNS = 40 };
    for (int profiled = 0; profiled < 2; profiled++) {
        bench_t b = bench_begin(dnnl_stream_out_of_order | (profiled ? dnnl_stream_profiling : 0u));
        const affine_t other = {.n = N, .steps = 5, .factor = 3, .addend = 2, .spin = 500};
        dnnl_primitive_t p[2] = {new_primitive(b.engine, &four), new_primitive(b.engine, &other)};
        float *out[TURNS];
        dnnl_memory_t mem[TURNS];
        for (int i = 0; i < TURNS; i++) {
            out[i] = new_usm(N * sizeof(float));
            mem[i] = new_floats(b.engine, N, out[i]);
            const dnnl_exec_arg_t args[] = {b.args[0], {DNNL_ARG_DST, mem[i]}};
            assert_ok(dnnl_primitive_execute(p[i % 2], b.stream, 2, args));
        }
        assert_ok(dnnl_stream_wait(b.stream));
        for (int i = 0; i < TURNS; i++) {
            for (int j = 0; j < N; j++)
                assert_true(out[i][j] == affine_result(i % 2 ? &other : &four, (float)j));
            assert_ok(dnnl_memory_destroy(mem[i]));
            free_usm(out[i]);
        }
        for (int i = 0; i < 2; i++) assert_ok(dnnl_primitive_destroy(p[i]));
        bench_end(&b);
    }
}

#define COUNTS "it counts calls of Level Zero; OpenCL counts its events itself"

int main(void) {
    const struct CMUnitTest events[] = {LEVEL_ZERO_TEST(profiling_of_every_kind, COUNTS),
            LEVEL_ZERO_TEST(events_are_used_again, COUNTS), LEVEL_ZERO_TEST(a_million, COUNTS),
            LEVEL_ZERO_TEST(in_order_streams_count, COUNTS),
            LEVEL_ZERO_TEST(lines_wait_for_their_times, "a logged execution waits"),
            LEVEL_ZERO_TEST(lines_at_the_end, "lines have the host's time"),
            TEST(shared_scratchpad)};
    return RUN_TESTS(events);
}
