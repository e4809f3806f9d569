/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "matmul_grouped": groups of rows and of k, empty ones, data types,
 * scales and zero points with and without groups of k, bias and post-ops, against sums in double
 * precision. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "case_run.h"
#include "core/util.h"
#include "dry.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref.h"
#include "test_main.h"

enum {
    NONE = -1,
    MAX_GROUPS = 8
}; /* scales and zero points: NONE; 0: constant along k; else values of k that share one */
enum post { NO_POST, RELU_AND_MUL, MUL_BY_GROUP, ADD_BY_ROW };

typedef struct {
    bool split_k;
    int ngroups, size[MAX_GROUPS];
    int rest;            /* rest of the variable dimension after the last group */
    dnnl_dim_t fixed, n; /* k, or with split k the rows */
    dnnl_data_type_t src, wei, dst;
    const char *wei_tag;
    bool bias;
    int src_scale, wei_scale, src_zero, wei_zero;
    enum post post;
} group_case_t;

static double next_value(dnnl_data_type_t dt) {
    return ref_round(dt, dt == dnnl_f4_e2m1 ? harness_uniform(-4, 4)
                         : dt_is_int(dt)    ? harness_uniform(-9, 9)
                                            : harness_uniform(-2, 2));
}

/* ---- memory objects, with their contents as doubles ---- */

typedef struct {
    md_t md;
    dnnl_memory_t memory;
    double *value; /* in the order of the buffer */
} array_t;

static void fill(array_t *a, double (*next)(dnnl_data_type_t)) {
    const size_t bytes = md_size(&a->md, 0);
    const int64_t count = (int64_t)(bytes * 8 / dt_bits(a->md.data_type));
    a->memory = buffers_new(&a->md);
    a->value = calloc((size_t)count + 1, sizeof(*a->value));
    assert_non_null(a->value);
    uint8_t *data = buffers_map(a->memory, 0);
    memset(data, 0, bytes);
    for (int64_t i = 0; i < count; i++)
        ref_store(a->md.data_type, data, i, a->value[i] = next(a->md.data_type));
    buffers_unmap(a->memory, data, 0);
}

static double next_scale(dnnl_data_type_t dt) {
    (void)dt;
    return ldexp(1, (int)(harness_random() % 4) - 2);
}

static double next_zero(dnnl_data_type_t dt) {
    (void)dt;
    return (double)(harness_random() % 7) - 3;
}

static void drop(array_t *a) {
    if (a->memory) dnnl_memory_destroy(a->memory);
    free(a->value);
}

static array_t plain(dnnl_data_type_t dt, const char *tag, int ndims, const dnnl_dim_t *dims) {
    return (array_t){.md = make_md(dt, tag, ndims, dims)};
}

static array_t vector(dnnl_data_type_t dt, dnnl_dim_t count) {
    return plain(dt, "a", D(count));
}

static array_t grouped(
        dnnl_data_type_t dt, dnnl_dim_t rows, dnnl_dim_t cols, int variable, int groups) {
    array_t a = {0};
    assert_int_equal(
            md_init_grouped(&a.md, 2, (dnnl_dims_t){rows, cols}, dt, variable, groups, dnnl_s32),
            0);
    return a;
}

/* ---- a case ---- */

typedef struct {
    const group_case_t *c;
    dnnl_dim_t m, n, k;
    array_t src, wei, dst, bias, post;
    array_t scale[2], zero[2]; /* of src and weights */
    int32_t end[MAX_GROUPS];
} problem_t;

static const int quantised[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS};

static array_t quant_array(const problem_t *p, int which, int setting, dnnl_data_type_t dt) {
    if (setting == NONE) return (array_t){0};
    const dnnl_dim_t lines = which == 0 ? p->m : p->c->ngroups * p->n;
    return vector(dt, lines * (setting ? p->k / setting : 1));
}

/* Number of the value for a row (src), or for a group and a column (weights), at k. */
static int64_t quant_index(const problem_t *p, int which, int setting, int64_t row, int64_t g,
        int64_t col, int64_t k) {
    const int64_t parts = setting ? p->k / setting : 1, part = setting ? k / setting : 0;
    return which == 0 ? row * parts + part : (g * parts + part) * p->n + col;
}

