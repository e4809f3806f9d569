/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that the lists of the other tests do not contain (cases/edges.txt): special values, one
 * buffer for two tensors, large tensors, layouts that the library chooses, run-time dims, host
 * scalars, the list of implementations, and refused requests. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "case_run.h"
#include "cases.h"
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "skips.h"
#include "test_main.h"

#define OK(call) assert_int_equal(call, dnnl_success)

static dnnl_primitive_desc_t eltwise(dnnl_alg_kind_t alg, float alpha, float beta, const md_t *src,
        const md_t *dst, const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd = NULL;
    OK(dnnl_eltwise_forward_primitive_desc_create(
            &pd, harness_engine, dnnl_forward_inference, alg, src, dst, alpha, beta, attr));
    return pd;
}

static dnnl_primitive_desc_t reorder(
        const md_t *src, const md_t *dst, const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd = NULL;
    OK(dnnl_reorder_primitive_desc_create(&pd, src, harness_engine, dst, harness_engine, attr));
    return pd;
}

/* Runs with n values of the source and returns the values of the destination. */
/* The destination may have fewer. */
static void with_values(dnnl_primitive_desc_t pd, const double *in, double *out, int n) {
    case_t c;
    assert_true(case_open(&c, pd, dnnl_success));
    case_fill(&c, NULL);
    int src = pd_find_arg(c.pd, DNNL_ARG_SRC), dst = pd_find_arg(c.pd, DNNL_ARG_DST);
    for (int i = 0; i < n; i++) ref_store(c.md[src].data_type, c.data[src], i, in[i]);
    case_run(&c);
    for (int i = 0; i < n && i < md_nelems(&c.md[dst], false); i++)
        out[i] = ref_load(c.md[dst].data_type, c.data[dst], i);
    case_close(&c);
}

static void test_special_values(void **unused) {
    (void)unused;
    enum { N = 19 };
    const double in[N] = {-INFINITY, INFINITY, NAN, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 1e30, -1e30,
            127.5, 255.5, 2147483520.0, 4e9, -4e9, 1e-42, 254.5, -128.5};
    double out[N];
    md_t f32 = make_md(dnnl_f32, "a", D(N));

    with_values(eltwise(dnnl_eltwise_relu, 0, 0, &f32, &f32, NULL), in, out, N);
    assert_true(out[0] == 0 && out[1] == INFINITY && isnan(out[2]) && out[9] == (double)1e30f);
    with_values(eltwise(dnnl_eltwise_relu, 0.5f, 0, &f32, &f32, NULL), in, out, N);
    assert_true(out[0] == -INFINITY && isnan(out[2]) && out[8] == -0.75);
    with_values(eltwise(dnnl_eltwise_logistic, 0, 0, &f32, &f32, NULL), in, out, N);
    assert_true(out[0] == 0 && out[1] == 1 && isnan(out[2]) && out[9] == 1 && out[10] == 0);
    with_values(eltwise(dnnl_eltwise_soft_relu, 1, 0, &f32, &f32, NULL), in, out, N);
    assert_true(out[0] == 0 && out[1] == INFINITY && isnan(out[2]) && out[14] == 4e9);
    with_values(eltwise(dnnl_eltwise_elu, 1, 0, &f32, &f32, NULL), in, out, N);
    assert_true(out[0] == -1 && out[1] == INFINITY && isnan(out[2]) && out[10] == -1);
    with_values(eltwise(dnnl_eltwise_hardsigmoid, 1, 0, &f32, &f32, NULL), in, out, N);
    assert_true(out[0] == 0 && out[1] == 1 && isnan(out[2]) && out[4] == 0.5);
    with_values(eltwise(dnnl_eltwise_mish, 0, 0, &f32, &f32, NULL), in, out, N);
    assert_true(out[1] == INFINITY && isnan(out[2]) && out[9] == (double)1e30f);
    with_values(eltwise(dnnl_eltwise_pow, 1, -0.5f, &f32, &f32, NULL), in, out, N);
    assert_true(out[0] == 0 && out[1] == 0 && isnan(out[2]) && out[3] == INFINITY && isnan(out[7]));

    static const struct {
        dnnl_data_type_t dt;
        double low, high;
    } ints[] = {{dnnl_s32, INT_MIN, INT_MAX}, {dnnl_s8, -128, 127}, {dnnl_u8, 0, 255}};
    for (int t = 0; t < ARRAY_LEN(ints); t++) {
        md_t dst = make_md(ints[t].dt, "a", D(N));
        with_values(reorder(&f32, &dst, NULL), in, out, N);
        for (int i = 0; i < N; i++) /* ties round to even, large values saturate, NaN becomes 0 */
            assert_true(
                    out[i] == (isnan(in[i]) ? 0
                                            : fmin(fmax(rint((double)(float)in[i]), ints[t].low),
                                                      ints[t].high)));
    }
    static const dnnl_data_type_t small[] = {dnnl_f16, dnnl_bf16};
    for (int t = 0; t < 2; t++) {
        md_t dst = make_md(small[t], "a", D(N));
        with_values(reorder(&f32, &dst, NULL), in, out, N);
        for (int i = 0; i < N; i++)
            if (in[i] != 1e-42) /* the value may be flushed to zero */
                assert_true(isnan(in[i]) ? isnan(out[i])
                                         : out[i] == ref_round(small[t], (double)(float)in[i]));
    }
}

