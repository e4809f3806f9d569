/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers of dropout and stochastic rounding, one at a time. */
#ifndef TESTS_PHILOX_H
#define TESTS_PHILOX_H

#include <stdint.h>

/* Philox4x32 with ten rounds, in place. */
void philox4x32_10(uint32_t ctr[4], const uint32_t key[2]);
/* The number of an element with an offset, which may be 0, and without one. */
uint32_t philox_at(uint64_t index, uint64_t seed, uint64_t offset);
uint32_t philox_short_at(uint32_t index, uint32_t seed);

#endif
