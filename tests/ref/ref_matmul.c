/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix product in double precision. */
#include "ref_matmul.h"

#include <math.h>
#include <string.h>

/* A scale or zero point by definition: the values are in row-major order over the dimensions of the
 * mask, and each group has one value. */
static double quant(const ref_t *ref, const quant_map_t *map, int base, int arg, double none,
        const dnnl_dim_t *pos) {
    const quant_t *q = quant_find(map, arg);
    if (!q) return none;
    const md_t *md = pd_md(ref->pd, arg);
    int64_t index = 0;
    for (int d = 0; d < md->ndims; d++) {
        if (!(q->mask & 1 << d)) continue;
        const int g = d - (md->ndims - q->group_ndims);
        const int64_t group = q->group_ndims && g >= 0 ? q->group_dims[g] : 1;
        index = index * (md->dims[d] / group) + (md->dims[d] == 1 ? 0 : pos[d]) / group;
    }
    return ref_load(q->dt, ref->data[pd_find_arg(ref->pd, base | arg)], index);
}

static double scale(const ref_t *ref, int arg, const dnnl_dim_t *pos) {
    return quant(ref, &ref->pd->attr.scales, DNNL_ARG_ATTR_SCALES, arg, 1, pos);
}

static double zero_point(const ref_t *ref, int arg, const dnnl_dim_t *pos) {
    return quant(ref, &ref->pd->attr.zero_points, DNNL_ARG_ATTR_ZERO_POINTS, arg, 0, pos);
}

static bool is_byte(dnnl_data_type_t dt) {
    return dt_is_int(dt) && dt_bits(dt) <= 8;
}

/* True if the scale changes along k. A scale that is the same for a whole sum is applied to
 * the sum. */
static bool along_k(const ref_t *ref, int arg, int k_dim) {
    const quant_t *q = quant_find(&ref->pd->attr.scales, arg);
    return q && ((q->mask & 1 << k_dim) || q->group_ndims);
}

static ref_value_t sum(const ref_t *ref, dnnl_dim_t *src_pos, dnnl_dim_t *wei_pos) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC), *wei = pd_md(ref->pd, DNNL_ARG_WEIGHTS);
    const int nd = src->ndims;
    const bool src_inside = along_k(ref, DNNL_ARG_SRC, nd - 1),
               wei_inside = along_k(ref, DNNL_ARG_WEIGHTS, nd - 2);
    const bool exact =
            is_byte(src->data_type) && is_byte(wei->data_type) && !src_inside && !wei_inside;
    double total = 0, magnitude = 0;
    for (dnnl_dim_t k = 0; k < src->dims[nd - 1]; k++) {
        src_pos[nd - 1] = wei_pos[nd - 2] = k;
        double a = ref_at(ref, DNNL_ARG_SRC, src_pos).v - zero_point(ref, DNNL_ARG_SRC, src_pos);
        double b = ref_at(ref, DNNL_ARG_WEIGHTS, wei_pos).v -
                   zero_point(ref, DNNL_ARG_WEIGHTS, wei_pos);
        if (src_inside) a *= scale(ref, DNNL_ARG_SRC, src_pos);
        if (wei_inside) b *= scale(ref, DNNL_ARG_WEIGHTS, wei_pos);
        total += a * b;
        magnitude += fabs(a * b);
    }
    const double unit = ref->epsilon / 2;
    return (ref_value_t){
            total, exact ? 0
                         : ((double)(src->dims[nd - 1] + 4) * unit + ref_product_loss(ref->pd)) *
                                   magnitude};
}

