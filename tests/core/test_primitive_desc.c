/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors, queries, clones, iteration and caching of primitive descriptors, on the first
 * device. */
#include <pthread.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "core/lru.h"
#include "core/primitive_desc.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze.h"
#include "ops/verbose_columns.h"
#include "plan/op.h"
#include "ze/loader.h"

#define OK(call) assert_int_equal(call, dnnl_success)
#define BAD(call) assert_int_equal(call, dnnl_invalid_arguments)
#define REFUSED(call) assert_int_equal(call, dnnl_unimplemented)

static dnnl_engine_t engine;

static md_t tensor(dnnl_data_type_t dt, dnnl_format_tag_t tag, int ndims, const dnnl_dim_t *dims) {
    md_t md;
    OK(md_init_tag(&md, ndims, dims, dt, tag));
    return md;
}
#define F32(tag, n, ...) tensor(dnnl_f32, tag, n, (const dnnl_dim_t[]){__VA_ARGS__})

static dnnl_primitive_desc_t new_relu(const_dnnl_primitive_attr_t attr) {
    md_t src = F32(dnnl_ab, 2, 4, 5), dst = F32(dnnl_format_tag_any, 2, 4, 5);
    dnnl_primitive_desc_t pd = NULL;
    OK(dnnl_eltwise_forward_primitive_desc_create(
            &pd, engine, dnnl_forward_inference, dnnl_eltwise_relu, &src, &dst, 0.5f, 0.0f, attr));
    return pd;
}

static dnnl_primitive_desc_t new_matmul(const_dnnl_primitive_attr_t attr) {
    md_t src = F32(dnnl_ab, 2, 2, 3), wei = F32(dnnl_ba, 2, 3, 4), bias = F32(dnnl_ab, 2, 1, 4),
         dst = F32(dnnl_ab, 2, 2, 4);
    dnnl_primitive_desc_t pd = NULL;
    OK(dnnl_matmul_primitive_desc_create(&pd, engine, &src, &wei, &bias, &dst, attr));
    return pd;
}

static void destroy(dnnl_primitive_desc_t pd) {
    OK(dnnl_primitive_desc_destroy(pd));
}

static int count(dnnl_primitive_desc_t pd, bool outputs) {
    return dnnl_primitive_desc_query_s32(
            pd, outputs ? dnnl_query_num_of_outputs_s32 : dnnl_query_num_of_inputs_s32, 0);
}

#define QUERY(pd, what, variable)                                                                  \
    OK(dnnl_primitive_desc_query(pd, dnnl_query_##what, 0, &(variable)))

static void test_common_queries(void **state) {
    (void)state;
    dnnl_primitive_desc_t pd = new_relu(NULL);
    dnnl_engine_t e;
    dnnl_primitive_kind_t kind;
    dnnl_prop_kind_t prop;
    dnnl_alg_kind_t alg;
    float alpha, beta;
    double seconds;
    int64_t bytes;
    const char *name;
    QUERY(pd, engine, e);
    assert_ptr_equal(e, engine);
    QUERY(pd, scratchpad_engine, e);
    assert_ptr_equal(e, engine);
    QUERY(pd, primitive_kind, kind);
    assert_int_equal(kind, dnnl_eltwise);
    QUERY(pd, prop_kind, prop);
    assert_int_equal(prop, dnnl_forward_inference);
    QUERY(pd, alg_kind, alg);
    assert_int_equal(alg, dnnl_eltwise_relu);
    QUERY(pd, alpha_f32, alpha);
    QUERY(pd, beta_f32, beta);
    assert_true(alpha == 0.5f && beta == 0.0f);
    QUERY(pd, time_estimate_f64, seconds);
    assert_true(seconds == 0.0);
    QUERY(pd, memory_consumption_s64, bytes);
    assert_int_equal(bytes, pd->pd->scratchpad_size);
    QUERY(pd, impl_info_str, name);
    assert_true(strncmp(name, "ze:", 3) == 0);
    assert_int_equal(count(pd, false), 1);
    assert_int_equal(count(pd, true), 1);

    /* Nothing of other kinds. */
    char any[16];
    const dnnl_query_t others[] = {dnnl_query_undef, dnnl_query_reorder_src_engine,
            dnnl_query_strides, dnnl_query_padding_l, dnnl_query_epsilon_f32, dnnl_query_flags,
            dnnl_query_axis_s32, dnnl_query_local_size_s64, dnnl_query_p_f32, dnnl_query_factors,
            dnnl_query_cell_kind, dnnl_query_kernel, dnnl_query_group_size_s64, dnnl_query_some_md,
            dnnl_query_ndims_s32, dnnl_query_dims, (dnnl_query_t)9999};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        REFUSED(dnnl_primitive_desc_query(pd, others[i], 0, any));
    BAD(dnnl_primitive_desc_query(pd, dnnl_query_engine, 0, NULL));
    BAD(dnnl_primitive_desc_query(NULL, dnnl_query_engine, 0, &e));
    assert_int_equal(dnnl_primitive_desc_query_s32(NULL, dnnl_query_num_of_inputs_s32, 0), 0);
    assert_int_equal(dnnl_primitive_desc_query_s32(pd, dnnl_query_axis_s32, 0), 0);
    destroy(pd);
    destroy(NULL);
}

static void test_descriptors(void **state) {
    (void)state;
    md_t src = F32(dnnl_ab, 2, 4, 5);
    dnnl_primitive_desc_t pd = new_relu(NULL);
    assert_true(md_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0), &src));
    assert_true(md_equal(
            dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0), &src)); /* any is resolved */
    assert_true(
            md_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, DNNL_ARG_DST), &src));
    /* What is not there is the zero descriptor. */
    const struct {
        dnnl_query_t what;
        int index;
    } absent[] = {{dnnl_query_src_md, 1}, {dnnl_query_src_md, -1}, {dnnl_query_src_md, 100},
            {dnnl_query_dst_md, 1}, {dnnl_query_weights_md, 0}, {dnnl_query_diff_src_md, 0},
            {dnnl_query_diff_dst_md, 0}, {dnnl_query_diff_weights_md, 0},
            {dnnl_query_workspace_md, 0}, {dnnl_query_exec_arg_md, DNNL_ARG_BIAS}};
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
        const_dnnl_memory_desc_t md =
                dnnl_primitive_desc_query_md(pd, absent[i].what, absent[i].index);
        assert_non_null(md);
        assert_true(md_is_zero(md));
    }
    const void *out;
    BAD(dnnl_primitive_desc_query(pd, dnnl_query_workspace_md, 1, &out));
    BAD(dnnl_primitive_desc_query(pd, dnnl_query_scratchpad_md, 1, &out));
    assert_null(dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 1));
    assert_null(dnnl_primitive_desc_query_md(pd, dnnl_query_engine, 0));
    assert_null(dnnl_primitive_desc_query_md(pd, dnnl_query_some_md, 0));
    assert_null(dnnl_primitive_desc_query_md(NULL, dnnl_query_src_md, 0));
    destroy(pd);
}

