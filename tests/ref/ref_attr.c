/* SPDX-License-Identifier: Apache-2.0 */
/* Scales, zero points and post-ops, one value at a time, straight from the attributes. */
#include <float.h>
#include <math.h>

#include "oneapi/dnnl/dnnl_ze_sdpa.h"
#include "plan/variant_id.h"
#include "philox.h"
#include "ref.h"

double ref_epsilon(const pd_t *pd) {
    for (int i = 0; i < pd->nargs; i++)
        if (pd->args[i].md.data_type == dnnl_f64)
            return 4 * DBL_EPSILON; /* the reference has an error too */
    return (double)FLT_EPSILON;
}

ref_value_t ref_input(const ref_t *ref, dnnl_data_type_t dt, double v) {
    bool rounds = dt == dnnl_s32 && ref->epsilon > 1e-10 && fabs(v) > 0x1p24;
    return (ref_value_t){v, rounds ? ref->epsilon * fabs(v) : 0};
}

int64_t ref_offset(const md_t *md, const dnnl_dim_t *pos) {
    if (!md_is_grouped(md)) return md_offset(md, pos);
    int64_t offset = 0;
    for (int d = 0; d < md->ndims; d++)
        offset += pos[d] * md->format_desc.sparse.grouped.strides[d];
    return offset;
}

static ref_value_t at_slot(const ref_t *ref, int slot, dnnl_data_type_t dt, const dnnl_dim_t *pos) {
    const md_t *md = &ref->pd->args[slot].md;
    dnnl_dims_t at;
    for (int d = 0; d < md->ndims; d++) at[d] = md->dims[d] == 1 ? 0 : pos[d];
    return ref_input(ref, dt, ref_load(dt, ref->data[slot], ref_offset(md, at)));
}

ref_value_t ref_at(const ref_t *ref, int arg, const dnnl_dim_t *pos) {
    int slot = pd_find_arg(ref->pd, arg);
    return at_slot(ref, slot, ref->pd->args[slot].md.data_type, pos);
}

static ref_value_t quant(const ref_t *ref, const quant_map_t *map, int base, int arg, double none,
        const dnnl_dim_t *pos) {
    const quant_t *q = quant_find(map, arg);
    if (!q) return (ref_value_t){none, 0};
    const md_t *md = pd_md(ref->pd, arg);
    int64_t index = 0;
    for (int d = 0; d < md->ndims; d++)
        if (q->mask & 1 << d) {
            const int g = d - (md->ndims - q->group_ndims);
            const int64_t group =
                    q->group_ndims && g >= 0 && q->group_dims[g] > 0 ? q->group_dims[g] : 1;
            index = index * (md->dims[d] / group) + pos[d] / group;
        }
    return (ref_value_t){ref_load(q->dt, ref->data[pd_find_arg(ref->pd, base | arg)], index), 0};
}

bool ref_is_tf32(int variant) {
    return variant == KERNEL_matmul_xmx16_t8x32 || variant == KERNEL_matmul_xmx16_t16x32 ||
           variant == KERNEL_matmul_xmx16_t64x32;
}

double ref_product_loss(const pd_t *pd) {
    return ref_is_tf32(pd->variant) ? 0x1p-9 : 0;
}

ref_value_t ref_scale(const ref_t *ref, int arg, const dnnl_dim_t *pos) {
    return quant(ref, &ref->pd->attr.scales, DNNL_ARG_ATTR_SCALES, arg, 1, pos);
}

ref_value_t ref_zero_point(const ref_t *ref, int arg, const dnnl_dim_t *pos) {
    return quant(ref, &ref->pd->attr.zero_points, DNNL_ARG_ATTR_ZERO_POINTS, arg, 0, pos);
}

static double single(const ref_t *ref, int arg) {
    const int slot = pd_find_arg(ref->pd, arg);
    return ref_load(ref->pd->args[slot].md.data_type, ref->data[slot], 0);
}

bool ref_keeps(const ref_t *ref, const dnnl_dim_t *pos) {
    return ref_keeps_number(ref, (uint64_t)md_offset(pd_md(ref->pd, DNNL_ARG_DST), pos));
}

