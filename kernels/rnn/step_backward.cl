/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of one time step with the product before it: that of `a`, which are
 * gradients of the step after it or, with a projection, those of the result. */
#include "product.h"

#include "cell_backward.h"

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
    NO_UNROLL_FOR (int first = b.vector; first < b.end; first += b.step) {
        const int vectors = min(b.step, b.end - first);
        multiply_block(products, a, u, dst_dt(), &f, &b, first, vectors, 0, 1);
        NO_UNROLL_FOR (int i = 0; b.finishes && i < max(b.rows, vectors); i++) {
            const int vector = b.rows > 1 ? first : first + i;
            place_t at = {b.rows > 1 ? b.row + i : b.row, 0, 0};
            SET_PLACE(at, p);
            t.product = products + i;
            gate_gradients(&t, at, &p);
        }
    }
}
