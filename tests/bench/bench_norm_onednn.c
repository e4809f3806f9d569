/* SPDX-License-Identifier: Apache-2.0 */
/* The module that talks to oneDNN's CPU library, of either interface: version 2 has operation descriptors,
 * version 3 has not. */
#include "bench_norm_onednn.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>

/* What bench_rival() looks for. */
__attribute__((visibility("default"))) const void *bench_rival_calls(void);

typedef struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[NORM_BUFFERS];
    int nargs;
} norm_t;

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        if ((call) != dnnl_success) goto fail;                                                               \
    } while (0)

#if DNNL_VERSION_MAJOR >= 3
#define MD(md) (md)
#define MAKE_MD(md, ndims, dims, tag) dnnl_memory_desc_create_with_tag(&(md), ndims, dims, dnnl_f32, tag)
#else
#define MD(md) (&(md))
#define MAKE_MD(md, ndims, dims, tag) dnnl_memory_desc_init_by_tag(&(md), ndims, dims, dnnl_f32, tag)
#endif

static dnnl_status_t make_pd(dnnl_primitive_desc_t *pd, const bench_norm_t *b, dnnl_engine_t engine,
        dnnl_memory_desc_t src, dnnl_memory_desc_t dst, dnnl_memory_desc_t stat, unsigned flags) {
    const dnnl_prop_kind_t prop = b->training ? dnnl_forward_training : dnnl_forward_inference;
#if DNNL_VERSION_MAJOR >= 3
    switch (b->kind) {
    case NORM_SOFTMAX:
        return dnnl_softmax_forward_primitive_desc_create(
                pd, engine, prop, dnnl_softmax_accurate, src, dst, b->axis, NULL);
    case NORM_LAYER:
        return dnnl_layer_normalization_forward_primitive_desc_create(
                pd, engine, prop, src, dst, stat, 1e-5f, flags, NULL);
    case NORM_BATCH:
        return dnnl_batch_normalization_forward_primitive_desc_create(
                pd, engine, prop, src, dst, 1e-5f, flags, NULL);
    default:
        return dnnl_reduction_primitive_desc_create(pd, engine, dnnl_reduction_sum, src, dst, 0, 0, NULL);
    }
#else
    union {
        dnnl_softmax_v2_desc_t softmax;
        dnnl_layer_normalization_desc_t layer;
        dnnl_batch_normalization_desc_t batch;
        dnnl_reduction_desc_t reduction;
    } desc;
    dnnl_status_t status;
    switch (b->kind) {
    case NORM_SOFTMAX:
        status = dnnl_softmax_v2_forward_desc_init(
                &desc.softmax, prop, dnnl_softmax_accurate, &src, &dst, b->axis);
        break;
    case NORM_LAYER:
        status = dnnl_layer_normalization_forward_desc_init(&desc.layer, prop, &src, &stat, 1e-5f, flags);
        break;
    case NORM_BATCH:
        status = dnnl_batch_normalization_forward_desc_init(&desc.batch, prop, &src, 1e-5f, flags);
        break;
    default: status = dnnl_reduction_desc_init(&desc.reduction, dnnl_reduction_sum, &src, &dst, 0, 0);
    }
    return status == dnnl_success ? dnnl_primitive_desc_create(pd, &desc, NULL, engine, NULL) : status;
#endif
}

static void *create(const bench_norm_t *b, float *const *buffers) {
    static const int ids[] = {
            DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE, DNNL_ARG_SHIFT};
    const dnnl_format_tag_t tag = b->ndims == 2 ? dnnl_ab : b->channels_last ? dnnl_nhwc : dnnl_nchw;
    const int64_t *stat_dims = b->kind == NORM_BATCH ? &b->dims[1] : b->dims;
    const int64_t *weight_dims = b->kind == NORM_BATCH ? &b->dims[1] : &b->dims[b->ndims - 1];
    const int stat_ndims = b->kind == NORM_LAYER ? b->ndims - 1 : 1;
    const unsigned flags = dnnl_use_scale | dnnl_use_shift | (b->training ? 0 : dnnl_use_global_stats);
    const int with_stats = b->kind == NORM_BATCH || b->kind == NORM_LAYER;
    norm_t *op = calloc(1, sizeof(*op));
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t src, dst, stat, weights;
    if (!op) return NULL;
    TRY(dnnl_engine_create(&op->engine, dnnl_cpu, 0));
    TRY(dnnl_stream_create(&op->stream, op->engine, dnnl_stream_default_flags));
    TRY(MAKE_MD(src, b->ndims, b->dims, tag));
    TRY(MAKE_MD(dst, b->ndims, b->dst_dims, tag));
    TRY(MAKE_MD(stat, stat_ndims, stat_dims, dnnl_a));
    TRY(MAKE_MD(weights, 1, weight_dims, dnnl_a));
    TRY(make_pd(&pd, b, op->engine, src, dst, stat, flags));
    TRY(dnnl_primitive_create(&op->primitive, pd));
    op->nargs = with_stats ? NORM_BUFFERS : 2;
    for (int i = 0; i < op->nargs; i++) {
        op->args[i].arg = ids[i];
        TRY(dnnl_memory_create(&op->args[i].memory,
                i == NORM_SRC        ? MD(src)
                : i == NORM_DST      ? MD(dst)
                : i <= NORM_VARIANCE ? MD(stat)
                                     : MD(weights),
                op->engine, buffers[i]));
    }
    dnnl_primitive_desc_destroy(pd);
    return op;
fail: /* the program reports it and ends */
    free(op);
    return NULL;
}

static void run(void *arg) {
    norm_t *op = arg;
    if (dnnl_primitive_execute(op->primitive, op->stream, op->nargs, op->args) != dnnl_success ||
            dnnl_stream_wait(op->stream) != dnnl_success)
        abort();
}

static void destroy(void *arg) {
    norm_t *op = arg;
    for (int i = 0; i < op->nargs; i++) dnnl_memory_destroy(op->args[i].memory);
    dnnl_primitive_destroy(op->primitive);
    dnnl_stream_destroy(op->stream);
    dnnl_engine_destroy(op->engine);
    free(op);
}

const void *bench_rival_calls(void) {
    static char version[32];
    static const onednn_norm_t module = {version, create, run, destroy};
    const dnnl_version_t *v = dnnl_version();
    snprintf(version, sizeof(version), "%d.%d.%d", v->major, v->minor, v->patch);
    return &module;
}
