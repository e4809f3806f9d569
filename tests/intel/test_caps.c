/* SPDX-License-Identifier: Apache-2.0 */
/* The capabilities that the library finds out about each product that the driver can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oneapi/dnnl/dnnl.h"
#include "products.h"
#include "ze/runtime.h"

static void capabilities(void **unused) {
    (void)unused;
    const char *product = getenv("ProductFamilyOverride");
    int i = 0;
    assert_non_null(product);
    while (strcmp(products[i].name, product)) assert_true(++i < NPRODUCTS);
    caps_t expected = {.is_cpu = true};
    product_caps(&products[i], &expected);
    dnnl_engine_t engine;
    assert_int_equal(dnnl_engine_create(&engine, dnnl_gpu, 0), dnnl_success);
    const caps_t *caps = engine_caps(engine);
    assert_int_equal(caps->ip_version >> 14, expected.ip_version >> 14); /* the rest is the revision */
#define SAME(member) assert_int_equal(caps->member, expected.member)
    SAME(is_cpu);
    SAME(has_fp64);
    SAME(has_fp16);
    SAME(has_int64_atomics);
    SAME(has_dp4a);
    SAME(subgroup_sizes);
    SAME(matrix_subgroup);
    SAME(has_tf32);
    SAME(has_2d_block_load);
    SAME(has_2d_block_store);
    SAME(max_registers);
    SAME(threads_per_eu);
    SAME(max_group_size);
    for (int d = 0; d < 3; d++) SAME(max_group_size_xyz[d]);
    SAME(local_mem_size);
    SAME(compute_units);
    SAME(simd_width);
    assert_int_equal(dnnl_engine_destroy(engine), dnnl_success);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(capabilities)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
