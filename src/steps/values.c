/* SPDX-License-Identifier: Apache-2.0 */
#include "steps/values.h"

#include <string.h>

#include "core/util.h"
#include "kernels/data/values_params.h"
#include "kernels/lib/spec.h"
#include "plan/variant_id.h"

static void write_part(planner_t *p, const values_t *values, dnnl_data_type_t dt, uint64_t offset) {
    enum { GROUP = 16 };
    plan_step(p->plan, KERNEL_write_values, (uint32_t[3]){GROUP, 1, 1},
            (uint32_t[3]){(uint32_t)div_up(values->total, GROUP), 1, 1});
    plan_spec(p->plan, SPEC_DST_DT, (uint32_t)dt);
    plan_scratch(p->plan, offset);
    plan_const(p->plan, values, sizeof(*values));
}

void write_values(
        planner_t *p, const float *values, int64_t count, dnnl_data_type_t dt, uint64_t offset) {
    for (int64_t first = 0; first < count; first += VALUES_MAX) {
        values_t part;
        memset(&part, 0, sizeof(part));
        part.count = (int32_t)min_i64(count - first, VALUES_MAX);
        part.total = part.count;
        memcpy(part.value, values + first, (size_t)part.count * sizeof(float));
        write_part(p, &part, dt, offset + dt_offset(dt, first));
    }
}

void write_value(planner_t *p, float value, int64_t count, dnnl_data_type_t dt, uint64_t offset) {
    values_t all;
    memset(&all, 0, sizeof(all));
    all.count = 1;
    all.total = count;
    all.value[0] = value;
    write_part(p, &all, dt, offset);
}
