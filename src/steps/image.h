/* SPDX-License-Identifier: Apache-2.0 */
/* Images: tensors with channels and one to three spatial dimensions, as the kernels of convolution
 * and of the window primitives address them, and the results of these kernels. */
#ifndef STEPS_IMAGE_H
#define STEPS_IMAGE_H

#include "kernels/lib/image_params.h"
#include "steps/result.h"

/* The dimension of a tensor that is its depth (0), height (1) or width (2); -1: it has none. */
static inline int image_dim(int ndims, int spatial) {
    const int d = ndims - 3 + spatial;
    return d < 2 ? -1 : d;
}
/* The tag of the layout with channels last, of tensors with 3 to 5 dimensions. */
const char *image_channels_last(int ndims);

/* How kernels address a tensor. False: they cannot, as it has other inner blocks than one of
 * channels. */
bool image_tensor(cv_tensor_t *t, const md_t *md);
/* Is the distance between two neighbouring pixels the same over all images? size: depth, height,
 * width. */
bool image_is_even(const cv_tensor_t *t, const int32_t *size);

/* A copy of a tensor in the scratchpad, in the layout of *md, which must live as long as the
 * operand. */
const char *image_copy(planner_t *p, const operand_t *from, const md_t *md, operand_t *copy);

/* What the stores of a kernel can write. */
typedef struct {
    int lanes;     /* channels of a vector; 1: the kernel writes every layout */
    int64_t group; /* channels of groups that begin with a new vector each; 0: no groups */
    bool exact;    /* the sums are integers */
} image_stores_t;
/* The result of a kernel that applies r->epilogue, with *t for what the kernel writes: dst, or a
 * tensor with channels last in the scratchpad, from which result_finish() goes on. */
const char *image_result(
        planner_t *p, result_t *r, cv_tensor_t *t, const operand_t *dst, image_stores_t stores);

#endif
