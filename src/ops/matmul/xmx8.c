/* SPDX-License-Identifier: Apache-2.0 */
/* The variants for matrix units of 8 lanes, on devices without 2D block loads: inputs are read
 * where they are if their rows begin at multiples of 4 bytes, else copied. */
#include "core/status.h"
#include "core/util.h"
#include "kernels/lib/spec.h"
#include "ops/matmul/planners.h"
#include "ops/matmul/result.h"
#include "ops/matmul/xmx.h"
#include "plan/device.h"
#include "plan/variant.h"

enum { LANES = 8, WORD = 4 /* bytes: rows begin at multiples of it */ };
/* Rows of the source from which on large tiles, whose sub-groups share inputs, are faster. */
enum { FEW_ROWS = 32 };
/* The largest dimension: its bytes, and those of a tile more, are 32-bit integers. */
enum { MOST = INT32_MAX / 4 };

/* The tile of a work-group, whose sub-groups share inputs. */
typedef struct {
    int rows, columns, subgroups;
    xmx_factors_t factors;
} tile_t;

static tile_t tile_of(int variant) {
    const variant_geometry_t *g = &variants[variant].geometry;
    return (tile_t){.rows = g->mt * g->sgm,
            .columns = MMX8_COLUMNS * g->sgn,
            .subgroups = g->sgm * g->sgn,
            .factors = g->ints ? FACTORS_8 : FACTORS_16};
}

static int64_t local_bytes(const tile_t *tile) {
    return MMX8_STAGES * MMX8_STAGE(tile->rows, tile->columns);
}

static const char *check_device(const matmul_t *mm, const tile_t *tile) {
    const caps_t *caps = mm->planner.caps;
    if ((int64_t)tile->subgroups * LANES > caps->max_group_size ||
            local_bytes(tile) > (int)caps->local_mem_size)
        return "the device's work-groups are too small";
    return NULL;
}

static const char *check(const matmul_t *mm, const tile_t *tile) {
    const planner_t *p = &mm->planner;
    REFUSE_IF(xmx_check_types(p->pd, p->caps, mm->src.md, mm->wei.md, tile->factors));
    if (xmx_is_decoded(mm->src.md, mm->wei.md))
        return "the matrix units do not support the data types together";
    if (matmul_has_unknown(mm)) return "there are run-time dims";
    if (mm->m > MOST || mm->n > MOST || mm->k > MOST) return "a dimension is 2^29 or more";
    if (mm->m == 0 || mm->n == 0 || mm->k == 0) return "there is nothing to multiply";
    if (mm->scale_src || mm->scale_wei) return "scales change along k";
    if (matmul_has_zero_points(mm)) return "there are zero points of inputs";
    if (mm->m > FEW_ROWS && tile->subgroups == 1 && p->pd->request.hints.forced_variant < 0)
        return "for so many rows larger tiles are faster";
    return check_device(mm, tile);
}

/* Can the kernel read the matrix where it is, whose elements along dimension `along` lie beside
 * one another? It counts the bytes from one row of a tile to another with 32 bits. */
static bool is_in_rows(const md_t *md, int along) {
    const int nd = md->ndims, across = 2 * nd - 3 - along, element = (int)dt_size(md->data_type);
    const int64_t *stride = md->format_desc.blocking.strides;
    if (!md_is_plain(md) || (stride[along] != 1 && md->dims[along] != 1)) return false;
    if (md->dims[across] > 1 &&
            (stride[across] * element % WORD || stride[across] * element > BLOCK_LIMIT))
        return false;
    if (md->offset0 * element % WORD) return false;
    for (int d = 0; d < nd - 2; d++)
        if (md->dims[d] > 1 && stride[d] * element % WORD) return false;
    return true;
}

static void set_places(const matmul_t *mm, xmx_problem_t *x) {
    const int nd = mm->ndims, element = (int)dt_size(mm->src.md->data_type);
    const md_t *b = x->b.at.md;
    mm_xmx_t *params = &x->params;
    params->a_row = matmul_stride(x->a.at.md, nd - 2);
    params->a_pitch = (int32_t)(params->a_row * element);
    params->a_end = (int32_t)div_up(mm->k * element, BLOCK_LINE);
    if (x->flags & MMX_PACKED) {
        params->panel_steps = (int32_t)(b->padded_dims[nd - 2] * element / BLOCK_LINE);
        return;
    }
    const bool columns = x->flags & MMX_COLUMNS;
    const int64_t next = matmul_stride(b, columns ? nd - 1 : nd - 2);
    params->b_row = columns ? 1 : next;
    params->b_col = columns ? next : 1;
    params->b_pitch = (int32_t)(next * element);
}

const char *matmul_plan_xmx8(planner_t *p, int variant) {
    matmul_t *mm = (matmul_t *)p;
    const tile_t tile = tile_of(variant);
    xmx_problem_t x;
    REFUSE_IF(check(mm, &tile));
    REFUSE_IF(xmx_plan_inputs(mm, LANES, is_in_rows, &x));
    set_places(mm, &x);

    const int64_t below = div_up(mm->m, tile.rows), beside = div_up(mm->n, tile.columns),
                  batch = matmul_batch(mm->dst.md), bytes = local_bytes(&tile);
    int64_t split = 1;
    if (tile.subgroups == 1)
        split = split_k_parts(p->caps, below * beside * batch, x.params.a_end, 1, bytes);
    x.params.part = (int32_t)(x.params.a_end / split);
    const uint32_t size[3] = {(uint32_t)(LANES * tile.subgroups * split), 1, 1};
    const uint32_t count[3] = {(uint32_t)beside, (uint32_t)below, (uint32_t)batch};
    plan_step(p->plan, variant, size, count);
    result_specs(p->plan, &x.r, mm->src.md->data_type, mm->wei.md->data_type,
            x.flags | (split > 1 ? MMX_SPLIT : 0));
    bind_operand(p->plan, &x.a.at);
    bind_operand(p->plan, &x.b.at);
    bind_operand(p->plan, &x.r.to);
    plan_const(p->plan, &x.params, sizeof(x.params));
    plan_local(p->plan, (uint32_t)(bytes * split));
    epilogue_args(&x.r.seg, p->pd, p->mds, p->plan);
    return matmul_finish(mm, &x.r);
}
