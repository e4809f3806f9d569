/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes: every setter and getter with good and bad values, copies, equality, hashes, and
 * lack of memory.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "core/attr.h"
#include "oneapi/dnnl/dnnl.h"

#define OK(call) assert_int_equal(call, dnnl_success)
#define BAD(call) assert_int_equal(call, dnnl_invalid_arguments)

static dnnl_primitive_attr_t new_attr(void) {
    dnnl_primitive_attr_t attr = NULL;
    OK(dnnl_primitive_attr_create(&attr));
    return attr;
}

static dnnl_memory_desc_t new_md(dnnl_data_type_t dt, dnnl_dim_t rows, dnnl_dim_t columns) {
    dnnl_memory_desc_t md;
    const dnnl_dims_t dims = {rows, columns};
    OK(dnnl_memory_desc_create_with_tag(&md, 2, dims, dt, dnnl_ab));
    return md;
}

static void test_defaults(void **state) {
    (void)state;
    dnnl_primitive_attr_t attr = new_attr();
    dnnl_scratchpad_mode_t scratchpad;
    dnnl_fpmath_mode_t fpmath;
    dnnl_accumulation_mode_t acc;
    dnnl_rounding_mode_t rounding;
    dnnl_data_type_t seed_dt;
    const_dnnl_memory_desc_t mask;
    const_dnnl_post_ops_t ops;
    int apply, deterministic, offset, on_host;
    OK(dnnl_primitive_attr_get_scratchpad_mode(attr, &scratchpad));
    OK(dnnl_primitive_attr_get_fpmath_mode_v2(attr, &fpmath, &apply));
    OK(dnnl_primitive_attr_get_accumulation_mode(attr, &acc));
    OK(dnnl_primitive_attr_get_deterministic(attr, &deterministic));
    OK(dnnl_primitive_attr_get_rounding(attr, DNNL_ARG_DST, &rounding));
    OK(dnnl_primitive_attr_get_dropout_v2(attr, &mask, &seed_dt, &offset, &on_host));
    OK(dnnl_primitive_attr_get_post_ops(attr, &ops));
    assert_int_equal(scratchpad, dnnl_scratchpad_mode_library);
    assert_int_equal(fpmath, dnnl_fpmath_mode_strict);
    assert_int_equal(apply, 0);
    assert_int_equal(acc, dnnl_accumulation_mode_strict);
    assert_int_equal(deterministic, 0);
    assert_int_equal(rounding, dnnl_rounding_mode_environment);
    assert_true(md_is_zero(mask));
    assert_int_equal(seed_dt, dnnl_data_type_undef);
    assert_int_equal(offset + on_host, 0);
    assert_int_equal(dnnl_post_ops_len(ops), 0);
    assert_int_equal(attr_nondefault(attr), 0);

    float scale, shift;
    dnnl_dim_t count;
    int mask_bits;
    const float *scales;
    OK(dnnl_primitive_attr_get_rnn_data_qparams(attr, &scale, &shift));
    assert_true(scale == 1.0f && shift == 0.0f);
    OK(dnnl_primitive_attr_get_rnn_weights_qparams(attr, &count, &mask_bits, &scales));
    assert_true(count == 1 && mask_bits == 0 && *scales == 1.0f);
    OK(dnnl_primitive_attr_destroy(attr));
    OK(dnnl_primitive_attr_destroy(NULL));
    BAD(dnnl_primitive_attr_create(NULL));
}

