/* SPDX-License-Identifier: Apache-2.0 */
/* From a request to a sealed descriptor, through the cache, and the public handles of
 * descriptors. */
#ifndef PRIMITIVE_DESCRIPTOR_H
#define PRIMITIVE_DESCRIPTOR_H

#include "core/primitive_desc.h"

/* A handle for the descriptor of a request. other: the second engine of a reorder, or NULL. The
 * handle takes a reference to each engine. */
dnnl_status_t descriptor_create(dnnl_primitive_desc_t *out, dnnl_engine_t engine,
        dnnl_engine_t other, const pd_request_t *request);
/* A second handle of the same descriptor. */
dnnl_status_t descriptor_clone(dnnl_primitive_desc_t *out, const_dnnl_primitive_desc_t handle);
void descriptor_free(dnnl_primitive_desc_t handle);
/* Moves the handle on to the next implementation; last_impl_reached leaves it as it is. */
dnnl_status_t descriptor_next(dnnl_primitive_desc_t handle);

/* The descriptor of a request, from the cache or made by op, with a reference. */
dnnl_status_t descriptor_find(
        pd_t **pd, const struct op_kind *op, dnnl_engine_t engine, const pd_request_t *request);

#endif
