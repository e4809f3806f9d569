/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes for the caches. They are fast and well mixed; they may change with each version, and they
 * do not resist an attacker. */
#ifndef CORE_HASH_H
#define CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t hash_u64(uint64_t value, uint64_t seed) {
    uint64_t h = (seed ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed);

#endif
