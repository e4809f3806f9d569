/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of the convolution rows for matrix units: the source where it is if block loads can read it there,
 * else copied to pixels that they can; weights in panels. */
#include <stdio.h>
#include <string.h>

#include "core/util.h"
#include "ops/block_loads.h"
#include "ops/convolution.h"
#include "ops/kernel_table.h"
#include "ops/select.h"

/* With what the flags of the rows say. */
typedef struct {
    int row;
    int rows, columns; /* pixels of a tile */
    int channels;
    bool integers;
} tile_t;

static const tile_t tiles[] = {
        {KERNEL_conv_xmx_f8x16, 8, 1, 16, false},
        {KERNEL_conv_xmx_f8x4x64, 8, 4, 64, false},
        {KERNEL_conv_xmx_f32x64, 32, 1, 64, false},
        {KERNEL_conv_xmx_i8x16, 8, 1, 16, true},
        {KERNEL_conv_xmx_i8x4x64, 8, 4, 64, true},
        {KERNEL_conv_xmx_i32x64, 32, 1, 64, true},
};

/* Positions are integers of 32 bits, counted from an image's corner. */
enum { FURTHEST = 1 << 29 };
/* One thread with a large tile keeps a matrix unit busy, and small tiles load four times as many bytes for
 * each of its instructions: they are better only where large ones leave three quarters of the units idle. */
enum { SMALL_TILE_SHARE = 4 };

enum { OUTER, ROWS, COLUMNS };

static uint32_t element_of(const conv_t *cv) {
    return cv->exact ? 1 : 2;
}

/* What has nothing to do with layouts: NULL, or why not. */
static const char *check(const conv_t *cv) {
    const dnnl_data_type_t src = cv->src->data_type, wei = cv->wei->data_type;
    if (cv->transposed) return "it is a deconvolution";
    if (!(cv->exact && wei == dnnl_s8) && !((src == dnnl_f16 || src == dnnl_bf16) && wei == src))
        return "the matrix units do not take the data types together";
    if (conv_zero_of(cv, DNNL_ARG_WEIGHTS)) return "weights have a zero point";
    if (cv->groups > 1 && cv->ic * element_of(cv) % BLOCK_LINE)
        return "the channels of a group are no multiple of 64 bytes";
    if (cv->mb == 0 || md_has_zero_dim(cv->dst) || md_has_zero_dim(cv->src)) return "there is nothing to do";
    return NULL;
}

/* Pairs of panels of 16 output channels; k goes through the taps, and for each through the channels. */
static const char *panels_tag(const conv_t *cv) {
    static const char *const tags[2][2][3] = {
            {{"AcB2a16b16a2b", "AcdB2a16b16a2b", "AcdeB2a16b16a2b"},
                    {"aBdC2b16c16b2c", "aBdeC2b16c16b2c", "aBdefC2b16c16b2c"}},
            {{"AcB2a16b16a4b", "AcdB2a16b16a4b", "AcdeB2a16b16a4b"},
                    {"aBdC2b16c16b4c", "aBdeC2b16c16b4c", "aBdefC2b16c16b4c"}},
    };
    return tags[cv->exact][cv->with_groups][cv->ndims - 3];
}

const char *conv_xmx_weights(const conv_t *cv) {
    return row_runs_on(&kernel_rows[tiles[0].row], cv->caps) && !check(cv) ? panels_tag(cv) : NULL;
}

/* ---- the source ---- */

/* Which of depth, height and width a dimension of a tile is; -1: none. */
typedef struct {
    int axis[3];
    bool flat;
} view_t;

/* Can block loads read the source where it is? */
static bool in_place(const conv_t *cv, const cv_tensor_t *t, const view_t *v) {
    const int64_t element = element_of(cv), channels = cv->src->dims[1] * element;
    if (t->c_inner != 1 || t->block < cv->src->dims[1] || cv->src->offset0 * element % BLOCK_LINE)
        return false;
    /* Pixels beside one another must not be taken for one another. */
    if (v->axis[COLUMNS] >= 0 ? channels % BLOCK_LINE
                              : (channels % BLOCK_WIDTH_STEP || channels < BLOCK_MIN_WIDTH))
        return false;
    if (!v->flat && cv->mb > 1 && t->n * element % BLOCK_LINE) return false;
    for (int i = 0; i < 3; i++) {
        /* Flat rows go on from image to image. */
        if (v->flat ? i < 2 : cv->win.in[i] == 1) continue;
        const int64_t stride = t->sp[i] * element;
        const bool rows = i == v->axis[ROWS], base_moves = !rows || (!v->flat && (cv->win.stride[i] > 1));
        if (stride < channels || stride % (base_moves ? BLOCK_LINE : BLOCK_PITCH_STEP)) return false;
    }
    return true;
}

