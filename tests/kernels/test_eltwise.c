/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of family "elementwise" as eltwise: algorithms, types, layouts. */
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

/* alpha and beta that are not special for an algorithm, and the range of inputs where it has most of its
 * curvature. */
static const struct {
    dnnl_alg_kind_t alg;
    float alpha, beta;
    double low, high;
} algs[] = {
        {dnnl_eltwise_relu, 0, 0, -4, 4},
        {dnnl_eltwise_tanh, 0, 0, -10, 10},
        {dnnl_eltwise_elu, 1.5f, 0, -20, 4},
        {dnnl_eltwise_square, 0, 0, -4, 4},
        {dnnl_eltwise_abs, 0, 0, -4, 4},
        {dnnl_eltwise_sqrt, 0, 0, -1, 10},
        {dnnl_eltwise_linear, 1.5f, -2, -4, 4},
        {dnnl_eltwise_soft_relu, -1.25f, 0, -120, 120},
        {dnnl_eltwise_hardsigmoid, 0.2f, 0.5f, -4, 4},
        {dnnl_eltwise_logistic, 0, 0, -110, 110},
        {dnnl_eltwise_exp, 0, 0, -110, 90},
        {dnnl_eltwise_gelu_tanh, 0, 0, -12, 12},
        {dnnl_eltwise_swish, 1.25f, 0, -90, 90},
        {dnnl_eltwise_log, 0, 0, -0.5, 100},
        {dnnl_eltwise_clip, -1, 1.5f, -4, 4},
        {dnnl_eltwise_clip_v2, -2.5f, -1, -4, 4},
        {dnnl_eltwise_pow, 0.5f, 2.5f, -1, 6},
        {dnnl_eltwise_gelu_erf, 0, 0, -8, 8},
        {dnnl_eltwise_round, 0, 0, -5, 5},
        {dnnl_eltwise_mish, 0, 0, -90, 90},
        {dnnl_eltwise_hardswish, 1 / 6.f, 0.5f, -5, 5},
};

static void run(int alg, float alpha, float beta, const md_t *src, const md_t *dst) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = dnnl_eltwise_forward_primitive_desc_create(&pd, harness_engine,
            dnnl_forward_inference, algs[alg].alg, src, dst, alpha, beta, NULL);
    case_all(pd, status, ref_eltwise_fwd, algs[alg].low, algs[alg].high);
}

static void algorithms(void) {
    md_t f32 = make_md(dnnl_f32, "ab", D(37, 53)), f64 = make_md(dnnl_f64, "ab", D(7, 53));
    bool wide = variants[select_forced_variant].needs_fp64;
    for (int i = 0; i < ARRAY_LEN(algs); i++)
        if (sampled(i)) run(i, algs[i].alpha, algs[i].beta, wide ? &f64 : &f32, wide ? &f64 : &f32);
}

static void types(void) {
    static const dnnl_data_type_t dts[] = {
            dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_s32, dnnl_s8, dnnl_u8, dnnl_f64};
    for (int t = 0; t < ARRAY_LEN(dts); t++) {
        if (!sampled(t)) continue;
        md_t md = make_md(dts[t], "a", D(1009));
        run(0, 0.25f, 0, &md, &md);
        run(6, 1.5f, -2, &md, &md);
    }
}

/* All algorithms in all narrow types, once: the row that the device takes first. */
static void algorithms_of_types(void) {
    static const dnnl_data_type_t dts[] = {dnnl_f16, dnnl_bf16, dnnl_s32, dnnl_s8, dnnl_u8};
    for (int t = 0; t < ARRAY_LEN(dts); t++) {
        md_t md = make_md(dts[t], "ab", D(3, 67));
        for (int i = 0; i < ARRAY_LEN(algs); i++) run(i, algs[i].alpha, algs[i].beta, &md, &md);
    }
}

static void layouts(void) {
    static const struct {
        const char *src, *dst;
        int ndims;
        dnnl_dim_t dims[6];
    } shapes[] = {
            {"a", "a", 1, {1}},
            {"a", "a", 1, {15}},
            {"a", "a", 1, {4099}},
            {"ab", "ab", 2, {0, 3}},
            {"ab", "ab", 2, {3, 17}},
            {"ab", "ba", 2, {19, 35}},
            {"ab", "+ab", 2, {5, 33}},
            {"+ab", "ab", 2, {7, 47}},
            {"+ba", "+ba", 2, {7, 47}},
            {"abcd", "acdb", 4, {2, 5, 3, 7}},
            {"aBcd16b", "aBcd16b", 4, {2, 19, 3, 2}},
            {"aBcd16b", "abcd", 4, {2, 19, 3, 2}},
            {"abcd", "aBcd8b", 4, {3, 11, 2, 5}},
            {"ABcd4a16b", "acdb", 4, {5, 19, 3, 2}},
            {"ABcd16b4a", "ABcd8b8a", 4, {9, 19, 3, 2}},
            {"abcdef", "fedcba", 6, {2, 3, 4, 2, 3, 5}},
            {"aBcdef4b", "+abcdef", 6, {1, 6, 1, 2, 3, 5}},
    };
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        md_t src = make_md(dnnl_f32, shapes[i].src, shapes[i].ndims, shapes[i].dims);
        md_t dst = make_md(dnnl_f32, shapes[i].dst, shapes[i].ndims, shapes[i].dims);
        run(0, 0.5f, 0, &src, &dst);
        run(6, 2, 1, &src, &dst); /* does not keep zeros: padding is written apart */
    }
}

static void rows(void) {
    static bool first = true;
    if (first) algorithms_of_types();
    first = false;
    algorithms();
    types();
    layouts();
}

static void test_rows(void **unused) {
    (void)unused;
    for_each_variant("elementwise", rows);
}

TEST_MAIN(cmocka_unit_test(test_rows))
