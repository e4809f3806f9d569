/* SPDX-License-Identifier: Apache-2.0 */
/* matmul by groups: rows of the source that each have weights of their own, or parts of k that
 * each give a matrix of the result. The sizes of the groups are in device memory, so that one
 * step does them all. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "kernels/matmul/grouped_params.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/planners.h"
#include "plan/type_rules.h"
#include "plan/variant.h"
#include "steps/result.h"

#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "matmul", __VA_ARGS__)
#define INVALID(...) verbose_check(dnnl_invalid_arguments, "matmul", __VA_ARGS__)

/* ---- checks ---- */

static const md_grouped_t *groups_of(const md_t *md) {
    return &md->format_desc.sparse.grouped;
}

static dnnl_status_t check_partner(
        const md_t *src, const md_t *partner, const char *name, int variable) {
    if (groups_of(src)->variable_dim_idx != variable || groups_of(partner)->variable_dim_idx != 0)
        return REFUSE("groups of src in dimension %d and of %s in dimension %d are not supported",
                groups_of(src)->variable_dim_idx, name, groups_of(partner)->variable_dim_idx);
    if (groups_of(src)->group_count != groups_of(partner)->group_count)
        return INVALID("src and %s have different numbers of groups", name);
    return dnnl_success;
}

static dnnl_status_t check_dense(const md_t *md, const char *name, int64_t groups) {
    if (md_is_sparse(md)) return REFUSE("%s is sparse", name);
    if (md->ndims != 3) return INVALID("%s has %d dimensions, not 3", name, md->ndims);
    if (md->dims[0] != groups)
        return INVALID("the first dimension of %s is not the number of groups", name);
    if (!md_is_any(md) && !md_is_plain(md))
        return REFUSE("%s is not an array without blocks", name);
    if (md_has_runtime_dims_or_strides(md))
        return REFUSE("there are groups, and %s has run-time dimensions or strides", name);
    if (!md_is_any(md) && dt_is_nibble(md->data_type) && md->offset0 % 2)
        return REFUSE("%s begins in the middle of a byte", name);
    return dnnl_success;
}

/* Groups of k divide src and weights, groups of rows src and dst; the third tensor is dense. */
static dnnl_status_t check_groups(const md_t *src, const md_t *wei, const md_t *dst) {
    const int64_t groups = groups_of(src)->group_count;
    if (md_is_grouped(wei)) {
        TRY(check_partner(src, wei, "weights", 1));
        return check_dense(dst, "dst", groups);
    }
    if (!md_is_grouped(dst)) return REFUSE("src has groups, neither weights nor dst have");
    TRY(check_partner(src, dst, "dst", 0));
    return check_dense(wei, "weights", groups);
}

static dnnl_status_t check_sizes(const md_t *src, const md_t *wei, const md_t *dst) {
    if (src->dims[0] != dst->dims[dst->ndims - 2])
        return INVALID("src and dst have different numbers of rows");
    if (wei->dims[wei->ndims - 1] != dst->dims[dst->ndims - 1])
        return INVALID("weights and dst have different numbers of columns");
    if (src->dims[1] != wei->dims[wei->ndims - 2])
        return INVALID("src has %lld columns, weights %lld rows", (long long)src->dims[1],
                (long long)wei->dims[wei->ndims - 2]);
    const int64_t sizes[] = {
            groups_of(src)->group_count, src->dims[0], src->dims[1], dst->dims[dst->ndims - 1]};
    for (int i = 0; i < ARRAY_LEN(sizes); i++)
        if (sizes[i] > INT32_MAX) return REFUSE("a dimension of src or dst is 2^31 or more");
    return dnnl_success;
}

static bool is_plain_and_known(const md_t *md) {
    return !md_is_sparse(md) && (md_is_any(md) || md_is_plain(md)) &&
           !md_has_runtime_dims_or_strides(md);
}

static dnnl_status_t check_bias(const md_t *bias, const md_t *wei, const md_t *dst) {
    if (md_is_grouped(wei)) return REFUSE("the groups are of k, and there is a bias");
    if (!is_plain_and_known(bias)) return REFUSE("bias is not an array without blocks");
    if (bias->ndims != 2 || bias->dims[0] != groups_of(dst)->group_count ||
            bias->dims[1] != dst->dims[1])
        return INVALID("bias has not a row for each group and a column for each of dst's");
    return dnnl_success;
}

