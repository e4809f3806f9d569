/* SPDX-License-Identifier: Apache-2.0 */
/* Every matmul variant (cases/matmul.txt): shapes, layouts, types, attributes, run-time dims,
 * and reads beyond the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/util.h"
#include "dry.h"
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "plan/variant_id.h"
#include "skips.h"
#include "test_main.h"
#include "ze/engine.h"
#include "ze/executable.h"

#define OK(call) assert_int_equal(call, dnnl_success)

/* Variants with sub-groups are emulated, and compiling takes seconds per case. So each variant runs
 * a third of the cases that do not name it. */
static bool has_subgroups(int variant) {
    return variants[variant].target == TARGET_SG16 || variants[variant].target == TARGET_XMX16;
}

static int fixup_runs;

/* The library writes nothing after the end of the scratchpad, and a second run gives the
 * same bits. */
static void run_splits_again(case_t *run, bool forced) {
    const int dst = pd_find_arg(run->pd, DNNL_ARG_DST),
              scratch = pd_find_arg(run->pd, DNNL_ARG_SCRATCHPAD);
    const plan_t *plan = &run->pd->plan;
    int fixups = 0;
    for (int i = 0; i < plan->nsteps; i++)
        fixups += strstr(variants[plan->steps[i].variant].id, "fixup") != 0;
    if (forced) assert_int_equal(fixups, has_subgroups(run->pd->variant));
    fixup_runs += fixups;
    if (is_dry) return;
    /* A plan without stream-K may need no scratchpad. */
    for (size_t i = 0; scratch >= 0 && run->data[scratch] && i < 64; i++)
        assert_int_equal(run->data[scratch][run->size[scratch] + i], 0xa5);
    uint8_t *first = malloc(run->size[dst]);
    memcpy(first, run->data[dst], run->size[dst]);
    memcpy(run->data[dst], run->before[dst], run->size[dst]);
    OK(case_execute(run));
    assert_memory_equal(first, run->data[dst], run->size[dst]);
    free(first);
}

/* Runs a case with the forced hints, unless the harness omits it. Returns false if the variant does
 * not support the case. */
static bool run_case(const test_case_t *c) {
    problem_t p;
    case_t run;
    const char *splits = batch_value(c->line, c->index, "splits", NULL);
    case_create(&p, c);
    const int left_out = harness_count.left_out;
    if (!case_open_problem(&run, &p)) return harness_count.left_out > left_out;
    case_run_problem(&run, &p);
    if (splits) run_splits_again(&run, p.hints.forced_splits > 0);
    case_close(&run);
    return true;
}

static bool runs_where_named(const char *variant) {
    return strstr(variant, "12x32") || !strcmp(variant, variants[KERNEL_matmul_f64].id);
}

static bool is_matmul_here(int variant) {
    return !strcmp(variants[variant].family, "matmul") &&
           variant_runs_on(&variants[variant], harness_caps());
}

static int runs_of_variant[64];

/* Forces each variant that can run the case. Variants with sub-groups share long lists
 * among them. */
static void run_on_all(const test_case_t *c) {
    const char *wanted_variant = getenv("TEST_VARIANT");
    int supported = 0, left = 0;
    if (!harness_caps()->has_fp64 && strstr(c->text, " dt=f64 ")) {
        skip_count(SKIP_NO_DOUBLES, 1);
        return;
    }
    for (int v = 0; v < variant_count; v++) {
        const char *id = variants[v].id;
        if (!is_matmul_here(v)) continue;
        const bool named = case_names(c, v);
        if (runs_where_named(id) && !named) continue;
        if (wanted_variant && !strstr(id, wanted_variant)) continue;
        harness_hints.forced_variant = v;
        const bool shared = has_subgroups(v) || variant_has_matrix_units(&variants[v]);
        if (harness_left_to_others(v) || (shared && !named && !sampled(c->number))) {
            left++;
            continue;
        }
        if (getenv("TEST_CASE")) print_message("%s on %s\n", c->text, id);
        const int runs = harness_count.run;
        const bool ran = run_case(c);
        if (named && !ran) fail_msg("%s: refused by %s", c->text, id);
        runs_of_variant[v] += harness_count.run - runs;
        supported += ran;
    }
    harness_hints.forced_variant = -1;
    if (!supported && !left && !wanted_variant) fail_msg("%s: no variant supports it", c->text);
}

