/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the family "elementwise": the planners of its variants. */
#include "steps/elementwise.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "kernels/lib/ops.h"
#include "kernels/lib/spec.h"
#include "steps/loops.h"
#include "steps/transpose.h"
#include "steps/whole_tiles.h"
#include "plan/op.h"
#include "plan/variant.h"
#include "plan/variant_planners.h"
#include "plan/device.h"

/* Work-items for each hardware thread of a CPU, so that all end at about the same time. */
enum { CPU_ITEMS_PER_UNIT = 8 };
/* Elements of a work-item on a CPU: enough to hide the cost of its start, few enough to share
 * work evenly. */
enum { CPU_MIN_BLOCK = 4096, CPU_MAX_BLOCK = 65536 };

/* Tiles in local memory: elements of a side, work-items, and work-groups in the second dimension
 * that every device takes. */
enum { LOCAL_SIDE = 64, LOCAL_ITEMS = 256, LOCAL_MOST_ROWS = 65535 };

/* Source, destination, loops, and PO_ARGS: what every device has room for. */
_Static_assert(sizeof(nd_params_t) + sizeof(po_params_t) + (2 + PO_MAX_SRCS) * sizeof(void *) +
                               PO_MAX_HOST * sizeof(float) <=
                       1024,
        "the arguments of a kernel are too large");

/* A step as the planners of its variants get it. */
typedef struct {
    planner_t planner;
    epilogue_segment_t seg;
    operand_t src, dst;
    ew_loops_t loops;
    bool f64;     /* a tensor has doubles */
    bool runtime; /* dimensions are not known before execution */
    bool large;   /* a stride of a source of the epilogue has more than 32 bits */
} step_t;

/* ---- one step ---- */

/* NULL, or why the tensors are not one dense loop. */
static const char *why_not_dense(const ew_loops_t *l) {
    if (l->naxes > 1 || l->nlimits) return "the tensors do not have one dense layout";
    if (l->stride[EW_SRC][0] != 1 || l->stride[EW_DST][0] != 1)
        return "the tensors are not contiguous";
    for (int t = EW_EPILOGUE; t < l->ntensors; t++)
        if (l->stride[t][0] > 1) return "a source is not contiguous";
    return NULL;
}

static const char *step_init(step_t *s, const planner_t *p, const epilogue_t *epilogue, int first,
        const operand_t *src, const operand_t *dst) {
    const pd_t *pd = p->pd;
    const md_t *const *mds = p->mds;
    s->planner = *p;
    epilogue_segment(&s->seg, epilogue, first);
    s->runtime = mds != NULL;
    s->large = false;
    s->src = *src;
    s->dst = *dst;
    s->f64 = epilogue->f64 || s->seg.dts & 1u << dnnl_f64 || src->md->data_type == dnnl_f64 ||
             dst->md->data_type == dnnl_f64;

    const md_t *md[EW_MAX_TENSORS] = {src->md, dst->md};
    md_t made_up[PO_MAX_SRCS];
    int n = EW_EPILOGUE;
    for (int i = 0; i < s->seg.nsrcs; i++)
        md[n++] = epilogue_source_md(&s->seg, i, pd, mds, &made_up[i]);
    bool dense_padding = epilogue_keeps_zero(epilogue, first);
    for (int t = 0; t < n; t++) dense_padding = dense_padding && md_same_layout(md[t], dst->md);
    const char *why_not = ew_loops(&s->loops, pd, &s->seg, md, n, dense_padding);
    if (why_not) return why_not;
    if (why_not_dense(&s->loops) && (why_not = ew_loops_split(&s->loops, &pd->request.hints)))
        return why_not;
    if (s->loops.naxes > PAR_MAX_DIMS) return "the layouts need too many loops";
    for (int i = 0; i < s->seg.nsrcs; i++)
        for (int a = 0; a < s->loops.naxes; a++)
            s->large |= s->loops.stride[EW_EPILOGUE + i][a] > INT32_MAX;
    for (int i = 0; i < s->seg.nsrcs; i++) {
        const int64_t *stride = s->loops.stride[EW_EPILOGUE + i];
        why_not = s->large ? epilogue_set_large_strides(&s->seg, i, stride, s->loops.naxes)
                           : epilogue_set_strides(&s->seg, i, stride, s->loops.naxes);
        if (why_not) return why_not;
    }
    return NULL;
}

