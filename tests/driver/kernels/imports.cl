/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a function that another module has to bring. */
uint supplied_elsewhere(uint x);

kernel void importing(global uint *x) {
    x[0] = supplied_elsewhere(x[0]);
}
