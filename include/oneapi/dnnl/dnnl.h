/* SPDX-License-Identifier: Apache-2.0 */
/* Memory descriptors, memory objects, attributes and primitives. */
#ifndef ONEAPI_DNNL_DNNL_H
#define ONEAPI_DNNL_DNNL_H

#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "oneapi/dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// The way to a result: describe the tensors (memory descriptors), describe the operation
/// (primitive descriptor, with attributes), create the primitive, wrap buffers (memory objects),
/// execute on a stream.
///
/// dnnl_common.h lists the rules that hold for every function. Two more hold here:
///
/// - A function of the API that this version of the library has no implementation for answers
///   ::dnnl_unimplemented and says so in the verbose log at level `dispatch`. docs/support.md lists
///   what is implemented.
/// - What is random, such as dropout, depends on its seed and on nothing else.

/// @name Primitive descriptors
/// Made by the dnnl_..._primitive_desc_create() functions below, one for each kind of primitive.
/// @{

/// Moves a primitive descriptor on to the next implementation that can do the same, from the
/// preferred one to the most general one.
///
/// @param primitive_desc Primitive descriptor; changed only if there is another implementation.
/// @returns ::dnnl_last_impl_reached if there is none.
DNNL_API dnnl_status_t dnnl_primitive_desc_next_impl(dnnl_primitive_desc_t primitive_desc);

/// Copies a primitive descriptor.
///
/// @param primitive_desc Receives the copy; free it with dnnl_primitive_desc_destroy().
/// @param existing_primitive_desc Primitive descriptor to copy.
DNNL_API dnnl_status_t dnnl_primitive_desc_clone(
        dnnl_primitive_desc_t *primitive_desc, const_dnnl_primitive_desc_t existing_primitive_desc);

/// Returns the attributes of a primitive descriptor, with layouts that were left to the library
/// filled in.
///
/// @param primitive_desc Primitive descriptor.
/// @param attr Receives the attributes, which belong to the primitive descriptor.
DNNL_API dnnl_status_t dnnl_primitive_desc_get_attr(
        const_dnnl_primitive_desc_t primitive_desc, const_dnnl_primitive_attr_t *attr);

/// Frees a primitive descriptor. Primitives made from it are not affected.
///
/// @param primitive_desc Primitive descriptor, or NULL.
DNNL_API dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t primitive_desc);

/// Asks a primitive descriptor for one of its properties.
///
/// @param primitive_desc Primitive descriptor.
/// @param what What to ask for; ::dnnl_query_t gives the type of each result.
/// @param index Which of several: the number of a source, weights or destination, from 0; a
///     DNNL_ARG_ number with ::dnnl_query_exec_arg_md. Otherwise ignored.
/// @param result Points to a variable of the type that belongs to @p what.
/// @returns ::dnnl_not_required if the primitive has no such tensor, ::dnnl_unimplemented if
///     its kind has no such property.
DNNL_API dnnl_status_t dnnl_primitive_desc_query(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index, void *result);

/// Asks a primitive descriptor for one of its memory descriptors, with the layout that was chosen.
///
/// @param primitive_desc Primitive descriptor.
/// @param what One of the queries whose name ends in _md.
/// @param index As for dnnl_primitive_desc_query().
/// @returns The memory descriptor, which belongs to the primitive descriptor and is empty (size
///     0) for a tensor that the primitive can do without; NULL if there is no such tensor.
DNNL_API const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index);

/// Asks a primitive descriptor for a property that is an int.
///
/// @param primitive_desc Primitive descriptor.
/// @param what One of the queries whose name ends in _s32.
/// @param index As for dnnl_primitive_desc_query().
/// @returns The value, or 0 if the query fails.
DNNL_API int dnnl_primitive_desc_query_s32(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index);
/// @}

/// @name Primitives
/// @{

/// Creates a primitive. A primitive that is still in the primitive cache takes microseconds,
/// another one is compiled for the device.
///
/// @param primitive Receives the primitive; free it with dnnl_primitive_destroy().
/// @param primitive_desc Primitive descriptor.
/// @returns ::dnnl_runtime_error if the driver cannot build the kernels.
DNNL_API dnnl_status_t dnnl_primitive_create(
        dnnl_primitive_t *primitive, const_dnnl_primitive_desc_t primitive_desc);

/// Creates a primitive from a blob of an earlier run, without compiling.
///
/// @param primitive Receives the primitive; free it with dnnl_primitive_destroy().
/// @param primitive_desc Primitive descriptor, equal to that of the primitive the blob came from:
///     ::dnnl_query_cache_blob_id is the same.
/// @param size Size of the blob in bytes.
/// @param cache_blob Blob; copied.
/// @returns ::dnnl_invalid_arguments for a blob that is damaged, cut short, or from another
///     device, driver, library version or primitive.
DNNL_API dnnl_status_t dnnl_primitive_create_from_cache_blob(dnnl_primitive_t *primitive,
        const_dnnl_primitive_desc_t primitive_desc, size_t size, const uint8_t *cache_blob);

/// Submits a primitive to a stream and returns without waiting for it.
///
/// Arguments are matched by their DNNL_ARG_ number, in any order. All inputs and outputs of the
/// primitive have to be there, once each, and memory objects belong to the stream's engine (host
/// scalars to none).
///
/// A buffer is read and written with the descriptor that the primitive descriptor answers queries
/// with, whatever the memory object's own says; it has to be large enough for it. A memory object
/// of another layout or data type is therefore taken for its bytes, with a line in the verbose log:
/// a reorder is what converts. Where the primitive descriptor has runtime dimensions, the memory
/// object supplies them. Arguments that the primitive does not have are ignored, as are those
/// without a memory object. A buffer may be input and output at once only where a primitive is said
/// to work in place.
///
/// A primitive with nothing to do, because a dimension is 0, does nothing and succeeds.
///
/// In mode ::dnnl_scratchpad_mode_library temporary memory belongs to the stream, and on a stream
/// that is not in-order a primitive that needs it waits for what was submitted before. With
/// ::dnnl_scratchpad_mode_user and a scratchpad each, such primitives can run at the same time.
///
/// @param primitive Primitive.
/// @param stream Stream of the same engine.
/// @param nargs Number of arguments.
/// @param args Arguments. Not needed after the call; the memory objects are, until the
///     primitive is done.
/// @returns ::dnnl_invalid_arguments for another engine, and for an argument that is missing,
///     given twice, without a buffer, or too small; ::dnnl_runtime_error if the driver fails.
DNNL_API dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args);

/// Returns the descriptor of a primitive.
///
/// @param primitive Primitive.
/// @param primitive_desc Receives the primitive descriptor, which belongs to the primitive.
DNNL_API dnnl_status_t dnnl_primitive_get_primitive_desc(
        const_dnnl_primitive_t primitive, const_dnnl_primitive_desc_t *primitive_desc);

/// Writes a primitive's compiled kernels to a blob, for dnnl_primitive_create_from_cache_blob() in
/// a later run.
///
/// A primitive with run-time dimensions may make kernels when shapes come: the blob then has those
/// of the last shapes that it has met, and its size grows with them.
///
/// @param primitive Primitive.
/// @param size With a NULL @p cache_blob, receives the size in bytes; otherwise, the size of
///     the buffer.
/// @param cache_blob Buffer that receives the blob, or NULL to ask for the size.
/// @returns ::dnnl_invalid_arguments for a buffer of the wrong size.
DNNL_API dnnl_status_t dnnl_primitive_get_cache_blob(
        const_dnnl_primitive_t primitive, size_t *size, uint8_t *cache_blob);

/// Frees a primitive. Executions that have not finished must have been waited for.
///
/// @param primitive Primitive, or NULL.
DNNL_API dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive);
/// @}

/// @name Attributes
/// What is added to an operation. An attribute that a primitive has no implementation for is found
/// out when the primitive descriptor is created, which then answers ::dnnl_unimplemented; the
/// functions here check only that values make sense.
///
/// Quantization: a stored value q stands for the real value scale * (q - zero_point). Inputs are
/// turned into real values before the operation and outputs into stored ones after it, rounded and
/// saturated to their type. Scales and zero points themselves are execution arguments,
/// #DNNL_ARG_ATTR_SCALES or
/// #DNNL_ARG_ATTR_ZERO_POINTS combined with the argument they are for.
///
/// A mask says along which dimensions of the argument such a parameter varies: bit d stands for
/// dimension d.
/// 0 is one value for the tensor; 1 << 1 a value for each channel. With groups, a value is shared
/// by group_dims[0] times group_dims[1] elements along the last two dimensions. The parameter's
/// memory is dense, and has one entry for each combination of indices.
/// @{

/// Creates attributes with default values: nothing added, the math mode of
/// dnnl_get_default_fpmath_mode().
///
/// @param attr Receives the attributes; free them with dnnl_primitive_attr_destroy().
DNNL_API dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr);

/// Copies attributes.
///
/// @param attr Receives the copy; free it with dnnl_primitive_attr_destroy().
/// @param existing_attr Attributes to copy.
DNNL_API dnnl_status_t dnnl_primitive_attr_clone(
        dnnl_primitive_attr_t *attr, const_dnnl_primitive_attr_t existing_attr);

/// Frees attributes.
///
/// @param attr Attributes, or NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr);

/// Returns the dropout mask descriptor.
///
/// @param attr Attributes.
/// @param mask_desc Receives the descriptor, which belongs to the attributes and is empty if
///     none was set. May be NULL.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_dropout(
        const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t *mask_desc);

/// Sets dropout with a seed of 32 bits and no offset; see dnnl_primitive_attr_set_dropout_v2().
///
/// @param attr Attributes.
/// @param mask_desc Descriptor of the mask.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_dropout(
        dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t mask_desc);

/// Returns the dropout parameters. Any of the outputs may be NULL.
///
/// @param attr Attributes.
/// @param mask_desc Receives the mask's descriptor, which belongs to the attributes and is
///     empty if none was set.
/// @param seed_dt Receives the type of the seed.
/// @param use_offset Receives 1 if there is an offset.
/// @param use_host_scalars Receives 1 if probability, seed and offset are host scalars.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_dropout_v2(const_dnnl_primitive_attr_t attr,
        const_dnnl_memory_desc_t *mask_desc, dnnl_data_type_t *seed_dt, int *use_offset,
        int *use_host_scalars);

/// Sets dropout: each element of the result is, with probability p, set to 0, and otherwise
/// multiplied by 1 / (1 - p). It happens before post-ops.
///
/// p (f32), the seed and the offset (s64) are execution arguments,
/// #DNNL_ARG_ATTR_DROPOUT_PROBABILITY,
/// #DNNL_ARG_ATTR_DROPOUT_SEED and #DNNL_ARG_ATTR_DROPOUT_OFFSET. The mask,
/// #DNNL_ARG_ATTR_DROPOUT_MASK, is an output: 1 where an element was kept, else 0.
///
/// @param attr Attributes.
/// @param mask_desc Descriptor of the mask, u8, of the destination's dimensions; format `any`
///     takes the destination's layout. An empty descriptor: no mask is stored.
/// @param seed_dt Type of the seed, ::dnnl_s32 or ::dnnl_s64.
/// @param use_offset Not 0: an offset is given, which moves on the sequence of random numbers.
/// @param use_host_scalars Not 0: probability, seed and offset are host scalar memory objects.
/// @returns ::dnnl_invalid_arguments for another type of mask or seed.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_dropout_v2(dnnl_primitive_attr_t attr,
        const_dnnl_memory_desc_t mask_desc, dnnl_data_type_t seed_dt, int use_offset,
        int use_host_scalars);

/// Returns the floating-point math mode.
///
/// @param attr Attributes.
/// @param mode Receives the mode.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_fpmath_mode(
        const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode);

/// Sets the floating-point math mode, for floating-point data only.
///
/// @param attr Attributes.
/// @param mode Which types may stand in for f32.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_fpmath_mode(
        dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode);

/// Returns the floating-point math mode and whether it applies to integers. Either output may be
/// NULL.
///
/// @param attr Attributes.
/// @param mode Receives the mode.
/// @param apply_to_int Receives 1 or 0.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_fpmath_mode_v2(
        const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode, int *apply_to_int);

/// Sets the floating-point math mode.
///
/// @param attr Attributes.
/// @param mode Which types may stand in for f32.
/// @param apply_to_int Not 0: integer inputs may be turned into such a type as well, as for
///     weights that are compressed to integers while sources are floating-point.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_fpmath_mode_v2(
        dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode, int apply_to_int);

/// Returns the deterministic flag.
///
/// @param attr Attributes.
/// @param value Receives 1 or 0.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_deterministic(
        const_dnnl_primitive_attr_t attr, int *value);

