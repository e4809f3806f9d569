/* SPDX-License-Identifier: Apache-2.0 */
/* The Graph API: operations are added to a graph, which is divided into partitions, which are
 * compiled and executed. */
#ifndef ONEAPI_DNNL_DNNL_GRAPH_H
#define ONEAPI_DNNL_DNNL_GRAPH_H

#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_graph_types.h"
#include "oneapi/dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// The way to a result: describe the tensors (logical tensors), add operations to a graph, finalize
/// it and filter it into partitions, compile each partition for shapes and an engine, wrap buffers
/// (tensors), execute the compiled partitions on a stream. docs/graph.md says which operations are
/// computed.
///
/// - A pointer that a function needs and that is NULL answers ::dnnl_invalid_arguments, with a
///   sentence in the verbose log.
/// - A graph, an operation and a tensor may be used by one thread at a time. A partition may be
///   compiled, and a compiled partition executed, by several threads at once.
/// - The engine of a tensor or a compiled partition has to live as long as these do.

/// @name Allocators and engines
/// @{

/// Creates an allocator from two functions of the program, which are copied. If either is NULL, it
/// is the allocator that every engine has, which allocates memory of the device. Host memory is of
/// no use to a device: the functions are kept, and never called.
///
/// @param allocator Receives the allocator; free it with dnnl_graph_allocator_destroy().
/// @param host_malloc Allocates host memory; may be NULL.
/// @param host_free Frees it; may be NULL.
DNNL_API dnnl_status_t dnnl_graph_allocator_create(dnnl_graph_allocator_t *allocator,
        dnnl_graph_host_allocate_f host_malloc, dnnl_graph_host_deallocate_f host_free);

/// Frees an allocator. Engines have copies.
///
/// @returns ::dnnl_invalid_arguments for NULL.
DNNL_API dnnl_status_t dnnl_graph_allocator_destroy(dnnl_graph_allocator_t allocator);

/// Creates an engine as dnnl_engine_create() does, with a copy of an allocator.
///
/// @param engine Receives the engine; free it with dnnl_engine_destroy().
/// @param kind Kind of the engine.
/// @param index Number of the device, from 0 on.
/// @param alloc Allocator that is copied.
DNNL_API dnnl_status_t dnnl_graph_make_engine_with_allocator(dnnl_engine_t *engine,
        dnnl_engine_kind_t kind, size_t index, const_dnnl_graph_allocator_t alloc);
/// @}

/// @name Logical tensors
/// @{

/// Fills in a logical tensor without dimensions.
///
/// @param logical_tensor Logical tensor to be filled in.
/// @param tid Number of the logical tensor.
/// @param dtype Data type; #dnnl_data_type_undef: not known.
/// @param ndims Number of dimensions; negative: unknown. All dimensions and strides are unknown.
/// @param ltype Kind of layout.
/// @param ptype Whether it is a constant or a host scalar.
/// @returns ::dnnl_invalid_arguments for more than #DNNL_MAX_NDIMS dimensions, and for a host
///     scalar that has dimensions or is of a type other than s32, s64 and f32.
DNNL_API dnnl_status_t dnnl_graph_logical_tensor_init(dnnl_graph_logical_tensor_t *logical_tensor,
        size_t tid, dnnl_data_type_t dtype, int32_t ndims, dnnl_graph_layout_type_t ltype,
        dnnl_graph_tensor_property_t ptype);

/// Fills in a logical tensor. If its layout is strided and all dimensions are known, the strides
/// are those of a dense row-major tensor.
///
/// @returns ::dnnl_invalid_arguments for a number of dimensions outside of 0 to #DNNL_MAX_NDIMS.
DNNL_API dnnl_status_t dnnl_graph_logical_tensor_init_with_dims(
        dnnl_graph_logical_tensor_t *logical_tensor, size_t tid, dnnl_data_type_t dtype,
        int32_t ndims, const dnnl_dims_t dims, dnnl_graph_layout_type_t ltype,
        dnnl_graph_tensor_property_t ptype);

