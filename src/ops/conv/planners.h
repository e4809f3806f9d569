/* SPDX-License-Identifier: Apache-2.0 */
/* The planners of convolution and deconvolution, one for each kind of variant. */
#ifndef OPS_CONV_PLANNERS_H
#define OPS_CONV_PLANNERS_H

#include "ops/conv/problem.h"

const char *conv_plan_portable(planner_t *p, int variant);
const char *conv_plan_cpu_tile(planner_t *p, int variant);
const char *conv_plan_cpu_dots(planner_t *p, int variant);
const char *conv_plan_cpu_fold(planner_t *p, int variant);
const char *conv_plan_cpu_depthwise(planner_t *p, int variant);
const char *conv_plan_sg16(planner_t *p, int variant);
const char *conv_plan_local(planner_t *p, int variant);
const char *conv_plan_xmx16(planner_t *p, int variant);
const char *conv_plan_xmx8(planner_t *p, int variant);
const char *conv_plan_diff_weights(planner_t *p, int variant);
const char *conv_plan_diff_tile(planner_t *p, int variant);

/* The tag of the weights that a target's variants read in place; NULL: they cannot run the
 * problem. */
const char *conv_cpu_depthwise_weights(const conv_t *cv);
const char *conv_cpu_tile_weights(const conv_t *cv);
const char *conv_sg16_weights(const conv_t *cv);
const char *conv_local_weights(const conv_t *cv);
const char *conv_xmx_weights(const conv_t *cv);

#endif
