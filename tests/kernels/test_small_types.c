/* SPDX-License-Identifier: Apache-2.0 */
/* Every conversion between the 8-bit and 4-bit types and the others: all codes, all bit patterns of
 * the 16-bit floats, all ties and their neighbours among the 32-bit floats, on every variant of
 * family "elementwise"; and the layouts of 4-bit types. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/util.h"
#include "dry.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

#define OK(call) assert_int_equal(call, dnnl_success)

static const dnnl_data_type_t small[] = {
        dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_f4_e2m1, dnnl_s4, dnnl_u4, dnnl_s8, dnnl_u8};
static const dnnl_data_type_t others[] = {dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_s32, dnnl_f64};

/* All variants share the code of conversions: two variants run all of them, and the others run
 * a part. */
static bool chosen(int i) {
    const char *row = variants[harness_hints.forced_variant].id;
    return !strcmp(row, "dense_cpu") || (!strcmp(row, "dense_portable") && i % 2) ||
           (i + harness_hints.forced_variant) % 5 == 0;
}

static bool same(dnnl_data_type_t dt, const void *a, const void *b, int64_t i) {
    const double x = ref_load(dt, a, i), y = ref_load(dt, b, i);
    return (isnan(x) && isnan(y)) || (x == y && !signbit(x) == !signbit(y));
}

/* Reorders n values and compares codes, including the signs of zeros. */
static void convert(dnnl_data_type_t from, dnnl_data_type_t to, const void *values, int64_t n) {
    md_t src = make_md(from, "a", D(n)), dst = make_md(to, "a", D(n));
    dnnl_primitive_desc_t pd = NULL;
    case_t c;
    const dnnl_status_t status = dnnl_reorder_primitive_desc_create(
            &pd, &src, harness_engine, &dst, harness_engine, hinted(NULL));
    if (!case_open(&c, pd, status)) return;
    case_fill(&c, NULL);
    memcpy(c.data[0], values, md_size(&src, 0));
    case_run(&c);
    uint8_t *want = calloc(1, md_size(&dst, 0));
    for (int64_t i = 0; i < n; i++) ref_store(to, want, i, ref_load(from, c.data[0], i));
    for (int64_t i = 0; i < n && !is_dry; i++)
        if (isnan(ref_load(from, c.data[0], i))
                        ? !ref_ok(to, ref_load(to, c.data[1], i), (ref_value_t){NAN, 0})
                        : !same(to, c.data[1], want, i))
            fail_msg("type %d to %d: %.9g gives %g, not %g", from, to, ref_load(from, c.data[0], i),
                    ref_load(to, c.data[1], i), ref_load(to, want, i));
    harness_count.run++;
    harness_count.elements += n;
    free(want);
    case_close(&c);
}

/* Every code of a small type; for 4-bit types, every pair in a byte. */
static void from_small(void) {
    uint8_t codes[256];
    for (int i = 0; i < 256; i++) codes[i] = (uint8_t)i;
    for (int s = 0; s < ARRAY_LEN(small); s++) {
        const int n = dt_is_nibble(small[s]) ? 512 : 256;
        for (int t = 0; t < ARRAY_LEN(others); t++)
            if (chosen(s + t)) convert(small[s], others[t], codes, n);
        for (int t = 0; t < ARRAY_LEN(small); t++)
            if (chosen(s + t) && (s + t + harness_hints.forced_variant) % 3 == 0)
                convert(small[s], small[t], codes, n);
    }
}

static void from_halves(void) {
    uint16_t *bits = malloc(65536 * sizeof(*bits));
    for (int i = 0; i < 65536; i++) bits[i] = (uint16_t)i;
    for (int t = 0; t < ARRAY_LEN(small); t++) {
        if (chosen(t)) convert(dnnl_f16, small[t], bits, 65536);
        if (chosen(t + 1)) convert(dnnl_bf16, small[t], bits, 65536);
    }
    free(bits);
}

