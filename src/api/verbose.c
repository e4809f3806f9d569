/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_set_verbose and the capacity of the primitive cache: settings of the whole process. */
#include "core/check.h"
#include "core/lru.h"
#include "oneapi/dnnl/dnnl.h"
#include "ze/runtime.h"

dnnl_status_t dnnl_set_verbose(int level) {
    CHECK_ARG(verbose_set_level(level) == dnnl_success, "common",
            "verbose level %d is not 0, 1 or 2", level);
    return dnnl_success;
}

dnnl_status_t dnnl_get_primitive_cache_capacity(int *capacity) {
    CHECK_NOT_NULL(capacity, "common");
    *capacity = lru_capacity(primitive_cache());
    return dnnl_success;
}

dnnl_status_t dnnl_set_primitive_cache_capacity(int capacity) {
    TRY(ze_check_process("common"));
    CHECK_ARG(capacity >= 0, "common", "the capacity %d is negative", capacity);
    lru_set_capacity(primitive_cache(), capacity);
    lru_set_capacity(pd_cache(), capacity);
    return dnnl_success;
}
