/* SPDX-License-Identifier: Apache-2.0 */
/* Inner product: a matmul of the source and the transposed weights. All dimensions but the first
 * count as one. */
#include <string.h>

#include "core/status.h"
#include "core/strings.h"
#include "core/util.h"
#include "core/verbose.h"
#include "ops/matmul/cpu.h"
#include "ops/matmul/flat.h"
#include "ops/matmul/inner_product.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/xmx.h"
#include "plan/op.h"
#include "plan/type_rules.h"

#define INVALID(...) verbose_check(dnnl_invalid_arguments, "inner_product", __VA_ARGS__)
#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "inner_product", __VA_ARGS__)

/* ---- checks ---- */

/* What the kernels count with 32 bits. */
static dnnl_status_t check_sizes(const md_t *src, const md_t *wei) {
    int64_t k = 1;
    for (int d = 1; d < src->ndims; d++)
        if (!mul_ok(k, wei->dims[d], &k) || k > INT32_MAX)
            return REFUSE("weights have 2^31 or more rows");
    if (src->dims[0] > INT32_MAX || wei->dims[0] > INT32_MAX)
        return REFUSE("a dimension is 2^31 or more");
    return dnnl_success;
}

dnnl_status_t inner_product_check_shapes(
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
    return check_sizes(src, wei);
}

static const type_rule_t type_rules[] = {
        {DT_SET(dnnl_f64), DT_SET(dnnl_f64), DT_SET(dnnl_f64), DT_SET(dnnl_f64), false},
        {FLOATS, FLOATS, FLOATS | F8 | BYTES, BIASES, true},
        {FLOATS, BYTES | F8, FLOATS | F8 | BYTES, BIASES, false},
        {F8, FLOATS | F8, FLOATS | F8, BIASES, false},
        {BYTES, BYTES, FLOATS | BYTES | DT_SET(dnnl_s32), BIASES, false},
};

dnnl_status_t inner_product_check_formats(const pd_t *pd) {
    for (int i = 0; i < pd->nargs; i++) {
        const md_t *md = &pd->args[i].md;
        if (md_is_any(md)) continue;
        if (!md_is_blocked(md)) return REFUSE("argument %d is not a dense array", pd->args[i].arg);
        if (md->extra.flags)
            return REFUSE("argument %d has compensation or other extra data", pd->args[i].arg);
        const bool is_bias = md->ndims == 1;
        if (is_bias && !md_is_dense(md, true)) return REFUSE("bias has holes between its elements");
        if (is_bias && pd->args[i].flags & PD_OUT && !md_is_plain(md))
            return REFUSE("the gradient of the bias has blocks");
    }
    return dnnl_success;
}

static dnnl_status_t check(const pd_t *pd) {
    static const attr_quant_rule_t rules[] = {{ATTR_SCALES, DNNL_ARG_SRC, 0},
            {ATTR_SCALES, DNNL_ARG_WEIGHTS, 1}, {ATTR_SCALES, DNNL_ARG_DST, 0}, {0, 0, 0}};
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *wei = pd_md(pd, DNNL_ARG_WEIGHTS);
    const md_t *bias = pd_md(pd, DNNL_ARG_BIAS), *dst = pd_md(pd, DNNL_ARG_DST);
    TRY(inner_product_check_shapes(src, wei, bias, dst));
    TRY(inner_product_check_formats(pd));
    TRY(product_types_check(pd, type_rules, ARRAY_LEN(type_rules)));
    return attr_check(pd, ATTR_SCALES | ATTR_POST_OPS, ALL_POST_OPS, rules);
}

/* ---- layouts ---- */

static dnnl_status_t resolve_weights(
        const pd_t *pd, const caps_t *caps, const md_t *src, md_t *wei) {
    if (wei->ndims == 2 && xmx_set_weights(pd, caps, src, wei, true)) return dnnl_success;
    /* Many rows want the panels of the register tile, few the rows of the weights. */
    const bool panels = caps->is_cpu && !pd->impl_index && wei->ndims == 2 &&
                        wei->data_type == dnnl_f32 && src->dims[0] > MATMUL_FEW_ROWS &&
                        wei->dims[0] >= 16;
    if (panels) return md_set_tag(wei, caps->simd_width >= 16 ? dnnl_AB16b32a : dnnl_AB16b16a);
    return md_is_plain(src) ? md_set_like(wei, src) : md_set_plain(wei);
}