/* A copy with pixels of multiples of 64 bytes, filled up with zeros. */
static const char *copy_source(conv_t *cv, conv_place_t *place, md_t *padded) {
    static const char *const outer[] = {"acB", "acdB", "acdeB"};
    char tag[16];
    snprintf(tag, sizeof(tag), "%s%ub", outer[cv->ndims - 3], BLOCK_LINE / element_of(cv));
    const md_t *md = cv->src;
    if (md_init_string_tag(padded, md->ndims, md->dims, md->data_type, tag) != dnnl_success)
        return "a copy of src would be too large";
    return conv_copy_input(cv, cv->src_slot, md, padded, place);
}

static void set_copy(const conv_t *cv, const md_t *padded, cv_tensor_t *t) {
    const int64_t *strides = padded->format_desc.blocking.strides;
    memset(t, 0, sizeof(*t));
    t->n = strides[0];
    t->block = (int32_t)padded->padded_dims[1];
    t->c_inner = 1;
    for (int i = 5 - cv->ndims; i < 3; i++) t->sp[i] = strides[i - (5 - cv->ndims) + 2];
}

/* ---- tiles ---- */

static bool is_flat(const conv_t *cv, const cv_tensor_t *src, const cv_tensor_t *dst) {
    const cv_window_t *w = &cv->win;
    int64_t pixels = cv->mb;
    for (int i = 0; i < 3; i++) {
        if (w->k[i] != 1 || w->stride[i] != 1 || w->pad[i] || w->in[i] != w->out[i]) return false;
        if (!mul_ok(pixels, w->in[i], &pixels) || pixels > BLOCK_LIMIT) return false;
    }
    return conv_is_even(src, w->in) && conv_is_even(dst, w->out);
}

static view_t view_of(const conv_t *cv, bool flat) {
    const cv_window_t *w = &cv->win;
    const bool along_w = flat || (w->in[1] == 1 && w->k[1] == 1 && w->out[1] == 1);
    return (view_t){{0, along_w ? 2 : 1, along_w ? -1 : 2}, flat};
}

/* Bytes from a position to the next; that of a single one is never used, and may be anything. */
static int64_t distance(const conv_t *cv, const cv_tensor_t *t, int axis) {
    return cv->win.in[axis] > 1 ? t->sp[axis] * element_of(cv) : 0;
}

