/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of the convolution rows for CPUs: the register tiles and the depthwise kernel. */
#include <string.h>

#include "core/util.h"
#include "ops/conv/convolution.h"
#include "plan/variant_id.h"
#include "plan/variant.h"

/* The rows, with what their flags say. */
typedef struct {
    int row;
    int mr, nv;          /* a tile is mr pixels x (16 * nv) channels */
    uint32_t simd_width; /* that the tile is made for */
    const char
            *tags[2][3]; /* weights in panels: without and with groups, 1 to 3 spatial dimensions */
} tile_t;

static const tile_t tiles[] = {
        {KERNEL_conv_cpu_12x32, 12, 2, 16,
                {{"Acb32a", "Acdb32a", "Acdeb32a"}, {"aBdc32b", "aBdec32b", "aBdefc32b"}}},
        {KERNEL_conv_cpu_6x16, 6, 1, 0,
                {{"Acb16a", "Acdb16a", "Acdeb16a"}, {"aBdc16b", "aBdec16b", "aBdefc16b"}}},
};
static const char *const depthwise_tags[] = {"Abcd16a", "Abcde16a", "Abcdef16a"};

/* Work-groups that keep every thread busy to the end, and what a group should at least have to do. */
enum { GROUPS_PER_UNIT = 8, PRODUCTS_PER_GROUP = 300000 };
/* The part of the source that stays in a core's cache while work-groups go from panel to panel. */
enum { CACHED_SOURCE = 128 << 10 };
/* The weights that stay in a core's cache while a work-item goes from tile to tile of pixels. */
enum { CACHED_WEIGHTS = 256 << 10 };
/* With fewer channels than this, a row of the window is gone through at once. */
enum { FEW_CHANNELS = 16 };
/* Steps of a deconvolution with strides; each has room for its parameters in a plan. */
enum { MAX_PARTS = 4 };

/* A deconvolution with strides of 1 is a convolution that goes through its taps backwards. */
static bool slides_over_source(const conv_t *cv) {
    const int32_t *s = cv->win.stride;
    return !cv->transposed || (s[0] == 1 && s[1] == 1 && s[2] == 1);
}

static cv_window_t source_window(const conv_t *cv) {
    cv_window_t w = cv->win;
    for (int i = 0; i < 3 && cv->transposed; i++) {
        w.pad[i] = -w.pad[i];
        w.dilation[i] = -w.dilation[i];
    }
    return w;
}

static bool is_depthwise(const conv_t *cv) {
    return cv->with_groups && cv->ic == 1 && cv->oc == 1 && slides_over_source(cv) &&
           (int64_t)cv->win.k[0] * cv->win.k[1] * cv->win.k[2] <= 512;
}

/* With other strides the destination falls apart into as many images as there are remainders of positions,
 * and each is a convolution with strides of 1 by some of the taps. */
static bool falls_apart(const conv_t *cv) {
    int64_t parts = 1;
    /* Each step has the chain's parameters, and a plan has room for so many. */
    if (!cv->transposed || cv->exact || cv->pd->attr.post_ops.len > PO_MAX_ENTRIES) return false;
    for (int i = 0; i < 3; i++) {
        if (cv->win.stride[i] > 1 && cv->win.dilation[i] > 1) return false;
        parts *= cv->win.stride[i];
    }
    return parts > 1 && parts <= MAX_PARTS;
}

static bool tile_takes(const conv_t *cv) {
    return (slides_over_source(cv) || falls_apart(cv)) && cv->src->data_type != dnnl_f64;
}

const char *conv_cpu_weights(const conv_t *cv) {
    if (!cv->caps->is_cpu || cv->src->data_type == dnnl_f64) return NULL;
    const int sp = cv->ndims - 3;
    if (is_depthwise(cv)) return depthwise_tags[sp];
    if (!tile_takes(cv)) return NULL;
    for (int i = 0; i < ARRAY_LEN(tiles); i++)
        if (tiles[i].simd_width <= cv->caps->simd_width) return tiles[i].tags[cv->with_groups][sp];
    return NULL;
}

static bool is_padded(const cv_window_t *w) {
    for (int i = 0; i < 3; i++) {
        const int64_t last = (int64_t)(w->out[i] - 1) * w->stride[i] - w->pad[i];
        const int64_t reach = (int64_t)(w->k[i] - 1) * w->dilation[i];
        if (last + max_i64(reach, 0) >= w->in[i] || min_i64(reach, 0) < w->pad[i]) return true;
    }
    return false;
}

