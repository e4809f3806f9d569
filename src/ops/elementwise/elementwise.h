/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives whose result is epilogue(DNNL_ARG_SRC): eltwise, binary, PReLU, reorder. */
#ifndef OPS_ELEMENTWISE_H
#define OPS_ELEMENTWISE_H

#include "steps/elementwise.h"

/* What is left of init() once descriptors and attributes are checked and the arguments are
 * complete: variant, name, scratchpad, plan. And its replan(). The op has make_epilogue(). */
dnnl_status_t ew_init(pd_t *pd, const caps_t *caps);
dnnl_status_t ew_replan(const pd_t *pd, const caps_t *caps, const md_t *const *mds, plan_t *plan);

#endif
