/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, memory and hand-made primitives for the tests of the runtime. */
#include "rt.h"

#include <stdlib.h>
#include <time.h>

#include "plan/variant_id.h"
#include "plan/op.h"
#include "primitive/descriptor.h"
#include "ze/drivers.h"
#include "ze/memory.h"
#include "ze/native_store.h"
#include "ze/runtime.h"

app_t app;

const runtime_t *runtime = &level_zero_runtime;

static void skipped(void **state) {
    print_message("skipped on OpenCL: %s\n", (const char *)*state);
    skip();
}

int run_api_tests(const char *name, const struct CMUnitTest *tests, size_t count) {
    const char *chosen = getenv("ONEDNN_GPU_RUNTIME");
    struct CMUnitTest all[64];
    assert_true(count <= COUNT_OF(all));
    app.on_opencl = chosen && !strcmp(chosen, "ocl");
    runtime = app.on_opencl ? &opencl_runtime : &level_zero_runtime;
    if (!runtime->find_device()) {
        printf("skipped: no %s device\n", app.on_opencl ? "OpenCL" : "Level Zero");
        return 77;
    }
    size_t nskipped = 0;
    for (size_t i = 0; i < count; i++) {
        all[i] = tests[i];
        if (!app.on_opencl || !tests[i].initial_state) continue;
        all[i] = (struct CMUnitTest){
                .name = tests[i].name, skipped, .initial_state = tests[i].initial_state};
        nskipped++;
    }
    /* What is made once and kept is made before any test counts; a line of the log lists the
     * devices of Level Zero. */
    const device_list_t *list;
    device_list(&list);
    const affine_t affine = {.n = 1, .steps = 1};
    dnnl_engine_t engine = new_engine();
    assert_ok(dnnl_primitive_destroy(new_primitive(engine, &affine)));
    dnnl_primitive_desc_t desc = new_affine(engine, &affine);
    pd_t *cached;
    assert_ok(descriptor_find(&cached, desc->pd->op, engine, &desc->pd->request));
    pd_unref(cached);
    free_affine(desc);
    assert_ok(dnnl_engine_destroy(engine));
    const int failed = _cmocka_run_group_tests(name, all, count, NULL, NULL);
    runtime->close_device();
    return failed || nskipped < count ? failed : 77;
}

dnnl_engine_t new_engine(void) {
    dnnl_engine_t engine;
    assert_ok(runtime->engine(&engine));
    return engine;
}

ze_command_list_handle_t new_list(void) {
    return runtime->new_list();
}

void free_list(ze_command_list_handle_t list) {
    runtime->free_list(list);
}

void *new_usm(size_t size) {
    return runtime->new_usm(size);
}

void free_usm(void *ptr) {
    runtime->free_usm(ptr);
}

ze_event_handle_t new_event(ze_event_pool_handle_t *pool) {
    return runtime->new_event(pool);
}

void free_event(ze_event_pool_handle_t pool, ze_event_handle_t event) {
    runtime->free_event(pool, event);
}

dnnl_status_t execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
        const dnnl_exec_arg_t *args, int ndeps, const ze_event_handle_t *deps,
        ze_event_handle_t *event) {
    return runtime->execute(primitive, stream, nargs, args, ndeps, deps, event);
}

bool is_over(ze_event_handle_t event) {
    return runtime->is_over(event);
}

bool is_over_after(ze_event_handle_t event, long ns) {
    const struct timespec a_while = {.tv_nsec = ns};
    nanosleep(&a_while, NULL);
    return is_over(event);
}

bool wait_for(ze_event_handle_t event) {
    return runtime->wait(event);
}

void signal_event(ze_event_handle_t event) {
    runtime->signal(event);
}

dnnl_status_t create_memory(
        dnnl_memory_t *memory, const md_t *md, dnnl_engine_t engine, void *ptr) {
    return runtime->memory(memory, md, engine, ptr);
}

void floats_md(md_t *md, int64_t n) {
    assert_ok(md_init_tag(md, 1, &n, dnnl_f32, dnnl_a));
}

