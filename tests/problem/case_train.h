/* SPDX-License-Identifier: Apache-2.0 */
/* What backward propagation of a recurrent network reads: the results of a forward primitive. */
#ifndef TESTS_PROBLEM_CASE_TRAIN_H
#define TESTS_PROBLEM_CASE_TRAIN_H

#include "case.h"

/* Whether the case's primitive reads what only a forward primitive can write. */
bool case_needs_training(const case_t *c);
/* The descriptor of that forward primitive, to be destroyed. */
dnnl_status_t case_training_desc(
        dnnl_primitive_desc_t *forward, const pd_t *backward, dnnl_engine_t engine);
/* Runs that forward primitive on the inputs of the case. */
dnnl_status_t case_train(case_t *c);

#endif
