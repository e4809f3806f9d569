/* SPDX-License-Identifier: Apache-2.0 */
/* The module that talks to oneDNN's CPU library, of either interface: version 2 has operation descriptors,
 * version 3 has not. */
#include "bench_spatial_onednn.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>

/* What bench_rival() looks for. */
__attribute__((visibility("default"))) const void *bench_rival_calls(void);

typedef struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[2];
} spatial_t;

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        if ((call) != dnnl_success) goto fail;                                                               \
    } while (0)

static void *create(const bench_spatial_t *b, float *src, float *dst) {
    const dnnl_dims_t in = {b->n, b->c, b->in, b->in}, out = {b->n, b->c, b->out, b->out};
    const dnnl_dims_t kernel = {b->kernel, b->kernel}, strides = {b->stride, b->stride};
    const dnnl_dims_t left = {b->pad_left, b->pad_left}, right = {b->pad_right, b->pad_right};
    const dnnl_format_tag_t tag = b->channels_last ? dnnl_nhwc : dnnl_nchw;
    const dnnl_alg_kind_t alg = b->resampling ? (b->linear ? dnnl_resampling_linear : dnnl_resampling_nearest)
                                : b->average  ? dnnl_pooling_avg_exclude_padding
                                              : dnnl_pooling_max;
    spatial_t *op = calloc(1, sizeof(*op));
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t md[2];
    if (!op) return NULL;
    TRY(dnnl_engine_create(&op->engine, dnnl_cpu, 0));
    TRY(dnnl_stream_create(&op->stream, op->engine, dnnl_stream_default_flags));
#if DNNL_VERSION_MAJOR >= 3
    const dnnl_dims_t dilation = {0, 0};
    TRY(dnnl_memory_desc_create_with_tag(&md[0], 4, in, dnnl_f32, tag));
    TRY(dnnl_memory_desc_create_with_tag(&md[1], 4, out, dnnl_f32, tag));
    if (b->resampling)
        TRY(dnnl_resampling_forward_primitive_desc_create(
                &pd, op->engine, dnnl_forward_inference, alg, NULL, md[0], md[1], NULL));
    else
        TRY(dnnl_pooling_forward_primitive_desc_create(&pd, op->engine, dnnl_forward_inference, alg, md[0],
                md[1], strides, kernel, dilation, left, right, NULL));
#define MD(i) md[i]
#else
    dnnl_resampling_desc_t resampling;
    dnnl_pooling_desc_t pooling;
    TRY(dnnl_memory_desc_init_by_tag(&md[0], 4, in, dnnl_f32, tag));
    TRY(dnnl_memory_desc_init_by_tag(&md[1], 4, out, dnnl_f32, tag));
    if (b->resampling)
        TRY(dnnl_resampling_forward_desc_init(
                &resampling, dnnl_forward_inference, alg, NULL, &md[0], &md[1]));
    else
        TRY(dnnl_pooling_forward_desc_init(
                &pooling, dnnl_forward_inference, alg, &md[0], &md[1], strides, kernel, left, right));
    TRY(dnnl_primitive_desc_create(
            &pd, b->resampling ? (void *)&resampling : (void *)&pooling, NULL, op->engine, NULL));
#define MD(i) &md[i]
#endif
    TRY(dnnl_primitive_create(&op->primitive, pd));
    op->args[0].arg = DNNL_ARG_SRC;
    op->args[1].arg = DNNL_ARG_DST;
    TRY(dnnl_memory_create(&op->args[0].memory, MD(0), op->engine, src));
    TRY(dnnl_memory_create(&op->args[1].memory, MD(1), op->engine, dst));
    dnnl_primitive_desc_destroy(pd);
    return op;
fail: /* the program reports it and ends */
    free(op);
    return NULL;
}

static void run(void *arg) {
    spatial_t *op = arg;
    if (dnnl_primitive_execute(op->primitive, op->stream, 2, op->args) != dnnl_success ||
            dnnl_stream_wait(op->stream) != dnnl_success)
        abort();
}

static void destroy(void *arg) {
    spatial_t *op = arg;
    for (int i = 0; i < 2; i++) dnnl_memory_destroy(op->args[i].memory);
    dnnl_primitive_destroy(op->primitive);
    dnnl_stream_destroy(op->stream);
    dnnl_engine_destroy(op->engine);
    free(op);
}

const void *bench_rival_calls(void) {
    static char version[32];
    static const onednn_spatial_t module = {version, create, run, destroy};
    const dnnl_version_t *v = dnnl_version();
    snprintf(version, sizeof(version), "%d.%d.%d", v->major, v->minor, v->patch);
    return &module;
}