bool ew_needs_layout(int variant) {
    return variants[variant].plan == ew_plan_dense || variants[variant].plan == ew_plan_tile;
}

/* The axis along which the source is contiguous, if that is not the last one; else -1. */
static int tile_axis(const ew_loops_t *l) {
    int last = l->naxes - 1;
    if (l->stride[EW_DST][last] != 1 || l->stride[EW_SRC][last] <= 1) return -1;
    for (int i = 0; i < last; i++)
        if (l->stride[EW_SRC][i] == 1 &&
                (l->limit_of[i] < 0 || l->limit_of[i] != l->limit_of[last]))
            return i;
    return -1;
}

/* A work-item writes whole bytes: those of 4-bit elements hold two neighbours along the last
 * loop. */
static bool shares_bytes(const step_t *s) {
    const ew_loops_t *l = &s->loops;
    if (!dt_is_nibble(s->dst.md->data_type) || l->stride[EW_DST][l->naxes - 1] % 2 == 0)
        return false;
    for (int i = 0; i < l->naxes - 1; i++)
        if (l->stride[EW_DST][i] % 2) return true;
    return false;
}

/* Tiles that a sub-group takes where there are enough. */
enum { SG_TILES = 4 };

static const char *contiguous_can(const step_t *s) {
    const ew_loops_t *l = &s->loops;
    const int last = l->naxes - 1;
    if (s->runtime) return "the layout is not known before execution";
    if (l->nlimits) return "the destination is padded";
    if (l->stride[EW_DST][last] != 1 || l->stride[EW_SRC][last] > 1 || l->stride[EW_SRC][last] < 0)
        return "the last loop is not contiguous";
    if (last > 0 && l->axis[last].size < SG_LANES) return "the last loop is short";
    if (dt_is_nibble(s->dst.md->data_type)) return "two elements share a byte";
    if (epilogue_is_random(&s->seg)) return "it has neither dropout nor stochastic rounding";
    int64_t pieces = div_up(l->axis[last].size, SG_TILE);
    for (int i = 0; i < last; i++)
        if (!mul_ok(pieces, l->axis[i].size, &pieces) || pieces > INT32_MAX / 2)
            return "there are too many rows";
    return l->axis[last].size > INT32_MAX / 2 ? "a loop has more than 2^30 elements" : NULL;
}

static int count_bits(uint32_t mask) {
    int n = 0;
    for (; mask; mask &= mask - 1) n++;
    return n;
}

static uint32_t op_bit(int op) {
    return 1u << (op - OP_BINARY_FIRST);
}

/* Words of the vectors that a lane holds beside what the epilogue needs; 0: there are no
 * registers for both. */
static int transpose_words(const epilogue_segment_t *seg, const caps_t *caps, bool gather) {
    const int functions = count_bits(seg->mask_lo), types = count_bits(seg->dts);
    if (!has_small_registers(caps))
        return functions > 1 || seg->count > 8 || seg->nsrcs > 6 ? 0
               : functions || seg->count > 6                     ? 2
                                                                 : 4;
    if (seg->count == 0) return 2;
    const bool simple = !(seg->mask_hi & ~(op_bit(OP_ADD) | op_bit(OP_MUL) | op_bit(OP_DIV) |
                                                 op_bit(OP_SUB) | op_bit(OP_SUM)));
    return !simple || functions || seg->count > 5 || seg->nsrcs > 5 || types > 3 ? 0
           : gather                                                              ? 2
                                                                                 : 1;
}

static const char *transpose_can(const step_t *s, const caps_t *caps) {
    ew_transpose_t tile;
    if (transpose_words(&s->seg, caps, false) == 0)
        return "the epilogue leaves no registers for tiles";
    if (s->runtime) return "the layout is not known before execution";
    if (epilogue_is_random(&s->seg)) return "it has neither dropout nor stochastic rounding";
    return ew_transpose_of(
            &tile, &s->loops, s->src.md->data_type, s->dst.md->data_type, s->seg.count == 0);
}

