/* SPDX-License-Identifier: Apache-2.0 */
/* Engines. */
#include "ze/engine.h"

#include <string.h>

#include "core/check.h"
#include "core/env.h"
#include "ocl/core.h"
#include "oneapi/dnnl/dnnl.h"

enum { EXPLANATION = 2048 }; /* bytes: a sentence with some names of files */

/* Level Zero, unless the variable names OpenCL. */
static bool wants_opencl(void) {
    const char *runtime = env_string("GPU_RUNTIME");
    return runtime && !strcmp(runtime, "ocl");
}

static size_t count_opencl(void) {
    cl_device_id devices[OCL_MOST_DEVICES];
    size_t n;
    if (ocl_devices(devices, &n) != dnnl_success) return 0;
    if (!n)
        verbose_warn(dnnl_success, "engine",
                "no OpenCL device that supports programs in SPIR-V was found");
    return n;
}

static dnnl_status_t create_opencl(dnnl_engine_t *engine, size_t index) {
    cl_device_id devices[OCL_MOST_DEVICES];
    size_t n;
    TRY(ocl_devices(devices, &n));
    if (!n)
        return verbose_error(dnnl_runtime_error, "engine",
                "no OpenCL device that supports programs in SPIR-V was found");
    CHECK_ARG(index < n, "engine", "there is no engine %zu, only %zu", index, n);
    return ocl_engine_create(engine, devices[index], NULL, (int)index);
}

size_t dnnl_engine_get_count(dnnl_engine_kind_t kind) {
    const device_list_t *list;
    char text[EXPLANATION];
    if (kind == dnnl_gpu && wants_opencl()) return count_opencl();
    if (kind != dnnl_gpu || device_list(&list) != dnnl_success) return 0;
    if (!list->ndevices && verbose_on(VERBOSE_WARN)) {
        device_explain_none(list, text, sizeof text);
        verbose_warn(dnnl_success, "engine", "%s", text);
    }
    return list->ndevices;
}

dnnl_status_t dnnl_engine_create(dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index) {
    const device_list_t *list;
    CHECK_NOT_NULL(engine, "engine");
    CHECK_ARG(kind == dnnl_gpu, "engine", "engines are of kind gpu only");
    if (wants_opencl()) return create_opencl(engine, index);
    TRY(device_list(&list));
    if (!list->ndevices) {
        char text[EXPLANATION];
        device_explain_none(list, text, sizeof text);
        return verbose_error(dnnl_runtime_error, "engine", "%s", text);
    }
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
    if (ze_is_forked()) return dnnl_success;
    void (*at_end)(dnnl_engine_t) = engine ? atomic_load(&engine->at_end) : NULL;
    if (at_end) at_end(engine);
    engine_unref(engine);
    return dnnl_success;
}
