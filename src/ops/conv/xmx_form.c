/* SPDX-License-Identifier: Apache-2.0 */
/* The form in which matrix units multiply a convolution: whether the source is read in place, and
 * how many taps and groups are one. */
#include <math.h>

#include "core/util.h"
#include "ops/conv/xmx.h"
#include "plan/device.h"
#include "plan/type_rules.h"
#include "plan/variant.h"
#include "plan/variant_id.h"

enum { COLUMNS = CONV_XMX_COLUMNS, ROWS = CONV_XMX_ROWS };

bool conv_xmx_has_8_lanes(const caps_t *caps) {
    return variant_runs_on(&variants[KERNEL_conv_xmx8_f8x32], caps);
}

dnnl_data_type_t conv_xmx_weights_dt(const conv_t *cv) {
    const md_t *src = cv->src.md, *wei = cv->wei.md;
    if (cv->exact) return conv_byte_type(wei->data_type);
    if (!dt_in(src, DT_SET(dnnl_f16) | DT_SET(dnnl_bf16))) return dnnl_data_type_undef;
    const bool fits = wei->data_type == src->data_type || dt_in(wei, INTS | SMALL_FLOATS);
    return fits ? src->data_type : dnnl_data_type_undef;
}

/* ---- deconvolution ---- */

bool conv_xmx_has_phases(const conv_t *cv) {
    const int32_t *s = cv->win.stride;
    return cv->transposed && (s[0] > 1 || s[1] > 1 || s[2] > 1);
}

/* With strides, the positions that leave the same remainder are a phase, which some of the taps
 * reach. */
void conv_xmx_reverse(conv_t *as) {
    const bool phases = conv_xmx_has_phases(as);
    for (int i = 0; i < 3 && as->transposed; i++) {
        as->win.dilation[i] = -as->win.dilation[i];
        if (!phases) as->win.pad[i] = -as->win.pad[i];
    }
}

/* ---- views ---- */

/* Are source and destination one row of pixels each, and multiplied one for one? */
static bool is_dense(const conv_t *cv, const cv_tensor_t *src) {
    const cv_window_t *w = &cv->win;
    cv_tensor_t dst;
    int64_t pixels = cv->mb;
    for (int i = 0; i < 3; i++) {
        if (w->k[i] != 1 || w->stride[i] != 1 || w->pad[i] || w->in[i] != w->out[i]) return false;
        if (!mul_ok(pixels, w->in[i], &pixels) || pixels > BLOCK_LIMIT) return false;
    }
    return image_tensor(&dst, cv->dst.md) && image_is_even(src, w->in) &&
           image_is_even(&dst, w->out);
}

conv_xmx_view_t conv_xmx_view(const conv_t *cv, const cv_tensor_t *src) {
    const cv_window_t *w = &cv->win;
    const bool dense = is_dense(cv, src);
    const bool along_w = dense || (w->in[1] == 1 && w->k[1] == 1 && w->out[1] == 1);
    return (conv_xmx_view_t){{0, along_w ? 2 : 1, along_w ? -1 : 2}, dense};
}

/* ---- sources that are read in place ---- */

/* For lanes that load words: do all pixels begin at multiples of 4 bytes, and have whole pieces of
 * 16? */
static bool has_whole_words(const conv_t *cv, const cv_tensor_t *t) {
    enum { WORD = 4, PIECE = 16 };
    const int64_t element = conv_xmx_element(cv);
    if (cv->src.md->dims[1] * element % PIECE || cv->src.md->offset0 * element % WORD) return false;
    if (cv->mb > 1 && t->n * element % WORD) return false;
    for (int i = 0; i < 3; i++)
        if (cv->win.in[i] > 1 && t->sp[i] * element % WORD) return false;
    return true;
}

/* Can rectangles of the source begin where block loads begin, and end where its pixels end? */
static bool has_whole_pixels(const conv_t *cv, const cv_tensor_t *t, const conv_xmx_view_t *v) {
    const int64_t element = conv_xmx_element(cv), channels = cv->src.md->dims[1] * element;
    if (cv->src.md->offset0 * element % BLOCK_LINE) return false;
    /* Weights have no steps for further lines of a block. */
    if (t->block * element > div_up(channels, BLOCK_LINE) * BLOCK_LINE) return false;
    /* Otherwise a block load of one pixel would also read its neighbour's channels. */
    if (v->axis[COLUMNS] >= 0) return channels % BLOCK_LINE == 0;
    return channels % BLOCK_WIDTH_STEP == 0 && channels >= BLOCK_MIN_WIDTH;
}

/* Are the distances those of surfaces, or of the places where surfaces begin? */
static bool has_block_strides(const conv_t *cv, const cv_tensor_t *t, const conv_xmx_view_t *v) {
    const int64_t element = conv_xmx_element(cv), channels = cv->src.md->dims[1] * element;
    if (!v->dense && cv->mb > 1 && t->n * element % BLOCK_LINE) return false;
    for (int i = 0; i < 3; i++) {
        /* Dense rows go on from image to image. */
        if (v->dense ? i < 2 : cv->win.in[i] == 1) continue;
        const int64_t stride = t->sp[i] * element;
        const bool is_row = i == v->axis[ROWS],
                   base_moves = !is_row || (!v->dense && !cv->transposed && cv->win.stride[i] > 1);
        if (stride < channels || stride % (base_moves ? BLOCK_LINE : BLOCK_PITCH_STEP))
            return false;
    }
    return true;
}

