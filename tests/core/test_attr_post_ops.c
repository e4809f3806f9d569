/* SPDX-License-Identifier: Apache-2.0 */
/* Post-ops: what is accepted, refused, given back; their limit; copies that live on their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "core/attr.h"
#include "oneapi/dnnl/dnnl.h"

#define OK(call) assert_int_equal(call, dnnl_success)
#define BAD(call) assert_int_equal(call, dnnl_invalid_arguments)

static int setup(void **state) {
    return dnnl_post_ops_create((dnnl_post_ops_t *)state) != dnnl_success;
}

static int teardown(void **state) {
    return dnnl_post_ops_destroy(*state) != dnnl_success;
}

static void test_empty(void **state) {
    dnnl_post_ops_t ops = *state;
    assert_int_equal(dnnl_post_ops_len(ops), 0);
    assert_int_equal(dnnl_post_ops_len(NULL), 0);
    assert_int_equal(dnnl_post_ops_get_kind(ops, 0), dnnl_undefined_primitive);
    assert_int_equal(dnnl_post_ops_get_kind(ops, -1), dnnl_undefined_primitive);
    assert_int_equal(dnnl_post_ops_get_kind(NULL, 0), dnnl_undefined_primitive);
    BAD(dnnl_post_ops_create(NULL));
    BAD(dnnl_post_ops_clone(NULL, ops));
    BAD(dnnl_post_ops_clone(&ops, NULL));
    OK(dnnl_post_ops_destroy(NULL));
}

static void test_sum(void **state) {
    dnnl_post_ops_t ops = *state;
    float scale;
    int32_t zero_point;
    dnnl_data_type_t dt;
    OK(dnnl_post_ops_append_sum(ops, 0.5f, -3, dnnl_data_type_undef));
    OK(dnnl_post_ops_append_sum(ops, 2, 0, dnnl_u8));
    BAD(dnnl_post_ops_append_sum(ops, DNNL_RUNTIME_F32_VAL, 0, dnnl_u8));
    BAD(dnnl_post_ops_append_sum(ops, 1, 0, (dnnl_data_type_t)77));
    BAD(dnnl_post_ops_append_sum(NULL, 1, 0, dnnl_u8));
    assert_int_equal(dnnl_post_ops_len(ops), 2);
    assert_int_equal(dnnl_post_ops_get_kind(ops, 1), dnnl_sum);
    OK(dnnl_post_ops_get_params_sum(ops, 0, &scale, &zero_point, &dt));
    assert_true(scale == 0.5f && zero_point == -3 && dt == dnnl_data_type_undef);
    OK(dnnl_post_ops_get_params_sum(ops, 1, NULL, NULL, &dt));
    assert_int_equal(dt, dnnl_u8);
    BAD(dnnl_post_ops_get_params_sum(ops, 2, &scale, NULL, NULL));
    BAD(dnnl_post_ops_get_params_sum(ops, -1, &scale, NULL, NULL));
    BAD(dnnl_post_ops_get_params_sum(NULL, 0, &scale, NULL, NULL));
    BAD(dnnl_post_ops_get_params_eltwise(ops, 0, NULL, &scale, NULL)); /* another kind */
}

static void test_eltwise(void **state) {
    dnnl_post_ops_t ops = *state;
    dnnl_alg_kind_t alg;
    float alpha, beta;
    int n = 0;
    for (int a = dnnl_eltwise_relu; a <= dnnl_eltwise_hardswish; a++, n++)
        OK(dnnl_post_ops_append_eltwise(ops, (dnnl_alg_kind_t)a, 1, 2));
    assert_int_equal(n, 21);
    for (int i = 0; i < n; i++) {
        OK(dnnl_post_ops_get_params_eltwise(ops, i, &alg, &alpha, &beta));
        assert_true(alg == (dnnl_alg_kind_t)(dnnl_eltwise_relu + i) && alpha == 1 && beta == 2);
    }
    for (int a = dnnl_eltwise_relu_use_dst_for_bwd; a <= dnnl_eltwise_clip_v2_use_dst_for_bwd; a++)
        OK(dnnl_post_ops_append_eltwise(ops, (dnnl_alg_kind_t)a, 1, 2));
    const int len = dnnl_post_ops_len(ops);
    BAD(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_clip, 2, 1));
    BAD(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_clip_v2, 2, 1));
    BAD(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu_use_dst_for_bwd, -1, 0));
    BAD(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, DNNL_RUNTIME_F32_VAL, 0));
    BAD(dnnl_post_ops_append_eltwise(ops, dnnl_binary_add, 0, 0));
    BAD(dnnl_post_ops_append_eltwise(ops, (dnnl_alg_kind_t)(dnnl_eltwise_hardswish + 1), 0, 0));
    BAD(dnnl_post_ops_append_eltwise(NULL, dnnl_eltwise_relu, 0, 0));
    assert_int_equal(dnnl_post_ops_len(ops), len);
}

