/* SPDX-License-Identifier: Apache-2.0 */
/* Split-K on matrix units: the sub-groups of a work-group compute one tile together, each by a part
 * of k. */
#ifndef PLAN_SPLIT_K_H
#define PLAN_SPLIT_K_H

#include "core/caps.h"

/* Sub-groups that the device runs at once: kernels with matrix units use twice the registers, so
 * that half of the hardware's threads run. */
int64_t split_k_threads(const caps_t *caps);
/* Into how many parts k is divided, so that there are enough sub-groups for the device; 1: it is
 * not divided. k has `units` that cannot be divided, each of `steps` steps of 64 bytes. Parts are
 * equal, as the sub-groups walk through them together. bytes: of local memory, for each part. */
int64_t split_k_parts(
        const caps_t *caps, int64_t tiles, int64_t units, int64_t steps, int64_t bytes);

#endif
