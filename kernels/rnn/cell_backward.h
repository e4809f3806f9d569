/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of one time step: the gradients of the arguments of the gates' activations.
 * Vanilla GRU has a product between them: part 0 computes those of candidate and update, part 1
 * that of reset. With attention a, the gate u stands for (1 - a) u. With MR the kernel has computed
 * a product itself. */
#ifndef KERNELS_RNN_CELL_BACKWARD_H
#define KERNELS_RNN_CELL_BACKWARD_H

#include "rnn.h"

typedef struct {
    gcptr_t gates, h_prev, c, c_prev, peephole, attention, state; /* of forward propagation */
    gcptr_t above, next;                                          /* gradients of the new state */
    gptr_t carry; /* the part of the gradient of the old state without a product */
    gcptr_t dc_in;
    gptr_t dc;       /* gradients of the cell state, after and before */
    gptr_t dg;       /* gradients of the gates' arguments */
    gptr_t dg_state; /* LBR GRU: the same of the products of the state */
    gptr_t terms;    /* for the sums of peephole and attention */
#ifdef MR
    const accv_t *product; /* another part of the gradient of the new state; part 1: of `next` */
#endif
} tensors_t;

static inline accv_t next_gradient(const tensors_t *t, place_t at, const rnn_cell_t *p) {
    const accv_t next = p->now & RNN_HAS_DH ? load_at(t->next, p->next, at, DT_F32) : V(0);
#ifdef MR
    return next + *t->product;
#else
    return next;
#endif
}

static inline accv_t new_state_gradient(const tensors_t *t, place_t at, const rnn_cell_t *p) {
    accv_t dh = next_gradient(t, at, p);
    if (p->now & RNN_HAS_ABOVE) dh += load_at(t->above, p->above, at, DT_F32);
    if (p->now & RNN_HAS_CARRY) dh += load_at((gcptr_t)t->carry, p->channels, at, DT_F32);
    return dh;
}

static inline accv_t gate_of(const tensors_t *t, int gate, place_t at, const rnn_cell_t *p) {
    return load_gate(t->gates, gate, at, p, DT_F32);
}

static inline void put(const tensors_t *t, int gate, accv_t x, place_t at, const rnn_cell_t *p) {
    store_gate(x, t->dg, gate, at, p, dst_dt());
}

static inline void put_term(
        const tensors_t *t, int i, int n, accv_t x, place_t at, const rnn_cell_t *p) {
    const long row = (long)n * p->channels;
    store_v(x, t->terms, row * at.row + (long)i * p->channels + at.channel, 1, at.count, DT_F32);
}

static inline void vanilla(const tensors_t *t, place_t at, const rnn_cell_t *p) {
    const accv_t h = gate_of(t, 0, at, p), dh = new_state_gradient(t, at, p);
    const accv_t slope = cell() == RNN_CELL_RELU   ? (h > V(0) ? V(1) : V(p->alpha))
                         : cell() == RNN_CELL_TANH ? (V(1) - h) * (V(1) + h)
                                                   : h * (V(1) - h);
    put(t, 0, dh * slope, at, p);
}

static inline void lstm(const tensors_t *t, place_t at, const rnn_cell_t *p) {
    const accv_t in = gate_of(t, 0, at, p), forget = gate_of(t, 1, at, p),
                 candidate = gate_of(t, 2, at, p), out = gate_of(t, 3, at, p);
    const accv_t before = p->now & RNN_HAS_C ? load_at(t->c_prev, p->channels, at, DT_F32) : V(0),
                 after = load_at(t->c, p->channels, at, DT_F32), squashed = tanh(after);
    const accv_t dh = new_state_gradient(t, at, p);
    const accv_t d_out = squashed * dh * out * (V(1) - out);
    accv_t dc = out * dh * (V(1) - squashed) * (V(1) + squashed);
    if (p->now & RNN_HAS_DC) dc += load_at(t->dc_in, p->dc_in, at, DT_F32);
    if (rnn_has(RNN_PEEPHOLE)) dc += d_out * load_peephole(t->peephole, 2, at, p);
    const accv_t d_forget = before * dc * forget * (V(1) - forget),
                 d_in = candidate * dc * in * (V(1) - in),
                 d_candidate = in * dc * (V(1) - candidate) * (V(1) + candidate);
    accv_t dc_before = forget * dc;
    if (rnn_has(RNN_PEEPHOLE)) {
        dc_before += d_forget * load_peephole(t->peephole, 1, at, p) +
                     d_in * load_peephole(t->peephole, 0, at, p);
        put_term(t, 0, 3, d_in * before, at, p);
        put_term(t, 1, 3, d_forget * before, at, p);
        put_term(t, 2, 3, d_out * after, at, p);
    }
    store_at(dc_before, t->dc, p->channels, at, DT_F32);
    put(t, 0, d_in, at, p);
    put(t, 1, d_forget, at, p);
    put(t, 2, d_candidate, at, p);
    put(t, 3, d_out, at, p);
}

