/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels on an OpenCL that cannot read the program's memory: copies go to it and come back around each
 * launch. */
#ifndef ZE_CPU_MIRROR_H
#define ZE_CPU_MIRROR_H

#include "module.h"

/* Binds all arguments of the block, launches, waits, and brings back what the kernel wrote. Pointers lead
 * into allocations of the driver: the kernel sees each as long as it was asked for, to the byte. With
 * kernel->lock held. */
cl_int mirror_launch(kernel_exec_t *kernel, const uint8_t *block, cl_command_queue queue,
        const size_t *offset, const size_t *global, const size_t *local);

#endif
