/* SPDX-License-Identifier: Apache-2.0 */
/* The variants of family "convolution" for sub-groups and matrix units against the reference, with
 * the types that they support. They run the shapes of the other variants and edge cases of their
 * own (cases/convolution_units.txt), those for matrix units also as deconvolution. Other variants
 * run a few of the cases. */
#include <string.h>

#include "cases.h"
#include "test_main.h"

#define LIST "convolution_units"

/* The cases of a variant. Compilation takes most of the time: each variant runs the shapes with one
 * type. Those for matrix units run a third of the shapes each, so that the three variants of a type
 * together run all of them. */
static struct {
    bool units, ints, all;
    const char *type; /* type for sections without types */
} what;

static void choose(void) {
    const variant_t *variant = &variants[harness_hints.forced_variant];
    const bool other = harness_hints.forced_variant % 2;
    what.units = variant_has_matrix_units(variant);
    what.all = what.units || variant_has_lanes(variant);
    what.ints = what.all && variant->geometry.ints;
    what.type = what.ints     ? (other ? "dt=u8:s8:s32" : "dt=s8:s8:s32")
                : !what.units ? "dt=f32"
                : other       ? "dt=f16"
                              : "dt=bf16";
}

/* Variants without matrix units run all types if they are for lanes, and otherwise the first
 * two. */
static bool is_mine(const test_case_t *c) {
    return what.units ? sampled(c->number) : what.all || c->number < 2;
}

static void run_mine(const test_case_t *c) {
    if (is_mine(c)) cases_run_one(c);
}

static void run_variant(void) {
    choose();
    /* The variants for 8 lanes take the longest to compile. In fast runs they run their own edge
     * cases only. */
    const bool hurry =
            variants[harness_hints.forced_variant].target == TARGET_XMX8 && harness_leaves_out();
    if (what.all && !hurry) cases_each("convolution", "shapes", what.type, run_mine);
    cases_each(LIST, what.ints ? "edges_of_integers" : "edges", what.type, run_mine);
    if (what.units) cases_each(LIST, "deconvolutions", what.type, run_mine);
    if (what.ints) cases_each(LIST, "deconvolutions_with_zero_points", "", run_mine);
    cases_each(LIST, what.ints ? "integers" : "floats", "", run_mine);
    if (what.units) cases_each(LIST, "blocks", what.type, run_mine);
    if (what.units) cases_each(LIST, "misplaced", what.type, run_mine);
    if (what.units) cases_each(LIST, "misplaced_deconvolutions", what.type, run_mine);
    if (!what.all) cases_run(LIST, "depthwise");
}

/* Dot products of CPUs have their own list in cases/convolution.txt. */
static bool is_listed_here(int variant) {
    return harness_convolves(variant) && !variants[variant].geometry.dots;
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant_that(is_listed_here, "convolution", run_variant);
}

/* The library's own choice, with layouts of its own. */
static void test_choice(void **unused) {
    (void)unused;
    harness_hints.forced_variant = -1;
    harness_seed(78);
    cases_run(LIST, "choice");
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_choice))
