/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs for matrix units: where they are if the kernel can read them there, else copied. */
#include "ops/matmul/xmx.h"

#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "ops/matmul/result.h"
#include "plan/device.h"

/* Copying weights takes as long as reading them for so many rows of the source. */
enum { ROWS_WORTH_A_COPY = 64 };
/* The largest copy, in bytes: memory has room for it beside its tensor. */
static const size_t MOST_COPIED = (size_t)1 << 34;

/* ---- types ---- */

bool xmx_is_decoded(const md_t *src, const md_t *wei) {
    return xmx_is_half(src->data_type) &&
           (xmx_is_integer(wei->data_type) || dt_is_nibble(wei->data_type)) &&
           wei->data_type != dnnl_f4_e2m1;
}

static bool are_types_good(const md_t *src, const md_t *wei, xmx_factors_t factors) {
    const bool same = src->data_type == wei->data_type;
    switch (factors) {
    case FACTORS_TF32: return src->data_type == dnnl_f32 && same;
    case FACTORS_8: return xmx_is_integer(src->data_type) && xmx_is_integer(wei->data_type);
    default: return xmx_is_half(src->data_type) && (same || xmx_is_decoded(src, wei));
    }
}

const char *xmx_check_types(const pd_t *pd, const caps_t *caps, const md_t *src, const md_t *wei,
        xmx_factors_t factors) {
    if (!are_types_good(src, wei, factors))
        return "the matrix units do not support the data types together";
    if (factors != FACTORS_TF32) return NULL;
    /* tf32 holds every bf16 and f16: any math mode but the strict one allows it. */
    if (pd->attr.fpmath_mode == dnnl_fpmath_mode_strict) return "the math mode of f32 is strict";
    return caps->has_tf32 ? NULL : "the matrix units have no tf32";
}

/* ---- layouts of weights ---- */

static bool has_units(const caps_t *caps) {
    return caps->matrix_subgroup == 8 || (caps->matrix_subgroup == 16 && caps->has_2d_block_load);
}

bool xmx_set_weights(
        const pd_t *pd, const caps_t *caps, const md_t *src, md_t *wei, bool transposed) {
    const bool integers = xmx_is_integer(src->data_type), words = src->data_type == dnnl_f32;
    const xmx_factors_t factors = integers ? FACTORS_8 : words ? FACTORS_TF32 : FACTORS_16;
    if (pd->impl_index > 0 || !has_units(caps) || wei->ndims > 3 || md_has_zero_dim(wei) ||
            xmx_check_types(pd, caps, src, wei, factors) || xmx_is_decoded(src, wei))
        return false;
    const int lanes = (int)caps->matrix_subgroup;
    char tag[24];
    const char *how = wei->ndims == 3 ? "aCB%dc16b%dc%s"
                      : transposed    ? "AB%da16b%da%s"
                                      : "BA%db16a%db%s";
    const char along = wei->ndims == 3 || transposed ? 'b' : 'a';
    const char pairs[] = {integers ? '4' : '2', along, '\0'};
    snprintf(tag, sizeof(tag), how, 32 / lanes, lanes, words ? "" : pairs);
    const md_t any = *wei;
    return md_init_string_tag(wei, any.ndims, any.dims, any.data_type, tag) == dnnl_success;
}

/* Are the weights in panels as wide as the units have lanes, 32 columns of them together, with
 * 32 bits of k beside one another? Then the kernel reads them where they are. */
static bool is_in_panels(const md_t *md, int lanes) {
    const md_blocking_t *l = &md->format_desc.blocking;
    const int nd = md->ndims, k = nd - 2, n = nd - 1, along = 4 / (int)dt_size(md->data_type);
    const int blks[] = {32 / lanes, 16, lanes, along}, idxs[] = {n, k, n, k};
    const int blocks = along > 1 ? ARRAY_LEN(blks) : ARRAY_LEN(blks) - 1;
    if (dt_is_nibble(md->data_type) || !md_is_blocked(md) || l->inner_nblks != blocks) return false;
    for (int i = 0; i < blocks; i++)
        if (l->inner_blks[i] != blks[i] || l->inner_idxs[i] != idxs[i]) return false;
    return l->strides[k] == 32 * 16 * along && l->strides[n] == md->padded_dims[k] * 32 &&
           md->padded_dims[n] / 16 * md->padded_dims[k] / along <= BLOCK_LIMIT;
}

/* ---- inputs ---- */

