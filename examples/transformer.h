/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs with a transformer share: the views of its heads on the device, and its parts
 * in plain C in double precision. */
#ifndef EXAMPLES_TRANSFORMER_H
#define EXAMPLES_TRANSFORMER_H

#include "net.h"

typedef struct {
    dnnl_dim_t batch, tokens, heads;
    dnnl_dim_t head, hidden; /* elements of one head, and of the gated part */
    dnnl_dim_t rows, width;  /* batch * tokens; heads * head */
} block_sizes_t;

/* Computes rows and width. */
void complete_sizes(block_sizes_t *s);

/* Which way the matrices of a view lie: tokens x elements, or elements x tokens. */
typedef enum { TOKENS_BY_ELEMENTS, ELEMENTS_BY_TOKENS } turn_t;

/* A view of part 0, 1 or 2 of a product x (Wq Wk Wv), whose rows are [part][head][element of the
 * head], as batch x heads matrices. The row-major matrix stays where it is. */
dnnl_memory_t head_view(
        net_t *net, const block_sizes_t *s, dnnl_memory_t qkv, int part, turn_t turn);

/* A view of a row-major matrix, whose rows are [head][element of the head], as batch x heads
 * matrices of tokens x elements. */
dnnl_memory_t side_by_side(net_t *net, const block_sizes_t *s, dnnl_memory_t heads);

/* A 1 x 1 x tokens x tokens mask that is added to the scores: a token sees itself and the tokens
 * before it; minus infinity is added to the score of every other. */
dnnl_memory_t causal_mask(net_t *net, dnnl_dim_t tokens);

/* ---- in plain C ---- */

/* y = x / root of (mean square of x + epsilon) * scale, for each row of x */
void c_norm(double *y, const double *x, const double *scale, dnnl_dim_t rows, dnnl_dim_t width,
        double epsilon);
/* y += x w */
void c_add_product(double *y, const double *x, const double *w, dnnl_dim_t rows, dnnl_dim_t in,
        dnnl_dim_t out);
/* heads += softmax(q k^T / sqrt(head) + mask) v, for all heads. The scores before and after
 * softmax are kept, too. */
void c_add_attention(
        double *scores, double *shares, double *heads, const double *qkv, const block_sizes_t *s);
double c_swish(double x);

/* The largest difference, relative to the largest value. */
double largest_error(const float *got, const double *expected, size_t count);

#endif
