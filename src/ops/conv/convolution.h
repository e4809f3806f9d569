/* SPDX-License-Identifier: Apache-2.0 */
/* What operations of convolution and deconvolution have in common: members of their op_kind_t. */
#ifndef OPS_CONV_CONVOLUTION_H
#define OPS_CONV_CONVOLUTION_H

#include "core/primitive_desc.h"

dnnl_status_t conv_init(pd_t *pd, const caps_t *caps);
int conv_format_problem(const pd_t *pd, char *buf, size_t size);
int conv_format_aux(const pd_t *pd, char *buf, size_t size);

#endif
