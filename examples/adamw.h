/* SPDX-License-Identifier: Apache-2.0 */
/* AdamW on the device. Weights, gradients and moments are one array each, so that five primitives
 * update all parameters; a parameter is a part of the arrays. */
#ifndef EXAMPLES_ADAMW_H
#define EXAMPLES_ADAMW_H

#include "net.h"

typedef struct {
    double beta1, beta2, epsilon, decay;
} adamw_t;

typedef struct {
    net_t *net;
    adamw_t settings;
    size_t decayed; /* elements at the start of the arrays that decay */
    dnnl_memory_t weights, gradients, moment1, moment2;
    step_t update[5];
    int update_count;
    float *keep, *size, *epsilon; /* numbers that the host gives to each update */
    int updates;
} optimizer_t;

/* Arrays of `elements` in the memory of the device: weights with the values given, the others with
 * zeros. The net owns them. */
void optimizer_open(optimizer_t *o, net_t *net, const adamw_t *settings, const float *weights,
        size_t elements, size_t decayed);
/* Brings the weights a step on, and waits for it. */
void optimizer_run(optimizer_t *o, double rate);

/* The same in plain C: update number `step`, counted from 1, of arrays of `count` elements. */
void c_adamw(const adamw_t *a, int step, double rate, size_t decayed, size_t count, double *weights,
        const double *gradients, double *moment1, double *moment2);

#endif