/* What every variant checks. */
static const char *step_can(const step_t *s, int variant) {
    const variant_t *v = &variants[variant];
    const bool large_strides = v->target == TARGET_PORTABLE && v->plan == ew_plan_strided;
    if (shares_bytes(s)) return "two rows of 4-bit elements would share a byte";
    if (s->f64 && !v->needs_fp64) return "it has no double arithmetic";
    if (s->large && !large_strides)
        return "a stride of an attribute's source does not fit in 32 bits";
    return NULL;
}

/* For kernels that count the outermost loop in 32 bits. */
static const char *outer_can(const step_t *s) {
    return s->loops.axis[0].size > INT32_MAX / 2 ? "a loop has more than 2^30 elements" : NULL;
}

static uint32_t group_width(const caps_t *caps, uint32_t wanted) {
    uint32_t most = min_i64(caps->max_group_size, caps->max_group_size_xyz[0]);
    while (wanted > 1 && wanted > most) wanted /= 2;
    return wanted;
}

/* Elements for each work-item so that all hardware threads have some. */
static int64_t cpu_block(const caps_t *caps, int64_t nelems) {
    int64_t block = div_up(nelems, groups_wanted(caps, CPU_ITEMS_PER_UNIT));
    return (max_i64(CPU_MIN_BLOCK, min_i64(CPU_MAX_BLOCK, block)) + 63) & ~63;
}

static void emit_types(plan_t *plan, const step_t *s, dnnl_data_type_t src_dt,
        dnnl_data_type_t dst_dt, uint32_t flags) {
    plan_spec(plan, SPEC_SRC_DT, src_dt);
    plan_spec(plan, SPEC_DST_DT, dst_dt);
    plan_spec(plan, SPEC_FLAGS, flags);
    epilogue_specs(&s->seg, plan);
}

static void emit_specs(plan_t *plan, const step_t *s, uint32_t flags) {
    dnnl_data_type_t src_dt = s->src.md->data_type, dst_dt = s->dst.md->data_type;
    /* A copy is a copy of bits: no conversion that would round large integers or lose what a NaN
     * holds. */
    if (src_dt == dst_dt && s->seg.count == 0) {
        if (src_dt == dnnl_s32) src_dt = dst_dt = dnnl_f32;
        else if (dt_bits(src_dt) <= 8) src_dt = dst_dt = dt_is_nibble(src_dt) ? dnnl_u4 : dnnl_u8;
    }
    emit_types(plan, s, src_dt, dst_dt, flags);
}

/* SPECF_STREAM where the destination is large. */
static uint32_t stream_flag(const step_t *s, int64_t nelems) {
    const dnnl_data_type_t dt = s->dst.md->data_type;
    const bool large = !dt_is_nibble(dt) && (uint64_t)nelems * dt_size(dt) >= STREAM_BYTES;
    return large ? SPECF_STREAM : 0;
}

const char *ew_plan_dense(planner_t *planner, int variant) {
    step_t *s = (step_t *)planner;
    plan_t *plan = planner->plan;
    const caps_t *caps = planner->caps;
    REFUSE_IF(step_can(s, variant));
    REFUSE_IF(why_not_dense(&s->loops));
    int64_t nelems = s->loops.axis[0].size;
    bool cpu = variants[variant].target == TARGET_CPU;
    const bool nibbles = dt_is_nibble(s->dst.md->data_type);
    int64_t block = cpu ? cpu_block(caps, nelems) : nibbles ? 2 : 1;
    uint32_t group[3] = {cpu ? 1 : group_width(caps, 256), 1, 1};
    int64_t count = div_up(nelems, block * group[0]);
    if (count > UINT32_MAX) return "there are too many elements";
    plan_step(plan, variant, group, (uint32_t[3]){(uint32_t)count, 1, 1});
    emit_specs(plan, s, cpu ? stream_flag(s, nelems) : 0);
    bind_operand(plan, &s->src);
    bind_operand(plan, &s->dst);
    plan_const(plan, &nelems, sizeof(nelems));
    plan_const(plan, &block, sizeof(block));
    return NULL;
}