/// Sets the deterministic flag: the same inputs on the same device and library give the same bits
/// in every run. Off by default.
///
/// @param attr Attributes.
/// @param value Not 0: on.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_deterministic(dnnl_primitive_attr_t attr, int value);

/// Returns the accumulation mode.
///
/// @param attr Attributes.
/// @param mode Receives the mode.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_accumulation_mode(
        const_dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t *mode);

/// Sets the accumulation mode.
///
/// @param attr Attributes.
/// @param mode In which type partial sums may be kept.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_accumulation_mode(
        dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t mode);

/// Returns the scratchpad mode.
///
/// @param attr Attributes.
/// @param mode Receives the mode.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_scratchpad_mode(
        const_dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t *mode);

/// Sets the scratchpad mode.
///
/// @param attr Attributes.
/// @param mode Who provides temporary memory. With ::dnnl_scratchpad_mode_user the caller
///     passes a memory object of the descriptor that ::dnnl_query_scratchpad_md answers as
///     #DNNL_ARG_SCRATCHPAD.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(
        dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode);

/// Gives an argument f32 scales.
///
/// @param attr Attributes.
/// @param arg Argument, such as #DNNL_ARG_SRC or #DNNL_ARG_WEIGHTS.
/// @param mask Dimensions along which the scale varies.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_mask(
        dnnl_primitive_attr_t attr, int arg, int mask);

/// Gives an argument scales on the device; see dnnl_primitive_attr_set_scales_v3().
///
/// @param attr Attributes.
/// @param arg Argument.
/// @param mask Dimensions along which the scale varies.
/// @param group_ndims Length of @p group_dims, 0 or 2.
/// @param group_dims Sizes of a group along the last two dimensions; NULL if @p group_ndims is 0.
/// @param data_type Type of the scales.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales(dnnl_primitive_attr_t attr, int arg, int mask,
        int group_ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type);

/// Gives an argument scales, on the device or as a host scalar; see
/// dnnl_primitive_attr_set_scales_v3().
///
/// @param attr Attributes.
/// @param arg Argument.
/// @param mask Dimensions along which the scale varies.
/// @param ndims Length of @p group_dims, 0 or 2.
/// @param group_dims Sizes of a group along the last two dimensions; NULL if @p ndims is 0.
/// @param data_type Type of the scales.
/// @param is_on_host Not 0: one scale, passed as a host scalar memory object.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_v2(dnnl_primitive_attr_t attr, int arg,
        int mask, int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
        int is_on_host);

/// Gives an argument scales.
///
/// @param attr Attributes.
/// @param arg Argument.
/// @param mask Dimensions along which the scale varies.
/// @param ndims Length of @p group_dims, 0 or 2.
/// @param group_dims Sizes of a group along the last two dimensions; NULL if @p ndims is 0.
/// @param data_type Type of the scales: f32, bf16, f16; with a mask also e8m0 and f8_e4m3.
/// @param is_on_host Not 0: one scale, passed as a host scalar memory object; @p mask and @p
///     ndims have to be
///     0.
/// @param qmode Whether scales are given (::dnnl_quantization_mode_static_sazp), or computed
///     from the data and returned.
/// @returns ::dnnl_invalid_arguments for a negative argument or mask, another type, a group
///     that is not positive, or groups without a mask.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_v3(dnnl_primitive_attr_t attr, int arg,
        int mask, int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
        int is_on_host, dnnl_quantization_mode_t qmode);

/// Gives an argument s32 zero points.
///
/// @param attr Attributes.
/// @param arg Argument, such as #DNNL_ARG_SRC or #DNNL_ARG_DST.
/// @param mask Dimensions along which the zero point varies.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points_mask(
        dnnl_primitive_attr_t attr, int arg, int mask);

/// Gives an argument zero points on the device; see dnnl_primitive_attr_set_zero_points_v2().
///
/// @param attr Attributes.
/// @param arg Argument.
/// @param mask Dimensions along which the zero point varies.
/// @param group_ndims Length of @p group_dims, 0 or 2.
/// @param group_dims Sizes of a group along the last two dimensions; NULL if @p group_ndims is 0.
/// @param data_type Type of the zero points.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points(dnnl_primitive_attr_t attr, int arg,
        int mask, int group_ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type);

/// Gives an argument, a source or weights, the sums of its stored values, so that a primitive that
/// has to correct for the other input's zero points need not compute them. The sums are passed as
/// #DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS combined with the argument.
///
/// @param attr Attributes.
/// @param arg #DNNL_ARG_SRC or #DNNL_ARG_WEIGHTS.
/// @param mask Dimensions along which the sum varies.
/// @param group_ndims Length of @p group_dims, 0 or 2.
/// @param group_dims Sizes of a group along the last two dimensions; NULL if @p group_ndims is 0.
/// @param data_type Type of the sums, ::dnnl_s32.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_precomputed_reductions(dnnl_primitive_attr_t attr,
        int arg, int mask, int group_ndims, const dnnl_dims_t group_dims,
        dnnl_data_type_t data_type);

/// Gives an argument zero points.
///
/// @param attr Attributes.
/// @param arg Argument.
/// @param mask Dimensions along which the zero point varies.
/// @param ndims Length of @p group_dims, 0 or 2.
/// @param group_dims Sizes of a group along the last two dimensions; NULL if @p ndims is 0.
/// @param data_type Type of the zero points: s32; for sources and weights also s8 and u8, and
///     with a mask s4 and u4.
/// @param is_on_host Not 0: one zero point, passed as a host scalar memory object; @p mask and
///     @p ndims have to be 0.
/// @returns ::dnnl_invalid_arguments for a negative argument or mask, another type, a group
///     that is not positive, or groups without a mask or for an argument that is neither source nor
///     weights.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points_v2(dnnl_primitive_attr_t attr, int arg,
        int mask, int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
        int is_on_host);

/// Sets how an argument that is written gets rounded. The stochastic mode takes its seed as
/// #DNNL_ARG_ATTR_ROUNDING_SEED (s32).
///
/// @param attr Attributes.
/// @param arg Argument, #DNNL_ARG_DST or a gradient.
/// @param mode Rounding mode.
/// @returns ::dnnl_invalid_arguments for an argument that cannot be rounded.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode);

/// Returns how an argument gets rounded.
///
/// @param attr Attributes.
/// @param arg Argument.
/// @param mode Receives the mode.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t *mode);

/// Returns the post-ops.
///
/// @param attr Attributes.
/// @param post_ops Receives the post-ops, which belong to the attributes.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_post_ops(
        const_dnnl_primitive_attr_t attr, const_dnnl_post_ops_t *post_ops);

/// Sets the post-ops.
///
/// @param attr Attributes.
/// @param post_ops Post-ops; copied.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_post_ops(
        dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops);
/// @}

/// @name Post-ops
/// Operations on the real-valued result of a primitive, in the order they were appended, before it
/// is quantized and stored. Up to 32. Below, v is the result so far.
/// @{

/// Creates an empty list.
///
/// @param post_ops Receives the post-ops; free them with dnnl_post_ops_destroy().
DNNL_API dnnl_status_t dnnl_post_ops_create(dnnl_post_ops_t *post_ops);

/// Copies a list.
///
/// @param post_ops Receives the copy; free it with dnnl_post_ops_destroy().
/// @param existing_post_ops Post-ops to copy.
DNNL_API dnnl_status_t dnnl_post_ops_clone(
        dnnl_post_ops_t *post_ops, const_dnnl_post_ops_t existing_post_ops);

/// Frees a list.
///
/// @param post_ops Post-ops, or NULL.
DNNL_API dnnl_status_t dnnl_post_ops_destroy(dnnl_post_ops_t post_ops);

/// Returns the length of a list.
///
/// @param post_ops Post-ops; NULL has length 0.
DNNL_API int dnnl_post_ops_len(const_dnnl_post_ops_t post_ops);

/// Returns the kind of a post-op.
///
/// @param post_ops Post-ops.
/// @param index Position, from 0.
/// @returns ::dnnl_sum, ::dnnl_eltwise, ::dnnl_binary, ::dnnl_prelu, ::dnnl_convolution
///     (depthwise), or ::dnnl_undefined_primitive if there is no such position.
DNNL_API dnnl_primitive_kind_t dnnl_post_ops_get_kind(const_dnnl_post_ops_t post_ops, int index);

/// Appends an addition of what the destination held before: v + scale * (old - zero_point).
///
/// @param post_ops Post-ops.
/// @param scale Factor.
/// @param zero_point What stands for 0 in the old values; 0 for floating-point destinations.
/// @param data_type Type to read the old values as, of the same size as the destination's;
///     ::dnnl_data_type_undef for the destination's.
/// @returns ::dnnl_invalid_arguments for the scale #DNNL_RUNTIME_F32_VAL; ::dnnl_out_of_memory
///     if the list is full.
DNNL_API dnnl_status_t dnnl_post_ops_append_sum(
        dnnl_post_ops_t post_ops, float scale, int32_t zero_point, dnnl_data_type_t data_type);

/// Returns the parameters of a sum. Any of the outputs may be NULL.
///
/// @param post_ops Post-ops.
/// @param index Position, from 0.
/// @param scale Receives the factor.
/// @param zero_point Receives the zero point.
/// @param data_type Receives the type.
/// @returns ::dnnl_invalid_arguments if there is no sum in this position.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_sum(const_dnnl_post_ops_t post_ops, int index,
        float *scale, int32_t *zero_point, dnnl_data_type_t *data_type);

/// Appends an elementwise function of v.
///
/// @param post_ops Post-ops.
/// @param alg_kind One of the dnnl_eltwise_ algorithms.
/// @param alpha Parameter of the algorithm.
/// @param beta Parameter of the algorithm.
/// @returns ::dnnl_invalid_arguments for another algorithm, clip bounds in the wrong order, or
///     a runtime value; ::dnnl_out_of_memory if the list is full.
DNNL_API dnnl_status_t dnnl_post_ops_append_eltwise(
        dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, float alpha, float beta);

/// Returns the parameters of an elementwise function. Any of the outputs may be NULL.
///
/// @param post_ops Post-ops.
/// @param index Position, from 0.
/// @param alg_kind Receives the algorithm.
/// @param alpha Receives its parameter.
/// @param beta Receives its parameter.
/// @returns ::dnnl_invalid_arguments if there is no elementwise function in this position.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_eltwise(const_dnnl_post_ops_t post_ops, int index,
        dnnl_alg_kind_t *alg_kind, float *alpha, float *beta);

/// Appends a depthwise convolution, after a convolution with a 1 by 1 kernel.
///
/// Its weights and bias are execution arguments, #DNNL_ARG_ATTR_POST_OP_DW combined with
/// #DNNL_ARG_WEIGHTS or
/// #DNNL_ARG_BIAS.
///
/// @param post_ops Post-ops.
/// @param weights_data_type Type of its weights.
/// @param bias_data_type Type of its bias, ::dnnl_data_type_undef for none.
/// @param dst_data_type Type of its result.
/// @param kernel_size Height and width of its kernel, at least 1.
/// @param stride_size Its stride, at least 1.
/// @param padding_l_size Its padding at the lower ends, less than the kernel.
/// @returns ::dnnl_invalid_arguments for other values; ::dnnl_out_of_memory if the list is full.
DNNL_API dnnl_status_t dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops,
        dnnl_data_type_t weights_data_type, dnnl_data_type_t bias_data_type,
        dnnl_data_type_t dst_data_type, dnnl_dim_t kernel_size, dnnl_dim_t stride_size,
        dnnl_dim_t padding_l_size);

/// Returns the parameters of a depthwise convolution. Any of the outputs may be NULL.
///
/// @param post_ops Post-ops.
/// @param index Position, from 0.
/// @param weights_data_type Receives the type of its weights.
/// @param bias_data_type Receives the type of its bias.
/// @param dst_data_type Receives the type of its result.
/// @param kernel_size Receives the size of its kernel.
/// @param stride_size Receives its stride.
/// @param padding_l_size Receives its padding at the lower ends.
/// @returns ::dnnl_invalid_arguments if there is no convolution in this position.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_dw(const_dnnl_post_ops_t post_ops, int index,
        dnnl_data_type_t *weights_data_type, dnnl_data_type_t *bias_data_type,
        dnnl_data_type_t *dst_data_type, dnnl_dim_t *kernel_size, dnnl_dim_t *stride_size,
        dnnl_dim_t *padding_l_size);

/// Appends a binary operation of v and a tensor, which is passed as
/// #DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) combined with #DNNL_ARG_SRC_1.
///
/// @param post_ops Post-ops.
/// @param alg_kind One of the dnnl_binary_ algorithms but ::dnnl_binary_select.
/// @param src1_desc Descriptor of the tensor: as many dimensions as the destination, each of the
///     destination's size or 1, which is broadcast. Format `any` takes the destination's layout.
/// @returns ::dnnl_invalid_arguments for another algorithm or runtime dimensions;
///     ::dnnl_out_of_memory if the list is full.
DNNL_API dnnl_status_t dnnl_post_ops_append_binary(
        dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src1_desc);

