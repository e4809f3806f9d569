/* SPDX-License-Identifier: Apache-2.0 */
/* What streams cost: memory of a great many events and executions, and the host's time to submit
 * a recorded net beside executing it. bench_stream [executions [part of a line's name]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DNNL_EXPERIMENTAL_PROFILING
#include "bench.h"

static bench_t bench;

/* Bytes of memory that the process occupies. */
static double resident(void) {
    unsigned long size = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lu %lu", &size, &pages) != 2) CHECK(1);
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

typedef struct {
    dnnl_primitive_t primitive;
    dnnl_memory_t mem[2];
    dnnl_exec_arg_t args[2];
    float *data[2];
} subject_t;

static subject_t subject_new(dnnl_dim_t rows, dnnl_dim_t columns, bool sum) {
    subject_t s;
    dnnl_memory_desc_t md[2];
    dnnl_primitive_desc_t pd;
    const dnnl_dims_t dims = {rows, columns}, one = {1, 1};
    CHECK(dnnl_memory_desc_create_with_tag(&md[0], 2, dims, dnnl_f32, dnnl_ab));
    CHECK(dnnl_memory_desc_create_with_tag(&md[1], 2, sum ? one : dims, dnnl_f32, dnnl_ab));
    if (sum)
        CHECK(dnnl_reduction_primitive_desc_create(
                &pd, bench.engine, dnnl_reduction_sum, md[0], md[1], 0, 0, NULL));
    else
        CHECK(dnnl_eltwise_forward_primitive_desc_create(&pd, bench.engine, dnnl_forward_inference,
                dnnl_eltwise_relu, md[0], md[1], 0, 0, NULL));
    CHECK(dnnl_primitive_create(&s.primitive, pd));
    CHECK(dnnl_primitive_desc_destroy(pd));
    for (int i = 0; i < 2; i++) {
        const size_t size = dnnl_memory_desc_get_size(md[i]);
        s.data[i] = bench_alloc(&bench, size);
        for (size_t k = 0; k < size / sizeof(float); k++) s.data[i][k] = 1;
        s.mem[i] = bench_memory(&bench, md[i], s.data[i]);
        s.args[i] = (dnnl_exec_arg_t){i ? DNNL_ARG_DST : DNNL_ARG_SRC, s.mem[i]};
        CHECK(dnnl_memory_desc_destroy(md[i]));
    }
    return s;
}

static void subject_free(subject_t *s) {
    CHECK(dnnl_primitive_destroy(s->primitive));
    for (int i = 0; i < 2; i++) {
        CHECK(dnnl_memory_destroy(s->mem[i]));
        bench_free(&bench, s->data[i]);
    }
}

/* ---- memory ---- */

enum { IN_FLIGHT = 250 };

/* Growth of the process over the second half of `n` executions, of which a few are in flight at
 * a time. */
static double growth(const subject_t *s, unsigned flags, long n, bool return_events, double *ns) {
    dnnl_stream_t stream;
    ze_event_handle_t event;
    double before = 0;
    CHECK(dnnl_stream_create(&stream, bench.engine, flags));
    const double start = bench_now();
    for (long i = 0; i < n; i++) {
        if (i == n / 2) before = resident();
        const bool wait = i % IN_FLIGHT == IN_FLIGHT - 1;
        CHECK(dnnl_ze_interop_primitive_execute(
                s->primitive, stream, 2, s->args, 0, NULL, return_events ? &event : NULL));
        if (wait) CHECK(dnnl_stream_wait(stream));
    }
    const double grown = resident() - before;
    *ns = (bench_now() - start) / (double)n * 1e9;
    CHECK(dnnl_stream_destroy(stream));
    return grown;
}

static void bench_memory_use(long n, const char *which) {
    static const struct {
        const char *what;
        unsigned flags;
        bool sum, events;
    } cases[] = {{"returned events", dnnl_stream_in_order, false, true},
            {"no events", dnnl_stream_in_order, false, false},
            {"several kernels, out of order", dnnl_stream_out_of_order, true, false},
            {"profiled (8 bytes are the time)", dnnl_stream_in_order | dnnl_stream_profiling, false,
                    false},
            {"profiled, several kernels", dnnl_stream_out_of_order | dnnl_stream_profiling, true,
                    false}};
    subject_t relu = subject_new(1, 16, false), sum = subject_new(2048, 64, true);
    printf("memory of %ld executions\n", n);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double ns;
        if (!strstr(cases[i].what, which)) continue;
        const double grown =
                growth(cases[i].sum ? &sum : &relu, cases[i].flags, n, cases[i].events, &ns);
        printf("  %-40s %6.1f bytes an execution, %.2f us each\n", cases[i].what,
                grown / ((double)n - (double)(n / 2)), ns * 1e-3);
    }
    subject_free(&relu);
    subject_free(&sum);
}

