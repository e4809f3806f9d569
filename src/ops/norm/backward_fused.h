/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the backward propagation of batch and group normalization on CPUs. */
#ifndef OPS_NORM_BACKWARD_CPU_H
#define OPS_NORM_BACKWARD_CPU_H

#include "kernels/norm/backward_params.h"
#include "ops/norm/norm.h"

typedef struct {
    backward_params_t p;
    operand_t diff, mask;
} norm_cpu_t;

/* mask: diff counts where it is not zero; without descriptor: everywhere. images: statistics and
 * sums are of the channels of an image. False: the kernels cannot run. */
bool norm_cpu_init(
        norm_cpu_t *c, const norm_t *n, const operand_t *diff, const operand_t *mask, bool images);
/* The sums of diff * x_hat and of diff, in row-major tensors in the scratchpad. */
const char *norm_cpu_sums(
        norm_cpu_t *c, norm_t *n, int variant, const operand_t *slope, const operand_t *shift);
/* The last step. slope, shift: the means of diff * x_hat, divided by -root, and of diff; NULL: the
 * statistics do not depend on the source. */
void norm_cpu_apply(norm_cpu_t *c, norm_t *n, const operand_t *slope, const operand_t *shift);

#endif
