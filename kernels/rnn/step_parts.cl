/* SPDX-License-Identifier: Apache-2.0 */
/* Forward propagation of one time step with its products, for sub-groups of 16 lanes, with or
 * without matrix units. */
#include "step_parts.h"

SG_KERNEL void rnn_step_parts(gptr_t gates, gcptr_t a, gcptr_t u, gcptr_t bias, gcptr_t scales,
        gcptr_t column_sums, gcptr_t h_prev, gptr_t h, gcptr_t c_prev, gptr_t c, gcptr_t peephole,
        gcptr_t attention, gptr_t extra, const rnn_cell_t p, const rnn_factor_t f) {
    __local float sums[PARTS * PART_SUMS];
    accv_t products[MAX_BLOCKS];
    const tensors_t t = {{gates, products, bias, scales, column_sums}, h_prev, h, c_prev, c,
            peephole, attention, extra};
    const piece_t x = this_piece(&f, K_STEP, first_gate(part()), gate_count(part()));
    multiply_part(sums + x.part * PART_SUMS, a, u, &x, &p, &f);
    barrier(CLK_LOCAL_MEM_FENCE);
    finish_rows(&t, products, sums, part(), PARTS, &x, &p);
}