static void test_modes(void **state) {
    (void)state;
    dnnl_primitive_attr_t attr = new_attr();
    dnnl_scratchpad_mode_t scratchpad;
    dnnl_fpmath_mode_t fpmath;
    dnnl_accumulation_mode_t acc;
    int value;

    OK(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    BAD(dnnl_primitive_attr_set_scratchpad_mode(attr, (dnnl_scratchpad_mode_t)7));
    BAD(dnnl_primitive_attr_set_scratchpad_mode(NULL, dnnl_scratchpad_mode_user));
    OK(dnnl_primitive_attr_get_scratchpad_mode(attr, &scratchpad));
    assert_int_equal(scratchpad, dnnl_scratchpad_mode_user);
    BAD(dnnl_primitive_attr_get_scratchpad_mode(attr, NULL));

    for (int m = dnnl_fpmath_mode_strict; m <= dnnl_fpmath_mode_tf32; m++) {
        OK(dnnl_primitive_attr_set_fpmath_mode_v2(attr, (dnnl_fpmath_mode_t)m, 5));
        OK(dnnl_primitive_attr_get_fpmath_mode_v2(attr, &fpmath, &value));
        assert_int_equal(fpmath, m);
        assert_int_equal(value, 1);
    }
    BAD(dnnl_primitive_attr_set_fpmath_mode(attr, (dnnl_fpmath_mode_t)(dnnl_fpmath_mode_tf32 + 1)));
    BAD(dnnl_primitive_attr_set_fpmath_mode(attr, (dnnl_fpmath_mode_t)-1));
    OK(dnnl_primitive_attr_get_fpmath_mode(attr, &fpmath));
    assert_int_equal(fpmath, dnnl_fpmath_mode_tf32); /* refused values changed nothing */
    BAD(dnnl_primitive_attr_get_fpmath_mode(attr, NULL));
    OK(dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_bf16));
    OK(dnnl_primitive_attr_get_fpmath_mode_v2(attr, NULL, &value));
    assert_int_equal(value, 0);

    for (int m = dnnl_accumulation_mode_strict; m <= dnnl_accumulation_mode_f16; m++) {
        OK(dnnl_primitive_attr_set_accumulation_mode(attr, (dnnl_accumulation_mode_t)m));
        OK(dnnl_primitive_attr_get_accumulation_mode(attr, &acc));
        assert_int_equal(acc, m);
    }
    BAD(dnnl_primitive_attr_set_accumulation_mode(
            attr, (dnnl_accumulation_mode_t)(dnnl_accumulation_mode_f16 + 1)));
    BAD(dnnl_primitive_attr_get_accumulation_mode(NULL, &acc));

    OK(dnnl_primitive_attr_set_deterministic(attr, 2));
    OK(dnnl_primitive_attr_get_deterministic(attr, &value));
    assert_int_equal(value, 1);
    BAD(dnnl_primitive_attr_get_deterministic(attr, NULL));
    BAD(dnnl_primitive_attr_set_deterministic(NULL, 1));
    OK(dnnl_primitive_attr_destroy(attr));
}

static void test_default_fpmath(void **state) {
    (void)state;
    dnnl_fpmath_mode_t mode;
    BAD(dnnl_set_default_fpmath_mode((dnnl_fpmath_mode_t)99));
    BAD(dnnl_get_default_fpmath_mode(NULL));
    OK(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_any));
    OK(dnnl_get_default_fpmath_mode(&mode));
    assert_int_equal(mode, dnnl_fpmath_mode_any);
    dnnl_primitive_attr_t attr = new_attr();
    OK(dnnl_primitive_attr_get_fpmath_mode(attr, &mode));
    assert_int_equal(mode, dnnl_fpmath_mode_any);
    OK(dnnl_primitive_attr_destroy(attr));
    OK(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_strict));
}

static void test_rounding(void **state) {
    (void)state;
    dnnl_primitive_attr_t attr = new_attr();
    dnnl_rounding_mode_t mode;
    const int args[] = {DNNL_ARG_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_WEIGHTS};
    for (int i = 0; i < 3; i++) {
        OK(dnnl_primitive_attr_set_rounding(attr, args[i], dnnl_rounding_mode_stochastic));
        OK(dnnl_primitive_attr_get_rounding(attr, args[i], &mode));
        assert_int_equal(mode, dnnl_rounding_mode_stochastic);
    }
    BAD(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_SRC, dnnl_rounding_mode_stochastic));
    OK(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_SRC, dnnl_rounding_mode_environment));
    BAD(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, (dnnl_rounding_mode_t)9));
    BAD(dnnl_primitive_attr_set_rounding(NULL, DNNL_ARG_DST, dnnl_rounding_mode_environment));
    BAD(dnnl_primitive_attr_get_rounding(attr, DNNL_ARG_DST, NULL));
    assert_int_equal(attr_nondefault(attr), ATTR_ROUNDING);
    for (int i = 0; i < 3; i++)
        OK(dnnl_primitive_attr_set_rounding(attr, args[i], dnnl_rounding_mode_environment));
    assert_int_equal(attr_nondefault(attr), 0);
    OK(dnnl_primitive_attr_destroy(attr));
}

