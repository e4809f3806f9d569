/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling: an image of another size, from the nearest elements or by linear interpolation. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "kernels/window/resample_params.h"
#include "ops/window/planners.h"
#include "ops/window/window.h"
#include "plan/check.h"
#include "plan/device.h"
#include "plan/op.h"

/* A destination that is not given has the size that the factors say. */
static dnnl_status_t make_destination(pd_t *pd) {
    const md_t src = *pd_md(pd, DNNL_ARG_SRC);
    if (pd_find_arg(pd, DNNL_ARG_DST) >= 0) return dnnl_success;
    md_t dst;
    dnnl_dims_t dims;
    if (src.ndims < 3 || src.ndims > 5)
        return verbose_check(
                dnnl_invalid_arguments, "resampling", "the source has %d dimensions", src.ndims);
    for (int d = 0; d < src.ndims; d++) {
        const double size = d < 2 ? (double)src.dims[d]
                                  : (double)src.dims[d] * (double)pd->params.factors[d - 2];
        if (!(size >= 0 && size < INT32_MAX))
            return verbose_check(dnnl_invalid_arguments, "resampling",
                    "the factor of dimension %d is out of range", d);
        dims[d] = (dnnl_dim_t)size;
    }
    TRY(md_init_tag(&dst, src.ndims, dims, src.data_type, dnnl_format_tag_any));
    return pd_add_arg(pd, DNNL_ARG_DST, PD_OUT, &dst);
}

/* A query of the factors answers what the sizes say, whatever the caller gave. */
static void set_factors(pd_t *pd, const md_t *src, const md_t *dst) {
    for (int d = 2; d < src->ndims; d++)
        pd->params.factors[d - 2] =
                src->dims[d] ? (float)((double)dst->dims[d] / (double)src->dims[d]) : 1;
}

static dnnl_status_t check_algorithm(const pd_t *pd) {
    const dnnl_alg_kind_t alg = pd->params.alg_kind;
    if (alg != dnnl_resampling_nearest && alg != dnnl_resampling_linear)
        return verbose_check(
                dnnl_invalid_arguments, "resampling", "the algorithm is not one of this primitive");
    return dnnl_success;
}

static dnnl_status_t check_sizes(const md_t *src, const md_t *dst) {
    if (src->data_type == dnnl_f64 || dst->data_type == dnnl_f64)
        return verbose_refuse(
                dnnl_unimplemented, "resampling", "the data type f64 is not supported");
    for (int d = 2; d < src->ndims; d++)
        if (src->dims[d] == 0 && dst->dims[d] > 0)
            return verbose_check(
                    dnnl_invalid_arguments, "resampling", "dimension %d of the source is empty", d);
    return dnnl_success;
}

/* ---- plans ---- */

typedef struct {
    window_t w;
    window_tensors_t x;
    resample_params_t p;
} resample_t;

static uint32_t flags_of(const resample_t *rs) {
    return rs->w.pd->params.alg_kind == dnnl_resampling_linear ? RSF_LINEAR : 0;
}

/* A kernel of a CPU writes past the caches if the destination is larger than they are. */
static uint32_t cpu_flags_of(const resample_t *rs) {
    const bool large = rs->x.r.complete && md_size(rs->w.dst.md, 0) >= STREAM_BYTES;
    const bool twice = rs->p.out[2] == 2 * rs->p.in[2];
    return flags_of(rs) | (large ? RSF_STREAM : 0) | (twice ? RSF_TWICE : 0);
}

/* The parameters that all kernels read, once the tensors are there. */
static const char *set_params(resample_t *rs) {
    if (window_has_doubles(&rs->w, &rs->x.r)) return "the data is double precision";
    memcpy(rs->p.in, rs->w.win.in, sizeof(rs->p.in));
    memcpy(rs->p.out, rs->w.win.out, sizeof(rs->p.out));
    rs->p.channels = (int32_t)rs->w.channels;
    rs->p.padded_channels = window_padded_channels(&rs->w, &rs->x.r);
    return NULL;
}