/// Fills in a logical tensor of strided layout.
///
/// @returns ::dnnl_invalid_arguments for a number of dimensions outside of 0 to #DNNL_MAX_NDIMS.
DNNL_API dnnl_status_t dnnl_graph_logical_tensor_init_with_strides(
        dnnl_graph_logical_tensor_t *logical_tensor, size_t tid, dnnl_data_type_t dtype,
        int32_t ndims, const dnnl_dims_t dims, const dnnl_dims_t strides,
        dnnl_graph_tensor_property_t ptype);

/// Returns the bytes that the data of a logical tensor takes: SIZE_MAX if dimensions or layout are
/// not known, 0 if a dimension is 0.
DNNL_API dnnl_status_t dnnl_graph_logical_tensor_get_mem_size(
        const dnnl_graph_logical_tensor_t *logical_tensor, size_t *size);

/// Compares two logical tensors.
///
/// @param lt1 One logical tensor.
/// @param lt2 The other one.
/// @param is_equal Receives 1 or 0.
DNNL_API dnnl_status_t dnnl_graph_logical_tensor_is_equal(const dnnl_graph_logical_tensor_t *lt1,
        const dnnl_graph_logical_tensor_t *lt2, uint8_t *is_equal);
/// @}

/// @name Tensors
/// @{

/// Creates a tensor.
///
/// @param tensor Receives the tensor; free it with dnnl_graph_tensor_destroy().
/// @param logical_tensor Logical tensor, which is copied.
/// @param engine Engine, which has to live as long as the tensor.
/// @param handle Memory of the device, which stays the program's; #DNNL_MEMORY_NONE for none yet;
///     #DNNL_MEMORY_ALLOCATE has the engine's allocator allocate it, and the tensor frees it.
/// @returns ::dnnl_invalid_arguments for a host scalar; ::dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_graph_tensor_create(dnnl_graph_tensor_t *tensor,
        const dnnl_graph_logical_tensor_t *logical_tensor, dnnl_engine_t engine, void *handle);

/// Creates a tensor of one value, which is copied from host memory.
///
/// @returns ::dnnl_invalid_arguments for a logical tensor that is not a host scalar, or no value.
DNNL_API dnnl_status_t dnnl_graph_tensor_create_scalar(dnnl_graph_tensor_t *tensor,
        const dnnl_graph_logical_tensor_t *logical_tensor, void *handle);

/// Frees a tensor. Work that uses its memory must have finished, unless the library allocated it.
///
/// @param tensor Tensor, or NULL.
DNNL_API dnnl_status_t dnnl_graph_tensor_destroy(dnnl_graph_tensor_t tensor);

/// Returns the memory of a tensor; NULL for a host scalar.
DNNL_API dnnl_status_t dnnl_graph_tensor_get_data_handle(
        const_dnnl_graph_tensor_t tensor, void **handle);

/// Replaces the memory of a tensor. Memory that the tensor owns is freed.
///
/// @returns ::dnnl_invalid_arguments for a host scalar.
DNNL_API dnnl_status_t dnnl_graph_tensor_set_data_handle(dnnl_graph_tensor_t tensor, void *handle);

/// Returns the engine of a tensor; NULL for a host scalar.
DNNL_API dnnl_status_t dnnl_graph_tensor_get_engine(
        const_dnnl_graph_tensor_t tensor, dnnl_engine_t *engine);

/// Returns the logical tensor of a tensor.
DNNL_API dnnl_status_t dnnl_graph_tensor_get_logical_tensor(
        const_dnnl_graph_tensor_t tensor, dnnl_graph_logical_tensor_t *logical_tensor);
/// @}

/// @name Operations
/// @{

/// Creates an operation without inputs, outputs and attributes.
///
/// @param op Receives the operation; free it with dnnl_graph_op_destroy().
/// @param id Number of the operation, which no other one of its graph has.
/// @param kind Kind; dnnl_graph_add_op() checks it.
/// @param verbose_name Name in the log; empty: made from kind and number.
DNNL_API dnnl_status_t dnnl_graph_op_create(
        dnnl_graph_op_t *op, size_t id, dnnl_graph_op_kind_t kind, const char *verbose_name);

