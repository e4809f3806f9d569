/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that do what no kernel may do; each gets 16 integers and 16 work-items. */
kernel void read_behind(global int *a) {
    a[0] = a[16 + get_global_id(0) / 15];
}

kernel void write_before(global int *a) {
    a[(long)get_global_id(0) - 1] = 1;
}

kernel void race(global int *a) {
    a[get_global_id(0) / 2] += (int)get_global_id(0);
}
