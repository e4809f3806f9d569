/* SPDX-License-Identifier: Apache-2.0 */
/* Attention on each of its variants: sizes and their tails, layouts, heads that share keys, masks,
 * scales, types. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "case_run.h"
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"
#include "ref_sdpa.h"
#include "test_main.h"

#define OK(call) assert_int_equal(call, dnnl_success)

enum { SCALE_NONE, SCALE_MEMORY, SCALE_HOST };
enum { NONE = dnnl_ze_attn_mask_none, BUFFER, TOP_LEFT, BOTTOM_RIGHT };

/* The tensors have four dimensions. The tags are those of queries, keys, values, destination and
 * mask ("": no mask). */
typedef struct {
    dnnl_dim_t batch, heads, key_heads, queries, keys, size, width;
    int mask_kind, scale_kind, invert;
    const char *tags[5];
    dnnl_dim_t mask_dims[4]; /* 0: those of the scores */
    dnnl_data_type_t dts[6]; /* the types of the same tensors and of the scale; 0: f16 */
} problem_t;
#define SHAPE(b, h, kh, q, k, s, w)                                                                \
    .batch = b, .heads = h, .key_heads = kh, .queries = q, .keys = k, .size = s, .width = w

static dnnl_data_type_t dt_of(const problem_t *x, int i) {
    return x->dts[i] ? x->dts[i] : i == 5 ? dnnl_f32 : x->dts[0] ? x->dts[0] : dnnl_f16;
}
static const char *tag_of(const problem_t *x, int i) {
    return x->tags[i] ? x->tags[i] : i == 1 ? "abdc" : "abcd";
}

static dnnl_status_t create(const problem_t *x, dnnl_primitive_desc_t *pd) {
    const dnnl_dim_t scores[] = {x->batch, x->heads, x->queries, x->keys};
    dnnl_dim_t mask_dims[4];
    for (int d = 0; d < 4; d++) mask_dims[d] = x->mask_dims[d] ? x->mask_dims[d] : scores[d];
    md_t q = make_md(dt_of(x, 0), tag_of(x, 0), D(x->batch, x->heads, x->queries, x->size));
    md_t k = make_md(dt_of(x, 1), tag_of(x, 1), D(x->batch, x->key_heads, x->size, x->keys));
    md_t v = make_md(dt_of(x, 2), tag_of(x, 2), D(x->batch, x->key_heads, x->keys, x->width));
    md_t dst = make_md(dt_of(x, 3), tag_of(x, 3), D(x->batch, x->heads, x->queries, x->width));
    md_t mask = make_md(dt_of(x, 4), tag_of(x, 4), 4, mask_dims), scale;
    if (x->scale_kind == SCALE_HOST) OK(md_init_host_scalar(&scale, dt_of(x, 5)));
    else scale = make_md(dt_of(x, 5), "a", D(1));
    return dnnl_ze_sdpa_primitive_desc_create(pd, harness_engine, &q, &k, &v, &dst,
            x->mask_kind == BUFFER ? &mask : NULL, x->scale_kind == SCALE_NONE ? NULL : &scale,
            x->invert, x->key_heads, (dnnl_ze_attn_mask_t)x->mask_kind, hinted(NULL));
}

static void run(const problem_t *x, double range) {
    dnnl_primitive_desc_t pd = NULL;
    const dnnl_status_t status = create(x, &pd);
    case_all(pd, status, ref_sdpa, -range, range);
}

/* ---- on every variant ---- */

static const problem_t sizes[] = {
        {SHAPE(1, 1, 1, 16, 32, 64, 64)},
        {SHAPE(1, 2, 2, 33, 47, 64, 64), .scale_kind = SCALE_MEMORY},
        {SHAPE(2, 1, 1, 5, 100, 80, 80), .scale_kind = SCALE_MEMORY, .invert = 1},
        {SHAPE(1, 1, 1, 40, 70, 96, 96), .mask_kind = TOP_LEFT},
        {SHAPE(1, 2, 1, 24, 65, 128, 128), .mask_kind = BOTTOM_RIGHT, .scale_kind = SCALE_HOST},
        {SHAPE(1, 1, 1, 19, 35, 128, 64)},
        {SHAPE(1, 1, 1, 17, 40, 192, 128)},
        {SHAPE(1, 1, 1, 18, 33, 256, 256), .mask_kind = TOP_LEFT, .scale_kind = SCALE_HOST,
                .invert = 1},
        {SHAPE(1, 1, 1, 1, 130, 64, 64)},
        {SHAPE(1, 1, 1, 3, 1, 32, 32)},
        {SHAPE(1, 1, 1, 9, 21, 7, 13)},
        {SHAPE(1, 1, 1, 2, 9, 300, 300)},
        {SHAPE(1, 2, 1, 7, 5, 40, 36)},
        {SHAPE(1, 2, 1, 20, 44, 56, 40)}, /* the last columns are a tail */
        {SHAPE(1, 1, 1, 1, 1, 1, 1)},
        {SHAPE(1, 2, 1, 20, 44, 72, 88)},
};

