/* SPDX-License-Identifier: Apache-2.0 */
/* Says at dst[0] that it runs, and looks at src[0] for another kernel that says so, `spin` times at
 * most. dst[1] is 1 if it came. The arguments are those of affine. */
__kernel void meet(__global int *src, volatile __global int *dst, float addend, uint n, uint spin) {
    if (get_global_id(0) || n == 0) return;
    volatile __global int *other = src;
    (void)addend;
    atomic_xchg(&dst[0], 1);
    int seen = 0;
    for (uint i = 0; i < spin && !seen; i++) seen = atomic_add(other, 0);
    dst[1] = seen;
}
