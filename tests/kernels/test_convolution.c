/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of family "convolution" against the reference: shapes, layouts, types, attributes. */
#include "conv_case.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_conv.h"
#include "test_main.h"

static const char *const layouts[] = {
        "mb2_ic19oc21_ih6kh3ph1 stag=abcd wtag=abcd dtag=abcd",
        "mb2_ic19oc21_ih6kh3ph1 stag=acdb wtag=cdba dtag=acdb",
        "mb2_ic19oc21_ih6kh3ph1 stag=+acdb wtag=+abcd dtag=+acdb",
        "mb2_ic19oc21_ih6kh3ph1 stag=aBcd16b wtag=ABcd16b16a dtag=aBcd16b bia=f32 po=linear",
        "mb2_ic19oc21_ih6kh3ph1 stag=aBcd8b wtag=Acdb16a dtag=aBcd8b po=sum",
        "mb2_ic19oc21_ih6kh3ph1 stag=abcd wtag=any dtag=acdb",
        "mb2_ic32oc32_ih6kh1 stag=aBcd16b wtag=any dtag=aBcd16b po=relu,add15",
        "mb2_ic3oc21_ih9kh3ph1sh2 stag=abcd wtag=any dtag=aBcd16b",
        "g2mb2_ic38oc6_ih6kh3ph1 stag=aBcd16b wtag=aBdec16b dtag=aBcd4b",
        "g19mb2_ic19oc19_ih6kh3ph1 stag=aBcd16b wtag=Abcde16a dtag=aBcd16b",
        "g19mb2_ic19oc19_ih6kh3ph1 stag=abcd wtag=abcde dtag=abcd",
        "g19mb2_ic19oc19_ih6kh3ph1 stag=abcd wtag=any dtag=acdb po=sum,relu",
        "mb17_ic18oc20_ih3kh2 stag=ABcd16a16b wtag=abcd dtag=ABcd16a16b po=linear",
        "mb17_ic18oc20_ih3kh2 u8 dst=s32 stag=ABcd16a16b wtag=abcd dtag=ABcd16a16b",
        "mb2_ic5oc7_iw11kw3 stag=abc wtag=Acb16a dtag=abc",
        "mb1_ic6oc5_id5kd3pd1 stag=abcde wtag=Acdeb16a dtag=acdeb",
};

static const char *const types[] = {
        "mb2_ic19oc21_ih6kh3ph1 f16 bia=f16",
        "mb2_ic19oc21_ih6kh3ph1 f16 dst=f32 bia=f32",
        "mb2_ic19oc21_ih6kh3ph1 bf16 bia=bf16",
        "mb2_ic19oc21_ih6kh3ph1 bf16 dst=f32 stag=abcd wtag=abcd",
        "mb2_ic19oc21_ih6kh3ph1 f64 bia=f64",
        "mb2_ic19oc21_ih6kh3ph1 f32 dst=s8",
        "mb2_ic19oc21_ih6kh3ph1 e4m3 dst=f32",
        "mb2_ic19oc21_ih6kh3ph1 e5m2 dst=e5m2 bia=e4m3 scales=s0,w1,d0 po=relu,sum",
        "g19mb2_ic19oc19_ih6kh3ph1 e4m3 dst=e4m3 stag=acdb dtag=acdb",
        "mb2_ic20oc22_ih6kh3ph1 e2m1 dst=f32",
        "mb2_ic20oc22_ih6kh3ph1 e2m1 dst=e2m1 stag=acdb dtag=acdb scales=s0,w1",
        "mb2_ic19oc21_ih6kh3ph1 u8 dst=s32",
        "mb2_ic19oc21_ih6kh3ph1 s8 dst=s32 bia=s32",
        "mb2_ic19oc21_ih6kh3ph1 s8 dst=s8 scales=s0,w1,d0",
        "mb2_ic19oc21_ih6kh3ph1 u8 dst=u8 scales=s0,w0,d2 bia=f32",
        "mb2_ic300oc21_ih6kh3ph1 u8 dst=s32",
        "mb2_ic19oc21_ih6kh3ph1 u8 dst=bf16 scales=s0h,w1",
        "mb2_ic3oc33_ih12kh7sh2ph3 u8 dst=f16 scales=w1",
        "g19mb2_ic19oc19_ih6kh3ph1 u8 dst=s32",
        "g19mb2_ic19oc19_ih6kh3ph1 s8 dst=s8 scales=w3,d0",
        "g19mb2_ic19oc19_ih6kh3ph1 bf16",
        "g19mb2_ic19oc19_ih6kh3ph1 f16 bia=f32 po=relu",
        "g2mb2_ic38oc6_ih6kh3ph1 s8 dst=f32 scales=s0,w3",
        "mb2_ic32oc32_ih6kh1 bf16",
        "mb2_ic32oc32_ih6kh1 f16 dst=f32 po=relu",
};

