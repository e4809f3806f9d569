/* SPDX-License-Identifier: Apache-2.0 */
/* Memory objects. */
#include "api/memory.h"

#include <string.h>

#include "core/check.h"
#include "oneapi/dnnl/dnnl.h"

dnnl_status_t memory_create_checked(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
        dnnl_engine_t engine, int nhandles, void *const *handles, handles_t kind) {
    TRY(ze_check_process("memory"));
    static const md_t empty;
    CHECK_NOT_NULL(memory, "memory");
    CHECK_NOT_NULL(engine, "memory");
    CHECK_NOT_NULL(handles, "memory");
    if (!md) md = &empty;
    const char *problem = md_problem(md);
    CHECK_ARG(!problem, "memory", "%s", problem);
    CHECK_ARG(!md_is_any(md), "memory", "the descriptor has no layout: its format kind is any");
    CHECK_ARG(!md_has_runtime_dims_or_strides(md), "memory",
            "the descriptor has run-time dimensions or strides");
    CHECK_ARG(!md_is_host_scalar(md), "memory",
            "a host scalar is made by dnnl_memory_create_host_scalar()");
    const int wanted = md_num_handles(md);
    CHECK_ARG(nhandles == (wanted > 0 ? wanted : 1) && nhandles <= MEMORY_MAX_HANDLES, "memory",
            "%d handles for %d buffers", nhandles, wanted);
    return memory_create(memory, md, engine, nhandles, handles, kind);
}

/* The handles that memory objects of the engine have unless the program says otherwise. */
static handles_t usual_kind(const struct dnnl_engine *engine) {
    if (!engine || !engine->core->backend) return HANDLES_TRUSTED;
    const attachment_t *there = attached_get(&engine->attached);
    return there && there->layer.has_pointers ? HANDLES_TRUSTED : HANDLES_BUFFERS;
}

/* Calls the function of the layer that the memory object belongs to, if there is one. */
#define CALL_LAYER(memory, function, ...)                                                          \
    do {                                                                                           \
        const attachment_t *there = attached_get(&(memory)->attached);                             \
        if (there && there->layer.function)                                                        \
            return there->layer.function(there->data, __VA_ARGS__);                                \
    } while (0)

dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory, const_dnnl_memory_desc_t memory_desc,
        dnnl_engine_t engine, void *handle) {
    return memory_create_checked(memory, memory_desc, engine, 1, &handle, usual_kind(engine));
}

dnnl_status_t dnnl_memory_create_v2(dnnl_memory_t *memory, const_dnnl_memory_desc_t memory_desc,
        dnnl_engine_t engine, int nhandles, void **handles) {
    return memory_create_checked(
            memory, memory_desc, engine, nhandles, handles, usual_kind(engine));
}

dnnl_status_t dnnl_memory_create_host_scalar(
        dnnl_memory_t *memory, const_dnnl_memory_desc_t memory_desc, void *scalar_ptr) {
    CHECK_NOT_NULL(memory, "memory");
    CHECK_NOT_NULL(memory_desc, "memory");
    CHECK_NOT_NULL(scalar_ptr, "memory");
    CHECK_ARG(md_is_host_scalar(memory_desc), "memory", "the descriptor is not of a host scalar");
    return memory_create_scalar(memory, memory_desc, scalar_ptr);
}

