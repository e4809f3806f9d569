/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of caches: everything that decides a result, as bytes. */
#ifndef GRAPH_CACHE_KEY_H
#define GRAPH_CACHE_KEY_H

#include "graph/objects.h"

typedef struct {
    size_t size;
    uint64_t hash;
    unsigned char bytes[];
} cache_key_t;

/* The key of a compilation: of the partition's operations and mode, the logical tensors of the
 * call, and the engine. NULL: out of memory. Free it with dz_free(). */
cache_key_t *cache_key_of(const_dnnl_graph_compiled_partition_t cp, const void *engine);
bool cache_key_equal(const cache_key_t *a, const cache_key_t *b);

#endif
