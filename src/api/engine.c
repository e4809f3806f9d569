/* SPDX-License-Identifier: Apache-2.0 */
/* Engines. */
#include "ze/engine.h"

#include "core/check.h"
#include "oneapi/dnnl/dnnl.h"

size_t dnnl_engine_get_count(dnnl_engine_kind_t kind) {
    const device_list_t *list;
    return kind == dnnl_gpu && device_list(&list) == dnnl_success ? list->ndevices : 0;
}

dnnl_status_t dnnl_engine_create(dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index) {
    const device_list_t *list;
    CHECK_NOT_NULL(engine, "engine");
    CHECK_ARG(kind == dnnl_gpu, "engine", "engines are of kind gpu only");
    TRY(device_list(&list));
    if (!list->ndevices)
        return verbose_error(dnnl_runtime_error, "engine", "no Level Zero device was found");
    CHECK_ARG(index < list->ndevices, "engine", "there is no engine %zu, only %zu", index,
            list->ndevices);
    const root_device_t *root = &list->devices[index];
    return engine_create(engine, root->driver, root->device, NULL, (int)index);
}

dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t *kind) {
    CHECK_NOT_NULL(engine, "engine");
    CHECK_NOT_NULL(kind, "engine");
    *kind = dnnl_gpu;
    return dnnl_success;
}

dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine) {
    engine_unref(engine);
    return dnnl_success;
}