static const problem_t heads[] = {
        {SHAPE(1, 8, 2, 1, 37, 64, 64), .mask_kind = BOTTOM_RIGHT}, /* one token */
        {SHAPE(2, 6, 3, 1, 20, 64, 64), .mask_kind = TOP_LEFT},
        {SHAPE(2, 4, 2, 1, 20, 64, 64), .mask_kind = BUFFER, .scale_kind = SCALE_MEMORY},
        {SHAPE(2, 4, 2, 20, 20, 64, 64), .mask_kind = TOP_LEFT, .scale_kind = SCALE_MEMORY},
        {SHAPE(1, 6, 1, 9, 40, 64, 64), .mask_kind = BUFFER},
};

static const problem_t masks[] = {
        {SHAPE(1, 2, 2, 20, 35, 64, 64), .mask_kind = BUFFER},
        {SHAPE(2, 2, 2, 20, 36, 64, 64), .mask_kind = BUFFER, .mask_dims = {1, 1}},
        {SHAPE(2, 2, 2, 20, 36, 64, 64), .mask_kind = BUFFER, .mask_dims = {0, 1, 1}},
        {SHAPE(2, 2, 2, 20, 36, 64, 64), .mask_kind = BUFFER, .mask_dims = {1, 0, 0, 1}},
        {SHAPE(1, 2, 2, 20, 36, 64, 64), .mask_kind = BUFFER, .tags = {[4] = "abdc"},
                .dts = {[4] = dnnl_f32}},
        {SHAPE(1, 2, 2, 20, 40, 128, 128), .mask_kind = BUFFER, .scale_kind = SCALE_HOST,
                .dts = {dnnl_bf16}},
        {SHAPE(1, 1, 1, 20, 40, 64, 64), .mask_kind = TOP_LEFT},
        {SHAPE(1, 1, 1, 40, 20, 64, 64), .mask_kind = TOP_LEFT},
        {SHAPE(1, 1, 1, 20, 40, 64, 64), .mask_kind = BOTTOM_RIGHT},
        {SHAPE(1, 1, 1, 40, 20, 64, 64), .mask_kind = BOTTOM_RIGHT}, /* some queries see no key */
};

static const problem_t layouts[] = {
        {SHAPE(2, 3, 3, 18, 40, 64, 64), .tags = {"acbd", "adbc", "acbd", "acbd"}},
        {SHAPE(1, 2, 2, 18, 40, 64, 64), .tags = {"abcd", "abcd", "abcd", "abcd"}},
        {SHAPE(1, 2, 2, 18, 64, 96, 96), .mask_kind = TOP_LEFT,
                .tags = {"abcd", "abcd", "abcd", "abcd"}},
        {SHAPE(1, 2, 2, 18, 40, 64, 64), .tags = {"+abcd", "+abdc", "+abcd", "+abcd"}},
        {SHAPE(1, 2, 2, 18, 40, 64, 64), .tags = {"abdc", "abdc", "abdc", "abdc"}},
        {SHAPE(1, 2, 2, 18, 43, 66, 66)},
        {SHAPE(1, 2, 2, 18, 43, 80, 80)},
};

static const problem_t types[] = {
        {SHAPE(1, 1, 1, 18, 40, 64, 64), .mask_kind = BUFFER, .scale_kind = SCALE_MEMORY,
                .dts = {dnnl_bf16, 0, 0, 0, 0, dnnl_bf16}},
        {SHAPE(1, 1, 1, 18, 40, 128, 128), .mask_kind = TOP_LEFT, .scale_kind = SCALE_MEMORY,
                .dts = {dnnl_bf16}},
        {SHAPE(1, 1, 1, 18, 40, 256, 256), .scale_kind = SCALE_MEMORY,
                .dts = {dnnl_bf16, 0, 0, dnnl_f32}},
        {SHAPE(1, 1, 1, 18, 40, 64, 64), .mask_kind = BUFFER, .scale_kind = SCALE_MEMORY,
                .invert = 1, .dts = {dnnl_f32}},
        {SHAPE(1, 1, 1, 18, 40, 64, 64), .scale_kind = SCALE_HOST,
                .dts = {dnnl_f16, 0, 0, dnnl_f32, 0, dnnl_f16}},
        {SHAPE(1, 1, 1, 18, 40, 64, 64), .mask_kind = BUFFER,
                .dts = {dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_f16, dnnl_bf16, dnnl_f32}},
};

