/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a verbose line of recurrent networks. */
#ifndef OPS_RNN_VERBOSE_H
#define OPS_RNN_VERBOSE_H

#include "core/primitive_desc.h"

int rnn_format_problem(const pd_t *pd, char *buf, size_t size);
int rnn_format_aux(const pd_t *pd, char *buf, size_t size);

#endif
