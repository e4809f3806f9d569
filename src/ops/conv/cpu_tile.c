/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of convolutions with the register tiles for CPUs: some pixels x vectors of 16 channels. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "kernels/matmul/matmul_params.h"
#include "ops/conv/cpu_tile.h"
#include "plan/device.h"
#include "plan/variant_id.h"
#include "plan/variant.h"

enum { LANES = 16 };
/* Bytes of the source that stay in a core's cache while work-groups go from panel to panel. */
enum { CACHED_SOURCE = 128 << 10 };
/* Bytes of weights that stay there while a work-item goes from tile to tile of pixels: 576 KiB are
 * those of a 3x3 window from 128 to 128 channels. */
enum { CACHED_WEIGHTS = 640 << 10 };
/* Steps of a deconvolution with strides, one for each phase. */
enum { MOST_PHASES = 4 };

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

/* Weights in panels that are as wide as the tile; those of dot products consist of words. */
static const char *panels_tag(const conv_t *cv, int variant) {
    static const char *const words[2][2][3] = {
            {{"AcB32a2b", "AcdB32a2b", "AcdeB32a2b"}, {"aBdC32b2c", "aBdeC32b2c", "aBdefC32b2c"}},
            {{"AcB32a4b", "AcdB32a4b", "AcdeB32a4b"}, {"aBdC32b4c", "aBdeC32b4c", "aBdefC32b4c"}},
    };
    static const char *const tags[3][2][3] = {
            {{"Acb16a", "Acdb16a", "Acdeb16a"}, {"aBdc16b", "aBdec16b", "aBdefc16b"}},
            {{"Acb32a", "Acdb32a", "Acdeb32a"}, {"aBdc32b", "aBdec32b", "aBdefc32b"}},
            {{"Acb64a", "Acdb64a", "Acdeb64a"}, {"aBdc64b", "aBdec64b", "aBdefc64b"}},
    };
    if (conv_tile_dots(variant))
        return words[conv_tile_dots(variant) == 4][cv->with_groups][cv->ndims - 3];
    return tags[variants[variant].geometry.nv / 2][cv->with_groups][cv->ndims - 3];
}

/* Weights whose channels lie side by side, and so do the taps of a row. */
static const char *by_taps_tag(const conv_t *cv) {
    static const char *const tags[2][3] = {{"acb", "acdb", "acdeb"}, {"abdc", "abdec", "abdefc"}};
    return tags[cv->with_groups][cv->ndims - 3];
}

/* Pixels whose results are stored together: a tile of the kernel has one or two parts of `mr`. Of
 * few pixels, a smaller tile may leave fewer of the last one unused. */
static int pixels_of(const conv_t *cv, int variant) {
    enum { FEW = 256, SMALLER = 10 };
    const int64_t pixels = cv->mb * cv->win.out[0] * cv->win.out[1] * cv->win.out[2];
    /* One less than a piece has: their addresses need registers. */
    if (conv_tile_is_wide(variant)) return variants[variant].geometry.mr - 1;
    return conv_tile_chooses_pixels(variant) && pixels <= FEW &&
                           div_up(pixels, SMALLER) * SMALLER <
                                   div_up(pixels, CV_TILE_PIXELS) * CV_TILE_PIXELS
                   ? SMALLER
                   : CV_TILE_PIXELS;
}

/* Do all channels of a pixel lie side by side? */
static bool has_contiguous_channels(const conv_t *cv, const cv_tensor_t *dst) {
    return dst->c_inner == 1 && dst->block >= cv->groups * cv->oc;
}

/* NULL, or why a tile of more pixels and fewer channels is faster. */
static const char *why_not_wide(const conv_t *cv, int variant) {
    enum { MOST = 14 }; /* pixels of the other tile */
    cv_tensor_t dst;
    if (cv->exact) return "sums of integers have registers of their own";
    if (cv->oc % (LANES * variants[variant].geometry.nv)) return "the last panel is not full";
    if (!image_tensor(&dst, cv->dst.md) || !has_contiguous_channels(cv, &dst))
        return "the channels of dst are not contiguous";
    if (conv_tile_wants_pieces(cv, variant, MOST)) return "rows divide into longer pieces";
    return NULL;
}

