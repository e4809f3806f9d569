/* SPDX-License-Identifier: Apache-2.0 */
/* Memory objects: a memory descriptor, and a USM pointer for each of its buffers. */
#ifndef ZE_MEMORY_H
#define ZE_MEMORY_H

#include "core/memory_desc.h"
#include "ze/attached.h"
#include "ze/usm.h"

/* Bytes. MEMORY_ALIGNMENT is enough for elements of any type, MEMORY_LINE for all that kernels
 * expect. */
enum { MEMORY_MAX_HANDLES = 3, MEMORY_ALIGNMENT = 8, MEMORY_VECTOR = 16, MEMORY_LINE = 64 };

/* A copy of a device buffer in host memory. */
typedef struct mapping {
    struct mapping *next;
    void *host, *device;
    size_t size;
    int handle;
} mapping_t;

/* The members that execution reads come first. Only the mappings have a lock: several threads may
 * read a memory object, but only one thread at a time may change it. */
struct dnnl_memory {
    void *ptr[MEMORY_MAX_HANDLES];
    size_t size[MEMORY_MAX_HANDLES]; /* bytes from ptr that descriptor and allocation have */
    ze_context_handle_t context;     /* NULL: a host scalar */
    uint64_t md_hash;
    /* memory_fit() plus a fit_t, or another number where a buffer is missing or begins where no
     * element may. */
    uint64_t fit;
    /* A unique number if the library owns all buffers: the buffers are the same as long as the
     * number is. 0: the application owns a buffer. */
    uint64_t allocation;
    union {
        uint8_t bytes[8];
        uint64_t bits;
    } scalar;             /* the value of a host scalar, in its data type */
    dnnl_engine_t engine; /* one reference; NULL: a host scalar */
    int nhandles;
    /* ptr[] are objects of the runtime, not addresses. The memory object keeps a reference to each,
     * the application's ones as well. */
    bool is_buffer;
    bool owned[MEMORY_MAX_HANDLES];
    md_t md;
    attached_t attached;
    pthread_mutex_t map_lock; /* guards: */
    mapping_t *mappings;
};

/* Where all buffers of a memory object begin, from the multiples that suit every kernel on. */
typedef enum { FIT_LINES, FIT_VECTORS /* of 16 bytes */, FIT_ELEMENTS } fit_t;

/* Combines descriptor and context in one number, so that one comparison tells whether a memory
 * object fits an argument of a primitive. A fit_t can be added. context NULL: a host scalar. */
static inline uint64_t memory_fit(uint64_t md_hash, ze_context_handle_t context) {
    return (md_hash ^ (uint64_t)(uintptr_t)context * UINT64_C(0x9e3779b97f4a7c15)) & ~UINT64_C(3);
}

typedef enum {
    HANDLES_TRUSTED, /* pointers */
    HANDLES_CHECKED, /* pointers; those that the device cannot use are refused */
    HANDLES_BUFFERS, /* objects of a runtime other than Level Zero */
} handles_t;
/* handles[i] are those of the public API. The caller has checked the descriptor. */
dnnl_status_t memory_create(dnnl_memory_t *out, const md_t *md, dnnl_engine_t engine, int nhandles,
        void *const *handles, handles_t kind);
dnnl_status_t memory_create_scalar(dnnl_memory_t *out, const md_t *md, const void *value);
void memory_free(dnnl_memory_t memory);
/* Refuses an allocation that is too small, as memory_create() does; nothing changes then. */
dnnl_status_t memory_set_handle(dnnl_memory_t memory, int index, void *handle);
dnnl_status_t memory_map(dnnl_memory_t memory, int index, void **mapped);
dnnl_status_t memory_unmap(dnnl_memory_t memory, int index, void *mapped);

/* The value of a host scalar, converted. */
float memory_scalar_f32(const struct dnnl_memory *memory);
int32_t memory_scalar_s32(const struct dnnl_memory *memory);
int64_t memory_scalar_s64(const struct dnnl_memory *memory);

#endif
