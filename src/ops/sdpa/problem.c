/* SPDX-License-Identifier: Apache-2.0 */
/* Attention as its kernels see it. */
#include <math.h>
#include <string.h>

#include "core/direction.h"
#include "core/util.h"
#include "ops/sdpa/sdpa.h"

/* 0 where the dimension is 1: then it is read at any position. */
static int64_t stride_of(const md_t *md, int d) {
    return md->dims[d] == 1 ? 0 : md->format_desc.blocking.strides[d];
}

const quant_t *sdpa_quant(const sdpa_t *sd, unsigned attr, int arg) {
    const attr_t *a = &sd->planner.pd->attr;
    return quant_find(attr == ATTR_SCALES ? &a->scales : &a->zero_points, arg);
}

void sdpa_set_strides(sdpa_t *sd) {
    sd_params_t *p = &sd->p;
    const md_t *k = sd->keys.md, *v = sd->values.md;
    const int rows = k->ndims - 2, cols = k->ndims - 1;
    for (int d = 0; d < p->nouter; d++) {
        p->k_outer[d] = stride_of(k, d);
        p->v_outer[d] = stride_of(v, d);
    }
    p->k_row = stride_of(k, rows), p->k_col = stride_of(k, cols);
    p->v_row = stride_of(v, rows), p->v_col = stride_of(v, cols);
    const md_t *q = sd->queries.md;
    for (int d = 0; d < p->nouter; d++) p->q_outer[d] = stride_of(q, d);
    p->q_row = stride_of(q, rows), p->q_col = stride_of(q, cols);
    if (sd->folded) {
        p->q_row = p->q_outer[p->nouter - 1];
        p->q_outer[p->nouter - 1] *= sd->folded;
    }
}

static void set_strides(sdpa_t *sd) {
    sd_params_t *p = &sd->p;
    const md_t *q = sd->queries.md, *k = sd->keys.md, *o = sd->dst.md;
    const int rows = q->ndims - 2, cols = q->ndims - 1;
    p->nouter = q->ndims - 2;
    sd->matrices = 1;
    for (int d = 0; d < p->nouter; d++) {
        sd->matrices *= q->dims[d];
        p->outer[d] = (int32_t)q->dims[d];
        p->share[d] = (int32_t)(k->dims[d] ? q->dims[d] / k->dims[d] : 1);
        p->o_outer[d] = stride_of(o, d);
    }
    sdpa_set_strides(sd);
    p->o_row = stride_of(o, rows), p->o_col = stride_of(o, cols);
    const md_t *m = sd->mask.md;
    if (!m) return;
    for (int d = 0; d < p->nouter; d++) p->m_outer[d] = stride_of(m, d);
    p->m_row = stride_of(m, rows), p->m_col = stride_of(m, cols);
}

/* Heads with one query each that share their keys become queries of one head: then the keys are
 * read once. */
static void fold_heads(sdpa_t *sd) {
    sd_params_t *p = &sd->p;
    const int h = p->nouter - 1;
    if (h < 0 || p->queries != 1 || p->share[h] == 1) return;
    p->queries = p->share[h];
    p->outer[h] /= p->share[h];
    p->step = 0;
    sd->folded = p->share[h];
    p->q_row = p->q_outer[h], p->m_row = p->m_outer[h], p->o_row = p->o_outer[h];
    p->q_outer[h] *= p->share[h], p->m_outer[h] *= p->share[h], p->o_outer[h] *= p->share[h];
    sd->matrices /= p->share[h];
    p->share[h] = 1;
}

static operand_t optional(const planner_t *p, int arg) {
    return pd_find_arg(p->pd, arg) < 0 ? (operand_t){NULL, -1, 0} : operand_of(p, arg);
}

/* The scales and zero points that all kernels apply, unless a step has done it before. */
static void set_flags(sdpa_t *sd) {
    static const struct {
        uint32_t flag;
        unsigned attr;
        int arg;
    } flags[] = {{SDF_QUERY_SCALE, ATTR_SCALES, DNNL_ARG_QUERIES},
            {SDF_QUERY_ZERO, ATTR_ZERO_POINTS, DNNL_ARG_QUERIES},
            {SDF_DST_SCALE, ATTR_SCALES, DNNL_ARG_DST},
            {SDF_DST_ZERO, ATTR_ZERO_POINTS, DNNL_ARG_DST}};
    for (int i = 0; i < ARRAY_LEN(flags); i++)
        if (sdpa_quant(sd, flags[i].attr, flags[i].arg)) sd->flags |= flags[i].flag;
}

