/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of Intel's compilers that the CPU driver emulates, each against plain C. */
#include "ze_test.h"

#include <math.h>

enum { LANES = 16, STRIDE = 64, PITCH = 176, HEIGHT = 45 };

static ze_module_handle_t module;
static uint8_t *image; /* HEIGHT rows of PITCH bytes, aligned */
static uint32_t *lanes;

static int load_module_once(void **state) {
    (void)state;
    uint64_t seed = 5;
    bool has_sizes = false;
    for (uint32_t i = 0; i < zt.compute.numSubGroupSizes; i++)
        has_sizes |= zt.compute.subGroupSizes[i] == LANES;
    if (!zt.is_cpu || !has_sizes) return 0;
    module = load_module("emulated");
    assert_ok(usm_try(USM_SHARED, PITCH * HEIGHT, 64, (void **)&image));
    lanes = usm(USM_SHARED, LANES * STRIDE * 4);
    for (int i = 0; i < PITCH * HEIGHT; i++) image[i] = (uint8_t)random_u64(&seed);
    return 0;
}

static int unload_module(void **state) {
    (void)state;
    if (module) assert_ok(zeModuleDestroy(module));
    return 0;
}

#define skip_without_module()                                                                      \
    skip_unless(module, "the driver emulates nothing, or has no sub-groups of 16")

/* A sub-group of n lanes. */
static void run_lanes(ze_kernel_handle_t kernel, uint32_t n) {
    assert_ok(zeKernelSetGroupSize(kernel, n, 1, 1));
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_DEFAULT);
    launch(list, kernel, 1, NULL, 0, NULL);
    finish(list);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(kernel));
}

/* The kernel of the name, with pointers to what it reads, and one to what its lanes have. */
static void run_with(const char *name, void *first, void *second, uint32_t n) {
    ze_kernel_handle_t kernel = get_kernel(module, name);
    set_pointer(kernel, 0, first);
    set_pointer(kernel, 1, second);
    set_pointer(kernel, 2, lanes);
    run_lanes(kernel, n);
}

/* ---- rectangles ---- */

typedef struct {
    const char *name;
    int bytes, rows, columns, count; /* of an element; of a rectangle; rectangles */
    enum { PLAIN, TRANSFORM, TRANSPOSE } how;
} shape_t;

typedef struct {
    int width, height, pitch, x, y;
    int shift; /* of the base, bytes */
    bool good;
} place_t;

static const place_t places[] = {
        {160, 40, PITCH, 0, 0, 0, true}, {156, 37, PITCH, 16, 8, 64, true},
        {68, 9, PITCH, 28, 4, 0, true},    /* beyond the right and the lower edge */
        {160, 40, PITCH, -8, -3, 0, true}, /* and the others */
        {160, 40, PITCH, 400, 90, 0, true}, {160, 40, PITCH, 0, 0, 4, false}, /* base */
        {60, 40, PITCH, 0, 0, 0, false},                                      /* width */
        {161, 40, PITCH, 0, 0, 0, false},                                     /* width */
        {160, 40, 168, 0, 0, 0, false},                                       /* pitch */
        {160, 40, 144, 0, 0, 0, false},  /* pitch below the width */
        {160, 0, PITCH, 0, 0, 0, false}, /* height */
};

static uint32_t element(const place_t *p, int bytes, int x, int y) {
    uint32_t value = 0;
    if (x < 0 || y < 0 || (x + 1) * bytes > p->width || y >= p->height) return 0;
    memcpy(&value, image + p->shift + y * p->pitch + x * bytes, (size_t)bytes);
    return value;
}