static void nd_params(nd_params_t *p, const ew_loops_t *l) {
    memset(p, 0, sizeof(*p));
    p->ndims = l->naxes;
    p->nlimits = l->nlimits;
    p->nrows = 1;
    for (int i = 0; i < l->naxes; i++) {
        p->size[i] = (int32_t)l->axis[i].size;
        p->mult[i] = (int32_t)l->axis[i].mult;
        p->limit_of[i] = (signed char)l->limit_of[i];
        p->src_stride[i] = l->stride[EW_SRC][i];
        p->dst_stride[i] = l->stride[EW_DST][i];
        if (i < l->naxes - 1) p->nrows *= l->axis[i].size;
    }
    for (int i = 0; i < l->nlimits; i++) {
        p->limit[i] = l->limit[i];
        p->skip[i] = l->skip[i];
    }
}

/* The epilogue's sources follow loops that were moved. */
static void follow_loops(step_t *s) {
    for (int i = 0; i < s->seg.nsrcs; i++)
        epilogue_set_strides(&s->seg, i, s->loops.stride[EW_EPILOGUE + i], s->loops.naxes);
}

/* All loops but the two of the tile are rows. */
const char *ew_plan_tile(planner_t *planner, int variant) {
    step_t *s = (step_t *)planner;
    plan_t *plan = planner->plan;
    const caps_t *caps = planner->caps;
    REFUSE_IF(step_can(s, variant));
    if (tile_axis(&s->loops) < 0) return "nothing is to be transposed";
    REFUSE_IF(outer_can(s));
    nd_params_t p;
    ew_loops_move(&s->loops, tile_axis(&s->loops), s->loops.naxes - 2);
    follow_loops(s);
    nd_params(&p, &s->loops);
    int64_t len = p.size[p.ndims - 1], len2 = p.size[p.ndims - 2];
    p.nrows /= len2;
    int64_t block = cpu_block(caps, len * len2 * p.nrows);
    p.chunk = (int32_t)min_i64((len + 15) & ~15, len2 <= TILE_SHORT_LINE ? 256 : 64);
    p.chunk2 = (int32_t)min_i64((len2 + 15) & ~15, max_i64(64, block / p.chunk & ~15));
    p.rows_per_item = (int32_t)max_i64(1, min_i64(block / (len * len2), p.nrows));
    int64_t count[3] = {
            div_up(len, p.chunk), div_up(len2, p.chunk2), div_up(p.nrows, p.rows_per_item)};
    if (count[2] > UINT32_MAX) return "there are too many elements";
    plan_step(plan, variant, (uint32_t[3]){1, 1, 1},
            (uint32_t[3]){(uint32_t)count[0], (uint32_t)count[1], (uint32_t)count[2]});
    emit_specs(plan, s, stream_flag(s, len * len2 * p.nrows) | (p.nlimits ? SPECF_PADDED : 0));
    bind_operand(plan, &s->src);
    bind_operand(plan, &s->dst);
    plan_const(plan, &p, sizeof(p));
    return NULL;
}

/* NULL, or why tiles in local memory do not pay. */
static const char *local_can(const step_t *s, int variant) {
    enum { SHORTEST = 32 }; /* elements; with fewer, most of a tile is empty */
    const ew_loops_t *l = &s->loops;
    const int across = tile_axis(l);
    if (s->runtime) return "the layout is not known before execution";
    if (l->nlimits) return "the destination is padded";
    if (across < 0) return "nothing is to be transposed";
    if (epilogue_is_random(&s->seg)) return "it has neither dropout nor stochastic rounding";
    if (dt_bits(s->src.md->data_type) < 16 || dt_bits(s->dst.md->data_type) < 16)
        return "elements have less than two bytes";
    if (s->planner.caps->max_group_size < LOCAL_ITEMS) return "the device has small work-groups";
    if (variant_is_forced(s->planner.pd, variant)) return NULL;
    const bool is_short = min_i64(l->axis[across].size, l->axis[l->naxes - 1].size) < SHORTEST;
    return is_short ? "a loop of the tile is short" : NULL;
}

