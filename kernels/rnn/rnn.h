/* SPDX-License-Identifier: Apache-2.0 */
/* What the pointwise kernels of recurrent networks share. */
#ifndef KERNELS_RNN_H
#define KERNELS_RNN_H

#include "eltwise.h"
#include "io.h"
#include "rnn_params.h"

SPEC_GETTER(cell, SPEC_RNN_CELL, RNN_CELL_LSTM)
SPEC_GETTER(part, SPEC_RNN_PART, 0)
SPEC_GETTER(rnn_flags, SPEC_RNN_FLAGS, 0)
SPEC_GETTER(bias_dt, SPEC_SRC1_DT, DT_F32)
SPEC_GETTER(attention_dt, SPEC_RNN_ATTENTION_DT, DT_F32)

static inline bool rnn_has(int flag) {
    return (rnn_flags() & flag) != 0;
}

static inline int rnn_bytes(int dt) {
    return dt == DT_F32 ? 4 : dt == DT_F16 || dt == DT_BF16 ? 2 : 1;
}

/* Consecutive channels of a row: one, or a vector of 16 of which the first `count` are there. */
typedef struct {
    int row, channel, count;
} place_t;

/* Calls `step(at)` for each vector of the work-item. */
#define EACH_PLACE(at, p)                                                                          \
    place_t at = {get_global_id(1), 0, 0};                                                         \
    if (at.row >= (p).rows) return;                                                                \
    const int first_vector = get_global_id(0) * (p).vectors;                                       \
    NO_UNROLL_FOR (int vector = first_vector;                                                      \
            vector < first_vector + (p).vectors && vector * VW < (p).channels; vector++)

#define SET_PLACE(at, p)                                                                           \
    (at).channel = vector * VW;                                                                    \
    (at).count = min(VW, (p).channels - (at).channel)

static inline accv_t load_at(gcptr_t from, long row, place_t at, int dt) {
    return load_v(from, row * at.row + at.channel, 1, at.count, dt);
}

static inline void store_at(accv_t x, gptr_t to, long row, place_t at, int dt) {
    store_v(x, to, row * at.row + at.channel, 1, at.count, dt);
}

/* Gate number `gate` of a row. */
static inline accv_t load_gate(gcptr_t gates, int gate, place_t at, const rnn_cell_t *p, int dt) {
    return load_v(
            gates, p->gates * at.row + (long)gate * p->channels + at.channel, 1, at.count, dt);
}

static inline void store_gate(
        accv_t x, gptr_t gates, int gate, place_t at, const rnn_cell_t *p, int dt) {
    store_v(x, gates, p->gates * at.row + (long)gate * p->channels + at.channel, 1, at.count, dt);
}

static inline accv_t load_bias(gcptr_t bias, int gate, place_t at, const rnn_cell_t *p) {
    if (!rnn_has(RNN_BIAS)) return V(0);
    return load_v(bias, gate * p->bias + at.channel, 1, at.count, bias_dt());
}

static inline accv_t load_peephole(gcptr_t peephole, int gate, place_t at, const rnn_cell_t *p) {
    return load_v(peephole, gate * p->peephole + at.channel, 1, at.count, DT_F32);
}

static inline accv_t load_state(gcptr_t h, place_t at, const rnn_cell_t *p) {
    return p->now & RNN_HAS_H ? load_at(h, p->h_prev, at, src_dt()) : V(0);
}

/* 1 - a: what attention leaves of the update gate. */
static inline acc_t load_attention(gcptr_t attention, place_t at, const rnn_cell_t *p) {
    if (!rnn_has(RNN_ATTENTION)) return 1;
    return 1 - load_1(attention, at.row * p->attention, attention_dt());
}

#endif
