/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for primitives of every kind: a scratchpad of the caller, the destination in a source's
 * buffer, parts of larger tensors, long epilogues, and modes that are hints. */
#include <stdlib.h>
#include <string.h>

#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

#define OK(call) assert_int_equal(call, dnnl_success)
#define INFER dnnl_forward_inference

/* A function that makes descriptors: of dense tensors, or of parts of larger ones. */
typedef md_t (*make_fn)(dnnl_data_type_t dt, const char *tag, int ndims, const dnnl_dim_t *dims);

static md_t part_of_larger(
        dnnl_data_type_t dt, const char *tag, int ndims, const dnnl_dim_t *dims) {
    dnnl_dims_t large, from;
    for (int d = 0; d < ndims; d++) {
        from[d] = 1 + d;
        large[d] = dims[d] + from[d] + 2;
    }
    md_t whole = make_md(dt, tag, ndims, large), part;
    OK(md_init_submemory(&part, &whole, dims, from));
    assert_true(part.offset0 > 0);
    return part;
}

typedef dnnl_status_t (*create_fn)(
        dnnl_primitive_desc_t *pd, make_fn make, const_dnnl_primitive_attr_t attr);
#define CREATE(name)                                                                               \
    static dnnl_status_t create_##name(                                                            \
            dnnl_primitive_desc_t *pd, make_fn make, const_dnnl_primitive_attr_t attr)
#define SPATIAL "abcd", D(2, 6, 7, 9)
#define NO_PAD (const dnnl_dims_t){0, 0}, (const dnnl_dims_t){0, 0}
#define ONES (const dnnl_dims_t){1, 1}
#define ZEROS (const dnnl_dims_t){0, 0}

