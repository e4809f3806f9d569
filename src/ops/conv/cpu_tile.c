/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of convolutions with the register tiles for CPUs: some pixels x vectors of 16 channels. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "ops/conv/cpu.h"
#include "plan/device.h"
#include "plan/variant_id.h"
#include "plan/variant.h"

enum { LANES = 16 };
/* Bytes of the source that stay in a core's cache while work-groups go from panel to panel. */
enum { CACHED_SOURCE = 128 << 10 };
/* Bytes of weights that stay there while a work-item goes from tile to tile of pixels. */
enum { CACHED_WEIGHTS = 512 << 10 };
/* With fewer channels than this a tap is too short a loop: a padded source is copied, so that the
 * taps of a row become one. */
enum { FEW_CHANNELS = 16 };
/* Of a convolution for which one more step costs little: 50 us of a core with AVX-512. */
enum { LEAST_PRODUCTS = 1 << 22 };
/* With fewer, the time is that of reading the weights. */
enum { LEAST_PIXELS = 128 };
/* Steps of a deconvolution with strides, one for each phase. */
enum { MOST_PHASES = 4 };

/* What the kernel reads and writes. It points into itself: not to be copied. */
typedef struct {
    int variant;
    int columns; /* output channels of a tile */
    operand_t src, wei;
    md_t copy, packed;
    bool has_phases, has_bias;
    bool pads_rows; /* the copy of the source has rows of zeros */
    bool moves;     /* the source moves by 128: sums begin at `start` */
    operand_t start;
    md_t start_md;
    result_t r;
    cv_tile_t p;
} tile_t;

/* ---- what tiles can run ---- */

/* A deconvolution with strides is as many convolutions as positions of the destination leave
 * remainders: each has strides of 1, and some of the taps. */
static bool has_phases(const conv_t *cv) {
    int64_t phases = 1;
    /* Each phase is a step, and applies the whole epilogue. */
    if (!cv->transposed || cv->exact || cv->pd->attr.post_ops.len > PO_MAX_ENTRIES) return false;
    for (int i = 0; i < 3; i++) {
        if (cv->win.stride[i] > 1 && cv->win.dilation[i] > 1) return false;
        phases *= cv->win.stride[i];
    }
    return phases > 1 && phases <= MOST_PHASES;
}

static bool suits_tiles(const conv_t *cv) {
    return (conv_slides_over_source(cv) || has_phases(cv)) && cv->src.md->data_type != dnnl_f64;
}

/* Elements in a word of the variant's dot products; 0: it has none. */
static int dots_of(int variant) {
    return variants[variant].geometry.dots;
}

/* Weights in panels that are as wide as the tile; those of dot products consist of words. */
static const char *panels_tag(const conv_t *cv, int variant) {
    static const char *const words[2][2][3] = {
            {{"AcB32a2b", "AcdB32a2b", "AcdeB32a2b"}, {"aBdC32b2c", "aBdeC32b2c", "aBdefC32b2c"}},
            {{"AcB32a4b", "AcdB32a4b", "AcdeB32a4b"}, {"aBdC32b4c", "aBdeC32b4c", "aBdefC32b4c"}},
    };
    static const char *const tags[2][2][3] = {
            {{"Acb16a", "Acdb16a", "Acdeb16a"}, {"aBdc16b", "aBdec16b", "aBdefc16b"}},
            {{"Acb32a", "Acdb32a", "Acdeb32a"}, {"aBdc32b", "aBdec32b", "aBdefc32b"}},
    };
    if (dots_of(variant)) return words[dots_of(variant) == 4][cv->with_groups][cv->ndims - 3];
    return tags[variants[variant].geometry.nv - 1][cv->with_groups][cv->ndims - 3];
}

/* Pixels whose results are stored together: a tile of the kernel has one or two parts of `mr`. */
static int pixels_of(int variant) {
    const int mr = variants[variant].geometry.mr;
    return CV_TILE_PIXELS % mr ? mr : CV_TILE_PIXELS;
}