/// Frees an operation. Graphs have copies.
///
/// @param op Operation, or NULL.
DNNL_API dnnl_status_t dnnl_graph_op_destroy(dnnl_graph_op_t op);

/// Appends an input.
DNNL_API dnnl_status_t dnnl_graph_op_add_input(
        dnnl_graph_op_t op, const dnnl_graph_logical_tensor_t *input);

/// Appends an output.
DNNL_API dnnl_status_t dnnl_graph_op_add_output(
        dnnl_graph_op_t op, const dnnl_graph_logical_tensor_t *output);

/// Sets an attribute to an f32, or to a list of them.
///
/// @param op Operation.
/// @param name Attribute.
/// @param value Value, or the first one of a list; it is copied.
/// @param value_len Length of a list; ignored for one value.
DNNL_API dnnl_status_t dnnl_graph_op_set_attr_f32(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const float *value, size_t value_len);

/// Sets an attribute to 0 or 1.
///
/// @param op Operation.
/// @param name Attribute.
/// @param value Value, or the first one of a list; it is copied.
/// @param value_len 1.
/// @returns ::dnnl_invalid_arguments for another length.
DNNL_API dnnl_status_t dnnl_graph_op_set_attr_bool(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const uint8_t *value, size_t value_len);

/// Sets an attribute to an s64, or to a list of them.
///
/// @param op Operation.
/// @param name Attribute.
/// @param value Value, or the first one of a list; it is copied.
/// @param value_len Length of a list; ignored for one value.
DNNL_API dnnl_status_t dnnl_graph_op_set_attr_s64(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const int64_t *value, size_t value_len);

/// Sets an attribute to a string.
///
/// @param op Operation.
/// @param name Attribute.
/// @param value Value, or the first one of a list; it is copied.
/// @param value_len Not 0, and otherwise ignored: the string ends with a 0.
/// @returns ::dnnl_invalid_arguments for length 0.
DNNL_API dnnl_status_t dnnl_graph_op_set_attr_str(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const char *value, size_t value_len);

/// Returns the number of an operation.
DNNL_API dnnl_status_t dnnl_graph_op_get_id(const_dnnl_graph_op_t op, size_t *id);

/// Returns the kind of an operation.
DNNL_API dnnl_status_t dnnl_graph_op_get_kind(const_dnnl_graph_op_t op, dnnl_graph_op_kind_t *kind);
/// @}

/// @name Partitions
/// @{

/// Creates a partition of one operation, without a graph.
///
/// @param partition Receives the partition; free it with dnnl_graph_partition_destroy().
/// @param op Operation, which is copied.
/// @param ekind Kind of the engine that will execute it.
/// @returns ::dnnl_invalid_graph_op as dnnl_graph_add_op() does.
DNNL_API dnnl_status_t dnnl_graph_partition_create_with_op(
        dnnl_graph_partition_t *partition, const_dnnl_graph_op_t op, dnnl_engine_kind_t ekind);

/// Frees a partition.
///
/// @param partition Partition, or NULL.
DNNL_API dnnl_status_t dnnl_graph_partition_destroy(dnnl_graph_partition_t partition);

/// Returns the number of operations of a partition.
DNNL_API dnnl_status_t dnnl_graph_partition_get_op_num(
        const_dnnl_graph_partition_t partition, size_t *num);

/// Returns the numbers of the operations, producers before consumers.
///
/// @param partition Partition.
/// @param num Length of @p ids, which is the number of operations.
/// @param ids Receives the numbers.
DNNL_API dnnl_status_t dnnl_graph_partition_get_ops(
        dnnl_graph_partition_t partition, size_t num, size_t *ids);

/// Returns the number of a partition, which no other partition of the process has.
DNNL_API dnnl_status_t dnnl_graph_partition_get_id(
        const_dnnl_graph_partition_t partition, size_t *id);

