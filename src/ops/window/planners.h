/* SPDX-License-Identifier: Apache-2.0 */
/* The planners that the variants of pooling, resampling and LRN have in kernels/variants.def. */
#ifndef OPS_WINDOW_PLANNERS_H
#define OPS_WINDOW_PLANNERS_H

#include "plan/planner.h"

const char *pool_plan_portable(planner_t *p, int variant);
const char *pool_plan_cpu_channels(planner_t *p, int variant);
const char *pool_plan_cpu_rows(planner_t *p, int variant);
const char *pool_plan_sg16_channels(planner_t *p, int variant);
const char *pool_plan_sg16_rows(planner_t *p, int variant);
const char *pool_plan_strip(planner_t *p, int variant);

const char *pool_plan_backward(planner_t *p, int variant);
const char *pool_plan_backward_channels(planner_t *p, int variant);
const char *pool_plan_backward_rows(planner_t *p, int variant);

const char *resample_plan_portable(planner_t *p, int variant);
const char *resample_plan_group(planner_t *p, int variant);
const char *resample_plan_cpu_channels(planner_t *p, int variant);
const char *resample_plan_cpu_rows(planner_t *p, int variant);
const char *resample_plan_backward(planner_t *p, int variant);
const char *resample_plan_backward_channels(planner_t *p, int variant);
const char *resample_plan_backward_rows(planner_t *p, int variant);

const char *lrn_plan_portable(planner_t *p, int variant);
const char *lrn_plan_cpu(planner_t *p, int variant);
const char *lrn_plan_backward(planner_t *p, int variant);
const char *lrn_plan_backward_cpu(planner_t *p, int variant);

#endif
