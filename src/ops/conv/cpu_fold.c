/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of deconvolutions to few channels for CPUs: a vector holds channels and the taps of a
 * row. */
#include "core/status.h"
#include "core/util.h"
#include "ops/conv/cpu.h"
#include "plan/type_rules.h"
#include "plan/variant.h"

/* A row of taps takes as long here as two taps in the other tiles. The taps beyond two, times the
 * channels of src, have to pay for adding up what overlaps. */
enum { FREE_TAPS = 2, LEAST_GAIN = 9 };

/* It points into itself: not to be copied. */
typedef struct {
    operand_t src, wei;
    md_t src_md, wei_md;
    result_t r;
    cv_fold_t p;
} fold_t;

static int64_t columns_of(const conv_t *cv) {
    return cv->oc * cv->win.k[2];
}

static const char *check(const conv_t *cv, int variant) {
    if (cv->mb == 0 || md_has_zero_dim(cv->dst.md)) return "there is nothing to do";
    if (!cv->transposed) return "it is no deconvolution";
    if (cv->groups > 1) return "there are groups";
    if (!dt_in(cv->src.md, FLOATS) || !dt_in(cv->wei.md, FLOATS))
        return "inputs are not f32, f16 or bf16";
    if (cv->win.dilation[2] > 1) return "the taps of a row are apart";
    if (columns_of(cv) > CV_FOLD_COLUMNS) return "a row of taps has more columns than the tile";
    if (variant_is_forced(cv->pd, variant)) return NULL;
    if ((cv->win.k[2] - FREE_TAPS) * cv->ic < LEAST_GAIN)
        return "adding up what overlaps takes longer than the products";
    return NULL;
}

/* ---- inputs ---- */

static const char *place_source(const conv_t *cv, fold_t *x) {
    cv_tensor_t *t = &x->p.src;
    const md_t *md = cv->src.md;
    x->src = cv->src;
    if (md->data_type == dnnl_f32 && image_tensor(t, md) && t->block >= cv->ic &&
            (t->c_inner == 1 || cv->ic == 1))
        return NULL;
    REFUSE_IF(why_not_of(md_init_string_tag(&x->src_md, md->ndims, md->dims, dnnl_f32,
                                 image_channels_last(md->ndims)),
            "a copy of src would be too large"));
    REFUSE_IF(image_copy(cv->p, &cv->src, &x->src_md, &x->src));
    image_tensor(t, &x->src_md);
    return NULL;
}

/* Rows of taps, channels of src, and CV_FOLD_COLUMNS columns. */
static const char *place_weights(const conv_t *cv, fold_t *x) {
    const md_t *md = cv->wei.md;
    const int first = cv->with_groups;
    dnnl_dims_t strides;
    int64_t stride = cv->ic * CV_FOLD_COLUMNS;
    strides[first] = 1;
    strides[first + 1] = CV_FOLD_COLUMNS;
    for (int d = md->ndims - 1; d >= first + 2; d--) {
        const bool is_row = d == md->ndims - 1;
        strides[d] = is_row ? cv->oc : stride;
        if (!is_row) stride *= md->dims[d];
    }
    if (first) strides[0] = stride;
    REFUSE_IF(why_not_of(md_init_strides(&x->wei_md, md->ndims, md->dims, dnnl_f32, strides),
            "a copy of the weights would be too large"));
    /* The last columns are read too. */
    x->wei = (operand_t){&x->wei_md, -1, planner_reserve(cv->p, (uint64_t)stride * sizeof(float))};
    return ew_copy(cv->p, -1, &cv->wei, &x->wei);
}

/* ---- the plan ---- */

static const char *set_params(const conv_t *cv, fold_t *x) {
    cv_fold_t *p = &x->p;
    const int64_t rows = cv->mb * cv->win.out[0] * cv->win.out[1],
                  groups = CONV_GROUPS_PER_UNIT * (int64_t)max_i64(cv->caps->compute_units, 1);
    if (rows > INT32_MAX / 2) return "dst is too large";
    p->win = cv->win;
    p->ic = (int32_t)cv->ic;
    p->oc = (int32_t)cv->oc;
    p->padded_oc = (int32_t)conv_padded_oc(cv, &x->r);
    p->columns = (int32_t)columns_of(cv);
    p->margin = (int32_t)(p->columns - cv->oc);
    p->rows = (int32_t)rows;
    p->rows_of_item = (int32_t)max_i64(1, rows / groups);
    p->segment = (int32_t)min_i64(p->win.out[2], (CV_FOLD_SUMS - 2 * CV_FOLD_COLUMNS) / cv->oc);
    return NULL;
}

const char *conv_plan_cpu_fold(planner_t *planner, int variant) {
    const conv_t cv = conv_of(planner);
    REFUSE_IF(check(&cv, variant));
    fold_t x = {.p = {.ic = 0}};
    REFUSE_IF(conv_result(&cv, (conv_stores_t){.lanes = 1}, &x.r, &x.p.dst));
    if (x.r.seg.count) return "the kernel applies no attributes and no bias";
    REFUSE_IF(result_has_doubles(&x.r));
    REFUSE_IF(place_source(&cv, &x));
    REFUSE_IF(place_weights(&cv, &x));
    REFUSE_IF(set_params(&cv, &x));
    const uint32_t size[3] = {1, 1, 1};
    const uint32_t count[3] = {(uint32_t)div_up(x.p.rows, x.p.rows_of_item),
            (uint32_t)div_up(x.p.win.out[2], x.p.segment), 1};
    plan_step(planner->plan, variant, size, count);
    plan_spec(planner->plan, SPEC_DST_DT, (uint32_t)x.r.to.md->data_type);
    bind_operand(planner->plan, &x.src);
    bind_operand(planner->plan, &x.wei);
    bind_operand(planner->plan, &x.r.to);
    plan_const(planner->plan, &x.p, sizeof(x.p));
    return result_finish(planner, &x.r);
}
