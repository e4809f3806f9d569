/* SPDX-License-Identifier: Apache-2.0 */
/* Attention on each of its variants (cases/sdpa.txt): sizes and their tails, layouts, heads that
 * share keys, masks, scales, types, quantised keys and values, statistics. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "core/util.h"
#include "dry.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"
#include "ref_sdpa.h"
#include "ref_table.h"
#include "test_main.h"

#define OK(call) assert_int_equal(call, dnnl_success)

/* ---- on every variant ---- */

static dnnl_dim_t last_dim(const char *text) {
    dnnl_dims_t dims;
    const char *end;
    const int n = dims_parse(text, dims, &end);
    assert_true(n > 0);
    return dims[n - 1];
}

static bool has_matrix_units(void) {
    return harness_hints.forced_variant >= 0 &&
           variants[harness_hints.forced_variant].target == TARGET_XMX16;
}

/* Variants for matrix units run only problems of the size with which their names end. */
static bool is_of_size(const test_case_t *t) {
    const char *text = batch_value(t->line, t->index, NULL, "");
    if (!has_matrix_units()) return true;
    const dnnl_dim_t limit = atoi(strrchr(variants[harness_hints.forced_variant].id, '_') + 1),
                     queries = last_dim(text), values = last_dim(strrchr(text, ':') + 1),
                     size = queries > values ? queries : values;
    return size <= limit && (limit == 64 || size > limit / 2);
}

static void run_one(const test_case_t *t) {
    if (is_of_size(t)) cases_run_share(t);
}

/* Opens a case whose inputs a test changes; false: the variant does not run it. */
static bool open_filled(const test_case_t *t, case_t *c) {
    problem_t p;
    if (!is_of_size(t)) return false;
    case_create(&p, t);
    if (!case_open_problem(c, &p)) return false;
    case_fill(c, NULL);
    return true;
}

/* Rows of a mask that hide all keys: zeros, and statistics of zero. The harness compares every
 * element with the reference; so that the reference is not trusted alone, those are read here. */
static void run_hidden(const test_case_t *t) {
    static const dnnl_dim_t rows[][3] = {{0, 0, 0}, {0, 1, 19}, {1, 0, 7}};
    case_t c;
    if (!open_filled(t, &c)) return;
    const int mask = pd_find_arg(c.pd, DNNL_ARG_ATTN_MASK), dst = pd_find_arg(c.pd, DNNL_ARG_DST),
              stats = pd_find_arg(c.pd, DNNL_ARG_WORKSPACE);
    const dnnl_dim_t *scores = c.md[mask].dims, width = c.md[dst].dims[3];
    for (int r = 0; r < ARRAY_LEN(rows); r++)
        for (dnnl_dim_t key = 0; key < scores[3]; key++)
            ref_store(dnnl_f16, c.data[mask],
                    md_offset(&c.md[mask], (dnnl_dims_t){rows[r][0], rows[r][1], rows[r][2], key}),
                    -INFINITY);
    case_run(&c);
    case_check(&c, ref_sdpa);
    for (int r = 0; r < ARRAY_LEN(rows) && !is_dry; r++) {
        const dnnl_dim_t *at = rows[r];
        assert_true(ref_load(dnnl_f32, c.data[stats],
                            (at[0] * scores[1] + at[1]) * scores[2] + at[2]) == 0);
        for (dnnl_dim_t col = 0; col < width; col++)
            assert_true(
                    ref_load(dnnl_f16, c.data[dst],
                            md_offset(&c.md[dst], (dnnl_dims_t){at[0], at[1], at[2], col})) == 0);
    }
    case_close(&c);
}

/* A query with a NaN: its results and its statistics are NaN, and those of no other query. */
static void run_with_nan(const test_case_t *t) {
    enum { ROW = 5 };
    case_t c;
    if (!open_filled(t, &c)) return;
    const int from = pd_find_arg(c.pd, DNNL_ARG_QUERIES), dst = pd_find_arg(c.pd, DNNL_ARG_DST);
    const dnnl_dim_t queries = c.md[dst].dims[2], width = c.md[dst].dims[3];
    ref_store(dnnl_f16, c.data[from], ROW * c.md[from].dims[3] + 3, NAN);
    case_run(&c);
    for (dnnl_dim_t row = 0; row < queries && !is_dry; row++) {
        const double stat = ref_load(dnnl_f32, c.data[pd_find_arg(c.pd, DNNL_ARG_WORKSPACE)], row);
        assert_int_equal(isnan(stat), row == ROW);
        for (dnnl_dim_t col = 0; col < width; col++)
            assert_int_equal(isnan(ref_load(dnnl_f16, c.data[dst], row * width + col)), row == ROW);
    }
    case_close(&c);
}

