/* SPDX-License-Identifier: Apache-2.0 */
/* Mean and variance from those of parts: a sub-group of 16 for each. */
#include "norm_params.h"

__attribute__((intel_reqd_sub_group_size(16))) __kernel void norm_join(
        __global const float *parts, __global float *means, __global float *variances, const norm_join_t p) {
    const uint stat = get_group_id(0) * get_num_sub_groups() + get_sub_group_id(), lane = get_sub_group_local_id();
    const uint i = min(stat, (uint)p.stats - 1);
    const ulong plane = (ulong)p.chunks * p.stats;
    float count = 0, mean = 0, square = 0;
    NO_UNROLL for (ulong c = lane; c < (uint)p.chunks; c += 16) {
        const float n = parts[c * p.stats + i];
        count += n;
        mean += n * parts[plane + c * p.stats + i];
    }
    count = sub_group_reduce_add(count);
    mean = sub_group_reduce_add(mean) / count;
    NO_UNROLL for (ulong c = lane; c < (uint)p.chunks; c += 16) {
        const float apart = parts[plane + c * p.stats + i] - mean;
        square += parts[2 * plane + c * p.stats + i] + parts[c * p.stats + i] * apart * apart;
    }
    square = sub_group_reduce_add(square);
    if (stat >= (uint)p.stats || lane) return;
    means[i] = mean;
    variances[i] = square / count;
}
