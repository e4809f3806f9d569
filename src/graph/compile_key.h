/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GRAPH_COMPILE_KEY_H
#define GRAPH_COMPILE_KEY_H

#include "graph/cache_key.h"

/* The key of a compilation: of the partition's operations and mode, the logical tensors of the
 * call, and the engine. NULL: out of memory. */
cache_key_t *compile_key(const_dnnl_graph_compiled_partition_t cp, const void *engine);

#endif