static void test_matmul(void **state) {
    (void)state;
    md_t wei = F32(dnnl_ba, 2, 3, 4), bias = F32(dnnl_ab, 2, 1, 4), row = F32(dnnl_ab, 2, 1, 4);
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_post_ops_create(&ops));
    OK(dnnl_post_ops_append_binary(ops, dnnl_binary_add, &row));
    OK(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0));
    OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 0));
    dnnl_primitive_desc_t pd = new_matmul(attr);
    assert_true(md_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0), &wei));
    assert_true(md_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 1), &bias));
    const int post_op = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;
    assert_true(md_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, post_op), &row));
    /* Post-op sources count, scales do not. */
    assert_int_equal(count(pd, false), 4);
    assert_int_equal(count(pd, true), 1);
    dnnl_prop_kind_t prop;
    dnnl_alg_kind_t alg;
    REFUSED(dnnl_primitive_desc_query(pd, dnnl_query_prop_kind, 0, &prop));
    REFUSED(dnnl_primitive_desc_query(pd, dnnl_query_alg_kind, 0, &alg));
    const_dnnl_primitive_attr_t got;
    OK(dnnl_primitive_desc_get_attr(pd, &got));
    assert_true(attr_equal(got, attr));
    BAD(dnnl_primitive_desc_get_attr(pd, NULL));
    BAD(dnnl_primitive_desc_get_attr(NULL, &got));
    destroy(pd);
    OK(dnnl_post_ops_destroy(ops));
    OK(dnnl_primitive_attr_destroy(attr));
}

static void test_binary(void **state) {
    (void)state;
    md_t a = F32(dnnl_ab, 2, 4, 5), b = F32(dnnl_ab, 2, 1, 5);
    md_t condition = tensor(dnnl_s8, dnnl_ab, 2, (const dnnl_dim_t[]){4, 5});
    dnnl_primitive_desc_t pd;
    OK(dnnl_binary_primitive_desc_create(&pd, engine, dnnl_binary_mul, &a, &b, &a, NULL));
    assert_true(md_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 1), &b));
    assert_int_equal(count(pd, false), 2);
    dnnl_alg_kind_t alg;
    QUERY(pd, alg_kind, alg);
    assert_int_equal(alg, dnnl_binary_mul);
    destroy(pd);
    OK(dnnl_binary_primitive_desc_create_v2(
            &pd, engine, dnnl_binary_select, &a, &b, &condition, &a, NULL));
    assert_true(md_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 2), &condition));
    assert_int_equal(count(pd, false), 3);
    destroy(pd);
    BAD(dnnl_binary_primitive_desc_create(&pd, engine, dnnl_binary_select, &a, &b, &a, NULL));
    BAD(dnnl_binary_primitive_desc_create(&pd, engine, dnnl_eltwise_relu, &a, &b, &a, NULL));
}

static void test_reorder(void **state) {
    (void)state;
    md_t src = F32(dnnl_ab, 2, 4, 5), dst = F32(dnnl_ba, 2, 4, 5),
         any = F32(dnnl_format_tag_any, 2, 4, 5), other = F32(dnnl_ab, 2, 4, 6);
    dnnl_primitive_desc_t pd;
    dnnl_engine_t e;
    OK(dnnl_reorder_primitive_desc_create(&pd, &src, engine, &dst, engine, NULL));
    QUERY(pd, reorder_src_engine, e);
    assert_ptr_equal(e, engine);
    QUERY(pd, reorder_dst_engine, e);
    assert_ptr_equal(e, engine);
    destroy(pd);
    BAD(dnnl_reorder_primitive_desc_create(&pd, &src, engine, &any, engine, NULL));
    BAD(dnnl_reorder_primitive_desc_create(&pd, &any, engine, &dst, engine, NULL));
    BAD(dnnl_reorder_primitive_desc_create(&pd, &src, engine, &other, engine, NULL));
    BAD(dnnl_reorder_primitive_desc_create(&pd, &src, NULL, &dst, engine, NULL));
    BAD(dnnl_reorder_primitive_desc_create(&pd, &src, engine, &dst, NULL, NULL));
    BAD(dnnl_reorder_primitive_desc_create(&pd, NULL, engine, &dst, engine, NULL));
    BAD(dnnl_reorder_primitive_desc_create(NULL, &src, engine, &dst, engine, NULL));
}