static void set_quant(
        dnnl_primitive_attr_t attr, int which, int setting, bool scale, dnnl_data_type_t dt) {
    if (setting == NONE) return;
    const int lines = which == 0 ? 1 : 1 | 4, mask = lines | (setting ? 2 : 0);
    const dnnl_dims_t groups = {which == 0 ? 1 : setting, which == 0 ? setting : 1};
    const int ndims = setting ? 2 : 0;
    const dnnl_status_t status = scale ? dnnl_primitive_attr_set_scales_v2(
                                                 attr, quantised[which], mask, ndims, groups, dt, 0)
                                       : dnnl_primitive_attr_set_zero_points(
                                                 attr, quantised[which], mask, ndims, groups, dt);
    assert_int_equal(status, dnnl_success);
}

static dnnl_primitive_attr_t make_attr(problem_t *p) {
    const group_case_t *c = p->c;
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    assert_int_equal(dnnl_primitive_attr_create(&attr), 0);
    assert_int_equal(dnnl_post_ops_create(&ops), 0);
    set_quant(attr, 0, c->src_scale, true, dnnl_f32);
    set_quant(attr, 1, c->wei_scale, true, dnnl_f16);
    set_quant(attr, 0, c->src_zero, false, dnnl_s32);
    set_quant(attr, 1, c->wei_zero, false, dnnl_s8);
    if (c->post == RELU_AND_MUL) {
        assert_int_equal(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.25f, 0), 0);
        p->post = grouped(dnnl_f32, p->m, p->n, 0, c->ngroups);
    } else if (c->post == MUL_BY_GROUP) {
        p->post = plain(dnnl_f32, "ab", D(c->ngroups, 1));
    } else if (c->post == ADD_BY_ROW) {
        p->post = plain(dnnl_bf16, "ab", D(p->m, 1));
    }
    const dnnl_alg_kind_t alg = c->post == ADD_BY_ROW ? dnnl_binary_add : dnnl_binary_mul;
    if (c->post) assert_int_equal(dnnl_post_ops_append_binary(ops, alg, &p->post.md), 0);
    assert_int_equal(dnnl_primitive_attr_set_post_ops(attr, ops), 0);
    dnnl_post_ops_destroy(ops);
    return attr;
}

static ref_value_t expected(const problem_t *p, int g, int64_t row, int64_t col) {
    const group_case_t *c = p->c;
    const int64_t first = c->split_k && g ? p->end[g - 1] : 0, last = c->split_k ? p->end[g] : p->k;
    double sum = 0, size = 0;
    for (int64_t k = first; k < last; k++) {
        const int64_t src_at = c->split_k ? k * p->m + row : row * p->k + k;
        const int64_t wei_at =
                c->split_k ? k * p->n + col : md_offset(&p->wei.md, (dnnl_dims_t){g, k, col});
        double a = p->src.value[src_at], b = p->wei.value[wei_at];
        const int zeros[] = {c->src_zero, c->wei_zero}, scales[] = {c->src_scale, c->wei_scale};
        for (int w = 0; w < 2; w++) {
            double *x = w == 0 ? &a : &b;
            if (zeros[w] != NONE)
                *x -= p->zero[w].value[quant_index(p, w, zeros[w], row, g, col, k)];
            if (scales[w] != NONE)
                *x *= p->scale[w].value[quant_index(p, w, scales[w], row, g, col, k)];
        }
        sum += a * b;
        size += fabs(a * b);
    }
    ref_value_t x = {sum, size * (double)(last - first + 3) * FLT_EPSILON / 2};
    if (c->bias)
        x = ref_binary(FLT_EPSILON / 2, dnnl_binary_add, x,
                (ref_value_t){p->bias.value[g * p->n + col], 0});
    if (c->post == RELU_AND_MUL) x = ref_eltwise(FLT_EPSILON / 2, dnnl_eltwise_relu, x, 0.25, 0);
    if (c->post) {
        const int64_t at = c->post == RELU_AND_MUL   ? row * p->n + col
                           : c->post == MUL_BY_GROUP ? g
                                                     : row;
        const dnnl_alg_kind_t alg = c->post == ADD_BY_ROW ? dnnl_binary_add : dnnl_binary_mul;
        x = ref_binary(FLT_EPSILON / 2, alg, x, (ref_value_t){p->post.value[at], 0});
    }
    return x;
}

