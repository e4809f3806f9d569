/* SPDX-License-Identifier: Apache-2.0 */
/* Directions of propagation. */
#include "core/direction.h"

unsigned direction_of(dnnl_prop_kind_t prop_kind) {
    switch (prop_kind) {
    case dnnl_backward: return DIRECTION_BACKWARD;
    case dnnl_backward_data: return DIRECTION_BACKWARD_DATA;
    case dnnl_backward_weights: return DIRECTION_BACKWARD_WEIGHTS;
    case dnnl_backward_bias: return DIRECTION_BACKWARD_BIAS;
    default: return DIRECTION_FORWARD;
    }
}

int pd_result(const pd_t *pd) {
    switch (direction_of(pd->params.prop_kind)) {
    case DIRECTION_BACKWARD:
    case DIRECTION_BACKWARD_DATA: return DNNL_ARG_DIFF_SRC;
    case DIRECTION_BACKWARD_WEIGHTS: return DNNL_ARG_DIFF_WEIGHTS;
    case DIRECTION_BACKWARD_BIAS: return DNNL_ARG_DIFF_BIAS;
    default: return DNNL_ARG_DST;
    }
}

const md_t *pd_hint_workspace(const pd_t *pd) {
    const pd_t *forward = pd->request.hint_fwd;
    const int slot = forward ? pd_find_arg(forward, DNNL_ARG_WORKSPACE) : -1;
    return slot < 0 ? NULL : &forward->args[slot].md;
}
