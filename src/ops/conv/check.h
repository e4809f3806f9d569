/* SPDX-License-Identifier: Apache-2.0 */
/* What a convolution or deconvolution may be: shapes, data types and attributes, but no layouts. */
#ifndef OPS_CONV_CHECK_H
#define OPS_CONV_CHECK_H

#include "core/primitive_desc.h"

dnnl_status_t conv_check(const pd_t *pd);
/* The part of it about shapes and formats, for backward propagation by weights, too. */
dnnl_status_t conv_check_tensors(const pd_t *pd);
/* Is the algorithm one of the kind, and implemented? In every direction. */
dnnl_status_t conv_check_algorithm(const pd_t *pd);

#endif
