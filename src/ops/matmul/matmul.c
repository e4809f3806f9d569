/* SPDX-License-Identifier: Apache-2.0 */
/* matmul: the checks of a descriptor, the layouts of `any`, and the choice of a kernel. */
#include "ops/matmul/matmul.h"

#include <stdio.h>
#include <string.h>

#include "core/util.h"
#include "core/verbose.h"
#include "kernels/matmul/matmul_params.h"
#include "ops/matmul/plan.h"
#include "plan/op.h"
#include "plan/type_rules.h"
#include "plan/variant.h"

#define INVALID(...) verbose_check(dnnl_invalid_arguments, "matmul", __VA_ARGS__)
#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "matmul", __VA_ARGS__)

static bool known(int64_t value) {
    return value != DNNL_RUNTIME_DIM_VAL;
}

/* ---- checks ---- */

static dnnl_status_t check_batch_dim(const md_t *src, const md_t *wei, const md_t *dst, int d) {
    const int64_t s = src->dims[d], w = wei->dims[d], o = dst->dims[d];
    if (!known(s) || !known(w) || !known(o)) {
        if (known(s) || known(w) || known(o))
            return INVALID(
                    "batch dimension %d is known for some tensors and a run-time one for others",
                    d);
        return dnnl_success;
    }
    if (s != w && s != 1 && w != 1)
        return INVALID("batch dimension %d: %lld and %lld do not broadcast", d, (long long)s,
                (long long)w);
    if (o != (s == 1 ? w : s))
        return INVALID("batch dimension %d of dst does not follow from src and weights", d);
    return dnnl_success;
}

dnnl_status_t matmul_check_shapes(
        const md_t *src, const md_t *wei, const md_t *bias, const md_t *dst) {
    const int nd = dst->ndims;
    if (nd < 2) return INVALID("dst has %d dimensions, not 2 or more", nd);
    if (src->ndims != nd || wei->ndims != nd)
        return INVALID("src has %d dimensions, weights %d, dst %d", src->ndims, wei->ndims, nd);
    if (src->dims[nd - 2] != dst->dims[nd - 2])
        return INVALID("src and dst have different numbers of rows");
    if (wei->dims[nd - 1] != dst->dims[nd - 1])
        return INVALID("weights and dst have different numbers of columns");
    if (src->dims[nd - 1] != wei->dims[nd - 2])
        return INVALID("src has %lld columns, weights %lld rows", (long long)src->dims[nd - 1],
                (long long)wei->dims[nd - 2]);
    for (int d = 0; d < nd - 2; d++) {
        dnnl_status_t status = check_batch_dim(src, wei, dst, d);
        if (status != dnnl_success) return status;
    }
    if (!bias) return dnnl_success;
    if (bias->ndims != nd) return INVALID("bias has %d dimensions, dst %d", bias->ndims, nd);
    for (int d = 0; d < nd; d++)
        if (bias->dims[d] != 1 && bias->dims[d] != dst->dims[d])
            return INVALID("dimension %d of bias is neither 1 nor dst's", d);
    return dnnl_success;
}

static const type_rule_t type_rules[] = {
        {DT_SET(dnnl_f64), DT_SET(dnnl_f64), DT_SET(dnnl_f64), DT_SET(dnnl_f64) | BIASES, true},
        {FLOATS, FLOATS, FLOATS | SMALL_FLOATS | BYTES, BIASES, true},
        {FLOATS, INTS | SMALL_FLOATS, FLOATS | SMALL_FLOATS, BIASES, false},
        {SMALL_FLOATS, FLOATS | SMALL_FLOATS, FLOATS | SMALL_FLOATS, BIASES, false},
        {BYTES, INTS, FLOATS | F8 | BYTES | DT_SET(dnnl_s32), BIASES, false},
};

static dnnl_status_t check_format(const md_t *md, const char *name) {
    if (md_is_any(md)) {
        if (md_has_runtime_dims_or_strides(md))
            return INVALID("%s has run-time dims, its format cannot be any", name);
    } else if (!md_is_blocked(md)) {
        return REFUSE("%s is not a dense array", name);
    }
    if (dt_is_nibble(md->data_type) && md->offset0 % 2)
        return REFUSE("%s begins in the middle of a byte", name);
    if (md->ndims > MM_DIMS) return REFUSE("%s has more than %d dimensions", name, MM_DIMS);
    for (int d = 0; d < md->ndims; d++)
        if (md->dims[d] > INT32_MAX) return REFUSE("dimension %d of %s is 2^31 or more", d, name);
    return dnnl_success;
}

