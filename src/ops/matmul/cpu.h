/* SPDX-License-Identifier: Apache-2.0 */
/* What the layouts of format `any` and the planner for CPUs agree on. */
#ifndef OPS_MATMUL_CPU_H
#define OPS_MATMUL_CPU_H

/* Rows of the source up to which weights are read once, in the order in which they lie: packing
 * them would cost as much as the product. */
enum { MATMUL_FEW_ROWS = 8 };

#endif
