/* SPDX-License-Identifier: Apache-2.0 */
/* One engine and one primitive used by several threads, each with a stream and memory of its own; and one
 * stream used by all. */
#include "rt.h"

#include <pthread.h>

enum { THREADS = 4, TURNS = 60 };

static const affine_t shared = {.n = N, .steps = 2, .factor = 2, .addend = 1};

typedef struct {
    pthread_t thread;
    dnnl_engine_t engine;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream; /* NULL: one of its own */
    float *src, *dst;
    int id;
    const char *failure;
} worker_t;

#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            w->failure = #condition;                                                                         \
            return NULL;                                                                                     \
        }                                                                                                    \
    } while (0)

static void *work(void *arg) {
    worker_t *w = arg;
    dnnl_stream_t stream = w->stream;
    dnnl_memory_t src, dst;
    const int64_t n = N;
    md_t md;
    EXPECT(md_init_tag(&md, 1, &n, dnnl_f32, dnnl_a) == dnnl_success);
    EXPECT(dnnl_memory_create(&src, &md, w->engine, w->src) == dnnl_success);
    EXPECT(dnnl_memory_create(&dst, &md, w->engine, w->dst) == dnnl_success);
    if (!stream) EXPECT(dnnl_stream_create(&stream, w->engine, dnnl_stream_in_order) == dnnl_success);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    for (int turn = 0; turn < TURNS; turn++) {
        ze_event_handle_t event;
        for (int i = 0; i < N; i++) w->src[i] = (float)(i + turn * w->id);
        EXPECT(dnnl_ze_interop_primitive_execute(w->primitive, stream, 2, args, 0, NULL, &event) ==
                dnnl_success);
        if (turn % 2) EXPECT(dnnl_stream_wait(stream) == dnnl_success);
        else EXPECT(zeEventHostSynchronize(event, FOREVER) == ZE_RESULT_SUCCESS);
        for (int i = 0; i < N; i++) EXPECT(w->dst[i] == affine_result(&shared, w->src[i]));
    }
    if (!w->stream) EXPECT(dnnl_stream_destroy(stream) == dnnl_success);
    EXPECT(dnnl_memory_destroy(src) == dnnl_success);
    EXPECT(dnnl_memory_destroy(dst) == dnnl_success);
    return NULL;
}

static void run(bool one_stream) {
    worker_t workers[THREADS] = {{.id = 0}};
    dnnl_engine_t engine = new_engine();
    dnnl_primitive_t primitive = new_primitive(engine, &shared);
    dnnl_stream_t stream = NULL;
    if (one_stream) assert_ok(dnnl_stream_create(&stream, engine, dnnl_stream_in_order));
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker_t){.engine = engine, .primitive = primitive, .stream = stream, .id = i + 1};
        workers[i].src = new_usm(N * sizeof(float));
        workers[i].dst = new_usm(N * sizeof(float));
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        if (workers[i].failure) fail_msg("thread %d: %s", i, workers[i].failure);
        free_usm(workers[i].src);
        free_usm(workers[i].dst);
    }
    if (stream) assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_primitive_destroy(primitive));
    assert_ok(dnnl_engine_destroy(engine));
}

static void own_streams(void **state) {
    (void)state;
    run(false);
}

static void one_stream(void **state) {
    (void)state;
    run(true);
}

/* Engines come and go while others make the same primitives. */
static void *come_and_go(void *arg) {
    worker_t *w = arg;
    for (int turn = 0; turn < 10; turn++) {
        dnnl_engine_t engine;
        dnnl_primitive_t primitive;
        const affine_t affine = {.n = N, .steps = 1, .factor = 10 + turn % 3};
        EXPECT(dnnl_ze_interop_engine_create(&engine, app.driver, app.device, app.context) == dnnl_success);
        dnnl_primitive_desc_t desc = new_affine(engine, &affine);
        EXPECT(desc);
        EXPECT(dnnl_primitive_create(&primitive, desc) == dnnl_success);
        EXPECT(dnnl_engine_destroy(engine) == dnnl_success);
        free_affine(desc);
        EXPECT(dnnl_primitive_destroy(primitive) == dnnl_success);
    }
    return NULL;
}

static void engines_come_and_go(void **state) {
    (void)state;
    worker_t workers[THREADS] = {{.id = 0}};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, come_and_go, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        if (workers[i].failure) fail_msg("thread %d: %s", i, workers[i].failure);
    }
}

int main(void) {
    const struct CMUnitTest threads[] = {TEST(own_streams), TEST(one_stream), TEST(engines_come_and_go)};
    return RUN_TESTS(threads);
}
