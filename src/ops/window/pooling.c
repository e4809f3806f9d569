/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling: the maximum or the average under a window. */

#include <float.h>
#include <string.h>

#include "core/util.h"
#include "core/verbose.h"
#include "plan/op.h"
#include "plan/type_rules.h"
#include "plan/variant.h"
#include "ops/window/window.h"
#include "plan/sub_groups.h"
#include "kernels/window/pool_params.h"

#define INVALID(...) verbose_check(dnnl_invalid_arguments, "pooling", __VA_ARGS__)
#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "pooling", __VA_ARGS__)

/* ---- checks ---- */

static dnnl_status_t check_windows(const pd_t *pd) {
    const op_params_t *p = &pd->params;
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *dst = pd_md(pd, DNNL_ARG_DST);
    for (int d = 0; d < src->ndims - 2; d++) {
        const int64_t in = src->dims[d + 2], out = dst->dims[d + 2], kernel = p->kernel[d];
        const int64_t stride = p->strides[d], dilate = p->dilates[d];
        const int64_t left = p->padding[0][d], right = p->padding[1][d];
        const int64_t large = INT32_MAX / 4;
        if (stride <= 0 || dilate < 0 || left < 0 || kernel <= 0)
            return INVALID("spatial dimension %d: a kernel, stride, dilation or left padding is "
                           "out of range",
                    d);
        if (kernel > large || stride > large || dilate > large || left > large || right > large ||
                right < -large || (kernel - 1) * (dilate + 1) > large)
            return REFUSE(
                    "spatial dimension %d: a kernel, stride, dilation or padding is 2^29 or more",
                    d);
        const int64_t range = 1 + (kernel - 1) * (dilate + 1), room = in - range + left + right;
        if (right + stride < 0)
            return INVALID(
                    "spatial dimension %d: right padding and stride add up to less than 0", d);
        if (room / stride + 1 != out || room + stride < 0)
            return INVALID("spatial dimension %d: a window of %lld over %lld, padding %lld and "
                           "%lld, stride %lld "
                           "does not have %lld positions",
                    d, (long long)range, (long long)in, (long long)left, (long long)right,
                    (long long)stride, (long long)out);
        if (p->alg_kind == dnnl_pooling_avg_exclude_padding &&
                (left >= range || right >= range || dilate >= in))
            return INVALID("spatial dimension %d: windows of an average lie in the padding", d);
    }
    return dnnl_success;
}

/* Destinations for each type of source; others than its own are for inference. */
static const unsigned dst_types[] = {
        [dnnl_f64] = DT_SET(dnnl_f64),
        [dnnl_f32] = DT_SET(dnnl_f32) | BYTES,
        [dnnl_f16] = DT_SET(dnnl_f16) | BYTES,
        [dnnl_bf16] = DT_SET(dnnl_bf16),
        [dnnl_s32] = DT_SET(dnnl_s32),
        [dnnl_s8] = BYTES | DT_SET(dnnl_f16) | DT_SET(dnnl_f32),
        [dnnl_u8] = BYTES | DT_SET(dnnl_f16) | DT_SET(dnnl_f32),
        [dnnl_f8_e5m2] = DT_SET(dnnl_f8_e5m2),
        [dnnl_f8_e4m3] = DT_SET(dnnl_f8_e4m3),
};

static dnnl_status_t check_types(const pd_t *pd) {
    const dnnl_data_type_t src = pd_md(pd, DNNL_ARG_SRC)->data_type,
                           dst = pd_md(pd, DNNL_ARG_DST)->data_type;
    if (!(dst_types[src] & DT_SET(dst)))
        return REFUSE("the destination's data type is not taken with the source's");
    if (src != dst && pd->params.prop_kind == dnnl_forward_training)
        return REFUSE("training needs one data type for source and destination");
    return dnnl_success;
}

