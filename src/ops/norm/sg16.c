/* SPDX-License-Identifier: Apache-2.0 */
/* Group and batch normalization in the variants for sub-groups of 16: in one step where what a
 * mean is taken over stays in registers; else from statistics that are given, or that steps of
 * their own have found. */
#include "core/status.h"
#include "core/util.h"
#include "ops/norm/norm.h"
#include "ops/norm/sg16_shape.h"
#include "plan/op.h"
#include "plan/variant.h"
#include "plan/variant_id.h"
#include "plan/variant_planners.h"
#include "steps/reduction_rows.h"

/* Sub-groups of a work-group that finds or uses statistics of a part of a row, and tiles that
 * each reads. */
enum { PART_GROUPS = 8, PART_TILES = 8 };
/* Work-groups for each hardware thread: those that use statistics, and those that find them. */
enum { GROUPS_PER_UNIT = 2, PARTS_PER_UNIT = 4 };

/* How a step is divided. */
typedef struct {
    int64_t groups;   /* sub-groups that cooperate on one row */
    int64_t tiles;    /* tiles that each keeps in registers; 0: none */
    int64_t chunk;    /* pieces of a row that a work-group does */
    int64_t in_group; /* rows of a work-group */
} division_t;

typedef struct {
    norm_t *n;
    sg_norm_t shape;
    int variant;
} sg16_t;

static const operand_t none = {NULL, -1, 0};

static void emit(sg16_t *x, const division_t *by, int flags, const operand_t *parts) {
    norm_t *n = x->n;
    sg_norm_t *s = &x->shape;
    plan_t *plan = n->planner.plan;
    const bool apply = !(flags & NORM_PARTS), statistics = flags & (NORM_GIVEN | NORM_SAVE);
    const operand_t scale = apply ? norm_argument(n, DNNL_ARG_SCALE) : none;
    const operand_t shift = apply ? norm_argument(n, DNNL_ARG_SHIFT) : none;
    epilogue_segment_t seg = s->seg;
    if (!apply) {
        epilogue_t empty;
        epilogue_init(&empty);
        epilogue_segment(&seg, &empty, 0);
    }
    if (scale.md) flags |= NORM_SCALE;
    if (shift.md) flags |= NORM_SHIFT;
    if (apply && s->same) flags |= NORM_SAME;
    if (apply && s->along) flags |= NORM_ALONG;
    s->p.chunk = (int32_t)by->chunk;
    plan_step(plan, x->variant,
            (uint32_t[3]){(uint32_t)(SG_LANES * by->groups * by->in_group), 1, 1},
            (uint32_t[3]){(uint32_t)div_up(s->items, by->in_group),
                    (uint32_t)div_up(s->p.pieces, by->chunk), 1});
    plan_spec(plan, SPEC_SRC_DT, n->src.md->data_type);
    plan_spec(plan, SPEC_DST_DT, apply ? n->dst.md->data_type : dnnl_f32);
    epilogue_specs(&seg, plan);
    sg_specs(plan, s->kept, by->groups, by->tiles);
    plan_spec(plan, SPEC_SG_PIECE, (uint32_t)(s->size / SG_LANES));
    plan_spec(plan, SPEC_NORM_FLAGS, (uint32_t)flags);
    norm_bind(n, &n->src);
    norm_bind(n, apply ? &n->dst : &none);
    norm_bind(n, statistics ? &n->mean : &none);
    norm_bind(n, statistics ? &n->variance : &none);
    norm_bind(n, &scale);
    norm_bind(n, &shift);
    norm_bind(n, parts ? parts : &none);
    plan_const(plan, &s->p, sizeof(s->p));
    epilogue_args(&seg, n->planner.pd, NULL, plan);
}

/* ---- rows that stay in registers ---- */

static void one_step(sg16_t *x) {
    const sg_norm_t *s = &x->shape;
    const caps_t *caps = x->n->planner.caps;
    const int64_t groups = sg_power_of_2(div_up(s->tiles, s->keep));
    const bool many = groups == 1 && s->items >= groups_wanted(caps, SG_ROWS);
    const division_t by = {.groups = groups,
            .tiles = sg_power_of_2(div_up(s->tiles, groups)),
            .chunk = s->p.pieces,
            .in_group = many ? sg_most_groups(caps, SG_ROWS) : 1};
    emit(x, &by, norm_saves(x->n->planner.pd) ? NORM_SAVE : 0, NULL);
}

