/* SPDX-License-Identifier: Apache-2.0 */
/* From one time step to the one before it in a kernel that computes several. The second product of
 * GRU is that of the candidate's gradient. */
#ifndef KERNELS_RNN_WALK_BACKWARD_H
#define KERNELS_RNN_WALK_BACKWARD_H

#include "cell_backward.h"

static inline void walk_back(tensors_t *t, gcptr_t *a, const rnn_walk_t *w) {
    *a += w->gradients;
    t->gates += w->gates;
    t->h_prev += w->state;
    t->c += w->cell;
    t->c_prev += w->cell;
    t->attention += w->attention;
    t->state += w->extra;
    t->above += w->above;
    t->dg += w->gradients;
    t->dg_state += w->of_state;
    t->terms += w->terms;
}

static inline rnn_factor_t factor_of_candidate(const rnn_cell_t *p, const rnn_factor_t *f) {
    rnn_factor_t second = *f;
    second.k = p->channels;
    return second;
}

static inline gcptr_t candidate_of(const tensors_t *t, const rnn_cell_t *p) {
    return (gcptr_t)t->dg + 2L * p->channels * rnn_bytes(dst_dt());
}

static inline gcptr_t weights_of_candidate(
        gcptr_t u, int dt, const rnn_cell_t *p, const rnn_factor_t *f) {
    return u + 2L * p->channels * f->u_k * rnn_bytes(dt);
}

#endif
