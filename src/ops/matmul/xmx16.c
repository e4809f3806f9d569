/* SPDX-License-Identifier: Apache-2.0 */
/* The variants for matrix units of 16 lanes, which read their inputs with 2D block loads. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "kernels/lib/spec.h"
#include "ops/matmul/planners.h"
#include "ops/matmul/result.h"
#include "ops/matmul/stream_k.h"
#include "ops/matmul/xmx.h"
#include "plan/device.h"
#include "plan/variant.h"

enum { LANES = 16, STEP = 32 /* of k, in 16-bit elements: a line of 64 bytes */ };
/* Rows of the tiles that have no registers for what changes along k. */
enum { LARGE_ROWS = 64 };
/* Steps that take as long as the fixup of stream-K: for work-groups of one tile, and of many. */
enum { FIXUP_STEPS = 32, LARGE_FIXUP_STEPS = 64 };

/* The tile of a sub-group. */
typedef struct {
    int rows, columns;
    xmx_factors_t factors;
} tile_t;

static tile_t tile_of(int variant) {
    const variant_geometry_t *g = &variants[variant].geometry;
    return (tile_t){.rows = g->mt,
            .columns = LANES * g->nt,
            .factors = g->ints   ? FACTORS_8
                       : g->tf32 ? FACTORS_TF32
                                 : FACTORS_16};
}

static int64_t sum_bytes(const tile_t *tile) {
    return (int64_t)tile->rows * tile->columns * (int64_t)sizeof(float);
}

static int bits_of(dnnl_data_type_t dt) {
    return dt_is_nibble(dt) ? 4 : 8 * (int)dt_size(dt);
}

/* Can 2D block loads read the matrix where it is? The kernel moves the base down to a line and
 * widens the rows by as much, so each matrix of a batch begins with a line, or the rows have
 * room. */
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

/* ---- what is done inside of the sum ---- */

/* Scales and zero points that the tiles for few rows apply. */
typedef struct {
    const quant_t *scale, *za, *zb;     /* of weights; of src, of weights; or NULL */
    mm_quant_t scale_places, zb_places; /* where they are */
    int64_t group;                      /* of k for which all stay the same; 0: all of k */
} inside_t;

static int64_t common_divisor(int64_t a, int64_t b) {
    return b ? common_divisor(b, a % b) : a;
}

static const char *add_quant(
        const matmul_t *mm, const quant_t *q, mm_quant_t *places, int64_t *group) {
    const int nd = mm->ndims;
    matmul_set_quant(places, q, mm->wei.md, 0);
    if (!q) return NULL;
    if (q->mask & ((1 << (nd - 2)) - 1))
        return "scales or zero points of weights change with the batch";
    if (places->stride[nd - 2]) *group = common_divisor(*group, places->group[0]);
    return NULL;
}

/* Integers allow zero points, but nothing that changes along k. */
static const char *check_integers(const matmul_t *mm, const inside_t *in) {
    if (in->scale) return "scales of weights change along k";
    if (in->za && in->za->mask) return "zero points of src change along k";
    if (in->zb && (in->zb->group_ndims || (in->zb->mask & ~(1 << (mm->ndims - 1)))))
        return "zero points of weights change along k or the batch";
    return NULL;
}

/* Has the loop work to do besides loading and multiplying? */
static bool is_loop_busy(const matmul_t *mm, const inside_t *in) {
    return in->za || in->zb || xmx_is_decoded(mm->src.md, mm->wei.md);
}

static const char *find_inside(const matmul_t *mm, const tile_t *tile, inside_t *in) {
    memset(in, 0, sizeof(*in));
    in->za = matmul_zero_point(mm, DNNL_ARG_SRC);
    in->zb = matmul_zero_point(mm, DNNL_ARG_WEIGHTS);
    if (mm->scale_wei) in->scale = matmul_scale(mm, DNNL_ARG_WEIGHTS);
    if (mm->scale_src) return "scales of src change along k";
    if (tile->factors == FACTORS_8) REFUSE_IF(check_integers(mm, in));
    else if (!xmx_is_decoded(mm->src.md, mm->wei.md) && (in->scale || in->zb))
        return "scales or zero points of floats change along k";
    REFUSE_IF(add_quant(mm, in->scale, &in->scale_places, &in->group));
    REFUSE_IF(add_quant(mm, in->zb, &in->zb_places, &in->group));
    if (in->group % STEP) return "groups of scales or zero points are no multiples of a step of k";
    if (tile->rows == LARGE_ROWS && is_loop_busy(mm, in))
        return "the tile has no registers for zero points or for weights that are decoded";
    return NULL;
}

