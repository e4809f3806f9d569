/* SPDX-License-Identifier: Apache-2.0 */
#include "ze/attached.h"

#include <string.h>

#include "core/alloc.h"
#include "core/verbose.h"

dnnl_status_t attached_set(
        attached_t *place, const dnnl_ze_layer_t *layer, void *data, void **attached) {
    attachment_t *made = dz_malloc(sizeof *made), *there = NULL;
    if (!made) return verbose_error(dnnl_out_of_memory, "layer", "no memory for a layer's data");
    *made = (attachment_t){*layer, data};
    if (atomic_compare_exchange_strong(place, &there, made)) {
        *attached = data;
        return dnnl_success;
    }
    dz_free(made);
    if (strcmp(there->layer.name, layer->name) != 0)
        return verbose_check(dnnl_invalid_arguments, "layer",
                "the object belongs to the layer %s and not to %s", there->layer.name, layer->name);
    *attached = there->data;
    return dnnl_success;
}

void *attached_data(const attached_t *place, const char *name) {
    const attachment_t *there = attached_get(place);
    return there && !strcmp(there->layer.name, name) ? there->data : NULL;
}

void attached_end(attached_t *place) {
    attachment_t *there = attached_get(place);
    if (!there) return;
    if (there->layer.destroy) there->layer.destroy(there->data);
    atomic_store(place, NULL);
    dz_free(there);
}

layer_allocator_t *layer_allocator_ref(layer_allocator_t *allocator) {
    if (allocator) atomic_fetch_add(&allocator->refs, 1);
    return allocator;
}

void layer_allocator_unref(layer_allocator_t *allocator) {
    if (!allocator || atomic_fetch_sub(&allocator->refs, 1) != 1) return;
    if (allocator->destroy) allocator->destroy(allocator->data);
    dz_free(allocator);
}
