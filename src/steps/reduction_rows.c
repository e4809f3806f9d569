/* SPDX-License-Identifier: Apache-2.0 */
/* How tensors are cut into rows, and rows into work-items. */
#include "steps/reduction_rows.h"

#include <string.h>

#include "core/direction.h"
#include "core/status.h"
#include "core/util.h"
#include "kernels/lib/spec.h"
#include "plan/device.h"
#include "plan/variant.h"
#include "steps/loops.h"

/* Work-items for each hardware thread of a CPU. They are few, because each has memory of its own
 * between two passes over a row: all of it together shall stay in the caches. */
enum { ITEMS_PER_UNIT = 16 };
/* Elements that make it worth to start a work-item. */
enum { MIN_ITEM = 4096 };
/* Columns next to each other that are worth a sub-group's lanes. */
enum { MIN_COLUMNS = SG_LANES / 2 };

/* What the first pass over a row reads. */
static const md_t *source_of(const pd_t *pd) {
    const bool forward = direction_of(pd->params.prop_kind) == DIRECTION_FORWARD;
    return pd_md(pd, forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST);
}

/* *stat_at: the place of stat among the tensors of the loops. */
static const char *find_loops(ew_loops_t *l, rows_t *r, const pd_t *pd, const epilogue_t *epilogue,
        const md_t *stat, int *stat_at) {
    const md_t *src = source_of(pd), *dst = pd_md(pd, pd_result(pd));
    memset(r, 0, sizeof(*r));
    epilogue_segment(&r->seg, epilogue, 0);
    if (r->seg.count < epilogue->len || r->seg.nsrcs == PO_MAX_SRCS)
        return "the epilogue is too long";
    if ((r->seg.dts | 1u << src->data_type | 1u << dst->data_type) & 1u << dnnl_f64)
        return "it has no double arithmetic";
    const md_t *md[EW_MAX_TENSORS] = {[EW_SRC] = src, [EW_DST] = dst};
    md_t made_up[PO_MAX_SRCS];
    int n = EW_EPILOGUE;
    for (int i = 0; i < r->seg.nsrcs; i++)
        md[n++] = epilogue_source_md(&r->seg, i, pd, NULL, &made_up[i]);
    *stat_at = n;
    md[n++] = stat;
    REFUSE_IF(ew_loops(l, NULL, NULL, md, n, false));
    if (l->nlimits) return "the destination is padded";
    return l->naxes > PAR_MAX_DIMS ? "the layouts need too many loops" : NULL;
}

/* The rows lie along the loop `axis`. All loops but the last `inner` count rows. */
static const char *set_rows(rows_t *r, const ew_loops_t *l, int stat_at, int inner, int axis) {
    r->p.ndims = l->naxes;
    r->p.nrows = 1;
    for (int i = 0; i < l->naxes; i++) {
        if (l->axis[i].size > INT32_MAX / 2) return "a loop has more than 2^30 elements";
        if (i != axis && l->stride[stat_at][i] == 0) return "the axis is more than one loop";
        r->p.size[i] = (int32_t)l->axis[i].size;
        r->p.src_stride[i] = l->stride[EW_SRC][i];
        r->p.dst_stride[i] = l->stride[EW_DST][i];
        r->stat_stride[i] = l->stride[stat_at][i];
        if (i < l->naxes - inner) r->p.nrows *= l->axis[i].size;
    }
    for (int i = 0; i < r->seg.nsrcs; i++)
        REFUSE_IF(epilogue_set_strides(&r->seg, i, l->stride[EW_EPILOGUE + i], l->naxes));
    r->len = l->axis[axis].size;
    return NULL;
}

/* Can sub-groups of 16 store the destination and count the rows? */
static const char *sub_groups_can(const rows_t *r, const pd_t *pd) {
    if (dt_is_nibble(pd_md(pd, pd_result(pd))->data_type)) return "two elements share a byte";
    if (epilogue_is_random(&r->seg)) return "it has neither dropout nor stochastic rounding";
    int64_t rows = r->p.nrows;
    if (r->width && !mul_ok(rows, div_up(r->width, SG_LANES), &rows)) rows = INT64_MAX;
    return rows > INT32_MAX ? "there are too many rows" : NULL;
}

