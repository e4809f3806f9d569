/* SPDX-License-Identifier: Apache-2.0 */
/* In-place pairs: outputs that may be in the memory of an input. */
#ifndef GRAPH_INPLACE_H
#define GRAPH_INPLACE_H

#include "graph/op.h"
#include "graph/program.h"

/* Lists the pairs of a program. Each input and each output is in one pair at most. */
dnnl_status_t inplace_find(program_t *program, const ports_t *in, const ports_t *out);

#endif
