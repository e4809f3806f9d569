/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation by weights: the images that its kernels read, and what follows the sums over
 * chunks of them. A reduction adds up the chunks, and a copy gives the total layout and type. The
 * weights of a deconvolution have the gradient of a convolution whose source and diff_dst are
 * exchanged. A kernel of its own sums each element of the weights over rows of the image. */
#include "ops/conv/diff_weights.h"

#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "kernels/conv/conv_params.h"
#include "ops/conv/planners.h"
#include "plan/device.h"
#include "plan/variant.h"
#include "steps/reduction_steps.h"

/* ---- images ---- */

static const char *place_image(
        const conv_t *cv, const operand_t *image, operand_t *at, md_t *plain, cv_tensor_t *t) {
    const md_t *from = image->md;
    *at = *image;
    if (dt_is_nibble(from->data_type)) {
        REFUSE_IF(
                why_not_of(md_init_string_tag(plain, cv->ndims, from->dims,
                                   conv_byte_type(from->data_type), image_channels_last(cv->ndims)),
                        "an image is too large to be copied"));
        image_tensor(t, plain);
        return image_copy(cv->p, image, plain, at);
    }
    if (image_tensor(t, from)) return NULL;
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

const char *diff_weights_init(diff_weights_t *x, planner_t *p) {
    memset(x, 0, sizeof(*x));
    x->cv = conv_of(p);
    REFUSE_IF(place_images(x));
    return set_params(x);
}

bool diff_weights_is_matrix(const cv_tensor_t *t, const md_t *md, const int32_t *size) {
    return t->block >= md->dims[1] && image_is_even(t, size);
}

/* ---- sums ---- */

/* The sums: a matrix with a row for each chunk. */
const char *diff_weights_place_sums(diff_weights_t *x, dnnl_data_type_t dt) {
    planner_t *p = x->cv.p;
    const dnnl_dims_t all = {x->chunks, x->p.elements}, one = {1, x->p.elements};
    static const char too_large[] = "the sums are too large";
    REFUSE_IF(why_not_of(md_init_strides(&x->sums_md, 2, all, dt, NULL), too_large));
    REFUSE_IF(why_not_of(md_init_strides(&x->total_md, 2, one, dt, NULL), too_large));
    x->sums = operand_in_scratch(p, &x->sums_md);
    x->total = x->chunks > 1 ? operand_in_scratch(p, &x->total_md) : x->sums;
    return NULL;
}

static const char *add_up(diff_weights_t *x) {
    if (x->chunks == 1) return NULL;
    const reduce_job_t sum = {.src = x->sums, .dst = x->total, .op = RED_SUM, .finish = RED_KEEP};
    return reduce_steps(x->cv.p, -1, &sum);
}

/* The totals are weights with the channels of one image fastest, before them the taps. */
static const char *copy_total(diff_weights_t *x) {
    const md_t *wei = x->cv.wei.md;
    const int first = x->cv.with_groups;
    const bool by_source = x->rows_of_out && x->cv.transposed;
    const int fast = by_source ? first : first + 1, slow = by_source ? first + 1 : first;
    dnnl_dims_t strides;
    strides[fast] = 1;
    int64_t stride = wei->dims[fast];
    for (int d = wei->ndims - 1; d >= first + 2; d--) {
        strides[d] = stride;
        stride *= wei->dims[d];
    }
    strides[slow] = stride;
    if (first) strides[0] = stride * wei->dims[slow];
    REFUSE_IF(why_not_of(
            md_init_strides(&x->weights_md, wei->ndims, wei->dims, x->total_md.data_type, strides),
            "weights are too large"));
    const operand_t total = {&x->weights_md, -1, x->total.offset};
    return ew_copy(x->cv.p, -1, &total, &x->cv.wei);
}

/* The sum of diff_dst over images and positions. */
static const char *plan_bias(const diff_weights_t *x) {
    const conv_t *cv = &x->cv;
    planner_t *p = cv->p;
    const int slot = pd_find_arg(p->pd, DNNL_ARG_DIFF_BIAS);
    if (slot < 0) return NULL;
    const md_t *bias = planner_md(p, slot);
    const dnnl_dims_t dims = {1, bias->dims[0], 1, 1, 1};
    md_t channels;
    REFUSE_IF(why_not_of(md_init_strides(&channels, cv->ndims, dims, bias->data_type, NULL),
            "the bias is too large"));
    channels.offset0 = bias->offset0;
    const reduce_job_t sum = {.src = cv->transposed ? x->in : x->out,
            .dst = {&channels, slot, 0},
            .op = RED_SUM,
            .finish = RED_KEEP};
    return reduce_steps(p, -1, &sum);
}

const char *diff_weights_finish(diff_weights_t *x) {
    REFUSE_IF(add_up(x));
    REFUSE_IF(copy_total(x));
    return plan_bias(x);
}

/* ---- the kernel that sums each element ---- */

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
    return NULL;
}

const char *conv_plan_diff_weights(planner_t *p, int variant) {
    diff_weights_t x;
    REFUSE_IF(diff_weights_init(&x, p));
    const bool doubles = x.cv.src.md->data_type == dnnl_f64;
    if (doubles && !variants[variant].needs_fp64) return "the data is double precision";
    set_chunks(&x);
    REFUSE_IF(diff_weights_place_sums(&x, doubles ? dnnl_f64 : dnnl_f32));
    REFUSE_IF(write_sums(p, variant, &x));
    return diff_weights_finish(&x);
}
