/* SPDX-License-Identifier: Apache-2.0 */
/* What strict mode asks of the allocations; without it nothing happens here. */
#ifndef ZE_CPU_MEMORY_H
#define ZE_CPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Where kernels and copies find what has this address. */
void *memory_view(const void *address);
/* Whether the bytes are inside of the allocation that the address lies in, if it lies in one, and that is not
 * freed. Complains if not; `what` names the argument. */
bool memory_check(const void *address, size_t size, const char *what);
/* Whether bytes around the allocation were written; complains of the call and the kernel (NULL: unknown). */
bool memory_is_broken(const void *address, const char *call, const char *kernel);
/* Kernels that find pointers in memory: opens all device memory for them, and closes it after the last. */
void memory_open(bool open);
/* The allocation of any context that contains the address; false: none does. */
bool memory_range(const void *address, char **base, size_t *size);

#endif
