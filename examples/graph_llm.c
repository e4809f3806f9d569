/* SPDX-License-Identifier: Apache-2.0 */
/* A decoder layer of a language model by the Graph API: grouped-query attention with rotary
 * embedding, matrices of int4, a gated product, RMS norms. The tokens of a prompt are computed at
 * once; others follow one by one, with the keys and values of all before in a cache. The same is
 * then done by primitives, and with a recorded command list. Each result is compared with double
 * precision in plain C.
 *
 *     graph_llm [width heads key_heads inner prompt tokens]     64 4 2 128 12 20
 *
 * A token's keys and values are computed into the last row of the cache, and then copied to the
 * row that is theirs; the order of keys does not matter to attention. A mask hides the rows that
 * are free. So each token is the same work on the same memory, which is compiled and recorded
 * once. */
#define DNNL_EXPERIMENTAL_PROFILING 1 /* declares what counts a stream's launches */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llm.h"
#include "transformer.h"

/* What f16 costs, relative to the largest value: a result is rounded by 2^-11 of itself about ten
 * times on its way, and the roundings of a sum's terms are independent. */
static const double tolerance = 3e-3;

typedef enum { BY_GRAPH, BY_PRIMITIVES, BY_RECORDING, WAYS } way_t;
static const char *const names[] = {"graph", "primitives", "recorded"};

typedef struct {
    llm_t llm;
    llm_graph_t *prefill, *decode;
    llm_steps_t prefill_steps, decode_steps;
    ze_command_list_handle_t list; /* a token, recorded */
    ze_command_queue_handle_t queue;
    dnnl_stream_t recorder;
} app_state_t;

/* Number of kernels that decoding appends for a token. */
static int count_launches(app_state_t *a, way_t way) {
    dnnl_stream_t stream;
    int count = 0;
    CHECK_DNNL(dnnl_stream_create(
            &stream, a->llm.net.engine, dnnl_stream_in_order | dnnl_stream_profiling));
    if (way == BY_GRAPH) llm_graph_run(a->decode, stream, NULL);
    else llm_steps_run(&a->decode_steps, stream);
    CHECK_DNNL(dnnl_stream_wait(stream));
    CHECK_DNNL(dnnl_query_profiling_data(stream, DNNL_ZE_PROFILING_TIME_PER_KERNEL, &count, NULL));
    CHECK_DNNL(dnnl_stream_destroy(stream));
    return count;
}

static void record(app_state_t *a) {
    int in_order;
    a->list = app_regular_list(&a->llm.net.app, &in_order);
    a->queue = app_queue(&a->llm.net.app);
    CHECK_DNNL(dnnl_ze_interop_stream_create(&a->recorder, a->llm.net.engine, a->list, 0));
    llm_graph_run(a->decode, a->recorder, in_order ? NULL : a->list);
    CHECK_ZE(zeCommandListClose(a->list));
}

/* The inputs of tokens from `first` on. */
static void write_inputs(const llm_t *llm, const phase_t *phase, dnnl_dim_t first) {
    const size_t x = (size_t)llm->s.width, angles = (size_t)llm->s.size;
    const size_t from = (size_t)first, count = (size_t)phase->tokens;
    memcpy(phase->x_values, llm->x + from * x, count * x * sizeof *llm->x);
    memcpy(phase->cosine_values, llm->cosines + from * angles, count * angles * sizeof *llm->x);
    memcpy(phase->sine_values, llm->sines + from * angles, count * angles * sizeof *llm->x);
    for (dnnl_dim_t i = 0; i < phase->keys; i++)
        phase->mask_values[i] = i < first || i == phase->row ? 0 : -INFINITY;
}

static void read_result(llm_t *llm, const phase_t *phase, float *to) {
    float *values = net_read(&llm->net, phase->y);
    memcpy(to, values, (size_t)(phase->tokens * llm->s.width) * sizeof *to);
    free(values);
}

/* Keys and values go from the newest token's row to the token's own. The recorded list runs on
 * another queue: the copy is over before it does. */
static void append_to_cache(llm_t *llm, dnnl_dim_t token) {
    const dnnl_memory_t caches[] = {llm->keys, llm->values};
    const size_t size = llm_cache_row(llm);
    for (int i = 0; i < 2; i++) {
        void *pointer;
        CHECK_DNNL(dnnl_memory_get_data_handle(caches[i], &pointer));
        char *rows = pointer;
        CHECK_ZE(zeCommandListAppendMemoryCopy(llm->net.list, rows + (size_t)token * size,
                rows + (size_t)llm->decode.row * size, size, NULL, 0, NULL));
    }
    net_wait(&llm->net);
}

static void submit_token(app_state_t *a, way_t way) {
    switch (way) {
    case BY_GRAPH: llm_graph_run(a->decode, a->llm.net.stream, NULL); break;
    case BY_PRIMITIVES: llm_steps_run(&a->decode_steps, a->llm.net.stream); break;
    default: CHECK_ZE(zeCommandQueueExecuteCommandLists(a->queue, 1, &a->list, NULL));
    }
}