/* Indices of maxima, for backward propagation. */
static dnnl_status_t add_workspace(pd_t *pd) {
    if (pd->params.prop_kind != dnnl_forward_training || pd->params.alg_kind != dnnl_pooling_max)
        return dnnl_success;
    md_t ws = *pd_md(pd, DNNL_ARG_DST);
    int64_t taps = 1;
    for (int d = 0; d < ws.ndims - 2; d++)
        if (!mul_ok(taps, pd->params.kernel[d], &taps) || taps > INT32_MAX)
            return REFUSE("a window has 2^31 or more elements");
    ws.data_type = taps <= UINT8_MAX ? dnnl_u8 : dnnl_s32;
    ws.offset0 = 0;
    return pd_add_arg(pd, DNNL_ARG_WORKSPACE, PD_OUT, &ws);
}

/* ---- plan ---- */

static float lowest(dnnl_data_type_t dt) {
    switch ((int)dt) {
    case dnnl_f16: return -65504;
    case dnnl_bf16: return -0x1.fep127f;
    case dnnl_s32: return -2147483648.0f;
    case dnnl_s8: return -128;
    case dnnl_u8: return 0;
    case dnnl_f8_e5m2: return -57344;
    case dnnl_f8_e4m3: return -448;
    default: return -FLT_MAX;
    }
}

/* Do windows reach over the ends of rows? */
static bool is_ragged(const cv_window_t *w) {
    return w->pad[2] > 0 || (int64_t)(w->out[2] - 1) * w->stride[2] - w->pad[2] +
                                            (int64_t)(w->k[2] - 1) * w->dilation[2] >=
                                    w->in[2];
}

/* Do the rows that walk through a window with one sum for each result count its elements, and does the sum of
 * so many still change with the next one? */
static bool counts_taps(const cv_window_t *w) {
    enum { MOST = 1 << 22 };
    int64_t taps = 1;
    for (int d = 0; d < 3; d++)
        if (!mul_ok(taps, w->k[d], &taps) || taps > MOST) return false;
    return true;
}

/* Rows and channels of a work-item of a CPU. */
static void share_work(pool_params_t *p, const conv_t *sp, bool by_channels, uint32_t count[3]) {
    enum { ITEM_WORK = 16384, CHANNELS = 64 };
    const int64_t taps = (int64_t)sp->win.k[0] * sp->win.k[1] * sp->win.k[2];
    const int64_t items = 8 * max_i64(sp->caps->compute_units, 1);
    int64_t nrows = sp->mb * sp->win.out[0] * sp->win.out[1];
    int64_t channels = p->padded_channels, chunks = 1;
    if (by_channels) {
        const bool blocked = p->src.block < channels || p->dst.block < channels;
        p->chunk = blocked ? min_i64(p->src.block, p->dst.block) : (channels + 15) / 16 * 16;
        if (!blocked && nrows < items && channels > CHANNELS)
            p->chunk =
                    max_i64(CHANNELS, div_up(channels, div_up(items, nrows)) / CHANNELS * CHANNELS);
        chunks = div_up(channels, p->chunk);
    } else {
        nrows *= channels;
    }
    const int64_t row_work = sp->win.out[2] * (taps + 2) * (by_channels ? p->chunk : 4) / 4;
    p->nrows = (int32_t)nrows;
    p->rows = (int32_t)max_i64(
            1, min_i64(div_up(nrows * chunks, items), ITEM_WORK / max_i64(row_work, 1)));
    count[0] = (uint32_t)chunks;
    count[1] = (uint32_t)div_up(nrows, p->rows);
    count[2] = 1;
}

/* Is a whole plane of the source the one window, element after element? */
static bool is_plane(const conv_t *sp, const cv_tensor_t *src) {
    int64_t elements = 1;
    for (int i = 2; i >= 0; i--) {
        const cv_window_t *w = &sp->win;
        if (w->out[i] != 1 || w->k[i] != w->in[i] || w->pad[i] || w->dilation[i] != 1) return false;
        if (w->in[i] > 1 && src->sp[i] != elements) return false;
        elements *= w->in[i];
    }
    return elements <= INT32_MAX / 2;
}

