/* SPDX-License-Identifier: Apache-2.0 */
/* How tensors are cut into rows, and rows into work-items. */
#include "steps/reduction_rows.h"

#include <string.h>

#include "core/util.h"
#include "kernels/lib/spec.h"
#include "steps/loops.h"
#include "plan/variant.h"

/* Few work-items, so that the memory each uses between two passes stays in a cache; elements that make one
 * worth starting; destinations larger than the caches. */
enum { ITEMS_PER_UNIT = 16, MIN_ITEM = 4096, STREAM_BYTES = 16 << 20 };

static const char *find_loops(ew_loops_t *l, rows_t *r, const pd_t *pd, const epilogue_t *chain,
        const md_t *stat, int *stat_at) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *dst = pd_md(pd, DNNL_ARG_DST);
    memset(r, 0, sizeof(*r));
    epilogue_segment(&r->seg, chain, 0);
    if (r->seg.count < chain->len || r->seg.nsrcs == PO_MAX_SRCS)
        return "the chain of post-ops is too long";
    if ((r->seg.dts | 1u << src->data_type | 1u << dst->data_type) & 1u << dnnl_f64)
        return "it has no double arithmetic";
    const md_t *md[EW_MAX_TENSORS] = {[EW_SRC] = src, [EW_DST] = dst};
    md_t made_up[PO_MAX_SRCS];
    int n = EW_CHAIN;
    for (int i = 0; i < r->seg.nsrcs; i++)
        md[n++] = epilogue_source_md(&r->seg, i, pd, NULL, &made_up[i]);
    *stat_at = n;
    md[n++] = stat;
    const char *why_not = ew_loops(l, NULL, NULL, md, n, false);
    if (why_not) return why_not;
    if (l->nlimits) return "the destination is padded";
    return l->naxes > PAR_MAX_DIMS ? "the layouts need too many loops" : NULL;
}

/* All loops but the last `inner` are counted as rows; of the others the one at `axis` is that of the rows. */
static const char *set_rows(rows_t *r, const ew_loops_t *l, int stat_at, int inner, int axis) {
    const char *why_not = NULL;
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
        if ((why_not = epilogue_set_strides(&r->seg, i, l->stride[EW_CHAIN + i], l->naxes)))
            return why_not;
    r->len = l->axis[axis].size;
    return NULL;
}

const char *columns_init(rows_t *r, const pd_t *pd, const epilogue_t *chain, const md_t *stat) {
    ew_loops_t l;
    int stat_at, axis = 0;
    const char *why_not = find_loops(&l, r, pd, chain, stat, &stat_at);
    if (why_not) return why_not;
    const int last = l.naxes - 1;
    while (axis < last && l.stride[stat_at][axis] != 0) axis++;
    if (axis == last || l.stride[EW_SRC][last] != 1 || l.stride[EW_DST][last] != 1)
        return "no loop beside the axis is contiguous";
    if (l.axis[last].size < SG_LANES / 2) return "the last loop is short";
    ew_loops_move(&l, axis, l.naxes - 2);
    r->width = l.axis[last].size;
    return set_rows(r, &l, stat_at, 2, last - 1);
}

const char *rows_init(
        rows_t *r, const pd_t *pd, const caps_t *caps, const epilogue_t *chain, const md_t *stat) {
    ew_loops_t l;
    int stat_at;
    const md_t *dst = pd_md(pd, DNNL_ARG_DST);
    const char *why_not = find_loops(&l, r, pd, chain, stat, &stat_at);
    if (why_not) return why_not;
    const int last = l.naxes - 1;
    if (l.stride[EW_SRC][last] != 1 || l.stride[EW_DST][last] != 1 || l.stride[stat_at][last] != 0)
        return "the axis is not contiguous";
    if ((why_not = set_rows(r, &l, stat_at, 1, last))) return why_not;
    const int64_t items = ITEMS_PER_UNIT * max_i64(caps->compute_units, 1);
    const int64_t rows = max_i64(div_up(r->p.nrows, items), div_up(MIN_ITEM, r->len));
    if (rows > INT32_MAX) return "there are too many rows";
    r->p.rows_per_item = (int32_t)min_i64(rows, r->p.nrows);
    r->items = (uint32_t)div_up(r->p.nrows, r->p.rows_per_item);
    r->stream = md_size(dst, 0) >= STREAM_BYTES && !r->seg.nsrcs;
    return NULL;
}

const char *rows_fit(const rows_t *r, const pd_t *pd, int row) {
    if (variants[row].target != TARGET_SG16) return NULL;
    if (dt_is_nibble(pd_md(pd, DNNL_ARG_DST)->data_type)) return "two elements share a byte";
    if (epilogue_is_random(&r->seg)) return "it draws no random numbers";
    int64_t rows = r->p.nrows;
    if (r->width && !mul_ok(rows, div_up(r->width, SG_LANES), &rows)) rows = INT64_MAX;
    return rows > INT32_MAX ? "there are too many rows" : NULL;
}