/* Answers how long the host needs for a token, and all of it, at best. */
static void generate(app_state_t *a, way_t way, float *results, double *host, double *total) {
    llm_t *llm = &a->llm;
    const llm_sizes_t *s = &llm->s;
    *host = *total = INFINITY;
    write_inputs(llm, &llm->prefill, 0);
    if (way == BY_PRIMITIVES) llm_steps_run(&a->prefill_steps, llm->net.stream);
    else llm_graph_run(a->prefill, llm->net.stream, NULL);
    net_wait(&llm->net);
    read_result(llm, &llm->prefill, results);
    for (dnnl_dim_t t = s->prompt; t < s->prompt + s->tokens; t++) {
        write_inputs(llm, &llm->decode, t);
        const double start = now_ms();
        submit_token(a, way);
        const double submitted = now_ms();
        if (way == BY_RECORDING) CHECK_ZE(zeCommandQueueSynchronize(a->queue, UINT64_MAX));
        net_wait(&llm->net);
        *host = fmin(*host, submitted - start);
        *total = fmin(*total, now_ms() - start);
        read_result(llm, &llm->decode, results + t * s->width);
        append_to_cache(llm, t);
    }
}

static void make(app_state_t *a) {
    llm_t *llm = &a->llm;
    a->prefill = llm_graph_make(llm, &llm->prefill);
    llm_graph_t *first = llm_graph_make(llm, &llm->decode);
    a->decode = llm_graph_make(llm, &llm->decode); /* from the cache */
    llm_graph_print(a->prefill, "prompt");
    llm_graph_print(first, "token");
    llm_graph_print(a->decode, "token, again");
    net_wait(&llm->net);
    llm_graph_end(first);
    llm_steps_make(llm, &llm->prefill, &a->prefill_steps);
    llm_steps_make(llm, &llm->decode, &a->decode_steps);
    net_wait(&llm->net);
    record(a);
}

static void end(app_state_t *a) {
    CHECK_ZE(zeCommandListDestroy(a->list));
    CHECK_ZE(zeCommandQueueDestroy(a->queue));
    CHECK_DNNL(dnnl_stream_destroy(a->recorder));
    llm_graph_end(a->prefill);
    llm_graph_end(a->decode);
    llm_end(&a->llm);
}

/* Answers whether all results are right. */
static int compare(app_state_t *a) {
    const size_t count = (size_t)((a->llm.s.prompt + a->llm.s.tokens) * a->llm.s.width);
    const int launches[] = {count_launches(a, BY_GRAPH), count_launches(a, BY_PRIMITIVES), 1};
    double *want = llm_expected(&a->llm);
    int good = 1;
    printf("a token      submissions  us of the host  us in all  error\n");
    for (way_t way = 0; way < WAYS; way++) {
        double host, total;
        float *results = check_alloc(calloc(count, sizeof *results));
        generate(a, way, results, &host, &total);
        const double error = largest_error(results, want, count);
        printf("%-12s %11d %15.1f %10.0f  %.1e%s\n", names[way], launches[way], host * 1e3,
                total * 1e3, error, error <= tolerance ? "" : " WRONG");
        good &= error <= tolerance;
        free(results);
    }
    free(want);
    return good;
}

int main(int argc, char **argv) {
    llm_sizes_t s = {.width = 64,
            .heads = 4,
            .key_heads = 2,
            .inner = 128,
            .prompt = 12,
            .tokens = 20,
            .group = 32};
    dnnl_dim_t *given[] = {&s.width, &s.heads, &s.key_heads, &s.inner, &s.prompt, &s.tokens};
    for (int i = 0; i < 6 && argc > 1 + i; i++) *given[i] = strtol(argv[1 + i], NULL, 10);
    s.size = s.heads > 0 ? s.width / s.heads : 0;
    if (s.size < 2 || s.size % 2 || s.width % s.heads || s.width % s.group || s.key_heads < 1 ||
            s.heads % s.key_heads || s.inner < 1 || s.inner % s.group || s.prompt < 1 ||
            s.tokens < 1) {
        fprintf(stderr,
                "usage: graph_llm [width heads key_heads inner prompt tokens]\n"
                "width and inner are multiples of %lld\n",
                (long long)s.group);
        return 2;
    }
    static app_state_t a;
    llm_make(&a.llm, &s);
    printf("%s: width %lld, %lld heads of %lld, %lld of keys, %lld inside the gate; %lld tokens at "
           "once, %lld one by one\n",
            a.llm.net.app.properties.name, (long long)s.width, (long long)s.heads,
            (long long)s.size, (long long)s.key_heads, (long long)s.inner, (long long)s.prompt,
            (long long)s.tokens);
    make(&a);
    const int good = compare(&a);
    end(&a);
    return !good;
}