/* ---- statistics that are given, or found before ---- */

/* Enough work-groups for all threads of the device; each sub-group has `least` tiles or more. */
static division_t divide_parts(const sg16_t *x, int64_t least) {
    const sg_norm_t *s = &x->shape;
    const caps_t *caps = x->n->planner.caps;
    const int64_t pieces_in_tile = SG_TILE / s->size;
    division_t by = {.groups = min_i64(s->most, PART_GROUPS), .in_group = 1};
    while (by.groups > 1 && by.groups * least / 2 >= s->tiles) by.groups /= 2;
    const int64_t wanted = groups_wanted(caps, GROUPS_PER_UNIT);
    const int64_t tiles = div_up(s->tiles * s->items, wanted);
    by.chunk = pieces_in_tile * by.groups * max_i64(least, min_i64(tiles, PART_TILES));
    by.chunk = min_i64(by.chunk, s->p.pieces);
    if (by.groups == 1 && s->items >= wanted) by.in_group = sg_most_groups(caps, SG_ROWS);
    return by;
}

static void use_statistics(sg16_t *x) {
    const division_t by = divide_parts(x, 1);
    emit(x, &by, NORM_GIVEN, NULL);
}

/* Parts of rows, as many as the device has threads for. */
static division_t divide_readings(const sg16_t *x) {
    const sg_norm_t *s = &x->shape;
    division_t by = divide_parts(x, PART_TILES / 2);
    const int64_t in_step =
            SG_TILE / s->size * by.groups; /* pieces that the work-group reads at once */
    const int64_t wanted =
            div_up(groups_wanted(x->n->planner.caps, PARTS_PER_UNIT), s->items * by.groups);
    const int64_t most = max_i64(1, min_i64(wanted, NORM_MAX_PARTS));
    by.chunk = max_i64(by.chunk, div_up(div_up(s->p.pieces, most), in_step) * in_step);
    by.in_group = 1;
    return by;
}

/* Joins the statistics of the parts. */
static void join(sg16_t *x, int64_t chunks, const operand_t *parts) {
    norm_t *n = x->n;
    const norm_params_t *p = &x->shape.p;
    const norm_join_t params = {p->stats / p->share, (int32_t)chunks, p->share};
    const int64_t in_group = sg_most_groups(n->planner.caps, SG_ROWS);
    plan_t *plan = n->planner.plan;
    const int variant = variants[x->variant].target == TARGET_GROUP ? KERNEL_norm_join_group
                                                                    : KERNEL_norm_join_sg16;
    plan_step(plan, variant, (uint32_t[3]){(uint32_t)(SG_LANES * in_group), 1, 1},
            (uint32_t[3]){(uint32_t)div_up(params.stats, in_group), 1, 1});
    norm_bind(n, parts);
    norm_bind(n, &n->mean);
    norm_bind(n, &n->variance);
    plan_const(plan, &params, sizeof(params));
}

/* The source is read twice: for statistics, and for what uses them. */
static const char *two_readings(sg16_t *x) {
    enum { STATISTICS = 3 }; /* of a part: count, mean, sum of squares */
    norm_t *n = x->n;
    planner_t *p = &n->planner;
    const norm_params_t *shape = &x->shape.p;
    division_t by = divide_readings(x);
    const int64_t chunks = div_up(shape->pieces, by.chunk);
    const bool save = norm_saves(p->pd);
    if (chunks == 1 && shape->share == 1) { /* there are rows for all threads */
        by = (division_t){.groups = x->shape.most, .chunk = shape->pieces, .in_group = 1};
        emit(x, &by, save ? NORM_SAVE : 0, NULL);
        return NULL;
    }
    md_t parts_md;
    operand_t parts;
    REFUSE_IF(operand_array(p, &parts, &parts_md, STATISTICS * chunks * shape->stats, dnnl_f32));
    if (!save) {
        const int64_t stats = shape->stats / shape->share;
        REFUSE_IF(operand_array(p, &n->mean, &n->mean_md, stats, dnnl_f32));
        REFUSE_IF(operand_array(p, &n->variance, &n->variance_md, stats, dnnl_f32));
    }
    emit(x, &by, NORM_PARTS, &parts);
    join(x, chunks, &parts);
    use_statistics(x);
    return NULL;
}

/* ---- all of it ---- */