/* ---- inputs ---- */

static void prepare_step(conv_t *cv, const cv_prepare_t *p, const conv_place_t *from, uint64_t to) {
    const uint32_t size[3] = {1, 1, 1};
    const uint32_t count[3] = {(uint32_t)div_up(p->nrows, p->rows), 1, 1};
    plan_step(cv->plan, KERNEL_conv_prepare, size, count);
    plan_spec(cv->plan, SPEC_SRC_DT, (uint32_t)from->dt);
    plan_spec(cv->plan, SPEC_FLAGS, conv_zero_of(cv, DNNL_ARG_SRC) ? CVF_ZA : 0);
    conv_bind_place(cv->plan, from);
    plan_scratch(cv->plan, to);
    plan_const(cv->plan, p, sizeof(*p));
    conv_bind_zero(cv, DNNL_ARG_SRC);
}

/* The source with its padding as floats, channels last; *win is then that of a problem without padding. */
static const char *prepare_source(
        conv_t *cv, cv_tensor_t *src, cv_window_t *win, conv_place_t *place) {
    cv_prepare_t p;
    cv_tensor_t from;
    memset(&p, 0, sizeof(p));
    conv_place_t from_place = conv_place_of(cv->src, cv->src_slot);
    if (!conv_set_tensor(&from, cv->src))
        return "the layout of src has more blocks than one of channels";
    p.src = from;
    p.channels = (int32_t)cv->src->dims[1];
    int64_t size = sizeof(float) * (int64_t)p.channels, rows = cv->mb;
    for (int i = 0; i < 3; i++) {
        const int64_t reach = (int64_t)(win->k[i] - 1) * win->dilation[i];
        const int64_t out =
                max_i64(win->out[i] - 1, 0) * win->stride[i] + (reach < 0 ? -reach : reach) + 1;
        if (out > INT32_MAX / 2) return "src is too large";
        p.in[i] = win->in[i];
        p.out[i] = (int32_t)out;
        p.first[i] = (int32_t)(min_i64(reach, 0) - win->pad[i]);
        win->in[i] = p.out[i];
        win->pad[i] = (int32_t)min_i64(reach, 0);
        if (i < 2) rows *= out;
        if (!mul_ok(size, out, &size)) return "src is too large";
    }
    if (rows > INT32_MAX || !mul_ok(size, cv->mb, &size)) return "src is too large";
    p.nrows = (int32_t)rows;
    p.rows =
            (int32_t)max_i64(1, min_i64(32768 / max_i64((int64_t)p.out[2] * p.channels, 1),
                                        rows / (8 * (int64_t)max_i64(cv->caps->compute_units, 1))));
    const conv_quant_dt_t zero = conv_zero_dt(cv, DNNL_ARG_SRC);
    p.za_dt = zero.dt;
    p.za_step = zero.step;
    p.flat = p.src.sp[2] == p.channels && p.src.c_inner == 1 && p.src.block >= p.channels &&
             !zero.step;
    *place = (conv_place_t){-1, conv_reserve(cv, (uint64_t)size), dnnl_f32};
    prepare_step(cv, &p, &from_place, place->offset);

    memset(src, 0, sizeof(*src));
    src->c_inner = 1;
    src->block = p.channels;
    src->sp[2] = p.channels;
    src->sp[1] = src->sp[2] * p.out[2];
    src->sp[0] = src->sp[1] * p.out[1];
    src->n = src->sp[0] * p.out[0];
    return NULL;
}

/* Can the kernels read the source where it is? */
static bool reads_in_place(const conv_t *cv, cv_tensor_t *t) {
    if (!conv_set_tensor(t, cv->src)) return false;
    if (t->c_inner != 1 && cv->src->dims[1] > 1) return false;
    return cv->groups == 1 || t->block >= cv->src->dims[1] || cv->ic % t->block == 0;
}

/* ---- the register tiles ---- */

/* What the steps of a tile have in common. */
typedef struct {
    const tile_t *t;
    conv_place_t src, wei;
    conv_result_t r;
    bool bias;
} tile_plan_t;

