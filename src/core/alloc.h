/* SPDX-License-Identifier: Apache-2.0 */
/* The library's host allocations. All go through here, so that a test can make the n-th one fail. */
#ifndef CORE_ALLOC_H
#define CORE_ALLOC_H

#include <stdatomic.h>
#include <stddef.h>

/* As their namesakes in libc; NULL when out of memory. dz_aligned takes a power of two and is freed by
 * dz_free too. */
void *dz_malloc(size_t size) __attribute__((malloc));
void *dz_calloc(size_t count, size_t size) __attribute__((malloc));
void *dz_realloc(void *ptr, size_t size);
void *dz_aligned(size_t alignment, size_t size) __attribute__((malloc));
char *dz_strdup(const char *s) __attribute__((malloc));
void dz_free(void *ptr);

/* Fault injection: the allocation that takes the counter from 1 to 0 fails, and with dz_alloc_fail_forever
 * also every later one. 0 (the default): none fails. Set dz_alloc_fail_after to n to make the n-th allocation
 * from now on fail. */
extern atomic_long dz_alloc_fail_after;
extern atomic_int dz_alloc_fail_forever;
/* Allocations that live now, for leak checks in tests. */
extern atomic_long dz_alloc_live;

#endif
