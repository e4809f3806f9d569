/* SPDX-License-Identifier: Apache-2.0 */
/* The number of a sub-group in its work-group. */
#ifndef KERNELS_SUB_GROUP_H
#define KERNELS_SUB_GROUP_H

/* The broadcast tells the compiler that all lanes have the same number. Without it the compiler
 * would keep everything that depends on the number (rows, positions, addresses) in vectors with one
 * element per lane. */
static inline uint sg_number(void) {
    return sub_group_broadcast(get_sub_group_id(), 0);
}

#endif
