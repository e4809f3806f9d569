/* SPDX-License-Identifier: Apache-2.0 */
/* The program that is run with failures. */
#include "walk.h"

#include "heard.h"
#include "ze/native_store.h"

static bool reached; /* the operation that fails, whether or not a call had to */
static bool lost;    /* a failure that lasts has come */

static struct {
    int left; /* until one fails; 0: none fails any more */
    bool failed, lasts;
} calls;

bool call_fails(void) {
    if (is_lost()) return true;
    if (calls.left <= 0 || --calls.left) return false;
    calls.failed = true;
    return true;
}

bool is_lost(void) {
    return calls.lasts && calls.failed;
}

void arm_calls(int n) {
    calls.left = n;
    calls.failed = false;
}

bool disarm_calls(void) {
    const bool any = calls.failed;
    arm_calls(0);
    return any;
}

static void step(const fault_t *fault, dnnl_status_t status, const char *log) {
    if (!fault->lasts && status != dnnl_success) assert_int_equal(errors_in(log), 1);
    /* What could not be made is a wrong argument to the calls that use it. */
    if (lost && status == dnnl_invalid_arguments) return;
    if (status != dnnl_success) assert_int_equal(status, fault->status);
    lost = fault->lasts && (lost || status != dnnl_success);
}

/* A device that is lost does not go on: what it was given before is waited for, past what fails. */
static void settle(dnnl_stream_t stream) {
    if (stream) runtime->settle(stream);
}

#define STEP(call)                                                                                 \
    do {                                                                                           \
        listen_to_log();                                                                           \
        const dnnl_status_t step_status = (call);                                                  \
        step(fault, step_status, heard());                                                         \
        if (step_status != dnnl_success && !fault->lasts) {                                        \
            reached |= fault->disarm();                                                            \
            assert_ok(call);                                                                       \
        }                                                                                          \
        if (fault->lasts) settle(stream), settle(profiling), settle(interop);                      \
    } while (0)

static void use_everything(const fault_t *fault, dnnl_primitive_desc_t desc, dnnl_engine_t engine,
        float *src, float *dst, ze_command_list_handle_t list) {
    dnnl_engine_t own = NULL, again = NULL;
    dnnl_stream_t stream = NULL, profiling = NULL, interop = NULL;
    dnnl_memory_t src_mem = NULL, dst_mem = NULL, device = NULL, scalar = NULL, off_line = NULL;
    dnnl_primitive_t primitive = NULL;
    ze_event_handle_t event = NULL, second = NULL;
    void *mapped = NULL;
    size_t size = 0;
    float addend = 0;
    md_t md, scalar_md;
    floats_md(&md, N);
    assert_ok(md_init_host_scalar(&scalar_md, dnnl_f32));
    STEP(runtime->engine(&again));
    STEP(dnnl_engine_create(&own, dnnl_gpu, 0));
    STEP(dnnl_stream_create(&stream, engine, dnnl_stream_in_order));
    STEP(dnnl_stream_create(&profiling, engine, dnnl_stream_out_of_order | 4 /* profiling */));
    STEP(runtime->stream(&interop, engine, list));
    STEP(create_memory(&src_mem, &md, engine, src));
    STEP(create_memory(&dst_mem, &md, engine, dst));
    STEP(create_memory(&off_line, &md, engine, src + 1));
    STEP(dnnl_memory_create(&device, &md, own, DNNL_MEMORY_ALLOCATE));
    STEP(dnnl_memory_create_host_scalar(&scalar, &scalar_md, &addend));
    STEP(dnnl_primitive_create(&primitive, desc));
    STEP(dnnl_primitive_get_cache_blob(primitive, &size, NULL));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src_mem}, {DNNL_ARG_DST, dst_mem}};
    /* It makes kernels that take any address, and its result is overwritten. */
    const dnnl_exec_arg_t others[] = {{DNNL_ARG_SRC, off_line}, {DNNL_ARG_DST, dst_mem}};
    STEP(dnnl_primitive_execute(primitive, stream, 2, others));
    STEP(execute(primitive, stream, 2, args, 0, NULL, &event));
    STEP(execute(primitive, interop, 2, args, 1, &event, &second));
    STEP(execute(primitive, profiling, 2, args, 1, &second, &event));
    STEP(dnnl_memory_map_data(device, &mapped));
    if (mapped) memset(mapped, 1, N * sizeof(float));
    STEP(dnnl_memory_unmap_data(device, mapped));
    if (!lost) mapped = NULL;
    STEP(dnnl_memory_map_data(device, &mapped));
    for (size_t i = 0; i < N * sizeof(float) && !lost; i++)
        assert_int_equal(((char *)mapped)[i], 1);
    STEP(dnnl_memory_unmap_data(device, mapped));
    STEP(dnnl_stream_wait(stream));
    STEP(dnnl_stream_wait(interop));
    STEP(dnnl_stream_wait(profiling));

    if (!fault->lasts) reached |= fault->disarm();
    assert_ok(dnnl_memory_destroy(src_mem));
    assert_ok(dnnl_memory_destroy(dst_mem));
    assert_ok(dnnl_memory_destroy(off_line));
    assert_ok(dnnl_memory_destroy(device));
    assert_ok(dnnl_memory_destroy(scalar));
    assert_ok(dnnl_primitive_destroy(primitive));
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_stream_destroy(profiling));
    assert_ok(dnnl_stream_destroy(interop));
    assert_ok(dnnl_engine_destroy(again));
    assert_ok(dnnl_engine_destroy(own));
}

void walk(const fault_t *fault) {
    enum { TOO_MANY = 1000 };
    const affine_t affine = {.n = N, .steps = 2, .factor = 3, .addend = 1, .lines = true};
    float *src = new_usm((N + 1) * sizeof *src), *dst = new_usm(N * sizeof *dst);
    ze_command_list_handle_t list = new_list();
    for (int i = 0; i < N; i++) src[i] = (float)i;
    reached = true;
    calls.lasts = fault->lasts;
    int n = 0;
    while (reached) {
        assert_true(++n < TOO_MANY);
        memset(dst, 0, N * sizeof *dst);
        reached = lost = false;
        native_store_clear(); /* on a GPU the library keeps native code */
        const long live = fault->live();
        dnnl_engine_t engine = new_engine();
        dnnl_primitive_desc_t desc = new_affine(engine, &affine);
        fault->arm(n);
        use_everything(fault, desc, engine, src, dst, list);
        for (int i = 0; i < N && !lost; i++)
            assert_true(dst[i] == affine_result(&affine, (float)i));
        free_affine(desc);
        assert_ok(dnnl_engine_destroy(engine));
        runtime->drop_events();
        if (fault->lasts) reached = fault->disarm();
        native_store_clear();
        assert_int_equal(fault->live(), live);
    }
    assert_true(n > 20); /* it has failed at all */
    free_list(list);
    free_usm(src);
    free_usm(dst);
}
