/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of attention. */
#include <string.h>

#include "core/util.h"
#include "plan/attributes.h"
#include "plan/variant_id.h"
#include "ops/sdpa/sdpa.h"
#include "plan/variant.h"

/* 0 where the dimension is 1: then it is read at any position. */
static int64_t stride_of(const md_t *md, int d) {
    return md->dims[d] == 1 ? 0 : md->format_desc.blocking.strides[d];
}

static const md_t *md_at(const sdpa_t *sd, int slot) {
    return &sd->pd->args[slot].md;
}

static void set_strides(sdpa_t *sd) {
    sd_params_t *p = &sd->p;
    const md_t *q = md_at(sd, sd->query_slot), *k = md_at(sd, sd->key_slot),
               *v = md_at(sd, sd->value_slot), *o = md_at(sd, sd->dst_slot);
    const int rows = q->ndims - 2, cols = q->ndims - 1;
    p->nouter = q->ndims - 2;
    sd->matrices = 1;
    for (int d = 0; d < p->nouter; d++) {
        sd->matrices *= q->dims[d];
        p->outer[d] = (int32_t)q->dims[d];
        p->share[d] = (int32_t)(k->dims[d] ? q->dims[d] / k->dims[d] : 1);
        p->q_outer[d] = stride_of(q, d);
        p->k_outer[d] = stride_of(k, d);
        p->v_outer[d] = stride_of(v, d);
        p->o_outer[d] = stride_of(o, d);
    }
    p->q_row = stride_of(q, rows), p->q_col = stride_of(q, cols);
    p->k_row = stride_of(k, rows), p->k_col = stride_of(k, cols);
    p->v_row = stride_of(v, rows), p->v_col = stride_of(v, cols);
    p->o_row = stride_of(o, rows), p->o_col = stride_of(o, cols);
    if (sd->mask_slot < 0) return;
    const md_t *m = md_at(sd, sd->mask_slot);
    for (int d = 0; d < p->nouter; d++) p->m_outer[d] = stride_of(m, d);
    p->m_row = stride_of(m, rows), p->m_col = stride_of(m, cols);
}

/* Heads with one query each are queries of one head where they share their keys: then these are read once. */
static void fold_heads(sdpa_t *sd) {
    sd_params_t *p = &sd->p;
    const int h = p->nouter - 1;
    if (h < 0 || p->queries != 1 || p->share[h] == 1) return;
    p->queries = p->share[h];
    p->outer[h] /= p->share[h];
    p->step = 0;
    p->q_row = p->q_outer[h], p->m_row = p->m_outer[h], p->o_row = p->o_outer[h];
    p->q_outer[h] *= p->share[h], p->m_outer[h] *= p->share[h], p->o_outer[h] *= p->share[h];
    sd->matrices /= p->share[h];
    p->share[h] = 1;
}

void sdpa_init(sdpa_t *sd, const pd_t *pd, const caps_t *caps) {
    memset(sd, 0, sizeof(*sd)); /* parameters become constants of the plan, padding and all */
    sd->pd = pd;
    sd->caps = caps;
    sd->query_slot = pd_find_arg(pd, DNNL_ARG_QUERIES);
    sd->key_slot = pd_find_arg(pd, DNNL_ARG_KEYS);
    sd->value_slot = pd_find_arg(pd, DNNL_ARG_VALUES);
    sd->mask_slot = pd_find_arg(pd, DNNL_ARG_ATTN_MASK);
    sd->scale_slot = pd_find_arg(pd, DNNL_ARG_SCALE);
    sd->dst_slot = pd_find_arg(pd, DNNL_ARG_DST);
    const md_t *q = md_at(sd, sd->query_slot), *v = md_at(sd, sd->value_slot);
    sd->query_dt = q->data_type;
    sd->key_dt = md_at(sd, sd->key_slot)->data_type;
    sd->value_dt = v->data_type;
    sd->dst_dt = md_at(sd, sd->dst_slot)->data_type;
    const int nd = q->ndims;
    sd_params_t *p = &sd->p;
    p->queries = (int32_t)q->dims[nd - 2];
    p->size = (int32_t)q->dims[nd - 1];
    p->keys = (int32_t)v->dims[nd - 2];
    p->width = (int32_t)v->dims[nd - 1];
    p->first = p->keys;
    const unsigned kind = pd->params.flags;
    if (kind == dnnl_ze_attn_mask_top_left) p->first = p->step = 1;
    if (kind == dnnl_ze_attn_mask_bottom_right) p->first = p->keys - p->queries + (p->step = 1);
    set_strides(sd);
    fold_heads(sd);
}