static void test_dropout(void **state) {
    (void)state;
    dnnl_primitive_attr_t attr = new_attr();
    dnnl_memory_desc_t u8 = new_md(dnnl_u8, 2, 3), f32 = new_md(dnnl_f32, 2, 3);
    const_dnnl_memory_desc_t mask;
    dnnl_data_type_t dt;
    int offset, on_host;
    BAD(dnnl_primitive_attr_set_dropout(attr, NULL));
    BAD(dnnl_primitive_attr_set_dropout(NULL, u8));
    BAD(dnnl_primitive_attr_set_dropout(attr, f32));
    BAD(dnnl_primitive_attr_set_dropout_v2(attr, u8, dnnl_f32, 0, 0));
    assert_int_equal(attr_nondefault(attr), 0);
    OK(dnnl_primitive_attr_set_dropout(attr, u8));
    OK(dnnl_primitive_attr_get_dropout(attr, &mask));
    assert_true(md_equal(mask, u8));
    OK(dnnl_primitive_attr_set_dropout_v2(attr, u8, dnnl_s64, 1, 2));
    OK(dnnl_primitive_attr_get_dropout_v2(attr, NULL, &dt, &offset, &on_host));
    assert_true(dt == dnnl_s64 && offset == 1 && on_host == 1);
    assert_int_equal(attr_nondefault(attr), ATTR_DROPOUT);
    BAD(dnnl_primitive_attr_get_dropout(NULL, &mask));
    dnnl_memory_desc_destroy(u8);
    dnnl_memory_desc_destroy(f32);
    OK(dnnl_primitive_attr_destroy(attr));
}

