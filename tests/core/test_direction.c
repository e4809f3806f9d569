/* SPDX-License-Identifier: Apache-2.0 */
/* Directions of propagation: operations are found by them, and they say what a primitive writes
 * and reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan/op.h"

static const dnnl_prop_kind_t props[] = {dnnl_prop_kind_undef, dnnl_forward_training,
        dnnl_forward_inference, dnnl_backward, dnnl_backward_data, dnnl_backward_weights,
        dnnl_backward_bias};
static const int results[] = {DNNL_ARG_DST, DNNL_ARG_DST, DNNL_ARG_DST, DNNL_ARG_DIFF_SRC,
        DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_BIAS};
enum { PROPS = sizeof(props) / sizeof(props[0]), FORWARD_PROPS = 3 };

static pd_t *new_pd(dnnl_prop_kind_t prop, const pd_t *hint) {
    op_params_t params;
    attr_t attr;
    memset(&params, 0, sizeof(params));
    params.kind = dnnl_pooling;
    params.prop_kind = prop;
    attr_init(&attr);
    const pd_request_t request = {.params = &params, .attr = &attr, .hint_fwd = hint};
    pd_t *pd = pd_create_from(&request);
    assert_non_null(pd);
    return pd;
}

static void test_result(void **state) {
    (void)state;
    for (int i = 0; i < PROPS; i++) {
        pd_t *pd = new_pd(props[i], NULL);
        assert_int_equal(pd_result(pd), results[i]);
        pd_unref(pd);
    }
}

/* Forward propagation is one operation, in both of its propagation kinds. */
static void test_find(void **state) {
    (void)state;
    assert_non_null(op_find(dnnl_matmul, dnnl_prop_kind_undef));
    for (int i = 0; i < PROPS; i++) {
        const op_kind_t *op = op_find(dnnl_pooling, props[i]);
        if (i < FORWARD_PROPS) assert_ptr_equal(op, &op_pooling);
        else assert_ptr_equal(op, props[i] == dnnl_backward_data ? &op_pooling_backward : NULL);
    }
    assert_ptr_equal(op_find(dnnl_rnn, dnnl_backward), &op_rnn);
    assert_null(op_find(dnnl_matmul, dnnl_backward_data));
}

static void test_hint_workspace(void **state) {
    (void)state;
    md_t md;
    memset(&md, 0, sizeof(md));
    assert_int_equal(md_init_tag(&md, 2, (dnnl_dim_t[]){3, 5}, dnnl_u8, dnnl_ab), dnnl_success);
    pd_t *forward = new_pd(dnnl_forward_training, NULL);
    pd_t *without = new_pd(dnnl_backward_data, forward);
    assert_null(pd_hint_workspace(forward));
    assert_null(pd_hint_workspace(without));
    assert_int_equal(pd_add_arg(forward, DNNL_ARG_WORKSPACE, PD_OUT, &md), dnnl_success);
    pd_t *backward = new_pd(dnnl_backward_data, forward);
    const md_t *workspace = pd_hint_workspace(backward);
    assert_non_null(workspace);
    assert_true(md_equal(workspace, &md));
    /* A request holds on to its hint. */
    pd_unref(forward);
    assert_ptr_equal(pd_hint_workspace(backward), workspace);
    pd_unref(without);
    pd_unref(backward);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_result),
            cmocka_unit_test(test_find),
            cmocka_unit_test(test_hint_workspace),
    };
    return cmocka_run_group_tests_name("direction", tests, NULL, NULL);
}