void sdpa_specs(const sdpa_t *sd, plan_t *plan) {
    const bool in_memory = sd->scale_slot >= 0 && !(sd->pd->args[sd->scale_slot].flags & PD_HOST);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)sd->query_dt);
    plan_spec(plan, SPEC_SRC1_DT, (uint32_t)sd->key_dt);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)sd->dst_dt);
    plan_spec(plan, SPEC_FLAGS,
            sd->flags | (sd->pd->params.direction ? SDF_DIVIDE : 0) |
                    (sd->p.first < sd->p.keys ? SDF_CAUSAL : 0) |
                    (sdpa_keys_in_rows(sd) ? SDF_ROWS : 0));
    plan_spec(plan, SPEC_SD_VALUE_DT, (uint32_t)sd->value_dt);
    plan_spec(plan, SPEC_SD_MASK_DT,
            sd->mask_slot < 0 ? 0 : (uint32_t)md_at(sd, sd->mask_slot)->data_type);
    plan_spec(
            plan, SPEC_SD_SCALE_DT, in_memory ? (uint32_t)md_at(sd, sd->scale_slot)->data_type : 0);
}

void sdpa_bind(plan_t *plan, const pd_t *pd, int slot) {
    const md_t *md = slot < 0 ? NULL : &pd->args[slot].md;
    plan_arg(plan, slot, md ? dt_offset(md->data_type, md->offset0) : 0);
}

void sdpa_bind_rest(const sdpa_t *sd, plan_t *plan) {
    const bool host = sd->scale_slot >= 0 && sd->pd->args[sd->scale_slot].flags & PD_HOST;
    sdpa_bind(plan, sd->pd, sd->mask_slot);
    sdpa_bind(plan, sd->pd, host ? -1 : sd->scale_slot);
    plan_scalar_f32(plan, host ? sd->scale_slot : -1);
    sdpa_bind(plan, sd->pd, sd->dst_slot);
    plan_const(plan, &sd->p, sizeof(sd->p));
}

/* ---- the portable kernel ---- */

static const char *fits_any(const sdpa_t *sd, int row) {
    (void)sd, (void)row;
    return NULL;
}

static void plan_any(const sdpa_t *sd, int row, plan_t *plan, uint64_t *scratch) {
    enum { ROWS = 16, COLUMNS = 16 };
    (void)scratch;
    const uint32_t size[3] = {ROWS, 1, 1};
    const uint32_t count[3] = {(uint32_t)div_up(sd->p.queries, ROWS),
            (uint32_t)div_up(sd->p.width, COLUMNS), (uint32_t)sd->matrices};
    plan_step(plan, row, size, count);
    sdpa_specs(sd, plan);
    sdpa_bind(plan, sd->pd, sd->query_slot);
    sdpa_bind(plan, sd->pd, sd->key_slot);
    sdpa_bind(plan, sd->pd, sd->value_slot);
    sdpa_bind_rest(sd, plan);
}

/* ---- all of them ---- */

static const struct {
    int row;
    const char *(*fits)(const sdpa_t *sd, int row);
    void (*plan)(const sdpa_t *sd, int row, plan_t *plan, uint64_t *scratch);
} kernels[] = {
        {KERNEL_sdpa_xmx16_64, sdpa_fits_xmx, sdpa_plan_xmx},
        {KERNEL_sdpa_xmx16_128, sdpa_fits_xmx, sdpa_plan_xmx},
        {KERNEL_sdpa_xmx16_256, sdpa_fits_xmx, sdpa_plan_xmx},
        {KERNEL_sdpa_cpu, sdpa_fits_cpu, sdpa_plan_cpu},
        {KERNEL_sdpa_portable, fits_any, plan_any},
};

static int find(int row) {
    int i = 0;
    while (kernels[i].row != row) i++;
    return i;
}

const char *sdpa_fits(const sdpa_t *sd, int row) {
    if (sd->matrices > UINT32_MAX) return "there are too many matrices";
    return kernels[find(row)].fits(sd, row);
}

void sdpa_plan(const sdpa_t *sd, int row, plan_t *plan, uint64_t *scratch) {
    kernels[find(row)].plan(sd, row, plan, scratch);
}
