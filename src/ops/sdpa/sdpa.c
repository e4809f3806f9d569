/* SPDX-License-Identifier: Apache-2.0 */
/* Attention: what its descriptors must have in common, and its name and problem in the log. */
#include "ops/sdpa/sdpa.h"

#include "core/status.h"
#include "core/strings.h"
#include "core/strings_enum.h"
#include "core/util.h"
#include "core/verbose.h"
#include "plan/attributes.h"
#include "plan/check.h"
#include "plan/op.h"
#include "plan/variant.h"

#define FAMILY "sdpa"
#define INVALID(...) verbose_check(dnnl_invalid_arguments, FAMILY, __VA_ARGS__)
#define REFUSED(...) verbose_refuse(dnnl_unimplemented, FAMILY, __VA_ARGS__)

static bool good_type(dnnl_data_type_t dt) {
    return dt == dnnl_f32 || dt == dnnl_f16 || dt == dnnl_bf16;
}

/* What keys and values may be stored as, besides. */
static bool quantised_type(dnnl_data_type_t dt) {
    switch (dt) {
    case dnnl_s8:
    case dnnl_u8:
    case dnnl_s4:
    case dnnl_u4:
    case dnnl_f8_e4m3:
    case dnnl_f8_e5m2: return true;
    default: return false;
    }
}

static dnnl_status_t check_layout(const md_t *md, const char *name) {
    if (md_is_host_scalar(md)) return INVALID("the %s are a host scalar", name);
    if (md_is_any(md)) return INVALID("the %s have no layout", name);
    if (!md_is_plain(md) || md->extra.flags)
        return REFUSED("the %s have inner blocks or another special layout", name);
    for (int d = 0; d < md->ndims; d++)
        if (md->dims[d] > INT32_MAX)
            return REFUSED("the %s have more than 2^31 - 1 elements in a row", name);
    if (dt_is_nibble(md->data_type) && md->offset0 % 2)
        return REFUSED("the %s begin in the middle of a byte", name);
    return dnnl_success;
}

dnnl_status_t sdpa_check_tensor(const md_t *md, const char *name) {
    TRY(check_layout(md, name));
    if (!good_type(md->data_type))
        return REFUSED("the %s have another type than f32, f16 and bf16", name);
    return dnnl_success;
}

/* ---- quantised keys and values ---- */

static dnnl_status_t check_groups(const quant_t *q, const md_t *md, const char *name) {
    const int first = md->ndims - 2;
    int64_t count = 1;
    if (q->group_ndims && (q->mask >> first & 3) != 3)
        return INVALID("groups of %s need a mask with the last two dimensions", name);
    for (int d = 0; d < md->ndims; d++) {
        const int64_t group = d >= first && q->group_ndims ? q->group_dims[d - first] : 1;
        if (md->dims[d] % group)
            return INVALID("groups of %lld do not divide dimension %d of the %s", (long long)group,
                    d, name);
        if (q->mask >> d & 1 && (!mul_ok(count, md->dims[d] / group, &count) || count > INT32_MAX))
            return REFUSED("the %s have more than 2^31 - 1 scales or zero points", name);
    }
    return dnnl_success;
}

/* Scales or zero points of keys or of values. */
static dnnl_status_t check_quant(
        const pd_t *pd, const quant_map_t *map, int arg, const char *name) {
    const quant_t *q = quant_find(map, arg);
    const md_t *md = pd_md(pd, arg);
    if (!q) return dnnl_success;
    if (q->on_host) return REFUSED("scales and zero points of the %s are not in memory", name);
    if (map == &pd->attr.scales && !good_type(q->dt))
        return REFUSED("the scales of the %s have another type than f32, f16 and bf16", name);
    if (map == &pd->attr.zero_points && !dt_is_int(md->data_type))
        return INVALID("the %s have zero points and are not integers", name);
    return check_groups(q, md, name);
}

static dnnl_status_t check_quantised(const pd_t *pd, int arg, const char *name) {
    const md_t *md = pd_md(pd, arg);
    TRY(check_layout(md, name));
    if (!good_type(md->data_type) && !quantised_type(md->data_type))
        return REFUSED("the data type of the %s is not supported", name);
    TRY(check_quant(pd, &pd->attr.scales, arg, name));
    return check_quant(pd, &pd->attr.zero_points, arg, name);
}

/* ---- */

