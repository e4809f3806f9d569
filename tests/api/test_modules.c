/* SPDX-License-Identifier: Apache-2.0 */
/* The modules of a primitive: compiled side by side, failing one by one, and wanted by others. */
#define _GNU_SOURCE /* sched_getaffinity() */
#include "rt.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "ze/engine.h"
#include "ze/loader.h"

static const affine_t three = {.n = N, .steps = 3, .factor = 2, .apart = 1, .addend = 1};

/* ---- a driver that compiles slowly, or not at all ---- */

static ze_table_t real;
static atomic_int calls, inside, most_inside;
static int failing; /* the number of the call that fails, from 1 on; 0: none */
static bool meets;  /* a call waits for another one for up to MEETING turns of 1 ms */
enum { MEETING = 20000 };
static pthread_mutex_t one_compiler = PTHREAD_MUTEX_INITIALIZER; /* of PoCL */

static void wait_for_another(void) {
    const struct timespec ms = {.tv_nsec = 1000000};
    const int now = atomic_fetch_add(&inside, 1) + 1;
    int most = atomic_load(&most_inside);
    while (most < now && !atomic_compare_exchange_weak(&most_inside, &most, now)) {
    }
    for (int i = 0; meets && i < MEETING && atomic_load(&most_inside) < 2; i++)
        nanosleep(&ms, NULL);
    atomic_fetch_sub(&inside, 1);
}

static ze_result_t module_create(ze_context_handle_t context, ze_device_handle_t device,
        const ze_module_desc_t *desc, ze_module_handle_t *module,
        ze_module_build_log_handle_t *log) {
    const int call = atomic_fetch_add(&calls, 1) + 1;
    wait_for_another();
    if (call == failing) return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    pthread_mutex_lock(&one_compiler);
    const ze_result_t result = real.ModuleCreate(context, device, desc, module, log);
    pthread_mutex_unlock(&one_compiler);
    return result;
}

static void replace_driver(dnnl_engine_t engine, int failing_call, bool meeting) {
    device_core_t *core = (device_core_t *)engine_core(engine);
    core->compiles_together = true;
    real = ze;
    ze.ModuleCreate = module_create;
    failing = failing_call;
    meets = meeting;
    atomic_store(&calls, 0);
    atomic_store(&most_inside, 0);
}

static dnnl_status_t create_with(dnnl_engine_t engine, const affine_t *affine, int failing_call,
        bool meeting, dnnl_primitive_t *primitive) {
    dnnl_primitive_desc_t desc = new_affine(engine, affine);
    assert_non_null(desc);
    replace_driver(engine, failing_call, meeting);
    const dnnl_status_t status = dnnl_primitive_create(primitive, desc);
    ze = real;
    free_affine(desc);
    return status;
}

static void check_result(bench_t *b, dnnl_primitive_t primitive, const affine_t *affine) {
    assert_ok(dnnl_primitive_execute(primitive, b->stream, 2, b->args));
    assert_ok(dnnl_stream_wait(b->stream));
    bench_check(b, affine, N);
}

/* ---- tests ---- */

static void side_by_side(void **state) {
    (void)state;
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) || CPU_COUNT(&cores) < 2) {
        print_message("skipped: this process has one core\n");
        skip();
    }
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t primitive;
    assert_ok(create_with(b.engine, &three, 0, true, &primitive));
    assert_int_equal(calls, 3);
    assert_true(most_inside >= 2);
    check_result(&b, primitive, &three);
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

/* Steps with equal constants share a module, which is compiled once. */
static void equal_steps_share(void **state) {
    (void)state;
    const affine_t equal = {.n = N, .steps = 3, .factor = 5, .addend = 1};
    bench_t b = bench_begin(dnnl_stream_in_order);
    dnnl_primitive_t primitive;
    assert_ok(create_with(b.engine, &equal, 0, false, &primitive));
    assert_int_equal(calls, 1);
    check_result(&b, primitive, &equal);
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
}

/* If one module fails, the creation fails and keeps none: the next one compiles all three. */
static void each_may_fail(void **state) {
    (void)state;
    for (int n = 1; n <= 3; n++) {
        bench_t b = bench_begin(dnnl_stream_in_order);
        dnnl_primitive_t primitive;
        assert_status(create_with(b.engine, &three, n, false, &primitive), runtime_error);
        assert_ok(create_with(b.engine, &three, 0, false, &primitive));
        assert_int_equal(calls, 3);
        check_result(&b, primitive, &three);
        assert_ok(dnnl_primitive_destroy(primitive));
        bench_end(&b);
    }
}

typedef struct {
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_status_t status;
} creator_t;

static void *create(void *arg) {
    creator_t *c = arg;
    c->status = dnnl_primitive_create(&c->primitive, c->desc);
    return NULL;
}

/* Two primitives with the same modules in opposite orders, made at once: each finds modules that
 * the other one compiles, and neither waits before its own are done. */
static void opposite_orders(void **state) {
    (void)state;
    const affine_t backwards = {.n = N, .steps = 3, .factor = 4, .apart = -1, .addend = 1};
    for (int turn = 0; turn < 20; turn++) {
        bench_t b = bench_begin(dnnl_stream_in_order);
        creator_t creators[2] = {
                {.desc = new_affine(b.engine, &three)}, {.desc = new_affine(b.engine, &backwards)}};
        pthread_t thread;
        replace_driver(b.engine, 0, false);
        assert_int_equal(pthread_create(&thread, NULL, create, &creators[0]), 0);
        create(&creators[1]);
        pthread_join(thread, NULL);
        ze = real;
        assert_int_equal(calls, 3);
        for (int i = 0; i < 2; i++) {
            assert_ok(creators[i].status);
            check_result(&b, creators[i].primitive, i ? &backwards : &three);
            assert_ok(dnnl_primitive_destroy(creators[i].primitive));
            free_affine(creators[i].desc);
        }
        bench_end(&b);
    }
}

#define OF_LEVEL_ZERO "the table of OpenCL's functions is another one"

int main(void) {
    const struct CMUnitTest tests[] = {
            LEVEL_ZERO_TEST(side_by_side, OF_LEVEL_ZERO),
            LEVEL_ZERO_TEST(equal_steps_share, OF_LEVEL_ZERO),
            LEVEL_ZERO_TEST(each_may_fail, OF_LEVEL_ZERO),
            LEVEL_ZERO_TEST(opposite_orders, OF_LEVEL_ZERO),
    };
    return RUN_TESTS(tests);
}
