/* SPDX-License-Identifier: Apache-2.0 */
/* The source of numbers of fuzz targets: the input, byte after byte. */
#include "draw.hpp"
#include "target.hpp"

static const uint8_t *next, *end;

void draw_from(const uint8_t *data, size_t size) {
    next = data;
    end = data + size;
}

uint64_t below(uint64_t n) {
    uint64_t value = 0;
    for (uint64_t range = 1; range < n && next < end; range <<= 8) value = value << 8 | *next++;
    return n ? value % n : 0;
}