/* A copy does not convert to f32. */
static void test_exact_copies(void **unused) {
    (void)unused;
    const double in[4] = {INT_MAX, INT_MIN, 16777217, -33554433};
    double out[4];
    md_t ab = make_md(dnnl_s32, "ab", D(2, 2)), ba = make_md(dnnl_s32, "ba", D(2, 2)),
         f64 = make_md(dnnl_f64, "ab", D(2, 2));
    with_values(reorder(&ab, &ab, NULL), in, out, 4);
    assert_memory_equal(in, out, sizeof(in));
    with_values(reorder(&ab, &ba, NULL), in, out, 4);
    assert_true(out[0] == in[0] && out[1] == in[2] && out[2] == in[1] && out[3] == in[3]);
    if (!harness_caps()->has_fp64) {
        skip_count(SKIP_NO_DOUBLES, 1);
        return;
    }
    with_values(reorder(&ab, &f64, NULL), in, out, 4);
    assert_memory_equal(in, out, sizeof(in));
}

/* Sums and means of integers that floats cannot represent. */
static void test_exact_integers(void **unused) {
    (void)unused;
    if (!harness_caps()->has_fp64) {
        skip_count(SKIP_NO_DOUBLES, 1);
        return;
    }
    const double in[4] = {16777217, 16777219, 1000000007, -999999999};
    double out[4];
    md_t row = make_md(dnnl_s32, "ab", D(1, 4)), column = make_md(dnnl_s32, "ab", D(2, 2)),
         one = make_md(dnnl_s32, "ab", D(1, 1)), two = make_md(dnnl_s32, "ab", D(2, 1));
    dnnl_primitive_desc_t pd = NULL;
    OK(dnnl_reduction_primitive_desc_create(
            &pd, harness_engine, dnnl_reduction_sum, &row, &one, 0, 0, NULL));
    with_values(pd, in, out, 4);
    assert_true(out[0] == 33554444);
    OK(dnnl_reduction_primitive_desc_create(
            &pd, harness_engine, dnnl_reduction_mean, &column, &two, 0, 0, NULL));
    with_values(pd, in, out, 4);
    assert_true(out[0] == 16777218 && out[1] == 4);

    md_t image = make_md(dnnl_s32, "abcd", D(1, 2, 1, 2)),
         pooled = make_md(dnnl_s32, "abcd", D(1, 2, 1, 1));
    const dnnl_dims_t ones = {1, 1}, zeros = {0, 0}, window = {1, 2};
    OK(dnnl_pooling_forward_primitive_desc_create(&pd, harness_engine, dnnl_forward_inference,
            dnnl_pooling_avg_exclude_padding, &image, &pooled, ones, window, zeros, zeros, zeros,
            NULL));
    with_values(pd, in, out, 4);
    assert_true(out[0] == 16777218 && out[1] == 4);

    md_t s32 = make_md(dnnl_s32, "a", D(4)), s8 = make_md(dnnl_s8, "a", D(4));
    enum { SOURCES = 19 };
    const_dnnl_memory_desc_t srcs[SOURCES];
    float scales[SOURCES];
    for (int i = 0; i < SOURCES; i++) {
        srcs[i] = i % 3 ? &s8 : &s32;
        scales[i] = i ? 1 : -1;
    }
    OK(dnnl_sum_primitive_desc_create(&pd, harness_engine, &s32, SOURCES, scales, srcs, NULL));
    case_t c;
    assert_true(case_open(&c, pd, dnnl_success));
    case_fill(&c, NULL);
    double want[4];
    for (int i = 0; i < 4; i++) {
        ref_store(dnnl_s32, c.data[pd_find_arg(c.pd, DNNL_ARG_MULTIPLE_SRC)], i, in[i]);
        want[i] = -in[i];
        for (int k = 1; k < SOURCES; k++)
            want[i] += ref_load(
                    srcs[k]->data_type, c.data[pd_find_arg(c.pd, DNNL_ARG_MULTIPLE_SRC + k)], i);
    }
    case_run(&c);
    for (int i = 0; i < 4; i++)
        assert_true(ref_load(dnnl_s32, c.data[pd_find_arg(c.pd, DNNL_ARG_DST)], i) == want[i]);
    case_close(&c);
}

