/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU driver's dot products agree with the definition of dots.h. */
#include "ze_test.h"

#include <math.h>

enum { BYTES = 1 << 28, BF16 = 1 << 29 };
enum { VECTORS = 64, WORDS = 16 * VECTORS };

static uint32_t flags_of_device(void) {
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    assert_ok(zeDeviceGetModuleProperties(zt.device, &module));
    return module.flags;
}

static void fill(uint32_t *words, uint64_t *seed) {
    for (int i = 0; i < WORDS; i++) words[i] = (uint32_t)random_u64(seed);
}

static void run(const char *name, void *a, void *b, void *out) {
    ze_module_handle_t module = load_module("dots");
    ze_kernel_handle_t kernel = get_kernel(module, name);
    ze_command_list_handle_t now = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    void *const arguments[] = {a, b, out};
    for (uint32_t i = 0; i < 3; i++) set_pointer(kernel, i, arguments[i]);
    launch(now, kernel, VECTORS, NULL, 0, NULL);
    assert_ok(zeCommandListDestroy(now));
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeModuleDestroy(module));
}

static void bytes_are_exact(void **state) {
    (void)state;
    skip_unless(flags_of_device() & BYTES, "the device has no dot products of bytes");
    uint32_t *a = usm(USM_SHARED, 4 * WORDS), *b = usm(USM_SHARED, 4 * WORDS),
             *out = usm(USM_SHARED, 4 * WORDS);
    uint32_t before[WORDS];
    uint64_t seed = 11;
    fill(a, &seed);
    fill(b, &seed);
    fill(out, &seed);
    a[0] = a[1] = a[2] = 0xffffffff; /* 255; the largest and the smallest sum, and one that wraps */
    b[0] = b[2] = 0x7f7f7f7f;
    b[1] = 0x80808080;
    out[2] = 0x7fffffff;
    memcpy(before, out, sizeof before);
    run("bytes", a, b, out);
    for (int i = 0; i < WORDS; i++) {
        int64_t sum = (int32_t)before[i];
        for (int k = 0; k < 4; k++)
            sum += (int64_t)(uint8_t)(a[i] >> 8 * k) * (int8_t)(b[i] >> 8 * k);
        assert_int_equal(out[i], (uint32_t)sum);
    }
    usm_free(a);
    usm_free(b);
    usm_free(out);
}

static double value_of(uint32_t word, int half) {
    const uint32_t bits = (word >> 16 * half) << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void bf16_is_near(void **state) {
    (void)state;
    skip_unless(flags_of_device() & BF16, "the device has no dot products of bf16");
    uint32_t *a = usm(USM_SHARED, 4 * WORDS), *b = usm(USM_SHARED, 4 * WORDS);
    float *out = usm(USM_SHARED, 4 * WORDS), before[WORDS];
    uint64_t seed = 12;
    fill(a, &seed);
    fill(b, &seed);
    /* Exponents from 2^-8 to 2^7 */
    for (int i = 0; i < WORDS; i++) {
        a[i] = (a[i] & 0x87ff87ff) | 0x38003800 | (a[i] & 0x01800180) << 1;
        b[i] = (b[i] & 0x87ff87ff) | 0x38003800 | (b[i] & 0x01800180) << 1;
    }
    for (int i = 0; i < WORDS; i++) out[i] = before[i] = (float)value_of(a[WORDS - 1 - i], 0);
    run("halves", a, b, out);
    for (int i = 0; i < WORDS; i++) {
        double sum = before[i], size = fabs(sum);
        for (int half = 0; half < 2; half++) {
            const double product = value_of(a[i], half) * value_of(b[i], half);
            sum += product;
            size += fabs(product);
        }
        assert_true(fabs(out[i] - sum) <= ldexp(size, -22)); /* two roundings */
    }
    usm_free(a);
    usm_free(b);
    usm_free(out);
}

int main(void) {
    static const struct CMUnitTest tests[] = {TEST(bytes_are_exact), TEST(bf16_is_near)};
    return RUN_TESTS(tests);
}
