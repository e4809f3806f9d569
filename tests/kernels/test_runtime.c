/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time dimensions and strides: one primitive of each kind that supports them, executed with
 * many shapes and layouts. */
#include <stdlib.h>
#include <string.h>

#include "case_run.h"
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "ops/verbose_columns.h"
#include "ref_conv.h"
#include "ref_matmul.h"
#include "ref_norm.h"
#include "test_main.h"

#define OK(call) assert_int_equal(call, dnnl_success)
enum { R = -1 }; /* a dimension that is not known */

/* Dimensions R are unknown, and if there is one, so are the strides. */
static md_t open_md(dnnl_data_type_t dt, int ndims, const int *dims) {
    md_t md;
    dnnl_dims_t d, strides;
    for (int i = 0; i < ndims; i++) {
        d[i] = dims[i] == R ? DNNL_RUNTIME_DIM_VAL : dims[i];
        strides[i] = DNNL_RUNTIME_DIM_VAL;
    }
    OK(md_init_strides(&md, ndims, d, dt, strides));
    return md;
}
#define OPEN(dt, ...)                                                                              \
    open_md(dt, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), (int[]){__VA_ARGS__})

/* The descriptors of a run, by argument. The other descriptors follow from the dimensions that
 * their run-time ones receive. */
typedef struct {
    int arg;
    md_t md;
} instance_t;

/* Runs a copy of the handle with these tensors. `sizes`: sizes of one-dimensional arguments without
 * a fixed size, in the order of pd->args. */
static void run(dnnl_primitive_desc_t handle, const instance_t *tensors, int n,
        const dnnl_dim_t *sizes, ref_value_t (*reference)(const ref_t *, const dnnl_dim_t *)) {
    case_t c;
    dnnl_primitive_desc_t copy;
    OK(dnnl_primitive_desc_clone(&copy, handle));
    assert_true(case_open(&c, copy, dnnl_success));
    md_t *made = calloc((size_t)c.pd->nargs, sizeof(*made));
    const md_t **mds = calloc((size_t)c.pd->nargs, sizeof(*mds));
    for (int i = 0; i < c.pd->nargs; i++) {
        for (int t = 0; t < n; t++)
            if (tensors[t].arg == c.pd->args[i].arg) mds[i] = &tensors[t].md;
        const md_t *open = &c.pd->args[i].md;
        if (mds[i] || !md_has_runtime_dims_or_strides(open)) continue;
        assert_int_equal(open->ndims, 1);
        assert_non_null(sizes);
        made[i] = make_md(open->data_type, "a", 1, sizes++);
        mds[i] = &made[i];
    }
    case_fill(&c, mds);
    case_run(&c);
    case_check(&c, reference);
    case_close(&c);
    free(made);
    free(mds);
}

static const dnnl_dim_t shapes[][2] = {{3, 5}, {1, 1}, {70, 33}, {0, 4}, {3, 5}, {19, 128}};

static dnnl_primitive_attr_t with_binary(dnnl_alg_kind_t alg, const md_t *operand) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t po;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_post_ops_create(&po));
    OK(dnnl_post_ops_append_eltwise(po, dnnl_eltwise_relu, 0.5f, 0));
    OK(dnnl_post_ops_append_binary(po, alg, operand));
    OK(dnnl_primitive_attr_set_post_ops(attr, po));
    OK(dnnl_post_ops_destroy(po));
    return attr;
}

static void test_softmax(void **unused) {
    (void)unused;
    md_t open = OPEN(dnnl_f32, R, R), operand = make_md(dnnl_f32, "ab", D(1, 1));
    dnnl_primitive_attr_t attr = with_binary(dnnl_binary_add, &operand);
    dnnl_primitive_desc_t pd;
    OK(dnnl_softmax_forward_primitive_desc_create(
            &pd, harness_engine, dnnl_forward_inference, dnnl_softmax_log, &open, &open, 1, attr));
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        md_t src = make_md(dnnl_f32, i & 1 ? "ba" : "+ab", 2, shapes[i]),
             dst = make_md(dnnl_f32, "ab", 2, shapes[i]);
        run(pd, (instance_t[]){{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}}, 2, NULL, ref_softmax);
    }
    OK(dnnl_primitive_desc_destroy(pd));
    OK(dnnl_primitive_attr_destroy(attr));
}

static void test_layer_normalization(void **unused) {
    (void)unused;
    md_t open = OPEN(dnnl_f32, R, R, R);
    dnnl_primitive_desc_t pd;
    OK(dnnl_layer_normalization_forward_primitive_desc_create(&pd, harness_engine,
            dnnl_forward_training, &open, &open, NULL, 1e-3f, dnnl_use_scale | dnnl_use_shift,
            NULL));
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        md_t md = make_md(dnnl_f32, i & 1 ? "abc" : "acb", D(2, shapes[i][0], shapes[i][1]));
        md_t stat = make_md(dnnl_f32, "ab", D(2, shapes[i][0]));
        run(pd,
                (instance_t[]){{DNNL_ARG_SRC, md}, {DNNL_ARG_DST, md}, {DNNL_ARG_MEAN, stat},
                        {DNNL_ARG_VARIANCE, stat}},
                4, (dnnl_dim_t[]){shapes[i][1], shapes[i][1]}, ref_layer_norm);
    }
    OK(dnnl_primitive_desc_destroy(pd));
}