/* NULL, or why another tile is faster. */
static const char *why_not_fast(const conv_t *cv, int variant) {
    const int max_columns = variants[variant].geometry.max_columns;
    const int64_t pixels = cv->mb * cv->win.out[0] * cv->win.out[1] * cv->win.out[2];
    REFUSE_IF(variant_is_too_wide(variant, cv->caps));
    REFUSE_IF(variant_is_too_small(variant, pixels, pixels_of(variant), CV_TILE_PIXELS));
    if (max_columns && cv->oc > max_columns) return "the tile is made for fewer channels";
    return NULL;
}

/* NULL, or why the variant's dot products cannot compute the sums. */
static const char *why_no_dots(const conv_t *cv, int variant) {
    const int dots = dots_of(variant);
    const dnnl_data_type_t src = cv->src.md->data_type, wei = cv->wei.md->data_type;
    REFUSE_IF(variant_lacks(&variants[variant], cv->caps));
    if (dots == 2 && (src != dnnl_bf16 || wei != dnnl_bf16)) return "the factors are not bf16";
    if (dots == 4 && (!cv->exact || (wei != dnnl_s8 && !dt_is_nibble(wei))))
        return "the weights are not signed bytes";
    if (!conv_slides_over_source(cv)) return "the deconvolution has strides";
    if (conv_has_zero_point(cv, DNNL_ARG_SRC)) return "src has a zero point";
    if (cv->groups > 1 && cv->ic % dots) return "the channels of a group are no whole words";
    return cv->oc < LANES && !variant_is_forced(cv->pd, variant) ? "panels would be mostly empty"
                                                                 : NULL;
}

const char *conv_cpu_tile_weights(const conv_t *cv) {
    if (!cv->caps->is_cpu || !suits_tiles(cv)) return NULL;
    for (int v = 0; v < variant_count; v++)
        if (variants[v].plan == conv_plan_cpu_dots && !why_no_dots(cv, v) &&
                !dt_is_nibble(cv->wei.md->data_type))
            return panels_tag(cv, v);
    for (int v = 0; v < variant_count; v++)
        if (variants[v].plan == conv_plan_cpu_tile && !why_not_fast(cv, v))
            return panels_tag(cv, v);
    return NULL;
}

static const char *check(const conv_t *cv, int variant) {
    if (cv->mb == 0 || md_has_zero_dim(cv->dst.md)) return "there is nothing to do";
    if (!suits_tiles(cv)) return "register tiles do not support the data type or the strides";
    if (!variant_is_forced(cv->pd, variant)) REFUSE_IF(why_not_fast(cv, variant));
    if (conv_has_zero_point(cv, DNNL_ARG_WEIGHTS)) return "weights have a zero point";
    return NULL;
}

/* ---- inputs ---- */

/* Can the kernel read the source where it is? */
static bool reads_in_place(const conv_t *cv, cv_tensor_t *t) {
    if (!image_tensor(t, cv->src.md)) return false;
    if (t->c_inner != 1 && cv->src.md->dims[1] > 1) return false;
    return cv->groups == 1 || t->block >= cv->src.md->dims[1] || cv->ic % t->block == 0;
}

/* A window of one tap over every position of the source: a copy of it has no padding. */
static cv_window_t every_position(const cv_window_t *win) {
    cv_window_t all = *win;
    for (int i = 0; i < 3; i++) {
        all.out[i] = win->in[i];
        all.k[i] = all.stride[i] = 1;
        all.pad[i] = 0;
    }
    return all;
}

/* The taps of a row become one with more channels, if the channels of these taps lie next to each
 * other in the source and in the weights: one long loop in place of short ones. */
static void merge_taps(const conv_t *cv, cv_tile_t *p) {
    cv_window_t *win = &p->win;
    if (cv->groups != 1 || p->src.sp[2] != p->ic || win->dilation[2] != 1 || win->pad[2] ||
            conv_is_padded(win))
        return;
    p->ic *= win->k[2];
    p->src.block = p->ic;
    win->in[2] -= win->k[2] - 1;
    win->k[2] = 1;
}

