/* SPDX-License-Identifier: Apache-2.0 */
/* One engine and one primitive used by eight threads, each with a stream and memory of its own,
 * or on one stream for all; primitives made by all through one cache; objects destroyed in any
 * order by any thread. */
#define DNNL_EXPERIMENTAL_PROFILING
#include "rt.h"

#include <stdlib.h>

#include <pthread.h>

enum { THREADS = 8, TURNS = 40 };

static const affine_t shared = {.n = N, .steps = 2, .factor = 2, .addend = 1};

typedef struct {
    pthread_t thread;
    dnnl_engine_t engine;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream; /* NULL: one of its own */
    unsigned flags;       /* of its own */
    float *src, *dst;
    int id, turns;
    const char *failure;
} worker_t;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            w->failure = #condition;                                                               \
            return NULL;                                                                           \
        }                                                                                          \
    } while (0)

static void *work(void *arg) {
    worker_t *w = arg;
    dnnl_stream_t stream = w->stream;
    dnnl_memory_t src, dst;
    const int64_t n = N;
    md_t md;
    EXPECT(md_init_tag(&md, 1, &n, dnnl_f32, dnnl_a) == dnnl_success);
    EXPECT(create_memory(&src, &md, w->engine, w->src) == dnnl_success);
    EXPECT(create_memory(&dst, &md, w->engine, w->dst) == dnnl_success);
    if (!stream) EXPECT(dnnl_stream_create(&stream, w->engine, w->flags) == dnnl_success);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    for (int turn = 0; turn < TURNS; turn++) {
        ze_event_handle_t event;
        for (int i = 0; i < N; i++) w->src[i] = (float)(i + turn * w->id);
        EXPECT(execute(w->primitive, stream, 2, args, 0, NULL, &event) == dnnl_success);
        if (turn % 2) EXPECT(dnnl_stream_wait(stream) == dnnl_success);
        else EXPECT(wait_for(event));
        for (int i = 0; i < N; i++) EXPECT(w->dst[i] == affine_result(&shared, w->src[i]));
    }
    if (!w->stream) EXPECT(dnnl_stream_destroy(stream) == dnnl_success);
    EXPECT(dnnl_memory_destroy(src) == dnnl_success);
    EXPECT(dnnl_memory_destroy(dst) == dnnl_success);
    return NULL;
}

static void start_all(worker_t *workers, void *(*body)(void *)) {
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, body, &workers[i]), 0);
}

static void join_all(worker_t *workers) {
    for (int i = 0; i < THREADS; i++) pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        if (workers[i].failure) fail_msg("thread %d: %s", i, workers[i].failure);
}

static void run(bool one_stream, unsigned flags) {
    worker_t workers[THREADS] = {{.id = 0}};
    dnnl_engine_t engine = new_engine();
    dnnl_primitive_t primitive = new_primitive(engine, &shared);
    dnnl_stream_t stream = NULL;
    if (one_stream) assert_ok(dnnl_stream_create(&stream, engine, flags));
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker_t){.engine = engine,
                .primitive = primitive,
                .stream = stream,
                .flags = flags,
                .id = i + 1};
        workers[i].src = new_usm(N * sizeof(float));
        workers[i].dst = new_usm(N * sizeof(float));
    }
    start_all(workers, work);
    join_all(workers);
    for (int i = 0; i < THREADS; i++) {
        free_usm(workers[i].src);
        free_usm(workers[i].dst);
    }
    if (stream) assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_primitive_destroy(primitive));
    assert_ok(dnnl_engine_destroy(engine));
}

static void own_streams(void **state) {
    (void)state;
    run(false, dnnl_stream_in_order);
}

static void one_stream(void **state) {
    (void)state;
    run(true, dnnl_stream_in_order);
}

/* In Intel's OpenCL for CPUs, threads that wait for out-of-order queues sometimes wait for each
 * other's tasks, for ever. */
static void skip_where_queues_hang(void) {
    if (!getenv("API_THREADS_IN_ORDER")) return;
    print_message("skipped: threads may wait for ever in out-of-order queues of this OpenCL\n");
    skip();
}

static void own_out_of_order_streams(void **state) {
    (void)state;
    skip_where_queues_hang();
    run(false, dnnl_stream_out_of_order);
}

static void one_out_of_order_stream(void **state) {
    (void)state;
    skip_where_queues_hang();
    run(true, dnnl_stream_out_of_order);
}

