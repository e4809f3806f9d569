/* SPDX-License-Identifier: Apache-2.0 */
/* Group and batch normalization in the rows for sub-groups of 16: at once where what a mean is taken of fits
 * on chip, else from statistics that are given or have been found in a reading of their own. */
#include <string.h>

#include "core/util.h"
#include "kernels/norm/norm_params.h"
#include "steps/loops.h"
#include "plan/variant_id.h"
#include "ops/norm/norm.h"
#include "plan/op.h"
#include "steps/reduction_rows.h"
#include "plan/variant.h"

/* Sub-groups of a work-group that reads or applies a part; tiles that each does; parts of a row. */
enum { PART_GROUPS = 8, PART_TILES = 8, MAX_PARTS = 512, MIN_LENGTH = 8 };

typedef struct {
    norm_params_t p;
    epilogue_segment_t seg;
    bool columns, same, along;
    int kept;            /* loops that statistics are counted by, without columns */
    int64_t size;        /* of a piece */
    int64_t items;       /* rows, or pieces of columns */
    int64_t most, tiles; /* sub-groups of a work-group; tiles of a row */
    int64_t keep;        /* tiles that a sub-group can keep */
} sg_norm_t;

/* Sub-groups that can share a row, or columns whose rows are pieces of a size; do so many pieces stay in
 * registers? */
static int64_t most_groups(const caps_t *caps, bool columns, int64_t size) {
    const int64_t most = sg_most_groups(caps, SG_MANY_GROUPS);
    return columns ? min_i64(most, SG_MAX_COLUMNS / size) : most;
}
static bool stays(const sg_norm_t *s, const caps_t *caps, int64_t size, int64_t pieces) {
    return div_up(pieces, SG_TILE / size) <= most_groups(caps, s->columns, size) * s->keep;
}

/* Pieces of rows hold most of what a tile can; those of columns are two lines of the cache, or one if columns
 * stay in registers only then. */
static int64_t piece_size(
        const sg_norm_t *s, const pd_t *pd, const caps_t *caps, int64_t len, int64_t pieces) {
    int64_t best = SG_TILE;
    for (int64_t size = SG_TILE; !s->columns && len < SG_TILE && size >= SG_LANES; size /= 2)
        if (div_up(len, size) * size * 5 < div_up(len, best) * best * 4) best = size;
    if (!s->columns) return best;
    const int64_t element = (int64_t)dt_size(pd_md(pd, DNNL_ARG_SRC)->data_type);
    const int64_t line = max_i64(SG_LANES, SG_LINE / max_i64(element, 1));
    const int64_t wide = min_i64(sg_power_of_2(max_i64(len, SG_LANES)), min_i64(2 * line, SG_TILE));
    const int64_t narrow = min_i64(wide, line);
    return !stays(s, caps, wide, pieces) && stays(s, caps, narrow, pieces) ? narrow : wide;
}

/* Loop i of the kernel. */
static void set_loop(sg_norm_t *s, const ew_loops_t *l, int stat, int weights, int i, int axis) {
    s->p.nd.size[i] = (int32_t)l->axis[axis].size;
    s->p.nd.src_stride[i] = l->stride[EW_SRC][axis];
    s->p.nd.dst_stride[i] = l->stride[EW_DST][axis];
    s->p.stat_stride[i] = (int32_t)l->stride[stat][axis];
    s->p.weight_stride[i] = weights ? (int32_t)l->stride[weights][axis] : 0;
}

