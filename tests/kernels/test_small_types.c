/* SPDX-License-Identifier: Apache-2.0 */
/* Every conversion between the 8-bit and 4-bit types and the others: all codes, all bit patterns of
 * the 16-bit floats, all ties and their neighbours among the 32-bit floats, on every variant of
 * family "elementwise"; and the layouts of 4-bit types. The problems are in cases/small_types.txt;
 * the values are made here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "core/util.h"
#include "dry.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

/* All variants share the code of conversions: two variants run all of them, and the others run
 * a part. */
static bool chosen(int i) {
    const char *variant = variants[harness_hints.forced_variant].id;
    return !strcmp(variant, "dense_cpu") || (!strcmp(variant, "dense_portable") && i % 2) ||
           (i + harness_hints.forced_variant) % 5 == 0;
}

static bool same(dnnl_data_type_t dt, const void *a, const void *b, int64_t i) {
    const double x = ref_load(dt, a, i), y = ref_load(dt, b, i);
    return (isnan(x) && isnan(y)) || (x == y && !signbit(x) == !signbit(y));
}

/* Reorders n values and compares codes, including the signs of zeros. */
static void convert(const test_case_t *t, const void *values, int64_t n) {
    problem_t p;
    case_t c;
    case_create(&p, t);
    if (!case_open_problem(&c, &p)) return;
    case_fill(&c, NULL);
    assert_int_equal(md_nelems(&c.md[0], false), n);
    memcpy(c.data[0], values, md_size(&c.md[0], 0));
    case_run(&c);
    const dnnl_data_type_t from = c.md[0].data_type, to = c.md[1].data_type;
    uint8_t *want = calloc(1, md_size(&c.md[1], 0));
    for (int64_t i = 0; i < n; i++) ref_store(to, want, i, ref_load(from, c.data[0], i));
    for (int64_t i = 0; i < n && !is_dry; i++)
        if (isnan(ref_load(from, c.data[0], i))
                        ? !ref_ok(to, ref_load(to, c.data[1], i), (ref_value_t){NAN, 0})
                        : !same(to, c.data[1], want, i))
            fail_msg("%s: %.9g gives %g, not %g", t->text, ref_load(from, c.data[0], i),
                    ref_load(to, c.data[1], i), ref_load(to, want, i));
    harness_count.run++;
    harness_count.elements += n;
    free(want);
    case_close(&c);
}

/* The type of small codes that a case of one conversion names first or last. */
static dnnl_data_type_t type_of(const test_case_t *t, bool last) {
    const char *types = batch_value(t->line, t->index, "dt", "");
    int dt;
    char name[32];
    if (last) snprintf(name, sizeof(name), "%s", strchr(types, ':') + 1);
    else snprintf(name, sizeof(name), "%.*s", (int)strcspn(types, ":"), types);
    assert_true(name_find(NAMES_DATA_TYPE, name, &dt));
    return (dnnl_data_type_t)dt;
}

static int place(const test_case_t *t) {
    return t->number + (int)t->index;
}

/* Every code of a small type; for 4-bit types, every pair in a byte. */
static void from_codes(const test_case_t *t) {
    uint8_t codes[256];
    for (int i = 0; i < 256; i++) codes[i] = (uint8_t)i;
    if (chosen(place(t))) convert(t, codes, dt_is_nibble(type_of(t, false)) ? 512 : 256);
}

static void from_codes_to_codes(const test_case_t *t) {
    if ((place(t) + harness_hints.forced_variant) % 3 == 0) from_codes(t);
}

static void from_halves(const test_case_t *t) {
    static uint16_t bits[65536];
    for (int i = 0; i < 65536; i++) bits[i] = (uint16_t)i;
    if (chosen(place(t))) convert(t, bits, 65536);
}

/* The middle between neighbouring codes, and the two floats next to it. */
static int add_middles(dnnl_data_type_t dt, float *values) {
    int n = 0;
    uint8_t code[2];
    for (unsigned i = 0; i < (dt_is_nibble(dt) ? 15 : 255); i++) {
        code[0] = (uint8_t)i;
        code[1] = (uint8_t)(i + 1);
        if (dt_is_nibble(dt)) code[0] = (uint8_t)(i | (i + 1) << 4);
        const double a = ref_load(dt, code, 0), b = ref_load(dt, code, 1);
        const float middle = (float)((a + b) / 2);
        values[n++] = middle;
        values[n++] = nextafterf(middle, INFINITY);
        values[n++] = nextafterf(middle, -INFINITY);
        values[n++] = (float)a;
    }
    return n;
}

static void from_floats(const test_case_t *t) {
    static const float more[] = {464, 464.0001f, 480, 61439.9f, 61440, 65504, 1e30f, INFINITY, NAN,
            0x1p-149f, 0x1p-126f, 0x1p-17f, 0x1.000002p-17f, 0x1p-10f, 0x1.000002p-10f, 5, 6, 7,
            0.25f, 0.75f, 2.5f, 0};
    static float values[2048];
    if (!chosen(place(t))) return;
    int n = add_middles(type_of(t, true), values);
    for (int i = 0; i < ARRAY_LEN(more); i++) {
        values[n++] = more[i];
        values[n++] = -more[i];
    }
    convert(t, values, n);
}

static void from_ints(const test_case_t *t) {
    int32_t ints[1003];
    for (int i = 0; i < 1001; i++) ints[i] = i - 500;
    ints[1001] = INT32_MAX;
    ints[1002] = INT32_MIN;
    if (chosen(place(t))) convert(t, ints, ARRAY_LEN(ints));
}

static void from_doubles(const test_case_t *t) {
    double doubles[2000];
    for (int i = 0; i < ARRAY_LEN(doubles); i++) doubles[i] = harness_uniform(-20, 20);
    doubles[0] = 1.25 + 0x1p-50; /* must round up once; rounding twice would round to even */
    doubles[1] = 17 + 0x1p-45;
    if (chosen(place(t))) convert(t, doubles, ARRAY_LEN(doubles));
}

/* Each variant runs every second line. */
static void run_half(const test_case_t *t) {
    if ((t->number + harness_hints.forced_variant) % 2 == 0) cases_run_one(t);
}

static void run_sections(void) {
    cases_each("small_types", "codes", "", from_codes);
    cases_each("small_types", "codes_to_codes", "", from_codes_to_codes);
    cases_each("small_types", "halves", "", from_halves);
    cases_each("small_types", "floats", "", from_floats);
    cases_each("small_types", "ints", "", from_ints);
    cases_each("small_types", "doubles", "", from_doubles);
    cases_each("small_types", "layouts", "", run_half);
    cases_run("small_types", "quantisation");
    cases_run("small_types", "groups");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant_that(takes_bytes, "elementwise", run_sections);
}

static void test_refusals(void **unused) {
    (void)unused;
    cases_check_refusals("small_types", "refusals");
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_refusals))