/* A tile at an edge copies its pixels for each tap and each panel, a quarter of the time of their
 * products, where a step before copies each of them once. The narrower the image, the more tiles
 * are at an edge. With strides, half of the edges are no edges, and the step copies more: images of
 * 56x56 with 128 channels, 288 products for each element, lose by it, and 28x28 with 256 gain. */
static bool has_many_edges(const conv_t *cv, const tile_t *x) {
    enum { LEAST_OF_STRIDED = 512 }; /* products of an element of the source */
    const cv_window_t *win = &x->p.win;
    const int64_t panels = div_up(cv->oc, x->columns);
    double pixels = (double)cv->mb, taps = 1,
           elements = pixels * (double)cv->groups * (double)cv->ic;
    bool strided = false;
    for (int i = 0; i < 3; i++) {
        strided = strided || win->stride[i] != 1;
        pixels *= win->out[i];
        elements *= win->in[i];
        taps *= win->k[i];
    }
    const double products = pixels * taps * (double)cv->groups * (double)cv->oc * (double)cv->ic;
    if (strided && products < LEAST_OF_STRIDED * elements) return false;
    return !x->has_phases && conv_is_padded(win) && pixels >= LEAST_PIXELS &&
           products >= LEAST_PRODUCTS && panels * CV_TILE_PIXELS >= win->out[2];
}

/* Are many rows of a padded copy padding? Tiles of one row leave such rows out. */
static bool pads_rows(const conv_t *cv, const cv_tile_t *p) {
    enum { MOST_ROWS = 32 }; /* with more, 3x3 windows have less than 2 % of their taps there */
    const cv_window_t *win = &p->win;
    return win->k[0] == 1 && win->out[0] == 1 && win->out[1] <= MOST_ROWS &&
           (cv->mb > 1 || win->out[2] >= CV_TILE_PIXELS) &&
           (p->first_row > 0 || p->end_row < win->in[1]);
}

static const char *place_source(const conv_t *cv, tile_t *x) {
    cv_tile_t *p = &x->p;
    const bool few = cv->ic < FEW_CHANNELS && cv->win.k[2] > 1 && !x->has_phases,
               padded = conv_is_padded(&p->win);
    x->src = cv->src;
    if (!reads_in_place(cv, &p->src) || cv->src.md->data_type != dnnl_f32 || (few && padded) ||
            has_many_edges(cv, x)) {
        const cv_window_t whole = p->win;
        cv_window_t all = every_position(&whole);
        p->images = (int32_t)cv->mb;
        p->first_row =
                (int32_t)(whole.pad[1] - min_i64(0, (int64_t)(whole.k[1] - 1) * whole.dilation[1]));
        p->end_row = p->first_row + whole.in[1];
        REFUSE_IF(conv_prepare_source(
                cv, x->has_phases ? &all : &p->win, &p->src, &x->src, &x->copy));
        x->pads_rows = !x->has_phases && pads_rows(cv, p);
    }
    if (!x->has_phases) merge_taps(cv, p);
    return NULL;
}

/* The same for dot products, which read whole words of channels and no padding. */
static const char *place_words(const conv_t *cv, tile_t *x) {
    cv_tile_t *p = &x->p;
    const int dots = dots_of(x->variant);
    const dnnl_data_type_t dt = cv->src.md->data_type;
    x->src = cv->src;
    if (!reads_in_place(cv, &p->src) || p->src.block < cv->src.md->dims[1] || cv->ic % dots ||
            dt == dnnl_s8 || conv_is_padded(&p->win))
        REFUSE_IF(conv_prepare_words(cv, dots, &p->win, &p->src, &x->src, &x->copy));
    p->ic = (int32_t)(div_up(cv->ic, dots) * dots);
    merge_taps(cv, p);
    return NULL;
}

/* The sum starts at the bias if no scale comes between. */
static bool starts_at_bias(const conv_t *cv) {
    return cv->bias.md && !cv->exact && cv->bias.md->data_type == dnnl_f32 &&
           !quant_find(&cv->pd->attr.scales, DNNL_ARG_SRC) &&
           !quant_find(&cv->pd->attr.scales, DNNL_ARG_WEIGHTS);
}

/* ---- work ---- */

