/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's CPU library behind chains_t: with graph_chains.c it is a module that bench_rival()
 * loads. */
#include <stdio.h>
#include <string.h>

#include <oneapi/dnnl/dnnl.h>

#include "graph_chains.h"

/* The library's own allocator answers memory that the host can use. */
static void copy(void *to, const void *from, size_t size) {
    memcpy(to, from, size);
}

/* What bench_rival() looks for; NULL: the library has no engine of kind cpu here. */
__attribute__((visibility("default"))) const void *bench_rival_calls(void);

const void *bench_rival_calls(void) {
    static chains_rival_t rival = {.device = {.is_cpu = 1, .copy = copy}};
    const dnnl_version_t *version = dnnl_version();
    if (dnnl_engine_create(&rival.device.engine, dnnl_cpu, 0) != dnnl_success) return NULL;
    if (dnnl_stream_create(&rival.device.stream, rival.device.engine, dnnl_stream_default_flags) !=
            dnnl_success)
        return NULL;
    rival.chains = chains_library();
    snprintf(rival.version, sizeof rival.version, "%d.%d.%d", version->major, version->minor,
            version->patch);
    return &rival;
}
