/* SPDX-License-Identifier: Apache-2.0 */
/* Attention on CPUs: keys and values become panels of floats first, which costs about as much as
 * reading them twice. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "kernels/matmul/matmul_params.h"
#include "ops/sdpa/sdpa.h"
#include "plan/variant.h"
#include "plan/variant_id.h"

enum { PACK_ROWS = 64 }; /* rows of a panel that a work-item packs */

static mm_quant_t quant_of(const sdpa_t *sd, unsigned attr, int arg) {
    const quant_t *q = sdpa_quant(sd, attr, arg);
    sdpa_places_t places;
    mm_quant_t quant;
    memset(&quant, 0, sizeof(quant));
    if (!arg) return quant;
    sdpa_places(sd, attr, arg, &places);
    quant.dt = q ? (int32_t)q->dt : 0;
    for (int g = 0; g < 2; g++) {
        quant.group[g] = places.group[g];
        quant.stride[MM_DIMS - 2 + g] = places.stride[sd->p.nouter + g];
    }
    for (int d = 0; d < sd->p.nouter; d++) quant.stride[d] = places.stride[d];
    return quant;
}

const char *sdpa_pack(sdpa_t *sd, const sdpa_pack_t *x, operand_t *panels, md_t *md) {
    planner_t *planner = &sd->planner;
    plan_t *plan = planner->plan;
    const int64_t npanels = div_up(x->cols, SDPA_PANEL);
    mm_pack_t p;
    memset(&p, 0, sizeof(p));
    p.rows = x->rows;
    p.cols = x->cols;
    p.rows_per_item = PACK_ROWS;
    p.nv = 1;
    p.src_row = x->row;
    p.src_col = x->col;
    p.dst_row = SDPA_PANEL;
    p.dst_panel = (int64_t)x->rows * SDPA_PANEL;
    p.dst_batch = npanels * p.dst_panel;
    p.scale = quant_of(sd, ATTR_SCALES, x->arg);
    p.zero = quant_of(sd, ATTR_ZERO_POINTS, x->arg);
    int64_t matrices = 1;
    for (int d = SD_OUTER - 1; d >= 0; d--) {
        const int64_t size =
                d < sd->p.nouter ? sd->p.outer[d] / (x->is_shared ? sd->p.share[d] : 1) : 1;
        p.dims[d] = (int32_t)size;
        if (d >= sd->p.nouter) continue;
        p.src_batch[d] = x->outer[d];
        x->outer[d] = matrices * p.dst_batch;
        matrices *= size;
    }
    REFUSE_IF(operand_array(planner, panels, md, matrices * p.dst_batch, dnnl_f32));
    plan_step(plan, KERNEL_matmul_pack, (uint32_t[3]){1, 1, 1},
            (uint32_t[3]){
                    (uint32_t)npanels, (uint32_t)div_up(x->rows, PACK_ROWS), (uint32_t)matrices});
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)x->from->md->data_type);
    plan_spec(plan, SPEC_FLAGS, (p.scale.dt ? MMF_SB : 0) | (p.zero.dt ? MMF_ZB : 0));
    sdpa_bind(sd, x->from);
    bind_operand(plan, panels);
    plan_const(plan, &p, sizeof(p));
    sdpa_bind_quant(sd, x->arg);
    plan_scalar_s32(plan, -1); /* no zero point on the host */
    return NULL;
}

const char *sdpa_plan_cpu(planner_t *planner, int variant) {
    sdpa_t sd = *(const sdpa_t *)planner;
    sd_params_t *p = &sd.p;
    REFUSE_IF(sdpa_check_size(&sd));
    if (p->size > SD_MAX_SIZE || p->width > SD_MAX_SIZE)
        return "heads are larger than the kernel's arrays";
    if (p->keys == 0 || p->size == 0) return "there is nothing to multiply";
    const sdpa_pack_t keys = {
            DNNL_ARG_KEYS, &sd.keys, p->size, p->keys, p->k_row, p->k_col, p->k_outer, true};
    const sdpa_pack_t values = {
            DNNL_ARG_VALUES, &sd.values, p->keys, p->width, p->v_row, p->v_col, p->v_outer, true};
    operand_t key_panels, value_panels;
    md_t keys_md, values_md;
    REFUSE_IF(sdpa_pack(&sd, &keys, &key_panels, &keys_md));
    REFUSE_IF(sdpa_pack(&sd, &values, &value_panels, &values_md));
    plan_step(planner->plan, variant, (uint32_t[3]){1, 1, 1},
            (uint32_t[3]){(uint32_t)div_up(p->queries, variants[variant].geometry.mr),
                    (uint32_t)sd.matrices, 1});
    sd.keys = key_panels; /* the kernel's code does not depend on what they were packed from */
    sd.values = value_panels;
    sdpa_specs(&sd);
    sdpa_bind(&sd, &sd.queries);
    sdpa_bind(&sd, &sd.keys);
    sdpa_bind(&sd, &sd.values);
    sdpa_bind_rest(&sd);
    sdpa_bind_more(&sd);
    planner->scratch = sd.planner.scratch;
    return NULL;
}