static const type_rule_t rules_of_rows[] = {
        {FLOATS | SMALL_FLOATS, FLOATS | SMALL_FLOATS | INTS, FLOATS, BIASES, false},
        {BYTES, INTS, FLOATS, BIASES, false},
};
static const type_rule_t rules_of_k[] = {
        {DT_SET(dnnl_f32), DT_SET(dnnl_f32), DT_SET(dnnl_f32), 0, true},
        {DT_SET(dnnl_f16), DT_SET(dnnl_f16), DT_SET(dnnl_f16), 0, true},
        {DT_SET(dnnl_bf16), DT_SET(dnnl_bf16), DT_SET(dnnl_bf16), 0, true},
};

/* Tensors of binary post-ops: of all of dst, by row, or one value for each group. */
static bool is_by_group(const md_t *md, const md_t *dst) {
    return !md_is_sparse(md) && md->dims[0] == groups_of(dst)->group_count && md->dims[1] == 1;
}

static dnnl_status_t check_operand(const md_t *md, const md_t *dst, int index) {
    if (md->ndims != 2)
        return INVALID("the tensor of post-op %d has %d dimensions, dst 2", index, md->ndims);
    const bool rows = md->dims[0] == 1 || md->dims[0] == dst->dims[0] || is_by_group(md, dst);
    if (!rows || (md->dims[1] != 1 && md->dims[1] != dst->dims[1]))
        return INVALID(
                "the tensor of post-op %d is neither broadcast to dst nor one value for each group",
                index);
    if (md_is_grouped(md)) return check_partner(dst, md, "the tensor of a post-op", 0);
    if (!md_is_any(md) && !md_is_plain(md))
        return REFUSE("the tensor of post-op %d is not an array without blocks", index);
    if (!dt_in(md, BIASES))
        return REFUSE("the data type of the tensor of post-op %d is not supported", index);
    return dnnl_success;
}

static dnnl_status_t check_post_ops(const pd_t *pd) {
    for (int i = 0; i < pd->attr.post_ops.len; i++) {
        const post_op_t *po = &pd->attr.post_ops.entry[i];
        if (po->kind != dnnl_binary) continue;
        if (po->binary.alg == dnnl_binary_select) return REFUSE("post-op %d is a selection", i);
        TRY(check_operand(&po->binary.src1, pd_md(pd, DNNL_ARG_DST), i));
    }
    return dnnl_success;
}

static dnnl_status_t check_attr(const pd_t *pd, bool split_k) {
    static const attr_quant_rule_t rules[] = {
            {ATTR_SCALES, DNNL_ARG_SRC, ~0u},
            {ATTR_SCALES, DNNL_ARG_WEIGHTS, ~0u},
            {ATTR_ZERO_POINTS, DNNL_ARG_SRC, ~0u},
            {ATTR_ZERO_POINTS, DNNL_ARG_WEIGHTS, ~0u},
            {0, 0, 0},
    };
    if (split_k) return attr_check(pd, 0, 0, NULL);
    TRY(attr_check(pd, ATTR_SCALES | ATTR_ZERO_POINTS | ATTR_POST_OPS | ATTR_GROUPS,
            POST_OP_ELTWISE | POST_OP_BINARY | POST_OP_OWN_CHECK, rules));
    return check_post_ops(pd);
}

static dnnl_status_t check_values(const pd_t *pd, const quant_t *q, bool zero_points) {
    const md_t *md = pd_md(pd, q->arg);
    const bool src = q->arg == DNNL_ARG_SRC;
    const int other = src ? 0 : 2, first = md->ndims - 2;
    const char *what = src ? "src" : "weights";
    if (q->on_host)
        return REFUSE("there are groups, and a scale or zero point of %s is on the host", what);
    if (zero_points && !dt_in(md, INTS)) return REFUSE("zero points of %s need integers", what);
    if (q->group_ndims && q->mask >> other & 1 && q->group_dims[other - first] > 1)
        return REFUSE("groups of %s are supported along k only", what);
    return dnnl_success;
}

/* Values of k that share a scale or zero point; k: all do. */
static int64_t group_of_k(const pd_t *pd, const quant_t *q, int64_t k) {
    enum { K_DIM = 1 };
    if (!(q->mask >> K_DIM & 1)) return k;
    return q->group_ndims ? q->group_dims[K_DIM - (pd_md(pd, q->arg)->ndims - 2)] : 1;
}

/* *step: the values of k that share all scales and zero points. Groups must divide each other,
 * so that the kernel can go through k in such steps. */
