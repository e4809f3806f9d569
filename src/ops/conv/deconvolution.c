/* SPDX-License-Identifier: Apache-2.0 */
/* Deconvolution: a convolution whose window slides over the destination. */
#include "ops/conv/convolution.h"
#include "plan/op.h"

const op_kind_t op_deconvolution = {
        .kind = dnnl_deconvolution,
        .name = "deconvolution",
        .init = conv_init,
        .format_problem = conv_format_problem,
        .format_aux = conv_format_aux,
};