static void test_scales(void **state) {
    (void)state;
    dnnl_primitive_attr_t attr = new_attr();
    const dnnl_dims_t groups = {1, 32}, bad_groups = {1, 0};
    const int accepted[] = {DNNL_ARG_SRC, DNNL_ARG_SRC_1, DNNL_ARG_SRC_2, DNNL_ARG_WEIGHTS,
            DNNL_ARG_WEIGHTS_1, DNNL_ARG_WEIGHTS_2, DNNL_ARG_DST, DNNL_ARG_MULTIPLE_SRC,
            DNNL_ARG_MULTIPLE_SRC + 5, DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS};
    const int refused[] = {
            0, -1, DNNL_ARG_BIAS, DNNL_ARG_DIFF_SRC, DNNL_ARG_SCRATCHPAD, DNNL_ARG_DST_1};
    for (size_t i = 0; i < sizeof(accepted) / sizeof(int); i++) {
        OK(dnnl_primitive_attr_set_scales_mask(attr, accepted[i], (int)i));
        const quant_t *q = quant_find(&attr->scales, accepted[i]);
        assert_non_null(q);
        assert_true(q->mask == (int)i && q->dt == dnnl_f32 && q->group_ndims == 0 && !q->on_host &&
                    q->qmode == dnnl_quantization_mode_static_sazp);
    }
    assert_int_equal(attr->scales.len, sizeof(accepted) / sizeof(int));
    for (int i = 1; i < attr->scales.len; i++)
        assert_true(attr->scales.entry[i - 1].arg < attr->scales.entry[i].arg);
    for (size_t i = 0; i < sizeof(refused) / sizeof(int); i++) {
        BAD(dnnl_primitive_attr_set_scales_mask(attr, refused[i], 0));
        assert_null(quant_find(&attr->scales, refused[i]));
    }
    BAD(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, -1));
    BAD(dnnl_primitive_attr_set_scales_mask(NULL, DNNL_ARG_SRC, 0));

    const dnnl_data_type_t good[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_e8m0, dnnl_f8_e4m3};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        OK(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC, 3, 2, groups, good[i]));
    BAD(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC, 3, 2, groups, dnnl_s8));
    BAD(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC, 3, 2, groups, dnnl_data_type_undef));
    BAD(dnnl_primitive_attr_set_scales(
            attr, DNNL_ARG_SRC, 0, 0, NULL, dnnl_e8m0)); /* a single 8-bit scale */
    BAD(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC, 3, 2, NULL, dnnl_f32));
    BAD(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC, 3, 2, bad_groups, dnnl_f32));
    BAD(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC, 3, 1, groups, dnnl_f32));
    BAD(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC, 3, -2, groups, dnnl_f32));
    BAD(dnnl_primitive_attr_set_scales(
            attr, DNNL_ARG_SRC, 0, 2, groups, dnnl_f32)); /* groups without a mask */
    assert_int_equal(quant_find(&attr->scales, DNNL_ARG_SRC)->dt, dnnl_f8_e4m3);
    assert_true(attr_nondefault(attr) & ATTR_GROUPS);

    OK(dnnl_primitive_attr_set_scales_v2(attr, DNNL_ARG_SRC, 0, 0, NULL, dnnl_f32, 1));
    assert_true(quant_find(&attr->scales, DNNL_ARG_SRC)->on_host);
    BAD(dnnl_primitive_attr_set_scales_v2(attr, DNNL_ARG_SRC, 2, 0, NULL, dnnl_f32, 1));
    assert_false(attr_nondefault(attr) & ATTR_GROUPS);
    OK(dnnl_primitive_attr_set_scales_v3(
            attr, DNNL_ARG_DST, 3, 2, groups, dnnl_e8m0, 0, dnnl_quantization_mode_dynamic_mx));
    assert_true(attr_nondefault(attr) & ATTR_QMODE);
    BAD(dnnl_primitive_attr_set_scales_v3(
            attr, DNNL_ARG_DST, 3, 2, groups, dnnl_e8m0, 0, dnnl_quantization_mode_undef));
    BAD(dnnl_primitive_attr_set_scales_v3(
            attr, DNNL_ARG_DST, 3, 2, groups, dnnl_e8m0, 0, (dnnl_quantization_mode_t)17));
    OK(dnnl_primitive_attr_destroy(attr));
}

static void test_zero_points(void **state) {
    (void)state;
    dnnl_primitive_attr_t attr = new_attr();
    const dnnl_dims_t groups = {16, 1};
    OK(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, 0));
    OK(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 2));
    BAD(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC_1, 0));
    BAD(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, -3));
    BAD(dnnl_primitive_attr_set_zero_points_mask(NULL, DNNL_ARG_SRC, 0));
    OK(dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_WEIGHTS, 3, 2, groups, dnnl_u4));
    BAD(dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_WEIGHTS, 0, 0, NULL, dnnl_s4));
    BAD(dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_WEIGHTS, 3, 2, groups, dnnl_f32));
    BAD(dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_DST, 0, 0, NULL, dnnl_s8));
    BAD(dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_DST, 3, 2, groups, dnnl_s32));
    OK(dnnl_primitive_attr_set_zero_points_v2(attr, DNNL_ARG_SRC, 0, 0, NULL, dnnl_s32, 1));
    BAD(dnnl_primitive_attr_set_zero_points_v2(attr, DNNL_ARG_SRC, 1, 0, NULL, dnnl_s32, 1));
    assert_int_equal(attr->zero_points.len, 3);
    assert_int_equal(attr_nondefault(attr), ATTR_ZERO_POINTS | ATTR_GROUPS);
    OK(dnnl_primitive_attr_destroy(attr));
}

