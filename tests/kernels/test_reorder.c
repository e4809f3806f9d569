/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of family "elementwise" as reorder: types, layouts, views of tensors, quantisation, run-time
 * dims. */
#include "core/memory_desc_impl.h"
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static const dnnl_data_type_t all_types[] = {
        dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_s32, dnnl_s8, dnnl_u8, dnnl_f64};

static void run(const md_t *src, const md_t *dst, const_dnnl_primitive_attr_t attr, double range) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status =
            dnnl_reorder_primitive_desc_create(&pd, src, harness_engine, dst, harness_engine, attr);
    case_all(pd, status, ref_reorder, -range, range);
}

static void types(void) {
    for (int s = 0; s < ARRAY_LEN(all_types); s++)
        for (int d = 0; d < ARRAY_LEN(all_types); d++) {
            if (!sampled(s + d)) continue;
            md_t src = make_md(all_types[s], "ab", D(7, 43)),
                 dst = make_md(all_types[d], "ab", D(7, 43));
            run(&src, &dst, NULL, 300); /* out of range for the small types */
        }
}

static void layouts(void) {
    static const struct {
        const char *src, *dst;
        int ndims;
        dnnl_dim_t dims[6];
    } shapes[] = {
            {"a", "a", 1, {1}},
            {"ab", "ba", 2, {0, 3}},
            {"ab", "ba", 2, {64, 64}},
            {"ab", "ba", 2, {67, 131}},
            {"+ab", "ba", 2, {16, 33}},
            {"abc", "acb", 3, {3, 32, 48}},
            {"abc", "cba", 3, {17, 5, 31}},
            {"abcd", "acdb", 4, {2, 37, 5, 7}},
            {"acdb", "abcd", 4, {2, 37, 5, 7}},
            {"abcd", "aBcd16b", 4, {2, 37, 5, 7}},
            {"aBcd16b", "abcd", 4, {2, 37, 5, 7}},
            {"aBcd16b", "aBcd4b", 4, {2, 37, 5, 3}},
            {"aBcd16b", "aBcd16b", 4, {2, 37, 5, 3}},
            {"ab", "BA16a16b4a", 2, {70, 19}},
            {"BA16a16b4a", "+ab", 2, {70, 19}},
            {"abcd", "ABcd16b16a", 4, {17, 33, 3, 2}},
            {"ABcd16b16a", "ABcd16a16b", 4, {17, 33, 3, 2}},
            {"abcde", "Acdeb16a", 5, {9, 3, 2, 1, 4}},
            {"abcdef", "defabc", 6, {2, 3, 4, 2, 3, 5}},
            {"aBcd16b", "aBcd16b", 4, {3, 1, 2, 5}},
    };
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        md_t src = make_md(dnnl_f32, shapes[i].src, shapes[i].ndims, shapes[i].dims);
        md_t dst = make_md(dnnl_f32, shapes[i].dst, shapes[i].ndims, shapes[i].dims);
        run(&src, &dst, NULL, 4);
        src.data_type = dnnl_s8;
        run(&src, &dst, NULL, 4);
    }
}

/* Tiles that are transposed whole: long loops, panels of weights, few channels, and other types than those of
 * layouts(). */
static void transposed(void) {
    static const struct {
        const char *src, *dst;
        int ndims;
        dnnl_dim_t dims[4];
        dnnl_data_type_t src_dt, dst_dt;
    } shapes[] = {
            {"ab", "ba", 2, {150, 140}, dnnl_f16, dnnl_f16},
            {"ab", "ba", 2, {131, 260}, dnnl_u8, dnnl_bf16},
            {"ba", "+ab", 2, {40, 333}, dnnl_s8, dnnl_s8},
            {"acdb", "abcd", 4, {2, 3, 12, 16}, dnnl_f32, dnnl_f16},
            {"abcd", "acdb", 4, {2, 3, 12, 16}, dnnl_u8, dnnl_f32},
            {"abcd", "aBcd16b", 4, {2, 37, 12, 13}, dnnl_bf16, dnnl_s8},
            {"aBcd32b", "abcd", 4, {2, 37, 12, 13}, dnnl_bf16, dnnl_f16},
            {"ab", "BA2b16a16b2a", 2, {70, 83}, dnnl_f16, dnnl_f16},
            {"ab", "BA2b16a16b4a", 2, {70, 83}, dnnl_s8, dnnl_s8},
            {"ba", "BA2b16a16b4a", 2, {70, 83}, dnnl_s8, dnnl_s8},
            {"BA2b16a16b2a", "ba", 2, {70, 83}, dnnl_f16, dnnl_f32},
            {"abcd", "AcdB2a16b16a2b", 4, {33, 18, 3, 3}, dnnl_bf16, dnnl_bf16},
            {"abc", "acb", 3, {2, 130, 20}, dnnl_f8_e4m3, dnnl_f8_e5m2},
    };
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        md_t src = make_md(shapes[i].src_dt, shapes[i].src, shapes[i].ndims, shapes[i].dims);
        md_t dst = make_md(shapes[i].dst_dt, shapes[i].dst, shapes[i].ndims, shapes[i].dims);
        run(&src, &dst, NULL, 40);
    }
}

