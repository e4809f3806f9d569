/* SPDX-License-Identifier: Apache-2.0 */
/* Cases in a test of cmocka: what is wrong fails the test. Variants of kernels are forced. */
#ifndef TESTS_KERNELS_HARNESS_H
#define TESTS_KERNELS_HARNESS_H

#include "case.h"
#include "core/attr.h"
#include "plan/variant.h"

bool harness_open(void);
void harness_close(void);

/* What tests ask of planning: for_each_variant() forces variants. It reaches the library in
 * attributes. */
extern plan_hints_t harness_hints;
/* A copy of the attributes (NULL: the default ones) with these hints; the harness's, until the
 * next call. */
const_dnnl_primitive_attr_t hinted(const_dnnl_primitive_attr_t attr);

/* Opens what a dnnl_*_primitive_desc_create call returned. Answers false where the call answered
 * unimplemented and a variant is forced, which then does not support the problem; and for cases
 * that a small run leaves out. Any other failure fails the test. */
bool case_open(case_t *c, dnnl_primitive_desc_t handle, dnnl_status_t status);
void case_run(case_t *c);
/* Fails the test if an element of an output is wrong, padding is not zero or a byte elsewhere
 * was written. */
void case_check(case_t *c, ref_value_t (*reference)(const ref_t *, const dnnl_dim_t *));
void case_close(case_t *c);

/* fill, run, check, close; counts what ran. Does nothing if case_open() answered false. */
void case_all(dnnl_primitive_desc_t handle, dnnl_status_t status,
        ref_value_t (*reference)(const ref_t *, const dnnl_dim_t *), double low, double high);
extern struct {
    int run, skipped, left_out;
    int64_t elements;
} harness_count;

/* Forces each variant of the family that the device can run, calls the function, and prints what
 * ran. */
void for_each_variant(const char *family, void (*function)(void));
/* The same for the variants that suit. */
void for_each_variant_that(bool (*suits)(int variant), const char *family, void (*function)(void));

/* Whether the forced variant runs case i of a long list. Device compilation is most of a test's
 * time: variants for CPUs run all cases, each of the others runs a third, and three in a row run
 * all of them together. All cases run where no variant is forced, and with HARNESS_SHARE=0 in
 * the environment. */
bool sampled(int i);
/* Are cases left out in this run, as the environment wants it? */
bool harness_leaves_out(void);
/* Whether another run tests the variant: with HARNESS_SUBGROUPS=16 in the environment, this run
 * tests variants with sub-groups of 16 alone; with 8, those for matrix units of 8 lanes alone. */
bool harness_left_to_others(int variant);
/* Are tensors of so many bytes too much for the simulator that the tests run on? Nothing is
 * elsewhere. */
bool harness_too_large(size_t bytes);

/* Descriptors in short. tag as in "acdb", "aBc16b"; a `+` in front: with holes
 * between rows. */
md_t make_md(dnnl_data_type_t dt, const char *tag, int ndims, const dnnl_dim_t *dims);
#define D(...)                                                                                     \
    (int)(sizeof((dnnl_dim_t[]){__VA_ARGS__}) / sizeof(dnnl_dim_t)), (dnnl_dim_t[]) {              \
        __VA_ARGS__                                                                                \
    }

#endif