static mm_xmx_quant_t quant_of(const mm_quant_t *places, int nd) {
    return (mm_xmx_quant_t){.group_k = (int32_t)max_i64(places->group[0], 1),
            .group_n = (int32_t)max_i64(places->group[1], 1),
            .k = places->stride[nd - 2],
            .n = places->stride[nd - 1]};
}

/* ---- checks ---- */

/* Would a larger tile be faster? It is none that this problem cannot have. */
static bool is_too_small(const matmul_t *mm, const tile_t *tile, const inside_t *in) {
    const bool largest = tile->rows == LARGE_ROWS || (tile->rows == 16 && is_loop_busy(mm, in));
    /* Two tiles of 16 rows are no slower than a large one that is half empty. */
    const int most = tile->rows == 16 ? LARGE_ROWS / 2 : tile->rows;
    return mm->m > most && !largest;
}

static const char *check(const matmul_t *mm, const tile_t *tile, inside_t *in) {
    const planner_t *p = &mm->planner;
    REFUSE_IF(xmx_check_types(p->pd, p->caps, mm->src.md, mm->wei.md, tile->factors));
    if (matmul_has_unknown(mm)) return "there are run-time dims";
    if (mm->m == 0 || mm->n == 0 || mm->k == 0) return "there is nothing to multiply";
    REFUSE_IF(find_inside(mm, tile, in));
    if (is_too_small(mm, tile, in) && p->pd->request.hints.forced_variant < 0)
        return "for so many rows larger tiles are faster";
    return NULL;
}

/* ---- surfaces: what block loads read ---- */

/* The pitch of a matrix of one row is free: its width and a line more. */
static int64_t free_pitch(int64_t width, int64_t line) {
    return div_up(width + line, line) * line;
}

static void set_surface_a(const matmul_t *mm, const md_t *a, mm_xmx_t *params) {
    const int nd = mm->ndims, element = (int)dt_size(a->data_type);
    const int64_t width = a->padded_dims[nd - 1];
    params->a_width = (int32_t)(width * element);
    params->a_end = (params->a_width + 1) / 2;
    params->a_row =
            mm->m == 1 ? free_pitch(width, BLOCK_LINE) : a->format_desc.blocking.strides[nd - 2];
    params->a_pitch = (int32_t)(params->a_row * element);
}

static void set_surface_b(const matmul_t *mm, const md_t *b, uint32_t flags, mm_xmx_t *params) {
    const int nd = mm->ndims, bits = bits_of(b->data_type);
    const int64_t *stride = b->format_desc.blocking.strides;
    const int64_t width = b->padded_dims[nd - 1];
    if (flags & MMX_PACKED) {
        const int64_t panel_bytes = b->padded_dims[nd - 2] * (int64_t)dt_size(b->data_type);
        params->panel_steps = (int32_t)(panel_bytes / BLOCK_LINE);
        params->b_width = params->b_pitch = BLOCK_LINE;
        params->b_rows = (int32_t)(width * params->panel_steps);
    } else if (flags & MMX_COLUMNS) {
        params->b_row = 1;
        params->b_col = mm->n == 1 ? free_pitch(mm->k, 2 * BLOCK_LINE) : stride[nd - 1];
        params->b_width = (int32_t)(mm->k * bits / 8);
        params->b_rows = (int32_t)mm->n;
        params->b_pitch = (int32_t)(params->b_col * bits / 8);
    } else {
        params->b_col = 1;
        params->b_row = mm->k == 1 ? free_pitch(width, 2 * BLOCK_LINE) : stride[nd - 2];
        params->b_width = (int32_t)(width * bits / 8);
        params->b_rows = (int32_t)mm->k;
        params->b_pitch = (int32_t)(params->b_row * bits / 8);
    }
}

/* Can the kernel write the result with block stores? */
static bool writes_blocks(
        const matmul_t *mm, const tile_t *tile, const result_t *r, uint32_t *ops) {
    const bool apart = xmx_is_decoded(mm->src.md, mm->wei.md); /* even and odd columns */
    return !apart && is_surface(r->to.md, mm->ndims - 1) &&
           result_fits_blocks(r, tile->factors == FACTORS_8, 1u << (mm->ndims - 2), ops);
}

static void set_surface_c(const matmul_t *mm, const md_t *c, mm_xmx_t *params) {
    const int64_t size = (int64_t)dt_size(c->data_type);
    const int64_t row = mm->m == 1 ? free_pitch(mm->n, 2 * BLOCK_LINE) : params->c_row;
    params->c_width = (int32_t)(mm->n * size);
    params->c_pitch = (int32_t)(row * size);
}