static uint32_t expected(const shape_t *s, const place_t *p, int lane, int i) {
    const int packed = s->how == TRANSFORM ? 4 / s->bytes : 1, high = s->rows / packed;
    uint32_t value = 0;
    if (!p->good) return s->bytes == 2 && s->how == PLAIN ? 0xffff : 0xffffffff;
    if (s->how == TRANSPOSE) return element(p, s->bytes, p->x + i, p->y + lane);
    if (s->columns == 8) { /* two rows at once */
        const int at = i * LANES + lane;
        return element(p, s->bytes, p->x + at % 8, p->y + at / 8);
    }
    for (int e = 0; e < packed; e++)
        value |= element(p, s->bytes, p->x + i / high * LANES + lane, p->y + i % high * packed + e)
                 << e * 8 * s->bytes;
    return value;
}

static void set_place(ze_kernel_handle_t k, const place_t *p) {
    set_pointer(k, 0, image + p->shift);
    const int values[] = {p->width, p->height, p->pitch, p->x, p->y};
    for (uint32_t i = 0; i < COUNT_OF(values); i++) set_value(k, 1 + i, int, values[i]);
    set_pointer(k, 6, lanes);
}

static void reads(void **state) {
    (void)state;
    static const shape_t shapes[] = {
            {"16b_8r16x1c", 2, 8, 16, 1, PLAIN},
            {"16b_8r16x2c", 2, 8, 16, 2, PLAIN},
            {"16b_16r16x1c", 2, 16, 16, 1, PLAIN},
            {"16b_16r16x2c", 2, 16, 16, 2, PLAIN},
            {"16b_32r16x1c", 2, 32, 16, 1, PLAIN},
            {"16b_32r16x2c", 2, 32, 16, 2, PLAIN},
            {"32b_8r8x1c", 4, 8, 8, 1, PLAIN},
            {"32b_16r8x1c", 4, 16, 8, 1, PLAIN},
            {"32b_32r8x1c", 4, 32, 8, 1, PLAIN},
            {"32b_8r16x1c", 4, 8, 16, 1, PLAIN},
            {"32b_16r16x1c", 4, 16, 16, 1, PLAIN},
            {"32b_32r16x1c", 4, 32, 16, 1, PLAIN},
            {"transform_16b_16r16x1c", 2, 16, 16, 1, TRANSFORM},
            {"transform_16b_16r16x2c", 2, 16, 16, 2, TRANSFORM},
            {"transform_16b_32r16x1c", 2, 32, 16, 1, TRANSFORM},
            {"transform_16b_32r16x2c", 2, 32, 16, 2, TRANSFORM},
            {"transform_8b_32r16x1c", 1, 32, 16, 1, TRANSFORM},
            {"transform_8b_32r16x2c", 1, 32, 16, 2, TRANSFORM},
            {"transform_8b_32r16x4c", 1, 32, 16, 4, TRANSFORM},
            {"transpose_32b_16r4x1c", 4, 16, 4, 1, TRANSPOSE},
            {"transpose_32b_16r8x1c", 4, 16, 8, 1, TRANSPOSE},
    };
    skip_without_module();
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (size_t i = 0; i < COUNT_OF(places); i++) {
            const shape_t *shape = &shapes[s];
            char name[64];
            snprintf(name, sizeof name, "read_%s", shape->name);
            ze_kernel_handle_t k = get_kernel(module, name);
            set_place(k, &places[i]);
            run_lanes(k, LANES);
            const int n = shape->rows * shape->columns * shape->count * shape->bytes /
                          (LANES * (shape->how == TRANSFORM ? 4 : shape->bytes));
            for (int lane = 0; lane < LANES; lane++)
                for (int v = 0; v < n; v++)
                    if (lanes[lane * STRIDE + v] != expected(shape, &places[i], lane, v))
                        fail_msg("%s, place %zu: lane %d has %x as value %d", shape->name, i, lane,
                                lanes[lane * STRIDE + v], v);
        }
}

