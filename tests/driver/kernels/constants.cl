/* SPDX-License-Identifier: Apache-2.0 */
/* Specialisation constants of every width, and what they become. */
#define DECLARE(type) type __attribute__((overloadable)) __spirv_SpecConstant(int, type)
DECLARE(bool);
DECLARE(char);
DECLARE(short);
DECLARE(int);
DECLARE(long);
DECLARE(float);

kernel void constants(global long *out, global float *fout) {
    out[0] = __spirv_SpecConstant(1, (bool)false);
    out[1] = __spirv_SpecConstant(2, (char)-2);
    out[2] = __spirv_SpecConstant(3, (short)-300);
    out[3] = __spirv_SpecConstant(40, -70000);
    out[4] = __spirv_SpecConstant(500, -5000000000L);
    fout[0] = __spirv_SpecConstant(6, 1.5f);
    out[5] = __spirv_SpecConstant(7, (bool)true);
}
