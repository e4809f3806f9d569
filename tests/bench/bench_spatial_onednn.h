/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling and resampling of oneDNN's CPU library, in a module of its own as bench.h says. */
#ifndef TESTS_BENCH_SPATIAL_ONEDNN_H
#define TESTS_BENCH_SPATIAL_ONEDNN_H

#include <stdint.h>

typedef struct {
    const char *name;
    int resampling, linear; /* else pooling: average or maximum */
    int average;
    int channels_last;
    int64_t n, c, in, out, kernel, stride, pad_left, pad_right; /* images are squares */
} bench_spatial_t;

typedef struct {
    const char *version;
    void *(*create)(const bench_spatial_t *problem, float *src, float *dst);
    void (*run)(void *op);
    void (*destroy)(void *op);
} onednn_spatial_t;

#endif
