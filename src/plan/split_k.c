/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/split_k.h"

#include "core/util.h"
#include "kernels/matmul/matmul_params.h"

/* Steps of a part; with fewer, adding up the sums takes longer than computing them. */
enum { STEPS_WORTH_A_PART = 4 };
/* Bytes of local memory of a work-group: with more, too few work-groups run at a time. */
enum { SPLIT_MEMORY = 1 << 16 };

int64_t split_k_threads(const caps_t *caps) {
    return caps->compute_units / 2;
}

int64_t split_k_parts(
        const caps_t *caps, int64_t tiles, int64_t units, int64_t steps, int64_t bytes) {
    const int64_t wanted = split_k_threads(caps);
    const int64_t memory = min_i64(caps->local_mem_size, SPLIT_MEMORY);
    int64_t split = 1;
    for (int64_t n = 2; n <= MMX_MAX_SPLIT && tiles * split < wanted; n++)
        if (units % n == 0 && units / n * steps >= STEPS_WORTH_A_PART && n * bytes <= memory &&
                caps->matrix_subgroup * n <= caps->max_group_size)
            split = n;
    return split;
}