static const char *write_step(const resample_t *rs, int variant, const uint32_t size[3],
        const uint32_t count[3], uint32_t flags) {
    plan_t *plan = rs->w.p->plan;
    plan_step(plan, variant, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)rs->x.src.md->data_type);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)rs->x.r.to.md->data_type);
    plan_spec(plan, SPEC_FLAGS, flags);
    epilogue_specs(&rs->x.r.seg, plan);
    window_bind(&rs->w, &rs->x);
    plan_const(plan, &rs->p, sizeof(rs->p));
    epilogue_args(&rs->x.r.seg, rs->w.pd, rs->w.p->mds, plan);
    return window_finish(&rs->w, &rs->x);
}

const char *resample_plan_portable(planner_t *p, int variant) {
    resample_t rs = {.w = window_of(p)};
    uint32_t size[3], count[3];
    REFUSE_IF(window_tensors(&rs.w, 1, &rs.x, &rs.p.src, &rs.p.dst));
    REFUSE_IF(set_params(&rs));
    REFUSE_IF(window_count_points(&rs.w, rs.p.padded_channels, size, count));
    return write_step(&rs, variant, size, count, flags_of(&rs));
}

/* Do images follow each other at the distance of channels? */
static bool is_even(const cv_tensor_t *t, int64_t channels) {
    return t->n == channels * t->c_inner;
}

static uint32_t group_flags_of(const resample_t *rs, bool along_channels) {
    const resample_params_t *p = &rs->p;
    uint32_t flags = flags_of(rs);
    const bool planes = min_i64(p->src.block, p->dst.block) >= p->padded_channels,
               even = along_channels ||
                      (planes && is_even(&p->src, p->channels) && is_even(&p->dst, p->channels));
    if (along_channels) flags |= RSF_CHANNELS;
    if (p->in[0] == 1 && p->out[0] == 1) flags |= RSF_FLAT;
    if (planes) flags |= RSF_PLANES;
    if (!even || p->channels != p->padded_channels || rs->x.r.seg.count) return flags;
    /* Eight corners or four of several planes at once would take too many registers. */
    if (!(flags & RSF_LINEAR)) return flags | RSF_EVEN;
    /* Where channels are next to each other, strips were slower. */
    const bool strips = flags & RSF_FLAT && !along_channels && p->out[1] >= RS_STRIP;
    return strips ? flags | RSF_STRIP : flags;
}

const char *resample_plan_group(planner_t *p, int variant) {
    resample_t rs = {.w = window_of(p)};
    window_points_t points;
    REFUSE_IF(window_tensors(&rs.w, 1, &rs.x, &rs.p.src, &rs.p.dst));
    REFUSE_IF(set_params(&rs));
    REFUSE_IF(window_check_near(&rs.w, &rs.x, &rs.p.src));
    REFUSE_IF(window_points(&rs.w, &rs.p.dst, rs.p.padded_channels, &points));
    const uint32_t flags = group_flags_of(&rs, points.along_channels);
    if (flags & RSF_STRIP) {
        window_t strips = rs.w;
        strips.win.out[1] = (int32_t)div_up(strips.win.out[1], RS_STRIP);
        REFUSE_IF(window_points(&strips, &rs.p.dst, rs.p.padded_channels, &points));
    }
    rs.p.rows = points.rows;
    rs.p.nrows = points.nrows;
    return write_step(&rs, variant, points.size, points.count, flags);
}

/* Divides the work of a CPU: `chunks` work-items share a row, and each does `elements` of it. */
static const char *write_cpu_step(
        resample_t *rs, int variant, int64_t nrows, int64_t chunks, int64_t elements) {
    enum { ITEM_ELEMENTS = 16384 }; /* of a work-item: with more, cores wait for the last one */
    const int64_t items = window_cpu_items(&rs->w);
    const uint32_t size[3] = {1, 1, 1};
    rs->p.nrows = (int32_t)nrows;
    rs->p.rows = (int32_t)max_i64(
            1, min_i64(div_up(nrows * chunks, items), ITEM_ELEMENTS / max_i64(elements, 1)));
    const uint32_t count[3] = {(uint32_t)chunks, (uint32_t)div_up(nrows, rs->p.rows), 1};
    return write_step(rs, variant, size, count, cpu_flags_of(rs));
}

