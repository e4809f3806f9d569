/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of more than 2^31 elements, executed. */
#include <string.h>

#include "case_run.h"
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "plan/variant_id.h"
#include "plan/variant.h"
#include "strided.h"
#include "test_main.h"
#include "ze/usm.h"

#define OK(call) assert_int_equal(call, dnnl_success)
#define LONG (G(31) + 5)

enum { GUARD = 64, VALUE = 3, GUARD_BYTE = 0x5a };

/* All positions of the source share one element. Returns NULL if there is no memory for
 * the destination. */
static uint8_t *execute(strided_fn create, const strided_t *tensors, size_t *size) {
    dnnl_primitive_desc_t handle;
    dnnl_primitive_t primitive;
    dnnl_memory_t src, dst;
    dnnl_stream_t stream;
    uint8_t *from, *to;
    OK(strided_create(&handle, create, tensors, NULL));
    const pd_t *pd = case_pd(handle);
    const md_t *src_md = pd_md(pd, DNNL_ARG_SRC), *dst_md = pd_md(pd, DNNL_ARG_DST);
    *size = md_size(dst_md, 0);
    if (usm_alloc_host(harness_engine->core, *size + GUARD, (void **)&to) != dnnl_success) {
        OK(dnnl_primitive_desc_destroy(handle));
        return NULL;
    }
    OK(usm_alloc_host(harness_engine->core, GUARD, (void **)&from));
    memset(from, VALUE, GUARD);
    memset(to, GUARD_BYTE, *size + GUARD);
    OK(dnnl_memory_create(&src, src_md, harness_engine, from));
    OK(dnnl_memory_create(&dst, dst_md, harness_engine, to));
    OK(dnnl_primitive_create(&primitive, handle));
    OK(dnnl_stream_create(&stream, harness_engine, dnnl_stream_in_order));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    OK(dnnl_primitive_execute(primitive, stream, ARRAY_LEN(args), args));
    OK(dnnl_stream_wait(stream));
    OK(dnnl_stream_destroy(stream));
    OK(dnnl_primitive_destroy(primitive));
    OK(dnnl_primitive_desc_destroy(handle));
    OK(dnnl_memory_destroy(src));
    OK(dnnl_memory_destroy(dst));
    usm_free(harness_engine->core, from);
    for (int i = 0; i < GUARD; i++) assert_int_equal(to[*size + (size_t)i], GUARD_BYTE);
    return to;
}

static void test_sums(void **unused) {
    static const int rows[] = {KERNEL_reduce_portable, -1};
    const strided_t tensors[STRIDED_TENSORS] = {S8({1, LONG}, {1, 0}), F32({1, 1}, DENSE)};
    (void)unused;
    for (int r = 0; r < ARRAY_LEN(rows); r++) {
        size_t size;
        harness_hints.forced_variant = rows[r];
        float *sums = (float *)execute(strided_sum, tensors, &size);
        assert_non_null(sums);
        assert_float_equal(sums[0] / (float)LONG, (float)VALUE, 1e-4);
        usm_free(harness_engine->core, sums);
    }
    harness_hints.forced_variant = -1;
}

static void test_copies(void **unused) {
    const strided_t tensors[STRIDED_TENSORS] = {S8({1, LONG}, {1, 0}), S8({1, LONG}, DENSE)};
    size_t size;
    (void)unused;
    uint8_t *copies = execute(strided_reorder, tensors, &size);
    if (!copies) {
        print_message("the device has no 2 GiB: no copies\n");
        skip();
    }
    assert_int_equal(copies[0], VALUE);
    assert_memory_equal(copies, copies + 1, size - 1);
    usm_free(harness_engine->core, copies);
}

TEST_MAIN(cmocka_unit_test(test_sums), cmocka_unit_test(test_copies))
