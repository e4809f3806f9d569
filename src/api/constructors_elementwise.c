/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors of reorder and of the operations that work element by element or along an axis. */
#include "core/check.h"
#include "api/constructors.h"
#include "core/alloc.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "ze/runtime.h"

dnnl_status_t dnnl_reorder_primitive_desc_create(dnnl_primitive_desc_t *reorder_primitive_desc,
        const_dnnl_memory_desc_t src_desc, dnnl_engine_t src_engine,
        const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
        const_dnnl_primitive_attr_t attr) {
    constructor_t c;
    constructor_init(&c, dnnl_reorder, reorder_primitive_desc, src_engine, attr);
    if (!dst_engine) constructor_complain(&c, "dst_engine is NULL");
    if (dst_engine != src_engine) c.other = dst_engine;
    IN(DNNL_ARG_SRC, src_desc);
    OUT(DNNL_ARG_DST, dst_desc);
    if (!c.complaint && !engine_reaches(src_engine, dst_engine))
        return verbose_refuse(dnnl_unimplemented, "reorder",
                "the engines are on different contexts, or on devices that do not read each "
                "other's memory");
    if (!c.complaint && (md_is_any(src_desc) || md_is_any(dst_desc)))
        constructor_complain(&c, "a reorder needs the layouts of both tensors");
    if (!c.complaint && !md_same_dims(src_desc, dst_desc))
        constructor_complain(&c, "src_desc and dst_desc differ in their dimensions");
    return construct(&c);
}

dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, float alpha,
        float beta, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_eltwise);
    constructor_forward(&c, prop_kind);
    c.params.alg_kind = alg_kind;
    c.params.alpha = alpha;
    c.params.beta = beta;
    IN(DNNL_ARG_SRC, src_desc);
    OUT(DNNL_ARG_DST, dst_desc);
    return construct(&c);
}

static bool uses_dst(dnnl_alg_kind_t alg_kind) {
    return alg_kind >= dnnl_eltwise_relu_use_dst_for_bwd &&
           alg_kind <= dnnl_eltwise_clip_v2_use_dst_for_bwd;
}

dnnl_status_t dnnl_eltwise_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t data_desc, float alpha,
        float beta, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_eltwise);
    constructor_backward(&c, dnnl_backward_data, hint_fwd_pd);
    c.params.alg_kind = alg_kind;
    c.params.alpha = alpha;
    c.params.beta = beta;
    IN(uses_dst(alg_kind) ? DNNL_ARG_DST : DNNL_ARG_SRC, data_desc);
    IN(DNNL_ARG_DIFF_DST, diff_dst_desc);
    OUT(DNNL_ARG_DIFF_SRC, diff_src_desc);
    return construct(&c);
}

dnnl_status_t dnnl_binary_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr) {
    return dnnl_binary_primitive_desc_create_v2(
            primitive_desc, engine, alg_kind, src0_desc, src1_desc, NULL, dst_desc, attr);
}

dnnl_status_t dnnl_binary_primitive_desc_create_v2(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_binary);
    c.params.alg_kind = alg_kind;
    IN(DNNL_ARG_SRC_0, src0_desc);
    IN(DNNL_ARG_SRC_1, src1_desc);
    if (alg_kind == dnnl_binary_select) IN(DNNL_ARG_SRC_2, src2_desc);
    OUT(DNNL_ARG_DST, dst_desc);
    return construct(&c);
}

dnnl_status_t dnnl_prelu_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_prelu);
    constructor_forward(&c, prop_kind);
    IN(DNNL_ARG_SRC, src_desc);
    IN(DNNL_ARG_WEIGHTS, weights_desc);
    OUT(DNNL_ARG_DST, dst_desc);
    return construct(&c);
}

dnnl_status_t dnnl_prelu_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_prelu);
    constructor_backward(&c, dnnl_backward, hint_fwd_pd);
    IN(DNNL_ARG_SRC, src_desc);
    IN(DNNL_ARG_WEIGHTS, weights_desc);
    IN(DNNL_ARG_DIFF_DST, diff_dst_desc);
    OUT(DNNL_ARG_DIFF_SRC, diff_src_desc);
    OUT(DNNL_ARG_DIFF_WEIGHTS, diff_weights_desc);
    return construct(&c);
}