const char *columns_init(
        rows_t *r, const planner_t *p, const epilogue_t *epilogue, const md_t *stat) {
    ew_loops_t l;
    int stat_at, axis = 0;
    REFUSE_IF(find_loops(&l, r, p->pd, epilogue, stat, &stat_at));
    const int last = l.naxes - 1;
    while (axis < last && l.stride[stat_at][axis] != 0) axis++;
    if (axis == last || l.stride[EW_SRC][last] != 1 || l.stride[EW_DST][last] != 1)
        return "no loop beside the axis is contiguous";
    if (l.axis[last].size < MIN_COLUMNS) return "the last loop is short";
    ew_loops_move(&l, axis, l.naxes - 2);
    r->width = l.axis[last].size;
    REFUSE_IF(set_rows(r, &l, stat_at, 2, last - 1));
    return sub_groups_can(r, p->pd);
}

const char *rows_init(
        rows_t *r, const planner_t *p, int variant, const epilogue_t *epilogue, const md_t *stat) {
    ew_loops_t l;
    int stat_at;
    REFUSE_IF(find_loops(&l, r, p->pd, epilogue, stat, &stat_at));
    const int last = l.naxes - 1;
    if (l.stride[EW_SRC][last] != 1 || l.stride[EW_DST][last] != 1 || l.stride[stat_at][last] != 0)
        return "the axis is not contiguous";
    REFUSE_IF(set_rows(r, &l, stat_at, 1, last));
    const int64_t items = groups_wanted(p->caps, ITEMS_PER_UNIT);
    const int64_t rows = max_i64(div_up(r->p.nrows, items), div_up(MIN_ITEM, r->len));
    if (rows > INT32_MAX) return "there are too many rows";
    r->p.rows_per_item = (int32_t)min_i64(rows, r->p.nrows);
    r->items = (uint32_t)div_up(r->p.nrows, r->p.rows_per_item);
    r->tensors = 1;
    r->stream = md_size(pd_md(p->pd, pd_result(p->pd)), 0) >= STREAM_BYTES && !r->seg.nsrcs;
    return variant_has_lanes(&variants[variant]) ? sub_groups_can(r, p->pd) : NULL;
}

int64_t sg_power_of_2(int64_t at_least) {
    int64_t n = 1;
    while (n < at_least) n *= 2;
    return n;
}

/* Work-items of a group where work-items stand for lanes: their registers fit there on every GPU,
 * which larger groups of the same kernels do not. */
enum { MOST_ITEMS = 256 };

int64_t sg_most_groups(const caps_t *caps, int64_t of) {
    const bool has_lanes = caps->subgroup_sizes & 1u << SG_LANES;
    const int64_t items = min_i64(caps->max_group_size, has_lanes ? INT64_MAX : MOST_ITEMS);
    int64_t most = 1;
    while (2 * most * SG_LANES <= items && most < of) most *= 2;
    return most;
}

int64_t sg_kept_tiles(const caps_t *caps) {
    return has_small_registers(caps) ? SG_MAX_TILES / 2 : SG_MAX_TILES;
}

void sg_specs(plan_t *plan, int64_t loops, int64_t groups, int64_t tiles) {
    plan_spec(plan, SPEC_SG_LOOPS, (uint32_t)loops);
    plan_spec(plan, SPEC_SG_GROUPS, (uint32_t)groups);
    plan_spec(plan, SPEC_SG_TILES, (uint32_t)tiles);
}

/* As few sub-groups as can keep a tile each, up to half of SG_MANY_GROUPS: Intel's driver refuses
 * larger work-groups for a kernel of layer norm. */
static int64_t groups_in_turn(const rows_t *r, const caps_t *caps) {
    const int64_t most = sg_most_groups(caps, SG_MANY_GROUPS / 2);
    return min_i64(sg_power_of_2(div_up(r->len, SG_TILE)), most);
}

void rows_in_turn(rows_t *r, const planner_t *p) {
    const int64_t items = div_up(groups_wanted(p->caps, SG_ROWS), groups_in_turn(r, p->caps));
    const int64_t rows = div_up(r->p.nrows, items);
    r->p.rows_per_item = (int32_t)rows;
    r->items = (uint32_t)div_up(r->p.nrows, rows);
    r->in_turn = true;
}

static void rows_in_turn_step(planner_t *p, int variant, const rows_t *r) {
    const int64_t groups = groups_in_turn(r, p->caps);
    plan_step(p->plan, variant, (uint32_t[3]){(uint32_t)(SG_LANES * groups), 1, 1},
            (uint32_t[3]){r->items, 1, 1});
    sg_specs(p->plan, r->p.ndims - 1, groups, groups * SG_TILE >= r->len);
}

/* As few sub-groups for a row as can keep it in registers; or one for each tile, if the device has
 * a thread for each. Their numbers are powers of two, so that rows of many lengths share a
 * module. */