CREATE(eltwise) {
    md_t md = make(dnnl_f32, SPATIAL);
    return dnnl_eltwise_forward_primitive_desc_create(
            pd, harness_engine, INFER, dnnl_eltwise_linear, &md, &md, 0.5f, 1, attr);
}
CREATE(binary) {
    md_t md = make(dnnl_f32, SPATIAL);
    return dnnl_binary_primitive_desc_create(
            pd, harness_engine, dnnl_binary_sub, &md, &md, &md, attr);
}
CREATE(reorder) {
    md_t src = make(dnnl_f32, SPATIAL), dst = make(dnnl_f16, "acdb", D(2, 6, 7, 9));
    return dnnl_reorder_primitive_desc_create(pd, &src, harness_engine, &dst, harness_engine, attr);
}
CREATE(matmul) {
    md_t src = make(dnnl_f32, "ab", D(37, 40)), wei = make(dnnl_f32, "ab", D(40, 53)),
         dst = make(dnnl_f32, "ab", D(37, 53));
    return dnnl_matmul_primitive_desc_create(pd, harness_engine, &src, &wei, NULL, &dst, attr);
}
CREATE(inner_product) {
    md_t src = make(dnnl_f32, "abc", D(13, 5, 4)), wei = make(dnnl_f32, "acb", D(17, 5, 4)),
         dst = make(dnnl_f32, "ab", D(13, 17));
    return dnnl_inner_product_forward_primitive_desc_create(
            pd, harness_engine, INFER, &src, &wei, NULL, &dst, attr);
}
CREATE(convolution) {
    md_t src = make(dnnl_f32, SPATIAL), wei = make(dnnl_f32, "abcd", D(17, 6, 3, 3)),
         dst = make(dnnl_f32, "abcd", D(2, 17, 5, 7));
    return dnnl_convolution_forward_primitive_desc_create(pd, harness_engine, INFER,
            dnnl_convolution_direct, &src, &wei, NULL, &dst, ONES, ZEROS, NO_PAD, attr);
}
CREATE(deconvolution) {
    md_t src = make(dnnl_f32, SPATIAL), wei = make(dnnl_f32, "abcd", D(17, 6, 3, 3)),
         dst = make(dnnl_f32, "abcd", D(2, 17, 9, 11));
    return dnnl_deconvolution_forward_primitive_desc_create(pd, harness_engine, INFER,
            dnnl_deconvolution_direct, &src, &wei, NULL, &dst, ONES, ZEROS, NO_PAD, attr);
}
CREATE(pooling) {
    md_t src = make(dnnl_f32, SPATIAL), dst = make(dnnl_f32, "abcd", D(2, 6, 6, 8));
    return dnnl_pooling_forward_primitive_desc_create(pd, harness_engine, INFER,
            dnnl_pooling_avg_include_padding, &src, &dst, ONES, (const dnnl_dims_t){2, 2}, ZEROS,
            NO_PAD, attr);
}
CREATE(resampling) {
    md_t src = make(dnnl_f32, SPATIAL), dst = make(dnnl_f32, "abcd", D(2, 6, 14, 5));
    return dnnl_resampling_forward_primitive_desc_create(
            pd, harness_engine, INFER, dnnl_resampling_linear, NULL, &src, &dst, attr);
}
CREATE(softmax) {
    md_t md = make(dnnl_f32, SPATIAL);
    return dnnl_softmax_forward_primitive_desc_create(
            pd, harness_engine, INFER, dnnl_softmax_accurate, &md, &md, 1, attr);
}
CREATE(layer_normalization) {
    md_t md = make(dnnl_f32, "abc", D(3, 5, 67));
    return dnnl_layer_normalization_forward_primitive_desc_create(pd, harness_engine, INFER, &md,
            &md, NULL, 1e-3f, dnnl_use_scale | dnnl_use_shift, attr);
}
CREATE(group_normalization) {
    md_t md = make(dnnl_f32, SPATIAL);
    return dnnl_group_normalization_forward_primitive_desc_create(
            pd, harness_engine, INFER, &md, &md, 3, 1e-3f, dnnl_use_scale | dnnl_use_shift, attr);
}
CREATE(batch_normalization) {
    md_t md = make(dnnl_f32, SPATIAL);
    return dnnl_batch_normalization_forward_primitive_desc_create(
            pd, harness_engine, INFER, &md, &md, 1e-3f, dnnl_use_scale | dnnl_use_shift, attr);
}
CREATE(reduction) {
    md_t src = make(dnnl_f32, SPATIAL), dst = make(dnnl_f32, "abcd", D(2, 1, 7, 1));
    return dnnl_reduction_primitive_desc_create(
            pd, harness_engine, dnnl_reduction_mean, &src, &dst, 0, 0, attr);
}
CREATE(lrn) {
    md_t md = make(dnnl_f32, SPATIAL);
    return dnnl_lrn_forward_primitive_desc_create(pd, harness_engine, INFER,
            dnnl_lrn_across_channels, &md, &md, 5, 1e-2f, 0.75f, 1, attr);
}
CREATE(prelu) {
    md_t md = make(dnnl_f32, SPATIAL), wei = make(dnnl_f32, "abcd", D(1, 6, 1, 1));
    return dnnl_prelu_forward_primitive_desc_create(
            pd, harness_engine, INFER, &md, &wei, &md, attr);
}
CREATE(shuffle) {
    md_t md = make(dnnl_f32, SPATIAL);
    return dnnl_shuffle_forward_primitive_desc_create(
            pd, harness_engine, INFER, &md, &md, 1, 3, attr);
}
CREATE(concat) {
    md_t src[2] = {make(dnnl_f32, SPATIAL), make(dnnl_f32, "abcd", D(2, 3, 7, 9))},
         dst = make(dnnl_f32, "abcd", D(2, 9, 7, 9));
    return dnnl_concat_primitive_desc_create(
            pd, harness_engine, &dst, 2, 1, (const_dnnl_memory_desc_t[]){&src[0], &src[1]}, attr);
}
CREATE(sum) {
    md_t md = make(dnnl_f32, SPATIAL);
    const_dnnl_memory_desc_t srcs[20];
    float scales[20];
    for (int i = 0; i < 20; i++) {
        srcs[i] = &md;
        scales[i] = 0.5f + (float)i;
    }
    return dnnl_sum_primitive_desc_create(pd, harness_engine, &md, 20, scales, srcs, attr);
}

