/* SPDX-License-Identifier: Apache-2.0 */
/* The module that talks to oneDNN's CPU library, of either interface: version 2 has operation descriptors,
 * version 3 has not. */
#include "bench_matmul_onednn.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>

/* What bench_rival() looks for. */
__attribute__((visibility("default"))) const void *bench_rival_calls(void);

typedef struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[4];
    int nargs;
} matmul_t;

#define TRY(call)                                                                                            \
    if ((call) != dnnl_success) goto fail

static dnnl_status_t make_attr(dnnl_primitive_attr_t *attr, int fused) {
    dnnl_post_ops_t ops;
    dnnl_status_t status = dnnl_primitive_attr_create(attr);
    if (status != dnnl_success || !fused) return status;
    if ((status = dnnl_post_ops_create(&ops)) != dnnl_success) return status;
#if DNNL_VERSION_MAJOR >= 3
    status = dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0);
#else
    status = dnnl_post_ops_append_eltwise(ops, 1, dnnl_eltwise_relu, 0, 0);
#endif
    if (status == dnnl_success) status = dnnl_primitive_attr_set_post_ops(*attr, ops);
    dnnl_post_ops_destroy(ops);
    return status;
}

static const dnnl_data_type_t types[MATMUL_TYPES][3] = {
        {dnnl_f32, dnnl_f32, dnnl_f32}, {dnnl_bf16, dnnl_bf16, dnnl_bf16}, {dnnl_u8, dnnl_s8, dnnl_s32}};

static void *matmul_create(matmul_type_t type, int64_t m, int64_t n, int64_t k, int fused, void *src,
        void *weights, void *bias, void *dst) {
    const dnnl_data_type_t *dt = types[type];
    const dnnl_dims_t src_dims = {m, k}, wei_dims = {k, n}, bias_dims = {1, n}, dst_dims = {m, n};
    const int ids[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_BIAS};
    void *data[] = {src, weights, dst, bias};
    matmul_t *mm = calloc(1, sizeof(*mm));
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t pd = NULL;
    if (!mm) return NULL;
    mm->nargs = fused ? 4 : 3;
    TRY(dnnl_engine_create(&mm->engine, dnnl_cpu, 0));
    TRY(dnnl_stream_create(&mm->stream, mm->engine, dnnl_stream_default_flags));
    TRY(make_attr(&attr, fused));
#if DNNL_VERSION_MAJOR >= 3
    dnnl_memory_desc_t md[4];
    TRY(dnnl_memory_desc_create_with_tag(&md[0], 2, src_dims, dt[0], dnnl_ab));
    TRY(dnnl_memory_desc_create_with_tag(&md[1], 2, wei_dims, dt[1], dnnl_ab));
    TRY(dnnl_memory_desc_create_with_tag(&md[2], 2, dst_dims, dt[2], dnnl_ab));
    TRY(dnnl_memory_desc_create_with_tag(&md[3], 2, bias_dims, dnnl_f32, dnnl_ab));
    TRY(dnnl_matmul_primitive_desc_create(&pd, mm->engine, md[0], md[1], fused ? md[3] : NULL, md[2], attr));
#define MD(i) md[i]
#else
    dnnl_memory_desc_t md[4];
    dnnl_matmul_desc_t desc;
    TRY(dnnl_memory_desc_init_by_tag(&md[0], 2, src_dims, dt[0], dnnl_ab));
    TRY(dnnl_memory_desc_init_by_tag(&md[1], 2, wei_dims, dt[1], dnnl_ab));
    TRY(dnnl_memory_desc_init_by_tag(&md[2], 2, dst_dims, dt[2], dnnl_ab));
    TRY(dnnl_memory_desc_init_by_tag(&md[3], 2, bias_dims, dnnl_f32, dnnl_ab));
    TRY(dnnl_matmul_desc_init(&desc, &md[0], &md[1], fused ? &md[3] : NULL, &md[2]));
    TRY(dnnl_primitive_desc_create(&pd, &desc, attr, mm->engine, NULL));
#define MD(i) &md[i]
#endif
    TRY(dnnl_primitive_create(&mm->primitive, pd));
    for (int i = 0; i < mm->nargs; i++) {
        mm->args[i].arg = ids[i];
        TRY(dnnl_memory_create(&mm->args[i].memory, MD(i), mm->engine, data[i]));
    }
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
    return mm;
fail: /* the program reports it and ends */
    free(mm);
    return NULL;
}

static void matmul_run(void *matmul) {
    matmul_t *mm = matmul;
    if (dnnl_primitive_execute(mm->primitive, mm->stream, mm->nargs, mm->args) != dnnl_success ||
            dnnl_stream_wait(mm->stream) != dnnl_success)
        abort();
}

static void matmul_destroy(void *matmul) {
    matmul_t *mm = matmul;
    for (int i = 0; i < mm->nargs; i++) dnnl_memory_destroy(mm->args[i].memory);
    dnnl_primitive_destroy(mm->primitive);
    dnnl_stream_destroy(mm->stream);
    dnnl_engine_destroy(mm->engine);
    free(mm);
}

const void *bench_rival_calls(void) {
    static char version[32];
    static const onednn_matmul_t module = {version, matmul_create, matmul_run, matmul_destroy};
    const dnnl_version_t *v = dnnl_version();
    snprintf(version, sizeof(version), "%d.%d.%d", v->major, v->minor, v->patch);
    return &module;
}
