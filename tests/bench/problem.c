/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and runs a problem. Compiled twice: into the benchmarks with this project's headers, and
 * into a module with those of oneDNN's CPU library (ONEDNN_RIVAL), of either interface: version
 * 2 has operation descriptors, version 3 has not. */
#include "problem.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if DNNL_VERSION_MAJOR >= 3
#define V3 1
typedef const_dnnl_memory_desc_t md_ref_t;
#define REF(md) (md)
#define MD_BY_STRIDES dnnl_memory_desc_create_with_strides
#define MD_BY_TAG dnnl_memory_desc_create_with_tag
#else
#define V3 0
typedef const dnnl_memory_desc_t *md_ref_t;
#define REF(md) (&(md))
#define MD_BY_STRIDES dnnl_memory_desc_init_by_strides
#define MD_BY_TAG dnnl_memory_desc_init_by_tag
#endif

typedef struct {
    dnnl_primitive_t primitive;
    int nargs;
    dnnl_exec_arg_t args[PROBLEM_TENSORS];
    dnnl_memory_desc_t given[PROBLEM_TENSORS]; /* of the caller's data */
    int own_dst;                               /* has the library's own layout, in its own memory */
} op_t;

static dnnl_engine_t engine;
static dnnl_stream_t stream;

#define TRY(call)                                                                                  \
    do {                                                                                           \
        if ((call) != dnnl_success) goto fail;                                                     \
    } while (0)

static const dnnl_data_type_t types[] = {[TYPE_F32] = dnnl_f32,
        [TYPE_BF16] = dnnl_bf16,
        [TYPE_S32] = dnnl_s32,
        [TYPE_S8] = dnnl_s8,
        [TYPE_U8] = dnnl_u8};
static const dnnl_alg_kind_t algs[] = {[ALG_MAX] = dnnl_pooling_max,
        [ALG_AVERAGE] = dnnl_pooling_avg_exclude_padding,
        [ALG_NEAREST] = dnnl_resampling_nearest,
        [ALG_LINEAR] = dnnl_resampling_linear};
static const int arg_ids[] = {[ROLE_SRC] = DNNL_ARG_SRC,
        [ROLE_WEIGHTS] = DNNL_ARG_WEIGHTS,
        [ROLE_BIAS] = DNNL_ARG_BIAS,
        [ROLE_MEAN] = DNNL_ARG_MEAN,
        [ROLE_VARIANCE] = DNNL_ARG_VARIANCE,
        [ROLE_SCALE] = DNNL_ARG_SCALE,
        [ROLE_SHIFT] = DNNL_ARG_SHIFT,
        [ROLE_DST] = DNNL_ARG_DST};

static dnnl_status_t given_md(dnnl_memory_desc_t *md, const tensor_t *t) {
    int64_t strides[PROBLEM_DIMS];
    int order[PROBLEM_DIMS]; /* outermost first */
    for (int d = 0; d < t->ndims; d++) order[d] = d;
    for (int d = 1; d < t->ndims && t->order == ORDER_CHANNELS_LAST; d++)
        order[d] = d + 1 < t->ndims ? d + 1 : 1;
    if (t->order == ORDER_SWAPPED) {
        order[t->ndims - 1] = t->ndims - 2;
        order[t->ndims - 2] = t->ndims - 1;
    }
    int64_t stride = 1;
    for (int i = t->ndims - 1; i >= 0; i--) {
        strides[order[i]] = stride;
        stride *= t->dims[order[i]];
    }
    return MD_BY_STRIDES(md, t->ndims, t->dims, types[t->type], strides);
}

static dnnl_status_t make_attr(dnnl_primitive_attr_t *attr, int relu) {
    dnnl_post_ops_t ops;
    dnnl_status_t status = dnnl_primitive_attr_create(attr);
    if (status != dnnl_success || !relu) return status;
    if ((status = dnnl_post_ops_create(&ops)) != dnnl_success) return status;
#if V3
    status = dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0);
#else
    status = dnnl_post_ops_append_eltwise(ops, 1, dnnl_eltwise_relu, 0, 0);
#endif
    if (status == dnnl_success) status = dnnl_primitive_attr_set_post_ops(*attr, ops);
    dnnl_post_ops_destroy(ops);
    return status;
}

/* The descriptors by role; those that are not there stay as they are. */
enum { ROLES = ROLE_DST + 1 };

