/* SPDX-License-Identifier: Apache-2.0 */
/* Cases in a test of cmocka. Errors fail the test. Variants of kernels are forced. */
#ifndef TESTS_KERNELS_HARNESS_H
#define TESTS_KERNELS_HARNESS_H

#include "case.h"
#include "core/attr.h"
#include "plan/variant.h"

bool harness_open(void);
void harness_close(void);

/* Memory that the host and kernels use, in either runtime. */
dnnl_status_t harness_alloc(size_t size, void **out);
void harness_free(void *memory);

/* Hints of the tests to the planners: for_each_variant() forces variants. They reach the library
 * in attributes. */
extern plan_hints_t harness_hints;
/* Returns a copy of the attributes (NULL: the default ones) with these hints. The harness owns the
 * copy, which is valid until the next call. */
const_dnnl_primitive_attr_t hinted(const_dnnl_primitive_attr_t attr);

/* Opens the result of a dnnl_*_primitive_desc_create call. Returns false if the call returned
 * unimplemented and a variant is forced, which then does not support the problem, and for cases
 * that a small run omits. Any other failure fails the test. */
bool case_open(case_t *c, dnnl_primitive_desc_t handle, dnnl_status_t status);
void case_run(case_t *c);
/* Fails the test if an element of an output is wrong, if padding is not zero, or if any other byte
 * was written. */
void case_check(case_t *c, ref_value_t (*reference)(const ref_t *, const dnnl_dim_t *));
void case_close(case_t *c);

/* Fills, runs, checks and closes the case, and counts it. Does nothing if case_open()
 * returned false. */
void case_all(dnnl_primitive_desc_t handle, dnnl_status_t status,
        ref_value_t (*reference)(const ref_t *, const dnnl_dim_t *), double low, double high);
extern struct {
    int run, skipped, left_out;
    int64_t elements;
} harness_count;

/* Forces each variant of the family that the device can run, calls the function, and prints the
 * variants that ran. */
void for_each_variant(const char *family, void (*function)(void));
/* The same for the variants that `suits` accepts. */
void for_each_variant_that(bool (*suits)(int variant), const char *family, void (*function)(void));

/* False for transposes through local memory, which take no elements of less than two bytes. */
bool takes_bytes(int variant);

/* False for a variant of family "convolution" that takes deconvolutions alone. */
bool harness_convolves(int variant);

/* True if the forced variant runs case i of a long list. Device compilation takes most of the time
 * of a test. So variants for CPUs run all cases and each other variant runs a third; three
 * consecutive variants run all cases together. All cases run if no variant is forced, or with
 * HARNESS_SHARE=0 in the environment. */
bool sampled(int i);
/* True if the environment asks this run to omit cases. */
bool harness_leaves_out(void);
/* True if no variant is forced and this run omits case i of a section. */
bool harness_leaves_choice(int i);
/* True if another run tests the variant. With HARNESS_SUBGROUPS=16 in the environment, this run
 * tests only variants with sub-groups of 16; with 8, those for matrix units of 8 lanes; with 1,
 * those for GPUs without sub-groups. */
bool harness_left_to_others(int variant);
/* True if tensors of so many bytes are too large for the simulator that runs the tests. On other
 * devices it is always false. */
bool harness_too_large(size_t bytes);

/* Short ways to make descriptors. tag: as in "acdb", "aBc16b"; a leading `+` adds holes
 * between rows. */
md_t make_md(dnnl_data_type_t dt, const char *tag, int ndims, const dnnl_dim_t *dims);
#define D(...)                                                                                     \
    (int)(sizeof((dnnl_dim_t[]){__VA_ARGS__}) / sizeof(dnnl_dim_t)), (dnnl_dim_t[]) {              \
        __VA_ARGS__                                                                                \
    }

#endif
