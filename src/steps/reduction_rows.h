/* SPDX-License-Identifier: Apache-2.0 */
/* Steps whose work-items take whole rows of contiguous elements (kernels/lib/rows.h), or whose sub-groups
 * do (kernels/lib/sg.h): softmax, layer normalization. */
#ifndef OPS_REDUCTION_ROWS_H
#define OPS_REDUCTION_ROWS_H

#include "steps/elementwise.h"
#include "plan/sub_groups.h"

typedef struct {
    nd_params_t p;
    epilogue_segment_t seg;
    int64_t stat_stride[PAR_MAX_DIMS]; /* of the tensor with a value for each row */
    int64_t len;
    int64_t width; /* columns: how many there are next to each other; 0: rows */
    uint32_t items;
    bool stream;
} rows_t;

/* The rows run along the one dimension in which stat is 1 and src is not. NULL, or why there are no such
 * rows. */
const char *rows_init(rows_t *rows, const pd_t *pd, const caps_t *caps, const epilogue_t *chain,
        const md_t *stat);
/* The same along a loop that is not the last, which is contiguous: kernels/lib/sg_pieces.h. The loop goes
 * to the second last place. */
const char *columns_init(rows_t *rows, const pd_t *pd, const epilogue_t *chain, const md_t *stat);
/* NULL, or why the kernel row does not take them. */
const char *rows_fit(const rows_t *rows, const pd_t *pd, int row);
/* Where sub-groups share columns, local memory has so many floats (sg_pieces.h). */
enum { SG_MAX_GROUPS = 16, SG_MAX_TILES = 4, SG_ROWS = 8 };
enum { SG_MANY_GROUPS = 64, SG_MAX_COLUMNS = 2048, SG_LINE = 64 };
/* Sub-groups that a work-group may have of `of`, which is a power of two. */
int64_t sg_most_groups(const caps_t *caps, int64_t of);
/* Tiles that a sub-group can keep. */
int64_t sg_kept_tiles(const caps_t *caps);
int64_t sg_power_of_2(int64_t at_least);
void sg_specs(plan_t *plan, int64_t loops, int64_t groups, int64_t tiles);

/* Starts a step: the specialisation constants of types, flags and chain, and of the sub-groups' shares. */
void rows_step(const rows_t *rows, const pd_t *pd, const caps_t *caps, int row, plan_t *plan);

#endif