/* groups: of channels; 0: all images share a mean for each channel. */
static const char *find_rows(sg_norm_t *s, const pd_t *pd, const caps_t *caps,
        const epilogue_t *chain, dnnl_dim_t groups) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *dst = pd_md(pd, DNNL_ARG_DST);
    memset(s, 0, sizeof(*s));
    epilogue_segment(&s->seg, chain, 0);
    if (s->seg.count < chain->len || s->seg.nsrcs > PO_MAX_SRCS - 2)
        return "the chain of post-ops is too long";
    if (has_doubles(pd)) return "it has no double arithmetic";
    if (dt_is_nibble(dst->data_type)) return "two elements share a byte";
    if (epilogue_is_random(&s->seg)) return "it draws no random numbers";

    const bool weighted = norm_flag(pd, dnnl_use_scale | dnnl_use_shift);
    const md_t *md[EW_MAX_TENSORS] = {[EW_SRC] = src, [EW_DST] = dst};
    md_t made_up[PO_MAX_SRCS], stat_md, weights_md;
    dnnl_dims_t dims;
    int n = EW_CHAIN;
    for (int i = 0; i < s->seg.nsrcs; i++)
        md[n++] = epilogue_source_md(&s->seg, i, pd, NULL, &made_up[i]);
    for (int d = 0; d < src->ndims; d++) dims[d] = d == 1 ? src->dims[1] : 1;
    if (md_init_strides(&weights_md, src->ndims, dims, dnnl_f32, NULL) != dnnl_success)
        return "the tensor is too large";
    if (groups) {
        dims[0] = src->dims[0];
        dims[1] = groups;
    }
    if (md_init_strides(&stat_md, src->ndims, dims, dnnl_f32, NULL) != dnnl_success)
        return "the tensor is too large";
    const int weights = weighted ? n : 0;
    if (weighted) md[n++] = &weights_md;
    const int stat = n;
    md[n++] = &stat_md;
    ew_loops_t l;
    const ew_cut_t cut = {1, groups ? src->dims[1] / groups : 1};
    const char *why_not = ew_loops_cut(&l, md, n, &cut);
    if (why_not) return why_not;
    if (l.nlimits) return "the destination is padded";

    const int last = l.naxes - 1;
    int order[EW_MAX_AXES + 1], reduced = 0;
    int64_t rows = 1, stats = 1, pieces = 1;
    if (l.stride[EW_SRC][last] != 1 || l.stride[EW_DST][last] != 1)
        return "the last loop is not contiguous";
    if (l.axis[last].size < MIN_LENGTH) return "the last loop is short";
    for (int i = 0; i < last; i++) {
        if (l.axis[i].size > INT32_MAX / 2) return "a loop has more than 2^30 elements";
        if (l.stride[stat][i]) order[s->kept++] = i;
        else reduced++;
    }
    if (reduced > 2) return "a mean is taken over too many loops";
    if (s->kept + 3 > PAR_MAX_DIMS) return "the layouts need too many loops";
    for (int i = 0, at = s->kept + 2 - reduced; i < last; i++)
        if (!l.stride[stat][i]) order[at++] = i;
    for (int i = 0; i < s->kept + 2; i++) {
        s->p.nd.size[i] = 1;
        if (i >= s->kept && i < s->kept + 2 - reduced) order[i] = -1; /* of one position */
        else set_loop(s, &l, stat, weights, i, order[i]);
        if (!mul_ok(i < s->kept ? rows : pieces, s->p.nd.size[i], i < s->kept ? &rows : &pieces))
            return "the tensor is too large";
    }
    order[s->kept + 2] = last;
    set_loop(s, &l, stat, weights, s->kept + 2, last);
    s->p.nd.ndims = s->kept + 3;
    s->p.nd.nrows = rows;
    for (int i = 0; i < s->seg.nsrcs; i++) {
        int64_t stride[PAR_MAX_DIMS];
        for (int k = 0; k < s->p.nd.ndims; k++)
            stride[k] = order[k] < 0 ? 0 : l.stride[EW_CHAIN + i][order[k]];
        if ((why_not = epilogue_set_strides(&s->seg, i, stride, s->p.nd.ndims))) return why_not;
    }

    const int64_t len = l.axis[last].size;
    s->columns = l.stride[stat][last] != 0;
    /* Registers of 32 bytes, of which there are 128, hold less beside the tensors of attributes. */
    s->keep = sg_kept_tiles(caps);
    if (s->keep < SG_MAX_TILES && s->seg.nsrcs) s->keep = 1;
    s->size = piece_size(s, pd, caps, len, pieces);
    s->along = weights && l.stride[weights][last] != 0;
    s->same = (!s->p.weight_stride[s->kept] && !s->p.weight_stride[s->kept + 1]) &&
              (s->columns || !s->along || len <= s->size);
    if (s->columns && !s->same) return "scale and shift run along what means are taken over";
    s->p.count = (float)pieces * (s->columns ? 1.0f : (float)len);
    if (!mul_ok(s->columns ? rows : pieces, div_up(len, s->size), s->columns ? &rows : &pieces) ||
            pieces > INT32_MAX / 2 || rows > INT32_MAX / 2 || len > INT32_MAX / 2)
        return "there are too many rows";
    if (!mul_ok(s->p.nd.nrows, s->columns ? len : 1, &stats) || stats > INT32_MAX / MAX_PARTS)
        return "there are too many means";
    s->p.stats = (int32_t)stats;
    s->p.pieces = s->p.chunk = (int32_t)pieces;
    s->p.epsilon = pd->params.epsilon;
    s->p.share = 1;
    s->items = rows;
    s->tiles = div_up(pieces, SG_TILE / s->size);
    s->most = most_groups(caps, s->columns, s->size);
    return NULL;
}

