/* SPDX-License-Identifier: Apache-2.0 */
/* What a device can do, as queried from Level Zero by ze/caps.c, which says where each is documented; the
 * kernel choice reads nothing else. */
#ifndef CORE_CAPS_H
#define CORE_CAPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    bool is_cpu;   /* ZE_DEVICE_TYPE_CPU */
    bool has_fp64; /* ZE_DEVICE_MODULE_FLAG_FP64 */
    bool has_fp16; /* ZE_DEVICE_MODULE_FLAG_FP16: arithmetic, storage works everywhere */
    bool has_int64_atomics;
    bool has_dp4a;            /* dot products of four bytes */
    bool has_system_usm;      /* kernels read malloc'ed memory */
    uint64_t subgroup_sizes;  /* bit n: sub-groups of n work-items (n = 8, 16, 32); 0: none */
    uint32_t matrix_subgroup; /* lanes of matrix multiply instructions (dpas), 8 or 16; 0: none */
    bool has_2d_block_load;   /* loads of rectangles, into registers */
    bool has_2d_block_store;
    uint32_t max_registers;  /* of a hardware thread (128: no large register file); 0: unknown */
    uint32_t threads_per_eu; /* hardware threads of an execution unit */
    uint32_t max_group_size;
    uint32_t max_group_size_xyz[3];
    uint32_t max_arg_size;   /* bytes of all arguments of a kernel */
    uint32_t local_mem_size; /* bytes */
    uint32_t compute_units; /* hardware threads that run work-groups at once: CPU threads, or EUs x threads */
    uint32_t simd_width;    /* physicalEUSimdWidth: 32-bit lanes of a hardware vector; 0: unknown */
    uint32_t ip_version;    /* ZE_extension_device_ip_version; 0: unknown */
    bool has_counted_pools; /* pools of counter-based events */
    bool has_mutable_arguments; /* recorded kernels take other arguments */
    uint64_t max_alloc_size;
    uint64_t total_mem_size;
} caps_t;

#endif
