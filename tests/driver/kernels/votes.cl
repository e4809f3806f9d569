/* SPDX-License-Identifier: Apache-2.0 */
/* Functions over a work-group. The first work-item writes eight answers. */
kernel void votes(global const int *in, global int *out) {
    const int i = (int)get_local_id(0), x = in[i];
    const int all = work_group_all(x != 0), any = work_group_any(x != 0);
    const int all_true = work_group_all(1), any_false = work_group_any(0);
    if (i) return;
    out[0] = all != 0;
    out[1] = any != 0;
    out[2] = all_true != 0;
    out[3] = any_false != 0;
}

kernel void sums(global const int *in, global int *out) {
    const int i = (int)get_local_id(0), x = in[i];
    const int sum = work_group_reduce_add(x), least = work_group_reduce_min(x);
    const int most = work_group_reduce_max(x), third = work_group_broadcast(x, 2);
    out[4 + i] = work_group_scan_inclusive_add(x);
    if (i) return;
    out[0] = sum;
    out[1] = least;
    out[2] = most;
    out[3] = third;
}

/* As votes, in a kernel that uses sub-groups, too. */
kernel void votes_beside_sub_groups(global const int *in, global int *out) {
    const int i = (int)get_local_id(0), x = in[i];
    const int all = work_group_all(x != 0), any = work_group_any(x != 0);
    const int own = sub_group_all(x != 0), one = sub_group_any(x != 0);
    if (i) return;
    out[0] = all != 0;
    out[1] = any != 0;
    out[2] = own != 0;
    out[3] = one != 0;
}