static uint32_t set_inside(const inside_t *in, int nd, mm_xmx_t *params) {
    params->scale = quant_of(&in->scale_places, nd);
    params->zero = quant_of(&in->zb_places, nd);
    params->za_dt = in->za ? (int32_t)in->za->dt : 0;
    return (in->scale ? MMX_SCALES : 0) | (in->za ? MMX_ZA : 0) | (in->zb ? MMX_ZB : 0) |
           (in->group ? MMX_GROUPS : 0);
}

/* ---- how the products are divided ---- */

typedef struct {
    matmul_work_t work;
    int64_t unit,
            group; /* of k that is not divided, and with the same scales: in 16-bit elements */
    int64_t split; /* sub-groups of a work-group that share k */
    bool paired;   /* MMX_PAIRS */
    stream_k_t stream_k;
} division_t;

/* Large work-groups load ahead for each other; small problems want many. */
static bool is_large(const matmul_t *mm, const tile_t *tile) {
    return tile->rows == LARGE_ROWS && div_up(mm->m, tile->rows) >= MMX_GROUP_M &&
           div_up(mm->n, tile->columns) >= MMX_GROUP_N &&
           mm->planner.caps->max_group_size >= LANES * MMX_GROUP_M * MMX_GROUP_N;
}

/* Work-groups of two tiles side by side share the prefetches of a, if no second tile is missing. */
static bool is_paired(const matmul_t *mm, const tile_t *tile) {
    return tile->rows == LARGE_ROWS && !is_large(mm, tile) &&
           div_up(mm->n, tile->columns) % 2 == 0 && mm->planner.caps->max_group_size >= LANES * 2;
}

static matmul_work_t work_of(
        const matmul_t *mm, const tile_t *tile, const xmx_problem_t *x, int64_t unit, bool paired) {
    const bool large = is_large(mm, tile);
    matmul_work_t work = {.rows = tile->rows,
            .columns = tile->columns,
            .group_m = large ? MMX_GROUP_M : 1,
            .group_n = large    ? MMX_GROUP_N
                       : paired ? 2
                                : 1,
            .batch = matmul_batch(mm->dst.md),
            .units = div_up(x->params.a_end, unit),
            .unit_steps = unit / STEP,
            .threads = split_k_threads(mm->planner.caps),
            .fixup_steps = large ? LARGE_FIXUP_STEPS : FIXUP_STEPS,
            .pairs = xmx_is_decoded(mm->src.md, mm->wei.md) && !(x->flags & MMX_COLUMNS)};
    work.across = div_up(div_up(mm->n, tile->columns), work.group_n);
    work.below = div_up(div_up(mm->m, tile->rows), work.group_m);
    return work;
}

/* Stream-K, else split-K, else whole tiles. Split-K has no pairs. */
static void set_division(matmul_t *mm, const tile_t *tile, const inside_t *in,
        const xmx_problem_t *x, division_t *d) {
    d->group = in->group * (int64_t)dt_size(mm->src.md->data_type) / 2;
    d->unit = d->group ? d->group : STEP;
    d->work = work_of(mm, tile, x, d->unit, false);
    matmul_work_t *work = &d->work;
    d->split = 1;
    if (!is_large(mm, tile)) {
        const int64_t tiles = work->below * work->across * work->batch;
        d->split = split_k_parts(
                mm->planner.caps, tiles, work->units, work->unit_steps, sum_bytes(tile));
        if (d->split > 1)
            work->local_steps = div_up(tiles, max_i64(work->threads / d->split, 1)) * work->units /
                                d->split * work->unit_steps;
    }
    const uint64_t before = mm->planner.scratch;
    stream_k_decide(mm, work, &x->r, &d->stream_k);
    if (d->stream_k.count) d->split = 1;
    d->paired = d->split == 1 && is_paired(mm, tile);
    if (!d->paired) return;
    mm->planner.scratch = before; /* the partial sums of pairs replace those of single tiles */
    *work = work_of(mm, tile, x, d->unit, true);
    stream_k_decide(mm, work, &x->r, &d->stream_k);
}

static void set_division_params(const division_t *d, mm_xmx_t *params) {
    params->group_shift = __builtin_ctz((unsigned)d->work.group_n); /* a power of two */
    params->group = (int32_t)d->group;
    params->part =
            (int32_t)(d->stream_k.count ? d->unit
                                        : div_up(params->a_end, d->unit) / d->split * d->unit);
    params->shares = d->stream_k.split;
}

/* ---- addresses ---- */

/* Does each matrix of a batch begin with a line where the first one does, as the kernel may expect?
 * stride: elements from one matrix to the next, by dimension. */
