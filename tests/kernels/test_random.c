/* SPDX-License-Identifier: Apache-2.0 */
/* Dropout and stochastic rounding: the generator against published numbers, and every variant of
 * the families that support them against the generator. */
#include <math.h>
#include <string.h>

#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "philox.h"
#include "ref_matmul.h"
#include "ref_norm.h"
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

typedef struct {
    const char *mask; /* tag; NULL: no mask */
    dnnl_data_type_t seed;
    int offset, on_host, post_op;
} dropout_t;

static const dropout_t dropouts[] = {
        {"", dnnl_s64, 1, 1, 0},
        {"", dnnl_s32, 0, 0, 0},
        {NULL, dnnl_s64, 0, 1, 0},
        {"any", dnnl_s32, 1, 0, 1},
        {NULL, dnnl_s64, 1, 0, 0},
        {"", dnnl_s32, 1, 1, 0},
};

static dnnl_primitive_attr_t attr_of(const dropout_t *how, const md_t *dst, const char *tag) {
    dnnl_primitive_attr_t attr;
    md_t mask = {0};
    OK(dnnl_primitive_attr_create(&attr));
    if (how->mask && how->mask[0]) {
        dnnl_memory_desc_t any;
        OK(dnnl_memory_desc_create_with_tag(
                &any, dst->ndims, dst->dims, dnnl_u8, dnnl_format_tag_any));
        mask = *any;
        OK(dnnl_memory_desc_destroy(any));
    } else if (how->mask) {
        mask = make_md(dnnl_u8, tag, dst->ndims, dst->dims);
    }
    OK(dnnl_primitive_attr_set_dropout_v2(attr, &mask, how->seed, how->offset, how->on_host));
    if (how->post_op) {
        dnnl_post_ops_t po;
        OK(dnnl_post_ops_create(&po));
        OK(dnnl_post_ops_append_eltwise(
                po, dnnl_eltwise_linear, 2, 1)); /* dropped elements become 1 */
        md_t row = make_md(dnnl_f32, dst->ndims == 2 ? "ab" : "abcd", dst->ndims, dst->dims);
        OK(dnnl_post_ops_append_binary(po, dnnl_binary_max, &row));
        OK(dnnl_primitive_attr_set_post_ops(attr, po));
        OK(dnnl_post_ops_destroy(po));
    }
    return attr;
}

static bool doubles_only(void) {
    return variants[harness_hints.forced_variant].needs_fp64;
}

static void eltwise_rows(void) {
    static const struct {
        const char *src, *dst;
        int ndims;
        dnnl_dim_t dims[4];
        dnnl_data_type_t dt;
    } shapes[] = {{"ab", "ab", 2, {37, 53}, dnnl_f32}, {"ab", "ba", 2, {19, 35}, dnnl_f32},
            {"+ab", "+ab", 2, {7, 47}, dnnl_bf16}, {"abcd", "acdb", 4, {2, 5, 3, 7}, dnnl_s8},
            {"ab", "ab", 2, {70, 67}, dnnl_f16}};
    for (int i = 0; i < ARRAY_LEN(shapes); i++)
        for (int k = 0; k < ARRAY_LEN(dropouts); k++) {
            if ((i + k) % 3) continue;
            const dnnl_data_type_t dt = doubles_only() ? dnnl_f64 : shapes[i].dt;
            md_t src = make_md(dt, shapes[i].src, shapes[i].ndims, shapes[i].dims);
            md_t dst = make_md(dt, shapes[i].dst, shapes[i].ndims, shapes[i].dims), whole = dst;
            if (i == 0) { /* a part of a larger tensor, whose elements keep their numbers */
                md_t large = make_md(dt, "ab", D(50, 60));
                const dnnl_dims_t from = {3, 5};
                OK(md_init_submemory(&dst, &large, whole.dims, from));
                if (dropouts[k].mask && !dropouts[k].mask[0])
                    continue; /* the mask would have another layout */
            }
            dnnl_primitive_attr_t attr = attr_of(&dropouts[k], &dst, shapes[i].dst);
            dnnl_primitive_desc_t pd = NULL;
            dnnl_status_t status = dnnl_eltwise_forward_primitive_desc_create(&pd, harness_engine,
                    dnnl_forward_training, dnnl_eltwise_abs, &src, &dst, 0, 0, hinted(attr));
            case_all(pd, status, ref_eltwise_fwd, -4, 4);
            OK(dnnl_primitive_attr_destroy(attr));
        }
}

