/* SPDX-License-Identifier: Apache-2.0 */
/* What pooling, resampling and LRN have in common: an image that is read through a window, and a
 * result with the same images and channels, to which post-ops are applied. In backward propagation
 * the image that is read is the gradient of the destination, and the result that of the source. */
#ifndef OPS_WINDOW_WINDOW_H
#define OPS_WINDOW_WINDOW_H

#include "steps/image.h"

/* A problem, with depth, height and width whatever the number of spatial dimensions is. */
typedef struct {
    planner_t *p;
    const pd_t *pd;
    bool backward;
    operand_t src, dst; /* what is read, the result */
    int ndims;
    int64_t mb, channels;
    /* Sizes are those of the forward primitive; strides, dilation, padding and kernel: of the
     * primitives that have them. */
    cv_window_t win;
} window_t;

/* What a kernel reads and writes. It points into itself: not to be copied. */
typedef struct {
    operand_t src, ws; /* ws: the workspace; md NULL: there is none */
    md_t plain, ws_md; /* of copies of the source and of the workspace in the scratchpad */
    result_t r;
} window_tensors_t;

window_t window_of(planner_t *p);
/* Source and destination: 3 to 5 dimensions, the same images and channels, layouts; `any` follows
 * the source. */
dnnl_status_t window_check(pd_t *pd);
/* The same for the sizes of the gradients, which may still be `any`, and the attributes. */
dnnl_status_t window_check_backward(pd_t *pd);
/* The end of init, when tensors, attributes and workspace are there: plans with the best variant of
 * the family, and adds the scratchpad. */
dnnl_status_t window_plan(pd_t *pd, const caps_t *caps, const char *family);

/* Source and result of a kernel that stores vectors of `lanes` channels. The source is read in
 * place, or from a copy without blocks if kernels do not know its blocks. */
const char *window_tensors(
        const window_t *w, int lanes, window_tensors_t *x, cv_tensor_t *src, cv_tensor_t *dst);
/* The workspace, if there is one: it lies like the result, so that it goes through the scratchpad
 * with it. */
void window_workspace(const window_t *w, window_tensors_t *x);
/* An argument that the kernel reads besides the source, in place or as a copy without blocks, whose
 * descriptor is *plain then. */
const char *window_read(
        const window_t *w, int arg, operand_t *operand, md_t *plain, cv_tensor_t *t);
/* The steps after the kernel's. */
const char *window_finish(const window_t *w, const window_tensors_t *x);
/* The kernel's pointers to the source and the result. */
void window_bind(const window_t *w, const window_tensors_t *x);

/* For kernels whose vectors run along the channels: NULL, or why they cannot address them. */
const char *window_check_lanes(const cv_tensor_t *src, const cv_tensor_t *dst, int64_t channels);
/* The same for kernels that divide the channels into chunks. */
const char *window_check_chunks(const cv_tensor_t *src, const cv_tensor_t *dst, int64_t channels);
/* For kernels whose vectors run along the width, with loops over image, block of channels, channel
 * in the block, depth, height, width: sets the strides of the epilogue's sources. dst: what the
 * kernel writes. */
const char *window_width_last(const window_t *w, window_tensors_t *x, const cv_tensor_t *dst);
/* For kernels with whole bytes for an element, and 32-bit offsets in a channel of an image of the
 * source: NULL, or what forbids that. */
const char *window_check_near(const window_t *w, const window_tensors_t *x, const cv_tensor_t *src);
/* Channels of the result that a kernel writes, with the padding. */
int32_t window_padded_channels(const window_t *w, const result_t *r);
/* Does a kernel without double arithmetic meet doubles? */
bool window_has_doubles(const window_t *w, const result_t *r);

/* Work-items of a CPU kernel: enough of them that the load stays balanced. */
int64_t window_cpu_items(const window_t *w);
/* The work-groups of a portable kernel, an element of the result for each work-item. Refuses images
 * that have more elements than a dimension of the launch can count. */
enum { WINDOW_GROUP = 16 };
const char *window_count_points(
        const window_t *w, int32_t padded_channels, uint32_t size[3], uint32_t count[3]);

/* The work-groups of a kernel for GPUs whose work-items each have a position of the result, or a
 * channel of it where channels are next to each other. They do it for some of the rows: images, or
 * channels of images. */
typedef struct {
    bool along_channels;
    int32_t rows, nrows; /* of a work-item; of all */
    uint32_t size[3], count[3];
} window_points_t;
const char *window_points(
        const window_t *w, const cv_tensor_t *dst, int32_t padded_channels, window_points_t *x);

/* The columns mb, ic, and for each spatial dimension its sizes; with_window: kernel, stride,
 * dilation and padding, too. */
int window_format(const pd_t *pd, bool with_window, char *buf, size_t size);

#endif