/* Variants for matrix units run only problems of the size with which their names end. */
static bool is_of_size(const problem_t *x) {
    if (harness_hints.forced_variant < 0 ||
            variants[harness_hints.forced_variant].target != TARGET_XMX16)
        return true;
    const dnnl_dim_t limit = atoi(strrchr(variants[harness_hints.forced_variant].id, '_') + 1),
                     size = x->size > x->width ? x->size : x->width;
    return size <= limit && (limit == 64 || size > limit / 2);
}

/* Problems of large sizes, and problems whose masks build the same module, all run. The others are
 * sampled (sampled()). */
static bool chosen(const problem_t *x, int i) {
    if (harness_hints.forced_variant < 0 ||
            variants[harness_hints.forced_variant].target != TARGET_XMX16)
        return true;
    const bool few = x->size > 128 || x->width > 128,
               masked = x->mask_kind == BUFFER && !x->scale_kind && !x->dts[4];
    return is_of_size(x) && (few || masked || sampled(i));
}

static void run_list(const problem_t *list, int n) {
    for (int i = 0; i < n; i++)
        if (chosen(&list[i], i)) run(&list[i], list[i].size > 64 ? 1 : 1.5);
}

/* One tensor at a time begins some elements after its allocation. Its rows begin at multiples of
 * 16 bytes, whose surfaces begin earlier, at other addresses, and at addresses where no surface
 * can begin. */
static void misplaced(void) {
    static const problem_t list[] = {
            {SHAPE(1, 2, 1, 18, 40, 64, 64), .mask_kind = BUFFER, .tags = {[1] = "abcd"}},
            {SHAPE(2, 1, 1, 9, 33, 80, 72), .mask_kind = BUFFER},
    };
    static const size_t shifts[] = {2, 4, 6, 16, 30, 32, 62};
    const bool units = harness_hints.forced_variant >= 0 &&
                       variants[harness_hints.forced_variant].target == TARGET_XMX16;
    for (int i = 0; i < ARRAY_LEN(list); i++)
        for (int tensor = 0; chosen(&list[i], i) && tensor < 5; tensor++)
            for (int s = 0; s < ARRAY_LEN(shifts); s++) {
                if (!units && (s + tensor) % 3) continue;
                case_shift = shifts[s];
                case_shifted = tensor;
                run(&list[i], 1);
            }
    case_shift = 0;
    case_shifted = -1;
}

/* Scores that differ by hundreds and sometimes grow along the keys. */
static const problem_t large[] = {
        {SHAPE(1, 2, 2, 20, 300, 64, 64)},
        {SHAPE(4, 3, 3, 20, 300, 64, 64)}, /* only one of two sub-groups has growing scores */
        {SHAPE(1, 1, 1, 150, 260, 64, 64), .mask_kind = TOP_LEFT},
        {SHAPE(1, 1, 1, 20, 300, 128, 128), .mask_kind = BOTTOM_RIGHT},
        {SHAPE(1, 1, 1, 20, 300, 128, 128), .scale_kind = SCALE_HOST, .mask_kind = BOTTOM_RIGHT},
        {SHAPE(1, 1, 1, 20, 300, 256, 256), .mask_kind = TOP_LEFT, .scale_kind = SCALE_HOST,
                .invert = 1},
};

static void run_sections(void) {
    run_list(sizes, ARRAY_LEN(sizes));
    run_list(heads, ARRAY_LEN(heads));
    run_list(masks, ARRAY_LEN(masks));
    run_list(layouts, ARRAY_LEN(layouts));
    run_list(types, ARRAY_LEN(types));
    for (int i = 0; i < ARRAY_LEN(large); i++)
        if (is_of_size(&large[i])) run(&large[i], 5);
    misplaced();
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("sdpa", run_sections);
}

/* ---- refusals ---- */

static void refused(dnnl_status_t wanted, const problem_t *x) {
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(create(x, &pd), wanted);
    assert_null(pd);
}

static void test_refusals(void **unused) {
    (void)unused;
    const problem_t bad_heads = {SHAPE(1, 4, 3, 8, 8, 64, 64)};
    const problem_t bad_mask = {
            SHAPE(1, 1, 1, 8, 8, 64, 64), .mask_kind = BUFFER, .mask_dims = {1, 1, 8, 7}};
    const problem_t bad_kind = {SHAPE(1, 1, 1, 8, 8, 64, 64), .mask_kind = 4};
    const problem_t bad_type = {SHAPE(1, 1, 1, 8, 8, 64, 64), .dts = {dnnl_s8}};
    const problem_t bad_scale = {
            SHAPE(1, 1, 1, 8, 8, 64, 64), .scale_kind = SCALE_HOST, .dts = {[5] = dnnl_s32}};
    const problem_t blocked = {SHAPE(1, 1, 1, 16, 16, 64, 64), .tags = {"aBcd16b"}};
    refused(dnnl_invalid_arguments, &bad_heads);
    refused(dnnl_invalid_arguments, &bad_mask);
    refused(dnnl_invalid_arguments, &bad_kind);
    refused(dnnl_unimplemented, &bad_type);
    refused(dnnl_unimplemented, &bad_scale);
    refused(dnnl_unimplemented, &blocked);
}