/* NULL, or why another tile is faster. */
static const char *why_not_fast(const conv_t *cv, int variant) {
    const int max_columns = variants[variant].geometry.max_columns;
    REFUSE_IF(variant_is_too_wide(variant, cv->caps));
    if (max_columns && cv->oc > max_columns) return "the tile is made for fewer channels";
    return conv_tile_is_wide(variant) ? why_not_wide(cv, variant) : NULL;
}

/* NULL, or why the variant's dot products cannot compute the sums. */
static const char *why_no_dots(const conv_t *cv, int variant) {
    const int dots = conv_tile_dots(variant);
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
            return conv_tile_joins_taps(cv, v) ? by_taps_tag(cv) : panels_tag(cv, v);
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
static const char *share_work(
        const conv_t *cv, const conv_tile_t *x, cv_tile_t *p, uint32_t count[3]) {
    const int dots = conv_tile_dots(x->variant);
    const int64_t element = (int64_t)sizeof(float) / (dots ? dots : 1);
    const int64_t pixels = cv->mb * p->win.out[0] * p->win.out[1] * p->win.out[2];
    const int tile = x->pixels;
    const int64_t all_tiles = div_up(pixels, tile);
    const int64_t k = max_i64(1, (int64_t)p->ic * p->win.k[0] * p->win.k[1] * p->win.k[2]);
    const int64_t panel = k * x->columns * element; /* bytes */
    const int64_t wanted = (int64_t)max_i64(cv->caps->compute_units, 1) * CONV_GROUPS_PER_UNIT;
    p->chunk = (int32_t)max_i64(1, min_i64(p->panels, CACHED_WEIGHTS / panel));
    while (p->chunk > 1 && all_tiles * p->groups * div_up(p->panels, p->chunk) < wanted)
        p->chunk /= 2;
    p->chunk = (int32_t)div_up(p->panels, div_up(p->panels, p->chunk)); /* nearly equal ones */
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

/* Are pixels equally far apart over all images in source and destination, and one for one? The
 * kernel then needs no positions of them, but a piece does. */
static bool is_even(const conv_tile_t *x, const cv_tile_t *p) {
    if (x->pieces) return false;
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
 * the caches in 0.65 to 0.9 of the time. */
static bool streams(const conv_t *cv, const conv_tile_t *x, const cv_tile_t *p) {
    return x->r.complete && x->r.seg.nsrcs == 0 && p->dst.c_inner == 1 &&
           (cv->dst.md->data_type == dnnl_f32 || cv->dst.md->data_type == dnnl_bf16) &&
           md_size(cv->dst.md, 0) >= (uint64_t)bytes_past_caches(cv->caps);
}

static bool has_whole_panels(const conv_t *cv, const conv_tile_t *x, const cv_tile_t *p) {
    return p->oc % x->columns == 0 && p->padded_oc == p->oc && has_contiguous_channels(cv, &p->dst);
}

static bool copies_tiles(const conv_t *cv, const conv_tile_t *x, const cv_tile_t *p) {
    for (int i = 0; i < 3; i++)
        if (p->win.k[i] != 1) return false;
    return !conv_is_padded(&p->win) && !conv_tile_dots(x->variant) && !x->pieces && !cv->exact &&
           conv_tile_shares_set(p->win.stride[2] * p->src.sp[2] * (int64_t)sizeof(float)) &&
           p->ic <= CV_TILE_COPIED && p->src.block >= p->ic;
}

static bool numbers_rows_last(const conv_t *cv, const conv_tile_t *x, const cv_tile_t *p) {
    return x->pads_rows && !has_planes(cv, p) && !is_even(x, p);
}

static uint32_t flags_of(const conv_t *cv, const conv_tile_t *x, const cv_tile_t *p) {
    const bool tiles = conv_tile_dots(x->variant) && cv->caps->has_dot_tiles;
    return (tiles ? CVF_TILES : 0) | (cv->exact ? CVF_INT : 0) |
           (x->has_bias || x->moves ? CVF_BIAS : 0) | (conv_is_padded(&p->win) ? CVF_PADDED : 0) |
           (is_even(x, p) ? CVF_EVEN : 0) | (has_planes(cv, p) ? CVF_PLANES : 0) |
           (streams(cv, x, p) ? CVF_STREAM : 0) | (numbers_rows_last(cv, x, p) ? CVF_ROWS : 0) |
           (copies_tiles(cv, x, p) ? CVF_COPIED : 0) | (x->pieces ? CVF_PIECES : 0) |
           (has_whole_panels(cv, x, p) ? CVF_WHOLE : 0);
}

/* Is the epilogue short, and the same for all pixels? ops: SPEC_BLOCK_OPS. */
static bool has_short_epilogue(
        const conv_t *cv, const conv_tile_t *x, const cv_tile_t *p, uint32_t *ops) {
    enum { ALL_BUT_CHANNELS = 1 << 0 | 1 << 2 | 1 << 3 | 1 << 4 };
    return x->r.seg.count > 0 && p->dst.c_inner == 1 && p->dst.block >= cv->groups * cv->oc &&
           epilogue_block_ops(&x->r.seg, ALL_BUT_CHANNELS, ops);
}

static const char *write_step(
        const conv_t *cv, const conv_tile_t *x, const operand_t *wei, cv_tile_t *p) {
    const uint32_t size[3] = {1, 1, 1};
    uint32_t count[3];
    REFUSE_IF(share_work(cv, x, p, count));
    plan_t *plan = cv->p->plan;
    plan_step(plan, x->variant, size, count);
    uint32_t ops = 0;
    const bool is_short = has_short_epilogue(cv, x, p, &ops);
    result_specs(plan, &x->r, dnnl_f32, wei->md->data_type,
            flags_of(cv, x, p) | (is_short ? CVF_SHORT : 0));
    if (conv_tile_chooses_pixels(x->variant)) plan_spec(plan, SPEC_CONV_PIXELS, x->pixels);
    if (is_short) plan_spec(plan, SPEC_BLOCK_OPS, ops);
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
static const char *write_phase(const conv_t *cv, const conv_tile_t *x, const int32_t rest[3]) {
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

static const char *write_phases(const conv_t *cv, const conv_tile_t *x) {
    const int32_t *stride = cv->win.stride;
    for (int32_t n = 0; n < stride[0] * stride[1] * stride[2]; n++) {
        const int32_t rest[3] = {
                n / stride[2] / stride[1], n / stride[2] % stride[1], n % stride[2]};
        REFUSE_IF(write_phase(cv, x, rest));
    }
    return NULL;
}

/* ---- the plan ---- */

static void set_params(const conv_t *cv, conv_tile_t *x) {
    cv_tile_t *p = &x->p;
    p->groups = (int32_t)cv->groups;
    p->oc = (int32_t)cv->oc;
    p->padded_oc = (int32_t)conv_padded_oc(cv, &x->r);
    p->panels = (int32_t)div_up(cv->oc, x->columns);
    for (int i = 0; i < 3; i++) p->out_step[i] = 1;
}

/* A step that sums up the weights, where packing has moved the source. */
static const char *write_start(const conv_t *cv, conv_tile_t *x) {
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

/* A step that packs a matrix for each row of taps: its rows are the channels of all taps, its
 * columns those of the result. */
static void write_packing(const conv_t *cv, conv_tile_t *x, const operand_t *from) {
    enum { BATCH = MM_DIMS - 4 }; /* the last two dimensions of the batch: depth and height */
    const conv_strides_t s = conv_weights_strides(cv, from->md);
    const int32_t *k = cv->win.k, dots = conv_tile_dots(x->variant);
    const int64_t rows = k[2] * cv->ic, words = div_up(rows, dots);
    mm_pack_t p = {
            .rows = (int32_t)rows,
            .cols = (int32_t)cv->oc,
            .rows_per_item = (int32_t)(words * dots),
            .nv = x->columns / LANES,
            .pairs = 1,
            .src_row = 1,
            .src_col = s.oc,
            .dst_row = x->columns,
            .dst_batch = words * x->columns,
            .dst_panel = k[0] * k[1] * words * x->columns,
    };
    for (int i = 0; i < MM_DIMS - 2; i++) p.dims[i] = 1;
    for (int i = 0; i < 2; i++) {
        p.dims[BATCH + i] = k[i];
        p.src_batch[BATCH + i] = s.tap[i];
    }
    const int64_t vectors = div_up(cv->oc, x->columns) * p.nv;
    const uint32_t size[3] = {1, 1, 1}, count[3] = {(uint32_t)vectors, 1, (uint32_t)(k[0] * k[1])};
    plan_t *plan = cv->p->plan;
    plan_step(plan, KERNEL_matmul_pack_bytes, size, count);
    plan_spec(plan, SPEC_SRC_DT, dnnl_s8);
    bind_operand(plan, from);
    bind_operand(plan, &x->wei);
    plan_const(plan, &p, sizeof(p));
}

/* Panels of weights with one tap in each row, which has the channels of all. */
static const char *pack_joined(const conv_t *cv, conv_tile_t *x) {
    const int ic = cv->with_groups + 1, kw = cv->wei.md->ndims - 1;
    operand_t from;
    dnnl_dims_t dims;
    REFUSE_IF(conv_pack_weights(cv, by_taps_tag(cv), dnnl_s8, &from, &x->by_taps));
    memcpy(dims, from.md->dims, sizeof dims);
    dims[ic] *= dims[kw];
    dims[kw] = 1;
    REFUSE_IF(why_not_of(
            md_init_string_tag(&x->packed, kw + 1, dims, dnnl_s8, panels_tag(cv, x->variant)),
            "weights are too large to be packed"));
    x->wei = operand_in_scratch(cv->p, &x->packed);
    write_packing(cv, x, &from);
    return NULL;
}

static const char *place_inputs(const conv_t *cv, conv_tile_t *x) {
    cv_tile_t *p = &x->p;
    const int dots = conv_tile_dots(x->variant), unit = dots ? dots : 1;
    REFUSE_IF(conv_tile_joins_taps(cv, x->variant)
                      ? pack_joined(cv, x)
                      : conv_pack_weights(cv, panels_tag(cv, x->variant),
                                dots == 4 ? dnnl_s8 : cv->wei.md->data_type, &x->wei, &x->packed));
    const conv_strides_t s = conv_weights_strides(cv, &x->packed);
    p->wei_g = s.group / unit;
    p->wei_panel = s.oc / unit;
    memcpy(p->wei_k, s.tap, sizeof(p->wei_k));
    p->win = conv_source_window(cv);
    p->ic = (int32_t)cv->ic;
    return conv_tile_source(cv, x);
}

/* With or without dot products. */
static const char *plan_tile(planner_t *planner, int variant) {
    const conv_t cv = conv_of(planner);
    REFUSE_IF(check(&cv, variant));
    const variant_geometry_t *g = &variants[variant].geometry;
    conv_tile_t x = {
            .variant = variant,
            .columns = LANES * g->nv,
            .pixels = pixels_of(&cv, variant),
            .has_phases = has_phases(&cv),
            .has_bias = starts_at_bias(&cv),
            .moves = conv_tile_dots(variant) == 4 && cv.src.md->data_type == dnnl_s8,
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
