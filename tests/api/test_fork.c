/* SPDX-License-Identifier: Apache-2.0 */
/* A child of a process that has used the library: every call that needs the device answers
 * runtime_error with a sentence, objects can be destroyed, and nothing hangs, whatever the threads
 * of the parent were doing. */
#define _GNU_SOURCE
#define DNNL_EXPERIMENTAL_PROFILING
#include "rt.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/verbose.h"
#include "oneapi/dnnl/dnnl_ze_cache.h"
#include "oneapi/dnnl/dnnl_ze_recording.h"

enum { CHILDREN = 24, CHILD_SECONDS = 30 };

typedef struct {
    bench_t *bench;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_memory_t owned;
    dnnl_memory_desc_t floats;
} objects_t;

/* The number of the first call that does not answer runtime_error; 0: there is none. Errors of a
 * child are exit codes, because the test's own frame belongs to the parent. */
static int calls_of_child(const objects_t *o) {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_t memory;
    dnnl_primitive_t primitive;
    dnnl_primitive_desc_t desc;
    void *mapped;
    size_t size = 0;
    int number = 0, entries = 0;
    const bench_t *b = o->bench;
#define FAILS(call)                                                                                \
    do {                                                                                           \
        number++;                                                                                  \
        if ((call) != dnnl_runtime_error) return number;                                           \
    } while (0)
    FAILS(dnnl_engine_get_count(dnnl_gpu) ? dnnl_success : dnnl_runtime_error);
    FAILS(dnnl_engine_create(&engine, dnnl_gpu, 0));
    FAILS(runtime->engine(&engine));
    if (!app.on_opencl)
        FAILS(dnnl_ze_interop_engine_get_cache_blob_id(app.driver, app.device, &size, NULL));
    FAILS(runtime->engine_blob(b->engine, &size, NULL));
    FAILS(dnnl_stream_create(&stream, b->engine, dnnl_stream_in_order));
    FAILS(runtime->stream(&stream, b->engine, b->list));
    FAILS(dnnl_ze_recording_create(&stream, b->engine, b->list, 0));
    FAILS(dnnl_ze_recording_exchange(b->stream, 0, NULL, NULL));
    FAILS(dnnl_stream_wait(b->stream));
    FAILS(dnnl_reset_profiling(b->stream));
    FAILS(dnnl_query_profiling_data(b->stream, dnnl_profiling_data_kind_time, &entries, NULL));
    FAILS(dnnl_primitive_execute(o->primitive, b->stream, 2, b->args));
    FAILS(execute(o->primitive, b->stream, 2, b->args, 0, NULL, NULL));
    FAILS(dnnl_set_verbose(0) == dnnl_success ? dnnl_runtime_error : dnnl_success);
    FAILS(dnnl_primitive_execute(o->primitive, b->stream, 2, b->args));
    FAILS(dnnl_primitive_create(&primitive, o->desc));
    FAILS(dnnl_primitive_get_cache_blob(o->primitive, &size, NULL));
    FAILS(dnnl_eltwise_forward_primitive_desc_create(&desc, b->engine, dnnl_forward_inference,
            dnnl_eltwise_abs, o->floats, o->floats, 0, 0, NULL));
    FAILS(dnnl_primitive_desc_next_impl(o->desc));
    FAILS(dnnl_memory_create(&memory, o->floats, b->engine, DNNL_MEMORY_ALLOCATE));
    if (!app.on_opencl)
        FAILS(dnnl_ze_interop_memory_create(&memory, o->floats, b->engine, 1, &(void *){b->src}));
    FAILS(create_memory(&memory, o->floats, b->engine, b->src));
    FAILS(dnnl_memory_map_data(o->owned, &mapped));
    FAILS(dnnl_memory_unmap_data(o->owned, b->src));
    FAILS(dnnl_memory_set_data_handle(o->owned, NULL));
    FAILS(dnnl_set_primitive_cache_capacity(0));
    FAILS(dnnl_ze_set_cache_folder(NULL, 0));
#undef FAILS
    return 0;
}