/* Two zero descriptors: a primitive that does nothing. */
static void test_reorder_of_nothing(void **state) {
    (void)state;
    const md_t zero = {0}, one = F32(dnnl_a, 1, 1);
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t reorder;
    dnnl_stream_t stream;
    dnnl_memory_t memory, unused;
    OK(dnnl_reorder_primitive_desc_create(&pd, &zero, engine, &zero, engine, NULL));
    OK(dnnl_primitive_create(&reorder, pd));
    OK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    OK(dnnl_memory_create(&memory, &zero, engine, DNNL_MEMORY_NONE));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, memory}, {DNNL_ARG_TO, memory}};
    OK(dnnl_primitive_execute(reorder, stream, 2, args));
    OK(dnnl_memory_create(&unused, &one, engine, DNNL_MEMORY_ALLOCATE));
    const dnnl_exec_arg_t buffers[] = {{DNNL_ARG_FROM, unused}, {DNNL_ARG_TO, unused}};
    OK(dnnl_primitive_execute(reorder, stream, 2, buffers));
    OK(dnnl_primitive_execute(reorder, stream, 0, NULL));
    OK(dnnl_stream_wait(stream));
    OK(dnnl_memory_destroy(unused));
    OK(dnnl_memory_destroy(memory));
    OK(dnnl_stream_destroy(stream));
    OK(dnnl_primitive_destroy(reorder));
    destroy(pd);
    BAD(dnnl_reorder_primitive_desc_create(&pd, &zero, engine, &one, engine, NULL));
}

/* The same descriptor by role and by argument, for mean and variance. */
static void check_statistics(
        dnnl_prop_kind_t prop, unsigned flags, const md_t *src, const md_t *given, md_t want) {
    static const int args[] = {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE};
    const bool in = flags & dnnl_use_global_stats;
    dnnl_primitive_desc_t pd;
    OK(dnnl_layer_normalization_forward_primitive_desc_create(
            &pd, engine, prop, src, src, given, 1e-3f, flags, NULL));
    for (int i = 0; i < 2; i++) {
        const md_t *by_arg = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, args[i]),
                   *by_role = dnnl_primitive_desc_query_md(
                           pd, in ? dnnl_query_src_md : dnnl_query_dst_md, 1 + i);
        assert_true(md_equal(by_arg, &want));
        assert_true(md_equal(by_role, &want));
    }
    /* The mean of an RMS norm has a descriptor, but is neither an input nor an output. */
    const int used = flags & dnnl_rms_norm ? 1 : 2;
    assert_int_equal(count(pd, false), in ? 1 + used : 1);
    assert_int_equal(count(pd, true), !in && prop == dnnl_forward_training ? 1 + used : 1);
    destroy(pd);
}

static void test_layer_norm_statistics(void **state) {
    (void)state;
    const dnnl_prop_kind_t training = dnnl_forward_training, inference = dnnl_forward_inference;
    const md_t src = F32(dnnl_bac, 3, 3, 6, 35), zero = {0},
               any = F32(dnnl_format_tag_any, 2, 3, 6);
    const md_t rows = F32(dnnl_ab, 2, 3, 6), columns = F32(dnnl_ba, 2, 3, 6);
    const unsigned rms = dnnl_rms_norm, given = dnnl_use_global_stats;
    const md_t *const open[] = {NULL, &any};
    for (int i = 0; i < 2; i++) {
        check_statistics(training, 0, &src, open[i], columns);
        check_statistics(training, rms, &src, open[i], columns);
        check_statistics(training, given, &src, open[i], columns);
        check_statistics(inference, given | rms, &src, open[i], columns);
        check_statistics(inference, 0, &src, open[i], zero);
        check_statistics(inference, rms, &src, open[i], zero);
    }
    check_statistics(training, 0, &src, &rows, rows);
    check_statistics(inference, 0, &src, &rows, zero);
    check_statistics(inference, given | rms, &src, &rows, rows);
    /* Blocks are kept, but those of the normalized dimension. */
    const md_t blocked = F32(dnnl_aBc4b, 3, 3, 6, 35),
               inner = F32(dnnl_format_tag_any, 3, 3, 6, 35);
    md_t stat_blocked, inner_blocked = inner;
    OK(md_init_string_tag(&stat_blocked, 2, (const dnnl_dim_t[]){3, 6}, dnnl_f32, "aB4b"));
    OK(md_init_string_tag(&inner_blocked, 3, inner.dims, dnnl_f32, "baC4c"));
    check_statistics(training, 0, &blocked, NULL, stat_blocked);
    check_statistics(training, 0, &inner_blocked, NULL, rows);
}

/* Output over input sizes, however the descriptor was made. */
static void test_resampling_factors(void **state) {
    (void)state;
    const md_t src = F32(dnnl_abcd, 4, 2, 3, 5, 4), dst = F32(dnnl_abcd, 4, 2, 3, 8, 6);
    static const float given[] = {1.7f, 1.5f};
    for (int form = 0; form < 3; form++) { /* factors alone, dst alone, both */
        const float *factors = NULL;
        dnnl_primitive_desc_t pd;
        OK(dnnl_resampling_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                dnnl_resampling_linear, form == 1 ? NULL : given, &src, form ? &dst : NULL, NULL));
        QUERY(pd, factors, factors);
        assert_float_equal(factors[0], 8.0f / 5, 0);
        assert_float_equal(factors[1], 6.0f / 4, 0);
        destroy(pd);
    }
}

#define RELU_FORWARD(pd, engine, md)                                                               \
    dnnl_eltwise_forward_primitive_desc_create(                                                    \
            pd, engine, dnnl_forward_training, dnnl_eltwise_relu, md, md, 0, 0, NULL)
#define RELU_BACKWARD(pd, engine, md, hint)                                                        \
    dnnl_eltwise_backward_primitive_desc_create(                                                   \
            pd, engine, dnnl_eltwise_relu, md, md, md, 0, 0, hint, NULL)