/* Rows after the last group keep their contents. */
static void check(const problem_t *p, const uint8_t *before) {
    const group_case_t *c = p->c;
    uint8_t *got = buffers_map(p->dst.memory, 0);
    const size_t row_bytes = (size_t)(p->n * dt_bits(c->dst) / 8);
    for (int g = 0; g < c->ngroups; g++) {
        const int64_t first = c->split_k || !g ? 0 : p->end[g - 1],
                      last = c->split_k ? p->m : p->end[g];
        for (int64_t row = first; row < last; row++)
            for (int64_t col = 0; col < p->n; col++) {
                const double r =
                        ref_load(c->dst, got, ((c->split_k ? g * p->m : 0) + row) * p->n + col);
                const ref_value_t want = expected(p, g, row, col);
                if (!ref_ok(c->dst, r, want))
                    fail_msg("group %d (%d, %d) of %dx%dx%d, types %d %d %d%s: %g, not %g +- %g", g,
                            (int)row, (int)col, (int)p->m, (int)p->k, (int)p->n, c->src, c->wei,
                            c->dst, c->split_k ? ", k split" : "", r, want.v, want.error);
                harness_count.elements++;
            }
    }
    if (!c->split_k) {
        const size_t written = (size_t)p->end[c->ngroups - 1] * row_bytes;
        assert_memory_equal(got + written, before + written, md_size(&p->dst.md, 0) - written);
    }
    buffers_unmap(p->dst.memory, got, 0);
}

static void execute(problem_t *p, dnnl_primitive_t primitive) {
    const group_case_t *c = p->c;
    array_t *all[] = {&p->src, &p->wei, &p->dst, &p->bias, &p->post, &p->scale[0], &p->scale[1],
            &p->zero[0], &p->zero[1]};
    const int names[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_BIAS,
            DNNL_ARG_ATTR_MULTIPLE_POST_OP(c->post == RELU_AND_MUL) | DNNL_ARG_SRC_1,
            DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
            DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS};
    dnnl_exec_arg_t args[ARRAY_LEN(names)];
    dnnl_stream_t stream;
    int n = 0;
    for (int i = 0; i < ARRAY_LEN(names); i++) {
        if (!all[i]->md.ndims) continue;
        fill(all[i], i < 5 ? next_value : i < 7 ? next_scale : next_zero);
        if (md_is_grouped(&all[i]->md))
            buffers_write(all[i]->memory, 1, p->end, (size_t)c->ngroups);
        args[n++] = (dnnl_exec_arg_t){names[i], all[i]->memory};
    }
    const size_t bytes = md_size(&p->dst.md, 0);
    uint8_t *before = malloc(bytes), *mapped = buffers_map(p->dst.memory, 0);
    assert_non_null(before);
    memcpy(before, mapped, bytes);
    buffers_unmap(p->dst.memory, mapped, 0);
    assert_int_equal(dnnl_stream_create(&stream, harness_engine, dnnl_stream_default_flags), 0);
    assert_int_equal(case_submit(primitive, stream, n, args), 0);
    if (!is_dry) check(p, before);
    free(before);
    dnnl_stream_destroy(stream);
    for (int i = 0; i < ARRAY_LEN(names); i++) drop(all[i]);
}

static void run(const group_case_t *c) {
    problem_t p = {.c = c, .n = c->n};
    int total = 0;
    for (int g = 0; g < c->ngroups; g++) p.end[g] = total += c->size[g];
    total += c->rest;
    p.m = c->split_k ? c->fixed : total;
    p.k = c->split_k ? total : c->fixed;
    p.src = grouped(c->src, p.m, p.k, c->split_k, c->ngroups);
    if (c->split_k) {
        p.wei = grouped(c->wei, p.k, p.n, 0, c->ngroups);
        p.dst = plain(c->dst, "abc", D(c->ngroups, p.m, p.n));
    } else {
        p.wei = plain(c->wei, c->wei_tag, D(c->ngroups, p.k, p.n));
        p.dst = grouped(c->dst, p.m, p.n, 0, c->ngroups);
    }
    if (c->bias) p.bias = plain(dnnl_f32, "ab", D(c->ngroups, p.n));
    p.scale[0] = quant_array(&p, 0, c->src_scale, dnnl_f32);
    p.scale[1] = quant_array(&p, 1, c->wei_scale, dnnl_f16);
    p.zero[0] = quant_array(&p, 0, c->src_zero, dnnl_s32);
    p.zero[1] = quant_array(&p, 1, c->wei_zero, dnnl_s8);
    dnnl_primitive_attr_t attr = make_attr(&p);
    dnnl_primitive_desc_t pd;
    assert_int_equal(dnnl_matmul_primitive_desc_create(&pd, harness_engine, &p.src.md, &p.wei.md,
                             c->bias ? &p.bias.md : NULL, &p.dst.md, hinted(attr)),
            dnnl_success);
    dnnl_primitive_attr_destroy(attr);
    harness_count.run++;
    if (!dry_skips(case_pd(pd))) {
        dnnl_primitive_t primitive;
        assert_int_equal(dnnl_primitive_create(&primitive, pd), 0);
        execute(&p, primitive);
        dnnl_primitive_destroy(primitive);
    }
    dnnl_primitive_desc_destroy(pd);
}

