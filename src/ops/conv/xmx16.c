/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of the convolution rows for matrix units, and the parts of them that those for 8 lanes share. */
#include <stdlib.h>
#include <string.h>

#include "core/util.h"
#include "plan/block_loads.h"
#include "ops/conv/xmx.h"
#include "plan/variant_id.h"
#include "plan/variant.h"

/* With what the flags of the rows say. */
typedef struct {
    int row;
    int rows, columns; /* pixels of a tile */
    int channels;
    bool integers;
} tile_t;

static const tile_t tiles[] = {
        {KERNEL_conv_xmx16_f8x16, 8, 1, 16, false},
        {KERNEL_conv_xmx16_f8x4x64, 8, 4, 64, false},
        {KERNEL_conv_xmx16_f32x64, 32, 1, 64, false},
        {KERNEL_conv_xmx16_i8x16, 8, 1, 16, true},
        {KERNEL_conv_xmx16_i8x4x64, 8, 4, 64, true},
        {KERNEL_conv_xmx16_i32x64, 32, 1, 64, true},
};

/* Positions are integers of 32 bits, counted from an image's corner. */
enum { FURTHEST = 1 << 29 };
/* One thread with a large tile keeps a matrix unit busy, and small tiles load four times as many bytes for
 * each of its instructions: they are better only where large ones leave three quarters of the units idle. */
enum { SMALL_TILE_SHARE = 4 };

enum { OUTER = CONV_XMX_OUTER, ROWS = CONV_XMX_ROWS, COLUMNS = CONV_XMX_COLUMNS };

/* What has nothing to do with layouts: NULL, or why not. */
static const char *check(const conv_t *cv) {
    const dnnl_data_type_t src = cv->src->data_type, wei = cv->wei->data_type;
    for (int i = 0; i < 3; i++)
        if (cv->transposed && cv->win.stride[i] > 1 && cv->win.dilation[i] > 1 && cv->win.k[i] > 1)
            return "a deconvolution has strides and dilation";
    if (!(cv->exact && wei == dnnl_s8) && !((src == dnnl_f16 || src == dnnl_bf16) && wei == src))
        return "the matrix units do not take the data types together";
    if (conv_zero_of(cv, DNNL_ARG_WEIGHTS)) return "weights have a zero point";
    if (cv->mb == 0 || md_has_zero_dim(cv->dst) || md_has_zero_dim(cv->src))
        return "there is nothing to do";
    return NULL;
}

const char *conv_xmx_check_units(const conv_t *cv, bool integers) {
    const char *why_not = check(cv);
    if (!why_not && cv->exact != integers)
        why_not = "the matrix units do not take the data types together";
    return why_not;
}

const char *conv_xmx_weights(const conv_t *cv) {
    conv_xmx_form_t form;
    if (!variant_runs_on(&variants[tiles[0].row], cv->caps) && !conv_xmx_of_8(cv)) return NULL;
    if (check(cv) || conv_xmx_choose_form(cv, &form)) return NULL;
    return conv_xmx_weights_tag(cv, &form);
}

/* Bytes from a position to the next; that of a single one is never used, and may be anything. */
static int64_t distance(const conv_t *cv, const cv_tensor_t *t, int axis) {
    return cv->win.in[axis] > 1 ? t->sp[axis] * conv_xmx_element(cv) : 0;
}

const char *conv_xmx_set_window(
        const conv_t *cv, const conv_xmx_view_t *v, int64_t column, cv_xmx_t *p) {
    const bool phases = conv_xmx_has_phases(cv);
    p->images = (int32_t)cv->mb;
    p->phases = 1;
    for (int i = 0; i < 3; i++) {
        const bool none = v->axis[i] < 0;
        const int at = none ? 0 : v->axis[i];
        p->in[i] = none ? 1 : cv->win.in[at];
        p->apart[i] = phases && !none ? cv->win.stride[at] : 1;
        p->whole[i] = none ? 1 : cv->win.out[at];
        p->out[i] = (int32_t)div_up(p->whole[i], p->apart[i]);
        if (p->apart[i] > INT32_MAX / p->phases / (int32_t)cv->groups)
            return "there are too many strides";
        p->phases *= p->apart[i];
        p->k[i] = none ? 1 : cv->win.k[at];
        p->stride[i] = none || phases ? 1 : cv->win.stride[at];
        p->dilation[i] = none ? 1 : cv->win.dilation[at];
        p->pad[i] = none ? 0 : cv->win.pad[at];
        const int64_t range = (int64_t)(p->out[i] + 64) * p->stride[i] + labs(p->pad[i]) +
                              (int64_t)p->k[i] * labs(p->dilation[i]);
        if (range > FURTHEST / (i == COLUMNS ? max_i64(column, 1) : 1))
            return "the windows reach too far";
    }
    return NULL;
}

