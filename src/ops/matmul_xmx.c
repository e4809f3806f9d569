/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a matmul on matrix units: inputs where they are if block loads can read them there, else
 * copied to rows that they can. */
#include <stdio.h>
#include <string.h>

#include "core/util.h"
#include "include/spec.h"
#include "ops/kernel_table.h"
#include "ops/matmul_plan.h"
#include "ops/select.h"

/* With what the flags of the rows say. */
static const struct {
    int row, rows, columns; /* of a tile */
    bool integers;
} tiles[] = {
        {KERNEL_matmul_xmx_f8x16, 8, 16, false},
        {KERNEL_matmul_xmx_f32x64, 32, 64, false},
        {KERNEL_matmul_xmx_i8x16, 8, 16, true},
        {KERNEL_matmul_xmx_i32x64, 32, 64, true},
};

/* Limits of block loads, in bytes and rows. */
enum { LIMIT = 1 << 24, MIN_WIDTH = 64, PITCH_STEP = 16, WIDTH_STEP = 4, LINE = 64 };
/* Copying weights costs as much as reading them so many times. */
enum { ROWS_WORTH_A_COPY = 64 };

static bool is_integer(dnnl_data_type_t dt) {
    return dt == dnnl_s8 || dt == dnnl_u8;
}

/* The types of the matrix units, NULL, or why not. */
static const char *check_types(const md_t *src, const md_t *wei, bool integers) {
    const dnnl_data_type_t dt = src->data_type;
    const bool good = integers ? is_integer(dt) && is_integer(wei->data_type)
                               : (dt == dnnl_f16 || dt == dnnl_bf16) && wei->data_type == dt;
    return good ? NULL : "the matrix units do not take the data types together";
}

/* Is the matrix where it is a surface of rows? The kernel moves the base down to a line and widens the rows
 * by as much, so each matrix of a batch begins with a line, or the rows have room. */
static bool is_surface(const md_t *md, uint32_t element) {
    const int nd = md->ndims;
    const int64_t *stride = md->format_desc.blocking.strides;
    if (!md_is_plain(md) || stride[nd - 1] != 1) return false;
    const int64_t rows = md->dims[nd - 2], width = md->dims[nd - 1] * element,
                  pitch = stride[nd - 2] * element;
    const bool has_room = rows == 1 || pitch >= width + LINE - WIDTH_STEP;
    const int64_t step = has_room ? WIDTH_STEP : LINE;
    if (width < MIN_WIDTH || width % WIDTH_STEP || width > LIMIT - 2 * LINE || rows > LIMIT) return false;
    if (rows > 1 && (pitch < width || pitch > LIMIT || pitch % PITCH_STEP)) return false;
    if (md->offset0 * element % step) return false;
    for (int d = 0; d < nd - 2; d++)
        if (md->dims[d] > 1 && stride[d] * element % step) return false;
    return true;
}

/* Rows that are multiples of 64 bytes long, filled up with zeros. */
static const char *copy_rows(
        matmul_t *mm, int slot, const md_t *md, uint32_t element, matmul_matrix_t *x, md_t *rows) {
    char tag[MM_DIMS + 4];
    const int nd = md->ndims;
    for (int d = 0; d < nd; d++) tag[d] = (char)((d == nd - 1 ? 'A' : 'a') + d);
    snprintf(tag + nd, sizeof(tag) - (size_t)nd, "%u%c", LINE / element, 'a' + nd - 1);
    if (md_init_string_tag(rows, nd, md->dims, md->data_type, tag) != dnnl_success)
        return "a copy of an input would be too large";
    if (rows->padded_dims[nd - 1] * element > LIMIT || md->dims[nd - 2] > LIMIT)
        return "an input is larger than block loads can reach";
    memset(x, 0, sizeof(*x));
    x->slot = -1;
    x->dt = md->data_type;
    x->offset = matmul_reserve(mm, md_size(rows, 0));
    matmul_set_strides(x, rows);
    chain_t none;
    chain_init(&none);
    const ew_tensor_t from = {md, slot, 0}, to = {rows, -1, x->offset};
    return ew_plan(mm->plan, mm->pd, mm->caps, -1, &none, 0, &from, &to, &to, mm->mds);
}

/* Are the weights in pairs of panels of 16 columns, with 32 bits of k beside one another? */
static bool in_panels(const md_t *md, uint32_t element) {
    const md_blocking_t *l = &md->format_desc.blocking;
    const int nd = md->ndims, k = nd - 2, n = nd - 1, along = 4 / (int)element;
    const int blks[] = {2, 16, 16, along}, idxs[] = {n, k, n, k};
    if (!md_is_blocked(md) || l->inner_nblks != ARRAY_LEN(blks)) return false;
    for (int i = 0; i < ARRAY_LEN(blks); i++)
        if (l->inner_blks[i] != blks[i] || l->inner_idxs[i] != idxs[i]) return false;
    return l->strides[k] == 2 * 16 * 16 * along && l->strides[n] == md->padded_dims[k] * 32 &&
           md->padded_dims[n] / 16 * md->padded_dims[k] / along <= LIMIT;
}

bool matmul_xmx_weights(const pd_t *pd, const caps_t *caps, const md_t *src, md_t *wei, bool transposed) {
    const bool integers = is_integer(src->data_type);
    if (pd->impl_index > 0 || caps->matrix_subgroup != 16 || !caps->has_2d_block_load || wei->ndims > 3 ||
            md_has_zero_dim(wei) || check_types(src, wei, integers))
        return false;
    const char *tag = integers ? "BA2b16a16b4a" : "BA2b16a16b2a";
    if (wei->ndims == 3) tag = integers ? "aCB2c16b16c4b" : "aCB2c16b16c2b";
    if (transposed) tag = integers ? "AB2a16b16a4b" : "AB2a16b16a2b";
    const md_t any = *wei;
    return md_init_string_tag(wei, any.ndims, any.dims, any.data_type, tag) == dnnl_success;
}

