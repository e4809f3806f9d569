/* SPDX-License-Identifier: Apache-2.0 */
/* dst = factor * src + addend, as slowly as asked for. */
int __attribute__((overloadable)) __spirv_SpecConstant(int id, int default_value);
int nowhere_to_be_found(int);

static int factor(void) {
    return __spirv_SpecConstant(7, 1);
}

__kernel void affine(
        __global const float *src, __global float *dst, float addend, uint n, uint spin) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    float value = src ? src[i] : 0.0f;
    volatile uint turns = spin;
    while (turns) turns--;
#ifdef BROKEN
    value += nowhere_to_be_found(i);
#endif
    dst[i] = (float)factor() * value + addend;
}
