/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of one time step, before its products. */
#include "cell_backward.h"

__kernel void rnn_cell_backward(gcptr_t gates, gcptr_t h_prev, gcptr_t c, gcptr_t c_prev,
        gcptr_t peephole, gcptr_t attention, gcptr_t state, gcptr_t above, gcptr_t next,
        gptr_t carry, gcptr_t dc_in, gptr_t dc, gptr_t dg, gptr_t dg_state, gptr_t terms,
        const rnn_cell_t p) {
    const tensors_t t = {gates, h_prev, c, c_prev, peephole, attention, state, above, next, carry,
            dc_in, dc, dg, dg_state, terms};
    EACH_PLACE(at, p) {
        SET_PLACE(at, p);
        gate_gradients(&t, part(), at, &p);
    }
}
