/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of the convolution rows for matrix units: the source where it is if block loads can read it
 * there, else copied to pixels that they can; weights in panels. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/util.h"
#include "plan/block_loads.h"
#include "ops/conv/xmx.h"
#include "plan/variant_id.h"
#include "plan/variant.h"

enum { COLUMNS = CONV_XMX_COLUMNS, ROWS = CONV_XMX_ROWS };

/* ---- deconvolution ---- */

bool conv_xmx_has_phases(const conv_t *cv) {
    const int32_t *s = cv->win.stride;
    return cv->transposed && (s[0] > 1 || s[1] > 1 || s[2] > 1);
}

/* It is a convolution that goes through its taps backwards; with strides, the positions that leave the same
 * remainder are one, by some of the taps. */
static void turn_round(conv_t *as) {
    const bool phases = conv_xmx_has_phases(as);
    for (int i = 0; i < 3 && as->transposed; i++) {
        as->win.dilation[i] = -as->win.dilation[i];
        if (!phases) as->win.pad[i] = -as->win.pad[i];
    }
}

/* ---- views ---- */

static bool is_dense_variant(const conv_t *cv, const cv_tensor_t *src) {
    const cv_window_t *w = &cv->win;
    cv_tensor_t dst;
    int64_t pixels = cv->mb;
    for (int i = 0; i < 3; i++) {
        if (w->k[i] != 1 || w->stride[i] != 1 || w->pad[i] || w->in[i] != w->out[i]) return false;
        if (!mul_ok(pixels, w->in[i], &pixels) || pixels > BLOCK_LIMIT) return false;
    }
    return conv_set_tensor(&dst, cv->dst) && conv_is_even(src, w->in) && conv_is_even(&dst, w->out);
}

conv_xmx_view_t conv_xmx_view(const conv_t *cv, const cv_tensor_t *src) {
    const cv_window_t *w = &cv->win;
    const bool flat = is_dense_variant(cv, src);
    const bool along_w = flat || (w->in[1] == 1 && w->k[1] == 1 && w->out[1] == 1);
    return (conv_xmx_view_t){{0, along_w ? 2 : 1, along_w ? -1 : 2}, flat};
}

bool conv_xmx_of_8(const conv_t *cv) {
    return variant_runs_on(&variants[KERNEL_conv_xmx8_f8x32], cv->caps);
}

/* Do all pixels, which lanes read in pieces of 16 bytes, begin at multiples of 4? */
static bool in_pieces(const conv_t *cv, const cv_tensor_t *t) {
    enum { WORD = 4, PIECE = 16 };
    const int64_t element = conv_xmx_element(cv);
    if (cv->src->dims[1] * element % PIECE || cv->src->offset0 * element % WORD) return false;
    if (cv->mb > 1 && t->n * element % WORD) return false;
    for (int i = 0; i < 3; i++)
        if (cv->win.in[i] > 1 && t->sp[i] * element % WORD) return false;
    return true;
}

/* Can block loads, or lanes where there are none, read the source where it is? */
static bool in_place(const conv_t *cv, const cv_tensor_t *t) {
    const int64_t element = conv_xmx_element(cv), channels = cv->src->dims[1] * element;
    if (conv_xmx_of_8(cv))
        return t->c_inner == 1 && t->block >= cv->src->dims[1] && in_pieces(cv, t);
    const conv_xmx_view_t v = conv_xmx_view(cv, t);
    if (t->c_inner != 1 || t->block < cv->src->dims[1] || cv->src->offset0 * element % BLOCK_LINE)
        return false;
    /* Weights have no steps for further lines of a block. */
    if (t->block * element > div_up(channels, BLOCK_LINE) * BLOCK_LINE) return false;
    /* Pixels beside one another must not be taken for one another. */
    if (v.axis[COLUMNS] >= 0 ? channels % BLOCK_LINE
                             : (channels % BLOCK_WIDTH_STEP || channels < BLOCK_MIN_WIDTH))
        return false;
    if (!v.flat && cv->mb > 1 && t->n * element % BLOCK_LINE) return false;
    for (int i = 0; i < 3; i++) {
        /* Flat rows go on from image to image. */
        if (v.flat ? i < 2 : cv->win.in[i] == 1) continue;
        const int64_t stride = t->sp[i] * element;
        const bool rows = i == v.axis[ROWS],
                   base_moves = !rows || (!v.flat && !cv->transposed && cv->win.stride[i] > 1);
        if (stride < channels || stride % (base_moves ? BLOCK_LINE : BLOCK_PITCH_STEP))
            return false;
    }
    return true;
}

