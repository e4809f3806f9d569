/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised keys and values of attention. */
#include <string.h>

#include "ops/sdpa/sdpa.h"

const quant_t *sdpa_quant(const sdpa_t *sd, unsigned attr, int arg) {
    const attr_t *a = &sd->planner.pd->attr;
    return quant_find(attr == ATTR_SCALES ? &a->scales : &a->zero_points, arg);
}

bool sdpa_is_quantised(const sdpa_t *sd, int arg) {
    const dnnl_data_type_t dt = pd_md(sd->planner.pd, arg)->data_type;
    const bool is_float = dt == dnnl_f32 || dt == dnnl_f16 || dt == dnnl_bf16;
    return !is_float || sdpa_quant(sd, ATTR_SCALES, arg) || sdpa_quant(sd, ATTR_ZERO_POINTS, arg);
}

/* Values lie one after the other, the last dimension of the mask the fastest. */
void sdpa_places(const sdpa_t *sd, unsigned attr, int arg, sdpa_places_t *places) {
    const quant_t *q = sdpa_quant(sd, attr, arg);
    const md_t *md = pd_md(sd->planner.pd, arg);
    memset(places, 0, sizeof(*places));
    places->group[0] = places->group[1] = 1;
    int64_t stride = 1;
    for (int d = md->ndims - 1; q && d >= 0; d--) {
        const int g = d - (md->ndims - 2);
        if (!(q->mask >> d & 1)) continue;
        const int64_t group = g >= 0 && q->group_ndims ? q->group_dims[g] : 1;
        if (g >= 0) places->group[g] = (int32_t)group;
        places->stride[d] = md->dims[d] == 1 ? 0 : (int32_t)stride;
        stride *= md->dims[d] / group;
    }
}

void sdpa_bind_quant(sdpa_t *sd, int arg) {
    const pd_t *pd = sd->planner.pd;
    plan_arg(sd->planner.plan, pd_find_arg(pd, DNNL_ARG_ATTR_SCALES | arg), 0);
    plan_arg(sd->planner.plan, pd_find_arg(pd, DNNL_ARG_ATTR_ZERO_POINTS | arg), 0);
}
