/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent networks: the operation in both directions of propagation. */
#include "ops/rnn/rnn.h"

#include <stdio.h>

#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "ops/rnn/verbose.h"
#include "plan/op.h"
#include "plan/variant.h"

/* What training keeps for backward propagation: an array of bytes that both directions place
 * alike. */
static dnnl_status_t add_workspace(rnn_t *r, pd_t *pd) {
    if (!r->is_training) return dnnl_success;
    rnn_place(r, pd->nargs);
    const dnnl_dim_t size = (dnnl_dim_t)r->workspace;
    const md_t *hint = pd_hint_workspace(pd);
    md_t md;
    TRY(md_init_strides(&md, 1, &size, dnnl_u8, NULL));
    if (hint && !md_equal(hint, &md))
        return verbose_refuse(
                dnnl_unimplemented, "rnn", "the hint's workspace has another size than this one");
    return pd_add_arg(pd, DNNL_ARG_WORKSPACE, r->is_backward ? PD_IN : PD_OUT, &md);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    rnn_t r;
    TRY(rnn_check_support(pd));
    TRY(rnn_resolve_any(pd, caps));
    rnn_init(&r, pd, caps);
    TRY(add_workspace(&r, pd));
    for (int i = 0; i < pd->nargs; i++)
        if (md_has_zero_dim(&pd->args[i].md)) return nothing_to_do(pd);
    TRY(plan_best(&r.mm.planner, pd, r.is_backward ? "rnn_cell_backward" : "rnn_cell",
            r.is_backward ? rnn_plan_backward : rnn_plan_forward));
    snprintf(
            pd->impl_name, sizeof(pd->impl_name), "ze:%s:rnn", target_name(&variants[pd->variant]));
    return planner_finish(&r.mm.planner, pd);
}

const op_kind_t op_rnn = {
        .kind = dnnl_rnn,
        .directions = DIRECTION_FORWARD | DIRECTION_BACKWARD,
        .name = "rnn",
        .init = init,
        .format_problem = rnn_format_problem,
        .format_aux = rnn_format_aux,
};