/* The middle between neighbouring codes, and the two floats next to it. */
static void from_floats(void) {
    float *values = malloc(4096 * sizeof(*values));
    for (int t = 0; t < ARRAY_LEN(small); t++) {
        if (!chosen(t)) continue;
        int n = 0;
        uint8_t code[2];
        for (unsigned i = 0; i < (dt_is_nibble(small[t]) ? 15 : 255); i++) {
            code[0] = (uint8_t)i;
            code[1] = (uint8_t)(i + 1);
            if (dt_is_nibble(small[t])) code[0] = (uint8_t)(i | (i + 1) << 4);
            const double a = ref_load(small[t], code, 0), b = ref_load(small[t], code, 1);
            const float middle = (float)((a + b) / 2);
            values[n++] = middle;
            values[n++] = nextafterf(middle, INFINITY);
            values[n++] = nextafterf(middle, -INFINITY);
            values[n++] = (float)a;
        }
        static const float more[] = {464, 464.0001f, 480, 61439.9f, 61440, 65504, 1e30f, INFINITY,
                NAN, 0x1p-149f, 0x1p-126f, 0x1p-17f, 0x1.000002p-17f, 0x1p-10f, 0x1.000002p-10f, 5,
                6, 7, 0.25f, 0.75f, 2.5f, 0};
        for (int i = 0; i < ARRAY_LEN(more); i++) {
            values[n++] = more[i];
            values[n++] = -more[i];
        }
        convert(dnnl_f32, small[t], values, n);
        int32_t *ints = (int32_t *)values;
        for (int i = 0; i < 1001; i++) ints[i] = i - 500;
        ints[1001] = INT32_MAX;
        ints[1002] = INT32_MIN;
        convert(dnnl_s32, small[t], ints, 1003);
        double *doubles = (double *)values;
        for (int i = 0; i < 2000; i++) doubles[i] = harness_uniform(-20, 20);
        doubles[0] = 1.25 + 0x1p-50; /* must round up once; rounding twice would round to even */
        doubles[1] = 17 + 0x1p-45;
        convert(dnnl_f64, small[t], doubles, 2000);
    }
    free(values);
}

static void run(const md_t *src, const md_t *dst, const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd = NULL;
    const dnnl_status_t status = dnnl_reorder_primitive_desc_create(
            &pd, src, harness_engine, dst, harness_engine, hinted(attr));
    case_all(pd, status, ref_reorder, -8, 8);
}

/* Neighbours in a byte belong to one work-item; bits without an element do not change. */
static void layouts(void) {
    static const struct {
        const char *src, *dst;
        int ndims;
        dnnl_dim_t dims[4];
    } shapes[] = {
            {"a", "a", 1, {43}},
            {"ab", "ba", 2, {66, 130}},
            {"ab", "ab", 2, {7, 130}},
            {"abc", "acb", 3, {3, 36, 50}},
            {"abcd", "acdb", 4, {2, 38, 6, 4}},
            {"aBcd16b", "abcd", 4, {2, 37, 5, 8}},
            {"abcd", "aBcd16b", 4, {2, 37, 5, 8}},
            {"ab", "BA16a16b4a", 2, {70, 20}},
            {"BA16a16b4a", "ab", 2, {70, 20}},
            {"ab", "AB2a8b", 2, {12, 20}},
            {"AB8b8a2b", "ba", 2, {26, 34}},
    };
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        if ((i + harness_hints.forced_variant) % 2) continue;
        md_t src = make_md(dnnl_s4, shapes[i].src, shapes[i].ndims, shapes[i].dims);
        md_t dst = make_md(dnnl_s4, shapes[i].dst, shapes[i].ndims, shapes[i].dims);
        run(&src, &dst, NULL);
        src.data_type = dnnl_f32;
        dst.data_type = dnnl_f4_e2m1;
        run(&src, &dst, NULL);
        src.data_type = dnnl_u4;
        dst.data_type = dnnl_bf16;
        run(&src, &dst, NULL);
        src.data_type = dnnl_f8_e4m3;
        dst.data_type = dnnl_f32;
        run(&src, &dst, NULL);
    }
}

/* Two work-items would write the two halves of a byte. */
static void test_refusals(void **unused) {
    (void)unused;
    dnnl_primitive_desc_t pd = NULL;
    md_t src = make_md(dnnl_f32, "aBc3b", D(2, 6, 4)), dst = make_md(dnnl_s4, "acb", D(2, 6, 4));
    assert_int_equal(dnnl_reorder_primitive_desc_create(
                             &pd, &src, harness_engine, &dst, harness_engine, NULL),
            dnnl_unimplemented);
    const dnnl_dim_t dims[] = {8}, offsets[] = {1};
    md_t whole = make_md(dnnl_u4, "a", D(16)), part;
    src = make_md(dnnl_f32, "a", D(8));
    if (md_init_submemory(&part, &whole, dims, offsets) == dnnl_success)
        assert_int_equal(dnnl_reorder_primitive_desc_create(
                                 &pd, &src, harness_engine, &part, harness_engine, NULL),
                dnnl_unimplemented);
    assert_null(pd);
}

