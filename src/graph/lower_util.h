/* SPDX-License-Identifier: Apache-2.0 */
/* What the lowerings share. */
#ifndef GRAPH_LOWER_UTIL_H
#define GRAPH_LOWER_UTIL_H

#include "core/check.h"
#include "graph/lower.h"
#include "graph/shape.h"

view_t lower_in(const lower_t *l, size_t i);
view_t lower_out(const lower_t *l, size_t i);
/* Dimension d of the result is number order[d] of the view. */
view_t view_permuted(const view_t *view, const int *order);
/* The same tensor with ones before its dims. */
view_t view_expanded(const view_t *view, int ndims);
/* A tensor of images with channels before the spatial dimensions, as primitives have them. */
view_t lower_images(const op_t *op, const view_t *view);
/* A tensor of one dimension as one of `ndims` with ones but along an axis. */
view_t view_on_axis(const view_t *view, int ndims, int axis);
/* A row-major view of the elements of input i, of type dt (undef: its own); copies them into the
 * scratchpad if they are not like that. */
dnnl_status_t lower_dense(lower_t *l, size_t i, dnnl_data_type_t dt, view_t *view);
/* The same with one dimension, which has to have `count` elements. */
dnnl_status_t lower_array(
        lower_t *l, size_t i, dnnl_dim_t count, dnnl_data_type_t dt, view_t *view);
/* A row-major view for output i in type dt: the output itself, or a part of the scratchpad, which
 * lower_finish() copies to the output. */
dnnl_status_t lower_dense_out(lower_t *l, size_t i, dnnl_data_type_t dt, view_t *view);
dnnl_status_t lower_finish(lower_t *l, size_t i, const view_t *view);
/* The same elements, which are row-major, with other dims. */
view_t view_reshaped(const view_t *view, int ndims, const dnnl_dim_t *dims);
/* Attributes for the next primitive, in l->attr. */
dnnl_status_t lower_attr(lower_t *l);
/* Appends the primitive of l->desc. */
dnnl_status_t lower_step(lower_t *l, int nargs, const step_arg_t *args);
/* Appends a copy, which also converts. */
dnnl_status_t lower_copy(lower_t *l, const view_t *from, const view_t *to);

#endif