static void set_axis(constructor_t *c, int axis, const md_t *md) {
    c->params.axis = axis;
    if (md && (axis < 0 || axis >= md->ndims)) constructor_complain(c, "the axis is out of range");
}

dnnl_status_t dnnl_softmax_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, int softmax_axis,
        const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_softmax);
    constructor_forward(&c, prop_kind);
    c.params.alg_kind = alg_kind;
    set_axis(&c, softmax_axis, src_desc);
    IN(DNNL_ARG_SRC, src_desc);
    OUT(DNNL_ARG_DST, dst_desc);
    return construct(&c);
}

dnnl_status_t dnnl_softmax_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t dst_desc, int softmax_axis,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_softmax);
    constructor_backward(&c, dnnl_backward_data, hint_fwd_pd);
    c.params.alg_kind = alg_kind;
    set_axis(&c, softmax_axis, dst_desc);
    IN(DNNL_ARG_DST, dst_desc);
    IN(DNNL_ARG_DIFF_DST, diff_dst_desc);
    OUT(DNNL_ARG_DIFF_SRC, diff_src_desc);
    return construct(&c);
}

dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, int axis, dnnl_dim_t group_size,
        const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_shuffle);
    constructor_forward(&c, prop_kind);
    set_axis(&c, axis, src_desc);
    c.params.group_size = group_size;
    IN(DNNL_ARG_SRC, src_desc);
    OUT(DNNL_ARG_DST, dst_desc);
    return construct(&c);
}

dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_dst_desc, int axis, dnnl_dim_t group_size,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_shuffle);
    constructor_backward(&c, dnnl_backward_data, hint_fwd_pd);
    set_axis(&c, axis, diff_dst_desc);
    c.params.group_size = group_size;
    IN(DNNL_ARG_DIFF_DST, diff_dst_desc);
    OUT(DNNL_ARG_DIFF_SRC, diff_src_desc);
    return construct(&c);
}

dnnl_status_t dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, float p, float eps, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_reduction);
    c.params.alg_kind = alg_kind;
    c.params.p = p;
    c.params.eps = eps;
    IN(DNNL_ARG_SRC, src_desc);
    OUT(DNNL_ARG_DST, dst_desc);
    return construct(&c);
}

static void set_factors(constructor_t *c, const float *factors, const md_t *md) {
    for (int d = 0; factors && d < constructor_spatial(md); d++) c->params.factors[d] = factors[d];
}

dnnl_status_t dnnl_resampling_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const float *factors, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_resampling);
    constructor_forward(&c, prop_kind);
    c.params.alg_kind = alg_kind;
    set_factors(&c, factors, src_desc);
    IN(DNNL_ARG_SRC, src_desc);
    if (!dst_desc && !factors) constructor_complain(&c, "a resampling needs factors or dst_desc");
    OUT_OPTIONAL(DNNL_ARG_DST, dst_desc);
    return construct(&c);
}

dnnl_status_t dnnl_resampling_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const float *factors,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_resampling);
    constructor_backward(&c, dnnl_backward_data, hint_fwd_pd);
    c.params.alg_kind = alg_kind;
    set_factors(&c, factors, diff_src_desc);
    IN(DNNL_ARG_DIFF_DST, diff_dst_desc);
    OUT(DNNL_ARG_DIFF_SRC, diff_src_desc);
    return construct(&c);
}

/* For concat and sum: n sources, and a destination. dst_desc NULL: the destination is
 * default_dst. */
static dnnl_status_t construct_multiple(constructor_t *c, const md_t *dst_desc,
        const md_t *default_dst, int n, const_dnnl_memory_desc_t const *src_descs) {
    if (n + 1 > CONSTRUCTOR_MAX_TENSORS) {
        c->tensor = dz_malloc(sizeof(*c->tensor) * ((size_t)n + 1));
        if (!c->tensor)
            return verbose_error(dnnl_out_of_memory, dnnl_prim_kind2str(c->params.kind),
                    "no memory for a descriptor");
    }
    for (int i = 0; i < n; i++)
        constructor_tensor(
                c, DNNL_ARG_MULTIPLE_SRC + i, PD_IN, src_descs[i], "one of src_descs is NULL");
    constructor_tensor(c, DNNL_ARG_DST, PD_OUT, dst_desc ? dst_desc : default_dst, NULL);
    dnnl_status_t status = construct(c);
    if (c->tensor != c->storage) dz_free(c->tensor);
    return status;
}

