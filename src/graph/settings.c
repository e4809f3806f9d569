/* SPDX-License-Identifier: Apache-2.0 */
/* Which graphs are dumped. */
#include "core/check.h"
#include "graph/dump.h"
#include "oneapi/dnnl/dnnl_graph.h"

dnnl_status_t dnnl_graph_set_dump_mode(dnnl_graph_dump_mode_t modes) {
    CHECK_ARG(!((unsigned)modes & ~3u), "graph", "%d is no combination of dump modes", (int)modes);
    dump_set_modes(modes);
    return dnnl_success;
}
