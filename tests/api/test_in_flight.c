/* SPDX-License-Identifier: Apache-2.0 */
/* The application destroys what work in flight uses: buffers and code live until it is over. */
#include "rt.h"

#include "ze/stream.h"

/* Who frees buffers. */
typedef enum { BY_DRIVER, BY_LIBRARY, BY_DRIVER_THAT_REFUSES } policy_t;

/* ---- counting what the driver is told to destroy ---- */

static ze_table_t real;
static int kernels, buffers;

static ze_result_t count_kernel(ze_kernel_handle_t kernel) {
    kernels++;
    return real.KernelDestroy(kernel);
}

static ze_result_t count_buffer(ze_context_handle_t context, void *ptr) {
    buffers++;
    return real.MemFree(context, ptr);
}

static ze_result_t refuse(
        ze_context_handle_t context, const ze_memory_free_ext_desc_t *desc, void *ptr) {
    (void)context, (void)desc, (void)ptr;
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

static void count_from_now(dnnl_engine_t engine, policy_t policy) {
    real = ze;
    kernels = buffers = 0;
    ze.KernelDestroy = count_kernel;
    ze.MemFree = count_buffer;
    if (policy == BY_DRIVER_THAT_REFUSES) ze.MemFreeExt = refuse;
    if (policy == BY_LIBRARY) engine->core->caps.has_deferred_free = false;
}

/* ---- */

static const affine_t first = {.n = N, .steps = 1, .factor = 2, .addend = 1};
static const affine_t second = {.n = N, .steps = 3, .factor = 3, .addend = -1};
enum { KERNELS = 4 };

static void check_result(const bench_t *b) {
    for (int i = 0; i < N; i++) {
        const float expected = affine_result(&second, affine_result(&first, (float)i));
        if (b->dst[i] != expected)
            fail_msg("dst[%d] is %g, not %g", i, (double)b->dst[i], (double)expected);
    }
}

/* Other buffers of the same size, with other contents, which must not be the freed ones. */
static void reuse_memory(dnnl_engine_t engine) {
    enum { TIMES = 4 };
    dnnl_memory_t memory[TIMES];
    for (int i = 0; i < TIMES; i++) {
        void *mapped;
        memory[i] = new_floats(engine, N, DNNL_MEMORY_ALLOCATE);
        assert_ok(dnnl_memory_map_data(memory[i], &mapped));
        memset(mapped, 0xee, N * sizeof(float));
        assert_ok(dnnl_memory_unmap_data(memory[i], mapped));
    }
    for (int i = 0; i < TIMES; i++) assert_ok(dnnl_memory_destroy(memory[i]));
}

/* src -> middle -> dst, behind an event; returns middle. */
static dnnl_memory_t submit(bench_t *b, ze_event_handle_t gate) {
    dnnl_memory_t middle = new_floats(b->engine, N, DNNL_MEMORY_ALLOCATE);
    dnnl_primitive_t one = new_primitive(b->engine, &first);
    dnnl_primitive_t two = new_primitive(b->engine, &second);
    const dnnl_exec_arg_t in[] = {b->args[0], {DNNL_ARG_DST, middle}};
    const dnnl_exec_arg_t out[] = {{DNNL_ARG_SRC, middle}, b->args[1]};
    ze_event_handle_t between;
    assert_ok(execute(one, b->stream, 2, in, 1, &gate, &between));
    assert_ok(execute(two, b->stream, 2, out, 1, &between, NULL));
    assert_ok(dnnl_primitive_destroy(one));
    assert_ok(dnnl_primitive_destroy(two));
    return middle;
}

static void destroy_in_flight(bench_t b, policy_t policy, bool by_handle) {
    ze_event_pool_handle_t pool;
    const ze_event_handle_t gate = new_event(&pool);
    int capacity;
    assert_ok(dnnl_get_primitive_cache_capacity(&capacity));
    assert_ok(dnnl_set_primitive_cache_capacity(0)); /* destroying a primitive destroys code */
    const bool had_policy = b.engine->core->caps.has_deferred_free;
    count_from_now(b.engine, policy);
    dnnl_memory_t middle = submit(&b, gate);
    if (by_handle) assert_ok(dnnl_memory_set_data_handle(middle, b.dst));
    assert_ok(dnnl_memory_destroy(middle));
    assert_int_equal(kernels, 0);
    assert_int_equal(buffers, 0);
    reuse_memory(b.engine);
    buffers = 0; /* mappings have been freed */
    assert_true(b.dst[N - 1] == 0);
    signal_event(gate);
    assert_ok(dnnl_stream_wait(b.stream));
    check_result(&b);
    assert_int_equal(kernels, KERNELS);
    assert_int_equal(buffers, policy == BY_DRIVER && had_policy ? 0 : 5);
    assert_int_equal(b.engine->core->flights.n, 0);
    ze = real;
    b.engine->core->caps.has_deferred_free = had_policy;
    bench_end(&b);
    assert_ok(dnnl_set_primitive_cache_capacity(capacity));
    free_event(pool, gate);
}

static void on_all_streams(policy_t policy, bool by_handle) {
    destroy_in_flight(bench_begin(dnnl_stream_in_order), policy, by_handle);
    destroy_in_flight(bench_begin(dnnl_stream_out_of_order), policy, by_handle);
    destroy_in_flight(bench_begin_on_list(), policy, by_handle);
}

static void the_driver_frees(void **state) {
    (void)state;
    on_all_streams(BY_DRIVER, false);
    on_all_streams(BY_DRIVER, true);
}

static void the_library_frees(void **state) {
    (void)state;
    on_all_streams(BY_LIBRARY, false);
    on_all_streams(BY_LIBRARY, true);
}

static void the_driver_refuses(void **state) {
    (void)state;
    on_all_streams(BY_DRIVER_THAT_REFUSES, false);
}

/* Everything goes, without a wait; the stream's end waits. */
static void destroy_all_at_once(policy_t policy) {
    const affine_t slow = {.n = N, .steps = 3, .factor = 2, .addend = 1, .spin = 100};
    bench_t b = bench_begin(dnnl_stream_in_order);
    if (!app.on_opencl) {
        count_from_now(b.engine, policy);
        ze = real;
    }
    for (int i = 0; i < 5; i++) {
        dnnl_memory_t middle = new_floats(b.engine, N, DNNL_MEMORY_ALLOCATE);
        dnnl_primitive_t primitive = new_primitive(b.engine, &slow);
        const dnnl_exec_arg_t in[] = {b.args[0], {DNNL_ARG_DST, middle}};
        const dnnl_exec_arg_t out[] = {{DNNL_ARG_SRC, middle}, b.args[1]};
        assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, in));
        assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, out));
        assert_ok(dnnl_memory_destroy(middle));
        assert_ok(dnnl_primitive_destroy(primitive));
    }
    assert_ok(dnnl_memory_destroy(b.src_mem));
    assert_ok(dnnl_memory_destroy(b.dst_mem));
    assert_ok(dnnl_stream_destroy(b.stream));
    for (int i = 0; i < N; i++)
        assert_true(b.dst[i] == affine_result(&slow, affine_result(&slow, (float)i)));
    assert_ok(dnnl_engine_destroy(b.engine));
    free_usm(b.src);
    free_usm(b.dst);
}

