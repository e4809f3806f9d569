/* SPDX-License-Identifier: Apache-2.0 */
/* Attention on matrix units: what 2D block loads can read, and work-groups that share keys and
 * values in the caches. */
#include "core/status.h"
#include "core/util.h"
#include "ops/sdpa/sdpa.h"
#include "plan/device.h"
#include "plan/variant.h"

enum { LANES = 16 }; /* of a sub-group */
enum {
    STEP = 32
}; /* elements of a head that the kernel multiplies at a time, or of a value that it sums */
enum { ELEMENT = 2 };  /* bytes */
enum { OVERHANG = 3 }; /* rows before the first one at which the kernel's loads may begin */
/* Sub-groups of a work-group. With a causal mask all of them go on to the last key that any of
 * them sees, so there are fewer. */
enum { GROUPS = 8, CAUSAL_GROUPS = 4 };

/* A matrix in memory: rows of contiguous elements, `stride` apart. */
typedef struct {
    const operand_t *of;
    int64_t rows, columns, stride, step; /* step: from one element of a row to the next */
    const int64_t *outer;                /* from one matrix to the next */
} surface_t;

/* Can 2D block loads read it? A surface begins up to OVERHANG rows, or less than a line, before
 * the matrix. */
static bool is_loadable(const sdpa_t *sd, const surface_t *s) {
    const int64_t width = s->columns * ELEMENT, pitch = s->stride * ELEMENT;
    if (s->step != 1 || !block_loads_take(s->rows, width, pitch)) return false;
    if (s->rows + OVERHANG > BLOCK_LIMIT || width + BLOCK_LINE > BLOCK_LIMIT) return false;
    if (s->of->md->offset0 * ELEMENT % BLOCK_WIDTH_STEP) return false;
    for (int d = 0; d < sd->p.nouter; d++)
        if (s->outer[d] * ELEMENT % BLOCK_WIDTH_STEP) return false;
    return true;
}

/* The layout: rows begin at multiples of a line. The dimension with contiguous elements stays that
 * one unless block loads would not take such rows. */
static const char *lay_out(const sdpa_t *sd, int arg, dnnl_data_type_t dt, md_t *to) {
    enum { LINE_ELEMENTS = BLOCK_LINE / ELEMENT };
    const bool is_key = arg == DNNL_ARG_KEYS;
    const md_t *md = pd_md(sd->planner.pd, arg);
    const int rows = md->ndims - 2, cols = md->ndims - 1;
    const bool in_rows = !is_key || (sdpa_keys_in_rows(sd) && md->dims[cols] >= LINE_ELEMENTS &&
                                            md->dims[cols] * ELEMENT % BLOCK_WIDTH_STEP == 0);
    const int inner = in_rows ? cols : rows, outer = in_rows ? rows : cols;
    dnnl_dims_t strides;
    strides[inner] = 1;
    strides[outer] = div_up(md->dims[inner], LINE_ELEMENTS) * LINE_ELEMENTS;
    int64_t stride = strides[outer] * md->dims[outer];
    for (int d = md->ndims - 3; d >= 0; d--) {
        strides[d] = stride;
        if (!mul_ok(stride, md->dims[d], &stride)) return "the tensor is too large";
    }
    return why_not_of(
            md_init_strides(to, md->ndims, md->dims, dt, strides), "the tensor is too large");
}

/* size: of the largest head or value that the tile has room for. */
static const char *check(const sdpa_t *sd, int size) {
    const sd_params_t *p = &sd->p;
    const dnnl_data_type_t dt = sd->queries.md->data_type;
    if ((dt != dnnl_f16 && dt != dnnl_bf16) || sd->keys.md->data_type != dt ||
            sd->values.md->data_type != dt)
        return "the matrix units do not support the data types together";
    if (p->size > size || p->width > size) return "heads are larger than the tile";
    if (p->keys == 0) return "there are no keys";
    const surface_t queries = {&sd->queries, p->queries, p->size, p->q_row, p->q_col, p->q_outer};
    const surface_t keys =
            sdpa_keys_in_rows(sd)
                    ? (surface_t){&sd->keys, p->size, p->keys, p->k_row, p->k_col, p->k_outer}
                    : (surface_t){&sd->keys, p->keys, p->size, p->k_col, p->k_row, p->k_outer};
    const surface_t values = {&sd->values, p->keys, p->width, p->v_row, p->v_col, p->v_outer};
    if (!is_loadable(sd, &queries) || !is_loadable(sd, &keys) || !is_loadable(sd, &values))
        return "block loads do not support the layouts";
    return NULL;
}

/* Bytes. A matrix of one row has any pitch: one that block loads accept. */
static int32_t pitch_of(int64_t stride, int64_t columns) {
    const int64_t lines = div_up(columns * ELEMENT, BLOCK_LINE) + 1;
    return (int32_t)(stride ? stride * ELEMENT : lines * BLOCK_LINE);
}

const char *sdpa_plan_xmx16(planner_t *planner, int variant) {
    sdpa_t sd = *(const sdpa_t *)planner;
    sd_params_t *p = &sd.p;
    plan_t *plan = planner->plan;
    const variant_geometry_t *tile = &variants[variant].geometry;
    sdpa_decoded_t decoded[3];
    const dnnl_data_type_t dt = sd.queries.md->data_type;
    REFUSE_IF(sdpa_check_size(&sd));
    REFUSE_IF(
            sdpa_replace(&sd, dt == dnnl_f16 || dt == dnnl_bf16 ? dt : dnnl_f16, lay_out, decoded));
    REFUSE_IF(check(&sd, LANES * tile->nt));
    REFUSE_IF(sdpa_decode(&sd, decoded));
    if (planner->caps->is_emulated) sd.flags |= SDF_UNIFORM;
    p->q_pitch = pitch_of(p->q_row, p->size);
    p->k_pitch = sdpa_keys_in_rows(&sd) ? pitch_of(p->k_row, p->keys) : pitch_of(p->k_col, p->size);
    p->v_pitch = pitch_of(p->v_row, p->width);

    const int64_t tiles_below = div_up(p->queries, tile->mt);
    const int64_t wanted = p->first < p->keys ? CAUSAL_GROUPS : GROUPS;
    const int64_t most = min_i64(wanted, max_i64(planner->caps->max_group_size / LANES, 1));
    const int64_t groups = min_i64(tiles_below, most);
    plan_step(plan, variant, (uint32_t[3]){(uint32_t)(LANES * groups), 1, 1},
            (uint32_t[3]){(uint32_t)div_up(tiles_below, groups), (uint32_t)sd.matrices, 1});
    sdpa_specs(&sd);
    plan_spec(plan, SPEC_SD_STEPS, (uint32_t)div_up(p->size, STEP));
    plan_spec(plan, SPEC_SD_PAIRS, (uint32_t)div_up(p->width, STEP));
    sdpa_bind(&sd, &sd.queries);
    sdpa_bind(&sd, &sd.keys);
    sdpa_bind(&sd, &sd.values);
    sdpa_bind_rest(&sd);
    sdpa_bind_more(&sd);
    planner->scratch = sd.planner.scratch;
    return NULL;
}