static dnnl_status_t check_dims(
        const pd_t *pd, const md_t *q, const md_t *k, const md_t *v, const md_t *dst) {
    const int nd = q->ndims, heads = nd - 3;
    const int64_t key_heads = pd->params.kv_heads;
    if (nd < 2 || nd > SD_OUTER + 2)
        return INVALID("the queries have %d dimensions, not 2 to 6", nd);
    if (k->ndims != nd || v->ndims != nd || dst->ndims != nd)
        return INVALID(
                "queries, keys, values and destination differ in their number of dimensions");
    if (q->dims[nd - 1] != k->dims[nd - 2])
        return INVALID("queries and keys differ in the size of a head");
    if (k->dims[nd - 1] != v->dims[nd - 2]) return INVALID("there are not as many values as keys");
    if (dst->dims[nd - 2] != q->dims[nd - 2])
        return INVALID("the destination has not a row for each query");
    if (dst->dims[nd - 1] != v->dims[nd - 1])
        return INVALID("destination and values differ in the size of a value");
    for (int d = 0; d < nd - 2; d++) {
        if (dst->dims[d] != q->dims[d])
            return INVALID("queries and destination differ in dimension %d", d);
        if (k->dims[d] != v->dims[d] || (d != heads && k->dims[d] != q->dims[d]))
            return INVALID("keys, values and queries differ in dimension %d", d);
    }
    if (key_heads != (heads >= 0 ? k->dims[heads] : 1))
        return INVALID("the keys do not have %lld heads", (long long)key_heads);
    if (heads >= 0 && (key_heads == 0 ? q->dims[heads] != 0 : q->dims[heads] % key_heads != 0))
        return INVALID("the heads of the queries are not a multiple of those of the keys");
    return dnnl_success;
}

static dnnl_status_t check_mask(const pd_t *pd, const md_t *q, const md_t *k) {
    const int slot = pd_find_arg(pd, DNNL_ARG_ATTN_MASK), nd = q->ndims;
    const unsigned kind = pd->params.attn_mask;
    if (kind > dnnl_ze_attn_mask_select_inverted)
        return INVALID("attn_mask is none of its enumerators");
    const bool selects = kind >= dnnl_ze_attn_mask_select;
    if (!selects && pd_find_arg(pd, DNNL_ARG_ATTN_FILL) >= 0)
        return INVALID("there is a descriptor of a fill value, and the mask does not select");
    if ((selects || kind == dnnl_ze_attn_mask_buffer) != (slot >= 0))
        return INVALID(slot >= 0 ? "there is a descriptor of a mask, and attn_mask asks for none"
                                 : "attn_mask asks for a descriptor of a mask");
    if (slot < 0) return dnnl_success;
    const md_t *mask = &pd->args[slot].md;
    if (!selects) TRY(sdpa_check_tensor(mask, "mask's elements"));
    else TRY(check_layout(mask, "mask's elements"));
    if (selects && mask->data_type != dnnl_u8 && mask->data_type != dnnl_s8)
        return REFUSED("a mask that selects has another type than u8 and s8");
    if (mask->ndims != nd) return INVALID("the mask has %d dimensions, not %d", mask->ndims, nd);
    for (int d = 0; d < nd; d++)
        if (mask->dims[d] != 1 && mask->dims[d] != (d == nd - 1 ? k : q)->dims[d])
            return INVALID("dimension %d of the mask is neither 1 nor that of the scores", d);
    return dnnl_success;
}

/* The scale, or the soft cap. */
static dnnl_status_t check_factor(const pd_t *pd, int arg, const char *name) {
    const int slot = pd_find_arg(pd, arg);
    if (slot < 0) return dnnl_success;
    const md_t *factor = &pd->args[slot].md;
    if (!good_type(factor->data_type))
        return REFUSED("the %s has another type than f32, f16 and bf16", name);
    if (md_is_host_scalar(factor)) return dnnl_success;
    if (!md_is_blocked(factor) || md_nelems(factor, true) != 1)
        return INVALID("the %s is not one element", name);
    return dnnl_success;
}

static dnnl_status_t check_dropout(const pd_t *pd) {
    const attr_t *attr = &pd->attr;
    if (!attr->dropout.set) return dnnl_success;
    if (attr->dropout.seed_dt != dnnl_s64 || !attr->dropout.use_offset)
        return REFUSED("dropout of attention needs a seed of type s64 and an offset");
    return dnnl_success;
}

