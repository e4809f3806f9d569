/* SPDX-License-Identifier: Apache-2.0 */
/* What the planners of attention work on. */
#ifndef OPS_SDPA_SDPA_H
#define OPS_SDPA_SDPA_H

#include "kernels/lib/spec.h"
#include "kernels/sdpa/sdpa_params.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"
#include "plan/operand.h"
#include "plan/variant_planners.h"

/* A problem as kernels see it. The planners of the variants get its planner. */
typedef struct {
    planner_t planner;
    operand_t queries, keys, values, mask, scale, dst, stats, cap, fill, drop_mask, weight_scale,
            weight_zero; /* md NULL: none */
    uint32_t flags;      /* of SPEC_FLAGS, besides those that follow from the problem */
    int64_t matrices;    /* of queries */
    int32_t folded;      /* heads that became queries of one; 0: none */
    sd_params_t p;
} sdpa_t;

void sdpa_init(sdpa_t *sd, pd_t *pd, const caps_t *caps);
/* Reads the strides of queries, keys and values again, after a planner has put other tensors
 * there. */
void sdpa_set_strides(sdpa_t *sd);

/* NULL, or why no grid of work-groups is large enough. */
const char *sdpa_check_size(const sdpa_t *sd);
/* What both directions need of the device for tiles in local memory. */
const char *sdpa_check_local(const sdpa_t *sd);
/* Are rows of keys contiguous, and not the elements of each? */
static inline bool sdpa_keys_in_rows(const sdpa_t *sd) {
    return sd->p.k_row != 1 && sd->p.k_col == 1;
}

/* ---- quantised keys and values: DNNL_ARG_KEYS, DNNL_ARG_VALUES ---- */

/* Is the tensor not multiplied as it is stored: integers, small floats, scales or zero points? */
bool sdpa_is_quantised(const sdpa_t *sd, int arg);
/* The scales (ATTR_SCALES) or zero points of an argument; NULL: there are none. */
const quant_t *sdpa_quant(const sdpa_t *sd, unsigned attr, int arg);
/* Which value an element of the tensor has: stride[d] from one group to the next along dimension d.
 * Only the last two dimensions have groups. */
typedef struct {
    int32_t group[2];
    int32_t stride[DNNL_MAX_NDIMS];
} sdpa_places_t;
void sdpa_places(const sdpa_t *sd, unsigned attr, int arg, sdpa_places_t *places);
/* The kernel's next arguments: pointers to scales and zero points, NULL where there are none. */
void sdpa_bind_quant(sdpa_t *sd, int arg);

/* Keys or values as a kernel multiplies them: in the scratchpad. */
typedef struct {
    int arg; /* 0: as they are */
    md_t md;
} sdpa_decoded_t;
/* The first step of a variant that decodes its inputs before: puts dense descriptors of type dt in
 * place of quantised ones, unless `lay_out` chooses others. One scale of a whole tensor is left to
 * the kernel, which gets sd->flags. */
typedef const char *(*sdpa_lay_out_t)(const sdpa_t *sd, int arg, dnnl_data_type_t dt, md_t *md);
const char *sdpa_replace(
        sdpa_t *sd, dnnl_data_type_t dt, sdpa_lay_out_t lay_out, sdpa_decoded_t decoded[3]);
/* Appends the steps that decode them. */
const char *sdpa_decode(sdpa_t *sd, const sdpa_decoded_t decoded[3]);

/* What all variants have in common: the specialisation constants, then mask, scale, destination,
 * parameters, statistics and the soft cap as the last arguments of the kernel. */
void sdpa_specs(sdpa_t *sd);
void sdpa_bind(sdpa_t *sd, const operand_t *operand);
void sdpa_bind_rest(sdpa_t *sd);
/* Two arguments of the kernel: a pointer, and a number from the host. */
void sdpa_bind_factor(sdpa_t *sd, const operand_t *factor);
/* What replaces scores, dropout, and scales of whole tensors: the arguments behind those. */
void sdpa_bind_more(sdpa_t *sd);

/* ---- CPUs ---- */

enum { SDPA_PANEL = 16 }; /* columns of a panel, as the kernels have them */

/* Matrices to pack into panels of floats. */
typedef struct {
    int arg; /* of the tensor, for scales and zero points; 0: it has none */
    const operand_t *from;
    int rows, cols;
    int64_t row, col; /* elements from one to the next */
    int64_t *outer;   /* elements from one matrix to the next; becomes that of the panels */
    bool is_shared;   /* there is one for the queries that share keys */
} sdpa_pack_t;
/* Appends the step that packs them in the scratchpad. NULL, or why it cannot be done. */
const char *sdpa_pack(sdpa_t *sd, const sdpa_pack_t *x, operand_t *panels, md_t *md);

/* ---- what both directions check, and what the log says ---- */

/* Dimensions, and the mask, scale, cap, fill value and dropout. */
dnnl_status_t sdpa_check_common(const pd_t *pd);
/* An f32, f16 or bf16 without inner blocks. */
dnnl_status_t sdpa_check_tensor(const md_t *md, const char *name);
/* Adds the statistics of each query as an argument, the workspace. flags: PD_IN or PD_OUT. */
dnnl_status_t sdpa_add_statistics(pd_t *pd, unsigned flags);
int sdpa_format_problem(const pd_t *pd, char *buf, size_t size);
int sdpa_format_aux(const pd_t *pd, char *buf, size_t size);

#endif
