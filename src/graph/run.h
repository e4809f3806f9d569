/* SPDX-License-Identifier: Apache-2.0 */
/* Execution of a compiled partition, for all functions of the interface. */
#ifndef GRAPH_RUN_H
#define GRAPH_RUN_H

#include "graph/frames.h"

typedef struct run {
    size_t nin, nout;
    const const_dnnl_graph_tensor_t *in, *out;
    const_dnnl_graph_tensor_t scratchpad; /* NULL: the library's */
    int ndeps;
    const device_event_t *deps;
    device_event_t *event;
} run_t;

dnnl_status_t compiled_run(
        const_dnnl_graph_compiled_partition_t cp, dnnl_stream_t stream, const run_t *run);

#endif