static void run_sections(void) {
    static const char *const sections[] = {"quantised", "integers", "training", "caps", "selects",
            "dropout", "dropout_mask", "sizes", "heads", "masks", "layouts", "types", "large"};
    cases_each("sdpa", "hidden", "", run_hidden);
    cases_each("sdpa", "not_a_number", "", run_with_nan);
    for (int i = 0; i < ARRAY_LEN(sections); i++) cases_each("sdpa", sections[i], "", run_one);
    cases_each("sdpa", "misplaced", "", run_one);
    if (has_matrix_units()) cases_each("sdpa", "misplaced_units", "", run_one);
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("sdpa", run_sections);
}

/* The statistics are those of the scores, as forward propagation has them: with others, weights are
 * larger than 1, and overflow. */
static void run_gradient(const test_case_t *t) {
    case_t c;
    if (!open_filled(t, &c)) return;
    const int stats = pd_find_arg(c.pd, DNNL_ARG_WORKSPACE);
    const ref_t ref = {
            .pd = c.pd, .data = (const void *const *)c.data, .epsilon = ref_epsilon(c.pd)};
    dnnl_dims_t pos = {0};
    for (; pos[0] < c.md[stats].dims[0]; pos[0]++)
        ref_store(dnnl_f32, c.data[stats], pos[0], ref_sdpa_stats(&ref, pos).v);
    case_run(&c);
    case_check(&c, ref_find(c.pd)->outputs->reference);
    case_close(&c);
}

static void run_gradients(void) {
    static const char *const sections[] = {"gradients", "gradients_masks", "gradients_layouts"};
    for (int i = 0; i < ARRAY_LEN(sections); i++) cases_each("sdpa", sections[i], "", run_gradient);
}

static void test_gradients(void **unused) {
    (void)unused;
    for_each_variant("sdpa_backward", run_gradients);
    cases_run("sdpa", "gradients_shapes");
}

static void test_shapes(void **unused) {
    (void)unused;
    cases_run("sdpa", "shapes");
}

static void test_refusals(void **unused) {
    (void)unused;
    cases_check_refusals("sdpa", "refusals");
    cases_check_refusals("sdpa", "quantised_keys");
    cases_check_refusals("sdpa", "gradients_refusals");
}

/* ---- requests that no line describes ---- */

enum { KEY = DNNL_ARG_KEYS, SCALES = DNNL_ARG_ATTR_SCALES, ZEROS = DNNL_ARG_ATTR_ZERO_POINTS };

static dnnl_status_t create_quantised(dnnl_primitive_desc_t *pd, dnnl_prop_kind_t prop,
        dnnl_data_type_t keys, const_dnnl_primitive_attr_t attr,
        const_dnnl_primitive_attr_t key_attr) {
    md_t q = make_md(dnnl_f16, "abcd", D(1, 4, 8, 64)), k = make_md(keys, "abdc", D(1, 2, 64, 12)),
         v = make_md(dnnl_f16, "abcd", D(1, 2, 12, 64));
    *pd = NULL;
    return dnnl_ze_sdpa_forward_primitive_desc_create(pd, harness_engine, prop, &q, &k, &v, &q,
            NULL, NULL, 0, 2, dnnl_ze_attn_mask_none, attr, key_attr, NULL);
}

/* Attributes of keys that are none, propagation kinds that are not forward ones, and what a
 * descriptor answers about scales and statistics. */
static void test_answers(void **unused) {
    (void)unused;
    dnnl_primitive_attr_t attr, fp, of_src;
    const_dnnl_primitive_attr_t answered;
    dnnl_primitive_desc_t pd, again;
    OK(dnnl_primitive_attr_create(&fp));
    OK(dnnl_primitive_attr_set_rounding(fp, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_scales(
            attr, DNNL_ARG_WEIGHTS, 15, 2, (dnnl_dims_t){16, 1}, dnnl_f16));
    OK(dnnl_primitive_attr_create(&of_src));
    OK(dnnl_primitive_attr_set_scales_mask(of_src, DNNL_ARG_SRC, 0));
    assert_int_equal(create_quantised(&pd, dnnl_forward_inference, dnnl_s8, NULL, fp),
            dnnl_invalid_arguments);
    assert_int_equal(create_quantised(&pd, dnnl_forward_inference, dnnl_s8, NULL, of_src),
            dnnl_invalid_arguments);
    OK(dnnl_primitive_attr_destroy(of_src));
    assert_int_equal(
            create_quantised(&pd, dnnl_forward_inference, dnnl_s8, fp, NULL), dnnl_unimplemented);
    assert_int_equal(
            create_quantised(&pd, dnnl_backward, dnnl_s8, NULL, attr), dnnl_invalid_arguments);

    OK(create_quantised(&pd, dnnl_forward_inference, dnnl_s8, NULL, attr));
    assert_true(md_is_zero(dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0)));
    md_t scales = make_md(dnnl_f16, "a", D(2 * 4 * 12));
    assert_true(md_equal(
            &scales, dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, SCALES | KEY)));
    assert_true(md_is_zero(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, ZEROS | KEY)));
    /* The answered attributes make the same descriptor. */
    OK(dnnl_primitive_desc_get_attr(pd, &answered));
    OK(create_quantised(&again, dnnl_forward_inference, dnnl_s8, answered, NULL));
    assert_true(md_equal(
            &scales, dnnl_primitive_desc_query_md(again, dnnl_query_exec_arg_md, SCALES | KEY)));
    OK(dnnl_primitive_desc_destroy(again));
    OK(dnnl_primitive_desc_destroy(pd));

    OK(create_quantised(&pd, dnnl_forward_training, dnnl_s8, NULL, attr));
    md_t stats = make_md(dnnl_f32, "a", D(4 * 8));
    assert_true(md_equal(&stats, dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0)));
    OK(dnnl_primitive_desc_destroy(pd));
    OK(dnnl_primitive_attr_destroy(attr));
    OK(dnnl_primitive_attr_destroy(fp));
}

