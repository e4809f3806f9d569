/* SPDX-License-Identifier: Apache-2.0 */
/* Sub-groups whose size the kernel leaves to the device. */
#define STRIDE 8

uint local_place(void);
uint local_place(void) {
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) +
           get_local_id(0);
}

/* One work-group; the sum is over the sub-group. */
kernel void places(global uint *out) {
    const uint at = local_place(), sum = sub_group_reduce_add(at + 1);
    global uint *o = out + at * STRIDE;
    o[0] = get_sub_group_size();
    o[1] = get_max_sub_group_size();
    o[2] = get_num_sub_groups();
    o[3] = get_sub_group_id();
    o[4] = get_sub_group_local_id();
    o[5] = sum;
}

/* A kernel of the same module that runs in groups of any size. */
kernel void none(global uint *out) {
    out[local_place()] = 1;
}