static const char *const attributes[] = {
        "mb2_ic19oc21_ih6kh3ph1 u8 dst=s32 zps=s0",
        "mb2_ic19oc21_ih6kh3ph1 s8 dst=s32 zps=s2",
        "mb2_ic19oc21_ih6kh3ph1 s8 dst=s32 zps=w0",
        "mb2_ic19oc21_ih6kh3ph1 u8 dst=u8 zps=s0h,d0 scales=d0",
        "mb2_ic19oc21_ih6kh3ph1 u8 dst=s8 zps=s2,d2 scales=s0,w1,d0 bia=f32 po=relu,sum",
        "mb2_ic32oc21_ih6kh1 u8 dst=s8 zps=s0,d0 scales=s0,w1,d0",
        "g19mb2_ic19oc19_ih6kh3ph1 u8 dst=s32 zps=s0",
        "g2mb2_ic38oc6_ih6kh3ph1 s8 dst=s32 zps=s2",
        "mb2_ic19oc21_ih6kh3ph1 bia=f32 po=relu",
        "mb2_ic19oc21_ih6kh3ph1 bia=f32 po=sum,relu",
        "mb2_ic19oc21_ih6kh3ph1 po=add2,mul15,prelu2,tanh",
        "mb2_ic19oc21_ih6kh3ph1 po=add0,add1,add12,mul13 dtag=aBcd16b",
        "mb2_ic19oc21_ih6kh3ph1 po=add2,add2,add2,add2,add2,add2,add2,add2,add2,add15,sum,relu",
        "mb2_ic19oc21_ih6kh3ph1 "
        "po=relu,linear,relu,linear,relu,linear,relu,linear,relu,linear,relu,linear,relu,"
        "linear,relu,linear,relu,linear,relu,linear,relu,linear,relu,linear,relu,linear,relu,"
        "linear,relu,"
        "linear,"
        "relu,add2",
        "g19mb2_ic19oc19_ih6kh3ph1 bia=f32 po=sum,add2,relu",
};

static void run_all(const char *const *lines, int n) {
    for (int i = 0; i < n; i++) conv_case_run(CASE_CONVOLUTION, lines[i]);
}

static void rows(void) {
    run_all(conv_shapes, conv_shape_count);
    run_all(layouts, ARRAY_LEN(layouts));
    run_all(types, ARRAY_LEN(types));
    run_all(attributes, ARRAY_LEN(attributes));
}

static void test_rows(void **unused) {
    (void)unused;
    for_each_variant("convolution", rows);
}

/* The library's own choice. */
static void test_choice(void **unused) {
    (void)unused;
    select_forced_variant = -1;
    harness_seed(77);
    rows();
}

/* 1x1 with relu, then depthwise, then tanh. dst: tag or NULL for any. */
static void run_fused(dnnl_data_type_t dt, dnnl_dim_t kernel, dnnl_dim_t stride, dnnl_dim_t padding,
        bool bias, const char *tag) {
    const dnnl_dims_t unit = {1, 1}, none = {0, 0};
    const md_t src = make_md(dt, "acdb", D(2, 5, 7, 6)), wei = make_md(dt, "abcd", D(19, 5, 1, 1));
    const md_t bias_md = make_md(dnnl_f32, "a", D(19));
    md_t dst = make_md(dt, tag ? tag : "acdb", D(2, 19, 7, 6));
    if (!tag)
        assert_int_equal(md_init_tag(&dst, 4, dst.dims, dt, dnnl_format_tag_any), dnnl_success);
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    assert_int_equal(dnnl_post_ops_create(&ops), dnnl_success);
    assert_int_equal(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.5f, 0), dnnl_success);
    assert_int_equal(dnnl_post_ops_append_dw(ops, dt, bias ? dnnl_f32 : dnnl_data_type_undef,
                             dnnl_f32, kernel, stride, padding),
            dnnl_success);
    assert_int_equal(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_tanh, 0, 0), dnnl_success);
    assert_int_equal(dnnl_primitive_attr_set_post_ops(attr, ops), dnnl_success);
    dnnl_primitive_desc_t pd = NULL;
    const dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(&pd, harness_engine,
            dnnl_forward_inference, dnnl_convolution_direct, &src, &wei, bias ? &bias_md : NULL,
            &dst, unit, none, none, none, attr);
    case_all(pd, status, ref_fused_convolution, -1, 1);
    assert_int_equal(dnnl_post_ops_destroy(ops), dnnl_success);
    assert_int_equal(dnnl_primitive_attr_destroy(attr), dnnl_success);
}

