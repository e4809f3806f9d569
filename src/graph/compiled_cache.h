/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of compiled partitions. Partitions with equal operations that are compiled with equal
 * logical tensors for one engine share a program. */
#ifndef GRAPH_COMPILED_CACHE_H
#define GRAPH_COMPILED_CACHE_H

#include "graph/objects.h"

/* Compiles: sets the frames, and completes the ports. */
typedef dnnl_status_t (*compile_fn)(dnnl_graph_compiled_partition_t cp, dnnl_engine_t engine);

/* Drops what is kept for an engine, which it would keep alive. */
void compiled_cache_forget(dnnl_engine_t engine);
/* Gives a compiled partition, whose ports are those of the call, frames that are kept or that
 * `compile` makes. *hit: they were kept. */
dnnl_status_t compiled_cache_get(
        dnnl_graph_compiled_partition_t cp, dnnl_engine_t engine, compile_fn compile, bool *hit);

#endif
