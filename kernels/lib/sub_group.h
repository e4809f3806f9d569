/* SPDX-License-Identifier: Apache-2.0 */
/* Which sub-group of its work-group this is. */
#ifndef KERNELS_SUB_GROUP_H
#define KERNELS_SUB_GROUP_H

/* The broadcast tells the compiler that all lanes have the same number. It would otherwise keep
 * rows, positions and addresses, which depend on it, as vectors with an element for each lane. */
static inline uint sg_number(void) {
    return sub_group_broadcast(get_sub_group_id(), 0);
}

#endif
