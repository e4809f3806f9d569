/* SPDX-License-Identifier: Apache-2.0 */
/* Forward propagation of one time step with its products: those of `a`, which is the state or, in
 * part 1 of GRU, reset * state. */
#ifndef KERNELS_RNN_STEP_H
#define KERNELS_RNN_STEP_H

#include "product.h"

#include "cell.h"
#include "gates.h"

/* The rows and channels of a block, in part `which`. */
static inline void step_of_block(tensors_t *t, accv_t *products, int which, gcptr_t a, gcptr_t u,
        const block_t *b, const rnn_cell_t *p, const rnn_factor_t *f) {
    NO_UNROLL_FOR (int first = b->vector; first < b->end; first += b->step) {
        const int vectors = min(b->step, b->end - first);
        multiply_block(products, a, u, src_dt(), f, b, first, vectors, first_gate(which),
                gate_count(which));
        NO_UNROLL_FOR (int i = 0; b->finishes && i < max(b->rows, vectors); i++) {
            const int vector = b->rows > 1 ? first : first + i;
            place_t at = {b->rows > 1 ? b->row + i : b->row, 0, 0};
            SET_PLACE(at, *p);
            t->g.products = products + i;
            new_state(t, which, at, p);
        }
    }
}

#endif