bool ref_keeps_number(const ref_t *ref, uint64_t at) {
    const uint64_t seed = (uint64_t)(int64_t)single(ref, DNNL_ARG_ATTR_DROPOUT_SEED);
    const uint32_t r =
            ref->pd->attr.dropout.use_offset
                    ? philox_at(at, seed, (uint64_t)single(ref, DNNL_ARG_ATTR_DROPOUT_OFFSET))
                    : philox_short_at((uint32_t)at, (uint32_t)seed);
    return r > single(ref, DNNL_ARG_ATTR_DROPOUT_PROBABILITY) * UINT32_MAX;
}

ref_value_t ref_mask(const ref_t *ref, const dnnl_dim_t *pos) {
    const bool own = ref->pd->params.kind == DNNL_ZE_PRIMITIVE_KIND_SDPA;
    const md_t *md = pd_md(ref->pd, own ? DNNL_ARG_ATTR_DROPOUT_MASK : DNNL_ARG_DST);
    return (ref_value_t){ref_keeps_number(ref, (uint64_t)md_offset(md, pos)), 0};
}

static ref_value_t dropout(const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos) {
    const double p = single(ref, DNNL_ARG_ATTR_DROPOUT_PROBABILITY);
    if (!ref_keeps(ref, pos)) return (ref_value_t){0, 0};
    return ref_binary(
            ref->epsilon, dnnl_binary_div, x, (ref_value_t){1 - p, ref->epsilon * (1 - p)});
}

/* The result is exact if x is; otherwise both neighbours are right. */
static ref_value_t round_randomly(const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos) {
    const md_t *dst = pd_md(ref->pd, DNNL_ARG_DST);
    static const struct {
        dnnl_data_type_t dt;
        int digits, emin;
        double most;
    } formats[] = {{dnnl_f16, 11, -14, 65504}, {dnnl_bf16, 8, -149, 0x1.fep127},
            {dnnl_f8_e5m2, 3, -14, 57344}, {dnnl_f8_e4m3, 4, -6, 448}, {dnnl_f4_e2m1, 2, 0, 6}};
    size_t f = 0;
    while (f < sizeof(formats) / sizeof(formats[0]) && formats[f].dt != dst->data_type) f++;
    if (f == sizeof(formats) / sizeof(formats[0]) || x.v == 0 || !isfinite(x.v)) return x;
    const uint32_t seed = (uint32_t)(int32_t)single(ref, DNNL_ARG_ATTR_ROUNDING_SEED);
    const uint32_t random = philox_at((uint64_t)(md_offset(dst, pos) - dst->offset0), seed, 0);
    const int bits = 24 - formats[f].digits, exponent = ilogb(x.v);
    const bool small = exponent < formats[f].emin;
    const double quantum = ldexp(1, (small ? formats[f].emin : exponent) - formats[f].digits + 1);
    const double up = small ? ldexp(random >> 8, -24) : ldexp(random & ((1u << bits) - 1), -bits);
    const double r = fmin(floor(fabs(x.v) / quantum + up) * quantum, formats[f].most);
    return (ref_value_t){copysign(r, x.v), x.error == 0 ? 0 : quantum + x.error};
}

ref_value_t ref_finish(const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos) {
    return ref_finish_within(ref, x, pos, INFINITY);
}

ref_value_t ref_finish_within(const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos, double most) {
    const attr_t *attr = &ref->pd->attr;
    if (quant_find(&attr->scales, DNNL_ARG_DST))
        x = ref_binary(ref->epsilon, dnnl_binary_div, x, ref_scale(ref, DNNL_ARG_DST, pos));
    if (quant_find(&attr->zero_points, DNNL_ARG_DST))
        x = ref_binary(ref->epsilon, dnnl_binary_add, x, ref_zero_point(ref, DNNL_ARG_DST, pos));
    if (fabs(x.v) > most) x.v = copysign(most, x.v);
    return attr_rounding_mode(attr, DNNL_ARG_DST) ? round_randomly(ref, x, pos) : x;
}

