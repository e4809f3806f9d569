/* SPDX-License-Identifier: Apache-2.0 */
/* Native code as Intel's compiler writes it: a 64-bit ELF file with sections for the instructions
 * and for their properties. */
#ifndef KERNELS_ZEBIN_H
#define KERNELS_ZEBIN_H

#include <stdbool.h>
#include <stdint.h>

/* Removes what the driver does not need: the names and types of arguments, and the options. Returns
 * the new size; `data` has room for that of before. What is no such file stays as it is. */
uint32_t zebin_slim(uint8_t *data, uint32_t size);
/* Finds the range of the instructions; false: there are none. */
bool zebin_find_code(const uint8_t *data, uint32_t size, uint32_t *from, uint32_t *to);

#endif
