/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives: creation, execution, cache blobs. */
#include "primitive/primitive.h"

#include "core/check.h"
#include "core/verbose.h"
#include "ze/blob.h"

dnnl_status_t dnnl_primitive_create(
        dnnl_primitive_t *primitive, const_dnnl_primitive_desc_t primitive_desc) {
    CHECK_NOT_NULL(primitive, "primitive");
    CHECK_NOT_NULL(primitive_desc, "primitive");
    return primitive_create(primitive, primitive_desc, 0, NULL);
}

dnnl_status_t dnnl_primitive_create_from_cache_blob(dnnl_primitive_t *primitive,
        const_dnnl_primitive_desc_t primitive_desc, size_t size, const uint8_t *cache_blob) {
    CHECK_NOT_NULL(primitive, "primitive");
    CHECK_NOT_NULL(primitive_desc, "primitive");
    CHECK_NOT_NULL(cache_blob, "primitive");
    return primitive_create(primitive, primitive_desc, size, cache_blob);
}

dnnl_status_t dnnl_primitive_get_cache_blob(
        const_dnnl_primitive_t primitive, size_t *size, uint8_t *cache_blob) {
    TRY(ze_check_process("primitive"));
    CHECK_NOT_NULL(primitive, "primitive");
    CHECK_NOT_NULL(size, "primitive");
    return executable_get_blob(primitive->exec, size, cache_blob);
}

dnnl_status_t dnnl_primitive_get_primitive_desc(
        const_dnnl_primitive_t primitive, const_dnnl_primitive_desc_t *primitive_desc) {
    CHECK_NOT_NULL(primitive, "primitive");
    CHECK_NOT_NULL(primitive_desc, "primitive");
    *primitive_desc = &primitive->desc;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive) {
    if (ze_is_forked()) return dnnl_success;
    primitive_free(primitive);
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
        int nargs, const dnnl_exec_arg_t *args) {
    dnnl_status_t status;
    if (LIKELY(primitive && stream && args) &&
            LIKELY(primitive_launch_plain(primitive, stream, nargs, args, &status)))
        return status;
    const attachment_t *there = stream ? attached_get(&stream->attached) : NULL;
    if (there && there->layer.execute)
        return there->layer.execute(there->data, primitive, nargs, args);
    return primitive_execute(primitive, stream, nargs, args, 0, NULL, NULL);
}
