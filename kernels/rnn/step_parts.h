/* SPDX-License-Identifier: Apache-2.0 */
/* Forward propagation of the rows and channels of a piece, for sub-groups of 16 lanes. */
#ifndef KERNELS_RNN_STEP_PARTS_H
#define KERNELS_RNN_STEP_PARTS_H

#include "parts_first.h"

#include "cell.h"
#include "gates.h"

static inline int factor_dt(void) {
    return src_dt();
}
#include "parts.h"

/* The new state of the rows that a sub-group finishes, of the sums of `parts` sub-groups. */
static inline void finish_rows(const tensors_t *t, accv_t *products, __local const float *sums,
        int which, int parts, const piece_t *x, const rnn_cell_t *p) {
    NO_UNROLL_FOR (int i = x->part; i < min(MT, p->rows - x->row); i += parts) {
        NO_UNROLL_FOR (int group = 0; group < channel_groups(x); group++) {
            UNROLL_FOR (int g = 0; g < MAX_BLOCKS; g++)
                if (g < x->gates)
                    products[x->first_gate + g] =
                            sum_of_parts(sums, parts, group * x->gates + g, i, x->lane);
            const place_t at = {x->row + i, x->channel + WIDTH * group + x->lane, 1};
            if (at.channel < p->channels) new_state(t, which, at, p);
        }
    }
}

#endif
