/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of rows for sub-groups of 16, as kernels/lib/sg.h and sg_tile.h have it. */
#ifndef OPS_SUB_GROUPS_H
#define OPS_SUB_GROUPS_H

#include "core/caps.h"

/* A tile has so many parts of an element for each lane; so many sub-groups are a work-group where nothing
 * else decides. */
enum { SG_LANES = 16, SG_PARTS = 8, SG_TILE = SG_LANES * SG_PARTS, SG_GROUPS = 8 };

/* Registers of devices that have sub-groups of 8, too, are half as large. */
static inline bool has_small_registers(const caps_t *caps) {
    return caps->subgroup_sizes & UINT64_C(1) << 8;
}

#endif
