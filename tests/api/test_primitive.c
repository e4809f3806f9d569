/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives: creation through the cache, arguments, plans of every shape. */
#define DNNL_EXPERIMENTAL_PROFILING
#include "heard.h"
#include "primitive/primitive.h"
#include "rt.h"
#include "ze/engine.h"
#include "ze/loader.h"

static void run(const affine_t *affine, unsigned flags) {
    bench_t b = bench_begin(flags);
    dnnl_primitive_t primitive = new_primitive(b.engine, affine);
    assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
    assert_ok(dnnl_stream_wait(b.stream));
    bench_check(&b, affine, N);
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

static void one_step(void **state) {
    (void)state;
    const affine_t affine = {.n = N, .steps = 1, .factor = 3, .addend = 0.5f};
    run(&affine, dnnl_stream_in_order);
    run(&affine, dnnl_stream_out_of_order);
}

static void steps_run_in_order(void **state) {
    (void)state;
    const affine_t affine = {.n = N, .steps = 5, .factor = 2, .addend = 1, .spin = 2000};
    run(&affine, dnnl_stream_in_order);
    run(&affine, dnnl_stream_out_of_order);
}

static void user_scratchpad(void **state) {
    (void)state;
    const affine_t affine = {.n = N, .steps = 3, .factor = 2, .addend = 1, .user_scratchpad = true};
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
    md_t md;
    const int64_t bytes = 2 * N * sizeof(float);
    dnnl_memory_t scratch, small;
    assert_ok(md_init_tag(&md, 1, &bytes, dnnl_u8, dnnl_a));
    assert_ok(create_memory(&scratch, &md, b.engine, DNNL_MEMORY_ALLOCATE));
    small = new_floats(b.engine, N, b.src);

    assert_status(dnnl_primitive_execute(primitive, b.stream, 2, b.args), invalid_arguments);
    b.args[2] = (dnnl_exec_arg_t){DNNL_ARG_SCRATCHPAD, small};
    assert_status(dnnl_primitive_execute(primitive, b.stream, 3, b.args), invalid_arguments);
    b.args[2].memory = scratch;
    assert_ok(dnnl_primitive_execute(primitive, b.stream, 3, b.args));
    assert_ok(dnnl_stream_wait(b.stream));
    bench_check(&b, &affine, N);

    assert_ok(dnnl_memory_destroy(scratch));
    assert_ok(dnnl_memory_destroy(small));
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

/* An execution may pass an empty scratchpad or not. Either way takes the short way. */
static void empty_scratchpad(void **state) {
    (void)state;
    const affine_t affine = {.n = N, .steps = 1, .factor = 2, .addend = 1, .user_scratchpad = true};
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
    md_t none;
    memset(&none, 0, sizeof none);
    dnnl_memory_t empty;
    assert_ok(create_memory(&empty, &none, b.engine, DNNL_MEMORY_ALLOCATE));
    b.args[2] = (dnnl_exec_arg_t){DNNL_ARG_SCRATCHPAD, empty};
    for (int nargs = 2; nargs <= 3; nargs++) {
        assert_true(args_in_order(primitive->exec, nargs, b.args));
        memset(b.dst, 0, N * sizeof *b.dst);
        assert_ok(dnnl_primitive_execute(primitive, b.stream, nargs, b.args));
        assert_ok(dnnl_stream_wait(b.stream));
        bench_check(&b, &affine, N);
    }
    b.args[2].arg = DNNL_ARG_WORKSPACE;
    assert_false(args_in_order(primitive->exec, 3, b.args));

    assert_ok(dnnl_memory_destroy(empty));
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

/* The scratchpad grows while executions that use the smaller one are still running. */
static void library_scratchpad_grows(void **state) {
    (void)state;
    bench_t b = bench_begin(dnnl_stream_in_order);
    enum { SIZES = 6 };
    for (int i = 0; i < SIZES; i++) {
        const affine_t affine = {
                .n = 10 << i, .steps = 3, .factor = 2, .addend = (float)i, .spin = 1000};
        dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
        dnnl_memory_t src = new_floats(b.engine, affine.n, b.src),
                      dst = new_floats(b.engine, affine.n, b.dst);
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
        assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, args));
        if (i == SIZES - 1) {
            assert_ok(dnnl_stream_wait(b.stream));
            bench_check(&b, &affine, (int)affine.n);
        }
        assert_ok(dnnl_memory_destroy(src));
        assert_ok(dnnl_memory_destroy(dst));
        assert_ok(dnnl_primitive_destroy(primitive));
    }
    bench_end(&b);
}

static void runtime_dims(void **state) {
    (void)state;
    const affine_t affine = {.n = DNNL_RUNTIME_DIM_VAL, .steps = 1, .factor = 2, .addend = 1};
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
    static const int sizes[] = {7, 300, 300, 1, N};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        dnnl_memory_t src = new_floats(b.engine, sizes[i], b.src),
                      dst = new_floats(b.engine, sizes[i], b.dst);
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
        memset(b.dst, 0, N * sizeof *b.dst);
        assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, args));
        assert_ok(dnnl_stream_wait(b.stream));
        bench_check(&b, &affine, sizes[i]);
        for (int j = sizes[i]; j < N; j++) assert_true(b.dst[j] == 0);
        assert_ok(dnnl_memory_destroy(dst));
        dst = new_floats(b.engine, sizes[i] + 1, NULL);
        const dnnl_exec_arg_t bad[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
        assert_status(dnnl_primitive_execute(primitive, b.stream, 2, bad), invalid_arguments);
        assert_ok(dnnl_memory_destroy(src));
        assert_ok(dnnl_memory_destroy(dst));
    }
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

