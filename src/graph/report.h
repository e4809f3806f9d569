/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the verbose log about compiled partitions. */
#ifndef GRAPH_REPORT_H
#define GRAPH_REPORT_H

#include "graph/run.h"

/* A partition was compiled (hit: found in the cache) since start_ms, by verbose_now_ms(). */
void report_compile(const_dnnl_graph_compiled_partition_t cp, bool hit, double start_ms);
/* Waits for the stream, unless it records, so that the line can tell the time. */
void report_execution(const_dnnl_graph_compiled_partition_t cp, dnnl_stream_t stream,
        const run_t *run, double start_ms);

#endif
