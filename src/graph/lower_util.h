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
/* Attributes for the next primitive, in l->attr. */
dnnl_status_t lower_attr(lower_t *l);
/* Appends the primitive of l->desc. */
dnnl_status_t lower_step(lower_t *l, int nargs, const step_arg_t *args);
/* Appends a copy, which also converts. */
dnnl_status_t lower_copy(lower_t *l, const view_t *from, const view_t *to);

#endif