static dnnl_status_t check_quant(const pd_t *pd, int64_t k, int64_t *step) {
    const quant_map_t *maps[] = {&pd->attr.scales, &pd->attr.zero_points};
    *step = k;
    for (int m = 0; m < ARRAY_LEN(maps); m++)
        for (int i = 0; i < maps[m]->len; i++) {
            const quant_t *q = &maps[m]->entry[i];
            TRY(check_values(pd, q, maps[m] == &pd->attr.zero_points));
            const int64_t group = group_of_k(pd, q, k);
            if (group == k) continue;
            if (group <= 0 || k % group)
                return REFUSE("groups of %lld do not divide k", (long long)group);
            if (*step % group && group % *step)
                return REFUSE("groups of k do not divide each other");
            if (group < *step) *step = group;
        }
    return dnnl_success;
}

static dnnl_status_t check(const pd_t *pd, int64_t *step) {
    const int bias = pd_find_arg(pd, DNNL_ARG_BIAS);
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *wei = pd_md(pd, DNNL_ARG_WEIGHTS),
               *dst = pd_md(pd, DNNL_ARG_DST);
    const bool split_k = md_is_grouped(wei);
    TRY(check_groups(src, wei, dst));
    TRY(check_sizes(src, wei, dst));
    if (bias >= 0) TRY(check_bias(&pd->args[bias].md, wei, dst));
    TRY(split_k ? product_types_check(pd, rules_of_k, ARRAY_LEN(rules_of_k))
                : product_types_check(pd, rules_of_rows, ARRAY_LEN(rules_of_rows)));
    TRY(check_attr(pd, split_k));
    return check_quant(pd, src->dims[1], step);
}

/* ---- epilogue ---- */

/* The strides of a tensor for (group, row, column) of the result. */
static void source_strides(const pd_t *pd, int slot, const md_t *dst, int64_t stride[3]) {
    const md_t *md = &pd->args[slot].md;
    const int64_t *own =
            md_is_grouped(md) ? groups_of(md)->strides : md->format_desc.blocking.strides;
    const bool by_group = slot == pd_find_arg(pd, DNNL_ARG_BIAS) || is_by_group(md, dst);
    stride[0] = by_group ? own[0] : 0;
    stride[1] = by_group || md->dims[0] == 1 ? 0 : own[0];
    stride[2] = md->dims[1] == 1 ? 0 : own[1];
}

static const char *set_epilogue(const pd_t *pd, const md_t *dst, epilogue_segment_t *seg) {
    epilogue_t epilogue;
    const int bias = pd_find_arg(pd, DNNL_ARG_BIAS);
    epilogue_init(&epilogue);
    if (bias >= 0) epilogue_add_tensor(&epilogue, pd, OP_ADD, bias);
    epilogue_add_post_ops(&epilogue, pd);
    epilogue_segment(seg, &epilogue, 0);
    if (seg->count != epilogue.len) return "there are more post-ops than the kernel can apply";
    for (int i = 0; i < seg->nsrcs; i++) {
        int64_t stride[3];
        source_strides(pd, seg->src[i].slot, dst, stride);
        REFUSE_IF(epilogue_set_strides(seg, i, stride, 3));
    }
    return NULL;
}

/* ---- plan ---- */

enum {
    GROUP = 16,         /* work-items of a work-group where a work-item is no thread */
    ITEMS_PER_UNIT = 8, /* work-items for each compute unit, so that all are busy to the end */
};

typedef struct {
    planner_t planner; /* first: plan_best() passes a pointer to it */
    operand_t src, wei, dst;
    bool split_k; /* the groups divide k; else rows */
    int64_t step; /* values of k that share all scales and zero points */
} grouped_t;

static const int64_t *strides_of(const operand_t *x) {
    return md_is_grouped(x->md) ? groups_of(x->md)->strides : x->md->format_desc.blocking.strides;
}

static const quant_t *scale_of(const grouped_t *g, int arg) {
    return quant_find(&g->planner.pd->attr.scales, arg);
}

static const quant_t *zero_point_of(const grouped_t *g, int arg) {
    return quant_find(&g->planner.pd->attr.zero_points, arg);
}

