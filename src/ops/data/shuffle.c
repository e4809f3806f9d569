/* SPDX-License-Identifier: Apache-2.0 */
/* Shuffle: the axis seen as a matrix, transposed. One step where strides can express that, else
 * by way of copies without blocks. Backward propagation transposes back. */
#include <string.h>

#include "core/strings.h"
#include "core/status.h"
#include "core/verbose.h"
#include "steps/copies.h"
#include "plan/check.h"
#include "plan/op.h"

/* Makes two dimensions of one: `axis` of dims[axis] / inner, and after it one of `inner`. False:
 * blocks or padding are in the way. */
static bool split_axis(md_t *out, const md_t *md, int axis, int64_t inner) {
    if (md->ndims == DNNL_MAX_NDIMS || md->padded_dims[axis] != md->dims[axis]) return false;
    const md_blocking_t *b = &md->format_desc.blocking;
    *out = *md;
    md_blocking_t *to = &out->format_desc.blocking;
    out->ndims++;
    for (int d = md->ndims; d > axis; d--) {
        out->dims[d] = md->dims[d - 1];
        out->padded_dims[d] = md->padded_dims[d - 1];
        out->padded_offsets[d] = md->padded_offsets[d - 1];
        to->strides[d] = b->strides[d - 1];
    }
    out->dims[axis] = out->padded_dims[axis] = md->dims[axis] / inner;
    out->dims[axis + 1] = out->padded_dims[axis + 1] = inner;
    int at = -1; /* the axis' block */
    for (int i = 0; i < b->inner_nblks; i++) {
        if (b->inner_idxs[i] == axis) {
            if (at >= 0) return false;
            at = i;
        }
        to->inner_idxs[i] = b->inner_idxs[i] + (b->inner_idxs[i] > axis);
    }
    if (at < 0) {
        to->strides[axis] = b->strides[axis] * inner;
        to->strides[axis + 1] = b->strides[axis];
        return true;
    }
    const int64_t block = b->inner_blks[at], outer_stride = b->strides[axis];
    if (inner % block == 0) { /* blocks lie within the inner dimension */
        to->inner_idxs[at] = axis + 1;
        to->strides[axis] = outer_stride * (inner / block);
        to->strides[axis + 1] = outer_stride;
        return true;
    }
    if (block % inner) return false;
    if (b->inner_nblks == DNNL_MAX_NDIMS) return false;
    for (int i = to->inner_nblks++; i > at + 1; i--) {
        to->inner_blks[i] = to->inner_blks[i - 1];
        to->inner_idxs[i] = to->inner_idxs[i - 1];
    }
    to->inner_blks[at] = block / inner;
    to->inner_idxs[at] = axis;
    to->inner_blks[at + 1] = inner;
    to->inner_idxs[at + 1] = axis + 1;
    to->strides[axis] = outer_stride;
    to->strides[axis + 1] = outer_stride; /* never used: the block has all of this dimension */
    return true;
}

static void swap(dnnl_dim_t *values, int a, int b) {
    const dnnl_dim_t value = values[a];
    values[a] = values[b];
    values[b] = value;
}

static void swap_with_next(md_t *md, int axis) {
    md_blocking_t *b = &md->format_desc.blocking;
    swap(md->dims, axis, axis + 1);
    swap(md->padded_dims, axis, axis + 1);
    swap(md->padded_offsets, axis, axis + 1);
    swap(b->strides, axis, axis + 1);
    for (int i = 0; i < b->inner_nblks; i++)
        if (b->inner_idxs[i] == axis || b->inner_idxs[i] == axis + 1)
            b->inner_idxs[i] = 2 * axis + 1 - b->inner_idxs[i];
}

/* The shuffle that the steps do, in either direction. */
typedef struct {
    int from, to;           /* arguments */
    int64_t columns, group; /* of the matrix; `group` elements lie next to each other before */
} shuffle_t;

static shuffle_t shuffle_of(const pd_t *pd) {
    const int64_t group = pd->params.group_size;
    const int to = pd_result(pd);
    const int64_t others = pd_md(pd, to)->dims[pd->params.axis] / group;
    if (to == DNNL_ARG_DST) return (shuffle_t){DNNL_ARG_SRC, to, others, group};
    return (shuffle_t){DNNL_ARG_DIFF_DST, to, group, others};
}

/* direct: the step that shuffles writes the destination; else a copy, which gets its layout
 * afterwards. */
