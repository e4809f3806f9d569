/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of eltwise: diff_src = f'(data) diff_dst. The data are the source, or for
 * algorithms "use_dst_for_bwd" the destination. */
#include "core/status.h"
#include "core/verbose.h"
#include "ops/elementwise/eltwise.h"
#include "ops/elementwise/elementwise.h"
#include "plan/attr_rules.h"
#include "plan/check.h"
#include "plan/op.h"

static void make_epilogue(const pd_t *pd, epilogue_t *epilogue) {
    epilogue_add_derivative(epilogue, pd->params.alg_kind, pd->params.alpha, pd->params.beta);
    epilogue_add_tensor(epilogue, pd, OP_MUL, pd_find_arg(pd, DNNL_ARG_DIFF_DST));
}

static dnnl_status_t check_algorithm(const op_params_t *p) {
    TRY(eltwise_check_algorithm(p));
    if (p->alg_kind == dnnl_eltwise_round)
        return verbose_check(
                dnnl_invalid_arguments, "eltwise", "eltwise_round has no backward propagation");
    const bool from_dst = p->alg_kind == dnnl_eltwise_relu_use_dst_for_bwd ||
                          p->alg_kind == dnnl_eltwise_elu_use_dst_for_bwd;
    if (from_dst && !(p->alpha >= 0))
        return verbose_check(dnnl_invalid_arguments, "eltwise",
                "with a negative alpha, the sign of the destination is not that of the source");
    return dnnl_success;
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    md_t *data = &pd->args[pd_find_arg(pd, ew_source(pd))].md,
         *diff_src = &pd->args[pd_find_arg(pd, DNNL_ARG_DIFF_SRC)].md,
         *diff_dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DIFF_DST)].md;
    TRY(check_algorithm(&pd->params));
    if (md_is_any(data))
        return verbose_check(dnnl_invalid_arguments, "eltwise", "the data have no layout");
    if (!md_same_dims(data, diff_src) || !md_same_dims(data, diff_dst))
        return verbose_check(dnnl_invalid_arguments, "eltwise",
                "the data and the gradients differ in their dimensions");
    TRY(ew_check_tensor(pd, data, "the data"));
    TRY(ew_resolve(pd, diff_dst, data, "the gradient of the destination"));
    TRY(ew_resolve(pd, diff_src, data, "the gradient of the source"));
    TRY(check_gradient_types("eltwise", data->data_type, diff_src, diff_dst));
    TRY(attr_check(pd, 0, 0, NULL));
    TRY(attr_add_args(pd));
    return ew_init_family(pd, caps, "eltwise_bwd");
}

const op_kind_t op_eltwise_backward = {.kind = dnnl_eltwise,
        .directions = DIRECTION_BACKWARD_DATA,
        .name = "eltwise",
        .init = init,
        .make_epilogue = make_epilogue,
        .format_problem = eltwise_format_problem,
        .format_aux = eltwise_format_aux};
