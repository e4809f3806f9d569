/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant on tensors whose last elements are more than 2^32 bytes after their first ones, and
 * of which hardly any page is touched (cases/far.txt). Also on buffers that begin at any multiple
 * of the element size, with rows of any length and distance. */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "core/util.h"
#include "graph/device.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_table.h"
#include "skips.h"
#include "test_main.h"

#define OK(call) assert_int_equal(call, dnnl_success)

enum { GUARD = 64, GUARD_BYTE = 0x5a };
static int no_room; /* cases that lacked memory */

/* An argument that begins `shift` (less than GUARD) bytes after a multiple of 64,
 * between guards. */
typedef struct {
    uint8_t *base, *data;
    size_t size;
    int shift;
    dnnl_memory_t memory;
} far_arg_t;

/* `shift` is rounded to a shift that the type allows. */
static bool far_open(far_arg_t *arg, const md_t *md, bool written, int wanted_shift) {
    const int shift = wanted_shift / (int)dt_size(md->data_type) * (int)dt_size(md->data_type);
    memset(arg, 0, sizeof(*arg));
    arg->size = md_size(md, 0);
    arg->shift = shift;
    if (harness_alloc(arg->size + 3 * GUARD, (void **)&arg->base) != dnnl_success) return false;
    arg->data = arg->base + GUARD + shift;
    memset(arg->base, GUARD_BYTE, (size_t)(GUARD + shift));
    memset(arg->data + arg->size, GUARD_BYTE, (size_t)(2 * GUARD - shift));
    dnnl_dims_t pos = {0};
    do { /* small numbers, so that sums are exact or nearly exact */
        const double value = written ? 77 : (double)(int64_t)(harness_random() % 7) - 3;
        ref_store(md->data_type, arg->data, md_offset(md, pos), value);
    } while (ref_next(md->dims, md->ndims, pos));
    OK(device_memory_create(&arg->memory, md, harness_engine, arg->data));
    return true;
}

static void far_close(far_arg_t *arg) {
    const int shift = arg->shift;
    const uint8_t *end = arg->data + arg->size;
    for (int i = 0; i < GUARD + shift; i++) assert_int_equal(arg->base[i], GUARD_BYTE);
    for (int i = 0; i < 2 * GUARD - shift; i++) assert_int_equal(end[i], GUARD_BYTE);
    OK(dnnl_memory_destroy(arg->memory));
    harness_free(arg->base);
}

static void compare(const pd_t *pd, const void *const *data, const char *what, int shift) {
    const int slot = pd_find_arg(pd, DNNL_ARG_DST);
    const md_t *md = &pd->args[slot].md;
    const ref_t ref = {.pd = pd, .data = data, .epsilon = ref_epsilon(pd)};
    dnnl_dims_t pos = {0};
    do {
        const double got = ref_load(md->data_type, data[slot], md_offset(md, pos));
        const ref_value_t want = ref_find(pd)->outputs->reference(&ref, pos);
        if (!ref_ok(md->data_type, got, want))
            fail_msg("%s, variant %s, addresses + %d, [%lld,%lld,%lld]: %g, not %g", what,
                    variants[pd->variant].id, shift, (long long)pos[0], (long long)pos[1],
                    (long long)pos[2], got, want.v);
        harness_count.elements++;
    } while (ref_next(md->dims, md->ndims, pos));
}

