/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/cache_key.h"

#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"

void sink_put(sink_t *sink, const void *data, size_t size) {
    if (sink->bytes && size) memcpy(sink->bytes + sink->size, data, size);
    sink->size += size;
}

void sink_put_number(sink_t *sink, uint64_t number) {
    sink_put(sink, &number, sizeof number);
}

cache_key_t *cache_key_make(void (*put)(sink_t *sink, const void *ctx), const void *ctx) {
    sink_t sink = {NULL, 0};
    put(&sink, ctx);
    cache_key_t *key = dz_malloc(sizeof *key + sink.size);
    if (!key) return NULL;
    key->size = sink.size;
    sink = (sink_t){key->bytes, 0};
    put(&sink, ctx);
    key->hash = hash_bytes(key->bytes, key->size, 0);
    return key;
}

bool cache_key_equal(const cache_key_t *a, const cache_key_t *b) {
    return a->hash == b->hash && a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}
