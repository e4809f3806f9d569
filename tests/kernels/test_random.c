/* SPDX-License-Identifier: Apache-2.0 */
/* Dropout and stochastic rounding: the generator against published numbers, and every variant of
 * the families that support them against the generator (cases/random.txt). */
#include <math.h>
#include <string.h>

#include "cases.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "philox.h"
#include "test_main.h"

#define OK(call) assert_int_equal(call, dnnl_success)

/* The known answers that the generator's own implementation publishes. */
static void test_generator(void **unused) {
    (void)unused;
    static const struct {
        uint32_t ctr[4], key[2], answer[4];
    } known[] = {
            {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
            {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
            {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0},
                    {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (int i = 0; i < ARRAY_LEN(known); i++) {
        uint32_t ctr[4];
        for (int k = 0; k < 4; k++) ctr[k] = known[i].ctr[k];
        philox4x32_10(ctr, known[i].key);
        assert_memory_equal(ctr, known[i].answer, sizeof(ctr));
    }
    for (int k = 0; k < 4; k++) assert_int_equal(philox_at((uint64_t)k, 0, 0), known[0].answer[k]);
    assert_int_equal(philox_at(~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)),
            philox_at(~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)));
}

static bool doubles_only(void) {
    return variants[harness_hints.forced_variant].needs_fp64;
}

/* The destination is a part of a larger tensor, whose elements keep their numbers. */
static void run_in_part(void) {
    const dnnl_data_type_t dt = doubles_only() ? dnnl_f64 : dnnl_f32;
    const dnnl_dims_t dims = {37, 53}, from = {3, 5};
    md_t src = make_md(dt, "ab", 2, dims), row = make_md(dnnl_f32, "ab", 2, dims),
         whole = make_md(dt, "ab", D(50, 60)), dst;
    dnnl_memory_desc_t mask;
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t po;
    OK(md_init_submemory(&dst, &whole, dims, from));
    OK(dnnl_memory_desc_create_with_tag(&mask, 2, dims, dnnl_u8, dnnl_format_tag_any));
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_dropout_v2(attr, mask, dnnl_s32, 1, 0));
    OK(dnnl_post_ops_create(&po));
    OK(dnnl_post_ops_append_eltwise(po, dnnl_eltwise_linear, 2, 1)); /* 1 for what is dropped */
    OK(dnnl_post_ops_append_binary(po, dnnl_binary_max, &row));
    OK(dnnl_primitive_attr_set_post_ops(attr, po));
    dnnl_primitive_desc_t pd = NULL;
    const dnnl_status_t status = dnnl_eltwise_forward_primitive_desc_create(&pd, harness_engine,
            dnnl_forward_training, dnnl_eltwise_abs, &src, &dst, 0, 0, hinted(attr));
    case_all(pd, status, ref_eltwise_fwd, -4, 4);
    OK(dnnl_post_ops_destroy(po));
    OK(dnnl_primitive_attr_destroy(attr));
    OK(dnnl_memory_desc_destroy(mask));
}

static void eltwise_variant(void) {
    run_in_part();
    cases_run_with("random", "eltwise", doubles_only() ? "dt=f64" : "");
}

static void softmax_variant(void) {
    cases_run_with("random", "softmax", doubles_only() ? "dt=f64" : "");
}

/* Each variant rounds one of two. */
static void run_alternately(const test_case_t *t) {
    if (t->number % 2 == harness_hints.forced_variant % 2) cases_run_one(t);
}

static void matmul_variant(void) {
    cases_run("random", doubles_only() ? "matmul_f64" : "matmul");
    if (!doubles_only()) cases_each("random", "matmul_rounding", "", run_alternately);
}

/* Kernels for lanes leave dropout and rounding to the others. */
static bool has_no_lanes(int variant) {
    return !variant_has_lanes(&variants[variant]);
}

/* The cases of matmul are of floats, and not all of bf16. */
static bool has_floats(int variant) {
    return !variants[variant].geometry.ints && !variants[variant].geometry.dots;
}

static void test_dropout(void **unused) {
    (void)unused;
    for_each_variant_that(has_no_lanes, "elementwise", eltwise_variant);
    for_each_variant_that(has_no_lanes, "softmax", softmax_variant);
    for_each_variant_that(has_floats, "matmul", matmul_variant);
}

static void test_rounding(void **unused) {
    (void)unused;
    for (int v = 0; v < variant_count; v++)
        if (!strcmp(variants[v].family, "elementwise") && !variants[v].needs_fp64 &&
                has_no_lanes(v) && variant_runs_on(&variants[v], harness_caps())) {
            harness_hints.forced_variant = v;
            harness_seed(7);
            cases_run("random", "rounding");
        }
    harness_hints.forced_variant = -1;
}

/* Which elements are dropped is random, but their number is not: checks the share of kept elements,
 * and the mean of rounded ones. */
static void test_statistics(void **unused) {
    (void)unused;
    enum { N = 1 << 16 };
    dnnl_primitive_attr_t attr;
    md_t src = make_md(dnnl_f32, "a", D(N)), dst = make_md(dnnl_bf16, "a", D(N));
    case_t c;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    dnnl_primitive_desc_t pd = NULL;
    OK(dnnl_reorder_primitive_desc_create(&pd, &src, harness_engine, &dst, harness_engine, attr));
    assert_true(case_open(&c, pd, dnnl_success));
    case_fill(&c, NULL);
    const float between = 1 + 0.3f / 128;
    for (int i = 0; i < N; i++) ((float *)c.data[pd_find_arg(c.pd, DNNL_ARG_SRC)])[i] = between;
    case_run(&c);
    double sum = 0;
    for (int i = 0; i < N; i++) {
        const double x = ref_load(dnnl_bf16, c.data[pd_find_arg(c.pd, DNNL_ARG_DST)], i);
        assert_true(x == 1 || x == 1 + 1.0 / 128);
        sum += x;
    }
    assert_true(
            fabs(sum / N - (double)between) < 0.01 / 128); /* more than five standard deviations */
    case_close(&c);
    OK(dnnl_primitive_attr_destroy(attr));

    md_t none = {0};
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_dropout_v2(attr, &none, dnnl_s64, 1, 1));
    OK(dnnl_eltwise_forward_primitive_desc_create(&pd, harness_engine, dnnl_forward_training,
            dnnl_eltwise_linear, &src, &src, 0, 1, attr));
    assert_true(case_open(&c, pd, dnnl_success));
    case_fill(&c, NULL);
    *(float *)c.data[pd_find_arg(c.pd, DNNL_ARG_ATTR_DROPOUT_PROBABILITY)] = 0.3f;
    case_run(&c);
    int kept = 0;
    for (int i = 0; i < N; i++) {
        const float x = ((float *)c.data[pd_find_arg(c.pd, DNNL_ARG_DST)])[i];
        assert_true(x == 0 || x == 1 / (1 - 0.3f));
        kept += x != 0;
    }
    assert_true(fabs((double)kept / N - 0.7) < 0.01);
    case_close(&c);
    OK(dnnl_primitive_attr_destroy(attr));
}

static void test_refusals(void **unused) {
    (void)unused;
    md_t md = make_md(dnnl_f32, "ab", D(4, 5));
    const struct {
        md_t mask;
        dnnl_status_t status;
    } cases[] = {{make_md(dnnl_u8, "ab", D(4, 6)), dnnl_invalid_arguments},
            {make_md(dnnl_u8, "ba", D(4, 5)), dnnl_unimplemented}};
    for (int i = 0; i < ARRAY_LEN(cases); i++) {
        dnnl_primitive_attr_t attr;
        dnnl_primitive_desc_t pd = NULL;
        OK(dnnl_primitive_attr_create(&attr));
        OK(dnnl_primitive_attr_set_dropout(attr, &cases[i].mask));
        assert_int_equal(dnnl_eltwise_forward_primitive_desc_create(&pd, harness_engine,
                                 dnnl_forward_training, dnnl_eltwise_abs, &md, &md, 0, 0, attr),
                cases[i].status);
        OK(dnnl_primitive_attr_destroy(attr));
    }
    cases_check_refusals("random", "refusals");
}

TEST_MAIN(cmocka_unit_test(test_generator), cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_rounding), cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_refusals))