/* Counts the rows of the destination along the width, over all images and depths. */
static const char *count_rows(const resample_t *rs, int64_t *nrows) {
    uint32_t size[3], count[3];
    REFUSE_IF(window_count_points(&rs->w, rs->p.padded_channels, size, count));
    *nrows = rs->w.mb * rs->p.out[0] * rs->p.out[1];
    return *nrows > INT32_MAX / max_i64(rs->p.padded_channels, 1) ? "there are too many rows"
                                                                  : NULL;
}

const char *resample_plan_cpu_channels(planner_t *p, int variant) {
    resample_t rs = {.w = window_of(p)};
    int64_t nrows;
    REFUSE_IF(window_tensors(&rs.w, 16, &rs.x, &rs.p.src, &rs.p.dst));
    REFUSE_IF(window_check_chunks(&rs.p.src, &rs.p.dst, rs.w.channels));
    REFUSE_IF(set_params(&rs));
    REFUSE_IF(count_rows(&rs, &nrows));
    const int64_t channels = rs.p.padded_channels;
    const bool blocked = rs.p.src.block < channels || rs.p.dst.block < channels;
    rs.p.chunk = (int32_t)(blocked ? min_i64(rs.p.src.block, rs.p.dst.block)
                                   : (channels + 15) / 16 * 16);
    return write_cpu_step(
            &rs, variant, nrows, div_up(channels, rs.p.chunk), (int64_t)rs.p.chunk * rs.p.out[2]);
}

/* Positions of the destination that a work-item interpolates at once. Its buffer has room for
 * RS_MAX_ROW elements of the source: those up to the last position, and one more. */
static int32_t span_of(const cv_window_t *win) {
    const int64_t most = (RS_MAX_ROW - 4) * (int64_t)win->out[2] / max_i64(win->in[2], 1);
    return (int32_t)max_i64(16, min_i64(RS_MAX_ROW, most) / 16 * 16);
}

const char *resample_plan_cpu_rows(planner_t *p, int variant) {
    resample_t rs = {.w = window_of(p)};
    const cv_window_t *win = &rs.w.win;
    int64_t nrows;
    REFUSE_IF(window_tensors(&rs.w, 1, &rs.x, &rs.p.src, &rs.p.dst));
    if (rs.p.src.sp[2] != 1 && win->in[2] > 1) return "rows are not contiguous";
    if ((int64_t)win->in[2] * 16 > (RS_MAX_ROW - 4) * (int64_t)win->out[2])
        return "rows shrink too much";
    REFUSE_IF(window_width_last(&rs.w, &rs.x, &rs.p.dst));
    REFUSE_IF(set_params(&rs));
    REFUSE_IF(count_rows(&rs, &nrows));
    rs.p.span = span_of(win);
    return write_cpu_step(
            &rs, variant, nrows * rs.p.padded_channels, div_up(win->out[2], rs.p.span), rs.p.span);
}

static const char *write_backward_step(
        const resample_t *rs, int variant, const uint32_t size[3], const uint32_t count[3]) {
    plan_t *plan = rs->w.p->plan;
    plan_step(plan, variant, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)rs->x.src.md->data_type);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)rs->x.r.to.md->data_type);
    plan_spec(plan, SPEC_FLAGS, flags_of(rs));
    window_bind(&rs->w, &rs->x);
    plan_const(plan, &rs->p, sizeof(rs->p));
    return window_finish(&rs->w, &rs->x);
}

const char *resample_plan_backward(planner_t *p, int variant) {
    resample_t rs = {.w = window_of(p)};
    uint32_t size[3], count[3];
    REFUSE_IF(window_tensors(&rs.w, 1, &rs.x, &rs.p.src, &rs.p.dst));
    REFUSE_IF(set_params(&rs));
    REFUSE_IF(window_count_points(&rs.w, rs.p.padded_channels, size, count));
    return write_backward_step(&rs, variant, size, count);
}

