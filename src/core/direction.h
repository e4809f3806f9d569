/* SPDX-License-Identifier: Apache-2.0 */
/* Which way data flow through an operation, and what follows from it for the descriptor. */
#ifndef CORE_DIRECTION_H
#define CORE_DIRECTION_H

#include "core/primitive_desc.h"

/* Bits, since one implementation may serve several directions. */
enum {
    DIRECTION_FORWARD = 1,
    DIRECTION_BACKWARD = 2, /* the gradients of the source and of the weights together */
    DIRECTION_BACKWARD_DATA = 4,
    DIRECTION_BACKWARD_WEIGHTS = 8,
    DIRECTION_BACKWARD_BIAS = 16, /* of the bias alone */
};

/* The one bit of a propagation kind. Kinds of primitives without propagation kinds are forward. */
unsigned direction_of(dnnl_prop_kind_t prop_kind);

/* The argument that the primitive computes: DNNL_ARG_DST, or the gradient in its place. Post-ops,
 * scales and scratchpads are about this one. DNNL_ARG_DIFF_SRC where there are gradients of the
 * source and the weights. */
int pd_result(const pd_t *pd);

/* The workspace that the forward primitive writes and this one reads; NULL: the forward one has
 * none, or the caller gave no hint. */
const md_t *pd_hint_workspace(const pd_t *pd);

#endif