static void test_precomputed_reductions(void **state) {
    (void)state;
    dnnl_primitive_attr_t attr = new_attr();
    const dnnl_dims_t groups = {1, 8};
    OK(dnnl_primitive_attr_set_precomputed_reductions(attr, DNNL_ARG_SRC, 3, 2, groups, dnnl_s32));
    BAD(dnnl_primitive_attr_set_precomputed_reductions(
            attr, DNNL_ARG_WEIGHTS, 3, 2, groups, dnnl_s32));
    BAD(dnnl_primitive_attr_set_precomputed_reductions(attr, DNNL_ARG_SRC, 3, 2, groups, dnnl_s8));
    BAD(dnnl_primitive_attr_set_precomputed_reductions(attr, DNNL_ARG_SRC, -1, 0, NULL, dnnl_s32));
    BAD(dnnl_primitive_attr_set_precomputed_reductions(attr, DNNL_ARG_SRC, 0, 2, groups, dnnl_s32));
    assert_int_equal(attr_nondefault(attr), ATTR_PRECOMPUTED | ATTR_GROUPS);
    OK(dnnl_primitive_attr_destroy(attr));
}

static void test_rnn(void **state) {
    (void)state;
    dnnl_primitive_attr_t attr = new_attr();
    const float scales[] = {1, 2, 3}, ones[] = {1, 1, 1}, runtime = DNNL_RUNTIME_F32_VAL;
    const float *got;
    dnnl_dim_t count;
    int mask;
    float scale, shift;
    OK(dnnl_primitive_attr_set_rnn_data_qparams(attr, 1.0f, 0.0f));
    OK(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 3, 24, ones));
    OK(dnnl_primitive_attr_set_rnn_weights_projection_qparams(attr, 1, 0, ones));
    assert_int_equal(attr_nondefault(attr), 0); /* as if not set */
    OK(dnnl_primitive_attr_set_rnn_data_qparams(attr, 2.0f, 3.0f));
    OK(dnnl_primitive_attr_get_rnn_data_qparams(attr, &scale, &shift));
    assert_true(scale == 2.0f && shift == 3.0f);
    OK(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 3, 24, scales));
    OK(dnnl_primitive_attr_get_rnn_weights_qparams(attr, &count, &mask, &got));
    assert_true(count == 3 && mask == 24 && memcmp(got, scales, sizeof(scales)) == 0);
    assert_int_equal(attr_nondefault(attr), ATTR_RNN);
    BAD(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 0, 0, scales));
    BAD(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 1, -1, scales));
    BAD(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 1, 0, NULL));
    BAD(dnnl_primitive_attr_set_rnn_weights_qparams(NULL, 1, 0, scales));
    OK(dnnl_primitive_attr_set_rnn_weights_projection_qparams(attr, 4, 8, &runtime));
    OK(dnnl_primitive_attr_get_rnn_weights_projection_qparams(attr, &count, &mask, &got));
    assert_true(count == 4 && mask == 8 && isnan(got[0]));
    assert_int_equal(attr_nondefault(attr), ATTR_RNN);
    OK(dnnl_primitive_attr_destroy(attr));
}

/* Attributes with something in every part. */
static dnnl_primitive_attr_t full_attr(void) {
    dnnl_primitive_attr_t attr = new_attr();
    dnnl_memory_desc_t u8 = new_md(dnnl_u8, 4, 4), row = new_md(dnnl_f32, 1, 4);
    const float scales[] = {1, 2};
    dnnl_post_ops_t ops;
    OK(dnnl_post_ops_create(&ops));
    OK(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.5f, 0));
    OK(dnnl_post_ops_append_sum(ops, 2, 1, dnnl_s8));
    OK(dnnl_post_ops_append_binary(ops, dnnl_binary_add, row));
    OK(dnnl_post_ops_append_prelu(ops, 2));
    OK(dnnl_post_ops_append_dw(ops, dnnl_s8, dnnl_f32, dnnl_s8, 3, 1, 1));
    OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    OK(dnnl_post_ops_destroy(ops));
    OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
    OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 2));
    OK(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 0));
    OK(dnnl_primitive_attr_set_precomputed_reductions(attr, DNNL_ARG_SRC, 3, 0, NULL, dnnl_s32));
    OK(dnnl_primitive_attr_set_dropout(attr, u8));
    OK(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    OK(dnnl_primitive_attr_set_rnn_data_qparams(attr, 2, 1));
    OK(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 2, 1, scales));
    OK(dnnl_primitive_attr_set_rnn_weights_projection_qparams(attr, 2, 1, scales));
    dnnl_memory_desc_destroy(u8);
    dnnl_memory_desc_destroy(row);
    return attr;
}

