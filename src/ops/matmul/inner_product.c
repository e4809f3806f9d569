/* SPDX-License-Identifier: Apache-2.0 */
/* Inner product: a matmul of the source and the transposed weights, all dimensions but the first taken as
 * one. */
#include <stdio.h>
#include <string.h>

#include "core/strings.h"
#include "core/util.h"
#include "core/verbose.h"
#include "ops/matmul/plan.h"
#include "plan/op.h"
#include "plan/type_rules.h"
#include "plan/variant.h"

#define INVALID(...) verbose_check(dnnl_invalid_arguments, "inner_product", __VA_ARGS__)
#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "inner_product", __VA_ARGS__)

/* ---- checks ---- */

static dnnl_status_t check_shapes(
        const md_t *src, const md_t *wei, const md_t *bias, const md_t *dst) {
    const int nd = src->ndims;
    if (nd < 2 || nd > 5) return INVALID("src has %d dimensions, not 2 to 5", nd);
    if (wei->ndims != nd) return INVALID("src has %d dimensions, weights %d", nd, wei->ndims);
    if (dst->ndims != 2) return INVALID("dst has %d dimensions, not 2", dst->ndims);
    if (md_has_zero_dim(wei)) return INVALID("weights are empty");
    if (src->dims[0] != dst->dims[0]) return INVALID("src and dst differ in their first dimension");
    if (wei->dims[0] != dst->dims[1])
        return INVALID("weights make %lld channels, dst has %lld", (long long)wei->dims[0],
                (long long)dst->dims[1]);
    for (int d = 1; d < nd; d++)
        if (src->dims[d] != wei->dims[d])
            return INVALID("src and weights differ in dimension %d", d);
    if (!md_is_zero(bias) && (bias->ndims != 1 || bias->dims[0] != dst->dims[1]))
        return INVALID("bias does not have one dimension of dst's channels");
    int64_t k = 1;
    for (int d = 1; d < nd; d++)
        if (!mul_ok(k, wei->dims[d], &k) || k > INT32_MAX)
            return REFUSE("weights have 2^31 or more rows");
    if (src->dims[0] > INT32_MAX || wei->dims[0] > INT32_MAX)
        return REFUSE("a dimension is 2^31 or more");
    return dnnl_success;
}

static const type_rule_t type_rules[] = {
        {DT_SET(dnnl_f64), DT_SET(dnnl_f64), DT_SET(dnnl_f64), DT_SET(dnnl_f64), false},
        {FLOATS, FLOATS, FLOATS | BYTES, FLOATS, true},
        {F8, F8, FLOATS | F8, FLOATS | F8, false},
        {BYTES, DT_SET(dnnl_s8), FLOATS | BYTES | DT_SET(dnnl_s32),
                FLOATS | BYTES | DT_SET(dnnl_s32), false},
};

static dnnl_status_t check_formats(const pd_t *pd) {
    for (int i = 0; i < pd->nargs; i++) {
        const md_t *md = &pd->args[i].md;
        if (md_is_any(md)) continue;
        if (!md_is_blocked(md)) return REFUSE("argument %d is not a dense array", pd->args[i].arg);
        if (md->extra.flags)
            return REFUSE("argument %d has compensation or other extra data", pd->args[i].arg);
        if (pd->args[i].arg == DNNL_ARG_BIAS && !md_is_dense(md, true))
            return REFUSE("bias has holes between its elements");
    }
    return dnnl_success;
}

static dnnl_status_t check(const pd_t *pd) {
    static const attr_quant_rule_t rules[] = {{ATTR_SCALES, DNNL_ARG_SRC, 0},
            {ATTR_SCALES, DNNL_ARG_WEIGHTS, 1}, {ATTR_SCALES, DNNL_ARG_DST, 0}, {0, 0, 0}};
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *wei = pd_md(pd, DNNL_ARG_WEIGHTS);
    const md_t *bias = pd_md(pd, DNNL_ARG_BIAS), *dst = pd_md(pd, DNNL_ARG_DST);
    dnnl_status_t status = check_shapes(src, wei, bias, dst);
    if (status == dnnl_success) status = check_formats(pd);
    if (status == dnnl_success) status = product_types_check(pd, type_rules, ARRAY_LEN(type_rules));
    if (status == dnnl_success)
        status = attr_check(pd, ATTR_SCALES | ATTR_POST_OPS, TAKES_ALL_POST_OPS, rules);
    return status;
}

/* ---- layouts ---- */