static void test_depthwise_post_op(void **unused) {
    (void)unused;
    select_forced_variant = -1;
    harness_seed(5);
    run_fused(dnnl_f32, 3, 1, 1, true, NULL);
    run_fused(dnnl_f32, 3, 2, 1, true, "acdb");
    run_fused(dnnl_f32, 5, 2, 2, false, "abcd");
    run_fused(dnnl_f32, 2, 1, 0, false, "aBcd16b");
}

/* One number of a right descriptor changed, and what the answer must be. */
enum {
    SRC,
    WEI,
    DST,
    STRIDES,
    DILATES,
    LEFT,
    RIGHT,
    ARRAYS,
    NDIMS_SRC = ARRAYS,
    NDIMS_WEI,
    NDIMS_DST,
    ALG
};
static const struct {
    int what, index;
    dnnl_dim_t value;
    dnnl_status_t status;
} changes[] = {
        {SRC, 0, 2, dnnl_success},
        {ALG, 0, dnnl_convolution_auto, dnnl_success},
        {ALG, 0, dnnl_convolution_winograd, dnnl_unimplemented},
        {ALG, 0, dnnl_deconvolution_direct, dnnl_invalid_arguments},
        {SRC, 0, 1, dnnl_invalid_arguments},
        {SRC, 1, 5, dnnl_invalid_arguments},
        {WEI, 1, 0, dnnl_invalid_arguments},
        {WEI, 2, 4, dnnl_invalid_arguments},
        {DST, 1, 7, dnnl_invalid_arguments},
        {DST, 2, 4, dnnl_invalid_arguments},
        {DST, 3, 2, dnnl_invalid_arguments},
        {STRIDES, 0, 0, dnnl_invalid_arguments},
        {STRIDES, 1, -1, dnnl_invalid_arguments},
        {DILATES, 0, -1, dnnl_invalid_arguments},
        {DILATES, 1, 1, dnnl_invalid_arguments},
        {LEFT, 0, -1, dnnl_invalid_arguments},
        {RIGHT, 0, -2, dnnl_invalid_arguments},
        {NDIMS_SRC, 0, 3, dnnl_invalid_arguments},
        {NDIMS_WEI, 0, 3, dnnl_invalid_arguments},
        {NDIMS_DST, 0, 3, dnnl_invalid_arguments},
};

static void test_refusals(void **unused) {
    (void)unused;
    static const char *const tags[] = {"", "a", "ab", "abc", "abcd"};
    for (int i = 0; i < ARRAY_LEN(changes); i++) {
        dnnl_dims_t v[ARRAYS] = {{2, 4, 5, 5}, {6, 4, 3, 3}, {2, 6, 3, 3}, {1, 1}};
        int ndims[] = {4, 4, 4};
        dnnl_alg_kind_t alg = dnnl_convolution_direct;
        if (changes[i].what == ALG) alg = (dnnl_alg_kind_t)changes[i].value;
        else if (changes[i].what >= ARRAYS) ndims[changes[i].what - ARRAYS] = (int)changes[i].value;
        else v[changes[i].what][changes[i].index] = changes[i].value;
        md_t md[3];
        for (int t = 0; t < 3; t++) md[t] = make_md(dnnl_f32, tags[ndims[t]], ndims[t], v[t]);
        dnnl_primitive_desc_t pd = NULL;
        const dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(&pd,
                harness_engine, dnnl_forward_inference, alg, &md[SRC], &md[WEI], NULL, &md[DST],
                v[STRIDES], v[DILATES], v[LEFT], v[RIGHT], NULL);
        if (status != changes[i].status) print_error("change %d\n", i);
        assert_int_equal(status, changes[i].status);
        if (status == dnnl_success) assert_int_equal(dnnl_primitive_desc_destroy(pd), dnnl_success);
        else assert_null(pd);
    }
}

TEST_MAIN(cmocka_unit_test(test_refusals), cmocka_unit_test(test_depthwise_post_op),
        cmocka_unit_test(test_rows), cmocka_unit_test(test_choice))
