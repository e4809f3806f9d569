/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent networks, forward and backward, from the definitions of their cells. All arrays are
 * row-major in the order of their letters. Every value has the error that an implementation in
 * arithmetic of `epsilon` may make. */
#ifndef TESTS_REF_RNN_H
#define TESTS_REF_RNN_H

#include "ref.h"

typedef ref_value_t num_t;

typedef struct ref_rnn {
    dnnl_alg_kind_t cell, activation;
    dnnl_rnn_direction_t direction;
    double alpha, epsilon;
    dnnl_data_type_t dt;                    /* of states that wait for the next step or layer */
    double scale, shift;                    /* of 8-bit states */
    int64_t t, n, l, d, g, b;               /* b: biases */
    int64_t slc, sic, dhc, dic, dlc, pitch; /* pitch: of rows of h, for sic or dic */
    bool backward, has_peephole, has_projection;
    num_t *x;         /* T N SLC */
    num_t *h, *c;     /* L D (T + 1) N pitch or DHC, by steps; those before step 0 are given */
    num_t *attention; /* T N */
    num_t *w, *u;     /* L D I G O */
    num_t *peephole, *projection, *bias; /* L D 3 O; L D DHC DIC; L D B O */
    num_t *y;                            /* T N DLC */
    /* What the cells keep: L D T N */
    num_t *gate, *grid, *squeezed; /* G DHC; U h + b of LBR cells, DHC; h before the projection */
    /* Gradients; those of y, h and c after the last step are given: dh, dc are L D N DIC, DHC,
     * and become those before the first step. Those of weights hold what is added to. */
    num_t *dy, *dh, *dc, *dx, *dattention, *dw, *du, *dpeephole, *dprojection, *dbias;
} ref_rnn_t;

/* Allocates the arrays, all 0. The sizes are set. */
void ref_rnn_open(ref_rnn_t *r);
void ref_rnn_close(ref_rnn_t *r);
void ref_rnn_forward(ref_rnn_t *r);
void ref_rnn_backward(ref_rnn_t *r); /* after forward */
/* The shift of y in 8 bits: a sum of two directions has that of both. */
double ref_rnn_result_shift(const ref_rnn_t *r);
/* The time of step s of direction d. */
int64_t ref_rnn_time(const ref_rnn_t *r, int64_t d, int64_t s);

#endif
