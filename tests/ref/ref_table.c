/* SPDX-License-Identifier: Apache-2.0 */
/* The reference of each kind of primitive, and the cost of one element. */
#include "ref_table.h"

#include "core/direction.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"
#include "ref_conv.h"
#include "ref_data.h"
#include "ref_grouped.h"
#include "ref_matmul.h"
#include "ref_norm.h"
#include "ref_rnn_case.h"
#include "ref_sdpa.h"
#include "ref_sparse.h"
#include "ref_spatial.h"
#include "ref_spatial_backward.h"

static int64_t product(const dnnl_dim_t *dims, int n) {
    int64_t p = 1;
    for (int d = 0; d < n; d++) p *= dims[d];
    return p;
}

/* All the weights belong to one channel of the destination after the other. */
static int64_t weights_cost(const pd_t *pd) {
    const md_t *wei = pd_md(pd, DNNL_ARG_WEIGHTS), *dst = pd_md(pd, DNNL_ARG_DST);
    const int64_t channels = dst->dims[1] > 0 ? dst->dims[1] : 1;
    return product(wei->dims, wei->ndims) / channels;
}

/* Each element of the weights' gradient is a sum over the positions of diff_dst; one of the
 * source's gradient is a sum over the weights of a channel of the source. */
static int64_t gradient_cost(const pd_t *pd) {
    const md_t *diff_dst = pd_md(pd, DNNL_ARG_DIFF_DST), *wei = pd_md(pd, DNNL_ARG_WEIGHTS);
    if (pd->params.prop_kind == dnnl_backward_data && pd->params.kind == dnnl_inner_product)
        return wei->dims[0];
    if (pd->params.prop_kind == dnnl_backward_data) {
        const int64_t channels = pd_md(pd, DNNL_ARG_DIFF_SRC)->dims[1];
        return product(wei->dims, wei->ndims) / (channels > 0 ? channels : 1);
    }
    const int64_t channels = diff_dst->dims[1] > 0 ? diff_dst->dims[1] : 1;
    return product(diff_dst->dims, diff_dst->ndims) / channels;
}

static int64_t fused_cost(const pd_t *pd) {
    return 9 * pd_md(pd, DNNL_ARG_SRC)->dims[1];
}

static int64_t matmul_cost(const pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    return src->dims[src->ndims - 1];
}

static int64_t sparse_cost(const pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *wei = pd_md(pd, DNNL_ARG_WEIGHTS);
    return (md_is_sparse(src) ? src : wei)->format_desc.sparse.nnz;
}

static int64_t window_cost(const pd_t *pd) {
    return product(pd->params.kernel, pd->args[0].md.ndims - 2);
}

static int64_t lrn_cost(const pd_t *pd) {
    const int nd = pd->params.alg_kind == dnnl_lrn_across_channels
                           ? 1
                           : pd_md(pd, DNNL_ARG_SRC)->ndims - 2;
    int64_t cost = 1;
    for (int d = 0; d < nd; d++) cost *= pd->params.group_size;
    return cost;
}

/* Backward primitives have no source. */
static int64_t dst_axis_cost(const pd_t *pd) {
    return 2 * pd_md(pd, DNNL_ARG_DST)->dims[pd->params.axis];
}

static int64_t axis_cost(const pd_t *pd) {
    return 3 * pd_md(pd, DNNL_ARG_SRC)->dims[pd->params.axis];
}

static int64_t ratio_cost(const pd_t *pd) {
    const int64_t n = md_nelems(pd_md(pd, DNNL_ARG_DST), false);
    return n > 0 ? md_nelems(pd_md(pd, DNNL_ARG_SRC), false) / n : 1;
}

/* The scores are computed again for each element. */
static int64_t sdpa_cost(const pd_t *pd) {
    const md_t *keys = pd_md(pd, DNNL_ARG_KEYS);
    return (keys->dims[keys->ndims - 2] + 2) * keys->dims[keys->ndims - 1];
}

/* The scores of a matrix are computed once. */
static int64_t sdpa_gradient_cost(const pd_t *pd) {
    const md_t *keys = pd_md(pd, DNNL_ARG_KEYS), *queries = pd_md(pd, DNNL_ARG_QUERIES);
    return 4 * (keys->dims[keys->ndims - 1] + queries->dims[keys->ndims - 2]);
}

/* The statistics are computed again for each element. */
static int64_t norm_cost(const pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    if (pd->params.flags & dnnl_use_global_stats) return 1;
    if (pd->params.kind == dnnl_layer_normalization) return 2 * src->dims[src->ndims - 1];
    const int64_t n = md_nelems(src, false), channels = src->dims[1] > 0 ? src->dims[1] : 1;
    if (pd->params.kind == dnnl_batch_normalization) return 2 * n / channels;
    const int64_t parts = src->dims[0] * pd->params.group_size;
    return parts > 0 ? 2 * n / parts : 1;
}