static void test_equality(void **state) {
    (void)state;
    dnnl_primitive_attr_t a = full_attr(), b = NULL;
    OK(dnnl_primitive_attr_clone(&b, a));
    assert_true(attr_equal(a, b));
    assert_true(attr_hash(a, 1) == attr_hash(b, 1));
    assert_true(attr_hash(a, 1) != attr_hash(a, 2));

    /* Whatever is changed is seen, and seen to be back. */
    const dnnl_dims_t groups = {1, 4};
    for (int change = 0; change < 14; change++) {
        OK(dnnl_primitive_attr_destroy(b));
        OK(dnnl_primitive_attr_clone(&b, a));
        switch (change) {
        case 0: b->scratchpad_mode = dnnl_scratchpad_mode_user; break;
        case 1: b->fpmath_mode = dnnl_fpmath_mode_any; break;
        case 2: b->fpmath_apply_to_int = true; break;
        case 3: b->acc_mode = dnnl_accumulation_mode_any; break;
        case 4: b->deterministic = true; break;
        case 5: OK(dnnl_primitive_attr_set_scales(b, DNNL_ARG_SRC, 2, 2, groups, dnnl_f32)); break;
        case 6: OK(dnnl_primitive_attr_set_zero_points_mask(b, DNNL_ARG_DST, 1)); break;
        case 7:
            OK(dnnl_primitive_attr_set_rounding(b, DNNL_ARG_DST, dnnl_rounding_mode_environment));
            break;
        case 8: b->dropout.use_offset = true; break;
        case 9: b->post_ops.entry[0].eltwise.alpha = 0.25f; break;
        case 10: b->post_ops.entry[2].binary.src1.data_type = dnnl_f16; break;
        case 11: b->post_ops.len--; break;
        case 12: b->rnn_weights.scales[1] = 5; break;
        default: b->rnn_data_shift = 7; break;
        }
        assert_false(attr_equal(a, b));
        assert_true(attr_hash(a, 1) != attr_hash(b, 1));
    }
    OK(dnnl_primitive_attr_destroy(a));
    OK(dnnl_primitive_attr_destroy(b));
}

