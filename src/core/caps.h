/* SPDX-License-Identifier: Apache-2.0 */
/* What a device can do. The choice of a variant reads nothing else. ze/caps.c asks Level Zero.
 *
 * A letter in brackets says which structure has the answer:
 *   [d]  ze_device_properties_t
 *   [m]  ze_device_module_properties_t
 *   [c]  ze_device_compute_properties_t
 *   [a]  ze_device_memory_access_properties_t
 *   [g]  ze_device_memory_properties_t
 *   [i]  ze_device_ip_version_ext_t of ZE_extension_device_ip_version, chained to [d]
 *   [b]  ze_intel_device_block_array_exp_properties_t of
 *        ZE_intel_experimental_device_block_array_properties, chained to [d]
 *   [l]  ze_mutable_command_list_exp_properties_t of ZE_experimental_mutable_command_list, chained
 *        to [d]
 *   [p]  ze_intel_device_module_dp_exp_properties_t of
 *        ZE_intel_experimental_device_module_dp_properties, chained to [m]
 *   [r]  zex_device_module_register_file_exp_t, chained to [m] if the driver has [p]
 *   [t]  flags of [m] that ZE_cpu_device_dots adds (src/cpu_driver/dots.h)
 *   [e]  extensions without a structure: ZE_experimental_event_pool_counter_based, and
 *        ZE_cpu_emulated_device (src/cpu_driver/README.md)
 *
 * They are documented below https://oneapi-src.github.io/level-zero-spec/level-zero/latest/core/
 *   [d] [m] [c] [a] [g]  api.html#device
 *   [i]  EXT_DeviceIpVersion.html
 *   [l]  EXT_Exp_MutableCommandList.html
 * and in the headers of https://github.com/intel/compute-runtime, level_zero/include/level_zero/
 *   [b] [p]  ze_intel_gpu.h
 *   [r]  driver_experimental/zex_module.h
 *
 * A driver without an extension leaves the answers of that extension 0. */
#ifndef CORE_CAPS_H
#define CORE_CAPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    bool is_cpu;            /* [d] type */
    bool is_emulated;       /* [e] a GPU that the CPU driver emulates */
    bool has_fp64;          /* [m] flags: FP64 */
    bool has_fp16;          /* [m] flags: FP16. Arithmetic; storage works on every device */
    bool has_int64_atomics; /* [m] flags: INT64_ATOMICS */
    bool has_dp4a;          /* [m] flags: DP4A. Dot products of four bytes */
    bool has_dot_bytes;     /* [t] flags. Dot products of bytes as functions of the CPU driver */
    bool has_dot_bf16;      /* [t] flags. The same of bf16, or tiles */
    bool has_dot_tiles;     /* [t] flags. Tile registers multiply bytes and bf16 */
    bool has_system_usm;    /* [a] sharedSystemAllocCapabilities. Kernels read memory of malloc() */
    uint64_t subgroup_sizes;  /* [c] subGroupSizes. Bit n: sub-groups of n work-items; 0: none */
    uint32_t matrix_subgroup; /* [p] flags, [c]. Lanes of dpas instructions, 8 or 16; 0: none */
    bool has_tf32;            /* [p] flags, [c], [i]. dpas supports tf32 */
    bool has_2d_block_load;   /* [b] flags. Loads of rectangles into registers */
    bool has_2d_block_store;  /* [b] flags */
    uint32_t max_registers;   /* [r] most of a thread; 128: no large register file; 0: unknown */
    uint32_t threads_per_eu;  /* [d] numThreadsPerEU */
    uint32_t max_group_size;  /* [c] maxTotalGroupSize */
    uint32_t max_group_size_xyz[3]; /* [c] maxGroupSizeX, Y, Z */
    uint32_t max_arg_size;          /* [m] maxArgumentsSize. Bytes of all arguments of a kernel */
    uint32_t local_mem_size;        /* [c] maxSharedLocalMemory. Bytes */
    uint32_t compute_units;         /* [d] hardware threads: of a CPU, or EUs x threads of each */
    uint32_t simd_width;        /* [d] physicalEUSimdWidth. 32-bit lanes of a vector; 0: unknown */
    uint32_t ip_version;        /* [i] 0: unknown */
    bool has_counted_pools;     /* [e] pools of counter-based events */
    bool has_deferred_free;     /* [f] freePolicies: DEFER_FREE. Frees memory when it is unused */
    bool has_mutable_arguments; /* [l] recorded kernels can get other arguments */
    uint64_t max_alloc_size;    /* [d] maxMemAllocSize. Bytes */
    uint64_t total_mem_size;    /* [g] totalSize, of all memories. Bytes */
} caps_t;

#endif