/// Appends a binary or ternary operation of v and one or two tensors, passed as
/// #DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) combined with #DNNL_ARG_SRC_1 and #DNNL_ARG_SRC_2.
///
/// @param post_ops Post-ops.
/// @param alg_kind One of the dnnl_binary_ algorithms.
/// @param src1_desc Descriptor of the second operand, as in dnnl_post_ops_append_binary().
/// @param src2_desc Descriptor of the condition of ::dnnl_binary_select; ignored with other
///     algorithms and may be NULL then.
/// @returns ::dnnl_invalid_arguments for another algorithm or runtime dimensions;
///     ::dnnl_out_of_memory if the list is full.
DNNL_API dnnl_status_t dnnl_post_ops_append_binary_v2(dnnl_post_ops_t post_ops,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src1_desc,
        const_dnnl_memory_desc_t src2_desc);

/// Returns the parameters of a binary operation. Either output may be NULL.
///
/// @param post_ops Post-ops.
/// @param index Position, from 0.
/// @param alg_kind Receives the algorithm.
/// @param src1_desc Receives the descriptor of the second operand, which belongs to the post-ops.
/// @returns ::dnnl_invalid_arguments if there is no binary operation in this position.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_binary(const_dnnl_post_ops_t post_ops, int index,
        dnnl_alg_kind_t *alg_kind, const_dnnl_memory_desc_t *src1_desc);

/// Returns the parameters of a binary or ternary operation. Any of the outputs may be NULL.
///
/// @param post_ops Post-ops.
/// @param index Position, from 0.
/// @param alg_kind Receives the algorithm.
/// @param src1_desc Receives the descriptor of the second operand, which belongs to the post-ops.
/// @param src2_desc Receives the descriptor of the condition, which belongs to the post-ops and
///     is empty for binary operations.
/// @returns ::dnnl_invalid_arguments if there is no binary operation in this position.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_binary_v2(const_dnnl_post_ops_t post_ops, int index,
        dnnl_alg_kind_t *alg_kind, const_dnnl_memory_desc_t *src1_desc,
        const_dnnl_memory_desc_t *src2_desc);

/// Appends v > 0 ? v : w * v with weights w (f32), passed as #DNNL_ARG_ATTR_MULTIPLE_POST_OP(index)
/// combined with #DNNL_ARG_WEIGHTS.
///
/// @param post_ops Post-ops.
/// @param mask Dimensions along which w varies: bit d stands for dimension d of the destination.
/// @returns ::dnnl_out_of_memory if the list is full.
DNNL_API dnnl_status_t dnnl_post_ops_append_prelu(dnnl_post_ops_t post_ops, int mask);

/// Returns the mask of a PReLU.
///
/// @param post_ops Post-ops.
/// @param index Position, from 0.
/// @param mask Receives the mask. May be NULL.
/// @returns ::dnnl_invalid_arguments if there is no PReLU in this position.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_prelu(
        const_dnnl_post_ops_t post_ops, int index, int *mask);
/// @}

/// @name Memory descriptors
/// Dimensions are logical: an image is always batch, channels, height, width, and weights groups,
/// output channels, input channels, height, width, whatever the layout. Strides and offsets count
/// elements.
///
/// What every constructor below checks: 1 to #DNNL_MAX_NDIMS dimensions, none negative, a product
/// that fits into 64 bits, a data type that can be stored. 0 dimensions give an empty descriptor. A
/// dimension of
/// #DNNL_RUNTIME_DIM_VAL is known at execution only. Anything else answers
/// ::dnnl_invalid_arguments.
/// @{

/// Frees a memory descriptor.
///
/// @param memory_desc Memory descriptor, or NULL.
DNNL_API dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc);

/// Copies a memory descriptor.
///
/// @param memory_desc Receives the copy; free it with dnnl_memory_desc_destroy().
/// @param existing_memory_desc Memory descriptor to copy.
DNNL_API dnnl_status_t dnnl_memory_desc_clone(
        dnnl_memory_desc_t *memory_desc, const_dnnl_memory_desc_t existing_memory_desc);

/// Writes a memory descriptor as bytes, which dnnl_memory_desc_create_with_blob() reads back.
///
/// @param blob Buffer that receives the bytes, or NULL to ask for the size.
/// @param size With a NULL @p blob, receives the size in bytes; otherwise, the size of the buffer.
/// @param memory_desc Memory descriptor.
DNNL_API dnnl_status_t dnnl_memory_desc_get_blob(
        uint8_t *blob, size_t *size, const_dnnl_memory_desc_t memory_desc);

/// Creates a memory descriptor from bytes.
///
/// @param memory_desc Receives the memory descriptor; free it with dnnl_memory_desc_destroy().
/// @param blob What dnnl_memory_desc_get_blob() wrote, in whole.
/// @returns ::dnnl_invalid_arguments for bytes that describe no tensor.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_blob(
        dnnl_memory_desc_t *memory_desc, const uint8_t *blob);

/// Creates a memory descriptor with given strides.
///
/// @param memory_desc Receives the memory descriptor; free it with dnnl_memory_desc_destroy().
/// @param ndims Number of dimensions.
/// @param dims Dimensions.
/// @param data_type Type of the elements.
/// @param strides Distance of neighbours along each dimension, in elements. 0 repeats one
///     element along a dimension. NULL means dense and row-major.
/// @returns ::dnnl_invalid_arguments also for strides that let different elements overlap, and
///     for odd strides above 1 of a 4-bit type.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, const dnnl_dims_t strides);

/// Creates a memory descriptor with the layout that a tag names.
///
/// @param memory_desc Receives the memory descriptor; free it with dnnl_memory_desc_destroy().
/// @param ndims Number of dimensions.
/// @param dims Dimensions.
/// @param data_type Type of the elements.
/// @param tag Tag of that many dimensions. ::dnnl_format_tag_any leaves the layout to a
///     primitive and allows no runtime dimensions; ::dnnl_format_tag_undef gives an empty
///     descriptor.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t *memory_desc, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_format_tag_t tag);

/// Creates a descriptor of a sparse matrix in compressed rows. Its memory has 3 buffers: values,
/// column indices, and row pointers (one more than rows).
///
/// @param memory_desc Receives the memory descriptor; free it with dnnl_memory_desc_destroy().
/// @param ndims Number of dimensions, at most 2.
/// @param dims Dimensions.
/// @param data_type Type of the values.
/// @param nnz Number of stored values; #DNNL_RUNTIME_DIM_VAL is not possible.
/// @param indices_dt Type of the column indices.
/// @param pointers_dt Type of the row pointers.
/// @returns ::dnnl_unimplemented for more dimensions.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_csr_encoding(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz,
        dnnl_data_type_t indices_dt, dnnl_data_type_t pointers_dt);

/// Creates a descriptor of a sparse matrix as a list of coordinates. Its memory has ndims + 1
/// buffers: values, then the indices along each dimension.
///
/// @param memory_desc Receives the memory descriptor; free it with dnnl_memory_desc_destroy().
/// @param ndims Number of dimensions, at most 2.
/// @param dims Dimensions.
/// @param data_type Type of the values.
/// @param nnz Number of stored values.
/// @param indices_dt Type of the indices.
/// @returns ::dnnl_unimplemented for more dimensions.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_coo_encoding(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz,
        dnnl_data_type_t indices_dt);

/// Creates a descriptor of sparse weights whose packing a primitive chooses; it can be used to
/// create primitive descriptors only, which answer with the real one.
///
/// @param memory_desc Receives the memory descriptor; free it with dnnl_memory_desc_destroy().
/// @param ndims Number of dimensions.
/// @param dims Dimensions.
/// @param data_type Type of the values.
/// @param nnz Number of stored values.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_packed_encoding(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz);

#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
/// Creates a descriptor of several dense matrices that follow each other in memory and differ in
/// one dimension, such as the tokens of each expert. Its memory has 2 buffers: values, and for each
/// group the offset along the variable dimension at which it ends.
///
/// The grouped tensors of one execution need the same offsets. Where they are in host or shared
/// memory, the stream has no unfinished work, and the execution waits for nothing, different ones
/// are refused with ::dnnl_invalid_arguments. Elsewhere they may not be written yet, and nothing
/// compares them.
///
/// @param memory_desc Receives the memory descriptor; free it with dnnl_memory_desc_destroy().
/// @param ndims Number of dimensions, 2.
/// @param dims Dimensions, all positive; the variable one is the sum over the groups.
/// @param data_type Type of the values.
/// @param variable_dim_idx The dimension that varies. With 0 the values are row-major, with 1
///     column-major.
/// @param group_count Number of groups, positive.
/// @param offsets_dt Type of the offsets, ::dnnl_s32.
/// @returns ::dnnl_unimplemented for another number of dimensions.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_grouped_encoding(
        dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t data_type, int variable_dim_idx, dnnl_dim_t group_count,
        dnnl_data_type_t offsets_dt);
#endif

/// Creates a descriptor of a single value that is kept on the host and read when a primitive is
/// submitted.
///
/// @param memory_desc Receives the memory descriptor; free it with dnnl_memory_desc_destroy().
/// @param data_type Type of the value.
DNNL_API dnnl_status_t dnnl_memory_desc_create_host_scalar(
        dnnl_memory_desc_t *memory_desc, dnnl_data_type_t data_type);

/// Creates a descriptor of a box within a tensor, for the same buffer.
///
/// @param memory_desc Receives the memory descriptor; free it with dnnl_memory_desc_destroy().
/// @param parent_memory_desc Descriptor of the tensor.
/// @param dims Dimensions of the box.
/// @param offsets Where it begins. The box has to lie within the tensor.
/// @returns ::dnnl_unimplemented for runtime dimensions, a layout that is not blocked, and a
///     box that cuts through inner blocks.
DNNL_API dnnl_status_t dnnl_memory_desc_create_submemory(dnnl_memory_desc_t *memory_desc,
        const_dnnl_memory_desc_t parent_memory_desc, const dnnl_dims_t dims,
        const dnnl_dims_t offsets);

/// Creates a descriptor of the same elements under other dimensions: dimensions of 1 come or go,
/// and dimensions are split or joined as far as the layout allows without moving data.
///
/// @param out_memory_desc Receives the memory descriptor; free it with dnnl_memory_desc_destroy().
/// @param in_memory_desc Memory descriptor, blocked or `any`.
/// @param ndims New number of dimensions.
/// @param dims New dimensions, of the same product.
/// @returns ::dnnl_invalid_arguments if the layout or the dimensions do not allow it, and for
///     runtime dimensions.
DNNL_API dnnl_status_t dnnl_memory_desc_reshape(dnnl_memory_desc_t *out_memory_desc,
        const_dnnl_memory_desc_t in_memory_desc, int ndims, const dnnl_dims_t dims);

/// Creates a descriptor of the same elements with dimensions in another order.
///
/// @param out_memory_desc Receives the memory descriptor; free it with dnnl_memory_desc_destroy().
/// @param in_memory_desc Memory descriptor, blocked or `any`.
/// @param permutation Where each dimension goes: dimension d becomes dimension permutation[d].
/// @returns ::dnnl_invalid_arguments if it is not a permutation, and for runtime dimensions.
DNNL_API dnnl_status_t dnnl_memory_desc_permute_axes(dnnl_memory_desc_t *out_memory_desc,
        const_dnnl_memory_desc_t in_memory_desc, const int *permutation);

/// Asks a memory descriptor for one of its properties; see dnnl_memory_desc_query_v2().
///
/// @param memory_desc Memory descriptor.
/// @param what What to ask for.
/// @param result Points to a variable of the type that belongs to @p what.
DNNL_API dnnl_status_t dnnl_memory_desc_query(
        const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, void *result);

/// Asks a memory descriptor for one of its properties.
///
/// @param memory_desc Memory descriptor.
/// @param what What to ask for; ::dnnl_query_t gives the type of each result. Dimensions come
///     as a pointer into the descriptor.
/// @param index Which buffer of a sparse descriptor ::dnnl_query_data_type is about; otherwise 0.
/// @param result Points to a variable of the type that belongs to @p what.
/// @returns ::dnnl_invalid_arguments for strides and blocks of a layout that is not blocked,
///     and for sparse properties of one that is not sparse; ::dnnl_unimplemented for what memory
///     descriptors do not have.
DNNL_API dnnl_status_t dnnl_memory_desc_query_v2(
        const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, int index, void *result);

/// Compares two memory descriptors.
///
/// @param lhs Memory descriptor.
/// @param rhs Memory descriptor.
/// @returns 1 if they describe the same dimensions, type and layout, padding and offset
///     included; else 0. Two empty ones are equal.
DNNL_API int dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs);