static void test_refused_arguments(void **state) {
    (void)state;
    md_t md = F32(dnnl_ab, 2, 4, 5), scalar, runtime = F32(dnnl_ab, 2, DNNL_RUNTIME_DIM_VAL, 5);
    OK(md_init_host_scalar(&scalar, dnnl_f32));
    dnnl_primitive_desc_t untouched = (dnnl_primitive_desc_t)&md, pd = untouched;
#define RELU(engine, prop, alg, src, dst)                                                          \
    dnnl_eltwise_forward_primitive_desc_create(&pd, engine, prop, alg, src, dst, 0, 0, NULL)
    BAD(RELU(NULL, dnnl_forward_inference, dnnl_eltwise_relu, &md, &md));
    BAD(RELU(engine, dnnl_backward, dnnl_eltwise_relu, &md, &md));
    BAD(RELU(engine, (dnnl_prop_kind_t)0, dnnl_eltwise_relu, &md, &md));
    BAD(RELU(engine, dnnl_forward_inference, dnnl_binary_add, &md, &md));
    BAD(RELU(engine, dnnl_forward_inference, dnnl_eltwise_relu, NULL, &md));
    BAD(RELU(engine, dnnl_forward_inference, dnnl_eltwise_relu, &md, NULL));
    BAD(RELU(engine, dnnl_forward_inference, dnnl_eltwise_relu, &scalar, &md));
    REFUSED(dnnl_prelu_forward_primitive_desc_create(
            &pd, engine, dnnl_forward_inference, &runtime, &runtime, &runtime, NULL));
    BAD(dnnl_eltwise_forward_primitive_desc_create(
            NULL, engine, dnnl_forward_inference, dnnl_eltwise_relu, &md, &md, 0, 0, NULL));
    BAD(dnnl_matmul_primitive_desc_create(&pd, engine, NULL, &md, NULL, &md, NULL));
    BAD(dnnl_matmul_primitive_desc_create(&pd, engine, &md, NULL, NULL, &md, NULL));
    BAD(dnnl_matmul_primitive_desc_create(&pd, engine, &md, &md, NULL, NULL, NULL));
    assert_ptr_equal(pd, untouched);

    /* A hint of another kind. */
    dnnl_primitive_desc_t hint = new_matmul(NULL);
    BAD(dnnl_eltwise_backward_primitive_desc_create(
            &pd, engine, dnnl_eltwise_relu, &md, &md, &md, 0, 0, hint, NULL));
    destroy(hint);
}

/* A hint is a forward primitive on tensors of the same shapes. */
static void test_hints(void **state) {
    (void)state;
    const md_t md = F32(dnnl_ab, 2, 4, 5), wide = F32(dnnl_ab, 2, 4, 6),
               runtime = F32(dnnl_ab, 2, DNNL_RUNTIME_DIM_VAL, 5),
               wide_runtime = F32(dnnl_ab, 2, DNNL_RUNTIME_DIM_VAL, 6);
    dnnl_primitive_desc_t hint, backward, pd;
    OK(RELU_FORWARD(&hint, engine, &md));
    OK(RELU_BACKWARD(&backward, engine, &md, hint));
    BAD(RELU_BACKWARD(&pd, engine, &wide, hint));
    REFUSED(RELU_BACKWARD(&pd, engine, &runtime, hint)); /* of no other shape, but not supported */
    BAD(RELU_BACKWARD(&pd, engine, &wide_runtime, hint));
    BAD(RELU_BACKWARD(&pd, engine, &md, backward));
    destroy(backward);
    destroy(hint);
}