/* The means are computed again for each element, whatever the flags: the gradients of scale and
 * shift are sums, too. */
static int64_t norm_gradient_cost(const pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    const bool rows = pd->params.kind == dnnl_layer_normalization;
    const int64_t channels = src->dims[rows ? src->ndims - 1 : 1];
    if (rows) return 8 * channels;
    return channels > 0 ? 8 * md_nelems(src, false) / channels : 1;
}

#define OUTPUTS(...) ((const ref_output_t[]){__VA_ARGS__, {0, NULL}})
#define DST(reference) {DNNL_ARG_DST, reference}
#define STATISTICS                                                                                 \
    {DNNL_ARG_MEAN, ref_mean_out}, {                                                               \
        DNNL_ARG_VARIANCE, ref_variance_out                                                        \
    }

/* Index: dnnl_primitive_kind_t. */
static const ref_kind_t kinds[] = {
        [dnnl_reorder] = {OUTPUTS(DST(ref_reorder)), NULL},
        [dnnl_shuffle] = {OUTPUTS(DST(ref_shuffle)), NULL},
        [dnnl_concat] = {OUTPUTS(DST(ref_concat)), NULL},
        [dnnl_sum] = {OUTPUTS(DST(ref_sum)), NULL},
        [dnnl_convolution] = {OUTPUTS(DST(ref_convolution)), weights_cost},
        [dnnl_deconvolution] = {OUTPUTS(DST(ref_deconvolution)), weights_cost},
        [dnnl_eltwise] = {OUTPUTS(DST(ref_eltwise_fwd)), NULL},
        [dnnl_lrn] = {OUTPUTS(DST(ref_lrn), {DNNL_ARG_WORKSPACE, ref_lrn_workspace}), lrn_cost},
        [dnnl_batch_normalization] = {OUTPUTS(DST(ref_batch_norm), STATISTICS), norm_cost},
        [dnnl_inner_product] = {OUTPUTS(DST(ref_inner_product)), weights_cost},
        [dnnl_binary] = {OUTPUTS(DST(ref_binary_fwd)), NULL},
        [dnnl_matmul] = {OUTPUTS(DST(ref_matmul),
                                 {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, ref_matmul_scale}),
                matmul_cost},
        [dnnl_resampling] = {OUTPUTS(DST(ref_resampling)), NULL},
        [dnnl_pooling] = {OUTPUTS(DST(ref_pooling), {DNNL_ARG_WORKSPACE, ref_pooling_workspace}),
                window_cost},
        [dnnl_reduction] = {OUTPUTS(DST(ref_reduction)), ratio_cost},
        [dnnl_prelu] = {OUTPUTS(DST(ref_prelu)), NULL},
        [dnnl_softmax] = {OUTPUTS(DST(ref_softmax)), axis_cost},
        [dnnl_layer_normalization] = {OUTPUTS(DST(ref_layer_norm), STATISTICS), norm_cost},
        [dnnl_group_normalization] = {OUTPUTS(DST(ref_group_norm), STATISTICS), norm_cost},
        [dnnl_rnn] = {OUTPUTS({DNNL_ARG_DST_LAYER, ref_rnn_dst_layer},
                              {DNNL_ARG_DST_ITER, ref_rnn_dst_iter},
                              {DNNL_ARG_DST_ITER_C, ref_rnn_dst_iter_c}),
                NULL},
        [DNNL_ZE_PRIMITIVE_KIND_SDPA] = {OUTPUTS(DST(ref_sdpa),
                                                 {DNNL_ARG_WORKSPACE, ref_sdpa_stats}),
                sdpa_cost},
};

#define DIFF_SRC(reference) {DNNL_ARG_DIFF_SRC, reference}
#define DIFF_WEIGHTS(reference) {DNNL_ARG_DIFF_WEIGHTS, reference}
#define NORM_GRADIENTS                                                                             \
    DIFF_SRC(ref_norm_diff_src), {DNNL_ARG_DIFF_SCALE, ref_norm_diff_scale}, {                     \
        DNNL_ARG_DIFF_SHIFT, ref_norm_diff_shift                                                   \
    }
#define DIFF_BIAS {DNNL_ARG_DIFF_BIAS, ref_product_diff_bias}