/// Compiles a partition for shapes, layouts and an engine.
///
/// Logical tensors are matched with the ports by their numbers: their order is free, and those that
/// no port has are ignored. Dimensions of inputs have to be known, those of outputs are inferred.
/// The library chooses layouts that are ::dnnl_graph_layout_type_any. Execution takes tensors in
/// the order of the logical tensors here.
///
/// @param partition Partition.
/// @param compiled_partition What dnnl_graph_compiled_partition_create() made of the partition.
/// @param in_num Length of @p inputs.
/// @param inputs Logical tensors of the inputs.
/// @param out_num Length of @p outputs.
/// @param outputs Logical tensors of the outputs.
/// @param engine Engine, which has to live as long as the compiled partition.
/// @returns ::dnnl_invalid_arguments for a port that is missing, an input whose dimensions, type or
///     layout are not known, and another kind of engine than the graph's; ::dnnl_invalid_shape if
///     dimensions of an output contradict those that are inferred; ::dnnl_unimplemented if the
///     partition is not supported.
DNNL_API dnnl_status_t dnnl_graph_partition_compile(dnnl_graph_partition_t partition,
        dnnl_graph_compiled_partition_t compiled_partition, size_t in_num,
        const dnnl_graph_logical_tensor_t **inputs, size_t out_num,
        const dnnl_graph_logical_tensor_t **outputs, dnnl_engine_t engine);

/// Returns the number of inputs of a partition. A tensor that operations read several times counts
/// as often.
DNNL_API dnnl_status_t dnnl_graph_partition_get_input_ports_num(
        const_dnnl_graph_partition_t partition, size_t *num);

/// Returns the inputs of a partition.
///
/// @param partition Partition.
/// @param num Length of @p inputs, which is the number of inputs.
/// @param inputs Receives copies of the logical tensors.
DNNL_API dnnl_status_t dnnl_graph_partition_get_input_ports(
        const_dnnl_graph_partition_t partition, size_t num, dnnl_graph_logical_tensor_t *inputs);

/// Returns the number of outputs of a partition.
DNNL_API dnnl_status_t dnnl_graph_partition_get_output_ports_num(
        const_dnnl_graph_partition_t partition, size_t *num);

/// Returns the outputs of a partition.
///
/// @param partition Partition.
/// @param num Length of @p outputs, which is the number of outputs.
/// @param outputs Receives copies of the logical tensors.
DNNL_API dnnl_status_t dnnl_graph_partition_get_output_ports(
        const_dnnl_graph_partition_t partition, size_t num, dnnl_graph_logical_tensor_t *outputs);

/// Returns whether the library can compile a partition.
///
/// @param partition Partition.
/// @param is_supported Receives 1 or 0.
DNNL_API dnnl_status_t dnnl_graph_partition_is_supported(
        const_dnnl_graph_partition_t partition, uint8_t *is_supported);

/// Returns the kind of engine that a partition is for.
DNNL_API dnnl_status_t dnnl_graph_partition_get_engine_kind(
        const_dnnl_graph_partition_t partition, dnnl_engine_kind_t *kind);
/// @}

/// @name Compiled partitions
/// @{

/// Creates a compiled partition, which dnnl_graph_partition_compile() fills in.
///
/// @param compiled_partition Receives it; free it with dnnl_graph_compiled_partition_destroy().
/// @param partition Partition, which may be freed before it.
DNNL_API dnnl_status_t dnnl_graph_compiled_partition_create(
        dnnl_graph_compiled_partition_t *compiled_partition, dnnl_graph_partition_t partition);

/// Submits a compiled partition to a stream and returns without waiting for it. Temporary memory
/// comes from the engine's allocator and is freed when the device is done with it.
///
/// @param compiled_partition Compiled partition.
/// @param stream Stream of the engine that it was compiled for.
/// @param num_inputs Length of @p inputs.
/// @param inputs Tensors in the order of the logical tensors at compilation.
/// @param num_outputs Length of @p outputs.
/// @param outputs The same.
/// @returns ::dnnl_invalid_arguments for another engine, too few tensors, tensors without memory,
///     and on a stream that records, if temporary memory is needed.
DNNL_API dnnl_status_t dnnl_graph_compiled_partition_execute(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs);

