/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the process: capacities of caches, and dumps. */
#include <stdatomic.h>

#include "core/check.h"
#include "graph/dump.h"
#include "oneapi/dnnl/dnnl_graph.h"

/* In megabytes, by kind of engine: cpu, gpu. Constant tensors are not kept yet. */
static atomic_size_t constant_capacity[2];

static dnnl_status_t find(dnnl_engine_kind_t kind, atomic_size_t **capacity) {
    CHECK_ARG(kind == dnnl_cpu || kind == dnnl_gpu, "graph", "%d is no kind of engine", (int)kind);
    *capacity = &constant_capacity[kind == dnnl_gpu];
    return dnnl_success;
}

dnnl_status_t dnnl_graph_set_constant_tensor_cache_capacity(
        dnnl_engine_kind_t eng_kind, size_t size) {
    const size_t largest = SIZE_MAX / (1024 * 1024);
    atomic_size_t *capacity;
    TRY(find(eng_kind, &capacity));
    atomic_store(capacity, size < largest ? size : largest);
    return dnnl_success;
}

dnnl_status_t dnnl_graph_get_constant_tensor_cache_capacity(
        dnnl_engine_kind_t eng_kind, size_t *size) {
    atomic_size_t *capacity;
    CHECK_NOT_NULL(size, "graph");
    TRY(find(eng_kind, &capacity));
    *size = atomic_load(capacity);
    return dnnl_success;
}

dnnl_status_t dnnl_graph_set_constant_tensor_cache(int flag) {
    CHECK_ARG(flag >= 0, "graph", "a flag of %d", flag);
    TRY(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_cpu, flag ? SIZE_MAX : 0));
    return dnnl_graph_set_constant_tensor_cache_capacity(dnnl_gpu, flag ? SIZE_MAX : 0);
}

dnnl_status_t dnnl_graph_get_constant_tensor_cache(int *flag) {
    CHECK_NOT_NULL(flag, "graph");
    *flag = atomic_load(&constant_capacity[0]) || atomic_load(&constant_capacity[1]);
    return dnnl_success;
}

dnnl_status_t dnnl_graph_set_dump_mode(dnnl_graph_dump_mode_t modes) {
    CHECK_ARG(!((unsigned)modes & ~3u), "graph", "%d is no combination of dump modes", (int)modes);
    dump_set_modes(modes);
    return dnnl_success;
}