/* The profile grows, and is read and dropped now and then: how long it is then, nobody knows.
 * What is read are times of executions that are over, whatever others submit meanwhile. */
static void *profile(void *arg) {
    worker_t *w = arg;
    dnnl_memory_t src, dst;
    const int64_t n = N;
    md_t md;
    EXPECT(md_init_tag(&md, 1, &n, dnnl_f32, dnnl_a) == dnnl_success);
    EXPECT(create_memory(&src, &md, w->engine, w->src) == dnnl_success);
    EXPECT(create_memory(&dst, &md, w->engine, w->dst) == dnnl_success);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    for (int turn = 0; turn < w->turns; turn++) {
        int count = 0;
        EXPECT(dnnl_primitive_execute(w->primitive, w->stream, 2, args) == dnnl_success);
        EXPECT(dnnl_query_profiling_data(w->stream, dnnl_profiling_data_kind_time, &count, NULL) ==
                dnnl_success);
        EXPECT(count >= 0 && count <= THREADS * TURNS);
        uint64_t ns[THREADS * TURNS];
        const dnnl_status_t read =
                dnnl_query_profiling_data(w->stream, dnnl_profiling_data_kind_time, &count, ns);
        EXPECT(read == dnnl_success ||
                read == dnnl_invalid_arguments); /* longer by now, or shorter */
        for (int i = 0; i < count && read == dnnl_success; i++) EXPECT(ns[i] > 0);
        if (turn % 8 == w->id) EXPECT(dnnl_reset_profiling(w->stream) == dnnl_success);
    }
    EXPECT(dnnl_stream_wait(w->stream) == dnnl_success);
    for (int i = 0; i < N; i++) EXPECT(w->dst[i] == affine_result(&shared, w->src[i]));
    EXPECT(dnnl_memory_destroy(src) == dnnl_success);
    EXPECT(dnnl_memory_destroy(dst) == dnnl_success);
    return NULL;
}

/* How many times the profile has, when nobody else uses the stream. */
static int read_profile(dnnl_stream_t stream) {
    uint64_t ns[THREADS * TURNS];
    int count;
    assert_ok(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &count, NULL));
    assert_in_range(count, 0, THREADS * TURNS);
    assert_ok(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &count, ns));
    for (int i = 0; i < count; i++) assert_true(ns[i] > 0);
    return count;
}

/* While threads execute, the profile may be longer at each query than at the one before. So what
 * can be read for sure is what an execution leaves after them. */
static void profile_of(unsigned flags) {
    worker_t workers[THREADS] = {{.id = 0}};
    dnnl_engine_t engine = new_engine();
    dnnl_primitive_t primitive = new_primitive(engine, &shared);
    dnnl_stream_t stream;
    assert_ok(dnnl_stream_create(&stream, engine, flags | dnnl_stream_profiling));
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker_t){.engine = engine,
                .primitive = primitive,
                .stream = stream,
                .id = i,
                .turns = TURNS};
        workers[i].src = new_usm(N * sizeof(float));
        workers[i].dst = new_usm(N * sizeof(float));
        for (int k = 0; k < N; k++) workers[i].src[k] = (float)(i + k);
    }
    start_all(workers, profile);
    join_all(workers);
    read_profile(stream); /* of no execution, if it was dropped last */
    assert_ok(dnnl_reset_profiling(stream));
    assert_int_equal(read_profile(stream), 0);
    worker_t last = workers[THREADS - 1]; /* its first turn drops nothing */
    last.turns = 1;
    profile(&last);
    if (last.failure) fail_msg("one turn: %s", last.failure);
    assert_int_equal(read_profile(stream), 1);
    for (int i = 0; i < THREADS; i++) {
        free_usm(workers[i].src);
        free_usm(workers[i].dst);
    }
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_primitive_destroy(primitive));
    assert_ok(dnnl_engine_destroy(engine));
}

static void one_profile(void **state) {
    (void)state;
    profile_of(dnnl_stream_in_order);
    profile_of(dnnl_stream_out_of_order);
}

/* Device memory of its own, filled and read through mappings, which go through one list of the
 * engine. */