static dnnl_status_t resolve_any(pd_t *pd, const caps_t *caps) {
    md_t *src = &pd->args[pd_find_arg(pd, DNNL_ARG_SRC)].md;
    md_t *wei = &pd->args[pd_find_arg(pd, DNNL_ARG_WEIGHTS)].md;
    if (md_is_any(src))
        TRY(md_is_any(wei) || !md_is_plain(wei) ? md_set_plain(src) : md_set_like(src, wei));
    if (md_is_any(wei)) TRY(resolve_weights(pd, caps, src, wei));
    for (int i = 0; i < pd->nargs; i++)
        if (md_is_any(&pd->args[i].md)) TRY(md_set_plain(&pd->args[i].md));
    return dnnl_success;
}

/* ---- plan ---- */

typedef struct {
    matmul_t mm;     /* first: it has the planner */
    flat_t src, wei; /* as matrices, the weights transposed */
} inner_product_t;

static const char *flatten_inputs(inner_product_t *ip) {
    matmul_t *mm = &ip->mm;
    int order[DNNL_MAX_NDIMS];
    flat_order(mm->wei.md, order);
    REFUSE_IF(flat_input(
            &mm->planner, &mm->wei, order, &ip->wei, "weights cannot be read as a matrix"));
    return flat_input(&mm->planner, &mm->src, order, &ip->src, "src cannot be read as a matrix");
}

/* The matmul of a variant. */
static const char *plan(planner_t *p, int variant) {
    inner_product_t *ip = (inner_product_t *)p;
    matmul_t *mm = &ip->mm;
    mm->src = operand_of(p, DNNL_ARG_SRC);
    mm->wei = operand_of(p, DNNL_ARG_WEIGHTS);
    if (mm->wei.md->ndims > 2) REFUSE_IF(flatten_inputs(ip));
    else ip->wei.md = *mm->wei.md; /* with blocks, too */
    flat_transpose(&ip->wei.md);
    mm->wei.md = &ip->wei.md;
    mm->k = ip->wei.md.dims[0];
    return matmul_plan(mm, variant);
}

/* The values of a tensor that run along dst's channels. */
static epilogue_source_t along_channels(epilogue_source_t source, int dst_slot) {
    source.like_slot = dst_slot;
    source.mask = source.mask ? 2 : 0;
    return source;
}

static void set_epilogue(const pd_t *pd, epilogue_t *epilogue) {
    const int bias = pd_find_arg(pd, DNNL_ARG_BIAS), dst = pd_find_arg(pd, DNNL_ARG_DST);
    epilogue_init(epilogue);
    epilogue_add_scale(epilogue, pd, OP_MUL, DNNL_ARG_SRC);
    epilogue_source_t scale = epilogue_quant_source(pd, ATTR_SCALES, DNNL_ARG_WEIGHTS);
    if (scale.kind == SOURCE_QUANT) scale = along_channels(scale, dst);
    if (scale.kind != SOURCE_NONE) epilogue_add_tensor(epilogue, pd, OP_MUL, dst)->src = scale;
    if (bias >= 0)
        epilogue_add_tensor(epilogue, pd, OP_ADD, bias)->src =
                (epilogue_source_t){.kind = SOURCE_QUANT,
                        .slot = bias,
                        .mask = 2,
                        .like_slot = dst,
                        .dt = pd->args[bias].md.data_type};
    epilogue_add_post_ops(epilogue, pd);
    epilogue_add_scale(epilogue, pd, OP_DIV, DNNL_ARG_DST);
}

static void set_problem(inner_product_t *ip, pd_t *pd, const caps_t *caps) {
    matmul_t *mm = &ip->mm;
    memset(mm, 0, sizeof(*mm));
    mm->planner = planner_of(pd, caps);
    mm->ndims = 2;
    mm->dst = operand_of(&mm->planner, DNNL_ARG_DST);
    mm->m = mm->dst.md->dims[0];
    mm->n = mm->dst.md->dims[1];
    mm->exact = dt_in(pd_md(pd, DNNL_ARG_SRC), BYTES);
    set_epilogue(pd, &mm->epilogue);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    TRY(check(pd));
    TRY(resolve_any(pd, caps));
    TRY(attr_add_args(pd));
    inner_product_t ip;
    set_problem(&ip, pd, caps);
    return matmul_choose(&ip.mm, pd, plan);
}

/* ---- verbose ---- */

/* A tensor, or its gradient where the primitive has that. */
static const md_t *md_or_diff(const pd_t *pd, int arg, int diff) {
    return pd_md(pd, pd_find_arg(pd, arg) < 0 ? diff : arg);
}

int inner_product_format_problem(const pd_t *pd, char *buf, size_t size) {
    const md_t *src = md_or_diff(pd, DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC);
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
    text_add_dims(&text, &md_or_diff(pd, DNNL_ARG_DST, DNNL_ARG_DIFF_DST)->dims[1], 1);
    return text.len;
}

const op_kind_t op_inner_product = {
        .kind = dnnl_inner_product,
        .name = "inner_product",
        .init = init,
        .by_shape = true,
        .format_problem = inner_product_format_problem,
};
