/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors of the normalizations. */
#include "api/constructors.h"

dnnl_status_t dnnl_lrn_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t local_size,
        float alpha, float beta, float k, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_lrn);
    constructor_forward(&c, prop_kind);
    c.params.alg_kind = alg_kind;
    c.params.local_size = local_size;
    c.params.alpha = alpha;
    c.params.beta = beta;
    c.params.k = k;
    IN(DNNL_ARG_SRC, src_desc);
    OUT(DNNL_ARG_DST, dst_desc);
    return construct(&c);
}

dnnl_status_t dnnl_lrn_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
        dnnl_dim_t local_size, float alpha, float beta, float k,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_lrn);
    constructor_backward(&c, dnnl_backward_data, hint_fwd_pd);
    c.params.alg_kind = alg_kind;
    c.params.local_size = local_size;
    c.params.alpha = alpha;
    c.params.beta = beta;
    c.params.k = k;
    IN(DNNL_ARG_SRC, src_desc);
    IN(DNNL_ARG_DIFF_DST, diff_dst_desc);
    OUT(DNNL_ARG_DIFF_SRC, diff_src_desc);
    return construct(&c);
}

static void forward_norm(constructor_t *c, dnnl_prop_kind_t prop_kind, const md_t *src_desc,
        const md_t *dst_desc, float epsilon, unsigned flags) {
    constructor_forward(c, prop_kind);
    c->params.epsilon = epsilon;
    c->params.flags = flags;
    constructor_tensor(c, DNNL_ARG_SRC, PD_IN, src_desc, "src_desc is NULL");
    constructor_tensor(c, DNNL_ARG_DST, PD_OUT, dst_desc, "dst_desc is NULL");
}

static void backward_norm(constructor_t *c, dnnl_prop_kind_t prop_kind, const md_t *diff_src_desc,
        const md_t *diff_dst_desc, const md_t *src_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_desc_t hint_fwd_pd) {
    constructor_backward(c, prop_kind, hint_fwd_pd);
    if (prop_kind == dnnl_backward_weights)
        constructor_complain(
                c, "the gradient of the weights alone does not exist for normalizations");
    c->params.epsilon = epsilon;
    c->params.flags = flags;
    constructor_tensor(c, DNNL_ARG_SRC, PD_IN, src_desc, "src_desc is NULL");
    constructor_tensor(c, DNNL_ARG_DIFF_DST, PD_IN, diff_dst_desc, "diff_dst_desc is NULL");
    constructor_tensor(c, DNNL_ARG_DIFF_SRC, PD_OUT, diff_src_desc, "diff_src_desc is NULL");
}

/* Adds mean and variance, if the caller has described them. */
static void set_statistics(constructor_t *c, const md_t *stat_desc, bool are_inputs) {
    const unsigned flags = are_inputs ? PD_IN : PD_OUT;
    constructor_optional(c, DNNL_ARG_MEAN, flags, stat_desc);
    constructor_optional(c, DNNL_ARG_VARIANCE, flags, stat_desc);
}

dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, float epsilon,
        unsigned flags, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_batch_normalization);
    forward_norm(&c, prop_kind, src_desc, dst_desc, epsilon, flags);
    return construct(&c);
}

dnnl_status_t dnnl_batch_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_batch_normalization);
    backward_norm(
            &c, prop_kind, diff_src_desc, diff_dst_desc, src_desc, epsilon, flags, hint_fwd_pd);
    return construct(&c);
}

dnnl_status_t dnnl_group_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t groups,
        float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_group_normalization);
    forward_norm(&c, prop_kind, src_desc, dst_desc, epsilon, flags);
    c.params.groups = groups;
    return construct(&c);
}

dnnl_status_t dnnl_group_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, dnnl_dim_t groups, float epsilon, unsigned flags,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_group_normalization);
    backward_norm(
            &c, prop_kind, diff_src_desc, diff_dst_desc, src_desc, epsilon, flags, hint_fwd_pd);
    c.params.groups = groups;
    return construct(&c);
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t stat_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr) {
    return dnnl_layer_normalization_forward_primitive_desc_create_v2(primitive_desc, engine,
            prop_kind, src_desc, dst_desc, stat_desc, dnnl_f32, epsilon, flags, attr);
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t stat_desc, dnnl_data_type_t scale_shift_data_type, float epsilon,
        unsigned flags, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_layer_normalization);
    forward_norm(&c, prop_kind, src_desc, dst_desc, epsilon, flags);
    c.params.scale_shift_dt = scale_shift_data_type;
    set_statistics(&c, stat_desc, flags & dnnl_use_global_stats);
    return construct(&c);
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc, float epsilon,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return dnnl_layer_normalization_backward_primitive_desc_create_v2(primitive_desc, engine,
            prop_kind, diff_src_desc, diff_dst_desc, src_desc, stat_desc, dnnl_f32, dnnl_f32,
            epsilon, flags, hint_fwd_pd, attr);
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc,
        dnnl_data_type_t diff_scale_shift_data_type, dnnl_data_type_t scale_shift_data_type,
        float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_layer_normalization);
    backward_norm(
            &c, prop_kind, diff_src_desc, diff_dst_desc, src_desc, epsilon, flags, hint_fwd_pd);
    c.params.scale_shift_dt = scale_shift_data_type;
    c.params.diff_scale_shift_dt = diff_scale_shift_data_type;
    set_statistics(&c, stat_desc, true);
    return construct(&c);
}
