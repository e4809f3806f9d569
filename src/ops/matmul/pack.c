/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/matmul/pack.h"

#include <string.h>

#include "core/util.h"
#include "kernels/lib/spec.h"
#include "plan/variant_id.h"

/* Rows that a work-item packs: few enough for every thread to have four of them, at least a
 * vector's. */
enum { MOST_ROWS = 64, LEAST_ROWS = 16, ITEMS_PER_UNIT = 4 };

static int32_t rows_per_item(const matmul_t *mm, int64_t rows, const packing_t *how) {
    const int64_t wanted = (int64_t)mm->planner.caps->compute_units * ITEMS_PER_UNIT;
    int32_t each = MOST_ROWS;
    while (each > LEAST_ROWS && div_up(rows, each) * how->panels * how->nv < wanted) each /= 2;
    return each;
}

static mm_pack_t params_of(
        const matmul_t *mm, const matrix_t *x, const md_t *md, const packing_t *how) {
    const int nd = mm->ndims, first = MM_DIMS - nd, row_dim = nd - 2 + how->row_dim,
              col_dim = nd - 1 - how->row_dim;
    mm_pack_t params;
    memset(&params, 0, sizeof(params));
    params.rows = (int32_t)md->dims[row_dim];
    params.cols = (int32_t)md->dims[col_dim];
    params.rows_per_item = rows_per_item(mm, md->dims[row_dim], how);
    params.nv = how->nv;
    params.pairs = how->pairs;
    params.flip = how->flip ? 128 : 0;
    params.src_row = x->stride[row_dim];
    params.src_col = x->stride[col_dim];
    params.dst_row = how->row;
    params.dst_panel = how->panel;
    params.dst_batch = how->batch;
    params.row_dim = how->row_dim;
    for (int d = 0; d < MM_DIMS - 2; d++) {
        params.dims[d] = d < first ? 1 : (int32_t)md->dims[d - first];
        params.src_batch[d] = d < first ? 0 : x->stride[d - first];
    }
    return params;
}

/* The matrix that the step writes. */
static void set_packed(matrix_t *x, const md_t *md, const packing_t *how, uint64_t offset) {
    const int nd = md->ndims;
    int64_t batch = how->batch;
    memset(x, 0, sizeof(*x));
    x->at = (operand_t){NULL, -1, offset};
    x->dt = how->dots == 2 ? dnnl_bf16 : how->dots ? dnnl_u8 : dnnl_f32;
    for (int d = nd - 3; d >= 0; d--) {
        x->stride[d] = md->dims[d] == 1 ? 0 : batch;
        batch *= md->dims[d];
    }
    x->stride[nd - 2 + how->row_dim] = how->row;
    x->stride[nd - 1 - how->row_dim] = 1;
    x->panel = how->panel;
}

static uint64_t element_size(const packing_t *how) {
    if (how->dots) return how->pairs ? sizeof(int32_t) : sizeof(int32_t) / (unsigned)how->dots;
    return how->shorts ? sizeof(int16_t) : sizeof(float);
}

static int kernel_of(const packing_t *how) {
    if (how->dots) return how->dots == 4 ? KERNEL_matmul_pack_bytes : KERNEL_matmul_pack_bf16;
    return how->shorts ? KERNEL_matmul_pack_s16 : KERNEL_matmul_pack;
}

void matmul_pack(matmul_t *mm, matrix_t *x, int arg, const md_t *md, const packing_t *how) {
    planner_t *p = &mm->planner;
    const bool scaled = arg == DNNL_ARG_SRC ? mm->scale_src : mm->scale_wei;
    const quant_t *scale = scaled ? matmul_scale(mm, arg) : NULL;
    const quant_t *zero = matmul_sums_integers(mm) ? NULL : matmul_zero_point(mm, arg);
    const int first = MM_DIMS - mm->ndims;
    mm_pack_t params = params_of(mm, x, md, how);
    matmul_set_quant(&params.scale, scale, md, first);
    matmul_set_quant(&params.zero, zero, md, first);

    const uint64_t packed = planner_reserve(
            p, (uint64_t)matmul_batch(md) * (uint64_t)how->batch * element_size(how));
    const uint32_t size[3] = {1, 1, 1};
    /* Neighbours in a row of the source come one after the other: they share its pages. */
    const uint32_t count[3] = {(uint32_t)(how->panels * how->nv),
            (uint32_t)div_up(params.rows, params.rows_per_item), (uint32_t)matmul_batch(md)};
    plan_step(p->plan, kernel_of(how), size, count);
    plan_spec(p->plan, SPEC_SRC_DT, (uint32_t)x->dt);
    plan_spec(p->plan, SPEC_FLAGS, (scale ? MMF_SB : 0) | (zero ? MMF_ZB : 0));
    bind_operand(p->plan, &x->at);
    plan_scratch(p->plan, packed);
    plan_const(p->plan, &params, sizeof(params));
    if (how->dots) {
        set_packed(x, md, how, packed);
        return;
    }
    if (scale) bind_scale(p, arg);
    else plan_arg(p->plan, -1, 0);
    if (zero) {
        bind_zero_point(p, arg);
    } else {
        plan_arg(p->plan, -1, 0);
        plan_scalar_s32(p->plan, -1);
    }
    set_packed(x, md, how, packed);
}
