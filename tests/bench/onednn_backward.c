/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptors of gradients in oneDNN's CPU library, through either version of the interface. */
#include "onednn_parts.h"

#if V3
dnnl_status_t onednn_backward(const parts_t *m, dnnl_engine_t engine,
        const_dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *pd) {
    const plain_problem_t *p = m->p;
    const dnnl_prop_kind_t prop = (dnnl_prop_kind_t)library_find(p->backward);
    const int by_data = prop == dnnl_backward_data;
    const dnnl_dims_t dense = {0};
    const const_dnnl_memory_desc_t src = m->src, dst = m->dst;
    switch (library_find(p->kind)) {
    case dnnl_rnn: return onednn_rnn(m, engine, hint, pd);
    case dnnl_convolution:
        if (by_data)
            return dnnl_convolution_backward_data_primitive_desc_create(pd, engine, m->alg, src,
                    m->weights, dst, p->strides, dense, p->pad_left, p->pad_right, hint, m->attr);
        return dnnl_convolution_backward_weights_primitive_desc_create(pd, engine, m->alg, src,
                m->weights, m->bias, dst, p->strides, dense, p->pad_left, p->pad_right, hint,
                m->attr);
    case dnnl_inner_product:
        if (by_data)
            return dnnl_inner_product_backward_data_primitive_desc_create(
                    pd, engine, src, m->weights, dst, hint, m->attr);
        return dnnl_inner_product_backward_weights_primitive_desc_create(
                pd, engine, src, m->weights, m->bias, dst, hint, m->attr);
    case dnnl_pooling:
        return dnnl_pooling_backward_primitive_desc_create(pd, engine, m->alg, src, dst, p->strides,
                p->kernel, dense, p->pad_left, p->pad_right, hint, m->attr);
    case dnnl_resampling:
        return dnnl_resampling_backward_primitive_desc_create(
                pd, engine, m->alg, NULL, src, dst, hint, m->attr);
    case dnnl_lrn:
        return dnnl_lrn_backward_primitive_desc_create(pd, engine, m->alg, src, dst, src,
                p->local_size, p->alpha, p->beta, p->k, hint, m->attr);
    case dnnl_batch_normalization:
        return dnnl_batch_normalization_backward_primitive_desc_create(
                pd, engine, prop, src, dst, src, p->epsilon, m->flags, hint, m->attr);
    case dnnl_layer_normalization:
        return dnnl_layer_normalization_backward_primitive_desc_create(
                pd, engine, prop, src, dst, src, m->mean, p->epsilon, m->flags, hint, m->attr);
    case dnnl_softmax:
        return dnnl_softmax_backward_primitive_desc_create(
                pd, engine, m->alg, src, dst, dst, p->axis, hint, m->attr);
    case dnnl_eltwise:
        return dnnl_eltwise_backward_primitive_desc_create(
                pd, engine, m->alg, src, dst, src, 0, 0, hint, m->attr);
    default: return dnnl_unimplemented;
    }
}
#else
typedef union {
    dnnl_convolution_desc_t convolution;
    dnnl_inner_product_desc_t inner_product;
    dnnl_pooling_desc_t pooling;
    dnnl_resampling_desc_t resampling;
    dnnl_lrn_desc_t lrn;
    dnnl_batch_normalization_desc_t batch_norm;
    dnnl_layer_normalization_desc_t layer_norm;
    dnnl_softmax_v2_desc_t softmax;
    dnnl_eltwise_desc_t eltwise;
} desc_t;

static dnnl_status_t init(desc_t *desc, const parts_t *m) {
    const plain_problem_t *p = m->p;
    const dnnl_prop_kind_t prop = (dnnl_prop_kind_t)library_find(p->backward);
    const int by_data = prop == dnnl_backward_data;
    const dnnl_memory_desc_t *src = &m->src, *wei = &m->weights, *dst = &m->dst;
    const dnnl_memory_desc_t *bias = m->bias.ndims ? &m->bias : NULL;
    switch (library_find(p->kind)) {
    case dnnl_convolution:
        if (by_data)
            return dnnl_convolution_backward_data_desc_init(&desc->convolution, m->alg, src, wei,
                    dst, p->strides, p->pad_left, p->pad_right);
        return dnnl_convolution_backward_weights_desc_init(&desc->convolution, m->alg, src, wei,
                bias, dst, p->strides, p->pad_left, p->pad_right);
    case dnnl_inner_product:
        if (by_data)
            return dnnl_inner_product_backward_data_desc_init(&desc->inner_product, src, wei, dst);
        return dnnl_inner_product_backward_weights_desc_init(
                &desc->inner_product, src, wei, bias, dst);
    case dnnl_pooling:
        return dnnl_pooling_backward_desc_init(
                &desc->pooling, m->alg, src, dst, p->strides, p->kernel, p->pad_left, p->pad_right);
    case dnnl_resampling:
        return dnnl_resampling_backward_desc_init(&desc->resampling, m->alg, NULL, src, dst);
    case dnnl_lrn:
        return dnnl_lrn_backward_desc_init(
                &desc->lrn, m->alg, src, src, p->local_size, p->alpha, p->beta, p->k);
    case dnnl_batch_normalization:
        return dnnl_batch_normalization_backward_desc_init(
                &desc->batch_norm, prop, src, src, p->epsilon, m->flags);
    case dnnl_layer_normalization:
        return dnnl_layer_normalization_backward_desc_init(
                &desc->layer_norm, prop, src, src, &m->mean, p->epsilon, m->flags);
    case dnnl_softmax:
        return dnnl_softmax_v2_backward_desc_init(&desc->softmax, m->alg, src, dst, dst, p->axis);
    case dnnl_eltwise:
        return dnnl_eltwise_backward_desc_init(&desc->eltwise, m->alg, src, src, 0, 0);
    default: return dnnl_unimplemented;
    }
}

dnnl_status_t onednn_backward(const parts_t *m, dnnl_engine_t engine,
        const_dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *pd) {
    desc_t desc;
    if (library_find(m->p->kind) == dnnl_rnn) return onednn_rnn(m, engine, hint, pd);
    TRY(init(&desc, m));
    return dnnl_primitive_desc_create(pd, &desc, m->attr, engine, hint);
}
#endif
