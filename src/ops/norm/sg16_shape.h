/* SPDX-License-Identifier: Apache-2.0 */
/* How the variants for sub-groups of 16 see group and batch normalization: loops, and pieces of
 * rows.
 *
 * A mean is taken over pieces of contiguous elements. Pieces of a row follow one another along
 * the contiguous loop; if the means lie along that loop, a piece has one element of each of
 * several columns. A tile is what the registers of a sub-group hold at a time: one piece or
 * several. */
#ifndef OPS_NORM_SG16_SHAPE_H
#define OPS_NORM_SG16_SHAPE_H

#include "kernels/norm/norm_params.h"
#include "ops/norm/norm.h"

typedef struct {
    norm_params_t p;
    epilogue_segment_t seg;
    bool columns;  /* means lie along the contiguous loop */
    bool same;     /* scale and shift are the same for all pieces of a row */
    bool along;    /* scale and shift run along the contiguous loop */
    int kept;      /* loops that statistics are counted by, without columns */
    int64_t size;  /* elements of a piece */
    int64_t items; /* rows, or blocks of columns */
    int64_t most;  /* sub-groups that can cooperate on one of them */
    int64_t tiles; /* of one of them */
    int64_t keep;  /* tiles that a sub-group can keep in registers */
} sg_norm_t;

enum { NORM_MAX_PARTS = 512 }; /* in which the statistics of a row are found */

/* groups: of channels; 0: all images share a mean for each channel. NULL, or why there is no
 * such shape. */
const char *sg_norm_init(
        sg_norm_t *s, const planner_t *p, const epilogue_t *epilogue, dnnl_dim_t groups);

/* Do the sub-groups of a work-group keep all tiles in registers? */
bool sg_norm_is_kept(const sg_norm_t *s);

/* The largest piece of a contiguous loop, unless a smaller one wastes a fifth fewer elements. */
int64_t sg_norm_piece(int64_t len);

#endif
