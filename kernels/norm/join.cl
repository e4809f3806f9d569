/* SPDX-License-Identifier: Apache-2.0 */
/* Combines the means and variances of parts. A sub-group of 16 computes one mean and
 * one variance. */
#include "norm_params.h"
#include "sub_group.h"

SG_KERNEL void norm_join(__global const float *parts, __global float *means,
        __global float *variances, const norm_join_t p) {
    LANES_PLACE(place);
    const uint stat = get_group_id(0) * sg_count() + sg_number(), lane = sg_own_lane();
    const uint i = min(stat, (uint)p.stats - 1), share = p.share, n = p.chunks * share;
    const ulong row = (ulong)p.stats * share, plane = p.chunks * row;
    float count = 0, mean = 0, square = 0;
    NO_UNROLL_FOR (uint c = lane; c < n; c += 16) {
        const ulong at = c / share * row + i * share + c % share;
        count += parts[at];
        mean += parts[at] * parts[plane + at];
    }
    count = lanes_sum(count, place);
    mean = lanes_sum(mean, place) / count;
    NO_UNROLL_FOR (uint c = lane; c < n; c += 16) {
        const ulong at = c / share * row + i * share + c % share;
        const float apart = parts[plane + at] - mean;
        square += parts[2 * plane + at] + parts[at] * apart * apart;
    }
    square = lanes_sum(square, place);
    if (stat >= (uint)p.stats || lane) return;
    means[i] = mean;
    variances[i] = square / count;
}
