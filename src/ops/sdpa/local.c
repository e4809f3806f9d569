/* SPDX-License-Identifier: Apache-2.0 */
/* Attention on GPUs with work-groups and local memory: a tile of queries for each work-group. */
#include "core/status.h"
#include "core/util.h"
#include "ops/sdpa/sdpa.h"
#include "plan/variant.h"
#include "steps/local_tile.h"

/* Work-groups in the second dimension that every device takes. */
enum { MOST_MATRICES = 65535 };

const char *sdpa_check_local(const sdpa_t *sd) {
    if (sd->matrices > MOST_MATRICES) return "there are too many matrices";
    return sd->planner.caps->max_group_size < local_tile_group[0]
                   ? "the device has small work-groups"
                   : NULL;
}

const char *sdpa_plan_local(planner_t *p, int variant) {
    sdpa_t sd = *(const sdpa_t *)p;
    const int64_t width = local_tile_columns(variant) * variants[variant].geometry.nt;
    sdpa_decoded_t decoded[3];
    if (sd.p.width > width) return "values are larger than the tile";
    if (sd.p.keys == 0) return "there are no keys";
    REFUSE_IF(sdpa_check_local(&sd));
    REFUSE_IF(sdpa_replace(&sd, dnnl_f32, NULL, decoded));
    REFUSE_IF(sdpa_decode(&sd, decoded));
    plan_step(p->plan, variant, local_tile_group,
            (uint32_t[3]){(uint32_t)div_up(sd.p.queries, local_tile_rows(variant)),
                    (uint32_t)sd.matrices, 1});
    sdpa_specs(&sd);
    sdpa_bind(&sd, &sd.queries);
    sdpa_bind(&sd, &sd.keys);
    sdpa_bind(&sd, &sd.values);
    sdpa_bind_rest(&sd);
    sdpa_bind_more(&sd);
    p->scratch = sd.planner.scratch;
    return NULL;
}