const char *ew_plan_local(planner_t *planner, int variant) {
    step_t *s = (step_t *)planner;
    plan_t *plan = planner->plan;
    REFUSE_IF(step_can(s, variant));
    REFUSE_IF(outer_can(s));
    REFUSE_IF(local_can(s, variant));
    nd_params_t p;
    ew_loops_move(&s->loops, tile_axis(&s->loops), s->loops.naxes - 2);
    follow_loops(s);
    nd_params(&p, &s->loops);
    const int64_t len = p.size[p.ndims - 1], width = p.size[p.ndims - 2];
    const int64_t tiles = div_up(len, LOCAL_SIDE) * div_up(width, LOCAL_SIDE);
    p.nrows /= width;
    if (tiles > INT32_MAX || p.nrows > LOCAL_MOST_ROWS) return "there are too many tiles";
    plan_step(plan, variant, (uint32_t[3]){LOCAL_ITEMS, 1, 1},
            (uint32_t[3]){(uint32_t)tiles, (uint32_t)p.nrows, 1});
    emit_specs(plan, s, 0);
    bind_operand(plan, &s->src);
    bind_operand(plan, &s->dst);
    plan_const(plan, &p, sizeof(p));
    return NULL;
}

const char *ew_plan_strided(planner_t *planner, int variant) {
    step_t *s = (step_t *)planner;
    plan_t *plan = planner->plan;
    const caps_t *caps = planner->caps;
    REFUSE_IF(step_can(s, variant));
    REFUSE_IF(outer_can(s));
    nd_params_t p;
    nd_params(&p, &s->loops);
    int64_t len = s->loops.axis[s->loops.naxes - 1].size;
    uint32_t group[3] = {1, 1, 1};
    if (variants[variant].target == TARGET_CPU) {
        int64_t block = cpu_block(caps, len * p.nrows);
        p.chunk = (int32_t)min_i64(block, (len + 15) & ~15);
        p.rows_per_item = (int32_t)max_i64(1, min_i64(block / len, p.nrows));
    } else {
        bool long_rows =
                s->runtime || len > 8; /* a new plan for run-time dims keeps the group size */
        group[0] = group_width(caps, long_rows ? 64 : 8);
        group[1] = long_rows ? 1 : group_width(caps, 64) / group[0];
        p.chunk = dt_is_nibble(s->dst.md->data_type) ? 2 : 1;
        p.rows_per_item = (int32_t)max_i64(1, div_up(p.nrows, INT32_MAX));
    }
    int64_t x = div_up(len, (int64_t)p.chunk * group[0]),
            y = div_up(p.nrows, (int64_t)p.rows_per_item * group[1]);
    if (x > UINT32_MAX || y > UINT32_MAX) return "there are too many elements";
    plan_step(plan, variant, group, (uint32_t[3]){(uint32_t)x, (uint32_t)y, 1});
    emit_specs(plan, s, p.nlimits || s->runtime ? SPECF_PADDED : 0);
    bind_operand(plan, &s->src);
    bind_operand(plan, &s->dst);
    plan_const(plan, &p, sizeof(p));
    return NULL;
}

const char *ew_plan_contiguous(planner_t *planner, int variant) {
    step_t *s = (step_t *)planner;
    plan_t *plan = planner->plan;
    const caps_t *caps = planner->caps;
    REFUSE_IF(step_can(s, variant));
    REFUSE_IF(contiguous_can(s));
    nd_params_t p;
    nd_params(&p, &s->loops);
    const int64_t len = p.size[p.ndims - 1], tiles = p.nrows * div_up(len, SG_TILE);
    const bool many = tiles >= groups_wanted(caps, 2 * SG_TILES);
    p.chunk = SG_TILE * (many ? SG_TILES : 1);
    const uint32_t group = group_width(caps, SG_LANES * SG_GROUPS);
    const int64_t count = div_up(p.nrows * div_up(len, p.chunk), group / SG_LANES);
    plan_step(plan, variant, (uint32_t[3]){group, 1, 1}, (uint32_t[3]){(uint32_t)count, 1, 1});
    const bool broadcast = p.src_stride[p.ndims - 1] == 0,
               whole = !s->seg.nsrcs && are_tiles_whole(planner, &p, &s->src, &s->dst);
    emit_specs(plan, s, broadcast ? SPECF_BROADCAST : 0);
    plan_spec(plan, SPEC_SG_LOOPS, (uint32_t)(p.ndims - 1));
    whole_tiles_spec(plan, whole);
    bind_whole_tiles(plan, &s->src, whole && !broadcast);
    bind_whole_tiles(plan, &s->dst, whole);
    plan_const(plan, &p, sizeof(p));
    return NULL;
}

