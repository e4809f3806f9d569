/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of caches: everything that decides a result, as bytes. */
#ifndef GRAPH_CACHE_KEY_H
#define GRAPH_CACHE_KEY_H

#include "graph/objects.h"

typedef struct cache_key {
    size_t size;
    uint64_t hash;
    unsigned char bytes[];
} cache_key_t;

/* Bytes are counted first, and then written. */
typedef struct {
    unsigned char *bytes; /* NULL: they are counted */
    size_t size;
} sink_t;

void sink_put(sink_t *sink, const void *data, size_t size);
void sink_put_number(sink_t *sink, uint64_t number);

/* The key of the bytes that `put` puts, the same ones in two calls. NULL: out of memory. Free it
 * with dz_free(). */
cache_key_t *cache_key_make(void (*put)(sink_t *sink, const void *ctx), const void *ctx);
bool cache_key_equal(const cache_key_t *a, const cache_key_t *b);

#endif