const char *resample_plan_backward_channels(planner_t *p, int variant) {
    enum { LANES = 16 };
    resample_t rs = {.w = window_of(p)};
    REFUSE_IF(window_tensors(&rs.w, LANES, &rs.x, &rs.p.src, &rs.p.dst));
    REFUSE_IF(window_check_chunks(&rs.p.src, &rs.p.dst, rs.w.channels));
    REFUSE_IF(set_params(&rs));
    const int64_t channels = div_up(rs.p.padded_channels, LANES) * LANES,
                  nrows = rs.w.mb * rs.p.in[0] * rs.p.in[1];
    if (nrows > INT32_MAX / 2) return "there are too many rows";
    rs.p.chunk = (int32_t)min_i64(channels, min_i64(rs.p.src.block, rs.p.dst.block));
    const int64_t chunks = div_up(rs.p.padded_channels, rs.p.chunk);
    rs.p.nrows = (int32_t)nrows;
    rs.p.rows = (int32_t)div_up(nrows * chunks, window_cpu_items(&rs.w));
    return write_backward_step(&rs, variant, (const uint32_t[]){1, 1, 1},
            (const uint32_t[]){(uint32_t)chunks, (uint32_t)div_up(nrows, rs.p.rows), 1});
}

const char *resample_plan_backward_rows(planner_t *p, int variant) {
    resample_t rs = {.w = window_of(p)};
    const cv_window_t *win = &rs.w.win;
    int64_t nrows;
    REFUSE_IF(window_tensors(&rs.w, 1, &rs.x, &rs.p.src, &rs.p.dst));
    REFUSE_IF(set_params(&rs));
    if (rs.p.src.sp[2] != 1 && win->out[2] > 1) return "rows are not contiguous";
    if (max_i64(win->in[2], win->out[2]) > RS_BACKWARD_ROW) return "rows are too long";
    if (!mul_ok(rs.w.mb * rs.p.padded_channels, (int64_t)win->in[0] * win->in[1], &nrows) ||
            nrows > INT32_MAX / 2)
        return "there are too many rows";
    rs.p.nrows = (int32_t)nrows;
    rs.p.rows = (int32_t)div_up(nrows, window_cpu_items(&rs.w));
    return write_backward_step(&rs, variant, (const uint32_t[]){1, 1, 1},
            (const uint32_t[]){1, (uint32_t)div_up(nrows, rs.p.rows), 1});
}

/* ---- the primitive ---- */

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    TRY(check_algorithm(pd));
    TRY(make_destination(pd));
    TRY(window_check(pd));
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *dst = pd_md(pd, DNNL_ARG_DST);
    TRY(check_sizes(src, dst));
    set_factors(pd, src, dst);
    TRY(attr_check(pd, ATTR_POST_OPS, POST_OP_ELTWISE | POST_OP_BINARY | POST_OP_SUM, NULL));
    TRY(attr_add_args(pd));
    return window_plan(pd, caps, "resampling");
}

/* The gradient of the destination has the layout of the forward one, that of the source follows. */
static dnnl_status_t resolve_gradients(pd_t *pd, md_t *diff_src, md_t *diff_dst) {
    const pd_t *hint = pd->request.hint_fwd;
    if (md_is_any(diff_dst) && !hint)
        return verbose_refuse(dnnl_unimplemented, "resampling",
                "the gradient of the destination has no layout, and there is no hint");
    TRY(ew_resolve(pd, diff_dst, hint ? pd_md(hint, DNNL_ARG_DST) : NULL,
            "the gradient of the destination"));
    return ew_resolve(pd, diff_src, diff_dst, "the gradient of the source");
}

static dnnl_status_t init_backward(pd_t *pd, const caps_t *caps) {
    md_t *diff_src = &pd->args[pd_find_arg(pd, DNNL_ARG_DIFF_SRC)].md;
    md_t *diff_dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DIFF_DST)].md;
    TRY(check_algorithm(pd));
    TRY(window_check_backward(pd));
    TRY(check_sizes(diff_src, diff_dst));
    TRY(resolve_gradients(pd, diff_src, diff_dst));
    set_factors(pd, diff_src, diff_dst);
    TRY(attr_add_args(pd));
    return window_plan(pd, caps, "resampling_backward");
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    return window_format(pd, false, buf, size);
}

const op_kind_t op_resampling = {.kind = dnnl_resampling,
        .name = "resampling",
        .init = init,
        .format_problem = format_problem,
        .format_aux = format_alg};

const op_kind_t op_resampling_backward = {.kind = dnnl_resampling,
        .directions = DIRECTION_BACKWARD_DATA,
        .name = "resampling",
        .init = init_backward,
        .format_problem = format_problem,
        .format_aux = format_alg};
