/* SPDX-License-Identifier: Apache-2.0 */
/* Runs kernels on an OpenCL device that cannot access memory of the process: copies the memory to
 * the device before each launch, and back after it. */
#ifndef ZE_CPU_MIRROR_H
#define ZE_CPU_MIRROR_H

#include "module.h"

/* Binds all arguments of the block, launches the kernel, waits, and copies the memory back.
 * Pointers must point into allocations of the driver; the kernel gets buffers of exactly their
 * size. Call it with kernel->lock held. */
cl_int mirror_launch(kernel_exec_t *kernel, const uint8_t *block, cl_command_queue queue,
        const size_t *offset, const size_t *global, const size_t *local);

#endif
