/* SPDX-License-Identifier: Apache-2.0 */
/* The gates whose products part `which` of a step computes. */
#ifndef KERNELS_RNN_GATES_H
#define KERNELS_RNN_GATES_H

#include "rnn.h"

static inline int first_gate(int which) {
    return cell() == RNN_CELL_GRU && which == 1 ? 2 : 0;
}

static inline int gate_count(int which) {
    if (cell() == RNN_CELL_GRU) return which == 0 ? 2 : 1;
    return cell() == RNN_CELL_LSTM ? 4 : cell() == RNN_CELL_LBR_GRU ? 3 : 1;
}

#endif