/* Parts of a tile: as many as fill it whole; where there are none but one (and a tile may reach over the
 * end), those that the elements need. */
static int64_t count_parts(int64_t elements, int64_t most, bool exact) {
    int64_t parts = 1;
    while (parts < most && elements % (SG_LANES * 2 * parts) == 0) parts *= 2;
    if (parts == 1 && !exact)
        while (parts < most && parts * SG_LANES < elements) parts *= 2;
    return parts;
}

/* Work of a sub-group; its tile has so many parts. */
static const char *share_tiles(
        pool_params_t *p, const conv_t *sp, bool by_channels, int64_t parts, int64_t *items) {
    enum { RESULTS = 8, ROUNDS = 16 };
    const int64_t rows = sp->mb * sp->win.out[0] * sp->win.out[1], width = sp->win.out[2];
    p->nrows = (int32_t)(by_channels ? rows : rows * p->padded_channels);
    p->chunk = (int32_t)(SG_LANES * parts);
    if (by_channels) {
        const int64_t chunks = div_up(p->padded_channels, p->chunk),
                      threads = max_i64(sp->caps->compute_units, 1);
        p->rows = (int32_t)max_i64(1, min_i64(RESULTS, rows * width * chunks / (ROUNDS * threads)));
        *items = rows * div_up(width, p->rows) * chunks;
    } else {
        *items = (int64_t)p->nrows * div_up(width, p->chunk);
    }
    return *items > INT32_MAX / 2 ? "there are too many tiles" : NULL;
}

