/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of gpt_train: a decoder of characters,
 *
 *     x    = E[character] + E[position]
 *     x    = x + attention(rms_norm(x)) Wo                                   in each layer
 *     x    = x + (swish(rms_norm(x) Wg) * (rms_norm(x) Wu)) Wd               in each layer
 *     loss = mean of -log_softmax(rms_norm(x) W)[next character],
 *
 * its gradients and update on the device, and the same in plain C. */
#ifndef EXAMPLES_GPT_H
#define EXAMPLES_GPT_H

#include "adamw.h"
#include "transformer.h"

/* ---- parameters (gpt_model.c) ---- */

enum { MAX_LAYERS = 16 };
static const double norm_epsilon = 1e-5; /* added to the mean square in RMS norm */
/* Parameters of each layer, and those of which there is one. */
typedef enum { QKV, PROJECTION, GATE, UP, DOWN, NORM_1, NORM_2, PER_LAYER } layer_parameter_t;
typedef enum { OUTPUT, EMBEDDING, LAST_NORM, SINGLE } single_parameter_t;

/* A row-major matrix in an array with all parameters. A norm's scale is a matrix of one row. The
 * embedding has a row for each character, and behind them one for each position. */
typedef struct {
    char name[24];
    dnnl_dim_t rows, columns;
    size_t offset, count; /* elements */
} parameter_t;

typedef struct {
    dnnl_dim_t layers, vocabulary;
    block_sizes_t s;
    int count;
    parameter_t parameter[MAX_LAYERS * PER_LAYER + SINGLE]; /* layer by layer, then the single */
    size_t elements; /* of the array: the parameters and the padding between them */
    size_t decayed;  /* elements of the parameters that decay, which come first */
} gpt_t;

/* Names and places of the parameters of a model whose sizes are set. */
void gpt_lay_out(gpt_t *g);
const parameter_t *layer_parameter(const gpt_t *g, dnnl_dim_t layer, layer_parameter_t which);
const parameter_t *single_parameter(const gpt_t *g, single_parameter_t which);

/* An array of random parameters; scales of norms are in 1 +- norm_spread. The caller frees it. */
float *gpt_random(const gpt_t *g, uint64_t seed, float norm_spread);

/* ---- on the device (gpt_model.c) ---- */

typedef struct {
    gpt_t gpt;
    net_t net;
    optimizer_t adam; /* has the arrays of all parameters */
} model_t;

void model_open(model_t *m, const gpt_t *g, const adamw_t *adamw, const float *weights);
void model_close(model_t *m);

/* The primitives that bring `batch` sequences through the model, and their activations. The model
 * owns the activations; the caller ends with pass_destroy(). */
typedef struct pass pass_t;
pass_t *pass_create(model_t *m, dnnl_dim_t batch, int with_backward);
void pass_destroy(pass_t *p);

/* For the characters (indices below `vocabulary`) of batch x tokens: the loss; and with new
 * gradients. `targets` are the characters that follow. */
double pass_loss(pass_t *p, const int *inputs, const int *targets);
double pass_gradients(pass_t *p, const int *inputs, const int *targets);
/* Logarithms of the probabilities that the last call gave to the characters at a row of
 * batch x tokens. */
const float *pass_log_shares(const pass_t *p, dnnl_dim_t row);

/* ---- in plain C (gpt_check.c) ---- */

/* Compares a few steps of a tiny model with plain C. Returns the number of wrong results. */
int gpt_check(uint64_t seed);

#endif
