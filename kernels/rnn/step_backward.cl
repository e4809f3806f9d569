/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of one time step with the product before it. */
#include "step_backward.h"

__kernel void rnn_step_backward(gcptr_t gates, gcptr_t h_prev, gcptr_t c, gcptr_t c_prev,
        gcptr_t peephole, gcptr_t attention, gcptr_t state, gcptr_t above, gcptr_t next,
        gptr_t carry, gcptr_t dc_in, gptr_t dc, gptr_t dg, gptr_t dg_state, gptr_t terms, gcptr_t a,
        gcptr_t u, const rnn_cell_t p, const rnn_factor_t f) {
    accv_t products[RNN_BLOCK];
    tensors_t t = {gates, h_prev, c, c_prev, peephole, attention, state, above, next, carry, dc_in,
            dc, dg, dg_state, terms, products};
    block_t b;
    DECLARE_SUMS(b);
    find_block(&b, &p, &f, 1);
    gradients_of_block(&t, products, part(), a, u, &b, &p, &f);
}
