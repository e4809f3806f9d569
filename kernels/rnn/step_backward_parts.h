/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of the rows and channels of a piece, for sub-groups of 16 lanes. */
#ifndef KERNELS_RNN_STEP_BACKWARD_PARTS_H
#define KERNELS_RNN_STEP_BACKWARD_PARTS_H

#include "parts_first.h"

#include "cell_backward.h"

static inline int factor_dt(void) {
    return dst_dt();
}
#include "parts.h"

/* The gradients of the rows that a sub-group finishes, of the sums of `parts` sub-groups. */
static inline void finish_gradients(const tensors_t *t, accv_t *product, __local const float *sums,
        int which, int parts, const piece_t *x, const rnn_cell_t *p) {
    NO_UNROLL_FOR (int i = x->part; i < min(MT, p->rows - x->row); i += parts) {
        NO_UNROLL_FOR (int group = 0; group < channel_groups(x); group++) {
            *product = sum_of_parts(sums, parts, group, i, x->lane);
            const place_t at = {x->row + i, x->channel + WIDTH * group + x->lane, 1};
            if (at.channel < p->channels) gate_gradients(t, which, at, p);
        }
    }
}

#endif
