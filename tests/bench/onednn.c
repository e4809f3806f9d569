/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's CPU library behind library_t: makes its descriptor of a problem, through either version
 * of the interface. With library.c it is the module that bench_rival() loads. */
#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "library_version.h"
#include "onednn_parts.h"

static dnnl_engine_t engine;
static library_t calls; /* library.c's, but for the creation */
static void *(*make_op)(
        const plain_problem_t *problem, const void *pd, const void *forward, void *const *data);

static dnnl_status_t make_attr(dnnl_primitive_attr_t *attr, int relu) {
    dnnl_post_ops_t ops;
    TRY(dnnl_primitive_attr_create(attr));
    if (!relu) return dnnl_success;
    TRY(dnnl_post_ops_create(&ops));
#if V3
    TRY(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0));
#else
    TRY(dnnl_post_ops_append_eltwise(ops, 1, dnnl_eltwise_relu, 0, 0));
#endif
    TRY(dnnl_primitive_attr_set_post_ops(*attr, ops));
    return dnnl_post_ops_destroy(ops);
}

/* A gradient has the descriptor of its tensor. */
static dnnl_memory_desc_t *part(parts_t *parts, int arg) {
    switch (arg) {
    case DNNL_ARG_SRC:
    case DNNL_ARG_DIFF_SRC: return &parts->src;
    case DNNL_ARG_WEIGHTS:
    case DNNL_ARG_DIFF_WEIGHTS: return &parts->weights;
    case DNNL_ARG_WEIGHTS_ITER:
    case DNNL_ARG_DIFF_WEIGHTS_ITER: return &parts->weights_iter;
    case DNNL_ARG_BIAS:
    case DNNL_ARG_DIFF_BIAS: return &parts->bias;
    case DNNL_ARG_MEAN: return &parts->mean;
    case DNNL_ARG_DST:
    case DNNL_ARG_DIFF_DST: return &parts->dst;
    default: return NULL;
    }
}

static dnnl_status_t make_parts(parts_t *parts, const plain_problem_t *p) {
    memset(parts, 0, sizeof(*parts));
    parts->p = p;
    parts->prop = p->training || p->backward ? dnnl_forward_training : dnnl_forward_inference;
    parts->alg = (dnnl_alg_kind_t)library_find(p->alg);
    if (p->activation) parts->activation = (dnnl_alg_kind_t)library_find(p->activation);
    if (p->global_stats) parts->flags |= dnnl_use_global_stats;
    for (int i = 0; i < p->ntensors; i++) {
        const plain_tensor_t *t = &p->tensor[i];
        const int type = library_find(t->type);
        dnnl_memory_desc_t *md = part(parts, t->arg);
        if (type < 0) return dnnl_unimplemented;
        if (t->arg == DNNL_ARG_SCALE) parts->flags |= dnnl_use_scale;
        if (t->arg == DNNL_ARG_SHIFT) parts->flags |= dnnl_use_shift;
        if (!md) continue;
        MD_DESTROY(*md); /* that of its gradient */
        if (t->any)
            TRY(MD_BY_TAG(md, t->ndims, t->dims, (dnnl_data_type_t)type, dnnl_format_tag_any));
        else TRY(MD_BY_STRIDES(md, t->ndims, t->dims, (dnnl_data_type_t)type, t->strides));
    }
    return make_attr(&parts->attr, p->relu);
}

static void free_parts(parts_t *parts) {
    dnnl_primitive_attr_destroy(parts->attr);
    MD_DESTROY(parts->src);
    MD_DESTROY(parts->weights);
    MD_DESTROY(parts->weights_iter);
    MD_DESTROY(parts->bias);
    MD_DESTROY(parts->mean);
    MD_DESTROY(parts->dst);
}

