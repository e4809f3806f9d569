/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of the device: the CPU's as the operating system reports them, a GPU's as OpenCL
 * does. */
#ifndef ZE_CPU_HOST_H
#define ZE_CPU_HOST_H

#include "common.h"

typedef struct {
    char name[256];
    uint32_t vendor_id; /* PCI vendor id of the manufacturer */
    uint32_t device_id; /* family and model */
    uint32_t clock_mhz;
    uint32_t cores, threads_per_core;
    uint32_t simd_width; /* 32-bit lanes of the widest vector registers; of a GPU: work-items that
                          * run in step */
    uint64_t memory, max_allocation; /* bytes */
    uint32_t n_caches;
    size_t caches[4]; /* bytes of data or unified caches, first level first */
} host_t;

/* Writes the properties, which the first successful call reads. OUT_OF_HOST_MEMORY: the files of
 * the system cannot be opened now; the next call tries again. For a GPU it opens the OpenCL
 * device, with the results of ocl_open(). */
ze_result_t host_get(const host_t **out);
/* How many CPUs the calling thread may run on. Threads that it starts may use the same ones. */
uint32_t host_threads(void);

#endif