static void test_large(void **unused) {
    (void)unused;
    static const struct {
        dnnl_data_type_t src, dst;
        dnnl_dim_t n, offset;
    } sizes[] = {
            {dnnl_f32, dnnl_f32, 4400003, 1},
            {dnnl_f32, dnnl_bf16, 8400001, 3},
            {dnnl_bf16, dnnl_u8, 16800001, 7},
    };
    for (int i = 0; i < ARRAY_LEN(sizes);
            i++) { /* addresses are aligned to the element size only */
        dnnl_dim_t whole_n = sizes[i].n + 16;
        md_t whole = make_md(sizes[i].dst, "a", 1, &whole_n),
             src = make_md(sizes[i].src, "a", 1, &sizes[i].n), dst;
        OK(md_init_submemory(&dst, &whole, &sizes[i].n, &sizes[i].offset));
        case_all(reorder(&src, &dst, NULL), dnnl_success, ref_reorder, -300, 300);
    }
}

/* Source and destination share a buffer. The harness does not support this, so the test runs
 * by itself. */
static void test_in_place(void **unused) {
    (void)unused;
    enum { N = 5000 };
    md_t md = make_md(dnnl_f32, "a", D(N));
    dnnl_memory_t memory, other;
    OK(dnnl_memory_create(&memory, &md, harness_engine, DNNL_MEMORY_ALLOCATE));
    OK(dnnl_memory_create(&other, &md, harness_engine, DNNL_MEMORY_ALLOCATE));
    float *p;
    for (int k = 0; k < 2; k++) {
        OK(dnnl_memory_map_data(k ? other : memory, (void **)&p));
        for (int i = 0; i < N; i++) p[i] = k ? 1 : (float)(i - N / 2);
        OK(dnnl_memory_unmap_data(k ? other : memory, p));
    }
    dnnl_stream_t stream;
    OK(dnnl_stream_create(&stream, harness_engine, dnnl_stream_default_flags));
    dnnl_primitive_desc_t pd[2] = {eltwise(dnnl_eltwise_relu, 0.5f, 0, &md, &md, NULL), NULL};
    OK(dnnl_binary_primitive_desc_create(
            &pd[1], harness_engine, dnnl_binary_add, &md, &md, &md, NULL));
    for (int k = 0; k < 2; k++) {
        dnnl_primitive_t primitive;
        OK(dnnl_primitive_create(&primitive, pd[k]));
        dnnl_exec_arg_t args[] = {
                {DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}, {DNNL_ARG_SRC_1, other}};
        OK(dnnl_primitive_execute(primitive, stream, 2 + k, args));
        OK(dnnl_primitive_destroy(primitive));
        OK(dnnl_primitive_desc_destroy(pd[k]));
    }
    OK(dnnl_stream_wait(stream));
    OK(dnnl_memory_map_data(memory, (void **)&p));
    for (int i = 0; i < N; i++) {
        float x = (float)(i - N / 2);
        assert_true(p[i] == (x > 0 ? x : 0.5f * x) + 1);
    }
    OK(dnnl_memory_unmap_data(memory, p));
    OK(dnnl_stream_destroy(stream));
    OK(dnnl_memory_destroy(memory));
    OK(dnnl_memory_destroy(other));
}