static mm_grouped_t params_of(const grouped_t *g) {
    const md_t *src = g->src.md, *wei = g->wei.md, *dst = g->dst.md;
    const int64_t *a = strides_of(&g->src), *b = strides_of(&g->wei), *c = strides_of(&g->dst);
    mm_grouped_t params;
    memset(&params, 0, sizeof(params));
    params.groups = (int32_t)groups_of(src)->group_count;
    params.rows = (int32_t)src->dims[0];
    params.cols = (int32_t)dst->dims[dst->ndims - 1];
    params.k = (int32_t)src->dims[1];
    params.rows_per_item = 1;
    params.step = (int32_t)g->step;
    params.a_row = a[0];
    params.a_k = a[1];
    params.b_group = g->split_k ? 0 : b[0];
    params.b_k = b[wei->ndims - 2];
    params.b_col = b[wei->ndims - 1];
    params.c_group = g->split_k ? c[0] : 0;
    params.c_row = c[dst->ndims - 2];
    params.c_col = c[dst->ndims - 1];
    matmul_set_quant(&params.sa, scale_of(g, DNNL_ARG_SRC), src, 1);
    matmul_set_quant(&params.sb, scale_of(g, DNNL_ARG_WEIGHTS), wei, 0);
    matmul_set_quant(&params.za, zero_point_of(g, DNNL_ARG_SRC), src, 1);
    matmul_set_quant(&params.zb, zero_point_of(g, DNNL_ARG_WEIGHTS), wei, 0);
    return params;
}

static uint32_t flags_of(const grouped_t *g) {
    return (dt_in(g->src.md, INTS) ? MMF_INT : 0) | (zero_point_of(g, DNNL_ARG_SRC) ? MMF_ZA : 0) |
           (zero_point_of(g, DNNL_ARG_WEIGHTS) ? MMF_ZB : 0) |
           (scale_of(g, DNNL_ARG_SRC) ? MMF_SA : 0) | (scale_of(g, DNNL_ARG_WEIGHTS) ? MMF_SB : 0) |
           (g->split_k ? MMG_SPLIT_K : 0);
}

static void bind_dense(plan_t *plan, const operand_t *x) {
    if (md_is_sparse(x->md)) plan_arg(plan, x->slot, 0);
    else bind_operand(plan, x);
}

static void bind_all(planner_t *p, const grouped_t *g, const mm_grouped_t *params) {
    plan_handle(p->plan, g->src.slot, 0);
    plan_handle(p->plan, g->src.slot, 1);
    bind_dense(p->plan, &g->wei);
    bind_dense(p->plan, &g->dst);
    plan_const(p->plan, params, sizeof(*params));
    bind_scale(p, DNNL_ARG_SRC);
    bind_scale(p, DNNL_ARG_WEIGHTS);
    plan_arg(p->plan, pd_find_arg(p->pd, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC), 0);
    plan_arg(p->plan, pd_find_arg(p->pd, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS), 0);
}

const char *matmul_plan_grouped(planner_t *p, int variant) {
    const grouped_t *g = (const grouped_t *)p;
    const variant_geometry_t *shape = &variants[variant].geometry;
    const bool cpu = variants[variant].target == TARGET_CPU;
    epilogue_segment_t seg;
    REFUSE_IF(set_epilogue(p->pd, g->dst.md, &seg));
    mm_grouped_t params = params_of(g);
    const uint32_t size[3] = {cpu ? 1 : GROUP, 1, 1};
    const int64_t panels = div_up(params.cols, (cpu ? shape->vw : 1) * (int64_t)size[0]),
                  parts = g->split_k ? params.groups : 1;
    if (cpu) {
        const int64_t items =
                div_up((int64_t)p->caps->compute_units * ITEMS_PER_UNIT, panels * parts);
        params.rows_per_item = (int32_t)(div_up(div_up(params.rows, items), shape->mr) * shape->mr);
    }
    const uint32_t count[3] = {
            (uint32_t)panels, (uint32_t)div_up(params.rows, params.rows_per_item), (uint32_t)parts};
    plan_step(p->plan, variant, size, count);
    product_specs(p->plan, g->src.md->data_type, g->wei.md->data_type, g->dst.md->data_type,
            flags_of(g), &seg);
    bind_all(p, g, &params);
    epilogue_args(&seg, p->pd, NULL, p->plan);
    return NULL;
}

dnnl_status_t matmul_grouped_init(pd_t *pd, const caps_t *caps) {
    grouped_t g = {.split_k = md_is_grouped(pd_md(pd, DNNL_ARG_WEIGHTS))};
    TRY(check(pd, &g.step));
    for (int i = 0; i < pd->nargs; i++)
        if (md_is_any(&pd->args[i].md)) TRY(md_set_plain(&pd->args[i].md));
    TRY(attr_add_args(pd));
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) return nothing_to_do(pd);
    g.planner = planner_of(pd, caps);
    g.src = operand_of(&g.planner, DNNL_ARG_SRC);
    g.wei = operand_of(&g.planner, DNNL_ARG_WEIGHTS);
    g.dst = operand_of(&g.planner, DNNL_ARG_DST);
    TRY(plan_with_variants(&g.planner, pd, "matmul_grouped"));
    name_variant(pd);
    return planner_finish(&g.planner, pd);
}