enum { MAX_SOURCES = DNNL_ARG_MULTIPLE_DST - DNNL_ARG_MULTIPLE_SRC };

/* Makes the default destination: the first source's descriptor with the format kind any. Checks
 * that the sources have the same dimensions. axis: the dimension that may differ, whose sizes are
 * added; -1: none. */
static dnnl_status_t make_default_dst(
        md_t *dst, const char *kind, int axis, int n, const_dnnl_memory_desc_t const *src_descs) {
    CHECK_NOT_NULL(src_descs, kind);
    CHECK_ARG(n > 0, kind, "%d sources", n);
    if (n > MAX_SOURCES)
        return verbose_refuse(dnnl_unimplemented, kind,
                "%d sources: arguments have numbers for %d, from DNNL_ARG_MULTIPLE_SRC on", n,
                (int)MAX_SOURCES);
    for (int i = 0; i < n; i++) {
        CHECK_ARG(src_descs[i] && !md_is_any(src_descs[i]), kind,
                "source %d is NULL or has no layout", i);
        CHECK_ARG(md_counts_ok(src_descs[i]), kind, "source %d is no descriptor", i);
        CHECK_ARG(src_descs[i]->ndims == src_descs[0]->ndims, kind, "source %d has %d dimensions",
                i, src_descs[i]->ndims);
    }
    *dst = *src_descs[0];
    CHECK_ARG(axis < dst->ndims, kind, "the axis %d is out of range", axis);
    for (int i = 1; i < n; i++)
        for (int d = 0; d < dst->ndims; d++)
            if (d == axis)
                CHECK_ARG(add_ok(dst->dims[d], src_descs[i]->dims[d], &dst->dims[d]), kind,
                        "dimension %d overflows", d);
            else
                CHECK_ARG(src_descs[i]->dims[d] == dst->dims[d], kind,
                        "source %d differs in dimension %d", i, d);
    dst->format_kind = dnnl_format_kind_any;
    memset(&dst->format_desc, 0, sizeof(dst->format_desc));
    memcpy(dst->padded_dims, dst->dims, sizeof(dst->dims));
    return dnnl_success;
}

dnnl_status_t dnnl_concat_primitive_desc_create(dnnl_primitive_desc_t *concat_primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t dst_desc, int n, int concat_dimension,
        const_dnnl_memory_desc_t const *src_descs, const_dnnl_primitive_attr_t attr) {
    md_t default_dst;
    CHECK_ARG(concat_dimension >= 0, "concat", "the axis %d is out of range", concat_dimension);
    TRY(make_default_dst(&default_dst, "concat", concat_dimension, n, src_descs));
    CHECK_ARG(!dst_desc || md_same_dims(dst_desc, &default_dst), "concat",
            "dst_desc has other dimensions");
    constructor_t c;
    constructor_init(&c, dnnl_concat, concat_primitive_desc, engine, attr);
    c.params.axis = concat_dimension;
    return construct_multiple(&c, dst_desc, &default_dst, n, src_descs);
}

dnnl_status_t dnnl_sum_primitive_desc_create(dnnl_primitive_desc_t *sum_primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t dst_desc, int n, const float *scales,
        const_dnnl_memory_desc_t const *src_descs, const_dnnl_primitive_attr_t attr) {
    md_t default_dst;
    TRY(make_default_dst(&default_dst, "sum", -1, n, src_descs));
    CHECK_ARG(!dst_desc || md_same_dims(dst_desc, &default_dst), "sum",
            "dst_desc has other dimensions");
    CHECK_NOT_NULL(scales, "sum");
    constructor_t c;
    constructor_init(&c, dnnl_sum, sum_primitive_desc, engine, attr);
    c.nfactors = n;
    c.factors = scales;
    return construct_multiple(&c, dst_desc, &default_dst, n, src_descs);
}
