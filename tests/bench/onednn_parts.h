/* SPDX-License-Identifier: Apache-2.0 */
/* A problem in the types of oneDNN's CPU library. */
#ifndef TESTS_BENCH_ONEDNN_PARTS_H
#define TESTS_BENCH_ONEDNN_PARTS_H

#include "library.h"
#include "library_version.h"

/* What a descriptor is made from. Absent tensors have the zero descriptor. */
typedef struct {
    const plain_problem_t *p;
    dnnl_prop_kind_t prop; /* of the forward primitive */
    dnnl_alg_kind_t alg, activation;
    unsigned flags;
    dnnl_memory_desc_t src, weights, weights_iter, bias, mean, dst;
    dnnl_primitive_attr_t attr;
} parts_t;

/* The descriptor of the gradient; `forward`: that of the forward primitive. */
dnnl_status_t onednn_backward(const parts_t *parts, dnnl_engine_t engine,
        const_dnnl_primitive_desc_t forward, dnnl_primitive_desc_t *pd);

/* The descriptor of a recurrent network; hint: NULL for a forward one. */
dnnl_status_t onednn_rnn(const parts_t *parts, dnnl_engine_t engine,
        const_dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *pd);

#endif
