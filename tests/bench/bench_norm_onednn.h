/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax, normalizations and reduction of oneDNN's CPU library, in a module of its own as bench.h says. */
#ifndef TESTS_BENCH_NORM_ONEDNN_H
#define TESTS_BENCH_NORM_ONEDNN_H

#include <stdint.h>

enum { NORM_SOFTMAX, NORM_LAYER, NORM_BATCH, NORM_REDUCTION };

typedef struct {
    const char *name;
    int kind;
    int training; /* statistics are computed and kept; else batch normalization gets them */
    int axis;     /* softmax */
    int channels_last;
    int ndims;
    int64_t dims[12], dst_dims[12]; /* as long as dnnl_dims_t */
} bench_norm_t;

enum { NORM_SRC, NORM_DST, NORM_MEAN, NORM_VARIANCE, NORM_SCALE, NORM_SHIFT, NORM_BUFFERS };

typedef struct {
    const char *version;
    void *(*create)(const bench_norm_t *problem, float *const *buffers);
    void (*run)(void *op);
    void (*destroy)(void *op);
} onednn_norm_t;

#endif
