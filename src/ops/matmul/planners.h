/* SPDX-License-Identifier: Apache-2.0 */
/* The planners of family "matmul", of the type plan_fn of plan/planner.h, named in
 * kernels/variants.def. The planner that they get is the first member of a matmul_t. */
#ifndef OPS_MATMUL_PLANNERS_H
#define OPS_MATMUL_PLANNERS_H

#include "plan/planner.h"

const char *matmul_plan_portable(planner_t *p, int variant);
/* CPU: register tiles, which read weights in panels, as pairs of 16-bit integers, as words of
 * bytes or bf16, or by rows;
 * dot products with columns of weights; and wide panels of weights where they are. */
const char *matmul_plan_panels(planner_t *p, int variant);
const char *matmul_plan_pairs(planner_t *p, int variant);
const char *matmul_plan_dots(planner_t *p, int variant);
const char *matmul_plan_rows(planner_t *p, int variant);
const char *matmul_plan_dot(planner_t *p, int variant);
const char *matmul_plan_wide(planner_t *p, int variant);
const char *matmul_plan_sg16(planner_t *p, int variant);
/* GPUs with local memory. */
const char *matmul_plan_local(planner_t *p, int variant);
const char *matmul_plan_xmx16(planner_t *p, int variant);
const char *matmul_plan_xmx8(planner_t *p, int variant);

/* Families "matmul_sparse" and "matmul_grouped". */
const char *matmul_plan_sparse(planner_t *p, int variant);
const char *matmul_plan_grouped(planner_t *p, int variant);

#endif
