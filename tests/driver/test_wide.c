/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in functions on vectors of every length agree with the host's double precision, within
 * what OpenCL allows. */
#include "ze_test.h"

#include <float.h>
#include <math.h>

static ze_module_handle_t module;
static ze_command_list_handle_t now;

static int setup(void **state) {
    (void)state;
    module = load_module("wide");
    now = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    return zeModuleDestroy(module) || zeCommandListDestroy(now);
}

static void run(const char *name, unsigned n, void *const *arguments) {
    ze_kernel_handle_t k = get_kernel(module, name);
    for (unsigned i = 0; i < n; i++) set_pointer(k, i, arguments[i]);
    launch(now, k, 1, NULL, 0, NULL);
    assert_ok(zeKernelDestroy(k));
}

static double f_exp(double x, double y, double z) {
    return (void)y, (void)z, exp(x);
}
static double f_exp2(double x, double y, double z) {
    return (void)y, (void)z, exp2(x);
}
static double f_log(double x, double y, double z) {
    return (void)y, (void)z, log(fabs(x));
}
static double f_tanh(double x, double y, double z) {
    return (void)y, (void)z, tanh(x);
}
static double f_sqrt(double x, double y, double z) {
    return (void)y, (void)z, sqrt(fabs(x));
}
static double f_sin(double x, double y, double z) {
    return (void)y, (void)z, sin(x);
}
static double f_erf(double x, double y, double z) {
    return (void)y, (void)z, erf(x);
}
static double f_pow(double x, double y, double z) {
    return (void)z, pow(fabs(x), y);
}
static double f_fma(double x, double y, double z) {
    return fmaf((float)x, (float)y, (float)z);
}
static double f_fmax(double x, double y, double z) {
    return (void)z, fmax(x, y);
}
static double f_clamp(double x, double y, double z) {
    return (void)y, (void)z, fmin(fmax(x, -1), 1.5);
}
static double f_floor(double x, double y, double z) {
    return (void)y, (void)z, floor(x);
}
static double f_rint(double x, double y, double z) {
    return (void)y, (void)z, rint(x);
}
static double f_hypot(double x, double y, double z) {
    return (void)z, hypot(x, y);
}

/* The units in the last place that OpenCL allows single precision. */
static const struct {
    const char *name;
    double (*reference)(double, double, double);
    double ulps;
} functions[] = {
        {"k_exp", f_exp, 3},
        {"k_exp2", f_exp2, 3},
        {"k_log", f_log, 3},
        {"k_tanh", f_tanh, 5},
        {"k_sqrt", f_sqrt, 3},
        {"k_sin", f_sin, 4},
        {"k_erf", f_erf, 16},
        {"k_pow", f_pow, 16},
        {"k_fma", f_fma, 0},
        {"k_fmax", f_fmax, 0},
        {"k_clamp", f_clamp, 0},
        {"k_floor", f_floor, 0},
        {"k_rint", f_rint, 0},
        {"k_hypot", f_hypot, 4},
};

static void check_ulps(double got, double reference, double ulps, const char *what, int at) {
    double ulp = fabs(nextafterf((float)fabs(reference), INFINITY) - fabsf((float)reference));
    if (ulp < FLT_MIN) ulp = FLT_MIN; /* subnormal results may be flushed */
    if (fabs(got - reference) <= ulps * ulp || got == (double)(float)reference) return;
    print_error("%s, element %d: %.9g, expected %.9g\n", what, at, got, reference);
    fail();
}

static void elementwise_functions(void **state) {
    (void)state;
    /* Where element i of the results comes from. */
    static const int source[31] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3,
            4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 7};
    float *x = usm(USM_SHARED, 48 * 4), *out = usm(USM_SHARED, 31 * 4);
    uint64_t seed = 4;
    for (int round = 0; round < 20; round++)
        for (size_t f = 0; f < COUNT_OF(functions); f++) {
            for (int i = 0; i < 48; i++)
                x[i] = (float)((double)(random_u64(&seed) >> 40) / (1 << 24) * 8 - 4);
            memset(out, 0xff, 31 * 4);
            run(functions[f].name, 2, (void *[]){x, out});
            for (int i = 0; i < 31; i++) {
                int at = source[i];
                check_ulps(out[i], functions[f].reference(x[at], x[16 + at], x[32 + at]),
                        functions[f].ulps, functions[f].name, i);
            }
        }
    usm_free(x);
    usm_free(out);
}

