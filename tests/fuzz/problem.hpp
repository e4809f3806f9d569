/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments for a constructor of primitive descriptors, mostly ones that belong together. */
#ifndef TESTS_FUZZ_PROBLEM_HPP
#define TESTS_FUZZ_PROBLEM_HPP

#include <array>
#include <vector>

#include "dnnl.h"
extern "C" {
#include "core/memory_desc.h"
}

typedef std::vector<int64_t> shape_t;

/* Each list is in the order of the constructor's parameters. */
struct problem_t {
    /* As the constructor gets them: some are `any`, have run-time dimensions or damaged fields. */
    std::vector<md_t> mds;
    /* The same with all dimensions known; the zero descriptor where there is no such. */
    std::vector<md_t> real;
    std::vector<std::array<dnnl_dim_t, DNNL_MAX_NDIMS>> dims; /* strides, dilations, padding ... */
    std::vector<int> ints;
    std::vector<dnnl_dim_t> longs;
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    shape_t dst;
};

/* For the constructor of that name ("dnnl_matmul_primitive_desc_create"). */
problem_t draw_problem(const char *constructor);
/* A descriptor of the shape in any layout, `any` as well where allowed. */
md_t draw_md(const shape_t &shape, dnnl_data_type_t dt, bool may_be_any);
/* One field of the descriptor gets a value that it had better not have. */
void damage(md_t *md);
/* NULL one time in four. The caller destroys it. */
dnnl_primitive_attr_t draw_attr(const problem_t &problem);

#endif
