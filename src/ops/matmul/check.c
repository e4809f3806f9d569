/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/matmul/check.h"

#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "kernels/matmul/matmul_params.h"
#include "plan/attributes.h"
#include "plan/type_rules.h"

#define INVALID(...) verbose_check(dnnl_invalid_arguments, "matmul", __VA_ARGS__)
#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "matmul", __VA_ARGS__)

static bool is_known(int64_t value) {
    return value != DNNL_RUNTIME_DIM_VAL;
}

/* ---- shapes ---- */

static dnnl_status_t check_batch_dim(const md_t *src, const md_t *wei, const md_t *dst, int d) {
    const int64_t s = src->dims[d], w = wei->dims[d], o = dst->dims[d];
    const int known = is_known(s) + is_known(w) + is_known(o);
    if (known == 0) return dnnl_success;
    if (known < 3)
        return INVALID(
                "batch dimension %d is known for some tensors and a run-time one for others", d);
    if (s != w && s != 1 && w != 1)
        return INVALID("batch dimension %d: %lld and %lld do not broadcast", d, (long long)s,
                (long long)w);
    if (o != (s == 1 ? w : s))
        return INVALID("batch dimension %d of dst does not follow from src and weights", d);
    return dnnl_success;
}

static dnnl_status_t check_bias_shape(const md_t *bias, const md_t *dst) {
    const int nd = dst->ndims;
    if (bias->ndims != nd) return INVALID("bias has %d dimensions, dst %d", bias->ndims, nd);
    for (int d = 0; d < nd; d++)
        if (bias->dims[d] != 1 && bias->dims[d] != dst->dims[d])
            return INVALID("dimension %d of bias is neither 1 nor dst's", d);
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
    for (int d = 0; d < nd - 2; d++) TRY(check_batch_dim(src, wei, dst, d));
    return bias ? check_bias_shape(bias, dst) : dnnl_success;
}

/* ---- data types and formats ---- */

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

/* ---- attributes ---- */

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
            ALL_POST_OPS, rules);
}

/* Masks: all, one value; along the rows' dimension, the columns', both, or all of nd dimensions. */
enum { MASK_ONE = 1, MASK_ROWS = 2, MASK_COLUMNS = 4, MASK_BOTH = 8, MASK_ALL = 16 };

static bool mask_in(int mask, int nd, unsigned set) {
    const int rows = 1 << (nd - 2), columns = 1 << (nd - 1);
    return (set & MASK_ONE && mask == 0) || (set & MASK_ROWS && mask == rows) ||
           (set & MASK_COLUMNS && mask == columns) || (set & MASK_BOTH && mask == rows + columns) ||
           (set & MASK_ALL && mask == (1 << nd) - 1);
}

static dnnl_status_t check_scales(const pd_t *pd, int nd) {
    enum { ANY = MASK_ONE | MASK_ROWS | MASK_COLUMNS | MASK_BOTH | MASK_ALL };
    const quant_t *src = quant_find(&pd->attr.scales, DNNL_ARG_SRC),
                  *dst = quant_find(&pd->attr.scales, DNNL_ARG_DST);
    if (src && !mask_in(src->mask, nd, ANY))
        return REFUSE("scales of src: mask %d is not supported", src->mask);
    if (dst && !attr_is_dynamic(pd, DNNL_ARG_DST) &&
            (dst->group_ndims || !mask_in(dst->mask, nd, ANY)))
        return REFUSE("scales of dst: mask %d or its groups are not supported", dst->mask);
    return dnnl_success;
}

static dnnl_status_t check_zero_points(
        const pd_t *pd, const md_t *src_md, const md_t *wei_md, int nd) {
    const quant_map_t *map = &pd->attr.zero_points;
    const quant_t *src = quant_find(map, DNNL_ARG_SRC), *wei = quant_find(map, DNNL_ARG_WEIGHTS),
                  *dst = quant_find(map, DNNL_ARG_DST);
    if (src && !dt_in(src_md, BYTES)) return REFUSE("zero points of src need s8 or u8");
    if (src && !mask_in(src->mask, nd, MASK_ONE | MASK_COLUMNS | MASK_BOTH | MASK_ALL))
        return REFUSE("zero points of src: mask %d is not supported", src->mask);
    if (wei && !dt_in(wei_md, INTS)) return REFUSE("zero points of weights need s8, u8, s4 or u4");
    if (dst &&
            (dst->group_ndims || !mask_in(dst->mask, nd, MASK_ONE | (nd == 2 ? MASK_COLUMNS : 0))))
        return REFUSE("zero points of dst: mask %d is not supported", dst->mask);
    return dnnl_success;
}

/* Scales or zero points of a tensor; run-time dims count as 1. */
static int64_t count_values(const quant_t *q, const md_t *md) {
    const int nd = md->ndims;
    int64_t n = 1;
    for (int d = 0; d < nd; d++) {
        const int g = d - (nd - 2);
        const int64_t group = g >= 0 && q->group_ndims ? max_i64(q->group_dims[g], 1) : 1;
        if ((q->mask >> d & 1) && is_known(md->dims[d])) n *= div_up(md->dims[d], group);
    }
    return n;
}