static const char *make_plan(conv_t *sp, int row) {
    enum { GROUP = 16 };
    const variant_t *k = &variants[row];
    const bool cpu = k->target == TARGET_CPU, groups = k->target == TARGET_SG16,
               vectors = cpu || groups;
    const bool by_channels = strstr(k->entry, "_channels") != NULL;
    const pd_t *pd = sp->pd;
    pool_params_t p;
    conv_place_t src, ws = {-1, 0, dnnl_data_type_undef};
    conv_result_t r;
    md_t ws_md;
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
    if (vectors && !by_channels && p.src.sp[2] != 1 && sp->win.in[2] > 1)
        return "rows are not contiguous";
    if (vectors && !by_channels) why_not = spatial_width_last(sp, &r);
    if (why_not) return why_not;
    const bool exact = pd->params.alg_kind != dnnl_pooling_max && ew_exact_integers(pd, sp->caps);
    if (!k->needs_fp64 && (exact || spatial_wide(sp, &r))) return "it has no double arithmetic";
    const int ws_slot = pd_find_arg(pd, DNNL_ARG_WORKSPACE);
    if (ws_slot >= 0) why_not = spatial_beside(sp, &r, ws_slot, &ws, &ws_md);
    if (why_not) return why_not;

    p.win = sp->win;
    p.channels = (int32_t)sp->ic;
    p.padded_channels = spatial_padded(sp, &r);
    p.lowest = lowest(sp->dst->data_type);
    p.ragged = is_ragged(&sp->win);
    const bool plane = groups && !by_channels && is_plane(sp, &p.src);
    int64_t points = 1, rows = max_i64(p.padded_channels, 1) * sp->mb;
    for (int d = 0; d < 3; d++)
        if (!mul_ok(points, sp->win.out[d], &points) || points > UINT32_MAX)
            return "an image has 2^32 or more elements";
    if (vectors &&
            (!mul_ok(rows, (int64_t)sp->win.out[0] * sp->win.out[1], &rows) || rows > INT32_MAX))
        return "there are too many rows";
    if (vectors && !plane && !counts_taps(&sp->win)) return "a window is too large for one sum";
    uint32_t size[3] = {1, 1, 1}, count[3];
    int64_t parts = 1;
    if (cpu) {
        share_work(&p, sp, by_channels, count);
    } else if (groups) {
        const bool small = has_small_registers(sp->caps);
        const int64_t most = SG_PARTS >> (small ? (ws_slot >= 0) + (r.seg.count > 0) : 0);
        int64_t items, tile = sp->ic;
        if (by_channels && p.src.block < tile) tile = p.src.block;
        if (by_channels && p.dst.block < tile) tile = p.dst.block;
        if (!by_channels)
            tile = plane ? (int64_t)sp->win.in[0] * sp->win.in[1] * sp->win.in[2] : sp->win.out[2];
        parts = count_parts(tile, most, by_channels && tile < sp->ic);
        why_not = share_tiles(&p, sp, by_channels, parts, &items);
        if (why_not) return why_not;
        size[0] = (uint32_t)min_i64(
                SG_LANES * SG_GROUPS, sp->caps->max_group_size / SG_LANES * SG_LANES);
        count[0] = (uint32_t)div_up(items, size[0] / SG_LANES);
        count[1] = count[2] = 1;
    } else {
        size[0] = GROUP;
        count[0] = (uint32_t)div_up(p.padded_channels, GROUP);
        count[1] = (uint32_t)points;
        count[2] = (uint32_t)sp->mb;
    }
    const dnnl_alg_kind_t alg = pd->params.alg_kind;
    plan_t *plan = sp->plan;
    plan_step(plan, row, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)src.dt);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)r.place.dt);
    plan_spec(plan, SPEC_FLAGS,
            (alg == dnnl_pooling_max ? PLF_MAX : 0) |
                    (alg == dnnl_pooling_avg_exclude_padding ? PLF_EXCLUDE : 0) |
                    (ws.dt == dnnl_u8 ? PLF_WS_U8 : 0) | (ws.dt == dnnl_s32 ? PLF_WS_S32 : 0) |
                    (plane ? PLF_PLANE : 0));
    if (groups) plan_spec(plan, SPEC_POOL_PARTS, (uint32_t)parts);
    epilogue_specs(&r.seg, plan);
    conv_bind_place(plan, &src);
    conv_bind_place(plan, &r.place);
    if (ws_slot >= 0) conv_bind_place(plan, &ws);
    else plan_arg(plan, -1, 0);
    plan_const(plan, &p, sizeof(p));
    epilogue_args(&r.seg, pd, NULL, plan);
    why_not = conv_finish_result(sp, &r);
    if (!why_not && ws_slot >= 0) why_not = spatial_finish_beside(sp, &r, ws_slot, &ws, &ws_md);
    return why_not;
}

static const char *fits(const pd_t *pd, const caps_t *caps, int row) {
    return spatial_fits(pd, caps, row, make_plan);
}

/* ---- the primitive ---- */

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    const dnnl_alg_kind_t alg = pd->params.alg_kind;
    if (alg != dnnl_pooling_max && alg != dnnl_pooling_avg_include_padding &&
            alg != dnnl_pooling_avg_exclude_padding)
        return INVALID("the algorithm is not one of this primitive");
    dnnl_status_t status = spatial_check(pd);
    if (status == dnnl_success) status = check_windows(pd);
    if (status == dnnl_success) status = check_types(pd);
    if (status == dnnl_success)
        status = attr_check(pd, ATTR_POST_OPS, TAKES_ELTWISE | TAKES_BINARY, NULL);
    if (status == dnnl_success) status = add_workspace(pd);
    if (status == dnnl_success) status = attr_add_args(pd);
    return status == dnnl_success ? spatial_plan(pd, caps, fits, make_plan) : status;
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    return spatial_format(pd, true, buf, size);
}

const op_kind_t op_pooling = {.kind = dnnl_pooling,
        .name = "pooling",
        .init = init,
        .format_problem = format_problem,
        .format_aux = format_alg};