bool matmul_quant_inside(const quant_t *q, int ndims) {
    if (!q) return false;
    const int k_dim = q->arg == DNNL_ARG_SRC ? ndims - 1 : ndims - 2;
    return (q->mask >> k_dim & 1) || q->group_ndims > 0;
}

/* Scales or zero points of a tensor; run-time dims count as 1. */
static int64_t count_values(const quant_t *q, const md_t *md) {
    const int nd = md->ndims;
    int64_t n = 1;
    for (int d = 0; d < nd; d++) {
        const int g = d - (nd - 2);
        const int64_t group = g >= 0 && q->group_ndims ? max_i64(q->group_dims[g], 1) : 1;
        if ((q->mask >> d & 1) && known(md->dims[d])) n *= div_up(md->dims[d], group);
    }
    return n;
}

/* The rules that masks and groups have to follow beyond being dimensions of their tensor. */
static dnnl_status_t check_quant(
        const pd_t *pd, const md_t *src, const md_t *wei, const md_t *dst) {
    const int nd = dst->ndims, row = 1 << (nd - 2), col = 1 << (nd - 1), all = (1 << nd) - 1;
    const bool int_src = dt_in(src, BYTES), int_wei = dt_in(wei, INTS);
    const attr_t *attr = &pd->attr;
    const quant_t *q = quant_find(&attr->scales, DNNL_ARG_SRC);
    if (q && q->mask != 0 && q->mask != row && q->mask != col && q->mask != row + col &&
            q->mask != all)
        return REFUSE("scales of src: mask %d is not taken", q->mask);
    q = quant_find(&attr->scales, DNNL_ARG_DST);
    if (q && !attr_is_dynamic(pd, DNNL_ARG_DST) &&
            (q->group_ndims || (q->mask != 0 && q->mask != row && q->mask != col &&
                                       q->mask != row + col && q->mask != all)))
        return REFUSE("scales of dst: mask %d or its groups are not taken", q->mask);
    q = quant_find(&attr->zero_points, DNNL_ARG_SRC);
    if (q && !int_src) return REFUSE("zero points of src need s8 or u8");
    if (q && q->mask != 0 && q->mask != col && q->mask != row + col && q->mask != all)
        return REFUSE("zero points of src: mask %d is not taken", q->mask);
    q = quant_find(&attr->zero_points, DNNL_ARG_WEIGHTS);
    if (q && !int_wei) return REFUSE("zero points of weights need s8, u8, s4 or u4");
    q = quant_find(&attr->zero_points, DNNL_ARG_DST);
    if (q && (q->group_ndims || (q->mask != 0 && !(nd == 2 && q->mask == col))))
        return REFUSE("zero points of dst: mask %d is not taken", q->mask);

    const quant_map_t *maps[] = {&attr->scales, &attr->zero_points};
    for (int m = 0; m < ARRAY_LEN(maps); m++)
        for (int i = 0; i < maps[m]->len; i++) {
            q = &maps[m]->entry[i];
            const md_t *md = q->arg == DNNL_ARG_SRC ? src : q->arg == DNNL_ARG_WEIGHTS ? wei : dst;
            if (count_values(q, md) > INT32_MAX)
                return REFUSE("there are 2^31 or more scales or zero points of an argument");
            for (int g = 0; g < q->group_ndims; g++) {
                const int64_t dim = md->dims[nd - 2 + g];
                if (q->group_dims[g] > 1 && known(dim) && dim % q->group_dims[g])
                    return REFUSE("groups of %lld do not divide dimension %d",
                            (long long)q->group_dims[g], nd - 2 + g);
            }
        }
    return dnnl_success;
}

