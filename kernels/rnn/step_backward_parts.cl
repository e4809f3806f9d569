/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of one time step with the product before it, for sub-groups of 16 lanes. */
#include "step_backward_parts.h"

SG_KERNEL void rnn_step_backward_parts(gcptr_t gates, gcptr_t h_prev, gcptr_t c, gcptr_t c_prev,
        gcptr_t peephole, gcptr_t attention, gcptr_t state, gcptr_t above, gcptr_t next,
        gptr_t carry, gcptr_t dc_in, gptr_t dc, gptr_t dg, gptr_t dg_state, gptr_t terms, gcptr_t a,
        gcptr_t u, const rnn_cell_t p, const rnn_factor_t f) {
    __local float sums[PARTS * PART_SUMS];
    accv_t product;
    const tensors_t t = {gates, h_prev, c, c_prev, peephole, attention, state, above, next, carry,
            dc_in, dc, dg, dg_state, terms, &product};
    const piece_t x = this_piece(&f, K_STEP, 0, 1);
    multiply_part(sums + x.part * PART_SUMS, a, u, &x, &p, &f);
    barrier(CLK_LOCAL_MEM_FENCE);
    finish_gradients(&t, &product, sums, part(), PARTS, &x, &p);
}