#define NO_QUANT NONE, NONE, NONE, NONE
#define ROWS false
#define K true
static const group_case_t cases[] = {
        {ROWS, 1, {1}, 0, 1, 1, dnnl_f32, dnnl_f32, dnnl_f32, "abc", false, NO_QUANT, NO_POST},
        {ROWS, 4, {5, 0, 9, 1}, 0, 13, 19, dnnl_f32, dnnl_f32, dnnl_f32, "abc", true, NO_QUANT,
                RELU_AND_MUL},
        {ROWS, 3, {0, 0, 7}, 6, 37, 40, dnnl_f32, dnnl_f32, dnnl_f32, "acb", false, NO_QUANT,
                MUL_BY_GROUP},
        {ROWS, 3, {0, 0, 0}, 5, 8, 8, dnnl_f32, dnnl_f32, dnnl_f32, "abc", false, NO_QUANT,
                NO_POST},
        {ROWS, 8, {17, 1, 2, 0, 33, 4, 5, 8}, 3, 64, 48, dnnl_f16, dnnl_f16, dnnl_f16, "abc", true,
                NO_QUANT, ADD_BY_ROW},
        {ROWS, 2, {6, 11}, 0, 31, 67, dnnl_bf16, dnnl_bf16, dnnl_f32, "acb", true, NO_QUANT,
                NO_POST},
        {ROWS, 3, {4, 2, 3}, 1, 24, 17, dnnl_f8_e4m3, dnnl_f8_e5m2, dnnl_bf16, "abc", false, 0, 0,
                NONE, NONE, NO_POST},
        {ROWS, 3, {4, 2, 3}, 0, 64, 32, dnnl_f4_e2m1, dnnl_f4_e2m1, dnnl_f32, "abc", false, 32, 32,
                NONE, NONE, MUL_BY_GROUP},
        {ROWS, 3, {5, 8, 2}, 0, 96, 33, dnnl_s8, dnnl_s8, dnnl_f32, "abc", true, 0, 0, NONE, NONE,
                NO_POST},
        {ROWS, 3, {5, 8, 2}, 2, 600, 33, dnnl_u8, dnnl_s8, dnnl_f16, "acb", false, 0, 0, 0, 0,
                NO_POST},
        {ROWS, 2, {7, 3}, 0, 96, 32, dnnl_u8, dnnl_s4, dnnl_bf16, "abc", false, 48, 16, NONE, 16,
                RELU_AND_MUL},
        {ROWS, 2, {7, 3}, 0, 96, 32, dnnl_s8, dnnl_u4, dnnl_f32, "abc", true, NONE, 32, 96, 32,
                NO_POST},
        {ROWS, 2, {3, 4}, 0, 64, 40, dnnl_f16, dnnl_u4, dnnl_f16, "abc", false, NONE, 16, NONE, 16,
                NO_POST},
        {ROWS, 2, {3, 4}, 0, 64, 40, dnnl_bf16, dnnl_s8, dnnl_f32, "acb", true, NONE, 0, NONE, NONE,
                ADD_BY_ROW},
        {K, 1, {5}, 0, 3, 4, dnnl_f32, dnnl_f32, dnnl_f32, NULL, false, NO_QUANT, NO_POST},
        {K, 5, {9, 0, 20, 1, 300}, 4, 21, 35, dnnl_f32, dnnl_f32, dnnl_f32, NULL, false, NO_QUANT,
                NO_POST},
        {K, 3, {0, 16, 40}, 0, 8, 64, dnnl_f16, dnnl_f16, dnnl_f16, NULL, false, NO_QUANT, NO_POST},
        {K, 2, {12, 7}, 0, 5, 18, dnnl_bf16, dnnl_bf16, dnnl_bf16, NULL, false, NO_QUANT, NO_POST},
};

static void run_sections(void) {
    harness_seed(5);
    for (int i = 0; i < ARRAY_LEN(cases); i++)
        if (sampled(i)) run(&cases[i]);
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("matmul_grouped", run_sections);
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
        for (int i = 0; i < 3; i++) fill(all[i], next_value);
        for (int e = 0; e < ARRAY_LEN(ends); e++) {
            for (int i = 0; i < 3; i++)
                if (md_is_grouped(&all[i]->md)) buffers_write(all[i]->memory, 1, ends[e], 3);
            const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src.memory},
                    {DNNL_ARG_WEIGHTS, wei.memory}, {DNNL_ARG_DST, dst.memory}};
            assert_int_equal(dnnl_primitive_execute(primitive, stream, 3, args), 0);
            assert_int_equal(dnnl_stream_wait(stream), 0);
        }
        for (int i = 0; i < 3; i++) drop(all[i]);
        dnnl_stream_destroy(stream);
        dnnl_primitive_destroy(primitive);
        dnnl_primitive_desc_destroy(pd);
    }
}

