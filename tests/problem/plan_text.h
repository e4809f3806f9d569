/* SPDX-License-Identifier: Apache-2.0 */
/* What a primitive descriptor plans, as a text that does not depend on how plans are stored:
 * equal texts mean that the same launches are made. Ids of kernels are not in the text, as they
 * may be renamed. */
#ifndef TESTS_PROBLEM_PLAN_TEXT_H
#define TESTS_PROBLEM_PLAN_TEXT_H

#include <stdio.h>

#include "core/primitive_desc.h"

/* The arguments, and of each step its groups, specialisation constants in the order of their
 * ids, and kernel arguments. */
void plan_text_write(FILE *to, const pd_t *pd);
/* The steps with run-time dims replaced by those of mds (by slot), for kinds that can do so;
 * else the status.
 */
void plan_text_write_replanned(
        FILE *to, const pd_t *pd, const caps_t *caps, const md_t *const *mds);
/* The ids of the kernels of all steps, with commas between them; answers the number of steps. */
int plan_text_write_kernels(FILE *to, const pd_t *pd);

#endif
