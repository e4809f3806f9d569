/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of memory descriptors share: random numbers, and a walk over all positions of a
 * tensor. */
#ifndef TESTS_CORE_MD_TEST_H
#define TESTS_CORE_MD_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory_desc.h"
#include "core/memory_desc_impl.h"
#include "oneapi/dnnl/dnnl.h"

#define RT DNNL_RUNTIME_DIM_VAL
#define DIMS(...) ((const dnnl_dim_t[DNNL_MAX_NDIMS]){__VA_ARGS__})

/* A small generator with the same numbers everywhere. */
static inline uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 0x2545f4914f6cdd1du;
}

/* From lo to hi, both included. */
static inline int64_t random_in(uint64_t *state, int64_t lo, int64_t hi) {
    return lo + (int64_t)(next_random(state) % (uint64_t)(hi - lo + 1));
}

/* Steps pos to the next position, last dimension fastest; false after the last one. Start with
 * zeros. */
static inline bool next_pos(dnnl_dim_t *pos, const dnnl_dim_t *dims, int ndims) {
    for (int d = ndims - 1; d >= 0; d--) {
        if (++pos[d] < dims[d]) return true;
        pos[d] = 0;
    }
    return false;
}

static inline md_t tagged(
        int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt, dnnl_format_tag_t tag) {
    md_t md;
    assert_int_equal(md_init_tag(&md, ndims, dims, dt, tag), dnnl_success);
    return md;
}

static inline md_t strided(
        int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt, const dnnl_dim_t *strides) {
    md_t md;
    assert_int_equal(md_init_strides(&md, ndims, dims, dt, strides), dnnl_success);
    return md;
}

#endif
