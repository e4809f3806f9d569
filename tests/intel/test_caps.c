/* SPDX-License-Identifier: Apache-2.0 */
/* The capabilities that the library finds out about each product that the driver can be: from Level
 * Zero, and with ONEDNN_GPU_RUNTIME=ocl from OpenCL. */
#define _GNU_SOURCE /* memmem */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oneapi/dnnl/dnnl.h"
#include "products.h"
#include "ze/engine.h"

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
    /* OpenCL has no option for more registers than 256, and the library asks for no more. */
    if (engine->core->backend && expected.max_registers > 256) expected.max_registers = 256;
    assert_int_equal(
            caps->ip_version >> 14, expected.ip_version >> 14); /* the rest is the revision */
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
    assert_int_equal(caps->max_alloc_size > UINT32_MAX, expected.max_alloc_size > UINT32_MAX);
    assert_int_equal(dnnl_engine_destroy(engine), dnnl_success);
}

/* Of the code for a matmul with so many rows, whether an argument's memory is counted from its
 * beginning. */
static bool has_surfaces(dnnl_engine_t engine, dnnl_dim_t rows) {
    static const char surface[] = "addrmode:        stateful";
    const dnnl_dims_t dims[3] = {{rows, 1024}, {1024, 64}, {rows, 64}};
    dnnl_memory_desc_t md[3];
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    for (int i = 0; i < 3; i++)
        assert_int_equal(dnnl_memory_desc_create_with_tag(&md[i], 2, dims[i], dnnl_f16, dnnl_ab),
                dnnl_success);
    assert_int_equal(
            dnnl_matmul_primitive_desc_create(&pd, engine, md[0], md[1], NULL, md[2], NULL),
            dnnl_success);
    assert_int_equal(dnnl_primitive_create(&primitive, pd), dnnl_success);
    size_t size = 0;
    assert_int_equal(dnnl_primitive_get_cache_blob(primitive, &size, NULL), dnnl_success);
    uint8_t *blob = malloc(size);
    assert_non_null(blob);
    assert_int_equal(dnnl_primitive_get_cache_blob(primitive, &size, blob), dnnl_success);
    const bool has = memmem(blob, size, surface, sizeof surface - 1) != NULL;
    assert_non_null(memmem(
            blob, size, "addrmode:        stateless", sizeof surface)); /* the text is there */
    free(blob);
    assert_int_equal(dnnl_primitive_destroy(primitive), dnnl_success);
    assert_int_equal(dnnl_primitive_desc_destroy(pd), dnnl_success);
    for (int i = 0; i < 3; i++) assert_int_equal(dnnl_memory_desc_destroy(md[i]), dnnl_success);
    return has;
}

/* A surface has 32 bits for positions. */
static void far_buffers(void **unused) {
    (void)unused;
    dnnl_engine_t engine;
    assert_int_equal(dnnl_engine_create(&engine, dnnl_gpu, 0), dnnl_success);
    assert_int_equal(has_surfaces(engine, 128), engine_caps(engine)->max_alloc_size <= UINT32_MAX);
    assert_false(has_surfaces(engine, (dnnl_dim_t)1 << 22));
    assert_int_equal(dnnl_engine_destroy(engine), dnnl_success);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(capabilities), cmocka_unit_test(far_buffers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
