/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/norm/sg16_shape.h"

#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "plan/check.h"
#include "steps/loops.h"
#include "steps/reduction_rows.h"

/* Elements of the contiguous loop: shorter ones leave most of a sub-group's lanes idle. */
enum { MIN_LENGTH = 8 };
/* Loops that the kernel reduces besides the contiguous one. */
enum { REDUCED_LOOPS = 2 };

/* ---- loops ---- */

typedef struct {
    ew_loops_t l;
    int stat;                   /* the place of the statistics among the tensors */
    int weights;                /* that of scale and shift; 0: there are none */
    int reduced;                /* loops of a mean, besides the last one */
    int order[EW_MAX_AXES + 1]; /* of the kernel's loops; -1: one of a single position */
} sg_loops_t;

static const char *check_epilogue(const sg_norm_t *s, const pd_t *pd, int ops) {
    if (s->seg.count < ops || s->seg.nsrcs > PO_MAX_SRCS - 2) return "the epilogue is too long";
    if (pd_has_type(pd, dnnl_f64)) return "it has no double arithmetic";
    if (dt_is_nibble(pd_md(pd, DNNL_ARG_DST)->data_type)) return "two elements share a byte";
    return epilogue_is_random(&s->seg) ? "it has neither dropout nor stochastic rounding" : NULL;
}

/* Loops of source, destination, the epilogue's sources, scale and shift, and the statistics. */
static const char *find_loops(
        sg_loops_t *loops, const sg_norm_t *s, const pd_t *pd, dnnl_dim_t groups) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    const md_t *md[EW_MAX_TENSORS] = {[EW_SRC] = src, [EW_DST] = pd_md(pd, DNNL_ARG_DST)};
    md_t made_up[PO_MAX_SRCS], stat_md, weights_md;
    dnnl_dims_t dims;
    int n = EW_EPILOGUE;
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
    loops->weights = norm_flag(pd, dnnl_use_scale | dnnl_use_shift) ? n : 0;
    if (loops->weights) md[n++] = &weights_md;
    loops->stat = n;
    md[n++] = &stat_md;
    const ew_cut_t cut = {1, groups ? src->dims[1] / groups : 1};
    REFUSE_IF(ew_loops_cut(&loops->l, md, n, &cut));
    return loops->l.nlimits ? "the destination is padded" : NULL;
}

/* The kernel's order: the loops that count statistics, those that are reduced, the contiguous
 * one. */
static const char *order_loops(sg_loops_t *loops, sg_norm_t *s) {
    const ew_loops_t *l = &loops->l;
    const int last = l->naxes - 1;
    if (l->stride[EW_SRC][last] != 1 || l->stride[EW_DST][last] != 1)
        return "the last loop is not contiguous";
    if (l->axis[last].size < MIN_LENGTH) return "the last loop is short";
    loops->reduced = 0;
    for (int i = 0; i < last; i++) {
        if (l->axis[i].size > INT32_MAX / 2) return "a loop has more than 2^30 elements";
        if (l->stride[loops->stat][i]) loops->order[s->kept++] = i;
        else loops->reduced++;
    }
    if (loops->reduced > REDUCED_LOOPS) return "a mean has too many loops";
    if (s->kept + REDUCED_LOOPS + 1 > PAR_MAX_DIMS) return "the layouts need too many loops";
    int at = s->kept;
    while (at < s->kept + REDUCED_LOOPS - loops->reduced) loops->order[at++] = -1;
    for (int i = 0; i < last; i++)
        if (!l->stride[loops->stat][i]) loops->order[at++] = i;
    loops->order[at] = last;
    return NULL;
}

/* Loop i of the kernel. */
static void set_loop(sg_norm_t *s, const sg_loops_t *loops, int i) {
    const int axis = loops->order[i];
    s->p.nd.size[i] = 1;
    if (axis < 0) return;
    const ew_loops_t *l = &loops->l;
    s->p.nd.size[i] = (int32_t)l->axis[axis].size;
    s->p.nd.src_stride[i] = l->stride[EW_SRC][axis];
    s->p.nd.dst_stride[i] = l->stride[EW_DST][axis];
    s->p.stat_stride[i] = (int32_t)l->stride[loops->stat][axis];
    s->p.weight_stride[i] = loops->weights ? (int32_t)l->stride[loops->weights][axis] : 0;
}

/* *pieces: positions of the reduced loops, without the contiguous one. */
static const char *set_loops(sg_norm_t *s, const sg_loops_t *loops, int64_t *pieces) {
    const int last = s->kept + REDUCED_LOOPS;
    int64_t rows = 1;
    *pieces = 1;
    for (int i = 0; i <= last; i++) {
        int64_t *count = i < s->kept ? &rows : pieces;
        set_loop(s, loops, i);
        if (i < last && !mul_ok(*count, s->p.nd.size[i], count)) return "the tensor is too large";
    }
    s->p.nd.ndims = last + 1;
    s->p.nd.nrows = rows;
    for (int i = 0; i < s->seg.nsrcs; i++) {
        int64_t stride[PAR_MAX_DIMS];
        for (int k = 0; k <= last; k++)
            stride[k] = loops->order[k] < 0 ? 0 : loops->l.stride[EW_EPILOGUE + i][loops->order[k]];
        REFUSE_IF(epilogue_set_strides(&s->seg, i, stride, last + 1));
    }
    return NULL;
}

/* ---- pieces ---- */