static void *map(void *arg) {
    worker_t *w = arg;
    const int64_t n = N;
    md_t md;
    EXPECT(md_init_tag(&md, 1, &n, dnnl_f32, dnnl_a) == dnnl_success);
    for (int turn = 0; turn < TURNS; turn++) {
        dnnl_memory_t memory;
        float *values;
        EXPECT(dnnl_memory_create(&memory, &md, w->engine, DNNL_MEMORY_ALLOCATE) == dnnl_success);
        EXPECT(dnnl_memory_map_data(memory, (void **)&values) == dnnl_success);
        for (int i = 0; i < N; i++) values[i] = (float)(turn * w->id + i);
        EXPECT(dnnl_memory_unmap_data(memory, values) == dnnl_success);
        EXPECT(dnnl_memory_map_data(memory, (void **)&values) == dnnl_success);
        for (int i = 0; i < N; i++) EXPECT(values[i] == (float)(turn * w->id + i));
        EXPECT(dnnl_memory_unmap_data(memory, values) == dnnl_success);
        EXPECT(dnnl_memory_destroy(memory) == dnnl_success);
    }
    return NULL;
}

static void mappings(void **state) {
    (void)state;
    worker_t workers[THREADS];
    dnnl_engine_t engine = new_engine();
    for (int i = 0; i < THREADS; i++) workers[i] = (worker_t){.engine = engine, .id = i + 1};
    start_all(workers, map);
    join_all(workers);
    assert_ok(dnnl_engine_destroy(engine));
}

/* Engines come and go while others make the same primitives. */
static void *come_and_go(void *arg) {
    worker_t *w = arg;
    for (int turn = 0; turn < 10; turn++) {
        dnnl_engine_t engine;
        dnnl_primitive_t primitive;
        const affine_t affine = {.n = N, .steps = 1, .factor = 10 + turn % 3};
        EXPECT(runtime->engine(&engine) == dnnl_success);
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
    start_all(workers, come_and_go);
    join_all(workers);
}

/* The same few primitives, made, run and dropped by all through a cache that holds fewer of them
 * and changes its size. */
static void *create(void *arg) {
    worker_t *w = arg;
    dnnl_stream_t stream;
    dnnl_memory_t src, dst;
    const int64_t n = N;
    md_t md;
    EXPECT(md_init_tag(&md, 1, &n, dnnl_f32, dnnl_a) == dnnl_success);
    EXPECT(dnnl_stream_create(&stream, w->engine, dnnl_stream_in_order) == dnnl_success);
    EXPECT(create_memory(&src, &md, w->engine, w->src) == dnnl_success);
    EXPECT(create_memory(&dst, &md, w->engine, w->dst) == dnnl_success);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    for (int i = 0; i < N; i++) w->src[i] = (float)i;
    for (int turn = 0; turn < TURNS; turn++) {
        dnnl_primitive_t primitive;
        const affine_t affine = {
                .n = N, .steps = 1 + turn % 2, .factor = 2 + turn % 5, .addend = 3};
        if (turn % 10 == w->id)
            EXPECT(dnnl_set_primitive_cache_capacity(turn % 3 ? 1 + turn % 4 : 0) == dnnl_success);
        dnnl_primitive_desc_t desc = new_affine(w->engine, &affine);
        EXPECT(desc);
        EXPECT(dnnl_primitive_create(&primitive, desc) == dnnl_success);
        free_affine(desc);
        EXPECT(dnnl_primitive_execute(primitive, stream, 2, args) == dnnl_success);
        EXPECT(dnnl_stream_wait(stream) == dnnl_success);
        EXPECT(dnnl_primitive_destroy(primitive) == dnnl_success);
        for (int i = 0; i < N; i++) EXPECT(w->dst[i] == affine_result(&affine, (float)i));
    }
    EXPECT(dnnl_memory_destroy(src) == dnnl_success);
    EXPECT(dnnl_memory_destroy(dst) == dnnl_success);
    EXPECT(dnnl_stream_destroy(stream) == dnnl_success);
    return NULL;
}

static void one_cache(void **state) {
    (void)state;
    worker_t workers[THREADS];
    int capacity;
    assert_ok(dnnl_get_primitive_cache_capacity(&capacity));
    dnnl_engine_t engine = new_engine();
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker_t){.engine = engine, .id = i};
        workers[i].src = new_usm(N * sizeof(float));
        workers[i].dst = new_usm(N * sizeof(float));
    }
    start_all(workers, create);
    join_all(workers);
    for (int i = 0; i < THREADS; i++) {
        free_usm(workers[i].src);
        free_usm(workers[i].dst);
    }
    assert_ok(dnnl_engine_destroy(engine));
    assert_ok(dnnl_set_primitive_cache_capacity(capacity));
}

/* ---- the end of objects ---- */

