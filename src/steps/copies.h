/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives that are made of elementwise steps: concat, sum, shuffle. */
#ifndef OPS_COPIES_H
#define OPS_COPIES_H

#include "steps/elementwise.h"

/* Where steps go: into a plan and, when that is full, into the next one. */
typedef struct {
    plan_t *plan; /* the last one */
    pd_t *owner; /* whose plans they are, or NULL: one that is written over and over, for a look at it */
    int row;        /* a step takes this one if it can */
    bool used;      /* a step in an earlier plan takes it */
    size_t scratch; /* bytes used */
    bool out_of_memory;
} copies_t;

/* Makes room for so many steps, at most COPIES_STEPS: what the constants of a plan have room for, whatever
 * the layouts. False: out of memory. */
enum { COPIES_STEPS = 8 };
bool copies_room(copies_t *c, int steps);
/* Drops all steps. */
void copies_restart(copies_t *c);

/* They write all steps. NULL, or why it cannot be done. */
const char *concat_plan(const pd_t *pd, const caps_t *caps, copies_t *c);
const char *sum_plan(const pd_t *pd, const caps_t *caps, copies_t *c);
const char *shuffle_plan(const pd_t *pd, const caps_t *caps, copies_t *c);

/* A row-major tensor in the scratchpad that has the dimensions and the type of *of; where that is a 4-bit
 * type, whose bytes may have two owners, a wider one that holds values of type `from` as well. */
const char *copies_between(
        copies_t *c, ew_tensor_t *t, md_t *md, const md_t *of, dnnl_data_type_t from);

/* What is left of init() once descriptors and attributes are checked and the arguments complete: row, name,
 * scratchpad, plan. */
dnnl_status_t copies_init(pd_t *pd, const caps_t *caps);

#endif