enum { E = 1, B = 2, S = 4, P = 8 }; /* kinds of post-ops */
static const struct {
    const char *name;
    create_fn create;
    unsigned post_ops;
    int in_place; /* the source that the destination may share a buffer with; 0: none */
} kinds[] = {
#define KIND(name, post_ops, in_place) {#name, create_##name, post_ops, in_place}
        KIND(eltwise, E | B | S | P, DNNL_ARG_SRC),
        KIND(binary, E | B | S | P, DNNL_ARG_SRC),
        KIND(reorder, S, 0),
        KIND(matmul, E | B | S | P, 0),
        KIND(inner_product, E | B | S | P, 0),
        KIND(convolution, E | B | S | P, 0),
        KIND(deconvolution, E | B | S | P, 0),
        KIND(pooling, E | B, 0),
        KIND(resampling, E | B | S, 0),
        KIND(softmax, E | B | P, DNNL_ARG_SRC),
        KIND(layer_normalization, E | B | P, DNNL_ARG_SRC),
        KIND(group_normalization, E | B | P, DNNL_ARG_SRC),
        KIND(batch_normalization, E, DNNL_ARG_SRC),
        KIND(reduction, E | B | S | P, 0),
        KIND(lrn, 0, 0),
        KIND(prelu, 0, DNNL_ARG_SRC),
        KIND(shuffle, 0, 0),
        KIND(concat, 0, 0),
        KIND(sum, 0, DNNL_ARG_MULTIPLE_SRC),
#undef KIND
};

static void compare(case_t *c, const char *name) {
    verdict_t v = {0};
    case_compare(c, &v);
    if (v.wrong) fail_msg("%s: %s", name, v.first);
    assert_true(v.compared > 0);
}

static void run(const char *name, dnnl_primitive_desc_t pd, dnnl_status_t status, int in_place) {
    case_t c;
    if (status != dnnl_success) fail_msg("%s: status %d", name, (int)status);
    case_init(&c, pd);
    c.in_place = in_place;
    case_fill(&c, NULL);
    OK(case_execute(&c));
    compare(&c, name);
    const int scratch = pd_find_arg(c.pd, DNNL_ARG_SCRATCHPAD);
    for (size_t i = 0; scratch >= 0 && c.data[scratch] && i < 64;
            i++) /* the library writes nothing after its end */
        assert_int_equal(c.data[scratch][c.size[scratch] + i], 0xa5);
    case_fini(&c);
}

/* Executes with a scratchpad of so many bytes; -1: without one. */
static dnnl_status_t with_scratchpad(dnnl_primitive_desc_t pd, dnnl_dim_t size) {
    enum { MAX = 64 };
    dnnl_exec_arg_t args[MAX];
    dnnl_memory_t memory[MAX];
    int n = 0;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    case_t c;
    dnnl_primitive_desc_t copy;
    OK(dnnl_primitive_desc_clone(&copy, pd));
    case_init(&c, copy);
    OK(dnnl_stream_create(&stream, harness_engine, dnnl_stream_default_flags));
    OK(dnnl_primitive_create(&primitive, pd));
    for (int i = 0; i < c.pd->nargs; i++) {
        md_t md = c.pd->args[i].md;
        if (md_is_zero(&md)) continue;
        if (c.pd->args[i].arg == DNNL_ARG_SCRATCHPAD) {
            if (size < 0) continue;
            md = make_md(dnnl_u8, "a", 1, &size);
        }
        OK(dnnl_memory_create(&memory[n], &md, harness_engine, DNNL_MEMORY_ALLOCATE));
        args[n] = (dnnl_exec_arg_t){c.pd->args[i].arg, memory[n]};
        n++;
    }
    const dnnl_status_t status = dnnl_primitive_execute(primitive, stream, n, args);
    OK(dnnl_stream_wait(stream));
    for (int i = 0; i < n; i++) OK(dnnl_memory_destroy(memory[i]));
    OK(dnnl_primitive_destroy(primitive));
    OK(dnnl_stream_destroy(stream));
    case_fini(&c);
    return status;
}

