/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a depthwise convolution on a CPU: vectors of 16 channels. */
#include "core/status.h"
#include "core/util.h"
#include "ops/conv/cpu.h"

enum { LANES = 16 };

/* What the kernel reads and writes. It points into itself: not to be copied. */
typedef struct {
    operand_t src, wei;
    md_t copy, packed;
    bool has_zero_point; /* the kernel applies it; else the copy of the source has it applied */
    result_t r;
    cv_depthwise_t p;
} depthwise_t;

/* Float sums of so many products of 8 bits are exact: of at most 255 * 128, or 255 * 255. */
static int64_t most_taps(const conv_t *cv) {
    return cv->wei.md->data_type == dnnl_u8 ? 256 : 512;
}

static bool is_depthwise(const conv_t *cv) {
    return cv->with_groups && cv->ic == 1 && cv->oc == 1 && conv_slides_over_source(cv) &&
           (int64_t)cv->win.k[0] * cv->win.k[1] * cv->win.k[2] <= most_taps(cv);
}

static const char *depthwise_tag(const conv_t *cv) {
    static const char *const tags[] = {"Abcd16a", "Abcde16a", "Abcdef16a"};
    return tags[cv->ndims - 3];
}

const char *conv_cpu_depthwise_weights(const conv_t *cv) {
    const bool runs = cv->caps->is_cpu && cv->src.md->data_type != dnnl_f64;
    return runs && is_depthwise(cv) ? depthwise_tag(cv) : NULL;
}

static const char *check(const conv_t *cv) {
    if (cv->mb == 0 || md_has_zero_dim(cv->dst.md)) return "there is nothing to do";
    if (!is_depthwise(cv)) return "it is not a depthwise convolution";
    if (cv->src.md->data_type == dnnl_f64) return "the data is double precision";
    if (conv_has_zero_point(cv, DNNL_ARG_WEIGHTS)) return "weights have a zero point";
    return NULL;
}

/* The source where it is if vectors can read it, else a copy. */
static const char *place_source(const conv_t *cv, depthwise_t *x) {
    cv_tensor_t *t = &x->p.src;
    x->src = cv->src;
    x->has_zero_point = false;
    if (!image_tensor(t, cv->src.md) || (t->c_inner != 1 && cv->groups != 1) ||
            (t->block % LANES && t->block < cv->groups))
        return conv_prepare_source(cv, &x->p.win, t, &x->src, &x->copy);
    x->has_zero_point = conv_has_zero_point(cv, DNNL_ARG_SRC);
    return NULL;
}

static const char *set_params(const conv_t *cv, depthwise_t *x, int64_t *blocks) {
    cv_depthwise_t *p = &x->p;
    const conv_zero_point_t zero = conv_zero_point(cv, DNNL_ARG_SRC);
    const int32_t *out = p->win.out, *k = p->win.k;
    const int64_t rows = cv->mb * out[0] * out[1], taps = k[0] * k[1] * k[2];
    if (rows > INT32_MAX / 2) return "dst is too large";
    p->channels = (int32_t)cv->groups;
    p->padded_channels = (int32_t)(x->r.complete ? cv->dst.md->padded_dims[1] : cv->groups);
    p->za_dt = zero.dt;
    p->za_step = zero.step;
    *blocks = div_up(p->padded_channels, LANES);
    const int64_t wanted = (int64_t)max_i64(cv->caps->compute_units, 1) * CONV_GROUPS_PER_UNIT,
                  products = max_i64(taps * LANES * out[2], 1);
    p->nrows = (int32_t)rows;
    p->rows = (int32_t)max_i64(
            1, min_i64(rows * *blocks / wanted, CONV_PRODUCTS_PER_GROUP / products));
    return NULL;
}

static const char *write_step(const conv_t *cv, int variant, const depthwise_t *x, int64_t blocks) {
    const uint32_t size[3] = {1, 1, 1};
    const uint32_t count[3] = {(uint32_t)blocks, (uint32_t)div_up(x->p.nrows, x->p.rows), 1};
    plan_t *plan = cv->p->plan;
    plan_step(plan, variant, size, count);
    result_specs(plan, &x->r, x->src.md->data_type, x->wei.md->data_type,
            x->has_zero_point ? CVF_ZA : 0);
    bind_operand(plan, &x->src);
    bind_operand(plan, &x->wei);
    bind_operand(plan, &x->r.to);
    plan_const(plan, &x->p, sizeof(x->p));
    bind_zero_point(cv->p, DNNL_ARG_SRC);
    epilogue_args(&x->r.seg, cv->pd, cv->p->mds, plan);
    return result_finish(cv->p, &x->r);
}

const char *conv_plan_cpu_depthwise(planner_t *p, int variant) {
    const conv_t cv = conv_of(p);
    depthwise_t x = {.p = {.win = conv_source_window(&cv)}};
    int64_t blocks;
    REFUSE_IF(check(&cv));
    REFUSE_IF(conv_pack_weights(&cv, depthwise_tag(&cv), cv.wei.md->data_type, &x.wei, &x.packed));
    REFUSE_IF(place_source(&cv, &x));
    REFUSE_IF(conv_result(&cv, (conv_stores_t){.lanes = LANES}, &x.r, &x.p.dst));
    REFUSE_IF(result_has_doubles(&x.r));
    REFUSE_IF(set_params(&cv, &x, &blocks));
    return write_step(&cv, variant, &x, blocks);
}