static bool goes_evenly(const cv_tile_t *p) {
    for (int i = 0; i < 3; i++)
        if (p->win.k[i] != 1 || p->win.stride[i] != 1 || p->win.pad[i] ||
                p->win.in[i] != p->win.out[i] || p->out_first[i] || p->out_step[i] != 1)
            return false;
    return p->src.sp[2] > 0 && p->dst.sp[2] > 0 && conv_is_even(&p->src, p->win.in) &&
           conv_is_even(&p->dst, p->win.out);
}

static const char *tile_step(conv_t *cv, const tile_plan_t *tp, cv_tile_t *p) {
    const tile_t *t = tp->t;
    const int nr = 16 * t->nv;
    const int64_t pixels = cv->mb * p->win.out[0] * p->win.out[1] * p->win.out[2];
    const int64_t all_tiles = div_up(pixels, t->mr);
    const int64_t k = max_i64(1, (int64_t)p->ic * p->win.k[0] * p->win.k[1] * p->win.k[2]);
    /* All channels of a pixel one after the other, as far as their weights stay in the cache: stores that are
     * far apart would wait for memory. */
    p->chunk = (int32_t)max_i64(
            1, min_i64(p->panels, CACHED_WEIGHTS / (k * nr * (int64_t)sizeof(float))));
    const int64_t wanted = (int64_t)max_i64(cv->caps->compute_units, 1) * GROUPS_PER_UNIT;
    while (p->chunk > 1 && all_tiles * p->groups * div_up(p->panels, p->chunk) < wanted)
        p->chunk /= 2;
    const int64_t panels = p->groups * (int64_t)div_up(p->panels, p->chunk);
    if (pixels > INT32_MAX / 2 || panels > INT32_MAX) return "dst is too large";
    p->pixels = (int32_t)pixels;
    /* Either the source is read once and the weights once for each run of pixels, or the other way round. */
    p->by_panel = k * nr * (int64_t)sizeof(float) <= CACHED_SOURCE;
    int64_t per_item = max_i64(1, all_tiles * panels / wanted);
    const int64_t cached = CACHED_SOURCE / (t->mr * (int64_t)p->ic * (int64_t)sizeof(float));
    if (p->by_panel && panels > 1) per_item = min_i64(per_item, max_i64(cached, 1));
    per_item = max_i64(per_item, PRODUCTS_PER_GROUP / (t->mr * nr * k * p->chunk));
    p->tiles = (int32_t)max_i64(1, min_i64(per_item, all_tiles));

    plan_t *plan = cv->plan;
    const uint32_t runs = (uint32_t)div_up(all_tiles, p->tiles);
    const uint32_t size[3] = {1, 1, 1};
    const uint32_t count[3] = {
            p->by_panel ? (uint32_t)panels : runs, p->by_panel ? runs : (uint32_t)panels, 1};
    plan_step(plan, t->row, size, count);
    conv_common_specs(plan, dnnl_f32, tp->wei.dt, &tp->r,
            (cv->exact ? CVF_INT : 0) | (tp->bias ? CVF_BIAS : 0) |
                    (is_padded(&p->win) ? CVF_PADDED : 0) | (goes_evenly(p) ? CVF_EVEN : 0));
    conv_bind_place(plan, &tp->src);
    conv_bind_place(plan, &tp->wei);
    conv_bind_place(plan, &tp->r.place);
    if (tp->bias)
        plan_arg(plan, cv->bias_slot,
                (uint64_t)cv->pd->args[cv->bias_slot].md.offset0 * sizeof(float));
    else plan_arg(plan, -1, 0);
    plan_const(plan, p, sizeof(*p));
    epilogue_args(&tp->r.seg, cv->pd, NULL, plan);
    return NULL;
}

