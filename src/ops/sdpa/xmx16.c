/* SPDX-License-Identifier: Apache-2.0 */
/* Attention on matrix units: what block loads can read, and work-groups that share keys and values in the
 * caches. */
#include "core/util.h"
#include "plan/block_loads.h"
#include "plan/variant_id.h"
#include "ops/sdpa/sdpa.h"

/* As the flags of the rows say. */
static const struct {
    int row, queries, size; /* of a sub-group's tile; largest size of heads and values */
} tiles[] = {
        {KERNEL_sdpa_xmx16_64, 16, 64},
        {KERNEL_sdpa_xmx16_128, 16, 128},
        {KERNEL_sdpa_xmx16_256, 8, 256},
};

enum { ELEMENT = 2 };
/* Sub-groups of a work-group. All of one walk to the last key that any of them sees. */
enum { GROUPS = 8, CAUSAL_GROUPS = 4 };

static int find(int row) {
    int i = 0;
    while (tiles[i].row != row) i++;
    return i;
}

/* Rows of so many contiguous elements, `stride` apart. The kernel begins up to 3 rows, or less than a line,
 * before the first one, and the surface with it. */
static bool is_surface(const sdpa_t *sd, int slot, int64_t rows, int64_t columns, int64_t stride,
        int64_t step, const int64_t *outer) {
    const int64_t width = columns * ELEMENT, pitch = stride * ELEMENT;
    if (step != 1 || !block_loads_take(rows, width, pitch)) return false;
    if (rows + 3 > BLOCK_LIMIT || width + BLOCK_LINE > BLOCK_LIMIT) return false;
    if (sd->pd->args[slot].md.offset0 * ELEMENT % BLOCK_WIDTH_STEP) return false;
    for (int d = 0; d < sd->p.nouter; d++)
        if (outer[d] * ELEMENT % BLOCK_WIDTH_STEP) return false;
    return true;
}

const char *sdpa_fits_xmx(const sdpa_t *sd, int row) {
    const int size = tiles[find(row)].size;
    const sd_params_t *p = &sd->p;
    const dnnl_data_type_t dt = sd->query_dt;
    if ((dt != dnnl_f16 && dt != dnnl_bf16) || sd->key_dt != dt || sd->value_dt != dt)
        return "the matrix units do not take the data types together";
    if (p->size > size || p->width > size) return "heads are larger than the tile";
    if (p->keys == 0) return "there are no keys";
    const bool good_keys = sdpa_keys_in_rows(sd) ? is_surface(sd, sd->key_slot, p->size, p->keys,
                                                           p->k_row, p->k_col, p->k_outer)
                                                 : is_surface(sd, sd->key_slot, p->keys, p->size,
                                                           p->k_col, p->k_row, p->k_outer);
    if (!is_surface(sd, sd->query_slot, p->queries, p->size, p->q_row, p->q_col, p->q_outer) ||
            !good_keys ||
            !is_surface(sd, sd->value_slot, p->keys, p->width, p->v_row, p->v_col, p->v_outer))
        return "block loads do not take the layouts";
    return NULL;
}

/* A matrix of one row has any pitch. */
static int32_t pitch_of(int64_t stride, int64_t columns) {
    return (int32_t)(stride ? stride * ELEMENT : (div_up(columns * ELEMENT, 64) + 1) * 64);
}

void sdpa_plan_xmx(const sdpa_t *given, int row, plan_t *plan, uint64_t *scratch) {
    (void)scratch;
    sdpa_t sd = *given;
    sd_params_t *p = &sd.p;
    const int queries = tiles[find(row)].queries;
    const bool in_rows = sdpa_keys_in_rows(&sd);
    if (sd.caps->is_emulated) sd.flags |= SDF_TOGETHER;
    p->q_pitch = pitch_of(p->q_row, p->size);
    p->k_pitch = in_rows ? pitch_of(p->k_row, p->keys) : pitch_of(p->k_col, p->size);
    p->v_pitch = pitch_of(p->v_row, p->width);

    const int64_t below = div_up(p->queries, queries);
    const int64_t most = min_i64(
            p->first < p->keys ? CAUSAL_GROUPS : GROUPS, max_i64(sd.caps->max_group_size / 16, 1));
    const int64_t groups = min_i64(below, most);
    const uint32_t group[3] = {(uint32_t)(16 * groups), 1, 1};
    const uint32_t count[3] = {(uint32_t)div_up(below, groups), (uint32_t)sd.matrices, 1};
    plan_step(plan, row, group, count);
    sdpa_specs(&sd, plan);
    plan_spec(plan, SPEC_SD_STEPS, (uint32_t)div_up(p->size, 32));
    plan_spec(plan, SPEC_SD_PAIRS, (uint32_t)div_up(p->width, 32));
    sdpa_bind(plan, sd.pd, sd.query_slot);
    sdpa_bind(plan, sd.pd, sd.key_slot);
    sdpa_bind(plan, sd.pd, sd.value_slot);
    sdpa_bind_rest(&sd, plan);
}
