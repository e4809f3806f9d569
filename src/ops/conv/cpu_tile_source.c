/* SPDX-License-Identifier: Apache-2.0 */
/* How the register tiles for CPUs read the source: where it is, from a copy with its padding, or in
 * pieces of rows, which need no padding. */
#include "core/status.h"
#include "core/util.h"
#include "ops/conv/cpu_tile.h"
#include "plan/variant.h"

/* With fewer channels than this a tap is too short a loop: a padded source is copied, so that the
 * taps of a row become one. */
enum { FEW_CHANNELS = 16 };
/* Of a convolution for which one more step costs little: 50 us of a core with AVX-512. */
enum { LEAST_PRODUCTS = 1 << 22 };
/* With fewer, the time is that of reading the weights. */
enum { LEAST_PIXELS = 128 };

int conv_tile_dots(int variant) {
    return variants[variant].geometry.dots;
}

bool conv_tile_chooses_pixels(int variant) {
    return variants[variant].geometry.piece > 0;
}

bool conv_tile_is_wide(int variant) {
    return variants[variant].geometry.nv > 2;
}

bool conv_tile_shares_set(int64_t distance) {
    enum { WAY = 4096 }; /* bytes of each way of an L1 cache: 64 sets of one line */
    return distance % WAY == 0;
}

/* Can the kernel read the source where it is? */
static bool reads_in_place(const conv_t *cv, cv_tensor_t *t) {
    if (!image_tensor(t, cv->src.md)) return false;
    if (t->c_inner != 1 && cv->src.md->dims[1] > 1) return false;
    return cv->groups == 1 || t->block >= cv->src.md->dims[1] || cv->ic % t->block == 0;
}

/* The last word of a row of taps may hold elements of the next pixel, whose weights are 0: bytes
 * alone, as a NaN times 0 would be seen. */
