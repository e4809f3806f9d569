/* SPDX-License-Identifier: Apache-2.0 */
/* Training of a recurrent network before its backward propagation. */
#include "case_train.h"

#include <string.h>

#include "case_run.h"
#include "oneapi/dnnl/dnnl.h"
#include "problem_rnn.h"

bool case_needs_training(const case_t *c) {
    return c->pd->params.kind == dnnl_rnn && c->pd->params.prop_kind == dnnl_backward;
}

dnnl_status_t case_training_desc(
        dnnl_primitive_desc_t *forward, const pd_t *backward, dnnl_engine_t engine) {
    const op_params_t *p = &backward->params;
    rnn_net_t net = {.cell = (dnnl_alg_kind_t)p->cell_kind,
            .activation = (dnnl_alg_kind_t)p->activation_kind,
            .direction = (dnnl_rnn_direction_t)p->direction,
            .alpha = p->alpha};
    for (int i = 0; i < RNN_TENSORS; i++) net.md[i] = *pd_md(backward, rnn_args[i]);
    return rnn_create_forward(forward, engine, dnnl_forward_training, &net, NULL);
}

/* Copies the arguments that both have. The forward primitive reads or writes them. */
static void exchange(case_t *to, const case_t *from, unsigned direction, const case_t *forward) {
    for (int i = 0; i < to->pd->nargs; i++) {
        const int slot = pd_find_arg(from->pd, to->pd->args[i].arg),
                  of_forward = pd_find_arg(forward->pd, to->pd->args[i].arg);
        if (slot < 0 || of_forward < 0 || !(forward->pd->args[of_forward].flags & direction))
            continue;
        if (to->size[i] == from->size[slot]) memcpy(to->data[i], from->data[slot], to->size[i]);
    }
}

dnnl_status_t case_train(case_t *c) {
    dnnl_primitive_desc_t handle;
    case_t forward;
    const dnnl_status_t created = case_training_desc(&handle, c->pd, harness_engine);
    if (created != dnnl_success) return created;
    case_init(&forward, handle);
    case_fill(&forward, NULL);
    exchange(&forward, c, PD_IN, &forward);
    const dnnl_status_t status = case_execute(&forward);
    if (status == dnnl_success) exchange(c, &forward, PD_OUT, &forward);
    case_fini(&forward);
    return status;
}
