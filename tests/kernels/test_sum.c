/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "elementwise" as sum (cases/sum.txt): numbers of sources, types,
 * layouts, scales. */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_data.h"
#include "test_main.h"

static void run_sections(void) {
    cases_run("sum", "counts");
    cases_run("sum", "types");
    cases_run("sum", "layouts");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("elementwise", run_sections);
}

/* As many sources as there are numbers for arguments, and one more. */
static void test_very_many(void **unused) {
    (void)unused;
    enum { MOST = DNNL_ARG_MULTIPLE_DST - DNNL_ARG_MULTIPLE_SRC };
    const md_t src = make_md(dnnl_f32, "ab", D(2, 19));
    const_dnnl_memory_desc_t srcs[MOST + 1];
    float scales[MOST + 1];
    dnnl_primitive_desc_t pd = NULL;
    for (int i = 0; i <= MOST; i++) {
        srcs[i] = &src;
        scales[i] = i % 2 ? 1 : -0.5f;
    }
    static const int counts[] = {640, MOST};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(dnnl_sum_primitive_desc_create(
                                 &pd, harness_engine, NULL, counts[i], scales, srcs, NULL),
                dnnl_success);
        case_all(pd, dnnl_success, ref_sum, -4, 4);
        pd = NULL;
    }
    assert_int_equal(
            dnnl_sum_primitive_desc_create(&pd, harness_engine, NULL, MOST + 1, scales, srcs, NULL),
            dnnl_unimplemented);
    assert_null(pd);
}

static void test_refusals(void **unused) {
    (void)unused;
    const md_t src[] = {make_md(dnnl_f32, "ab", D(2, 3)), make_md(dnnl_f32, "ab", D(2, 4))};
    dnnl_primitive_desc_t pd = NULL;
    const const_dnnl_memory_desc_t list[] = {&src[0], &src[1]};
    const float scales[] = {1, -0.5f};
    assert_int_equal(
            dnnl_sum_primitive_desc_create(&pd, harness_engine, NULL, 2, scales, list, NULL),
            dnnl_invalid_arguments);
    assert_null(pd);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_very_many),
        cmocka_unit_test(test_refusals))