/* Scales that the primitive computes: the two formats that there are. */
static dnnl_status_t check_dynamic(const pd_t *pd, const md_t *dst) {
    const int nd = dst->ndims;
    for (int i = 0; i < pd->attr.scales.len; i++) {
        const quant_t *q = &pd->attr.scales.entry[i];
        if (!attr_is_dynamic(pd, q->arg)) continue;
        const bool mx = q->qmode == dnnl_quantization_mode_dynamic_mx;
        if (q->arg != DNNL_ARG_DST) return REFUSE("only scales of dst are computed");
        if (q->mask != (1 << nd) - 1 || q->group_ndims != 2 || q->group_dims[0] != 1 ||
                q->group_dims[1] != (mx ? 32 : 16) || q->dt != (mx ? dnnl_e8m0 : dnnl_f8_e4m3) ||
                q->on_host)
            return REFUSE("computed scales are e8m0 of 32 elements of a row, or f8_e4m3 of 16");
        if (dst->data_type != dnnl_f8_e5m2 && dst->data_type != dnnl_f8_e4m3 &&
                dst->data_type != dnnl_f4_e2m1)
            return REFUSE("scales are computed for dst of f8 and f4");
        if (md_has_runtime_dims_or_strides(dst))
            return REFUSE("scales are computed for a dst that is known");
        if (quant_find(&pd->attr.zero_points, DNNL_ARG_DST))
            return REFUSE("dst has a zero point and computed scales");
        for (int p = 0; p < pd->attr.post_ops.len; p++)
            if (pd->attr.post_ops.entry[p].kind == dnnl_sum)
                return REFUSE("a sum with a dst whose scales are computed is not taken");
    }
    return dnnl_success;
}

/* Sums of the source over groups of k, which the kernels form themselves: what they are given is only
 * checked. */
static dnnl_status_t check_reductions(const pd_t *pd, const md_t *src) {
    const int nd = src->ndims;
    for (int i = 0; i < pd->attr.precomputed_reductions.len; i++) {
        const quant_t *q = &pd->attr.precomputed_reductions.entry[i];
        if (q->arg != DNNL_ARG_SRC || !dt_in(src, BYTES))
            return REFUSE("precomputed reductions need a source of s8 or u8");
        if (!quant_find(&pd->attr.zero_points, DNNL_ARG_WEIGHTS))
            return REFUSE("precomputed reductions need zero points of weights");
        if (q->mask != (1 << nd) - 1)
            return REFUSE(
                    "precomputed reductions: the mask %d is not that of a full matrix", q->mask);
        for (int g = 0; g < q->group_ndims; g++)
            if (known(src->dims[nd - 2 + g]) && src->dims[nd - 2 + g] % q->group_dims[g])
                return REFUSE(
                        "groups of precomputed reductions do not divide dimension %d", nd - 2 + g);
    }
    return dnnl_success;
}

static dnnl_status_t check_attr(const pd_t *pd) {
    static const attr_quant_rule_t rules[] = {
            {ATTR_SCALES, DNNL_ARG_SRC, ~0u},
            {ATTR_SCALES, DNNL_ARG_WEIGHTS, ~0u},
            {ATTR_SCALES, DNNL_ARG_DST, ~0u},
            {ATTR_ZERO_POINTS, DNNL_ARG_SRC, ~0u},
            {ATTR_ZERO_POINTS, DNNL_ARG_WEIGHTS, ~0u},
            {ATTR_ZERO_POINTS, DNNL_ARG_DST, ~0u},
            {0, 0, 0},
    };
    return attr_check(pd,
            ATTR_SCALES | ATTR_ZERO_POINTS | ATTR_POST_OPS | ATTR_GROUPS | ATTR_DROPOUT |
                    ATTR_PRECOMPUTED | ATTR_QMODE | ATTR_ROUNDING,
            TAKES_ALL_POST_OPS, rules);
}

/* ---- layouts ---- */

/* Panels as the tile wants them: packing then happens once, in the application's reorder. */
static dnnl_format_tag_t packed_weights(
        const pd_t *pd, const caps_t *caps, const md_t *src, const md_t *wei, const md_t *dst) {
    const int nd = wei->ndims;
    if (!caps->is_cpu || pd->impl_index > 0 || nd > 3 || wei->data_type != dnnl_f32)
        return dnnl_format_tag_undef;
    if (md_has_runtime_dims_or_strides(src) || md_has_runtime_dims_or_strides(dst))
        return dnnl_format_tag_undef;
    if (dst->dims[nd - 2] <= MATMUL_FEW_ROWS)
        return nd == 2 && wei->dims[nd - 1] >= 64 ? dnnl_BA16a64b : dnnl_format_tag_undef;
    if (wei->dims[nd - 1] < 16) return dnnl_format_tag_undef;
    if (caps->simd_width >= 16) return nd == 2 ? dnnl_BA16a32b : dnnl_aCB16b32c;
    return nd == 2 ? dnnl_BA16a16b : dnnl_aCB16b16c;
}