/* The parameters that say where the source is; NULL, or why block loads cannot reach it. */
static const char *set_source(
        const conv_t *cv, const conv_xmx_view_t *v, const cv_tensor_t *t, cv_xmx_t *p) {
    const int64_t element = conv_xmx_element(cv), rows_at = v->axis[ROWS],
                  channels = cv->ic * element;
    /* What a block of channels has behind them is zero. */
    const int64_t pixel = max_i64(t->block, cv->src->dims[1]) * element,
                  tap = cv->groups > 1 ? channels : pixel;
    int64_t width = pixel, column = 0, n_rows = cv->win.in[rows_at], run = tap;
    const int64_t row = v->flat ? t->sp[rows_at] * element : distance(cv, t, rows_at);
    if (v->axis[COLUMNS] >= 0)
        column = cv->win.in[v->axis[COLUMNS]] > 1 ? distance(cv, t, v->axis[COLUMNS]) : pixel;
    const char *why_not = conv_xmx_set_window(cv, v, column, p);
    if (why_not) return why_not;
    if (v->axis[COLUMNS] >= 0) {
        /* Taps beside one another have their channels beside one another. */
        if (column == pixel && cv->groups == 1 && p->dilation[COLUMNS] == 1) {
            run *= p->k[COLUMNS];
            p->k[COLUMNS] = 1;
        }
        width += (p->in[COLUMNS] - 1) * column;
    }
    if (v->flat) {
        n_rows = cv->mb;
        for (int i = 0; i < 3; i++) n_rows *= cv->win.in[i];
        p->in[ROWS] = p->out[ROWS] = (int32_t)n_rows;
        p->in[OUTER] = p->out[OUTER] = p->images = 1;
    }
    /* A surface of one row has any pitch. */
    if (width > BLOCK_LIMIT || row > BLOCK_LIMIT / p->stride[ROWS] || n_rows > BLOCK_LIMIT)
        return "src is larger than block loads can reach";
    int64_t pitch = row * p->stride[ROWS];
    if (p->in[ROWS] == 1) pitch = div_up(width, BLOCK_LINE) * BLOCK_LINE;
    if (pitch < width) return "the rows of src overlap";
    p->src_n = cv->mb > 1 ? t->n * element : 0;
    p->src_outer = distance(cv, t, v->axis[OUTER]);
    p->src_row = row;
    p->run = (int32_t)run;
    p->column = (int32_t)column;
    p->width = (int32_t)width;
    p->pitch = (int32_t)pitch;
    p->channels = (int32_t)channels;
    const int32_t first = -p->pad[ROWS], s = p->stride[ROWS];
    p->first_step = -(int32_t)div_up(-first, s);
    p->first_rest = first - p->first_step * s;
    p->tap_step = p->dilation[ROWS] / s;
    p->tap_rest = p->dilation[ROWS] % s;
    return NULL;
}

const char *conv_xmx_set_params(const conv_t *cv, const conv_xmx_view_t *v, conv_xmx_problem_t *x) {
    const conv_t *as = &x->as;
    const conv_result_t *r = &x->r;
    cv_xmx_t *p = &x->p;
    p->dst_n = r->t.n;
    p->dst_outer = r->t.sp[v->axis[OUTER]];
    p->dst_row = r->t.sp[v->axis[ROWS]];
    p->dst_column = v->axis[COLUMNS] < 0 ? 0 : r->t.sp[v->axis[COLUMNS]];
    p->dst_c_outer = r->t.c_outer;
    p->dst_c_inner = r->t.c_inner;
    p->dst_block = r->t.block;
    p->oc = (int32_t)as->oc;
    p->padded_oc = (int32_t)(as->groups == 1 && r->complete ? as->dst->padded_dims[1] : as->oc);
    for (int i = 0; i < 3; i++) p->size[i] = as->win.out[i];
    p->panel_steps = (int32_t)x->wei.steps;
    p->panel_rows = (int32_t)(x->wei.columns * x->wei.steps);
    p->wei_g = x->wei.group;
    return x->zero ? conv_xmx_zero_sums(cv, x) : NULL;
}

