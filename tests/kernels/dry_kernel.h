/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver of an engine tells of its device and of compiled kernels: Level Zero's or
 * OpenCL's. */
#ifndef TESTS_KERNELS_DRY_KERNEL_H
#define TESTS_KERNELS_DRY_KERNEL_H

#include "ze/executable.h"

typedef struct {
    uint32_t spilled, private_size, local; /* bytes */
    uint32_t subgroup;                     /* work-items; 0: unknown */
    uint32_t arguments;
} dry_kernel_t;

void dry_device_name(const device_core_t *core, char *name, size_t size);
dry_kernel_t dry_kernel(const device_core_t *core, const exec_step_t *step);

#endif
