/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, regions and fills, between all kinds of memory. */
#include "ze_test.h"

static ze_command_list_handle_t now; /* a synchronous list */

static int setup(void **state) {
    (void)state;
    now = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    return zeCommandListDestroy(now) ? -1 : 0;
}

static void fill_random(void *to, size_t size, uint64_t seed) {
    uint8_t *bytes = to;
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)random_u64(&seed);
}

static void copies_between_all_kinds(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 3, 64, 4097, 300001};
    enum { ANY = USM_KINDS + 1 }; /* and memory that is not USM at all */
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (int from = 0; from < ANY; from++)
            for (int to = 0; to < ANY; to++) {
                size_t size = sizes[s];
                uint8_t *in = malloc(size), *out = malloc(size);
                assert_true(in && out);
                fill_random(in, size, size * 31 + (unsigned)from);
                memset(out, 0, size);
                uint8_t *a = from < USM_KINDS ? usm(from, size) : in,
                        *b = to < USM_KINDS ? usm(to, size) : out;
                if (a != in)
                    assert_ok(zeCommandListAppendMemoryCopy(now, a, in, size, NULL, 0, NULL));
                assert_ok(zeCommandListAppendMemoryCopy(now, b, a, size, NULL, 0, NULL));
                if (b != out)
                    assert_ok(zeCommandListAppendMemoryCopy(now, out, b, size, NULL, 0, NULL));
                assert_memory_equal(in, out, size);
                if (a != in) usm_free(a);
                if (b != out) usm_free(b);
                free(in);
                free(out);
            }
}

static void copies_at_odd_places(void **state) {
    (void)state;
    enum { N = 512 };
    uint8_t *a = usm(USM_SHARED, N), *b = usm(USM_SHARED, N), expected[N];
    uint64_t seed = 7;
    for (int i = 0; i < 200; i++) {
        size_t from = random_u64(&seed) % N, to = random_u64(&seed) % N;
        size_t room = N - (from > to ? from : to), size = room ? 1 + random_u64(&seed) % room : 1;
        fill_random(a, N, (uint64_t)i);
        memset(b, i, N);
        memcpy(expected, b, N);
        memcpy(expected + to, a + from, size);
        assert_ok(zeCommandListAppendMemoryCopy(now, b + to, a + from, size, NULL, 0, NULL));
        assert_memory_equal(b, expected, N);
    }
    usm_free(a);
    usm_free(b);
}