/* ---- the choice of a form ---- */

/* Time, counted in products of a pixel's 64 bytes with a panel of weights: as long as 8 bytes of memory take,
 * or less. A line that is copied is written and read. */
enum { LINE_COST = 2 * BLOCK_LINE / 8 };
/* Matrix units do about 8 times as many products of floats as the tiles for sub-groups, which take
 * convolutions of floats with 9 output channels or more, and far more than the portable row. */
enum { WASTE_OF_FLOATS = 8, MAX_WASTE = 32, CHANNELS_OF_TILES = 9 };
enum {
    MAX_GATHERED = 4
}; /* lines of a pixel: a copy is not to be many times as large as the source */

static int64_t lines_of(const conv_t *cv, const conv_xmx_form_t *f) {
    int64_t elements = cv->ic * f->merged;
    for (int i = 3 - f->gathered; i < 3; i++) elements *= cv->win.k[i];
    return div_up(elements * conv_xmx_element(cv), BLOCK_LINE);
}

static double products_of(const conv_t *cv, const conv_xmx_form_t *f) {
    double products = (double)lines_of(cv, f) * (double)div_up(cv->oc * f->merged, 16) *
                      (double)(cv->groups / f->merged);
    for (int i = 0; i < 3 - f->gathered; i++) products *= cv->win.k[i];
    return products;
}

static double cost_of(const conv_t *cv, const conv_xmx_form_t *f) {
    double pixels = 1, copied = f->copied ? (double)(lines_of(cv, f) * cv->groups / f->merged) : 0;
    for (int i = 0; i < 3; i++) {
        pixels *= cv->win.out[i];
        copied *= i >= 3 - f->gathered ? cv->win.out[i] : cv->win.in[i];
    }
    return pixels * products_of(cv, f) + copied * LINE_COST;
}

/* Products beside those that would be there if units took any number of channels. */
static double waste_of(const conv_t *cv, const conv_xmx_form_t *f) {
    double useful = (double)(cv->ic * cv->oc) * (double)cv->groups * conv_xmx_element(cv) /
                    (BLOCK_LINE * 16);
    for (int i = 0; i < 3; i++) useful *= cv->win.k[i];
    return products_of(cv, f) / useful;
}

const char *conv_xmx_choose_form(const conv_t *problem, conv_xmx_form_t *form) {
    cv_tensor_t src;
    conv_t as = *problem;
    const conv_t *cv = &as;
    turn_round(&as);
    double best = INFINITY;
    const bool reads = conv_set_tensor(&src, cv->src), here = reads && in_place(cv, &src);
    for (int merged = 1; merged <= cv->groups; merged++) {
        if (cv->groups % merged) continue;
        const bool all = merged == cv->groups;
        for (int gathered = 0; gathered <= (cv->transposed ? 0 : cv->ndims - 2); gathered++) {
            conv_xmx_form_t f = {gathered, merged, gathered > 0 || !here};
            /* Groups begin where block loads can. */
            if (!all && cv->ic * merged * conv_xmx_element(cv) % BLOCK_LINE) f.copied = true;
            /* gather.cl reads at most one block of channels. */
            if (f.copied && (gathered > 0 || !all) && !reads) continue;
            if (gathered > 0 && lines_of(cv, &f) > MAX_GATHERED) continue;
            const double cost = cost_of(cv, &f);
            if (cost >= best) continue;
            best = cost;
            *form = f;
        }
        if (cv->ic * merged * conv_xmx_element(cv) >= MAX_GATHERED * BLOCK_LINE) break;
    }
    if (best == INFINITY) return "src has more blocks than one of channels";
    const bool has_tile = !cv->exact && !cv->transposed && cv->oc >= CHANNELS_OF_TILES;
    if (cv->groups > 1 &&
            (cv->ic * cv->oc == 1 || waste_of(cv, form) > (has_tile ? WASTE_OF_FLOATS : MAX_WASTE)))
        return "a group has too few channels";
    return NULL;
}

/* ---- the source ---- */

