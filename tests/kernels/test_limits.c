/* SPDX-License-Identifier: Apache-2.0 */
/* Huge tensors and unusual strides on Intel's products (cases/limits.txt): which variant supports
 * them, if any. Nothing is built or executed. */
#include <fnmatch.h>
#include <stdio.h>

#include "case_run.h"
#include "cases.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "products.h"
#include "test_main.h"
#include "ze/engine.h"

static const product_t *product;
static int wrong, nfar;

/* Buffers of 4 GiB or more need 64-bit addresses where the compiler would compute with 32 bits. */
static bool is_far(const pd_t *pd, const caps_t *caps) {
    bool far = pd->scratchpad_size > UINT32_MAX;
    for (int i = 0; i < pd->nargs; i++) far = far || md_size(&pd->args[i].md, 0) > UINT32_MAX;
    return far && caps->max_alloc_size <= UINT32_MAX;
}

/* "matmul_portable:1": the variant and the number of steps; "none". */
static const char *wanted_plan(const test_case_t *t) {
    const char *plan = batch_value(t->line, t->index, "plan", "");
    const uint32_t lanes = product->matrix_subgroup;
    if (!lanes) return plan;
    return batch_value(t->line, t->index, lanes == 16 ? "plan16" : "plan8", plan);
}

static void check(const test_case_t *t) {
    problem_t p;
    char plan[64] = "none";
    case_create(&p, t);
    if (p.status == dnnl_success) {
        const pd_t *pd = case_pd(p.pd);
        assert_int_equal(pd->plan.large_offsets, is_far(pd, &harness_engine->core->caps));
        nfar += pd->plan.large_offsets;
        snprintf(plan, sizeof(plan), "%s:%d", pd->variant < 0 ? "" : variants[pd->variant].id,
                pd->plan.nsteps);
    } else if (p.status != dnnl_unimplemented) {
        fail_msg("%s, %s: status %d", product->name, t->text, (int)p.status);
    }
    if (fnmatch(wanted_plan(t), plan, 0) != 0) {
        print_error("%s, %s: %s, not %s\n", product->name, t->text, plan, wanted_plan(t));
        wrong++;
    }
    dnnl_primitive_desc_destroy(p.pd);
}

static void test_products(void **state) {
    static const char *const sections[] = {"matmul", "inner_product", "convolution", "pooling",
            "softmax", "layer_normalization", "reduction", "eltwise", "binary", "reorder", "sdpa"};
    (void)state;
    caps_t *caps = &harness_engine->core->caps;
    const caps_t kept = *caps;
    for (product = products; product < products + ARRAY_LEN(products); product++) {
        product_caps(product, caps);
        caps->has_fp64 = false;
        caps->compute_units =
                64 * (caps->threads_per_eu = 8); /* another test covers the choice of tiles */
        for (int i = 0; i < ARRAY_LEN(sections); i++) cases_each("limits", sections[i], "", check);
    }
    *caps = kept;
    assert_int_equal(wrong, 0);
    assert_true(nfar > 0);
}

TEST_MAIN(cmocka_unit_test(test_products))
