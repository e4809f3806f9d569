/* SPDX-License-Identifier: Apache-2.0 */
/* Attention on any device: a work-item for each query, and parts of the values' columns. */
#include "core/status.h"
#include "core/util.h"
#include "ops/sdpa/sdpa.h"

static uint32_t quant_type(const sdpa_t *sd, unsigned attr, int arg) {
    const quant_t *q = sdpa_quant(sd, attr, arg);
    return q ? (uint32_t)q->dt : 0;
}

static void quant_specs(const sdpa_t *sd) {
    static const struct {
        uint32_t spec;
        unsigned attr;
        int arg;
    } specs[] = {{SPEC_SD_KEY_SCALE_DT, ATTR_SCALES, DNNL_ARG_KEYS},
            {SPEC_SD_KEY_ZERO_DT, ATTR_ZERO_POINTS, DNNL_ARG_KEYS},
            {SPEC_SD_VALUE_SCALE_DT, ATTR_SCALES, DNNL_ARG_VALUES},
            {SPEC_SD_VALUE_ZERO_DT, ATTR_ZERO_POINTS, DNNL_ARG_VALUES}};
    for (int i = 0; i < ARRAY_LEN(specs); i++)
        plan_spec(sd->planner.plan, specs[i].spec, quant_type(sd, specs[i].attr, specs[i].arg));
}

static sd_quant_t quant_of(const sdpa_t *sd, unsigned attr, int arg) {
    sdpa_places_t places;
    sd_quant_t quant = {{1, 1}, {0}, 0, 0};
    sdpa_places(sd, attr, arg, &places);
    for (int g = 0; g < 2; g++) quant.group[g] = places.group[g];
    for (int d = 0; d < sd->p.nouter; d++) quant.outer[d] = places.stride[d];
    quant.row = places.stride[sd->p.nouter];
    quant.col = places.stride[sd->p.nouter + 1];
    return quant;
}

const char *sdpa_plan_portable(planner_t *p, int variant) {
    enum { QUERIES = 16, COLUMNS = 16 }; /* of a work-group, as the kernel has them */
    sdpa_t sd = *(const sdpa_t *)p;
    REFUSE_IF(sdpa_check_size(&sd));
    const bool quantised = sdpa_quant(&sd, ATTR_SCALES, DNNL_ARG_VALUES) ||
                           sdpa_quant(&sd, ATTR_ZERO_POINTS, DNNL_ARG_VALUES);
    const int columns = quantised ? COLUMNS / 2 : COLUMNS;
    plan_step(p->plan, variant, (uint32_t[3]){QUERIES, 1, 1},
            (uint32_t[3]){(uint32_t)div_up(sd.p.queries, QUERIES),
                    (uint32_t)div_up(sd.p.width, columns), (uint32_t)sd.matrices});
    sdpa_specs(&sd);
    quant_specs(&sd);
    sdpa_bind(&sd, &sd.queries);
    sdpa_bind(&sd, &sd.keys);
    sdpa_bind(&sd, &sd.values);
    sdpa_bind_quant(&sd, DNNL_ARG_KEYS);
    sdpa_bind_quant(&sd, DNNL_ARG_VALUES);
    const sd_quants_t quants = {quant_of(&sd, ATTR_SCALES, DNNL_ARG_KEYS),
            quant_of(&sd, ATTR_ZERO_POINTS, DNNL_ARG_KEYS),
            quant_of(&sd, ATTR_SCALES, DNNL_ARG_VALUES),
            quant_of(&sd, ATTR_ZERO_POINTS, DNNL_ARG_VALUES)};
    plan_const(p->plan, &quants, sizeof(quants));
    sdpa_bind_rest(&sd);
    sdpa_bind_more(&sd);
    return NULL;
}
