/* SPDX-License-Identifier: Apache-2.0 */
/* What the primitives of this folder share: the choice of a planner, and the matmuls of sparse
 * tensors. */
#ifndef OPS_MATMUL_H
#define OPS_MATMUL_H

#include "ops/matmul/problem.h"

/* Plans a product with a variant of family "matmul", behind the steps that are there:
 * mm->planner has them. */
const char *matmul_plan(matmul_t *mm, int variant);
/* Chooses the variant and plans, with `plan`, which ends in matmul_plan(); then the name and the
 * scratchpad. */
dnnl_status_t matmul_choose(matmul_t *mm, pd_t *pd, plan_fn plan);

/* All of init() for a matmul that has a sparse tensor. */
dnnl_status_t matmul_sparse_init(pd_t *pd, const caps_t *caps);
/* The same for one whose source is a list of groups. */
dnnl_status_t matmul_grouped_init(pd_t *pd, const caps_t *caps);

#endif