/* Backward propagation, of data and of weights: what a primitive does not write is left out. */
static const ref_kind_t backward[] = {
        [dnnl_eltwise] = {OUTPUTS(DIFF_SRC(ref_eltwise_bwd)), NULL},
        [dnnl_prelu] = {OUTPUTS(DIFF_SRC(ref_prelu_bwd_src),
                                {DNNL_ARG_DIFF_WEIGHTS, ref_prelu_bwd_weights}),
                NULL},
        [dnnl_shuffle] = {OUTPUTS(DIFF_SRC(ref_shuffle_backward)), NULL},
        [dnnl_pooling] = {OUTPUTS(DIFF_SRC(ref_pooling_backward)), window_cost},
        [dnnl_convolution] = {OUTPUTS(DIFF_SRC(ref_convolution_diff_src),
                                      DIFF_WEIGHTS(ref_convolution_diff_weights), DIFF_BIAS),
                gradient_cost},
        [dnnl_deconvolution] = {OUTPUTS(DIFF_SRC(ref_convolution_diff_src),
                                        DIFF_WEIGHTS(ref_convolution_diff_weights), DIFF_BIAS),
                gradient_cost},
        [dnnl_inner_product] = {OUTPUTS(DIFF_SRC(ref_inner_product_diff_src),
                                        DIFF_WEIGHTS(ref_inner_product_diff_weights), DIFF_BIAS),
                gradient_cost},
        [dnnl_resampling] = {OUTPUTS(DIFF_SRC(ref_resampling_backward)), NULL},
        [dnnl_lrn] = {OUTPUTS(DIFF_SRC(ref_lrn_backward)), lrn_cost},
        [dnnl_softmax] = {OUTPUTS(DIFF_SRC(ref_softmax_bwd)), dst_axis_cost},
        [dnnl_rnn] = {OUTPUTS({DNNL_ARG_DIFF_SRC_LAYER, ref_rnn_diff_src_layer},
                              {DNNL_ARG_DIFF_SRC_ITER, ref_rnn_diff_src_iter},
                              {DNNL_ARG_DIFF_SRC_ITER_C, ref_rnn_diff_src_iter_c},
                              {DNNL_ARG_DIFF_AUGRU_ATTENTION, ref_rnn_diff_attention},
                              {DNNL_ARG_DIFF_WEIGHTS_LAYER, ref_rnn_diff_weights_layer},
                              {DNNL_ARG_DIFF_WEIGHTS_ITER, ref_rnn_diff_weights_iter},
                              {DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE, ref_rnn_diff_peephole},
                              {DNNL_ARG_DIFF_WEIGHTS_PROJECTION, ref_rnn_diff_projection},
                              {DNNL_ARG_DIFF_BIAS, ref_rnn_diff_bias}),
                NULL},
        [dnnl_layer_normalization] = {OUTPUTS(NORM_GRADIENTS), norm_gradient_cost},
        [dnnl_group_normalization] = {OUTPUTS(NORM_GRADIENTS), norm_gradient_cost},
        [dnnl_batch_normalization] = {OUTPUTS(NORM_GRADIENTS,
                                              {DNNL_ARG_DIFF_SRC_1, ref_norm_diff_src_1}),
                norm_gradient_cost},
        [DNNL_ZE_PRIMITIVE_KIND_SDPA] = {OUTPUTS({DNNL_ARG_DIFF_QUERIES, ref_sdpa_diff_queries},
                                                 {DNNL_ARG_DIFF_KEYS, ref_sdpa_diff_keys},
                                                 {DNNL_ARG_DIFF_VALUES, ref_sdpa_diff_values},
                                                 {DNNL_ARG_DIFF_ATTN_SCORES, ref_sdpa_diff_scores}),
                sdpa_gradient_cost},
};

static const ref_kind_t fused = {OUTPUTS(DST(ref_fused_convolution)), fused_cost};

static const ref_kind_t grouped = {OUTPUTS(DST(ref_grouped)), matmul_cost};
static const ref_kind_t sparse = {OUTPUTS(DST(ref_sparse)), sparse_cost};

static bool has_sparse(const pd_t *pd) {
    return md_is_sparse(pd_md(pd, DNNL_ARG_SRC)) || md_is_sparse(pd_md(pd, DNNL_ARG_WEIGHTS));
}

const ref_kind_t *ref_find(const pd_t *pd) {
    const dnnl_primitive_kind_t kind = pd->params.kind;
    for (int i = 0; kind == dnnl_convolution && i < pd->attr.post_ops.len; i++)
        if (pd->attr.post_ops.entry[i].kind == dnnl_convolution) return &fused;
    if (direction_of(pd->params.prop_kind) != DIRECTION_FORWARD)
        return (int)kind < ARRAY_LEN(backward) && backward[kind].outputs ? &backward[kind] : NULL;
    if (kind == dnnl_matmul && md_is_grouped(pd_md(pd, DNNL_ARG_SRC))) return &grouped;
    if (kind == dnnl_matmul && has_sparse(pd)) return &sparse;
    return (int)kind < ARRAY_LEN(kinds) && kinds[kind].outputs ? &kinds[kind] : NULL;
}

int64_t ref_cost(const pd_t *pd) {
    const ref_kind_t *kind = ref_find(pd);
    for (int i = 0; i < pd->nargs; i++)
        if (md_has_runtime_dims_or_strides(&pd->args[i].md))
            return 1; /* the size is not known, and it is small in tests */
    const int64_t cost = kind && kind->cost ? kind->cost(pd) : 1;
    return cost > 0 ? cost : 1;
}
