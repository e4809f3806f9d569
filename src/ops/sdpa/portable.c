/* SPDX-License-Identifier: Apache-2.0 */
/* Attention on any device: a work-item for each query, and parts of the values' columns. */
#include "core/status.h"
#include "core/util.h"
#include "ops/sdpa/sdpa.h"

const char *sdpa_plan_portable(planner_t *p, int variant) {
    enum { QUERIES = 16, COLUMNS = 16 }; /* of a work-group, as the kernel has them */
    sdpa_t sd = *(const sdpa_t *)p;
    REFUSE_IF(sdpa_check_size(&sd));
    plan_step(p->plan, variant, (uint32_t[3]){QUERIES, 1, 1},
            (uint32_t[3]){(uint32_t)div_up(sd.p.queries, QUERIES),
                    (uint32_t)div_up(sd.p.width, COLUMNS), (uint32_t)sd.matrices});
    sdpa_specs(&sd);
    sdpa_bind(&sd, &sd.queries);
    sdpa_bind(&sd, &sd.keys);
    sdpa_bind(&sd, &sd.values);
    sdpa_bind_rest(&sd);
    return NULL;
}