static void host_scalar(void **state) {
    (void)state;
    affine_t affine = {.n = N, .steps = 1, .factor = 2, .host_addend = true};
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
    dnnl_memory_t scalar;
    md_t md;
    assert_ok(md_init_host_scalar(&md, dnnl_f32));
    assert_ok(dnnl_memory_create_host_scalar(&scalar, &md, &affine.addend));
    b.args[2] = (dnnl_exec_arg_t){ARG_ADDEND, b.src_mem};
    assert_status(dnnl_primitive_execute(primitive, b.stream, 3, b.args), invalid_arguments);
    b.args[2].memory = scalar;
    for (affine.addend = -2; affine.addend < 3; affine.addend++) {
        assert_ok(dnnl_memory_set_host_scalar_value(scalar, &affine.addend));
        assert_ok(dnnl_primitive_execute(primitive, b.stream, 3, b.args));
        assert_ok(dnnl_stream_wait(b.stream));
        bench_check(&b, &affine, N);
    }
    b.args[0].memory = scalar; /* where a tensor is needed */
    assert_status(dnnl_primitive_execute(primitive, b.stream, 3, b.args), invalid_arguments);
    assert_ok(dnnl_memory_destroy(scalar));
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

static int nset;
static __typeof__(&zeKernelSetArgumentValue) real_set;
static ze_result_t ZE_APICALL counting_set(
        ze_kernel_handle_t kernel, uint32_t index, size_t size, const void *value) {
    nset++;
    return real_set(kernel, index, size, value);
}

/* Executes and answers how many arguments were set. */
static int sets_of(const bench_t *b, dnnl_primitive_t primitive, dnnl_stream_t stream,
        dnnl_memory_t src, dnnl_memory_t dst) {
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    nset = 0;
    assert_ok(dnnl_primitive_execute(primitive, stream, 2, args));
    assert_ok(dnnl_stream_wait(b->stream));
    return nset;
}

/* Arguments that are what they were are not set again: buffers of the library's are, those of
 * the application may be others at the same address. On whichever stream, by whichever way a
 * kernel is launched. */
static void set_once(void **state) {
    (void)state;
    const affine_t affine = {.n = N, .steps = 1, .factor = 3, .addend = 1};
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_stream_t profiled;
    void *data[2][2];
    dnnl_memory_t own[2][2];
    assert_ok(
            dnnl_stream_create(&profiled, b.engine, dnnl_stream_in_order | dnnl_stream_profiling));
    b.engine->core->launch_with_arguments = NULL;
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            own[i][k] = new_floats(b.engine, N, DNNL_MEMORY_ALLOCATE);
            assert_ok(dnnl_memory_get_data_handle(own[i][k], &data[i][k]));
        }
    real_set = ze.KernelSetArgumentValue;
    ze.KernelSetArgumentValue = counting_set;
    assert_int_equal(sets_of(&b, primitive, b.stream, own[0][0], own[0][1]), 2);
    assert_int_equal(sets_of(&b, primitive, b.stream, own[0][0], own[0][1]), 0);
    assert_int_equal(sets_of(&b, primitive, profiled, own[0][0], own[0][1]), 0);
    assert_ok(dnnl_stream_wait(profiled));
    assert_int_equal(sets_of(&b, primitive, b.stream, own[1][0], own[0][1]), 1);
    assert_int_equal(sets_of(&b, primitive, profiled, own[1][0], own[1][1]), 1);
    assert_ok(dnnl_stream_wait(profiled));
    assert_int_equal(sets_of(&b, primitive, b.stream, own[0][0], own[1][1]), 1);
    /* The application's, and then the same of the library's again. */
    for (int i = 0; i < 2; i++)
        assert_int_equal(sets_of(&b, primitive, b.stream, b.args[0].memory, b.args[1].memory), 2);
    assert_int_equal(sets_of(&b, primitive, b.stream, own[0][0], own[1][1]), 2);
    /* A buffer that the application gives in place of one is no longer the library's. */
    assert_ok(dnnl_memory_set_data_handle(own[0][0], b.src));
    for (int i = 0; i < 2; i++)
        assert_int_equal(sets_of(&b, primitive, b.stream, own[0][0], own[1][1]), 1);
    ze.KernelSetArgumentValue = real_set;
    assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
    assert_ok(dnnl_stream_wait(b.stream));
    bench_check(&b, &affine, N);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) assert_ok(dnnl_memory_destroy(own[i][k]));
    assert_ok(dnnl_primitive_destroy(primitive));
    assert_ok(dnnl_stream_destroy(profiled));
    bench_end(&b);
}

