/* SPDX-License-Identifier: Apache-2.0 */
/* Matmuls of oneDNN's CPU library, in a module of their own for the reason bench.h says. */
#ifndef TESTS_BENCH_MATMUL_ONEDNN_H
#define TESTS_BENCH_MATMUL_ONEDNN_H

#include <stdint.h>

/* Types of a matmul: src x weights -> dst; the bias is f32. */
typedef enum { MATMUL_F32, MATMUL_BF16, MATMUL_U8, MATMUL_TYPES } matmul_type_t; /* U8: u8 x s8 -> s32 */

typedef struct {
    const char *version;
    /* A matmul of row-major matrices, dst = relu(src * weights + bias) where `fused`; NULL if it cannot be
     * made. */
    void *(*matmul_create)(matmul_type_t type, int64_t m, int64_t n, int64_t k, int fused, void *src,
            void *weights, void *bias, void *dst);
    void (*matmul_run)(void *matmul);
    void (*matmul_destroy)(void *matmul);
} onednn_matmul_t;

#endif
