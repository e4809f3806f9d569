/* SPDX-License-Identifier: Apache-2.0 */
/* A thread-safe cache of refcounted objects that forgets the least recently used one, and the two
 * caches of the library. */
#ifndef CORE_LRU_H
#define CORE_LRU_H

#include <stdbool.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_types.h"

/* What a cache calls for its values. The key of a value lives as long as the value; it may be the
 * value itself. */
typedef struct {
    bool (*equal)(const void *key_a, const void *key_b);
    const void *(*key_of)(const void *value);
    void (*ref)(void *value);
    void (*unref)(void *value); /* called without the cache's lock held */
} lru_class_t;

/* Makes the value of a key, with one reference for the caller of lru_get(). It runs without the
 * cache's lock. */
typedef dnnl_status_t (*lru_build_fn)(void **value, const void *key, void *ctx);

typedef struct lru lru_t;

/* Finds the value of a key, or builds it. *value gets a reference of its own. While one thread
 * builds, other threads that ask for the same key wait, and share the result or the failure. *hit
 * (may be NULL): the value was there. owner: what caches_evict() names. */
dnnl_status_t lru_get(lru_t *lru, const lru_class_t *cls, uint64_t hash, const void *owner,
        const void *key, lru_build_fn build, void *ctx, void **value, bool *hit);
void lru_evict(lru_t *lru, const void *owner); /* drops every value of the owner */
void lru_clear(lru_t *lru);
int lru_size(lru_t *lru);
int lru_capacity(lru_t *lru);
void lru_set_capacity(lru_t *lru, int capacity); /* 0: keeps nothing */

/* For tests; the caches of the library are static. Capacity -1: ONEDNN_PRIMITIVE_CACHE_CAPACITY, or
 * 1024 values. */
lru_t *lru_create(int capacity);
void lru_destroy(lru_t *lru);

/* The caches of the library. dnnl_set_primitive_cache_capacity() sets the capacity of both. Each
 * has its own lock. */
lru_t *primitive_cache(void);
lru_t *pd_cache(void);
/* Drops the owner's values in both caches. An engine's core calls it before it ends, since cached
 * values do not hold a reference to it. */
void caches_evict(const void *owner);

#endif
