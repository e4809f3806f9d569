/* SPDX-License-Identifier: Apache-2.0 */
/* For layers that bring the objects of another runtime, as dnnl_sycl.hpp does: an addition of this
 * library, which oneDNN does not have. */
#ifndef ONEAPI_DNNL_DNNL_ZE_LAYER_H
#define ONEAPI_DNNL_DNNL_ZE_LAYER_H

#include "oneapi/dnnl/dnnl_graph_types.h"
#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// A layer is code of the program that makes engines, streams and memory objects of objects that
/// this library does not know. It attaches its own data to an object, and functions that the
/// library calls instead of doing the work itself. The object owns the data: it calls `destroy`
/// when it ends, before it lets go of anything else.
///
/// Functions of dnnl_ze.h, dnnl_ocl.h and their relatives for graphs are not taken over. With them
/// a layer reaches the library from its own functions.
///
/// An object has data of one layer at a time. Events are `ze_event_handle_t` on engines of Level
/// Zero, and `cl_event` on those of OpenCL.

/// What a layer is. A function that is NULL leaves the work to the library.
typedef struct {
    /// Name, a string that lives as long as the program. Layers with different names do not use
    /// each other's data.
    const char *name;
    /// For engines: not 0 if dnnl_memory_create() makes memory objects of pointers on OpenCL, too.
    int has_pointers;
    /// Frees the data.
    void (*destroy)(void *data);
    /// For streams: dnnl_primitive_execute().
    dnnl_status_t (*execute)(
            void *data, const_dnnl_primitive_t primitive, int nargs, const dnnl_exec_arg_t *args);
    /// For streams: dnnl_graph_compiled_partition_execute() and the version with a scratchpad,
    /// which is NULL for the first.
    dnnl_status_t (*execute_partition)(void *data, const_dnnl_graph_compiled_partition_t partition,
            size_t num_inputs, const const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
            const const_dnnl_graph_tensor_t *outputs, const_dnnl_graph_tensor_t scratchpad);
    /// For streams: waits for what only the layer knows. The library waits for its own work then.
    dnnl_status_t (*wait)(void *data);
    /// For memory objects: dnnl_memory_get_data_handle().
    dnnl_status_t (*get_handle)(void *data, void **handle);
    /// For memory objects: dnnl_memory_set_data_handle().
    dnnl_status_t (*set_handle)(void *data, void *handle);
    /// For memory objects: dnnl_memory_map_data().
    dnnl_status_t (*map)(void *data, void **mapped);
    /// For memory objects: dnnl_memory_unmap_data().
    dnnl_status_t (*unmap)(void *data, void *mapped);
} dnnl_ze_layer_t;

/// @name Data of objects
/// @{

/// Attaches data to an engine. Threads may do so at the same time: the first one wins.
///
/// @param engine Engine.
/// @param layer Layer; copied.
/// @param data Data, which the object owns if it becomes the object's.
/// @param attached Receives the object's data: @p data, or what the same layer attached before.
/// @returns ::dnnl_invalid_arguments if another layer attached data before.
DNNL_API dnnl_status_t dnnl_ze_layer_attach_engine(
        dnnl_engine_t engine, const dnnl_ze_layer_t *layer, void *data, void **attached);

/// Attaches data to a stream, as to an engine. Do so before other threads use the stream.
///
/// @param stream Stream.
/// @param layer Layer; copied.
/// @param data Data.
/// @param attached Receives the object's data.
DNNL_API dnnl_status_t dnnl_ze_layer_attach_stream(
        dnnl_stream_t stream, const dnnl_ze_layer_t *layer, void *data, void **attached);

/// Attaches data to a memory object, as to an engine.
///
/// @param memory Memory object.
/// @param layer Layer; copied.
/// @param data Data.
/// @param attached Receives the object's data.
DNNL_API dnnl_status_t dnnl_ze_layer_attach_memory(
        dnnl_memory_t memory, const dnnl_ze_layer_t *layer, void *data, void **attached);

/// Returns the data that a layer attached to an engine.
///
/// @param engine Engine.
/// @param name Name of the layer.
/// @param data Receives the data; NULL: there is none of this layer.
DNNL_API dnnl_status_t dnnl_ze_layer_get_engine(
        dnnl_engine_t engine, const char *name, void **data);

