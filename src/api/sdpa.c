/* SPDX-License-Identifier: Apache-2.0 */
/* The constructors of attention. */
#include "oneapi/dnnl/dnnl_ze_sdpa.h"

#include "api/constructors.h"
#include "core/check.h"

/* Moves scales or zero points of DNNL_ARG_WEIGHTS to an argument of attention. */
static dnnl_status_t move_quant(quant_map_t *to, const quant_map_t *from, int arg) {
    for (int i = 0; i < from->len; i++) {
        quant_t q = from->entry[i];
        CHECK_ARG(q.arg == DNNL_ARG_WEIGHTS, "sdpa",
                "scales and zero points of keys and values are those of DNNL_ARG_WEIGHTS");
        q.arg = arg;
        if (quant_set(to, &q) != dnnl_success)
            return verbose_error(dnnl_out_of_memory, "sdpa", "no memory for attributes");
    }
    return dnnl_success;
}

static dnnl_status_t add_attr(attr_t *to, const attr_t *from, int arg) {
    if (!from) return dnnl_success;
    CHECK_ARG(!(attr_nondefault(from) & ~(unsigned)(ATTR_SCALES | ATTR_ZERO_POINTS | ATTR_GROUPS)),
            "sdpa", "the attributes of keys and of values are scales and zero points only");
    TRY(move_quant(&to->scales, &from->scales, arg));
    return move_quant(&to->zero_points, &from->zero_points, arg);
}

/* A factor, which may be a host scalar. */
static void add_factor(constructor_t *c, int arg, const md_t *md) {
    constructor_optional(c, arg, PD_IN | (md && md_is_host_scalar(md) ? PD_HOST : 0), md);
}

static dnnl_status_t create(dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t query_desc,
        const_dnnl_memory_desc_t key_desc, const_dnnl_memory_desc_t value_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t mask_desc,
        const_dnnl_memory_desc_t scale_desc, int invert_scale, const_dnnl_memory_desc_t cap_desc,
        const_dnnl_memory_desc_t fill_desc, const dnnl_ze_attn_weights_t *weights,
        dnnl_dim_t kv_head_number, dnnl_ze_attn_mask_t attn_mask,
        const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(DNNL_ZE_PRIMITIVE_KIND_SDPA);
    constructor_forward(&c, prop_kind);
    c.params.attn_mask = (unsigned)attn_mask;
    c.params.invert_scale = invert_scale != 0;
    c.params.kv_heads = kv_head_number;
    IN(DNNL_ARG_QUERIES, query_desc);
    IN(DNNL_ARG_KEYS, key_desc);
    IN(DNNL_ARG_VALUES, value_desc);
    IN_OPTIONAL(DNNL_ARG_ATTN_MASK, mask_desc);
    add_factor(&c, DNNL_ARG_SCALE, scale_desc);
    add_factor(&c, DNNL_ARG_ATTN_CAP, cap_desc);
    add_factor(&c, DNNL_ARG_ATTN_FILL, fill_desc);
    if (weights) {
        c.params.weight_dt = weights->data_type;
        add_factor(&c, DNNL_ARG_ATTN_WEIGHT_SCALE, weights->scale_desc);
        add_factor(&c, DNNL_ARG_ATTN_WEIGHT_ZERO_POINT, weights->zero_point_desc);
    }
    OUT(DNNL_ARG_DST, dst_desc);
    return construct(&c);
}

dnnl_status_t dnnl_ze_sdpa_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t diff_query_desc,
        const_dnnl_memory_desc_t diff_key_desc, const_dnnl_memory_desc_t diff_value_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t diff_score_desc,
        const_dnnl_memory_desc_t query_desc, const_dnnl_memory_desc_t key_desc,
        const_dnnl_memory_desc_t value_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t mask_desc, const_dnnl_memory_desc_t scale_desc, int invert_scale,
        const_dnnl_memory_desc_t cap_desc, const_dnnl_memory_desc_t fill_desc,
        dnnl_dim_t kv_head_number, dnnl_ze_attn_mask_t attn_mask,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(DNNL_ZE_PRIMITIVE_KIND_SDPA);
    constructor_backward(&c, dnnl_backward, hint_fwd_pd);
    c.params.attn_mask = (unsigned)attn_mask;
    c.params.invert_scale = invert_scale != 0;
    c.params.kv_heads = kv_head_number;
    IN(DNNL_ARG_QUERIES, query_desc);
    IN(DNNL_ARG_KEYS, key_desc);
    IN(DNNL_ARG_VALUES, value_desc);
    IN(DNNL_ARG_DST, dst_desc);
    IN(DNNL_ARG_DIFF_DST, diff_dst_desc);
    IN_OPTIONAL(DNNL_ARG_ATTN_MASK, mask_desc);
    add_factor(&c, DNNL_ARG_SCALE, scale_desc);
    add_factor(&c, DNNL_ARG_ATTN_CAP, cap_desc);
    add_factor(&c, DNNL_ARG_ATTN_FILL, fill_desc);
    OUT(DNNL_ARG_DIFF_QUERIES, diff_query_desc);
    OUT(DNNL_ARG_DIFF_KEYS, diff_key_desc);
    OUT(DNNL_ARG_DIFF_VALUES, diff_value_desc);
    OUT_OPTIONAL(DNNL_ARG_DIFF_ATTN_SCORES, diff_score_desc);
    return construct(&c);
}