const char *ew_plan_transpose(planner_t *planner, int variant) {
    step_t *s = (step_t *)planner;
    plan_t *plan = planner->plan;
    const caps_t *caps = planner->caps;
    REFUSE_IF(step_can(s, variant));
    REFUSE_IF(transpose_can(s, planner->caps));
    nd_params_t p;
    ew_transpose_t tile;
    const char *why_not = ew_transpose_of(
            &tile, &s->loops, s->src.md->data_type, s->dst.md->data_type, s->seg.count == 0);
    if (why_not) return why_not;
    const uint32_t group = group_width(caps, SG_LANES * SG_GROUPS);
    const int64_t count = div_up(tile.items, group / SG_LANES);
    const int in_tile = tile.part < 0 ? 2 : 3;
    ew_transpose_order(&tile, &s->loops);
    follow_loops(s);
    nd_params(&p, &s->loops);
    p.chunk = (int32_t)tile.part_tiles;
    p.chunk2 = tile.span;
    p.rows_per_item = (int32_t)tile.vec_tiles;
    p.nrows = 1;
    for (int i = 0; i < p.ndims - in_tile; i++) p.nrows *= p.size[i];
    plan_step(plan, variant, (uint32_t[3]){group, 1, 1}, (uint32_t[3]){(uint32_t)count, 1, 1});
    const uint32_t flags = (p.nlimits ? SPECF_PADDED : 0) | (tile.gather ? SPECF_GATHER : 0) |
                           (tile.part < 0 ? SPECF_WHOLE : 0) |
                           (tile.combined > 1 ? SPECF_COMBINED : 0);
    if (tile.copied_as != dnnl_data_type_undef)
        emit_types(plan, s, tile.copied_as, tile.copied_as, flags);
    else emit_specs(plan, s, flags);
    plan_spec(plan, SPEC_SG_LOOPS, (uint32_t)(p.ndims - in_tile));
    const int words = (int)min_i64(tile.words, transpose_words(&s->seg, caps, tile.gather));
    plan_spec(plan, SPEC_TRANSPOSE_WORDS, (uint32_t)words);
    const bool whole = tile.part < 0 && tile.combined <= 1 && !s->seg.nsrcs &&
                       are_vectors_whole(planner, &p, &s->src, &s->dst, tile.gather, words);
    whole_tiles_spec(plan, whole);
    bind_whole_tiles(plan, &s->src, whole);
    bind_whole_tiles(plan, &s->dst, whole);
    plan_const(plan, &p, sizeof(p));
    return NULL;
}

/* ---- all steps ---- */

bool ew_exact_integers(const pd_t *pd, const caps_t *caps) {
    if (!caps->has_fp64 || pd_md(pd, pd_result(pd))->data_type != dnnl_s32) return false;
    for (int i = 0; i < pd->request.ntensors; i++)
        if (pd->request.tensor[i].flags & PD_IN && pd->request.tensor[i].md->data_type == dnnl_s32)
            return true;
    return false;
}

int ew_steps(const epilogue_t *epilogue, int first) {
    int n = 0;
    do {
        epilogue_segment_t seg;
        epilogue_segment(&seg, epilogue, first);
        first += seg.count;
        n++;
    } while (first < epilogue->len);
    return n;
}