dnnl_status_t dnnl_memory_get_memory_desc(
        const_dnnl_memory_t memory, const_dnnl_memory_desc_t *memory_desc) {
    CHECK_NOT_NULL(memory, "memory");
    CHECK_NOT_NULL(memory_desc, "memory");
    *memory_desc = &memory->md;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_get_engine(const_dnnl_memory_t memory, dnnl_engine_t *engine) {
    CHECK_NOT_NULL(memory, "memory");
    CHECK_NOT_NULL(engine, "memory");
    *engine = memory->engine;
    return dnnl_success;
}

static dnnl_status_t check_handle(const_dnnl_memory_t memory, int index) {
    CHECK_ARG(memory->engine, "memory", "a host scalar has no buffer");
    CHECK_ARG(index >= 0 && index < memory->nhandles, "memory", "there is no buffer %d", index);
    return dnnl_success;
}

dnnl_status_t dnnl_memory_map_data_v2(const_dnnl_memory_t memory, void **mapped_ptr, int index) {
    TRY(ze_check_process("memory"));
    CHECK_NOT_NULL(memory, "memory");
    CHECK_NOT_NULL(mapped_ptr, "memory");
    if (!memory->engine && index == 0) {
        *mapped_ptr = ((dnnl_memory_t)memory)->scalar.bytes;
        return dnnl_success;
    }
    TRY(check_handle(memory, index));
    CALL_LAYER(memory, map, mapped_ptr);
    return memory_map((dnnl_memory_t)memory, index, mapped_ptr);
}

dnnl_status_t dnnl_memory_map_data(const_dnnl_memory_t memory, void **mapped_ptr) {
    return dnnl_memory_map_data_v2(memory, mapped_ptr, 0);
}

dnnl_status_t dnnl_memory_unmap_data_v2(const_dnnl_memory_t memory, void *mapped_ptr, int index) {
    TRY(ze_check_process("memory"));
    CHECK_NOT_NULL(memory, "memory");
    if (!memory->engine && mapped_ptr == memory->scalar.bytes) return dnnl_success;
    TRY(check_handle(memory, index));
    CALL_LAYER(memory, unmap, mapped_ptr);
    return memory_unmap((dnnl_memory_t)memory, index, mapped_ptr);
}

dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory, void *mapped_ptr) {
    return dnnl_memory_unmap_data_v2(memory, mapped_ptr, 0);
}

dnnl_status_t dnnl_memory_get_data_handle_v2(const_dnnl_memory_t memory, void **handle, int index) {
    CHECK_NOT_NULL(handle, "memory");
    if (memory) {
        TRY(check_handle(memory, index));
        CALL_LAYER(memory, get_handle, handle);
    }
    *handle = memory ? memory->ptr[index] : NULL;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory, void **handle) {
    return dnnl_memory_get_data_handle_v2(memory, handle, 0);
}

dnnl_status_t dnnl_memory_set_data_handle_v2(dnnl_memory_t memory, void *handle, int index) {
    TRY(ze_check_process("memory"));
    CHECK_NOT_NULL(memory, "memory");
    TRY(check_handle(memory, index));
    CHECK_ARG(handle != DNNL_MEMORY_ALLOCATE, "memory",
            "a buffer can be allocated only when the memory object is made");
    CALL_LAYER(memory, set_handle, handle);
    return memory_set_handle(memory, index, handle);
}

dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void *handle) {
    return dnnl_memory_set_data_handle_v2(memory, handle, 0);
}

dnnl_status_t dnnl_memory_get_host_scalar_value(const_dnnl_memory_t memory, void *value) {
    CHECK_NOT_NULL(memory, "memory");
    CHECK_NOT_NULL(value, "memory");
    CHECK_ARG(!memory->engine, "memory", "the memory object is not a host scalar");
    memcpy(value, memory->scalar.bytes, dt_size(memory->md.data_type));
    return dnnl_success;
}

dnnl_status_t dnnl_memory_set_host_scalar_value(dnnl_memory_t memory, const void *value) {
    CHECK_NOT_NULL(memory, "memory");
    CHECK_NOT_NULL(value, "memory");
    CHECK_ARG(!memory->engine, "memory", "the memory object is not a host scalar");
    memcpy(memory->scalar.bytes, value, dt_size(memory->md.data_type));
    return dnnl_success;
}

dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory) {
    if (ze_is_forked()) return dnnl_success;
    if (memory) memory_free(memory);
    return dnnl_success;
}
