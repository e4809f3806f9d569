/* SPDX-License-Identifier: Apache-2.0 */
/* Positions of dims, and sizes of windows: what inference and lowering share. */
#ifndef GRAPH_SHAPE_H
#define GRAPH_SHAPE_H

#include "graph/op.h"

#define ATTR(name) dnnl_graph_op_attr_##name

/* Does the attribute data_format put channels last? */
bool is_channels_last(const op_t *op);
/* The position of channels, and of spatial dimension i, in a tensor of images. */
int channel_axis(const op_t *op, int ndims);
int spatial_axis(const op_t *op, int i);
/* The same in weights: output channels, input channels, spatial dimension i. `weights_format` says
 * where they are. In a deconvolution's weights, both formats name the channels of its own source
 * and destination. */
int weights_out_axis(const op_t *op, int ndims);
int weights_in_axis(const op_t *op, int ndims);
int weights_spatial_axis(const op_t *op, int i);

/* An axis from the end if negative; -1 if there is no such axis. */
int normal_axis(int64_t axis, int ndims);

/* A window along one spatial dimension. */
typedef struct {
    int64_t kernel, stride, dilation; /* dilation 1: dense */
    int64_t begin, end;               /* paddings */
} window_t;
/* The window along dimension i, for a kernel of this size over `size` elements. Computes the
 * paddings if the attribute auto_pad asks for that. */
window_t window_along(const op_t *op, int i, int64_t kernel, int64_t size, bool transposed);
int64_t window_extent(const window_t *w); /* elements from the first to the last of a kernel */
/* The number of positions of the window; `ceil` counts a last one that is not whole. */
int64_t window_positions(const window_t *w, int64_t size, bool ceil);

#endif
