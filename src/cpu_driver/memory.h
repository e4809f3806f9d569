/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups of allocations. Except for memory_range(), memory_list() and the functions that count,
 * they do something only in strict mode. */
#ifndef ZE_CPU_MEMORY_H
#define ZE_CPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* The address at which kernels and copies access this memory. */
void *memory_view(const void *address);
/* False if the address lies in a freed allocation, or if the bytes exceed the allocation that
 * contains it. Then it complains; `what` names the argument. is_running: memory that is kept for
 * commands in flight is not freed yet. */
bool memory_check(const void *address, size_t size, const char *what, bool is_running);
/* Counts bytes as allocated, if the device has so many left. */
bool memory_claim(size_t size);
void memory_unclaim(size_t size);
/* Ends the life of freed memory that was kept. */
void memory_release(char *base);
/* Whether bytes around the allocation were overwritten. If so, complains about the call and the
 * kernel (NULL: unknown). */
bool memory_is_broken(const void *address, const char *call, const char *kernel);
/* Opens all device memory for a kernel that may use pointers that it finds in memory, or closes it
 * after the last such kernel. */
void memory_open(bool open);
/* The allocation of any context that contains the address; false: none does. */
bool memory_range(const void *address, char **base, size_t *size);
/* Writes the beginnings of all allocations, at most `room` of them; returns how many there are. */
size_t memory_list(void **bases, size_t room);

#endif