/* A step copies the input to rows that are multiples of 64 bytes long, filled up with zeros. */
static const char *copy_rows(matmul_t *mm, const operand_t *input, matrix_t *x) {
    char tag[MM_DIMS + 4];
    const md_t *md = input->md;
    const int nd = md->ndims, element = (int)dt_size(md->data_type);
    for (int d = 0; d < nd; d++) tag[d] = (char)((d == nd - 1 ? 'A' : 'a') + d);
    snprintf(tag + nd, sizeof(tag) - (size_t)nd, "%u%c", (unsigned)(BLOCK_LINE / element),
            'a' + nd - 1);
    static const char too_large[] = "a copy of an input would be too large";
    REFUSE_IF(
            why_not_of(md_init_string_tag(&x->copy, nd, md->dims, md->data_type, tag), too_large));
    if (md_size(&x->copy, 0) > MOST_COPIED) return too_large;
    if (x->copy.padded_dims[nd - 1] * element > BLOCK_LIMIT || md->dims[nd - 2] > BLOCK_LIMIT)
        return "an input is larger than block loads can reach";
    const operand_t copy = operand_in_scratch(&mm->planner, &x->copy);
    matrix_in_place(x, &copy);
    return ew_copy(&mm->planner, -1, input, &x->at);
}

static const char *place_weights(matmul_t *mm, int lanes, xmx_reads_t *reads, xmx_problem_t *x) {
    const int nd = mm->ndims;
    const md_t *wei = mm->wei.md;
    const bool forced = mm->planner.pd->request.hints.forced_variant >= 0;
    if (is_in_panels(wei, lanes)) x->flags = MMX_PACKED;
    else if (reads(wei, nd - 1)) x->flags = 0;
    else if (reads(wei, nd - 2)) x->flags = MMX_COLUMNS;
    else if (xmx_is_decoded(mm->src.md, wei))
        return "weights to decode are not where block loads can read them";
    else if (mm->m * matmul_batch(mm->dst.md) < ROWS_WORTH_A_COPY && !forced)
        return "weights would have to be copied for few rows";
    else {
        x->flags = 0;
        return copy_rows(mm, &mm->wei, &x->b);
    }
    matrix_in_place(&x->b, &mm->wei);
    return NULL;
}

/* Does a step in dimension d of the batch go as far as one over all of dimension d + 1? */
static bool is_continued(const int64_t *dims, const par_i64_t *stride, int d) {
    return stride[d] == stride[d + 1] * dims[d + 1];
}

/* Makes one dimension of the batch, whose strides are the first ones, where that is possible: the
 * matrices follow one another, and the epilogue is the same for all of them. */
static bool join_batch(int nd, const md_t *dst, const epilogue_segment_t *seg, mm_xmx_t *params) {
    int last = -1; /* the innermost dimension with more than one matrix */
    for (int d = nd - 3; d >= 0; d--) {
        if (dst->dims[d] == 1) continue;
        for (int i = 0; i < seg->nsrcs; i++)
            if (seg->params.src[i].stride[d]) return false;
        if (last < 0) last = d;
        else if (dst->dims[d + 1] == 1 || !is_continued(dst->dims, params->a_stride, d) ||
                 !is_continued(dst->dims, params->b_stride, d) ||
                 !is_continued(dst->dims, params->c_stride, d))
            return false;
    }
    if (last < 0) last = 0;
    params->a_stride[0] = params->a_stride[last];
    params->b_stride[0] = params->b_stride[last];
    params->c_stride[0] = params->c_stride[last];
    return true;
}

static void set_params(const matmul_t *mm, xmx_problem_t *x) {
    const int nd = mm->ndims;
    mm_xmx_t *params = &x->params;
    memset(params, 0, sizeof(*params));
    params->ndims = nd;
    params->rows = (int32_t)mm->m;
    params->columns = params->n = (int32_t)mm->n;
    params->k = (int32_t)mm->k;
    for (int d = 0; d < nd; d++) {
        params->dims[d] = (int32_t)mm->dst.md->dims[d];
        params->a_stride[d] = x->a.stride[d];
        params->b_stride[d] = x->b.stride[d];
        params->c_stride[d] = matmul_stride(x->r.to.md, d);
    }
    params->c_row = params->c_stride[nd - 2];
    params->c_col = params->c_stride[nd - 1];
    if (!join_batch(nd, mm->dst.md, &x->r.seg, params)) x->flags |= MMX_BATCH;
}

const char *xmx_plan_inputs(matmul_t *mm, int lanes, xmx_reads_t *reads, xmx_problem_t *x) {
    REFUSE_IF(place_weights(mm, lanes, reads, x));
    if (reads(mm->src.md, mm->ndims - 1)) matrix_in_place(&x->a, &mm->src);
    else REFUSE_IF(copy_rows(mm, &mm->src, &x->a));
    REFUSE_IF(matmul_float_result(mm, &x->r));
    set_params(mm, x);
    return NULL;
}
