/* SPDX-License-Identifier: Apache-2.0 */
/* What both directions of local response normalization share. */
#ifndef OPS_WINDOW_LRN_H
#define OPS_WINDOW_LRN_H

#include "core/primitive_desc.h"

/* Algorithm, local size and dimensions. The source needs a layout. */
dnnl_status_t lrn_check_problem(const pd_t *pd, const md_t *src, const md_t *dst);
/* The elements of a window, with those in the padding. */
double lrn_elements(const op_params_t *op, int ndims);
int lrn_format_problem(const pd_t *pd, char *buf, size_t size);

#endif
