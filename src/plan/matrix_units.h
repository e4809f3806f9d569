/* SPDX-License-Identifier: Apache-2.0 */
/* What planners for matrix units of 8 and of 16 lanes share. */
#ifndef PLAN_MATRIX_UNITS_H
#define PLAN_MATRIX_UNITS_H

#include "core/caps.h"
#include "oneapi/dnnl/dnnl_types.h"

static inline bool xmx_is_integer(dnnl_data_type_t dt) {
    return dt == dnnl_s8 || dt == dnnl_u8;
}
static inline bool xmx_is_half(dnnl_data_type_t dt) {
    return dt == dnnl_f16 || dt == dnnl_bf16;
}

/* Sub-groups of the variants that the device runs at once: kernels with matrix units use the
 * large register files, with which it has half of its threads. */
int64_t xmx_threads(const caps_t *caps);
/* Split-K: the sub-groups of a work-group that share the k of one of `tiles` tiles, so that
 * every thread has work; 1: k is not split. k has so many units of so many steps, and parts are
 * equal, as work-groups walk through them together. bytes: of local memory for a part. */
int64_t xmx_split_of(
        const caps_t *caps, int64_t tiles, int64_t units, int64_t steps, int64_t bytes);

#endif