static void results_through_pointers(void **state) {
    (void)state;
    float *x = usm(USM_SHARED, 64), *out = usm(USM_SHARED, 80 * 4);
    for (int i = 0; i < 16; i++) x[i] = (float)i * 0.37f - 2.5f;
    memset(out, 0xff, 80 * 4);
    run("two_results", 2, (void *[]){x, out});
    for (int i = 0; i < 16; i++) {
        check_ulps(out[i], sin(x[i]), 4, "sincos, sine", i);
        check_ulps(out[16 + i], cos(x[i]), 4, "sincos, cosine", i);
        check_ulps(out[48 + i], x[i] - floor(x[i]), 1, "fract", i);
        check_ulps(out[64 + i], floor(x[i]), 0, "fract, whole", i);
    }
    for (int i = 0; i < 8; i++) {
        check_ulps(out[32 + i], sin(x[8 + i]), 4, "sincos of 8, sine", i);
        check_ulps(out[40 + i], cos(x[8 + i]), 4, "sincos of 8, cosine", i);
    }
    usm_free(x);
    usm_free(out);
}

static double saturate(double x, double low, double high) {
    return rint(fmin(fmax(x, low), high));
}

static void conversions(void **state) {
    (void)state;
    static const float values[16] = {0, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 127.5f, 128, 254.5f, 255.5f,
            -128.5f, -129, 1e6f, -1e6f, 3e9f, -3e9f};
    float *x = usm(USM_SHARED, 64);
    uint8_t *u8 = usm(USM_SHARED, 32);
    int8_t *s8 = usm(USM_SHARED, 32);
    int16_t *s16 = usm(USM_SHARED, 32);
    int32_t *s32 = usm(USM_SHARED, 128);
    memcpy(x, values, sizeof values);
    run("conversions", 5, (void *[]){x, u8, s8, s16, s32});
    for (int i = 0; i < 16; i++) {
        assert_int_equal(u8[i], saturate(x[i], 0, 255));
        assert_int_equal(s8[i], saturate(x[i], -128, 127));
        assert_int_equal(s16[i], saturate(x[i], -32768, 32767));
        assert_int_equal(s32[i], saturate(x[i], INT32_MIN, INT32_MAX));
        if (i < 14)
            assert_int_equal(s32[16 + i], (int32_t)x[i]); /* beyond the range it is undefined */
        assert_int_equal(s8[16 + i], saturate((double)(x[i] * 1000.0f), -128, 127));
        if (i < 8) assert_int_equal(u8[16 + i], saturate(x[8 + i], 0, 255));
    }
    usm_free(x);
    usm_free(u8);
    usm_free(s8);
    usm_free(s16);
    usm_free(s32);
}

static void halves(void **state) {
    (void)state;
    static const struct {
        float in;
        uint16_t bits;
    } cases[16] = {{0, 0}, {1, 0x3c00}, {-2, 0xc000}, {65504, 0x7bff}, {65520, 0x7c00},
            {INFINITY, 0x7c00}, {-INFINITY, 0xfc00}, {0x1p-14f, 0x0400}, {0x1p-24f, 0x0001},
            {0x1p-25f, 0}, {0x1.8p-24f, 0x0002}, {1 + 0x1p-11f, 0x3c00}, {1 + 0x1.8p-10f, 0x3c02},
            {-0.0f, 0x8000}, {0.1f, 0x2e66}, {1e-8f, 0}};
    float *x = usm(USM_SHARED, 64), *out = usm(USM_SHARED, 64);
    uint16_t *h = usm(USM_SHARED, 32);
    for (int i = 0; i < 16; i++) x[i] = cases[i].in;
    run("halves", 3, (void *[]){x, h, out});
    for (int i = 0; i < 16; i++) {
        assert_int_equal(h[i], cases[i].bits);
        int exponent = h[i] >> 10 & 31, fraction = h[i] & 1023;
        double value = exponent == 31 ? INFINITY
                       : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                      : ldexp(fraction, -24);
        assert_true(out[i] == (h[i] >> 15 ? -value : value));
    }
    usm_free(x);
    usm_free(h);
    usm_free(out);
}