/* A primitive on buffers whose addresses are `shift` bytes after multiples of 64. */
static void run(const test_case_t *t) {
    enum { MOST_ARGS = 8 };
    far_arg_t args[MOST_ARGS];
    dnnl_exec_arg_t exec[MOST_ARGS];
    const void *data[MOST_ARGS] = {NULL};
    problem_t p;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    case_t c;
    case_create(&p, t);
    if (!case_open_problem(&c, &p)) return;
    const int shift = (int)p.shift;
    int opened = 0, n = 0;
    const int count = c.pd->nargs;
    assert_in_range(count, 1, MOST_ARGS);
    bool good = true;
    for (; opened < count && good; opened++) {
        const pd_arg_t *arg = &c.pd->args[opened];
        memset(&args[opened], 0, sizeof(args[opened]));
        if (md_is_zero(&arg->md) ||
                !(good = far_open(&args[opened], &arg->md, arg->flags & PD_OUT, shift)))
            continue;
        data[opened] = args[opened].data;
        exec[n++] = (dnnl_exec_arg_t){arg->arg, args[opened].memory};
    }
    if (good) {
        OK(dnnl_primitive_create(&primitive, p.pd));
        OK(dnnl_stream_create(&stream, harness_engine, dnnl_stream_in_order));
        OK(dnnl_primitive_execute(primitive, stream, n, exec));
        OK(dnnl_stream_wait(stream));
        OK(dnnl_stream_destroy(stream));
        OK(dnnl_primitive_destroy(primitive));
        compare(c.pd, data, t->text, shift);
        harness_count.run++;
    } else {
        no_room++;
    }
    for (int i = 0; i < opened; i++)
        if (args[i].base) far_close(&args[i]);
    case_close(&c);
}

/* ---- tests ---- */

static const char *const families[] = {"matmul", "convolution", "pooling", "softmax",
        "layer_normalization", "normalization", "reduction", "elementwise", "sdpa"};
static const char *family;

static void run_lines(const char *kind, const char *settings) {
    char section[64];
    snprintf(section, sizeof(section), "%s%s", family, kind);
    cases_each("far", section, settings, run);
}

static void far_variant(void) {
    run_lines("", "");
}

static void odd_variant(void) {
    run_lines("_repeated", "");
    run_lines("_odd", "");
    if (ref_is_tf32(harness_hints.forced_variant)) run_lines("_odd", "dt=f32 attr=fpmath:tf32");
}

/* Variants for CPUs support few of these problems each; the cases with the library's own choice
 * test them. Variants for doubles have the source of the portable ones. */
static bool is_for_gpus(int variant) {
    return variants[variant].target != TARGET_CPU && !variants[variant].needs_fp64;
}

/* A single dense tensor cannot be large without being touched. Variants for tf32 have the plans of
 * those for f16. */
static bool is_for_strides(int variant) {
    return is_for_gpus(variant) && strcmp(variants[variant].entry, "flat") != 0 &&
           !ref_is_tf32(variant);
}

static void for_each_family(bool (*suits)(int variant), void (*cases)(void)) {
    for (int i = 0; i < ARRAY_LEN(families); i++) {
        family = families[i];
        for_each_variant_that(suits, family, cases);
        if (harness_caps()->is_cpu) cases();
    }
}

static void count_as_skipped(const test_case_t *t) {
    (void)t;
    skip_count(SKIP_LITTLE_MEMORY, 1);
}

static void test_far(void **unused) {
    (void)unused;
    void *memory;
    const size_t needed = (UINT64_C(1) << 32) + (1 << 20);
    if (harness_alloc(needed, &memory) != dnnl_success) {
        for (int i = 0; i < ARRAY_LEN(families); i++)
            cases_each("far", families[i], "", count_as_skipped);
        skip();
    }
    harness_free(memory);
    no_room = 0;
    for_each_family(is_for_strides, far_variant);
    skip_count(SKIP_LITTLE_MEMORY, no_room);
}

static void test_odd(void **unused) {
    (void)unused;
    for_each_family(is_for_gpus, odd_variant);
}

/* Splits loops as if they were too long for positions of 32 bits. */
static void test_cut(void **unused) {
    (void)unused;
    family = "elementwise";
    harness_hints.max_loop = 20;
    harness_hints.loop_piece = 16;
    for_each_variant_that(is_for_gpus, family, odd_variant);
    if (harness_caps()->is_cpu) odd_variant();
    harness_hints = NO_PLAN_HINTS;
}

TEST_MAIN(cmocka_unit_test(test_odd), cmocka_unit_test(test_cut), cmocka_unit_test(test_far))