static void test_binary(void **unused) {
    (void)unused;
    md_t a = OPEN(dnnl_f32, R, R), b = OPEN(dnnl_s8, 1, R);
    dnnl_primitive_attr_t attr;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC_1, 0));
    dnnl_primitive_desc_t pd;
    OK(dnnl_binary_primitive_desc_create(&pd, harness_engine, dnnl_binary_mul, &a, &b, &a, attr));
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        md_t src = make_md(dnnl_f32, i & 1 ? "ab" : "ba", 2, shapes[i]),
             dst = make_md(dnnl_f32, "ab", 2, shapes[i]);
        md_t row = make_md(dnnl_s8, "ab", D(1, shapes[i][1]));
        run(pd, (instance_t[]){{DNNL_ARG_SRC, src}, {DNNL_ARG_SRC_1, row}, {DNNL_ARG_DST, dst}}, 3,
                NULL, ref_binary_fwd);
    }
    OK(dnnl_primitive_desc_destroy(pd));
    OK(dnnl_primitive_attr_destroy(attr));
}

static void test_inner_product(void **unused) {
    (void)unused;
    static const dnnl_data_type_t dts[] = {dnnl_f32, dnnl_s8};
    for (int t = 0; t < 2; t++) {
        md_t src = OPEN(dts[t], R, R, 3), wei = OPEN(dts[t], 37, R, 3), dst = OPEN(dnnl_f32, R, 37);
        md_t bias = make_md(dnnl_f32, "a", D(37));
        dnnl_primitive_attr_t attr;
        OK(dnnl_primitive_attr_create(&attr));
        if (t) OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 1));
        dnnl_primitive_desc_t pd;
        OK(dnnl_inner_product_forward_primitive_desc_create(
                &pd, harness_engine, dnnl_forward_inference, &src, &wei, &bias, &dst, attr));
        const char *problem = strrchr(pd_info(case_pd(pd)), ',');
        assert_string_equal(problem, ",mb*ic*iw3oc37");
        for (int i = 0; i < ARRAY_LEN(shapes); i++) {
            const char *tag = i & 1 ? "abc" : "acb";
            const dnnl_dim_t mb = shapes[i][0], ic = shapes[i][1];
            run(pd,
                    (instance_t[]){{DNNL_ARG_SRC, make_md(dts[t], tag, D(mb, ic, 3))},
                            {DNNL_ARG_WEIGHTS, make_md(dts[t], tag, D(37, ic, 3))},
                            {DNNL_ARG_DST, make_md(dnnl_f32, i & 2 ? "ab" : "ba", D(mb, 37))}},
                    3, NULL, ref_inner_product);
        }
        OK(dnnl_primitive_desc_destroy(pd));
        OK(dnnl_primitive_attr_destroy(attr));
    }
}

static void test_matmul(void **unused) {
    (void)unused;
    static const dnnl_data_type_t dts[] = {dnnl_f32, dnnl_s8};
    for (int t = 0; t < 2; t++) {
        md_t src = OPEN(dts[t], R, R), wei = OPEN(dts[t], R, R), dst = OPEN(dnnl_f32, R, R);
        md_t row = make_md(dnnl_f32, "ab", D(1, 1));
        dnnl_primitive_attr_t attr = with_binary(dnnl_binary_mul, &row);
        if (t) OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 2));
        if (t) OK(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, 0));
        dnnl_primitive_desc_t pd;
        OK(dnnl_matmul_primitive_desc_create(&pd, harness_engine, &src, &wei, NULL, &dst, attr));
        for (int i = 0; i < ARRAY_LEN(shapes); i++) {
            const dnnl_dim_t m = shapes[i][0], n = shapes[i][1], k = 29;
            run(pd,
                    (instance_t[]){{DNNL_ARG_SRC, make_md(dts[t], i & 1 ? "ab" : "ba", D(m, k))},
                            {DNNL_ARG_WEIGHTS, make_md(dts[t], i & 2 ? "ab" : "ba", D(k, n))},
                            {DNNL_ARG_DST, make_md(dnnl_f32, "ab", D(m, n))}},
                    3, (dnnl_dim_t[]){n}, ref_matmul);
        }
        OK(dnnl_primitive_desc_destroy(pd));
        OK(dnnl_primitive_attr_destroy(attr));
    }
}

