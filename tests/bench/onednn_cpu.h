/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's CPU library, to compare with. It has the same symbols as this project's, so a small module of its
 * own is linked with it and loaded with RTLD_LOCAL and RTLD_DEEPBIND: its calls find oneDNN, everyone else's
 * do not. */
#ifndef TESTS_BENCH_ONEDNN_CPU_H
#define TESTS_BENCH_ONEDNN_CPU_H

#include <stdint.h>

typedef struct {
    const char *version;
    /* A matmul of row-major floats, dst = relu(src * weights + bias) where `fused`; NULL if it cannot be
     * made. */
    void *(*matmul_create)(
            int64_t m, int64_t n, int64_t k, int fused, float *src, float *weights, float *bias, float *dst);
    void (*matmul_run)(void *matmul);
    void (*matmul_destroy)(void *matmul);
} onednn_cpu_t;

/* The module's one symbol: const onednn_cpu_t *onednn_cpu(void). */

#endif
