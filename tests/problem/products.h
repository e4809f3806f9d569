/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's products as far as the choice of kernels knows them. */
#ifndef TESTS_PROBLEM_PRODUCTS_H
#define TESTS_PROBLEM_PRODUCTS_H

#include "core/caps.h"

typedef struct {
    const char *name;               /* as Intel's driver and compiler have it */
    uint32_t architecture, release; /* of the IP version */
    bool fp64, blocks; /* blocks: loads and stores of rectangles; allocations over 4 GiB, too */
    uint32_t matrix_subgroup, max_registers;
    uint64_t subgroups;
    uint32_t local_kib, max_group, simd_width, threads_per_eu, eus;
} product_t;

enum { NPRODUCTS = 9 };
extern const product_t products[NPRODUCTS];

/* The capabilities that the driver tells of the product; the others are left alone. */
void product_caps(const product_t *product, caps_t *caps);

#endif
