/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation by data: of a convolution it is a deconvolution of diff_dst, of a
 * deconvolution a convolution, with the weights' channels exchanged. That product is planned as a
 * forward primitive of its own, whose steps become those of the gradient. */
#include <stdio.h>

#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "ops/conv/check.h"
#include "ops/conv/convolution.h"
#include "plan/attributes.h"
#include "plan/op.h"
#include "plan/planner.h"
#include "plan/type_rules.h"

#define REFUSE(...) verbose_refuse(dnnl_unimplemented, pd->op->name, __VA_ARGS__)

/* The arguments of the gradient, and what they are of the product. */
static const struct {
    int arg, of_product;
} roles[] = {{DNNL_ARG_DIFF_DST, DNNL_ARG_SRC}, {DNNL_ARG_WEIGHTS, DNNL_ARG_WEIGHTS},
        {DNNL_ARG_DIFF_SRC, DNNL_ARG_DST}};

/* 0: none. */
static int gradient_arg(int of_product) {
    for (int i = 0; i < ARRAY_LEN(roles); i++)
        if (roles[i].of_product == of_product) return roles[i].arg;
    return 0;
}

static dnnl_status_t check_types(const pd_t *pd) {
    enum { NARROW = FLOATS | SMALL_FLOATS };
    const md_t *wei = pd_md(pd, DNNL_ARG_WEIGHTS), *diff_src = pd_md(pd, DNNL_ARG_DIFF_SRC);
    if (wei->data_type != pd_md(pd, DNNL_ARG_DIFF_DST)->data_type)
        return REFUSE("weights and diff_dst have different data types");
    const bool doubles = wei->data_type == dnnl_f64 && diff_src->data_type == dnnl_f64;
    if (!doubles && (!dt_in(wei, NARROW) || !dt_in(diff_src, NARROW)))
        return REFUSE("gradients are of floating-point types, and all tensors of f64 or none");
    return dnnl_success;
}

/* *to: weights with the channels of source and destination exchanged. */
static dnnl_status_t exchange_channels(const pd_t *pd, md_t *to, const md_t *wei) {
    const int nd = pd_md(pd, DNNL_ARG_DIFF_SRC)->ndims, first = wei->ndims - nd;
    int permutation[DNNL_MAX_NDIMS];
    if (wei->extra.flags) return REFUSE("weights have compensation or other extra data");
    if (nd < 2 || first < 0 || first > 1)
        return verbose_check(dnnl_invalid_arguments, pd->op->name,
                "weights have %d dimensions for %d of src", wei->ndims, nd);
    for (int d = 0; d < wei->ndims; d++) permutation[d] = d;
    permutation[first] = first + 1;
    permutation[first + 1] = first;
    return md_init_permute(to, wei, permutation);
}

static dnnl_status_t add_args(const pd_t *pd, pd_t *product) {
    for (int i = 0; i < ARRAY_LEN(roles); i++) {
        md_t md = *pd_md(pd, roles[i].arg);
        if (roles[i].arg == DNNL_ARG_WEIGHTS)
            TRY(exchange_channels(pd, &md, pd_md(pd, DNNL_ARG_WEIGHTS)));
        const unsigned flags = roles[i].of_product == DNNL_ARG_DST ? PD_OUT : PD_IN;
        TRY(pd_add_arg(product, roles[i].of_product, flags, &md));
    }
    return dnnl_success;
}

/* The product as an unsealed descriptor without plan; NULL: no memory. */
static pd_t *new_product(const pd_t *pd) {
    const bool transposed = pd->params.kind == dnnl_convolution;
    op_params_t params = pd->params;
    params.kind = transposed ? dnnl_deconvolution : dnnl_convolution;
    params.prop_kind = dnnl_forward_inference;
    params.alg_kind = transposed ? dnnl_deconvolution_direct : dnnl_convolution_direct;
    attr_t attr = pd->attr; /* shares what pd->attr owns, for copying */
    attr.scratchpad_mode = dnnl_scratchpad_mode_library;
    pd_t *product = pd_create(&params, &attr, pd->request.core);
    if (!product) return NULL;
    product->op = pd->op; /* messages name the primitive that is asked for */
    product->request.hints = pd->request.hints;
    product->impl_index = pd->impl_index;
    return product;
}

/* The layouts that the product has chosen. */
static dnnl_status_t take_layouts(pd_t *pd, const pd_t *product) {
    for (int i = 0; i < product->nargs; i++) {
        const int arg = gradient_arg(product->args[i].arg);
        md_t *md = &pd->args[pd_find_arg(pd, arg)].md;
        if (arg == DNNL_ARG_WEIGHTS) TRY(exchange_channels(pd, md, &product->args[i].md));
        else *md = product->args[i].md;
    }
    return dnnl_success;
}

static dnnl_status_t take_plan(pd_t *pd, const pd_t *product) {
    plan_place_t place[ARRAY_LEN(roles)];
    planner_t p = planner_of(pd, NULL);
    planner_restart(&p);
    for (int i = 0; i < product->nargs; i++)
        place[i] = (plan_place_t){
                .kind = PLACE_ARG, .slot = pd_find_arg(pd, gradient_arg(product->args[i].arg))};
    plan_append(&pd->plan, &product->plan, place, planner_reserve(&p, product->scratchpad_size));
    pd->variant = product->variant;
    snprintf(pd->impl_name, sizeof(pd->impl_name), "%s", product->impl_name);
    return planner_finish(&p, pd);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    TRY(conv_check_algorithm(pd));
    TRY(check_types(pd));
    TRY(attr_check(pd, 0, 0, NULL));
    TRY(attr_add_args(pd));
    pd_t *product = new_product(pd);
    if (!product) return verbose_error(dnnl_out_of_memory, pd->op->name, "%s", no_memory);
    dnnl_status_t status = add_args(pd, product);
    if (status == dnnl_success) status = conv_init(product, caps);
    if (status == dnnl_success) status = take_layouts(pd, product);
    if (status == dnnl_success) status = take_plan(pd, product);
    pd_unref(product);
    return status;
}

const op_kind_t op_convolution_backward_data = {
        .kind = dnnl_convolution,
        .directions = DIRECTION_BACKWARD_DATA,
        .name = "convolution",
        .init = init,
        .format_problem = conv_format_problem,
        .format_aux = conv_format_aux,
};

const op_kind_t op_deconvolution_backward_data = {
        .kind = dnnl_deconvolution,
        .directions = DIRECTION_BACKWARD_DATA,
        .name = "deconvolution",
        .init = init,
        .format_problem = conv_format_problem,
        .format_aux = conv_format_aux,
};
