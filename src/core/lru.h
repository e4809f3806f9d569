/* SPDX-License-Identifier: Apache-2.0 */
/* A thread-safe cache of refcounted objects that forgets the least recently used one, and the two caches of
 * the library. */
#ifndef CORE_LRU_H
#define CORE_LRU_H

#include <stdbool.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_types.h"

/* How a cache handles its values. The key of a value lives as long as the value (it may be the value itself).
 */
typedef struct {
    bool (*equal)(const void *key_a, const void *key_b);
    const void *(*key_of)(const void *value);
    void (*ref)(void *value);
    void (*unref)(void *value); /* called without the cache's lock held */
} lru_class_t;

/* Makes the value of a key, with one reference, which goes to the caller of lru_get(). Runs without the
 * cache's lock held. */
typedef dnnl_status_t (*lru_build_fn)(void **value, const void *key, void *ctx);

typedef struct lru lru_t;

/* Finds the value of a key, or builds it; *value gets a reference of its own. While one thread builds, others
 * that ask for the same key wait and share its result, or its failure. *hit (may be NULL) tells whether the
 * value was there. owner: what caches_evict() will name. */
dnnl_status_t lru_get(lru_t *lru, const lru_class_t *cls, uint64_t hash, const void *owner,
        const void *key, lru_build_fn build, void *ctx, void **value, bool *hit);
void lru_evict(lru_t *lru, const void *owner); /* drops every value of the owner */
void lru_clear(lru_t *lru);
int lru_size(lru_t *lru);
int lru_capacity(lru_t *lru);
void lru_set_capacity(lru_t *lru, int capacity); /* 0: keeps nothing */

/* For tests; the library's own are static. Capacity -1: ONEDNN_PRIMITIVE_CACHE_CAPACITY, or 1024. */
lru_t *lru_create(int capacity);
void lru_destroy(lru_t *lru);

/* The caches of the library. Their capacity is the one of dnnl_set_primitive_cache_capacity(). Each has its
 * lock inside. */
lru_t *primitive_cache(void);
lru_t *pd_cache(void);
/* Called by an engine's core before it goes away (it must not be referenced by cached values). */
void caches_evict(const void *owner);

#endif
