/* SPDX-License-Identifier: Apache-2.0 */
/* The operations: how a descriptor becomes arguments, a variant and a plan. */
#ifndef PLAN_OP_H
#define PLAN_OP_H

#include "core/direction.h"
#include "core/primitive_desc.h"

struct epilogue;

/* A primitive kind in one direction, or in several that share the code. */
typedef struct op_kind {
    dnnl_primitive_kind_t kind;
    unsigned directions; /* DIRECTION_*; 0: forward */
    const char *name;    /* as in verbose lines: "matmul" */

    /* Plans a descriptor. pd has params, attr, and an argument for each tensor of the request,
     * whose descriptor may still be `any`. init() checks them, resolves `any`, adds the
     * arguments of the attributes (attr_add_args() of plan/attributes.h), and chooses the first
     * variant that runs on the device and supports the problem, after pd->impl_index others. It
     * writes the variant, impl_name, scratchpad_size and plan of pd. It returns
     * invalid_arguments for what the specification forbids and unimplemented for what no variant
     * supports, and gives the log a sentence about each refusal, by verbose_refuse(). After a
     * failure the caller frees pd. */
    dnnl_status_t (*init)(pd_t *pd, const caps_t *caps);

    /* NULL, or for run-time dimensions: rewrites group counts, offsets and constants in *plan, a
     * copy of pd->plan, for the descriptors of the memory objects (mds[slot]; NULL: absent).
     * Variants, specialisation constants and the scratchpad stay as they are. Checks that mds
     * agree with pd. */
    dnnl_status_t (*replan)(
            const pd_t *pd, const caps_t *caps, const md_t *const *mds, plan_t *plan);

    /* Adds to an empty epilogue what a kernel that the op shares with others computes besides its
     * own result: all operations of an elementwise primitive, what follows a normalization. */
    void (*make_epilogue)(const pd_t *pd, struct epilogue *epilogue);

    /* Writes the problem column of a verbose line ("2x3:3x4"), like snprintf. */
    int (*format_problem)(const pd_t *pd, char *buf, size_t size);
    /* The same for the aux column ("alg:eltwise_relu alpha:0 beta:0"); NULL: the column is
     * empty. */
    int (*format_aux)(const pd_t *pd, char *buf, size_t size);
    /* Run-time dimensions that replan() does not support get a primitive for each shape
     * (primitive/by_shape_desc.h). An op with replan() sets pd->by_shape in init() for those
     * problems alone that replan() cannot plan. */
    bool by_shape;
    /* ew_check_tensor() accepts 4-bit types. The kernels must then write whole bytes, as those
     * of family "elementwise" do. */
    bool nibbles;
    /* init() accepts sparse tensors, or says why not. Without it they are refused before. */
    bool sparse;
    /* The same for tensors that are host scalars. */
    bool host_scalars;
    /* The mask of dropout does not lie like the result: init() checks and adds it. */
    bool own_dropout_mask;
} op_kind_t;

/* format_aux of kinds that have an algorithm and nothing else to say. */
int format_alg(const pd_t *pd, char *buf, size_t size);

/* The operation of a kind in the direction of prop_kind; NULL: it has no implementation. */
const op_kind_t *op_find(dnnl_primitive_kind_t kind, dnnl_prop_kind_t prop_kind);

extern const op_kind_t op_reorder, op_eltwise, op_eltwise_backward, op_binary, op_matmul;
extern const op_kind_t op_convolution, op_deconvolution, op_inner_product;
extern const op_kind_t op_inner_product_backward;
extern const op_kind_t op_convolution_backward_data, op_deconvolution_backward_data;
extern const op_kind_t op_convolution_backward_weights, op_deconvolution_backward_weights;
extern const op_kind_t op_concat, op_sum, op_shuffle, op_pooling, op_resampling, op_lrn;
extern const op_kind_t op_pooling_backward, op_shuffle_backward;
extern const op_kind_t op_resampling_backward, op_lrn_backward;
extern const op_kind_t op_softmax, op_reduction, op_prelu;
extern const op_kind_t op_softmax, op_softmax_backward, op_reduction, op_prelu, op_prelu_backward;
extern const op_kind_t op_layer_normalization, op_group_normalization, op_batch_normalization;
extern const op_kind_t op_layer_normalization_backward, op_group_normalization_backward,
        op_batch_normalization_backward;
extern const op_kind_t op_rnn;
extern const op_kind_t op_sdpa, op_sdpa_backward;

#endif
