/* SPDX-License-Identifier: Apache-2.0 */
/* What both directions of eltwise share. */
#ifndef OPS_ELTWISE_H
#define OPS_ELTWISE_H

#include "core/primitive_desc.h"

/* An algorithm of eltwise, with bounds in order. */
dnnl_status_t eltwise_check_algorithm(const op_params_t *params);
int eltwise_format_problem(const pd_t *pd, char *buf, size_t size);
int eltwise_format_aux(const pd_t *pd, char *buf, size_t size);

#endif
