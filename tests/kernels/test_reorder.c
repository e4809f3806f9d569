/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "elementwise" as reorder (cases/reorder.txt): types, layouts, views of
 * tensors, quantisation, run-time dims. */
#include "cases.h"
#include "core/memory_desc_impl.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_data.h"
#include "test_main.h"

static void run(const md_t *src, const md_t *dst, const_dnnl_primitive_attr_t attr, double range) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = dnnl_reorder_primitive_desc_create(
            &pd, src, harness_engine, dst, harness_engine, hinted(attr));
    case_all(pd, status, ref_reorder, -range, range);
}

/* A part of a tensor: it has an offset and the strides of the whole tensor, and the bytes in
 * between do not change. */
static void views(void) {
    static const struct {
        const char *tag;
        dnnl_dim_t dims[3], offsets[3];
    } parts[] = {
            {"abc", {3, 5, 11}, {1, 2, 6}},
            {"cab", {3, 5, 11}, {1, 2, 6}},
            {"aBc8b", {3, 8, 17}, {1, 8, 0}},
            {"aBc8b", {3, 13, 17}, {1, 8, 0}},
            {"aBc8b", {3, 3, 17}, {0, 8, 0}},
    };
    for (int i = 0; i < ARRAY_LEN(parts); i++) {
        md_t whole = make_md(dnnl_f32, parts[i].tag, D(4, 21, 17)), part, dense;
        assert_int_equal(
                md_init_submemory(&part, &whole, parts[i].dims, parts[i].offsets), dnnl_success);
        dense = make_md(dnnl_bf16, "abc", 3, parts[i].dims);
        run(&part, &dense, NULL, 4);
        run(&dense, &part, NULL, 4);
    }
    /* bytes that are copied in fours, at odd addresses */
    const md_t whole = make_md(dnnl_s8, "ba", D(76, 83)),
               panels = make_md(dnnl_s8, "BA2b16a16b4a", D(72, 83));
    md_t part;
    assert_int_equal(
            md_init_submemory(&part, &whole, panels.dims, (dnnl_dims_t){1, 0}), dnnl_success);
    run(&part, &panels, NULL, 100);
    run(&panels, &part, NULL, 100);
}

static void runtime(void) {
    dnnl_dim_t unknown[3] = {DNNL_RUNTIME_DIM_VAL, 17, DNNL_RUNTIME_DIM_VAL}, strides[3];
    for (int d = 0; d < 3; d++) strides[d] = DNNL_RUNTIME_DIM_VAL;
    md_t src, dst;
    assert_int_equal(md_init_strides(&src, 3, unknown, dnnl_f32, strides), dnnl_success);
    assert_int_equal(md_init_strides(&dst, 3, unknown, dnnl_s8, strides), dnnl_success);
    static const struct {
        const char *src, *dst;
        dnnl_dim_t dims[3];
    } shapes[] = {
            {"abc", "abc", {3, 17, 5}}, {"cab", "+abc", {2, 17, 33}}, {"abc", "abc", {0, 17, 3}}};
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        dnnl_primitive_desc_t pd = NULL;
        dnnl_status_t status = dnnl_reorder_primitive_desc_create(
                &pd, &src, harness_engine, &dst, harness_engine, hinted(NULL));
        case_t c;
        if (!case_open(&c, pd, status)) return;
        md_t real_src = make_md(dnnl_f32, shapes[i].src, 3, shapes[i].dims);
        md_t real_dst = make_md(dnnl_s8, shapes[i].dst, 3, shapes[i].dims);
        const md_t *mds[2] = {&real_src, &real_dst};
        case_fill(&c, mds);
        case_run(&c);
        case_check(&c, ref_reorder);
        case_close(&c);
    }
}

static void run_sections(void) {
    cases_run("reorder", "types");
    cases_run("reorder", "layouts");
    cases_run("reorder", "transposed");
    cases_run("reorder", "quantisation_masks");
    cases_run("reorder", "quantisation");
    cases_run("reorder", "whole");
    views();
    runtime();
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("elementwise", run_sections);
}

/* Compensation after the data: it is skipped in a source that has it for a GPU, and
 * refused otherwise. */
static void test_extra(void **unused) {
    (void)unused;
    const md_t plain = make_md(dnnl_s8, "abcd", D(6, 5, 3, 3));
    for (int bit = 0; bit < 8; bit++) {
        md_t with = make_md(dnnl_s8, "ABcd4a4b", D(6, 5, 3, 3));
        const uint64_t flag = 1u << bit;
        const bool gpu = flag & MD_EXTRA_COMP_GPU_ASYMM_SRC;
        dnnl_primitive_desc_t pd = NULL;
        with.extra.flags = flag;
        with.extra.compensation_mask = with.extra.asymm_compensation_mask = 1;
        with.extra.scale_adjust = 0.5f;
        with.extra.dst_size = 512;
        assert_int_equal(dnnl_reorder_primitive_desc_create(
                                 &pd, &plain, harness_engine, &with, harness_engine, NULL),
                dnnl_unimplemented);
        if (gpu) run(&with, &plain, NULL, 100);
        else if (flag < MD_EXTRA_COMP_GPU_ASYMM_SRC)
            assert_int_equal(dnnl_reorder_primitive_desc_create(
                                     &pd, &with, harness_engine, &plain, harness_engine, NULL),
                    dnnl_unimplemented);
        assert_null(pd);
    }
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_extra))
