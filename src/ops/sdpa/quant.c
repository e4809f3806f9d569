/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised queries, keys and values of attention. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "ops/sdpa/sdpa.h"
#include "plan/device.h"
#include "steps/elementwise.h"

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

/* ---- decoding ---- */

static const struct {
    int arg;
    uint32_t scale; /* the flag for one scale of the whole tensor */
} decodable[3] = {{DNNL_ARG_QUERIES, SDF_QUERY_SCALE}, {DNNL_ARG_KEYS, SDF_KEY_SCALE},
        {DNNL_ARG_VALUES, SDF_VALUE_SCALE}};

static operand_t *input_of(sdpa_t *sd, int i) {
    operand_t *const operands[] = {&sd->queries, &sd->keys, &sd->values};
    return operands[i];
}

static bool has_one_scale(const sdpa_t *sd, int arg) {
    const quant_t *q = sdpa_quant(sd, ATTR_SCALES, arg);
    return q && q->mask == 0 && q->dt == dnnl_f32;
}

const char *sdpa_replace(
        sdpa_t *sd, dnnl_data_type_t dt, sdpa_lay_out_t lay_out, sdpa_decoded_t decoded[3]) {
    sd->flags &= ~(uint32_t)(SDF_QUERY_SCALE | SDF_QUERY_ZERO);
    for (int i = 0; i < 3; i++) {
        const int arg = decodable[i].arg;
        operand_t *operand = input_of(sd, i);
        if (has_one_scale(sd, arg)) sd->flags |= decodable[i].scale;
        decoded[i].arg = sdpa_is_quantised(sd, arg) ? arg : 0;
        if (!decoded[i].arg) continue;
        const md_t *md = operand->md;
        if (lay_out && arg != DNNL_ARG_QUERIES) {
            REFUSE_IF(lay_out(sd, arg, dt, &decoded[i].md));
        } else if (md_init_strides(&decoded[i].md, md->ndims, md->dims, dt, NULL) != dnnl_success)
            return "the tensor is too large";
        operand->md = &decoded[i].md;
    }
    sdpa_set_strides(sd);
    return NULL;
}

const char *sdpa_decode(sdpa_t *sd, const sdpa_decoded_t decoded[3]) {
    planner_t *planner = &sd->planner;
    for (int i = 0; i < 3; i++) {
        const int arg = decoded[i].arg;
        epilogue_t epilogue;
        int done = 0;
        if (!arg) continue;
        epilogue_init(&epilogue);
        epilogue_add_zero_point(&epilogue, planner->pd, OP_SUB, arg);
        if (!has_one_scale(sd, arg)) epilogue_add_scale(&epilogue, planner->pd, OP_MUL, arg);
        const operand_t from = operand_of(planner, arg);
        *input_of(sd, i) = operand_in_scratch(planner, &decoded[i].md);
        REFUSE_IF(ew_step(planner, -1, &epilogue, &done, &from, input_of(sd, i)));
    }
    return NULL;
}
