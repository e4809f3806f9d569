/* SPDX-License-Identifier: Apache-2.0 */
/* What the lowerings share. */
#ifndef GRAPH_LOWER_UTIL_H
#define GRAPH_LOWER_UTIL_H

#include "core/check.h"
#include "graph/lower.h"
#include "graph/shape.h"

view_t view_of(const lt_t *lt, place_t place);
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
bool view_is_dense(const view_t *view);
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
/* How a primitive sees a tensor that has the dims of an operation's destination, or ones in place
 * of some of them. */
typedef view_t (*seen_t)(const lower_t *l, const view_t *view);
view_t seen_as_is(const lower_t *l, const view_t *view);
view_t seen_as_images(const lower_t *l, const view_t *view);
/* How it sees one with the dims of an input, or ones. */
typedef dnnl_status_t (*seen_in_t)(const lower_t *l, const view_t *view, view_t *seen);
typedef struct {
    size_t input;
    int arg;
    seen_in_t seen;
} factor_rule_t;
/* The same as lower_attr(), with the operations of the epilogue, and with the scales and zero
 * points of dequantised inputs. */
dnnl_status_t lower_epilogue(lower_t *l, seen_t seen, int nrules, const factor_rule_t *rules);
/* Appends steps that put a batch norm behind a convolution into its weights, which are input 1, and
 * its bias, if that costs less than the epilogue. Answers whether it does; `weights` and `bias` are
 * then the new ones. */
dnnl_status_t lower_fold_norm(lower_t *l, view_t *weights, view_t *bias, bool *folds);
/* The parameters of the function of one tensor that an operation is. */
typedef struct {
    dnnl_alg_kind_t alg;
    float alpha, beta;
} eltwise_t;
bool eltwise_of(const op_t *op, eltwise_t *eltwise);
/* The same for a gradient. Answers whether it is computed from the destination. */
bool eltwise_gradient_of(const op_t *op, eltwise_t *eltwise);
/* undef: it is no operation of two tensors. */
dnnl_alg_kind_t binary_of(const op_t *op);
/* Is a tensor a constant of the program, and are constants kept? */
bool lower_is_kept(const lower_t *l, const lt_t *lt, place_t place);
/* Lets the primitive choose the layout of input i, if that is a constant of the program and
 * constants are kept: the copy in that layout is kept, too. */
dnnl_status_t lower_let_choose(const lower_t *l, size_t i, md_t *md);
/* Appends that copy, in the layout that l->desc has chosen, and makes it the argument. md: as it is
 * stored. */
dnnl_status_t lower_repack(lower_t *l, size_t i, const md_t *md, step_arg_t *arg);
/* Appends the primitive of l->desc. */
dnnl_status_t lower_step(lower_t *l, int nargs, const step_arg_t *args);
/* Appends a copy, which also converts. */
dnnl_status_t lower_copy(lower_t *l, const view_t *from, const view_t *to);

#endif
