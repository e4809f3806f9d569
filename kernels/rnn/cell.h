/* SPDX-License-Identifier: Apache-2.0 */
/* Forward propagation of one time step: the gates and the new state, of the products. Vanilla GRU
 * has a product between its gates: part 0 computes update and reset, part 1 the rest. With MR the
 * kernel has computed the products itself; those of 8-bit integers are the bits of integers. */
#ifndef KERNELS_RNN_CELL_H
#define KERNELS_RNN_CELL_H

#include "rnn.h"

typedef struct {
    gptr_t gates; /* products of the input; training: becomes the gates */
#ifdef MR
    const accv_t *products; /* of the state, for each gate: RNN_BLOCK apart */
#else
    gcptr_t products; /* of the state, in memory */
#endif
    gcptr_t bias, scales, sums;
} gates_t;

/* c: the cell state. extra: GRU: reset * state, the next product's source; LBR GRU in training:
 * the product of the state that reset multiplies. h is the new state; of an LSTM with projection,
 * what is projected. */
typedef struct {
    gates_t g;
    gcptr_t h_prev;
    gptr_t h;
    gcptr_t c_prev;
    gptr_t c;
    gcptr_t peephole, attention;
    gptr_t extra;
} tensors_t;

/* The product of the state with a gate's weights. */
static inline accv_t product_of(const gates_t *g, int gate, place_t at, const rnn_cell_t *p) {
#ifdef MR
    (void)at, (void)p;
    return g->products[gate * RNN_BLOCK];
#else
    return p->now & RNN_HAS_H ? load_gate(g->products, gate, at, p, DT_F32) : V(0);
#endif
}

#if VW == 16
typedef int16 accints_t;
#define AS_INTS as_int16
#define TO_FLOATS convert_float16

static inline accints_t load_ints(__global const int *from, int count) {
    if (count == 16) return vload16(0, from);
    int x[16];
    for (int k = 0; k < 16; k++) x[k] = k < count ? from[k] : 0;
    return vload16(0, x);
}
#else
typedef int accints_t;
#define AS_INTS as_int
#define TO_FLOATS convert_float

static inline accints_t load_ints(__global const int *from, int count) {
    (void)count;
    return from[0];
}
#endif

/* The sum of both products: of the input, if the cell has one, and of the state. */
static inline accv_t sum_of_ints(const gates_t *g, int gate, place_t at, const rnn_cell_t *p) {
    const long i = p->gates * at.row + (long)gate * p->channels + at.channel;
    accints_t sum = 0;
    if (cell() != RNN_CELL_PROJECT) sum = load_ints((__global const int *)g->gates + i, at.count);
#ifdef MR
    sum += AS_INTS(product_of(g, gate, at, p));
#else
    if (p->now & RNN_HAS_H) sum += load_ints((__global const int *)g->products + i, at.count);
#endif
    return TO_FLOATS(sum);
}

/* The sum of products of integers as a real number, times `data_scale`. */
static inline accv_t dequantised(
        const gates_t *g, int gate, float data_scale, place_t at, const rnn_cell_t *p) {
    const long i = (long)gate * p->channels + at.channel;
    const accv_t shift = V(p->data_shift) * load_v(g->sums, i, 1, at.count, DT_F32);
    const accv_t x = sum_of_ints(g, gate, at, p) - shift;
    if (!rnn_has(RNN_SCALES)) return x / V(p->weights_scale * data_scale);
    return x / (load_v(g->scales, i, 1, at.count, DT_F32) * V(data_scale));
}

/* What the gate's activation is computed of. */
static inline accv_t argument(const gates_t *g, int gate, place_t at, const rnn_cell_t *p) {
    if (rnn_has(RNN_INT8))
        return dequantised(g, gate, p->data_scale, at, p) + load_bias(g->bias, gate, at, p);
    return load_gate(g->gates, gate, at, p, DT_F32) + load_bias(g->bias, gate, at, p) +
           product_of(g, gate, at, p);
}

static inline void save(const gates_t *g, int gate, accv_t x, place_t at, const rnn_cell_t *p) {
    if (rnn_has(RNN_SAVES)) store_gate(x, g->gates, gate, at, p, DT_F32);
}

/* The state, which int8 stores quantised. */
static inline void store_state(accv_t h, gptr_t to, place_t at, const rnn_cell_t *p) {
    if (rnn_has(RNN_INT8)) h = h * V(p->data_scale) + V(p->data_shift);
    store_at(h, to, p->h, at, dst_dt());
}

static inline accv_t vanilla(const gates_t *g, place_t at, const rnn_cell_t *p) {
    const accv_t x = argument(g, 0, at, p);
    const accv_t h = cell() == RNN_CELL_RELU   ? (x > V(0) ? x : x * V(p->alpha))
                     : cell() == RNN_CELL_TANH ? tanh(x)
                                               : logistic(x);
    save(g, 0, h, at, p);
    return h;
}