static void test_any_layout(void **unused) {
    (void)unused;
    md_t src = make_md(dnnl_f32, "aBcd16b", D(2, 19, 3, 2)), any = src,
         small_any = make_md(dnnl_bf16, "abcd", D(1, 19, 1, 1));
    any.format_kind = small_any.format_kind = dnnl_format_kind_any;
    memset(&any.format_desc, 0, sizeof(any.format_desc));
    memset(&small_any.format_desc, 0, sizeof(small_any.format_desc));
    dnnl_primitive_desc_t pd = eltwise(dnnl_eltwise_tanh, 0, 0, &src, &any, NULL);
    assert_true(md_equal(pd_md(case_pd(pd), DNNL_ARG_DST), &src));
    case_all(pd, dnnl_success, ref_eltwise_fwd, -4, 4);
    OK(dnnl_binary_primitive_desc_create(
            &pd, harness_engine, dnnl_binary_mul, &src, &small_any, &any, NULL));
    assert_true(md_equal(pd_md(case_pd(pd), DNNL_ARG_DST), &src));
    md_t src1 = make_md(dnnl_bf16, "aBcd16b", D(1, 19, 1, 1));
    assert_true(md_equal(pd_md(case_pd(pd), DNNL_ARG_SRC_1), &src1));
    case_all(pd, dnnl_success, ref_binary_fwd, -4, 4);

    dnnl_post_ops_t po;
    OK(dnnl_post_ops_create(&po));
    OK(dnnl_post_ops_append_binary(po, dnnl_binary_add, &any));
    OK(dnnl_post_ops_append_binary(po, dnnl_binary_mul, &small_any));
    dnnl_primitive_attr_t attr;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_post_ops(attr, po));
    pd = eltwise(dnnl_eltwise_abs, 0, 0, &src, &any, attr);
    assert_true(
            md_equal(pd_md(case_pd(pd), DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1), &src));
    md_t plain = make_md(dnnl_bf16, "abcd", D(1, 19, 1, 1));
    assert_true(md_equal(
            pd_md(case_pd(pd), DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1), &plain));
    case_all(pd, dnnl_success, ref_eltwise_fwd, -4, 4);
    dnnl_post_ops_destroy(po);
    dnnl_primitive_attr_destroy(attr);
}

/* A stride of 0 is allowed for inputs only. */
static void test_repeated_elements(void **unused) {
    (void)unused;
    const dnnl_dims_t dims = {5, 40}, unknown = {DNNL_RUNTIME_DIM_VAL, DNNL_RUNTIME_DIM_VAL};
    md_t dense = make_md(dnnl_f32, "ab", D(5, 40)), row, promised;
    cases_run("edges", "repeated");
    cases_check_refusals("edges", "repeated_results");
    OK(md_init_strides(&row, 2, dims, dnnl_f32, (dnnl_dims_t){0, 1}));
    OK(md_init_strides(&promised, 2, unknown, dnnl_f32, unknown));
    case_t c;
    assert_true(case_open(
            &c, eltwise(dnnl_eltwise_relu, 0, 0, &promised, &promised, NULL), dnnl_success));
    case_fill(&c, (const md_t *[]){&dense, &row});
    assert_int_equal(case_execute(&c), dnnl_invalid_arguments);
    case_close(&c);
}

static void test_runtime_dims(void **unused) {
    (void)unused;
    dnnl_dim_t unknown[2] = {DNNL_RUNTIME_DIM_VAL, DNNL_RUNTIME_DIM_VAL};
    md_t promised;
    OK(md_init_strides(&promised, 2, unknown, dnnl_f32, unknown));
    static const dnnl_dim_t dims[][2] = {{3, 5}, {1, 1}, {70, 33}, {0, 4}};
    for (int i = 0; i < ARRAY_LEN(dims); i++) {
        case_t c;
        assert_true(case_open(
                &c, eltwise(dnnl_eltwise_linear, 2, 1, &promised, &promised, NULL), dnnl_success));
        md_t src = make_md(dnnl_f32, "ab", 2, dims[i]), dst = make_md(dnnl_f32, "ba", 2, dims[i]);
        case_fill(&c, (const md_t *[]){&src, &dst});
        case_run(&c);
        case_check(&c, ref_eltwise_fwd);
        case_close(&c);
    }
}