static void child(const objects_t *o) {
    enum { NOT_DESTROYED = 100 };
    alarm(CHILD_SECONDS); /* a hang ends by a signal */
    const int wrong = calls_of_child(o);
    if (wrong) _exit(wrong);
    if (dnnl_primitive_destroy(o->primitive) || dnnl_primitive_desc_destroy(o->desc) ||
            dnnl_memory_destroy(o->owned) || dnnl_stream_destroy(o->bench->stream) ||
            dnnl_engine_destroy(o->bench->engine))
        _exit(NOT_DESTROYED);
    _exit(0);
}

static void expect_good_child(const objects_t *o) {
    int status;
    fflush(stdout);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) child(o);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status)) fail_msg("the child ended by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status)) fail_msg("call %d of the child is wrong", WEXITSTATUS(status));
}

static objects_t objects(bench_t *b) {
    const affine_t what = {.n = N, .steps = 1, .factor = 2};
    objects_t o = {.bench = b, .desc = new_affine(b->engine, &what)};
    const dnnl_dims_t dims = {N};
    assert_ok(dnnl_primitive_create(&o.primitive, o.desc));
    assert_ok(dnnl_memory_desc_create_with_tag(&o.floats, 1, dims, dnnl_f32, dnnl_a));
    assert_ok(dnnl_memory_create(&o.owned, o.floats, b->engine, DNNL_MEMORY_ALLOCATE));
    return o;
}

static void free_objects(objects_t *o) {
    assert_ok(dnnl_memory_destroy(o->owned));
    assert_ok(dnnl_memory_desc_destroy(o->floats));
    assert_ok(dnnl_primitive_destroy(o->primitive));
    free_affine(o->desc);
}

static void test_calls(void **unused) {
    (void)unused;
    bench_t b = bench_begin(dnnl_stream_in_order | dnnl_stream_profiling);
    objects_t o = objects(&b);
    assert_ok(dnnl_primitive_execute(o.primitive, b.stream, 2, b.args));
    expect_good_child(&o);
    /* The parent goes on. */
    assert_ok(dnnl_primitive_execute(o.primitive, b.stream, 2, b.args));
    assert_ok(dnnl_stream_wait(b.stream));
    free_objects(&o);
    bench_end(&b);
}

static atomic_bool stop;

/* Takes every lock of the library again and again. */
static void *use(void *arg) {
    const objects_t *o = arg;
    const bench_t *b = o->bench;
    for (int i = 0; !stop; i++) {
        dnnl_primitive_t primitive;
        void *mapped;
        int entries;
        const dnnl_status_t wrong = dnnl_primitive_create(&primitive, o->desc) ||
                                    dnnl_primitive_execute(primitive, b->stream, 2, b->args) ||
                                    dnnl_query_profiling_data(b->stream,
                                            dnnl_profiling_data_kind_time, &entries, NULL) ||
                                    dnnl_memory_map_data(o->owned, &mapped) ||
                                    dnnl_memory_unmap_data(o->owned, mapped) ||
                                    dnnl_reset_profiling(b->stream) ||
                                    dnnl_primitive_destroy(primitive);
        if (wrong) abort();
    }
    return NULL;
}

static void test_locks(void **unused) {
    (void)unused;
    bench_t b = bench_begin(dnnl_stream_in_order | dnnl_stream_profiling);
    objects_t o = objects(&b);
    pthread_t threads[2];
    stop = false;
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use, &o), 0);
    for (int i = 0; i < CHILDREN; i++) expect_good_child(&o);
    stop = true;
    for (size_t i = 0; i < COUNT_OF(threads); i++) pthread_join(threads[i], NULL);
    free_objects(&o);
    bench_end(&b);
}

static void test_sentence(void **unused) {
    (void)unused;
    int ends[2], status;
    char text[8192];
    dnnl_engine_t engine = new_engine();
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    const pid_t pid = fork();
    if (!pid) {
        alarm(CHILD_SECONDS);
        dup2(ends[1], STDOUT_FILENO);
        dnnl_stream_t stream;
        _exit(dnnl_stream_create(&stream, engine, dnnl_stream_in_order) != dnnl_runtime_error);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(ends[1]);
    const ssize_t n = read(ends[0], text, sizeof text - 1);
    assert_true(n > 0);
    text[n] = 0;
    close(ends[0]);
    assert_non_null(strstr(text, "forked from one that had used the device"));
    assert_ok(dnnl_engine_destroy(engine));
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_calls), TEST(test_locks), TEST(test_sentence)};
    return RUN_TESTS(tests);
}