/* The parameters that say where the source is; NULL, or why block loads cannot reach it. */
static const char *set_source(const conv_t *cv, const view_t *v, const cv_tensor_t *t, cv_xmx_t *p) {
    const int64_t element = element_of(cv), rows_at = v->axis[ROWS], channels = cv->ic * element;
    /* What a block of channels has behind them is zero. */
    const int64_t pixel = max_i64(t->block, cv->src->dims[1]) * element,
                  tap = cv->groups > 1 ? channels : pixel;
    int64_t width = pixel, column = 0, n_rows = cv->win.in[rows_at], run = tap;
    const int64_t row = v->flat ? t->sp[rows_at] * element : distance(cv, t, rows_at);
    if (v->axis[COLUMNS] >= 0)
        column = cv->win.in[v->axis[COLUMNS]] > 1 ? distance(cv, t, v->axis[COLUMNS]) : pixel;
    p->images = (int32_t)cv->mb;
    for (int i = 0; i < 3; i++) {
        const int at = v->axis[i];
        p->in[i] = at < 0 ? 1 : cv->win.in[at];
        p->out[i] = at < 0 ? 1 : cv->win.out[at];
        p->k[i] = at < 0 ? 1 : cv->win.k[at];
        p->stride[i] = at < 0 ? 1 : cv->win.stride[at];
        p->dilation[i] = at < 0 ? 1 : cv->win.dilation[at];
        p->pad[i] = at < 0 ? 0 : cv->win.pad[at];
        const int64_t range =
                (int64_t)(p->out[i] + 64) * p->stride[i] + p->pad[i] + (int64_t)p->k[i] * p->dilation[i];
        if (range > FURTHEST / (i == COLUMNS ? max_i64(column, 1) : 1)) return "the windows reach too far";
    }
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

static void set_result(const conv_t *cv, const view_t *v, const conv_result_t *r, cv_xmx_t *p) {
    p->dst_n = r->t.n;
    p->dst_outer = r->t.sp[v->axis[OUTER]];
    p->dst_row = r->t.sp[v->axis[ROWS]];
    p->dst_column = v->axis[COLUMNS] < 0 ? 0 : r->t.sp[v->axis[COLUMNS]];
    p->dst_c_outer = r->t.c_outer;
    p->dst_c_inner = r->t.c_inner;
    p->dst_block = r->t.block;
    p->oc = (int32_t)cv->oc;
    p->padded_oc = (int32_t)(cv->groups == 1 && r->complete ? cv->dst->padded_dims[1] : cv->oc);
    for (int i = 0; i < 3; i++) p->size[i] = cv->win.out[i];
}

/* Sums of the source's zero point x weights, by a step before. */
static const char *plan_zero_sums(
        conv_t *cv, const conv_place_t *wei, const md_t *packed, cv_xmx_t *p, uint64_t *sums) {
    enum { COLUMNS_OF_GROUP = 16 };
    const int first = cv->with_groups;
    const int64_t taps = (int64_t)cv->win.k[0] * cv->win.k[1] * cv->win.k[2],
                  columns = packed->padded_dims[first];
    int64_t bytes;
    if (!mul_ok(taps * columns, cv->groups * (int64_t)sizeof(int32_t), &bytes))
        return "sums of zero points would be too large";
    const cv_zero_t z = {.wei_g = p->wei_g,
            .channels = (int32_t)cv->ic,
            .taps = (int32_t)taps,
            .columns = (int32_t)columns,
            .inner = 1,
            .outer_run = (int32_t)packed->padded_dims[first + 1],
            .panel_steps = p->panel_steps,
            .za_dt = conv_zero_dt(cv, DNNL_ARG_SRC).dt,
            .za_step = conv_zero_dt(cv, DNNL_ARG_SRC).step};
    p->win = cv->win;
    p->zero_taps = z.taps;
    p->zero_columns = z.columns;
    *sums = conv_reserve(cv, (uint64_t)bytes);
    const uint32_t size[3] = {COLUMNS_OF_GROUP, 1, 1};
    const uint32_t count[3] = {
            (uint32_t)(columns / COLUMNS_OF_GROUP), (uint32_t)taps, (uint32_t)cv->groups};
    plan_step(cv->plan, KERNEL_conv_zero_sums, size, count);
    conv_bind_place(cv->plan, wei);
    plan_scratch(cv->plan, *sums);
    plan_const(cv->plan, &z, sizeof(z));
    conv_bind_zero(cv, DNNL_ARG_SRC);
    return NULL;
}

/* Tiles of rows x columns pixels over all images. */
static int64_t count_tiles(const cv_xmx_t *p, int rows, int columns) {
    return (int64_t)div_up(p->out[ROWS], rows) * div_up(p->out[COLUMNS], columns) * p->out[OUTER] * p->images;
}

/* NULL, or why another row is better. */
static const char *why_another(const conv_t *cv, const tile_t *t, const cv_xmx_t *p) {
    if (select_forced_row >= 0) return NULL;
    const int64_t panels = cv->groups * div_up(cv->oc, 64), long_tiles = count_tiles(p, 32, 1),
                  square_tiles = count_tiles(p, 8, 4);
    const int64_t units = cv->caps->compute_units / max_i64(cv->caps->threads_per_eu, 1);
    const bool few = min_i64(long_tiles, square_tiles) * panels * SMALL_TILE_SHARE < units;
    if (t->channels == 16 && !few) return "for so many pixels larger tiles are faster";
    if (t->channels == 64 && t->columns > 1 && long_tiles <= square_tiles)
        return "tiles along a row have no more pixels outside of the image";
    return NULL;
}

static const char *plan_tile(conv_t *cv, const tile_t *t) {
    plan_t *plan = cv->plan;
    cv_xmx_t p;
    cv_tensor_t src;
    conv_place_t src_place = conv_place_of(cv->src, cv->src_slot), wei;
    conv_result_t r;
    md_t packed, padded;
    const char *why_not = check(cv);
    if (!why_not && cv->exact != t->integers)
        why_not = "the matrix units do not take the data types together";
    if (why_not) return why_not;

    memset(&p, 0, sizeof(p));
    cv_tensor_t dst;
    bool reads = conv_set_tensor(&src, cv->src),
         flat = reads && conv_set_tensor(&dst, cv->dst) && is_flat(cv, &src, &dst);
    view_t v = view_of(cv, flat);
    if (!reads || !in_place(cv, &src, &v)) {
        if (cv->groups > 1 && cv->src->dims[1] * element_of(cv) % BLOCK_LINE) return "src cannot be copied";
        why_not = copy_source(cv, &src_place, &padded);
        if (why_not) return why_not;
        set_copy(cv, &padded, &src);
        flat = conv_set_tensor(&dst, cv->dst) && is_flat(cv, &src, &dst);
        v = view_of(cv, flat);
    }
    why_not = conv_pack_weights(cv, panels_tag(cv), &wei, &packed);
    if (!why_not) why_not = conv_plan_result(cv, 1, false, &r);
    if (!why_not && (r.place.dt == dnnl_f64 || (r.seg.dts >> dnnl_f64 & 1)))
        why_not = "the attributes have double precision";
    if (!why_not) why_not = set_source(cv, &v, &src, &p);
    if (!why_not) why_not = why_another(cv, t, &p);
    if (why_not) return why_not;
    set_result(cv, &v, &r, &p);

    const int first = cv->with_groups;
    int64_t taps = 1;
    for (int i = 0; i < 3; i++) taps *= cv->win.k[i];
    const int64_t steps = taps * packed.padded_dims[first + 1] * element_of(cv) / BLOCK_LINE,
                  rows = packed.padded_dims[first] * steps;
    if (rows > BLOCK_LIMIT) return "weights are larger than block loads can reach";
    p.panel_steps = (int32_t)steps;
    p.panel_rows = (int32_t)rows;
    p.wei_g = first ? packed.format_desc.blocking.strides[0] * element_of(cv) : 0;
    const bool zero = conv_zero_of(cv, DNNL_ARG_SRC) != NULL;
    uint64_t sums = 0;
    if (zero) why_not = plan_zero_sums(cv, &wei, &packed, &p, &sums);
    if (why_not) return why_not;

    /* Large work-groups load ahead for each other. */
    const int64_t below = count_tiles(&p, t->rows, t->columns), beside = div_up(p.padded_oc, t->channels);
    const bool large = t->channels == 64 && below >= CVX_GROUP_M && beside >= CVX_GROUP_N &&
                       cv->caps->max_group_size >= 16 * CVX_GROUP_M * CVX_GROUP_N;
    const int64_t group_m = large ? CVX_GROUP_M : 1, group_n = large ? CVX_GROUP_N : 1;
    if (below > INT32_MAX / 2) return "dst is too large";
    p.tiles[0] = (int32_t)div_up(p.out[ROWS], t->rows);
    p.tiles[1] = (int32_t)div_up(p.out[COLUMNS], t->columns);
    p.group_n = (int32_t)group_n;
    const uint32_t size[3] = {(uint32_t)(16 * group_m * group_n), 1, 1};
    const uint32_t count[3] = {
            (uint32_t)div_up(beside, group_n), (uint32_t)div_up(below, group_m), (uint32_t)cv->groups};
    plan_step(plan, t->row, size, count);
    conv_common_specs(plan, src_place.dt, wei.dt, &r,
            (flat ? CVF_FLAT : 0) | (v.axis[COLUMNS] < 0 ? CVF_ALONG_W : 0) | (large ? CVF_PREFETCH : 0) |
                    (zero ? CVF_ZA : 0));
    conv_bind_place(plan, &src_place);
    conv_bind_place(plan, &wei);
    conv_bind_place(plan, &r.place);
    if (zero) plan_scratch(plan, sums);
    else plan_arg(plan, -1, 0);
    plan_const(plan, &p, sizeof(p));
    chain_args(&r.seg, cv->pd, NULL, plan);
    return conv_finish_result(cv, &r);
}

const char *conv_plan_xmx(conv_t *cv, int row) {
    for (int i = 0; i < ARRAY_LEN(tiles); i++)
        if (tiles[i].row == row) return plan_tile(cv, &tiles[i]);
    return "the row is unknown";
}
