/* SPDX-License-Identifier: Apache-2.0 */
/* Concat: every source is copied to its part of the destination, by a step of its own; 16 to a
 * step where a plan has no room for that and one kernel can. */
#include <string.h>

#include "core/alloc.h"
#include "core/strings.h"
#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "kernels/data/concat_params.h"
#include "kernels/lib/spec.h"
#include "steps/copies.h"
#include "plan/check.h"
#include "plan/op.h"
#include "plan/variant.h"
#include "plan/variant_planners.h"

static int source_count(const pd_t *pd) {
    return pd->request.ntensors - 1;
}

static int source_slot(const pd_t *pd, int i) {
    return pd_find_arg(pd, DNNL_ARG_MULTIPLE_SRC + i);
}

static const md_t *source_md(const pd_t *pd, int i) {
    return &pd->args[source_slot(pd, i)].md;
}

/* The last source that has elements, and how many have. */
static int last_source(const pd_t *pd, int *count) {
    int last = -1;
    *count = 0;
    for (int i = 0; i < source_count(pd); i++) {
        if (md_has_zero_dim(source_md(pd, i))) continue;
        last = i;
        ++*count;
    }
    return last;
}

/* ---- a step for each source ---- */

/* The part of dst that begins at `begin` and has the size of source `of`; with the padding if it
 * is the last one. False: it begins or ends within a block, or in the middle of a byte. */
static bool part_of(
        md_t *part, const md_t *dst, int axis, int64_t begin, const md_t *of, bool is_last) {
    dnnl_dims_t blocks;
    md_blocks(dst, blocks);
    const int64_t size = of->dims[axis], block = blocks[axis];
    if (begin % block || (!is_last && size % block)) return false;
    *part = *dst;
    part->dims[axis] = size;
    part->padded_dims[axis] = is_last ? dst->padded_dims[axis] - begin : size;
    part->offset0 += begin / block * dst->format_desc.blocking.strides[axis];
    return !dt_is_nibble(dst->data_type) || part->offset0 % 2 == 0;
}

static bool parts_exist(const pd_t *pd, const md_t *dst) {
    int count;
    const int last = last_source(pd, &count);
    int64_t begin = 0;
    md_t part;
    for (int i = 0; i < source_count(pd); i++) {
        if (md_has_zero_dim(source_md(pd, i))) continue;
        if (!part_of(&part, dst, pd->params.axis, begin, source_md(pd, i), i == last)) return false;
        begin += source_md(pd, i)->dims[pd->params.axis];
    }
    return true;
}

/* direct: sources go to where they belong; else everything is put together without blocks first. */
static const char *add_steps(planner_t *p, int variant, bool direct) {
    const pd_t *pd = p->pd;
    int count;
    const int last = last_source(pd, &count), axis = pd->params.axis;
    const int slot = pd_find_arg(pd, DNNL_ARG_DST);
    const operand_t dst = {&pd->args[slot].md, slot, 0};
    const char *why_not = NULL;
    md_t plain;
    operand_t whole = dst;
    if (!direct) why_not = copies_between(p, &whole, &plain, dst.md, source_md(pd, 0)->data_type);
    int64_t begin = 0;
    for (int i = 0; i < source_count(pd) && !why_not; i++) {
        const md_t *md = source_md(pd, i);
        if (md_has_zero_dim(md)) continue;
        md_t part_md;
        part_of(&part_md, whole.md, axis, begin, md, i == last);
        begin += md->dims[axis];
        epilogue_t epilogue;
        epilogue_init(&epilogue);
        epilogue_add_scale(&epilogue, pd, OP_MUL, DNNL_ARG_MULTIPLE_SRC + i);
        const operand_t src = {md, source_slot(pd, i), 0};
        operand_t part = {&part_md, whole.slot, 0};
        if (!direct)
            part.offset = whole.offset + (uint64_t)part_md.offset0 * dt_size(part_md.data_type);
        why_not = ew_plan(p, variant, &epilogue, 0, &src, &part, &part);
    }
    if (direct || why_not) return why_not;
    return ew_copy(p, variant, &whole, &dst);
}

static const char *plan(planner_t *p, int variant) {
    const pd_t *pd = p->pd;
    const md_t *dst = pd_md(pd, DNNL_ARG_DST);
    const bool direct = parts_exist(pd, dst);
    const char *why_not = add_steps(p, variant, direct);
    if (!why_not || !direct || !dt_is_nibble(dst->data_type)) return why_not;
    planner_restart(p); /* two sources share a byte */
    return add_steps(p, variant, false);
}

/* ---- many sources to a step ---- */

/* From so many sources on a step for each costs more than one for several; and steps of several
 * that a plan has at most. */
enum { MANY_SOURCES = 13, MANY_STEPS = 12 };

/* A tensor whose blocks are loops like its dimensions, with the padding. */
typedef struct {
    int n;
    int64_t size[CAT_DIMS], stride[CAT_DIMS];
} loops_t;