dnnl_memory_t new_floats(dnnl_engine_t engine, int64_t n, void *ptr) {
    md_t md;
    dnnl_memory_t memory;
    floats_md(&md, n);
    assert_ok(create_memory(&memory, &md, engine, ptr));
    return memory;
}

enum { GROUP = 16 };

static void write_plan(const pd_t *pd, int64_t n, plan_t *plan, int begin, int end) {
    const affine_t *affine = (const affine_t *)pd->params.factors;
    const uint32_t size[3] = {GROUP, 1, 1}, count[3] = {(uint32_t)((n + GROUP - 1) / GROUP), 1, 1};
    const uint32_t length = (uint32_t)n, any = pd->request.hints.any_address,
                   line = affine->lines && !any ? MEMORY_LINE : 0;
    plan_reset(plan);
    for (int i = begin; i < end; i++) {
        plan_step(plan,
                affine->broken  ? KERNEL_broken
                : affine->meets ? KERNEL_meet
                                : KERNEL_affine,
                size, count);
        plan_spec(plan, 7, (uint32_t)(affine->factor + i * affine->apart) + any);
        plan_spec(plan, 1234, 1); /* which the module has not */
        /* Two halves of the scratchpad take turns. */
        if (i) plan_scratch(plan, (uint64_t)(i % 2) * sizeof(float) * (uint64_t)n);
        else plan_arg(plan, 0, 0);
        plan_expect_alignment(plan, line);
        if (i < affine->steps - 1)
            plan_scratch(plan, (uint64_t)((i + 1) % 2) * sizeof(float) * (uint64_t)n);
        else plan_arg(plan, 1, 0);
        plan_expect_alignment(plan, line);
        if (affine->host_addend) plan_scalar_f32(plan, pd_find_arg(pd, ARG_ADDEND));
        else plan_const(plan, &affine->addend, sizeof affine->addend);
        plan_const(plan, &length, sizeof length);
        plan_const(plan, &affine->spin, sizeof affine->spin);
    }
}

static dnnl_status_t replan(
        const pd_t *pd, const caps_t *caps, const md_t *const *mds, plan_t *plan) {
    (void)caps;
    if (mds[0]->dims[0] != mds[1]->dims[0]) return dnnl_invalid_arguments;
    write_plan(pd, mds[0]->dims[0], plan, 0, ((const affine_t *)pd->params.factors)->steps);
    assert_false(plan->failed);
    return dnnl_success;
}

/* Adds arguments and steps. */
static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    const affine_t *affine = (const affine_t *)pd->params.factors;
    md_t scalar;
    dnnl_status_t status = dnnl_success;
    (void)caps;
    assert_ok(md_init_host_scalar(&scalar, dnnl_f32));
    if (affine->host_addend) status = pd_add_arg(pd, ARG_ADDEND, PD_IN | PD_HOST, &scalar);
    const int64_t n = affine->n == DNNL_RUNTIME_DIM_VAL ? 1 : affine->n;
    if (affine->steps > 1) pd->scratchpad_size = 2 * (size_t)n * sizeof(float);
    if (affine->n) write_plan(pd, n, &pd->plan, 0, affine->steps);
    return status;
}

static int no_text(const pd_t *pd, char *buf, size_t size) {
    (void)pd;
    return snprintf(buf, size, "test");
}

static const op_kind_t affine_op = {.kind = dnnl_eltwise,
        .name = "affine",
        .init = init,
        .replan = replan,
        .format_problem = no_text,
        .format_aux = no_text};

