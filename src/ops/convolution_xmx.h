/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of the convolution rows for matrix units: the form in which they are multiplied, and the steps
 * that make it. */
#ifndef OPS_CONVOLUTION_XMX_H
#define OPS_CONVOLUTION_XMX_H

#include "ops/convolution.h"

/* Which of depth, height and width a dimension of a tile is; -1: none. Flat: rows are the pixels of all
 * images. */
enum { CVX_OUTER, CVX_ROWS, CVX_COLUMNS };
typedef struct {
    int axis[3];
    bool flat;
} cvx_view_t;

/* Few channels leave most of what block loads and matrix units take at a time without use. */
typedef struct {
    int gathered; /* so many innermost dimensions have the channels of all their taps in one pixel of a copy
                   */
    int merged;   /* groups that are multiplied as one, whose weights for each other are zero */
    bool copied;  /* the source is not read where it is */
} cvx_form_t;

/* Weights, and the channels and windows that the kernel sees. */
typedef struct {
    conv_place_t place;
    int64_t columns, steps; /* output channels of a group with the padding; 64 bytes of k */
    int64_t group;          /* bytes from one to the next */
    int inner, outer_run;   /* as in cv_zero_t */
} cvx_panels_t;

static inline uint32_t cvx_element(const conv_t *cv) {
    return cv->exact ? 1 : 2;
}

/* Are the units those of 8 lanes, whose rows load what the source has by words? */
bool cvx_of_8(const conv_t *cv);
/* What has nothing to do with layouts: NULL, or why not. */
const char *cvx_check(const conv_t *cv);
/* The parameters of the window, and of the destination. column: bytes from one to the next. */
const char *cvx_set_window(const conv_t *cv, const cvx_view_t *v, int64_t column, cv_xmx_t *p);
void cvx_set_result(const conv_t *cv, const cvx_view_t *v, const conv_result_t *r, cv_xmx_t *p);
/* Is it a deconvolution with strides? */
bool cvx_has_phases(const conv_t *cv);
cvx_view_t cvx_view(const conv_t *cv, const cv_tensor_t *src);
/* The cheapest form; NULL, or why there is none. */
const char *cvx_choose_form(const conv_t *cv, cvx_form_t *form);
/* Makes *as a problem of that form: the source in *place, with the layout of *src. */
const char *cvx_source(conv_t *as, const cvx_form_t *form, conv_place_t *place, cv_tensor_t *src, md_t *copy);
/* The panels for it. `cv`: the problem as it was; steps are those of `as`. */
const char *cvx_weights(const conv_t *cv, conv_t *as, const cvx_form_t *form, cvx_panels_t *panels);
/* The tag of weights that are read where they are. */
const char *cvx_weights_tag(const conv_t *cv, const cvx_form_t *form);
/* Sums of the source's zero point x weights: where they are in the scratchpad. */
const char *cvx_zero_sums(
        const conv_t *cv, conv_t *as, const cvx_panels_t *panels, cv_xmx_t *p, uint64_t *sums);

#endif