/* A copy with pixels of multiples of 64 bytes, filled up with zeros. */
static const char *copy_source(conv_t *as, conv_place_t *place, md_t *padded) {
    static const char *const outer[] = {"acB", "acdB", "acdeB"};
    char tag[16];
    snprintf(tag, sizeof(tag), "%s%ub", outer[as->ndims - 3], BLOCK_LINE / conv_xmx_element(as));
    const md_t *md = as->src;
    if (md_init_string_tag(padded, md->ndims, md->dims, md->data_type, tag) != dnnl_success)
        return "a copy of src would be too large";
    return conv_copy_input(as, as->src_slot, md, padded, place);
}

/* The same for each group, or with the channels of several taps. */
static const char *gather_source(
        conv_t *as, const conv_xmx_form_t *form, conv_place_t *place, md_t *copy) {
    enum { PIXELS = 32 };
    const int64_t lines = lines_of(as, form);
    dnnl_dims_t dims = {as->mb};
    cv_gather_t p;
    memset(&p, 0, sizeof(p));
    if (!conv_set_tensor(&p.src, as->src)) return "src has more blocks than one of channels";
    p.channels = (int32_t)(as->ic * form->merged);
    p.groups = (int32_t)(as->groups / form->merged);
    for (int i = 0; i < 3; i++) {
        const bool gathers = i >= 3 - form->gathered;
        p.in[i] = as->win.in[i];
        p.size[i] = gathers ? as->win.out[i] : as->win.in[i];
        p.k[i] = gathers ? as->win.k[i] : 1;
        p.stride[i] = gathers ? as->win.stride[i] : 1;
        p.dilation[i] = gathers ? as->win.dilation[i] : 1;
        p.pad[i] = gathers ? as->win.pad[i] : 0;
        const int d = i - (5 - as->ndims);
        if (d >= 0) dims[d + 2] = p.size[i];
        if (!gathers) continue;
        as->win.in[i] = as->win.out[i];
        as->win.k[i] = as->win.stride[i] = as->win.dilation[i] = 1;
        as->win.pad[i] = 0;
    }
    const int64_t lines_of_pixel = p.groups * lines;
    int64_t rows, all;
    if (lines_of_pixel > INT32_MAX / BLOCK_LINE || !mul_ok(p.size[0], p.size[1], &rows) ||
            rows > INT32_MAX || !mul_ok(rows, as->mb, &all) || all > INT32_MAX)
        return "a copy of src would be too large";
    p.rows = (int32_t)rows;
    p.lines = (int32_t)lines;
    p.whole = p.src.block >= as->src->dims[1];
    p.group = p.channels * p.src.c_inner;
    p.run = p.channels;
    const int64_t reach = (int64_t)p.size[2] * p.stride[2] + p.pad[2] + p.k[2];
    const bool beside = p.whole && p.groups == 1 && p.src.c_inner == 1 && p.src.sp[2] == p.channels;
    if (beside && p.k[2] > 1 && p.dilation[2] == 1 &&
            max_i64(reach, p.in[2]) < INT32_MAX / p.channels) {
        p.run *= p.k[2];
        p.k[2] = 1;
    }
    dims[1] = lines_of_pixel * BLOCK_LINE / conv_xmx_element(as);
    if (md_init_string_tag(copy, as->ndims, dims, as->src->data_type,
                conv_channels_last[as->ndims - 3]) != dnnl_success)
        return "a copy of src would be too large";
    const conv_place_t from = conv_place_of(as->src, as->src_slot);
    *place = (conv_place_t){-1, conv_reserve(as, md_size(copy, 0)), from.dt};
    const uint32_t size[3] = {1, PIXELS, 1};
    const uint32_t count[3] = {
            (uint32_t)lines_of_pixel, (uint32_t)div_up(p.size[2], PIXELS), (uint32_t)all};
    plan_step(as->plan, KERNEL_conv_gather, size, count);
    plan_spec(as->plan, SPEC_SRC_DT, (uint32_t)from.dt);
    conv_bind_place(as->plan, &from);
    conv_bind_place(as->plan, place);
    plan_const(as->plan, &p, sizeof(p));
    as->src = copy;
    as->ic = lines * BLOCK_LINE / conv_xmx_element(as);
    return NULL;
}