dnnl_data_type_t epilogue_scratch_type(const epilogue_t *epilogue, const md_t *dst) {
    bool doubles = epilogue->f64 || dst->data_type == dnnl_f64;
    for (int i = 0; i < epilogue->len; i++) {
        const epilogue_op_t *op = &epilogue->op[i];
        doubles = doubles || (op->src.kind == SOURCE_TENSOR && op->src.dt == dnnl_f64) ||
                  (op->cond.kind == SOURCE_TENSOR && op->cond.dt == dnnl_f64);
    }
    return doubles ? dnnl_f64 : dnnl_f32;
}

dnnl_status_t ew_scratch_md(md_t *md, const epilogue_t *epilogue, const md_t *dst) {
    return md_init_strides(md, dst->ndims, dst->dims, epilogue_scratch_type(epilogue, dst), NULL);
}

/* NULL, or why the variant cannot run it; then nothing has been written. The loops may have
 * another order. */
static const char *write_step(step_t *s, int variant) {
    const plan_mark_t before = plan_mark(s->planner.plan);
    const char *why_not = variants[variant].plan(&s->planner, variant);
    if (!why_not) {
        epilogue_args(&s->seg, s->planner.pd, s->planner.mds, s->planner.plan);
        return NULL;
    }
    plan_rewind(s->planner.plan, before);
    return why_not;
}

static const char *write_best(step_t *s) {
    for (int v = 0; v < variant_count; v++)
        if (!strcmp(variants[v].family, ELEMENTWISE_FAMILY) &&
                variant_runs_on(&variants[v], s->planner.caps) && !write_step(s, v))
            return NULL;
    return "no kernel can run a step of the attributes";
}

const char *ew_step(planner_t *p, int variant, const epilogue_t *epilogue, int *first,
        const operand_t *src, const operand_t *dst) {
    step_t s;
    REFUSE_IF(step_init(&s, p, epilogue, *first, src, dst));
    REFUSE_IF(variant >= 0 ? write_step(&s, variant) : write_best(&s));
    *first += s.seg.count;
    return NULL;
}

const char *ew_plan(planner_t *p, int variant, const epilogue_t *epilogue, int first,
        const operand_t *src, const operand_t *dst, const operand_t *between) {
    if (md_has_zero_dim(dst->md)) return NULL; /* nothing to do */
    for (bool last = false; !last; src = between) {
        epilogue_segment_t seg;
        epilogue_segment(&seg, epilogue, first);
        last = first + seg.count >= epilogue->len;
        const operand_t *to = last ? dst : between;
        const char *why_not = "";
        if (variant >= 0) why_not = ew_step(p, variant, epilogue, &first, src, to);
        if (why_not && why_not != no_memory) why_not = ew_step(p, -1, epilogue, &first, src, to);
        if (why_not) return why_not;
    }
    return NULL;
}

const char *ew_copy(planner_t *p, int variant, const operand_t *src, const operand_t *dst) {
    epilogue_t none;
    epilogue_init(&none);
    return ew_plan(p, variant, &none, 0, src, dst, dst);
}

static bool is_to_be_zero(const pd_arg_t *arg) {
    return arg->flags & PD_OUT && !md_is_zero(&arg->md) && !md_has_zero_dim(&arg->md);
}

/* No value is less than itself. */
static const char *plan_zeros(planner_t *p, int variant) {
    for (int i = 0; i < p->pd->nargs; i++) {
        if (!is_to_be_zero(&p->pd->args[i])) continue;
        const operand_t output = operand_at(p, i);
        epilogue_t epilogue;
        epilogue_init(&epilogue);
        epilogue_add_tensor(&epilogue, p->pd, OP_LT, i);
        REFUSE_IF(ew_plan(p, variant, &epilogue, 0, &output, &output, &output));
    }
    return NULL;
}

dnnl_status_t ew_zero_outputs(pd_t *pd, const caps_t *caps) {
    bool any = false;
    for (int i = 0; i < pd->nargs; i++) any = any || is_to_be_zero(&pd->args[i]);
    if (!any) return nothing_to_do(pd);
    planner_t planner = planner_of(pd, caps);
    TRY(plan_best(&planner, pd, ELEMENTWISE_FAMILY, plan_zeros));
    name_variant(pd);
    return planner_finish(&planner, pd);
}
