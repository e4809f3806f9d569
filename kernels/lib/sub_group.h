/* SPDX-License-Identifier: Apache-2.0 */
/* Which sub-group of its work-group this is. */
#ifndef KERNELS_SUB_GROUP_H
#define KERNELS_SUB_GROUP_H

/* The compiler finds it from the number of a work-item and takes it for another one in each lane, unless told: rows, positions and addresses
 * would be vectors in registers. */
static inline uint sg_number(void) {
    return sub_group_broadcast(get_sub_group_id(), 0);
}

#endif
