/* SPDX-License-Identifier: Apache-2.0 */
/* A list in the order of last use. A linear search is good enough: the list is short, and the
 * alternative to a hit is to compile. */
#include "ze/native_store.h"

#include <pthread.h>
#include <string.h>

#include "core/alloc.h"

typedef struct entry {
    struct entry *next; /* used less recently than this one */
    native_key_t key;
    size_t size;
    uint8_t data[];
} entry_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards: */
static entry_t *newest;
static size_t total;

/* Takes an entry out of the list and returns it, or NULL. Called with the lock held. */
static entry_t *take(native_key_t key) {
    entry_t **link = &newest;
    while (*link && ((*link)->key.device != key.device || (*link)->key.module != key.module))
        link = &(*link)->next;
    entry_t *entry = *link;
    if (!entry) return NULL;
    *link = entry->next;
    total -= entry->size;
    return entry;
}

static void push(entry_t *entry) {
    entry->next = newest;
    newest = entry;
    total += entry->size;
}

/* Cuts off the entries beyond the limit and returns them. Called with the lock held. */
static entry_t *cut(size_t limit) {
    size_t kept = 0;
    entry_t **link = &newest;
    while (*link && kept + (*link)->size <= limit) {
        kept += (*link)->size;
        link = &(*link)->next;
    }
    entry_t *rest = *link;
    *link = NULL;
    total = kept;
    return rest;
}

static void free_all(entry_t *entry) {
    while (entry) {
        entry_t *next = entry->next;
        dz_free(entry);
        entry = next;
    }
}

void native_store_put(native_key_t key, const void *data, size_t size) {
    entry_t *entry = size <= NATIVE_STORE_LIMIT ? dz_malloc(sizeof *entry + size) : NULL;
    if (!entry) return;
    entry->key = key;
    entry->size = size;
    memcpy(entry->data, data, size);
    pthread_mutex_lock(&lock);
    entry_t *old = take(key);
    push(entry);
    entry_t *rest = total > NATIVE_STORE_LIMIT ? cut(NATIVE_STORE_LIMIT) : NULL;
    pthread_mutex_unlock(&lock);
    dz_free(old);
    free_all(rest);
}

uint8_t *native_store_get(native_key_t key, size_t *size) {
    uint8_t *copy = NULL;
    pthread_mutex_lock(&lock);
    entry_t *entry = take(key);
    if (entry) {
        push(entry);
        copy = dz_malloc(entry->size + 1);
        if (copy) memcpy(copy, entry->data, *size = entry->size);
    }
    pthread_mutex_unlock(&lock);
    return copy;
}

void native_store_clear(void) {
    pthread_mutex_lock(&lock);
    entry_t *all = cut(0);
    pthread_mutex_unlock(&lock);
    free_all(all);
}