/// The same with a scratchpad of the program.
///
/// @param compiled_partition Compiled partition.
/// @param stream Stream of the engine that it was compiled for.
/// @param num_inputs Length of @p inputs.
/// @param inputs Tensors in the order of the logical tensors at compilation.
/// @param num_outputs Length of @p outputs.
/// @param outputs The same for the outputs.
/// @param scratchpad Tensor of the logical tensor that
///     dnnl_graph_compiled_partition_get_scratchpad_logical_tensor() answers; NULL: the library's.
///     One for each execution in flight.
DNNL_API dnnl_status_t dnnl_graph_compiled_partition_execute_v2(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const_dnnl_graph_tensor_t scratchpad);

/// Frees a compiled partition.
///
/// @param compiled_partition Compiled partition, or NULL.
DNNL_API dnnl_status_t dnnl_graph_compiled_partition_destroy(
        dnnl_graph_compiled_partition_t compiled_partition);

/// Returns an input or output with its dimensions and layout.
///
/// @param compiled_partition Compiled partition.
/// @param tid Number of the logical tensor.
/// @param lt Receives the logical tensor. If there is none of this number, it has the number
///     SIZE_MAX and unknown dimensions.
DNNL_API dnnl_status_t dnnl_graph_compiled_partition_query_logical_tensor(
        const_dnnl_graph_compiled_partition_t compiled_partition, size_t tid,
        dnnl_graph_logical_tensor_t *lt);

/// Returns which outputs may use the memory of an input.
///
/// @param compiled_partition Compiled partition.
/// @param num_inplace_pairs Receives the number of pairs.
/// @param inplace_pairs Receives the pairs, which belong to the compiled partition; NULL if there
///     are none.
DNNL_API dnnl_status_t dnnl_graph_compiled_partition_get_inplace_ports(
        const_dnnl_graph_compiled_partition_t compiled_partition, size_t *num_inplace_pairs,
        const dnnl_graph_inplace_pair_t **inplace_pairs);

/// Returns the logical tensor of the scratchpad: one dimension, as many elements of type u8 as
/// dnnl_graph_compiled_partition_execute_v2() needs.
DNNL_API dnnl_status_t dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_graph_logical_tensor_t *lt);
/// @}

/// @name Graphs
/// @{

/// Creates a graph with the math mode of dnnl_get_default_fpmath_mode().
///
/// @param graph Receives the graph; free it with dnnl_graph_graph_destroy().
/// @param engine_kind Kind of the engine that will execute it. A graph for a CPU can be divided
///     into partitions, too.
DNNL_API dnnl_status_t dnnl_graph_graph_create(
        dnnl_graph_graph_t *graph, dnnl_engine_kind_t engine_kind);

/// Creates a graph with a math mode.
///
/// @param graph Receives the graph; free it with dnnl_graph_graph_destroy().
/// @param engine_kind Kind of the engine that will execute it.
/// @param mode Math mode.
DNNL_API dnnl_status_t dnnl_graph_graph_create_with_fpmath_mode(
        dnnl_graph_graph_t *graph, dnnl_engine_kind_t engine_kind, dnnl_fpmath_mode_t mode);

/// Frees a graph. Partitions live on.
///
/// @param graph Graph, or NULL.
DNNL_API dnnl_status_t dnnl_graph_graph_destroy(dnnl_graph_graph_t graph);

/// Sets the math mode of a graph.
///
/// @param graph Graph.
/// @param mode Math mode.
/// @param apply_to_int Not 0: integer inputs may be turned into such a type, too.
/// @returns ::dnnl_invalid_graph if the graph is finalized.
DNNL_API dnnl_status_t dnnl_graph_graph_set_fpmath_mode(
        dnnl_graph_graph_t graph, dnnl_fpmath_mode_t mode, int apply_to_int);

