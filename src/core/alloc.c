/* SPDX-License-Identifier: Apache-2.0 */
/* Host allocations with fault injection for tests. */
#include "core/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

atomic_long dz_alloc_fail_after;
atomic_int dz_alloc_fail_forever;
atomic_long dz_alloc_live;

static bool must_fail(void) {
    if (atomic_load_explicit(&dz_alloc_fail_after, memory_order_relaxed) <= 0) return false;
    if (atomic_fetch_sub(&dz_alloc_fail_after, 1) != 1) return false;
    if (atomic_load(&dz_alloc_fail_forever)) atomic_store(&dz_alloc_fail_after, 1);
    return true;
}

static void *count(void *ptr) {
    if (ptr) atomic_fetch_add_explicit(&dz_alloc_live, 1, memory_order_relaxed);
    return ptr;
}

void *dz_malloc(size_t size) {
    return must_fail() ? NULL : count(malloc(size));
}

void *dz_calloc(size_t n, size_t size) {
    return must_fail() ? NULL : count(calloc(n, size));
}

void *dz_realloc(void *ptr, size_t size) {
    if (!ptr) return dz_malloc(size);
    return must_fail() ? NULL : realloc(ptr, size);
}

void *dz_aligned(size_t alignment, size_t size) {
    void *ptr = NULL;
    if (alignment < sizeof(void *)) alignment = sizeof(void *);
    if (must_fail() || posix_memalign(&ptr, alignment, size)) return NULL;
    return count(ptr);
}

char *dz_strdup(const char *s) {
    const size_t size = strlen(s) + 1;
    char *copy = dz_malloc(size);
    return copy ? memcpy(copy, s, size) : NULL;
}

void dz_free(void *ptr) {
    if (ptr) atomic_fetch_sub_explicit(&dz_alloc_live, 1, memory_order_relaxed);
    free(ptr);
}
