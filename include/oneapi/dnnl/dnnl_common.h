/* SPDX-License-Identifier: Apache-2.0 */
/* Engines, streams and library-wide settings: what the primitive and the graph API share. */
#ifndef ONEAPI_DNNL_DNNL_COMMON_H
#define ONEAPI_DNNL_DNNL_COMMON_H

#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// Rules that hold for every function of the library, and are not repeated with each:
///
/// - A required pointer that is NULL, a number out of range, or objects that do not belong together
///   answer ::dnnl_invalid_arguments. Pointers are required unless their description says
///   otherwise.
/// - When a call fails, outputs keep the values they had and nothing is leaked.
///   ::dnnl_out_of_memory is always possible where an object is made.
/// - Descriptors, attributes and other objects passed to a constructor are copied or kept alive by
///   the new object. The caller may destroy its own at once.
/// - A const_ handle that a function returns belongs to the object it was asked of, and is valid as
///   long as that.
/// - Destroying NULL does nothing and succeeds.
/// - With verbose level `check`, `dispatch` or `error` the log names the reason of every refusal;
///   see dnnl_set_verbose().
/// - Different objects can be used from different threads without a lock. Only functions that take
///   a non-const handle change the object, and one object must not be changed by two threads at a
///   time. A primitive can be executed by several threads at once.

/// @name Engines
/// @{

/// Number of engines of a kind.
///
/// Engines of kind ::dnnl_gpu are the root devices of all Level Zero drivers, GPUs before CPUs and
/// otherwise in the order of the loader and the drivers, which is the same in every run on the same
/// machine. Sub-devices are not counted; dnnl_ze_interop_engine_create() takes them.
///
/// @param kind Kind of engine.
/// @returns The number; 0 for other kinds, and when there is no Level Zero loader, driver or
///     device.
DNNL_API size_t dnnl_engine_get_count(dnnl_engine_kind_t kind);

/// Creates an engine on one of the devices that dnnl_engine_get_count() counted. Engines that this
/// function makes for a device share a context, and with it memory objects.
/// dnnl_ze_interop_engine_create() makes one on the caller's device and context.
///
/// @param engine Receives the engine; free it with dnnl_engine_destroy().
/// @param kind ::dnnl_gpu.
/// @param index Number of the device, from 0.
/// @returns ::dnnl_invalid_arguments if there is no such engine, ::dnnl_runtime_error if the
///     driver fails.
DNNL_API dnnl_status_t dnnl_engine_create(
        dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index);

/// Returns the kind of an engine.
///
/// @param engine Engine.
/// @param kind Receives the kind.
DNNL_API dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t *kind);

/// Gives up the caller's hold on an engine. The device and context are let go when the last stream,
/// memory object and primitive made with it is gone; those that the caller brought in are never
/// destroyed.
///
/// @param engine Engine, or NULL.
DNNL_API dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine);
/// @}

/// @name Streams
/// @{

/// Creates a stream with a Level Zero command list of its own. dnnl_ze_interop_stream_create()
/// makes one on the caller's list.
///
/// @param stream Receives the stream; free it with dnnl_stream_destroy().
/// @param engine Engine to run on.
/// @param flags ::dnnl_stream_flags_t, combined with `|`. One of the two order flags is required.
/// @returns ::dnnl_invalid_arguments for other flags or both orders together,
///     ::dnnl_runtime_error if the driver fails.
DNNL_API dnnl_status_t dnnl_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags);

/// Returns the engine of a stream.
///
/// @param stream Stream.
/// @param engine Receives the engine. It is the stream's, not to be destroyed.
DNNL_API dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t *engine);

/// Blocks until everything submitted to a stream has finished.
///
/// @param stream Stream.
/// @returns ::dnnl_runtime_error if the device reports a failure; ::dnnl_invalid_arguments for
///     a stream that records into a command list of the application.
DNNL_API dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream);

/// Frees a stream. If the library created its command list, or the device may still use events or
/// temporary memory of the stream, it waits for the submitted work first. Events that the stream
/// returned are freed with it, so nothing may wait for them any more.
///
/// @param stream Stream, or NULL.
DNNL_API dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream);
/// @}

/// @name Settings of the library
/// They apply to the whole process, whichever thread makes the call.
/// @{

/// Returns the floating-point math mode that new attributes start with.
///
/// It is strict, unless the environment variable ONEDNN_DEFAULT_FPMATH_MODE (or
/// DNNL_DEFAULT_FPMATH_MODE) says STRICT, BF16, F16, TF32 or ANY, or dnnl_set_default_fpmath_mode()
/// was called.
///
/// @param mode Receives the mode.
DNNL_API dnnl_status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode);

/// Sets the floating-point math mode that attributes created from now on start with.
///
/// @param mode Mode.
DNNL_API dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode);

/// Sets how much is logged to the standard output.
///
/// The environment variable ONEDNN_VERBOSE (or DNNL_VERBOSE) does the same before the first call,
/// in finer steps: none, error (the default), warn, check, dispatch, profile_create, profile_exec,
/// profile, all. Each event is one line of comma-separated fields that starts with
/// `onednn_verbose,v1`. To time an execution, the call waits for the stream before and after it,
/// and so for the events that the execution waits for.
///
/// @param level 0: nothing. 1: errors and executions with their times. 2: creations too.
/// @returns ::dnnl_invalid_arguments for another level.
DNNL_API dnnl_status_t dnnl_set_verbose(int level);

/// Returns the version of the API and the runtimes of the library that is loaded, which may be
/// newer than the headers.
///
/// @returns Static data, never NULL.
DNNL_API const dnnl_version_t *dnnl_version(void);
/// @}

#ifdef __cplusplus
}
#endif

#endif
