/* SPDX-License-Identifier: Apache-2.0 */
/* What pooling, resampling and LRN have in common: images with channels, read through a window, with a chain
 * on the result. */
#ifndef OPS_SPATIAL_H
#define OPS_SPATIAL_H

#include "ops/conv/convolution.h"
#include "steps/copies.h"
#include "plan/variant.h"

/* A problem with one input that has the channels of the destination. Strides, dilation, padding and kernel
 * are for those that have them. */
void spatial_of(conv_t *sp, const pd_t *pd, const caps_t *caps, plan_t *plan);

/* Writes the plan of a row into sp->plan, or answers why it does not fit. */
typedef const char *(*spatial_plan_fn)(conv_t *sp, int row);
/* What a variant_fits_fn answers for it. */
const char *spatial_fits(const pd_t *pd, const caps_t *caps, int row, spatial_plan_fn make_plan);
/* The end of init, when tensors, attributes and workspace are there: chooses the row, makes the plan, and
 * adds the scratchpad. The family is called like the kind. */
dnnl_status_t spatial_plan(
        pd_t *pd, const caps_t *caps, variant_fits_fn fits, spatial_plan_fn make_plan);

/* Where a kernel reads the source: in place, or (no kernel knows its blocks) in a copy without blocks. */
const char *spatial_source(conv_t *sp, conv_place_t *place, cv_tensor_t *t);
/* Do 16 channels lie next to each other, wherever they begin? */
bool spatial_has_lanes(const cv_tensor_t *t, int64_t channels);
/* Is the larger block of two tensors made of whole smaller ones? */
bool spatial_blocks_agree(const cv_tensor_t *a, const cv_tensor_t *b, int64_t channels);
/* The loops of a kernel whose vectors run along the width: image, block of channels, channel in the block,
 * depth, height, width. */
const char *spatial_width_last(const conv_t *sp, conv_result_t *r);
/* Channels of the result that a kernel writes, those of the padding included. */
int32_t spatial_padded(const conv_t *sp, const conv_result_t *r);
/* An output that lies like the result but is none (a workspace), where the result goes through the
 * scratchpad; and the step after. */
const char *spatial_beside(
        conv_t *sp, const conv_result_t *r, int slot, conv_place_t *place, md_t *md);
const char *spatial_finish_beside(
        conv_t *sp, const conv_result_t *r, int slot, const conv_place_t *place, const md_t *md);
/* Does a row without double arithmetic meet doubles? */
bool spatial_wide(const conv_t *sp, const conv_result_t *r);

/* The columns mb, ic, and for each spatial dimension the letters of `fields` ("io", or "ioksdp" for windows).
 */
int spatial_format(const pd_t *pd, bool window, char *buf, size_t size);

/* Source and destination: 3 to 5 dimensions, the same images and channels, layouts; `any` follows the source.
 */
dnnl_status_t spatial_check(pd_t *pd);

#endif