static void bad_arguments(void **state) {
    (void)state;
    const affine_t affine = {.n = N, .steps = 1, .factor = 3};
    bench_t b = bench_begin(dnnl_stream_in_order), other = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
    dnnl_engine_t stranger; /* has a context of its own */
    dnnl_memory_t foreign, small, large, none, bytes;
    md_t md;
    const int64_t n = N;
    assert_ok(dnnl_engine_create(&stranger, dnnl_gpu, 0));
    foreign = new_floats(stranger, N, DNNL_MEMORY_ALLOCATE);
    small = new_floats(b.engine, N - 1, b.src);
    large = new_floats(b.engine, N + 1, DNNL_MEMORY_ALLOCATE);
    none = new_floats(b.engine, N, DNNL_MEMORY_NONE);
    assert_ok(md_init_tag(&md, 1, &n, dnnl_s32, dnnl_a));
    assert_ok(create_memory(&bytes, &md, b.engine, b.dst));
    const dnnl_exec_arg_t src = b.args[0], dst = b.args[1], absent = {DNNL_ARG_DST, NULL};

    const struct {
        dnnl_exec_arg_t args[3];
        int nargs;
        dnnl_status_t status;
    } cases[] = {
            {{src, dst}, 2, dnnl_success},
            {{dst, src}, 2, dnnl_success},
            {{src, absent, dst}, 3, dnnl_success},
            {{src, dst, {DNNL_ARG_WEIGHTS, b.src_mem}}, 3, dnnl_success}, /* not used */
            {{src, {DNNL_ARG_DST, large}}, 2, dnnl_success},
            {{src, {DNNL_ARG_DST, bytes}}, 2,
                    dnnl_success}, /* as large, whatever they are called */
            {{src}, 1, dnnl_invalid_arguments},
            {{src, absent}, 2, dnnl_invalid_arguments},
            {{src}, 0, dnnl_invalid_arguments},
            {{src}, -1, dnnl_invalid_arguments},
            {{src, dst, src}, 3, dnnl_invalid_arguments},
            {{src, {DNNL_ARG_DST, foreign}}, 2, dnnl_invalid_arguments},
            {{{DNNL_ARG_SRC, small}, dst}, 2, dnnl_invalid_arguments},
            {{src, {DNNL_ARG_DST, none}}, 2, dnnl_invalid_arguments},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(dnnl_primitive_execute(primitive, b.stream, cases[i].nargs, cases[i].args),
                cases[i].status);
    assert_status(dnnl_primitive_execute(NULL, b.stream, 2, b.args), invalid_arguments);
    assert_status(dnnl_primitive_execute(primitive, NULL, 2, b.args), invalid_arguments);
    assert_status(dnnl_primitive_execute(primitive, b.stream, 2, NULL), invalid_arguments);
    assert_status(dnnl_primitive_execute(primitive, other.stream, 2, b.args), invalid_arguments);
    assert_status(execute(primitive, b.stream, 2, b.args, -1, NULL, NULL), invalid_arguments);
    assert_status(execute(primitive, b.stream, 2, b.args, 1, NULL, NULL), invalid_arguments);
    const ze_event_handle_t null_event = NULL;
    ze_event_handle_t untouched = (ze_event_handle_t)&md;
    assert_status(
            execute(primitive, b.stream, 2, b.args, 1, &null_event, &untouched), invalid_arguments);
    assert_ptr_equal(untouched, &md);

    /* Nothing has come to harm. */
    memset(b.dst, 0, N * sizeof *b.dst);
    assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
    assert_ok(dnnl_stream_wait(b.stream));
    bench_check(&b, &affine, N);

    const dnnl_memory_t mems[] = {foreign, small, large, none, bytes};
    for (size_t i = 0; i < COUNT_OF(mems); i++) assert_ok(dnnl_memory_destroy(mems[i]));
    assert_ok(dnnl_primitive_destroy(primitive));
    assert_ok(dnnl_engine_destroy(stranger));
    bench_end(&other);
    bench_end(&b);
}

/* Elements begin at multiples of their size; a scratchpad, which is bytes, where any element
 * can. */
static void misplaced_buffers(void **state) {
    (void)state;
    const affine_t affine = {
            .n = N - 2, .steps = 3, .factor = 2, .addend = 1, .user_scratchpad = true};
    static const struct {
        int src, dst, scratch;
        bool good;
    } cases[] = {{4, 0, 0, true}, {0, 4, 0, true}, {0, 0, 8, true}, {1, 0, 0, false},
            {2, 0, 0, false}, {0, 2, 0, false}, {0, 3, 0, false}, {0, 0, 1, false},
            {0, 0, 4, false}};
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
    const int64_t bytes = 2 * N * sizeof(float);
    md_t md;
    assert_ok(md_init_tag(&md, 1, &bytes, dnnl_u8, dnnl_a));
    uint8_t *room = new_usm((size_t)bytes + 8);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        dnnl_memory_t src = new_floats(b.engine, N - 2, NULL),
                      dst = new_floats(b.engine, N - 2, NULL), scratch;
        assert_ok(dnnl_memory_set_data_handle(src, (uint8_t *)b.src + cases[i].src));
        assert_ok(dnnl_memory_set_data_handle(dst, (uint8_t *)b.dst + cases[i].dst));
        assert_ok(create_memory(&scratch, &md, b.engine, room + cases[i].scratch));
        const dnnl_exec_arg_t args[] = {
                {DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {DNNL_ARG_SCRATCHPAD, scratch}};
        memset(b.dst, 0, N * sizeof *b.dst);
        assert_int_equal(dnnl_primitive_execute(primitive, b.stream, 3, args),
                cases[i].good ? dnnl_success : dnnl_invalid_arguments);
        assert_ok(dnnl_stream_wait(b.stream));
        for (int k = 0; k < N - 2; k++)
            assert_true(
                    b.dst[k + cases[i].dst / 4] ==
                    (cases[i].good ? affine_result(&affine, (float)(k + cases[i].src / 4)) : 0));
        assert_ok(dnnl_memory_destroy(src));
        assert_ok(dnnl_memory_destroy(dst));
        assert_ok(dnnl_memory_destroy(scratch));
    }
    free_usm(room);
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

/* Kernels that expect lines run with buffers that begin with one, the caller's scratchpad included,
 * and others of the same primitive run with all others. */
static void buffers_without_lines(void **state) {
    (void)state;
    const affine_t affine = {
            .n = 960, .steps = 3, .factor = 2, .addend = 1, .user_scratchpad = true, .lines = true};
    affine_t others = affine;
    others.factor++;
    static const struct {
        int src, dst, scratch;
        bool lines;
    } cases[] = {{0, 0, 0, true}, {64, 0, 0, true}, {4, 0, 0, false}, {0, 32, 0, false},
            {0, 0, 8, false}, {0, 64, 128, true}};
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
    assert_true(primitive->exec->expects_alignment);
    const int64_t bytes = 2 * affine.n * (int64_t)sizeof(float);
    md_t md;
    assert_ok(md_init_tag(&md, 1, &bytes, dnnl_u8, dnnl_a));
    uint8_t *all[3]; /* src, dst, scratch */
    for (int i = 0; i < 3; i++) all[i] = new_usm((size_t)bytes + 256);
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        const int c = (int)i / 2, out_of_order = i % 2;
        float *src = (float *)(void *)(all[0] + cases[c].src),
              *dst = (float *)(void *)(all[1] + cases[c].dst);
        dnnl_memory_t mem[3] = {
                new_floats(b.engine, affine.n, src), new_floats(b.engine, affine.n, dst)};
        assert_ok(create_memory(&mem[2], &md, b.engine, all[2] + cases[c].scratch));
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, mem[0]}, {DNNL_ARG_DST, mem[1]},
                {DNNL_ARG_SCRATCHPAD, mem[2]}, {DNNL_ARG_SRC, mem[0]}};
        for (int k = 0; k < affine.n; k++) src[k] = (float)k;
        memset(dst, 0, (size_t)affine.n * sizeof *dst);
        assert_ok(dnnl_primitive_execute(primitive, b.stream, 3, args + out_of_order));
        assert_ok(dnnl_stream_wait(b.stream));
        for (int k = 0; k < affine.n; k++)
            assert_true(dst[k] == affine_result(cases[c].lines ? &affine : &others, (float)k));
        for (int k = 0; k < 3; k++) assert_ok(dnnl_memory_destroy(mem[k]));
    }
    assert_int_equal(primitive->exec->nshapes, 1); /* the others were made once */
    for (int i = 0; i < 3; i++) free_usm(all[i]);
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

