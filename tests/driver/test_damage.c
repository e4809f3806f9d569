/* SPDX-License-Identifier: Apache-2.0 */
/* Modules that are cut off, altered or nonsense: refused with a log, or built; never a crash. */
#include "ze_test.h"

static ze_result_t try_spirv(const void *bytes, size_t size) {
    ze_module_handle_t module;
    char log[4000];
    ze_result_t result =
            module_try(ZE_MODULE_FORMAT_IL_SPIRV, bytes, size, NULL, &module, log, sizeof log);
    if (result == ZE_RESULT_SUCCESS) {
        /* Whatever it is now, it can be looked at. */
        const char *names[64];
        uint32_t n = COUNT_OF(names);
        assert_ok(zeModuleGetKernelNames(module, &n, names));
        for (uint32_t i = 0; i < n && i < COUNT_OF(names); i++) {
            ze_kernel_desc_t desc = {
                    .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = names[i]};
            ze_kernel_handle_t kernel = NULL;
            if (zeKernelCreate(module, &desc, &kernel)) continue;
            ze_kernel_properties_t p = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
            assert_ok(zeKernelGetProperties(kernel, &p));
            assert_ok(zeKernelDestroy(kernel));
        }
        assert_ok(zeModuleDestroy(module));
    } else {
        assert_null(module);
        if (!zt.intercept && result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE)
            assert_true(log[0] != 0);
    }
    return result;
}

static void cut_off_modules_fail(void **state) {
    (void)state;
    blob_t spirv = read_spirv("basic");
    for (size_t size = 1; size < spirv.size; size += size < 64 ? 3 : spirv.size / 23) {
        uint8_t *cut = malloc(
                size); /* ends where the input ends: a memory checker sees every byte too far */
        assert_non_null(cut);
        memcpy(cut, spirv.bytes, size);
        assert_int_equal(try_spirv(cut, size), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        free(cut);
    }
    free(spirv.bytes);
}

static void nonsense_fails(void **state) {
    (void)state;
    uint64_t seed = 3;
    uint32_t words[64];
    for (size_t i = 0; i < COUNT_OF(words); i++) words[i] = (uint32_t)random_u64(&seed);
    assert_int_equal(try_spirv(words, sizeof words), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    words[0] = 0x07230203; /* the right magic, and nothing right behind it */
    assert_int_equal(try_spirv(words, sizeof words), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    memset(words + 1, 0, sizeof words - 4);
    assert_int_equal(try_spirv(words, sizeof words), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    memset(words, 0, sizeof words);
    assert_int_equal(try_spirv(words, sizeof words), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_int_equal(try_spirv("kernel void k() {}", 18), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_int_equal(
            try_spirv("\177ELF and so on, text", 20), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
}

static void wrong_headers_fail(void **state) {
    (void)state;
    blob_t spirv = read_spirv("basic");
    const struct {
        int word;
        uint32_t value;
    } wrong[] = {{0, 0x03022307}, {0, 0}, {1, 0x00090000}, {1, 0xffffffff}, {3, 0}, {3, 1},
            {3, 0xffffffff}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        uint32_t kept;
        memcpy(&kept, spirv.bytes + 4 * wrong[i].word, 4);
        memcpy(spirv.bytes + 4 * wrong[i].word, &wrong[i].value, 4);
        assert_int_equal(try_spirv(spirv.bytes, spirv.size), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        memcpy(spirv.bytes + 4 * wrong[i].word, &kept, 4);
    }
    assert_int_equal(try_spirv(spirv.bytes, spirv.size), ZE_RESULT_SUCCESS);
    free(spirv.bytes);
}

/* Single bits and whole words, everywhere. What survives may be right or wrong, but the driver
 * does. */
static void altered_modules_do_not_crash(void **state) {
    (void)state;
    const char *name = getenv("TEST_DAMAGE_MODULE");
    blob_t spirv = read_spirv(name ? name : "geometry");
    uint64_t seed = setting("TEST_DAMAGE_SEED", 20), rounds = setting("TEST_DAMAGE_ROUNDS", 40);
    int built = 0, refused = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        uint8_t *copy = malloc(spirv.size);
        assert_non_null(copy);
        memcpy(copy, spirv.bytes, spirv.size);
        for (uint64_t flips = 1 + i % 3; flips > 0; flips--) {
            size_t bit = random_u64(&seed) % (spirv.size * 8);
            if (i % 2) copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
            else memcpy(copy + bit / 32 * 4, &(uint32_t){(uint32_t)(random_u64(&seed) % 200)}, 4);
        }
        ze_result_t result = try_spirv(copy, spirv.size);
        assert_true(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        built += result == ZE_RESULT_SUCCESS;
        refused += result != ZE_RESULT_SUCCESS;
        free(copy);
    }
    print_message("%d built, %d refused\n", built, refused);
    assert_true(refused > 0);
    free(spirv.bytes);
}

static void damaged_native_binaries_are_refused(void **state) {
    (void)state;
    ze_module_handle_t module = load_module("basic");
    size_t size = 0;
    assert_ok(zeModuleGetNativeBinary(module, &size, NULL));
    uint8_t *native = malloc(size);
    assert_non_null(native);
    assert_ok(zeModuleGetNativeBinary(module, &size, native));
    assert_ok(zeModuleDestroy(module));

    for (size_t cut = 1; cut < size; cut = cut < 64 ? cut + 5 : cut * 2 + 1) {
        uint8_t *copy = malloc(cut);
        assert_non_null(copy);
        memcpy(copy, native, cut);
        assert_result(module_try(ZE_MODULE_FORMAT_NATIVE, copy, cut, NULL, &module, NULL, 0),
                ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
        assert_null(module);
        free(copy);
    }
    uint64_t seed = 9;
    skip_unless(zt.is_cpu, "other drivers may not notice a single bit");
    for (int i = 0; i < 300; i++) {
        size_t bit = i < 100 ? (size_t)i * 5 % (size * 8)
                             : random_u64(&seed) % (size * 8); /* the header, then anywhere */
        native[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_result(module_try(ZE_MODULE_FORMAT_NATIVE, native, size, NULL, &module, NULL, 0),
                ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
        native[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    uint8_t *longer = calloc(size + 16, 1);
    assert_non_null(longer);
    memcpy(longer, native, size);
    assert_refused(module_try(ZE_MODULE_FORMAT_NATIVE, longer, size + 16, NULL, &module, NULL, 0));
    free(longer);
    blob_t spirv = read_spirv("basic"); /* the other format */
    assert_result(
            module_try(ZE_MODULE_FORMAT_NATIVE, spirv.bytes, spirv.size, NULL, &module, NULL, 0),
            ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    assert_result(module_try(ZE_MODULE_FORMAT_IL_SPIRV, native, size, NULL, &module, NULL, 0),
            ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_ok(module_try(ZE_MODULE_FORMAT_NATIVE, native, size, NULL, &module, NULL,
            0)); /* whole, it is still good */
    assert_ok(zeModuleDestroy(module));
    free(spirv.bytes);
    free(native);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(cut_off_modules_fail),
            TEST(nonsense_fails),
            TEST(wrong_headers_fail),
            TEST(altered_modules_do_not_crash),
            TEST(damaged_native_binaries_are_refused),
    };
    return RUN_TESTS(tests);
}
