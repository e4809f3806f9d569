/* SPDX-License-Identifier: Apache-2.0 */
/* What a runtime other than Level Zero does in place of this folder's calls of Level Zero. Its
 * cores point to its table. Level Zero has no table: it is called directly, and the shortest path
 * of an execution never looks at one.
 *
 * Plans, caches, modules and kernels' places in an executable are the same for all runtimes. A
 * runtime has handles of its own for code, streams, events and buffers; here they are pointers. */
#ifndef ZE_BACKEND_H
#define ZE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/plan.h"
#include "oneapi/dnnl/dnnl_types.h"

struct device_core;
struct executable;
struct launch;

/* What is asked of the compiler of a module. */
typedef struct {
    const char *id;      /* of the variant, for messages */
    const uint8_t *data; /* SPIR-V, or the code that module_binary() wrote */
    size_t size;         /* bytes */
    bool is_native;      /* not SPIR-V: a failure is not logged */
    bool may_fail;       /* a refusal of SPIR-V is not logged either */
    bool many_registers; /* of each thread, at the cost of threads */
    bool large_offsets;  /* buffers have 4 GiB or more */
    const spec_t *specs; /* of SPIR-V */
    int nspecs;
} module_source_t;

typedef enum {
    USM_NONE, /* not an allocation of the context */
    USM_HOST,
    USM_DEVICE,
    USM_SHARED
} usm_kind_t;

typedef struct backend {
    /* Ends what the runtime has in its core; the caller frees the core itself. */
    void (*core_fini)(struct device_core *core);

    /* Pointers to memory of the device, and copies between any such memory and the host's, which
     * wait for the copy. free() waits until the device is done with the memory. */
    dnnl_status_t (*alloc)(struct device_core *core, size_t size, void **out);
    void (*free)(struct device_core *core, void *ptr);
    /* Frees such memory when the event has completed. Does not wait, and keeps the event. */
    void (*free_after)(struct device_core *core, void *ptr, void *event);
    dnnl_status_t (*kind)(struct device_core *core, const void *ptr, usm_kind_t *kind);
    dnnl_status_t (*room)(struct device_core *core, const void *ptr, size_t *room);
    dnnl_status_t (*copy)(struct device_core *core, void *dst, const void *src, size_t size);

    /* Buffers that are objects of the runtime: take() checks an object, and keeps it until drop().
     * alloc_buffer() makes one that is kept. The copies wait. */
    dnnl_status_t (*alloc_buffer)(struct device_core *core, size_t size, void **buffer);
    dnnl_status_t (*take_buffer)(struct device_core *core, void *buffer, size_t *size);
    void (*drop_buffer)(struct device_core *core, void *buffer);
    dnnl_status_t (*read_buffer)(struct device_core *core, void *host, void *buffer, size_t size);
    dnnl_status_t (*write_buffer)(
            struct device_core *core, const void *host, void *buffer, size_t size);

    /* Code. A binary is written as dnnl_primitive_get_cache_blob() writes: data NULL asks for the
     * size. value NULL: local memory of `size` bytes, or a NULL pointer. */
    dnnl_status_t (*module_create)(
            struct device_core *core, const module_source_t *source, void **module);
    dnnl_status_t (*module_binary)(
            const struct device_core *core, void *module, size_t *size, uint8_t *data);
    /* Writes the name that the kernel `entry` has in the module (slim_is_name_of()). */
    dnnl_status_t (*module_kernel)(void *module, const char *entry, char *name, size_t room);
    /* Whether the kernel spills registers to memory; false if the runtime does not tell. */
    bool (*module_spills)(struct device_core *core, void *module, const char *entry);
    void (*module_destroy)(struct device_core *core, void *module);
    dnnl_status_t (*kernel_create)(void *module, const char *entry, void **kernel);
    dnnl_status_t (*set_argument)(void *kernel, uint32_t argument, size_t size, const void *value);
    void (*kernel_destroy)(void *kernel);

    /* Streams. The core's stream begins with a dnnl_stream. */
    dnnl_status_t (*stream_create)(dnnl_stream_t *out, dnnl_engine_t engine, unsigned flags);
    dnnl_status_t (*stream_wait)(dnnl_stream_t stream);
    void (*stream_free)(dnnl_stream_t stream);
    void (*wait_for_all)(struct device_core *core); /* streams */
    /* The events that launch() returns belong to their receiver, who drops them. */
    void (*drop_event)(void *event);
    dnnl_status_t (*profiling_data)(
            dnnl_stream_t stream, bool of_kernels, int *num_entries, uint64_t *data);
    dnnl_status_t (*profiling_reset)(dnnl_stream_t stream);
    /* As executable_launch(). */
    dnnl_status_t (*launch)(struct executable *x, dnnl_stream_t stream, const plan_t *plan,
            const struct launch *launch);
} backend_t;

#endif