/* The steps of a destination that falls apart; p has the window over the whole of it. */
static const char *part_steps(conv_t *cv, const tile_plan_t *whole, const cv_tile_t *p) {
    const int32_t *stride = cv->win.stride;
    int32_t rest[3];
    for (rest[0] = 0; rest[0] < stride[0]; rest[0]++)
        for (rest[1] = 0; rest[1] < stride[1]; rest[1]++)
            for (rest[2] = 0; rest[2] < stride[2]; rest[2]++) {
                tile_plan_t tp = *whole;
                cv_tile_t part = *p;
                int64_t first_tap = 0;
                for (int i = 0; i < 3; i++) {
                    const int32_t s = stride[i], at = rest[i] + cv->win.pad[i], tap = at % s;
                    part.out_first[i] = rest[i];
                    part.out_step[i] = s;
                    part.win.out[i] = (int32_t)div_up(max_i64(cv->win.out[i] - rest[i], 0), s);
                    part.win.k[i] = (int32_t)div_up(max_i64(cv->win.k[i] - tap, 0), s);
                    part.win.stride[i] = 1;
                    if (s > 1) part.win.dilation[i] = -1;
                    part.win.pad[i] = -(at - tap) / s;
                    part.wei_k[i] = p->wei_k[i] * s;
                    first_tap += tap * p->wei_k[i];
                }
                if (part.win.out[0] == 0 || part.win.out[1] == 0 || part.win.out[2] == 0) continue;
                /* Without a tap there may be no weights at that place either. */
                const bool any_tap = part.win.k[0] && part.win.k[1] && part.win.k[2];
                if (any_tap) tp.wei.offset += dt_offset(tp.wei.dt, first_tap);
                const char *why_not = tile_step(cv, &tp, &part);
                if (why_not) return why_not;
            }
    return NULL;
}

static const char *plan_tile(conv_t *cv, const tile_t *t) {
    const int nr = 16 * t->nv, sp = cv->ndims - 3, first = cv->with_groups;
    if (!tile_takes(cv)) return "the data types or the strides are not for register tiles";
    if (t->simd_width > cv->caps->simd_width && !variant_is_forced(cv->pd, t->row))
        return "the device's vectors are narrower than the tile is made for";
    if (conv_zero_of(cv, DNNL_ARG_WEIGHTS)) return "weights have a zero point";

    const bool parts = falls_apart(cv);
    tile_plan_t tp = {.t = t, .src = conv_place_of(cv->src, cv->src_slot)};
    cv_tile_t p;
    md_t packed;
    memset(&p, 0, sizeof(p));
    const char *why_not = conv_pack_weights(cv, t->tags[cv->with_groups][sp], &tp.wei, &packed);
    if (why_not) return why_not;

    p.win = source_window(cv);
    p.ic = (int32_t)cv->ic;
    const bool few = cv->ic < FEW_CHANNELS && cv->win.k[2] > 1 && !parts;
    const bool padded = is_padded(&p.win);
    if (!reads_in_place(cv, &p.src) || tp.src.dt != dnnl_f32 || (few && padded)) {
        cv_window_t all = p.win; /* for parts: nothing but the source */
        for (int i = 0; i < 3; i++) {
            all.out[i] = p.win.in[i];
            all.k[i] = all.stride[i] = 1;
            all.pad[i] = 0;
        }
        why_not = prepare_source(cv, &p.src, parts ? &all : &p.win, &tp.src);
        if (why_not) return why_not;
    }
    const int64_t *strides = packed.format_desc.blocking.strides;
    p.wei_g = first ? strides[0] : 0;
    p.wei_panel = strides[first];
    for (int i = 0; i < 3; i++) {
        const int d = i - (5 - cv->ndims);
        p.wei_k[i] = d < 0 ? 0 : strides[first + d + 2];
    }
    /* The taps of a row and the channels lie next to each other in the source and in the weights. */
    if (few && cv->groups == 1 && p.src.sp[2] == cv->ic && p.win.dilation[2] == 1 &&
            p.win.pad[2] == 0 && !is_padded(&p.win)) {
        p.ic *= p.win.k[2];
        p.src.block = p.ic;
        p.win.in[2] -= p.win.k[2] - 1;
        p.win.k[2] = 1;
    }

    /* The sum starts at the bias if nothing comes between. */
    tp.bias = cv->bias_slot >= 0 && !cv->exact &&
              cv->pd->args[cv->bias_slot].md.data_type == dnnl_f32 &&
              !quant_find(&cv->pd->attr.scales, DNNL_ARG_SRC) &&
              !quant_find(&cv->pd->attr.scales, DNNL_ARG_WEIGHTS);
    cv->bias_inside = tp.bias;
    why_not = conv_plan_result(cv, 16, cv->groups > 1, &tp.r);
    if (!why_not && (tp.r.place.dt == dnnl_f64 || (tp.r.seg.dts >> dnnl_f64 & 1)))
        why_not = "the attributes have double precision";
    if (why_not) return why_not;
    p.dst = tp.r.t;
    p.groups = (int32_t)cv->groups;
    p.oc = (int32_t)cv->oc;
    p.padded_oc = (int32_t)(cv->groups == 1 && tp.r.complete ? cv->dst->padded_dims[1] : cv->oc);
    p.panels = (int32_t)div_up(cv->oc, nr);
    for (int i = 0; i < 3; i++) p.out_step[i] = 1;
    why_not = parts ? part_steps(cv, &tp, &p) : tile_step(cv, &tp, &p);
    return why_not ? why_not : conv_finish_result(cv, &tp.r);
}