/* Divides the panels into chunks and the tiles of pixels into runs. A work-item does a chunk of all
 * channels of a pixel, one panel after the other, as stores that are far apart would wait for
 * memory; a chunk's weights stay in the cache, and there are enough chunks for all cores. */
static const char *share_work(const conv_t *cv, const tile_t *x, cv_tile_t *p, uint32_t count[3]) {
    const int dots = dots_of(x->variant);
    const int64_t element = (int64_t)sizeof(float) / (dots ? dots : 1);
    const int64_t pixels = cv->mb * p->win.out[0] * p->win.out[1] * p->win.out[2];
    const int tile = pixels_of(x->variant);
    const int64_t all_tiles = div_up(pixels, tile);
    const int64_t k = max_i64(1, (int64_t)p->ic * p->win.k[0] * p->win.k[1] * p->win.k[2]);
    const int64_t panel = k * x->columns * element; /* bytes */
    const int64_t wanted = (int64_t)max_i64(cv->caps->compute_units, 1) * CONV_GROUPS_PER_UNIT;
    p->chunk = (int32_t)max_i64(1, min_i64(p->panels, CACHED_WEIGHTS / panel));
    while (p->chunk > 1 && all_tiles * p->groups * div_up(p->panels, p->chunk) < wanted)
        p->chunk /= 2;
    const int64_t chunks = p->groups * (int64_t)div_up(p->panels, p->chunk);
    if (pixels > INT32_MAX / 2 || chunks > INT32_MAX) return "dst is too large";
    p->pixels = (int32_t)pixels;
    /* Either the source is read once, and the weights once for each run of pixels, or the other way
     * round. */
    p->by_panel = panel <= CACHED_SOURCE;
    int64_t tiles = max_i64(1, all_tiles * chunks / wanted);
    const int64_t cached = CACHED_SOURCE / (tile * (int64_t)p->ic * element);
    if (p->by_panel && chunks > 1) tiles = min_i64(tiles, max_i64(cached, 1));
    tiles = max_i64(tiles, CONV_PRODUCTS_PER_GROUP / (tile * x->columns * k * p->chunk));
    p->runs = (int32_t)max_i64(1, div_up(all_tiles, max_i64(tiles, 1)));
    count[0] = (uint32_t)(p->by_panel ? chunks : p->runs);
    count[1] = (uint32_t)(p->by_panel ? p->runs : chunks);
    count[2] = 1;
    return NULL;
}

/* ---- steps ---- */

/* Are pixels equally far apart over all images in source and destination, and one for one? */
static bool is_even(const cv_tile_t *p) {
    for (int i = 0; i < 3; i++)
        if (p->win.k[i] != 1 || p->win.stride[i] != 1 || p->win.pad[i] ||
                p->win.in[i] != p->win.out[i] || p->out_first[i] || p->out_step[i] != 1)
            return false;
    return p->src.sp[2] > 0 && p->dst.sp[2] > 0 && image_is_even(&p->src, p->win.in) &&
           image_is_even(&p->dst, p->win.out);
}

/* Are channels planes of contiguous pixels in the destination? */
static bool has_planes(const conv_t *cv, const cv_tile_t *p) {
    return p->dst.sp[2] == 1 && p->dst.c_inner != 1 && p->out_step[2] == 1 &&
           p->padded_oc == p->oc && p->dst.block >= cv->groups * cv->oc &&
           !dt_is_nibble(cv->dst.md->data_type);
}

/* Are results written for memory, which nothing reads back? Two cores of an EPYC write 12 MiB past
 * the caches in 0.65 to 0.9 of the time. A core has 1.5 to 4 MiB of the last cache. */
static bool streams(const conv_t *cv, const tile_t *x, const cv_tile_t *p) {
    enum { OF_A_CORE = 4 << 20 }; /* bytes */
    const int64_t least = min_i64(STREAM_BYTES, groups_wanted(cv->caps, 1) * OF_A_CORE);
    return x->r.complete && x->r.seg.nsrcs == 0 && p->dst.c_inner == 1 &&
           cv->dst.md->data_type == dnnl_f32 && md_size(cv->dst.md, 0) >= (uint64_t)least;
}