dnnl_primitive_desc_t new_affine(dnnl_engine_t engine, const affine_t *affine) {
    op_params_t params;
    attr_t attr;
    md_t md, scratch;
    memset(&params, 0, sizeof params);
    params.kind = dnnl_eltwise;
    _Static_assert(sizeof *affine <= sizeof params.factors, "the parameters fit");
    memcpy(params.factors, affine, sizeof *affine);
    attr_init(&attr);
    if (affine->user_scratchpad) attr.scratchpad_mode = dnnl_scratchpad_mode_user;
    floats_md(&md, affine->n);
    const pd_tensor_t tensors[2] = {{DNNL_ARG_SRC, PD_IN, &md}, {DNNL_ARG_DST, PD_OUT, &md}};
    const pd_request_t request = {.core = engine_core(engine),
            .params = &params,
            .attr = &attr,
            .ntensors = 2,
            .tensor = tensors};
    pd_t *pd = pd_create_from(&request);
    struct dnnl_primitive_desc *desc = dz_calloc(1, sizeof *desc);
    if (!pd || !desc) {
        pd_unref(pd);
        dz_free(desc);
        return NULL;
    }
    pd->op = &affine_op;
    dnnl_status_t status = init(pd, engine_caps(engine));
    if (affine->steps > 1) {
        const int64_t bytes = (int64_t)pd->scratchpad_size;
        assert_ok(md_init_tag(&scratch, 1, &bytes, dnnl_u8, dnnl_a));
        if (affine->user_scratchpad && status == dnnl_success)
            status = pd_add_arg(pd, DNNL_ARG_SCRATCHPAD, PD_OUT, &scratch);
    } else if (affine->user_scratchpad && status == dnnl_success) {
        memset(&scratch, 0, sizeof scratch);
        status = pd_add_arg(pd, DNNL_ARG_SCRATCHPAD, PD_OUT | PD_OPTIONAL, &scratch);
    }
    if (status != dnnl_success) {
        pd_unref(pd);
        dz_free(desc);
        return NULL;
    }
    assert_true(plan_seal(&pd->plan));
    pd_seal(pd, "test", 4);
    desc->pd = pd;
    desc->engine = engine;
    engine_ref(engine);
    return desc;
}

void free_affine(dnnl_primitive_desc_t desc) {
    pd_unref(desc->pd);
    engine_unref(desc->engine);
    dz_free(desc);
}

dnnl_primitive_t new_primitive(dnnl_engine_t engine, const affine_t *affine) {
    dnnl_primitive_t primitive;
    dnnl_primitive_desc_t desc = new_affine(engine, affine);
    assert_non_null(desc);
    assert_ok(dnnl_primitive_create(&primitive, desc));
    free_affine(desc);
    return primitive;
}

float affine_result(const affine_t *affine, float src) {
    for (int i = 0; i < affine->steps; i++)
        src = (float)(affine->factor + i * affine->apart) * src + affine->addend;
    return src;
}

static bench_t begin(void) {
    bench_t b = {.engine = new_engine()};
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

bench_t bench_begin(unsigned flags) {
    bench_t b = begin();
    assert_ok(dnnl_stream_create(&b.stream, b.engine, flags));
    return b;
}

bench_t bench_begin_on_list(void) {
    bench_t b = begin();
    b.list = new_list();
    assert_ok(runtime->stream(&b.stream, b.engine, b.list));
    return b;
}

void bench_end(bench_t *b) {
    assert_ok(dnnl_stream_wait(b->stream));
    assert_ok(dnnl_stream_destroy(b->stream));
    if (b->list) free_list(b->list);
    runtime->drop_events();
    assert_ok(dnnl_memory_destroy(b->src_mem));
    assert_ok(dnnl_memory_destroy(b->dst_mem));
    assert_ok(dnnl_engine_destroy(b->engine));
    free_usm(b->src);
    free_usm(b->dst);
}

void bench_check(const bench_t *b, const affine_t *affine, int n) {
    for (int i = 0; i < n; i++)
        if (b->dst[i] != affine_result(affine, (float)i))
            fail_msg("dst[%d] is %g, not %g", i, (double)b->dst[i],
                    (double)affine_result(affine, (float)i));
}

static long live_before;

/* On a GPU the library keeps native code in the process. */
int note_live_allocations(void **state) {
    (void)state;
    native_store_clear();
    live_before = atomic_load(&dz_alloc_live);
    return 0;
}

int check_live_allocations(void **state) {
    (void)state;
    native_store_clear();
    const long live = atomic_load(&dz_alloc_live);
    if (live == live_before) return 0;
    print_error("%ld host allocations were not freed\n", live - live_before);
    return -1;
}
