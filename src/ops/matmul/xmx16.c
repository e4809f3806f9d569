/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a matmul on matrix units: inputs where they are if block loads can read them there, else
 * copied to rows that they can. */
#include <stdio.h>
#include <string.h>

#include "core/util.h"
#include "kernels/lib/spec.h"
#include "plan/block_loads.h"
#include "plan/variant_id.h"
#include "ops/matmul/stream_k.h"
#include "ops/matmul/xmx.h"
#include "plan/variant.h"

/* Copying weights costs as much as reading them so many times. */
enum { ROWS_WORTH_A_COPY = 64 };

/* With what the flags of the rows say. */
typedef struct {
    int row, rows, columns; /* of a tile */
    enum { HALVES, BYTES, WORDS } factors;
} tile_t;
static const tile_t tiles[] = {
        {KERNEL_matmul_xmx16_f8x32, 8, 32, HALVES},
        {KERNEL_matmul_xmx16_f16x32, 16, 32, HALVES},
        {KERNEL_matmul_xmx16_f64x32, 64, 32, HALVES},
        {KERNEL_matmul_xmx16_t8x32, 8, 32, WORDS},
        {KERNEL_matmul_xmx16_t16x32, 16, 32, WORDS},
        {KERNEL_matmul_xmx16_t64x32, 64, 32, WORDS},
        {KERNEL_matmul_xmx16_i8x32, 8, 32, BYTES},
        {KERNEL_matmul_xmx16_i16x32, 16, 32, BYTES},
        {KERNEL_matmul_xmx16_i64x32, 64, 32, BYTES},
};
enum { LARGE_ROWS = 64 }; /* of the tiles that take nothing which changes along k */

/* What is left for one of the sub-groups that k is divided among. */
enum { STEPS_WORTH_A_PART = 4, SPLIT_MEMORY = 1 << 16 };
/* Steps that cost as much as adding up sums that were divided among work-groups of one tile, or of many. */
enum { FIXUP_STEPS = 32, LARGE_FIXUP_STEPS = 64 };

/* Weights of integers under a source of floats. */
static bool is_decoded(const md_t *src, const md_t *wei) {
    return xmx_is_half(src->data_type) &&
           (xmx_is_integer(wei->data_type) || dt_is_nibble(wei->data_type)) &&
           wei->data_type != dnnl_f4_e2m1;
}

static int bits_of(dnnl_data_type_t dt) {
    return dt_is_nibble(dt) ? 4 : 8 * (int)dt_size(dt);
}

/* f32 is multiplied as tf32, which holds every bf16 and f16: any math mode but the strict one allows it. */
static const char *check_words(
        const pd_t *pd, const caps_t *caps, const md_t *src, const md_t *wei) {
    if (src->data_type != dnnl_f32 || wei->data_type != dnnl_f32)
        return "the matrix units do not take the data types together";
    if (pd->attr.fpmath_mode == dnnl_fpmath_mode_strict) return "the math mode of f32 is strict";
    return caps->has_tf32 ? NULL : "the matrix units have no tf32";
}

/* The types of the matrix units, NULL, or why not. */
static const char *check_types(
        const pd_t *pd, const caps_t *caps, const md_t *src, const md_t *wei, const tile_t *tile) {
    const dnnl_data_type_t dt = src->data_type;
    const bool same = wei->data_type == dt;
    if (tile->factors == WORDS) return check_words(pd, caps, src, wei);
    const bool good = tile->factors == BYTES ? xmx_is_integer(dt) && xmx_is_integer(wei->data_type)
                                             : xmx_is_half(dt) && (same || is_decoded(src, wei));
    return good ? NULL : "the matrix units do not take the data types together";
}

/* Is the matrix where it is a surface, the elements of whose dimension `along` lie beside one another? The
 * kernel moves the base down to a line and widens the rows by as much, so each matrix of a batch begins with
 * a line, or the rows have room. */
