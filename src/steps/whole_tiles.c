/* SPDX-License-Identifier: Apache-2.0 */
#include "steps/whole_tiles.h"

#include "kernels/lib/spec.h"
#include "plan/device.h"

/* Do the positions of the first `loops` loops lie multiples of WHOLE_TILE_ALIGNMENT apart, and may
 * the first of them be at one? */
static bool begin_aligned(const planner_t *p, const nd_params_t *nd, int loops,
        const par_i64_t *stride, const operand_t *o) {
    const int64_t bits = dt_bits(o->md->data_type);
    if (bits < 8) return false;
    for (int i = 0; i < loops; i++)
        if (nd->size[i] > 1 && stride[i] * bits % (8 * WHOLE_TILE_ALIGNMENT)) return false;
    return is_array_aligned(p, o);
}

bool are_tiles_whole(
        const planner_t *p, const nd_params_t *nd, const operand_t *src, const operand_t *dst) {
    const int last = nd->ndims - 1;
    if (last < 0 || nd->size[last] % SG_TILE || nd->nlimits) return false;
    return (nd->src_stride[last] == 0 || begin_aligned(p, nd, last, nd->src_stride, src)) &&
           begin_aligned(p, nd, last, nd->dst_stride, dst);
}

bool are_vectors_whole(const planner_t *p, const nd_params_t *nd, const operand_t *src,
        const operand_t *dst, bool gather, int words) {
    enum { WORD = 4 }; /* bytes */
    const int fast = nd->ndims - 1, vec = fast - 1;
    const operand_t *of_vectors = gather ? src : dst, *of_rows = gather ? dst : src;
    const par_i64_t *between = gather ? nd->src_stride : nd->dst_stride,
                    *row = gather ? nd->dst_stride : nd->src_stride;
    if (vec < 0 || nd->nlimits || nd->size[fast] % SG_TILE || row[fast] != 1 || between[vec] != 1)
        return false;
    if (!begin_aligned(p, nd, fast, row, of_rows)) return false;
    if (!begin_aligned(p, nd, vec, between, of_vectors)) return false;
    const int64_t size = (int64_t)dt_size(of_vectors->md->data_type),
                  in_vector = words * WORD / size;
    return in_vector && nd->size[vec] % in_vector == 0 && nd->chunk2 % in_vector == 0 &&
           between[fast] * size % WORD == 0;
}

bool is_array_aligned(const planner_t *p, const operand_t *array) {
    return !array->md || operand_may_be_aligned(p, array, WHOLE_TILE_ALIGNMENT);
}

void whole_tiles_spec(plan_t *plan, bool whole) {
    if (whole) plan_spec(plan, SPEC_SG_WHOLE, 1);
}

void bind_whole_tiles(plan_t *plan, const operand_t *operand, bool whole) {
    bind_aligned_operand(plan, operand, whole ? WHOLE_TILE_ALIGNMENT : 0);
}
