/* SPDX-License-Identifier: Apache-2.0 */
/* From one time step to the next in a kernel that computes several. */
#ifndef KERNELS_RNN_WALK_H
#define KERNELS_RNN_WALK_H

#include "cell.h"

static inline void walk(tensors_t *t, gcptr_t *a, const rnn_walk_t *w) {
    *a += w->state;
    t->g.gates += w->gates;
    t->h_prev += w->state;
    t->h += w->state;
    t->c_prev += w->cell;
    t->c += w->cell;
    t->attention += w->attention;
    t->extra += w->extra;
}

#endif