static bool is_surface(const md_t *md, int along) {
    const int nd = md->ndims, across = 2 * nd - 3 - along, bits = bits_of(md->data_type);
    const int64_t *stride = md->format_desc.blocking.strides;
    if (!md_is_plain(md) || (stride[along] != 1 && md->dims[along] != 1)) return false;
    const int64_t rows = md->dims[across], width = md->dims[along] * bits / 8,
                  between = rows == 1 ? 0 : stride[across], pitch = between * bits / 8;
    const bool has_room = rows == 1 || pitch >= width + BLOCK_LINE - BLOCK_WIDTH_STEP;
    const int64_t step = has_room ? BLOCK_WIDTH_STEP : BLOCK_LINE;
    if (!block_loads_take(rows, width, pitch) || width > BLOCK_LIMIT - 2 * BLOCK_LINE) return false;
    if (md->dims[along] * bits % 8 || between * bits % 8) return false;
    if (md->offset0 * bits % (8 * step)) return false;
    for (int d = 0; d < nd - 2; d++)
        if (md->dims[d] > 1 && stride[d] * bits % (8 * step)) return false;
    return true;
}

/* Bytes of a copy with padding that memory has room for beside its tensor. */
static const size_t MOST_COPIED = (size_t)1 << 34;

/* Rows that are multiples of 64 bytes long, filled up with zeros, made by a step of its own. */
static const char *copy_rows(
        matmul_t *mm, int slot, const md_t *md, matmul_matrix_t *x, md_t *rows) {
    char tag[MM_DIMS + 4];
    const int nd = md->ndims, element = (int)dt_size(md->data_type);
    for (int d = 0; d < nd; d++) tag[d] = (char)((d == nd - 1 ? 'A' : 'a') + d);
    snprintf(tag + nd, sizeof(tag) - (size_t)nd, "%u%c", (unsigned)(BLOCK_LINE / element),
            'a' + nd - 1);
    if (md_init_string_tag(rows, nd, md->dims, md->data_type, tag) != dnnl_success ||
            md_size(rows, 0) > MOST_COPIED)
        return "a copy of an input would be too large";
    if (rows->padded_dims[nd - 1] * element > BLOCK_LIMIT || md->dims[nd - 2] > BLOCK_LIMIT)
        return "an input is larger than block loads can reach";
    memset(x, 0, sizeof(*x));
    x->slot = -1;
    x->dt = md->data_type;
    x->offset = matmul_reserve(mm, md_size(rows, 0));
    matmul_set_strides(x, rows);
    epilogue_t none;
    epilogue_init(&none);
    const operand_t from = {md, slot, 0}, to = {rows, -1, x->offset};
    return ew_plan(&(planner_t){.pd = mm->pd, .caps = mm->caps, .mds = mm->mds, .plan = mm->plan},
            -1, &none, 0, &from, &to, &to);
}

/* Are the weights in panels as wide as the units have lanes, 32 columns of them together, with 32 bits of k
 * beside one another? Then they are where the kernel reads them. */