const char *conv_xmx_plan_step(conv_t *cv, conv_xmx_problem_t *x, int row, const uint32_t size[3],
        const uint32_t count[3], uint32_t flags, uint32_t local) {
    plan_t *plan = cv->plan;
    if (x->zero) flags |= CVF_ZA;
    if (conv_xmx_has_phases(&x->as)) flags |= CVF_PHASES;
    plan_step(plan, row, size, count);
    conv_common_specs(plan, x->src_place.dt, x->wei.place.dt, &x->r, flags);
    conv_bind_place(plan, &x->src_place);
    conv_bind_place(plan, &x->wei.place);
    conv_bind_place(plan, &x->r.place);
    if (x->zero) plan_scratch(plan, x->sums);
    else plan_arg(plan, -1, 0);
    plan_const(plan, &x->p, sizeof(x->p));
    if (local) plan_local(plan, local);
    epilogue_args(&x->r.seg, cv->pd, NULL, plan);
    const char *why_not = conv_finish_result(&x->as, &x->r);
    cv->scratch = x->as.scratch;
    return why_not;
}

/* Tiles of rows x columns pixels over all images. */
static int64_t count_tiles(const cv_xmx_t *p, int rows, int columns) {
    return (int64_t)div_up(p->out[ROWS], rows) * div_up(p->out[COLUMNS], columns) * p->out[OUTER] *
           p->images;
}

/* NULL, or why another row is better. */
static const char *why_another(const conv_t *cv, const tile_t *t, const cv_xmx_t *p) {
    if (cv->pd->request.hints.forced_variant >= 0) return NULL;
    const int64_t panels = cv->groups * p->phases * div_up(cv->oc, 64),
                  long_tiles = count_tiles(p, 32, 1), square_tiles = count_tiles(p, 8, 4);
    const int64_t units = cv->caps->compute_units / max_i64(cv->caps->threads_per_eu, 1);
    const bool few = min_i64(long_tiles, square_tiles) * panels * SMALL_TILE_SHARE < units;
    if (t->channels == 16 && !few) return "for so many pixels larger tiles are faster";
    if (t->channels == 64 && t->columns > 1 && long_tiles <= square_tiles)
        return "tiles along a row have no more pixels outside of the image";
    return NULL;
}

static const char *plan_tile(conv_t *cv, const tile_t *t) {
    conv_xmx_problem_t x;
    const char *why_not = conv_xmx_check_units(cv, t->integers);
    if (!why_not) why_not = conv_xmx_plan_inputs(cv, &x);
    if (why_not) return why_not;
    const conv_xmx_view_t v = conv_xmx_view(&x.as, &x.src);
    cv_xmx_t *p = &x.p;
    why_not = set_source(&x.as, &v, &x.src, p);
    if (!why_not) why_not = why_another(&x.as, t, p);
    if (!why_not) why_not = conv_xmx_set_params(cv, &v, &x);
    if (why_not) return why_not;

    /* Large work-groups load ahead for each other. */
    const int64_t below = count_tiles(p, t->rows, t->columns),
                  beside = div_up(p->padded_oc, t->channels);
    const bool large = t->channels == 64 && below >= CONV_XMX_GROUP_M &&
                       beside >= CONV_XMX_GROUP_N &&
                       cv->caps->max_group_size >= 16 * CONV_XMX_GROUP_M * CONV_XMX_GROUP_N;
    const int64_t group_m = large ? CONV_XMX_GROUP_M : 1, group_n = large ? CONV_XMX_GROUP_N : 1;
    if (below > INT32_MAX / 2) return "dst is too large";
    p->tiles[0] = (int32_t)div_up(p->out[ROWS], t->rows);
    p->tiles[1] = (int32_t)div_up(p->out[COLUMNS], t->columns);
    p->group_n = (int32_t)group_n;
    const uint32_t size[3] = {(uint32_t)(16 * group_m * group_n), 1, 1};
    const uint32_t count[3] = {(uint32_t)div_up(beside, group_n), (uint32_t)div_up(below, group_m),
            (uint32_t)(x.as.groups * p->phases)};
    const uint32_t flags = (v.flat ? CVF_FLAT : 0) | (v.axis[COLUMNS] < 0 ? CVF_ALONG_W : 0) |
                           (large ? CVF_PREFETCH : 0);
    return conv_xmx_plan_step(cv, &x, t->row, size, count, flags, 0);
}

const char *conv_plan_xmx(conv_t *cv, int row) {
    for (int i = 0; i < ARRAY_LEN(tiles); i++)
        if (tiles[i].row == row) return plan_tile(cv, &tiles[i]);
    return "the row is unknown";
}
