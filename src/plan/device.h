/* SPDX-License-Identifier: Apache-2.0 */
/* What planners know of devices: how much work fills one, its sub-groups, what its block loads
 * read. */
#ifndef PLAN_DEVICE_H
#define PLAN_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/caps.h"
#include "core/util.h"

/* ---- work ---- */

/* Work-items or work-groups that fill the device, with so many for each of its hardware threads. */
static inline int64_t groups_wanted(const caps_t *caps, int per_unit) {
    return per_unit * max_i64(caps->compute_units, 1);
}

/* Bytes. CPUs write destinations from this size on past the caches, which they do not stay in; so
 * does memcpy from about there on. */
enum { STREAM_BYTES = 16 << 20 };
/* A tensor of so many bytes or more does not stay in the CPU's caches. A core has 1.5 to 4 MiB of
 * the last one. */
static inline int64_t bytes_past_caches(const caps_t *caps) {
    enum { OF_A_CORE = 4 << 20 };
    return min_i64(STREAM_BYTES, groups_wanted(caps, 1) * OF_A_CORE);
}

/* ---- sub-groups of 16, as kernels/lib/sg.h and sg_tile.h have them ---- */

enum {
    SG_LANES = 16,
    SG_PARTS = 8,                  /* elements of a tile for each lane */
    SG_TILE = SG_LANES * SG_PARTS, /* elements of a tile */
    SG_GROUPS = 8                  /* sub-groups of a work-group where nothing else decides */
};

/* Registers of devices that have sub-groups of 8, too, are half as large. */
static inline bool has_small_registers(const caps_t *caps) {
    return caps->subgroup_sizes & UINT64_C(1) << 8;
}

/* ---- 2D block loads of Intel's GPUs: surfaces are rows of bytes ---- */

enum {
    BLOCK_LIMIT = 1 << 24, /* largest width in bytes, and most rows */
    BLOCK_MIN_WIDTH = 64,  /* bytes */
    BLOCK_WIDTH_STEP = 4,  /* a width is a multiple of so many bytes */
    BLOCK_PITCH_STEP = 16, /* and a pitch of so many */
    BLOCK_LINE = 64        /* a surface begins at a multiple of so many bytes */
};

/* Can they read it, wherever it begins: rows of `width` bytes, `pitch` from one to the next? */
static inline bool block_loads_take(int64_t rows, int64_t width, int64_t pitch) {
    if (width < BLOCK_MIN_WIDTH || width % BLOCK_WIDTH_STEP || width > BLOCK_LIMIT ||
            rows > BLOCK_LIMIT)
        return false;
    return rows <= 1 || (pitch >= width && pitch <= BLOCK_LIMIT && pitch % BLOCK_PITCH_STEP == 0);
}

#endif