/* The mask of dropout has an element for each weight, in the order of the weights. */
static dnnl_status_t add_dropout_mask(pd_t *pd) {
    const md_t *mask = &pd->attr.dropout.mask_md, *q = pd_md(pd, DNNL_ARG_QUERIES);
    const int nd = q->ndims;
    dnnl_dims_t dims;
    md_t md;
    if (!pd->attr.dropout.set || md_is_zero(mask)) return dnnl_success;
    for (int d = 0; d < nd; d++) dims[d] = q->dims[d];
    dims[nd - 1] = pd_md(pd, DNNL_ARG_KEYS)->dims[nd - 1];
    if (md_init_strides(&md, nd, dims, dnnl_u8, NULL) != dnnl_success)
        return REFUSED("the mask of dropout is too large");
    if (mask->data_type != dnnl_u8) return INVALID("the mask of dropout is not of type u8");
    if (!md_same_dims(mask, &md)) return INVALID("the mask of dropout has not the scores' dims");
    if (!md_is_any(mask) && !md_equal(mask, &md))
        return REFUSED("the mask of dropout is not dense and row-major");
    return pd_add_arg(pd, DNNL_ARG_ATTR_DROPOUT_MASK, PD_OUT, &md);
}

dnnl_status_t sdpa_check_common(const pd_t *pd) {
    const md_t *q = pd_md(pd, DNNL_ARG_QUERIES), *k = pd_md(pd, DNNL_ARG_KEYS);
    TRY(check_dims(pd, q, k, pd_md(pd, DNNL_ARG_VALUES), pd_md(pd, DNNL_ARG_DST)));
    TRY(check_mask(pd, q, k));
    TRY(check_factor(pd, DNNL_ARG_SCALE, "scale"));
    TRY(check_factor(pd, DNNL_ARG_ATTN_CAP, "cap"));
    TRY(check_factor(pd, DNNL_ARG_ATTN_FILL, "fill value"));
    return check_dropout(pd);
}

/* Queries and results, which may be integers or small floats with one scale and one zero point. */
static dnnl_status_t check_whole(const pd_t *pd, int arg, const char *name) {
    const quant_t *scale = quant_find(&pd->attr.scales, arg),
                  *zero = quant_find(&pd->attr.zero_points, arg);
    const md_t *md = pd_md(pd, arg);
    TRY(check_layout(md, name));
    if (dt_is_nibble(md->data_type) ||
            (!good_type(md->data_type) && !quantised_type(md->data_type)))
        return REFUSED("the data type of the %s is not supported", name);
    if (scale && (scale->on_host || scale->dt != dnnl_f32))
        return REFUSED("the scale of the %s is not of type f32 in memory", name);
    if (zero && (zero->on_host || zero->dt != dnnl_s32))
        return REFUSED("the zero point of the %s is not of type s32 in memory", name);
    if (zero && !dt_is_int(md->data_type))
        return INVALID("the %s have a zero point and are not integers", name);
    return dnnl_success;
}

/* What weights are rounded to. */
static dnnl_status_t check_weights(const pd_t *pd) {
    const dnnl_data_type_t dt = pd->params.weight_dt;
    const bool has_zero = pd_find_arg(pd, DNNL_ARG_ATTN_WEIGHT_ZERO_POINT) >= 0;
    if (!dt && (has_zero || pd_find_arg(pd, DNNL_ARG_ATTN_WEIGHT_SCALE) >= 0))
        return INVALID(
                "weights have a scale or a zero point, and no type that they are rounded to");
    if (!dt) return dnnl_success;
    if (dt_is_nibble(dt) || !quantised_type(dt))
        return REFUSED("weights are rounded to another type than s8, u8, f8_e4m3 and f8_e5m2");
    if (has_zero && !dt_is_int(dt))
        return INVALID("weights have a zero point and are not rounded to integers");
    if (pd->attr.dropout.set) return REFUSED("weights are rounded and dropped");
    TRY(check_factor(pd, DNNL_ARG_ATTN_WEIGHT_SCALE, "scale of the weights"));
    return check_factor(pd, DNNL_ARG_ATTN_WEIGHT_ZERO_POINT, "zero point of the weights");
}

/* One value for each query, in the order of the queries. */
dnnl_status_t sdpa_add_statistics(pd_t *pd, unsigned flags) {
    const md_t *q = pd_md(pd, DNNL_ARG_QUERIES);
    dnnl_dim_t queries = 1;
    md_t md;
    for (int d = 0; d < q->ndims - 1; d++)
        if (!mul_ok(queries, q->dims[d], &queries)) return REFUSED("there are too many queries");
    TRY(md_init_strides(&md, 1, &queries, dnnl_f32, NULL));
    return pd_add_arg(pd, DNNL_ARG_WORKSPACE, flags, &md);
}

