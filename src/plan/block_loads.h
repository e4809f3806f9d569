/* SPDX-License-Identifier: Apache-2.0 */
/* What 2D block loads of Intel's GPUs can read: bytes, and rows of them. */
#ifndef OPS_BLOCK_LOADS_H
#define OPS_BLOCK_LOADS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BLOCK_LIMIT = 1 << 24,
    BLOCK_MIN_WIDTH = 64,
    BLOCK_WIDTH_STEP = 4,
    BLOCK_PITCH_STEP = 16,
    BLOCK_LINE = 64 /* where a surface begins */
};

/* Is it a surface, wherever it begins: rows of `width` bytes, `pitch` from one to the next? */
static inline bool block_loads_take(int64_t rows, int64_t width, int64_t pitch) {
    if (width < BLOCK_MIN_WIDTH || width % BLOCK_WIDTH_STEP || width > BLOCK_LIMIT ||
            rows > BLOCK_LIMIT)
        return false;
    return rows <= 1 || (pitch >= width && pitch <= BLOCK_LIMIT && pitch % BLOCK_PITCH_STEP == 0);
}

#endif