void sdpa_init(sdpa_t *sd, pd_t *pd, const caps_t *caps) {
    memset(sd, 0, sizeof(*sd)); /* parameters become constants of the plan, padding and all */
    planner_t *planner = &sd->planner;
    *planner = planner_of(pd, caps);
    sd->queries = operand_of(planner, DNNL_ARG_QUERIES);
    sd->keys = operand_of(planner, DNNL_ARG_KEYS);
    sd->values = operand_of(planner, DNNL_ARG_VALUES);
    sd->mask = optional(planner, DNNL_ARG_ATTN_MASK);
    sd->scale = optional(planner, DNNL_ARG_SCALE);
    sd->dst = operand_of(planner, DNNL_ARG_DST);
    sd->stats = optional(planner, DNNL_ARG_WORKSPACE);
    sd->cap = optional(planner, DNNL_ARG_ATTN_CAP);
    sd->fill = optional(planner, DNNL_ARG_ATTN_FILL);
    sd->drop_mask = optional(planner, DNNL_ARG_ATTR_DROPOUT_MASK);
    sd->weight_scale = optional(planner, DNNL_ARG_ATTN_WEIGHT_SCALE);
    sd->weight_zero = optional(planner, DNNL_ARG_ATTN_WEIGHT_ZERO_POINT);
    set_flags(sd);
    const md_t *q = sd->queries.md, *v = sd->values.md;
    const int nd = q->ndims;
    sd_params_t *p = &sd->p;
    p->queries = (int32_t)q->dims[nd - 2];
    p->size = (int32_t)q->dims[nd - 1];
    p->keys = (int32_t)v->dims[nd - 2];
    p->width = (int32_t)v->dims[nd - 1];
    p->first = p->keys;
    const unsigned kind = pd->params.attn_mask;
    if (kind == dnnl_ze_attn_mask_top_left) p->first = p->step = 1;
    if (kind == dnnl_ze_attn_mask_bottom_right) p->first = p->keys - p->queries + (p->step = 1);
    set_strides(sd);
    if (direction_of(pd->params.prop_kind) == DIRECTION_FORWARD) fold_heads(sd);
}

const char *sdpa_check_size(const sdpa_t *sd) {
    return sd->matrices > UINT32_MAX ? "there are too many matrices" : NULL;
}

static bool is_on_host(const sdpa_t *sd, const operand_t *operand) {
    return operand->md && sd->planner.pd->args[operand->slot].flags & PD_HOST;
}

/* 0: there is no such tensor. */
static uint32_t type_of(const operand_t *operand) {
    return operand->md ? (uint32_t)operand->md->data_type : 0;
}

static uint32_t flags_of_more(const sdpa_t *sd) {
    const pd_t *pd = sd->planner.pd;
    const unsigned kind = pd->params.attn_mask;
    return (kind >= dnnl_ze_attn_mask_select ? SDF_CHOOSE : 0) |
           (kind == dnnl_ze_attn_mask_select_inverted ? SDF_INVERT : 0) |
           (pd->attr.dropout.set ? SDF_DROPOUT : 0) | (sd->drop_mask.md ? SDF_DROP_MASK : 0) |
           (pd->attr.dropout.set && pd->attr.dropout.use_host_scalars ? SDF_DROP_HOST : 0);
}

void sdpa_specs(sdpa_t *sd) {
    plan_t *plan = sd->planner.plan;
    const bool divide = sd->planner.pd->params.invert_scale;
    plan_spec(plan, SPEC_SRC_DT, type_of(&sd->queries));
    plan_spec(plan, SPEC_SRC1_DT, type_of(&sd->keys));
    plan_spec(plan, SPEC_DST_DT, type_of(&sd->dst));
    plan_spec(plan, SPEC_FLAGS,
            sd->flags | (divide ? SDF_DIVIDE : 0) | (sd->p.first < sd->p.keys ? SDF_CAUSAL : 0) |
                    (sdpa_keys_in_rows(sd) ? SDF_ROWS : 0) | (sd->stats.md ? SDF_STATS : 0) |
                    (sd->cap.md ? SDF_CAP : 0) | flags_of_more(sd));
    plan_spec(plan, SPEC_SD_VALUE_DT, type_of(&sd->values));
    plan_spec(plan, SPEC_SD_MASK_DT, type_of(&sd->mask));
    plan_spec(plan, SPEC_SD_SCALE_DT, is_on_host(sd, &sd->scale) ? 0 : type_of(&sd->scale));
    if (sd->cap.md && !is_on_host(sd, &sd->cap)) plan_spec(plan, SPEC_SD_CAP_DT, type_of(&sd->cap));
    if (sd->weight_scale.md && !is_on_host(sd, &sd->weight_scale))
        plan_spec(plan, SPEC_SD_WEIGHT_SCALE_DT, type_of(&sd->weight_scale));
    if (sd->weight_zero.md && !is_on_host(sd, &sd->weight_zero))
        plan_spec(plan, SPEC_SD_WEIGHT_ZERO_DT, type_of(&sd->weight_zero));
    const dnnl_data_type_t weights = sd->planner.pd->params.weight_dt;
    if (weights) plan_spec(plan, SPEC_SD_WEIGHT_DT, (uint32_t)weights);
    if (sd->fill.md && !is_on_host(sd, &sd->fill))
        plan_spec(plan, SPEC_SD_FILL_DT, type_of(&sd->fill));
}