/* A constructor succeeds exactly where the kind has an operation in that direction. */
#define CONSTRUCTS(kind, prop, call)                                                               \
    do {                                                                                           \
        const dnnl_status_t expected =                                                             \
                op_find(dnnl_##kind, prop) ? dnnl_success : dnnl_unimplemented;                    \
        assert_int_equal(call, expected);                                                          \
        if (expected == dnnl_success) destroy(pd);                                                 \
    } while (0)
#define FORWARD(kind, call) CONSTRUCTS(kind, dnnl_forward_inference, call)

/* Every constructor answers, the ones without an implementation too: bad arguments first. */
static void test_every_kind(void **state) {
    (void)state;
    md_t a = F32(dnnl_abcd, 4, 2, 4, 8, 8), w = F32(dnnl_abcd, 4, 4, 4, 3, 3),
         v = F32(dnnl_a, 1, 4), m = F32(dnnl_ab, 2, 4, 4), column = F32(dnnl_ab, 2, 4, 1);
    const_dnnl_memory_desc_t two[] = {&m, &m}, none[] = {&m, NULL};
    const dnnl_dims_t ones = {1, 1}, kernel = {3, 3}, zeros = {0};
    const float factors[] = {1, 2};
    const dnnl_prop_kind_t forward = dnnl_forward_training;
    dnnl_primitive_desc_t pd;
    FORWARD(convolution,
            dnnl_convolution_forward_primitive_desc_create(&pd, engine, forward,
                    dnnl_convolution_direct, &a, &w, &v, &a, ones, NULL, ones, NULL, NULL));
    BAD(dnnl_convolution_forward_primitive_desc_create(&pd, engine, forward,
            dnnl_convolution_direct, &a, &w, &v, &a, NULL, NULL, ones, NULL, NULL));
    BAD(dnnl_convolution_forward_primitive_desc_create(&pd, engine, forward,
            dnnl_convolution_direct, &a, &w, &v, &a, zeros, NULL, ones, NULL, NULL));
    BAD(dnnl_deconvolution_backward_data_primitive_desc_create(&pd, engine,
            dnnl_deconvolution_direct, &a, NULL, &a, ones, NULL, ones, NULL, NULL, NULL));
    CONSTRUCTS(deconvolution, dnnl_backward_data,
            dnnl_deconvolution_backward_data_primitive_desc_create(&pd, engine,
                    dnnl_deconvolution_direct, &a, &w, &a, ones, NULL, ones, NULL, NULL, NULL));
    CONSTRUCTS(convolution, dnnl_backward_weights,
            dnnl_convolution_backward_weights_primitive_desc_create(&pd, engine,
                    dnnl_convolution_direct, &a, &w, NULL, &a, ones, NULL, ones, NULL, NULL, NULL));
    FORWARD(pooling, dnnl_pooling_forward_primitive_desc_create(&pd, engine, forward,
                             dnnl_pooling_max, &a, &a, ones, kernel, zeros, ones, ones, NULL));
    BAD(dnnl_pooling_forward_primitive_desc_create(
            &pd, engine, forward, dnnl_pooling_max, &a, &a, ones, NULL, zeros, ones, ones, NULL));
    FORWARD(softmax, dnnl_softmax_forward_primitive_desc_create(
                             &pd, engine, forward, dnnl_softmax_accurate, &m, &m, 1, NULL));
    BAD(dnnl_softmax_forward_primitive_desc_create(
            &pd, engine, forward, dnnl_softmax_accurate, &m, &m, 2, NULL));
    CONSTRUCTS(eltwise, dnnl_backward_data,
            dnnl_eltwise_backward_primitive_desc_create(
                    &pd, engine, dnnl_eltwise_relu, &m, &m, &m, 0, 0, NULL, NULL));
    FORWARD(batch_normalization, dnnl_batch_normalization_forward_primitive_desc_create(
                                         &pd, engine, forward, &a, &a, 1e-5f, 0, NULL));
    BAD(dnnl_batch_normalization_backward_primitive_desc_create(
            &pd, engine, dnnl_backward_weights, &a, &a, &a, 1e-5f, 0, NULL, NULL));
    FORWARD(layer_normalization, dnnl_layer_normalization_forward_primitive_desc_create(
                                         &pd, engine, forward, &m, &m, NULL, 1e-5f, 0, NULL));
    FORWARD(group_normalization, dnnl_group_normalization_forward_primitive_desc_create(
                                         &pd, engine, forward, &a, &a, 2, 1e-5f, 0, NULL));
    FORWARD(lrn, dnnl_lrn_forward_primitive_desc_create(&pd, engine, forward,
                         dnnl_lrn_across_channels, &a, &a, 5, 1e-4f, 0.75f, 1, NULL));
    FORWARD(prelu,
            dnnl_prelu_forward_primitive_desc_create(&pd, engine, forward, &m, &m, &m, NULL));
    FORWARD(shuffle,
            dnnl_shuffle_forward_primitive_desc_create(&pd, engine, forward, &m, &m, 1, 2, NULL));
    FORWARD(reduction, dnnl_reduction_primitive_desc_create(
                               &pd, engine, dnnl_reduction_sum, &m, &column, 0, 0, NULL));
    FORWARD(resampling, dnnl_resampling_forward_primitive_desc_create(&pd, engine, forward,
                                dnnl_resampling_nearest, factors, &a, NULL, NULL));
    BAD(dnnl_resampling_forward_primitive_desc_create(
            &pd, engine, forward, dnnl_resampling_nearest, NULL, &a, NULL, NULL));
    FORWARD(inner_product, dnnl_inner_product_forward_primitive_desc_create(
                                   &pd, engine, forward, &m, &m, NULL, &m, NULL));
    FORWARD(concat, dnnl_concat_primitive_desc_create(&pd, engine, NULL, 2, 0, two, NULL));
    BAD(dnnl_concat_primitive_desc_create(
            &pd, engine, &m, 2, 0, two, NULL)); /* too short a destination */
    BAD(dnnl_concat_primitive_desc_create(&pd, engine, NULL, 2, 2, two, NULL));
    BAD(dnnl_concat_primitive_desc_create(&pd, engine, NULL, 2, 0, none, NULL));
    BAD(dnnl_concat_primitive_desc_create(&pd, engine, NULL, 0, 0, two, NULL));
    FORWARD(sum, dnnl_sum_primitive_desc_create(&pd, engine, &m, 2, factors, two, NULL));
    BAD(dnnl_sum_primitive_desc_create(&pd, engine, &m, 2, NULL, two, NULL));
    BAD(dnnl_sum_primitive_desc_create(&pd, engine, &m, 2, factors, NULL, NULL));
    const_dnnl_memory_desc_t many[100];
    float scales[100];
    for (int i = 0; i < 100; i++) many[i] = &m, scales[i] = 1;
    /* More sources than one plan has steps for. */
    FORWARD(sum, dnnl_sum_primitive_desc_create(&pd, engine, NULL, 100, scales, many, NULL));
    const md_t x = F32(dnnl_abc, 3, 2, 4, 4), gates = F32(dnnl_abcde, 5, 1, 1, 4, 3, 4);
    FORWARD(rnn, dnnl_gru_forward_primitive_desc_create(&pd, engine, forward,
                         dnnl_unidirectional_left2right, &x, NULL, &gates, &gates, NULL, &x, NULL,
                         0, NULL));
    BAD(dnnl_gru_forward_primitive_desc_create(&pd, engine, forward, (dnnl_rnn_direction_t)99, &x,
            NULL, &gates, &gates, NULL, &x, NULL, 0, NULL));
    CONSTRUCTS(rnn, dnnl_backward,
            dnnl_gru_backward_primitive_desc_create(&pd, engine, dnnl_backward,
                    dnnl_unidirectional_left2right, &x, NULL, &gates, &gates, NULL, &x, NULL, &x,
                    NULL, &gates, &gates, NULL, &x, NULL, 0, NULL, NULL));
}

static void test_clone_and_next_impl(void **state) {
    (void)state;
    dnnl_primitive_desc_t pd = new_matmul(NULL), clone;
    OK(dnnl_primitive_desc_clone(&clone, pd));
    BAD(dnnl_primitive_desc_clone(NULL, pd));
    BAD(dnnl_primitive_desc_clone(&clone, NULL));
    BAD(dnnl_primitive_desc_next_impl(NULL));
    const char *names[64];
    int n = 0;
    dnnl_status_t status;
    do {
        assert_true(n < 64);
        QUERY(pd, impl_info_str, names[n]);
        assert_int_equal(pd->pd->impl_index, n);
        n++;
    } while ((status = dnnl_primitive_desc_next_impl(pd)) == dnnl_success);
    assert_int_equal(status, dnnl_last_impl_reached);
    assert_int_equal(pd->pd->impl_index, n - 1); /* it stays with the last one */
    assert_int_equal(clone->pd->impl_index, 0);  /* and the clone where it was */
    if (n > 1) assert_int_not_equal(pd->pd->variant, clone->pd->variant);
    destroy(pd);
    destroy(clone);

    /* Nothing to do can be done in one way. */
    md_t empty = F32(dnnl_ab, 2, 0, 5);
    OK(dnnl_eltwise_forward_primitive_desc_create(
            &pd, engine, dnnl_forward_inference, dnnl_eltwise_relu, &empty, &empty, 0, 0, NULL));
    assert_int_equal(dnnl_primitive_desc_next_impl(pd), dnnl_last_impl_reached);
    destroy(pd);
}

static void test_cache(void **state) {
    (void)state;
    dnnl_primitive_attr_t attr;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_deterministic(attr, 1));
    dnnl_primitive_desc_t a = new_relu(NULL), b = new_relu(NULL), c = new_relu(attr);
    assert_ptr_equal(a->pd, b->pd);
    assert_ptr_not_equal(a->pd, c->pd);
    assert_true(pd_equal(a->pd, b->pd));
    assert_false(pd_equal(a->pd, c->pd));
    /* Identifiers tell them apart, and are the same when all is made anew. */
    const uint8_t *id_a, *id_c;
    int64_t size;
    uint8_t before[64];
    QUERY(a, cache_blob_id_size_s64, size);
    QUERY(a, cache_blob_id, id_a);
    QUERY(c, cache_blob_id, id_c);
    assert_true(size >= 16 && size <= (int64_t)sizeof(before));
    assert_memory_not_equal(id_a, id_c, (size_t)size);
    memcpy(before, id_a, (size_t)size);
    const pd_t *old = a->pd;
    lru_clear(pd_cache());
    dnnl_primitive_desc_t d = new_relu(NULL);
    assert_ptr_not_equal(d->pd, old);
    assert_true(pd_equal(d->pd, old));
    QUERY(d, cache_blob_id, id_a);
    assert_memory_equal(before, id_a, (size_t)size);

    OK(dnnl_set_primitive_cache_capacity(0));
    dnnl_primitive_desc_t e = new_relu(NULL);
    assert_ptr_not_equal(e->pd, d->pd);
    OK(dnnl_set_primitive_cache_capacity(1024));
    destroy(a);
    destroy(b);
    destroy(c);
    destroy(d);
    destroy(e);
    OK(dnnl_primitive_attr_destroy(attr));
}

