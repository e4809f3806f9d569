/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU driver's dot products agree with the definition of dots.h. */
#include "ze_test.h"

#include <math.h>

enum { BYTES = 1 << 28, BF16 = 1 << 29, TILES = 1 << 30 };
enum { VECTORS = 64, WORDS = 16 * VECTORS };
enum { PITCH = 20 }; /* words from row to row of a tile's left factor */

static uint32_t flags_of_device(void) {
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    assert_ok(zeDeviceGetModuleProperties(zt.device, &module));
    return module.flags;
}

/* The device has those that ZE_CPU_DOTS names. */
static void chosen_dots_are_there(void **state) {
    (void)state;
    const char *chosen = getenv("ZE_CPU_DOTS");
    skip_unless(zt.is_cpu && chosen && is_pocl("3.1"), "needs ZE_CPU_DOTS, and PoCL 3.1");
    const uint32_t vectors = strcmp(chosen, "none") ? BYTES | BF16 : 0;
    const uint32_t tiles = strcmp(chosen, "tiles") ? 0 : TILES;
    assert_int_equal(flags_of_device() & (BYTES | BF16 | TILES), vectors | tiles);
}

static void fill(uint32_t *words, uint64_t *seed) {
    for (int i = 0; i < WORDS; i++) words[i] = (uint32_t)random_u64(seed);
}

/* Runs a kernel three times: first on PoCL's threads, then where the driver chooses. The sums must
 * be the same. shape: rows and words of tiles, or NULL. */
static void run(const char *name, void *a, void *b, void *out, const uint32_t *shape) {
    ze_module_handle_t module = load_module("dots");
    ze_kernel_handle_t kernel = get_kernel(module, name);
    ze_command_list_handle_t now = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    void *const arguments[] = {a, b, out};
    for (uint32_t i = 0; i < 3; i++) set_pointer(kernel, i, arguments[i]);
    for (uint32_t i = 0; shape && i < 2; i++)
        assert_ok(zeKernelSetArgumentValue(kernel, 3 + i, sizeof shape[i], &shape[i]));
    uint32_t before[WORDS], first[WORDS];
    memcpy(before, out, sizeof before);
    for (int i = 0; i < 3; i++) {
        memcpy(out, before, sizeof before);
        launch(now, kernel, shape ? 1 : VECTORS, NULL, 0, NULL);
        if (i == 0) memcpy(first, out, sizeof first);
        else assert_memory_equal(out, first, sizeof first);
    }
    assert_ok(zeCommandListDestroy(now));
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeModuleDestroy(module));
}

static int32_t dot_of_bytes(uint32_t a, uint32_t b) {
    int32_t sum = 0;
    for (int k = 0; k < 4; k++) sum += (int32_t)(uint8_t)(a >> 8 * k) * (int8_t)(b >> 8 * k);
    return sum;
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
    run("bytes", a, b, out, NULL);
    for (int i = 0; i < WORDS; i++)
        assert_int_equal(out[i], before[i] + (uint32_t)dot_of_bytes(a[i], b[i]));
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

/* Sets the exponents of all elements to some from 2^-8 to 2^7. */
static void bound_exponents(uint32_t *words) {
    for (int i = 0; i < WORDS; i++)
        words[i] = (words[i] & 0x87ff87ff) | 0x38003800 | (words[i] & 0x01800180) << 1;
}

/* Adds the products of two words, and their magnitudes. */
static void add_halves(uint32_t a, uint32_t b, double *sum, double *size) {
    for (int half = 0; half < 2; half++) {
        const double product = value_of(a, half) * value_of(b, half);
        *sum += product;
        *size += fabs(product);
    }
}

/* Writes factors, and sums to add to. */
static void fill_halves(uint32_t *a, uint32_t *b, float *out, float *before, uint64_t *seed) {
    fill(a, seed);
    fill(b, seed);
    bound_exponents(a);
    bound_exponents(b);
    for (int i = 0; i < WORDS; i++) out[i] = before[i] = (float)value_of(a[WORDS - 1 - i], 0);
}

static void bf16_is_near(void **state) {
    (void)state;
    skip_unless(flags_of_device() & BF16, "the device has no dot products of bf16");
    uint32_t *a = usm(USM_SHARED, 4 * WORDS), *b = usm(USM_SHARED, 4 * WORDS);
    float *out = usm(USM_SHARED, 4 * WORDS), before[WORDS];
    uint64_t seed = 12;
    fill_halves(a, b, out, before, &seed);
    run("halves", a, b, out, NULL);
    for (int i = 0; i < WORDS; i++) {
        double sum = before[i], size = fabs(sum);
        add_halves(a[i], b[i], &sum, &size);
        assert_true(fabs(out[i] - sum) <= ldexp(size, -22)); /* two roundings */
    }
    usm_free(a);
    usm_free(b);
    usm_free(out);
}

static const uint32_t shapes[][2] = {{16, 16}, {1, 1}, {7, 16}, {14, 3}};

static void tiles_of_bytes_are_exact(void **state) {
    (void)state;
    skip_unless(flags_of_device() & TILES, "the device has no tile registers");
    uint32_t *a = usm(USM_SHARED, 4 * WORDS), *b = usm(USM_SHARED, 4 * WORDS),
             *out = usm(USM_SHARED, 4 * WORDS), before[WORDS];
    uint64_t seed = 13;
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        const uint32_t rows = shapes[s][0], words = shapes[s][1];
        fill(a, &seed);
        fill(b, &seed);
        fill(out, &seed);
        memcpy(before, out, sizeof before);
        run("tiles_of_bytes", a, b, out, shapes[s]);
        for (uint32_t i = 0; i < WORDS; i++) {
            uint32_t sum = before[i];
            for (uint32_t k = 0; i / 16 < rows && k < words; k++)
                sum += (uint32_t)dot_of_bytes(a[i / 16 * PITCH + k], b[k * 16 + i % 16]);
            assert_int_equal(out[i], sum);
        }
    }
    usm_free(a);
    usm_free(b);
    usm_free(out);
}

static void tiles_of_bf16_are_near(void **state) {
    (void)state;
    skip_unless(flags_of_device() & TILES, "the device has no tile registers");
    uint32_t *a = usm(USM_SHARED, 4 * WORDS), *b = usm(USM_SHARED, 4 * WORDS);
    float *out = usm(USM_SHARED, 4 * WORDS), before[WORDS];
    uint64_t seed = 14;
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        const uint32_t rows = shapes[s][0], words = shapes[s][1];
        fill_halves(a, b, out, before, &seed);
        run("tiles_of_halves", a, b, out, shapes[s]);
        for (uint32_t i = 0; i < WORDS; i++) {
            double sum = before[i], size = fabs(sum);
            for (uint32_t k = 0; i / 16 < rows && k < words; k++)
                add_halves(a[i / 16 * PITCH + k], b[k * 16 + i % 16], &sum, &size);
            /* A rounding of each of up to 33 sums, by 2^-24 at most */
            assert_true(fabs(out[i] - sum) <= 33 * ldexp(size, -24));
        }
    }
    usm_free(a);
    usm_free(b);
    usm_free(out);
}

int main(void) {
    static const struct CMUnitTest tests[] = {TEST(chosen_dots_are_there), TEST(bytes_are_exact),
            TEST(bf16_is_near), TEST(tiles_of_bytes_are_exact), TEST(tiles_of_bf16_are_near)};
    return RUN_TESTS(tests);
}
