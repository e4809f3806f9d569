/* SPDX-License-Identifier: Apache-2.0 */
/* Steps whose kernels have a tile of sums for each work-group: kernels/lib/local_tile.h. */
#ifndef STEPS_LOCAL_TILE_H
#define STEPS_LOCAL_TILE_H

#include "plan/planner.h"

/* Rows, and columns, of the tile that a variant has. */
int64_t local_tile_rows(int variant);
int64_t local_tile_columns(int variant);
/* NULL, or why another tile is better, or none is possible, for so many products of matrices. */
const char *local_tile_can(
        const planner_t *p, int variant, int64_t rows, int64_t columns, int64_t products);
/* The work-items of a work-group. */
extern const uint32_t local_tile_group[3];

#endif
