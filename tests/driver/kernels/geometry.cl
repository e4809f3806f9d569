/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that write down where they ran. */

kernel void ids(global uint *out) {
    size_t width = get_global_size(0), height = get_global_size(1);
    size_t n = (get_global_id(2) - get_global_offset(2)) * height * width +
               (get_global_id(1) - get_global_offset(1)) * width + get_global_id(0) -
               get_global_offset(0);
    global uint *o = out + n * 20;
    for (uint d = 0; d < 3; d++) {
        o[d] = get_global_id(d);
        o[3 + d] = get_local_id(d);
        o[6 + d] = get_group_id(d);
        o[9 + d] = get_num_groups(d);
        o[12 + d] = get_local_size(d);
        o[15 + d] = get_global_size(d);
    }
    o[18] = get_work_dim();
    o[19] = get_global_offset(0);
}

kernel __attribute__((reqd_work_group_size(4, 2, 1))) void required(global uint *out) {
    uint n = get_global_id(1) * get_global_size(0) + get_global_id(0);
    out[n] = get_local_size(0) * 100 + get_local_size(1) * 10 + get_local_size(2);
}

/* A tree sum through static local memory. */
kernel void group_sum(global const uint *in, global uint *out) {
    local uint part[64];
    uint i = get_local_id(0);
    part[i] = in[get_global_id(0)];
    for (uint n = get_local_size(0) / 2; n > 0; n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < n) part[i] += part[i + n];
    }
    if (i == 0) out[get_group_id(0)] = part[0];
}

/* The largest value of a group, with other local memory. */
kernel void group_max(global const uint *in, global uint *out) {
    local uint part[128];
    uint i = get_local_id(0);
    part[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i > 0) return;
    uint most = part[0];
    for (uint n = 1; n < get_local_size(0); n++) most = max(most, part[n]);
    out[get_group_id(0)] = most;
}

/* Uses the local memory of what it calls. */
kernel void group_sum_called(global const uint *in, global uint *out) {
    group_sum(in, out);
}
