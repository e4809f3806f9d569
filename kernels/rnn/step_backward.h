/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of one time step with the product before it: that of `a`, which are
 * gradients of the step after it, in part 1 of GRU those of the candidate or, with a projection,
 * those of the result. */
#ifndef KERNELS_RNN_STEP_BACKWARD_H
#define KERNELS_RNN_STEP_BACKWARD_H

#include "product.h"

#include "cell_backward.h"

/* The rows and channels of a block, in part `which`. */
static inline void gradients_of_block(tensors_t *t, accv_t *products, int which, gcptr_t a,
        gcptr_t u, const block_t *b, const rnn_cell_t *p, const rnn_factor_t *f) {
    NO_UNROLL_FOR (int first = b->vector; first < b->end; first += b->step) {
        const int vectors = min(b->step, b->end - first);
        multiply_block(products, a, u, dst_dt(), f, b, first, vectors, 0, 1);
        NO_UNROLL_FOR (int i = 0; b->finishes && i < max(b->rows, vectors); i++) {
            const int vector = b->rows > 1 ? first : first + i;
            place_t at = {b->rows > 1 ? b->row + i : b->row, 0, 0};
            SET_PLACE(at, *p);
            t->product = products + i;
            gate_gradients(t, which, at, p);
        }
    }
}

#endif
