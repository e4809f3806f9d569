/* SPDX-License-Identifier: Apache-2.0 */
/* Double precision, apart because not every device has it. */
double __attribute__((overloadable)) __spirv_SpecConstant(int, double);

kernel void doubles(global double *out, double d) {
    out[0] = d * 3;
    out[1] = __spirv_SpecConstant(1, 0.125);
}