/* ---- depthwise ---- */

static const char *plan_depthwise(conv_t *cv, int row) {
    plan_t *plan = cv->plan;
    if (!is_depthwise(cv)) return "it is not a depthwise convolution";
    if (cv->src->data_type == dnnl_f64) return "the data is double precision";
    if (conv_zero_of(cv, DNNL_ARG_WEIGHTS)) return "weights have a zero point";

    cv_depthwise_t p;
    conv_place_t src = conv_place_of(cv->src, cv->src_slot), wei;
    conv_result_t r;
    md_t packed;
    memset(&p, 0, sizeof(p));
    p.win = source_window(cv);
    const char *why_not = conv_pack_weights(cv, depthwise_tags[cv->ndims - 3], &wei, &packed);
    if (why_not) return why_not;
    bool zero_inside = conv_zero_of(cv, DNNL_ARG_SRC) != NULL;
    const bool lanes = conv_set_tensor(&p.src, cv->src) &&
                       (p.src.c_inner == 1 || cv->groups == 1) &&
                       (p.src.block % 16 == 0 || p.src.block >= cv->groups);
    if (!lanes) {
        why_not = prepare_source(cv, &p.src, &p.win, &src);
        zero_inside = false;
    }
    if (!why_not) why_not = conv_plan_result(cv, 16, false, &r);
    if (!why_not && (r.place.dt == dnnl_f64 || (r.seg.dts >> dnnl_f64 & 1)))
        why_not = "the attributes have double precision";
    if (why_not) return why_not;
    p.dst = r.t;
    p.channels = (int32_t)cv->groups;
    p.padded_channels = (int32_t)(r.complete ? cv->dst->padded_dims[1] : cv->groups);
    const conv_quant_dt_t zero = conv_zero_dt(cv, DNNL_ARG_SRC);
    p.za_dt = zero.dt;
    p.za_step = zero.step;
    const int64_t rows = cv->mb * p.win.out[0] * p.win.out[1],
                  taps = p.win.k[0] * p.win.k[1] * p.win.k[2];
    const int64_t blocks = div_up(p.padded_channels, 16);
    if (rows > INT32_MAX / 2) return "dst is too large";
    const int64_t wanted = (int64_t)max_i64(cv->caps->compute_units, 1) * GROUPS_PER_UNIT;
    p.nrows = (int32_t)rows;
    p.rows =
            (int32_t)max_i64(1, min_i64(rows * blocks / wanted,
                                        PRODUCTS_PER_GROUP / max_i64(taps * 16 * p.win.out[2], 1)));
    const uint32_t size[3] = {1, 1, 1};
    const uint32_t count[3] = {(uint32_t)blocks, (uint32_t)div_up(rows, p.rows), 1};
    plan_step(plan, row, size, count);
    conv_common_specs(plan, src.dt, wei.dt, &r, zero_inside ? CVF_ZA : 0);
    conv_bind_place(plan, &src);
    conv_bind_place(plan, &wei);
    conv_bind_place(plan, &r.place);
    plan_const(plan, &p, sizeof(p));
    conv_bind_zero(cv, DNNL_ARG_SRC);
    epilogue_args(&r.seg, cv->pd, NULL, plan);
    return conv_finish_result(cv, &r);
}

const char *conv_plan_cpu(conv_t *cv, int row) {
    if (cv->mb == 0 || md_has_zero_dim(cv->dst)) return "there is nothing to do";
    if (row == KERNEL_conv_depthwise) return plan_depthwise(cv, row);
    for (int i = 0; i < ARRAY_LEN(tiles); i++)
        if (tiles[i].row == row) return plan_tile(cv, &tiles[i]);
    return "the row is unknown";
}