static void writes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int bytes;
    } shapes[] = {{"write_16b_8r16x1c", 2}, {"write_32b_8r16x1c", 4}, {"write_kept_16b_8r16x1c", 2},
            {"write_kept_32b_8r16x1c", 4}};
    skip_without_module();
    uint8_t *before = malloc(PITCH * HEIGHT);
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (size_t i = 0; i < COUNT_OF(places); i++) {
            const place_t *p = &places[i];
            for (int v = 0; v < LANES * STRIDE; v++) lanes[v] = (uint32_t)(v * 2654435761u);
            memcpy(before, image, PITCH * HEIGHT);
            for (int lane = 0; lane < LANES && p->good; lane++)
                for (int r = 0; r < 8; r++) {
                    const int x = p->x + lane, y = p->y + r;
                    if (x >= 0 && y >= 0 && (x + 1) * shapes[s].bytes <= p->width && y < p->height)
                        memcpy(before + p->shift + y * p->pitch + x * shapes[s].bytes,
                                &lanes[lane * STRIDE + r], (size_t)shapes[s].bytes);
                }
            ze_kernel_handle_t k = get_kernel(module, shapes[s].name);
            set_place(k, p);
            run_lanes(k, LANES);
            if (memcmp(before, image, PITCH * HEIGHT)) fail_msg("%s, place %zu", shapes[s].name, i);
        }
    free(before);
}

/* ---- lines ---- */

static void lines(void **state) {
    (void)state;
    skip_without_module();
    uint32_t *copy = usm(USM_SHARED, 8 * LANES * 4);
    for (uint32_t n = 8; n <= LANES; n += 8) {
        const uint32_t *in = (const uint32_t *)image;
        const uint16_t *in_short = (const uint16_t *)image;
        run_with(n == 8 ? "lines_8" : "lines_16", image, copy, n);
        assert_memory_equal(copy, in, 8 * n * 4);
        for (uint32_t lane = 0; lane < n; lane++) {
            const uint32_t *got = lanes + lane * STRIDE;
            for (uint32_t i = 0; i < 8; i++) {
                assert_int_equal(got[i], in[i * n + lane]);
                assert_int_equal(got[8 + i], in_short[i * n + lane]);
            }
            for (uint32_t i = 0; i < 4; i++)
                assert_int_equal(got[16 + i], in[i * n + (lane + n - 1) % n]);
            assert_int_equal(got[20], in[1 + lane]);
        }
    }
    usm_free(copy);
}

/* ---- shuffles of two values, products ---- */

static void shuffles(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"shuffles_char", 1}, {"shuffles_ushort", 2}, {"shuffles_int", 4},
            {"shuffles_uint", 4}, {"shuffles_long", 8}, {"shuffles_float", 4},
            {"shuffles_double", 8}};
    skip_without_module();
    uint8_t *out = usm(USM_SHARED, 32 * 8);
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (uint32_t delta = 0; delta <= LANES; delta += 1 + delta / 3) {
            const size_t size = types[t].size;
            ze_kernel_handle_t k = get_kernel(module, types[t].name);
            set_pointer(k, 0, image);
            set_pointer(k, 1, out);
            set_value(k, 2, uint32_t, delta);
            run_lanes(k, LANES);
            if (memcmp(out, image + delta * size, LANES * size) ||
                    memcmp(out + LANES * size, image + (LANES - delta) * size, LANES * size))
                fail_msg("%s by %u", types[t].name, delta);
        }
    usm_free(out);
}

/* Replaces the instructions of sums by those of products, and declares these. */
static blob_t products_module(void) {
    enum { EXTENSION = 10, I_ADD = 264, F_ADD = 265, I_MUL = 6401, F_MUL = 6402 };
    static const char name[40] = "SPV_KHR_uniform_group_instructions";
    const uint32_t capability[] = {2 << 16 | 17, 6400};
    blob_t spirv = read_spirv("products");
    uint32_t *from = (uint32_t *)(void *)spirv.bytes, n = (uint32_t)(spirv.size / 4), at = 5;
    uint32_t *to = calloc(n + 13, 4), used = 5;
    assert_non_null(to);
    memcpy(to, from, 5 * 4);
    memcpy(to + used, capability, sizeof capability);
    used += 2;
    for (bool named = false; at < n; at += from[at] >> 16) {
        const uint32_t op = from[at] & 0xffff, words = from[at] >> 16;
        if (!named && op != 17) { /* after the capabilities */
            to[used] = (1 + sizeof name / 4) << 16 | EXTENSION;
            memcpy(to + used + 1, name, sizeof name);
            used += 1 + sizeof name / 4;
            named = true;
        }
        memcpy(to + used, from + at, words * 4);
        if (op == I_ADD || op == F_ADD) to[used] = words << 16 | (op == I_ADD ? I_MUL : F_MUL);
        used += words;
    }
    free(spirv.bytes);
    return (blob_t){(uint8_t *)to, used * 4};
}

