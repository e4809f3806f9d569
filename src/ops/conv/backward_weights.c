/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation by weights. A kernel sums each element of diff_weights over chunks of the
 * rows of an image; a reduction adds up the chunks, and a copy gives them layout and type. The
 * weights of a deconvolution have the gradient of a convolution whose source and diff_dst are
 * exchanged. */
#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "kernels/conv/diff_weights_params.h"
#include "ops/conv/check.h"
#include "ops/conv/convolution.h"
#include "ops/conv/planners.h"
#include "plan/device.h"
#include "plan/op.h"
#include "plan/type_rules.h"
#include "plan/variant.h"
#include "steps/reduction_steps.h"

#define REFUSE(...) verbose_refuse(dnnl_unimplemented, pd->op->name, __VA_ARGS__)

static dnnl_status_t check_types(const pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *wei = pd_md(pd, DNNL_ARG_DIFF_WEIGHTS);
    const md_t *bias = pd_md(pd, DNNL_ARG_DIFF_BIAS);
    const unsigned narrow = FLOATS | F8;
    if (src->data_type != pd_md(pd, DNNL_ARG_DIFF_DST)->data_type)
        return REFUSE("src and diff_dst have different data types");
    const unsigned set = src->data_type == dnnl_f64 ? DT_SET(dnnl_f64) : narrow;
    if (!dt_in(src, set) || !dt_in(wei, set) || (!md_is_zero(bias) && !dt_in(bias, set)))
        return REFUSE("gradients are of floating-point types, and all tensors of f64 or none");
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

/* ---- plan ---- */

/* Points into itself: not to be copied. */
typedef struct {
    conv_t cv;
    operand_t in, out;
    md_t plain_in, plain_out;
    cv_diff_weights_t p;
    int64_t chunks;
    operand_t sums, total; /* by chunk; of all, as an array of elements */
    md_t sums_md, total_md, weights_md;
} diff_weights_t;

static const char *place_image(
        const conv_t *cv, const operand_t *image, operand_t *at, md_t *plain, cv_tensor_t *t) {
    *at = *image;
    if (image_tensor(t, image->md)) return NULL;
    REFUSE_IF(conv_plain_copy(cv, image, at, plain));
    image_tensor(t, plain);
    return NULL;
}

static const char *place_images(diff_weights_t *x) {
    const conv_t *cv = &x->cv;
    const operand_t *in = cv->transposed ? &cv->dst : &cv->src,
                    *out = cv->transposed ? &cv->src : &cv->dst;
    REFUSE_IF(place_image(cv, in, &x->in, &x->plain_in, &x->p.in));
    return place_image(cv, out, &x->out, &x->plain_out, &x->p.out);
}

static const char *set_params(diff_weights_t *x) {
    const conv_t *cv = &x->cv;
    cv_diff_weights_t *p = &x->p;
    p->win = cv->win;
    for (int i = 0; i < 3 && cv->transposed; i++) {
        p->win.in[i] = cv->win.out[i];
        p->win.out[i] = cv->win.in[i];
    }
    p->ic = (int32_t)cv->ic;
    p->oc = (int32_t)cv->oc;
    p->elements = md_nelems(cv->wei.md, false);
    p->rows = cv->mb * p->win.out[0] * p->win.out[1];
    return p->elements > INT32_MAX ? "weights have 2^31 or more elements" : NULL;
}

/* As many chunks as keep the device busy, and no sum of so many terms that a float loses the next
 * ones. */
static void set_chunks(diff_weights_t *x) {
    enum { ITEMS = 8192, MOST_SUMMED = 1 << 20 };
    cv_diff_weights_t *p = &x->p;
    const int64_t row = max_i64(p->win.out[2], 1);
    const int64_t wanted = max_i64(ITEMS / p->elements, div_up(p->rows * row, MOST_SUMMED));
    p->chunk = div_up(p->rows, max_i64(1, min_i64(wanted, p->rows)));
    x->chunks = div_up(p->rows, p->chunk);
}

/* The kernel's sums: a matrix with a row for each chunk. */
static const char *place_sums(planner_t *p, diff_weights_t *x, dnnl_data_type_t dt) {
    const dnnl_dims_t all = {x->chunks, x->p.elements}, one = {1, x->p.elements};
    REFUSE_IF(why_not_of(md_init_strides(&x->sums_md, 2, all, dt, NULL), "the sums are too large"));
    REFUSE_IF(
            why_not_of(md_init_strides(&x->total_md, 2, one, dt, NULL), "the sums are too large"));
    x->sums = operand_in_scratch(p, &x->sums_md);
    x->total = x->chunks > 1 ? operand_in_scratch(p, &x->total_md) : x->sums;
    return NULL;
}

static const char *write_sums(planner_t *p, int variant, const diff_weights_t *x) {
    enum { GROUP = 16 };
    const uint32_t size[3] = {GROUP, 1, 1};
    const uint32_t count[3] = {(uint32_t)div_up(x->p.elements, GROUP), (uint32_t)x->chunks, 1};
    if (x->chunks > UINT32_MAX) return "the images have too many rows";
    plan_step(p->plan, variant, size, count);
    plan_spec(p->plan, SPEC_SRC_DT, (uint32_t)x->in.md->data_type);
    plan_spec(p->plan, SPEC_SRC1_DT, (uint32_t)x->out.md->data_type);
    plan_spec(p->plan, SPEC_DST_DT, (uint32_t)x->sums_md.data_type);
    plan_spec(p->plan, SPEC_FLAGS, x->cv.transposed ? CVF_TRANSPOSED : 0);
    bind_operand(p->plan, &x->in);
    bind_operand(p->plan, &x->out);
    bind_operand(p->plan, &x->sums);
    plan_const(p->plan, &x->p, sizeof(x->p));
    if (x->chunks == 1) return NULL;
    const reduce_job_t sum = {.src = x->sums, .dst = x->total, .op = RED_SUM, .finish = RED_KEEP};
    return reduce_steps(p, -1, &sum);
}

/* The totals are weights with input channels fastest, before them the taps. */
static const char *copy_total(planner_t *p, diff_weights_t *x, dnnl_data_type_t dt) {
    const md_t *wei = x->cv.wei.md;
    const int first = x->cv.with_groups;
    dnnl_dims_t strides;
    strides[first + 1] = 1;
    int64_t stride = wei->dims[first + 1];
    for (int d = wei->ndims - 1; d >= 0; d--) {
        if (d == first + 1) continue;
        strides[d] = stride;
        stride *= wei->dims[d];
    }
    REFUSE_IF(why_not_of(md_init_strides(&x->weights_md, wei->ndims, wei->dims, dt, strides),
            "weights are too large"));
    const operand_t total = {&x->weights_md, -1, x->total.offset};
    return ew_copy(p, -1, &total, &x->cv.wei);
}

/* The sum of diff_dst over images and positions. */
static const char *plan_bias(planner_t *p, const conv_t *cv) {
    const int slot = pd_find_arg(p->pd, DNNL_ARG_DIFF_BIAS);
    if (slot < 0) return NULL;
    const md_t *bias = planner_md(p, slot);
    const dnnl_dims_t dims = {1, bias->dims[0], 1, 1, 1};
    md_t channels;
    REFUSE_IF(why_not_of(md_init_strides(&channels, cv->ndims, dims, bias->data_type, NULL),
            "the bias is too large"));
    channels.offset0 = bias->offset0;
    const reduce_job_t sum = {
            .src = cv->dst, .dst = {&channels, slot, 0}, .op = RED_SUM, .finish = RED_KEEP};
    return reduce_steps(p, -1, &sum);
}

const char *conv_plan_diff_weights(planner_t *p, int variant) {
    diff_weights_t x;
    memset(&x, 0, sizeof(x));
    x.cv = conv_of(p);
    const bool doubles = x.cv.src.md->data_type == dnnl_f64;
    if (doubles && !variants[variant].needs_fp64) return "the data is double precision";
    const dnnl_data_type_t dt = doubles ? dnnl_f64 : dnnl_f32;
    REFUSE_IF(place_images(&x));
    REFUSE_IF(set_params(&x));
    set_chunks(&x);
    REFUSE_IF(place_sums(p, &x, dt));
    REFUSE_IF(write_sums(p, variant, &x));
    REFUSE_IF(copy_total(p, &x, dt));
    return plan_bias(p, &x.cv);
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
    planner_t p = planner_of(pd, caps);
    TRY(plan_with_variants(&p, pd, "conv_diff_weights"));
    snprintf(pd->impl_name, sizeof(pd->impl_name), "ze:%s:%s", target_name(&variants[pd->variant]),
            variants[pd->variant].entry);
    return planner_finish(&p, pd);
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
