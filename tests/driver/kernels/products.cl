/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over a work-group: the test makes products of them, which compilers of OpenCL C lack. */
kernel void products(global float *f, global long *l) {
    const uint i = get_local_linear_id();
    f[i] = work_group_scan_inclusive_add(f[i]);
    l[i] = work_group_scan_inclusive_add(l[i]);
}