dnnl_status_t dnnl_ze_sdpa_forward_primitive_desc_create_v4(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t query_desc,
        const_dnnl_memory_desc_t key_desc, const_dnnl_memory_desc_t value_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t mask_desc,
        const_dnnl_memory_desc_t scale_desc, int invert_scale, const_dnnl_memory_desc_t cap_desc,
        const_dnnl_memory_desc_t fill_desc, const dnnl_ze_attn_weights_t *weights,
        dnnl_dim_t kv_head_number, dnnl_ze_attn_mask_t attn_mask, const_dnnl_primitive_attr_t attr,
        const_dnnl_primitive_attr_t key_attr, const_dnnl_primitive_attr_t value_attr) {
    attr_t storage, all;
    if (attr_copy(&all, attr ? attr : attr_default(&storage)) != dnnl_success)
        return verbose_error(dnnl_out_of_memory, "sdpa", "no memory for attributes");
    dnnl_status_t status = add_attr(&all, key_attr, DNNL_ARG_KEYS);
    if (status == dnnl_success) status = add_attr(&all, value_attr, DNNL_ARG_VALUES);
    if (status == dnnl_success)
        status = create(primitive_desc, engine, prop_kind, query_desc, key_desc, value_desc,
                dst_desc, mask_desc, scale_desc, invert_scale, cap_desc, fill_desc, weights,
                kv_head_number, attn_mask, &all);
    attr_fini(&all);
    return status;
}

dnnl_status_t dnnl_ze_sdpa_forward_primitive_desc_create_v3(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t query_desc,
        const_dnnl_memory_desc_t key_desc, const_dnnl_memory_desc_t value_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t mask_desc,
        const_dnnl_memory_desc_t scale_desc, int invert_scale, const_dnnl_memory_desc_t cap_desc,
        const_dnnl_memory_desc_t fill_desc, dnnl_dim_t kv_head_number,
        dnnl_ze_attn_mask_t attn_mask, const_dnnl_primitive_attr_t attr,
        const_dnnl_primitive_attr_t key_attr, const_dnnl_primitive_attr_t value_attr) {
    return dnnl_ze_sdpa_forward_primitive_desc_create_v4(primitive_desc, engine, prop_kind,
            query_desc, key_desc, value_desc, dst_desc, mask_desc, scale_desc, invert_scale,
            cap_desc, fill_desc, NULL, kv_head_number, attn_mask, attr, key_attr, value_attr);
}

dnnl_status_t dnnl_ze_sdpa_forward_primitive_desc_create_v2(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t query_desc,
        const_dnnl_memory_desc_t key_desc, const_dnnl_memory_desc_t value_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t mask_desc,
        const_dnnl_memory_desc_t scale_desc, int invert_scale, const_dnnl_memory_desc_t cap_desc,
        dnnl_dim_t kv_head_number, dnnl_ze_attn_mask_t attn_mask, const_dnnl_primitive_attr_t attr,
        const_dnnl_primitive_attr_t key_attr, const_dnnl_primitive_attr_t value_attr) {
    return dnnl_ze_sdpa_forward_primitive_desc_create_v3(primitive_desc, engine, prop_kind,
            query_desc, key_desc, value_desc, dst_desc, mask_desc, scale_desc, invert_scale,
            cap_desc, NULL, kv_head_number, attn_mask, attr, key_attr, value_attr);
}

dnnl_status_t dnnl_ze_sdpa_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t query_desc,
        const_dnnl_memory_desc_t key_desc, const_dnnl_memory_desc_t value_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t mask_desc,
        const_dnnl_memory_desc_t scale_desc, int invert_scale, dnnl_dim_t kv_head_number,
        dnnl_ze_attn_mask_t attn_mask, const_dnnl_primitive_attr_t attr,
        const_dnnl_primitive_attr_t key_attr, const_dnnl_primitive_attr_t value_attr) {
    return dnnl_ze_sdpa_forward_primitive_desc_create_v2(primitive_desc, engine, prop_kind,
            query_desc, key_desc, value_desc, dst_desc, mask_desc, scale_desc, invert_scale, NULL,
            kv_head_number, attn_mask, attr, key_attr, value_attr);
}

dnnl_status_t dnnl_ze_sdpa_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t query_desc,
        const_dnnl_memory_desc_t key_desc, const_dnnl_memory_desc_t value_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t mask_desc,
        const_dnnl_memory_desc_t scale_desc, int invert_scale, dnnl_dim_t kv_head_number,
        dnnl_ze_attn_mask_t attn_mask, const_dnnl_primitive_attr_t attr) {
    return create(primitive_desc, engine, dnnl_forward_inference, query_desc, key_desc, value_desc,
            dst_desc, mask_desc, scale_desc, invert_scale, NULL, NULL, NULL, kv_head_number,
            attn_mask, attr);
}
