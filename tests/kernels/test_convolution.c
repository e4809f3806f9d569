/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "convolution" against the reference (cases/convolution.txt): shapes,
 * layouts, types, attributes. */
#include <string.h>

#include "case_run.h"
#include "cases.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "plan/variant_id.h"
#include "ref_conv.h"
#include "test_main.h"

static void run_sections(void) {
    cases_run("convolution", "shapes");
    cases_run("convolution", "layouts");
    cases_run("convolution", "types");
    cases_run("convolution", "mixed_types");
    cases_run("convolution", "attributes");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant_that(harness_convolves, "convolution", run_sections);
}

static bool has_dots(int variant) {
    return harness_convolves(variant) && variants[variant].geometry.dots;
}

static void run_dots(void) {
    cases_run("convolution", "dots");
}

static void test_dots(void **unused) {
    (void)unused;
    if (!variant_runs_on(&variants[KERNEL_conv_cpu_bytes], harness_caps())) skip();
    for_each_variant_that(has_dots, "convolution", run_dots);
}

static bool has_pieces(int variant) {
    return harness_convolves(variant) && variants[variant].geometry.min_simd &&
           variants[variant].geometry.piece;
}

static void run_pieces(void) {
    cases_run("convolution", "pieces");
}

static void test_pieces(void **unused) {
    (void)unused;
    if (!variant_runs_on(&variants[KERNEL_conv_cpu_14x32], harness_caps())) skip();
    for_each_variant_that(has_pieces, "convolution", run_pieces);
    harness_hints.forced_variant = -1;
    harness_seed(8);
    run_pieces();
}

/* The library's own choice. */
static void test_choice(void **unused) {
    (void)unused;
    harness_hints.forced_variant = -1;
    harness_seed(77);
    run_sections();
}

static void test_large(void **unused) {
    (void)unused;
    harness_hints.forced_variant = -1;
    harness_seed(6);
    cases_run("convolution", "padded_behind");
    cases_run("convolution", "large");
}

static void test_depthwise_post_op(void **unused) {
    (void)unused;
    harness_hints.forced_variant = -1;
    harness_seed(5);
    cases_run("convolution", "depthwise_post_op");
}

/* A convolution of unsigned bytes by bytes of a type, all as large as they can be, with one
 * position of the destination for each channel. */
static void largest_products(dnnl_data_type_t dt, int64_t groups, int64_t ic, int64_t size) {
    const dnnl_dims_t one = {1, 1}, none = {0};
    const md_t src = make_md(dnnl_u8, "abcd", D(1, groups * ic, size, size)),
               wei = make_md(dt, "abcde", D(groups, 16 / groups, ic, size, size)),
               dst = make_md(dnnl_s32, "abcd", D(1, 16, 1, 1));
    dnnl_primitive_desc_t pd = NULL;
    const dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(&pd, harness_engine,
            dnnl_forward_inference, dnnl_convolution_direct, &src, &wei, NULL, &dst, one, none,
            none, none, hinted(NULL));
    case_t c;
    if (!case_open(&c, pd, status)) return;
    case_fill(&c, NULL);
    for (int slot = 0; slot < 2; slot++) /* source, weights */
        for (int64_t i = 0; i < md_nelems(&c.md[slot], false); i++)
            ref_store(c.md[slot].data_type, c.data[slot], i,
                    c.md[slot].data_type == dnnl_u8 ? 255 : -128);
    case_run(&c);
    case_check(&c, ref_convolution);
    case_close(&c);
}

/* Floats are exact up to 2^24, which is 258 of these products; above it, an odd sum shows whether
 * integers are added. */
static void all_largest_products(void) {
    largest_products(dnnl_u8, 1, 301, 1);
    largest_products(dnnl_u8, 16, 1, 16);
    largest_products(dnnl_u8, 16, 1, 17);
    largest_products(dnnl_s8, 1, 301, 1);
}

/* Portable variants and those for CPUs multiply integers and floats, the others one of both. */
static bool multiplies_integers(int variant) {
    const target_t target = variants[variant].target;
    if (!harness_convolves(variant)) return false;
    if (variants[variant].geometry.dots) return variants[variant].geometry.dots == 4;
    return target == TARGET_PORTABLE || target == TARGET_CPU || variants[variant].geometry.ints;
}