static dnnl_status_t resolve_any(pd_t *pd, const caps_t *caps) {
    md_t *src = &pd->args[pd_find_arg(pd, DNNL_ARG_SRC)].md;
    md_t *wei = &pd->args[pd_find_arg(pd, DNNL_ARG_WEIGHTS)].md;
    dnnl_status_t status = dnnl_success;
    if (md_is_any(src))
        status = md_is_any(wei) || !md_is_plain(wei) ? md_set_plain(src) : md_set_like(src, wei);
    if (status == dnnl_success && md_is_any(wei) &&
            !(wei->ndims == 2 && matmul_xmx_weights(pd, caps, src, wei, true))) {
        /* Many rows want the panels of the register tile, few the rows of the weights. */
        const bool panels = caps->is_cpu && !pd->impl_index && wei->ndims == 2 &&
                            wei->data_type == dnnl_f32 && src->dims[0] > MATMUL_FEW_ROWS &&
                            wei->dims[0] >= 16;
        status = panels ? md_set_tag(wei, caps->simd_width >= 16 ? dnnl_AB16b32a : dnnl_AB16b16a)
                 : md_is_plain(src) ? md_set_like(wei, src)
                                    : md_set_plain(wei);
    }
    for (int i = 0; status == dnnl_success && i < pd->nargs; i++)
        if (md_is_any(&pd->args[i].md)) status = md_set_plain(&pd->args[i].md);
    return status;
}

/* Takes dimensions 1 and up, in this order, as one; false: they do not lie one after the other. */
static bool flatten(md_t *flat, const md_t *md, const int *order) {
    const int nd = md->ndims;
    const int64_t *strides = md->format_desc.blocking.strides;
    int64_t k = 1, inner = 1, next = 0;
    if (!md_is_plain(md)) return false;
    for (int i = nd - 1; i >= 0; i--) {
        const int d = order[i];
        if (d == 0 || md->dims[d] == 1) continue;
        if (k == 1) inner = strides[d];
        else if (strides[d] != next) return false;
        next = strides[d] * md->dims[d];
        k *= md->dims[d];
    }
    const dnnl_dims_t dims = {md->dims[0], k}, flat_strides = {strides[0], inner};
    if (md->dims[0] == 0 || k == 0)
        return md_init_strides(flat, 2, dims, md->data_type, NULL) == dnnl_success;
    memset(flat, 0, sizeof(*flat));
    flat->ndims = 2;
    flat->data_type = md->data_type;
    flat->format_kind = dnnl_blocked;
    flat->offset0 = md->offset0;
    for (int d = 0; d < 2; d++) {
        flat->dims[d] = flat->padded_dims[d] = dims[d];
        flat->format_desc.blocking.strides[d] = flat_strides[d];
    }
    return true;
}

static void transpose(md_t *md) {
    const md_t from = *md;
    md_blocking_t *b = &md->format_desc.blocking;
    for (int d = 0; d < 2; d++) {
        md->dims[d] = from.dims[1 - d];
        md->padded_dims[d] = from.padded_dims[1 - d];
        md->padded_offsets[d] = from.padded_offsets[1 - d];
        b->strides[d] = from.format_desc.blocking.strides[1 - d];
    }
    for (int i = 0; i < b->inner_nblks; i++) b->inner_idxs[i] = 1 - b->inner_idxs[i];
}

/* ---- plan ---- */

/* A copy in the scratchpad, its dimensions in this order. */
static const char *copy_input(
        matmul_t *mm, int *slot, const md_t *md, const int *order, md_t *copy) {
    epilogue_t none;
    dnnl_dims_t strides;
    int64_t stride = 1;
    epilogue_init(&none);
    for (int i = md->ndims - 1; i >= 0; i--) {
        strides[order[i]] = stride;
        stride *= md->dims[order[i]];
    }
    if (md_init_strides(copy, md->ndims, md->dims, md->data_type, strides) != dnnl_success)
        return "an input is too large to be copied";
    const uint64_t at = (mm->scratch + 63) & ~UINT64_C(63);
    mm->scratch = at + md_size(copy, 0);
    const operand_t from = {md, *slot, 0}, to = {copy, -1, at};
    const char *why_not = ew_plan(&(planner_t){.pd = mm->pd, .caps = mm->caps, .plan = mm->plan},
            -1, &none, 0, &from, &to, &to);
    copy->offset0 = (int64_t)(at / dt_size(md->data_type));
    *slot = -1;
    return why_not;
}

static void make_chain(const pd_t *pd, int bias_slot, int dst_slot, epilogue_t *chain) {
    epilogue_init(chain);
    epilogue_add_scale(chain, pd, OP_MUL, DNNL_ARG_SRC);
    epilogue_source_t scale = epilogue_quant_source(pd, ATTR_SCALES, DNNL_ARG_WEIGHTS);
    if (scale.kind == SOURCE_QUANT) {
        scale.like_slot = dst_slot;
        scale.mask = scale.mask ? 2 : 0;
    }
    if (scale.kind != SOURCE_NONE) epilogue_add_tensor(chain, pd, OP_MUL, dst_slot)->src = scale;
    if (bias_slot >= 0)
        epilogue_add_tensor(chain, pd, OP_ADD, bias_slot)->src =
                (epilogue_source_t){.kind = SOURCE_QUANT,
                        .slot = bias_slot,
                        .mask = 2,
                        .like_slot = dst_slot,
                        .dt = pd->args[bias_slot].md.data_type};
    epilogue_add_post_ops(chain, pd);
    epilogue_add_scale(chain, pd, OP_DIV, DNNL_ARG_DST);
}

