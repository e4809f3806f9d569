/* SPDX-License-Identifier: Apache-2.0 */
/* The generator as its authors describe it: Salmon et al., "Parallel random numbers: as easy as 1,
 * 2, 3". */
#include "philox.h"

void philox4x32_10(uint32_t ctr[4], const uint32_t key[2]) {
    uint32_t k[2] = {key[0], key[1]};
    for (int round = 0; round < 10; round++) {
        const uint64_t even = UINT64_C(0xD2511F53) * ctr[0], odd = UINT64_C(0xCD9E8D57) * ctr[2];
        const uint32_t next[4] = {(uint32_t)(odd >> 32) ^ ctr[1] ^ k[0], (uint32_t)odd,
                (uint32_t)(even >> 32) ^ ctr[3] ^ k[1], (uint32_t)even};
        for (int i = 0; i < 4; i++) ctr[i] = next[i];
        k[0] += 0x9E3779B9;
        k[1] += 0xBB67AE85;
    }
}

uint32_t philox_at(uint64_t index, uint64_t seed, uint64_t offset) {
    const uint64_t block = index & ~UINT64_C(3);
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t ctr[4] = {
            (uint32_t)offset, (uint32_t)(offset >> 32), (uint32_t)block, (uint32_t)(block >> 32)};
    philox4x32_10(ctr, key);
    return ctr[index & 3];
}

/* This variant widens every counter and key to 64 bits in one fixed way. */
uint32_t philox_short_at(uint32_t index, uint32_t seed) {
    const uint64_t x = index & ~3u;
    return philox_at((x + 3) << 32 | (x + 2), (uint64_t)seed << 32 | seed, (x + 1) << 32 | x);
}