static void test_largest_products(void **unused) {
    (void)unused;
    for_each_variant_that(multiplies_integers, "convolution", all_largest_products);
}

/* One number of a valid descriptor that is changed, and the status that must follow. */
enum {
    SRC,
    WEI,
    DST,
    STRIDES,
    DILATES,
    LEFT,
    RIGHT,
    ARRAYS,
    NDIMS_SRC = ARRAYS,
    NDIMS_WEI,
    NDIMS_DST,
    ALG
};
static const struct {
    int what, index;
    dnnl_dim_t value;
    dnnl_status_t status;
} changes[] = {
        {SRC, 0, 2, dnnl_success},
        {ALG, 0, dnnl_convolution_auto, dnnl_success},
        {ALG, 0, dnnl_convolution_winograd, dnnl_unimplemented},
        {ALG, 0, dnnl_deconvolution_direct, dnnl_invalid_arguments},
        {SRC, 0, 1, dnnl_invalid_arguments},
        {SRC, 1, 5, dnnl_invalid_arguments},
        {WEI, 1, 0, dnnl_invalid_arguments},
        {WEI, 2, 4, dnnl_invalid_arguments},
        {DST, 1, 7, dnnl_invalid_arguments},
        {DST, 2, 4, dnnl_invalid_arguments},
        {DST, 3, 2, dnnl_invalid_arguments},
        {STRIDES, 0, 0, dnnl_invalid_arguments},
        {STRIDES, 1, -1, dnnl_invalid_arguments},
        {DILATES, 0, -1, dnnl_invalid_arguments},
        {DILATES, 1, 1, dnnl_invalid_arguments},
        {LEFT, 0, -1, dnnl_invalid_arguments},
        {RIGHT, 0, -2, dnnl_invalid_arguments},
        {NDIMS_SRC, 0, 3, dnnl_invalid_arguments},
        {NDIMS_WEI, 0, 3, dnnl_invalid_arguments},
        {NDIMS_DST, 0, 3, dnnl_invalid_arguments},
};

static void test_refusals(void **unused) {
    (void)unused;
    static const char *const tags[] = {"", "a", "ab", "abc", "abcd"};
    for (int i = 0; i < ARRAY_LEN(changes); i++) {
        dnnl_dims_t v[ARRAYS] = {{2, 4, 5, 5}, {6, 4, 3, 3}, {2, 6, 3, 3}, {1, 1}};
        int ndims[] = {4, 4, 4};
        dnnl_alg_kind_t alg = dnnl_convolution_direct;
        if (changes[i].what == ALG) alg = (dnnl_alg_kind_t)changes[i].value;
        else if (changes[i].what >= ARRAYS) ndims[changes[i].what - ARRAYS] = (int)changes[i].value;
        else v[changes[i].what][changes[i].index] = changes[i].value;
        md_t md[3];
        for (int t = 0; t < 3; t++) md[t] = make_md(dnnl_f32, tags[ndims[t]], ndims[t], v[t]);
        dnnl_primitive_desc_t pd = NULL;
        const dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(&pd,
                harness_engine, dnnl_forward_inference, alg, &md[SRC], &md[WEI], NULL, &md[DST],
                v[STRIDES], v[DILATES], v[LEFT], v[RIGHT], NULL);
        if (status != changes[i].status) print_error("change %d\n", i);
        assert_int_equal(status, changes[i].status);
        if (status == dnnl_success) assert_int_equal(dnnl_primitive_desc_destroy(pd), dnnl_success);
        else assert_null(pd);
    }
}

TEST_MAIN(cmocka_unit_test(test_refusals), cmocka_unit_test(test_largest_products),
        cmocka_unit_test(test_depthwise_post_op), cmocka_unit_test(test_variants),
        cmocka_unit_test(test_dots), cmocka_unit_test(test_pieces), cmocka_unit_test(test_large),
        cmocka_unit_test(test_choice))
