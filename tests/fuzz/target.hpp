/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzz target and the program that runs its corpus have in common. */
#ifndef TESTS_FUZZ_TARGET_HPP
#define TESTS_FUZZ_TARGET_HPP

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* The target's: says what it did, and frees everything. False: the corpus has inputs that it should
 * not have. */
bool finish_target();

/* below() goes on with these bytes, and answers 0 after the last. */
void draw_from(const uint8_t *data, size_t size);

#endif