static dnnl_status_t resolve_any(pd_t *pd, const caps_t *caps, int wei_slot) {
    for (int i = 0; i < pd->nargs; i++)
        if (i != wei_slot && md_is_any(&pd->args[i].md)) {
            dnnl_status_t status = md_set_plain(&pd->args[i].md);
            if (status != dnnl_success) return status;
        }
    md_t *wei = &pd->args[wei_slot].md;
    if (!md_is_any(wei)) return dnnl_success;
    if (matmul_xmx_weights(pd, caps, pd_md(pd, DNNL_ARG_SRC), wei, false)) return dnnl_success;
    dnnl_format_tag_t tag =
            packed_weights(pd, caps, pd_md(pd, DNNL_ARG_SRC), wei, pd_md(pd, DNNL_ARG_DST));
    return tag == dnnl_format_tag_undef ? md_set_plain(wei) : md_set_tag(wei, tag);
}

/* ---- choice and plan ---- */

/* A copy in which what is not known yet counts as 1. */
static md_t with_known_dims(const md_t *md) {
    md_t out = *md;
    for (int d = 0; d < md->ndims; d++) {
        if (!known(out.dims[d])) out.dims[d] = out.padded_dims[d] = 1;
        if (!known(out.format_desc.blocking.strides[d])) out.format_desc.blocking.strides[d] = 1;
    }
    if (!known(out.offset0)) out.offset0 = 0;
    return out;
}

static void matmul_of(
        matmul_t *mm, const pd_t *pd, const caps_t *caps, const md_t *const *mds, plan_t *plan) {
    memset(mm, 0, sizeof(*mm));
    mm->pd = pd;
    mm->caps = caps;
    mm->mds = mds;
    mm->plan = plan;
    mm->src_slot = pd_find_arg(pd, DNNL_ARG_SRC);
    mm->wei_slot = pd_find_arg(pd, DNNL_ARG_WEIGHTS);
    mm->dst_slot = pd_find_arg(pd, DNNL_ARG_DST);
#define KNOWN_MD(slot) with_known_dims(mds &&mds[slot] ? mds[slot] : &pd->args[slot].md)
    mm->src = KNOWN_MD(mm->src_slot);
    mm->wei = KNOWN_MD(mm->wei_slot);
    mm->dst = KNOWN_MD(mm->dst_slot);
    mm->ndims = mm->dst.ndims;
    mm->m = mm->dst.dims[mm->ndims - 2];
    mm->n = mm->dst.dims[mm->ndims - 1];
    mm->k = mm->src.dims[mm->ndims - 1];
    mm->exact = dt_in(&mm->src, BYTES) && dt_in(&mm->wei, INTS);
    mm->scale_src = matmul_quant_inside(quant_find(&pd->attr.scales, DNNL_ARG_SRC), mm->ndims);
    mm->scale_wei = matmul_quant_inside(quant_find(&pd->attr.scales, DNNL_ARG_WEIGHTS), mm->ndims);
}

static const char *fits(const pd_t *pd, const caps_t *caps, int row) {
    plan_t plan __attribute__((cleanup(plan_free))) = {0};
    matmul_t mm;
    matmul_of(&mm, pd, caps, NULL, &plan);
    return matmul_plan(&mm, row);
}

