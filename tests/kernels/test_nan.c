/* SPDX-License-Identifier: Apache-2.0 */
/* NaNs in sources, on every variant (cases/nan.txt): the rules of docs/nan.md. */
#include <math.h>
#include <string.h>

#include "case_run.h"
#include "cases.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_table.h"
#include "test_main.h"

/* One in so many elements is a NaN: few enough that some windows and rows have none. */
enum { EVERY = 61, FIRST = 5 };

static void plant(case_t *c, int arg, int64_t every, int64_t first) {
    const int slot = pd_find_arg(c->pd, arg);
    const md_t *md = &c->md[slot];
    dnnl_dims_t pos = {0};
    int64_t i = 0;
    do
        if (i++ % every == first) ref_store(md->data_type, c->data[slot], md_offset(md, pos), NAN);
    while (ref_next(md->dims, md->ndims, pos));
}

/* What the table says of an elementwise operation on a NaN, without the reference. */
static double expected(const op_params_t *p) {
    switch ((int)p->alg_kind) {
    case dnnl_eltwise_pow: return p->beta == 0 ? (double)p->alpha : NAN;
    case dnnl_binary_ge:
    case dnnl_binary_gt:
    case dnnl_binary_le:
    case dnnl_binary_lt:
    case dnnl_binary_eq: return 0;
    case dnnl_binary_ne: return 1;
    default: return NAN;
    }
}

static void check_elements(const case_t *c, int64_t every, int64_t first) {
    const int slot = pd_find_arg(c->pd, DNNL_ARG_DST);
    const md_t *md = &c->md[slot];
    const double want = expected(&c->pd->params);
    dnnl_dims_t pos = {0};
    int64_t i = 0;
    do {
        const double got = ref_load(md->data_type, c->data[slot], md_offset(md, pos));
        if (i++ % every == first) assert_true(isnan(want) ? isnan(got) : got == want);
    } while (ref_next(md->dims, md->ndims, pos));
}

/* Some results have met a NaN, others have not. */
static void check_that_both_are_there(const case_t *c) {
    const int slot = pd_find_arg(c->pd, DNNL_ARG_DST);
    const md_t *md = &c->md[slot];
    dnnl_dims_t pos = {0};
    int nans = 0, numbers = 0;
    do {
        if (isnan(ref_load(md->data_type, c->data[slot], md_offset(md, pos)))) nans++;
        else numbers++;
    } while (ref_next(md->dims, md->ndims, pos));
    assert_true(nans > 0 && numbers > 0);
}

static void run_one(const test_case_t *t) {
    problem_t p;
    case_t c;
    case_create(&p, t);
    if (!case_open_problem(&c, &p)) return;
    const dnnl_primitive_kind_t kind = c.pd->params.kind;
    case_fill(&c, NULL);
    plant(&c, DNNL_ARG_SRC, EVERY, FIRST);
    if (kind == dnnl_binary) plant(&c, DNNL_ARG_SRC_1, EVERY, FIRST + 1);
    case_run(&c);
    case_check(&c, ref_find(c.pd)->outputs->reference);
    if (kind == dnnl_eltwise || kind == dnnl_binary) check_elements(&c, EVERY, FIRST);
    if (kind == dnnl_binary) check_elements(&c, EVERY, FIRST + 1);
    if (kind == dnnl_reduction || kind == dnnl_pooling) check_that_both_are_there(&c);
    case_close(&c);
}

static bool has_doubles(void) {
    return variants[harness_hints.forced_variant].needs_fp64;
}

static void run_elementwise(void) {
    static bool first = true;
    if (first) cases_each("nan", "functions", "", run_one);
    first = false;
    cases_each("nan", "choices", has_doubles() ? "dt=f64" : "", run_one);
}
static void run_reduction(void) {
    cases_each("nan", "reduction", has_doubles() ? "dt=f64" : "", run_one);
}
static void run_pooling(void) {
    cases_each("nan", "pooling", has_doubles() ? "dt=f64" : "", run_one);
}
static void run_softmax(void) {
    cases_each("nan", "softmax", "", run_one);
}
static void run_matmul(void) {
    cases_each("nan", "matmul", "", run_one);
}

static void test_elementwise(void **unused) {
    (void)unused;
    for_each_variant("elementwise", run_elementwise);
}
static void test_reduction(void **unused) {
    (void)unused;
    for_each_variant("reduction", run_reduction);
}
static void test_pooling(void **unused) {
    (void)unused;
    for_each_variant("pooling", run_pooling);
}
static void test_softmax(void **unused) {
    (void)unused;
    for_each_variant("softmax", run_softmax);
}
/* An epilogue is the same code in all variants that have vectors of one width: 16, 8 and 1. */
static bool is_sample_of_matmul(int variant) {
    static const char *const samples[] = {"matmul_cpu_6x16", "matmul_sg16_8x32", "matmul_portable"};
    for (int i = 0; i < ARRAY_LEN(samples); i++)
        if (!strcmp(variants[variant].id, samples[i])) return true;
    return false;
}

static void test_post_ops(void **unused) {
    (void)unused;
    for_each_variant_that(is_sample_of_matmul, "matmul", run_matmul);
}

TEST_MAIN(cmocka_unit_test(test_elementwise), cmocka_unit_test(test_reduction),
        cmocka_unit_test(test_pooling), cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_post_ops))