/* One tensor at a time is wrong. */
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
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t po;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_post_ops_create(&po));
    OK(dnnl_post_ops_append_eltwise(po, dnnl_eltwise_relu, 0, 0));
    OK(dnnl_primitive_attr_set_post_ops(attr, po));
    const struct {
        const md_t *q, *mask, *scale;
        dnnl_dim_t key_heads;
        dnnl_ze_attn_mask_t kind;
        const_dnnl_primitive_attr_t attr;
        dnnl_status_t wanted;
    } cases[] = {
            {NULL, NULL, NULL, 2, dnnl_ze_attn_mask_none, NULL, dnnl_invalid_arguments},
            {&any, NULL, NULL, 2, dnnl_ze_attn_mask_none, NULL, dnnl_invalid_arguments},
            {&q, &mask, NULL, 2, dnnl_ze_attn_mask_none, NULL, dnnl_invalid_arguments},
            {&q, NULL, NULL, 2, dnnl_ze_attn_mask_buffer, NULL, dnnl_invalid_arguments},
            {&q, NULL, &two, 2, dnnl_ze_attn_mask_none, NULL, dnnl_invalid_arguments},
            {&q, NULL, NULL, 1, dnnl_ze_attn_mask_none, NULL, dnnl_invalid_arguments},
            {&q, NULL, NULL, 0, dnnl_ze_attn_mask_none, NULL, dnnl_invalid_arguments},
            {&q, NULL, NULL, 2, dnnl_ze_attn_mask_none, attr, dnnl_unimplemented},
            {&q, NULL, NULL, 2, dnnl_ze_attn_mask_none, NULL, dnnl_success},
    };
    for (int i = 0; i < ARRAY_LEN(cases); i++) {
        dnnl_primitive_desc_t pd = NULL;
        assert_int_equal(dnnl_ze_sdpa_primitive_desc_create(&pd, harness_engine, cases[i].q, &k, &v,
                                 &any, cases[i].mask, cases[i].scale, 0, cases[i].key_heads,
                                 cases[i].kind, cases[i].attr),
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
    OK(dnnl_post_ops_destroy(po));
    OK(dnnl_primitive_attr_destroy(attr));
}

/* Other numbers of dimensions, and tensors without elements: without keys the result is zero,
 * without queries it is empty. */
static void test_shapes(void **unused) {
    (void)unused;
    static const struct {
        const char *q, *k;
        int ndims;
        dnnl_dim_t key_heads, qd[6], kd[6], vd[6], od[6];
    } shapes[] = {
            {"ab", "ba", 2, 1, {9, 32}, {32, 20}, {20, 48}, {9, 48}},
            {"abc", "acb", 3, 2, {4, 9, 32}, {2, 32, 20}, {2, 20, 48}, {4, 9, 48}},
            {"abcde", "abced", 5, 2, {2, 3, 2, 9, 32}, {2, 3, 2, 32, 20}, {2, 3, 2, 20, 48},
                    {2, 3, 2, 9, 48}},
            {"abcdef", "abcdfe", 6, 1, {2, 1, 2, 2, 5, 8}, {2, 1, 2, 1, 8, 6}, {2, 1, 2, 1, 6, 9},
                    {2, 1, 2, 2, 5, 9}},
            {"abc", "acb", 3, 2, {2, 9, 32}, {2, 32, 0}, {2, 0, 48}, {2, 9, 48}},
            {"abc", "acb", 3, 2, {2, 9, 0}, {2, 0, 7}, {2, 7, 48}, {2, 9, 48}},
            {"abc", "acb", 3, 2, {2, 0, 32}, {2, 32, 7}, {2, 7, 48}, {2, 0, 48}},
    };
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        const int nd = shapes[i].ndims;
        md_t q = make_md(dnnl_f16, shapes[i].q, nd, shapes[i].qd),
             k = make_md(dnnl_f16, shapes[i].k, nd, shapes[i].kd),
             v = make_md(dnnl_f16, shapes[i].q, nd, shapes[i].vd),
             dst = make_md(dnnl_f16, shapes[i].q, nd, shapes[i].od);
        dnnl_primitive_desc_t pd = NULL;
        const dnnl_status_t status = dnnl_ze_sdpa_primitive_desc_create(&pd, harness_engine, &q, &k,
                &v, &dst, NULL, NULL, 0, shapes[i].key_heads, dnnl_ze_attn_mask_none, hinted(NULL));
        case_all(pd, status, ref_sdpa, -1, 1);
    }
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_dimensions), cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_shapes))