/// Returns the data that a layer attached to a stream.
///
/// @param stream Stream.
/// @param name Name of the layer.
/// @param data Receives the data, or NULL.
DNNL_API dnnl_status_t dnnl_ze_layer_get_stream(
        const_dnnl_stream_t stream, const char *name, void **data);

/// Returns the data that a layer attached to a memory object.
///
/// @param memory Memory object.
/// @param name Name of the layer.
/// @param data Receives the data, or NULL.
DNNL_API dnnl_status_t dnnl_ze_layer_get_memory(
        const_dnnl_memory_t memory, const char *name, void **data);
/// @}

/// @name Facts and services
/// @{

/// Tells the runtime of an engine.
///
/// @param engine Engine.
/// @param is_opencl Receives 1 for OpenCL and 0 for Level Zero.
DNNL_API dnnl_status_t dnnl_ze_layer_is_opencl(dnnl_engine_t engine, int *is_opencl);

/// Tells whether commands of a list run one after the other.
///
/// @param engine Engine of Level Zero.
/// @param list `ze_command_list_handle_t`.
/// @param is_in_order Receives 1 if the list is known to be immediate and in-order, else 0.
DNNL_API dnnl_status_t dnnl_ze_layer_list_is_in_order(
        dnnl_engine_t engine, void *list, int *is_in_order);

/// Gives an event back that an execution returned. It must be complete, and nothing may wait for it
/// or ask for it any more: the stream uses it again.
///
/// @param stream Stream that returned the event.
/// @param event Event. NULL: nothing happens.
DNNL_API dnnl_status_t dnnl_ze_layer_return_event(dnnl_stream_t stream, void *event);

/// Objects of OpenCL that have a count of references.
typedef enum {
    /// `cl_context`
    dnnl_ze_layer_context,
    /// `cl_command_queue`
    dnnl_ze_layer_queue,
    /// `cl_event`
    dnnl_ze_layer_event,
} dnnl_ze_layer_object_t;

/// Releases one reference to an object of OpenCL, so that a layer need not be linked with OpenCL.
///
/// @param kind What the object is.
/// @param object Object.
DNNL_API dnnl_status_t dnnl_ze_layer_release(dnnl_ze_layer_object_t kind, void *object);

/// Writes an error to the verbose log.
///
/// @param status Status that the layer will answer.
/// @param sentence What is wrong.
/// @returns @p status.
DNNL_API dnnl_status_t dnnl_ze_layer_report(dnnl_status_t status, const char *sentence);
/// @}

/// @name Allocators of graphs
/// @{

/// Any function; it is cast to its own type before it is called.
typedef void (*dnnl_ze_layer_function_t)(void);

/// Creates an allocator that carries two functions of the program for a layer. Engines get it by
/// dnnl_ze_layer_set_allocator() only.
///
/// @param allocator Receives the allocator; free it with dnnl_graph_allocator_destroy().
/// @param name Name of the layer.
/// @param allocate Function. If either is NULL, the allocator is the library's.
/// @param deallocate Function.
DNNL_API dnnl_status_t dnnl_ze_layer_allocator_create(dnnl_graph_allocator_t *allocator,
        const char *name, dnnl_ze_layer_function_t allocate, dnnl_ze_layer_function_t deallocate);

/// Returns the functions of an allocator.
///
/// @param allocator Allocator of the layer, or one of the library's.
/// @param name Name of the layer.
/// @param allocate Receives the function; NULL: the library's.
/// @param deallocate Receives the function.
/// @returns ::dnnl_invalid_arguments for an allocator of others.
DNNL_API dnnl_status_t dnnl_ze_layer_allocator_get(const_dnnl_graph_allocator_t allocator,
        const char *name, dnnl_ze_layer_function_t *allocate, dnnl_ze_layer_function_t *deallocate);

/// Makes an engine allocate for graphs by functions of a layer.
///
/// @param engine Engine that nobody uses yet.
/// @param allocate Allocates `size` bytes that the device can access, or answers NULL.
/// @param deallocate Frees memory. `event`: of the last work that uses it; NULL: there is none.
/// @param data First argument of both.
/// @param destroy Frees the data once the engine and all memory are gone. After a failure of this
///     function the data stays the layer's.
DNNL_API dnnl_status_t dnnl_ze_layer_set_allocator(dnnl_engine_t engine,
        void *(*allocate)(void *data, size_t size),
        void (*deallocate)(void *data, void *ptr, void *event), void *data,
        void (*destroy)(void *data));
/// @}

#ifdef __cplusplus
}
#endif

#endif