/* The gradients of update's and candidate's arguments, and what goes on to the old state. */
static inline accv_t update_and_candidate(
        const tensors_t *t, accv_t before, place_t at, const rnn_cell_t *p) {
    const accv_t update = gate_of(t, 0, at, p), candidate = gate_of(t, 2, at, p);
    const accv_t kept = V(load_attention(t->attention, at, p)), mixed = kept * update;
    const accv_t dh = new_state_gradient(t, at, p), d_mixed = (before - candidate) * dh;
    const accv_t d_candidate = (V(1) - mixed) * dh * (V(1) - candidate) * (V(1) + candidate);
    put(t, 0, kept * d_mixed * update * (V(1) - update), at, p);
    put(t, 2, d_candidate, at, p);
    if (rnn_has(RNN_ATTENTION)) put_term(t, 0, 1, -d_mixed * update, at, p);
    store_at(mixed * dh, t->carry, p->channels, at, DT_F32);
    return d_candidate;
}

static inline void lbr_gru(const tensors_t *t, place_t at, const rnn_cell_t *p) {
    const accv_t before = load_state(t->h_prev, at, p), reset = gate_of(t, 1, at, p);
    const accv_t d_candidate = update_and_candidate(t, before, at, p);
    const accv_t state = load_at(t->state, p->channels, at, DT_F32);
    const accv_t d_reset = state * d_candidate * reset * (V(1) - reset);
    put(t, 1, d_reset, at, p);
    /* The product of the state has the same gradients but for the candidate. */
    const accv_t d_update = load_gate((gcptr_t)t->dg, 0, at, p, dst_dt());
    store_gate(d_update, t->dg_state, 0, at, p, dst_dt());
    store_gate(d_reset, t->dg_state, 1, at, p, dst_dt());
    store_gate(reset * d_candidate, t->dg_state, 2, at, p, dst_dt());
}

/* next: here the gradient of reset * state. dg_state: becomes reset * state. */
static inline void gru_reset(const tensors_t *t, place_t at, const rnn_cell_t *p) {
    const accv_t before = load_state(t->h_prev, at, p), reset = gate_of(t, 1, at, p);
    const accv_t d_product = next_gradient(t, at, p);
    const accv_t carry = load_at((gcptr_t)t->carry, p->channels, at, DT_F32);
    put(t, 1, d_product * before * reset * (V(1) - reset), at, p);
    store_at(carry + d_product * reset, t->carry, p->channels, at, DT_F32);
    store_at(reset * before, t->dg_state, p->channels, at, src_dt());
}

/* Part `which` of a step. */
static inline void gate_gradients(const tensors_t *t, int which, place_t at, const rnn_cell_t *p) {
    if (cell() == RNN_CELL_PROJECT) put(t, 0, new_state_gradient(t, at, p), at, p);
    else if (cell() <= RNN_CELL_LOGISTIC) vanilla(t, at, p);
    else if (cell() == RNN_CELL_LSTM) lstm(t, at, p);
    else if (cell() == RNN_CELL_LBR_GRU) lbr_gru(t, at, p);
    else if (which == 0) update_and_candidate(t, load_state(t->h_prev, at, p), at, p);
    else gru_reset(t, at, p);
}

#endif
