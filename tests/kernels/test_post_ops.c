/* SPDX-License-Identifier: Apache-2.0 */
/* Post-ops of every kind, in any order, up to 32 of them, on every variant of family
 * "elementwise". */
#include <string.h>

#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

#define OK(call) assert_int_equal(call, dnnl_success)

/* The tensor of a post-op: it has some of the destination's dimensions, and the others have
 * size 1. */
static md_t operand(dnnl_data_type_t dt, const md_t *dst, unsigned dims_kept, const char *tag) {
    dnnl_dims_t dims;
    for (int d = 0; d < dst->ndims; d++) dims[d] = dims_kept & 1u << d ? dst->dims[d] : 1;
    return make_md(dt, tag, dst->ndims, dims);
}

static void append_binary(
        dnnl_post_ops_t po, dnnl_alg_kind_t alg, const md_t *src1, const md_t *condition) {
    if (alg == dnnl_binary_select) OK(dnnl_post_ops_append_binary_v2(po, alg, src1, condition));
    else OK(dnnl_post_ops_append_binary(po, alg, src1));
}

static void append_random(dnnl_post_ops_t po, const md_t *dst) {
    static const struct {
        dnnl_alg_kind_t alg;
        float alpha, beta;
    } eltwise[] = {{dnnl_eltwise_relu, 0.5f, 0}, {dnnl_eltwise_linear, 0.5f, 1},
            {dnnl_eltwise_clip, -30, 30}, {dnnl_eltwise_abs, 0, 0}, {dnnl_eltwise_tanh, 0, 0}};
    static const dnnl_data_type_t dts[] = {dnnl_f32, dnnl_s8, dnnl_bf16};
    const char *plain = dst->ndims == 2 ? "ab" : "abcd";
    switch (harness_random() % 6) {
    case 0:
        OK(dnnl_post_ops_append_sum(
                po, 0.25f, dt_is_int(dst->data_type) ? 3 : 0, dnnl_data_type_undef));
        break;
    case 1: OK(dnnl_post_ops_append_prelu(po, (int)(harness_random() % 4))); break;
    case 2: {
        int i = (int)(harness_random() % (uint64_t)ARRAY_LEN(eltwise));
        OK(dnnl_post_ops_append_eltwise(po, eltwise[i].alg, eltwise[i].alpha, eltwise[i].beta));
        break;
    }
    default: {
        static const dnnl_alg_kind_t algs[] = {dnnl_binary_add, dnnl_binary_sub, dnnl_binary_max,
                dnnl_binary_min, dnnl_binary_mul, dnnl_binary_select};
        md_t src1 =
                operand(dts[harness_random() % 3], dst, (unsigned)(harness_random() & 15), plain);
        md_t condition = operand(dnnl_s8, dst, (unsigned)(harness_random() & 15), plain);
        append_binary(po, algs[harness_random() % (uint64_t)ARRAY_LEN(algs)], &src1, &condition);
    }
    }
}

/* Runs relu and add, followed by the post-ops. */
static void run(const md_t *dst, dnnl_post_ops_t po, bool user_scratchpad) {
    dnnl_primitive_attr_t attr;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_post_ops(attr, po));
    if (user_scratchpad)
        OK(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    dnnl_post_ops_destroy(po);
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status;
    if (user_scratchpad) {
        status = dnnl_binary_primitive_desc_create(
                &pd, harness_engine, dnnl_binary_add, dst, dst, dst, hinted(attr));
        case_all(pd, status, ref_binary_fwd, -4, 4);
    } else {
        status = dnnl_eltwise_forward_primitive_desc_create(&pd, harness_engine,
                dnnl_forward_inference, dnnl_eltwise_relu, dst, dst, 0, 0, hinted(attr));
        case_all(pd, status, ref_eltwise_fwd, -4, 4);
    }
    dnnl_primitive_attr_destroy(attr);
}

static dnnl_post_ops_t new_post_ops(void) {
    dnnl_post_ops_t po;
    OK(dnnl_post_ops_create(&po));
    return po;
}

static void short_chains(void) {
    md_t plain = make_md(dnnl_f32, "ab", D(19, 37)),
         blocked = make_md(dnnl_f32, "aBcd16b", D(2, 19, 3, 5));
    md_t s8 = make_md(dnnl_s8, "ab", D(19, 37));
    const md_t *dsts[] = {&plain, &s8, &blocked};
    for (int i = 0; i < 3; i++) {
        dnnl_post_ops_t po = new_post_ops();
        md_t row = operand(dnnl_f32, dsts[i], 2, i == 2 ? "abcd" : "ab");
        append_binary(po, dnnl_binary_add, &row, NULL);
        OK(dnnl_post_ops_append_eltwise(po, dnnl_eltwise_relu, 0, 0));
        OK(dnnl_post_ops_append_sum(po, 2, 0, dnnl_data_type_undef));
        run(dsts[i], po, false);
    }
    dnnl_post_ops_t po = new_post_ops(); /* the sum reads the destination as another type */
    OK(dnnl_post_ops_append_sum(po, 1, 0, dnnl_u8));
    run(&s8, po, false);
    po = new_post_ops(); /* same layout as the destination: the dense variants may run it */
    append_binary(po, dnnl_binary_mul, &plain, NULL);
    append_binary(po, dnnl_binary_div, &plain, NULL);
    run(&plain, po, true);
    po = new_post_ops();
    append_binary(po, dnnl_binary_max, &blocked, NULL);
    run(&blocked, po, false);
}

static void long_chains(void) {
    md_t f32 = make_md(dnnl_f32, "ab", D(19, 37)), u8 = make_md(dnnl_u8, "acdb", D(3, 5, 4, 7));
    dnnl_post_ops_t po = new_post_ops();
    for (int i = 0; i < 32; i++)
        OK(dnnl_post_ops_append_eltwise(po, dnnl_eltwise_linear, i & 1 ? 0.5f : 2, 1));
    run(&f32, po, false);
    po = new_post_ops();
    for (int i = 0; i < 32; i++) {
        md_t src1 = operand(dnnl_f32, &f32, (unsigned)i & 3, "ab"),
             condition = operand(dnnl_s8, &f32, (unsigned)~i & 3, "ab");
        append_binary(po, dnnl_binary_select, &src1, &condition);
    }
    run(&f32, po, true);
    for (int n = 0; n < 2; n++) {
        po = new_post_ops();
        for (int i = 0; i < 32; i++) append_random(po, n ? &u8 : &f32);
        run(n ? &u8 : &f32, po, n == 0);
    }
}

static void run_sections(void) {
    short_chains();
    long_chains();
}

/* All tensors have the same layout here, so there is nothing to transpose. */
static bool keeps_order(int row) {
    return strcmp(variants[row].entry, "turn") != 0;
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant_that(keeps_order, "elementwise", run_sections);
}

TEST_MAIN(cmocka_unit_test(test_variants))
