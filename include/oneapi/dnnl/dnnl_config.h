/* SPDX-License-Identifier: Apache-2.0 */
/* What this build of the library has: runtimes, features, primitives, and the linkage macros. */
#ifndef ONEAPI_DNNL_DNNL_CONFIG_H
#define ONEAPI_DNNL_DNNL_CONFIG_H

/// @file
/// What this build of the library has: runtimes, features, primitives, and the linkage macros.

/// @name Linkage
/// Every public function is marked DNNL_API. It means default visibility (on Windows: import, or
/// export when DNNL_DLL_EXPORTS is defined) in a translation unit compiled with DNNL_DLL, and
/// nothing in others. The CMake package and the pkg-config file define DNNL_DLL; DNNL_DLL_EXPORTS
/// is for building the library itself.
/// @{
#if defined(_WIN32) || defined(__CYGWIN__)
#define DNNL_HELPER_DLL_IMPORT __declspec(dllimport)
#define DNNL_HELPER_DLL_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define DNNL_HELPER_DLL_IMPORT __attribute__((visibility("default")))
#define DNNL_HELPER_DLL_EXPORT __attribute__((visibility("default")))
#else
#define DNNL_HELPER_DLL_IMPORT
#define DNNL_HELPER_DLL_EXPORT
#endif

#if !defined(DNNL_DLL)
#define DNNL_API
#elif defined(DNNL_DLL_EXPORTS)
#define DNNL_API DNNL_HELPER_DLL_EXPORT
#else
#define DNNL_API DNNL_HELPER_DLL_IMPORT
#endif

/// Marks a declaration whose use the compiler should warn about.
#if defined(__GNUC__)
#define DNNL_DEPRECATED __attribute__((deprecated))
#elif defined(_MSC_VER)
#define DNNL_DEPRECATED __declspec(deprecated)
#else
#define DNNL_DEPRECATED
#endif
/// @}

/// @name Runtimes
/// Identifiers of threading and device runtimes; they appear in DNNL_CPU_RUNTIME and its relatives
/// below, and in the two runtime fields of ::dnnl_version_t. One bit each, DPCPP being a second
/// name of SYCL.
/// @{
#define DNNL_RUNTIME_NONE 0u
#define DNNL_RUNTIME_SEQ 1u
#define DNNL_RUNTIME_OMP 2u
#define DNNL_RUNTIME_TBB 4u
#define DNNL_RUNTIME_THREADPOOL 8u
#define DNNL_RUNTIME_OCL 256u
#define DNNL_RUNTIME_SYCL 512u
#define DNNL_RUNTIME_DPCPP DNNL_RUNTIME_SYCL
#define DNNL_RUNTIME_ZE 1024u
/// @}

/// @name GPU vendors
/// Identifiers used by DNNL_GPU_VENDOR.
/// @{
#define DNNL_VENDOR_NONE 0u
#define DNNL_VENDOR_INTEL 1u
#define DNNL_VENDOR_NVIDIA 2u
#define DNNL_VENDOR_AMD 4u
#define DNNL_VENDOR_GENERIC 8u
/// @}

/// @name This build
/// The library has Level Zero engines and no engine of kind ::dnnl_cpu. A machine without a GPU is
/// reached through a Level Zero driver for its CPU, as an engine of kind ::dnnl_gpu.
///
/// A program whose source asks for the runtime may define DNNL_GPU_RUNTIME before it includes a
/// header: as DNNL_RUNTIME_OCL, for example.
/// @{
#define DNNL_CPU_THREADING_RUNTIME DNNL_RUNTIME_SEQ
#define DNNL_CPU_RUNTIME DNNL_RUNTIME_NONE
#ifndef DNNL_GPU_RUNTIME
#ifdef DNNL_WITH_SYCL
#define DNNL_GPU_RUNTIME DNNL_RUNTIME_SYCL
#else
#define DNNL_GPU_RUNTIME DNNL_RUNTIME_ZE
#endif
#endif
#define DNNL_GPU_VENDOR DNNL_VENDOR_INTEL
/// @}

/// @name Optional declarations
/// The library always exports what these two switches show; a program that wants the declarations
/// defines the macro (DNNL_EXPERIMENTAL_GROUPED_MEMORY to 1) before it includes a header or on its
/// command line.
///
/// DNNL_EXPERIMENTAL_PROFILING (defined or not): kernel times of a stream.
/// DNNL_EXPERIMENTAL_GROUPED_MEMORY (0 or 1): memory descriptors with the grouped encoding.
/// @{
#ifndef DNNL_EXPERIMENTAL_GROUPED_MEMORY
#define DNNL_EXPERIMENTAL_GROUPED_MEMORY 0
#endif
/// @}

/* Programs on SYCL that ask for the runtime define DNNL_WITH_SYCL. Not defined, because this build
 * does not have them: DNNL_SYCL_CUDA,
 * DNNL_SYCL_HIP, DNNL_SYCL_GENERIC, DNNL_ENABLE_STACK_CHECKER, DNNL_EXPERIMENTAL,
 * DNNL_EXPERIMENTAL_UKERNEL, ONEDNN_BUILD_GRAPH, DNNL_EXPERIMENTAL_LOGGING, DNNL_SAFE_RBP,
 * DNNL_EXPERIMENTAL_SYCL_KERNEL_COMPILER, DNNL_DISABLE_GPU_REF_KERNELS,
 * DNNL_ENABLE_CONCURRENT_EXEC. */

/// @name Contents of the build
/// 1 or 0 each. An _ALL switch that is 1 stands for everything in its group; the group's other
/// switches count only where it is 0.
/// @{
#define BUILD_TRAINING 1
#define BUILD_INFERENCE 0

#define BUILD_PRIMITIVE_ALL 1
#define BUILD_BATCH_NORMALIZATION 0
#define BUILD_BINARY 0
#define BUILD_CONCAT 0
#define BUILD_CONVOLUTION 0
#define BUILD_DECONVOLUTION 0
#define BUILD_ELTWISE 0
#define BUILD_GATED_MLP 0
#define BUILD_GROUP_NORMALIZATION 0
#define BUILD_INNER_PRODUCT 0
#define BUILD_LAYER_NORMALIZATION 0
#define BUILD_LRN 0
#define BUILD_MATMUL 0
#define BUILD_POOLING 0
#define BUILD_PRELU 0
#define BUILD_REDUCTION 0
#define BUILD_REORDER 0
#define BUILD_RESAMPLING 0
#define BUILD_RNN 0
#define BUILD_SDPA 0
#define BUILD_SHUFFLE 0
#define BUILD_SOFTMAX 0
#define BUILD_SUM 0

#define BUILD_PRIMITIVE_CPU_ISA_ALL 1
#define BUILD_SSE41 0
#define BUILD_AVX2 0
#define BUILD_AVX512 0
#define BUILD_AMX 0

#define BUILD_PRIMITIVE_GPU_ISA_ALL 1
#define BUILD_XEHPG 0
#define BUILD_XEHPC 0
#define BUILD_XE2 0
#define BUILD_XE3 0
#define BUILD_XE3P 0

#define BUILD_GEMM_KERNELS_ALL 1
#define BUILD_GEMM_KERNELS_NONE 0
#define BUILD_GEMM_SSE41 0
#define BUILD_GEMM_AVX2 0
#define BUILD_GEMM_AVX512 0
/// @}

#endif
