/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_primitive_desc_*: handles of descriptors, and queries. */
#include <stddef.h>
#include <string.h>

#include "core/check.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitive/descriptor.h"
#include "ze/runtime.h"

dnnl_status_t dnnl_primitive_desc_clone(dnnl_primitive_desc_t *primitive_desc,
        const_dnnl_primitive_desc_t existing_primitive_desc) {
    CHECK_NOT_NULL(primitive_desc, "primitive_desc");
    CHECK_NOT_NULL(existing_primitive_desc, "primitive_desc");
    return descriptor_clone(primitive_desc, existing_primitive_desc);
}

dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t primitive_desc) {
    if (ze_is_forked()) return dnnl_success;
    descriptor_free(primitive_desc);
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_desc_next_impl(dnnl_primitive_desc_t primitive_desc) {
    CHECK_NOT_NULL(primitive_desc, "primitive_desc");
    return descriptor_next(primitive_desc);
}

dnnl_status_t dnnl_primitive_desc_get_attr(
        const_dnnl_primitive_desc_t primitive_desc, const_dnnl_primitive_attr_t *attr) {
    CHECK_NOT_NULL(primitive_desc, "primitive_desc");
    CHECK_NOT_NULL(attr, "primitive_desc");
    *attr = &primitive_desc->pd->attr;
    return dnnl_success;
}

/* Queries that read a field of the parameters, and the kinds that have the field. */
typedef enum { COPY_32, COPY_64, POINTER } field_form_t;
/* The library's own kinds are below 64 too. */
#define K(kind) (UINT64_C(1) << dnnl_##kind)
#define ANY_KIND UINT64_MAX
#define NORMALIZATIONS (K(batch_normalization) | K(layer_normalization) | K(group_normalization))
#define WINDOWS (K(convolution) | K(deconvolution) | K(pooling))
#define NO_PROP_KIND (K(binary) | K(matmul) | K(reorder) | K(concat) | K(sum) | K(reduction))
static const struct {
    dnnl_query_t what;
    uint64_t kinds;
    size_t offset; /* of the field in op_params_t */
    field_form_t form;
} fields[] = {
#define FIELD(what, kinds, field, form)                                                            \
    {dnnl_query_##what, kinds, offsetof(op_params_t, field), form}
        FIELD(primitive_kind, ANY_KIND, kind, COPY_32),
        FIELD(prop_kind, ~NO_PROP_KIND, prop_kind, COPY_32),
        FIELD(alg_kind,
                WINDOWS | K(eltwise) | K(binary) | K(softmax) | K(lrn) | K(reduction) |
                        K(resampling),
                alg_kind, COPY_32),
        FIELD(alpha_f32, K(eltwise) | K(lrn) | K(rnn), alpha, COPY_32),
        FIELD(beta_f32, K(eltwise) | K(lrn) | K(rnn), beta, COPY_32),
        FIELD(p_f32, K(reduction), p, COPY_32),
        FIELD(epsilon_f32, K(reduction), eps, COPY_32),
        FIELD(epsilon_f32, NORMALIZATIONS, epsilon, COPY_32),
        FIELD(k_f32, K(lrn), k, COPY_32),
        FIELD(flags, NORMALIZATIONS, flags, COPY_32),
        FIELD(axis_s32, K(softmax) | K(shuffle) | K(concat), axis, COPY_32),
        FIELD(local_size_s64, K(lrn), local_size, COPY_64),
        FIELD(group_size_s64, K(shuffle), group_size, COPY_64),
        FIELD(group_size_s64, K(group_normalization), groups, COPY_64),
        FIELD(strides, WINDOWS, strides, POINTER),
        FIELD(dilations, WINDOWS, dilates, POINTER),
        FIELD(padding_l, WINDOWS, padding[0], POINTER),
        FIELD(padding_r, WINDOWS, padding[1], POINTER),
        FIELD(kernel, K(pooling), kernel, POINTER),
        FIELD(factors, K(resampling), factors, POINTER),
        FIELD(cell_kind, K(rnn), cell_kind, COPY_32),
        FIELD(direction, K(rnn), direction, COPY_32),
        FIELD(activation_kind, K(rnn), activation_kind, COPY_32),
#undef FIELD
};

static dnnl_status_t query_field(const pd_t *pd, dnnl_query_t what, void *result) {
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (fields[i].what != what || !(fields[i].kinds >> pd->params.kind & 1)) continue;
        const char *field = (const char *)&pd->params + fields[i].offset;
        if (fields[i].form == POINTER) memcpy(result, &field, sizeof(field));
        else memcpy(result, field, fields[i].form == COPY_32 ? 4 : 8);
        return dnnl_success;
    }
    return dnnl_unimplemented;
}

/* The arguments of a role such as source: a query for the index-th descriptor of a role means the
 * index-th argument here. The first entry for the query and the kind counts. */
enum { ROLE_MAX = 5 };
static const struct {
    dnnl_query_t what;
    uint64_t kinds;
    unsigned flags; /* what the primitive does with the argument, if it uses it; 0: anything */
    bool packed;    /* absent arguments are not counted */
    int args[ROLE_MAX];
} roles[] = {
        {dnnl_query_src_md, K(rnn), 0, false,
                {DNNL_ARG_SRC_LAYER, DNNL_ARG_SRC_ITER, DNNL_ARG_SRC_ITER_C,
                        DNNL_ARG_AUGRU_ATTENTION}},
        {dnnl_query_src_md, NORMALIZATIONS, PD_IN, false,
                {DNNL_ARG_SRC, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SRC_1}},
        {dnnl_query_src_md, ANY_KIND, 0, false,
                {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1, DNNL_ARG_SRC_2, DNNL_ARG_SRC_3}},
        {dnnl_query_diff_src_md, ANY_KIND, 0, false,
                {DNNL_ARG_DIFF_SRC_0, DNNL_ARG_DIFF_SRC_1, DNNL_ARG_DIFF_SRC_2,
                        DNNL_ARG_DIFF_SRC_3}},
        {dnnl_query_weights_md, K(rnn), 0, true,
                {DNNL_ARG_WEIGHTS_LAYER, DNNL_ARG_WEIGHTS_ITER, DNNL_ARG_WEIGHTS_PEEPHOLE,
                        DNNL_ARG_WEIGHTS_PROJECTION, DNNL_ARG_BIAS}},
        /* Backward propagation does not read the shift: its gradient has the same descriptor. */
        {dnnl_query_weights_md, NORMALIZATIONS, 0, true,
                {DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_DIFF_SHIFT}},
        {dnnl_query_weights_md, ANY_KIND, 0, false, {DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS}},
        {dnnl_query_diff_weights_md, K(rnn), 0, true,
                {DNNL_ARG_DIFF_WEIGHTS_LAYER, DNNL_ARG_DIFF_WEIGHTS_ITER,
                        DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE, DNNL_ARG_DIFF_WEIGHTS_PROJECTION,
                        DNNL_ARG_DIFF_BIAS}},
        {dnnl_query_diff_weights_md, NORMALIZATIONS, 0, true,
                {DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT}},
        {dnnl_query_diff_weights_md, ANY_KIND, 0, false,
                {DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_BIAS}},
        {dnnl_query_dst_md, NORMALIZATIONS, PD_OUT, false,
                {DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE}},
        {dnnl_query_dst_md, ANY_KIND, 0, false, {DNNL_ARG_DST_0, DNNL_ARG_DST_1, DNNL_ARG_DST_2}},
        {dnnl_query_diff_dst_md, ANY_KIND, 0, false,
                {DNNL_ARG_DIFF_DST_0, DNNL_ARG_DIFF_DST_1, DNNL_ARG_DIFF_DST_2}},
        {dnnl_query_workspace_md, ANY_KIND, 0, false, {DNNL_ARG_WORKSPACE}},
        {dnnl_query_scratchpad_md, ANY_KIND, 0, false, {DNNL_ARG_SCRATCHPAD}},
};

static const md_t zero_md;

static const md_t *role_md(const pd_t *pd, dnnl_query_t what, int index) {
    const dnnl_primitive_kind_t kind = pd->params.kind;
    if (index < 0) return &zero_md;
    if (what == dnnl_query_src_md && (kind == dnnl_concat || kind == dnnl_sum))
        return pd_md(pd, DNNL_ARG_MULTIPLE_SRC + index);
    size_t role = 0;
    while (roles[role].what != what || !(roles[role].kinds >> kind & 1)) role++;
    for (int i = 0; i < ROLE_MAX && roles[role].args[i]; i++) {
        const int slot = pd_find_arg(pd, roles[role].args[i]);
        const unsigned use = slot < 0 ? 0 : pd->args[slot].flags & (PD_IN | PD_OUT);
        const bool present = slot >= 0 && (!roles[role].flags || !use || use & roles[role].flags);
        if (roles[role].packed && !present) continue;
        if (index-- == 0) return present ? &pd->args[slot].md : &zero_md;
    }
    return &zero_md;
}

/* The number of inputs or outputs as dnnl_query_num_of_inputs_s32 counts them: tensors and the
 * tensors of post-ops, but not scales, zero points and the like. */
static int count_args(const pd_t *pd, unsigned flag) {
    int n = 0;
    for (int i = 0; i < pd->nargs; i++) {
        const int arg = pd->args[i].arg;
        const bool post_op = arg >= DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE;
        const bool of_attr = arg & (DNNL_ARG_ATTR_SCALES | DNNL_ARG_ATTR_ZERO_POINTS) ||
                             (arg >= DNNL_ARG_HINT_MAX_GROUP_SIZE && arg < DNNL_ARG_MULTIPLE_SRC) ||
                             arg == DNNL_ARG_SCRATCHPAD;
        n += (pd->args[i].flags & flag) && (post_op || !of_attr);
    }
    return n;
}

#define ANSWER(type, value)                                                                        \
    do {                                                                                           \
        *(type *)result = (value);                                                                 \
        return dnnl_success;                                                                       \
    } while (0)

dnnl_status_t dnnl_primitive_desc_query(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index, void *result) {
    CHECK_NOT_NULL(primitive_desc, "primitive_desc");
    CHECK_NOT_NULL(result, "primitive_desc");
    const pd_t *pd = primitive_desc->pd;
    const bool library_scratchpad = pd->attr.scratchpad_mode == dnnl_scratchpad_mode_library;
    switch (what) {
    case dnnl_query_engine:
    case dnnl_query_scratchpad_engine: ANSWER(dnnl_engine_t, primitive_desc->engine);
    case dnnl_query_reorder_src_engine:
    case dnnl_query_reorder_dst_engine:
        if (pd->params.kind != dnnl_reorder) return dnnl_unimplemented;
        ANSWER(dnnl_engine_t, what == dnnl_query_reorder_dst_engine && primitive_desc->other
                                      ? primitive_desc->other
                                      : primitive_desc->engine);
    case dnnl_query_num_of_inputs_s32: ANSWER(int, count_args(pd, PD_IN));
    case dnnl_query_num_of_outputs_s32: ANSWER(int, count_args(pd, PD_OUT));
    case dnnl_query_time_estimate_f64: ANSWER(double, 0.0);
    case dnnl_query_memory_consumption_s64:
        ANSWER(int64_t, library_scratchpad ? (int64_t)pd->scratchpad_size : 0);
    case dnnl_query_impl_info_str: ANSWER(const char *, pd->impl_name);
    case dnnl_query_cache_blob_id_size_s64: ANSWER(int64_t, (int64_t)sizeof(pd->cache_id));
    case dnnl_query_cache_blob_id: ANSWER(const uint8_t *, pd->cache_id);
    case dnnl_query_workspace_md:
    case dnnl_query_scratchpad_md:
        CHECK_ARG(index == 0, "primitive_desc",
                "there is one such descriptor, so the index cannot be %d", index);
        ANSWER(const md_t *, role_md(pd, what, index));
    case dnnl_query_src_md:
    case dnnl_query_diff_src_md:
    case dnnl_query_weights_md:
    case dnnl_query_diff_weights_md:
    case dnnl_query_dst_md:
    case dnnl_query_diff_dst_md: ANSWER(const md_t *, role_md(pd, what, index));
    case dnnl_query_exec_arg_md: ANSWER(const md_t *, pd_md(pd, index));
    default: return query_field(pd, what, result);
    }
}

const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index) {
    const_dnnl_memory_desc_t md = NULL;
    const bool is_md = what > dnnl_query_some_md && what <= dnnl_query_exec_arg_md;
    if (!primitive_desc || !is_md ||
            dnnl_primitive_desc_query(primitive_desc, what, index, &md) != dnnl_success)
        return NULL;
    return md;
}

int dnnl_primitive_desc_query_s32(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index) {
    int value = 0;
    const bool is_count =
            what == dnnl_query_num_of_inputs_s32 || what == dnnl_query_num_of_outputs_s32;
    if (!primitive_desc || !is_count ||
            dnnl_primitive_desc_query(primitive_desc, what, index, &value) != dnnl_success)
        return 0;
    return value;
}
