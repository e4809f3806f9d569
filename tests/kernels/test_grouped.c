/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "matmul_grouped" (cases/grouped.txt). */
#include <string.h>

#include "buffers.h"
#include "case_run.h"
#include "cases.h"
#include "core/util.h"
#include "dry.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_sections(void) {
    cases_run("grouped", "products");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("matmul_grouped", run_sections);
}

static void test_line_refusals(void **unused) {
    (void)unused;
    cases_check_refusals("grouped", "refusals");
}

/* ---- what no line describes ---- */

typedef struct {
    md_t md;
    dnnl_memory_t memory;
} array_t;

static array_t plain(dnnl_data_type_t dt, const char *tag, int ndims, const dnnl_dim_t *dims) {
    return (array_t){.md = make_md(dt, tag, ndims, dims)};
}

static array_t grouped(
        dnnl_data_type_t dt, dnnl_dim_t rows, dnnl_dim_t cols, int variable, int groups) {
    array_t a = {0};
    assert_int_equal(
            md_init_grouped(&a.md, 2, (dnnl_dims_t){rows, cols}, dt, variable, groups, dnnl_s32),
            0);
    return a;
}

static void fill(array_t *a) {
    a->memory = buffers_new(&a->md);
    uint8_t *data = buffers_map(a->memory, 0);
    memset(data, 0, md_size(&a->md, 0));
    buffers_unmap(a->memory, data, 0);
}

/* With ends that are unsorted, negative or beyond the matrix, any result is right, but nothing
 * outside of the tensors may be accessed. */
static void test_wrong_ends(void **unused) {
    (void)unused;
    if (is_dry) return;
    static const int32_t ends[][3] = {{9, 2, 5}, {-4, -1, 100000}, {INT32_MAX, INT32_MIN, 0}};
    for (int split_k = 0; split_k < 2; split_k++) {
        array_t src = grouped(dnnl_f32, split_k ? 4 : 10, split_k ? 10 : 4, split_k, 3);
        array_t wei =
                split_k ? grouped(dnnl_f32, 10, 20, 0, 3) : plain(dnnl_f32, "abc", D(3, 4, 20));
        array_t dst =
                split_k ? plain(dnnl_f32, "abc", D(3, 4, 20)) : grouped(dnnl_f32, 10, 20, 0, 3);
        array_t *all[] = {&src, &wei, &dst};
        dnnl_primitive_desc_t pd;
        dnnl_primitive_t primitive;
        dnnl_stream_t stream;
        assert_int_equal(dnnl_matmul_primitive_desc_create(
                                 &pd, harness_engine, &src.md, &wei.md, NULL, &dst.md, NULL),
                0);
        assert_int_equal(dnnl_primitive_create(&primitive, pd), 0);
        assert_int_equal(dnnl_stream_create(&stream, harness_engine, dnnl_stream_default_flags), 0);
        for (int i = 0; i < 3; i++) fill(all[i]);
        for (int e = 0; e < ARRAY_LEN(ends); e++) {
            for (int i = 0; i < 3; i++)
                if (md_is_grouped(&all[i]->md)) buffers_write(all[i]->memory, 1, ends[e], 3);
            const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src.memory},
                    {DNNL_ARG_WEIGHTS, wei.memory}, {DNNL_ARG_DST, dst.memory}};
            assert_int_equal(dnnl_primitive_execute(primitive, stream, 3, args), 0);
            assert_int_equal(dnnl_stream_wait(stream), 0);
        }
        for (int i = 0; i < 3; i++) dnnl_memory_destroy(all[i]->memory);
        dnnl_stream_destroy(stream);
        dnnl_primitive_destroy(primitive);
        dnnl_primitive_desc_destroy(pd);
    }
}

#define MATMUL(src, wei, bias, dst, attr)                                                          \
    dnnl_matmul_primitive_desc_create(                                                             \
            &pd, harness_engine, &(src).md, &(wei).md, bias, &(dst).md, attr)

/* Tensors whose dimensions contradict each other. */
static void test_dimensions(void **unused) {
    (void)unused;
    dnnl_primitive_desc_t pd = NULL;
    const array_t src = grouped(dnnl_f32, 10, 4, 0, 3), dst = grouped(dnnl_f32, 10, 20, 0, 3),
                  wei = plain(dnnl_f32, "abc", D(3, 4, 20)),
                  more_rows = grouped(dnnl_f32, 11, 20, 0, 3),
                  flat = plain(dnnl_f32, "ab", D(4, 20)),
                  wrong_bias = plain(dnnl_f32, "ab", D(1, 20));
    assert_int_equal(MATMUL(src, wei, NULL, more_rows, NULL), dnnl_invalid_arguments);
    assert_int_equal(MATMUL(src, wei, &wrong_bias.md, dst, NULL), dnnl_invalid_arguments);
    assert_int_equal(MATMUL(src, flat, NULL, flat, NULL), dnnl_unimplemented);
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    assert_int_equal(dnnl_primitive_attr_create(&attr), 0);
    assert_int_equal(dnnl_post_ops_create(&ops), 0);
    assert_int_equal(dnnl_post_ops_append_binary(ops, dnnl_binary_mul, &flat.md), 0);
    assert_int_equal(dnnl_primitive_attr_set_post_ops(attr, ops), 0);
    assert_int_equal(MATMUL(src, wei, NULL, dst, attr), dnnl_invalid_arguments);
    dnnl_post_ops_destroy(ops);
    assert_int_equal(dnnl_primitive_attr_destroy(attr), 0);
    assert_null(pd);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_line_refusals),
        cmocka_unit_test(test_wrong_ends), cmocka_unit_test(test_dimensions))
