/* SPDX-License-Identifier: Apache-2.0 */
/* The reference of each kind of primitive. */
#ifndef TESTS_REF_TABLE_H
#define TESTS_REF_TABLE_H

#include "ref.h"

/* A tensor that a primitive writes. */
typedef struct {
    int arg; /* 0: the end of a list */
    ref_value_t (*reference)(const ref_t *, const dnnl_dim_t *);
} ref_output_t;

typedef struct {
    const ref_output_t *outputs; /* the destination first */
    int64_t (*cost)(const pd_t *);
} ref_kind_t;

/* Returns NULL if there is no reference. */
const ref_kind_t *ref_find(const pd_t *pd);
/* The number of terms in the sum of one element of the destination; at least 1. */
int64_t ref_cost(const pd_t *pd);

#endif
