/* SPDX-License-Identifier: Apache-2.0 */
/* Dry runs, on drivers that compile but do not execute. A dry run records the result of compiling
 * each kernel and does not check values. */
#ifndef TESTS_KERNELS_DRY_H
#define TESTS_KERNELS_DRY_H

#include "harness.h"

/* Begins a dry run if DNNL_ZE_TEST_DRY names the file to write. The file begins with the
 * variants that the device can run. The run takes the first case of each variant and primitive
 * kind, the first case that builds a variant, and others:
 *   DNNL_ZE_TEST_DRY_CASES=all     all of them
 *   DNNL_ZE_TEST_DRY_CASES=<n>     case i with a probability of (n / (n + i))^2
 *   DNNL_ZE_TEST_DRY_SEED=<number> which these are
 *   DNNL_ZE_TEST_DRY_RECORD=1      records each case on a regular command list
 * On OpenCL (ONEDNN_GPU_RUNTIME=ocl) primitives are created, and not executed.
 * DNNL_ZE_TEST_LIST=<file> compiles nothing and writes a line for each case: the hash of the
 * request, the variant that is forced, the range of values, where tensors begin, and the problem
 * as the log prints it. DNNL_ZE_TEST_PRODUCT=<name> then chooses kernels as for one of Intel's
 * products. */
void dry_open(dnnl_engine_t engine);
void dry_close(void);
/* True in a dry run: nothing is executed, so values mean nothing. */
extern bool is_dry;
/* True if the dry run does not compile the case. */
bool dry_skips(const pd_t *pd);
/* Records an execution on a regular command list, which then runs so many times. On OpenCL executes
 * so many times. */
dnnl_status_t dry_record(
        const_dnnl_primitive_t primitive, int n, const dnnl_exec_arg_t *args, int runs);
/* Writes the case if this run lists cases; the case is then not executed. */
bool dry_lists(const case_t *c);

#endif
