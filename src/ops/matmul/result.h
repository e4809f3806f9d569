/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a matmul, and the scales of dst that the primitive computes. */
#ifndef OPS_MATMUL_RESULT_H
#define OPS_MATMUL_RESULT_H

#include "ops/matmul/problem.h"
#include "steps/result.h"

/* Before the kernel's step: what it writes, and how much of the epilogue it applies. */
const char *matmul_result(matmul_t *mm, result_t *r);
/* The same for kernels that compute in f32. */
const char *matmul_float_result(matmul_t *mm, result_t *r);
/* The steps after the kernel's. */
const char *matmul_finish(matmul_t *mm, const result_t *r);

#endif