static void test_rounding_order_does_not_count(void **state) {
    (void)state;
    dnnl_primitive_attr_t a = new_attr(), b = new_attr();
    OK(dnnl_primitive_attr_set_rounding(a, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    OK(dnnl_primitive_attr_set_rounding(a, DNNL_ARG_DIFF_SRC, dnnl_rounding_mode_stochastic));
    OK(dnnl_primitive_attr_set_rounding(b, DNNL_ARG_DIFF_SRC, dnnl_rounding_mode_stochastic));
    assert_false(attr_equal(a, b));
    OK(dnnl_primitive_attr_set_rounding(b, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    assert_true(attr_equal(a, b));
    assert_true(attr_hash(a, 0) == attr_hash(b, 0));
    OK(dnnl_primitive_attr_destroy(a));
    OK(dnnl_primitive_attr_destroy(b));
}

/* A call that runs out of memory at any point says so, changes nothing and leaks nothing. */
static void test_no_memory(void **state) {
    (void)state;
    const long before = atomic_load(&dz_alloc_live);
    dnnl_primitive_attr_t attr = full_attr(), clone = NULL;
    const long filled = atomic_load(&dz_alloc_live);
    int failures = 0;
    for (long n = 1;; n++) {
        atomic_store(&dz_alloc_fail_after, n);
        const dnnl_status_t status = dnnl_primitive_attr_clone(&clone, attr);
        atomic_store(&dz_alloc_fail_after, 0);
        if (status == dnnl_success) break;
        failures++;
        assert_int_equal(status, dnnl_out_of_memory);
        assert_null(clone);
        assert_int_equal(atomic_load(&dz_alloc_live), filled);
    }
    assert_int_equal(failures, 7); /* the object and its six arrays */
    assert_true(attr_equal(attr, clone));

    const uint64_t hash = attr_hash(attr, 0);
    const float scales[] = {1, 2, 3};
    atomic_store(&dz_alloc_fail_forever, 1);
    atomic_store(&dz_alloc_fail_after, 1);
    assert_int_equal(
            dnnl_primitive_attr_set_rnn_weights_qparams(attr, 3, 1, scales), dnnl_out_of_memory);
    assert_int_equal(dnnl_primitive_attr_set_post_ops(attr, &clone->post_ops), dnnl_out_of_memory);
    dnnl_primitive_attr_t none = NULL;
    assert_int_equal(dnnl_primitive_attr_create(&none), dnnl_out_of_memory);
    assert_null(none);
    atomic_store(&dz_alloc_fail_forever, 0);
    atomic_store(&dz_alloc_fail_after, 0);
    assert_true(attr_hash(attr, 0) == hash);

    OK(dnnl_primitive_attr_destroy(clone));
    OK(dnnl_primitive_attr_destroy(attr));
    assert_int_equal(atomic_load(&dz_alloc_live), before);
}

static void check_format(const attr_t *attr, const char *expected) {
    char text[512];
    assert_int_equal(attr_format(attr, text, sizeof(text)), strlen(expected));
    assert_string_equal(text, expected);
    assert_int_equal(attr_format(attr, NULL, 0), strlen(expected));
}

static void test_format(void **state) {
    (void)state;
    dnnl_primitive_attr_t attr = new_attr();
    const dnnl_dims_t groups = {1, 32};
    check_format(attr, "");
    OK(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    OK(dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_bf16, 1));
    OK(dnnl_primitive_attr_set_accumulation_mode(attr, dnnl_accumulation_mode_relaxed));
    OK(dnnl_primitive_attr_set_deterministic(attr, 1));
    check_format(attr, "attr-scratchpad:user attr-fpmath:bf16:true attr-acc-mode:relaxed "
                       "attr-deterministic:1");
    OK(dnnl_primitive_attr_destroy(attr));

    attr = new_attr();
    OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 2));
    OK(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC, 3, 2, groups, dnnl_e8m0));
    OK(dnnl_primitive_attr_set_zero_points_v2(attr, DNNL_ARG_DST, 0, 0, NULL, dnnl_s32, 1));
    check_format(
            attr, "attr-scales:src0:3:e8m0:1x32+wei:2:f32 attr-zero-points:dst:0:s32:host_scalar");
    OK(dnnl_primitive_attr_destroy(attr));

    attr = full_attr();
    check_format(attr,
            "attr-rounding-mode:dst:stochastic attr-scales:src0:0:f32+wei:2:f32 "
            "attr-zero-points:dst:0:s32 "
            "attr-precomputed-reductions:src0:3:s32 "
            "attr-post-ops:eltwise_relu:0.5+sum:2:1:s8+binary_add:f32:2+prelu:2+dw:k3s1p1:s8 "
            "rnn_data_qparams:2:1; attr-dropout:ab:s32:0:0");
    char cut[24];
    assert_true(attr_format(attr, cut, sizeof(cut)) > (int)sizeof(cut));
    assert_int_equal(strlen(cut), sizeof(cut) - 1);
    OK(dnnl_primitive_attr_destroy(attr));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_defaults),
            cmocka_unit_test(test_modes), cmocka_unit_test(test_default_fpmath),
            cmocka_unit_test(test_rounding), cmocka_unit_test(test_dropout),
            cmocka_unit_test(test_scales), cmocka_unit_test(test_zero_points),
            cmocka_unit_test(test_precomputed_reductions), cmocka_unit_test(test_rnn),
            cmocka_unit_test(test_equality), cmocka_unit_test(test_rounding_order_does_not_count),
            cmocka_unit_test(test_no_memory), cmocka_unit_test(test_format)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
