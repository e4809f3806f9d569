/* SPDX-License-Identifier: Apache-2.0 */
/* The modules of kernels/aot_modules.txt, for tests of what the library makes of SPIR-V. */
#ifndef TESTS_MODULE_LIST_H
#define TESTS_MODULE_LIST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/plan.h"

enum { MOST_GIVEN = 64 };

/* Fails the test if spirv-val refuses the module. */
void check_valid(const uint32_t *words, size_t n, const char *what);
/* What specialise() makes of a variant, to be freed with dz_free(); NULL: nothing. */
uint32_t *specialised(int variant, const spec_t *given, int n, size_t *nwords);
int variant_of(const char *id); /* -1: there is none */
/* Reads a line of the list. Returns the variant; -1 at the end. */
int next_module(FILE *file, spec_t *given, int *n);

#endif