/* ---- replay ---- */

enum { NET = 16 };

static void execute_net(const subject_t *s, dnnl_stream_t stream) {
    for (int i = 0; i < NET; i++) CHECK(dnnl_primitive_execute(s->primitive, stream, 2, s->args));
}

/* The best of many submissions of a net of small primitives, each waited for. */
static void bench_replay(long n) {
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    subject_t s = subject_new(1, 16, false);
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue;
    dnnl_stream_t recorder;
    double host[2] = {1e30, 1e30}, total[2] = {1e30, 1e30};
    CHECK(zeCommandListCreate(bench.context, bench.device, &list_desc, &list));
    CHECK(zeCommandQueueCreate(bench.context, bench.device, &queue_desc, &queue));
    CHECK(dnnl_ze_interop_stream_create(&recorder, bench.engine, list, 0));
    execute_net(&s, recorder);
    CHECK(zeCommandListClose(list));
    for (long i = 0; i < n; i++) {
        for (int replay = 0; replay < 2; replay++) {
            const double start = bench_now();
            if (replay) CHECK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
            else execute_net(&s, bench.stream);
            const double submitted = bench_now() - start;
            if (replay) CHECK(zeCommandQueueSynchronize(queue, UINT64_MAX));
            else bench_wait(&bench);
            const double took = bench_now() - start;
            if (submitted < host[replay]) host[replay] = submitted;
            if (took < total[replay]) total[replay] = took;
        }
    }
    printf("a net of %d small primitives, host time to submit it, and until it is over\n", NET);
    printf("  %-40s %6.2f us, %6.2f us\n", "executed", host[0] * 1e6, total[0] * 1e6);
    printf("  %-40s %6.2f us, %6.2f us\n", "replayed", host[1] * 1e6, total[1] * 1e6);
    CHECK(zeCommandListDestroy(list));
    CHECK(zeCommandQueueDestroy(queue));
    CHECK(dnnl_stream_destroy(recorder));
    subject_free(&s);
}

/* ---- latency ---- */

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median time from the call to the end of `length` small primitives, of n tries. */
static double latency(const subject_t *s, long n, int length) {
    double *times = malloc((size_t)n * sizeof *times);
    if (!times) CHECK(1);
    for (long i = 0; i < n; i++) {
        const double start = bench_now();
        for (int k = 0; k < length; k++)
            CHECK(dnnl_primitive_execute(s->primitive, bench.stream, 2, s->args));
        bench_wait(&bench);
        times[i] = bench_now() - start;
    }
    qsort(times, (size_t)n, sizeof *times, by_value);
    const double median = times[n / 2];
    free(times);
    return median;
}

static void bench_latency(long n) {
    static const dnnl_dim_t sizes[] = {256, 4096, 65536, 1048576};
    printf("relu of f32, from the call to the end (median)\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        subject_t s = subject_new(1, sizes[i], false);
        const double one = latency(&s, n, 1), chain = latency(&s, n / 10 + 1, 50);
        printf("  %7ld values: one %8.2f us, a chain of 50 %8.2f us\n", (long)sizes[i], one * 1e6,
                chain * 1e6);
        subject_free(&s);
    }
}

int main(int argc, char **argv) {
    const long n = argc > 1 ? atol(argv[1]) : 1000000;
    if (n < 2) {
        fprintf(stderr, "usage: %s [executions [part of a line's name]]\n", argv[0]);
        return 2;
    }
    bench_open(&bench);
    printf("streams on %s\n", bench.name);
    if (argc <= 2) bench_latency(n < 2000 ? n : 2000);
    if (argc <= 2) bench_replay(n < 20000 ? n : 20000);
    bench_memory_use(n, argc > 2 ? argv[2] : "");
    bench_close(&bench);
    return 0;
}