static void copies_from_another_context(void **state) {
    (void)state;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_context_handle_t other = NULL;
    void *from = NULL, *to = usm(USM_SHARED, 1000);
    assert_ok(zeContextCreate(zt.driver, &desc, &other));
    assert_ok(zeMemAllocHost(other, &host, 1000, 0, &from));
    fill_random(from, 1000, 12);
    memset(to, 0, 1000);
    ze_result_t result =
            zeCommandListAppendMemoryCopyFromContext(now, to, other, from, 1000, NULL, 0, NULL);
    if (result == ZE_RESULT_SUCCESS) assert_memory_equal(to, from, 1000);
    else assert_int_equal(result, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_ok(zeMemFree(other, from));
    assert_ok(zeContextDestroy(other));
    usm_free(to);
}

static void a_large_copy(void **state) {
    (void)state;
    size_t size = (size_t)48 << 20;
    uint64_t *a = usm(USM_SHARED, size), *b = usm(USM_SHARED, size);
    for (size_t i = 0; i < size / 8; i++) a[i] = i * 0x9e3779b97f4a7c15u;
    assert_ok(zeCommandListAppendMemoryCopy(now, b, a, size, NULL, 0, NULL));
    assert_int_equal(memcmp(a, b, size), 0);
    usm_free(a);
    usm_free(b);
}

static void copies_of_nothing(void **state) {
    (void)state;
    uint8_t *a = usm(USM_SHARED, 16), *b = usm(USM_SHARED, 16);
    memset(a, 1, 16);
    memset(b, 2, 16);
    ze_event_pool_handle_t pool = event_pool(1, 0);
    ze_event_handle_t done = event(pool, 0);
    ze_result_t result = zeCommandListAppendMemoryCopy(now, b, a, 0, done, 0, NULL);
    if (result == ZE_RESULT_SUCCESS) await(done);
    assert_int_equal(b[0], 2);
    assert_ok(zeEventDestroy(done));
    assert_ok(zeEventPoolDestroy(pool));
    usm_free(a);
    usm_free(b);
}

typedef struct {
    uint32_t pitch, slice; /* in bytes; 0: tight */
    uint32_t x, y, z;
} place_t;

/* What the specification says of a region copy, byte by byte. */
static void reference_region(uint8_t *to, place_t t, const uint8_t *from, place_t f, uint32_t w,
        uint32_t h, uint32_t d) {
    for (uint32_t z = 0; z < (d ? d : 1); z++)
        for (uint32_t y = 0; y < h; y++)
            for (uint32_t x = 0; x < w; x++)
                to[(size_t)(z + t.z) * t.slice + (size_t)(y + t.y) * t.pitch + x + t.x] =
                        from[(size_t)(z + f.z) * f.slice + (size_t)(y + f.y) * f.pitch + x + f.x];
}

static void regions(void **state) {
    (void)state;
    enum { N = 40000 };
    uint8_t *a = usm(USM_SHARED, N), *b = usm(USM_SHARED, N), *expected = malloc(N);
    assert_non_null(expected);
    static const struct {
        uint32_t w, h, d;
        place_t from, to;
    } cases[] = {
            {1, 1, 1, {1, 1, 0, 0, 0}, {1, 1, 0, 0, 0}},
            {17, 5, 0, {40, 0, 3, 2, 0}, {33, 0, 1, 7, 0}},
            {17, 5, 1, {40, 400, 3, 2, 0}, {33, 660, 1, 7, 0}},
            {64, 8, 4, {64, 512, 0, 0, 0}, {64, 512, 0, 0, 0}},
            {13, 7, 6, {32, 32 * 20, 5, 9, 3}, {21, 21 * 30, 8, 1, 2}},
            {100, 1, 10, {100, 300, 0, 2, 1}, {1000, 3000, 900, 2, 0}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        place_t f = cases[i].from, t = cases[i].to;
        uint32_t w = cases[i].w, h = cases[i].h, d = cases[i].d;
        fill_random(a, N, i);
        memset(b, 0x11, N);
        memset(expected, 0x11, N);
        reference_region(expected, t, a, f, w, h, d);
        ze_copy_region_t from = {f.x, f.y, f.z, w, h, d}, to = {t.x, t.y, t.z, w, h, d};
        assert_ok(zeCommandListAppendMemoryCopyRegion(
                now, b, &to, t.pitch, t.slice, a, &from, f.pitch, f.slice, NULL, 0, NULL));
        assert_memory_equal(b, expected, N);
    }
    free(expected);
    usm_free(a);
    usm_free(b);
}

static void fills_with_each_pattern_size(void **state) {
    (void)state;
    enum { N = 8192, EDGE = 64 };
    uint8_t *memory = usm(USM_SHARED, N + 2 * EDGE), pattern[128];
    fill_random(pattern, sizeof pattern, 5);
    for (size_t pattern_size = 1; pattern_size <= 128; pattern_size += pattern_size < 17 ? 1 : 37) {
        bool promised = pattern_size <= zt.group.maxMemoryFillPatternSize &&
                        (pattern_size & (pattern_size - 1)) == 0;
        for (size_t count = 1; count * pattern_size <= N; count = count * 5 + 2) {
            size_t size = count * pattern_size;
            memset(memory, 0xa5, N + 2 * EDGE);
            ze_result_t result = zeCommandListAppendMemoryFill(
                    now, memory + EDGE, pattern, pattern_size, size, NULL, 0, NULL);
            if (!promised && !zt.is_cpu && result != ZE_RESULT_SUCCESS)
                break; /* more than is asked for */
            if (!promised && result == ZE_RESULT_ERROR_INVALID_SIZE) break;
            assert_int_equal(result, ZE_RESULT_SUCCESS);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(memory[EDGE + i], pattern[i % pattern_size]);
            for (size_t i = 0; i < EDGE; i++)
                assert_true(memory[i] == 0xa5 && memory[EDGE + size + i] == 0xa5);
        }
    }
    usm_free(memory);
}

static void fills_at_odd_places(void **state) {
    (void)state;
    uint8_t *memory = usm(USM_SHARED, 300);
    const uint8_t one = 0x3c;
    for (size_t at = 0; at < 17; at++)
        for (size_t size = 1; size < 200; size += 13) {
            memset(memory, 0, 300);
            assert_ok(
                    zeCommandListAppendMemoryFill(now, memory + at, &one, 1, size, NULL, 0, NULL));
            for (size_t i = 0; i < 300; i++)
                assert_int_equal(memory[i], i >= at && i < at + size ? one : 0);
        }
    usm_free(memory);
}

static void fills_of_device_memory(void **state) {
    (void)state;
    enum { N = 100000 };
    uint32_t *device = usm(USM_DEVICE, N * 4), *host = malloc(N * 4);
    assert_non_null(host);
    const uint32_t pattern = 0xdeadbeef;
    assert_ok(zeCommandListAppendMemoryFill(now, device, &pattern, 4, N * 4, NULL, 0, NULL));
    assert_ok(zeCommandListAppendMemoryCopy(now, host, device, N * 4, NULL, 0, NULL));
    for (int i = 0; i < N; i++) assert_int_equal(host[i], pattern);
    free(host);
    usm_free(device);
}

static void hints_do_no_harm(void **state) {
    (void)state;
    uint8_t *p = usm(USM_SHARED, 4096);
    memset(p, 9, 4096);
    assert_ok(zeCommandListAppendMemoryPrefetch(now, p, 4096));
    assert_ok(zeCommandListAppendMemAdvise(
            now, zt.device, p, 4096, ZE_MEMORY_ADVICE_SET_READ_MOSTLY));
    assert_ok(zeCommandListAppendMemAdvise(
            now, zt.device, p, 4096, ZE_MEMORY_ADVICE_CLEAR_READ_MOSTLY));
    const size_t size = 4096;
    const void *range = p;
    assert_ok(zeCommandListAppendMemoryRangesBarrier(now, 1, &size, &range, NULL, 0, NULL));
    for (int i = 0; i < 4096; i++) assert_int_equal(p[i], 9);
    usm_free(p);
}

/* The pattern, the regions and the wait list are read at the call, not when the command runs. */
static void descriptions_are_captured(void **state) {
    (void)state;
    uint8_t *a = usm(USM_SHARED, 256), *b = usm(USM_SHARED, 256);
    for (int i = 0; i < 256; i++) a[i] = (uint8_t)i;
    memset(b, 0, 256);
    ze_event_pool_handle_t pool = event_pool(3, 0);
    ze_event_handle_t go = event(pool, 0), filled = event(pool, 1), copied = event(pool, 2),
                      waits[2] = {go, NULL};
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    uint32_t pattern = 0x04030201;
    assert_ok(zeCommandListAppendMemoryFill(list, b, &pattern, 4, 64, filled, 1, waits));
    ze_copy_region_t to = {0, 0, 0, 16, 4, 1}, from = to;
    waits[0] = filled;
    assert_ok(zeCommandListAppendMemoryCopyRegion(
            list, b + 128, &to, 16, 64, a, &from, 16, 64, copied, 1, waits));
    pattern = 0;
    memset(&to, 0, sizeof to);
    memset(&from, 0, sizeof from);
    memset(waits, 0, sizeof waits);
    assert_event(copied, false);
    assert_ok(zeEventHostSignal(go));
    await(copied);
    for (int i = 0; i < 64; i++) assert_int_equal(b[i], i % 4 + 1);
    for (int i = 0; i < 64; i++) assert_int_equal(b[128 + i], i);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventDestroy(go));
    assert_ok(zeEventDestroy(filled));
    assert_ok(zeEventDestroy(copied));
    assert_ok(zeEventPoolDestroy(pool));
    usm_free(a);
    usm_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(copies_between_all_kinds),
            TEST(copies_at_odd_places),
            TEST(copies_from_another_context),
            TEST(a_large_copy),
            TEST(copies_of_nothing),
            TEST(regions),
            TEST(fills_with_each_pattern_size),
            TEST(fills_at_odd_places),
            TEST(fills_of_device_memory),
            TEST(hints_do_no_harm),
            TEST(descriptions_are_captured),
    };
    return RUN_TESTS_WITH(tests, setup, teardown);
}
