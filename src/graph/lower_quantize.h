/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and zero points as attributes of primitives. */
#ifndef GRAPH_LOWER_QUANTIZE_H
#define GRAPH_LOWER_QUANTIZE_H

#include "graph/lower_util.h"

/* Scales or zero points of a tensor. */
typedef struct {
    bool given;
    view_t view; /* one value, an array, or a tensor of groups */
    int mask, group_ndims;
    dnnl_dims_t groups;
} factors_t;

/* The scales, factors[0], and zero points, factors[1], of an input that is dequantised; none if it
 * is not. May append steps. */
dnnl_status_t lower_factors(lower_t *l, const factor_rule_t *rule, factors_t *factors);
/* Puts them into l->attr and the next step's arguments. */
dnnl_status_t lower_set_factors(lower_t *l, int arg, const factors_t *factors);
/* The same for a Quantize behind the primitive. */
dnnl_status_t lower_quantized_dst(lower_t *l, const node_t *node, seen_t seen);

#endif