static bool is_kept(const sg_norm_t *s) {
    return div_up(s->tiles, s->keep) <= s->most;
}

/* Groups of few channels, which are last: pieces would be nearly empty. Where they are not kept, each channel
 * has parts of its own, which are joined with those of its group. */
static const char *sg_init(sg_norm_t *s, const pd_t *pd, const caps_t *caps,
        const epilogue_t *chain, dnnl_dim_t groups) {
    const char *why_not = find_rows(s, pd, caps, chain, groups);
    const dnnl_dim_t channels = pd_md(pd, DNNL_ARG_SRC)->dims[1],
                     share = groups ? channels / groups : 1;
    if (share == 1 || share >= SG_LANES) return why_not;
    if (!why_not && (s->columns || (is_kept(s) && !norm_given(pd)))) return NULL;
    sg_norm_t single;
    if (find_rows(&single, pd, caps, chain, channels) || !single.columns) return why_not;
    *s = single;
    s->p.share = (int32_t)share;
    return NULL;
}

const char *norm_sg16_fits(
        const pd_t *pd, const caps_t *caps, int row, const epilogue_t *chain, dnnl_dim_t groups) {
    sg_norm_t s;
    const char *why_not = sg_init(&s, pd, caps, chain, groups);
    if (why_not) return why_not;
    if (s.columns == (row == KERNEL_norm_columns_sg16)) return NULL;
    return s.columns ? "means lie along the contiguous loop"
                     : "means are taken over the contiguous loop";
}

/* ---- steps ---- */

/* How a step is cut: sub-groups that share a row, tiles that each keeps, pieces of a work-group, rows that
 * come together. */
typedef struct {
    int64_t groups, tiles, chunk, together;
} cut_t;

static void bind(plan_t *plan, const operand_t *t) {
    if (t->md) bind_operand(plan, t);
    else plan_arg(plan, -1, 0);
}

static operand_t argument(const pd_t *pd, int arg) {
    const int slot = pd_find_arg(pd, arg);
    const bool used = slot >= 0 && pd->args[slot].flags & (PD_IN | PD_OUT);
    return (operand_t){used ? &pd->args[slot].md : NULL, used ? slot : -1, 0};
}

static void emit(norm_t *n, sg_norm_t *s, const cut_t *cut, int flags, const operand_t *parts) {
    const pd_t *pd = n->pd;
    plan_t *plan = &n->pd->plan;
    const bool apply = !(flags & NORM_PARTS);
    const operand_t none = {NULL, -1, 0};
    const operand_t scale = apply ? argument(pd, DNNL_ARG_SCALE) : none;
    const operand_t shift = apply ? argument(pd, DNNL_ARG_SHIFT) : none;
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
    s->p.chunk = (int32_t)cut->chunk;
    plan_step(plan, pd->variant,
            (uint32_t[3]){(uint32_t)(SG_LANES * cut->groups * cut->together), 1, 1},
            (uint32_t[3]){(uint32_t)div_up(s->items, cut->together),
                    (uint32_t)div_up(s->p.pieces, cut->chunk), 1});
    plan_spec(plan, SPEC_SRC_DT, n->src.md->data_type);
    plan_spec(plan, SPEC_DST_DT, apply ? n->dst.md->data_type : dnnl_f32);
    epilogue_specs(&seg, plan);
    sg_specs(plan, s->kept, cut->groups, cut->tiles);
    plan_spec(plan, SPEC_SG_PIECE, (uint32_t)(s->size / SG_LANES));
    plan_spec(plan, SPEC_NORM_FLAGS, (uint32_t)flags);
    bind(plan, &n->src);
    bind(plan, apply ? &n->dst : &none);
    bind(plan, flags & (NORM_GIVEN | NORM_SAVE) ? &n->mean : &none);
    bind(plan, flags & (NORM_GIVEN | NORM_SAVE) ? &n->variance : &none);
    bind(plan, &scale);
    bind(plan, &shift);
    bind(plan, parts ? parts : &none);
    plan_const(plan, &s->p, sizeof(s->p));
    epilogue_args(&seg, pd, NULL, plan);
}

/* Work-groups that use statistics, or find parts of them, enough for all threads of the device; each
 * sub-group has `least` tiles or more. */