static dnnl_status_t check_values(const quant_t *q, const md_t *md) {
    const int nd = md->ndims;
    if (count_values(q, md) > INT32_MAX)
        return REFUSE("there are 2^31 or more scales or zero points of an argument");
    for (int g = 0; g < q->group_ndims; g++) {
        const int64_t dim = md->dims[nd - 2 + g];
        if (q->group_dims[g] > 1 && is_known(dim) && dim % q->group_dims[g])
            return REFUSE("groups of %lld do not divide dimension %d", (long long)q->group_dims[g],
                    nd - 2 + g);
    }
    return dnnl_success;
}

static dnnl_status_t check_all_values(const pd_t *pd, const quant_map_t *map) {
    for (int i = 0; i < map->len; i++) {
        const int arg = map->entry[i].arg;
        const bool input = arg == DNNL_ARG_SRC || arg == DNNL_ARG_WEIGHTS;
        TRY(check_values(&map->entry[i], pd_md(pd, input ? arg : DNNL_ARG_DST)));
    }
    return dnnl_success;
}

/* ---- scales that the primitive computes ---- */

/* There are two formats: mx has powers of two for 32 elements of a row, the other f8_e4m3 for
 * 16. */
static bool is_dynamic_format(const quant_t *q, int nd) {
    const bool mx = q->qmode == dnnl_quantization_mode_dynamic_mx;
    return q->mask == (1 << nd) - 1 && q->group_ndims == 2 && q->group_dims[0] == 1 &&
           q->group_dims[1] == (mx ? 32 : 16) && q->dt == (mx ? dnnl_e8m0 : dnnl_f8_e4m3) &&
           !q->on_host;
}

static bool has_sum(const attr_t *attr) {
    for (int i = 0; i < attr->post_ops.len; i++)
        if (attr->post_ops.entry[i].kind == dnnl_sum) return true;
    return false;
}

static dnnl_status_t check_dynamic(const pd_t *pd, const quant_t *q, const md_t *dst) {
    if (q->arg != DNNL_ARG_DST) return REFUSE("only scales of dst are computed");
    if (!is_dynamic_format(q, dst->ndims))
        return REFUSE("computed scales are e8m0 of 32 elements of a row, or f8_e4m3 of 16");
    if (!dt_in(dst, SMALL_FLOATS)) return REFUSE("scales are computed for dst of f8 and f4");
    if (quant_find(&pd->attr.zero_points, DNNL_ARG_DST))
        return REFUSE("dst has a zero point and computed scales");
    if (has_sum(&pd->attr))
        return REFUSE("a sum with a dst whose scales are computed is not supported");
    return dnnl_success;
}

static dnnl_status_t check_all_dynamic(const pd_t *pd, const md_t *dst) {
    const quant_map_t *scales = &pd->attr.scales;
    for (int i = 0; i < scales->len; i++)
        if (attr_is_dynamic(pd, scales->entry[i].arg))
            TRY(check_dynamic(pd, &scales->entry[i], dst));
    return dnnl_success;
}

/* ---- precomputed reductions ---- */

/* Sums of the source over groups of k. The kernels form them themselves: what they are given is
 * only checked. */
static dnnl_status_t check_reduction(const pd_t *pd, const quant_t *q, const md_t *src) {
    const int nd = src->ndims;
    if (q->arg != DNNL_ARG_SRC || !dt_in(src, BYTES))
        return REFUSE("precomputed reductions need a source of s8 or u8");
    if (!quant_find(&pd->attr.zero_points, DNNL_ARG_WEIGHTS))
        return REFUSE("precomputed reductions need zero points of weights");
    if (q->mask != (1 << nd) - 1)
        return REFUSE("precomputed reductions: the mask %d is not that of a full matrix", q->mask);
    for (int g = 0; g < q->group_ndims; g++)
        if (is_known(src->dims[nd - 2 + g]) && src->dims[nd - 2 + g] % q->group_dims[g])
            return REFUSE(
                    "groups of precomputed reductions do not divide dimension %d", nd - 2 + g);
    return dnnl_success;
}

static dnnl_status_t check_reductions(const pd_t *pd, const md_t *src) {
    const quant_map_t *map = &pd->attr.precomputed_reductions;
    for (int i = 0; i < map->len; i++) TRY(check_reduction(pd, &map->entry[i], src));
    return dnnl_success;
}

/* ---- all of it ---- */

dnnl_status_t matmul_check(const pd_t *pd) {
    const int bias_slot = pd_find_arg(pd, DNNL_ARG_BIAS);
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *wei = pd_md(pd, DNNL_ARG_WEIGHTS),
               *dst = pd_md(pd, DNNL_ARG_DST),
               *bias = bias_slot < 0 ? NULL : &pd->args[bias_slot].md;
    TRY(matmul_check_shapes(src, wei, bias, dst));
    TRY(check_format(src, "src"));
    TRY(check_format(wei, "weights"));
    TRY(check_format(dst, "dst"));
    if (bias) TRY(check_format(bias, "bias"));
    TRY(product_types_check(pd, type_rules, ARRAY_LEN(type_rules)));
    TRY(check_attr(pd));
    TRY(check_scales(pd, dst->ndims));
    TRY(check_zero_points(pd, src, wei, dst->ndims));
    TRY(check_all_values(pd, &pd->attr.scales));
    TRY(check_all_values(pd, &pd->attr.zero_points));
    TRY(check_all_dynamic(pd, dst));
    return check_reductions(pd, src);
}
