/* SPDX-License-Identifier: Apache-2.0 */
/* Types that the primitive and the graph API share: status, data types, dimensions, engines,
 * streams. */
#ifndef ONEAPI_DNNL_DNNL_COMMON_TYPES_H
#define ONEAPI_DNNL_DNNL_COMMON_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// Types shared by the primitive and the graph API.

/// What a call answers. A call that does not answer ::dnnl_success has changed nothing: its outputs
/// are as they were, and the objects given to it can still be used.
typedef enum {
    dnnl_success = 0,       ///< Done.
    dnnl_out_of_memory = 1, ///< Host or device memory could not be allocated.
    dnnl_invalid_arguments =
            2, ///< An argument is NULL, foreign, out of range, or does not fit another one.
    dnnl_unimplemented = 3, ///< A correct request that this library or this device cannot serve.
    dnnl_last_impl_reached = 4, ///< There is no further implementation to move to.
    dnnl_runtime_error =
            5, ///< The driver or the operating system failed; the verbose log says which call.
    dnnl_not_required = 6,       ///< The queried item does not exist for this object.
    dnnl_invalid_graph = 7,      ///< Graph API: the graph is not valid.
    dnnl_invalid_graph_op = 8,   ///< Graph API: an operation is not valid.
    dnnl_invalid_shape = 9,      ///< Graph API: shapes could not be inferred or do not agree.
    dnnl_invalid_data_type = 10, ///< Graph API: data types could not be inferred or do not agree.
} dnnl_status_t;

/// Type of a tensor's elements.
typedef enum {
    dnnl_data_type_undef = 0, ///< No type: the tensor is absent or the type is to be chosen.
    dnnl_f16 = 1,             ///< IEEE 754 binary16: 5 bits of exponent, 10 of fraction.
    dnnl_bf16 = 2,            ///< The upper half of a binary32: 8 bits of exponent, 7 of fraction.
    dnnl_f32 = 3,             ///< IEEE 754 binary32.
    dnnl_s32 = 4,             ///< Signed 32-bit integer.
    dnnl_s8 = 5,              ///< Signed 8-bit integer.
    dnnl_u8 = 6,              ///< Unsigned 8-bit integer.
    dnnl_f64 = 7,             ///< IEEE 754 binary64.
    dnnl_boolean = 8,         ///< One byte, zero or not; graph API only.
    dnnl_f8_e5m2 = 9,  ///< OCP 8-bit float, 5 bits of exponent, 2 of fraction, with infinities.
    dnnl_f8_e4m3 = 10, ///< OCP 8-bit float, 4 bits of exponent, 3 of fraction, without infinities.
    dnnl_s4 = 11,      ///< Signed 4-bit integer, two to a byte, the lower half first.
    dnnl_u4 = 12,      ///< Unsigned 4-bit integer, two to a byte, the lower half first.
    dnnl_e8m0 =
            13, ///< A power of two in 8 bits: biased exponent, no sign and no fraction. For scales.
    dnnl_f4_e2m1 = 14, ///< OCP 4-bit float, 2 bits of exponent, 1 of fraction, two to a byte.
    dnnl_f4_e3m0 = 15, ///< 4-bit float, 3 bits of exponent, no fraction. No descriptor takes it.
    dnnl_s64 = 16,     ///< Signed 64-bit integer. For seeds and offsets.

    dnnl_data_type_max = 0x7fff, ///< Not a type; makes the enumeration as wide as an int.
} dnnl_data_type_t;

/// The largest number of dimensions a tensor can have.
#define DNNL_MAX_NDIMS 12

/// One dimension, stride or offset, counted in elements.
typedef int64_t dnnl_dim_t;

/// Dimensions, strides or offsets of a tensor; only the first ndims entries are read.
typedef dnnl_dim_t dnnl_dims_t[DNNL_MAX_NDIMS];

/// Which narrower floating-point types may stand in for f32 inside a computation.
typedef enum {
    dnnl_fpmath_mode_strict, ///< None. The default.
    dnnl_fpmath_mode_bf16,   ///< bf16, and what holds every bf16: tf32.
    dnnl_fpmath_mode_f16,    ///< f16, and what holds every f16: tf32.
    dnnl_fpmath_mode_any,    ///< Any of them.
    dnnl_fpmath_mode_tf32,   ///< tf32: 8 bits of exponent, 10 of fraction.
} dnnl_fpmath_mode_t;

/// Which type partial sums may be kept in.
typedef enum {
    dnnl_accumulation_mode_strict,  ///< f32 or s32 (f64 for f64 data). The default.
    dnnl_accumulation_mode_relaxed, ///< As strict, but intermediate sums may have the
                                    ///< destination's type.
    dnnl_accumulation_mode_any,     ///< Whatever is fastest on the device.
    dnnl_accumulation_mode_s32,     ///< s32.
    dnnl_accumulation_mode_f32,     ///< f32.
    dnnl_accumulation_mode_f16      ///< f16.
} dnnl_accumulation_mode_t;

/// Kind of an engine.
typedef enum {
    dnnl_any_engine, ///< Not a kind of engine; the answer for what belongs to no engine.
    dnnl_cpu, ///< The host CPU without a device runtime. This library has none: the count is 0.
    dnnl_gpu, ///< A Level Zero device, whatever silicon its driver runs on.
} dnnl_engine_kind_t;

struct dnnl_engine;
/// An engine: a device together with its driver and a context. Objects made with one engine work
/// with that engine only. Freed with dnnl_engine_destroy(); objects that need it keep what they
/// need of it.
typedef struct dnnl_engine *dnnl_engine_t;

/// Properties of a stream, combined with `|`.
typedef enum {
    dnnl_stream_in_order = 0x1U, ///< Primitives run one after another in the order of submission.
    dnnl_stream_out_of_order =
            0x2U, ///< Primitives are ordered by the events given to them and by nothing else.
    dnnl_stream_default_flags = dnnl_stream_in_order, ///< In order.
#ifdef DNNL_EXPERIMENTAL_PROFILING
    dnnl_stream_profiling =
            0x4U, ///< Times of the stream's kernels are recorded; see dnnl_query_profiling_data().
#endif
    dnnl_stream_flags_max = 0x7fff, ///< Not a flag; makes the enumeration as wide as an int.
} dnnl_stream_flags_t;

struct dnnl_stream;
/// A stream: a queue of primitive executions on one engine.
typedef struct dnnl_stream *dnnl_stream_t;
/// A stream that the callee does not change.
typedef const struct dnnl_stream *const_dnnl_stream_t;

/// Versions and runtimes of the library that the program runs with; see dnnl_version().
typedef struct {
    int major;            ///< API version, as DNNL_VERSION_MAJOR.
    int minor;            ///< API version, as DNNL_VERSION_MINOR.
    int patch;            ///< API version, as DNNL_VERSION_PATCH.
    const char *hash;     ///< Revision of the library's sources.
    unsigned cpu_runtime; ///< DNNL_RUNTIME_NONE in this library.
    unsigned gpu_runtime; ///< DNNL_RUNTIME_ZE in this library.
} dnnl_version_t;

/// As a memory object's handle: no buffer yet; one is set later with dnnl_memory_set_data_handle().
#define DNNL_MEMORY_NONE (NULL)

/// As a memory object's handle: the library allocates a buffer on the device, owns it, and frees it
/// with the object.
#define DNNL_MEMORY_ALLOCATE ((void *)(size_t)-1)

#ifdef __cplusplus
}
#endif

#endif