static inline accv_t lstm(const gates_t *g, gcptr_t c_prev, gptr_t c, gcptr_t peephole, place_t at,
        const rnn_cell_t *p) {
    const accv_t before = p->now & RNN_HAS_C ? load_at(c_prev, p->channels, at, DT_F32) : V(0);
    accv_t in = argument(g, 0, at, p), forget = argument(g, 1, at, p), out = argument(g, 3, at, p);
    if (rnn_has(RNN_PEEPHOLE)) {
        in += load_peephole(peephole, 0, at, p) * before;
        forget += load_peephole(peephole, 1, at, p) * before;
    }
    in = logistic(in);
    forget = logistic(forget);
    const accv_t candidate = tanh(argument(g, 2, at, p)), after = forget * before + in * candidate;
    if (rnn_has(RNN_PEEPHOLE)) out += load_peephole(peephole, 2, at, p) * after;
    out = logistic(out);
    store_at(after, c, p->channels, at, DT_F32);
    save(g, 0, in, at, p);
    save(g, 1, forget, at, p);
    save(g, 2, candidate, at, p);
    save(g, 3, out, at, p);
    return out * tanh(after);
}

/* update * before + (1 - update) * candidate */
static inline accv_t blend(accv_t update, accv_t before, accv_t candidate) {
    return update * before + (V(1) - update) * candidate;
}

static inline accv_t lbr_gru(const gates_t *g, accv_t before, accv_t kept, gptr_t extra, place_t at,
        const rnn_cell_t *p) {
    const accv_t update = logistic(argument(g, 0, at, p)), reset = logistic(argument(g, 1, at, p));
    const accv_t state = load_bias(g->bias, 3, at, p) + product_of(g, 2, at, p);
    const accv_t candidate = tanh(
            load_gate(g->gates, 2, at, p, DT_F32) + reset * state + load_bias(g->bias, 2, at, p));
    save(g, 0, update, at, p);
    save(g, 1, reset, at, p);
    save(g, 2, candidate, at, p);
    if (rnn_has(RNN_SAVES)) store_at(state, extra, p->channels, at, DT_F32);
    return blend(update * kept, before, candidate);
}

/* Of the state, which int8 stores quantised. */
static inline accv_t real_state(gcptr_t h_prev, place_t at, const rnn_cell_t *p) {
    const accv_t h = load_state(h_prev, at, p);
    if (!rnn_has(RNN_INT8)) return h;
    return p->now & RNN_HAS_H ? (h - V(p->data_shift)) / V(p->data_scale) : V(0);
}

/* The gates of GRU, before the second product or after it. */
static inline void gru(const tensors_t *t, int which, accv_t before, accv_t kept, place_t at,
        const rnn_cell_t *p) {
    const gates_t *g = &t->g;
    if (which == 0) {
        const accv_t update = logistic(argument(g, 0, at, p)),
                     reset = logistic(argument(g, 1, at, p));
        store_gate(update, g->gates, 0, at, p, DT_F32);
        save(g, 1, reset, at, p);
        store_state(reset * before, t->extra, at, p);
    } else {
        const accv_t update = load_gate(g->gates, 0, at, p, DT_F32),
                     candidate = tanh(argument(g, 2, at, p));
        save(g, 2, candidate, at, p);
        store_state(blend(update * kept, before, candidate), t->h, at, p);
    }
}

/* A projection. Integers remain quantised: scale of the weight * (data_scale * x + shift) was added
 * up of real numbers x. */
static inline void project(const tensors_t *t, place_t at, const rnn_cell_t *p) {
    const accv_t h = rnn_has(RNN_INT8) ? dequantised(&t->g, 0, 1, at, p) + V(p->data_shift)
                                       : product_of(&t->g, 0, at, p);
    store_at(h, t->h, p->h, at, dst_dt());
}

/* Part `which` of a step. */
static inline void new_state(const tensors_t *t, int which, place_t at, const rnn_cell_t *p) {
    if (cell() == RNN_CELL_PROJECT) {
        project(t, at, p);
    } else if (cell() <= RNN_CELL_LOGISTIC) {
        store_state(vanilla(&t->g, at, p), t->h, at, p);
    } else if (cell() == RNN_CELL_LSTM) {
        store_state(lstm(&t->g, t->c_prev, t->c, t->peephole, at, p), t->h, at, p);
    } else {
        const accv_t before = real_state(t->h_prev, at, p),
                     kept = V(load_attention(t->attention, at, p));
        if (cell() == RNN_CELL_LBR_GRU)
            store_state(lbr_gru(&t->g, before, kept, t->extra, at, p), t->h, at, p);
        else gru(t, which, before, kept, at, p);
    }
}

#endif
