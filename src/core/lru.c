/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table whose entries also stand in a list, ordered by their last use. One mutex guards a
 * cache. Values are built and released without it. */
#include "core/lru.h"

#include <pthread.h>
#include <stdatomic.h>

#include "core/alloc.h"
#include "core/env.h"

typedef struct entry {
    struct entry *chain; /* the next in the bucket, or in the list of entries to release */
    struct entry *newer, *older;
    const lru_class_t *cls;
    const void *owner;
    const void *key; /* belongs to the builder during the build, then to the value */
    void *value;
    uint64_t hash;
    dnnl_status_t status; /* of the build */
    int waiters;          /* threads that wait for the build, or have not seen its end yet */
    bool building;
    bool linked; /* the entry is in the table; otherwise the last waiter frees it */
} entry_t;

struct lru {
    pthread_mutex_t lock;
    pthread_cond_t built;
    entry_t **bucket; /* their number is a power of two; NULL before the first use */
    size_t nbuckets;
    entry_t *newest, *oldest; /* without the entries that are being built */
    int size;                 /* of the list */
    atomic_int capacity;      /* negative: the environment was not read yet */
};

static struct lru primitives = {
        .lock = PTHREAD_MUTEX_INITIALIZER, .built = PTHREAD_COND_INITIALIZER, .capacity = -1};
static struct lru descriptors = {
        .lock = PTHREAD_MUTEX_INITIALIZER, .built = PTHREAD_COND_INITIALIZER, .capacity = -1};

lru_t *primitive_cache(void) {
    return &primitives;
}
lru_t *pd_cache(void) {
    return &descriptors;
}

void caches_evict(const void *owner) {
    /* Primitives go first, since they hold references to descriptors. */
    lru_evict(&primitives, owner);
    lru_evict(&descriptors, owner);
}

int lru_capacity(lru_t *lru) {
    int capacity = atomic_load_explicit(&lru->capacity, memory_order_relaxed);
    if (capacity >= 0) return capacity;
    int initial = env_int("PRIMITIVE_CACHE_CAPACITY", 1024);
    if (initial < 0) initial = 1024;
    /* A value that another thread has set meanwhile stays. */
    return atomic_compare_exchange_strong(&lru->capacity, &capacity, initial) ? initial : capacity;
}

static void unlink_list(lru_t *lru, entry_t *e) {
    *(e->newer ? &e->newer->older : &lru->newest) = e->older;
    *(e->older ? &e->older->newer : &lru->oldest) = e->newer;
    lru->size--;
}

static void push_newest(lru_t *lru, entry_t *e) {
    e->newer = NULL;
    e->older = lru->newest;
    *(lru->newest ? &lru->newest->newer : &lru->oldest) = e;
    lru->newest = e;
    lru->size++;
}

static void unlink_table(lru_t *lru, entry_t *e) {
    e->linked = false;
    entry_t **at = &lru->bucket[e->hash & (lru->nbuckets - 1)];
    while (*at != e) at = &(*at)->chain;
    *at = e->chain;
}

static void link_table(lru_t *lru, entry_t *e) {
    entry_t **at = &lru->bucket[e->hash & (lru->nbuckets - 1)];
    e->chain = *at;
    *at = e;
    e->linked = true;
}

/* Without memory for more buckets the chains get longer. Only the first table is indispensable. */
static bool grow_table(lru_t *lru) {
    if ((size_t)lru->size < lru->nbuckets) return true;
    size_t n = lru->nbuckets ? 2 * lru->nbuckets : 64;
    entry_t **bucket = dz_calloc(n, sizeof(*bucket));
    if (!bucket) return lru->nbuckets != 0;
    entry_t **old = lru->bucket;
    size_t nold = lru->nbuckets;
    lru->bucket = bucket;
    lru->nbuckets = n;
    for (size_t i = 0; i < nold; i++)
        for (entry_t *e = old[i], *next; e; e = next) {
            next = e->chain;
            link_table(lru, e);
        }
    dz_free(old);
    return true;
}

/* Puts an entry on a list for release_all(), if it is out of the table and no thread waits for
 * it. */
static void drop(entry_t *e, entry_t **out) {
    if (e->linked || e->waiters) return;
    e->chain = *out;
    *out = e;
}

static void take_out(lru_t *lru, entry_t *e, entry_t **out) {
    unlink_table(lru, e);
    unlink_list(lru, e);
    drop(e, out);
}

