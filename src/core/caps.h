/* SPDX-License-Identifier: Apache-2.0 */
/* What a device can do; the kernel choice reads nothing else. ze/caps.c asks Level Zero. Where the answers
 * are documented, by the letter in brackets: [d] ze_device_properties_t             [m]
 * ze_device_module_properties_t [c] ze_device_compute_properties_t     [a]
 * ze_device_memory_access_properties_t [g] ze_device_memory_properties_t
 *       https://oneapi-src.github.io/level-zero-spec/level-zero/latest/core/api.html#device
 *   [i] ze_device_ip_version_ext_t, after [d], of ZE_extension_device_ip_version
 *       https://oneapi-src.github.io/level-zero-spec/level-zero/latest/core/EXT_DeviceIpVersion.html
 *   [b] ze_intel_device_block_array_exp_properties_t, after [d], of
 *       ZE_intel_experimental_device_block_array_properties
 *   [l] ze_mutable_command_list_exp_properties_t, after [d], of ZE_experimental_mutable_command_list
 *       https://oneapi-src.github.io/level-zero-spec/level-zero/latest/core/EXT_Exp_MutableCommandList.html
 *   [e] extensions that have no structure: ZE_experimental_event_pool_counter_based, ZE_cpu_emulated_device
 *       (src/cpu_driver/README.md)
 *   [p] ze_intel_device_module_dp_exp_properties_t, after [m], of
 *       ZE_intel_experimental_device_module_dp_properties
 *   [r] zex_device_module_register_file_exp_t, after [m], where there is [p]
 *       [b] and [p]: https://github.com/intel/compute-runtime, level_zero/include/level_zero/ze_intel_gpu.h,
 *       [r]: ibid., level_zero/include/level_zero/driver_experimental/zex_module.h
 * Drivers without an extension leave its answers 0. */
#ifndef CORE_CAPS_H
#define CORE_CAPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    bool is_cpu;              /* [d] type */
    bool is_emulated;         /* [e] a GPU of the CPU driver's */
    bool has_fp64;            /* [m] flags: FP64 */
    bool has_fp16;            /* [m] flags: FP16. Arithmetic; storage works everywhere */
    bool has_int64_atomics;   /* [m] flags: INT64_ATOMICS */
    bool has_dp4a;            /* [m] flags: DP4A. Dot products of four bytes */
    bool has_system_usm;      /* [a] sharedSystemAllocCapabilities. Kernels read malloc'ed memory */
    uint64_t subgroup_sizes;  /* [c] subGroupSizes. Bit n: sub-groups of n work-items; 0: none */
    uint32_t matrix_subgroup; /* [p] flags, [c]. Lanes of dpas instructions, 8 or 16; 0: none */
    bool has_tf32;            /* [p] flags, [c], [i]. dpas takes tf32 */
    bool has_2d_block_load;   /* [b] flags. Loads of rectangles, into registers */
    bool has_2d_block_store;  /* [b] flags */
    uint32_t max_registers;  /* [r] the most of a thread; 128: no large register file; 0: unknown */
    uint32_t threads_per_eu; /* [d] numThreadsPerEU */
    uint32_t max_group_size; /* [c] maxTotalGroupSize */
    uint32_t max_group_size_xyz[3]; /* [c] maxGroupSizeX, Y, Z */
    uint32_t max_arg_size;          /* [m] maxArgumentsSize. Bytes of all arguments of a kernel */
    uint32_t local_mem_size;        /* [c] maxSharedLocalMemory. Bytes */
    uint32_t compute_units;         /* [d] hardware threads at once: of a CPU, or EUs x threads */
    uint32_t
            simd_width; /* [d] physicalEUSimdWidth. 32-bit lanes of a hardware vector; 0: unknown */
    uint32_t ip_version;        /* [i] 0: unknown */
    bool has_counted_pools;     /* [e] pools of counter-based events */
    bool has_mutable_arguments; /* [l] recorded kernels take other arguments */
    uint64_t max_alloc_size;    /* [d] maxMemAllocSize */
    uint64_t total_mem_size;    /* [g] totalSize, of all memories */
} caps_t;

#endif
