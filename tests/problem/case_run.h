/* SPDX-License-Identifier: Apache-2.0 */
/* What a case needs of a descriptor's inside, and of its buffers. */
#ifndef TESTS_PROBLEM_CASE_RUN_H
#define TESTS_PROBLEM_CASE_RUN_H

#include "case.h"

/* Bytes after every buffer that nobody may touch: 64, or 0 where something else looks at
 * accesses. */
extern size_t case_guard;
/* Bytes before every tensor in its buffer, for addresses that are no multiples of more; 0 else. */
extern size_t case_shift;
/* The slot of the one tensor that is so; -1: all. */
extern int case_shifted;

const pd_t *case_pd(const_dnnl_primitive_desc_t handle);

#endif