/* Can block loads, or lanes where there are none, read the source where it is? */
static bool reads_in_place(const conv_t *cv, const cv_tensor_t *t) {
    if (t->c_inner != 1 || t->block < cv->src.md->dims[1]) return false;
    if (conv_xmx_has_8_lanes(cv->caps)) return has_whole_words(cv, t);
    const conv_xmx_view_t v = conv_xmx_view(cv, t);
    return has_whole_pixels(cv, t, &v) && has_block_strides(cv, t, &v);
}

/* ---- what a form costs ---- */

/* The unit of time is the product of a pixel's 64 bytes with a panel of weights, which takes as
 * long as 8 bytes of memory, or less. A line that is copied is written and read. */
enum { LINE_COST = 2 * BLOCK_LINE / 8 };
/* Output channels from which on tiles for sub-groups run convolutions of floats. */
enum { CHANNELS_OF_TILES = 9 };
/* The most products for each useful one. With floats, matrix units do about 8 times as many as
 * these tiles; in all other cases the portable kernel would run, which does far fewer. */
enum { WASTE_OF_FLOATS = 8, MAX_WASTE = 32 };
/* Lines of a gathered pixel: a copy is not to be many times as large as the source. */
enum { MAX_GATHERED = 4 };
/* Output channels of a panel. */
enum { PANEL = 16 };

int64_t conv_xmx_lines(const conv_t *cv, const conv_xmx_form_t *form) {
    int64_t elements = cv->ic * form->merged;
    for (int i = 3 - form->gathered; i < 3; i++) elements *= cv->win.k[i];
    return div_up(elements * conv_xmx_element(cv), BLOCK_LINE);
}

static double products_of(const conv_t *cv, const conv_xmx_form_t *f) {
    double products = (double)conv_xmx_lines(cv, f) * (double)div_up(cv->oc * f->merged, PANEL) *
                      (double)(cv->groups / f->merged);
    for (int i = 0; i < 3 - f->gathered; i++) products *= cv->win.k[i];
    return products;
}

static double cost_of(const conv_t *cv, const conv_xmx_form_t *f) {
    double pixels = 1, copied = 0;
    if (f->copied) copied = (double)(conv_xmx_lines(cv, f) * cv->groups / f->merged);
    for (int i = 0; i < 3; i++) {
        pixels *= cv->win.out[i];
        copied *= i >= 3 - f->gathered ? cv->win.out[i] : cv->win.in[i];
    }
    return pixels * products_of(cv, f) + copied * LINE_COST;
}

/* Products for each of those that would be there if units multiplied any number of channels. */
static double waste_of(const conv_t *cv, const conv_xmx_form_t *f) {
    double useful = (double)(cv->ic * cv->oc) * (double)cv->groups * conv_xmx_element(cv) /
                    (BLOCK_LINE * PANEL);
    for (int i = 0; i < 3; i++) useful *= cv->win.k[i];
    return products_of(cv, f) / useful;
}

/* Is another variant faster? */
static bool wastes_too_much(const conv_t *cv, const conv_xmx_form_t *f) {
    const bool has_tile = !cv->exact && !cv->transposed && cv->oc >= CHANNELS_OF_TILES;
    if (cv->groups == 1) return false;
    return cv->ic * cv->oc == 1 || waste_of(cv, f) > (has_tile ? WASTE_OF_FLOATS : MAX_WASTE);
}

/* ---- the choice ---- */

/* What the choice knows of the source. */
typedef struct {
    bool known;    /* gather.cl can read it: it has at most one block of channels */
    bool in_place; /* the kernel can */
} readers_t;

/* False: the form cannot be made. */
static bool complete_form(const conv_t *cv, const readers_t *readers, conv_xmx_form_t *f) {
    const bool all = f->merged == cv->groups;
    /* Groups begin where block loads can. */
    f->copied = f->gathered > 0 || !readers->in_place ||
                (!all && cv->ic * f->merged * conv_xmx_element(cv) % BLOCK_LINE);
    if (f->copied && (f->gathered > 0 || !all) && !readers->known) return false;
    return f->gathered == 0 || conv_xmx_lines(cv, f) <= MAX_GATHERED;
}

const char *conv_xmx_choose_form(const conv_t *problem, conv_xmx_form_t *form) {
    conv_t cv = *problem;
    cv_tensor_t src;
    conv_xmx_reverse(&cv);
    readers_t readers = {.known = image_tensor(&src, cv.src.md)};
    readers.in_place = readers.known && reads_in_place(&cv, &src);
    const int most = cv.transposed ? 0 : cv.ndims - 2;
    double best = INFINITY;
    for (int merged = 1; merged <= cv.groups; merged++) {
        if (cv.groups % merged) continue;
        for (int gathered = 0; gathered <= most; gathered++) {
            conv_xmx_form_t f = {gathered, merged, false};
            if (!complete_form(&cv, &readers, &f)) continue;
            const double cost = cost_of(&cv, &f);
            if (cost >= best) continue;
            best = cost;
            *form = f;
        }
        if (cv.ic * merged * conv_xmx_element(&cv) >= MAX_GATHERED * BLOCK_LINE) break;
    }
    if (best == INFINITY) return "src has more blocks than one of channels";
    return wastes_too_much(&cv, form) ? "a group has too few channels" : NULL;
}
