/* SPDX-License-Identifier: Apache-2.0 */
/* A primitive to measure, described so that this library and oneDNN's CPU library make it from
 * the same words: their headers have the same names, so neither's types appear here. problem.c
 * is compiled with either. */
#ifndef TESTS_BENCH_PROBLEM_H
#define TESTS_BENCH_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

enum { PROBLEM_TENSORS = 6, PROBLEM_DIMS = 12 }; /* dimensions: as long as dnnl_dims_t */

typedef enum {
    KIND_CONVOLUTION,
    KIND_POOLING,
    KIND_RESAMPLING,
    KIND_BATCH_NORM,
    KIND_LAYER_NORM,
    KIND_SOFTMAX,
    KIND_REDUCTION,
    KIND_REORDER,
    KIND_MATMUL
} kind_t;

typedef enum { ALG_NONE, ALG_MAX, ALG_AVERAGE, ALG_NEAREST, ALG_LINEAR } alg_t;

typedef enum { TYPE_F32, TYPE_BF16, TYPE_S32, TYPE_S8, TYPE_U8, TYPE_COUNT } type_t;

typedef enum {
    ROLE_SRC,
    ROLE_WEIGHTS,
    ROLE_BIAS,
    ROLE_MEAN,
    ROLE_VARIANCE,
    ROLE_SCALE,
    ROLE_SHIFT,
    ROLE_DST
} role_t;

/* Row-major, with the channels last, with the last two dimensions swapped, or as the library
 * likes it. */
typedef enum { ORDER_PLAIN, ORDER_CHANNELS_LAST, ORDER_SWAPPED, ORDER_ANY } order_t;

typedef struct {
    role_t role;
    type_t type;
    order_t order;
    int ndims;
    int64_t dims[PROBLEM_DIMS];
} tensor_t;

typedef struct {
    kind_t kind;
    alg_t alg;
    int training; /* statistics are computed and kept; else batch norm gets them */
    int axis;     /* softmax */
    int relu;     /* as a post-op */
    int64_t strides[PROBLEM_DIMS], kernel[PROBLEM_DIMS], pad_left[PROBLEM_DIMS],
            pad_right[PROBLEM_DIMS];
    int ntensors; /* the destination is the last one */
    tensor_t tensor[PROBLEM_TENSORS];
} problem_t;

/* One of the two libraries. */
typedef struct {
    const char *version;
    /* data: of each tensor in its order, row-major where that is left to the library; it has to
     * stay. NULL: the library does not take the problem. */
    void *(*create)(const problem_t *problem, void *const *data);
    void (*run)(void *op);
    void (*result)(
            void *op, void *dst); /* the destination, row-major where the order was left to the
                                            library; else in its order */
    void (*destroy)(void *op);
} library_t;

/* Of this program; oneDNN's is what bench_rival() answers. engine, stream: dnnl_engine_t,
 * dnnl_stream_t. */
const library_t *problem_library(void *engine, void *stream);

#endif
