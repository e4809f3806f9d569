/* SPDX-License-Identifier: Apache-2.0 */
/* Executes what a constructor accepted, with tensors that leave no room for mistakes. */
#ifndef TESTS_FUZZ_EXECUTE_H
#define TESTS_FUZZ_EXECUTE_H

#include "core/memory_desc.h"
#include "oneapi/dnnl/dnnl.h"

typedef struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    /* Device compilers are slow, so they get a share of the time: a kernel that is not known yet
     * is built if no more than `compile_share` of the time so far, or `compile_ms` in all, went
     * into building. */
    double compile_share, compile_ms;
    /* What happened. */
    long executed, refused, too_large, not_built, built;
    double built_ms;
} executor_t;

/* given: the descriptors that the constructor got; real: the same with all dimensions known, for
 * run-time ones. Ends the process where a primitive does what it must not: another status than
 * the documented ones, a write outside of its tensors. Reads outside are faults. */
void execute(executor_t *x, const_dnnl_primitive_desc_t desc, const md_t *given, const md_t *real,
        int n);

#endif