static bool loops_of(loops_t *l, const md_t *md) {
    const md_blocking_t *b = &md->format_desc.blocking;
    dnnl_dims_t blocks;
    if (md->ndims + b->inner_nblks > CAT_DIMS) return false;
    md_blocks(md, blocks);
    l->n = 0;
    for (int d = 0; d < md->ndims; d++, l->n++) {
        l->size[l->n] = md->padded_dims[d] / blocks[d];
        l->stride[l->n] = b->strides[d];
    }
    int64_t stride = 1;
    l->n += b->inner_nblks;
    for (int i = b->inner_nblks - 1; i >= 0; i--) {
        l->size[md->ndims + i] = b->inner_blks[i];
        l->stride[md->ndims + i] = stride;
        stride *= b->inner_blks[i];
    }
    for (int i = 0; i < l->n; i++)
        if (l->size[i] > INT32_MAX || l->stride[i] > INT32_MAX) return false;
    return true;
}

static bool same_blocks(const md_t *a, const md_t *b) {
    const md_blocking_t *x = &a->format_desc.blocking, *y = &b->format_desc.blocking;
    const size_t size = (size_t)x->inner_nblks * sizeof(dnnl_dim_t);
    return x->inner_nblks == y->inner_nblks && !memcmp(x->inner_blks, y->inner_blks, size) &&
           !memcmp(x->inner_idxs, y->inner_idxs, size);
}

/* Can the variant put the sources together? NULL, or why not. */
static const char *many_fit(const pd_t *pd, int variant) {
    int count;
    const md_t *dst = pd_md(pd, DNNL_ARG_DST);
    last_source(pd, &count);
    loops_t l;
    if (pd->attr.scales.len) return "it does not support scales";
    if (dt_is_nibble(dst->data_type) || dt_is_nibble(source_md(pd, 0)->data_type))
        return "it does not support 4-bit types";
    if (div_up(count, CAT_SOURCES) > MANY_STEPS) return "there are too many sources";
    if (!parts_exist(pd, dst)) return "a source begins or ends within a block";
    for (int i = -1; i < source_count(pd); i++) {
        const md_t *md = i < 0 ? dst : source_md(pd, i);
        if (md_has_zero_dim(md)) continue;
        if (!same_blocks(md, dst) || !loops_of(&l, md))
            return "the layouts are not alike, or too large";
        for (int d = 0; d < md->ndims; d++)
            if (d != pd->params.axis && md->padded_dims[d] != dst->padded_dims[d])
                return "the tensors are padded in different ways";
        if (md->data_type == dnnl_f64 && !variants[variant].needs_fp64)
            return "it has no double arithmetic";
    }
    return NULL;
}

static bool many_can(const pd_t *pd, const caps_t *caps) {
    for (int v = 0; v < variant_count; v++)
        if (variants[v].plan == concat_plan && variant_runs_on(&variants[v], caps) &&
                !many_fit(pd, v))
            return true;
    return false;
}

static void many_step(
        const pd_t *pd, int variant, plan_t *plan, const int *slots, const int64_t *begins, int n) {
    enum { ITEM_BYTES = 64 << 10 };
    const md_t *dst = pd_md(pd, DNNL_ARG_DST);
    dnnl_dims_t blocks;
    md_blocks(dst, blocks);
    loops_t to;
    loops_of(&to, dst);
    cat_params_t p;
    memset(&p, 0, sizeof(p));
    p.ndims = to.n;
    /* The loop with the smallest stride of the destination comes last. */
    int order[CAT_DIMS];
    for (int i = 0; i < to.n; i++) {
        int at = i;
        while (at > 0 && to.stride[order[at - 1]] < to.stride[i]) at--;
        memmove(order + at + 1, order + at, (size_t)(i - at) * sizeof(*order));
        order[at] = i;
    }
    int64_t most_rows = 0;
    for (int s = 0; s < n; s++) {
        loops_t from;
        int64_t rows = 1;
        loops_of(&from, &pd->args[slots[s]].md);
        for (int i = 0; i < to.n; i++) {
            p.src_stride[s][i] = (int32_t)from.stride[order[i]];
            if (i < to.n - 1) rows *= from.size[order[i]];
        }
        p.begin[s] = (int32_t)(begins[s] / blocks[pd->params.axis]);
        p.len[s] = (int32_t)from.size[pd->params.axis];
        most_rows = max_i64(most_rows, rows);
    }
    for (int i = 0; i < to.n; i++) {
        p.size[i] = (int32_t)to.size[order[i]];
        p.dst_stride[i] = (int32_t)to.stride[order[i]];
        if (order[i] == pd->params.axis) p.axis = i;
    }
    const int64_t row_bytes = p.size[to.n - 1] * (int64_t)dt_size(dst->data_type);
    const bool cpu = variants[variant].target == TARGET_CPU;
    p.rows_per_item = cpu ? (int32_t)max_i64(1, ITEM_BYTES / row_bytes) : 1;
    const uint32_t group[3] = {1, 1, 1},
                   groups[3] = {(uint32_t)min_i64(div_up(most_rows, p.rows_per_item), UINT32_MAX),
                           (uint32_t)n, 1};
    plan_step(plan, variant, group, groups);
    dnnl_data_type_t src_dt = pd->args[slots[0]].md.data_type, dst_dt = dst->data_type;
    if (src_dt == dnnl_s32 && dst_dt == dnnl_s32)
        src_dt = dst_dt = dnnl_f32; /* bits, no rounding */
    plan_spec(plan, SPEC_SRC_DT, src_dt);
    plan_spec(plan, SPEC_DST_DT, dst_dt);
    for (int s = 0; s < CAT_SOURCES; s++) {
        const md_t *md = s < n ? &pd->args[slots[s]].md : NULL;
        plan_arg(plan, s < n ? slots[s] : -1,
                md ? (uint64_t)md->offset0 * dt_size(md->data_type) : 0);
    }
    plan_arg(plan, pd_find_arg(pd, DNNL_ARG_DST), (uint64_t)dst->offset0 * dt_size(dst->data_type));
    plan_const(plan, &p, sizeof(p));
}