static const char *add_steps(planner_t *p, int variant, bool direct) {
    const pd_t *pd = p->pd;
    const int axis = pd->params.axis;
    const shuffle_t s = shuffle_of(pd);
    const int src_slot = pd_find_arg(pd, s.from), dst_slot = pd_find_arg(pd, s.to);
    operand_t src = {&pd->args[src_slot].md, src_slot, 0},
              dst = {&pd->args[dst_slot].md, dst_slot, 0};
    const dnnl_data_type_t dt = src.md->data_type;
    if (src.md->ndims == DNNL_MAX_NDIMS) return "the tensor has too many dimensions";
    md_t src_view, dst_view, src_copy_md, dst_copy_md;
    operand_t src_copy, shuffled = dst;
    if (!split_axis(&src_view, src.md, axis, s.group)) {
        REFUSE_IF(copies_between(p, &src_copy, &src_copy_md, src.md, dt));
        REFUSE_IF(ew_copy(p, variant, &src, &src_copy));
        src = src_copy;
        split_axis(&src_view, src.md, axis, s.group);
    }
    if (!direct) REFUSE_IF(copies_between(p, &shuffled, &dst_copy_md, dst.md, dt));
    split_axis(&dst_view, shuffled.md, axis, s.columns);
    swap_with_next(&dst_view, axis);
    const operand_t from = {&src_view, src.slot, src.offset};
    const operand_t to = {&dst_view, shuffled.slot, shuffled.offset};
    REFUSE_IF(ew_copy(p, variant, &from, &to));
    return direct ? NULL : ew_copy(p, variant, &shuffled, &dst);
}

static const char *plan(planner_t *p, int variant) {
    const pd_t *pd = p->pd;
    const shuffle_t s = shuffle_of(pd);
    const md_t *dst = pd_md(pd, s.to);
    md_t view;
    const bool direct = split_axis(&view, dst, pd->params.axis, s.columns);
    const char *why_not = add_steps(p, variant, direct);
    if (!why_not || !direct || !dt_is_nibble(dst->data_type)) return why_not;
    planner_restart(p); /* two elements that come from different rows share a byte */
    return add_steps(p, variant, false);
}

static dnnl_status_t check_sizes(const pd_t *pd, const md_t *src, const md_t *dst) {
    const int64_t group = pd->params.group_size, size = src->dims[pd->params.axis];
    if (!md_same_dims(src, dst))
        return verbose_check(dnnl_invalid_arguments, "shuffle",
                "source and destination differ in their dimensions");
    if (group <= 0 || size % group)
        return verbose_check(dnnl_invalid_arguments, "shuffle",
                "groups of %lld do not divide an axis of %lld", (long long)group, (long long)size);
    return dnnl_success;
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    md_t *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    if (md_is_any(src))
        return verbose_check(dnnl_invalid_arguments, "shuffle", "the source has no layout");
    TRY(check_sizes(pd, src, dst));
    TRY(ew_check_tensor(pd, src, "the source"));
    TRY(ew_resolve(pd, dst, src, "the destination"));
    if (src->data_type != dst->data_type)
        return verbose_refuse(
                dnnl_unimplemented, "shuffle", "source and destination differ in their type");
    TRY(attr_check(pd, 0, 0, NULL));
    TRY(attr_add_args(pd));
    return copies_init(pd, caps, plan);
}

static dnnl_status_t init_backward(pd_t *pd, const caps_t *caps) {
    md_t *diff_src = &pd->args[pd_find_arg(pd, DNNL_ARG_DIFF_SRC)].md;
    md_t *diff_dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DIFF_DST)].md;
    TRY(check_sizes(pd, diff_src, diff_dst));
    TRY(gradients_like_forward(pd, DNNL_ARG_DST));
    if (!md_equal(diff_src, diff_dst))
        return verbose_refuse(dnnl_unimplemented, "shuffle",
                "the gradients of source and destination differ in their type or layout");
    TRY(attr_check(pd, 0, 0, NULL));
    TRY(attr_add_args(pd));
    return copies_init(pd, caps, plan);
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    return md_format_dims(pd_md(pd, pd_result(pd)), buf, size);
}

static int format_aux(const pd_t *pd, char *buf, size_t size) {
    text_t text = text_start(buf, size);
    text_add(&text, "axis:%d group:%lld", pd->params.axis, (long long)pd->params.group_size);
    return text.len;
}

const op_kind_t op_shuffle = {.kind = dnnl_shuffle,
        .name = "shuffle",
        .nibbles = true,
        .init = init,
        .format_problem = format_problem,
        .format_aux = format_aux};

const op_kind_t op_shuffle_backward = {.kind = dnnl_shuffle,
        .directions = DIRECTION_BACKWARD_DATA,
        .name = "shuffle",
        .nibbles = true,
        .init = init_backward,
        .format_problem = format_problem,
        .format_aux = format_aux};