/* One of each kind, on one engine. All but the event's stream may go in any order. */
enum { ENGINE, STREAM, PRIMITIVE, SRC, DST, KINDS };

typedef struct {
    void *object[KINDS];
    float *src, *dst;
} set_t;

static dnnl_status_t destroy(int kind, void *object) {
    switch (kind) {
    case ENGINE: return dnnl_engine_destroy(object);
    case STREAM: return dnnl_stream_destroy(object);
    case PRIMITIVE: return dnnl_primitive_destroy(object);
    default: return dnnl_memory_destroy(object);
    }
}

/* A set that has just been used, and may be in use still. */
static void make_set(set_t *set, unsigned flags, bool wait) {
    dnnl_engine_t engine = new_engine();
    dnnl_stream_t stream;
    for (int i = 0; i < N; i++) set->src[i] = (float)i;
    memset(set->dst, 0, N * sizeof *set->dst);
    assert_ok(dnnl_stream_create(&stream, engine, flags));
    dnnl_memory_t src = new_floats(engine, N, set->src), dst = new_floats(engine, N, set->dst);
    dnnl_primitive_t primitive = new_primitive(engine, &shared);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    assert_ok(dnnl_primitive_execute(primitive, stream, 2, args));
    if (wait) assert_ok(dnnl_stream_wait(stream));
    set->object[ENGINE] = engine;
    set->object[STREAM] = stream;
    set->object[PRIMITIVE] = primitive;
    set->object[SRC] = src;
    set->object[DST] = dst;
}

static void check_set(const set_t *set) {
    for (int i = 0; i < N; i++) assert_true(set->dst[i] == affine_result(&shared, (float)i));
}

/* All orders of five objects. A primitive in use may go, as long as its stream is waited for:
 * destroying a stream of the library does. */
static void destroyed_in_any_order(void **state) {
    (void)state;
    enum { ORDERS = 120 };
    set_t set = {.src = new_usm(N * sizeof(float)), .dst = new_usm(N * sizeof(float))};
    for (int number = 0; number < ORDERS; number++) {
        int left[KINDS] = {ENGINE, STREAM, PRIMITIVE, SRC, DST};
        make_set(&set, number % 2 ? dnnl_stream_in_order : dnnl_stream_out_of_order,
                number % 3 == 0);
        for (int n = KINDS, rest = number; n > 0; rest /= n--) {
            const int kind = left[rest % n];
            left[rest % n] = left[n - 1];
            assert_ok(destroy(kind, set.object[kind]));
        }
        check_set(&set);
    }
    free_usm(set.src);
    free_usm(set.dst);
}

typedef struct {
    pthread_t thread;
    set_t *sets;
    int kind;
    dnnl_status_t status;
} destroyer_t;

static void *destroy_kind(void *arg) {
    destroyer_t *d = arg;
    for (int i = 0; i < THREADS && d->status == dnnl_success; i++)
        d->status = destroy(d->kind, d->sets[i].object[d->kind]);
    return NULL;
}

/* A thread for each kind of object. */
static void destroyed_by_many(void **state) {
    (void)state;
    set_t sets[THREADS];
    destroyer_t destroyers[KINDS];
    for (int i = 0; i < THREADS; i++)
        sets[i] = (set_t){.src = new_usm(N * sizeof(float)), .dst = new_usm(N * sizeof(float))};
    for (int turn = 0; turn < 10; turn++) {
        for (int i = 0; i < THREADS; i++) make_set(&sets[i], dnnl_stream_in_order, i % 2);
        for (int k = 0; k < KINDS; k++) {
            destroyers[k] = (destroyer_t){.sets = sets, .kind = k, .status = dnnl_success};
            assert_int_equal(
                    pthread_create(&destroyers[k].thread, NULL, destroy_kind, &destroyers[k]), 0);
        }
        for (int k = 0; k < KINDS; k++) {
            pthread_join(destroyers[k].thread, NULL);
            assert_ok(destroyers[k].status);
        }
        for (int i = 0; i < THREADS; i++) check_set(&sets[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        free_usm(sets[i].src);
        free_usm(sets[i].dst);
    }
}

int main(void) {
    const struct CMUnitTest threads[] = {TEST(own_streams), TEST(one_stream),
            TEST(own_out_of_order_streams), TEST(one_out_of_order_stream), TEST(one_profile),
            TEST(mappings), TEST(engines_come_and_go), TEST(one_cache),
            TEST(destroyed_in_any_order), TEST(destroyed_by_many)};
    return RUN_TESTS(threads);
}
