/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the dimensions at the block boundaries of all tensors, then joins again what is
 * contiguous in all of them. */
#include "steps/loops.h"

#include <string.h>

#include "core/status.h"
#include "core/util.h"

/* Adds a boundary to n ascending ones without repetition; breaks[0] is 1. -1: there are too
 * many. */
static int add_break(int64_t *breaks, int n, int64_t mult) {
    int at = 0;
    if (n < 0) return n;
    while (at < n && breaks[at] < mult) at++;
    if (at < n && breaks[at] == mult) return n;
    if (n == EW_MAX_AXES) return -1;
    memmove(breaks + at + 1, breaks + at, (size_t)(n - at) * sizeof(*breaks));
    breaks[at] = mult;
    return n + 1;
}

/* Those of the blocks of dimension d. */
static int add_breaks(int64_t *breaks, int n, const md_t *md, int d) {
    const md_blocking_t *b = &md->format_desc.blocking;
    int64_t mult = 1;
    for (int i = b->inner_nblks - 1; i >= 0; i--) {
        if (b->inner_idxs[i] != d) continue;
        mult *= b->inner_blks[i];
        n = add_break(breaks, n, mult);
    }
    return n;
}

/* What the tensors of a step are. */
typedef struct {
    const pd_t *pd;
    const epilogue_segment_t *seg;
    const md_t *const *md;
    const ew_cut_t *cut; /* NULL: none */
    int last;
} tensors_t;

static bool stride_in(const tensors_t *x, int t, const axis_t *axis, int64_t *stride) {
    if (x->cut && t == x->last && axis->dim == x->cut->dim) {
        const axis_t pieces = {axis->dim, axis->mult / x->cut->size, axis->size};
        *stride = 0;
        return !pieces.mult || axis_stride(x->md[t], &pieces, stride);
    }
    if (!x->seg || t < EW_EPILOGUE) return axis_stride(x->md[t], axis, stride);
    return epilogue_source_stride(x->seg, t - EW_EPILOGUE, x->pd, x->md[t], axis, stride);
}

static void copy_axis(ew_loops_t *l, int to, int from) {
    l->axis[to] = l->axis[from];
    l->limit_of[to] = l->limit_of[from];
    for (int t = 0; t < l->ntensors; t++) l->stride[t][to] = l->stride[t][from];
}

/* Outermost (largest destination stride) first. */
static void insert_axis(ew_loops_t *l, const axis_t *axis, const int64_t *stride, int limit) {
    int at = l->naxes;
    while (at > 0 && l->stride[EW_DST][at - 1] < stride[EW_DST]) at--;
    for (int i = l->naxes++; i > at; i--) copy_axis(l, i, i - 1);
    l->axis[at] = *axis;
    l->limit_of[at] = limit;
    for (int t = 0; t < l->ntensors; t++) l->stride[t][at] = stride[t];
}

/* Where the loops of dimension d begin: the sizes of blocks and groups of all tensors. */
static const char *find_breaks(
        const ew_loops_t *l, const tensors_t *x, int d, int64_t *breaks, int *n) {
    breaks[0] = *n = 1;
    for (int t = 0; t < l->ntensors; t++) {
        if (x->md[t]->dims[d] == 1 && t != EW_DST) continue;
        *n = add_breaks(breaks, *n, x->md[t], d);
        if (x->seg && t >= EW_EPILOGUE)
            *n = add_break(breaks, *n, epilogue_source_group(x->seg, t - EW_EPILOGUE, x->pd, d));
        if (*n < 0) return "the layouts have too many blocks";
    }
    if (x->cut && x->cut->dim == d && (*n = add_break(breaks, *n, x->cut->size)) < 0)
        return "the layouts have too many blocks";
    for (int i = 1; i < *n; i++)
        if (breaks[i] % breaks[i - 1]) return "the blocks of two tensors do not nest";
    return NULL;
}

/* The strides of all tensors along an axis of a dimension whose loops have `covered` positions.
 * False: a block boundary is in the way. */
static bool strides_along(const ew_loops_t *l, const tensors_t *x, const axis_t *axis,
        int64_t covered, bool flat_padding, int64_t *stride) {
    for (int t = 0; t < l->ntensors; t++) {
        bool ok = stride_in(x, t, axis, &stride[t]);
        /* A dimension of 1 is no broadcast where its padding counts. */
        if (ok && x->md[EW_DST]->dims[axis->dim] == 1 && (t == EW_DST || flat_padding)) {
            md_t padded = *x->md[t];
            padded.dims[axis->dim] = covered;
            ok = axis_stride(&padded, axis, &stride[t]);
        }
        if (!ok) return false;
    }
    return true;
}

static const char *split_dim(ew_loops_t *l, const tensors_t *x, int d, bool flat_padding) {
    const md_t *dst = x->md[EW_DST];
    int64_t breaks[EW_MAX_AXES] = {0};
    int n;
    REFUSE_IF(find_breaks(l, x, d, breaks, &n));
    int64_t padded = dst->padded_dims[d], size = flat_padding ? padded : dst->dims[d];
    int64_t outer = div_up(padded, breaks[n - 1]), covered = outer * breaks[n - 1];
    int limit = -1;
    if (size < covered) {
        if (l->nlimits == ND_MAX_LIMITS) return "too many dimensions are padded";
        limit = l->nlimits++;
        l->limit[limit] = size;
        l->skip[limit] = padded;
    }
    for (int i = 0; i < n; i++) {
        axis_t axis = {d, breaks[i], i + 1 < n ? breaks[i + 1] / breaks[i] : outer};
        if (axis.size == 1) continue;
        if (l->naxes == EW_MAX_AXES) return "the layouts have too many blocks";
        int64_t stride[EW_MAX_TENSORS];
        if (!strides_along(l, x, &axis, covered, flat_padding, stride))
            return "a block boundary cuts a loop";
        insert_axis(l, &axis, stride, limit);
    }
    return NULL;
}