static void test_user_scratchpad(void **unused) {
    (void)unused;
    int with = 0;
    dnnl_primitive_attr_t attr;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    for (int k = 0; k < ARRAY_LEN(kinds); k++) {
        dnnl_primitive_desc_t pd = NULL, library = NULL;
        dnnl_status_t status = kinds[k].create(&pd, make_md, attr);
        OK(status);
        OK(kinds[k].create(&library, make_md, NULL));
        const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
        const dnnl_dim_t size = (dnnl_dim_t)dnnl_memory_desc_get_size(md);
        int64_t consumed, own;
        OK(dnnl_primitive_desc_query(library, dnnl_query_memory_consumption_s64, 0, &own));
        OK(dnnl_primitive_desc_query(pd, dnnl_query_memory_consumption_s64, 0, &consumed));
        assert_int_equal(own, size); /* the same size as the library would allocate */
        assert_int_equal(consumed, 0);
        md = dnnl_primitive_desc_query_md(library, dnnl_query_scratchpad_md, 0);
        assert_int_equal(dnnl_memory_desc_get_size(md), 0);
        if (size > 0) {
            with++;
            assert_int_equal(with_scratchpad(pd, -1), dnnl_invalid_arguments);
            assert_int_equal(with_scratchpad(pd, size - 1), dnnl_invalid_arguments);
            assert_int_equal(with_scratchpad(pd, size + 1), dnnl_success);
        }
        OK(dnnl_primitive_desc_destroy(library));
        run(kinds[k].name, pd, status, 0);
    }
    OK(dnnl_primitive_attr_destroy(attr));
    print_message("%d of %d kinds have a scratchpad\n", with, (int)ARRAY_LEN(kinds));
    assert_true(with >= 4);
}

static void test_in_place(void **unused) {
    (void)unused;
    for (int k = 0; k < ARRAY_LEN(kinds); k++) {
        if (!kinds[k].in_place) continue;
        for (int larger = 0; larger < 2; larger++) {
            dnnl_primitive_desc_t pd = NULL;
            dnnl_status_t status = kinds[k].create(&pd, larger ? part_of_larger : make_md, NULL);
            run(kinds[k].name, pd, status, kinds[k].in_place);
        }
    }
}

static void test_parts(void **unused) {
    (void)unused;
    for (int k = 0; k < ARRAY_LEN(kinds); k++) {
        dnnl_primitive_desc_t pd = NULL;
        dnnl_status_t status = kinds[k].create(&pd, part_of_larger, NULL);
        run(kinds[k].name, pd, status, 0);
    }
}

