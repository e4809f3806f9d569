/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "matmul_sparse" (cases/sparse.txt). */
#include "buffers.h"
#include "cases.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_sections(void) {
    cases_run("sparse", "products");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("matmul_sparse", run_sections);
}

static void test_refusals(void **unused) {
    (void)unused;
    cases_check_refusals("sparse", "refusals");
}

/* ---- what no line describes ---- */

static dnnl_status_t create(
        dnnl_primitive_desc_t *pd, const md_t *src, const md_t *wei, const md_t *dst) {
    return dnnl_matmul_primitive_desc_create(pd, harness_engine, src, wei, NULL, dst, NULL);
}

static md_t make_sparse(dnnl_sparse_encoding_t encoding, dnnl_dim_t nnz) {
    md_t md;
    const dnnl_dims_t dims = {4, 4};
    const dnnl_status_t status =
            encoding == dnnl_csr ? md_init_csr(&md, 2, dims, dnnl_f32, nnz, dnnl_s32, dnnl_s32)
                                 : md_init_coo(&md, 2, dims, dnnl_f32, nnz, dnnl_s32);
    assert_int_equal(status, dnnl_success);
    return md;
}

/* The dense matrices have another number of dimensions than the sparse one. */
static void test_dimensions(void **unused) {
    (void)unused;
    dnnl_primitive_desc_t pd = NULL;
    const md_t csr = make_sparse(dnnl_csr, 3), batch = make_md(dnnl_f32, "abc", D(2, 4, 4));
    assert_int_equal(create(&pd, &csr, &batch, &batch), dnnl_invalid_arguments);
    assert_null(pd);
}

/* Memory objects with fewer entries, of another encoding, or without one of the arrays. */
static void test_memory(void **unused) {
    (void)unused;
    const dnnl_dims_t dims = {4, 4};
    const md_t csr = make_sparse(dnnl_csr, 3), fewer = make_sparse(dnnl_csr, 2);
    const md_t coo = make_sparse(dnnl_coo, 3), f32 = make_md(dnnl_f32, "ab", 2, dims);
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    assert_int_equal(create(&pd, &csr, &f32, &f32), 0);
    assert_int_equal(dnnl_primitive_create(&primitive, pd), 0);
    assert_int_equal(dnnl_stream_create(&stream, harness_engine, dnnl_stream_default_flags), 0);
    dnnl_memory_t dense = buffers_new(&f32), dst = buffers_new(&f32);
    const md_t *const wrong[] = {&fewer, &coo, &f32, &csr, &csr, &csr};
    for (int i = 0; i < ARRAY_LEN(wrong); i++) {
        dnnl_memory_t memory = buffers_new(wrong[i]);
        if (i >= 3)
            assert_int_equal(dnnl_memory_set_data_handle_v2(memory, DNNL_MEMORY_NONE, i - 3), 0);
        const dnnl_exec_arg_t args[] = {
                {DNNL_ARG_SRC, memory}, {DNNL_ARG_WEIGHTS, dense}, {DNNL_ARG_DST, dst}};
        assert_int_equal(
                dnnl_primitive_execute(primitive, stream, 3, args), dnnl_invalid_arguments);
        dnnl_memory_destroy(memory);
    }
    dnnl_memory_destroy(dense);
    dnnl_memory_destroy(dst);
    dnnl_stream_destroy(stream);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_dimensions), cmocka_unit_test(test_memory))
