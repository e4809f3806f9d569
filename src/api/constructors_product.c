/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors of the operations that slide a window over their source or multiply matrices. */
#include "api/constructors.h"

dnnl_status_t dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_matmul);
    IN(DNNL_ARG_SRC, src_desc);
    IN(DNNL_ARG_WEIGHTS, weights_desc);
    IN_OPTIONAL(DNNL_ARG_BIAS, bias_desc);
    OUT(DNNL_ARG_DST, dst_desc);
    return construct(&c);
}

dnnl_status_t dnnl_inner_product_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_inner_product);
    constructor_forward(&c, prop_kind);
    IN(DNNL_ARG_SRC, src_desc);
    IN(DNNL_ARG_WEIGHTS, weights_desc);
    IN_OPTIONAL(DNNL_ARG_BIAS, bias_desc);
    OUT(DNNL_ARG_DST, dst_desc);
    return construct(&c);
}

dnnl_status_t dnnl_inner_product_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_inner_product);
    constructor_backward(&c, dnnl_backward_data, hint_fwd_pd);
    IN(DNNL_ARG_WEIGHTS, weights_desc);
    IN(DNNL_ARG_DIFF_DST, diff_dst_desc);
    OUT(DNNL_ARG_DIFF_SRC, diff_src_desc);
    return construct(&c);
}

dnnl_status_t dnnl_inner_product_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_inner_product);
    constructor_backward(&c, dnnl_backward_weights, hint_fwd_pd);
    IN(DNNL_ARG_SRC, src_desc);
    IN(DNNL_ARG_DIFF_DST, diff_dst_desc);
    OUT(DNNL_ARG_DIFF_WEIGHTS, diff_weights_desc);
    OUT_OPTIONAL(DNNL_ARG_DIFF_BIAS, diff_bias_desc);
    return construct(&c);
}

/* Sets where the window lies over the spatial dimensions of the source. */
static void set_window(constructor_t *c, const md_t *src, const dnnl_dim_t *strides,
        const dnnl_dim_t *dilates, const dnnl_dim_t *padding_l, const dnnl_dim_t *padding_r) {
    static const dnnl_dims_t none;
    const int n = constructor_spatial(src);
    constructor_dims(c, c->params.strides, n, strides, NULL, "strides is NULL");
    constructor_dims(c, c->params.dilates, n, dilates, none, NULL);
    constructor_dims(c, c->params.padding[0], n, padding_l, NULL, "padding_l is NULL");
    constructor_dims(c, c->params.padding[1], n, padding_r, padding_l, "padding_r is NULL");
    for (int d = 0; d < n && d < DNNL_MAX_NDIMS; d++)
        if (c->params.strides[d] <= 0 || c->params.dilates[d] < 0 || c->params.padding[0][d] < 0)
            constructor_complain(
                    c, "strides must be positive, dilations and left paddings not negative");
}

/* The constructors of convolution and deconvolution differ in the kind only. */
#define CONVOLUTION_CONSTRUCTORS(name)                                                             \
    dnnl_status_t dnnl_##name##_forward_primitive_desc_create(                                     \
            dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,                           \
            dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,                                  \
            const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,              \
            const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,                 \
            const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,     \
            const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr) {                       \
        CONSTRUCTOR(dnnl_##name);                                                                  \
        constructor_forward(&c, prop_kind);                                                        \
        c.params.alg_kind = alg_kind;                                                              \
        IN(DNNL_ARG_SRC, src_desc);                                                                \
        IN(DNNL_ARG_WEIGHTS, weights_desc);                                                        \
        IN_OPTIONAL(DNNL_ARG_BIAS, bias_desc);                                                     \
        OUT(DNNL_ARG_DST, dst_desc);                                                               \
        set_window(&c, src_desc, strides, dilates, padding_l, padding_r);                          \
        return construct(&c);                                                                      \
    }                                                                                              \
    dnnl_status_t dnnl_##name##_backward_data_primitive_desc_create(                               \
            dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, \
            const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,         \
            const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides,                     \
            const dnnl_dims_t dilates, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,   \
            const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {           \
        CONSTRUCTOR(dnnl_##name);                                                                  \
        constructor_backward(&c, dnnl_backward_data, hint_fwd_pd);                                 \
        c.params.alg_kind = alg_kind;                                                              \
        IN(DNNL_ARG_WEIGHTS, weights_desc);                                                        \
        IN(DNNL_ARG_DIFF_DST, diff_dst_desc);                                                      \
        OUT(DNNL_ARG_DIFF_SRC, diff_src_desc);                                                     \
        set_window(&c, diff_src_desc, strides, dilates, padding_l, padding_r);                     \
        return construct(&c);                                                                      \
    }                                                                                              \
    dnnl_status_t dnnl_##name##_backward_weights_primitive_desc_create(                            \
            dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, \
            const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,         \
            const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,       \
            const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,     \
            const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,                  \
            const_dnnl_primitive_attr_t attr) {                                                    \
        CONSTRUCTOR(dnnl_##name);                                                                  \
        constructor_backward(&c, dnnl_backward_weights, hint_fwd_pd);                              \
        c.params.alg_kind = alg_kind;                                                              \
        IN(DNNL_ARG_SRC, src_desc);                                                                \
        IN(DNNL_ARG_DIFF_DST, diff_dst_desc);                                                      \
        OUT(DNNL_ARG_DIFF_WEIGHTS, diff_weights_desc);                                             \
        OUT_OPTIONAL(DNNL_ARG_DIFF_BIAS, diff_bias_desc);                                          \
        set_window(&c, src_desc, strides, dilates, padding_l, padding_r);                          \
        return construct(&c);                                                                      \
    }
CONVOLUTION_CONSTRUCTORS(convolution)
CONVOLUTION_CONSTRUCTORS(deconvolution)

dnnl_status_t dnnl_pooling_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t kernel, const dnnl_dims_t dilation,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_pooling);
    constructor_forward(&c, prop_kind);
    c.params.alg_kind = alg_kind;
    IN(DNNL_ARG_SRC, src_desc);
    OUT(DNNL_ARG_DST, dst_desc);
    set_window(&c, src_desc, strides, dilation, padding_l, padding_r);
    constructor_dims(
            &c, c.params.kernel, constructor_spatial(src_desc), kernel, NULL, "kernel is NULL");
    return construct(&c);
}

dnnl_status_t dnnl_pooling_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t kernel,
        const dnnl_dims_t dilation, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_pooling);
    constructor_backward(&c, dnnl_backward_data, hint_fwd_pd);
    c.params.alg_kind = alg_kind;
    IN(DNNL_ARG_DIFF_DST, diff_dst_desc);
    OUT(DNNL_ARG_DIFF_SRC, diff_src_desc);
    set_window(&c, diff_src_desc, strides, dilation, padding_l, padding_r);
    constructor_dims(&c, c.params.kernel, constructor_spatial(diff_src_desc), kernel, NULL,
            "kernel is NULL");
    return construct(&c);
}
