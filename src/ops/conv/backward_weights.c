/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation by weights: checks, and layouts of `any`. */
#include "core/status.h"
#include "core/verbose.h"
#include "ops/conv/check.h"
#include "ops/conv/convolution.h"
#include "ops/conv/diff_weights.h"
#include "plan/attributes.h"
#include "plan/op.h"
#include "plan/type_rules.h"
#include "steps/elementwise.h"

#define REFUSE(...) verbose_refuse(dnnl_unimplemented, pd->op->name, __VA_ARGS__)

static dnnl_status_t check_types(const pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *wei = pd_md(pd, DNNL_ARG_DIFF_WEIGHTS);
    const md_t *bias = pd_md(pd, DNNL_ARG_DIFF_BIAS);
    const unsigned narrow = FLOATS | SMALL_FLOATS, of_bias = FLOATS | F8;
    if (src->data_type != pd_md(pd, DNNL_ARG_DIFF_DST)->data_type)
        return REFUSE("src and diff_dst have different data types");
    const bool doubles = src->data_type == dnnl_f64;
    const unsigned set = doubles ? DT_SET(dnnl_f64) : narrow;
    if (!dt_in(src, set) || !dt_in(wei, set))
        return REFUSE("gradients are of floating-point types, and all tensors of f64 or none");
    if (!md_is_zero(bias) && !dt_in(bias, doubles ? set : of_bias))
        return REFUSE("the gradient of the bias has no type that is supported");
    return dnnl_success;
}

/* ---- layouts ---- */

static dnnl_status_t resolve_image(pd_t *pd, int arg) {
    md_t *md = &pd->args[pd_find_arg(pd, arg)].md;
    if (!md_is_any(md)) return dnnl_success;
    if (md_has_zero_dim(md)) return md_set_plain(md);
    return md_init_string_tag(
            md, md->ndims, md->dims, md->data_type, image_channels_last(md->ndims));
}

static dnnl_status_t resolve_any(pd_t *pd) {
    TRY(resolve_image(pd, DNNL_ARG_SRC));
    TRY(resolve_image(pd, DNNL_ARG_DIFF_DST));
    for (int i = 0; i < pd->nargs; i++)
        if (md_is_any(&pd->args[i].md)) TRY(md_set_plain(&pd->args[i].md));
    return dnnl_success;
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    TRY(conv_check_algorithm(pd));
    TRY(conv_check_tensors(pd));
    TRY(check_types(pd));
    TRY(attr_check(pd, 0, 0, NULL));
    TRY(resolve_any(pd));
    TRY(attr_add_args(pd));
    for (int i = 0; i < pd->nargs; i++)
        if (md_has_zero_dim(&pd->args[i].md)) return ew_zero_outputs(pd, caps);
    return diff_weights_choose(pd, caps);
}

const op_kind_t op_convolution_backward_weights = {
        .kind = dnnl_convolution,
        .directions = DIRECTION_BACKWARD_WEIGHTS,
        .name = "convolution",
        .init = init,
        .format_problem = conv_format_problem,
        .format_aux = conv_format_aux,
};

const op_kind_t op_deconvolution_backward_weights = {
        .kind = dnnl_deconvolution,
        .directions = DIRECTION_BACKWARD_WEIGHTS,
        .name = "deconvolution",
        .init = init,
        .format_problem = conv_format_problem,
        .format_aux = conv_format_aux,
};