static dnnl_status_t add_statistics(pd_t *pd) {
    if (pd->params.prop_kind != dnnl_forward_training) return dnnl_success;
    TRY(sdpa_add_statistics(pd, PD_OUT));
    const md_t *dst = pd_md(pd, DNNL_ARG_DST);
    if (pd_md(pd, DNNL_ARG_WORKSPACE)->dims[0] && !dst->dims[dst->ndims - 1])
        return REFUSED("values without elements have no statistics");
    return dnnl_success;
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    static const attr_quant_rule_t rules[] = {{ATTR_SCALES, DNNL_ARG_KEYS, ~0u},
            {ATTR_SCALES, DNNL_ARG_VALUES, ~0u}, {ATTR_ZERO_POINTS, DNNL_ARG_KEYS, ~0u},
            {ATTR_ZERO_POINTS, DNNL_ARG_VALUES, ~0u}, {ATTR_SCALES, DNNL_ARG_QUERIES, 0},
            {ATTR_ZERO_POINTS, DNNL_ARG_QUERIES, 0}, {ATTR_SCALES, DNNL_ARG_DST, 0},
            {ATTR_ZERO_POINTS, DNNL_ARG_DST, 0}, {0, 0, 0}};
    const md_t *q = pd_md(pd, DNNL_ARG_QUERIES);
    md_t *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    TRY(sdpa_check_common(pd));
    TRY(attr_check(pd, ATTR_SCALES | ATTR_ZERO_POINTS | ATTR_GROUPS | ATTR_DROPOUT, 0, rules));
    TRY(check_whole(pd, DNNL_ARG_QUERIES, "queries"));
    TRY(check_quantised(pd, DNNL_ARG_KEYS, "keys"));
    TRY(check_quantised(pd, DNNL_ARG_VALUES, "values"));
    TRY(ew_resolve(pd, dst, q, "the destination"));
    TRY(check_whole(pd, DNNL_ARG_DST, "results"));
    TRY(check_weights(pd));
    TRY(add_statistics(pd));
    TRY(add_dropout_mask(pd));
    TRY(attr_add_args(pd)); /* the descriptors may have moved */
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) return nothing_to_do(pd);
    sdpa_t sd;
    sdpa_init(&sd, pd, caps);
    TRY(plan_with_variants(&sd.planner, pd, FAMILY));
    name_variant(pd);
    return planner_finish(&sd.planner, pd);
}

int sdpa_format_problem(const pd_t *pd, char *buf, size_t size) {
    static const int args[] = {DNNL_ARG_QUERIES, DNNL_ARG_KEYS, DNNL_ARG_VALUES};
    text_t text = text_start(buf, size);
    for (int i = 0; i < ARRAY_LEN(args); i++) {
        char dims[128];
        md_format_dims(pd_md(pd, args[i]), dims, sizeof(dims));
        text_add(&text, "%s%s", i ? ":" : "", dims);
    }
    return text.len;
}

int sdpa_format_aux(const pd_t *pd, char *buf, size_t size) {
    static const char *const names[] = {
            "none", "buffer", "top_left", "bottom_right", "select", "select_inverted", "?", "?"};
    text_t text = text_start(buf, size);
    text_add(&text, "mask:%s", names[pd->params.attn_mask & 7]);
    if (pd_find_arg(pd, DNNL_ARG_ATTN_MASK) >= 0) {
        char dims[128];
        md_format_dims(pd_md(pd, DNNL_ARG_ATTN_MASK), dims, sizeof(dims));
        text_add(&text, " mask_dims:%s", dims);
    }
    text_add(&text, " scale:%s kv_heads:%lld",
            pd_find_arg(pd, DNNL_ARG_SCALE) < 0 ? "none"
            : pd->params.invert_scale           ? "div"
                                                : "mul",
            (long long)pd->params.kv_heads);
    if (pd_find_arg(pd, DNNL_ARG_ATTN_CAP) >= 0) text_add(&text, " cap:mul");
    if (pd_find_arg(pd, DNNL_ARG_ATTN_FILL) >= 0) text_add(&text, " fill:value");
    if (pd->params.weight_dt)
        text_add(&text, " weights:%s", enum_name(NAMES_DATA_TYPE, pd->params.weight_dt));
    if (pd_find_arg(pd, DNNL_ARG_ATTN_WEIGHT_SCALE) >= 0) text_add(&text, " weight_scale:value");
    if (pd_find_arg(pd, DNNL_ARG_ATTN_WEIGHT_ZERO_POINT) >= 0)
        text_add(&text, " weight_zero:value");
    return text.len;
}

const op_kind_t op_sdpa = {.kind = DNNL_ZE_PRIMITIVE_KIND_SDPA,
        .name = FAMILY,
        .init = init,
        .host_scalars = true,
        .own_dropout_mask = true,
        .format_problem = sdpa_format_problem,
        .format_aux = sdpa_format_aux};