#if V3
static dnnl_status_t make_pd(const problem_t *p, dnnl_memory_desc_t *md, dnnl_primitive_attr_t attr,
        unsigned flags, dnnl_primitive_desc_t *pd) {
    const dnnl_prop_kind_t prop = p->training ? dnnl_forward_training : dnnl_forward_inference;
    const dnnl_dims_t dense = {0};
    dnnl_memory_desc_t src = md[ROLE_SRC], dst = md[ROLE_DST];
    switch (p->kind) {
    case KIND_CONVOLUTION:
        return dnnl_convolution_forward_primitive_desc_create(pd, engine, prop,
                dnnl_convolution_direct, src, md[ROLE_WEIGHTS], md[ROLE_BIAS], dst, p->strides,
                dense, p->pad_left, p->pad_right, attr);
    case KIND_POOLING:
        return dnnl_pooling_forward_primitive_desc_create(pd, engine, prop, algs[p->alg], src, dst,
                p->strides, p->kernel, dense, p->pad_left, p->pad_right, attr);
    case KIND_RESAMPLING:
        return dnnl_resampling_forward_primitive_desc_create(
                pd, engine, prop, algs[p->alg], NULL, src, dst, attr);
    case KIND_BATCH_NORM:
        return dnnl_batch_normalization_forward_primitive_desc_create(
                pd, engine, prop, src, dst, 1e-5f, flags, attr);
    case KIND_LAYER_NORM:
        return dnnl_layer_normalization_forward_primitive_desc_create(
                pd, engine, prop, src, dst, md[ROLE_MEAN], 1e-5f, flags, attr);
    case KIND_SOFTMAX:
        return dnnl_softmax_forward_primitive_desc_create(
                pd, engine, prop, dnnl_softmax_accurate, src, dst, p->axis, attr);
    case KIND_REDUCTION:
        return dnnl_reduction_primitive_desc_create(
                pd, engine, dnnl_reduction_sum, src, dst, 0, 0, attr);
    case KIND_REORDER:
        return dnnl_reorder_primitive_desc_create(pd, src, engine, dst, engine, attr);
    default:
        return dnnl_matmul_primitive_desc_create(
                pd, engine, src, md[ROLE_WEIGHTS], md[ROLE_BIAS], dst, attr);
    }
}
#else
static dnnl_status_t make_pd(const problem_t *p, dnnl_memory_desc_t *md, dnnl_primitive_attr_t attr,
        unsigned flags, dnnl_primitive_desc_t *pd) {
    const dnnl_prop_kind_t prop = p->training ? dnnl_forward_training : dnnl_forward_inference;
    const dnnl_memory_desc_t *src = &md[ROLE_SRC], *dst = &md[ROLE_DST];
    const dnnl_memory_desc_t *bias = md[ROLE_BIAS].ndims ? &md[ROLE_BIAS] : NULL;
    union {
        dnnl_convolution_desc_t convolution;
        dnnl_pooling_desc_t pooling;
        dnnl_resampling_desc_t resampling;
        dnnl_batch_normalization_desc_t batch_norm;
        dnnl_layer_normalization_desc_t layer_norm;
        dnnl_softmax_v2_desc_t softmax;
        dnnl_reduction_desc_t reduction;
        dnnl_matmul_desc_t matmul;
    } desc;
    dnnl_status_t status;
    switch (p->kind) {
    case KIND_CONVOLUTION:
        status =
                dnnl_convolution_forward_desc_init(&desc.convolution, prop, dnnl_convolution_direct,
                        src, &md[ROLE_WEIGHTS], bias, dst, p->strides, p->pad_left, p->pad_right);
        break;
    case KIND_POOLING:
        status = dnnl_pooling_forward_desc_init(&desc.pooling, prop, algs[p->alg], src, dst,
                p->strides, p->kernel, p->pad_left, p->pad_right);
        break;
    case KIND_RESAMPLING:
        status = dnnl_resampling_forward_desc_init(
                &desc.resampling, prop, algs[p->alg], NULL, src, dst);
        break;
    case KIND_BATCH_NORM:
        status = dnnl_batch_normalization_forward_desc_init(
                &desc.batch_norm, prop, src, 1e-5f, flags);
        break;
    case KIND_LAYER_NORM:
        status = dnnl_layer_normalization_forward_desc_init(
                &desc.layer_norm, prop, src, &md[ROLE_MEAN], 1e-5f, flags);
        break;
    case KIND_SOFTMAX:
        status = dnnl_softmax_v2_forward_desc_init(
                &desc.softmax, prop, dnnl_softmax_accurate, src, dst, p->axis);
        break;
    case KIND_REDUCTION:
        status = dnnl_reduction_desc_init(&desc.reduction, dnnl_reduction_sum, src, dst, 0, 0);
        break;
    case KIND_REORDER:
        return dnnl_reorder_primitive_desc_create(pd, src, engine, dst, engine, attr);
    default: status = dnnl_matmul_desc_init(&desc.matmul, src, &md[ROLE_WEIGHTS], bias, dst);
    }
    return status == dnnl_success ? dnnl_primitive_desc_create(pd, &desc, attr, engine, NULL)
                                  : status;
}
#endif

static dnnl_status_t reorder(
        dnnl_memory_t from, md_ref_t from_md, dnnl_memory_t to, md_ref_t to_md) {
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    dnnl_status_t status =
            dnnl_reorder_primitive_desc_create(&pd, from_md, engine, to_md, engine, NULL);
    if (status != dnnl_success) return status;
    status = dnnl_primitive_create(&primitive, pd);
    dnnl_primitive_desc_destroy(pd);
    if (status != dnnl_success) return status;
    status = dnnl_primitive_execute(primitive, stream, 2, args);
    if (status == dnnl_success) status = dnnl_stream_wait(stream);
    dnnl_primitive_destroy(primitive);
    return status;
}