/// Returns the size of the buffer that a memory descriptor needs.
///
/// The size does not include the offset of a part of a larger tensor
/// (dnnl_memory_desc_create_submemory()): such a descriptor counts from the start of the larger
/// tensor, so that its buffer is the larger tensor's.
///
/// @param memory_desc Memory descriptor; NULL has size 0.
/// @returns Bytes, padding included; 0 if a dimension is 0 or the layout is `any`;
///     #DNNL_RUNTIME_SIZE_VAL if it is not known yet.
DNNL_API size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc);

/// Returns the size of one of the buffers that a memory descriptor needs.
///
/// @param memory_desc Memory descriptor; NULL has size 0.
/// @param index Number of the buffer, from 0.
/// @returns As dnnl_memory_desc_get_size(); 0 if there is no such buffer.
DNNL_API size_t dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t memory_desc, int index);

/// Returns the size of an element.
///
/// @param data_type Data type.
/// @returns Bytes; 1 for 4-bit types, of which two share a byte; 0 for ::dnnl_data_type_undef.
DNNL_API size_t dnnl_data_type_size(dnnl_data_type_t data_type);
/// @}

/// @name Memory objects
/// A memory object holds a pointer to device, shared or host USM for each buffer of its descriptor.
/// A buffer in an allocation that ends before the tensor is refused.
/// dnnl_ze_interop_memory_create() also checks whether the device can use the pointers.
/// @{

/// Creates a memory object with one buffer.
///
/// @param memory Receives the memory object; free it with dnnl_memory_destroy().
/// @param memory_desc Descriptor with a known layout and known dimensions. NULL stands for an
///     empty one.
/// @param engine Engine.
/// @param handle USM pointer, which stays owned by the caller; #DNNL_MEMORY_ALLOCATE for device
///     memory that the object owns; #DNNL_MEMORY_NONE for none as yet.
/// @returns ::dnnl_invalid_arguments for format `any`, runtime dimensions, host scalars, and a
///     pointer into an allocation that ends before the tensor, its offset included;
///     ::dnnl_out_of_memory if the device has not enough memory.
DNNL_API dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine, void *handle);

/// Creates a memory object with as many buffers as its descriptor needs.
///
/// @param memory Receives the memory object; free it with dnnl_memory_destroy().
/// @param memory_desc As for dnnl_memory_create().
/// @param engine Engine.
/// @param nhandles Number of buffers; see ::dnnl_query_num_handles_s32.
/// @param handles For each buffer, as for dnnl_memory_create().
/// @returns As dnnl_memory_create(); also ::dnnl_invalid_arguments for a number that does not
///     fit the descriptor.
DNNL_API dnnl_status_t dnnl_memory_create_v2(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine, int nhandles, void **handles);

/// Creates a memory object that holds one value on the host. It belongs to no engine.
///
/// @param memory Receives the memory object; free it with dnnl_memory_destroy().
/// @param memory_desc Descriptor from dnnl_memory_desc_create_host_scalar().
/// @param scalar_ptr Points to the value, of the descriptor's type; copied.
/// @returns ::dnnl_invalid_arguments for another descriptor.
DNNL_API dnnl_status_t dnnl_memory_create_host_scalar(
        dnnl_memory_t *memory, const_dnnl_memory_desc_t memory_desc, void *scalar_ptr);

/// Returns the descriptor of a memory object.
///
/// @param memory Memory object.
/// @param memory_desc Receives the descriptor, which belongs to the memory object.
DNNL_API dnnl_status_t dnnl_memory_get_memory_desc(
        const_dnnl_memory_t memory, const_dnnl_memory_desc_t *memory_desc);

/// Returns the engine of a memory object.
///
/// @param memory Memory object.
/// @param engine Receives the engine, which is the memory object's and not to be destroyed;
///     NULL for a host scalar.
DNNL_API dnnl_status_t dnnl_memory_get_engine(const_dnnl_memory_t memory, dnnl_engine_t *engine);

/// Makes the first buffer of a memory object accessible to the host; see dnnl_memory_map_data_v2().
///
/// @param memory Memory object.
/// @param mapped_ptr Receives the pointer.
DNNL_API dnnl_status_t dnnl_memory_map_data(const_dnnl_memory_t memory, void **mapped_ptr);

/// Makes a buffer of a memory object accessible to the host.
///
/// Host and shared memory, and the value of a host scalar, are returned as they are. Device memory
/// is copied to the host, and back by dnnl_memory_unmap_data_v2(). The call does not wait for
/// streams: wait for those that write the buffer first, and submit nothing that uses it before it
/// is unmapped.
///
/// @param memory Memory object.
/// @param mapped_ptr Receives the pointer; NULL if the size is 0 or there is no buffer.
/// @param index Number of the buffer, from 0.
/// @returns ::dnnl_invalid_arguments if there is no such buffer; ::dnnl_out_of_memory or
///     ::dnnl_runtime_error if the copy fails.
DNNL_API dnnl_status_t dnnl_memory_map_data_v2(
        const_dnnl_memory_t memory, void **mapped_ptr, int index);

/// Ends what dnnl_memory_map_data() began.
///
/// @param memory Memory object.
/// @param mapped_ptr Pointer that was received, which is not valid afterwards.
DNNL_API dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory, void *mapped_ptr);

/// Ends what dnnl_memory_map_data_v2() began. When it returns, what the host wrote is in the
/// buffer.
///
/// @param memory Memory object.
/// @param mapped_ptr Pointer that was received, which is not valid afterwards.
/// @param index Number of the buffer, from 0.
/// @returns ::dnnl_invalid_arguments for a pointer that was not received; ::dnnl_runtime_error
///     if the copy fails.
DNNL_API dnnl_status_t dnnl_memory_unmap_data_v2(
        const_dnnl_memory_t memory, void *mapped_ptr, int index);

/// Returns the pointer to the first buffer of a memory object.
///
/// @param memory Memory object; NULL has a NULL pointer.
/// @param handle Receives the pointer.
/// @returns ::dnnl_invalid_arguments for a host scalar.
DNNL_API dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory, void **handle);

/// Sets the pointer to the first buffer of a memory object; see dnnl_memory_set_data_handle_v2().
///
/// @param memory Memory object.
/// @param handle USM pointer or #DNNL_MEMORY_NONE.
DNNL_API dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void *handle);

/// Returns the pointer to a buffer of a memory object.
///
/// @param memory Memory object; NULL has a NULL pointer.
/// @param handle Receives the pointer.
/// @param index Number of the buffer, from 0.
/// @returns ::dnnl_invalid_arguments for a host scalar and if there is no such buffer.
DNNL_API dnnl_status_t dnnl_memory_get_data_handle_v2(
        const_dnnl_memory_t memory, void **handle, int index);

/// Sets the pointer to a buffer of a memory object. Executions that were submitted before keep the
/// old one. A buffer that the object owned is freed, so they must have finished.
///
/// @param memory Memory object.
/// @param handle USM pointer, which stays owned by the caller, or #DNNL_MEMORY_NONE.
/// @param index Number of the buffer, from 0.
/// @returns ::dnnl_invalid_arguments for a host scalar, if there is no such buffer, and for a
///     pointer into an allocation that ends before the tensor; the old pointer stays then.
DNNL_API dnnl_status_t dnnl_memory_set_data_handle_v2(
        dnnl_memory_t memory, void *handle, int index);

/// Returns the value of a host scalar.
///
/// @param memory Memory object.
/// @param value Points to a variable of the descriptor's type.
/// @returns ::dnnl_invalid_arguments if the memory object is not a host scalar.
DNNL_API dnnl_status_t dnnl_memory_get_host_scalar_value(const_dnnl_memory_t memory, void *value);

/// Sets the value of a host scalar. Executions that were submitted before keep the old one.
///
/// @param memory Memory object.
/// @param value Points to the value, of the descriptor's type.
/// @returns ::dnnl_invalid_arguments if the memory object is not a host scalar.
DNNL_API dnnl_status_t dnnl_memory_set_host_scalar_value(dnnl_memory_t memory, const void *value);

/// Frees a memory object, and its buffers as far as it owns them.
///
/// @param memory Memory object, or NULL.
DNNL_API dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory);
/// @}

/// @name Constructors of primitive descriptors
/// What they have in common:
///
/// - Descriptors of format `any` leave the layout to the library; dnnl_primitive_desc_query_md()
///   tells which it chose. A forward primitive's sources have to have a layout unless it is said
///   otherwise; weights, destinations and gradients may be `any`.
/// - ::dnnl_invalid_arguments: a NULL descriptor of a tensor that is needed, dimensions or types
///   that do not fit together, a propagation kind or algorithm of another primitive, a host scalar
///   where a tensor is needed.
/// - ::dnnl_unimplemented: a valid request that no kernel supports. The verbose log at level
///   `dispatch` has the reason for each.
/// - A backward primitive is given the descriptor of its forward primitive as a hint, which carries
///   layouts and the workspace.
/// - Execution arguments are listed as inputs -> outputs. A workspace, #DNNL_ARG_WORKSPACE, is an
///   output forward and an input backward, wherever ::dnnl_query_workspace_md is not empty.
/// - In shapes, N is the batch, C channels, D, H, W the spatial dimensions, of which the first or
///   first two may be missing.
/// @{

/// Reorder: copies a tensor into another layout, data type or quantization. It is what moves data
/// into layouts that primitives chose.
///
/// Arguments: #DNNL_ARG_FROM -> #DNNL_ARG_TO.
///
/// @param reorder_primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param src_desc Descriptor of the source, with runtime dimensions if need be.
/// @param src_engine Engine of the source, which the reorder runs on.
/// @param dst_desc Descriptor of the destination, of the same dimensions.
/// @param dst_engine Engine of the destination: the same, or another on the same context, whose
///     device the source's can access. The reorder may be submitted to a stream of either if the
///     device is the same.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_reorder_primitive_desc_create(
        dnnl_primitive_desc_t *reorder_primitive_desc, const_dnnl_memory_desc_t src_desc,
        dnnl_engine_t src_engine, const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
        const_dnnl_primitive_attr_t attr);

/// Concat: puts tensors next to each other along one dimension.
///
/// Arguments: #DNNL_ARG_MULTIPLE_SRC + i for each i -> #DNNL_ARG_DST.
///
/// @param concat_primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param dst_desc Descriptor of the destination; NULL lets the library make one.
/// @param n Number of sources, at least 1.
/// @param concat_dimension Dimension, from 0. The others agree in all sources.
/// @param src_descs Descriptors of the sources, of one data type.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_concat_primitive_desc_create(
        dnnl_primitive_desc_t *concat_primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t dst_desc, int n, int concat_dimension,
        const_dnnl_memory_desc_t const *src_descs, const_dnnl_primitive_attr_t attr);

/// Sum: d = scales[0] * x0 + scales[1] * x1 + ...
///
/// Arguments: #DNNL_ARG_MULTIPLE_SRC + i for each i -> #DNNL_ARG_DST.
///
/// @param sum_primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param dst_desc Descriptor of the destination; NULL lets the library make one.
/// @param n Number of sources, at least 1.
/// @param scales Factors, one for each source; copied.
/// @param src_descs Descriptors of the sources, of the same dimensions.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_sum_primitive_desc_create(dnnl_primitive_desc_t *sum_primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t dst_desc, int n, const float *scales,
        const_dnnl_memory_desc_t const *src_descs, const_dnnl_primitive_attr_t attr);

/// Binary: an operation on the elements of two tensors; see dnnl_binary_primitive_desc_create_v2().
///
/// Arguments: #DNNL_ARG_SRC_0, #DNNL_ARG_SRC_1 -> #DNNL_ARG_DST. It works in place on source 0.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param alg_kind One of the dnnl_binary_ algorithms but ::dnnl_binary_select.
/// @param src0_desc Descriptor of source 0.
/// @param src1_desc Descriptor of source 1.
/// @param dst_desc Descriptor of the destination.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_binary_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr);