ref_value_t ref_post_ops_between(
        const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos, int first, int end) {
    double eps = ref->epsilon;
    for (int i = first; i < end; i++) {
        const post_op_t *po = &ref->pd->attr.post_ops.entry[i];
        int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(i);
        if (po->kind == dnnl_eltwise) {
            x = ref_eltwise(eps, po->eltwise.alg, x, po->eltwise.alpha, po->eltwise.beta);
            x = ref_binary(eps, dnnl_binary_mul, x, (ref_value_t){po->eltwise.scale, 0});
        } else if (po->kind == dnnl_sum) {
            int slot = pd_find_arg(ref->pd, DNNL_ARG_DST);
            dnnl_data_type_t dt = po->sum.dt ? po->sum.dt : ref->pd->args[slot].md.data_type;
            ref_value_t old = at_slot(ref, slot, dt, pos);
            old = ref_binary(eps, dnnl_binary_sub, old, (ref_value_t){po->sum.zero_point, 0});
            old = ref_binary(eps, dnnl_binary_mul, old, (ref_value_t){po->sum.scale, 0});
            x = ref_binary(eps, dnnl_binary_add, x, old);
        } else if (po->kind == dnnl_prelu) {
            ref_value_t w = ref_at(ref, base | DNNL_ARG_WEIGHTS, pos);
            ref_value_t scaled = ref_binary(eps, dnnl_binary_mul, x, w);
            double reach =
                    x.v > 0 ? x.v - x.error
                            : x.v + x.error; /* the other side, if zero lies within the error */
            if (x.v <= 0) x = scaled;
            if (reach != 0 && (reach > 0) != (x.v > 0)) x.error += fabs(reach) * fabs(w.v);
        } else {
            ref_value_t y = ref_at(ref, base | DNNL_ARG_SRC_1, pos);
            if (po->binary.alg != dnnl_binary_select) x = ref_binary(eps, po->binary.alg, x, y);
            else if (ref_at(ref, base | DNNL_ARG_SRC_2, pos).v == 0) x = y;
        }
    }
    return x;
}

ref_value_t ref_post_ops(const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos) {
    if (ref->pd->attr.dropout.set) x = dropout(ref, x, pos);
    return ref_post_ops_between(ref, x, pos, 0, ref->pd->attr.post_ops.len);
}

ref_value_t ref_eltwise_fwd(const ref_t *ref, const dnnl_dim_t *pos) {
    const op_params_t *p = &ref->pd->params;
    ref_value_t x = ref_eltwise(
            ref->epsilon, p->alg_kind, ref_at(ref, DNNL_ARG_SRC, pos), p->alpha, p->beta);
    return ref_post_ops(ref, x, pos);
}

ref_value_t ref_binary_fwd(const ref_t *ref, const dnnl_dim_t *pos) {
    double eps = ref->epsilon;
    dnnl_alg_kind_t alg = ref->pd->params.alg_kind;
    ref_value_t x = ref_at(ref, DNNL_ARG_SRC_0, pos), y = ref_at(ref, DNNL_ARG_SRC_1, pos);
    const quant_map_t *scales = &ref->pd->attr.scales;
    if (quant_find(scales, DNNL_ARG_SRC_0))
        x = ref_binary(eps, dnnl_binary_mul, x, ref_scale(ref, DNNL_ARG_SRC_0, pos));
    if (quant_find(scales, DNNL_ARG_SRC_1))
        y = ref_binary(eps, dnnl_binary_mul, y, ref_scale(ref, DNNL_ARG_SRC_1, pos));
    if (alg != dnnl_binary_select) x = ref_binary(eps, alg, x, y);
    else if (ref_at(ref, DNNL_ARG_SRC_2, pos).v == 0) x = y;
    return ref_post_ops(ref, x, pos);
}

ref_value_t ref_reorder(const ref_t *ref, const dnnl_dim_t *pos) {
    double eps = ref->epsilon;
    const attr_t *attr = &ref->pd->attr;
    ref_value_t x = ref_at(ref, DNNL_ARG_SRC, pos);
    if (quant_find(&attr->zero_points, DNNL_ARG_SRC))
        x = ref_binary(eps, dnnl_binary_sub, x, ref_zero_point(ref, DNNL_ARG_SRC, pos));
    if (quant_find(&attr->scales, DNNL_ARG_SRC))
        x = ref_binary(eps, dnnl_binary_mul, x, ref_scale(ref, DNNL_ARG_SRC, pos));
    return ref_finish(ref, ref_post_ops(ref, x, pos), pos);
}