static void test_host_scalars(void **unused) {
    (void)unused;
    cases_run("edges", "host_scalars");
}

static void test_implementations(void **unused) {
    (void)unused;
    md_t md = make_md(dnnl_f32, "ab", D(21, 33));
    dnnl_primitive_desc_t pd = eltwise(dnnl_eltwise_relu, 0, 0, &md, &md, NULL);
    char names[16][48] = {""};
    int n = 0;
    do {
        const char *name;
        OK(dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name));
        for (int i = 0; i < n; i++) assert_true(case_pd(pd)->variant >= 0);
        for (int i = 0; i < n; i++) assert_string_not_equal(names[i], name);
        snprintf(names[n++], sizeof(names[0]), "%s", name);
    } while (n < 16 && dnnl_primitive_desc_next_impl(pd) == dnnl_success);
    int expected = 0; /* variants but the transposing ones, each counted once */
    for (int v = 0; v < variant_count; v++)
        expected += !strcmp(variants[v].family, "elementwise") &&
                    strcmp(variants[v].entry, "tile") && strncmp(variants[v].entry, "turn", 4) &&
                    variant_runs_on(&variants[v], harness_caps());
    assert_int_equal(n, expected);
    assert_int_equal(dnnl_primitive_desc_next_impl(pd), dnnl_last_impl_reached);
    OK(dnnl_primitive_desc_destroy(pd));
}

/* dnnl_primitive_desc_next_impl() comes to an end for every kind. */
static void count_implementations(const test_case_t *t) {
    enum { MOST = 32 };
    problem_t p;
    int n = 0;
    case_create(&p, t);
    assert_int_equal(p.status, dnnl_success);
    dnnl_status_t status = dnnl_success;
    for (; n < MOST && status == dnnl_success; n++) status = dnnl_primitive_desc_next_impl(p.pd);
    if (status != dnnl_last_impl_reached) fail_msg("%s: %d after %d", t->text, (int)status, n);
    OK(dnnl_primitive_desc_destroy(p.pd));
}

static void test_implementations_end(void **unused) {
    (void)unused;
    cases_each("implementations", "kinds", "", count_implementations);
}

/* Destinations and post-ops of other dimensions than the sources have. */
static void test_refusals(void **unused) {
    (void)unused;
    md_t a = make_md(dnnl_f32, "ab", D(3, 5)), b = make_md(dnnl_f32, "ab", D(3, 4)),
         row = make_md(dnnl_f32, "ab", D(1, 5));
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t po;
    dnnl_primitive_desc_t pd = NULL;
    cases_check_refusals("edges", "refusals");
    OK(dnnl_post_ops_create(&po));
    OK(dnnl_post_ops_append_binary(po, dnnl_binary_add, &b));
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_post_ops(attr, po));
    assert_int_equal(dnnl_eltwise_forward_primitive_desc_create(&pd, harness_engine,
                             dnnl_forward_inference, dnnl_eltwise_relu, &a, &b, 0, 0, NULL),
            dnnl_invalid_arguments);
    assert_int_equal(dnnl_binary_primitive_desc_create(
                             &pd, harness_engine, dnnl_binary_add, &row, &row, &a, NULL),
            dnnl_invalid_arguments);
    assert_int_equal(dnnl_eltwise_forward_primitive_desc_create(&pd, harness_engine,
                             dnnl_forward_inference, dnnl_eltwise_relu, &a, &a, 0, 0, attr),
            dnnl_invalid_arguments);
    assert_null(pd);
    dnnl_post_ops_destroy(po);
    dnnl_primitive_attr_destroy(attr);
}

TEST_MAIN(cmocka_unit_test(test_special_values), cmocka_unit_test(test_exact_copies),
        cmocka_unit_test(test_exact_integers), cmocka_unit_test(test_large),
        cmocka_unit_test(test_in_place), cmocka_unit_test(test_any_layout),
        cmocka_unit_test(test_repeated_elements), cmocka_unit_test(test_runtime_dims),
        cmocka_unit_test(test_host_scalars), cmocka_unit_test(test_implementations),
        cmocka_unit_test(test_implementations_end), cmocka_unit_test(test_refusals))