static const char *plan_source(conv_t *as, const conv_xmx_form_t *form, conv_place_t *place,
        cv_tensor_t *src, md_t *copy) {
    const char *why_not = NULL;
    *place = conv_place_of(as->src, as->src_slot);
    turn_round(as);
    if (!form->copied) {
        as->ic *= form->merged;
    } else if (form->gathered == 0 && form->merged == as->groups) {
        why_not = copy_source(as, place, copy);
        as->ic *= form->merged;
    } else {
        why_not = gather_source(as, form, place, copy);
    }
    if (why_not) return why_not;
    as->oc *= form->merged;
    as->groups /= form->merged;
    const md_t *md = form->copied ? copy : as->src;
    conv_set_tensor(src, md);
    if (form->copied) { /* A block of channels and the next are the same as one: nothing lies between them. */
        const int64_t *strides = md->format_desc.blocking.strides;
        src->block = (int32_t)md->padded_dims[1];
        src->c_inner = 1;
        src->n = strides[0];
        for (int i = 5 - as->ndims; i < 3; i++) src->sp[i] = strides[i - (5 - as->ndims) + 2];
    }
    return NULL;
}

/* ---- weights ---- */

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

static bool has_own_panels(const conv_xmx_form_t *form) {
    return form->gathered > 0 || form->merged > 1;
}

const char *conv_xmx_weights_tag(const conv_t *cv, const conv_xmx_form_t *form) {
    static const char *const plain[] = {"abc", "abcd", "abcde", "abcdef"};
    return has_own_panels(form) ? plain[cv->ndims - 3 + cv->with_groups] : panels_tag(cv);
}

/* A step packs them, from a layout without blocks. */
static const char *pack_panels(const conv_t *cv, conv_t *as, const conv_xmx_form_t *form,
        const md_t *wei, conv_xmx_panels_t *panels) {
    enum { GROUP = 64, WORDS_OF_ROW = 16 };
    const int first = cv->with_groups;
    const int64_t *strides = wei->format_desc.blocking.strides;
    int64_t inner = 1, outer = 1, rows, words;
    cv_panels_t p;
    memset(&p, 0, sizeof(p));
    p.wei_g = first ? strides[0] : 0;
    p.wei_o = strides[first];
    p.wei_i = strides[first + 1];
    for (int i = 0; i < 3; i++) {
        const int d = i - (5 - cv->ndims);
        p.wei_k[i] = d < 0 ? 0 : strides[first + 2 + d];
        p.k[i] = cv->win.k[i];
        *(i >= 3 - form->gathered ? &inner : &outer) *= cv->win.k[i];
    }
    p.merged = form->merged;
    p.ic = (int32_t)cv->ic;
    p.oc = (int32_t)cv->oc;
    const int64_t lines = lines_of(cv, form);
    panels->inner = (int)inner;
    panels->outer_run = (int)(lines * BLOCK_LINE / conv_xmx_element(cv));
    panels->columns = div_up(as->oc, 32) * 32;
    panels->steps = outer * lines;
    if (!mul_ok(panels->columns, panels->steps, &rows) || rows > BLOCK_LIMIT ||
            !mul_ok(rows * BLOCK_LINE, as->groups, &words))
        return "weights are larger than block loads can reach";
    panels->group = rows * BLOCK_LINE;
    p.inner = panels->inner;
    p.outer_run = panels->outer_run;
    p.panel_steps = (int32_t)panels->steps;
    p.rows = (int32_t)rows;
    const conv_place_t from = panels->place;
    panels->place =
            (conv_place_t){-1, conv_reserve(as, (uint64_t)(panels->group * as->groups)), from.dt};
    const uint32_t size[3] = {GROUP, 1, 1};
    const uint32_t count[3] = {
            (uint32_t)div_up(rows * WORDS_OF_ROW, GROUP), (uint32_t)as->groups, 1};
    plan_step(as->plan, KERNEL_conv_panels, size, count);
    plan_spec(as->plan, SPEC_SRC_DT, (uint32_t)from.dt);
    conv_bind_place(as->plan, &from);
    conv_bind_place(as->plan, &panels->place);
    plan_const(as->plan, &p, sizeof(p));
    return NULL;
}