#define MATMUL(src, wei, bias, dst, attr)                                                          \
    dnnl_matmul_primitive_desc_create(                                                             \
            &pd, harness_engine, &(src).md, &(wei).md, bias, &(dst).md, attr)

static void test_refusals(void **unused) {
    (void)unused;
    dnnl_primitive_desc_t pd = NULL;
    const array_t src = grouped(dnnl_f32, 10, 4, 0, 3), dst = grouped(dnnl_f32, 10, 20, 0, 3),
                  wei = plain(dnnl_f32, "abc", D(3, 4, 20));
    const array_t s8 = grouped(dnnl_s8, 10, 4, 0, 3), to_s8 = grouped(dnnl_s8, 10, 20, 0, 3);
    const array_t split = grouped(dnnl_f32, 4, 10, 1, 3),
                  split_wei = grouped(dnnl_f32, 10, 20, 0, 3);
    const array_t split_dst = plain(dnnl_f32, "abc", D(3, 4, 20));
    const array_t two = grouped(dnnl_f32, 10, 20, 0, 2),
                  more_rows = grouped(dnnl_f32, 11, 20, 0, 3);
    const array_t flat = plain(dnnl_f32, "ab", D(4, 20)),
                  four = plain(dnnl_f32, "abc", D(4, 4, 20));
    const array_t blocked = plain(dnnl_f32, "aCB16b16c", D(3, 4, 20));
    const array_t bias = plain(dnnl_f32, "ab", D(3, 20)),
                  wrong_bias = plain(dnnl_f32, "ab", D(1, 20));
    assert_int_equal(MATMUL(src, wei, NULL, two, NULL), dnnl_invalid_arguments);
    assert_int_equal(MATMUL(src, wei, NULL, more_rows, NULL), dnnl_invalid_arguments);
    assert_int_equal(MATMUL(src, four, NULL, dst, NULL), dnnl_invalid_arguments);
    assert_int_equal(MATMUL(src, wei, &wrong_bias.md, dst, NULL), dnnl_invalid_arguments);
    assert_int_equal(MATMUL(src, flat, NULL, dst, NULL), dnnl_invalid_arguments);
    assert_int_equal(MATMUL(src, flat, NULL, flat, NULL), dnnl_unimplemented);
    assert_int_equal(MATMUL(src, blocked, NULL, dst, NULL), dnnl_unimplemented);
    assert_int_equal(MATMUL(split, wei, NULL, dst, NULL), dnnl_unimplemented);
    assert_int_equal(MATMUL(s8, wei, NULL, dst, NULL), dnnl_unimplemented);
    assert_int_equal(MATMUL(src, wei, NULL, to_s8, NULL), dnnl_unimplemented);
    assert_int_equal(MATMUL(split, split_wei, &bias.md, split_dst, NULL), dnnl_unimplemented);
    dnnl_primitive_attr_t attr;
    assert_int_equal(dnnl_primitive_attr_create(&attr), 0);
    assert_int_equal(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0), 0);
    assert_int_equal(MATMUL(src, wei, NULL, dst, attr), dnnl_unimplemented);
    assert_int_equal(dnnl_primitive_attr_destroy(attr), 0);
    dnnl_post_ops_t ops;
    assert_int_equal(dnnl_primitive_attr_create(&attr), 0);
    assert_int_equal(dnnl_post_ops_create(&ops), 0);
    assert_int_equal(dnnl_post_ops_append_binary(ops, dnnl_binary_mul, &flat.md), 0);
    assert_int_equal(dnnl_primitive_attr_set_post_ops(attr, ops), 0);
    assert_int_equal(MATMUL(src, wei, NULL, dst, attr), dnnl_invalid_arguments);
    assert_int_equal(MATMUL(split, split_wei, NULL, split_dst, attr), dnnl_unimplemented);
    dnnl_post_ops_destroy(ops);
    assert_int_equal(dnnl_primitive_attr_destroy(attr), 0);
    assert_null(pd);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_wrong_ends),
        cmocka_unit_test(test_refusals))