static void test_reorder(void **unused) {
    (void)unused;
    md_t src = OPEN(dnnl_f32, R, R), dst = OPEN(dnnl_s8, R, R);
    dnnl_primitive_attr_t attr;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 2));
    OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 3));
    OK(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 1));
    dnnl_primitive_desc_t pd;
    OK(dnnl_reorder_primitive_desc_create(&pd, &src, harness_engine, &dst, harness_engine, attr));
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        const dnnl_dim_t m = shapes[i][0], n = shapes[i][1];
        run(pd,
                (instance_t[]){{DNNL_ARG_SRC, make_md(dnnl_f32, i & 1 ? "ab" : "ba", 2, shapes[i])},
                        {DNNL_ARG_DST, make_md(dnnl_s8, "ab", 2, shapes[i])}},
                2, (dnnl_dim_t[]){n, m * n, m}, ref_reorder);
    }
    OK(dnnl_primitive_desc_destroy(pd));
    OK(dnnl_primitive_attr_destroy(attr));
}

/* The same with the primitive cache: all shapes belong to one primitive, and there are more of them
 * than it keeps. */
static void test_many_shapes(void **unused) {
    (void)unused;
    OK(dnnl_set_primitive_cache_capacity(4));
    md_t open = OPEN(dnnl_f32, R, R);
    dnnl_primitive_desc_t pd;
    OK(dnnl_softmax_forward_primitive_desc_create(&pd, harness_engine, dnnl_forward_inference,
            dnnl_softmax_accurate, &open, &open, 1, NULL));
    dnnl_primitive_t held;
    OK(dnnl_primitive_create(&held, pd));
    for (int i = 0; i < 80; i++) {
        md_t md = make_md(dnnl_f32, "ab", D(1 + i % 40, 7));
        run(pd, (instance_t[]){{DNNL_ARG_SRC, md}, {DNNL_ARG_DST, md}}, 2, NULL, ref_softmax);
    }
    OK(dnnl_primitive_destroy(held));
    OK(dnnl_primitive_desc_destroy(pd));
    OK(dnnl_set_primitive_cache_capacity(0));
}

/* Tensors that differ from the described ones are refused at execution. */
static void test_broken_promises(void **unused) {
    (void)unused;
    md_t open = OPEN(dnnl_f32, R, 5);
    dnnl_primitive_desc_t pd;
    OK(dnnl_softmax_forward_primitive_desc_create(&pd, harness_engine, dnnl_forward_inference,
            dnnl_softmax_accurate, &open, &open, 1, NULL));
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    OK(dnnl_primitive_create(&primitive, pd));
    OK(dnnl_stream_create(&stream, harness_engine, dnnl_stream_default_flags));
    const struct {
        md_t src, dst;
        dnnl_status_t status;
    } cases[] = {
            {make_md(dnnl_f32, "ab", D(3, 5)), make_md(dnnl_f32, "ab", D(3, 5)), dnnl_success},
            {make_md(dnnl_f32, "ab", D(3, 6)), make_md(dnnl_f32, "ab", D(3, 6)),
                    dnnl_invalid_arguments},
            {make_md(dnnl_f32, "ab", D(3, 5)), make_md(dnnl_f32, "ab", D(4, 5)),
                    dnnl_invalid_arguments},
            {make_md(dnnl_f16, "ab", D(3, 5)), make_md(dnnl_f32, "ab", D(3, 5)),
                    dnnl_invalid_arguments},
            {make_md(dnnl_f32, "abc", D(3, 5, 1)), make_md(dnnl_f32, "ab", D(3, 5)),
                    dnnl_invalid_arguments},
    };
    for (int i = 0; i < ARRAY_LEN(cases); i++) {
        dnnl_memory_t src, dst;
        OK(dnnl_memory_create(&src, &cases[i].src, harness_engine, DNNL_MEMORY_ALLOCATE));
        OK(dnnl_memory_create(&dst, &cases[i].dst, harness_engine, DNNL_MEMORY_ALLOCATE));
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
        assert_int_equal(case_submit(primitive, stream, 2, args), cases[i].status);
        OK(dnnl_memory_destroy(src));
        OK(dnnl_memory_destroy(dst));
    }
    OK(dnnl_stream_destroy(stream));
    OK(dnnl_primitive_destroy(primitive));
    OK(dnnl_primitive_desc_destroy(pd));

    md_t known = make_md(dnnl_f32, "ab", D(3, 5)), other = OPEN(dnnl_f32, R, 6);
    assert_int_equal(dnnl_softmax_forward_primitive_desc_create(&pd, harness_engine,
                             dnnl_forward_inference, dnnl_softmax_accurate, &open, &other, 1, NULL),
            dnnl_invalid_arguments);
    assert_int_equal(dnnl_softmax_forward_primitive_desc_create(&pd, harness_engine,
                             dnnl_forward_inference, dnnl_softmax_accurate, &known, &open, 1, NULL),
            dnnl_invalid_arguments);
}

TEST_MAIN(cmocka_unit_test(test_softmax), cmocka_unit_test(test_layer_normalization),
        cmocka_unit_test(test_binary), cmocka_unit_test(test_inner_product),
        cmocka_unit_test(test_matmul), cmocka_unit_test(test_reorder),
        cmocka_unit_test(test_many_shapes), cmocka_unit_test(test_broken_promises))
