/* SPDX-License-Identifier: Apache-2.0 */
/* The least that a compiler can be asked for: bench_create compares creations with it. */
kernel void one_store(global int *p) {
    p[get_global_id(0)] = 1;
}