static void products(void **state) {
    enum { N = 24 };
    (void)state;
    skip_without_module();
    blob_t spirv = products_module();
    ze_module_handle_t own;
    char log[4000];
    const ze_result_t result = module_try(
            ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, NULL, &own, log, sizeof log);
    if (result) print_error("%s\n", log);
    assert_ok(result);
    free(spirv.bytes);
    float *f = usm(USM_SHARED, N * sizeof *f), of_floats = 1;
    int64_t *l = usm(USM_SHARED, N * sizeof *l), of_longs = 1;
    for (int i = 0; i < N; i++) {
        f[i] = i % 3 ? 2 : -0.5f;
        l[i] = i % 5 ? 3 : -2;
    }
    ze_kernel_handle_t k = get_kernel(own, "products");
    set_pointer(k, 0, f);
    set_pointer(k, 1, l);
    assert_ok(zeKernelSetGroupSize(k, N / 2, 2, 1));
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_DEFAULT);
    launch(list, k, 1, NULL, 0, NULL);
    finish(list);
    for (int i = 0; i < N; i++) {
        of_floats *= i % 3 ? 2 : -0.5f;
        of_longs *= i % 5 ? 3 : -2;
        assert_true(f[i] == of_floats);
        assert_int_equal(l[i], of_longs);
    }
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(k));
    assert_ok(zeModuleDestroy(own));
    usm_free(f);
    usm_free(l);
}

/* ---- matrices ---- */

static double value_of(char kind, int bits, const void *from, int i) {
    uint16_t u;
    if (bits == 8) return kind == 'i' ? ((const int8_t *)from)[i] : ((const uint8_t *)from)[i];
    memcpy(&u, (const uint16_t *)from + i, 2);
    if (kind == 'b') {
        const uint32_t wide = (uint32_t)u << 16;
        float f;
        memcpy(&f, &wide, 4);
        return f;
    }
    const int exponent = u >> 10 & 31, mantissa = u & 1023;
    const double size = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return u >> 15 ? -size : size;
}

