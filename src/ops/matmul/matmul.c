/* SPDX-License-Identifier: Apache-2.0 */
/* matmul: check, layouts of format `any`, choice of a variant. */
#include "ops/matmul/matmul.h"

#include <stdio.h>

#include "core/status.h"
#include "core/verbose.h"
#include "ops/matmul/check.h"
#include "ops/matmul/cpu.h"
#include "ops/matmul/xmx.h"
#include "plan/op.h"
#include "plan/type_rules.h"

/* ---- layouts ---- */

/* Does the scale or zero point of an argument change along k, or have groups? Then it comes before
 * the sum. */
static bool is_inside(const quant_map_t *list, int arg, int k_dim) {
    const quant_t *q = quant_find(list, arg);
    return q && (q->group_ndims || q->mask >> k_dim & 1);
}

/* Elements in the words of panels for dot products; 0: these panels do not serve. */
static int dots_of_panels(const pd_t *pd, const caps_t *caps, const md_t *src, const md_t *wei) {
    const int nd = wei->ndims;
    if (is_inside(&pd->attr.scales, DNNL_ARG_WEIGHTS, nd - 2) ||
            is_inside(&pd->attr.scales, DNNL_ARG_SRC, nd - 1) ||
            is_inside(&pd->attr.zero_points, DNNL_ARG_WEIGHTS, nd - 2) ||
            is_inside(&pd->attr.zero_points, DNNL_ARG_SRC, nd - 1))
        return 0;
    if (caps->has_dot_bytes && dt_in(src, BYTES) && wei->data_type == dnnl_s8) return 4;
    const bool bf16 = src->data_type == dnnl_bf16 && wei->data_type == dnnl_bf16;
    return caps->has_dot_bf16 && bf16 && !quant_find(&pd->attr.zero_points, DNNL_ARG_SRC) &&
                           !quant_find(&pd->attr.zero_points, DNNL_ARG_WEIGHTS)
                   ? 2
                   : 0;
}

/* Panels as the tile wants them: packing then happens once, in the application's reorder. undef:
 * none. */
static dnnl_format_tag_t packed_weights(
        const pd_t *pd, const caps_t *caps, const md_t *src, const md_t *wei, const md_t *dst) {
    static const dnnl_format_tag_t dots_tags[2][2] = {
            {dnnl_BA16a32b2a, dnnl_aCB16b32c2b}, {dnnl_BA16a32b4a, dnnl_aCB16b32c4b}};
    const int nd = wei->ndims, dots = dots_of_panels(pd, caps, src, wei);
    if (!caps->is_cpu || pd->impl_index > 0 || nd > 3 || (wei->data_type != dnnl_f32 && !dots))
        return dnnl_format_tag_undef;
    if (md_has_runtime_dims_or_strides(src) || md_has_runtime_dims_or_strides(dst))
        return dnnl_format_tag_undef;
    if (dots) return wei->dims[nd - 1] < 16 ? dnnl_format_tag_undef : dots_tags[dots == 4][nd - 2];
    if (dst->dims[nd - 2] <= MATMUL_FEW_ROWS)
        return nd == 2 && wei->dims[nd - 1] >= 64 ? dnnl_BA16a64b : dnnl_format_tag_undef;
    if (wei->dims[nd - 1] < 16) return dnnl_format_tag_undef;
    if (caps->simd_width >= 16) return nd == 2 ? dnnl_BA16a32b : dnnl_aCB16b32c;
    return nd == 2 ? dnnl_BA16a16b : dnnl_aCB16b16c;
}

static dnnl_status_t resolve_any(pd_t *pd, const caps_t *caps) {
    const int wei_slot = pd_find_arg(pd, DNNL_ARG_WEIGHTS);
    for (int i = 0; i < pd->nargs; i++)
        if (i != wei_slot && md_is_any(&pd->args[i].md)) TRY(md_set_plain(&pd->args[i].md));
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *dst = pd_md(pd, DNNL_ARG_DST);
    md_t *wei = &pd->args[wei_slot].md;
    if (!md_is_any(wei) || xmx_set_weights(pd, caps, src, wei, false)) return dnnl_success;
    const dnnl_format_tag_t tag = packed_weights(pd, caps, src, wei, dst);
    return tag == dnnl_format_tag_undef ? md_set_plain(wei) : md_set_tag(wei, tag);
}

/* ---- choice and plan ---- */

static const char *plan(planner_t *p, int variant) {
    ((matmul_t *)p)->by_shape = false; /* another variant may have set it */
    return matmul_plan((matmul_t *)p, variant);
}

static dnnl_status_t init_dense(pd_t *pd, const caps_t *caps) {
    TRY(matmul_check(pd));
    TRY(resolve_any(pd, caps));
    TRY(attr_add_args(pd));
    matmul_t mm;
    matmul_set(&mm, pd, caps, NULL, &pd->plan);
    TRY(matmul_choose(&mm, pd, plan));
    pd->by_shape = mm.by_shape;
    return dnnl_success;
}

static bool has_sparse(const pd_t *pd) {
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
    for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++)
        if (md_is_sparse(pd_md(pd, args[i]))) return true;
    return false;
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    if (pd_find_arg(pd, DNNL_ARG_SRC) < 0 || pd_find_arg(pd, DNNL_ARG_WEIGHTS) < 0 ||
            pd_find_arg(pd, DNNL_ARG_DST) < 0)
        return verbose_check(dnnl_invalid_arguments, "matmul", "src, weights or dst is missing");
    if (md_is_grouped(pd_md(pd, DNNL_ARG_SRC))) return matmul_grouped_init(pd, caps);
    if (has_sparse(pd)) return matmul_sparse_init(pd, caps);
    return init_dense(pd, caps);
}

/* Run-time dims: the plan of the variant that init() chose, for the memories' descriptors. */
static dnnl_status_t replan(
        const pd_t *pd, const caps_t *caps, const md_t *const *mds, plan_t *to) {
    const int bias_slot = pd_find_arg(pd, DNNL_ARG_BIAS);
    matmul_t mm;
    matmul_set(&mm, pd, caps, mds, to);
    TRY(matmul_check_shapes(
            mm.src.md, mm.wei.md, bias_slot < 0 ? NULL : mds[bias_slot], mm.dst.md));
    planner_restart(&mm.planner);
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
    for (int d = 0; d < md->ndims; d++)
        mask |= (unsigned)(md->dims[d] == DNNL_RUNTIME_DIM_VAL) << d;
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
        .init = init,
        .replan = replan,
        .format_problem = format_problem,
        .format_aux = format_aux,
        .sparse = true,
};