static void release_all(entry_t *e) {
    while (e) {
        entry_t *next = e->chain;
        if (e->value) e->cls->unref(e->value);
        dz_free(e);
        e = next;
    }
}

static void shrink(lru_t *lru, int capacity, entry_t **out) {
    while (lru->size > capacity) take_out(lru, lru->oldest, out);
}

static entry_t *find(lru_t *lru, const lru_class_t *cls, uint64_t hash, const void *key) {
    if (!lru->nbuckets) return NULL;
    for (entry_t *e = lru->bucket[hash & (lru->nbuckets - 1)]; e; e = e->chain)
        if (e->hash == hash && e->cls == cls && cls->equal(e->key, key)) return e;
    return NULL;
}

dnnl_status_t lru_get(lru_t *lru, const lru_class_t *cls, uint64_t hash, const void *owner,
        const void *key, lru_build_fn build, void *ctx, void **value, bool *hit) {
    if (hit) *hit = false;
    if (lru_capacity(lru) == 0) return build(value, key, ctx);

    entry_t *out = NULL;
    pthread_mutex_lock(&lru->lock);
    entry_t *e = find(lru, cls, hash, key);
    if (e) {
        if (e->building) {
            e->waiters++;
            while (e->building) pthread_cond_wait(&lru->built, &lru->lock);
            e->waiters--;
        }
        dnnl_status_t status = e->status;
        if (status == dnnl_success) {
            *value = e->value;
            cls->ref(e->value);
        }
        if (!e->linked) {
            drop(e, &out);
        } else if (lru->newest != e) {
            unlink_list(lru, e);
            push_newest(lru, e);
        }
        pthread_mutex_unlock(&lru->lock);
        release_all(out);
        if (hit) *hit = status == dnnl_success;
        return status;
    }

    e = grow_table(lru) ? dz_calloc(1, sizeof(*e)) : NULL;
    if (!e) { /* without memory for an entry, the value is built but not kept */
        pthread_mutex_unlock(&lru->lock);
        return build(value, key, ctx);
    }
    e->cls = cls;
    e->owner = owner;
    e->key = key;
    e->hash = hash;
    e->building = true;
    link_table(lru, e);
    pthread_mutex_unlock(&lru->lock);

    dnnl_status_t status = build(value, key, ctx);

    pthread_mutex_lock(&lru->lock);
    e->building = false;
    e->status = status;
    pthread_cond_broadcast(&lru->built);
    if (status == dnnl_success) {
        e->value = *value;
        e->key = cls->key_of(e->value);
        cls->ref(e->value);
        push_newest(lru, e);
        shrink(lru, lru_capacity(lru), &out);
    } else {
        unlink_table(lru, e);
        drop(e, &out);
    }
    pthread_mutex_unlock(&lru->lock);
    release_all(out);
    return status;
}

void lru_evict(lru_t *lru, const void *owner) {
    entry_t *out = NULL;
    pthread_mutex_lock(&lru->lock);
    for (entry_t *e = lru->oldest, *newer; e; e = newer) {
        newer = e->newer;
        if (e->owner == owner) take_out(lru, e, &out);
    }
    pthread_mutex_unlock(&lru->lock);
    release_all(out);
}

void lru_set_capacity(lru_t *lru, int capacity) {
    entry_t *out = NULL;
    atomic_store(&lru->capacity, capacity);
    pthread_mutex_lock(&lru->lock);
    shrink(lru, capacity, &out);
    pthread_mutex_unlock(&lru->lock);
    release_all(out);
}

void lru_clear(lru_t *lru) {
    entry_t *out = NULL;
    pthread_mutex_lock(&lru->lock);
    shrink(lru, 0, &out);
    pthread_mutex_unlock(&lru->lock);
    release_all(out);
}

int lru_size(lru_t *lru) {
    pthread_mutex_lock(&lru->lock);
    int size = lru->size;
    pthread_mutex_unlock(&lru->lock);
    return size;
}

lru_t *lru_create(int capacity) {
    lru_t *lru = dz_calloc(1, sizeof(*lru));
    if (!lru) return NULL;
    pthread_mutex_init(&lru->lock, NULL);
    pthread_cond_init(&lru->built, NULL);
    atomic_init(&lru->capacity, capacity);
    return lru;
}

void lru_destroy(lru_t *lru) {
    if (!lru) return;
    lru_clear(lru);
    dz_free(lru->bucket);
    pthread_mutex_destroy(&lru->lock);
    pthread_cond_destroy(&lru->built);
    dz_free(lru);
}
