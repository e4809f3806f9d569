/* SPDX-License-Identifier: Apache-2.0 */
/* A device whose memory is full: the right status and one sentence, nothing lost, and the
 * process goes on. */
#include "rt.h"

#include <stdlib.h>

#include "heard.h"

enum { DEVICE_MIB = 16, PIECE = 1 << 20 /* floats: 4 MiB */, PIECES = 8 };

#define assert_out_of_memory(call)                                                                 \
    do {                                                                                           \
        listen_to_log();                                                                           \
        const dnnl_status_t status_of_call = (call);                                               \
        assert_int_equal(errors_in(heard()), 1);                                                   \
        assert_status(status_of_call, out_of_memory);                                              \
    } while (0)

static dnnl_status_t try_floats(dnnl_engine_t engine, int64_t n, dnnl_memory_t *memory) {
    md_t md;
    floats_md(&md, n);
    return dnnl_memory_create(memory, &md, engine, DNNL_MEMORY_ALLOCATE);
}

/* Takes pieces until one is refused; answers how many there are. */
static int fill(dnnl_engine_t engine, dnnl_memory_t pieces[PIECES]) {
    int n = 0;
    dnnl_status_t status;
    do {
        listen_to_log();
        status = try_floats(engine, PIECE, &pieces[n]);
        assert_int_equal(errors_in(heard()), status != dnnl_success);
    } while (status == dnnl_success && ++n < PIECES);
    assert_in_range(n, 1, PIECES - 1);
    assert_status(status, out_of_memory);
    return n;
}

static void memory_objects(void **state) {
    (void)state;
    dnnl_engine_t engine = new_engine();
    dnnl_memory_t pieces[PIECES], untouched = (dnnl_memory_t)pieces;
    const int n = fill(engine, pieces);
    assert_out_of_memory(try_floats(engine, PIECE, &untouched));
    assert_ptr_equal(untouched, pieces);
    assert_out_of_memory(try_floats(engine, INT64_C(1) << 40, &untouched)); /* of any device */
    assert_ok(dnnl_memory_destroy(pieces[n - 1])); /* and there is room again */
    assert_ok(try_floats(engine, PIECE, &pieces[n - 1]));
    for (int i = 0; i < n; i++) assert_ok(dnnl_memory_destroy(pieces[i]));
    assert_ok(dnnl_engine_destroy(engine));
}

/* The scratchpad of a stream grows at the first execution that needs more; one that fails has
 * done nothing.
 */
static void scratchpads(void **state) {
    (void)state;
    const affine_t affine = {.n = PIECE / 2, .steps = 3, .factor = 2, .addend = 1};
    const affine_t small = {.n = N, .steps = 3, .factor = 2, .addend = 1};
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine),
                     fits = new_primitive(b.engine, &small);
    dnnl_memory_t pieces[PIECES];
    float *data = new_usm((size_t)affine.n * sizeof *data); /* in place */
    memset(data, 0, (size_t)affine.n * sizeof *data);
    dnnl_memory_t memory = new_floats(b.engine, affine.n, data);
    const dnnl_exec_arg_t args[2] = {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    const int n = fill(b.engine, pieces);
    assert_out_of_memory(dnnl_primitive_execute(primitive, b.stream, 2, args));
    assert_ok(dnnl_stream_wait(b.stream));
    assert_true(data[0] == 0);
    assert_ok(dnnl_primitive_execute(
            fits, b.stream, 2, b.args)); /* the stream is as good as before */
    assert_ok(dnnl_stream_wait(b.stream));
    bench_check(&b, &small, N);
    for (int i = 0; i < n; i++) assert_ok(dnnl_memory_destroy(pieces[i]));
    assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, args));
    assert_ok(dnnl_stream_wait(b.stream));
    for (int i = 0; i < affine.n; i++) assert_true(data[i] == affine_result(&affine, 0));
    assert_ok(dnnl_memory_destroy(memory));
    assert_ok(dnnl_primitive_destroy(primitive));
    assert_ok(dnnl_primitive_destroy(fits));
    free_usm(data);
    bench_end(&b);
}

/* A mapping of device memory needs host memory beside it. */
static void mappings(void **state) {
    (void)state;
    dnnl_engine_t engine = new_engine();
    dnnl_memory_t pieces[PIECES];
    void *mapped = NULL;
    const int n = fill(engine, pieces);
    assert_out_of_memory(dnnl_memory_map_data(pieces[0], &mapped));
    assert_null(mapped);
    assert_ok(dnnl_memory_destroy(pieces[n - 1]));
    assert_ok(dnnl_memory_map_data(pieces[0], &mapped));
    assert_ok(dnnl_memory_unmap_data(pieces[0], mapped));
    for (int i = 0; i < n - 1; i++) assert_ok(dnnl_memory_destroy(pieces[i]));
    assert_ok(dnnl_engine_destroy(engine));
}

int main(void) {
    char text[16];
    const char *runtime_name = getenv("ONEDNN_GPU_RUNTIME");
    if (!getenv("ZE_ENABLE_ALT_DRIVERS") || (runtime_name && !strcmp(runtime_name, "ocl"))) {
        printf("skipped: only the CPU driver shows a device as small as this\n");
        return 77;
    }
    snprintf(text, sizeof text, "%d", DEVICE_MIB);
    setenv("ZE_CPU_MEMORY", text, 1);
    const struct CMUnitTest full[] = {TEST(memory_objects), TEST(scratchpads), TEST(mappings)};
    return RUN_TESTS(full);
}