/// Binary: an operation on the elements of two or three tensors. A dimension of 1 in a source is
/// broadcast to the destination's.
///
/// Arguments: #DNNL_ARG_SRC_0, #DNNL_ARG_SRC_1, with ::dnnl_binary_select #DNNL_ARG_SRC_2 ->
/// #DNNL_ARG_DST. It works in place on source 0.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param alg_kind One of the dnnl_binary_ algorithms.
/// @param src0_desc Descriptor of source 0.
/// @param src1_desc Descriptor of source 1, of as many dimensions; may be `any`.
/// @param src2_desc Descriptor of the condition of ::dnnl_binary_select, s8; NULL with other
///     algorithms.
/// @param dst_desc Descriptor of the destination.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_binary_primitive_desc_create_v2(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Convolution, forward: d(n, o, y, x) = b(o) + sum over i, r, s of w(o, i, r, s) * src(n, i, y *
/// SH - PH + r
/// * (DH + 1), x * SW - PW + s * (DW + 1)), what lies outside the source being 0; with groups,
/// separately in each.
///
/// Shapes: source N, IC, [D, H,] W; weights [G,] OC/G, IC/G, [KD, KH,] KW; bias OC; destination N,
/// OC, [OD, OH,] OW. With K' = (K - 1) * (dilation + 1) + 1, the output is (I - K' + PL + PR) /
/// stride + 1 along each spatial dimension.
///
/// Arguments: #DNNL_ARG_SRC, #DNNL_ARG_WEIGHTS, #DNNL_ARG_BIAS -> #DNNL_ARG_DST.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param alg_kind ::dnnl_convolution_direct, ::dnnl_convolution_winograd or
///     ::dnnl_convolution_auto.
/// @param src_desc Descriptor of the source; may be `any`.
/// @param weights_desc Descriptor of the weights.
/// @param bias_desc Descriptor of the bias, an array without holes (the tag `a`) or `any`; NULL for
///     none.
/// @param dst_desc Descriptor of the destination.
/// @param strides Stride of each spatial dimension, at least 1.
/// @param dilates Elements skipped between two elements of the kernel along each spatial
///     dimension; NULL or 0 for none.
/// @param padding_l Padding at the lower ends of the spatial dimensions.
/// @param padding_r Padding at the upper ends; NULL for the same.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_convolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);

/// Convolution, backward by data: the gradient of the source.
///
/// Arguments: #DNNL_ARG_DIFF_DST, #DNNL_ARG_WEIGHTS -> #DNNL_ARG_DIFF_SRC.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param alg_kind As in the forward primitive.
/// @param diff_src_desc Descriptor of the source's gradient.
/// @param weights_desc Descriptor of the weights.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param strides Stride of each spatial dimension, at least 1.
/// @param dilates Elements skipped between two elements of the kernel along each spatial
///     dimension; NULL or 0 for none.
/// @param padding_l Padding at the lower ends of the spatial dimensions.
/// @param padding_r Padding at the upper ends; NULL for the same.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_convolution_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides,
        const dnnl_dims_t dilates, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Convolution, backward by weights: the gradients of weights and bias.
///
/// Arguments: #DNNL_ARG_DIFF_DST, #DNNL_ARG_SRC -> #DNNL_ARG_DIFF_WEIGHTS, #DNNL_ARG_DIFF_BIAS.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param alg_kind As in the forward primitive.
/// @param src_desc Descriptor of the source.
/// @param diff_weights_desc Descriptor of the weights' gradient.
/// @param diff_bias_desc Descriptor of the bias' gradient, an array without holes (the tag `a`) or
///     `any`; NULL for none.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param strides Stride of each spatial dimension, at least 1.
/// @param dilates Elements skipped between two elements of the kernel along each spatial
///     dimension; NULL or 0 for none.
/// @param padding_l Padding at the lower ends of the spatial dimensions.
/// @param padding_r Padding at the upper ends; NULL for the same.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_convolution_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// Deconvolution, forward: the transposed convolution, that is, what a convolution's backward pass
/// by data computes, plus a bias.
///
/// Shapes: source N, IC, [D, H,] W; weights [G,] OC/G, IC/G, [KD, KH,] KW; bias OC; destination N,
/// OC, [OD, OH,] OW. With K' as for convolution, the output is (I - 1) * stride + K' - PL - PR
/// along each spatial dimension.
///
/// Arguments: #DNNL_ARG_SRC, #DNNL_ARG_WEIGHTS, #DNNL_ARG_BIAS -> #DNNL_ARG_DST.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param alg_kind ::dnnl_deconvolution_direct or ::dnnl_deconvolution_winograd.
/// @param src_desc Descriptor of the source; may be `any`.
/// @param weights_desc Descriptor of the weights.
/// @param bias_desc Descriptor of the bias, an array without holes (the tag `a`) or `any`; NULL for
///     none.
/// @param dst_desc Descriptor of the destination.
/// @param strides Stride of each spatial dimension, at least 1.
/// @param dilates Elements skipped between two elements of the kernel along each spatial
///     dimension; NULL or 0 for none.
/// @param padding_l Padding at the lower ends of the spatial dimensions.
/// @param padding_r Padding at the upper ends; NULL for the same.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_deconvolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);

/// Deconvolution, backward by data: the gradient of the source.
///
/// Arguments: #DNNL_ARG_DIFF_DST, #DNNL_ARG_WEIGHTS -> #DNNL_ARG_DIFF_SRC.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param alg_kind As in the forward primitive.
/// @param diff_src_desc Descriptor of the source's gradient.
/// @param weights_desc Descriptor of the weights.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param strides Stride of each spatial dimension, at least 1.
/// @param dilates Elements skipped between two elements of the kernel along each spatial
///     dimension; NULL or 0 for none.
/// @param padding_l Padding at the lower ends of the spatial dimensions.
/// @param padding_r Padding at the upper ends; NULL for the same.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_deconvolution_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides,
        const dnnl_dims_t dilates, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Deconvolution, backward by weights: the gradients of weights and bias.
///
/// Arguments: #DNNL_ARG_DIFF_DST, #DNNL_ARG_SRC -> #DNNL_ARG_DIFF_WEIGHTS, #DNNL_ARG_DIFF_BIAS.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param alg_kind As in the forward primitive.
/// @param src_desc Descriptor of the source.
/// @param diff_weights_desc Descriptor of the weights' gradient.
/// @param diff_bias_desc Descriptor of the bias' gradient, an array without holes (the tag `a`) or
///     `any`; NULL for none.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param strides Stride of each spatial dimension, at least 1.
/// @param dilates Elements skipped between two elements of the kernel along each spatial
///     dimension; NULL or 0 for none.
/// @param padding_l Padding at the lower ends of the spatial dimensions.
/// @param padding_r Padding at the upper ends; NULL for the same.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_deconvolution_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// Shuffle, forward: sees an axis of length A as a matrix with A / group_size rows and transposes
/// it, so that element i * group_size + j of the source's axis becomes element j * (A / group_size)
/// + i of the destination's.
///
/// Arguments: #DNNL_ARG_SRC -> #DNNL_ARG_DST.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param src_desc Descriptor of the source.
/// @param dst_desc Descriptor of the destination, of the same dimensions.
/// @param axis Axis, from 0.
/// @param group_size Divides the axis.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, int axis,
        dnnl_dim_t group_size, const_dnnl_primitive_attr_t attr);

/// Shuffle, backward: the inverse permutation, of gradients.
///
/// Arguments: #DNNL_ARG_DIFF_DST -> #DNNL_ARG_DIFF_SRC.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param diff_src_desc Descriptor of the source's gradient.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param axis As in the forward primitive.
/// @param group_size As in the forward primitive.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, int axis,
        dnnl_dim_t group_size, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// Eltwise, forward: a function of each element; ::dnnl_alg_kind_t has the formulas.
///
/// Arguments: #DNNL_ARG_SRC -> #DNNL_ARG_DST. It works in place.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param alg_kind One of the dnnl_eltwise_ algorithms.
/// @param src_desc Descriptor of the source.
/// @param dst_desc Descriptor of the destination, of the same dimensions.
/// @param alpha Parameter of the algorithm.
/// @param beta Parameter of the algorithm.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, float alpha, float beta,
        const_dnnl_primitive_attr_t attr);

/// Eltwise, backward: the destination's gradient times the function's derivative.
///
/// Arguments: #DNNL_ARG_DIFF_DST, #DNNL_ARG_SRC (#DNNL_ARG_DST with the use_dst algorithms) ->
/// #DNNL_ARG_DIFF_SRC. It works in place.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param alg_kind As in the forward primitive.
/// @param diff_src_desc Descriptor of the source's gradient.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param data_desc Descriptor of the source, or of the destination with the use_dst algorithms.
/// @param alpha As in the forward primitive.
/// @param beta As in the forward primitive.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_eltwise_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t data_desc, float alpha, float beta,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Softmax, forward: exp(x - m) / sum exp(x - m) along an axis, m being the largest x there; or the
/// logarithm of it.
///
/// The scale of the source multiplies the result, not the source. Post-ops follow it, and then the
/// result is divided by the scale of the destination.
///
/// Arguments: #DNNL_ARG_SRC -> #DNNL_ARG_DST. It works in place.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param alg_kind ::dnnl_softmax_accurate or ::dnnl_softmax_log.
/// @param src_desc Descriptor of the source.
/// @param dst_desc Descriptor of the destination, of the same dimensions.
/// @param softmax_axis Axis, from 0.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_softmax_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, int softmax_axis, const_dnnl_primitive_attr_t attr);

/// Softmax, backward: d * (g - sum g * d) along the axis, g being the destination's gradient; for
/// the logarithm g - exp(d) * sum g.
///
/// Arguments: #DNNL_ARG_DIFF_DST, #DNNL_ARG_DST -> #DNNL_ARG_DIFF_SRC. It works in place.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param alg_kind As in the forward primitive.
/// @param diff_src_desc Descriptor of the source's gradient.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param dst_desc Descriptor of the destination.
/// @param softmax_axis As in the forward primitive.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_softmax_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t dst_desc, int softmax_axis,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Pooling, forward: the maximum or average of a window that slides over the spatial dimensions.
///
/// Shapes: source N, C, [D, H,] W; destination N, C, [OD, OH,] OW, where the output is (I - K' + PL
/// + PR) / stride + 1 with K' = (K - 1) * (dilation + 1) + 1 along each spatial dimension.
///
/// Arguments: #DNNL_ARG_SRC -> #DNNL_ARG_DST, and in training of the maximum #DNNL_ARG_WORKSPACE.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param alg_kind One of the dnnl_pooling_ algorithms.
/// @param src_desc Descriptor of the source.
/// @param dst_desc Descriptor of the destination.
/// @param strides Stride of each spatial dimension, at least 1.
/// @param kernel Size of the window along each spatial dimension.
/// @param dilation Elements skipped between two elements of the window; 0 for none.
/// @param padding_l Padding at the lower ends of the spatial dimensions.
/// @param padding_r Padding at the upper ends; NULL for the same.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_pooling_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides, const dnnl_dims_t kernel,
        const dnnl_dims_t dilation, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_attr_t attr);

/// Pooling, backward: each gradient goes to the element that was the maximum, or to all of the
/// window in equal parts.
///
/// Arguments: #DNNL_ARG_DIFF_DST, for the maximum #DNNL_ARG_WORKSPACE -> #DNNL_ARG_DIFF_SRC.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param alg_kind As in the forward primitive.
/// @param diff_src_desc Descriptor of the source's gradient.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param strides Stride of each spatial dimension, at least 1.
/// @param kernel Size of the window along each spatial dimension.
/// @param dilation Elements skipped between two elements of the window; 0 for none.
/// @param padding_l Padding at the lower ends of the spatial dimensions.
/// @param padding_r Padding at the upper ends; NULL for the same.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_pooling_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t kernel, const dnnl_dims_t dilation,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// PReLU, forward: d = x > 0 ? x : w * x.
///
/// Arguments: #DNNL_ARG_SRC, #DNNL_ARG_WEIGHTS -> #DNNL_ARG_DST.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param src_desc Descriptor of the source.
/// @param weights_desc Descriptor of the weights w, whose dimensions are the source's or 1,
///     which is broadcast.
/// @param dst_desc Descriptor of the destination, of the source's dimensions.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_prelu_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// PReLU, backward: the gradients of source and weights.
///
/// Arguments: #DNNL_ARG_DIFF_DST, #DNNL_ARG_SRC, #DNNL_ARG_WEIGHTS -> #DNNL_ARG_DIFF_SRC,
/// #DNNL_ARG_DIFF_WEIGHTS.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param src_desc Descriptor of the source.
/// @param weights_desc Descriptor of the weights.
/// @param diff_src_desc Descriptor of the source's gradient.
/// @param diff_weights_desc Descriptor of the weights' gradient.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_prelu_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_weights_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// Local response normalization, forward: d = x * (k + alpha / n * sum of squares)^-beta.
///
/// The sum is over a neighbourhood of x that reaches (local_size - 1) / 2 elements to each side,
/// rounded down. So an even size counts local_size - 1 elements. Across channels it runs along the
/// channels, and n is local_size. Within a channel it runs along each of the S spatial dimensions,
/// and n is local_size to the power of S: 1 for a tensor of N, C.
///
/// Arguments: #DNNL_ARG_SRC -> #DNNL_ARG_DST, in training #DNNL_ARG_WORKSPACE.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param alg_kind ::dnnl_lrn_across_channels or ::dnnl_lrn_within_channel.
/// @param src_desc Descriptor of the source: N, C, and spatial dimensions.
/// @param dst_desc Descriptor of the destination, of the same dimensions.
/// @param local_size Size of the neighbourhood.
/// @param alpha Factor of the squares.
/// @param beta Exponent.
/// @param k Summand.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_lrn_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t local_size,
        float alpha, float beta, float k, const_dnnl_primitive_attr_t attr);