const char *concat_plan(planner_t *p, int variant) {
    const pd_t *pd = p->pd;
    REFUSE_IF(many_fit(pd, variant));
    int slots[CAT_SOURCES], n = 0;
    int64_t begins[CAT_SOURCES], begin = 0;
    for (int i = 0; i < source_count(pd); i++) {
        if (md_has_zero_dim(source_md(pd, i))) continue;
        slots[n] = source_slot(pd, i);
        begins[n++] = begin;
        begin += source_md(pd, i)->dims[pd->params.axis];
        if (n < CAT_SOURCES) continue;
        many_step(pd, variant, p->plan, slots, begins, n);
        n = 0;
    }
    if (n) many_step(pd, variant, p->plan, slots, begins, n);
    return NULL;
}

static dnnl_status_t many_init(pd_t *pd, const caps_t *caps) {
    planner_t p = planner_of(pd, caps);
    TRY(plan_with_variants(&p, pd, "concat"));
    name_variant(pd);
    return planner_finish(&p, pd);
}

/* ---- the primitive ---- */

static dnnl_status_t check_sources(const pd_t *pd) {
    for (int i = 0; i < source_count(pd); i++) {
        const md_t *md = source_md(pd, i);
        TRY(ew_check_tensor(pd, md, "a source"));
        if (md->data_type != source_md(pd, 0)->data_type)
            return verbose_check(
                    dnnl_invalid_arguments, "concat", "the sources differ in their data type");
    }
    return dnnl_success;
}

/* One common scale for each source. */
static dnnl_status_t check_attr(const pd_t *pd) {
    attr_quant_rule_t *rules = dz_calloc((size_t)pd->attr.scales.len + 1, sizeof(*rules));
    if (!rules) return dnnl_out_of_memory;
    int n = 0;
    for (int i = 0; i < pd->attr.scales.len; i++) {
        const int arg = pd->attr.scales.entry[i].arg;
        if (arg >= DNNL_ARG_MULTIPLE_SRC && arg < DNNL_ARG_MULTIPLE_SRC + source_count(pd))
            rules[n++] = (attr_quant_rule_t){ATTR_SCALES, arg, 0};
    }
    const dnnl_status_t status = attr_check(pd, ATTR_SCALES, 0, rules);
    dz_free(rules);
    return status;
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    md_t *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    const md_t *like = source_md(pd, 0);
    for (int i = source_count(pd) - 1; i >= 0; i--)
        if (md_is_blocked(source_md(pd, i)) && !md_is_plain(source_md(pd, i)))
            like = source_md(pd, i);
    TRY(check_sources(pd));
    TRY(ew_resolve(pd, dst, like, "the destination"));
    TRY(check_attr(pd));
    TRY(attr_add_args(pd));
    dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md; /* the arguments may have moved */
    if (md_has_zero_dim(dst)) return nothing_to_do(pd);
    int count;
    last_source(pd, &count);
    const int wanted = pd->request.hints.forced_variant;
    const bool forced = wanted >= 0 && variants[wanted].plan == concat_plan;
    return forced || (count >= MANY_SOURCES && many_can(pd, caps)) ? many_init(pd, caps)
                                                                   : copies_init(pd, caps, plan);
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    text_t text = text_start(buf, size);
    for (int i = 0; i < source_count(pd); i++) {
        if (i) text_add(&text, ":");
        text_add_dims(&text, source_md(pd, i)->dims, source_md(pd, i)->ndims);
    }
    return text.len;
}

static int format_aux(const pd_t *pd, char *buf, size_t size) {
    text_t text = text_start(buf, size);
    text_add(&text, "axis:%d", pd->params.axis);
    return text.len;
}

const op_kind_t op_concat = {.kind = dnnl_concat,
        .name = "concat",
        .nibbles = true,
        .init = init,
        .format_problem = format_problem,
        .format_aux = format_aux};