static cut_t parts_of(const norm_t *n, const sg_norm_t *s, int64_t least) {
    const int64_t per_tile = SG_TILE / s->size;
    cut_t cut = {.groups = min_i64(s->most, PART_GROUPS), .together = 1};
    while (cut.groups > 1 && cut.groups * least / 2 >= s->tiles) cut.groups /= 2;
    const int64_t wanted = 2 * max_i64(n->caps->compute_units, 1);
    const int64_t tiles = div_up(s->tiles * s->items, wanted);
    cut.chunk = per_tile * cut.groups * max_i64(least, min_i64(tiles, PART_TILES));
    cut.chunk = min_i64(cut.chunk, s->p.pieces);
    if (cut.groups == 1 && s->items >= wanted) cut.together = sg_most_groups(n->caps, SG_ROWS);
    return cut;
}

static void join_step(norm_t *n, const sg_norm_t *s, int64_t chunks, const operand_t *parts) {
    const norm_join_t join = {s->p.stats / s->p.share, (int32_t)chunks, s->p.share};
    const int64_t together = sg_most_groups(n->caps, SG_ROWS);
    plan_t *plan = &n->pd->plan;
    plan_step(plan, KERNEL_norm_join_sg16, (uint32_t[3]){(uint32_t)(SG_LANES * together), 1, 1},
            (uint32_t[3]){(uint32_t)div_up(join.stats, together), 1, 1});
    bind(plan, parts);
    bind(plan, &n->mean);
    bind(plan, &n->variance);
    plan_const(plan, &join, sizeof(join));
}

static const char *two_readings(norm_t *n, sg_norm_t *s) {
    const pd_t *pd = n->pd;
    const int64_t per_tile = SG_TILE / s->size;
    cut_t cut = parts_of(n, s, PART_TILES / 2);
    /* Parts only as far as the device has threads for them. */
    const int64_t wanted = div_up(4 * (int64_t)n->caps->compute_units, s->items * cut.groups);
    const int64_t most = max_i64(1, min_i64(wanted, MAX_PARTS));
    cut.chunk = max_i64(cut.chunk,
            div_up(div_up(s->p.pieces, most), per_tile * cut.groups) * per_tile * cut.groups);
    cut.together = 1;
    const int64_t chunks = div_up(s->p.pieces, cut.chunk);
    const int save = norm_saves(pd) ? NORM_SAVE : 0;
    if (chunks == 1 && s->p.share == 1) { /* there are as many rows as that */
        cut = (cut_t){.groups = s->most, .chunk = s->p.pieces, .together = 1};
        emit(n, s, &cut, save, NULL);
        return NULL;
    }
    md_t parts_md, stat_md;
    const dnnl_dim_t stats = s->p.stats / s->p.share, size = 3 * chunks * s->p.stats;
    if (md_init_strides(&parts_md, 1, &size, dnnl_f32, NULL) != dnnl_success ||
            md_init_strides(&stat_md, 1, &stats, dnnl_f32, NULL) != dnnl_success)
        return "the tensor is too large";
    const operand_t parts = {&parts_md, -1, scratch_take(&n->scratch, md_size(&parts_md, 0))};
    if (!save) {
        n->mean = (operand_t){&stat_md, -1, scratch_take(&n->scratch, md_size(&stat_md, 0))};
        n->variance = (operand_t){&stat_md, -1, scratch_take(&n->scratch, md_size(&stat_md, 0))};
    }
    emit(n, s, &cut, NORM_PARTS, &parts);
    join_step(n, s, chunks, &parts);
    cut = parts_of(n, s, 1);
    emit(n, s, &cut, NORM_GIVEN, NULL);
    return NULL;
}

const char *norm_sg16(norm_t *n, const epilogue_t *chain, dnnl_dim_t groups) {
    sg_norm_t s;
    const char *why_not = sg_init(&s, n->pd, n->caps, chain, groups);
    if (why_not) return why_not;
    n->mean = argument(n->pd, DNNL_ARG_MEAN);
    n->variance = argument(n->pd, DNNL_ARG_VARIANCE);
    if (norm_given(n->pd)) {
        const cut_t cut = parts_of(n, &s, 1);
        emit(n, &s, &cut, NORM_GIVEN, NULL);
        return NULL;
    }
    const int64_t share = sg_power_of_2(div_up(s.tiles, s.keep));
    if (!is_kept(&s) || s.p.share > 1) return two_readings(n, &s);
    const bool many = share == 1 && s.items >= SG_ROWS * (int64_t)n->caps->compute_units;
    const cut_t cut = {.groups = share,
            .tiles = sg_power_of_2(div_up(s.tiles, share)),
            .chunk = s.p.pieces,
            .together = many ? sg_most_groups(n->caps, SG_ROWS) : 1};
    emit(n, &s, &cut, norm_saves(n->pd) ? NORM_SAVE : 0, NULL);
    return NULL;
}