static dnnl_status_t matmul_init(pd_t *pd, const caps_t *caps) {
    const int src_slot = pd_find_arg(pd, DNNL_ARG_SRC),
              wei_slot = pd_find_arg(pd, DNNL_ARG_WEIGHTS);
    const int dst_slot = pd_find_arg(pd, DNNL_ARG_DST), bias_slot = pd_find_arg(pd, DNNL_ARG_BIAS);
    if (src_slot < 0 || wei_slot < 0 || dst_slot < 0)
        return INVALID("src, weights or dst is missing");
    const md_t *src = &pd->args[src_slot].md, *wei = &pd->args[wei_slot].md,
               *dst = &pd->args[dst_slot].md;
    const md_t *bias = bias_slot < 0 ? NULL : &pd->args[bias_slot].md;

    if (md_is_grouped(src)) return matmul_grouped_init(pd, caps);
    if (md_is_sparse(src) || md_is_sparse(wei) || md_is_sparse(dst) || md_is_sparse(bias))
        return matmul_sparse_init(pd, caps);
    dnnl_status_t status = matmul_check_shapes(src, wei, bias, dst);
    if (status == dnnl_success) status = check_format(src, "src");
    if (status == dnnl_success) status = check_format(wei, "weights");
    if (status == dnnl_success) status = check_format(dst, "dst");
    if (status == dnnl_success && bias) status = check_format(bias, "bias");
    if (status == dnnl_success) status = product_types_check(pd, type_rules, ARRAY_LEN(type_rules));
    if (status == dnnl_success) status = check_attr(pd);
    if (status == dnnl_success) status = check_quant(pd, src, wei, dst);
    if (status == dnnl_success) status = check_dynamic(pd, dst);
    if (status == dnnl_success) status = check_reductions(pd, src);
    if (status == dnnl_success) status = resolve_any(pd, caps, wei_slot);
    if (status == dnnl_success) status = attr_add_args(pd);
    if (status != dnnl_success) return status;

    status = select_variant(pd, caps, "matmul", fits);
    if (status != dnnl_success) return status;
    snprintf(pd->impl_name, sizeof(pd->impl_name), "ze:%s:matmul",
            target_name(&variants[pd->variant]));
    matmul_t mm;
    matmul_of(&mm, pd, caps, NULL, &pd->plan);
    matmul_plan(&mm, pd->variant);
    matmul_tell(&mm, "matmul");
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) {
        plan_reset(&pd->plan);
        mm.scratch = 0;
    }
    return attr_add_scratchpad(pd, mm.scratch);
}

static dnnl_status_t matmul_replan(
        const pd_t *pd, const caps_t *caps, const md_t *const *mds, plan_t *plan) {
    const int bias_slot = pd_find_arg(pd, DNNL_ARG_BIAS);
    matmul_t mm;
    matmul_of(&mm, pd, caps, mds, plan);
    dnnl_status_t status =
            matmul_check_shapes(&mm.src, &mm.wei, bias_slot < 0 ? NULL : mds[bias_slot], &mm.dst);
    if (status != dnnl_success) return status;
    plan_reset(plan);
    const char *why_not = matmul_plan(&mm, pd->variant);
    if (why_not) return verbose_exec_check(dnnl_invalid_arguments, "matmul", "%s", why_not);
    return dnnl_success;
}

/* ---- verbose ---- */

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    int len = md_format_dims(pd_md(pd, DNNL_ARG_SRC), buf, size);
    size_t used = (size_t)len < size ? (size_t)len : size;
    len += snprintf(buf + used, size - used, ":");
    used = (size_t)len < size ? (size_t)len : size;
    return len + md_format_dims(pd_md(pd, DNNL_ARG_WEIGHTS), buf + used, size - used);
}

static unsigned runtime_mask(const md_t *md) {
    unsigned mask = 0;
    for (int d = 0; d < md->ndims; d++) mask |= (unsigned)!known(md->dims[d]) << d;
    return mask;
}

static int format_aux(const pd_t *pd, char *buf, size_t size) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *wei = pd_md(pd, DNNL_ARG_WEIGHTS);
    if (!md_has_runtime_dims_or_strides(src) && !md_has_runtime_dims_or_strides(wei) &&
            !md_has_runtime_dims_or_strides(pd_md(pd, DNNL_ARG_DST)))
        return snprintf(buf, size, "%s", "");
    return snprintf(buf, size, "runtime_dims_masks:%u:%u", runtime_mask(src), runtime_mask(wei));
}

const op_kind_t op_matmul = {
        .kind = dnnl_matmul,
        .name = "matmul",
        .init = matmul_init,
        .replan = matmul_replan,
        .format_problem = format_problem,
        .format_aux = format_aux,
        .sparse = true,
};
