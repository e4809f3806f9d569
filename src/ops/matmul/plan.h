/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a plan that the kernels of matmul share: inputs, the result, what is left to do to it. */
#ifndef OPS_MATMUL_PLAN_H
#define OPS_MATMUL_PLAN_H

#include "ops/matmul/matmul.h"

/* Where a kernel finds a matrix, and how. */
typedef struct {
    int slot;        /* -1: in the scratchpad */
    uint64_t offset; /* bytes */
    dnnl_data_type_t dt;
    int64_t stride[MM_DIMS]; /* 0 where the dimension is 1 and broadcast */
    int64_t panel;           /* weights in panels: elements from one to the next; 0: plain */
} matmul_matrix_t;

/* The result of the kernel and what it applies to it. */
typedef struct {
    matmul_matrix_t c;
    epilogue_t chain;
    epilogue_segment_t seg;
    bool complete; /* c is the destination; else links from `rest` on follow in steps of their own */
    int rest;
    md_t scratch_md;
} matmul_result_t;

/* Bytes of the scratchpad; the offset is a multiple of 64. */
uint64_t matmul_reserve(matmul_t *mm, uint64_t bytes);
void matmul_bind(plan_t *plan, const matmul_matrix_t *x);
void matmul_set_strides(matmul_matrix_t *x, const md_t *md);
/* Has the argument in this slot run-time dims? */
bool matmul_unknown(const matmul_t *mm, int slot);
/* An input as a plain matrix; one with inner blocks is unfolded into the scratchpad first. */
const char *matmul_plain_input(matmul_t *mm, int slot, const md_t *md, matmul_matrix_t *x);
int64_t matmul_batch(const md_t *md); /* matrices in it */
/* Bind the scales of an argument; a pointer to its zero points and, where that is NULL, a value. */
void matmul_bind_scale(const matmul_t *mm, int arg);
void matmul_bind_zero(const matmul_t *mm, int arg);

/* Before the step of the kernel, and after it. */
const char *matmul_plan_result(matmul_t *mm, matmul_result_t *r);
/* The same for kernels that compute in floats. */
const char *matmul_plan_float_result(matmul_t *mm, matmul_result_t *r);
/* What tiles of c = a * b have in common; the caller sets rows and b_panel, and what it has besides. */
void matmul_tile_params(const matmul_t *mm, const matmul_matrix_t *a, const matmul_matrix_t *b,
        const matmul_result_t *r, mm_tile_t *p);
const char *matmul_finish_result(matmul_t *mm, const matmul_result_t *r);
void matmul_specs(plan_t *plan, dnnl_data_type_t src, dnnl_data_type_t wei,
        const matmul_result_t *r, uint32_t flags);

/* matmul_xmx.c: the rows for matrix units. */
const char *matmul_plan_xmx(matmul_t *mm, int row);
/* matmul_xmx8.c: those for units of 8 lanes. */
const char *matmul_plan_xmx8(matmul_t *mm, int row);
/* matmul_sg16.c: for sub-groups of 16 without them. */
const char *matmul_plan_sg16(matmul_t *mm, int row);
/* Gives weights of format any the layout that these rows like best; false: the device has no matrix units for
 * the types. transposed: two-dimensional weights whose columns come first. */
bool matmul_xmx_weights(
        const pd_t *pd, const caps_t *caps, const md_t *src, md_t *wei, bool transposed);

#endif
