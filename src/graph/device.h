/* SPDX-License-Identifier: Apache-2.0 */
/* What the Graph API needs of a device besides primitives. Only device.c and allocator.c know
 * which runtime it is. */
#ifndef GRAPH_DEVICE_H
#define GRAPH_DEVICE_H

#include <stdbool.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_graph_types.h"

/* NULL: none. Of Level Zero: belongs to the stream. Of OpenCL: belongs to who received it. */
typedef void *device_event_t;

/* Memory from the engine's allocator. */
dnnl_status_t device_allocate(dnnl_engine_t engine, size_t size, void **ptr);
/* The device may still use the memory until `event`; NULL: no work of the library uses it. */
void device_free(dnnl_engine_t engine, void *ptr, device_event_t event);
/* Memory of the library for an execution on a stream. The stream keeps it for the next one. */
typedef struct {
    void *ptr;
    size_t size;
} device_buffer_t;
/* False: the memory is the program's allocator's, or the stream does not order its primitives. */
bool device_lends(dnnl_engine_t engine, dnnl_stream_t stream);
dnnl_status_t device_borrow(dnnl_stream_t stream, size_t size, device_buffer_t *buffer);
void device_return(dnnl_stream_t stream, device_buffer_t buffer);
/* device_free() for memory that any work may use that was submitted before: it is freed when that
 * is over. */
void device_free_unused(dnnl_engine_t engine, void *ptr);
/* Does device_free() need to know when the memory is unused? */
bool device_wants_event(dnnl_engine_t engine);
/* Gives an event back that device_execute() returned; others may still wait for it. */
void device_drop_event(dnnl_engine_t engine, device_event_t event);

/* A memory object whose handle is a pointer, in any runtime. */
dnnl_status_t device_memory_create(
        dnnl_memory_t *memory, const_dnnl_memory_desc_t md, dnnl_engine_t engine, void *handle);

bool device_is_cpu(dnnl_engine_t engine);

/* Has a function called when the program destroys the engine. There is one such function. */
void device_at_end(dnnl_engine_t engine, void (*function)(dnnl_engine_t));
/* Waits for the work of the library. */
dnnl_status_t device_wait(dnnl_stream_t stream);
/* Whether the stream belongs to a layer that executes partitions. It has done so then. */
struct run;
bool device_layer_runs(dnnl_stream_t stream, const_dnnl_graph_compiled_partition_t cp,
        const struct run *run, dnnl_status_t *status);
bool stream_records(dnnl_stream_t stream);
bool stream_orders(dnnl_stream_t stream); /* one primitive after the other, without events */
bool stream_is_of(dnnl_stream_t stream, dnnl_engine_t engine);

/* The position of an argument that is quickest for device_execute(); -1: it does not matter. */
int device_rank(const_dnnl_primitive_t primitive, int arg);
/* deps: events to wait for. event: receives that of the primitive unless NULL. */
dnnl_status_t device_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
        const dnnl_exec_arg_t *args, int ndeps, const device_event_t *deps, device_event_t *event);

#endif