/// Local response normalization, backward: the gradient of the source.
///
/// Arguments: #DNNL_ARG_DIFF_DST, #DNNL_ARG_SRC, #DNNL_ARG_WORKSPACE -> #DNNL_ARG_DIFF_SRC.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param alg_kind As in the forward primitive.
/// @param diff_src_desc Descriptor of the source's gradient.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param src_desc Descriptor of the source.
/// @param local_size Size of the neighbourhood.
/// @param alpha Factor of the squares.
/// @param beta Exponent.
/// @param k Summand.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_lrn_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, dnnl_dim_t local_size, float alpha, float beta, float k,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Batch normalization, forward: d = scale * (x - mean) / sqrt(variance + epsilon) + shift, with
/// mean and variance of each channel over the batch and the spatial dimensions.
///
/// Arguments: #DNNL_ARG_SRC, then by flags #DNNL_ARG_SRC_1 (what ::dnnl_fuse_norm_add_relu adds),
/// #DNNL_ARG_MEAN and #DNNL_ARG_VARIANCE, #DNNL_ARG_SCALE, #DNNL_ARG_SHIFT -> #DNNL_ARG_DST, in
/// training #DNNL_ARG_MEAN, #DNNL_ARG_VARIANCE and #DNNL_ARG_WORKSPACE. Mean, variance, scale and
/// shift are f32 of C elements. It works in place.
///
/// Post-ops follow the fused relu. The workspace remembers what relu let pass, before the post-ops.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param src_desc Descriptor of the source: N, C, and spatial dimensions.
/// @param dst_desc Descriptor of the destination, of the same dimensions.
/// @param epsilon Keeps the root away from 0.
/// @param flags ::dnnl_normalization_flags_t, combined with `|`.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, float epsilon,
        unsigned flags, const_dnnl_primitive_attr_t attr);

/// Batch normalization, backward: the gradients of source, scale and shift.
///
/// Arguments: #DNNL_ARG_DIFF_DST, #DNNL_ARG_SRC, #DNNL_ARG_MEAN, #DNNL_ARG_VARIANCE,
/// #DNNL_ARG_SCALE,
/// #DNNL_ARG_WORKSPACE -> #DNNL_ARG_DIFF_SRC, #DNNL_ARG_DIFF_SRC_1, #DNNL_ARG_DIFF_SCALE,
/// #DNNL_ARG_DIFF_SHIFT.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_backward, or ::dnnl_backward_data to leave out the gradients of
///     scale and shift.
/// @param diff_src_desc Descriptor of the source's gradient.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param src_desc Descriptor of the source.
/// @param epsilon Keeps the root away from 0.
/// @param flags ::dnnl_normalization_flags_t, combined with `|`.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_batch_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Group normalization, forward: as batch normalization, with mean and variance of each image and
/// group of channels.
///
/// Arguments: as for batch normalization, without source 1 and workspace. Mean and variance are f32
/// of N, groups; scale and shift f32 of C elements.
///
/// The scale that attributes set for the source multiplies the result, not the source. Post-ops
/// follow it, and then the result is divided by the scale of the destination.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param src_desc Descriptor of the source: N, C, and spatial dimensions.
/// @param dst_desc Descriptor of the destination, of the same dimensions.
/// @param groups Number of groups; divides C.
/// @param epsilon Keeps the root away from 0.
/// @param flags ::dnnl_normalization_flags_t, combined with `|`.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_group_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t groups,
        float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Group normalization, backward: the gradients of source, scale and shift.
///
/// Arguments: as for batch normalization, without source 1 and workspace.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_backward, or ::dnnl_backward_data to leave out the gradients of
///     scale and shift.
/// @param diff_src_desc Descriptor of the source's gradient.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param src_desc Descriptor of the source.
/// @param groups As in the forward primitive.
/// @param epsilon Keeps the root away from 0.
/// @param flags ::dnnl_normalization_flags_t, combined with `|`.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_group_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, dnnl_dim_t groups, float epsilon, unsigned flags,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Layer normalization, forward, with f32 scale and shift; see
/// dnnl_layer_normalization_forward_primitive_desc_create_v2().
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param src_desc Descriptor of the source.
/// @param dst_desc Descriptor of the destination, of the same dimensions.
/// @param stat_desc Descriptor of mean and variance: the source's dimensions without the last;
///     NULL lets the library make one.
/// @param epsilon Keeps the root away from 0.
/// @param flags ::dnnl_normalization_flags_t, combined with `|`.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t stat_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr);

/// Layer normalization, backward, with f32 scale and shift; see
/// dnnl_layer_normalization_backward_primitive_desc_create_v2().
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_backward, or ::dnnl_backward_data to leave out the gradients of
///     scale and shift.
/// @param diff_src_desc Descriptor of the source's gradient.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param src_desc Descriptor of the source.
/// @param stat_desc Descriptor of mean and variance: the source's dimensions without the last;
///     NULL lets the library make one.
/// @param epsilon Keeps the root away from 0.
/// @param flags ::dnnl_normalization_flags_t, combined with `|`.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc, float epsilon,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Layer normalization, forward: d = scale * (x - mean) / sqrt(variance + epsilon) + shift, with
/// mean and variance along the last dimension. With ::dnnl_rms_norm the mean is left out, in the
/// variance too.
///
/// Arguments: #DNNL_ARG_SRC, then by flags #DNNL_ARG_MEAN and #DNNL_ARG_VARIANCE, #DNNL_ARG_SCALE,
/// #DNNL_ARG_SHIFT -> #DNNL_ARG_DST, in training #DNNL_ARG_MEAN and #DNNL_ARG_VARIANCE. Scale and
/// shift have as many elements as the last dimension. It works in place.
///
/// The scale that attributes set for the source multiplies the result, not the source. Post-ops
/// follow it, and then the result is divided by the scale of the destination.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param src_desc Descriptor of the source.
/// @param dst_desc Descriptor of the destination, of the same dimensions.
/// @param stat_desc Descriptor of mean and variance: the source's dimensions without the last. NULL
///     lets the library make one; its layout, and that of `any`, follows the order of the source's
///     dimensions.
/// @param scale_shift_data_type Type of scale and shift.
/// @param epsilon Keeps the root away from 0.
/// @param flags ::dnnl_normalization_flags_t, combined with `|`.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t stat_desc, dnnl_data_type_t scale_shift_data_type, float epsilon,
        unsigned flags, const_dnnl_primitive_attr_t attr);

/// Layer normalization, backward: the gradients of source, scale and shift.
///
/// Arguments: #DNNL_ARG_DIFF_DST, #DNNL_ARG_SRC, #DNNL_ARG_MEAN, #DNNL_ARG_VARIANCE,
/// #DNNL_ARG_SCALE ->
/// #DNNL_ARG_DIFF_SRC, #DNNL_ARG_DIFF_SCALE, #DNNL_ARG_DIFF_SHIFT.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_backward, or ::dnnl_backward_data to leave out the gradients of
///     scale and shift.
/// @param diff_src_desc Descriptor of the source's gradient.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param src_desc Descriptor of the source.
/// @param stat_desc Descriptor of mean and variance: the source's dimensions without the last;
///     NULL lets the library make one.
/// @param diff_scale_shift_data_type Type of the gradients of scale and shift.
/// @param scale_shift_data_type Type of scale and shift.
/// @param epsilon Keeps the root away from 0.
/// @param flags ::dnnl_normalization_flags_t, combined with `|`.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc,
        dnnl_data_type_t diff_scale_shift_data_type, dnnl_data_type_t scale_shift_data_type,
        float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// Inner product, forward: d(n, o) = b(o) + sum over i of src(n, i) * w(o, i), i running over
/// channels and spatial dimensions.
///
/// Shapes: source N, IC, and spatial dimensions; weights OC, IC, and the same; bias OC; destination
/// N, OC.
///
/// Arguments: #DNNL_ARG_SRC, #DNNL_ARG_WEIGHTS, #DNNL_ARG_BIAS -> #DNNL_ARG_DST.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param src_desc Descriptor of the source; may be `any`.
/// @param weights_desc Descriptor of the weights.
/// @param bias_desc Descriptor of the bias, an array without holes (the tag `a`) or `any`; NULL for
///     none.
/// @param dst_desc Descriptor of the destination.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_inner_product_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr);

/// Inner product, backward by data: the gradient of the source.
///
/// Arguments: #DNNL_ARG_DIFF_DST, #DNNL_ARG_WEIGHTS -> #DNNL_ARG_DIFF_SRC.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param diff_src_desc Descriptor of the source's gradient.
/// @param weights_desc Descriptor of the weights.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_inner_product_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// Inner product, backward by weights: the gradients of weights and bias.
///
/// Arguments: #DNNL_ARG_DIFF_DST, #DNNL_ARG_SRC -> #DNNL_ARG_DIFF_WEIGHTS, #DNNL_ARG_DIFF_BIAS.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param src_desc Descriptor of the source.
/// @param diff_weights_desc Descriptor of the weights' gradient.
/// @param diff_bias_desc Descriptor of the bias' gradient, an array without holes (the tag `a`) or
///     `any`; NULL for none.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_inner_product_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);
/// @}

/// @name Attributes of recurrent networks
/// Quantization of RNNs with u8 data and s8 weights.
/// @{

/// Sets how RNN data is quantized: q = scale * x + shift.
///
/// @param attr Attributes.
/// @param scale Factor.
/// @param shift Summand.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_data_qparams(
        dnnl_primitive_attr_t attr, const float scale, const float shift);

/// Returns how RNN data is quantized. Either output may be NULL.
///
/// @param attr Attributes.
/// @param scale Receives the factor.
/// @param shift Receives the summand.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_data_qparams(
        const_dnnl_primitive_attr_t attr, float *scale, float *shift);

/// Sets the factors by which RNN weights are quantized.
///
/// @param attr Attributes.
/// @param count Number of factors, positive.
/// @param mask Dimensions along which the factor varies, of weights L, D, I, G, O: 0, or the
///     bits 3 and 4 for one factor for each gate and output channel.
/// @param scales Factors; copied.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_weights_qparams(
        dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask, const float *scales);

/// Returns the factors by which RNN weights are quantized. Any of the outputs may be NULL.
///
/// @param attr Attributes.
/// @param count Receives the number of factors.
/// @param mask Receives the mask.
/// @param scales Receives the factors, which belong to the attributes.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_weights_qparams(
        const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask, const float **scales);

/// Sets the factors by which an LSTM's projection weights are quantized.
///
/// @param attr Attributes.
/// @param count Number of factors, positive.
/// @param mask Dimensions along which the factor varies, of weights L, D, I, O: 0, or bit 3 for
///     one factor for each output channel.
/// @param scales Factors; copied.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_weights_projection_qparams(
        dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask, const float *scales);

/// Returns the factors by which an LSTM's projection weights are quantized. Any of the outputs may
/// be NULL.
///
/// @param attr Attributes.
/// @param count Receives the number of factors.
/// @param mask Receives the mask.
/// @param scales Receives the factors, which belong to the attributes.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_weights_projection_qparams(
        const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask, const float **scales);
/// @}

/// @name Constructors of recurrent networks
/// Several layers of a cell, run over time in one or both directions.
///
/// Shapes, with T time steps, N the batch, L layers, D directions (1 or 2), G gates, and channels
/// SLC (source layer), SIC (source iteration), DHC (hidden), DIC (destination iteration), DLC
/// (destination layer, 2 DIC with ::dnnl_bidirectional_concat):
///
/// | tensor | shape |
/// | --- | --- |
/// | source layer | T, N, SLC |
/// | source iteration; cell state | L, D, N, SIC; L, D, N, DHC |
/// | attention | T, N, 1 |
/// | weights of layer; of iteration | L, D, SLC, G, DHC; L, D, SIC, G, DHC |
/// | weights of peephole; of projection | L, D, 3, DHC; L, D, DHC, DIC |
/// | bias | L, D, G, DHC |
/// | destination layer | T, N, DLC |
/// | destination iteration; cell state | L, D, N, DIC; L, D, N, DHC |
///
/// Optional tensors are left out by a NULL descriptor: the initial state, which is then 0; the
/// final state; the bias; peephole and projection. A gradient has the shape of what it is the
/// gradient of.
///
/// Weights may have blocks, as `any` asks for them. All other tensors have plain strides, also with
/// holes; the channels of bias and peephole, and those of the gradients that are inputs, lie beside
/// each other.
///
/// Arguments carry the names of the tensors: #DNNL_ARG_SRC_LAYER, #DNNL_ARG_SRC_ITER,
/// #DNNL_ARG_SRC_ITER_C,
/// #DNNL_ARG_AUGRU_ATTENTION, #DNNL_ARG_WEIGHTS_LAYER, #DNNL_ARG_WEIGHTS_ITER,
/// #DNNL_ARG_WEIGHTS_PEEPHOLE, #DNNL_ARG_WEIGHTS_PROJECTION, #DNNL_ARG_BIAS -> #DNNL_ARG_DST_LAYER,
/// #DNNL_ARG_DST_ITER, #DNNL_ARG_DST_ITER_C, in training #DNNL_ARG_WORKSPACE. Backward, these and
/// the DIFF_DST ones are inputs and the others with DIFF are outputs; gradients of weights are
/// added to what their buffers hold, unless a flag says to overwrite it.
///
/// In the formulas, x is the input from below, h the previous state, W and U the weights of layer
/// and iteration, s the logistic function.
/// @{