#if V3
static dnnl_status_t make_pd(const parts_t *m, dnnl_primitive_desc_t *pd) {
    const plain_problem_t *p = m->p;
    const dnnl_dims_t dense = {0};
    switch (library_find(p->kind)) {
    case dnnl_rnn: return onednn_rnn(m, engine, NULL, pd);
    case dnnl_convolution:
        return dnnl_convolution_forward_primitive_desc_create(pd, engine, m->prop, m->alg, m->src,
                m->weights, m->bias, m->dst, p->strides, dense, p->pad_left, p->pad_right, m->attr);
    case dnnl_pooling:
        return dnnl_pooling_forward_primitive_desc_create(pd, engine, m->prop, m->alg, m->src,
                m->dst, p->strides, p->kernel, dense, p->pad_left, p->pad_right, m->attr);
    case dnnl_resampling:
        return dnnl_resampling_forward_primitive_desc_create(
                pd, engine, m->prop, m->alg, NULL, m->src, m->dst, m->attr);
    case dnnl_lrn:
        return dnnl_lrn_forward_primitive_desc_create(pd, engine, m->prop, m->alg, m->src, m->dst,
                p->local_size, p->alpha, p->beta, p->k, m->attr);
    case dnnl_batch_normalization:
        return dnnl_batch_normalization_forward_primitive_desc_create(
                pd, engine, m->prop, m->src, m->dst, p->epsilon, m->flags, m->attr);
    case dnnl_layer_normalization:
        return dnnl_layer_normalization_forward_primitive_desc_create(
                pd, engine, m->prop, m->src, m->dst, m->mean, p->epsilon, m->flags, m->attr);
    case dnnl_softmax:
        return dnnl_softmax_forward_primitive_desc_create(
                pd, engine, m->prop, m->alg, m->src, m->dst, p->axis, m->attr);
    case dnnl_reduction:
        return dnnl_reduction_primitive_desc_create(
                pd, engine, m->alg, m->src, m->dst, 0, 0, m->attr);
    case dnnl_reorder:
        return dnnl_reorder_primitive_desc_create(pd, m->src, engine, m->dst, engine, m->attr);
    case dnnl_inner_product:
        return dnnl_inner_product_forward_primitive_desc_create(
                pd, engine, m->prop, m->src, m->weights, m->bias, m->dst, m->attr);
    case dnnl_eltwise:
        return dnnl_eltwise_forward_primitive_desc_create(
                pd, engine, m->prop, m->alg, m->src, m->dst, 0, 0, m->attr);
    case dnnl_matmul:
        return dnnl_matmul_primitive_desc_create(
                pd, engine, m->src, m->weights, m->bias, m->dst, m->attr);
    default: return dnnl_unimplemented;
    }
}
#else
static dnnl_status_t make_pd(const parts_t *m, dnnl_primitive_desc_t *pd) {
    const plain_problem_t *p = m->p;
    const dnnl_memory_desc_t *src = &m->src, *dst = &m->dst;
    const dnnl_memory_desc_t *bias = m->bias.ndims ? &m->bias : NULL;
    union {
        dnnl_convolution_desc_t convolution;
        dnnl_pooling_desc_t pooling;
        dnnl_resampling_desc_t resampling;
        dnnl_lrn_desc_t lrn;
        dnnl_batch_normalization_desc_t batch_norm;
        dnnl_layer_normalization_desc_t layer_norm;
        dnnl_softmax_v2_desc_t softmax;
        dnnl_reduction_desc_t reduction;
        dnnl_inner_product_desc_t inner_product;
        dnnl_eltwise_desc_t eltwise;
        dnnl_matmul_desc_t matmul;
    } desc;
    switch (library_find(p->kind)) {
    case dnnl_rnn: return onednn_rnn(m, engine, NULL, pd);
    case dnnl_convolution:
        TRY(dnnl_convolution_forward_desc_init(&desc.convolution, m->prop, m->alg, src, &m->weights,
                bias, dst, p->strides, p->pad_left, p->pad_right));
        break;
    case dnnl_pooling:
        TRY(dnnl_pooling_forward_desc_init(&desc.pooling, m->prop, m->alg, src, dst, p->strides,
                p->kernel, p->pad_left, p->pad_right));
        break;
    case dnnl_resampling:
        TRY(dnnl_resampling_forward_desc_init(&desc.resampling, m->prop, m->alg, NULL, src, dst));
        break;
    case dnnl_lrn:
        TRY(dnnl_lrn_forward_desc_init(
                &desc.lrn, m->prop, m->alg, src, p->local_size, p->alpha, p->beta, p->k));
        break;
    case dnnl_batch_normalization:
        TRY(dnnl_batch_normalization_forward_desc_init(
                &desc.batch_norm, m->prop, src, p->epsilon, m->flags));
        break;
    case dnnl_layer_normalization:
        TRY(dnnl_layer_normalization_forward_desc_init(
                &desc.layer_norm, m->prop, src, &m->mean, p->epsilon, m->flags));
        break;
    case dnnl_softmax:
        TRY(dnnl_softmax_v2_forward_desc_init(&desc.softmax, m->prop, m->alg, src, dst, p->axis));
        break;
    case dnnl_reduction:
        TRY(dnnl_reduction_desc_init(&desc.reduction, m->alg, src, dst, 0, 0));
        break;
    case dnnl_reorder:
        return dnnl_reorder_primitive_desc_create(pd, src, engine, dst, engine, m->attr);
    case dnnl_inner_product:
        TRY(dnnl_inner_product_forward_desc_init(
                &desc.inner_product, m->prop, src, &m->weights, bias, dst));
        break;
    case dnnl_eltwise:
        TRY(dnnl_eltwise_forward_desc_init(&desc.eltwise, m->prop, m->alg, src, 0, 0));
        break;
    case dnnl_matmul: TRY(dnnl_matmul_desc_init(&desc.matmul, src, &m->weights, bias, dst)); break;
    default: return dnnl_unimplemented;
    }
    return dnnl_primitive_desc_create(pd, &desc, m->attr, engine, NULL);
}
#endif

static void *create(
        const plain_problem_t *p, const void *none, const void *unused, void *const *data) {
    parts_t parts;
    dnnl_primitive_desc_t pd, forward = NULL;
    (void)none;
    (void)unused;
    if (make_parts(&parts, p) != dnnl_success || make_pd(&parts, &pd) != dnnl_success) return NULL;
    if (p->backward) {
        forward = pd;
        if (onednn_backward(&parts, engine, forward, &pd) != dnnl_success) return NULL;
    }
    void *op = make_op(p, pd, p->activation || p->local_size ? forward : NULL, data);
    dnnl_primitive_desc_destroy(pd);
    if (forward) dnnl_primitive_desc_destroy(forward);
    free_parts(&parts);
    return op;
}

/* What bench_rival() looks for. */
__attribute__((visibility("default"))) const void *bench_rival_calls(void);

const void *bench_rival_calls(void) {
    dnnl_stream_t stream;
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success ||
            dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) != dnnl_success)
        return NULL;
    calls = *library_open(engine, stream);
    make_op = calls.create;
    calls.create = create;
    return &calls;
}