/* Can axes i and i + 1 be one loop? */
static bool joinable(const ew_loops_t *l, int i) {
    int64_t inner = l->axis[i + 1].size;
    for (int t = 0; t < l->ntensors; t++)
        if (l->stride[t][i] != l->stride[t][i + 1] * inner) return false;
    if (l->limit_of[i] != l->limit_of[i + 1]) return false;
    return l->limit_of[i] < 0 || l->axis[i].mult == l->axis[i + 1].mult * inner;
}

static void join(ew_loops_t *l) {
    for (int i = l->naxes - 2; i >= 0; i--) {
        if (!joinable(l, i)) continue;
        l->axis[i].size *= l->axis[i + 1].size;
        l->axis[i].mult = l->axis[i + 1].mult;
        for (int t = 0; t < l->ntensors; t++) l->stride[t][i] = l->stride[t][i + 1];
        l->naxes--;
        for (int k = i + 1; k < l->naxes; k++) copy_axis(l, k, k + 1);
    }
}

static const char *find_loops(
        ew_loops_t *l, const tensors_t *tensors, int ntensors, bool flat_padding) {
    const md_t *const *md = tensors->md;
    memset(l, 0, sizeof(*l));
    l->ntensors = ntensors;
    for (int d = 0; d < md[EW_DST]->ndims; d++) {
        const char *why_not = split_dim(l, tensors, d, flat_padding);
        if (why_not) return why_not;
    }
    join(l);
    if (l->naxes == 0) { /* one element */
        l->naxes = 1;
        l->axis[0] = (axis_t){0, 1, 1};
        l->limit_of[0] = -1;
        l->stride[EW_SRC][0] = l->stride[EW_DST][0] = 1;
    }
    return NULL;
}

const char *ew_loops(ew_loops_t *l, const pd_t *pd, const epilogue_segment_t *seg,
        const md_t *const *md, int ntensors, bool flat_padding) {
    return find_loops(l, &(tensors_t){.pd = pd, .seg = seg, .md = md}, ntensors, flat_padding);
}

const char *ew_loops_cut(ew_loops_t *l, const md_t *const *md, int ntensors, const ew_cut_t *cut) {
    return find_loops(l, &(tensors_t){.md = md, .cut = cut, .last = ntensors - 1}, ntensors, false);
}

/* Loop i in two, the inner one of so many. */
static const char *split_loop(ew_loops_t *l, int i, int64_t inner) {
    const bool even = l->axis[i].size % inner == 0;
    int64_t mult;
    if (l->naxes == EW_MAX_AXES) return "the layouts have too many blocks";
    if (l->limit_of[i] < 0 && !even) {
        if (l->nlimits == ND_MAX_LIMITS) return "too many dimensions are padded";
        l->limit_of[i] = l->nlimits++;
        l->limit[l->limit_of[i]] = l->skip[l->limit_of[i]] = l->axis[i].size;
        l->axis[i].mult = 1;
    }
    if (l->limit_of[i] >= 0 && (!mul_ok(l->axis[i].mult, inner, &mult) || mult > INT32_MAX))
        return "the blocks of a padded dimension are too large";
    for (int k = l->naxes++; k > i; k--) copy_axis(l, k, k - 1);
    l->axis[i].size = div_up(l->axis[i].size, inner);
    l->axis[i].mult *= inner;
    l->axis[i + 1].size = inner;
    for (int t = 0; t < l->ntensors; t++)
        if (!mul_ok(l->stride[t][i], inner, &l->stride[t][i])) return "the tensor is too large";
    return NULL;
}

const char *ew_loops_split(ew_loops_t *l, const plan_hints_t *hints) {
    /* Half of what 32 bits count, so that a position may reach beyond the end; pieces keep
     * vectors full. */
    enum { MAX_LOOP = INT32_MAX / 2, PIECE = 1 << 16 };
    const int64_t max_loop = hints->max_loop ? hints->max_loop : MAX_LOOP;
    const int64_t piece = hints->max_loop ? hints->loop_piece : PIECE;
    const char *why_not = NULL;
    for (int i = l->naxes - 1; i >= 0 && !why_not; i--) {
        if (l->axis[i].size <= max_loop) continue;
        if (div_up(l->axis[i].size, piece) > INT32_MAX / 2)
            return "a loop has more than 2^46 elements";
        why_not = split_loop(l, i, piece);
    }
    return why_not;
}

void ew_loops_move(ew_loops_t *l, int from, int to) {
    int spare = EW_MAX_AXES; /* one more than ew_loops() fills */
    copy_axis(l, spare, from);
    for (int i = from; i < to; i++) copy_axis(l, i, i + 1);
    for (int i = from; i > to; i--) copy_axis(l, i, i - 1);
    copy_axis(l, to, spare);
}