void sdpa_bind(sdpa_t *sd, const operand_t *operand) {
    bind_operand(sd->planner.plan, operand->md ? operand : NULL);
}

void sdpa_bind_factor(sdpa_t *sd, const operand_t *factor) {
    const operand_t none = {NULL, -1, 0};
    const bool host = is_on_host(sd, factor);
    sdpa_bind(sd, host ? &none : factor);
    plan_scalar_f32(sd->planner.plan, host ? factor->slot : -1);
}

void sdpa_bind_rest(sdpa_t *sd) {
    sdpa_bind(sd, &sd->mask);
    sdpa_bind_factor(sd, &sd->scale);
    sdpa_bind(sd, &sd->dst);
    plan_const(sd->planner.plan, &sd->p, sizeof(sd->p));
    sdpa_bind(sd, &sd->stats);
    sdpa_bind_factor(sd, &sd->cap);
}

/* A pointer to a value of dropout, if it is in memory. */
static void bind_dropout(sdpa_t *sd, int arg) {
    const pd_t *pd = sd->planner.pd;
    const bool host = pd->attr.dropout.use_host_scalars;
    plan_arg(sd->planner.plan, host ? -1 : pd_find_arg(pd, arg), 0);
}

static int host_slot(const sdpa_t *sd, int arg) {
    const pd_t *pd = sd->planner.pd;
    return pd->attr.dropout.set && pd->attr.dropout.use_host_scalars ? pd_find_arg(pd, arg) : -1;
}

/* The same for a number that has a value where it is missing. */
static void bind_or(sdpa_t *sd, const operand_t *factor, float missing) {
    if (factor->md) {
        sdpa_bind_factor(sd, factor);
        return;
    }
    sdpa_bind(sd, factor);
    plan_const(sd->planner.plan, &missing, sizeof missing);
}

static void bind_scales(sdpa_t *sd) {
    static const struct {
        uint32_t flag;
        int arg;
    } args[] = {{SDF_QUERY_SCALE, DNNL_ARG_ATTR_SCALES | DNNL_ARG_QUERIES},
            {SDF_QUERY_ZERO, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_QUERIES},
            {SDF_KEY_SCALE, DNNL_ARG_ATTR_SCALES | DNNL_ARG_KEYS},
            {SDF_VALUE_SCALE, DNNL_ARG_ATTR_SCALES | DNNL_ARG_VALUES},
            {SDF_DST_SCALE, DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST},
            {SDF_DST_ZERO, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST}};
    const pd_t *pd = sd->planner.pd;
    bind_or(sd, &sd->weight_scale, 1);
    bind_or(sd, &sd->weight_zero, 0);
    for (int i = 0; i < ARRAY_LEN(args); i++)
        plan_arg(sd->planner.plan, sd->flags & args[i].flag ? pd_find_arg(pd, args[i].arg) : -1, 0);
}

void sdpa_bind_more(sdpa_t *sd) {
    static const int args[] = {DNNL_ARG_ATTR_DROPOUT_PROBABILITY, DNNL_ARG_ATTR_DROPOUT_SEED,
            DNNL_ARG_ATTR_DROPOUT_OFFSET};
    plan_t *plan = sd->planner.plan;
    bind_or(sd, &sd->fill, -INFINITY);
    for (int i = 0; i < 3; i++) bind_dropout(sd, args[i]);
    plan_scalar_f32(plan, host_slot(sd, args[0]));
    for (int i = 1; i < 3; i++)
        for (int high = 0; high < 2; high++) plan_scalar_half(plan, host_slot(sd, args[i]), high);
    sdpa_bind(sd, &sd->drop_mask);
    /* gradients are of tensors that are not quantised */
    if (direction_of(sd->planner.pd->params.prop_kind) == DIRECTION_FORWARD) bind_scales(sd);
}
