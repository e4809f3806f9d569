/* SPDX-License-Identifier: Apache-2.0 */
/* matmul by groups: rows of the source that each have weights of their own, or parts of k that
 * each give a matrix of the result. The sizes of the groups are in device memory, so that one
 * step does them all. */
#include <string.h>

#include "core/util.h"
#include "core/verbose.h"
#include "kernels/matmul/grouped_params.h"
#include "plan/variant_id.h"
#include "ops/matmul/matmul.h"
#include "plan/type_rules.h"
#include "plan/variant.h"

#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "matmul", __VA_ARGS__)
#define INVALID(...) verbose_check(dnnl_invalid_arguments, "matmul", __VA_ARGS__)

/* ---- checks ---- */

static const md_grouped_t *groups_of(const md_t *md) {
    return &md->format_desc.sparse.grouped;
}

static dnnl_status_t check_partner(
        const md_t *src, const md_t *partner, const char *name, int variable) {
    if (groups_of(src)->variable_dim_idx != variable || groups_of(partner)->variable_dim_idx != 0)
        return REFUSE("groups of src in dimension %d and of %s in dimension %d are not taken",
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

static dnnl_status_t check_shapes(
        const md_t *src, const md_t *wei, const md_t *bias, const md_t *dst) {
    const int64_t groups = groups_of(src)->group_count;
    const bool split_k = md_is_grouped(wei);
    dnnl_status_t status;
    if (split_k) {
        status = check_partner(src, wei, "weights", 1);
        if (status == dnnl_success) status = check_dense(dst, "dst", groups);
    } else {
        if (!md_is_grouped(dst)) return REFUSE("src has groups, neither weights nor dst have");
        status = check_partner(src, dst, "dst", 0);
        if (status == dnnl_success) status = check_dense(wei, "weights", groups);
    }
    if (status != dnnl_success) return status;
    if (src->dims[0] != dst->dims[dst->ndims - 2])
        return INVALID("src and dst have different numbers of rows");
    if (wei->dims[wei->ndims - 1] != dst->dims[dst->ndims - 1])
        return INVALID("weights and dst have different numbers of columns");
    if (src->dims[1] != wei->dims[wei->ndims - 2])
        return INVALID("src has %lld columns, weights %lld rows", (long long)src->dims[1],
                (long long)wei->dims[wei->ndims - 2]);
    const int64_t sizes[] = {groups, src->dims[0], src->dims[1], dst->dims[dst->ndims - 1]};
    for (int i = 0; i < ARRAY_LEN(sizes); i++)
        if (sizes[i] > INT32_MAX) return REFUSE("a dimension of src or dst is 2^31 or more");
    if (!bias) return dnnl_success;
    if (split_k) return REFUSE("the groups are of k, and there is a bias");
    if (md_is_sparse(bias) || (!md_is_any(bias) && !md_is_plain(bias)) ||
            md_has_runtime_dims_or_strides(bias))
        return REFUSE("bias is not an array without blocks");
    if (bias->ndims != 2 || bias->dims[0] != groups || bias->dims[1] != dst->dims[1])
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
        return REFUSE("the data type of the tensor of post-op %d is not taken", index);
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
    dnnl_status_t status =
            attr_check(pd, ATTR_SCALES | ATTR_ZERO_POINTS | ATTR_POST_OPS | ATTR_GROUPS,
                    TAKES_ELTWISE | TAKES_BINARY | TAKES_OPERANDS, rules);
    for (int i = 0; status == dnnl_success && i < pd->attr.post_ops.len; i++) {
        const post_op_t *po = &pd->attr.post_ops.entry[i];
        if (po->kind != dnnl_binary) continue;
        if (po->binary.alg == dnnl_binary_select) return REFUSE("post-op %d is a selection", i);
        status = check_operand(&po->binary.src1, pd_md(pd, DNNL_ARG_DST), i);
    }
    return status;
}

/* What the masks say of k, and whether the kernel's vectors can follow them. */
static dnnl_status_t check_quant(const pd_t *pd, int64_t k, int64_t *step) {
    const quant_map_t *maps[] = {&pd->attr.scales, &pd->attr.zero_points};
    *step = k;
    for (int m = 0; m < ARRAY_LEN(maps); m++)
        for (int i = 0; i < maps[m]->len; i++) {
            const quant_t *q = &maps[m]->entry[i];
            const md_t *md = pd_md(pd, q->arg);
            const int k_dim = 1, other = q->arg == DNNL_ARG_SRC ? 0 : 2;
            const int first = md->ndims - 2;
            const char *what = q->arg == DNNL_ARG_SRC ? "src" : "weights";
            if (q->on_host)
                return REFUSE(
                        "there are groups, and a scale or zero point of %s is on the host", what);
            if (maps[m] == &pd->attr.zero_points && !dt_in(md, INTS))
                return REFUSE("zero points of %s need integers", what);
            if (q->group_ndims && q->mask >> other & 1 && q->group_dims[other - first] > 1)
                return REFUSE("groups of %s are taken along k only", what);
            if (!(q->mask >> k_dim & 1)) continue;
            const int64_t group = q->group_ndims ? q->group_dims[k_dim - first] : 1;
            if (group <= 0 || k % group)
                return REFUSE("groups of %lld do not divide k", (long long)group);
            if (*step % group && group % *step)
                return REFUSE("groups of k do not divide each other");
            if (group < *step) *step = group;
        }
    return dnnl_success;
}

/* ---- plan ---- */

enum { LANES_CPU = 16, ROWS_CPU = 4, GROUP = 16, ITEMS_PER_UNIT = 8 };

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

static const char *make_chain(const pd_t *pd, const md_t *dst, epilogue_segment_t *seg) {
    epilogue_t chain;
    const int bias = pd_find_arg(pd, DNNL_ARG_BIAS);
    epilogue_init(&chain);
    if (bias >= 0) epilogue_add_tensor(&chain, pd, OP_ADD, bias);
    epilogue_add_post_ops(&chain, pd);
    epilogue_segment(seg, &chain, 0);
    if (seg->count != chain.len) return "the chain of post-ops is too long";
    for (int i = 0; i < seg->nsrcs; i++) {
        int64_t stride[3];
        source_strides(pd, seg->src[i].slot, dst, stride);
        const char *why_not = epilogue_set_strides(seg, i, stride, 3);
        if (why_not) return why_not;
    }
    return NULL;
}

static void bind_quant(plan_t *plan, const pd_t *pd, int kind, int arg) {
    plan_arg(plan, pd_find_arg(pd, kind | arg), 0);
}

static void bind_tensor(plan_t *plan, int slot, const md_t *md) {
    plan_arg(plan, slot, md_is_sparse(md) ? 0 : dt_offset(md->data_type, md->offset0));
}

static const char *make_plan(const pd_t *pd, const caps_t *caps, int row, plan_t *plan) {
    const int src_slot = pd_find_arg(pd, DNNL_ARG_SRC),
              wei_slot = pd_find_arg(pd, DNNL_ARG_WEIGHTS);
    const int dst_slot = pd_find_arg(pd, DNNL_ARG_DST);
    const md_t *src = &pd->args[src_slot].md, *wei = &pd->args[wei_slot].md,
               *dst = &pd->args[dst_slot].md;
    const attr_t *attr = &pd->attr;
    const bool split_k = md_is_grouped(wei), cpu = variants[row].target == TARGET_CPU;
    epilogue_segment_t seg;
    const char *why_not = make_chain(pd, dst, &seg);
    if (why_not) return why_not;

    int64_t step;
    mm_grouped_t p;
    memset(&p, 0, sizeof(p));
    check_quant(pd, src->dims[1], &step);
    p.groups = (int32_t)groups_of(src)->group_count;
    p.rows = (int32_t)src->dims[0];
    p.cols = (int32_t)dst->dims[dst->ndims - 1];
    p.k = (int32_t)src->dims[1];
    p.step = (int32_t)step;
    p.a_row = groups_of(src)->strides[0];
    p.a_k = groups_of(src)->strides[1];
    const int64_t *b = split_k ? groups_of(wei)->strides : wei->format_desc.blocking.strides;
    const int64_t *c = split_k ? dst->format_desc.blocking.strides : groups_of(dst)->strides;
    p.b_group = split_k ? 0 : b[0];
    p.b_k = b[wei->ndims - 2];
    p.b_col = b[wei->ndims - 1];
    p.c_group = split_k ? c[0] : 0;
    p.c_row = c[dst->ndims - 2];
    p.c_col = c[dst->ndims - 1];
    const quant_t *sa = quant_find(&attr->scales, DNNL_ARG_SRC),
                  *sb = quant_find(&attr->scales, DNNL_ARG_WEIGHTS);
    const quant_t *za = quant_find(&attr->zero_points, DNNL_ARG_SRC),
                  *zb = quant_find(&attr->zero_points, DNNL_ARG_WEIGHTS);
    matmul_set_quant(&p.sa, sa, src, 1);
    matmul_set_quant(&p.sb, sb, wei, 0);
    matmul_set_quant(&p.za, za, src, 1);
    matmul_set_quant(&p.zb, zb, wei, 0);

    const uint32_t size[3] = {cpu ? 1 : GROUP, 1, 1};
    const int64_t panels = div_up(p.cols, (cpu ? LANES_CPU : 1) * (int64_t)size[0]),
                  parts = split_k ? p.groups : 1;
    p.rows_per_item = 1;
    if (cpu) {
        const int64_t items = div_up((int64_t)caps->compute_units * ITEMS_PER_UNIT, panels * parts);
        p.rows_per_item = (int32_t)(div_up(div_up(p.rows, items), ROWS_CPU) * ROWS_CPU);
    }
    const uint32_t count[3] = {
            (uint32_t)panels, (uint32_t)div_up(p.rows, p.rows_per_item), (uint32_t)parts};
    plan_reset(plan);
    plan_step(plan, row, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)src->data_type);
    plan_spec(plan, SPEC_SRC1_DT, (uint32_t)wei->data_type);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)dst->data_type);
    plan_spec(plan, SPEC_FLAGS,
            (dt_in(src, INTS) ? MMF_INT : 0) | (za ? MMF_ZA : 0) | (zb ? MMF_ZB : 0) |
                    (sa ? MMF_SA : 0) | (sb ? MMF_SB : 0) | (split_k ? MMG_SPLIT_K : 0));
    epilogue_specs(&seg, plan);
    plan_handle(plan, src_slot, 0);
    plan_handle(plan, src_slot, 1);
    bind_tensor(plan, wei_slot, wei);
    bind_tensor(plan, dst_slot, dst);
    plan_const(plan, &p, sizeof(p));
    bind_quant(plan, pd, DNNL_ARG_ATTR_SCALES, DNNL_ARG_SRC);
    bind_quant(plan, pd, DNNL_ARG_ATTR_SCALES, DNNL_ARG_WEIGHTS);
    bind_quant(plan, pd, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_SRC);
    bind_quant(plan, pd, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_WEIGHTS);
    epilogue_args(&seg, pd, NULL, plan);
    return NULL;
}

