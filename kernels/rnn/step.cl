/* SPDX-License-Identifier: Apache-2.0 */
/* One time step with its products. */
#include "step.h"

__kernel void rnn_step(gptr_t gates, gcptr_t a, gcptr_t u, gcptr_t bias, gcptr_t scales,
        gcptr_t column_sums, gcptr_t h_prev, gptr_t h, gcptr_t c_prev, gptr_t c, gcptr_t peephole,
        gcptr_t attention, gptr_t extra, const rnn_cell_t p, const rnn_factor_t f) {
    accv_t products[4 * RNN_BLOCK];
    tensors_t t = {{gates, products, bias, scales, column_sums}, h_prev, h, c_prev, c, peephole,
            attention, extra};
    block_t b;
    DECLARE_SUMS(b);
    find_block(&b, &p, &f, gate_count(part()));
    step_of_block(&t, products, part(), a, u, &b, &p, &f);
}