static void run_section(const char *section) {
    cases_each("matmul", section, "", run_on_all);
}

static void test_shapes(void **state) {
    (void)state;
    run_section("shapes");
}

static void test_zero_dims(void **state) {
    (void)state;
    run_section("zero_dims");
}

static void test_layouts(void **state) {
    (void)state;
    run_section("layouts");
}

static void test_types(void **state) {
    (void)state;
    run_section("types");
}

static void test_dots(void **state) {
    (void)state;
    run_section("dots");
}

static void test_integers(void **state) {
    (void)state;
    run_section("integers");
}

static void test_small_types(void **state) {
    (void)state;
    run_section("small_types");
}

/* Matrix units: full tiles and tails, weights in rows, in panels and at addresses that block loads
 * do not support, work-groups of one tile and of many, all pairs of types. */
static void test_matrix_units(void **state) {
    (void)state;
    if (harness_caps()->matrix_subgroup != 16) skip();
    run_section("matrix_units");
}

/* The same cases with f32, which the math mode allows to be multiplied as tf32. */
static void test_matrix_units_of_f32(void **state) {
    (void)state;
    if (!harness_caps()->has_tf32) skip();
    run_section("matrix_units_of_f32");
}

/* Matrix units of 8 lanes, which read local memory: full tiles and steps and their tails, all ways
 * to fill local memory, work-groups of one tile and of many, all pairs of types. There are few
 * kernels, each with several shapes. */
static void test_matrix_units_of_8(void **state) {
    (void)state;
    if (harness_caps()->matrix_subgroup != 8) skip();
    run_section("matrix_units_of_8");
}

/* Integer weights with a source of floats, in rows and columns. */
static void test_decoded_weights(void **state) {
    (void)state;
    if (harness_caps()->matrix_subgroup != 16) skip();
    run_section("decoded_weights");
}

/* Few tiles and a long k on a device with many threads: sub-groups share k. */
static void test_split_k(void **state) {
    (void)state;
    const uint32_t lanes = harness_caps()->matrix_subgroup;
    if (!lanes) skip();
    caps_t *caps = &harness_engine->core->caps;
    const uint32_t units = caps->compute_units;
    caps->compute_units = 2048;
    run_section(lanes == 8 ? "split_k_8" : "split_k");
    caps->compute_units = units;
}

/* Stream-K: a work-group continues in the tile where the one before it ended. Shares are less than
 * a tile, several tiles, and as many as there are units of k. */
static void test_stream_k(void **state) {
    (void)state;
    if (!(harness_caps()->subgroup_sizes & 1 << 16) || harness_caps()->is_cpu) skip();
    if (harness_left_to_others(KERNEL_matmul_sg16_8x32)) skip();
    const bool units = harness_caps()->matrix_subgroup == 16;
    caps_t *caps = &harness_engine->core->caps;
    const uint32_t kept = caps->compute_units;
    run_section("stream_k");
    if (units) run_section("stream_k_units");
    const bool all =
            !getenv("TEST_CASE") && !getenv("TEST_VARIANT") && !harness_leaves_out() && !is_dry;
    int before = fixup_runs;
    caps->compute_units = 7;
    run_section("stream_k_wave");
    assert_true(fixup_runs > before || !all);
    before = fixup_runs;
    caps->compute_units = 16;
    if (units) run_section("stream_k_units_wave");
    assert_true(fixup_runs > before || !all || !units);
    caps->compute_units = kept;
}

static void test_scales(void **state) {
    (void)state;
    run_section("scales");
}

static void test_computed_scales(void **state) {
    (void)state;
    run_section("computed_scales");
}

static void test_post_ops(void **state) {
    (void)state;
    run_section("post_ops");
}

