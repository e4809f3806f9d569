/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of lstm_text: a recurrent network of characters,
 *
 *     h, c = LSTM(a one at the character, h, c)
 *     loss = mean of -log_softmax(h W + b)[next character],
 *
 * its gradients and update on the device, in f32 and, for inference, in int8, and the same in
 * plain C. */
#ifndef EXAMPLES_LSTM_H
#define EXAMPLES_LSTM_H

#include "adamw.h"

/* ---- parameters (lstm_model.c) ---- */

/* The LSTM's weights of characters and of the state, each with 4 gates; its bias. */
typedef enum { CHARACTERS, STATE, OUTPUT, BIAS, OUTPUT_BIAS, PARAMETERS } which_t;

/* A row-major matrix in an array with all parameters. */
typedef struct {
    const char *name;
    dnnl_dim_t rows, columns;
    size_t offset, count; /* elements */
} parameter_t;

enum { GATES = 4 };
typedef struct {
    dnnl_dim_t vocabulary, width; /* width: channels of the state */
    parameter_t parameter[PARAMETERS];
    size_t elements; /* of the array: the parameters and the padding between them */
    size_t decayed;  /* elements of the weights, which decay; biases follow */
} lstm_t;

lstm_t lstm_lay_out(dnnl_dim_t vocabulary, dnnl_dim_t width);
/* An array of random parameters. The caller frees it. */
float *lstm_random(const lstm_t *l, uint64_t seed);

/* ---- on the device (lstm_model.c) ---- */

typedef struct {
    lstm_t lstm;
    net_t net;
    optimizer_t adam; /* has the arrays of all parameters */
} model_t;

void model_open(model_t *m, const lstm_t *l, const adamw_t *adamw, const float *weights);
void model_close(model_t *m);

typedef enum {
    TRAINS,    /* has gradients */
    READS,     /* with the weights that the model has at the time */
    READS_INT8 /* with the weights that the model had when the pass was created, in s8 */
} pass_kind_t;

/* The primitives that bring `steps` characters of `batch` sequences through the model, and their
 * activations and states. The model owns these; the caller ends with pass_destroy(). */
typedef struct pass pass_t;
pass_t *pass_create(model_t *m, pass_kind_t kind, dnnl_dim_t steps, dnnl_dim_t batch);
void pass_destroy(pass_t *p);

/* The sequences begin: their states are zero. */
void pass_begin(pass_t *p);
/* For steps x batch characters (indices below `vocabulary`), with which the sequences go on, and
 * the characters that follow them: the loss. A pass that trains computes new gradients. The next
 * call begins with the states after the last step, but none of its gradients goes back there. */
double pass_run(pass_t *p, const int *inputs, const int *targets);
/* Logarithms of the probabilities that the last call gave to the characters at a row of
 * steps x batch. */
const float *pass_log_shares(const pass_t *p, dnnl_dim_t row);

/* ---- int8 (lstm_int8.c) ---- */

/* The integer of a state x is 127 x + 128: |x| < 1. That of an input is 128 or 255, for 0 or 1. */
enum { DATA_SCALE = 127, DATA_SHIFT = 128 };

/* Attributes of the LSTM and of the product behind it, whose scales and shift are arguments. */
typedef struct {
    dnnl_primitive_attr_t lstm, output;
    dnnl_memory_t data_scale, data_shift, output_scales;
} quantization_t;

/* Each column of the weights gets a scale by which its largest element becomes 127. */
void quantization_open(quantization_t *q, model_t *m);
/* The weights of the output. */
dnnl_memory_t output_in_s8(
        const quantization_t *q, model_t *m, dnnl_memory_t weights, const_dnnl_memory_desc_t desc);

/* ---- in plain C (lstm_check.c) ---- */

/* Compares a few steps of a tiny model with plain C. Returns the number of wrong results. */
int lstm_check(uint64_t seed);

#endif
