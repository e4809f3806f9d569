/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of more than 2^31 elements, executed (cases/long.txt). */
#include <string.h>

#include "case_run.h"
#include "cases.h"
#include "core/util.h"
#include "graph/device.h"
#include "oneapi/dnnl/dnnl.h"
#include "plan/variant_id.h"
#include "plan/variant.h"
#include "skips.h"
#include "test_main.h"

#define OK(call) assert_int_equal(call, dnnl_success)

enum { GUARD = 64, VALUE = 3, GUARD_BYTE = 0x5a };

/* Returns NULL if there is no memory for the destination. */
static uint8_t *execute(const test_case_t *t, size_t *size) {
    problem_t p;
    dnnl_primitive_t primitive;
    dnnl_memory_t src, dst;
    dnnl_stream_t stream;
    uint8_t *from, *to;
    case_create(&p, t);
    OK(p.status);
    const pd_t *pd = case_pd(p.pd);
    const md_t *src_md = pd_md(pd, DNNL_ARG_SRC), *dst_md = pd_md(pd, DNNL_ARG_DST);
    *size = md_size(dst_md, 0);
    if (harness_alloc(*size + GUARD, (void **)&to) != dnnl_success) {
        OK(dnnl_primitive_desc_destroy(p.pd));
        return NULL;
    }
    OK(harness_alloc(GUARD, (void **)&from));
    memset(from, VALUE, GUARD);
    memset(to, GUARD_BYTE, *size + GUARD);
    OK(device_memory_create(&src, src_md, harness_engine, from));
    OK(device_memory_create(&dst, dst_md, harness_engine, to));
    OK(dnnl_primitive_create(&primitive, p.pd));
    OK(dnnl_stream_create(&stream, harness_engine, dnnl_stream_in_order));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    OK(dnnl_primitive_execute(primitive, stream, ARRAY_LEN(args), args));
    OK(dnnl_stream_wait(stream));
    OK(dnnl_stream_destroy(stream));
    OK(dnnl_primitive_destroy(primitive));
    OK(dnnl_primitive_desc_destroy(p.pd));
    OK(dnnl_memory_destroy(src));
    OK(dnnl_memory_destroy(dst));
    harness_free(from);
    for (int i = 0; i < GUARD; i++) assert_int_equal(to[*size + (size_t)i], GUARD_BYTE);
    return to;
}

static void check_sum(const test_case_t *t) {
    size_t size;
    dnnl_dims_t dims;
    const char *end;
    const int n = dims_parse(batch_value(t->line, t->index, NULL, ""), dims, &end);
    float *sums = (float *)execute(t, &size);
    assert_non_null(sums);
    assert_float_equal(sums[0] / (float)dims[n - 1], (float)VALUE, 1e-4);
    harness_free(sums);
}

static void test_sums(void **unused) {
    static const int forced[] = {KERNEL_reduce_portable, -1};
    (void)unused;
    for (int v = 0; v < ARRAY_LEN(forced); v++) {
        harness_hints.forced_variant = forced[v];
        cases_each("long", "sums", "", check_sum);
    }
    harness_hints.forced_variant = -1;
}

static bool no_room;

static void check_copies(const test_case_t *t) {
    size_t size;
    uint8_t *copies = execute(t, &size);
    no_room = !copies;
    if (no_room) return;
    assert_int_equal(copies[0], VALUE);
    assert_memory_equal(copies, copies + 1, size - 1);
    harness_free(copies);
}

static void test_copies(void **unused) {
    (void)unused;
    cases_each("long", "copies", "", check_copies);
    if (!no_room) return;
    skip_count(SKIP_LITTLE_MEMORY, 1);
    skip();
}

TEST_MAIN(cmocka_unit_test(test_sums), cmocka_unit_test(test_copies))