/* One tensor at a time has other dimensions than the others ask for. */
static void test_dimensions(void **unused) {
    (void)unused;
    static const dnnl_dim_t good[5][3] = {
            {2, 8, 64}, {2, 64, 12}, {2, 12, 32}, {2, 8, 32}, {2, 8, 12}};
    for (int tensor = 0; tensor < 5; tensor++)
        for (int d = 0; d < 4; d++) { /* the last time the tensor has one dimension less */
            md_t md[5];
            dnnl_primitive_desc_t pd = NULL;
            for (int i = 0; i < 5; i++) {
                dnnl_dim_t dims[3];
                memcpy(dims, good[i], sizeof(dims));
                if (i == tensor && d < 3) dims[d]++;
                md[i] = make_md(dnnl_f16, i == tensor && d == 3 ? "ab" : "abc",
                        i == tensor && d == 3 ? 2 : 3, dims);
            }
            assert_int_equal(
                    dnnl_ze_sdpa_primitive_desc_create(&pd, harness_engine, &md[0], &md[1], &md[2],
                            &md[3], &md[4], NULL, 0, 2, dnnl_ze_attn_mask_buffer, NULL),
                    dnnl_invalid_arguments);
            assert_null(pd);
        }
}

static void test_arguments(void **unused) {
    (void)unused;
    md_t q = make_md(dnnl_f16, "abc", D(2, 8, 64)), k = make_md(dnnl_f16, "acb", D(2, 64, 12)),
         v = make_md(dnnl_f16, "abc", D(2, 12, 32)), any = make_md(dnnl_f16, "abc", D(2, 8, 32)),
         two = make_md(dnnl_f32, "a", D(2)), mask = make_md(dnnl_f32, "abc", D(1, 8, 12));
    any.format_kind = dnnl_format_kind_any;
    const struct {
        const md_t *q, *mask, *scale;
        int kind;
        dnnl_status_t wanted;
    } cases[] = {
            {NULL, NULL, NULL, dnnl_ze_attn_mask_none, dnnl_invalid_arguments},
            {&any, NULL, NULL, dnnl_ze_attn_mask_none, dnnl_invalid_arguments},
            {&q, &mask, NULL, dnnl_ze_attn_mask_none, dnnl_invalid_arguments},
            {&q, NULL, NULL, dnnl_ze_attn_mask_buffer, dnnl_invalid_arguments},
            {&q, NULL, NULL, dnnl_ze_attn_mask_select_inverted + 1, dnnl_invalid_arguments},
            {&q, NULL, &two, dnnl_ze_attn_mask_none, dnnl_invalid_arguments},
            {&q, NULL, NULL, dnnl_ze_attn_mask_none, dnnl_success},
    };
    for (int i = 0; i < ARRAY_LEN(cases); i++) {
        dnnl_primitive_desc_t pd = NULL;
        assert_int_equal(dnnl_ze_sdpa_primitive_desc_create(&pd, harness_engine, cases[i].q, &k, &v,
                                 &any, cases[i].mask, cases[i].scale, 0, 2,
                                 (dnnl_ze_attn_mask_t)cases[i].kind, NULL),
                cases[i].wanted);
        if (cases[i].wanted != dnnl_success) {
            assert_null(pd);
            continue;
        }
        dnnl_primitive_kind_t kind;
        OK(dnnl_primitive_desc_query(pd, dnnl_query_primitive_kind, 0, &kind));
        assert_int_equal(kind, DNNL_ZE_PRIMITIVE_KIND_SDPA);
        md_t wanted = make_md(dnnl_f16, "abc", D(2, 8, 32));
        assert_true(md_equal(
                &wanted, dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, DNNL_ARG_DST)));
        OK(dnnl_primitive_desc_destroy(pd));
    }
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_answers), cmocka_unit_test(test_dimensions),
        cmocka_unit_test(test_arguments))
