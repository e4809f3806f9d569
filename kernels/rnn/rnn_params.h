/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the pointwise kernels of recurrent networks, for the kernels and the planner. */
#ifndef KERNELS_RNN_PARAMS_H
#define KERNELS_RNN_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

enum {
    SPEC_RNN_CELL = SPEC_FIRST_FREE, /* RNN_CELL_* */
    SPEC_RNN_PART,                   /* of the cell, where a product lies between two: 0 or 1 */
    SPEC_RNN_FLAGS,                  /* RNN_* */
    SPEC_RNN_ATTENTION_DT,
    SPEC_RNN_WEIGHTS_DT /* of the portable step */
};

enum {
    RNN_CELL_RELU,
    RNN_CELL_TANH,
    RNN_CELL_LOGISTIC,
    RNN_CELL_LSTM,
    RNN_CELL_GRU,     /* AUGRU, too */
    RNN_CELL_LBR_GRU, /* linear before reset; LBR AUGRU, too */
    RNN_CELL_PROJECT  /* no gates: the projection of an LSTM's states, or of their gradients */
};

/* What holds for all time steps. */
enum {
    RNN_BIAS = 1,
    RNN_PEEPHOLE = 2,
    RNN_ATTENTION = 4,
    RNN_SAVES = 8,   /* training: the gates are kept for backward propagation */
    RNN_INT8 = 16,   /* products are sums of 8-bit integers */
    RNN_SCALES = 32, /* each gate and channel has a scale of its own */
    RNN_UNIFORM = 64 /* parts_lanes.h: all sub-groups take the same branches (emulation) */
};

/* What may differ between time steps: rnn_cell_t.now */
enum {
    RNN_HAS_H = 1,     /* the state before this step; without it, the state is 0 */
    RNN_HAS_C = 2,     /* the cell state before this step */
    RNN_HAS_DH = 4,    /* backward: gradients of the step after this one */
    RNN_HAS_CARRY = 8, /* backward: the part of them that did not go through a product */
    RNN_HAS_DC = 16,   /* backward: those of the cell state after this step */
    RNN_HAS_ABOVE = 32 /* backward: those of the new state from the layer above */
};

/* One time step. A row is one element of the batch; distances are in elements. Gates of a row lie
 * one after the other, `channels` values each. */
typedef struct {
    par_i32_t rows, channels;
    par_i32_t vectors; /* of channels, that a work-item computes */
    par_i32_t now;
    par_i64_t gates;       /* from row to row: of gates and of products of the state */
    par_i64_t h_prev, h;   /* from row to row */
    par_i64_t bias;        /* from gate to gate */
    par_i64_t peephole;    /* the same */
    par_i64_t attention;   /* from row to row */
    par_i64_t above, next; /* backward, from row to row: gradients of h from above and from the
                              step after this one */
    par_i64_t dc_in;       /* backward, from row to row: of the cell state */
    float alpha;           /* of relu */
    float data_scale, data_shift; /* int8: q = data_scale * x + data_shift */
    float weights_scale;          /* int8 without RNN_SCALES */
} rnn_cell_t;

/* The product of a kernel that computes it, too: element (k, gate, channel) of the weights is at
 * k * u_k + gate * u_gate + channel / VW * u_vector. CPUs read panels of 16 channels, in which u_k
 * is 16. Distances are in elements. */
enum { RNN_CPU_ROWS = 32 }; /* limit of `block` on CPUs */
/* Products of 8-bit integers whose sum a float holds without rounding: 512 * 255 * 128 < 2^24. */
enum { RNN_EXACT = 512 };
/* Elsewhere: channels and rows of a work-group, and parts of a sum. */
enum { RNN_GROUP = 16, RNN_ROWS = 4, RNN_PARTS = 16 };
/* On sub-groups of 16 lanes, for tiles of so many rows: sub-groups of a work-group, and groups of
 * 16 channels that it has. High tiles have four blocks of columns, so that they read the source for
 * many of them; low ones have few, so that there are work-groups enough. */
#define RNN_PARTS_OF(rows) ((rows) > 8 ? 4 : 8)
#define RNN_CHANNEL_GROUPS(rows, gates) ((rows) > 8 ? 4 / (gates) : 1)
enum { RNN_TEAMS = 16 }; /* most sub-groups of a work-group that computes several time steps */
typedef struct {
    par_i32_t k;     /* 0: no product */
    par_i32_t block; /* rows of a work-group */
    par_i64_t a_row; /* of the source, from row to row */
    par_i64_t u_k, u_gate, u_vector;
} rnn_factor_t;

/* Several time steps in one launch; bytes from one to the next. */
typedef struct {
    par_i64_t steps;
    par_i64_t parts; /* of k, on sub-groups */
    par_i64_t gates, state, cell, attention, extra;
    par_i64_t above, gradients, of_state, terms; /* backward */
} rnn_walk_t;

#endif
