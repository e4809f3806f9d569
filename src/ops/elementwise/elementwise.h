/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives whose result is epilogue(source): eltwise, binary, PReLU, reorder. */
#ifndef OPS_ELEMENTWISE_H
#define OPS_ELEMENTWISE_H

#include "steps/elementwise.h"

/* What is left of init() once descriptors and attributes are checked and the arguments are
 * complete: variant, name, scratchpad, plan. And its replan(). The op has make_epilogue(). */
dnnl_status_t ew_init(pd_t *pd, const caps_t *caps);
/* The same with the variants of another family that have the planners of "elementwise". */
dnnl_status_t ew_init_family(pd_t *pd, const caps_t *caps, const char *family);
/* The source: DNNL_ARG_SRC, or DNNL_ARG_DST of a backward primitive that reads the destination. */
int ew_source(const pd_t *pd);
dnnl_status_t ew_replan(const pd_t *pd, const caps_t *caps, const md_t *const *mds, plan_t *plan);

#endif
