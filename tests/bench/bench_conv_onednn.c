/* SPDX-License-Identifier: Apache-2.0 */
/* The module that talks to oneDNN's CPU library, of either interface: version 2 has operation descriptors,
 * version 3 has not. */
#include "bench_conv_onednn.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>

/* What bench_rival() looks for. */
__attribute__((visibility("default"))) const void *bench_rival_calls(void);

#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t md_t;
typedef const_dnnl_memory_desc_t md_ref_t;
#define REF(md) (md)
#define MD_CREATE dnnl_memory_desc_create_with_tag
#define QUERY_MD(pd, what) dnnl_primitive_desc_query_md(pd, what, 0)
#else
typedef dnnl_memory_desc_t md_t;
typedef const dnnl_memory_desc_t *md_ref_t;
#define REF(md) (&(md))
#define MD_CREATE dnnl_memory_desc_init_by_tag
#define QUERY_MD(pd, what) dnnl_primitive_desc_query_md(pd, what, 0)
#endif

enum { SRC, WEI, BIAS, DST, TENSORS };
typedef struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[TENSORS];
    md_t plain[TENSORS];
} conv_t;

#define TRY(call)                                                                                            \
    if ((call) != dnnl_success) goto fail

static dnnl_status_t reorder(
        conv_t *c, dnnl_memory_t from, md_ref_t from_md, dnnl_memory_t to, md_ref_t to_md) {
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    dnnl_status_t status =
            dnnl_reorder_primitive_desc_create(&pd, from_md, c->engine, to_md, c->engine, NULL);
    if (status != dnnl_success) return status;
    status = dnnl_primitive_create(&primitive, pd);
    dnnl_primitive_desc_destroy(pd);
    if (status != dnnl_success) return status;
    status = dnnl_primitive_execute(primitive, c->stream, 2, args);
    if (status == dnnl_success) status = dnnl_stream_wait(c->stream);
    dnnl_primitive_destroy(primitive);
    return status;
}

static dnnl_status_t make_pd(conv_t *c, const bench_conv_t *p, md_t *any, dnnl_primitive_desc_t *pd) {
    const dnnl_dims_t strides = {p->stride, p->stride}, dilates = {0, 0}, pad = {p->pad, p->pad};
#if DNNL_VERSION_MAJOR >= 3
    return dnnl_convolution_forward_primitive_desc_create(pd, c->engine, dnnl_forward_inference,
            dnnl_convolution_direct, any[SRC], any[WEI], any[BIAS], any[DST], strides, dilates, pad, pad,
            NULL);
#else
    dnnl_convolution_desc_t desc;
    dnnl_status_t status = dnnl_dilated_convolution_forward_desc_init(&desc, dnnl_forward_inference,
            dnnl_convolution_direct, &any[SRC], &any[WEI], &any[BIAS], &any[DST], strides, dilates, pad, pad);
    return status == dnnl_success ? dnnl_primitive_desc_create(pd, &desc, NULL, c->engine, NULL) : status;
#endif
}

static void *create(const bench_conv_t *p, void *src, void *weights, void *bias) {
    static const int ids[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
    static const dnnl_query_t queries[] = {
            dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_weights_md, dnnl_query_dst_md};
    const dnnl_dims_t dims[] = {
            {p->mb, p->ic, p->ih, p->ih}, {p->oc, p->ic, p->k, p->k}, {p->oc}, {p->mb, p->oc, p->oh, p->oh}};
    const dnnl_data_type_t types[] = {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_u8};
    void *data[] = {src, weights, bias};
    md_t any[TENSORS];
    dnnl_primitive_desc_t pd = NULL;
    conv_t *c = calloc(1, sizeof(*c));
    if (!c) return NULL;
    TRY(dnnl_engine_create(&c->engine, dnnl_cpu, 0));
    TRY(dnnl_stream_create(&c->stream, c->engine, dnnl_stream_default_flags));
    for (int t = 0; t < TENSORS; t++) {
        const dnnl_data_type_t dt = p->integers ? types[t] : dnnl_f32;
        const int nd = t == BIAS ? 1 : 4;
        TRY(MD_CREATE(&c->plain[t], nd, dims[t], dt, nd == 1 ? dnnl_a : dnnl_abcd));
        TRY(MD_CREATE(&any[t], nd, dims[t], dt, nd == 1 ? dnnl_a : dnnl_format_tag_any));
    }
    TRY(make_pd(c, p, any, &pd));
    TRY(dnnl_primitive_create(&c->primitive, pd));
    for (int t = 0; t < TENSORS; t++) {
        md_ref_t md = t == BIAS ? REF(c->plain[t]) : QUERY_MD(pd, queries[t]);
        c->args[t].arg = ids[t];
        TRY(dnnl_memory_create(&c->args[t].memory, md, c->engine, DNNL_MEMORY_ALLOCATE));
        if (t == DST) continue;
        dnnl_memory_t given;
        TRY(dnnl_memory_create(&given, REF(c->plain[t]), c->engine, data[t]));
        TRY(reorder(c, given, REF(c->plain[t]), c->args[t].memory, md));
        dnnl_memory_destroy(given);
    }
    dnnl_primitive_desc_destroy(pd);
    return c;
fail: /* the program reports it and ends */
    free(c);
    return NULL;
}

static void run(void *conv) {
    conv_t *c = conv;
    if (dnnl_primitive_execute(c->primitive, c->stream, TENSORS, c->args) != dnnl_success ||
            dnnl_stream_wait(c->stream) != dnnl_success)
        abort();
}

static void result(void *conv, void *dst) {
    conv_t *c = conv;
    dnnl_memory_t memory;
#if DNNL_VERSION_MAJOR >= 3
    const_dnnl_memory_desc_t md;
#else
    const dnnl_memory_desc_t *md;
#endif
    if (dnnl_memory_get_memory_desc(c->args[DST].memory, &md) != dnnl_success ||
            dnnl_memory_create(&memory, REF(c->plain[DST]), c->engine, dst) != dnnl_success ||
            reorder(c, c->args[DST].memory, md, memory, REF(c->plain[DST])) != dnnl_success)
        abort();
    dnnl_memory_destroy(memory);
}

static void destroy(void *conv) {
    conv_t *c = conv;
    for (int t = 0; t < TENSORS; t++) dnnl_memory_destroy(c->args[t].memory);
    dnnl_primitive_destroy(c->primitive);
    dnnl_stream_destroy(c->stream);
    dnnl_engine_destroy(c->engine);
    free(c);
}

const void *bench_rival_calls(void) {
    static char version[32];
    static const onednn_conv_t module = {version, create, run, result, destroy};
    const dnnl_version_t *v = dnnl_version();
    snprintf(version, sizeof(version), "%d.%d.%d", v->major, v->minor, v->patch);
    return &module;
}
