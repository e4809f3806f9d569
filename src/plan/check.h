/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of tensors that the primitives of family "elementwise" share. */
#ifndef PLAN_CHECK_H
#define PLAN_CHECK_H

#include "core/primitive_desc.h"

/* Does any tensor of the primitive have the type? */
bool pd_has_type(const pd_t *pd, dnnl_data_type_t dt);
/* A blocked descriptor of a data type that the kernels read and write; unimplemented, with the
 * reason logged. */
dnnl_status_t ew_check_tensor(const pd_t *pd, const md_t *md, const char *name);
/* Gives md the layout of `like` if it is `any`, then checks it. */
dnnl_status_t ew_resolve(const pd_t *pd, md_t *md, const md_t *like, const char *name);
/* A gradient is f32, f16, bf16 or f64. */
dnnl_status_t check_gradient_type(const char *kind, dnnl_data_type_t dt);
/* Both gradients have the type of the data: f32, f16, bf16 or f64. */
dnnl_status_t check_gradient_types(
        const char *kind, dnnl_data_type_t dt, const md_t *diff_src, const md_t *diff_dst);

/* Resolves and checks the gradients of source and destination where they may both be `any`: that of
 * the source has the layout of an argument of the hint, or no blocks if there is no hint; that of
 * the destination has the layout of the other one. */
dnnl_status_t gradients_like_forward(pd_t *pd, int forward_arg);

#endif
