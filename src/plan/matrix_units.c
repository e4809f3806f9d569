/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/matrix_units.h"

#include "core/util.h"
#include "kernels/matmul/matmul_params.h"

/* The fewest steps of a part, which pay for adding up the sums; and the most bytes of local
 * memory that a work-group takes for them. */
enum { STEPS_WORTH_A_PART = 4, SPLIT_MEMORY = 1 << 16 };

int64_t xmx_threads(const caps_t *caps) {
    return caps->compute_units / 2;
}

int64_t xmx_split_of(
        const caps_t *caps, int64_t tiles, int64_t units, int64_t steps, int64_t bytes) {
    const int64_t memory = min_i64(caps->local_mem_size, SPLIT_MEMORY);
    int64_t split = 1;
    for (int64_t n = 2; n <= MMX_MAX_SPLIT && tiles * split < xmx_threads(caps); n++)
        if (units % n == 0 && units / n * steps >= STEPS_WORTH_A_PART && n * bytes <= memory &&
                caps->matrix_subgroup * n <= caps->max_group_size)
            split = n;
    return split;
}
