/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the backward propagation of batch and group normalization that read the tensors once for
 * both sums, and once for the gradient of the source: on CPUs, and for sub-groups of 16. */
#ifndef OPS_NORM_BACKWARD_FUSED_H
#define OPS_NORM_BACKWARD_FUSED_H

#include "kernels/norm/backward_params.h"
#include "ops/norm/norm.h"

/* The kernels of a target. */
typedef struct {
    int sums, apply;
} norm_kernels_t;

typedef struct {
    backward_params_t p;
    const norm_kernels_t *kernels;
    int64_t piece; /* sub-groups: elements of a piece of a tile */
    operand_t diff, mask;
} norm_fused_t;

/* mask: diff counts where it is not zero; without descriptor: everywhere. images: statistics and
 * sums are of the channels of an image. False: the kernels cannot run. */
bool norm_fused_init(norm_fused_t *c, const norm_t *n, const operand_t *diff, const operand_t *mask,
        bool images);
/* The sums of diff * x_hat and of diff, in row-major tensors in the scratchpad. */
const char *norm_fused_sums(
        norm_fused_t *c, norm_t *n, int variant, const operand_t *slope, const operand_t *shift);
/* The last step. slope, shift: the means of diff * x_hat, divided by -root, and of diff; NULL: the
 * statistics do not depend on the source. */
void norm_fused_apply(norm_fused_t *c, norm_t *n, const operand_t *slope, const operand_t *shift);

#endif
