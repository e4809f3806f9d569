/* SPDX-License-Identifier: Apache-2.0 */
/* Values and indices of sparse tensors. */
#ifndef TESTS_PROBLEM_CASE_SPARSE_H
#define TESTS_PROBLEM_CASE_SPARSE_H

#include "case.h"

/* A value for an element of an argument, by its role. */
double case_value(const case_t *c, const pd_arg_t *arg);
/* Values and indices of a sparse argument whose values have a buffer. A position may occur more
 * than once. */
void case_fill_sparse(case_t *c, int slot);
/* The ends of the groups of a grouped argument. All those of a case have the same. */
void case_fill_ends(case_t *c, int slot);
/* False for positions of a grouped tensor behind its last group. */
bool case_in_a_group(const case_t *c, int slot, const dnnl_dim_t *pos);

#endif
