/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that write constants of the plan to the scratchpad. */
#ifndef STEPS_VALUES_H
#define STEPS_VALUES_H

#include "plan/planner.h"

/* Converts `count` values to a type and writes them `offset` bytes behind the start of the
 * scratchpad. */
void write_values(
        planner_t *p, const float *values, int64_t count, dnnl_data_type_t dt, uint64_t offset);
/* The same with one value, `count` times. */
void write_value(planner_t *p, float value, int64_t count, dnnl_data_type_t dt, uint64_t offset);

#endif
