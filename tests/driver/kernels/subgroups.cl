/* SPDX-License-Identifier: Apache-2.0 */
/* Sub-groups of 16: reduction, shuffle, broadcast. */
#define SIZE 16
uint __attribute__((overloadable)) intel_sub_group_shuffle(uint x, uint lane);

kernel __attribute__((intel_reqd_sub_group_size(SIZE))) void lanes(
        global const uint *in, global uint4 *out) {
    size_t i = get_global_id(0);
    uint lane = get_sub_group_local_id(), x = in[i];
    out[i] = (uint4)(sub_group_reduce_add(x), intel_sub_group_shuffle(x, SIZE - 1 - lane),
            sub_group_broadcast(x, 3), get_sub_group_size() * 100 + lane);
}
