/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax in several steps. */
#ifndef GRAPH_LOWER_SOFTMAX_H
#define GRAPH_LOWER_SOFTMAX_H

#include "graph/lower_util.h"

/* For what the primitive lacks: statistics, and zeros for rows of minus infinity. */
dnnl_status_t lower_softmax_parts(lower_t *l, int axis);

#endif