/* The memory of one argument: the caller's, or one of the library's layout. */
static dnnl_status_t make_memory(
        op_t *op, int i, const tensor_t *t, const_dnnl_primitive_desc_t pd, void *data) {
    static const dnnl_query_t queries[ROLES] = {[ROLE_SRC] = dnnl_query_src_md,
            [ROLE_WEIGHTS] = dnnl_query_weights_md,
            [ROLE_DST] = dnnl_query_dst_md};
    dnnl_memory_t given;
    dnnl_status_t status = dnnl_memory_create(&given, REF(op->given[i]), engine, data);
    if (status != dnnl_success || t->order != ORDER_ANY) {
        op->args[i].memory = given;
        return status;
    }
    md_ref_t md = dnnl_primitive_desc_query_md(pd, queries[t->role], 0);
    status = dnnl_memory_create(&op->args[i].memory, md, engine, DNNL_MEMORY_ALLOCATE);
    if (status == dnnl_success && t->role != ROLE_DST)
        status = reorder(given, REF(op->given[i]), op->args[i].memory, md);
    dnnl_memory_destroy(given);
    return status;
}

/* What fails is not freed: the program says so and ends. */
static void *create(const problem_t *p, void *const *data) {
    dnnl_memory_desc_t md[ROLES];
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t pd = NULL;
    unsigned flags = p->training || p->kind != KIND_BATCH_NORM ? 0 : dnnl_use_global_stats;
    op_t *op = calloc(1, sizeof(*op));
    if (!op) return NULL;
    memset(md, 0, sizeof(md));
    if (p->kind == KIND_LAYER_NORM && !p->training) flags = dnnl_use_global_stats;
    for (int i = 0; i < p->ntensors; i++) {
        const tensor_t *t = &p->tensor[i];
        TRY(given_md(&op->given[i], t));
        if (t->order == ORDER_ANY)
            TRY(MD_BY_TAG(&md[t->role], t->ndims, t->dims, types[t->type], dnnl_format_tag_any));
        else TRY(given_md(&md[t->role], t));
        if (t->role == ROLE_SCALE) flags |= dnnl_use_scale;
        if (t->role == ROLE_SHIFT) flags |= dnnl_use_shift;
    }
    TRY(make_attr(&attr, p->relu));
    TRY(make_pd(p, md, attr, flags, &pd));
    TRY(dnnl_primitive_create(&op->primitive, pd));
    op->nargs = p->ntensors;
    for (int i = 0; i < p->ntensors; i++) {
        const tensor_t *t = &p->tensor[i];
        op->args[i].arg = arg_ids[t->role];
        TRY(make_memory(op, i, t, pd, data[i]));
        if (t->role == ROLE_DST) op->own_dst = t->order == ORDER_ANY;
#if V3
        dnnl_memory_desc_destroy(md[t->role]);
#endif
    }
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
    return op;
fail:
    return NULL;
}

static void run(void *arg) {
    op_t *op = arg;
    if (dnnl_primitive_execute(op->primitive, stream, op->nargs, op->args) != dnnl_success ||
            dnnl_stream_wait(stream) != dnnl_success)
        abort();
}

static void result(void *arg, void *dst) {
    op_t *op = arg;
    const int last = op->nargs - 1;
    dnnl_memory_t from = op->args[last].memory, to;
#if V3
    const_dnnl_memory_desc_t md;
#else
    const dnnl_memory_desc_t *md;
#endif
    if (!op->own_dst) {
        void *data;
        if (dnnl_memory_get_data_handle(from, &data) != dnnl_success) abort();
        if (data != dst) memcpy(dst, data, dnnl_memory_desc_get_size(REF(op->given[last])));
        return;
    }
    if (dnnl_memory_get_memory_desc(from, &md) != dnnl_success ||
            dnnl_memory_create(&to, REF(op->given[last]), engine, dst) != dnnl_success ||
            reorder(from, md, to, REF(op->given[last])) != dnnl_success)
        abort();
    dnnl_memory_destroy(to);
}

static void destroy(void *arg) {
    op_t *op = arg;
    for (int i = 0; i < op->nargs; i++) {
        dnnl_memory_destroy(op->args[i].memory);
#if V3
        dnnl_memory_desc_destroy(op->given[i]);
#endif
    }
    dnnl_primitive_destroy(op->primitive);
    free(op);
}

static const library_t *library(void) {
    static char version[32];
    static const library_t calls = {version, create, run, result, destroy};
    const dnnl_version_t *v = dnnl_version();
    snprintf(version, sizeof(version), "%d.%d.%d", v->major, v->minor, v->patch);
    return &calls;
}

#ifdef ONEDNN_RIVAL
/* What bench_rival() looks for. */
__attribute__((visibility("default"))) const void *bench_rival_calls(void);

const void *bench_rival_calls(void) {
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success ||
            dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) != dnnl_success)
        return NULL;
    return library();
}
#else
const library_t *problem_library(void *with_engine, void *with_stream) {
    engine = with_engine;
    stream = with_stream;
    return library();
}
#endif
