/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time dimensions and strides (cases/runtime.txt). */
#include <stdlib.h>

#include "case_run.h"
#include "cases.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_norm.h"
#include "test_main.h"

#define OK(call) assert_int_equal(call, dnnl_success)

static void test_sizes(void **unused) {
    (void)unused;
    cases_each("runtime", "sizes", "", cases_run_actual);
}

/* ---- what no line describes ---- */

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

/* Runs a copy of the handle with source and destination of these dims. */
static void run(dnnl_primitive_desc_t handle, const md_t *md) {
    case_t c;
    dnnl_primitive_desc_t copy;
    OK(dnnl_primitive_desc_clone(&copy, handle));
    assert_true(case_open(&c, copy, dnnl_success));
    const md_t **mds = calloc((size_t)c.pd->nargs, sizeof(*mds));
    assert_non_null(mds);
    mds[pd_find_arg(c.pd, DNNL_ARG_SRC)] = mds[pd_find_arg(c.pd, DNNL_ARG_DST)] = md;
    case_fill(&c, mds);
    case_run(&c);
    case_check(&c, ref_softmax);
    case_close(&c);
    free(mds);
}

/* With the primitive cache: all shapes belong to one primitive, and there are more of them
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
        run(pd, &md);
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

TEST_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_many_shapes),
        cmocka_unit_test(test_broken_promises))