static void add_sum(dnnl_primitive_attr_t attr) {
    dnnl_post_ops_t post_ops;
    OK(dnnl_post_ops_create(&post_ops));
    OK(dnnl_post_ops_append_sum(post_ops, 0.5f, 0, dnnl_data_type_undef));
    OK(dnnl_primitive_attr_set_post_ops(attr, post_ops));
    OK(dnnl_post_ops_destroy(post_ops));
}

/* Scales of 8-bit types, zero points of 4-bit ones. */
static void quantisation(void) {
    static const struct {
        dnnl_data_type_t src, dst, scale, zero;
        int mask;
        bool sum;
    } cases[] = {
            {dnnl_f4_e2m1, dnnl_f32, dnnl_e8m0, dnnl_data_type_undef, 1, false},
            {dnnl_f8_e4m3, dnnl_bf16, dnnl_f8_e4m3, dnnl_data_type_undef, 2, false},
            {dnnl_s4, dnnl_f16, dnnl_f16, dnnl_s4, 2, false},
            {dnnl_u4, dnnl_f8_e5m2, dnnl_bf16, dnnl_u4, 1, true},
            {dnnl_f32, dnnl_f4_e2m1, dnnl_f32, dnnl_data_type_undef, 3, true},
            {dnnl_u4, dnnl_s4, dnnl_f32, dnnl_s8, 1, false},
    };
    for (int i = 0; i < ARRAY_LEN(cases); i++) {
        if (!sampled(i)) continue;
        dnnl_primitive_attr_t attr;
        md_t src = make_md(cases[i].src, "ab", D(6, 20)),
             dst = make_md(cases[i].dst, "ba", D(6, 20));
        OK(dnnl_primitive_attr_create(&attr));
        OK(dnnl_primitive_attr_set_scales(
                attr, DNNL_ARG_SRC, cases[i].mask, 0, NULL, cases[i].scale));
        if (cases[i].zero)
            OK(dnnl_primitive_attr_set_zero_points(
                    attr, DNNL_ARG_SRC, cases[i].mask, 0, NULL, cases[i].zero));
        if (cases[i].sum) add_sum(attr);
        run(&src, &dst, attr);
        dnnl_primitive_attr_destroy(attr);
    }
}

/* Groups of values along the last two dimensions, also where blocks and groups end at
 * different places. */
static void groups(void) {
    static const struct {
        dnnl_data_type_t src, dst;
        const char *src_tag, *dst_tag;
        dnnl_dims_t group;
    } cases[] = {
            {dnnl_s4, dnnl_f32, "abc", "abc", {8, 1}},
            {dnnl_u4, dnnl_f16, "acb", "abc", {24, 4}},
            {dnnl_s8, dnnl_f32, "abc", "aCB16b16c", {4, 4}},
            {dnnl_f4_e2m1, dnnl_bf16, "abc", "acb", {1, 10}},
    };
    for (int i = 0; i < ARRAY_LEN(cases); i++) {
        if (!sampled(i)) continue;
        dnnl_primitive_attr_t attr;
        md_t src = make_md(cases[i].src, cases[i].src_tag, D(2, 48, 20));
        md_t dst = make_md(cases[i].dst, cases[i].dst_tag, D(2, 48, 20));
        OK(dnnl_primitive_attr_create(&attr));
        OK(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC, 7, 2, cases[i].group, dnnl_f16));
        if (dt_is_int(cases[i].src))
            OK(dnnl_primitive_attr_set_zero_points(
                    attr, DNNL_ARG_SRC, 7, 2, cases[i].group, dnnl_u8));
        run(&src, &dst, attr);
        dnnl_primitive_attr_destroy(attr);
    }
}

static void run_sections(void) {
    from_small();
    from_halves();
    from_floats();
    layouts();
    quantisation();
    groups();
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("elementwise", run_sections);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_refusals))