/* Sub-groups that can cooperate on one row, or on columns in pieces of `size` elements. */
static int64_t most_groups(const caps_t *caps, bool columns, int64_t size) {
    const int64_t most = sg_most_groups(caps, SG_MANY_GROUPS);
    return columns ? min_i64(most, SG_MAX_COLUMNS / size) : most;
}

/* Do so many pieces stay in registers? */
static bool pieces_stay(const sg_norm_t *s, const caps_t *caps, int64_t size, int64_t pieces) {
    return div_up(pieces, SG_TILE / size) <= most_groups(caps, s->columns, size) * s->keep;
}

int64_t sg_norm_piece(int64_t len) {
    int64_t best = SG_TILE;
    if (len >= SG_TILE) return best;
    for (int64_t size = SG_TILE; size >= SG_LANES; size /= 2)
        if (div_up(len, size) * size * 5 < div_up(len, best) * best * 4) best = size;
    return best;
}

/* Two cache lines, or one if the columns stay in registers only then. */
static int64_t column_piece(const sg_norm_t *s, const planner_t *p, int64_t len, int64_t pieces) {
    const int64_t element = (int64_t)dt_size(pd_md(p->pd, DNNL_ARG_SRC)->data_type);
    const int64_t line = max_i64(SG_LANES, SG_LINE / max_i64(element, 1));
    const int64_t two = min_i64(sg_power_of_2(max_i64(len, SG_LANES)), min_i64(2 * line, SG_TILE));
    const int64_t one = min_i64(two, line);
    const bool narrow =
            !pieces_stay(s, p->caps, two, pieces) && pieces_stay(s, p->caps, one, pieces);
    return narrow ? one : two;
}

static bool weights_are_same(const sg_norm_t *s, int64_t len) {
    for (int i = s->kept; i < s->kept + REDUCED_LOOPS; i++)
        if (s->p.weight_stride[i]) return false;
    return s->columns || !s->along || len <= s->size;
}

/* Cuts the contiguous loop. */
static const char *set_pieces(
        sg_norm_t *s, const planner_t *p, const sg_loops_t *loops, int64_t pieces) {
    const int last = loops->l.naxes - 1;
    const int64_t len = loops->l.axis[last].size;
    int64_t rows = s->p.nd.nrows, stats = 1;
    s->columns = loops->l.stride[loops->stat][last] != 0;
    s->keep = sg_kept_tiles(p->caps);
    /* 128 registers of 32 bytes hold one tile only beside the tensors of attributes. */
    if (s->keep < SG_MAX_TILES && s->seg.nsrcs) s->keep = 1;
    s->size = s->columns ? column_piece(s, p, len, pieces) : sg_norm_piece(len);
    s->along = loops->weights && loops->l.stride[loops->weights][last] != 0;
    s->same = weights_are_same(s, len);
    if (s->columns && !s->same) return "scale and shift run along the loops of a mean";
    s->p.count = (float)pieces * (s->columns ? 1.0f : (float)len);
    int64_t *cut = s->columns ? &rows : &pieces;
    if (!mul_ok(*cut, div_up(len, s->size), cut) || pieces > INT32_MAX / 2 ||
            rows > INT32_MAX / 2 || len > INT32_MAX / 2)
        return "there are too many rows";
    if (!mul_ok(s->p.nd.nrows, s->columns ? len : 1, &stats) || stats > INT32_MAX / NORM_MAX_PARTS)
        return "there are too many means";
    s->p.stats = (int32_t)stats;
    s->p.pieces = s->p.chunk = (int32_t)pieces;
    s->p.epsilon = p->pd->params.epsilon;
    s->p.share = 1;
    s->items = rows;
    s->tiles = div_up(pieces, SG_TILE / s->size);
    s->most = most_groups(p->caps, s->columns, s->size);
    return NULL;
}

/* ---- shape ---- */

static const char *find_shape(
        sg_norm_t *s, const planner_t *p, const epilogue_t *epilogue, dnnl_dim_t groups) {
    sg_loops_t loops;
    int64_t pieces;
    memset(s, 0, sizeof(*s));
    epilogue_segment(&s->seg, epilogue, 0);
    REFUSE_IF(check_epilogue(s, p->pd, epilogue->len));
    REFUSE_IF(find_loops(&loops, s, p->pd, groups));
    REFUSE_IF(order_loops(&loops, s));
    REFUSE_IF(set_loops(s, &loops, &pieces));
    return set_pieces(s, p, &loops, pieces);
}

bool sg_norm_is_kept(const sg_norm_t *s) {
    return div_up(s->tiles, s->keep) <= s->most;
}

/* Where the channels are last and a group has few of them, pieces would be nearly empty. If
 * those are not kept in registers either, each channel has statistics of its own, which are
 * joined with those of its group. */
const char *sg_norm_init(
        sg_norm_t *s, const planner_t *p, const epilogue_t *epilogue, dnnl_dim_t groups) {
    const char *why_not = find_shape(s, p, epilogue, groups);
    const dnnl_dim_t channels = pd_md(p->pd, DNNL_ARG_SRC)->dims[1];
    const dnnl_dim_t share = groups ? channels / groups : 1; /* channels of a group */
    if (share == 1 || share >= SG_LANES) return why_not;
    if (!why_not && (s->columns || (sg_norm_is_kept(s) && !norm_given(p->pd)))) return NULL;
    sg_norm_t single;
    if (find_shape(&single, p, epilogue, channels) || !single.columns) return why_not;
    *s = single;
    s->p.share = (int32_t)share;
    return NULL;
}
