/* SPDX-License-Identifier: Apache-2.0 */
/* Steps whose work-items reduce whole rows of contiguous elements (kernels/lib/rows.h), or whose
 * sub-groups do (kernels/lib/sg.h): softmax, layer normalization. The source is that of the
 * primitive; backward, the gradient of the destination. */
#ifndef STEPS_REDUCTION_ROWS_H
#define STEPS_REDUCTION_ROWS_H

#include "plan/device.h"
#include "steps/elementwise.h"
#include "steps/whole_tiles.h"

typedef struct {
    nd_params_t p;
    epilogue_segment_t seg;
    int64_t stat_stride[PAR_MAX_DIMS]; /* of the tensor with a value for each row */
    int64_t len;                       /* elements of a row */
    int64_t width;  /* columns: how many lie next to each other; 0: the elements of a row do */
    uint32_t items; /* work-items, or work-groups of sub-groups that do rows in turn */
    int tensors;    /* sub-groups: tensors whose rows they keep in registers */
    bool in_turn;   /* sub-groups: a work-group does p.rows_per_item rows, one after the other */
    bool stream;
} rows_t;

/* The rows run along the one dimension in which stat is 1 and src is not. NULL, or why the
 * variant cannot reduce them. */
const char *rows_init(rows_t *rows, const planner_t *p, int variant, const epilogue_t *epilogue,
        const md_t *stat);
/* The same along a loop that is not the contiguous one (kernels/lib/sg_pieces.h). That loop
 * becomes the last but one. */
const char *columns_init(
        rows_t *rows, const planner_t *p, const epilogue_t *epilogue, const md_t *stat);
/* Do the columns stay in the registers of the sub-groups? */
bool columns_stay(const rows_t *rows, const planner_t *p);
/* For kernels of sub-groups that keep a tile of a row at most: a work-group does several rows, one
 * after the other, with the same columns for each sub-group. */
void rows_in_turn(rows_t *rows, const planner_t *p);
/* Starts the step: the specialisation constants of types, flags, epilogue, and of the
 * sub-groups' work. */
void rows_step(planner_t *p, int variant, const rows_t *rows);
/* Are rows, not columns, for sub-groups whole tiles? */
bool rows_are_whole(const planner_t *p, int variant, const rows_t *rows, const operand_t *src,
        const operand_t *dst);

enum {
    SG_MAX_GROUPS = 16,   /* sub-groups that cooperate on one row */
    SG_MAX_TILES = 4,     /* tiles of a row that a sub-group keeps in registers */
    SG_ROWS = 8,          /* rows of one sub-group each in a work-group */
    SG_MANY_GROUPS = 64,  /* sub-groups that cooperate on one block of columns */
    SG_MAX_COLUMNS = 2048 /* floats that these have in local memory */
};
enum { SG_LINE = 64 }; /* bytes of a cache line */
/* Sub-groups that a work-group of the device can have, at most `of`, which is a power of two. */
int64_t sg_most_groups(const caps_t *caps, int64_t of);
/* Tiles that a sub-group of the device can keep in registers. */
int64_t sg_kept_tiles(const caps_t *caps);
int64_t sg_power_of_2(int64_t at_least);
void sg_specs(plan_t *plan, int64_t loops, int64_t groups, int64_t tiles);

#endif