static void integers(void **state) {
    (void)state;
    int32_t *x = usm(USM_SHARED, 128), *out = usm(USM_SHARED, 640);
    uint64_t seed = 8;
    for (int i = 0; i < 32; i++) x[i] = (int32_t)random_u64(&seed);
    x[0] = x[16] = INT32_MAX;
    x[1] = x[17] = INT32_MIN;
    x[2] = 1;
    x[3] = -1;
    run("integers", 2, (void *[]){x, out});
    for (int i = 0; i < 16; i++) {
        int64_t a = x[i], b = x[16 + i];
        uint32_t u = (uint32_t)x[i];
        assert_int_equal(out[i], saturate((double)(a + b), INT32_MIN, INT32_MAX));
        assert_int_equal(out[16 + i], (int32_t)(a * b >> 32));
        assert_int_equal(out[32 + i], __builtin_popcount(u));
        assert_int_equal(out[48 + i], a > b ? a : b);
        assert_int_equal(out[64 + i], saturate((double)(a - b), INT32_MIN, INT32_MAX));
        assert_int_equal(out[80 + i], u ? __builtin_clz(u) : 32);
        assert_int_equal((uint32_t)out[96 + i], u << 5 | u >> 27);
        assert_int_equal(out[112 + i], (a + b) >> 1);
        assert_int_equal((uint32_t)out[128 + i], (uint32_t)(a > b ? a - b : b - a));
        assert_int_equal((uint32_t)out[144 + i], (u & 0xfff) * ((uint32_t)x[16 + i] & 0xfff) + u);
    }
    usm_free(x);
    usm_free(out);
}

static int32_t bits_of(float f) {
    int32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static void relations(void **state) {
    (void)state;
    static const float values[32] = {0, -0.0f, 1, -1, NAN, INFINITY, -INFINITY, FLT_MAX, 2, 3, 4,
            NAN, 6, 7, 8, -9, /* and */
            0, 0, -1, 1, 4, FLT_MAX, NAN, INFINITY, 2, 2, 5, NAN, -6, 8, 8, -8};
    float *x = usm(USM_SHARED, 128);
    int32_t *out = usm(USM_SHARED, 176 * 4);
    memcpy(x, values, sizeof values);
    run("relations", 2, (void *[]){x, out});
    for (int i = 0; i < 16; i++) { /* true is -1 in vectors */
        float a = x[i], b = x[16 + i];
        assert_int_equal(out[i], -!!isnan(a));
        assert_int_equal(out[16 + i], -!!isfinite(a));
        assert_int_equal(out[32 + i], -!!isinf(a));
        assert_int_equal(out[48 + i], -(a > b));
        assert_int_equal(out[64 + i], -(a <= b));
        assert_int_equal(out[80 + i], -!!signbit(a));
        assert_int_equal(out[96 + i], -(isnan(a) || isnan(b)));
        if (!isnan(a)) assert_int_equal(out[112 + i], bits_of(a < b ? b : a));
        if (!isnan(a) && !isnan(b)) {
            assert_int_equal(out[128 + i], (bits_of(b) & INT32_MAX) | (bits_of(a) & INT32_MIN));
            assert_int_equal(out[144 + i], bits_of(copysignf(a, b)));
        }
        if (i < 8) assert_int_equal(out[168 + i], -!!isnan(a));
    }
    assert_int_equal(out[160], 1 + 4);
    usm_free(x);
    usm_free(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(elementwise_functions),
            TEST(results_through_pointers),
            TEST(conversions),
            TEST(halves),
            TEST(integers),
            TEST(relations),
    };
    return RUN_TESTS_WITH(tests, setup, teardown);
}