/* An epilogue of n post-ops that the kind supports. Every tensor is a part of a larger one. */
static dnnl_primitive_attr_t chain(int k, int n) {
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_post_ops_t po;
    OK(kinds[k].create(&pd, make_md, NULL));
    const md_t dst = *dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0);
    OK(dnnl_primitive_desc_destroy(pd));
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_post_ops_create(&po));
    static const char *const tags[] = {"a", "ab", "abc", "abcd"};
    for (int i = 0; i < n; i++) {
        dnnl_dims_t dims;
        for (int d = 0; d < dst.ndims; d++) dims[d] = (i + d) % 3 ? dst.dims[d] : 1;
        const unsigned all = kinds[k].post_ops;
        const unsigned wanted = 1u << i % 4, kind = all & wanted ? wanted : all & E ? E : S;
        md_t operand =
                part_of_larger(i & 1 ? dnnl_f32 : dnnl_s8, tags[dst.ndims - 1], dst.ndims, dims);
        if (kind == E) OK(dnnl_post_ops_append_eltwise(po, dnnl_eltwise_linear, 0.5f, 0.25f));
        if (kind == B)
            OK(dnnl_post_ops_append_binary(
                    po, i & 8 ? dnnl_binary_max : dnnl_binary_add, &operand));
        if (kind == S) OK(dnnl_post_ops_append_sum(po, 0.5f, 0, dnnl_data_type_undef));
        if (kind == P) OK(dnnl_post_ops_append_prelu(po, i & 4 ? 2 : 0));
    }
    OK(dnnl_primitive_attr_set_post_ops(attr, po));
    OK(dnnl_post_ops_destroy(po));
    return attr;
}

static void test_post_ops(void **unused) {
    (void)unused;
    for (int k = 0; k < ARRAY_LEN(kinds); k++) {
        if (!kinds[k].post_ops || !strcmp(kinds[k].name, "reorder"))
            continue; /* supports one post-op, a sum */
        dnnl_primitive_attr_t attr = chain(k, 32);
        dnnl_primitive_desc_t pd = NULL;
        dnnl_status_t status = kinds[k].create(&pd, make_md, attr);
        run(kinds[k].name, pd, status, 0);
        OK(dnnl_primitive_attr_destroy(attr));
    }
}

/* Hints change nothing beyond the error that the references allow. */
static void test_hints(void **unused) {
    (void)unused;
    for (int k = 0; k < ARRAY_LEN(kinds); k++) {
        dnnl_primitive_attr_t attr;
        OK(dnnl_primitive_attr_create(&attr));
        OK(dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_any, 1));
        OK(dnnl_primitive_attr_set_accumulation_mode(attr, dnnl_accumulation_mode_any));
        OK(dnnl_primitive_attr_set_deterministic(attr, 1));
        dnnl_primitive_desc_t pd = NULL;
        dnnl_status_t status = kinds[k].create(&pd, make_md, attr);
        run(kinds[k].name, pd, status, 0);
        OK(dnnl_primitive_attr_destroy(attr));
    }
}

/* Reductions of the source that the caller has computed give the same result as the
 * library's own. */
static void test_precomputed_reductions(void **unused) {
    (void)unused;
    enum { M = 7, K = 64, N = 33, G = 16 };
    md_t src = make_md(dnnl_s8, "ab", D(M, K)), wei = make_md(dnnl_u8, "ab", D(K, N)),
         dst = make_md(dnnl_f32, "ab", D(M, N));
    dnnl_primitive_attr_t attr;
    OK(dnnl_primitive_attr_create(&attr));
    const dnnl_dims_t along_src = {1, G}, along_wei = {G, 1};
    OK(dnnl_primitive_attr_set_precomputed_reductions(
            attr, DNNL_ARG_SRC, 3, 2, along_src, dnnl_s32));
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(
            dnnl_matmul_primitive_desc_create(&pd, harness_engine, &src, &wei, NULL, &dst, attr),
            dnnl_unimplemented); /* they have no purpose without zero points */
    OK(dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_WEIGHTS, 3, 2, along_wei, dnnl_u8));
    OK(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_WEIGHTS, 3, 2, along_wei, dnnl_f32));
    OK(dnnl_matmul_primitive_desc_create(&pd, harness_engine, &src, &wei, NULL, &dst, attr));
    case_t c;
    case_init(&c, pd);
    case_fill(&c, NULL);
    const int from = pd_find_arg(c.pd, DNNL_ARG_SRC),
              to = pd_find_arg(c.pd, DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | DNNL_ARG_SRC);
    assert_int_equal(c.size[to], sizeof(int32_t) * M * K / G);
    for (int i = 0; i < M * K / G; i++) {
        int32_t sum = 0;
        for (int k = 0; k < G; k++) sum += (int8_t)c.data[from][i * G + k];
        ((int32_t *)c.data[to])[i] = sum;
    }
    OK(case_execute(&c));
    compare(&c, "matmul");
    case_fini(&c);
    OK(dnnl_primitive_attr_set_precomputed_reductions(attr, DNNL_ARG_SRC, 2, 0, NULL, dnnl_s32));
    assert_int_equal(
            dnnl_matmul_primitive_desc_create(&pd, harness_engine, &src, &wei, NULL, &dst, attr),
            dnnl_unimplemented);
    OK(dnnl_primitive_attr_destroy(attr));
}

