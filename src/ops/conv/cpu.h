/* SPDX-License-Identifier: Apache-2.0 */
/* What the planners of convolutions for CPUs share. */
#ifndef OPS_CONV_CPU_H
#define OPS_CONV_CPU_H

#include "ops/conv/planners.h"

/* Work-groups for each core: so many that the load stays balanced to the end. */
enum { CONV_GROUPS_PER_UNIT = 8 };
/* Multiplications that make a work-group worth starting. */
enum { CONV_PRODUCTS_PER_GROUP = 300000 };

/* A deconvolution with strides of 1 is a convolution that goes through its taps backwards. */
bool conv_slides_over_source(const conv_t *cv);
/* The window of that convolution. */
cv_window_t conv_source_window(const conv_t *cv);
/* Do windows reach outside of the source? */
bool conv_is_padded(const cv_window_t *w);

/* A step that writes the source with its padding, channels last, as floats. *win becomes the window
 * of a problem without padding, *t and *copy are the copy, *md has room for its descriptor. */
const char *conv_prepare_source(
        const conv_t *cv, cv_window_t *win, cv_tensor_t *t, operand_t *copy, md_t *md);

/* The elements of such a copy for dot products. */
typedef struct {
    int dots;         /* elements of a word */
    int64_t channels; /* of a pixel; zeros follow those of the source */
    int64_t past;     /* further pixels at the end of a row */
} conv_words_t;
/* The same for dot products: bytes or bf16. Signed bytes move by 128. */
const char *conv_prepare_words(const conv_t *cv, const conv_words_t *words, cv_window_t *win,
        cv_tensor_t *t, operand_t *copy, md_t *md);

#endif
