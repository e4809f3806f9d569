/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives: creation through the cache, arguments, results. */
#include "rt.h"

enum { N = 1000 };

typedef struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    float *src, *dst;
    dnnl_memory_t src_mem, dst_mem;
    dnnl_exec_arg_t args[4];
} bench_t;

static bench_t begin(unsigned flags) {
    bench_t b = {.engine = new_engine()};
    assert_ok(dnnl_stream_create(&b.stream, b.engine, flags));
    b.src = new_usm(N * sizeof *b.src);
    b.dst = new_usm(N * sizeof *b.dst);
    for (int i = 0; i < N; i++) b.src[i] = (float)i;
    memset(b.dst, 0, N * sizeof *b.dst);
    b.src_mem = new_floats(b.engine, N, b.src);
    b.dst_mem = new_floats(b.engine, N, b.dst);
    b.args[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, b.src_mem};
    b.args[1] = (dnnl_exec_arg_t){DNNL_ARG_DST, b.dst_mem};
    return b;
}

static void end(bench_t *b) {
    assert_ok(dnnl_stream_wait(b->stream));
    assert_ok(dnnl_stream_destroy(b->stream));
    assert_ok(dnnl_memory_destroy(b->src_mem));
    assert_ok(dnnl_memory_destroy(b->dst_mem));
    assert_ok(dnnl_engine_destroy(b->engine));
    free_usm(b->src);
    free_usm(b->dst);
}

static void check(const bench_t *b, const affine_t *affine, int n) {
    for (int i = 0; i < n; i++) assert_true(b->dst[i] == affine_result(affine, (float)i));
}

static void one_step(void **state) {
    (void)state;
    const affine_t affine = {.n = N, .steps = 1, .factor = 3, .addend = 0.5f};
    bench_t b = begin(dnnl_stream_default_flags);
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
    assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
    assert_ok(dnnl_stream_wait(b.stream));
    check(&b, &affine, N);
    assert_ok(dnnl_primitive_destroy(primitive));
    end(&b);
}

int main(void) {
    const struct CMUnitTest primitives[] = {TEST(one_step)};
    return RUN_TESTS(primitives);
}
