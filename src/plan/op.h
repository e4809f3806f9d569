/* SPDX-License-Identifier: Apache-2.0 */
/* One entry per primitive kind: how a descriptor becomes arguments, a kernel row and a plan. */
#ifndef OPS_OP_H
#define OPS_OP_H

#include "core/primitive_desc.h"

typedef struct op_kind {
    dnnl_primitive_kind_t kind;
    const char *name; /* as in verbose lines: "matmul" */

    /* Called once with params, attr and the tensors' args (descriptors may be `any`) filled in by the public constructor, on a device with
     * the capabilities given. Validates; resolves `any`; adds the arguments of the attributes (attr_add_args() in plan/attributes.h);
     * chooses the first kernel row that fits after skipping pd->impl_index rows that would fit; writes pd->row, impl_name, scratchpad_size and
     * plan. Returns invalid_arguments for what the documentation forbids, unimplemented for what no row does, and logs the reason of
     * every refusal with verbose_refuse(). On failure the caller throws pd away. */
    dnnl_status_t (*init)(pd_t *pd, const caps_t *caps);

    /* NULL, or: for primitives with run-time dims. Rewrites group counts, bindings' offsets and constants in *plan (a copy of pd->plan) for the
     * descriptors that the memories really have (mds[slot], NULL: absent); rows, specialisation constants and scratchpad stay. Checks that
     * the descriptors agree with pd. */
    dnnl_status_t (*replan)(
            const pd_t *pd, const caps_t *caps, const md_t *const *mds, plan_t *plan);

    /* Writes the problem column of a verbose line ("2x3:3x4"), like snprintf. */
    int (*format_problem)(const pd_t *pd, char *buf, size_t size);
    /* Writes the aux column ("alg:eltwise_relu alpha:0 beta:0"), like snprintf; may be NULL: empty. */
    int (*format_aux)(const pd_t *pd, char *buf, size_t size);
    /* Run-time dims that replan() does not take, or all of them, by a primitive for each shape: api/by_shape.h. */
    bool by_shape;
    /* init takes the backward propagation kinds too; otherwise the constructor refuses them. */
    bool backward;
    /* ew_check_tensor() lets tensors of 4-bit types pass: the kernels of family "elementwise" own whole bytes, others do not. */
    bool nibbles;
    /* init takes sparse tensors, or says why not; otherwise the constructor refuses them. */
    bool sparse;
    /* init takes tensors that are host scalars, or says why not; otherwise the constructor refuses them. */
    bool host_scalars;
} op_kind_t;

/* format_aux of kinds that have an algorithm and nothing else to say. */
int format_alg(const pd_t *pd, char *buf, size_t size);

/* NULL where the kind has no implementation. */
const op_kind_t *op_find(dnnl_primitive_kind_t kind);

extern const op_kind_t op_reorder, op_eltwise, op_binary, op_matmul;
extern const op_kind_t op_convolution, op_deconvolution, op_inner_product;
extern const op_kind_t op_concat, op_sum, op_shuffle, op_pooling, op_resampling, op_lrn;
extern const op_kind_t op_softmax, op_reduction, op_prelu;
extern const op_kind_t op_layer_normalization, op_group_normalization, op_batch_normalization;
extern const op_kind_t op_sdpa;

#endif
