/* SPDX-License-Identifier: Apache-2.0 */
/* What the convolution rows for matrix units share: the form in which inputs are multiplied, the steps that
 * make it, and the step of the kernel. */
#ifndef OPS_CONVOLUTION_XMX_H
#define OPS_CONVOLUTION_XMX_H

#include "ops/conv/convolution.h"

/* Which of depth, height and width a dimension of a tile is; -1: none. Flat: rows are the pixels of all
 * images. */
enum { CONV_XMX_OUTER, CONV_XMX_ROWS, CONV_XMX_COLUMNS };
typedef struct {
    int axis[3];
    bool flat;
} conv_xmx_view_t;

/* Few channels leave most of what block loads and matrix units take at a time without use. */
typedef struct {
    int gathered; /* so many innermost dimensions have the channels of all their taps in one pixel of a copy
                   */
    int merged;  /* groups that are multiplied as one, whose weights for each other are zero */
    bool copied; /* the source is not read where it is */
} conv_xmx_form_t;

/* Weights, and the channels and windows that the kernel sees. */
typedef struct {
    conv_place_t place;
    int64_t columns, steps; /* output channels of a group with the padding; 64 bytes of k */
    int64_t group;          /* bytes from one to the next */
    int inner, outer_run;   /* as in cv_zero_t */
} conv_xmx_panels_t;

/* A problem as its kernel sees it, whatever the tiles are. It points into itself: not to be copied. */
typedef struct {
    conv_t as; /* in its form */
    conv_xmx_form_t form;
    conv_place_t src_place;
    cv_tensor_t src;
    md_t copy; /* the source's, if it is copied */
    conv_xmx_panels_t wei;
    conv_result_t r;
    bool zero;     /* the source has a zero point */
    uint64_t sums; /* and its sums are here in the scratchpad */
    cv_xmx_t p;
} conv_xmx_problem_t;

static inline uint32_t conv_xmx_element(const conv_t *cv) {
    return cv->exact ? 1 : 2;
}

/* Are the units those of 8 lanes, whose rows load what the source has by words? */
bool conv_xmx_of_8(const conv_t *cv);
/* What has nothing to do with layouts, for units that multiply integers, or floats: NULL, or why not. */
const char *conv_xmx_check_units(const conv_t *cv, bool integers);
/* The parameters of the window. column: bytes from one to the next. */
const char *conv_xmx_set_window(
        const conv_t *cv, const conv_xmx_view_t *v, int64_t column, cv_xmx_t *p);
/* Is it a deconvolution with strides? */
bool conv_xmx_has_phases(const conv_t *cv);
conv_xmx_view_t conv_xmx_view(const conv_t *cv, const cv_tensor_t *src);
/* The cheapest form; NULL, or why there is none. */
const char *conv_xmx_choose_form(const conv_t *cv, conv_xmx_form_t *form);
/* The problem in that form: source, weights and result, without parameters. NULL, or why not. */
const char *conv_xmx_plan_inputs(const conv_t *cv, conv_xmx_problem_t *x);
/* The tag of weights that are read where they are. */
const char *conv_xmx_weights_tag(const conv_t *cv, const conv_xmx_form_t *form);
/* A step that sums up the source's zero point x weights. */
const char *conv_xmx_zero_sums(const conv_t *cv, conv_xmx_problem_t *x);
/* The parameters of the destination, the panels and the zero point's sums, once those of the window are
 * there; NULL, or why not. */
const char *conv_xmx_set_params(const conv_t *cv, const conv_xmx_view_t *v, conv_xmx_problem_t *x);
/* The step of the kernel, with these flags and those that the problem has whatever the tiles are, and what
 * follows it. local: bytes of memory for a work-group; 0: no argument for it. */
const char *conv_xmx_plan_step(conv_t *cv, conv_xmx_problem_t *x, int row, const uint32_t size[3],
        const uint32_t count[3], uint32_t flags, uint32_t local);

#endif