int64_t sg_power_of_2(int64_t at_least) {
    int64_t n = 1;
    while (n < at_least) n *= 2;
    return n;
}

int64_t sg_most_groups(const caps_t *caps, int64_t of) {
    int64_t most = 1;
    while (2 * most * SG_LANES <= caps->max_group_size && most < of) most *= 2;
    return most;
}

/* Registers of devices that have sub-groups of 8, too, are half as large. */
int64_t sg_kept_tiles(const caps_t *caps) {
    return has_small_registers(caps) ? SG_MAX_TILES / 2 : SG_MAX_TILES;
}

void sg_specs(plan_t *plan, int64_t loops, int64_t groups, int64_t tiles) {
    plan_spec(plan, SPEC_SG_LOOPS, (uint32_t)loops);
    plan_spec(plan, SPEC_SG_GROUPS, (uint32_t)groups);
    plan_spec(plan, SPEC_SG_TILES, (uint32_t)tiles);
}

/* As few sub-groups for a row as can keep it in registers. Powers of two, so that the lengths of rows share
 * modules. */
static void sub_groups_step(const rows_t *r, const caps_t *caps, int row, plan_t *plan) {
    const int64_t all = div_up(r->len, SG_TILE);
    const int64_t most = sg_most_groups(caps, SG_MAX_GROUPS), kept = sg_kept_tiles(caps);
    const int64_t groups = min_i64(sg_power_of_2(div_up(all, kept)), most);
    const int64_t tiles = div_up(all, groups);
    /* Rows of one sub-group each come together, where there are enough for all threads of the device. */
    const int64_t rows = groups > 1 || r->p.nrows < SG_ROWS * (int64_t)caps->compute_units
                                 ? 1
                                 : min_i64(SG_ROWS, most);
    plan_step(plan, row, (uint32_t[3]){(uint32_t)(SG_LANES * groups * rows), 1, 1},
            (uint32_t[3]){(uint32_t)div_up(r->p.nrows, rows), 1, 1});
    sg_specs(plan, r->p.ndims - 1, groups, tiles > kept ? 0 : sg_power_of_2(tiles));
}

/* Lanes along the columns, a line of the cache for each of their rows: or less, if only so they stay in
 * registers. */
static void column_groups_step(
        const rows_t *r, const pd_t *pd, const caps_t *caps, int row, plan_t *plan) {
    const int64_t kept = sg_kept_tiles(caps);
    int64_t size = max_i64(
            SG_LANES, SG_LINE / max_i64((int64_t)dt_size(pd_md(pd, DNNL_ARG_SRC)->data_type), 1));
    int64_t most, tiles, groups;
    size = min_i64(size, sg_power_of_2(max_i64(r->width, SG_LANES)));
    for (;; size /= 2) {
        most = min_i64(sg_most_groups(caps, SG_MANY_GROUPS), SG_MAX_COLUMNS / size);
        tiles = div_up(r->len, SG_TILE / size);
        groups = sg_power_of_2(div_up(tiles, kept));
        if (groups <= most || size == SG_LANES) break;
    }
    const bool fits = groups <= most;
    if (!fits) groups = min_i64(most, SG_MAX_GROUPS);
    const int64_t blocks = r->p.nrows * div_up(r->width, size);
    const int64_t together = groups > 1 || blocks < SG_ROWS * (int64_t)caps->compute_units
                                     ? 1
                                     : sg_most_groups(caps, SG_ROWS);
    plan_step(plan, row, (uint32_t[3]){(uint32_t)(SG_LANES * groups * together), 1, 1},
            (uint32_t[3]){(uint32_t)div_up(blocks, together), 1, 1});
    sg_specs(plan, r->p.ndims - 2, groups, fits ? sg_power_of_2(div_up(tiles, groups)) : 0);
    plan_spec(plan, SPEC_SG_PIECE, (uint32_t)(size / SG_LANES));
}

void rows_step(const rows_t *r, const pd_t *pd, const caps_t *caps, int row, plan_t *plan) {
    if (r->width) column_groups_step(r, pd, caps, row, plan);
    else if (variants[row].target == TARGET_SG16) sub_groups_step(r, caps, row, plan);
    else plan_step(plan, row, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){r->items, 1, 1});
    plan_spec(plan, SPEC_SRC_DT, pd_md(pd, DNNL_ARG_SRC)->data_type);
    plan_spec(plan, SPEC_DST_DT, pd_md(pd, DNNL_ARG_DST)->data_type);
    plan_spec(plan, SPEC_FLAGS, r->stream ? SPECF_STREAM : 0);
    epilogue_specs(&r->seg, plan);
}