static void creation(void **state) {
    (void)state;
    const affine_t affine = {.n = N, .steps = 2, .factor = 5, .addend = 1};
    dnnl_engine_t engine = new_engine(), same = new_engine();
    dnnl_primitive_desc_t desc = new_affine(engine, &affine), twin = new_affine(same, &affine);
    dnnl_primitive_t a, b, untouched = (dnnl_primitive_t)&affine;
    const_dnnl_primitive_desc_t got;
    assert_status(dnnl_primitive_create(NULL, desc), invalid_arguments);
    assert_status(dnnl_primitive_create(&untouched, NULL), invalid_arguments);
    assert_ptr_equal(untouched, &affine);
    assert_ok(dnnl_primitive_create(&a, desc));
    const long live = atomic_load(&dz_alloc_live);
    assert_ok(dnnl_primitive_create(&b, twin));
    assert_true(
            atomic_load(&dz_alloc_live) - live <= 2); /* the handle, and the text of a log line */
    assert_ok(dnnl_primitive_get_primitive_desc(b, &got));
    assert_ptr_equal(got->engine, same);
    assert_status(dnnl_primitive_get_primitive_desc(NULL, &got), invalid_arguments);
    assert_status(dnnl_primitive_get_primitive_desc(a, NULL), invalid_arguments);
    assert_ok(dnnl_primitive_destroy(NULL));
    /* Owners first. */
    assert_ok(dnnl_engine_destroy(engine));
    assert_ok(dnnl_engine_destroy(same));
    free_affine(desc);
    free_affine(twin);
    assert_ok(dnnl_primitive_destroy(a));
    assert_ok(dnnl_primitive_destroy(b));
}