static void test_engine_takes_its_descriptors_along(void **state) {
    (void)state;
    dnnl_engine_t other; /* on a context that no other engine has */
    md_t md = F32(dnnl_ab, 2, 4, 5);
    dnnl_primitive_desc_t pd;
    const int before = lru_size(pd_cache());
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    OK(dnnl_ze_interop_engine_get_driver(engine, &driver));
    OK(dnnl_ze_interop_engine_get_device(engine, &device));
    assert_int_equal(ze.ContextCreate(driver, &desc, &context), ZE_RESULT_SUCCESS);
    OK(dnnl_ze_interop_engine_create(&other, driver, device, context));
    OK(dnnl_eltwise_forward_primitive_desc_create(
            &pd, other, dnnl_forward_inference, dnnl_eltwise_abs, &md, &md, 0, 0, NULL));
    assert_int_equal(lru_size(pd_cache()), before + 1);
    OK(dnnl_engine_destroy(other));
    dnnl_engine_t e;
    QUERY(pd, engine, e); /* the handle keeps it */
    assert_ptr_equal(e, other);
    destroy(pd);
    assert_int_equal(lru_size(pd_cache()), before);
    assert_int_equal(ze.ContextDestroy(context), ZE_RESULT_SUCCESS);
}

static void test_scratchpad(void **state) {
    (void)state;
    dnnl_primitive_attr_t attr;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    dnnl_primitive_desc_t library = new_matmul(NULL), user = new_matmul(attr);
    int64_t bytes;
    QUERY(library, memory_consumption_s64, bytes);
    assert_int_equal(bytes, library->pd->scratchpad_size);
    assert_true(md_is_zero(dnnl_primitive_desc_query_md(library, dnnl_query_scratchpad_md, 0)));
    QUERY(user, memory_consumption_s64, bytes);
    assert_int_equal(bytes, 0);
    const md_t *md = dnnl_primitive_desc_query_md(user, dnnl_query_scratchpad_md, 0);
    assert_int_equal(md_size(md, 0), user->pd->scratchpad_size);
    assert_int_equal(count(user, true), 1);
    destroy(library);
    destroy(user);
    OK(dnnl_primitive_attr_destroy(attr));
}

static void check_info(dnnl_primitive_desc_t pd, const char *pattern) {
    regex_t regex;
    const char *info = pd_info(pd->pd);
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    if (regexec(&regex, info, 0, NULL, 0) != 0) fail_msg("%s is not of the form %s", info, pattern);
    regfree(&regex);
    assert_ptr_equal(pd_info(pd->pd), info); /* made once */
    destroy(pd);
}