static void fused(dnnl_data_type_t dt, bool zero_point, case_t *c) {
    md_t src = make_md(dnnl_u8, SPATIAL), wei = make_md(dnnl_s8, "abcd", D(17, 6, 1, 1));
    md_t between = make_md(dnnl_s8, "abcd", D(2, 17, 7, 9));
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t po;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_post_ops_create(&po));
    OK(dnnl_post_ops_append_eltwise(po, dnnl_eltwise_linear, 1 / 64.0f, 0));
    OK(dnnl_post_ops_append_dw(po, dnnl_s8, dnnl_data_type_undef, dt, 3, 2, 1));
    OK(dnnl_post_ops_append_eltwise(po, dnnl_eltwise_linear, 1 / 32.0f, 0));
    OK(dnnl_primitive_attr_set_post_ops(attr, po));
    OK(dnnl_post_ops_destroy(po));
    if (zero_point) OK(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 0));
    dnnl_primitive_desc_t pd = NULL;
    OK(dnnl_convolution_forward_primitive_desc_create(&pd, harness_engine, INFER,
            dnnl_convolution_direct, &src, &wei, NULL, &between, ONES, ZEROS, NO_PAD, attr));
    OK(dnnl_primitive_attr_destroy(attr));
    case_init(c, pd);
    harness_seed(11);
    case_fill(c, NULL);
}

/* The zero point of the destination applies to the result of a depthwise post-op. */
static void test_zero_point_of_depthwise(void **unused) {
    (void)unused;
    case_t plain, shifted;
    fused(dnnl_f32, false, &plain);
    fused(dnnl_s8, true, &shifted);
    for (int i = 0; i < shifted.pd->nargs; i++) {
        const int other = pd_find_arg(plain.pd, shifted.pd->args[i].arg);
        if (other >= 0 && shifted.pd->args[i].flags & PD_IN)
            memcpy(shifted.data[i], plain.data[other], shifted.size[i]);
    }
    const int dst = pd_find_arg(shifted.pd, DNNL_ARG_DST),
              other = pd_find_arg(plain.pd, DNNL_ARG_DST);
    const int zero = pd_find_arg(shifted.pd, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST);
    assert_true(zero >= 0);
    *(int32_t *)shifted.data[zero] = 7;
    OK(case_execute(&plain));
    OK(case_execute(&shifted));
    dnnl_dims_t pos = {0};
    int distinct = 0;
    do {
        const double x = ref_load(dnnl_f32, plain.data[other], md_offset(&plain.md[other], pos));
        const double got = ref_load(dnnl_s8, shifted.data[dst], md_offset(&shifted.md[dst], pos));
        assert_true(got == ref_round(dnnl_s8, (double)((float)x + 7.0f)));
        distinct += got > -128 && got < 127 && got != 7;
    } while (ref_next(plain.md[other].dims, plain.md[other].ndims, pos));
    assert_true(distinct > 100);
    case_fini(&plain);
    case_fini(&shifted);
}

TEST_MAIN(cmocka_unit_test(test_precomputed_reductions),
        cmocka_unit_test(test_zero_point_of_depthwise), cmocka_unit_test(test_user_scratchpad),
        cmocka_unit_test(test_in_place), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_post_ops), cmocka_unit_test(test_hints))
