/* SPDX-License-Identifier: Apache-2.0 */
/* Attention on CPUs: keys and values become panels of floats first, which costs about as much as reading them
 * twice. */
#include <string.h>

#include "core/util.h"
#include "kernels/matmul/matmul_params.h"
#include "plan/variant_id.h"
#include "steps/reduction_steps.h"
#include "ops/sdpa/sdpa.h"

enum { QUERIES = 6, ROWS_PER_PACK = 64 };

const char *sdpa_fits_cpu(const sdpa_t *sd, int row) {
    (void)row;
    if (sd->p.size > SD_MAX_SIZE || sd->p.width > SD_MAX_SIZE)
        return "heads are larger than the kernel's arrays";
    if (sd->p.keys == 0 || sd->p.size == 0) return "there is nothing to multiply";
    return NULL;
}

/* A matrix for each of keys or values. */
typedef struct {
    int slot, rows, cols;
    int64_t row, col, *outer; /* elements from one to the next; outer: becomes that of the panels */
} pack_t;

/* Appends the step that packs it, and answers where in the scratchpad. */
static uint64_t pack(const sdpa_t *sd, const pack_t *x, plan_t *plan, uint64_t *scratch) {
    const int64_t panels = div_up(x->cols, 16);
    mm_pack_t p;
    memset(&p, 0, sizeof(p));
    p.rows = x->rows;
    p.cols = x->cols;
    p.rows_per_item = ROWS_PER_PACK;
    p.nv = 1;
    p.src_row = x->row;
    p.src_col = x->col;
    p.dst_row = 16;
    p.dst_panel = (int64_t)x->rows * 16;
    p.dst_batch = panels * p.dst_panel;
    int64_t matrices = 1;
    for (int d = SD_OUTER - 1; d >= 0; d--) {
        const int64_t size = d < sd->p.nouter ? sd->p.outer[d] / sd->p.share[d] : 1;
        p.dims[d] = (int32_t)size;
        if (d >= sd->p.nouter) continue;
        p.src_batch[d] = x->outer[d];
        x->outer[d] = matrices * p.dst_batch;
        matrices *= size;
    }
    const uint64_t at = scratch_take(scratch, (uint64_t)(matrices * p.dst_batch) * sizeof(float));
    const uint32_t size[3] = {1, 1, 1};
    const uint32_t count[3] = {
            (uint32_t)panels, (uint32_t)div_up(x->rows, ROWS_PER_PACK), (uint32_t)matrices};
    plan_step(plan, KERNEL_matmul_pack, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)sd->pd->args[x->slot].md.data_type);
    plan_spec(plan, SPEC_FLAGS, 0);
    sdpa_bind(plan, sd->pd, x->slot);
    plan_scratch(plan, at);
    plan_const(plan, &p, sizeof(p));
    plan_arg(plan, -1, 0);
    plan_arg(plan, -1, 0);
    plan_scalar_s32(plan, -1);
    return at;
}

void sdpa_plan_cpu(const sdpa_t *given, int row, plan_t *plan, uint64_t *scratch) {
    sdpa_t sd = *given;
    sd_params_t *p = &sd.p;
    const pack_t keys = {sd.key_slot, p->size, p->keys, p->k_row, p->k_col, p->k_outer};
    const pack_t values = {sd.value_slot, p->keys, p->width, p->v_row, p->v_col, p->v_outer};
    const uint64_t keys_at = pack(&sd, &keys, plan, scratch),
                   values_at = pack(&sd, &values, plan, scratch);
    const uint32_t size[3] = {1, 1, 1};
    const uint32_t count[3] = {(uint32_t)div_up(p->queries, QUERIES), (uint32_t)sd.matrices, 1};
    plan_step(plan, row, size, count);
    sdpa_specs(&sd, plan);
    sdpa_bind(plan, sd.pd, sd.query_slot);
    plan_scratch(plan, keys_at);
    plan_scratch(plan, values_at);
    sdpa_bind_rest(&sd, plan);
}