/* The panels for a problem in this form. `cv`: the problem as it was; steps are those of `as`. */
static const char *plan_weights(
        const conv_t *cv, conv_t *as, const conv_xmx_form_t *form, conv_xmx_panels_t *panels) {
    md_t packed;
    const int first = cv->with_groups;
    memset(panels, 0, sizeof(*panels));
    panels->place = conv_place_of(cv->wei, cv->wei_slot);
    if (has_own_panels(form)) {
        const md_t *wei = cv->wei;
        const char *why_not = NULL;
        if (!md_is_plain(wei)) {
            why_not =
                    conv_pack_weights(as, conv_xmx_weights_tag(cv, form), &panels->place, &packed);
            wei = &packed;
        }
        return why_not ? why_not : pack_panels(cv, as, form, wei, panels);
    }
    const char *why_not = conv_pack_weights(as, panels_tag(cv), &panels->place, &packed);
    if (why_not) return why_not;
    int64_t taps = 1;
    for (int i = 0; i < 3; i++) taps *= cv->win.k[i];
    panels->columns = packed.padded_dims[first];
    panels->inner = 1;
    panels->outer_run = (int)packed.padded_dims[first + 1];
    panels->steps = taps * panels->outer_run * conv_xmx_element(cv) / BLOCK_LINE;
    panels->group = first ? packed.format_desc.blocking.strides[0] * conv_xmx_element(cv) : 0;
    return panels->columns * panels->steps > BLOCK_LIMIT
                   ? "weights are larger than block loads can reach"
                   : NULL;
}

const char *conv_xmx_plan_inputs(const conv_t *cv, conv_xmx_problem_t *x) {
    x->as = *cv;
    x->zero = conv_zero_of(cv, DNNL_ARG_SRC) != NULL;
    x->sums = 0;
    memset(&x->p, 0, sizeof(x->p));
    const char *why_not = conv_xmx_choose_form(cv, &x->form);
    if (!why_not) why_not = plan_source(&x->as, &x->form, &x->src_place, &x->src, &x->copy);
    if (!why_not) why_not = plan_weights(cv, &x->as, &x->form, &x->wei);
    if (!why_not) why_not = conv_plan_result(&x->as, 1, false, &x->r);
    if (why_not) return why_not;
    if (x->r.place.dt == dnnl_f64 || (x->r.seg.dts >> dnnl_f64 & 1))
        return "the attributes have double precision";
    return NULL;
}

/* ---- zero points ---- */

const char *conv_xmx_zero_sums(const conv_t *cv, conv_xmx_problem_t *x) {
    enum { COLUMNS_OF_GROUP = 16 };
    conv_t *as = &x->as;
    const conv_xmx_panels_t *panels = &x->wei;
    cv_xmx_t *p = &x->p;
    int64_t taps = 1, bytes;
    for (int i = 0; i < 3; i++) taps *= cv->win.k[i];
    if (!mul_ok(taps * panels->columns, as->groups * (int64_t)sizeof(int32_t), &bytes) ||
            taps > INT32_MAX)
        return "sums of zero points would be too large";
    const cv_zero_t z = {.wei_g = panels->group,
            .channels = (int32_t)(cv->ic * (cv->groups / as->groups)),
            .taps = (int32_t)taps,
            .columns = (int32_t)panels->columns,
            .inner = panels->inner,
            .outer_run = panels->outer_run,
            .panel_steps = (int32_t)panels->steps,
            .za_dt = conv_zero_dt(cv, DNNL_ARG_SRC).dt,
            .za_step = conv_zero_dt(cv, DNNL_ARG_SRC).step};
    conv_t true_window = *cv;
    turn_round(&true_window);
    p->win = true_window.win;
    p->zero_taps = z.taps;
    p->zero_columns = z.columns;
    x->sums = conv_reserve(as, (uint64_t)bytes);
    const uint32_t size[3] = {COLUMNS_OF_GROUP, 1, 1};
    const uint32_t count[3] = {
            (uint32_t)(panels->columns / COLUMNS_OF_GROUP), (uint32_t)taps, (uint32_t)as->groups};
    plan_step(as->plan, KERNEL_conv_zero_sums, size, count);
    conv_bind_place(as->plan, &panels->place);
    plan_scratch(as->plan, x->sums);
    plan_const(as->plan, &z, sizeof(z));
    conv_bind_zero(as, DNNL_ARG_SRC);
    return NULL;
}
