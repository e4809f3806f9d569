/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of attention plan with. */
#ifndef OPS_SDPA_H
#define OPS_SDPA_H

#include "core/caps.h"
#include "core/primitive_desc.h"
#include "kernels/lib/spec.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"
#include "kernels/sdpa/sdpa_params.h"

/* A problem as kernels see it. */
typedef struct {
    const pd_t *pd;
    const caps_t *caps;
    int query_slot, key_slot, value_slot, mask_slot, scale_slot, dst_slot; /* -1: there is none */
    dnnl_data_type_t query_dt, key_dt, value_dt, dst_dt;
    uint32_t flags;   /* of SPEC_FLAGS, besides those that follow from the problem */
    int64_t matrices; /* of queries */
    sd_params_t p;
} sdpa_t;

void sdpa_init(sdpa_t *sd, const pd_t *pd, const caps_t *caps);
/* NULL, or why the row does not take the problem. */
const char *sdpa_fits(const sdpa_t *sd, int row);
/* Writes the steps; scratch: bytes of the scratchpad so far. */
void sdpa_plan(const sdpa_t *sd, int row, plan_t *plan, uint64_t *scratch);

/* Are rows of keys contiguous, and not the elements of each? */
static inline bool sdpa_keys_in_rows(const sdpa_t *sd) {
    return sd->p.k_row != 1 && sd->p.k_col == 1;
}

/* The parts that rows have in common: the constants, then mask, scale, destination and parameters as the last
 * arguments of the kernel. */
void sdpa_specs(const sdpa_t *sd, plan_t *plan);
void sdpa_bind(plan_t *plan, const pd_t *pd, int slot);
void sdpa_bind_rest(const sdpa_t *sd, plan_t *plan);

/* sdpa_cpu.c */
const char *sdpa_fits_cpu(const sdpa_t *sd, int row);
void sdpa_plan_cpu(const sdpa_t *sd, int row, plan_t *plan, uint64_t *scratch);
/* sdpa_xmx.c: on matrix units. */
const char *sdpa_fits_xmx(const sdpa_t *sd, int row);
void sdpa_plan_xmx(const sdpa_t *sd, int row, plan_t *plan, uint64_t *scratch);

#endif
