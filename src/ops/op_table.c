/* SPDX-License-Identifier: Apache-2.0 */
/* The operations that have an implementation. */
#include "plan/op.h"

static const op_kind_t *const ops[] = {
        &op_reorder,
        &op_eltwise,
        &op_eltwise_backward,
        &op_binary,
        &op_matmul,
        &op_convolution,
        &op_deconvolution,
        &op_inner_product,
        &op_inner_product_backward,
        &op_convolution_backward_data,
        &op_deconvolution_backward_data,
        &op_convolution_backward_weights,
        &op_deconvolution_backward_weights,
        &op_concat,
        &op_sum,
        &op_shuffle,
        &op_shuffle_backward,
        &op_pooling,
        &op_pooling_backward,
        &op_resampling,
        &op_resampling_backward,
        &op_lrn,
        &op_lrn_backward,
        &op_softmax,
        &op_softmax_backward,
        &op_reduction,
        &op_prelu,
        &op_prelu_backward,
        &op_layer_normalization,
        &op_layer_normalization_backward,
        &op_group_normalization,
        &op_group_normalization_backward,
        &op_batch_normalization,
        &op_batch_normalization_backward,
        &op_rnn,
        &op_sdpa,
        &op_sdpa_backward,
};

static bool serves(const op_kind_t *op, unsigned direction) {
    return ((op->directions ? op->directions : DIRECTION_FORWARD) & direction) != 0;
}

const op_kind_t *op_find(dnnl_primitive_kind_t kind, dnnl_prop_kind_t prop_kind) {
    const unsigned direction = direction_of(prop_kind);
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        if (ops[i]->kind == kind && serves(ops[i], direction)) return ops[i];
    return NULL;
}