static void test_binary(void **state) {
    dnnl_post_ops_t ops = *state;
    dnnl_memory_desc_t md, condition, runtime;
    const dnnl_dims_t dims = {2, 3}, unknown = {2, DNNL_RUNTIME_DIM_VAL};
    OK(dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_format_tag_any));
    OK(dnnl_memory_desc_create_with_tag(&condition, 2, dims, dnnl_s8, dnnl_ba));
    OK(dnnl_memory_desc_create_with_tag(&runtime, 2, unknown, dnnl_f32, dnnl_ab));
    for (int a = dnnl_binary_add; a <= dnnl_binary_ne; a++)
        OK(dnnl_post_ops_append_binary(ops, (dnnl_alg_kind_t)a, md));
    OK(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, md, condition));
    BAD(dnnl_post_ops_append_binary(ops, dnnl_binary_select, md));
    BAD(dnnl_post_ops_append_binary(ops, dnnl_eltwise_relu, md));
    BAD(dnnl_post_ops_append_binary(ops, dnnl_binary_add, NULL));
    BAD(dnnl_post_ops_append_binary(ops, dnnl_binary_add, runtime));
    BAD(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, md, runtime));
    BAD(dnnl_post_ops_append_binary(NULL, dnnl_binary_add, md));
    assert_int_equal(dnnl_post_ops_len(ops), 13);

    dnnl_alg_kind_t alg;
    const_dnnl_memory_desc_t src1, src2;
    OK(dnnl_post_ops_get_params_binary(ops, 0, &alg, &src1));
    assert_true(alg == dnnl_binary_add && md_equal(src1, md));
    OK(dnnl_post_ops_get_params_binary_v2(ops, 0, NULL, NULL, &src2));
    assert_true(md_is_zero(src2));
    OK(dnnl_post_ops_get_params_binary_v2(ops, 12, &alg, &src1, &src2));
    assert_true(alg == dnnl_binary_select && md_equal(src2, condition));
    BAD(dnnl_post_ops_get_params_binary(ops, 13, &alg, &src1));
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(condition);
    dnnl_memory_desc_destroy(runtime);
}

static void test_depthwise_and_prelu(void **state) {
    dnnl_post_ops_t ops = *state;
    dnnl_data_type_t wei, bias, dst;
    dnnl_dim_t kernel, stride, padding;
    int mask;
    OK(dnnl_post_ops_append_dw(ops, dnnl_s8, dnnl_data_type_undef, dnnl_u8, 3, 2, 1));
    BAD(dnnl_post_ops_append_dw(ops, dnnl_data_type_undef, dnnl_f32, dnnl_u8, 3, 2, 1));
    BAD(dnnl_post_ops_append_dw(ops, dnnl_s8, dnnl_f32, dnnl_data_type_undef, 3, 2, 1));
    BAD(dnnl_post_ops_append_dw(ops, dnnl_s8, dnnl_f32, dnnl_u8, 0, 2, 0));
    BAD(dnnl_post_ops_append_dw(ops, dnnl_s8, dnnl_f32, dnnl_u8, 3, 0, 1));
    BAD(dnnl_post_ops_append_dw(
            ops, dnnl_s8, dnnl_f32, dnnl_u8, 3, 1, 3)); /* the kernel lies in the padding */
    BAD(dnnl_post_ops_append_dw(NULL, dnnl_s8, dnnl_f32, dnnl_u8, 3, 1, 1));
    OK(dnnl_post_ops_get_params_dw(ops, 0, &wei, &bias, &dst, &kernel, &stride, &padding));
    assert_true(wei == dnnl_s8 && bias == dnnl_data_type_undef && dst == dnnl_u8);
    assert_true(kernel == 3 && stride == 2 && padding == 1);
    assert_int_equal(dnnl_post_ops_get_kind(ops, 0), dnnl_convolution);
    OK(dnnl_post_ops_append_prelu(ops, 6));
    BAD(dnnl_post_ops_append_prelu(NULL, 0));
    OK(dnnl_post_ops_get_params_prelu(ops, 1, &mask));
    assert_int_equal(mask, 6);
    BAD(dnnl_post_ops_get_params_prelu(ops, 0, &mask));
    BAD(dnnl_post_ops_get_params_prelu(ops, -1, &mask));
}