static void test_info(void **state) {
    (void)state;
    md_t a = F32(dnnl_ab, 2, 4, 5), t = F32(dnnl_ba, 2, 4, 5), row = F32(dnnl_ab, 2, 1, 5);
    md_t src = F32(dnnl_ab, 2, DNNL_RUNTIME_DIM_VAL, 3), wei = F32(dnnl_ab, 2, 3, 4),
         dst = F32(dnnl_ab, 2, DNNL_RUNTIME_DIM_VAL, 4);
    dnnl_primitive_desc_t pd;
    dnnl_primitive_attr_t attr;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    check_info(new_relu(attr), "^eltwise,ze:[a-z0-9:_]+,forward_inference,data:f32::blocked:ab::f0,"
                               "attr-scratchpad:user,alg:eltwise_relu alpha:0\\.5 beta:0,4x5$");
    check_info(new_matmul(NULL),
            "^matmul,ze:[a-z0-9:_]+,undef,src:f32::blocked:ab::f0 wei:f32::blocked:ba::f0 "
            "bia:f32::blocked:ab::f0_mask2 dst:f32::blocked:ab::f0,,,2x3:3x4$");
    OK(dnnl_binary_primitive_desc_create(&pd, engine, dnnl_binary_add, &a, &row, &a, NULL));
    check_info(pd, "^binary,ze:[a-z0-9:_]+,undef,src:f32::blocked:ab::f0 src:f32::blocked:ab::f0 "
                   "dst:f32::blocked:ab::f0,,alg:binary_add,4x5:1x5$");
    OK(dnnl_reorder_primitive_desc_create(&pd, &a, engine, &t, engine, NULL));
    check_info(pd,
            "^reorder,ze:[a-z0-9:_]+,undef,src:f32::blocked:ab::f0 dst:f32::blocked:ba::f0,,,4x5$");

    /* The line of an execution names what was open. */
    OK(dnnl_matmul_primitive_desc_create(&pd, engine, &src, &wei, NULL, &dst, NULL));
    md_t real_src = F32(dnnl_ab, 2, 7, 3), real_dst = F32(dnnl_ab, 2, 7, 4);
    const md_t *mds[16] = {NULL};
    mds[pd_find_arg(pd->pd, DNNL_ARG_SRC)] = &real_src;
    mds[pd_find_arg(pd->pd, DNNL_ARG_DST)] = &real_dst;
    char text[512];
    assert_true(pd_format(pd->pd, mds, text, sizeof(text)) < (int)sizeof(text));
    assert_non_null(strstr(text, ",runtime_dims_masks:1:0,7x3:3x4"));
    check_info(pd, "runtime_dims_masks:1:0,\\*x3:3x4$");
    OK(dnnl_reorder_primitive_desc_create(&pd, &src, engine, &src, engine, NULL));
    check_info(pd, ",runtime-dim-mask:1,\\*x3$");
    OK(dnnl_primitive_attr_destroy(attr));
}

/* One descriptor of each kind, the second argument: attributes with scales, then with post-ops. */
static dnnl_status_t make_matmul(dnnl_primitive_desc_t *pd, dnnl_primitive_attr_t const attrs[2]) {
    md_t src = F32(dnnl_ab, 2, 2, 3), wei = F32(dnnl_format_tag_any, 2, 3, 4),
         dst = F32(dnnl_ab, 2, 2, 4);
    return dnnl_matmul_primitive_desc_create(pd, engine, &src, &wei, NULL, &dst, attrs[0]);
}

static dnnl_status_t make_eltwise(dnnl_primitive_desc_t *pd, dnnl_primitive_attr_t const attrs[2]) {
    md_t src = F32(dnnl_ab, 2, 2, 4);
    return dnnl_eltwise_forward_primitive_desc_create(
            pd, engine, dnnl_forward_training, dnnl_eltwise_tanh, &src, &src, 0, 0, attrs[1]);
}

static dnnl_status_t make_binary(dnnl_primitive_desc_t *pd, dnnl_primitive_attr_t const attrs[2]) {
    md_t src = F32(dnnl_ab, 2, 2, 4), row = F32(dnnl_ab, 2, 1, 4), condition = src;
    condition.data_type = dnnl_s8;
    return dnnl_binary_primitive_desc_create_v2(
            pd, engine, dnnl_binary_select, &src, &row, &condition, &src, attrs[1]);
}

static dnnl_status_t make_reorder(dnnl_primitive_desc_t *pd, dnnl_primitive_attr_t const attrs[2]) {
    md_t src = F32(dnnl_ab, 2, 2, 4), dst = F32(dnnl_ba, 2, 2, 4);
    return dnnl_reorder_primitive_desc_create(pd, &src, engine, &dst, engine, attrs[0]);
}

static dnnl_status_t make_convolution(
        dnnl_primitive_desc_t *pd, dnnl_primitive_attr_t const attrs[2]) {
    md_t src = F32(dnnl_abcd, 4, 1, 3, 5, 5), wei = F32(dnnl_abcd, 4, 4, 3, 3, 3),
         dst = F32(dnnl_format_tag_any, 4, 1, 4, 3, 3);
    const dnnl_dims_t strides = {1, 1}, zero = {0, 0};
    return dnnl_convolution_forward_primitive_desc_create(pd, engine, dnnl_forward_inference,
            dnnl_convolution_direct, &src, &wei, NULL, &dst, strides, zero, zero, zero, attrs[0]);
}

static dnnl_status_t make_concat(dnnl_primitive_desc_t *pd, dnnl_primitive_attr_t const attrs[2]) {
    md_t src = F32(dnnl_ab, 2, 2, 4);
    const_dnnl_memory_desc_t two[] = {&src, &src};
    (void)attrs;
    return dnnl_concat_primitive_desc_create(pd, engine, NULL, 2, 1, two, NULL);
}

static dnnl_status_t make_sum(dnnl_primitive_desc_t *pd, dnnl_primitive_attr_t const attrs[2]) {
    md_t src = F32(dnnl_ab, 2, 2, 4);
    const_dnnl_memory_desc_t two[] = {&src, &src};
    const float factors[] = {2, 3};
    (void)attrs;
    return dnnl_sum_primitive_desc_create(pd, engine, NULL, 2, factors, two, NULL);
}

typedef dnnl_status_t (*make_t)(dnnl_primitive_desc_t *pd, dnnl_primitive_attr_t const attrs[2]);

/* Each allocation of a constructor fails in turn. */
static void starve(make_t make, dnnl_primitive_attr_t const attrs[2]) {
    const long live = atomic_load(&dz_alloc_live);
    int failures = 0;
    for (long n = 1;; n++) {
        dnnl_primitive_desc_t pd = NULL;
        atomic_store(&dz_alloc_fail_after, n);
        const dnnl_status_t status = make(&pd, attrs);
        atomic_store(&dz_alloc_fail_after, 0);
        if (status == dnnl_success) {
            destroy(pd);
            break;
        }
        failures++;
        assert_int_equal(status, dnnl_out_of_memory);
        assert_null(pd);
        assert_int_equal(atomic_load(&dz_alloc_live), live);
    }
    assert_true(failures >= 4);
    assert_int_equal(atomic_load(&dz_alloc_live), live);
}