/* Do the pixels of a tile share a set of the L1 cache? */
static bool copies_tiles(const conv_t *cv, const tile_t *x, const cv_tile_t *p) {
    enum { WAY = 4096 }; /* bytes of each way of an L1 cache: 64 sets of one line */
    const int64_t step = p->win.stride[2] * p->src.sp[2] * (int64_t)sizeof(float);
    for (int i = 0; i < 3; i++)
        if (p->win.k[i] != 1) return false;
    return !conv_is_padded(&p->win) && !dots_of(x->variant) && !cv->exact && step % WAY == 0 &&
           p->ic <= CV_TILE_COPIED && p->src.block >= p->ic;
}

static bool numbers_rows_last(const conv_t *cv, const tile_t *x, const cv_tile_t *p) {
    return x->pads_rows && !has_planes(cv, p) && !is_even(p);
}

static uint32_t flags_of(const conv_t *cv, const tile_t *x, const cv_tile_t *p) {
    return (cv->exact ? CVF_INT : 0) | (x->has_bias || x->moves ? CVF_BIAS : 0) |
           (conv_is_padded(&p->win) ? CVF_PADDED : 0) | (is_even(p) ? CVF_EVEN : 0) |
           (has_planes(cv, p) ? CVF_PLANES : 0) | (streams(cv, x, p) ? CVF_STREAM : 0) |
           (numbers_rows_last(cv, x, p) ? CVF_ROWS : 0) | (copies_tiles(cv, x, p) ? CVF_COPIED : 0);
}

static const char *write_step(
        const conv_t *cv, const tile_t *x, const operand_t *wei, cv_tile_t *p) {
    const uint32_t size[3] = {1, 1, 1};
    uint32_t count[3];
    REFUSE_IF(share_work(cv, x, p, count));
    plan_t *plan = cv->p->plan;
    plan_step(plan, x->variant, size, count);
    result_specs(plan, &x->r, dnnl_f32, wei->md->data_type, flags_of(cv, x, p));
    bind_operand(plan, &x->src);
    bind_operand(plan, wei);
    bind_operand(plan, &x->r.to);
    bind_operand(plan, x->moves ? &x->start : x->has_bias ? &cv->bias : NULL);
    plan_const(plan, p, sizeof(*p));
    epilogue_args(&x->r.seg, cv->pd, cv->p->mds, plan);
    return NULL;
}

/* The phase of the positions that leave the remainders `rest`; x->p has the window over the whole
 * destination. */
static const char *write_phase(const conv_t *cv, const tile_t *x, const int32_t rest[3]) {
    cv_tile_t p = x->p;
    operand_t wei = x->wei;
    int64_t first_tap = 0;
    for (int i = 0; i < 3; i++) {
        const int32_t s = cv->win.stride[i], at = rest[i] + cv->win.pad[i], tap = at % s;
        p.out_first[i] = rest[i];
        p.out_step[i] = s;
        p.win.out[i] = (int32_t)div_up(max_i64(cv->win.out[i] - rest[i], 0), s);
        p.win.k[i] = (int32_t)div_up(max_i64(cv->win.k[i] - tap, 0), s);
        p.win.stride[i] = 1;
        if (s > 1) p.win.dilation[i] = -1;
        p.win.pad[i] = -(at - tap) / s;
        p.wei_k[i] = x->p.wei_k[i] * s;
        first_tap += tap * x->p.wei_k[i];
    }
    if (p.win.out[0] == 0 || p.win.out[1] == 0 || p.win.out[2] == 0) return NULL;
    /* Where a phase has no tap, the weights may end before its first one. */
    const bool has_taps = p.win.k[0] && p.win.k[1] && p.win.k[2];
    if (has_taps) wei.offset += dt_offset(wei.md->data_type, first_tap);
    return write_step(cv, x, &wei, &p);
}

