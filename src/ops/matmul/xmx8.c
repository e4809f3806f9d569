/* SPDX-License-Identifier: Apache-2.0 */
/* The step of a matmul on matrix units of 8 lanes, where nothing loads rectangles: inputs where they are if
 * their rows begin at multiples of 4 bytes, else copied. */
#include <string.h>

#include "core/util.h"
#include "kernels/lib/spec.h"
#include "plan/block_loads.h"
#include "plan/variant_id.h"
#include "ops/matmul/xmx.h"
#include "plan/variant.h"

/* With what the flags of the rows say: tiles of sub-groups and of the work-groups that share inputs. */
typedef struct {
    int row, rows, columns, subgroups;
    bool integers;
} tile_t;
static const tile_t tiles[] = {
        {KERNEL_matmul_xmx8_f8x32, 8, 32, 1, false},
        {KERNEL_matmul_xmx8_f128x128, 128, 128, 16, false},
        {KERNEL_matmul_xmx8_i8x32, 8, 32, 1, true},
        {KERNEL_matmul_xmx8_i128x128, 128, 128, 16, true},
};
enum { LANES = 8, WORD = 4 /* bytes: where a row may begin */, FEW_ROWS = 32 };
/* Bytes along a dimension, and a tile more, are integers of 32 bits. */
enum { MOST = INT32_MAX / 4 };

static const char *check(const matmul_t *mm, const tile_t *tile) {
    const dnnl_data_type_t src = mm->src.data_type, wei = mm->wei.data_type;
    if (tile->integers ? !xmx_is_integer(src) || !xmx_is_integer(wei)
                       : !xmx_is_half(src) || wei != src)
        return "the matrix units do not take the data types together";
    if (matmul_unknown(mm, mm->src_slot) || matmul_unknown(mm, mm->wei_slot) ||
            matmul_unknown(mm, mm->dst_slot))
        return "there are run-time dims";
    if (mm->m > MOST || mm->n > MOST || mm->k > MOST) return "a dimension is 2^29 or more";
    if (mm->m == 0 || mm->n == 0 || mm->k == 0) return "there is nothing to multiply";
    if (mm->scale_src || mm->scale_wei) return "scales change along k";
    if (quant_find(&mm->pd->attr.zero_points, DNNL_ARG_SRC) ||
            quant_find(&mm->pd->attr.zero_points, DNNL_ARG_WEIGHTS))
        return "there are zero points of inputs";
    if (mm->m > FEW_ROWS && tile->subgroups == 1 && mm->pd->request.hints.forced_variant < 0)
        return "for so many rows larger tiles are faster";
    if ((int64_t)tile->subgroups * LANES > mm->caps->max_group_size ||
            MMX8_STAGES * MMX8_STAGE(tile->rows, tile->columns) > (int)mm->caps->local_mem_size)
        return "the device's work-groups are too small";
    return NULL;
}

/* Does the kernel find the matrix where it is, the elements of whose dimension `along` lie beside one
 * another? 32 bits count the bytes from one row to another of a tile. */
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

/* Elements from one place along a dimension to the next. */
static int64_t stride_of(const md_t *md, int d) {
    return md->dims[d] == 1 ? 0 : md->format_desc.blocking.strides[d];
}

const char *matmul_plan_xmx8(matmul_t *mm, int row) {
    const tile_t *tile = tiles;
    while (tile->row != row) tile++;
    const int nd = mm->ndims, element = (int)dt_size(mm->src.data_type);
    const int64_t batch = matmul_batch(&mm->dst);
    plan_t *plan = mm->plan;
    xmx_problem_t x;
    const char *why_not = check(mm, tile);
    if (!why_not) why_not = xmx_plan_inputs(mm, LANES, is_in_rows, &x);
    if (why_not) return why_not;

    mm_xmx_t *p = &x.p;
    uint32_t flags = x.flags;
    p->a_row = stride_of(&x.a_rows, nd - 2);
    p->a_pitch = (int32_t)(p->a_row * element);
    if (flags & MMX_PACKED) {
        p->panel_steps = (int32_t)(x.b_rows.padded_dims[nd - 2] * element / BLOCK_LINE);
    } else {
        const bool columns = flags & MMX_COLUMNS;
        const int64_t next = stride_of(&x.b_rows, columns ? nd - 1 : nd - 2);
        p->b_row = columns ? 1 : next;
        p->b_col = columns ? next : 1;
        p->b_pitch = (int32_t)(next * element);
    }
    p->a_end = (int32_t)div_up(mm->k * element, BLOCK_LINE);

    const int64_t below = div_up(mm->m, tile->rows), beside = div_up(mm->n, tile->columns);
    const int64_t bytes = MMX8_STAGES * MMX8_STAGE(tile->rows, tile->columns);
    const int64_t split = tile->subgroups > 1 ? 1
                                              : xmx_split_of(mm->caps, below * beside * batch,
                                                        p->a_end, 1, bytes);
    if (split > 1) flags |= MMX_SPLIT;
    p->part = (int32_t)(p->a_end / split);
    const uint32_t size[3] = {(uint32_t)(LANES * tile->subgroups * split), 1, 1};
    const uint32_t count[3] = {(uint32_t)beside, (uint32_t)below, (uint32_t)batch};
    plan_step(plan, row, size, count);
    matmul_specs(plan, mm->src.data_type, mm->wei.data_type, &x.r, flags);
    matmul_bind(plan, &x.a);
    matmul_bind(plan, &x.b);
    matmul_bind(plan, &x.r.c);
    plan_const(plan, p, sizeof(*p));
    plan_local(plan, (uint32_t)(bytes * split));
    epilogue_args(&x.r.seg, mm->pd, mm->mds, plan);
    return matmul_finish_result(mm, &x.r);
}
