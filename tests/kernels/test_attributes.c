/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for primitives of every kind: a scratchpad of the caller, the destination in a source's
 * buffer, parts of larger tensors, long epilogues, and modes that are hints (cases/attributes.txt).
 */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

#define OK(call) assert_int_equal(call, dnnl_success)

static void compare(case_t *c, const char *name) {
    verdict_t v = {0};
    case_compare(c, &v);
    if (v.wrong) fail_msg("%s: %s", name, v.first);
    assert_true(v.compared > 0);
}

/* The library writes nothing after the end of the caller's scratchpad. */
static void check_scratchpad_end(const case_t *c) {
    const int scratch = pd_find_arg(c->pd, DNNL_ARG_SCRATCHPAD);
    for (size_t i = 0; scratch >= 0 && c->data[scratch] && i < 64; i++)
        assert_int_equal(c->data[scratch][c->size[scratch] + i], 0xa5);
}

static void create(problem_t *p, const test_case_t *t) {
    case_create(p, t);
    if (p->status != dnnl_success) fail_msg("%s: status %d", t->text, (int)p->status);
}

static void run_problem(const problem_t *p, const char *text) {
    case_t c;
    case_init(&c, p->pd);
    c.low = p->low;
    c.high = p->high;
    c.in_place = p->in_place;
    case_fill(&c, NULL);
    OK(case_execute(&c));
    compare(&c, text);
    check_scratchpad_end(&c);
    case_fini(&c);
}

static void run(const test_case_t *t) {
    problem_t p;
    create(&p, t);
    run_problem(&p, t->text);
}

/* Executes with a scratchpad of so many bytes; -1: without one. */
static dnnl_status_t with_scratchpad(dnnl_primitive_desc_t pd, dnnl_dim_t size) {
    enum { MAX = 64 };
    dnnl_exec_arg_t args[MAX];
    dnnl_memory_t memory[MAX];
    int n = 0;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    case_t c;
    dnnl_primitive_desc_t copy;
    OK(dnnl_primitive_desc_clone(&copy, pd));
    case_init(&c, copy);
    OK(dnnl_stream_create(&stream, harness_engine, dnnl_stream_default_flags));
    OK(dnnl_primitive_create(&primitive, pd));
    for (int i = 0; i < c.pd->nargs; i++) {
        md_t md = c.pd->args[i].md;
        if (md_is_zero(&md)) continue;
        if (c.pd->args[i].arg == DNNL_ARG_SCRATCHPAD) {
            if (size < 0) continue;
            md = make_md(dnnl_u8, "a", 1, &size);
        }
        OK(dnnl_memory_create(&memory[n], &md, harness_engine, DNNL_MEMORY_ALLOCATE));
        args[n] = (dnnl_exec_arg_t){c.pd->args[i].arg, memory[n]};
        n++;
    }
    const dnnl_status_t status = dnnl_primitive_execute(primitive, stream, n, args);
    OK(dnnl_stream_wait(stream));
    for (int i = 0; i < n; i++) OK(dnnl_memory_destroy(memory[i]));
    OK(dnnl_primitive_destroy(primitive));
    OK(dnnl_stream_destroy(stream));
    case_fini(&c);
    return status;
}

enum { MAX_KINDS = 32 };
static dnnl_dim_t sizes[MAX_KINDS]; /* of the callers' scratchpads, by line */
static int kinds, scratchpads;

static void run_user_scratchpad(const test_case_t *t) {
    problem_t p;
    create(&p, t);
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(p.pd, dnnl_query_scratchpad_md, 0);
    const dnnl_dim_t size = (dnnl_dim_t)dnnl_memory_desc_get_size(md);
    int64_t consumed;
    OK(dnnl_primitive_desc_query(p.pd, dnnl_query_memory_consumption_s64, 0, &consumed));
    assert_int_equal(consumed, 0);
    if (size > 0) {
        scratchpads++;
        assert_int_equal(with_scratchpad(p.pd, -1), dnnl_invalid_arguments);
        assert_int_equal(with_scratchpad(p.pd, size - 1), dnnl_invalid_arguments);
        assert_int_equal(with_scratchpad(p.pd, size + 1), dnnl_success);
    }
    run_problem(&p, t->text);
    assert_true(kinds < MAX_KINDS);
    sizes[kinds++] = size;
}

/* The library allocates the same size. */
static void check_own_scratchpad(const test_case_t *t) {
    problem_t p;
    int64_t own;
    create(&p, t);
    OK(dnnl_primitive_desc_query(p.pd, dnnl_query_memory_consumption_s64, 0, &own));
    assert_int_equal(own, sizes[kinds++]);
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(p.pd, dnnl_query_scratchpad_md, 0);
    assert_int_equal(dnnl_memory_desc_get_size(md), 0);
    OK(dnnl_primitive_desc_destroy(p.pd));
}