/* The order of the dimensions, but with the first one slowest. */
static void rows_first(const md_t *md, int *order) {
    int n = 1, full[DNNL_MAX_NDIMS];
    md_order(md, full);
    order[0] = 0;
    for (int i = 0; i < md->ndims; i++)
        if (full[i] != 0) order[n++] = full[i];
}

/* The matmul of a row. */
static const char *plan_row(
        const pd_t *pd, const caps_t *caps, int row, plan_t *plan, uint64_t *scratch, bool taken) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *wei = pd_md(pd, DNNL_ARG_WEIGHTS);
    int order[DNNL_MAX_NDIMS];
    epilogue_t chain;
    matmul_t mm;
    memset(&mm, 0, sizeof(mm));
    mm.pd = pd;
    mm.caps = caps;
    mm.plan = plan;
    mm.ndims = 2;
    mm.src_slot = pd_find_arg(pd, DNNL_ARG_SRC);
    mm.wei_slot = pd_find_arg(pd, DNNL_ARG_WEIGHTS);
    mm.dst_slot = pd_find_arg(pd, DNNL_ARG_DST);
    mm.dst = pd->args[mm.dst_slot].md;
    make_chain(pd, pd_find_arg(pd, DNNL_ARG_BIAS), mm.dst_slot, &chain);
    mm.chain = &chain;
    plan_reset(plan);

    md_t copy;
    const char *why_not = NULL;
    if (wei->ndims == 2) { /* with blocks too */
        mm.src = *src;
        mm.wei = *wei;
    } else {
        for (int d = 0; d < wei->ndims; d++) order[d] = d;
        if (md_is_plain(wei)) rows_first(wei, order);
        if (!flatten(&mm.wei, wei, order)) {
            why_not = copy_input(&mm, &mm.wei_slot, wei, order, &copy);
            if (!why_not && !flatten(&mm.wei, &copy, order))
                why_not = "weights cannot be taken as a matrix";
        }
        if (!why_not && !flatten(&mm.src, src, order)) {
            why_not = copy_input(&mm, &mm.src_slot, src, order, &copy);
            if (!why_not && !flatten(&mm.src, &copy, order))
                why_not = "src cannot be taken as a matrix";
        }
        if (why_not) return why_not;
    }
    transpose(&mm.wei);
    mm.m = mm.dst.dims[0];
    mm.n = mm.dst.dims[1];
    mm.k = mm.wei.dims[0];
    mm.exact = dt_in(src, BYTES);
    why_not = matmul_steps(&mm, row);
    *scratch = mm.scratch;
    if (taken) matmul_tell(&mm, "inner_product");
    return why_not;
}

static const char *fits(const pd_t *pd, const caps_t *caps, int row) {
    plan_t plan __attribute__((cleanup(plan_free))) = {0};
    uint64_t scratch;
    return plan_row(pd, caps, row, &plan, &scratch, false);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    dnnl_status_t status = check(pd);
    if (status == dnnl_success) status = resolve_any(pd, caps);
    if (status == dnnl_success) status = attr_add_args(pd);
    if (status == dnnl_success) status = select_variant(pd, caps, "matmul", fits);
    if (status != dnnl_success) return status;
    snprintf(pd->impl_name, sizeof(pd->impl_name), "ze:%s:matmul",
            target_name(&variants[pd->variant]));
    uint64_t scratch = 0;
    plan_row(pd, caps, pd->variant, &pd->plan, &scratch, true);
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) {
        plan_reset(&pd->plan);
        scratch = 0;
    }
    return attr_add_scratchpad(pd, scratch);
}

/* ---- verbose ---- */

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    text_t text = text_start(buf, size);
    text_add(&text, "mb");
    text_add_dims(&text, &src->dims[0], 1);
    text_add(&text, "ic");
    text_add_dims(&text, &src->dims[1], 1);
    for (int d = 2; d < src->ndims; d++) {
        text_add(&text, "i%c", "dhw"[d + 3 - src->ndims]);
        text_add_dims(&text, &src->dims[d], 1);
    }
    text_add(&text, "oc");
    text_add_dims(&text, &pd_md(pd, DNNL_ARG_DST)->dims[1], 1);
    return text.len;
}

const op_kind_t op_inner_product = {
        .kind = dnnl_inner_product,
        .name = "inner_product",
        .init = init,
        .by_shape = true,
        .format_problem = format_problem,
};