static void without_cache(void **state) {
    (void)state;
    const affine_t affine = {.n = N, .steps = 2, .factor = 5, .addend = 1};
    int capacity;
    assert_ok(dnnl_get_primitive_cache_capacity(&capacity));
    assert_ok(dnnl_set_primitive_cache_capacity(0));
    run(&affine, dnnl_stream_in_order);
    assert_ok(dnnl_set_primitive_cache_capacity(capacity));
}

static void build_failure(void **state) {
    (void)state;
    const affine_t affine = {.n = N, .steps = 1, .factor = 1, .broken = true};
    dnnl_engine_t engine = new_engine();
    dnnl_primitive_desc_t desc = new_affine(engine, &affine);
    dnnl_primitive_t untouched = (dnnl_primitive_t)&affine;
    for (int i = 0; i < 2; i++) {
        listen_to_log();
        const dnnl_status_t status = dnnl_primitive_create(&untouched, desc);
        const char *log = heard();
        assert_status(status, runtime_error);
        assert_int_equal(errors_in(log), 1);
        assert_non_null(strstr(log, "kernel broken cannot be built: "));
        if (app.on_opencl) continue;
        assert_non_null(strstr(log, "zeModuleCreate answers ERROR_MODULE_BUILD_FAILURE;"));
        /* Where the loader wraps handles it keeps the log of the driver to itself. */
        if (!ze_wraps_handles(app.context)) assert_null(strstr(log, "no build log"));
    }
    assert_ptr_equal(untouched, &affine);
    free_affine(desc);
    /* The engine is as good as before. */
    const affine_t fine = {.n = N, .steps = 1, .factor = 1};
    assert_ok(dnnl_primitive_destroy(new_primitive(engine, &fine)));
    assert_ok(dnnl_engine_destroy(engine));
}

int main(void) {
    const struct CMUnitTest primitives[] = {TEST(one_step), TEST(steps_run_in_order),
            TEST(user_scratchpad), TEST(empty_scratchpad), TEST(library_scratchpad_grows),
            TEST(runtime_dims), TEST(host_scalar),
            LEVEL_ZERO_TEST(set_once, "all arguments are set each time"), TEST(bad_arguments),
            TEST(misplaced_buffers), TEST(buffers_without_lines), TEST(creation),
            TEST(without_cache), TEST(build_failure)};
    return RUN_TESTS(primitives);
}