static void test_user_scratchpad(void **unused) {
    (void)unused;
    cases_each("attributes", "kinds", "attr=scratchpad:user", run_user_scratchpad);
    print_message("%d of %d kinds have a scratchpad\n", scratchpads, kinds);
    assert_true(scratchpads >= 2); /* where one kernel does all, two are left */
    kinds = 0;
    cases_each("attributes", "kinds", "", check_own_scratchpad);
}

static void test_in_place(void **unused) {
    (void)unused;
    cases_each("attributes", "in_place", "", run);
}

static void run_part(const test_case_t *t) {
    problem_t p;
    create(&p, t);
    assert_true(dnnl_primitive_desc_query_md(p.pd, dnnl_query_dst_md, 0)->offset0 > 0);
    run_problem(&p, t->text);
}

static void test_parts(void **unused) {
    (void)unused;
    cases_each("attributes", "parts", "", run_part);
}

static void test_post_ops(void **unused) {
    (void)unused;
    cases_each("attributes", "post_ops", "", run);
}

/* Hints change nothing beyond the error that the references allow. */
static void test_hints(void **unused) {
    (void)unused;
    cases_each("attributes", "kinds", "attr=fpmath:any:true;acc-mode:any;deterministic:1", run);
}

/* Reductions of the source that the caller has computed give the same result as the
 * library's own. */
static void run_reductions(const test_case_t *t) {
    enum { M = 7, K = 64, G = 16 };
    problem_t p;
    case_t c;
    create(&p, t);
    case_init(&c, p.pd);
    case_fill(&c, NULL);
    const int from = pd_find_arg(c.pd, DNNL_ARG_SRC),
              to = pd_find_arg(c.pd, DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | DNNL_ARG_SRC);
    assert_int_equal(c.size[from], M * K);
    assert_int_equal(c.size[to], sizeof(int32_t) * M * K / G);
    for (int i = 0; i < M * K / G; i++) {
        int32_t sum = 0;
        for (int k = 0; k < G; k++) sum += (int8_t)c.data[from][i * G + k];
        ((int32_t *)c.data[to])[i] = sum;
    }
    OK(case_execute(&c));
    compare(&c, t->text);
    case_fini(&c);
}

static void test_precomputed_reductions(void **unused) {
    (void)unused;
    cases_each("attributes", "reductions", "", run_reductions);
    cases_check_refusals("attributes", "refused_reductions");
}

static case_t plain, shifted;

static void open_depthwise(const test_case_t *t) {
    problem_t p;
    case_t *c = t->number ? &shifted : &plain;
    create(&p, t);
    case_init(c, p.pd);
    harness_seed(11);
    case_fill(c, NULL);
}

/* The zero point of the destination applies to the result of a depthwise post-op. */
static void test_zero_point_of_depthwise(void **unused) {
    (void)unused;
    cases_each("attributes", "depthwise", "", open_depthwise);
    assert_true(plain.pd && shifted.pd);
    for (int i = 0; i < shifted.pd->nargs; i++) {
        const int other = pd_find_arg(plain.pd, shifted.pd->args[i].arg);
        if (other >= 0 && shifted.pd->args[i].flags & PD_IN)
            memcpy(shifted.data[i], plain.data[other], shifted.size[i]);
    }
    const int dst = pd_find_arg(shifted.pd, DNNL_ARG_DST),
              other = pd_find_arg(plain.pd, DNNL_ARG_DST);
    const int zero = pd_find_arg(shifted.pd, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST);
    assert_true(zero >= 0);
    *(int32_t *)shifted.data[zero] = 7;
    OK(case_execute(&plain));
    OK(case_execute(&shifted));
    dnnl_dims_t pos = {0};
    int distinct = 0;
    do {
        const double x = ref_load(dnnl_f32, plain.data[other], md_offset(&plain.md[other], pos));
        const double got = ref_load(dnnl_s8, shifted.data[dst], md_offset(&shifted.md[dst], pos));
        assert_true(got == ref_round(dnnl_s8, (double)((float)x + 7.0f)));
        distinct += got > -128 && got < 127 && got != 7;
    } while (ref_next(plain.md[other].dims, plain.md[other].ndims, pos));
    assert_true(distinct > 100);
    case_fini(&plain);
    case_fini(&shifted);
}

TEST_MAIN(cmocka_unit_test(test_precomputed_reductions),
        cmocka_unit_test(test_zero_point_of_depthwise), cmocka_unit_test(test_user_scratchpad),
        cmocka_unit_test(test_in_place), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_post_ops), cmocka_unit_test(test_hints))