static void test_no_memory(void **state) {
    (void)state;
    static const make_t makes[] = {make_matmul, make_eltwise, make_binary, make_reorder,
            make_convolution, make_concat, make_sum};
    dnnl_primitive_attr_t attrs[2];
    dnnl_post_ops_t ops;
    md_t row = F32(dnnl_ab, 2, 1, 4);
    for (int i = 0; i < 2; i++) OK(dnnl_primitive_attr_create(&attrs[i]));
    OK(dnnl_primitive_attr_set_scales_mask(attrs[0], DNNL_ARG_SRC, 0));
    OK(dnnl_post_ops_create(&ops));
    OK(dnnl_post_ops_append_sum(ops, 1, 0, dnnl_data_type_undef));
    OK(dnnl_post_ops_append_binary(ops, dnnl_binary_add, &row));
    OK(dnnl_post_ops_append_prelu(ops, 2));
    OK(dnnl_primitive_attr_set_post_ops(attrs[1], ops));
    OK(dnnl_primitive_attr_set_scratchpad_mode(attrs[1], dnnl_scratchpad_mode_user));
    OK(dnnl_set_primitive_cache_capacity(0)); /* so that each round starts afresh */
    for (size_t i = 0; i < sizeof(makes) / sizeof(makes[0]); i++) starve(makes[i], attrs);
    OK(dnnl_set_primitive_cache_capacity(1024));
    OK(dnnl_post_ops_destroy(ops));
    for (int i = 0; i < 2; i++) OK(dnnl_primitive_attr_destroy(attrs[i]));
}

enum { THREADS = 4, ROUNDS = 200 };

/* Creates, looks at and destroys descriptors of a few shapes; arg: where to note a failure. */
static void *create_many(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        md_t md;
        dnnl_primitive_desc_t pd = NULL;
        const dnnl_dim_t dims[] = {1 + i % 5, 7};
        bool ok = md_init_tag(&md, 2, dims, dnnl_f32, dnnl_ab) == dnnl_success;
        ok = ok && dnnl_eltwise_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                           dnnl_eltwise_tanh, &md, &md, 0, 0, NULL) == dnnl_success;
        ok = ok && md_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0), &md);
        ok = ok && strncmp(pd_info(pd->pd), "eltwise,", 8) == 0;
        if (!ok) *(bool *)arg = true;
        if (i % 50 == 0) lru_clear(pd_cache());
        dnnl_primitive_desc_destroy(pd);
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    pthread_t thread[THREADS];
    bool failed[THREADS] = {false};
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, create_many, &failed[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) assert_false(failed[i]);
}

static int teardown(void **state) {
    (void)state;
    return dnnl_engine_destroy(engine) != dnnl_success || lru_size(pd_cache()) != 0;
}

/* Weights of one row are equal in both layouts, and the kernels that read them differ. Where two
 * descriptors answer one identifier, each can be made from the other's blob. */
static void test_blob_id(void **state) {
    (void)state;
    const dnnl_format_tag_t layout[2] = {dnnl_ab, dnnl_ba};
    const md_t src = F32(dnnl_ab, 2, 1, 1), dst = F32(dnnl_ab, 2, 1, 200);
    dnnl_primitive_desc_t pd[2];
    const uint8_t *id[2];
    int64_t size;
    int capacity;
    OK(dnnl_get_primitive_cache_capacity(&capacity));
    OK(dnnl_set_primitive_cache_capacity(0));
    for (int i = 0; i < 2; i++) {
        const md_t wei = F32(layout[i], 2, 1, 200);
        OK(dnnl_matmul_primitive_desc_create(&pd[i], engine, &src, &wei, NULL, &dst, NULL));
        QUERY(pd[i], cache_blob_id, id[i]);
    }
    QUERY(pd[0], cache_blob_id_size_s64, size);
    dnnl_primitive_t primitive;
    size_t bytes;
    OK(dnnl_primitive_create(&primitive, pd[0]));
    OK(dnnl_primitive_get_cache_blob(primitive, &bytes, NULL));
    uint8_t *blob = malloc(bytes);
    OK(dnnl_primitive_get_cache_blob(primitive, &bytes, blob));
    OK(dnnl_primitive_destroy(primitive));
    for (int i = 0; i < 2; i++) {
        if (memcmp(id[i], id[0], (size_t)size)) continue;
        OK(dnnl_primitive_create_from_cache_blob(&primitive, pd[i], bytes, blob));
        OK(dnnl_primitive_destroy(primitive));
    }
    free(blob);
    destroy(pd[0]);
    destroy(pd[1]);
    OK(dnnl_set_primitive_cache_capacity(capacity));
}

int main(void) {
    if (dnnl_engine_create(&engine, dnnl_gpu, 0) != dnnl_success) {
        puts("There is no device.");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_common_queries),
            cmocka_unit_test(test_descriptors), cmocka_unit_test(test_matmul),
            cmocka_unit_test(test_binary), cmocka_unit_test(test_reorder),
            cmocka_unit_test(test_reorder_of_nothing), cmocka_unit_test(test_layer_norm_statistics),
            cmocka_unit_test(test_resampling_factors), cmocka_unit_test(test_refused_arguments),
            cmocka_unit_test(test_hints), cmocka_unit_test(test_every_kind),
            cmocka_unit_test(test_clone_and_next_impl), cmocka_unit_test(test_cache),
            cmocka_unit_test(test_engine_takes_its_descriptors_along),
            cmocka_unit_test(test_scratchpad), cmocka_unit_test(test_blob_id),
            cmocka_unit_test(test_info), cmocka_unit_test(test_no_memory),
            cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, teardown);
}
