/* SPDX-License-Identifier: Apache-2.0 */
/* The other half of imports.cl. */
uint supplied_elsewhere(uint x);

uint supplied_elsewhere(uint x) {
    return x * 3 + 1;
}

kernel void unrelated(global uint *x) {
    x[0] = 5;
}