static bool in_panels(const md_t *md, int lanes) {
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

static void set_panels(const matmul_t *mm, matmul_matrix_t *b) {
    memset(b, 0, sizeof(*b));
    b->slot = mm->wei_slot;
    b->dt = mm->wei.data_type;
    b->offset = dt_offset(b->dt, mm->wei.offset0);
    matmul_set_strides(b, &mm->wei);
}

bool matmul_xmx_weights(
        const pd_t *pd, const caps_t *caps, const md_t *src, md_t *wei, bool transposed) {
    const bool integers = xmx_is_integer(src->data_type);
    const bool words = src->data_type == dnnl_f32;
    const int lanes = (int)caps->matrix_subgroup;
    const tile_t like = {.factors = integers ? BYTES : words ? WORDS : HALVES};
    if (pd->impl_index > 0 || (lanes != 8 && lanes != 16) ||
            (lanes == 16 && !caps->has_2d_block_load) || wei->ndims > 3 || md_has_zero_dim(wei) ||
            check_types(pd, caps, src, wei, &like) || is_decoded(src, wei))
        return false;
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

/* ---- what is done inside of the sum ---- */

/* Scales and zero points of weights that the tiles for few rows take. */
typedef struct {
    const quant_t *scale, *za, *zb; /* or NULL */
    mm_quant_t at_scale, at_zero;
    int64_t group; /* of k for which all stay the same; 0: all of k */
} inside_t;

static int64_t common_divisor(int64_t a, int64_t b) {
    return b ? common_divisor(b, a % b) : a;
}

/* NULL, or why not. */
static const char *find_quant(
        const matmul_t *mm, const quant_t *q, mm_quant_t *at, int64_t *group) {
    const int nd = mm->ndims;
    matmul_set_quant(at, q, &mm->wei, 0);
    if (!q) return NULL;
    if (q->mask & ((1 << (nd - 2)) - 1))
        return "scales or zero points of weights change with the batch";
    if (at->stride[nd - 2]) *group = common_divisor(*group, at->group[0]);
    return NULL;
}

static const char *check_inside(const matmul_t *mm, const tile_t *tile, inside_t *in) {
    enum { STEP = 32 };
    const quant_map_t *zeros = &mm->pd->attr.zero_points;
    const int n = 1 << (mm->ndims - 1);
    memset(in, 0, sizeof(*in));
    in->za = quant_find(zeros, DNNL_ARG_SRC);
    in->zb = quant_find(zeros, DNNL_ARG_WEIGHTS);
    if (mm->scale_wei) in->scale = quant_find(&mm->pd->attr.scales, DNNL_ARG_WEIGHTS);
    if (mm->scale_src) return "scales of src change along k";
    if (tile->factors == BYTES) {
        if (in->scale) return "scales of weights change along k";
        if (in->za && in->za->mask) return "zero points of src change along k";
        if (in->zb && (in->zb->group_ndims || (in->zb->mask & ~n)))
            return "zero points of weights change along k or the batch";
    } else if (!is_decoded(&mm->src, &mm->wei) && (in->scale || in->zb)) {
        return "scales or zero points of floats change along k";
    }
    const char *why_not = find_quant(mm, in->scale, &in->at_scale, &in->group);
    if (!why_not) why_not = find_quant(mm, in->zb, &in->at_zero, &in->group);
    if (why_not) return why_not;
    if (in->group % STEP) return "groups of scales or zero points are no multiples of a step of k";
    if (tile->rows == LARGE_ROWS && (in->za || in->zb || is_decoded(&mm->src, &mm->wei)))
        return "the tile has no registers for zero points or for weights that are decoded";
    return NULL;
}

static mm_xmx_quant_t quant_of(const mm_quant_t *at, int nd) {
    return (mm_xmx_quant_t){.group_k = (int32_t)max_i64(at->group[0], 1),
            .group_n = (int32_t)max_i64(at->group[1], 1),
            .k = at->stride[nd - 2],
            .n = at->stride[nd - 1]};
}

/* ---- the plan ---- */

static const char *check(const matmul_t *mm, const tile_t *tile, inside_t *in) {
    const char *why_not = check_types(mm->pd, mm->caps, &mm->src, &mm->wei, tile);
    if (why_not) return why_not;
    if (matmul_unknown(mm, mm->src_slot) || matmul_unknown(mm, mm->wei_slot) ||
            matmul_unknown(mm, mm->dst_slot))
        return "there are run-time dims";
    if (mm->m == 0 || mm->n == 0 || mm->k == 0) return "there is nothing to multiply";
    why_not = check_inside(mm, tile, in);
    if (why_not) return why_not;
    const bool largest = tile->rows == LARGE_ROWS ||
                         (tile->rows == 16 && (in->za || in->zb || is_decoded(&mm->src, &mm->wei)));
    /* Two of 16 rows are no slower than a large one that is half empty. */
    const int most = tile->rows == 16 ? LARGE_ROWS / 2 : tile->rows;
    if (mm->m > most && !largest && mm->pd->request.hints.forced_variant < 0)
        return "for so many rows larger tiles are faster";
    return NULL;
}

/* Where the weights are, and how the kernel reads them. */
static const char *place_weights(matmul_t *mm, int lanes, xmx_reads_t *reads, xmx_problem_t *x) {
    const int nd = mm->ndims;
    const md_t *wei = &mm->wei;
    x->b_rows = *wei;
    x->flags = 0;
    if (in_panels(wei, lanes)) {
        x->flags = MMX_PACKED;
        set_panels(mm, &x->b);
        return NULL;
    }
    const bool in_rows = reads(wei, nd - 1);
    if (!in_rows && reads(wei, nd - 2)) x->flags = MMX_COLUMNS;
    if (in_rows || x->flags) return matmul_plain_input(mm, mm->wei_slot, wei, &x->b);
    if (is_decoded(&mm->src, wei))
        return "weights to decode are not where block loads can read them";
    if (mm->m * matmul_batch(&mm->dst) < ROWS_WORTH_A_COPY &&
            mm->pd->request.hints.forced_variant < 0)
        return "weights would have to be copied for few rows";
    return copy_rows(mm, mm->wei_slot, wei, &x->b, &x->b_rows);
}

const char *xmx_plan_inputs(matmul_t *mm, int lanes, xmx_reads_t *reads, xmx_problem_t *x) {
    const int nd = mm->ndims;
    const md_t *src = &mm->src;
    x->a_rows = *src;
    const char *why_not = place_weights(mm, lanes, reads, x);
    if (why_not) return why_not;
    if (reads(src, nd - 1)) why_not = matmul_plain_input(mm, mm->src_slot, src, &x->a);
    else why_not = copy_rows(mm, mm->src_slot, src, &x->a, &x->a_rows);
    if (!why_not) why_not = matmul_plan_float_result(mm, &x->r);
    if (why_not) return why_not;

    mm_xmx_t *p = &x->p;
    memset(p, 0, sizeof(*p));
    p->ndims = nd;
    p->rows = (int32_t)mm->m;
    p->columns = p->n = (int32_t)mm->n;
    p->k = (int32_t)mm->k;
    for (int d = 0; d < nd; d++) {
        p->dims[d] = (int32_t)mm->dst.dims[d];
        p->a_stride[d] = x->a.stride[d];
        p->b_stride[d] = x->b.stride[d];
        p->c_stride[d] = x->r.c.stride[d];
    }
    p->c_row = x->r.c.stride[nd - 2];
    p->c_col = x->r.c.stride[nd - 1];
    return NULL;
}

/* With twice the registers, half of the hardware's threads are there. */
static int64_t threads_of(const caps_t *caps) {
    return caps->compute_units / 2;
}

int64_t xmx_split_of(
        const caps_t *caps, int64_t tile_count, int64_t units, int64_t steps, int64_t bytes) {
    const int64_t wanted = threads_of(caps);
    const int64_t memory = min_i64(caps->local_mem_size, SPLIT_MEMORY);
    int64_t split = 1;
    for (int64_t n = 2; n <= MMX_MAX_SPLIT && tile_count * split < wanted; n++)
        if (units % n == 0 && units / n * steps >= STEPS_WORTH_A_PART && n * bytes <= memory &&
                caps->matrix_subgroup * n <= caps->max_group_size)
            split = n;
    return split;
}

static void set_surfaces(
        const matmul_t *mm, const md_t *a, const md_t *b, uint32_t flags, mm_xmx_t *p) {
    const int nd = mm->ndims, bits = bits_of(b->data_type), element = (int)dt_size(a->data_type);
    const int64_t *a_stride = a->format_desc.blocking.strides,
                  *b_stride = b->format_desc.blocking.strides;
    const int64_t a_width = a->padded_dims[nd - 1], b_width = b->padded_dims[nd - 1];
    p->a_width = (int32_t)(a_width * element);
    p->a_end = (p->a_width + 1) / 2;
    /* A matrix of one row has any pitch. */
    p->a_row =
            mm->m == 1 ? div_up(a_width + BLOCK_LINE, BLOCK_LINE) * BLOCK_LINE : a_stride[nd - 2];
    p->a_pitch = (int32_t)(p->a_row * element);
    if (flags & MMX_PACKED) {
        p->panel_steps = (int32_t)(b->padded_dims[nd - 2] * element / BLOCK_LINE);
        p->b_width = p->b_pitch = BLOCK_LINE;
        p->b_rows = (int32_t)(b_width * p->panel_steps);
        return;
    }
    if (flags & MMX_COLUMNS) {
        p->b_row = 1;
        p->b_col = mm->n == 1 ? div_up(mm->k + 2 * BLOCK_LINE, 2 * BLOCK_LINE) * 2 * BLOCK_LINE
                              : b_stride[nd - 1];
        p->b_width = (int32_t)(mm->k * bits / 8);
        p->b_rows = (int32_t)mm->n;
        p->b_pitch = (int32_t)(p->b_col * bits / 8);
        return;
    }
    p->b_col = 1;
    p->b_row = mm->k == 1 ? div_up(b_width + 2 * BLOCK_LINE, 2 * BLOCK_LINE) * 2 * BLOCK_LINE
                          : b_stride[nd - 2];
    p->b_width = (int32_t)(b_width * bits / 8);
    p->b_rows = (int32_t)mm->k;
    p->b_pitch = (int32_t)(p->b_row * bits / 8);
}

const char *matmul_plan_xmx(matmul_t *mm, int row) {
    const tile_t *tile = tiles;
    while (tile->row != row) tile++;
    const int nd = mm->ndims;
    const int64_t batch = matmul_batch(&mm->dst);
    plan_t *plan = mm->plan;
    xmx_problem_t x;
    inside_t in;
    const char *why_not = check(mm, tile, &in);
    if (!why_not) why_not = xmx_plan_inputs(mm, 16, is_surface, &x);
    if (why_not) return why_not;

    mm_xmx_t *p = &x.p;
    uint32_t flags = x.flags;
    set_surfaces(mm, &x.a_rows, &x.b_rows, flags, p);
    p->scale = quant_of(&in.at_scale, nd);
    p->zero = quant_of(&in.at_zero, nd);
    p->za_dt = in.za ? (int32_t)in.za->dt : 0;
    flags |= (in.scale ? MMX_SCALES : 0) | (in.za ? MMX_ZA : 0) | (in.zb ? MMX_ZB : 0);
    if (in.group) flags |= MMX_GROUPS;

    /* Large work-groups load ahead for each other; small problems want many. */
    const int64_t below = div_up(mm->m, tile->rows), beside = div_up(mm->n, tile->columns);
    const bool large = tile->rows == LARGE_ROWS && below >= MMX_GROUP_M && beside >= MMX_GROUP_N &&
                       mm->caps->max_group_size >= 16 * MMX_GROUP_M * MMX_GROUP_N;
    const int64_t group = in.group * (int64_t)dt_size(mm->src.data_type) / 2,
                  unit = group ? group : BLOCK_LINE / 2;
    matmul_work_t work = {.rows = tile->rows,
            .columns = tile->columns,
            .group_m = large ? MMX_GROUP_M : 1,
            .group_n = large ? MMX_GROUP_N : 1,
            .batch = batch,
            .units = div_up(p->a_end, unit),
            .unit_steps = unit * 2 / BLOCK_LINE,
            .threads = threads_of(mm->caps),
            .fixup_steps = large ? LARGE_FIXUP_STEPS : FIXUP_STEPS,
            .pairs = is_decoded(&mm->src, &mm->wei) && !(flags & MMX_COLUMNS)};
    work.across = div_up(beside, work.group_n);
    work.below = div_up(below, work.group_m);
    int64_t split = large ? 1
                          : xmx_split_of(mm->caps, below * beside * batch, work.units,
                                    work.unit_steps, (int64_t)tile->rows * tile->columns * 4);
    if (split > 1)
        work.local_steps = div_up(below * beside * batch, max_i64(work.threads / split, 1)) *
                           work.units / split * work.unit_steps;
    stream_k_t shares;
    stream_k_decide(mm, &work, &x.r, &shares);
    if (shares.count) split = 1;
    if (large) flags |= MMX_PREFETCH;
    if (split > 1) flags |= MMX_SPLIT;
    p->group_n = work.group_n;
    p->group = (int32_t)group;
    p->part = (int32_t)(shares.count ? unit : div_up(p->a_end, unit) / split * unit);
    p->shares = shares.shares;
    const uint32_t size[3] = {(uint32_t)(16 * work.group_m * work.group_n * split), 1, 1};
    matmul_launch_t launch = {0};
    while (matmul_next_launch(&shares, &work, &x.r, &launch)) {
        plan_step(plan, row, size, launch.count);
        matmul_specs(
                plan, mm->src.data_type, mm->wei.data_type, &launch.result, flags | launch.flags);
        if (in.scale) plan_spec(plan, SPEC_MMX_SCALE_DT, (uint32_t)in.scale->dt);
        if (in.zb) plan_spec(plan, SPEC_MMX_ZERO_DT, (uint32_t)in.zb->dt);
        matmul_bind(plan, &x.a);
        matmul_bind(plan, &x.b);
        matmul_bind(plan, &x.r.c);
        plan_const(plan, p, sizeof(*p));
        plan_local(
                plan, (uint32_t)(split > 1 ? split * tile->rows * tile->columns * 4 : BLOCK_LINE));
        matmul_bind_slots(mm, &shares);
        matmul_bind_zero(mm, DNNL_ARG_SRC);
        matmul_bind_zero(mm, DNNL_ARG_WEIGHTS);
        matmul_bind_scale(mm, DNNL_ARG_WEIGHTS);
        epilogue_args(&launch.result.seg, mm->pd, mm->mds, plan);
    }
    why_not = matmul_plan_fixup(mm, &work, &shares, &x.r);
    return why_not ? why_not : matmul_finish_result(mm, &x.r);
}
