/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are whole tiles of sub-groups, at addresses that block accesses support. Kernels then
 * have no code for the ends of rows (kernels/lib/sg_tile.h). */
#ifndef STEPS_WHOLE_TILES_H
#define STEPS_WHOLE_TILES_H

#include "kernels/lib/params.h"
#include "plan/operand.h"

enum { WHOLE_TILE_ALIGNMENT = 16 }; /* bytes */

/* Are the rows along the last loop whole tiles in src and dst? A source that is broadcast along it
 * need not be. What the epilogue reads must be nothing: the caller knows. */
bool are_tiles_whole(
        const planner_t *p, const nd_params_t *nd, const operand_t *src, const operand_t *dst);
/* The same for transposes: rows along the last loop in one tensor, and in the other vectors of so
 * many words of 32 bits along the loop before it, of which p->chunk2 is a part for a sub-group.
 * gather: the source has the vectors. */
bool are_vectors_whole(const planner_t *p, const nd_params_t *nd, const operand_t *src,
        const operand_t *dst, bool gather, int words);
/* May the kernel expect an array of values, one for each element of a row, to begin where block
 * accesses can? An operand without a descriptor may. */
bool is_array_aligned(const planner_t *p, const operand_t *array);
/* The constant for the kernel. */
void whole_tiles_spec(plan_t *plan, bool whole);
/* bind_operand(); with whole tiles the kernel expects alignment. */
void bind_whole_tiles(plan_t *plan, const operand_t *operand, bool whole);

#endif