/* A work-group for each so many lanes of the device, which is a multiprocessor or more; all of them
 * have the same number of means, up to one. 0: half of the device would have none. */
static int64_t slab_groups(const caps_t *caps, int64_t means) {
    enum { LANES = 1024 };
    const int64_t lanes = groups_wanted(caps, 1) * max_i64(caps->simd_width, 1),
                  most = max_i64(1, lanes / LANES);
    return 2 * means < most ? 0 : div_up(means, div_up(means, most));
}

static const char *check_slab(const sg_norm_t *s, const norm_t *n, bool forced) {
    const nd_params_t *nd = &s->p.nd;
    const int images = s->kept + 1;
    if (norm_given(n->planner.pd)) return "mean and variance are given";
    if (s->columns || s->along || !s->same) return "means lie along the contiguous loop";
    if (s->seg.count) return "it has no epilogue";
    if (n->src.md->data_type != dnnl_f32 || n->dst.md->data_type != dnnl_f32)
        return "the tensors are not f32";
    if (nd->size[s->kept] != 1) return "a mean has several loops";
    bool whole = nd->size[images + 1] % 4 == 0;
    for (int i = 0; i <= images; i++) whole &= (nd->src_stride[i] | nd->dst_stride[i]) % 4 == 0;
    if (!whole) return "rows are not of whole vectors";
    if (!forced && sg_norm_is_kept(s)) return "what a mean is taken over stays in registers";
    if (n->planner.caps->max_group_size < SLAB_ITEMS) return "the device has small work-groups";
    return (int64_t)nd->size[images] * nd->size[images + 1] > INT32_MAX / 2
                   ? "there are too many rows"
                   : NULL;
}

/* Both readings in one step. */
const char *norm_plan_slab(planner_t *p, int variant) {
    norm_t *n = (norm_t *)p;
    sg16_t x = {.n = n, .variant = variant};
    sg_norm_t *s = &x.shape;
    epilogue_t epilogue;
    const bool forced = variant_is_forced(p->pd, variant);
    if (norm_has_late_post_ops(p->pd)) return "post-ops follow a relu that the workspace remembers";
    epilogue_init(&epilogue);
    p->pd->op->make_epilogue(p->pd, &epilogue);
    REFUSE_IF(sg_norm_init(s, p, &epilogue, p->pd->params.groups));
    REFUSE_IF(check_slab(s, n, forced));
    const int64_t groups = slab_groups(p->caps, s->items);
    if (!groups && !forced) return "there are few means";
    n->mean = norm_argument(n, DNNL_ARG_MEAN);
    n->variance = norm_argument(n, DNNL_ARG_VARIANCE);
    s->items = groups ? groups : 1;
    const division_t by = {.groups = SLAB_ITEMS / SG_LANES, .chunk = s->p.pieces, .in_group = 1};
    emit(&x, &by, norm_saves(p->pd) ? NORM_SAVE : 0, NULL);
    return norm_fill_workspace(n, &n->dst);
}

/* The primitive with its whole epilogue. Batch normalization has no groups. */
static const char *plan_rows(
        norm_t *n, int variant, const epilogue_t *epilogue, dnnl_dim_t groups) {
    sg16_t x = {.n = n, .variant = variant};
    const sg_norm_t *s = &x.shape;
    REFUSE_IF(sg_norm_init(&x.shape, &n->planner, epilogue, groups));
    if (s->columns != variants[variant].geometry.columns)
        return s->columns ? "means lie along the contiguous loop"
                          : "means are computed over the contiguous loop";
    n->mean = norm_argument(n, DNNL_ARG_MEAN);
    n->variance = norm_argument(n, DNNL_ARG_VARIANCE);
    if (!norm_given(n->planner.pd) && (!sg_norm_is_kept(s) || s->p.share > 1))
        return two_readings(&x);
    if (norm_given(n->planner.pd)) use_statistics(&x);
    else one_step(&x);
    return NULL;
}

const char *norm_plan_rows(planner_t *p, int variant) {
    norm_t *n = (norm_t *)p;
    epilogue_t epilogue;
    if (norm_has_late_post_ops(p->pd)) return "post-ops follow a relu that the workspace remembers";
    epilogue_init(&epilogue);
    p->pd->op->make_epilogue(p->pd, &epilogue);
    REFUSE_IF(plan_rows(n, variant, &epilogue, p->pd->params.groups));
    return norm_fill_workspace(n, &n->dst);
}
