/* SPDX-License-Identifier: Apache-2.0 */
/* Every host allocation of the library goes through here, so that a test can make the n-th one
 * fail. */
#ifndef CORE_ALLOC_H
#define CORE_ALLOC_H

#include <stdatomic.h>
#include <stddef.h>

/* Like the functions of libc without the prefix; NULL: out of memory. The alignment of dz_aligned()
 * is a power of two, and dz_free() frees its memory too. */
void *dz_malloc(size_t size) __attribute__((malloc));
void *dz_calloc(size_t count, size_t size) __attribute__((malloc));
void *dz_realloc(void *ptr, size_t size);
void *dz_aligned(size_t alignment, size_t size) __attribute__((malloc));
char *dz_strdup(const char *s) __attribute__((malloc));
void dz_free(void *ptr);

/* Fault injection for tests. Every allocation counts dz_alloc_fail_after down; the one that reaches
 * 0 fails, and with dz_alloc_fail_forever all later ones do. 0, the default: none fails. n: the
 * n-th allocation from now on fails. */
extern atomic_long dz_alloc_fail_after;
extern atomic_int dz_alloc_fail_forever;
/* The number of allocations that are not freed yet, for leak checks in tests. */
extern atomic_long dz_alloc_live;

#endif