static void test_limit(void **state) {
    dnnl_post_ops_t ops = *state;
    dnnl_memory_desc_t md;
    OK(dnnl_memory_desc_create_with_tag(&md, 1, (dnnl_dims_t){4}, dnnl_f32, dnnl_a));
    for (int i = 0; i < POST_OPS_MAX; i++) OK(dnnl_post_ops_append_prelu(ops, i));
    assert_int_equal(dnnl_post_ops_append_prelu(ops, 0), dnnl_out_of_memory);
    assert_int_equal(dnnl_post_ops_append_sum(ops, 1, 0, dnnl_f32), dnnl_out_of_memory);
    assert_int_equal(
            dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0), dnnl_out_of_memory);
    assert_int_equal(dnnl_post_ops_append_binary(ops, dnnl_binary_add, md), dnnl_out_of_memory);
    assert_int_equal(dnnl_post_ops_append_dw(ops, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1),
            dnnl_out_of_memory);
    assert_int_equal(dnnl_post_ops_len(ops), POST_OPS_MAX);
    dnnl_memory_desc_destroy(md);
}

static void test_copies(void **state) {
    dnnl_post_ops_t ops = *state, clone;
    dnnl_primitive_attr_t attr;
    const_dnnl_post_ops_t inside;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_post_ops_append_prelu(ops, 1));
    OK(dnnl_post_ops_clone(&clone, ops));
    OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    OK(dnnl_post_ops_append_prelu(ops, 2));
    OK(dnnl_primitive_attr_get_post_ops(attr, &inside));
    assert_int_equal(dnnl_post_ops_len(clone), 1);
    assert_int_equal(dnnl_post_ops_len(inside), 1);
    OK(dnnl_primitive_attr_set_post_ops(attr, inside)); /* itself */
    assert_int_equal(dnnl_post_ops_len(inside), 1);
    OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    assert_int_equal(dnnl_post_ops_len(inside), 2);
    BAD(dnnl_primitive_attr_set_post_ops(attr, NULL));
    BAD(dnnl_primitive_attr_set_post_ops(NULL, ops));
    BAD(dnnl_primitive_attr_get_post_ops(attr, NULL));
    OK(dnnl_post_ops_destroy(clone));
    OK(dnnl_primitive_attr_destroy(attr));
}

static void test_no_memory(void **state) {
    dnnl_post_ops_t ops = *state, clone = NULL;
    atomic_store(&dz_alloc_fail_after, 1);
    assert_int_equal(dnnl_post_ops_append_prelu(ops, 1), dnnl_out_of_memory);
    atomic_store(&dz_alloc_fail_after, 0);
    assert_int_equal(dnnl_post_ops_len(ops), 0);
    OK(dnnl_post_ops_append_prelu(ops, 1));
    const long live = atomic_load(&dz_alloc_live);
    for (int n = 1; n <= 2; n++) {
        atomic_store(&dz_alloc_fail_after, n);
        assert_int_equal(dnnl_post_ops_clone(&clone, ops), dnnl_out_of_memory);
        atomic_store(&dz_alloc_fail_after, 0);
        assert_null(clone);
    }
    assert_int_equal(atomic_load(&dz_alloc_live), live);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_empty), TEST(test_sum), TEST(test_eltwise),
            TEST(test_binary), TEST(test_depthwise_and_prelu), TEST(test_limit), TEST(test_copies),
            TEST(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