/* A part of a tensor: other offsets, strides of the whole, and bytes in between that stay as they are. */
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
    /* bytes that stay together in fours, at odd addresses */
    const md_t whole = make_md(dnnl_s8, "ba", D(76, 83)),
               panels = make_md(dnnl_s8, "BA2b16a16b4a", D(72, 83));
    md_t part;
    assert_int_equal(
            md_init_submemory(&part, &whole, panels.dims, (dnnl_dims_t){1, 0}), dnnl_success);
    run(&part, &panels, NULL, 100);
    run(&panels, &part, NULL, 100);
}

static void quantise(const md_t *src, const md_t *dst, int mask, bool src_too, bool sum) {
    dnnl_primitive_attr_t attr;
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    for (int arg = DNNL_ARG_SRC; arg <= DNNL_ARG_DST; arg += DNNL_ARG_DST - DNNL_ARG_SRC) {
        if (arg == DNNL_ARG_SRC && !src_too) continue;
        const md_t *md = arg == DNNL_ARG_SRC ? src : dst;
        assert_int_equal(dnnl_primitive_attr_set_scales_mask(attr, arg, mask), dnnl_success);
        if (dt_is_int(md->data_type))
            assert_int_equal(
                    dnnl_primitive_attr_set_zero_points_mask(attr, arg, mask), dnnl_success);
    }
    if (sum) {
        dnnl_post_ops_t post_ops;
        assert_int_equal(dnnl_post_ops_create(&post_ops), dnnl_success);
        assert_int_equal(
                dnnl_post_ops_append_sum(post_ops, 0.5f, 0, dnnl_data_type_undef), dnnl_success);
        assert_int_equal(dnnl_primitive_attr_set_post_ops(attr, post_ops), dnnl_success);
        dnnl_post_ops_destroy(post_ops);
    }
    run(src, dst, attr, 40);
    dnnl_primitive_attr_destroy(attr);
}

static void quantisation(void) {
    md_t f32 = make_md(dnnl_f32, "abc", D(3, 17, 5)), s8 = make_md(dnnl_s8, "aBc8b", D(3, 17, 5));
    md_t u8 = make_md(dnnl_u8, "acb", D(3, 17, 5)), s32 = make_md(dnnl_s32, "abc", D(3, 17, 5));
    for (int mask = 0; mask < 8; mask++)
        if (sampled(mask)) quantise(&f32, &s8, mask, true, false);
    quantise(&f32, &u8, 2, false, true);
    quantise(&s8, &u8, 2, true, true);
    quantise(&s32, &f32, 3, true, true);
    quantise(&f32, &f32, 0, false, true);
    quantise(&s32, &s32, 0, true, false);
    md_t image = make_md(dnnl_f32, "abcd", D(2, 20, 9, 15)),
         last = make_md(dnnl_u8, "acdb", D(2, 20, 9, 15));
    md_t blocks = make_md(dnnl_s8, "aBcd16b", D(2, 20, 9, 15));
    quantise(&image, &last, 2, true, true);
    quantise(&last, &image, 2, true, true);
    quantise(&image, &blocks, 2, false, true);
    quantise(&image, &blocks, 0, false, false);
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
                &pd, &src, harness_engine, &dst, harness_engine, NULL);
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

static void rows(void) {
    types();
    layouts();
    transposed();
    views();
    quantisation();
    runtime();
}

static void test_rows(void **unused) {
    (void)unused;
    for_each_variant("elementwise", rows);
}

/* Compensation behind the data: passed over in a source that has it for a GPU, refused otherwise. */
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

TEST_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_extra))