/// Returns the math mode of a graph.
///
/// @returns ::dnnl_invalid_graph if the graph is finalized.
DNNL_API dnnl_status_t dnnl_graph_graph_get_fpmath_mode(
        dnnl_graph_graph_t graph, dnnl_fpmath_mode_t *mode, int *apply_to_int);

/// Adds a copy of an operation to a graph. An operation whose number the graph has already is
/// ignored.
///
/// @returns ::dnnl_invalid_graph_op if inputs, outputs or attributes are not those of the kind;
///     ::dnnl_invalid_graph if the graph is finalized.
DNNL_API dnnl_status_t dnnl_graph_add_op(dnnl_graph_graph_t graph, dnnl_graph_op_t op);

/// Ends the construction of a graph.
///
/// @returns ::dnnl_invalid_graph if two ports have the same number and differ otherwise, and for a
///     cycle.
DNNL_API dnnl_status_t dnnl_graph_graph_finalize(dnnl_graph_graph_t graph);

/// Returns whether a graph is finalized.
///
/// @param graph Graph.
/// @param finalized Receives 1 or 0.
DNNL_API dnnl_status_t dnnl_graph_graph_is_finalized(dnnl_graph_graph_t graph, uint8_t *finalized);

/// Divides a graph into partitions, anew with each call.
///
/// @returns ::dnnl_invalid_graph if the graph is not finalized.
DNNL_API dnnl_status_t dnnl_graph_graph_filter(
        dnnl_graph_graph_t graph, dnnl_graph_partition_policy_t policy);

/// Returns the number of partitions; 0 before dnnl_graph_graph_filter().
DNNL_API dnnl_status_t dnnl_graph_graph_get_partition_num(
        const_dnnl_graph_graph_t graph, size_t *num);

/// Returns the partitions of a graph, producers before consumers.
///
/// @param graph Graph.
/// @param num Length of @p partitions.
/// @param partitions Receives the partitions; free each with dnnl_graph_partition_destroy().
/// @returns ::dnnl_invalid_graph for length 0 or no array.
DNNL_API dnnl_status_t dnnl_graph_graph_get_partitions(
        dnnl_graph_graph_t graph, size_t num, dnnl_graph_partition_t *partitions);
/// @}

/// @name Caches and dumps
/// @{

/// Returns how many compiled partitions the cache keeps.
DNNL_API dnnl_status_t dnnl_graph_get_compiled_partition_cache_capacity(int *capacity);

/// Sets how many compiled partitions the cache keeps. Primitives have a cache of their own.
///
/// @returns ::dnnl_invalid_arguments for a negative capacity.
DNNL_API dnnl_status_t dnnl_graph_set_compiled_partition_cache_capacity(int capacity);

/// Turns the cache of constant tensors on (without a limit) or off;
/// dnnl_graph_set_constant_tensor_cache_capacity() replaces it.
///
/// @returns ::dnnl_invalid_arguments for a negative flag.
DNNL_API dnnl_status_t dnnl_graph_set_constant_tensor_cache(int flag);

/// Returns 1 if the cache of constant tensors is on, else 0.
DNNL_API dnnl_status_t dnnl_graph_get_constant_tensor_cache(int *flag);

/// Sets how many megabytes the cache of constant tensors may take for each engine of a kind; 0, the
/// default, turns it off. What is kept is dropped. Partitions that are compiled while the cache is
/// off do not use it.
DNNL_API dnnl_status_t dnnl_graph_set_constant_tensor_cache_capacity(
        dnnl_engine_kind_t eng_kind, size_t size);

/// Returns how many megabytes the cache of constant tensors may take for engines of a kind.
DNNL_API dnnl_status_t dnnl_graph_get_constant_tensor_cache_capacity(
        dnnl_engine_kind_t eng_kind, size_t *size);

/// Sets which graphs are written to files.
///
/// @returns ::dnnl_invalid_arguments for other bits than those of ::dnnl_graph_dump_mode_t.
DNNL_API dnnl_status_t dnnl_graph_set_dump_mode(dnnl_graph_dump_mode_t modes);
/// @}

#ifdef __cplusplus
}
#endif

#endif