static void matrices(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int bits, k;
        char a, b;
    } kinds[] = {
            {"f16_f16_matrix_mad_k16", 16, 16, 'f', 'f'},
            {"bf16_bf16_matrix_mad_k16", 16, 16, 'b', 'b'},
            {"i8_i8_matrix_mad_k32", 8, 32, 'i', 'i'},
            {"i8_u8_matrix_mad_k32", 8, 32, 'i', 'u'},
            {"u8_i8_matrix_mad_k32", 8, 32, 'u', 'i'},
            {"u8_u8_matrix_mad_k32", 8, 32, 'u', 'u'},
    };
    skip_without_module();
    uint8_t *a = usm(USM_SHARED, 256), *b = usm(USM_SHARED, 512);
    uint64_t seed = 11;
    for (size_t m = 0; m < COUNT_OF(kinds); m++)
        for (uint32_t n = 8; n <= LANES; n += 8) {
            const int K = kinds[m].k, bits = kinds[m].bits;
            double want[8][LANES];
            uint8_t rows[8][32], columns[LANES][32]; /* along k */
            for (int r = 0; r < 8; r++)
                for (int i = 0; i < 32; i++) rows[r][i] = (uint8_t)random_u64(&seed);
            for (uint32_t c = 0; c < n; c++)
                for (int i = 0; i < 32; i++) columns[c][i] = (uint8_t)random_u64(&seed);
            for (int i = 1; i < 32 && bits == 16; i += 2) { /* numbers of about 1 */
                const uint8_t high = kinds[m].a == 'f' ? 0x38 : 0x3f;
                for (int r = 0; r < 8; r++) rows[r][i] = high | (rows[r][i] & 0x80);
                for (uint32_t c = 0; c < n; c++) columns[c][i] = high | (columns[c][i] & 0x80);
            }
            /* A lane has 256 / n bits of each row of a, and all of its column of b. */
            const size_t piece = 32 / n;
            for (uint32_t lane = 0; lane < n; lane++) {
                for (int r = 0; r < 8; r++)
                    memcpy(a + lane * 8 * piece + (size_t)r * piece, rows[r] + lane * piece, piece);
                memcpy(b + lane * 32, columns[lane], 32);
                for (int r = 0; r < 8; r++) {
                    const int start = r * 100 - (int)lane;
                    const float as_float = (float)start;
                    want[r][lane] = start;
                    for (int k = 0; k < K; k++)
                        want[r][lane] += value_of(kinds[m].a, bits, rows[r], k) *
                                         value_of(kinds[m].b, bits, columns[lane], k);
                    if (bits == 8) lanes[lane * STRIDE + (uint32_t)r] = (uint32_t)start;
                    else memcpy(&lanes[lane * STRIDE + (uint32_t)r], &as_float, 4);
                }
            }
            char name[64];
            snprintf(name, sizeof name, "%s_%u", kinds[m].name, n);
            run_with(name, a, b, n);
            for (uint32_t lane = 0; lane < n; lane++)
                for (int r = 0; r < 8; r++) {
                    const uint32_t word = lanes[lane * STRIDE + (uint32_t)r];
                    float f;
                    memcpy(&f, &word, 4);
                    const double got = bits == 8 ? (double)(int32_t)word : f;
                    if (fabs(got - want[r][lane]) > (bits == 8 ? 0 : 1e-3))
                        fail_msg("%s: row %d, lane %u: %g, not %g", name, r, lane, got,
                                want[r][lane]);
                }
        }
    usm_free(a);
    usm_free(b);
}

/* The lowest 13 bits of the factors do not count. */
static void matrices_of_tf32(void **state) {
    (void)state;
    skip_without_module();
    float *a = usm(USM_SHARED, 256), *b = usm(USM_SHARED, 512), cut_a[8][8], cut_b[LANES][8];
    uint64_t seed = 12;
    for (int i = 0; i < 64 + 128; i++) {
        const uint32_t word = 0x3f800000u | ((uint32_t)random_u64(&seed) & 0x807fffffu),
                       cut = word & ~0x1fffu;
        /* a lies row after row in the values of all lanes, b column after column in a lane's */
        memcpy(i < 64 ? &a[i % LANES * 4 + i / LANES] : &b[i - 64], &word, 4);
        memcpy(i < 64 ? &cut_a[i / 8][i % 8] : &cut_b[(i - 64) / 8][i % 8], &cut, 4);
    }
    for (int lane = 0; lane < LANES; lane++)
        for (int r = 0; r < 8; r++) {
            const float start = (float)(r - lane);
            memcpy(&lanes[lane * STRIDE + r], &start, 4);
        }
    run_with("tf32_tf32_matrix_mad_k8_16", a, b, LANES);
    for (int lane = 0; lane < LANES; lane++)
        for (int r = 0; r < 8; r++) {
            double want = r - lane;
            float got;
            for (int i = 0; i < 8; i++) want += (double)cut_a[r][i] * cut_b[lane][i];
            memcpy(&got, &lanes[lane * STRIDE + r], 4);
            if (fabs(got - want) > 1e-4)
                fail_msg("row %d, lane %d: %g, not %g", r, lane, got, want);
        }
    usm_free(a);
    usm_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(reads), TEST(writes), TEST(lines), TEST(shuffles),
            TEST(products), TEST(matrices), TEST(matrices_of_tf32)};
    return RUN_TESTS_WITH(tests, load_module_once, unload_module);
}