/// Vanilla RNN, forward, 1 gate: h' = activation(W x + U h + b).
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param activation ::dnnl_eltwise_relu, ::dnnl_eltwise_tanh or ::dnnl_eltwise_logistic.
/// @param direction Direction.
/// @param src_layer_desc Descriptor of the source layer.
/// @param src_iter_desc Descriptor of the initial state; NULL for none.
/// @param weights_layer_desc Descriptor of the layer weights; may be `any`.
/// @param weights_iter_desc Descriptor of the iteration weights; may be `any`.
/// @param bias_desc Descriptor of the bias; NULL for none.
/// @param dst_layer_desc Descriptor of the destination layer.
/// @param dst_iter_desc Descriptor of the final state; NULL for none.
/// @param flags ::dnnl_rnn_flags_t, combined with `|`.
/// @param alpha Parameter of the activation.
/// @param beta Parameter of the activation.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_vanilla_rnn_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const dnnl_alg_kind_t activation, const dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, float alpha, float beta,
        const_dnnl_primitive_attr_t attr);

/// Vanilla RNN, backward.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_backward.
/// @param activation As in the forward primitive.
/// @param direction Direction.
/// @param src_layer_desc Descriptor of the source layer.
/// @param src_iter_desc Descriptor of the initial state; NULL for none.
/// @param weights_layer_desc Descriptor of the layer weights; may be `any`.
/// @param weights_iter_desc Descriptor of the iteration weights; may be `any`.
/// @param bias_desc Descriptor of the bias; NULL for none.
/// @param dst_layer_desc Descriptor of the destination layer.
/// @param dst_iter_desc Descriptor of the final state; NULL for none.
/// @param diff_src_layer_desc Descriptor of the gradient of the source layer.
/// @param diff_src_iter_desc Descriptor of the gradient of the initial state; NULL for none.
/// @param diff_weights_layer_desc Descriptor of the gradient of the layer weights.
/// @param diff_weights_iter_desc Descriptor of the gradient of the iteration weights.
/// @param diff_bias_desc Descriptor of the gradient of the bias; NULL for none.
/// @param diff_dst_layer_desc Descriptor of the gradient of the destination layer.
/// @param diff_dst_iter_desc Descriptor of the gradient of the final state; NULL for none.
/// @param flags ::dnnl_rnn_flags_t, combined with `|`.
/// @param alpha Parameter of the activation.
/// @param beta Parameter of the activation.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_vanilla_rnn_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const dnnl_alg_kind_t activation, const dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
        const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, float alpha, float beta, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// LSTM, forward, 4 gates in the order input, forget, candidate, output: c' = s(f) * c + s(i) *
/// tanh(g), h' = s(o) * tanh(c'). With a peephole, i and f also see c and o sees c'; with a
/// projection, h' is multiplied by one more matrix.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param direction Direction.
/// @param src_layer_desc Descriptor of the source layer.
/// @param src_iter_desc Descriptor of the initial state; NULL for none.
/// @param src_iter_c_desc Descriptor of the initial cell state; NULL for none.
/// @param weights_layer_desc Descriptor of the layer weights; may be `any`.
/// @param weights_iter_desc Descriptor of the iteration weights; may be `any`.
/// @param weights_peephole_desc Descriptor of the peephole weights; NULL for none.
/// @param weights_projection_desc Descriptor of the projection weights; NULL for none.
/// @param bias_desc Descriptor of the bias; NULL for none.
/// @param dst_layer_desc Descriptor of the destination layer.
/// @param dst_iter_desc Descriptor of the final state; NULL for none.
/// @param dst_iter_c_desc Descriptor of the final cell state; NULL for none.
/// @param flags ::dnnl_rnn_flags_t, combined with `|`.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_lstm_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t src_iter_c_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t weights_peephole_desc,
        const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t dst_iter_c_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// LSTM, backward.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_backward.
/// @param direction Direction.
/// @param src_layer_desc Descriptor of the source layer.
/// @param src_iter_desc Descriptor of the initial state; NULL for none.
/// @param src_iter_c_desc Descriptor of the initial cell state; NULL for none.
/// @param weights_layer_desc Descriptor of the layer weights; may be `any`.
/// @param weights_iter_desc Descriptor of the iteration weights; may be `any`.
/// @param weights_peephole_desc Descriptor of the peephole weights; NULL for none.
/// @param weights_projection_desc Descriptor of the projection weights; NULL for none.
/// @param bias_desc Descriptor of the bias; NULL for none.
/// @param dst_layer_desc Descriptor of the destination layer.
/// @param dst_iter_desc Descriptor of the final state; NULL for none.
/// @param dst_iter_c_desc Descriptor of the final cell state; NULL for none.
/// @param diff_src_layer_desc Descriptor of the gradient of the source layer.
/// @param diff_src_iter_desc Descriptor of the gradient of the initial state; NULL for none.
/// @param diff_src_iter_c_desc Descriptor of the gradient of the initial cell state; NULL for none.
/// @param diff_weights_layer_desc Descriptor of the gradient of the layer weights.
/// @param diff_weights_iter_desc Descriptor of the gradient of the iteration weights.
/// @param diff_weights_peephole_desc Descriptor of the gradient of the peephole weights; NULL
///     for none.
/// @param diff_weights_projection_desc Descriptor of the gradient of the projection weights;
///     NULL for none.
/// @param diff_bias_desc Descriptor of the gradient of the bias; NULL for none.
/// @param diff_dst_layer_desc Descriptor of the gradient of the destination layer.
/// @param diff_dst_iter_desc Descriptor of the gradient of the final state; NULL for none.
/// @param diff_dst_iter_c_desc Descriptor of the gradient of the final cell state; NULL for none.
/// @param flags ::dnnl_rnn_flags_t, combined with `|`.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_lstm_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t src_iter_c_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t weights_peephole_desc,
        const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t dst_iter_c_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
        const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_src_iter_c_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc,
        const_dnnl_memory_desc_t diff_weights_peephole_desc,
        const_dnnl_memory_desc_t diff_weights_projection_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
        const_dnnl_memory_desc_t diff_dst_iter_desc, const_dnnl_memory_desc_t diff_dst_iter_c_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// GRU, forward, 3 gates in the order update, reset, output: u = s(..), r = s(..), o = tanh(W x + U
/// (r * h) + b), h' = u * h + (1 - u) * o.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param direction Direction.
/// @param src_layer_desc Descriptor of the source layer.
/// @param src_iter_desc Descriptor of the initial state; NULL for none.
/// @param weights_layer_desc Descriptor of the layer weights; may be `any`.
/// @param weights_iter_desc Descriptor of the iteration weights; may be `any`.
/// @param bias_desc Descriptor of the bias; NULL for none.
/// @param dst_layer_desc Descriptor of the destination layer.
/// @param dst_iter_desc Descriptor of the final state; NULL for none.
/// @param flags ::dnnl_rnn_flags_t, combined with `|`.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_gru_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// GRU, backward.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_backward.
/// @param direction Direction.
/// @param src_layer_desc Descriptor of the source layer.
/// @param src_iter_desc Descriptor of the initial state; NULL for none.
/// @param weights_layer_desc Descriptor of the layer weights; may be `any`.
/// @param weights_iter_desc Descriptor of the iteration weights; may be `any`.
/// @param bias_desc Descriptor of the bias; NULL for none.
/// @param dst_layer_desc Descriptor of the destination layer.
/// @param dst_iter_desc Descriptor of the final state; NULL for none.
/// @param diff_src_layer_desc Descriptor of the gradient of the source layer.
/// @param diff_src_iter_desc Descriptor of the gradient of the initial state; NULL for none.
/// @param diff_weights_layer_desc Descriptor of the gradient of the layer weights.
/// @param diff_weights_iter_desc Descriptor of the gradient of the iteration weights.
/// @param diff_bias_desc Descriptor of the gradient of the bias; NULL for none.
/// @param diff_dst_layer_desc Descriptor of the gradient of the destination layer.
/// @param diff_dst_iter_desc Descriptor of the gradient of the final state; NULL for none.
/// @param flags ::dnnl_rnn_flags_t, combined with `|`.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_gru_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// GRU with linear before reset, forward: as GRU, but o = tanh(W x + r * (U h + b') + b). The bias
/// has 4 gates, b' being the last.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param direction Direction.
/// @param src_layer_desc Descriptor of the source layer.
/// @param src_iter_desc Descriptor of the initial state; NULL for none.
/// @param weights_layer_desc Descriptor of the layer weights; may be `any`.
/// @param weights_iter_desc Descriptor of the iteration weights; may be `any`.
/// @param bias_desc Descriptor of the bias; NULL for none.
/// @param dst_layer_desc Descriptor of the destination layer.
/// @param dst_iter_desc Descriptor of the final state; NULL for none.
/// @param flags ::dnnl_rnn_flags_t, combined with `|`.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_lbr_gru_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        unsigned flags, const_dnnl_primitive_attr_t attr);

/// GRU with linear before reset, backward.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_backward.
/// @param direction Direction.
/// @param src_layer_desc Descriptor of the source layer.
/// @param src_iter_desc Descriptor of the initial state; NULL for none.
/// @param weights_layer_desc Descriptor of the layer weights; may be `any`.
/// @param weights_iter_desc Descriptor of the iteration weights; may be `any`.
/// @param bias_desc Descriptor of the bias; NULL for none.
/// @param dst_layer_desc Descriptor of the destination layer.
/// @param dst_iter_desc Descriptor of the final state; NULL for none.
/// @param diff_src_layer_desc Descriptor of the gradient of the source layer.
/// @param diff_src_iter_desc Descriptor of the gradient of the initial state; NULL for none.
/// @param diff_weights_layer_desc Descriptor of the gradient of the layer weights.
/// @param diff_weights_iter_desc Descriptor of the gradient of the iteration weights.
/// @param diff_bias_desc Descriptor of the gradient of the bias; NULL for none.
/// @param diff_dst_layer_desc Descriptor of the gradient of the destination layer.
/// @param diff_dst_iter_desc Descriptor of the gradient of the final state; NULL for none.
/// @param flags ::dnnl_rnn_flags_t, combined with `|`.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_lbr_gru_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// AUGRU, forward: as GRU, with the update gate u multiplied by 1 - attention.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param direction Direction.
/// @param src_layer_desc Descriptor of the source layer.
/// @param src_iter_desc Descriptor of the initial state; NULL for none.
/// @param attention_desc Descriptor of the attention.
/// @param weights_layer_desc Descriptor of the layer weights; may be `any`.
/// @param weights_iter_desc Descriptor of the iteration weights; may be `any`.
/// @param bias_desc Descriptor of the bias; NULL for none.
/// @param dst_layer_desc Descriptor of the destination layer.
/// @param dst_iter_desc Descriptor of the final state; NULL for none.
/// @param flags ::dnnl_rnn_flags_t, combined with `|`.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_augru_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// AUGRU, backward.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_backward.
/// @param direction Direction.
/// @param src_layer_desc Descriptor of the source layer.
/// @param src_iter_desc Descriptor of the initial state; NULL for none.
/// @param attention_desc Descriptor of the attention.
/// @param weights_layer_desc Descriptor of the layer weights; may be `any`.
/// @param weights_iter_desc Descriptor of the iteration weights; may be `any`.
/// @param bias_desc Descriptor of the bias; NULL for none.
/// @param dst_layer_desc Descriptor of the destination layer.
/// @param dst_iter_desc Descriptor of the final state; NULL for none.
/// @param diff_src_layer_desc Descriptor of the gradient of the source layer.
/// @param diff_src_iter_desc Descriptor of the gradient of the initial state; NULL for none.
/// @param diff_attention_desc Descriptor of the gradient of the attention.
/// @param diff_weights_layer_desc Descriptor of the gradient of the layer weights.
/// @param diff_weights_iter_desc Descriptor of the gradient of the iteration weights.
/// @param diff_bias_desc Descriptor of the gradient of the bias; NULL for none.
/// @param diff_dst_layer_desc Descriptor of the gradient of the destination layer.
/// @param diff_dst_iter_desc Descriptor of the gradient of the final state; NULL for none.
/// @param flags ::dnnl_rnn_flags_t, combined with `|`.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_augru_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
        const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_attention_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// AUGRU with linear before reset, forward: as LBR GRU, with the update gate u multiplied by 1 -
