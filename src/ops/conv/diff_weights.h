/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation by weights, as its planners see it: sums over all positions of the window of
 * what the window reads (`in`) times a value of the other image (`out`). */
#ifndef OPS_CONV_DIFF_WEIGHTS_H
#define OPS_CONV_DIFF_WEIGHTS_H

#include "kernels/conv/diff_weights_params.h"
#include "ops/conv/problem.h"

/* Points into itself: not to be copied. */
typedef struct {
    conv_t cv;
    operand_t in, out; /* src and diff_dst; of a deconvolution the other way round */
    md_t plain_in, plain_out;
    cv_diff_weights_t p;
    bool rows_of_out;      /* of a sum, channels of `out` are the slowest; else those of diff_dst */
    int64_t chunks;        /* that the positions are divided into */
    operand_t sums, total; /* by chunk; of all, as an array of elements */
    md_t sums_md, total_md, weights_md;
} diff_weights_t;

/* The images, copied to the scratchpad where kernels cannot address them, and the window. */
const char *diff_weights_init(diff_weights_t *x, planner_t *p);
/* Reserves the sums, once x->chunks is known. */
const char *diff_weights_place_sums(diff_weights_t *x, dnnl_data_type_t dt);
/* The steps behind the sums: their total, its copy to the weights, the gradient of the bias. */
const char *diff_weights_finish(diff_weights_t *x);

/* Is the problem one that the tiles for CPUs are fast with? NULL, or why not. */
const char *diff_tile_why_not(const conv_t *cv);
/* Can a product have channels of `out`, whose descriptor is md, as rows of a matrix where they are:
 * a position for each pixel, all at the same distance, and channels at another? */
bool diff_weights_is_matrix(const cv_tensor_t *t, const md_t *md, const int32_t *size);
/* Groups whose weights have fewer elements cost more to copy than a product gains. */
enum { DIFF_WEIGHTS_FEW_PRODUCTS = 64 };

/* Chooses among the variants of families "matmul" and "conv_diff_weights", and plans. */
dnnl_status_t diff_weights_choose(pd_t *pd, const caps_t *caps);

#endif
