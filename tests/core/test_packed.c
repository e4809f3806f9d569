/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded SPIR-V: what the library unpacks is what the kernels' compiler wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "plan/packed.h"
#include "plan/variant.h"

enum { SPIRV_MAGIC = 0x07230203 };

static uint8_t *read_module(const char *id, size_t *size) {
    char path[1024];
    snprintf(path, sizeof path, KERNELS "/%s.spv", id);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*size);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

static void modules_are_unpacked(void **unused) {
    (void)unused;
    for (int i = 0; i < variant_count; i++) {
        size_t size, wanted_size;
        uint32_t *words = variant_spirv_new(i, &size);
        uint8_t *wanted = read_module(variants[i].id, &wanted_size);
        assert_non_null(words);
        assert_int_equal(words[0], SPIRV_MAGIC);
        assert_int_equal(size, wanted_size);
        assert_memory_equal(words, wanted, size);
        free(wanted);
        dz_free(words);
    }
}

static void identifiers_become_distances(void **unused) {
    (void)unused;
    /* five words of header; OpTypeVoid %7, OpFunctionCall %7 %9 = %3 %8, OpReturn */
    const uint32_t words[] = {
            SPIRV_MAGIC, 0, 0, 10, 0, 2u << 16 | 19, 7, 5u << 16 | 57, 7, 9, 3, 8, 1u << 16 | 253};
    const uint32_t packed[] = {
            SPIRV_MAGIC, 0, 0, 10, 0, 2u << 16 | 19, 6, 5u << 16 | 57, 7, 1, 6, 1, 1u << 16 | 253};
    uint32_t copy[sizeof words / sizeof *words];
    const size_t n = sizeof words / sizeof *words;
    memcpy(copy, words, sizeof words);
    packed_spirv_ids(copy, n, true);
    assert_memory_equal(copy, packed, sizeof packed);
    packed_spirv_ids(copy, n, false);
    assert_memory_equal(copy, words, sizeof words);
}

/* An instruction that ends behind the module, or has no length, ends the walk. */
static void damaged_modules_are_left(void **unused) {
    (void)unused;
    uint32_t longer[] = {SPIRV_MAGIC, 0, 0, 10, 0, 9u << 16 | 57, 1, 2};
    uint32_t endless[] = {SPIRV_MAGIC, 0, 0, 10, 0, 57, 1, 2};
    packed_spirv_ids(longer, sizeof longer / sizeof *longer, true);
    packed_spirv_ids(endless, sizeof endless / sizeof *endless, true);
    assert_int_equal(longer[6], 1);
    assert_int_equal(endless[6], 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(modules_are_unpacked),
            cmocka_unit_test(identifiers_become_distances),
            cmocka_unit_test(damaged_modules_are_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
