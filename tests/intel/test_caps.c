/* SPDX-License-Identifier: Apache-2.0 */
/* The capabilities that the library finds out about each product that the driver can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/caps.h"
#include "oneapi/dnnl/dnnl.h"
#include "ze/runtime.h"

enum { SG8 = 1 << 8, SG16 = 1 << 16 };
#define SG32 (UINT64_C(1) << 32)
#define IP(architecture, release) ((architecture) << 22 | (release) << 14)

/* By architecture, as Intel documents them. */
static const struct {
    const char *product;
    uint32_t ip_version; /* without the revision */
    bool fp64, blocks;
    uint32_t matrix_subgroup, max_registers;
    uint64_t subgroups;
    uint32_t local_kib;
} expected[] = {
        {"tgllp", IP(12, 0), false, false, 0, 128, SG8 | SG16 | SG32, 64},
        {"dg2", IP(12, 55), false, false, 8, 256, SG8 | SG16 | SG32, 64},
        {"mtl", IP(12, 70), true, false, 0, 256, SG8 | SG16 | SG32, 64},
        {"pvc", IP(12, 60), true, true, 16, 256, SG16 | SG32, 128},
        {"lnl", IP(20, 4), true, true, 16, 256, SG16 | SG32, 128},
        {"bmg", IP(20, 1), true, true, 16, 256, SG16 | SG32, 128},
        {"ptl", IP(30, 0), true, true, 16, 256, SG16 | SG32, 128},
        {"nvls", IP(30, 4), true, true, 16, 256, SG16 | SG32, 128},
        {"cri", IP(35, 11), true, true, 16, 512, SG16 | SG32, 384},
};

static void capabilities(void **unused) {
    (void)unused;
    const char *product = getenv("ProductFamilyOverride");
    size_t i = 0;
    assert_non_null(product);
    while (strcmp(expected[i].product, product)) assert_true(++i < sizeof expected / sizeof *expected);
    dnnl_engine_t engine;
    assert_int_equal(dnnl_engine_create(&engine, dnnl_gpu, 0), dnnl_success);
    const caps_t *caps = engine_caps(engine);
    assert_int_equal(caps->ip_version >> 14, expected[i].ip_version >> 14);
    assert_false(caps->is_cpu);
    assert_true(caps->has_fp16 && caps->has_int64_atomics && caps->has_dp4a);
    assert_int_equal(caps->has_fp64, expected[i].fp64);
    assert_int_equal(caps->has_2d_block_load, expected[i].blocks);
    assert_int_equal(caps->has_2d_block_store, expected[i].blocks);
    assert_int_equal(caps->matrix_subgroup, expected[i].matrix_subgroup);
    assert_int_equal(caps->max_registers, expected[i].max_registers);
    assert_int_equal(caps->subgroup_sizes, expected[i].subgroups);
    assert_int_equal(caps->local_mem_size, expected[i].local_kib * 1024);
    assert_true(caps->threads_per_eu >= 7 && caps->threads_per_eu <= 10);
    assert_int_equal(caps->compute_units % caps->threads_per_eu, 0);
    assert_int_equal(dnnl_engine_destroy(engine), dnnl_success);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(capabilities)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