static void test_runtime(void **state) {
    (void)state;
    run_section("runtime");
}

static void run_unforced(const test_case_t *c) {
    assert_true(run_case(c));
}

static void run_each_implementation(const test_case_t *c) {
    problem_t p;
    int implementations = 0, last = -1;
    dnnl_status_t status;
    case_create(&p, c);
    dnnl_primitive_desc_t pd = p.pd;
    OK(p.status);
    do {
        case_t one;
        OK(dnnl_primitive_desc_clone(&p.pd, pd));
        assert_true(case_open_problem(&one, &p));
        assert_int_not_equal(one.pd->variant, last);
        last = one.pd->variant;
        case_run_problem(&one, &p);
        case_close(&one);
        implementations++;
        status = dnnl_primitive_desc_next_impl(pd);
    } while (status == dnnl_success);
    assert_int_equal(status, dnnl_last_impl_reached);
    assert_true(implementations >=
                (harness_caps()->has_fp64 ? 2 : 1)); /* the variant for doubles supports floats */
    OK(dnnl_primitive_desc_destroy(pd));
}

static void test_choice(void **state) {
    (void)state;
    cases_each("matmul", "choice", "", run_unforced);
    cases_each("matmul", "next_impl", "", run_each_implementation);
}

/* Checks the comparison of the harness itself: values within a rounding step are right, and values
 * two steps off are not. */
static void check_comparison(const test_case_t *c) {
    problem_t p;
    case_t one;
    case_create(&p, c);
    if (!case_open_problem(&one, &p)) skip();
    case_run_problem(&one, &p);
    verdict_t v = {0};
    case_compare(&one, &v);
    assert_int_equal(v.wrong, 0);
    assert_true(v.error <= 1 && v.bound <= 1);
    uint8_t *got = one.data[pd_find_arg(one.pd, DNNL_ARG_DST)];
    const int count = 13 * 37;
    int inside = 0;
    for (int i = 0; i < count; i++) {
        const uint8_t right = got[i];
        if (right < 2 || right > 253) continue;
        inside++;
        for (int step = -2; step <= 2; step += 4) {
            v = (verdict_t){0};
            got[i] = (uint8_t)(right + step);
            case_compare(&one, &v);
            assert_int_equal(v.wrong, 1);
            assert_true(v.first[0] && v.error > v.bound);
        }
        got[i] = right;
    }
    assert_true(inside > count / 4);
    case_close(&one);
}

static void test_comparison(void **state) {
    (void)state;
    if (is_dry) skip();
    cases_each("matmul", "comparison", "", check_comparison);
}

static void test_refusals(void **state) {
    (void)state;
    cases_check_refusals("matmul", "refusals");
    /* A bias that broadcasts in both dimensions has no words. */
    const md_t src = make_md(dnnl_f32, "ab", D(13, 17)), wei = make_md(dnnl_f32, "ab", D(17, 37)),
               bias = make_md(dnnl_f32, "ab", D(2, 37)), dst = make_md(dnnl_f32, "ab", D(13, 37));
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(
            dnnl_matmul_primitive_desc_create(&pd, harness_engine, &src, &wei, &bias, &dst, NULL),
            dnnl_invalid_arguments);
    assert_null(pd);
}

/* ---- reads beyond the end ---- */

/* A buffer whose end is the beginning of a page without access. */
typedef struct {
    void *base, *data;
    size_t mapped;
} guarded_t;