static const char *check(const matmul_t *mm, bool integers, int rows) {
    const char *why_not = check_types(&mm->src, &mm->wei, integers);
    if (why_not) return why_not;
    if (matmul_unknown(mm, mm->src_slot) || matmul_unknown(mm, mm->wei_slot) ||
            matmul_unknown(mm, mm->dst_slot))
        return "there are run-time dims";
    if (mm->scale_src || mm->scale_wei) return "scales change along k";
    if (quant_find(&mm->pd->attr.zero_points, DNNL_ARG_SRC) ||
            quant_find(&mm->pd->attr.zero_points, DNNL_ARG_WEIGHTS))
        return "there are zero points of inputs";
    if (mm->m == 0 || mm->n == 0 || mm->k == 0) return "there is nothing to multiply";
    if (mm->m > rows && rows < 32 && select_forced_row < 0) return "for so many rows larger tiles are faster";
    return NULL;
}

const char *matmul_plan_xmx(matmul_t *mm, int row) {
    int i = 0;
    while (tiles[i].row != row) i++;
    const int nd = mm->ndims, mt = tiles[i].rows, nt = tiles[i].columns;
    const uint32_t element = tiles[i].integers ? 1 : 2;
    const int64_t batch = matmul_batch(&mm->dst);
    plan_t *plan = mm->plan;
    matmul_matrix_t a, b;
    matmul_result_t r;
    md_t a_rows = mm->src, b_rows = mm->wei;
    const char *why_not = check(mm, tiles[i].integers, mt);
    if (why_not) return why_not;

    const bool packed = in_panels(&mm->wei, element), direct = packed || is_surface(&mm->wei, element);
    if (!direct && mm->m * batch < ROWS_WORTH_A_COPY && select_forced_row < 0)
        return "weights would have to be copied for few rows";
    if (is_surface(&mm->src, element)) why_not = matmul_plain_input(mm, mm->src_slot, &mm->src, &a);
    else why_not = copy_rows(mm, mm->src_slot, &mm->src, element, &a, &a_rows);
    if (why_not) return why_not;
    if (packed) {
        memset(&b, 0, sizeof(b));
        b.slot = mm->wei_slot;
        b.dt = mm->wei.data_type;
        b.offset = dt_offset(b.dt, mm->wei.offset0);
        matmul_set_strides(&b, &mm->wei);
    } else if (direct) {
        why_not = matmul_plain_input(mm, mm->wei_slot, &mm->wei, &b);
    } else {
        why_not = copy_rows(mm, mm->wei_slot, &mm->wei, element, &b, &b_rows);
    }
    if (!why_not) why_not = matmul_plan_float_result(mm, &r);
    if (why_not) return why_not;

    mm_xmx_t p;
    memset(&p, 0, sizeof(p));
    p.ndims = nd;
    const int64_t a_width = a_rows.padded_dims[nd - 1], b_width = b_rows.padded_dims[nd - 1];
    p.k = (int32_t)a_width;
    p.n = (int32_t)b_width;
    p.panel_steps = packed ? (int32_t)(mm->wei.padded_dims[nd - 2] * element / LINE) : 0;
    p.b_rows = packed ? (int32_t)(b_width * p.panel_steps) : (int32_t)mm->k;
    /* A matrix of one row has any pitch. */
    p.a_row = mm->m == 1 ? div_up(a_width + LINE, LINE) * LINE : a_rows.format_desc.blocking.strides[nd - 2];
    p.b_row = mm->k == 1 ? div_up(b_width + LINE, LINE) * LINE : b_rows.format_desc.blocking.strides[nd - 2];
    p.b_col = 1;
    p.a_pitch = (int32_t)(p.a_row * element);
    p.b_pitch = packed ? 64 : (int32_t)(p.b_row * element);
    for (int d = 0; d < nd; d++) {
        p.dims[d] = (int32_t)mm->dst.dims[d];
        p.a_stride[d] = a.stride[d];
        p.b_stride[d] = b.stride[d];
        p.c_stride[d] = r.c.stride[d];
    }

    /* Large work-groups load ahead for each other; small problems want many. */
    const int64_t below = div_up(mm->m, mt), beside = div_up(mm->n, nt);
    const bool large = mt == 32 && nt == 64 && below >= MMX_GROUP_M && beside >= MMX_GROUP_N &&
                       mm->caps->max_group_size >= 16 * MMX_GROUP_M * MMX_GROUP_N;
    const int64_t group_m = large ? MMX_GROUP_M : 1, group_n = large ? MMX_GROUP_N : 1;
    p.group_n = (int32_t)group_n;
    const uint32_t size[3] = {(uint32_t)(16 * group_m * group_n), 1, 1};
    const uint32_t count[3] = {
            (uint32_t)div_up(beside, group_n), (uint32_t)div_up(below, group_m), (uint32_t)batch};
    plan_step(plan, row, size, count);
    matmul_specs(plan, mm->src.data_type, mm->wei.data_type, &r,
            (packed ? MMX_PACKED : 0) | (large ? MMX_PREFETCH : 0));
    matmul_bind(plan, &a);
    matmul_bind(plan, &b);
    matmul_bind(plan, &r.c);
    plan_const(plan, &p, sizeof(p));
    chain_args(&r.seg, mm->pd, mm->mds, plan);
    return matmul_finish_result(mm, &r);
}