static void softmax_rows(void) {
    for (int k = 0; k < ARRAY_LEN(dropouts); k++) {
        const dnnl_data_type_t dt = doubles_only() ? dnnl_f64 : dnnl_f32;
        md_t md = make_md(dt, k & 1 ? "ab" : "+ab", D(9, 67));
        dnnl_primitive_attr_t attr = attr_of(&dropouts[k], &md, k & 1 ? "ab" : "+ab");
        dnnl_primitive_desc_t pd = NULL;
        dnnl_status_t status = dnnl_softmax_forward_primitive_desc_create(&pd, harness_engine,
                dnnl_forward_training, k & 2 ? dnnl_softmax_log : dnnl_softmax_accurate, &md, &md,
                1, hinted(attr));
        case_all(pd, status, ref_softmax, -4, 4);
        OK(dnnl_primitive_attr_destroy(attr));
    }
}

static void matmul_with(dnnl_data_type_t in, dnnl_data_type_t out, int k, bool rounds) {
    md_t src = make_md(in, "ab", D(k & 1 ? 5 : 37, 29)),
         wei = make_md(in, k & 2 ? "ba" : "ab", D(29, 131));
    md_t dst = make_md(out, "ab", D(src.dims[0], 131));
    dnnl_primitive_attr_t attr;
    if (k < ARRAY_LEN(dropouts)) attr = attr_of(&dropouts[k], &dst, "ab");
    else OK(dnnl_primitive_attr_create(&attr));
    if (rounds)
        OK(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = dnnl_matmul_primitive_desc_create(
            &pd, harness_engine, &src, &wei, NULL, &dst, hinted(attr));
    case_all(pd, status, ref_matmul, -1, 1);
    OK(dnnl_primitive_attr_destroy(attr));
}

static void matmul_rows(void) {
    matmul_with(
            doubles_only() ? dnnl_f64 : dnnl_f32, doubles_only() ? dnnl_f64 : dnnl_f32, 1, false);
    for (int k = 0; k < ARRAY_LEN(dropouts); k += 2)
        if (doubles_only()) matmul_with(dnnl_f64, dnnl_f64, k, false);
        else matmul_with(k ? dnnl_f32 : dnnl_s8, dnnl_f32, k + (k == 2), false);
    if (!doubles_only())
        matmul_with(dnnl_f32, dnnl_bf16, 6 + (harness_hints.forced_variant & 1), true);
}

static void test_dropout(void **unused) {
    (void)unused;
    for_each_variant("elementwise", eltwise_rows);
    for_each_variant("softmax", softmax_rows);
    for_each_variant("matmul", matmul_rows);
}

static void rounding_rows(void) {
    static const dnnl_data_type_t dts[] = {dnnl_f16, dnnl_bf16, dnnl_f32};
    if (doubles_only()) return;
    for (int t = 0; t < ARRAY_LEN(dts); t++) {
        md_t src = make_md(dnnl_f32, t ? "ba" : "ab", D(19, 67)),
             dst = make_md(dts[t], "ab", D(19, 67));
        dnnl_primitive_attr_t attr;
        OK(dnnl_primitive_attr_create(&attr));
        OK(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
        for (int tiny = 0; tiny < 2; tiny++) {
            dnnl_primitive_desc_t pd = NULL;
            dnnl_status_t status = dnnl_reorder_primitive_desc_create(
                    &pd, &src, harness_engine, &dst, harness_engine, hinted(attr));
            const double most = tiny ? 0x1p-14 : 80000;
            case_all(pd, status, ref_reorder, -most, most);
        }
        OK(dnnl_primitive_attr_destroy(attr));
    }
}

static void test_rounding(void **unused) {
    (void)unused;
    for (int row = 0; row < variant_count; row++)
        if (!strcmp(variants[row].family, "elementwise") && !variants[row].needs_fp64 &&
                variant_runs_on(&variants[row], harness_caps())) {
            harness_hints.forced_variant = row;
            harness_seed(7);
            rounding_rows();
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
    md_t md = make_md(dnnl_f32, "ab", D(4, 5)), f64 = make_md(dnnl_f64, "ab", D(4, 5));
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
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd = NULL;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    assert_int_equal(dnnl_reorder_primitive_desc_create(
                             &pd, &md, harness_engine, &f64, harness_engine, attr),
            dnnl_unimplemented);
    OK(dnnl_primitive_attr_destroy(attr));
}

TEST_MAIN(cmocka_unit_test(test_generator), cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_rounding), cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_refusals))
