/* SPDX-License-Identifier: Apache-2.0 */
/* Forward propagation of one time step, after its products. */
#include "cell.h"

__kernel void rnn_cell(gptr_t gates, gcptr_t products, gcptr_t bias, gcptr_t scales, gcptr_t sums,
        gcptr_t h_prev, gptr_t h, gcptr_t c_prev, gptr_t c, gcptr_t peephole, gcptr_t attention,
        gptr_t extra, const rnn_cell_t p) {
    const tensors_t t = {{gates, products, bias, scales, sums}, h_prev, h, c_prev, c, peephole,
            attention, extra};
    EACH_PLACE(at, p) {
        SET_PLACE(at, p);
        new_state(&t, part(), at, &p);
    }
}
