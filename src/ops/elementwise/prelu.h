/* SPDX-License-Identifier: Apache-2.0 */
/* What both directions of PReLU share. */
#ifndef OPS_PRELU_H
#define OPS_PRELU_H

#include "core/primitive_desc.h"

/* The source has a layout, and the weights broadcast to it. */
dnnl_status_t prelu_check_weights(const md_t *src, const md_t *weights);
int prelu_format_problem(const pd_t *pd, char *buf, size_t size);

#endif