static const char *fits(const pd_t *pd, const caps_t *caps, int row) {
    plan_t plan __attribute__((cleanup(plan_free))) = {0};
    return make_plan(pd, caps, row, &plan);
}

dnnl_status_t matmul_grouped_init(pd_t *pd, const caps_t *caps) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *wei = pd_md(pd, DNNL_ARG_WEIGHTS),
               *dst = pd_md(pd, DNNL_ARG_DST);
    const int bias_slot = pd_find_arg(pd, DNNL_ARG_BIAS);
    const md_t *bias = bias_slot < 0 ? NULL : &pd->args[bias_slot].md;
    int64_t step;
    dnnl_status_t status = check_shapes(src, wei, bias, dst);
    if (status == dnnl_success)
        status = md_is_grouped(wei)
                         ? product_types_check(pd, rules_of_k, ARRAY_LEN(rules_of_k))
                         : product_types_check(pd, rules_of_rows, ARRAY_LEN(rules_of_rows));
    if (status == dnnl_success) status = check_attr(pd, md_is_grouped(wei));
    if (status == dnnl_success) status = check_quant(pd, src->dims[1], &step);
    for (int i = 0; i < pd->nargs && status == dnnl_success; i++)
        if (md_is_any(&pd->args[i].md)) status = md_set_plain(&pd->args[i].md);
    if (status == dnnl_success) status = attr_add_args(pd);
    if (status != dnnl_success) return status;
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) return nothing_to_do(pd);
    status = select_variant(pd, caps, "matmul_grouped", fits);
    if (status != dnnl_success) return status;
    name_variant(pd);
    const char *why_not = make_plan(pd, caps, pd->variant, &pd->plan);
    if (why_not) return verbose_error(dnnl_runtime_error, "matmul", "%s", why_not);
    return attr_add_scratchpad(pd, 0);
}
