/* SPDX-License-Identifier: Apache-2.0 */
/* A primitive to measure in words that this library and oneDNN's CPU library both understand:
 * their headers have the same names, so neither's types appear here. library.c is compiled with
 * either. */
#ifndef TESTS_BENCH_LIBRARY_H
#define TESTS_BENCH_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

enum { PLAIN_TENSORS = 12, PLAIN_DIMS = 12 }; /* dimensions: as long as dnnl_dims_t */

typedef struct {
    int arg;          /* DNNL_ARG_*; every version of the interface has the same numbers */
    const char *type; /* "f32" */
    int any;          /* the library chooses the layout; the caller's data are row-major */
    int ndims;
    int64_t dims[PLAIN_DIMS], strides[PLAIN_DIMS]; /* of the caller's data */
} plain_tensor_t;

/* Names are those of the verbose log. */
typedef struct {
    const char *kind, *alg;
    const char *activation; /* of a recurrent network; NULL for all other kinds */
    int local_size;         /* of LRN; 0 for all other kinds */
    float alpha, beta, k;   /* of LRN */
    const char *backward;   /* "backward_data", ...; NULL: forward */
    int training;           /* statistics are computed and kept */
    int global_stats;       /* statistics are given */
    int axis;               /* softmax */
    int relu;               /* as a post-op */
    float epsilon;          /* normalizations */
    int64_t strides[PLAIN_DIMS], kernel[PLAIN_DIMS], pad_left[PLAIN_DIMS], pad_right[PLAIN_DIMS];
    int ntensors, dst; /* dst: index of the destination, or of the gradient */
    plain_tensor_t tensor[PLAIN_TENSORS];
} plain_problem_t;

/* One of the two libraries. */
typedef struct {
    const char *version;
    /* data: of each tensor; it has to stay. pd: this library's dnnl_primitive_desc_t of the
     * problem; oneDNN makes its own. forward: that of a forward primitive, which runs once on the
     * same data, because this one reads its results and its workspace; NULL: none does. Answers
     * NULL if the library does not support the problem. */
    void *(*create)(
            const plain_problem_t *problem, const void *pd, const void *forward, void *const *data);
    void (*run)(void *op);
    void (*result)(void *op, void *dst); /* copies the destination in the caller's layout */
    void (*destroy)(void *op);
} library_t;

/* The library that library.c is compiled with. engine, stream: dnnl_engine_t, dnnl_stream_t. */
const library_t *library_open(void *engine, void *stream);
/* The enumerator with the name that the log has for it; -1: it is not known. */
int library_find(const char *name);

#endif
