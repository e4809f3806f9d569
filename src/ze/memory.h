/* SPDX-License-Identifier: Apache-2.0 */
/* Memory objects: a descriptor and a USM pointer for each of its buffers. */
#ifndef ZE_MEMORY_H
#define ZE_MEMORY_H

#include "core/memory_desc.h"
#include "ze/usm.h"

/* MEMORY_ALIGNMENT: what suits elements of any type. */
enum { MEMORY_MAX_HANDLES = 3, MEMORY_ALIGNMENT = 8 };

/* A copy of a device buffer that the host works on. */
typedef struct mapping {
    struct mapping *next;
    void *host, *device;
    size_t size;
    int handle;
} mapping_t;

/* What execution reads comes first. Not locked but for the mappings: a memory object is one thread's at a
 * time, except for reading. */
struct dnnl_memory {
    void *ptr[MEMORY_MAX_HANDLES];
    size_t size[MEMORY_MAX_HANDLES]; /* bytes from ptr that the descriptor covers */
    ze_context_handle_t context;     /* NULL: a host scalar */
    uint64_t md_hash;
    uint64_t
            fit; /* memory_fit(), or another number where a buffer is missing, or is to be looked at */
    /* A number that no other buffers have, where these are the library's, so that they are the same as long
     * as it is; 0: they are not. */
    uint64_t allocation;
    union {
        uint8_t bytes[8];
        uint64_t bits;
    } scalar;             /* of a host scalar, in its data type */
    dnnl_engine_t engine; /* one reference; NULL: a host scalar */
    int nhandles;
    bool owned[MEMORY_MAX_HANDLES];
    md_t md;
    pthread_mutex_t map_lock; /* guards: */
    mapping_t *mappings;
};

/* Descriptor and context in one number: what fits an argument of a primitive is known by one comparison.
 * context NULL: a host scalar. */
static inline uint64_t memory_fit(uint64_t md_hash, ze_context_handle_t context) {
    return md_hash ^ (uint64_t)(uintptr_t)context * UINT64_C(0x9e3779b97f4a7c15);
}

/* handles[i] as in the public API. check_pointers: refuse those that the device cannot use. The descriptor
 * has been checked. */
dnnl_status_t memory_create(dnnl_memory_t *out, const md_t *md, dnnl_engine_t engine, int nhandles,
        void *const *handles, bool check_pointers);
dnnl_status_t memory_create_scalar(dnnl_memory_t *out, const md_t *md, const void *value);
void memory_free(dnnl_memory_t memory);
void memory_set_handle(dnnl_memory_t memory, int index, void *handle);
dnnl_status_t memory_map(dnnl_memory_t memory, int index, void **mapped);
dnnl_status_t memory_unmap(dnnl_memory_t memory, int index, void *mapped);

/* The value of a host scalar in another type. */
float memory_scalar_f32(const struct dnnl_memory *memory);
int32_t memory_scalar_s32(const struct dnnl_memory *memory);
int64_t memory_scalar_s64(const struct dnnl_memory *memory);

#endif
