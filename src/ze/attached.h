/* SPDX-License-Identifier: Apache-2.0 */
/* What a layer (dnnl_ze_layer.h) attached to an engine, a stream or a memory object. */
#ifndef ZE_ATTACHED_H
#define ZE_ATTACHED_H

#include <stdatomic.h>

#include "oneapi/dnnl/dnnl_ze_layer.h"

typedef struct {
    dnnl_ze_layer_t layer;
    void *data; /* owned */
} attachment_t;

/* NULL: nothing. Written once, by the first of all threads that attach something. */
typedef _Atomic(attachment_t *) attached_t;

dnnl_status_t attached_set(
        attached_t *place, const dnnl_ze_layer_t *layer, void *data, void **attached);
/* The data of the layer of that name, or NULL. */
void *attached_data(const attached_t *place, const char *name);
/* Destroys the data. Its owner ends: nobody else uses it. */
void attached_end(attached_t *place);

static inline attachment_t *attached_get(const attached_t *place) {
    return atomic_load_explicit(place, memory_order_acquire);
}

/* Functions of a layer that allocate for the Graph API. An engine and each buffer that may outlive
 * it have a reference. */
typedef struct {
    atomic_int refs;
    void *(*allocate)(void *data, size_t size);
    void (*deallocate)(void *data, void *ptr, void *event);
    void *data; /* owned */
    void (*destroy)(void *data);
} layer_allocator_t;

layer_allocator_t *layer_allocator_ref(layer_allocator_t *allocator);
void layer_allocator_unref(layer_allocator_t *allocator);

#endif