static void sub_groups_step(planner_t *p, int variant, const rows_t *r) {
    const int64_t all = div_up(r->len, SG_TILE);
    const int64_t most = sg_most_groups(p->caps, SG_MAX_GROUPS),
                  kept = sg_kept_tiles(p->caps) / r->tensors;
    const int64_t each = min_i64(sg_power_of_2(all), most);
    const bool has_threads = each <= groups_wanted(p->caps, 1) / r->p.nrows;
    const int64_t groups = has_threads ? each : min_i64(sg_power_of_2(div_up(all, kept)), most);
    const int64_t tiles = div_up(all, groups);
    /* A work-group has several rows of one sub-group each, where there are enough for all
     * threads. */
    const bool few = groups > 1 || r->p.nrows < groups_wanted(p->caps, SG_ROWS);
    const int64_t rows = few ? 1 : min_i64(SG_ROWS, most);
    plan_step(p->plan, variant, (uint32_t[3]){(uint32_t)(SG_LANES * groups * rows), 1, 1},
            (uint32_t[3]){(uint32_t)div_up(r->p.nrows, rows), 1, 1});
    sg_specs(p->plan, r->p.ndims - 1, groups, tiles > kept ? 0 : sg_power_of_2(tiles));
}

/* How sub-groups share columns. */
typedef struct {
    int64_t size;   /* columns of a sub-group */
    int64_t groups; /* sub-groups that cooperate on them */
    int64_t tiles;  /* that each keeps; 0: the columns do not stay in registers */
} columns_t;

/* As many columns as a cache line has elements; fewer, if only then they stay in registers. */
static columns_t share_columns(const rows_t *r, const pd_t *pd, const caps_t *caps) {
    const int64_t kept = sg_kept_tiles(caps);
    const int64_t bytes = (int64_t)dt_size(pd_md(pd, DNNL_ARG_SRC)->data_type);
    const int64_t line = max_i64(SG_LANES, SG_LINE / max_i64(bytes, 1));
    int64_t size = min_i64(line, sg_power_of_2(max_i64(r->width, SG_LANES)));
    for (;; size /= 2) {
        const int64_t most = min_i64(sg_most_groups(caps, SG_MANY_GROUPS), SG_MAX_COLUMNS / size);
        const int64_t tiles = div_up(r->len, SG_TILE / size);
        const int64_t groups = sg_power_of_2(div_up(tiles, kept));
        if (groups <= most) return (columns_t){size, groups, sg_power_of_2(div_up(tiles, groups))};
        if (size == SG_LANES) return (columns_t){size, min_i64(most, SG_MAX_GROUPS), 0};
    }
}

bool columns_stay(const rows_t *r, const planner_t *p) {
    return share_columns(r, p->pd, p->caps).tiles != 0;
}

static void columns_step(planner_t *p, int variant, const rows_t *r) {
    const columns_t c = share_columns(r, p->pd, p->caps);
    const int64_t blocks = r->p.nrows * div_up(r->width, c.size);
    const bool few = c.groups > 1 || blocks < groups_wanted(p->caps, SG_ROWS);
    const int64_t in_group = few ? 1 : sg_most_groups(p->caps, SG_ROWS);
    plan_step(p->plan, variant, (uint32_t[3]){(uint32_t)(SG_LANES * c.groups * in_group), 1, 1},
            (uint32_t[3]){(uint32_t)div_up(blocks, in_group), 1, 1});
    sg_specs(p->plan, r->p.ndims - 2, c.groups, c.tiles);
    plan_spec(p->plan, SPEC_SG_PIECE, (uint32_t)(c.size / SG_LANES));
}

void rows_step(planner_t *p, int variant, const rows_t *r) {
    if (r->width) columns_step(p, variant, r);
    else if (r->in_turn) rows_in_turn_step(p, variant, r);
    else if (variant_has_lanes(&variants[variant])) sub_groups_step(p, variant, r);
    else plan_step(p->plan, variant, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){r->items, 1, 1});
    plan_spec(p->plan, SPEC_SRC_DT, source_of(p->pd)->data_type);
    plan_spec(p->plan, SPEC_DST_DT, pd_md(p->pd, pd_result(p->pd))->data_type);
    plan_spec(p->plan, SPEC_FLAGS, r->stream ? SPECF_STREAM : 0);
    epilogue_specs(&r->seg, p->plan);
}

bool rows_are_whole(const planner_t *p, int variant, const rows_t *r, const operand_t *src,
        const operand_t *dst) {
    return variant_has_lanes(&variants[variant]) && !r->width && !r->seg.nsrcs &&
           are_tiles_whole(p, &r->p, src, dst);
}
