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
    const char *line; /* of the problem, for replay; NULL: no line describes it */
    /* What happened. */
    long executed, refused, too_large, not_built, built;
    double built_ms;
} executor_t;

/* An engine, a stream, and the limits of the environment: FUZZ_COMPILE_MS and FUZZ_COMPILE_SHARE.
 * Ends the program with 77 where there is no device. */
void executor_open(executor_t *x);
/* Prints what happened, and frees everything. */
void executor_close(executor_t *x);
/* False: FUZZ_EXECUTE=0 is in the environment, so no primitive is to be made. */
bool executor_is_wanted(void);
/* The next implementations of a descriptor, now and then; the bytes of the input decide. */
void skip_implementations(dnnl_primitive_desc_t desc);

/* given: the descriptors that the constructor got; real: the same with all dimensions known, for
 * run-time ones. Ends the process where a primitive does what it must not: another status than
 * the documented ones, a write outside of its tensors. Reads outside are faults. */
void execute(executor_t *x, const_dnnl_primitive_desc_t desc, const md_t *given, const md_t *real,
        int n);

#endif
