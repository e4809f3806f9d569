/* SPDX-License-Identifier: Apache-2.0 */
/* The gates whose products a step computes. */
#ifndef KERNELS_RNN_GATES_H
#define KERNELS_RNN_GATES_H

#include "rnn.h"

static inline int first_gate(void) {
    return cell() == RNN_CELL_GRU && part() == 1 ? 2 : 0;
}

static inline int gate_count(void) {
    if (cell() == RNN_CELL_GRU) return part() == 0 ? 2 : 1;
    return cell() == RNN_CELL_LSTM ? 4 : cell() == RNN_CELL_LBR_GRU ? 3 : 1;
}

#endif
