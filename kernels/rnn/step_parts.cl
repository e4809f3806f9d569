/* SPDX-License-Identifier: Apache-2.0 */
/* Forward propagation of one time step with its products, for sub-groups of 16 lanes, with or
 * without matrix units. */
#include "parts_first.h"

#include "cell.h"
#include "gates.h"

static inline int piece_first_gate(void) {
    return first_gate(part());
}
static inline int piece_gates(void) {
    return gate_count(part());
}
static inline int factor_dt(void) {
    return src_dt();
}
#include "parts.h"

SG_KERNEL void rnn_step_parts(gptr_t gates, gcptr_t a, gcptr_t u, gcptr_t bias, gcptr_t scales,
        gcptr_t column_sums, gcptr_t h_prev, gptr_t h, gcptr_t c_prev, gptr_t c, gcptr_t peephole,
        gcptr_t attention, gptr_t extra, const rnn_cell_t p, const rnn_factor_t f) {
    __local float sums[PARTS * PART_SUMS];
    accv_t products[MAX_BLOCKS];
    const tensors_t t = {{gates, products, bias, scales, column_sums}, h_prev, h, c_prev, c,
            peephole, attention, extra};
    const piece_t x = this_piece(&f, K_STEP);
    multiply_part(sums + x.part * PART_SUMS, a, u, &x, &p, &f);
    barrier(CLK_LOCAL_MEM_FENCE);
    NO_UNROLL_FOR (int i = x.part; i < min(MT, p.rows - x.row); i += PARTS) {
        NO_UNROLL_FOR (int group = 0; group < channel_groups(); group++) {
            UNROLL_FOR (int g = 0; g < MAX_BLOCKS; g++)
                if (g < piece_gates())
                    products[piece_first_gate() + g] =
                            sum_of_parts(sums, group * piece_gates() + g, i, x.lane);
            const place_t at = {x.row + i, x.channel + WIDTH * group + x.lane, 1};
            if (at.channel < p.channels) new_state(&t, part(), at, &p);
        }
    }
}