static void all_at_once(void **state) {
    (void)state;
    destroy_all_at_once(BY_DRIVER);
    destroy_all_at_once(BY_LIBRARY);
}

/* The library's own list tells that it is done, even if the application waits in another way. */
static void nobody_waits_for_the_stream(void **state) {
    (void)state;
    int capacity;
    assert_ok(dnnl_get_primitive_cache_capacity(&capacity));
    assert_ok(dnnl_set_primitive_cache_capacity(0));
    bench_t b = bench_begin(dnnl_stream_in_order);
    for (int i = 0; i < 50; i++) {
        ze_event_handle_t done;
        dnnl_primitive_t primitive = new_primitive(b.engine, &first);
        assert_ok(execute(primitive, b.stream, 2, b.args, 0, NULL, &done));
        assert_true(wait_for(done));
        /* The event comes before the list is idle. */
        if (ze.CommandListHostSynchronize)
            assert_ze(ze.CommandListHostSynchronize(b.stream->list, FOREVER));
        assert_ok(dnnl_primitive_destroy(primitive));
        assert_true(!ze.CommandListHostSynchronize || b.engine->core->flights.n <= 2);
    }
    bench_end(&b);
    assert_ok(dnnl_set_primitive_cache_capacity(capacity));
}

/* An application's list cannot be asked, and this application never waits through the library. */
static void what_is_kept_is_bounded(void **state) {
    enum { MOST = 1024, MORE = 100 };
    (void)state;
    int capacity;
    assert_ok(dnnl_get_primitive_cache_capacity(&capacity));
    assert_ok(dnnl_set_primitive_cache_capacity(0));
    bench_t b = bench_begin_on_list();
    dnnl_primitive_t kept = new_primitive(b.engine, &first); /* and with it the module */
    for (int i = 0; i < MOST + MORE; i++) {
        dnnl_primitive_t primitive = new_primitive(b.engine, &first);
        assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
        assert_ok(dnnl_primitive_destroy(primitive));
    }
    assert_true(b.engine->core->flights.n <= MOST);
    assert_true(b.engine->core->flights.n > MOST / 2);
    assert_ok(dnnl_primitive_destroy(kept));
    bench_end(&b);
    assert_ok(dnnl_set_primitive_cache_capacity(capacity));
}

#define FREEING_WAITS "freeing a pointer of OpenCL waits for the kernels that use it"
#define KEEPS_CODE "OpenCL keeps the code of kernels in flight itself"

int main(void) {
    const struct CMUnitTest tests[] = {LEVEL_ZERO_TEST(the_driver_frees, FREEING_WAITS),
            LEVEL_ZERO_TEST(the_library_frees, FREEING_WAITS),
            LEVEL_ZERO_TEST(the_driver_refuses, FREEING_WAITS), TEST(all_at_once),
            LEVEL_ZERO_TEST(nobody_waits_for_the_stream, KEEPS_CODE),
            LEVEL_ZERO_TEST(what_is_kept_is_bounded, KEEPS_CODE)};
    return RUN_TESTS(tests);
}
