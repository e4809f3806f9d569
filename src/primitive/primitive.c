/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives and the cache of their executables. */
#include "primitive/primitive.h"

#include <stdatomic.h>

#include "core/alloc.h"
#include "core/lru.h"
#include "core/status.h"
#include "core/verbose.h"
#include "ops/verbose_columns.h"
#include "plan/op.h"
#include "primitive/descriptor.h"
#include "ze/blob.h"

static bool key_equal(const void *a, const void *b) {
    return pd_equal(a, b);
}
static const void *key_of(const void *value) {
    return ((const executable_t *)value)->pd;
}
static void value_ref(void *value) {
    executable_ref(value);
}
static void value_unref(void *value) {
    executable_unref(value);
}
static const lru_class_t executables = {key_equal, key_of, value_ref, value_unref};

typedef struct {
    device_core_t *core;
    size_t blob_size;
    const uint8_t *blob; /* NULL: none */
} build_t;

double primitive_slow_ms = 1000;

/* Once in a process: it is news only then. */
static void note_slow(double start) {
    static atomic_flag noted = ATOMIC_FLAG_INIT;
    const double ms = verbose_now_ms() - start;
    if (ms >= primitive_slow_ms && !atomic_flag_test_and_set(&noted))
        verbose_info("code_cache",
                "the creation of a primitive took %.1f s, for the device's driver compiles its "
                "kernels at first use; ONEDNN_CODE_CACHE_DIR names a folder that keeps them",
                ms / 1000);
}

static dnnl_status_t build(void **value, const void *key, void *ctx) {
    const build_t *b = ctx;
    const bool noting = verbose_on(VERBOSE_INFO);
    const double start = noting ? verbose_now_ms() : 0;
    executable_t *x;
    pd_t *pd = (pd_t *)key;
    const dnnl_status_t status =
            b->blob ? executable_from_blob(&x, b->core, pd, b->blob_size, b->blob)
                    : executable_create(&x, b->core, pd, NULL, 0);
    if (status == dnnl_success) *value = x;
    if (status == dnnl_success && noting) note_slow(start);
    return status;
}

dnnl_status_t primitive_find(executable_t **out, device_core_t *core, pd_t *pd) {
    build_t ctx = {core, 0, NULL};
    void *value;
    const dnnl_status_t status =
            lru_get(primitive_cache(), &executables, pd->hash, core, pd, build, &ctx, &value, NULL);
    if (status == dnnl_success) *out = value;
    return status;
}

dnnl_status_t primitive_find_request(executable_t **out, device_core_t *core,
        const struct op_kind *op, dnnl_engine_t engine, const pd_request_t *request) {
    pd_t *pd;
    TRY(descriptor_find(&pd, op, engine, request));
    const dnnl_status_t status = primitive_find(out, core, pd);
    pd_unref(pd);
    return status;
}

dnnl_status_t primitive_create(
        dnnl_primitive_t *out, const_dnnl_primitive_desc_t desc, size_t size, const uint8_t *blob) {
    TRY(ze_check_process("primitive"));
    pd_t *pd = desc->pd;
    if (blob) TRY(executable_check_blob(desc->engine->core, pd, size, blob));
    const bool timed = verbose_on_kind(VERBOSE_CREATE, pd->op->kind);
    const double start = timed ? verbose_now_ms() : 0;
    device_core_t *core = desc->engine->core;
    build_t ctx = {core, size, blob};
    void *value;
    bool hit;
    dnnl_primitive_t primitive = dz_malloc(sizeof *primitive);
    if (!primitive)
        return verbose_error(dnnl_out_of_memory, "primitive", "no memory for a primitive");
    const dnnl_status_t status =
            lru_get(primitive_cache(), &executables, pd->hash, core, pd, build, &ctx, &value, &hit);
    if (status != dnnl_success) {
        dz_free(primitive);
        return status;
    }
    pd_ref(pd);
    engine_ref(desc->engine);
    if (desc->other) engine_ref(desc->other);
    primitive->exec = value;
    primitive->desc = *desc;
    if (timed)
        verbose_profile(hit    ? "create:cache_hit"
                        : blob ? "create:from_cache_blob"
                               : "create:cache_miss",
                core_log_index(core), pd_info(pd), start, verbose_now_ms() - start);
    *out = primitive;
    return dnnl_success;
}

void primitive_free(dnnl_primitive_t primitive) {
    if (!primitive) return;
    /* The engine goes last: when it ends, it destroys the driver's objects of its cached
     * primitives. */
    executable_unref(primitive->exec);
    pd_unref(primitive->desc.pd);
    engine_unref(primitive->desc.engine);
    engine_unref(primitive->desc.other);
    dz_free(primitive);
}
