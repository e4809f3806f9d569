/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of handles: chunks of slots of one kind, which are never freed. */
#include "object.h"
#include "strict.h"

#include <stdlib.h>
#include <string.h>

/* A free slot: the magic number stays 0, and the link follows it. */
struct object_slot {
    object_t object;
    object_slot_t *next;
};

enum {
    CHUNK_SLOTS = 64,
    KEEP_FREE =
            32, /* slots that stay free at least, so that a stale handle is recognised for long */
    KEEP_STRICT = 1 << 16, /* the same in strict mode */
};

static void append_free(object_pool_t *pool, object_slot_t *slot) {
    slot->object.magic = 0;
    slot->next = NULL;
    if (pool->last_free) pool->last_free->next = slot;
    else pool->first_free = slot;
    pool->last_free = slot;
    pool->n_free++;
}

static void grow(object_pool_t *pool) {
    size_t stride = (pool->size + 63u) & ~63u;
    char *chunk = calloc(CHUNK_SLOTS + 1, stride);
    if (!chunk) return;
    memcpy(chunk, &pool->chunks,
            sizeof pool->chunks); /* slot 0 links the chunks, so that they stay reachable */
    pool->chunks = chunk;
    for (size_t i = 1; i <= CHUNK_SLOTS; i++)
        append_free(pool, (object_slot_t *)(void *)(chunk + i * stride));
}

void *object_new(object_pool_t *pool) {
    pthread_mutex_lock(&pool->lock);
    if (pool->n_free <= KEEP_FREE) grow(pool);
    object_slot_t *slot = pool->first_free;
    if (slot) {
        pool->first_free = slot->next;
        if (!slot->next) pool->last_free = NULL;
        pool->n_free--;
    }
    pthread_mutex_unlock(&pool->lock);
    if (!slot) return NULL;
    uint32_t after = pool->kept_at + pool->kept;
    memset(slot, 0, pool->kept_at);
    memset((char *)slot + after, 0, pool->size - after);
    slot->object.magic = pool->magic;
    return slot;
}

/* In strict mode, a slot is reused only after KEEP_STRICT other objects were destroyed. Returns the
 * slot that can be reused now, or NULL. */
static object_slot_t *retire(object_pool_t *pool, object_slot_t *slot) {
    slot->object.magic = 0;
    slot->next = NULL;
    if (pool->last_retired) pool->last_retired->next = slot;
    else pool->first_retired = slot;
    pool->last_retired = slot;
    if (++pool->n_retired <= KEEP_STRICT) return NULL;
    object_slot_t *oldest = pool->first_retired;
    pool->first_retired = oldest->next;
    pool->n_retired--;
    return oldest;
}

void object_delete(object_pool_t *pool, void *object) {
    object_slot_t *slot = object;
    pthread_mutex_lock(&pool->lock);
    if (strict_level) slot = retire(pool, slot);
    if (slot) append_free(pool, slot);
    pthread_mutex_unlock(&pool->lock);
}

const char *object_kind_name(uint32_t magic) {
    static const char *const names[] = {"driver", "device", "context", "command queue",
            "command list", "fence", "event pool", "event", "module", "build log", "kernel",
            "physical memory"};
    return magic >= OBJECT_DRIVER && magic - OBJECT_DRIVER < COUNT_OF(names)
                   ? names[magic - OBJECT_DRIVER]
                   : "object";
}
