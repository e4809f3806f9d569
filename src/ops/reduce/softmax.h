/* SPDX-License-Identifier: Apache-2.0 */
/* What both directions of softmax share. */
#ifndef OPS_SOFTMAX_H
#define OPS_SOFTMAX_H

#include "core/primitive_desc.h"

/* Is the algorithm one of this primitive? */
dnnl_status_t softmax_check_algorithm(const pd_t *pd);
int softmax_format_aux(const pd_t *pd, char *buf, size_t size);

#endif
