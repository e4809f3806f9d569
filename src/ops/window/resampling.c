/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling: images of another size, from the nearest element or linear between the nearest ones. */
#include <string.h>

#include "core/util.h"
#include "core/verbose.h"
#include "plan/op.h"
#include "plan/variant.h"
#include "ops/window/window.h"
#include "kernels/window/resample_params.h"

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
    const dnnl_status_t status =
            md_init_tag(&dst, src.ndims, dims, src.data_type, dnnl_format_tag_any);
    return status == dnnl_success ? pd_add_arg(pd, DNNL_ARG_DST, PD_OUT, &dst) : status;
}

static dnnl_status_t check_sizes(const pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *dst = pd_md(pd, DNNL_ARG_DST);
    if (src->data_type == dnnl_f64 || dst->data_type == dnnl_f64)
        return verbose_refuse(dnnl_unimplemented, "resampling", "the data type f64 is not taken");
    for (int d = 2; d < src->ndims; d++)
        if (src->dims[d] == 0 && dst->dims[d] > 0)
            return verbose_check(
                    dnnl_invalid_arguments, "resampling", "dimension %d of the source is empty", d);
    return dnnl_success;
}

/* Rows and channels of a work-item of a CPU. */
static void share_work(
        resample_params_t *p, const conv_t *sp, bool by_channels, uint32_t count[3]) {
    enum { ITEM_ELEMENTS = 16384 };
    const int64_t items = 8 * max_i64(sp->caps->compute_units, 1), channels = p->padded_channels;
    int64_t nrows = sp->mb * sp->win.out[0] * sp->win.out[1], chunks, row;
    if (by_channels) {
        const bool blocked = p->src.block < channels || p->dst.block < channels;
        p->chunk = (int32_t)(blocked ? min_i64(p->src.block, p->dst.block)
                                     : (channels + 15) / 16 * 16);
        chunks = div_up(channels, p->chunk);
        row = p->chunk * sp->win.out[2];
    } else {
        nrows *= channels;
        /* Even the last positions of a span, and one more element, are in the buffer. */
        const int64_t most = (RS_MAX_ROW - 4) * (int64_t)sp->win.out[2] / max_i64(sp->win.in[2], 1);
        p->span = (int32_t)max_i64(16, min_i64(RS_MAX_ROW, most) / 16 * 16);
        chunks = div_up(sp->win.out[2], p->span);
        row = p->span;
    }
    p->nrows = (int32_t)nrows;
    p->rows = (int32_t)max_i64(
            1, min_i64(div_up(nrows * chunks, items), ITEM_ELEMENTS / max_i64(row, 1)));
    count[0] = (uint32_t)chunks;
    count[1] = (uint32_t)div_up(nrows, p->rows);
    count[2] = 1;
}

static const char *make_plan(conv_t *sp, int row) {
    enum { GROUP = 16, STREAM_BYTES = 16 << 20 };
    const variant_t *k = &variants[row];
    const bool cpu = k->target == TARGET_CPU, by_channels = !strcmp(k->entry, "resample_channels");
    const bool linear = sp->pd->params.alg_kind == dnnl_resampling_linear;
    resample_params_t p;
    conv_place_t src;
    conv_result_t r;
    memset(&p, 0, sizeof(p));
    const char *why_not = spatial_source(sp, &src, &p.src);
    if (!why_not) why_not = conv_plan_result(sp, by_channels ? 16 : 1, false, &r);
    if (why_not) return why_not;
    p.dst = r.t;
    if (by_channels && !spatial_has_lanes(&p.src, sp->ic))
        return "channels do not lie next to each other";
    if (by_channels && p.dst.block < sp->ic && p.dst.block % 16)
        return "blocks are not of 16 channels";
    if (by_channels && !spatial_blocks_agree(&p.src, &p.dst, sp->ic))
        return "blocks of source and destination overlap";
    if (cpu && !by_channels) {
        if (p.src.sp[2] != 1 && sp->win.in[2] > 1) return "rows are not contiguous";
        if ((int64_t)sp->win.in[2] * 16 > (RS_MAX_ROW - 4) * (int64_t)sp->win.out[2])
            return "rows shrink too much";
        why_not = spatial_width_last(sp, &r);
        if (why_not) return why_not;
    }
    if (spatial_wide(sp, &r)) return "the data is double precision";
    memcpy(p.in, sp->win.in, sizeof(p.in));
    memcpy(p.out, sp->win.out, sizeof(p.out));
    p.channels = (int32_t)sp->ic;
    p.padded_channels = spatial_padded(sp, &r);
    const int64_t points = (int64_t)sp->win.out[0] * sp->win.out[1] * sp->win.out[2];
    if (points > UINT32_MAX) return "an image has 2^32 or more elements";
    if (cpu && sp->mb * sp->win.out[0] * sp->win.out[1] > INT32_MAX / max_i64(p.padded_channels, 1))
        return "there are too many rows";
    uint32_t size[3] = {1, 1, 1}, count[3];
    if (cpu) {
        share_work(&p, sp, by_channels, count);
    } else {
        size[0] = GROUP;
        count[0] = (uint32_t)div_up(p.padded_channels, GROUP);
        count[1] = (uint32_t)points;
        count[2] = (uint32_t)sp->mb;
    }
    plan_t *plan = sp->plan;
    plan_step(plan, row, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)src.dt);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)r.place.dt);
    plan_spec(plan, SPEC_FLAGS,
            (linear ? RSF_LINEAR : 0) | (!linear && p.out[2] == 2 * p.in[2] ? RSF_TWICE : 0) |
                    (cpu && r.complete && md_size(sp->dst, 0) >= STREAM_BYTES ? RSF_STREAM : 0));
    epilogue_specs(&r.seg, plan);
    conv_bind_place(plan, &src);
    conv_bind_place(plan, &r.place);
    plan_const(plan, &p, sizeof(p));
    epilogue_args(&r.seg, sp->pd, NULL, plan);
    return conv_finish_result(sp, &r);
}

static const char *fits(const pd_t *pd, const caps_t *caps, int row) {
    return spatial_fits(pd, caps, row, make_plan);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    const dnnl_alg_kind_t alg = pd->params.alg_kind;
    if (alg != dnnl_resampling_nearest && alg != dnnl_resampling_linear)
        return verbose_check(
                dnnl_invalid_arguments, "resampling", "the algorithm is not one of this primitive");
    dnnl_status_t status = make_destination(pd);
    if (status == dnnl_success) status = spatial_check(pd);
    if (status == dnnl_success) status = check_sizes(pd);
    if (status == dnnl_success)
        status = attr_check(pd, ATTR_POST_OPS, TAKES_ELTWISE | TAKES_BINARY | TAKES_SUM, NULL);
    if (status == dnnl_success) status = attr_add_args(pd);
    return status == dnnl_success ? spatial_plan(pd, caps, fits, make_plan) : status;
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    return spatial_format(pd, false, buf, size);
}

const op_kind_t op_resampling = {.kind = dnnl_resampling,
        .name = "resampling",
        .init = init,
        .format_problem = format_problem,
        .format_aux = format_alg};