/// attention.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param direction Direction.
/// @param src_layer_desc Descriptor of the source layer.
/// @param src_iter_desc Descriptor of the initial state; NULL for none.
/// @param attention_desc Descriptor of the attention.
/// @param weights_layer_desc Descriptor of the layer weights; may be `any`.
/// @param weights_iter_desc Descriptor of the iteration weights; may be `any`.
/// @param bias_desc Descriptor of the bias; NULL for none.
/// @param dst_layer_desc Descriptor of the destination layer.
/// @param dst_iter_desc Descriptor of the final state; NULL for none.
/// @param flags ::dnnl_rnn_flags_t, combined with `|`.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_lbr_augru_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// AUGRU with linear before reset, backward.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_backward.
/// @param direction Direction.
/// @param src_layer_desc Descriptor of the source layer.
/// @param src_iter_desc Descriptor of the initial state; NULL for none.
/// @param attention_desc Descriptor of the attention.
/// @param weights_layer_desc Descriptor of the layer weights; may be `any`.
/// @param weights_iter_desc Descriptor of the iteration weights; may be `any`.
/// @param bias_desc Descriptor of the bias; NULL for none.
/// @param dst_layer_desc Descriptor of the destination layer.
/// @param dst_iter_desc Descriptor of the final state; NULL for none.
/// @param diff_src_layer_desc Descriptor of the gradient of the source layer.
/// @param diff_src_iter_desc Descriptor of the gradient of the initial state; NULL for none.
/// @param diff_attention_desc Descriptor of the gradient of the attention.
/// @param diff_weights_layer_desc Descriptor of the gradient of the layer weights.
/// @param diff_weights_iter_desc Descriptor of the gradient of the iteration weights.
/// @param diff_bias_desc Descriptor of the gradient of the bias; NULL for none.
/// @param diff_dst_layer_desc Descriptor of the gradient of the destination layer.
/// @param diff_dst_iter_desc Descriptor of the gradient of the final state; NULL for none.
/// @param flags ::dnnl_rnn_flags_t, combined with `|`.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_lbr_augru_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
        const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_attention_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);
/// @}

/// @name More constructors of primitive descriptors
/// The rules of the first group hold here as well.
/// @{

/// Matmul: d = src * weights + bias, matrices being the last two dimensions and the ones before
/// them a batch.
///
/// Shapes: source ..., M, K; weights ..., K, N; bias of as many dimensions, each the destination's
/// or 1; destination ..., M, N. A batch dimension that is 1 in source or weights is broadcast. M,
/// N, K and the batch may be #DNNL_RUNTIME_DIM_VAL.
///
/// Arguments: #DNNL_ARG_SRC, #DNNL_ARG_WEIGHTS, #DNNL_ARG_BIAS -> #DNNL_ARG_DST.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param src_desc Descriptor of the source; may be `any`. Transposition is a matter of strides.
/// @param weights_desc Descriptor of the weights.
/// @param bias_desc Descriptor of the bias, with any strides; NULL for none.
/// @param dst_desc Descriptor of the destination.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Resampling, forward: changes the size of the spatial dimensions. Output position o stands for
/// input position (o + 0.5) * I / O - 0.5.
///
/// Shapes: source N, C, [D, H,] W; destination N, C, [OD, OH,] OW.
///
/// Arguments: #DNNL_ARG_SRC -> #DNNL_ARG_DST.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param prop_kind ::dnnl_forward_training or ::dnnl_forward_inference.
/// @param alg_kind ::dnnl_resampling_nearest or ::dnnl_resampling_linear.
/// @param factors Output over input size for each spatial dimension; NULL takes them from the
///     descriptors.
/// @param src_desc Descriptor of the source.
/// @param dst_desc Descriptor of the destination; NULL makes one from the factors.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_resampling_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg_kind, const float *factors, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Resampling, backward: each gradient is spread over the elements that its output was made of.
///
/// Arguments: #DNNL_ARG_DIFF_DST -> #DNNL_ARG_DIFF_SRC.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param alg_kind As in the forward primitive.
/// @param factors As in the forward primitive.
/// @param diff_src_desc Descriptor of the source's gradient.
/// @param diff_dst_desc Descriptor of the destination's gradient.
/// @param hint_fwd_pd Descriptor of the forward primitive.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_resampling_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const float *factors, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// Reduction: joins the elements along all dimensions that are 1 in the destination and not in the
/// source.
///
/// Arguments: #DNNL_ARG_SRC -> #DNNL_ARG_DST.
///
/// @param primitive_desc Receives the primitive descriptor; free it with
///     dnnl_primitive_desc_destroy().
/// @param engine Engine to run on.
/// @param alg_kind One of the dnnl_reduction_ algorithms.
/// @param src_desc Descriptor of the source.
/// @param dst_desc Descriptor of the destination: each dimension is the source's or 1, and at
///     least one differs.
/// @param p Exponent of the norms, at least 1.
/// @param eps Epsilon of the norms.
/// @param attr Attributes; NULL for none.
DNNL_API dnnl_status_t dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, float p, float eps, const_dnnl_primitive_attr_t attr);
/// @}

/// @name Primitive cache
/// Primitives that were created are kept, those that were used last first, so that creating an
/// equal one is quick.
/// @{

/// Returns the largest number of primitives that are kept.
///
/// @param capacity Receives the number: 1024, unless the environment variable
///     ONEDNN_PRIMITIVE_CACHE_CAPACITY (or DNNL_PRIMITIVE_CACHE_CAPACITY) or
///     dnnl_set_primitive_cache_capacity() said otherwise.
DNNL_API dnnl_status_t dnnl_get_primitive_cache_capacity(int *capacity);

/// Sets the largest number of primitives that are kept, and lets go of those in excess.
///
/// @param capacity Number; 0 keeps none.
/// @returns ::dnnl_invalid_arguments for a negative number.
DNNL_API dnnl_status_t dnnl_set_primitive_cache_capacity(int capacity);
/// @}

/// @name Service functions
/// @{

/// Asks for code that is generated at run time to be written to files. Kernels of this library are
/// precompiled: the setting is accepted and has no effect.
///
/// @param enable Not 0: on.
DNNL_API dnnl_status_t dnnl_set_jit_dump(int enable);

/// Tells profilers about code that is generated for the CPU, of which this library has none.
///
/// @param flags DNNL_JIT_PROFILE_ flags, combined with `|`.
/// @returns ::dnnl_unimplemented.
DNNL_API dnnl_status_t dnnl_set_jit_profiling_flags(unsigned flags);

/// Sets the folder that dnnl_set_jit_profiling_flags() has files written to.
///
/// @param dir Folder.
/// @returns ::dnnl_unimplemented.
DNNL_API dnnl_status_t dnnl_set_jit_profiling_jitdumpdir(const char *dir);

/// Limits the instruction sets that code for the CPU uses, of which this library has none.
///
/// @param isa Instruction set.
/// @returns ::dnnl_runtime_error.
DNNL_API dnnl_status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa);

/// Returns the instruction set that code for the CPU uses.
///
/// @returns ::dnnl_cpu_isa_default.
DNNL_API dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void);

/// Sets hints for code for the CPU, of which this library has none.
///
/// @param isa_hints Hints.
/// @returns ::dnnl_runtime_error.
DNNL_API dnnl_status_t dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints);

/// Returns the hints for code for the CPU.
///
/// @returns ::dnnl_cpu_isa_no_hints.
DNNL_API dnnl_cpu_isa_hints_t dnnl_get_cpu_isa_hints(void);

#ifdef DNNL_EXPERIMENTAL_PROFILING
/// Waits for a stream and forgets the times that it has recorded.
///
/// @param stream Stream with profiling.
/// @returns ::dnnl_invalid_arguments for a stream without profiling.
DNNL_API dnnl_status_t dnnl_reset_profiling(dnnl_stream_t stream);

/// Waits for a stream and returns the times that it has recorded, one entry for each execution
/// since the stream was made or dnnl_reset_profiling().
///
/// @param stream Stream with profiling.
/// @param data_kind ::dnnl_profiling_data_kind_time, or #DNNL_ZE_PROFILING_TIME_PER_KERNEL for
///     one entry for each kernel.
/// @param num_entries Receives the number of entries.
/// @param data Has room for that many, and receives for each execution the time in nanoseconds
///     that all of its kernels took. NULL to ask for the number only, without waiting.
/// @returns ::dnnl_invalid_arguments for a stream without profiling.
DNNL_API dnnl_status_t dnnl_query_profiling_data(dnnl_stream_t stream,
        dnnl_profiling_data_kind_t data_kind, int *num_entries, uint64_t *data);
#endif
/// @}

/// @name Matrix multiplication on the host
/// C = alpha * op(A) * op(B) + beta * C with row-major matrices in host memory. These functions
/// belong to CPU runtimes; in this library, which has none, they answer ::dnnl_unimplemented. Use a
/// matmul primitive.
/// @{

/// f32 matrix multiplication on the host.
///
/// @param transa 'T' or 't' if A is stored transposed, 'N' or 'n' if not.
/// @param transb The same of B.
/// @param M Rows of C.
/// @param N Columns of C.
/// @param K Columns of op(A).
/// @param alpha Factor of the product.
/// @param A Matrix A.
/// @param lda Distance of its rows, in elements.
/// @param B Matrix B.
/// @param ldb Distance of its rows, in elements.
/// @param beta Factor of the old C.
/// @param C Matrix C.
/// @param ldc Distance of its rows, in elements.
/// @returns ::dnnl_unimplemented.
DNNL_API dnnl_status_t dnnl_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
        dnnl_dim_t K, float alpha, const float *A, dnnl_dim_t lda, const float *B, dnnl_dim_t ldb,
        float beta, float *C, dnnl_dim_t ldc);

/// Matrix multiplication on the host of u8 and s8 into s32, with offsets: op(A) - ao, op(B) - bo,
/// and co added to the result.
///
/// @param transa 'T' or 't' if A is stored transposed, 'N' or 'n' if not.
/// @param transb The same of B.
/// @param offsetc What co holds: 'F' or 'f' one value, 'C' or 'c' one for each row, 'R' or 'r'
///     one for each column.
/// @param M Rows of C.
/// @param N Columns of C.
/// @param K Columns of op(A).
/// @param alpha Factor of the product.
/// @param A Matrix A.
/// @param lda Distance of its rows, in elements.
/// @param ao Offset of A.
/// @param B Matrix B.
/// @param ldb Distance of its rows, in elements.
/// @param bo Offset of B.
/// @param beta Factor of the old C.
/// @param C Matrix C.
/// @param ldc Distance of its rows, in elements.
/// @param co Offsets of C.
/// @returns ::dnnl_unimplemented.
DNNL_API dnnl_status_t dnnl_gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
        dnnl_dim_t N, dnnl_dim_t K, float alpha, const uint8_t *A, dnnl_dim_t lda, uint8_t ao,
        const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
        const int32_t *co);

/// Matrix multiplication on the host of s8 and s8 into s32, with offsets: op(A) - ao, op(B) - bo,
/// and co added to the result.
///
/// @param transa 'T' or 't' if A is stored transposed, 'N' or 'n' if not.
/// @param transb The same of B.
/// @param offsetc What co holds: 'F' or 'f' one value, 'C' or 'c' one for each row, 'R' or 'r'
///     one for each column.
/// @param M Rows of C.
/// @param N Columns of C.
/// @param K Columns of op(A).
/// @param alpha Factor of the product.
/// @param A Matrix A.
/// @param lda Distance of its rows, in elements.
/// @param ao Offset of A.
/// @param B Matrix B.
/// @param ldb Distance of its rows, in elements.
/// @param bo Offset of B.
/// @param beta Factor of the old C.
/// @param C Matrix C.
/// @param ldc Distance of its rows, in elements.
/// @param co Offsets of C.
/// @returns ::dnnl_unimplemented.
DNNL_API dnnl_status_t dnnl_gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
        dnnl_dim_t N, dnnl_dim_t K, float alpha, const int8_t *A, dnnl_dim_t lda, int8_t ao,
        const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
        const int32_t *co);
/// @}

#ifdef __cplusplus
}
#endif

#endif