static const char *write_phases(const conv_t *cv, const tile_t *x) {
    const int32_t *stride = cv->win.stride;
    for (int32_t n = 0; n < stride[0] * stride[1] * stride[2]; n++) {
        const int32_t rest[3] = {
                n / stride[2] / stride[1], n / stride[2] % stride[1], n % stride[2]};
        REFUSE_IF(write_phase(cv, x, rest));
    }
    return NULL;
}

/* ---- the plan ---- */

static void set_params(const conv_t *cv, tile_t *x) {
    cv_tile_t *p = &x->p;
    p->groups = (int32_t)cv->groups;
    p->oc = (int32_t)cv->oc;
    p->padded_oc = (int32_t)conv_padded_oc(cv, &x->r);
    p->panels = (int32_t)div_up(cv->oc, x->columns);
    for (int i = 0; i < 3; i++) p->out_step[i] = 1;
}

/* A step that sums up the weights, where packing has moved the source. */
static const char *write_start(const conv_t *cv, tile_t *x) {
    const cv_tile_t *p = &x->p;
    const dnnl_dims_t dims = {cv->groups * cv->oc};
    REFUSE_IF(why_not_of(
            md_init_strides(&x->start_md, 1, dims, dnnl_s32, NULL), "there are too many channels"));
    x->start = operand_in_scratch(cv->p, &x->start_md);
    const cv_dots_sums_t sums = {
            .wei_g = p->wei_g,
            .wei_panel = p->wei_panel,
            .words = (int32_t)(p->wei_panel / x->columns),
            .oc = p->oc,
            .moved = 128,
    };
    const uint32_t size[3] = {1, 1, 1}, count[3] = {(uint32_t)p->panels, (uint32_t)p->groups, 1};
    plan_t *plan = cv->p->plan;
    plan_step(plan, KERNEL_conv_dots_sums, size, count);
    bind_operand(plan, &x->wei);
    bind_operand(plan, &x->start);
    plan_const(plan, &sums, sizeof(sums));
    return NULL;
}

static const char *place_inputs(const conv_t *cv, tile_t *x) {
    cv_tile_t *p = &x->p;
    const int dots = dots_of(x->variant), unit = dots ? dots : 1;
    REFUSE_IF(conv_pack_weights(cv, panels_tag(cv, x->variant),
            dots == 4 ? dnnl_s8 : cv->wei.md->data_type, &x->wei, &x->packed));
    const conv_strides_t s = conv_weights_strides(cv, &x->packed);
    p->wei_g = s.group / unit;
    p->wei_panel = s.oc / unit;
    memcpy(p->wei_k, s.tap, sizeof(p->wei_k));
    p->win = conv_source_window(cv);
    p->ic = (int32_t)cv->ic;
    return dots ? place_words(cv, x) : place_source(cv, x);
}

/* With or without dot products. */
static const char *plan_tile(planner_t *planner, int variant) {
    const conv_t cv = conv_of(planner);
    REFUSE_IF(check(&cv, variant));
    const variant_geometry_t *g = &variants[variant].geometry;
    tile_t x = {
            .variant = variant,
            .columns = LANES * g->nv,
            .has_phases = has_phases(&cv),
            .has_bias = starts_at_bias(&cv),
            .moves = dots_of(variant) == 4 && cv.src.md->data_type == dnnl_s8,
    };
    const conv_stores_t stores = {LANES, cv.groups > 1, x.has_bias};
    REFUSE_IF(place_inputs(&cv, &x));
    REFUSE_IF(conv_result(&cv, stores, &x.r, &x.p.dst));
    REFUSE_IF(result_has_doubles(&x.r));
    set_params(&cv, &x);
    if (x.moves) REFUSE_IF(write_start(&cv, &x));
    REFUSE_IF(x.has_phases ? write_phases(&cv, &x) : write_step(&cv, &x, &x.wei, &x.p));
    return result_finish(planner, &x.r);
}

const char *conv_plan_cpu_tile(planner_t *planner, int variant) {
    return plan_tile(planner, variant);
}

const char *conv_plan_cpu_dots(planner_t *planner, int variant) {
    const conv_t cv = conv_of(planner);
    REFUSE_IF(why_no_dots(&cv, variant));
    return plan_tile(planner, variant);
}