/* Computes the value before the scale and zero point of the destination. */
static ref_value_t before_finish(const ref_t *ref, const dnnl_dim_t *pos) {
    const attr_t *attr = &ref->pd->attr;
    const int nd = pd_md(ref->pd, DNNL_ARG_DST)->ndims;
    const double eps = ref->epsilon;
    dnnl_dims_t src_pos, wei_pos;
    memcpy(src_pos, pos, sizeof(src_pos));
    memcpy(wei_pos, pos, sizeof(wei_pos));
    ref_value_t x = sum(ref, src_pos, wei_pos);
    /* An integer that is only passed on has no error; arithmetic on it is done in floats. */
    const bool alone = pd_find_arg(ref->pd, DNNL_ARG_BIAS) < 0 && !attr->scales.len &&
                       !attr->post_ops.len && !attr->dropout.set &&
                       !quant_find(&attr->zero_points, DNNL_ARG_DST) &&
                       pd_md(ref->pd, DNNL_ARG_DST)->data_type == dnnl_s32;
    if (!alone) x.error += eps / 2 * fabs(x.v) * (fabs(x.v) > 0x1p24);

    if (quant_find(&attr->scales, DNNL_ARG_SRC) && !along_k(ref, DNNL_ARG_SRC, nd - 1))
        x = ref_binary(
                eps, dnnl_binary_mul, x, (ref_value_t){scale(ref, DNNL_ARG_SRC, src_pos), 0});
    if (quant_find(&attr->scales, DNNL_ARG_WEIGHTS) && !along_k(ref, DNNL_ARG_WEIGHTS, nd - 2))
        x = ref_binary(
                eps, dnnl_binary_mul, x, (ref_value_t){scale(ref, DNNL_ARG_WEIGHTS, wei_pos), 0});
    if (pd_find_arg(ref->pd, DNNL_ARG_BIAS) >= 0)
        x = ref_binary(eps, dnnl_binary_add, x, ref_at(ref, DNNL_ARG_BIAS, pos));
    return ref_post_ops(ref, x, pos);
}

/* ---- scales that the primitive computes ---- */

static const quant_t *computed_scale(const pd_t *pd) {
    const quant_t *q = quant_find(&pd->attr.scales, DNNL_ARG_DST);
    return q && q->qmode != dnnl_quantization_mode_static_sazp ? q : NULL;
}

static double largest_number(dnnl_data_type_t dt) {
    return dt == dnnl_f8_e5m2 ? 57344 : dt == dnnl_f8_e4m3 ? 448 : 6;
}

ref_value_t ref_matmul_scale(const ref_t *ref, const dnnl_dim_t *index) {
    const md_t *dst = pd_md(ref->pd, DNNL_ARG_DST);
    const quant_t *q = computed_scale(ref->pd);
    const int last = dst->ndims - 1;
    const int64_t group = q->group_dims[1];
    dnnl_dims_t pos;
    dnnl_dim_t rest = index[0];
    for (int d = last; d >= 0; d--) {
        const dnnl_dim_t count = dst->dims[d] / (d == last ? group : 1);
        pos[d] = rest % count;
        rest /= count;
    }
    const dnnl_dim_t first = pos[last] * group;
    /* Bounds of the largest magnitude. It cannot be below the lower bound of any element. */
    double high = 0, low = 0;
    for (pos[last] = first; pos[last] < first + group; pos[last]++) {
        const ref_value_t x = before_finish(ref, pos);
        high = fmax(high, fabs(x.v) + x.error);
        low = fmax(low, fabs(x.v) - x.error);
    }
    const double most = largest_number(dst->data_type);
    if (q->qmode == dnnl_quantization_mode_dynamic_mx) {
        const double top = ldexp(1, ilogb(most));
        low = fmax(low / top, 0x1p-127);
        high = fmax(high / top, 0x1p-127);
    } else {
        low = fmin(fmax(low / most * (1 - 3 * ref->epsilon), 0.125), 448);
        high = fmin(fmax(high / most * (1 + 3 * ref->epsilon), 0.125), 448);
    }
    return (ref_value_t){(low + high) / 2, (high - low) / 2};
}

ref_value_t ref_matmul(const ref_t *ref, const dnnl_dim_t *pos) {
    const ref_value_t x = before_finish(ref, pos);
    if (!computed_scale(ref->pd)) return ref_finish(ref, x, pos);
    /* Divides by the scale that the implementation wrote, which the test compares separately.
     * Values that this scale makes too large are not compared. */
    return ref_finish_within(ref, x, pos, largest_number(pd_md(ref->pd, DNNL_ARG_DST)->data_type));
}
