/* SPDX-License-Identifier: Apache-2.0 */
/* What the convolution planners for matrix units share: the form in which a problem is multiplied,
 * the steps that bring source and weights into it, and the kernel's step. */
#ifndef OPS_CONV_XMX_H
#define OPS_CONV_XMX_H

#include "ops/conv/planners.h"

/* Which of depth (0), height and width is the outer dimension of a tile, its rows and its columns;
 * -1: none. Dense: the rows are the pixels of all images. */
enum { CONV_XMX_OUTER, CONV_XMX_ROWS, CONV_XMX_COLUMNS };
typedef struct {
    int axis[3];
    bool dense;
} conv_xmx_view_t;

/* Block loads and matrix units take 64 bytes of channels at a time. With fewer channels, a pixel of
 * a copy may have those of several taps, or several groups may be multiplied as one. */
typedef struct {
    int gathered; /* innermost dimensions: a pixel has the channels of all their taps */
    int merged;   /* groups that are one; their weights for each other are zero */
    bool copied;  /* the source is not read in place */
} conv_xmx_form_t;

/* Weights, and the channels and windows that the kernel sees. */
typedef struct {
    operand_t at;
    md_t md;
    int64_t columns;      /* output channels of a group with the padding */
    int64_t steps;        /* of 64 bytes of k */
    int64_t group;        /* bytes from one group to the next */
    int inner, outer_run; /* as in cv_zero_t */
} conv_xmx_panels_t;

/* A problem as its kernel sees it, whatever the tiles are. It points into itself: not to be
 * copied. */
typedef struct {
    conv_t of; /* as it is given */
    conv_t as; /* in its form */
    conv_xmx_form_t form;
    operand_t src;
    cv_tensor_t src_t, dst_t; /* the source as it is read, the result as it is written */
    md_t copy;                /* of the source */
    conv_xmx_panels_t wei;
    result_t r;
    bool has_zero_point; /* of the source */
    operand_t sums;      /* of its products with the weights */
    md_t sums_md;
    cv_xmx_t p;
} conv_xmx_t;

/* Bytes of an element that is multiplied. */
static inline uint32_t conv_xmx_element(const conv_t *cv) {
    return cv->exact ? 1 : 2;
}

/* ---- forms ---- */

/* Have the device's units 8 lanes? Their variants load words of the source instead of blocks. */
bool conv_xmx_has_8_lanes(const caps_t *caps);
/* The type in which the weights are multiplied: theirs, or that of a source of halves, which have
 * all values of smaller types. Undef: the units do not take the types together. */
dnnl_data_type_t conv_xmx_weights_dt(const conv_t *cv);
/* Is it a deconvolution with strides? */
bool conv_xmx_has_phases(const conv_t *cv);
/* A deconvolution goes through its taps backwards. */
void conv_xmx_reverse(conv_t *as);
conv_xmx_view_t conv_xmx_view(const conv_t *cv, const cv_tensor_t *src);
/* Lines of 64 bytes that a pixel has in this form. */
int64_t conv_xmx_lines(const conv_t *cv, const conv_xmx_form_t *form);
/* The cheapest form; NULL, or why there is none. */
const char *conv_xmx_choose_form(const conv_t *cv, conv_xmx_form_t *form);

/* ---- inputs ---- */

/* Places the source of x->as in x->form, and changes x->as to what the kernel sees. */
const char *conv_xmx_place_source(conv_xmx_t *x);
/* Has the form weights of its own, made by a step from a layout without blocks? */
bool conv_xmx_has_own_panels(const conv_xmx_form_t *form);
/* The tag of panels for all other forms. */
const char *conv_xmx_panels_tag(const conv_t *cv);
const char *conv_xmx_place_weights(conv_xmx_t *x);
/* A step that sums up the source's zero point x weights. */
const char *conv_xmx_sum_zero_points(conv_xmx_t *x);

/* ---- the problem and its step ---- */

/* What does not depend on layouts: NULL, or why units that multiply integers, or floats, cannot run
 * the problem. */
const char *conv_xmx_check(planner_t *p, bool integers);
/* The problem in its form: source, weights and result, without parameters. */
const char *conv_xmx_plan_inputs(planner_t *p, conv_xmx_t *x);
/* The parameters of the window. column: bytes from one to the next. */
const char *conv_xmx_set_window(conv_xmx_t *x, const conv_xmx_view_t *v, int64_t column);
/* Those of the destination, the panels and the zero point's sums, once the window's are there. */
const char *conv_xmx_set_params(conv_xmx_t *x, const conv_xmx_view_t *v);
/* The step of the kernel and those after it. local: bytes of memory of a work-group; 0: no argument
 * for it. block_ops: SPEC_BLOCK_OPS. To the flags are added those that the problem has whatever the
 * tiles are. */
typedef struct {
    uint32_t size[3], count[3], flags, local, block_ops;
} conv_xmx_launch_t;
const char *conv_xmx_write(const conv_xmx_t *x, int variant, const conv_xmx_launch_t *launch);

#endif