static bool begin_with_lines(
        const matmul_t *mm, const operand_t *matrices, const par_i64_t *stride) {
    const int bits = bits_of(matrices->md->data_type);
    for (int d = 0; d < mm->ndims - 2; d++)
        if (mm->dst.md->dims[d] > 1 && stride[d] * bits % (8 * BLOCK_LINE)) return false;
    return operand_may_be_aligned(&mm->planner, matrices, BLOCK_LINE);
}

/* MMX_ALIGNED or 0. to_c: with MMX_BLOCKS. */
static uint32_t alignment_flag(const matmul_t *mm, const xmx_problem_t *x, bool to_c) {
    const mm_xmx_t *params = &x->params;
    return begin_with_lines(mm, &x->a.at, params->a_stride) &&
                           begin_with_lines(mm, &x->b.at, params->b_stride) &&
                           (!to_c || begin_with_lines(mm, &x->r.to, params->c_stride))
                   ? MMX_ALIGNED
                   : 0;
}

/* ---- the plan ---- */

/* flags: of the step. */
static void bind_all(planner_t *p, const tile_t *tile, const xmx_problem_t *x, const division_t *d,
        uint32_t flags, const epilogue_segment_t *seg) {
    const uint32_t bytes = flags & MMX_ALIGNED ? BLOCK_LINE : 0;
    bind_aligned_operand(p->plan, &x->a.at, bytes);
    bind_aligned_operand(p->plan, &x->b.at, bytes);
    bind_aligned_operand(p->plan, &x->r.to, flags & MMX_BLOCKS ? bytes : 0);
    plan_const(p->plan, &x->params, sizeof(x->params));
    plan_local(p->plan, (uint32_t)(d->split > 1 ? d->split * sum_bytes(tile) : BLOCK_LINE));
    stream_k_bind(p->plan, &d->stream_k);
    plan_expect_alignment(p->plan, flags & MMX_STREAM_K ? bytes : 0);
    bind_zero_point(p, DNNL_ARG_SRC);
    bind_zero_point(p, DNNL_ARG_WEIGHTS);
    bind_scale(p, DNNL_ARG_WEIGHTS);
    epilogue_args(seg, p->pd, p->mds, p->plan);
}

const char *matmul_plan_xmx16(planner_t *p, int variant) {
    matmul_t *mm = (matmul_t *)p;
    const tile_t tile = tile_of(variant);
    xmx_problem_t x;
    inside_t in;
    division_t d;
    REFUSE_IF(check(mm, &tile, &in));
    REFUSE_IF(xmx_plan_inputs(mm, LANES, is_surface, &x));
    set_surface_a(mm, x.a.at.md, &x.params);
    set_surface_b(mm, x.b.at.md, x.flags, &x.params);
    set_surface_c(mm, x.r.to.md, &x.params);
    set_division(mm, &tile, &in, &x, &d);
    set_division_params(&d, &x.params);
    const uint32_t flags = x.flags | set_inside(&in, mm->ndims, &x.params) |
                           (is_large(mm, &tile) ? MMX_PREFETCH : 0) | (d.paired ? MMX_PAIRS : 0) |
                           (d.split > 1 ? MMX_SPLIT : 0);
    uint32_t ops;
    const bool blocks = writes_blocks(mm, &tile, &x.r, &ops);
    const uint32_t size[3] = {(uint32_t)(LANES * d.work.group_m * d.work.group_n * d.split), 1, 1};
    stream_k_launch_t launch = {0};
    while (stream_k_next(&d.stream_k, &d.work, &x.r, &launch)) {
        plan_step(p->plan, variant, size, launch.count);
        const bool to_c = blocks && !(launch.flags & MMX_STREAM_K);
        const uint32_t all =
                flags | launch.flags | (to_c ? MMX_BLOCKS : 0) | alignment_flag(mm, &x, to_c);
        product_specs(
                p->plan, mm->src.md->data_type, mm->wei.md->data_type, launch.dt, all, launch.seg);
        if (to_c && ops) plan_spec(p->plan, SPEC_BLOCK_OPS, ops);
        if (in.scale) plan_spec(p->plan, SPEC_MMX_SCALE_DT, (uint32_t)in.scale->dt);
        if (in.zb) plan_spec(p->plan, SPEC_MMX_ZERO_DT, (uint32_t)in.zb->dt);
        bind_all(p, &tile, &x, &d, all, launch.seg);
    }
    stream_k_fixup(mm, &d.work, &d.stream_k, &x.r);
    return matmul_finish(mm, &x.r);
}
