/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of oneDNN's CPU library, in a module of their own for the reason bench.h says. */
#ifndef TESTS_BENCH_CONV_ONEDNN_H
#define TESTS_BENCH_CONV_ONEDNN_H

#include <stdint.h>

/* A square 2D convolution with bias. */
typedef struct {
    int64_t mb, ic, oc, ih, oh, k, stride, pad;
    int integers; /* u8 x s8 -> u8 instead of floats */
} bench_conv_t;

typedef struct {
    const char *version;
    /* Tensors come as nchw, oihw and have the layouts that oneDNN likes best when it runs; NULL if it cannot
     * be made. */
    void *(*create)(const bench_conv_t *problem, void *src, void *weights, void *bias);
    void (*run)(void *conv);
    void (*result)(void *conv, void *dst); /* as nchw */
    void (*destroy)(void *conv);
} onednn_conv_t;

#endif
