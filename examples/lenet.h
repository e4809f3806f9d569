/* SPDX-License-Identifier: Apache-2.0 */
/* A net for digits in the style of LeNet: two convolutions, each with relu and maximum pooling,
 * and two inner products,
 *
 *     pixels -> 5x5 to 16 channels, relu, 2x2 maximum -> 5x5 to 32 channels, relu, 2x2 maximum
 *         -> 64, relu -> scores of 10 digits,
 *
 * and what trains it: the gradients of the mean of -log_softmax(scores)[digit], and
 *
 *     velocity = momentum velocity + gradient
 *     weights  = weights - rate velocity
 *
 * Weights, gradients and velocities are f32. Activations, and the copies of weights that products
 * read, are f32 or bf16. */
#ifndef EXAMPLES_LENET_H
#define EXAMPLES_LENET_H

#include "data/load_digits.h"
#include "net.h"

enum { LAYERS = 4, CONVOLUTIONS = 2, DIGITS = 10 };

/* Weights and biases are parts of one array, layer by layer. */
typedef struct {
    int ndims; /* of the weights: 4, or 2 */
    dnnl_dims_t dims;
    size_t begin, bias, end; /* elements: of the weights, of the bias, behind the bias */
} lenet_layer_t;

typedef struct {
    dnnl_dim_t side; /* of an image */
    float brightest; /* the largest pixel */
    lenet_layer_t layer[LAYERS];
    size_t elements; /* of the array */
} lenet_t;

/* Returns 0, or -1 after a message on stderr: images have to be square, with a side that two
 * poolings halve evenly. */
int lenet_init(lenet_t *l, const digits_t *digits);

/* Random weights, and zero as biases. The caller frees them. */
float *lenet_random(const lenet_t *l, uint64_t seed);

/* A file of weights. Both return 0, or -1 after a message on stderr. */
int lenet_save(const lenet_t *l, const float *weights, const char *path);
int lenet_load(const lenet_t *l, float *weights, const char *path);

/* ---- on the device ---- */

enum { MAX_LENET_STEPS = 48 };

/* The primitives that bring a batch through the net. With training they go on to the gradients and
 * to new weights. */
typedef struct {
    net_t *net;
    const lenet_t *lenet;
    dnnl_dim_t batch;
    dnnl_data_type_t type;
    int training;
    dnnl_memory_t weights, gradients, velocity; /* arrays of f32 */
    dnnl_memory_t copy;                         /* the weights in `type`, for products */
    float *pixels;                              /* batch x side x side, 0 to 1: the host's */
    float *targets; /* batch x DIGITS: -1 / images at the digit of an image, else 0 */
    float *loss, *scores, *minus_rate; /* one number; batch x DIGITS; one number */
    float *sums; /* if asked for: the gradients, and behind them the loss, for the host to add to */
    int known[LAYERS]; /* number of steps after which the gradients of a layer are known */
    int update;        /* the first of the steps that change weights */
    step_t step[MAX_LENET_STEPS];
    int count;
    dnnl_primitive_attr_t plain, relu;
    struct {
        dnnl_memory_t in, out, d_in, d_out; /* of a layer; d_: gradients */
    } at[LAYERS];
    dnnl_memory_t largest[CONVOLUTIONS]; /* the workspace of pooling */
    dnnl_memory_t log_share, d_score;    /* f32 */
} lenet_pass_t;

/* An array on the device, of `values` or, if that is NULL, of zeros. The net owns it, and all that
 * the next two functions make. */
dnnl_memory_t lenet_array(net_t *net, const lenet_t *l, const float *values);
void lenet_inference(lenet_pass_t *p, net_t *net, const lenet_t *l, dnnl_dim_t batch,
        dnnl_data_type_t type, dnnl_memory_t weights);
/* sums: the host adds gradients of other images, those of a layer as soon as they are known, before
 * the steps from p->update on. */
void lenet_training(lenet_pass_t *p, net_t *net, const lenet_t *l, dnnl_dim_t batch,
        dnnl_data_type_t type, dnnl_memory_t weights, double momentum, int sums);

/* Number of a layer's sums, which begin at p->sums[*begin]. The last layer's include the loss. */
size_t lenet_sums(const lenet_t *l, int layer, size_t *begin);

/* Executes the steps from `from` to before `to` on a stream, or records them. */
void lenet_run(const lenet_pass_t *p, dnnl_stream_t stream, int from, int to);

/* Image `index` of a set as image `place` of the batch. */
void lenet_take(const lenet_pass_t *p, const digits_t *set, size_t index, size_t place);

/* How many of `count` images of a set, from image `first` on, an inference pass gets right. */
size_t lenet_right(const lenet_pass_t *p, const digits_t *set, size_t first, size_t count);

#endif
