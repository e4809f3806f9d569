/* SPDX-License-Identifier: Apache-2.0 */
/* Hashing for the caches. */
#include "core/hash.h"

#include <string.h>

static inline uint64_t load(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint64_t rotate(uint64_t v, int bits) {
    return v << bits | v >> (64 - bits);
}

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed) {
    const uint64_t k0 = 0x9e3779b97f4a7c15u, k1 = 0xd6e8feb86659fd93u;
    const uint8_t *p = data;
    /* Four independent lanes: the multiplications overlap. */
    uint64_t lane[4] = {seed ^ k0, seed ^ k1, seed + size, ~seed};
    for (; size >= 32; size -= 32, p += 32)
        for (int i = 0; i < 4; i++) lane[i] = rotate((lane[i] ^ load(p + 8 * i)) * k1, 29);
    for (; size >= 8; size -= 8, p += 8) lane[0] = rotate((lane[0] ^ load(p)) * k1, 29);
    uint64_t tail = size;
    for (; size; size--, p++) tail = tail << 8 | *p;
    uint64_t h = tail * k0;
    for (int i = 0; i < 4; i++) h = hash_u64(lane[i], h);
    return h;
}