static guarded_t guarded(size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (size + page - 1) / page * page;
    guarded_t g = {.mapped = used + page};
    g.base = mmap(NULL, g.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(g.base != MAP_FAILED);
    assert_int_equal(mprotect((char *)g.base + used, page, PROT_NONE), 0);
    g.data = (char *)g.base + used - size;
    return g;
}

static dnnl_stream_t guarded_stream;

/* All elements are 1. */
static void fill_with_ones(const md_t *md, void *data) {
    const int64_t count = md_nelems(md, false);
    for (int64_t i = 0; i < count; i++) ref_store(md->data_type, data, i, 1);
}

/* Every sum is K, and 1 more with a bias. */
static void check_sums(const test_case_t *c, const pd_t *pd, const void *data) {
    const md_t *dst = pd_md(pd, DNNL_ARG_DST), *src = pd_md(pd, DNNL_ARG_SRC);
    const double want = (double)src->dims[1] + (pd_find_arg(pd, DNNL_ARG_BIAS) >= 0);
    for (int64_t i = 0; i < md_nelems(dst, false); i++)
        if (ref_load(dst->data_type, data, i) != want)
            fail_msg("%s: element %lld", c->text, (long long)i);
}

static void run_guarded(const test_case_t *c) {
    enum { MAX_ARGS = 128 };
    problem_t p;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[MAX_ARGS];
    guarded_t buffers[MAX_ARGS];
    case_create(&p, c);
    if (p.status == dnnl_unimplemented) return;
    OK(p.status);
    const pd_t *pd = p.pd->pd;
    assert_true(pd->nargs <= MAX_ARGS);
    OK(dnnl_primitive_create(&primitive, p.pd));
    for (int i = 0; i < pd->nargs; i++) {
        const md_t *md = &pd->args[i].md;
        buffers[i] = guarded(md_size(md, 0));
        fill_with_ones(md, buffers[i].data);
        args[i].arg = pd->args[i].arg;
        OK(memory_create(
                &args[i].memory, md, harness_engine, 1, &buffers[i].data, HANDLES_TRUSTED));
    }
    OK(dnnl_primitive_execute(primitive, guarded_stream, pd->nargs, args));
    OK(dnnl_stream_wait(guarded_stream));
    check_sums(c, pd, buffers[pd_find_arg(pd, DNNL_ARG_DST)].data);
    for (int i = 0; i < pd->nargs; i++) {
        OK(dnnl_memory_destroy(args[i].memory));
        munmap(buffers[i].base, buffers[i].mapped);
    }
    OK(dnnl_primitive_destroy(primitive));
    OK(dnnl_primitive_desc_destroy(p.pd));
}

static void test_bounds(void **state) {
    (void)state;
    if (!harness_caps()->has_system_usm || is_dry) skip();
    OK(dnnl_stream_create(&guarded_stream, harness_engine, dnnl_stream_default_flags));
    for (int v = 0; v < variant_count; v++) {
        if (!is_matmul_here(v) || harness_left_to_others(v)) continue;
        harness_hints.forced_variant = v;
        cases_each("matmul", "bounds", "", run_guarded);
    }
    harness_hints.forced_variant = -1;
    OK(dnnl_stream_destroy(guarded_stream));
}

static void test_every_variant_ran(void **state) {
    (void)state;
    if (getenv("TEST_CASE") || getenv("TEST_VARIANT")) skip();
    for (int v = 0; v < variant_count; v++) {
        if (!is_matmul_here(v) || harness_left_to_others(v)) continue;
        print_message("%-16s %5d cases\n", variants[v].id, runs_of_variant[v]);
        assert_true(runs_of_variant[v] > 0);
    }
}

TEST_MAIN(cmocka_unit_test(test_shapes), cmocka_unit_test(test_zero_dims),
        cmocka_unit_test(test_layouts), cmocka_unit_test(test_types),
        cmocka_unit_test(test_small_types), cmocka_unit_test(test_integers),
        cmocka_unit_test(test_dots), cmocka_unit_test(test_matrix_units),
        cmocka_unit_test(test_matrix_units_of_f32), cmocka_unit_test(test_matrix_units_of_8),
        cmocka_unit_test(test_decoded_weights), cmocka_unit_test(test_split_k),
        cmocka_unit_test(test_stream_k), cmocka_unit_test(test_scales),
        cmocka_unit_test(test_computed_scales), cmocka_unit_test(test_post_ops),
        cmocka_unit_test(test_runtime), cmocka_unit_test(test_choice),
        cmocka_unit_test(test_comparison), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_bounds), cmocka_unit_test(test_every_variant_ran))