bool conv_tile_joins_taps(const conv_t *cv, int variant) {
    const int dots = conv_tile_dots(variant), taps = cv->win.k[2];
    return dots == 4 && cv->groups == 1 && cv->ic < FEW_CHANNELS && cv->win.dilation[2] == 1 &&
           !cv->transposed && div_up(taps * cv->ic, dots) < taps * div_up(cv->ic, dots);
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
static bool has_many_edges(const conv_t *cv, const conv_tile_t *x) {
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

static const char *place_source(const conv_t *cv, conv_tile_t *x) {
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

static conv_words_t words_of_pixels(const conv_t *cv, int dots) {
    return (conv_words_t){dots, div_up(cv->src.md->dims[1], dots) * dots, 0};
}

/* The same for dot products, which read whole words of channels and no padding. */
static const char *place_words(const conv_t *cv, conv_tile_t *x) {
    cv_tile_t *p = &x->p;
    const int dots = conv_tile_dots(x->variant);
    const dnnl_data_type_t dt = cv->src.md->data_type;
    const conv_words_t words = words_of_pixels(cv, dots);
    x->src = cv->src;
    if (!reads_in_place(cv, &p->src) || p->src.block < cv->src.md->dims[1] || cv->ic % dots ||
            dt == dnnl_s8 || conv_is_padded(&p->win))
        REFUSE_IF(conv_prepare_words(cv, &words, &p->win, &p->src, &x->src, &x->copy));
    p->ic = (int32_t)(div_up(cv->ic, dots) * dots);
    merge_taps(cv, p);
    return NULL;
}

/* Words of the channels of all taps of a row. */
static const char *place_joined(const conv_t *cv, conv_tile_t *x) {
    cv_tile_t *p = &x->p;
    const int dots = conv_tile_dots(x->variant);
    const int64_t row = p->win.k[2] * cv->ic, whole = div_up(row, dots) * dots;
    const conv_words_t words = {dots, cv->ic, div_up(whole - row, cv->ic)};
    REFUSE_IF(conv_prepare_words(cv, &words, &p->win, &p->src, &x->src, &x->copy));
    merge_taps(cv, p);
    p->ic = p->src.block = (int32_t)whole;
    return NULL;
}

/* The pixels of a piece: the most that divide a row, up to `most`; 0: those are too few for each
 * load of weights. */
static int longest_piece(const conv_t *cv, int variant, int most) {
    /* With one tap, pieces of 4 took 1.1 of the time of tiles of 6 pixels anywhere. */
    enum { LEAST = 7, LEAST_OF_WIDE = 4 };
    const int least = conv_tile_is_wide(variant) && cv->win.k[2] > 1 ? LEAST_OF_WIDE : LEAST;
    for (int n = most; n >= least; n--)
        if (cv->win.out[2] % n == 0) return n;
    return 0;
}

/* distance: bytes from pixel to pixel */
static int pixels_of_piece(const conv_t *cv, int variant, int64_t distance) {
    enum { WAYS = 8 }; /* of an L1 cache; the pixels leave one for other data */
    const int piece = variants[variant].geometry.piece;
    return longest_piece(
            cv, variant, conv_tile_shares_set(distance) && piece >= WAYS ? WAYS - 1 : piece);
}

bool conv_tile_wants_pieces(const conv_t *cv, int variant, int most) {
    return cv->win.k[2] > 1 && conv_is_padded(&cv->win) && longest_piece(cv, variant, most) &&
           !longest_piece(cv, variant, variants[variant].geometry.piece);
}

/* Does each tap have padding in the first or in the last pixel of a row alone, if anywhere? */
static bool has_thin_padding(const cv_window_t *win, int piece) {
    for (int k = 0; k < win->k[2]; k++) {
        const int64_t s = win->stride[2], first = (int64_t)k * win->dilation[2] - win->pad[2],
                      last = first + (win->out[2] - 1) * s, end = first + (piece - 1) * s;
        if (first + s < 0 || last - s >= win->in[2]) return false;
        if (first < 0 && end >= win->in[2]) return false;
    }
    return true;
}

/* Where pixels of a row are tiles, padding is not read: neither a copy of the source nor one of the
 * pixels at edges has to have it. False: place_source() or place_words() is to be called. */
static bool may_have_pieces(const conv_t *cv, conv_tile_t *x, bool *in_place) {
    cv_tile_t *p = &x->p;
    const dnnl_data_type_t dt = cv->src.md->data_type;
    const int dots = conv_tile_dots(x->variant), unit = dots ? dots : 1;
    const int64_t element = (int64_t)sizeof(float) / unit;
    if (!conv_tile_chooses_pixels(x->variant) || cv->exact != (dots == 4) || x->has_phases ||
            x->moves || cv->ic < FEW_CHANNELS * unit)
        return false;
    *in_place = reads_in_place(cv, &p->src) && p->src.block >= cv->src.md->dims[1] &&
                (dots ? cv->ic % dots == 0 : dt == dnnl_f32);
    const int64_t distance =
            p->win.stride[2] * (*in_place ? p->src.sp[2] : cv->src.md->dims[1]) * element;
    const int pixels = pixels_of_piece(cv, x->variant, distance);
    if (!pixels || !has_thin_padding(&p->win, pixels)) return false;
    /* Without padding, the taps of a row are one loop of tiles anywhere. */
    if (p->win.k[2] > 1 && !conv_is_padded(&p->win)) return false;
    x->pixels = pixels;
    x->pieces = true;
    return true;
}

static const char *place_pieces(const conv_t *cv, conv_tile_t *x, bool in_place) {
    cv_tile_t *p = &x->p;
    const int dots = conv_tile_dots(x->variant);
    cv_window_t all = every_position(&p->win);
    if (dots) p->ic = (int32_t)(div_up(cv->ic, dots) * dots);
    x->src = cv->src;
    if (in_place) return NULL;
    const conv_words_t words = words_of_pixels(cv, dots ? dots : 1);
    return dots ? conv_prepare_words(cv, &words, &all, &p->src, &x->src, &x->copy)
                : conv_prepare_source(cv, &all, &p->src, &x->src, &x->copy);
}

const char *conv_tile_source(const conv_t *cv, conv_tile_t *x) {
    bool in_place;
    if (may_have_pieces(cv, x, &in_place)) return place_pieces(cv, x, in_place);
    if (conv_tile_joins_taps(cv, x->variant)) return place_joined(cv, x);
    return conv_tile_dots(x->variant) ? place_words(cv, x) : place_source(cv, x);
}
