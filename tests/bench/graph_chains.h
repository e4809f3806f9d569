/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs in partitions of several operations, beside the same graphs with a partition for each
 * operation. */
#ifndef TESTS_BENCH_GRAPH_CHAINS_H
#define TESTS_BENCH_GRAPH_CHAINS_H

#include "bench.h"

/* Prints the ratios of times, and times of compilation. tiny: small tensors, executed once. */
void chains_run(bench_t *bench, bool tiny);

#endif
