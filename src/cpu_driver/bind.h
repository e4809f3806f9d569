/* SPDX-License-Identifier: Apache-2.0 */
/* Hands the arguments of kernels to OpenCL. The caller holds kernel->lock. */
#ifndef ZE_CPU_BIND_H
#define ZE_CPU_BIND_H

#include "module.h"

/* Sets one argument; pointers are passed as addresses. */
cl_int bind_argument(kernel_exec_t *kernel, uint32_t index, const uint8_t *value);

/* Sets the arguments of a block that differ from those of the launch before. */
cl_int bind_changed_arguments(kernel_exec_t *kernel, const uint8_t *block);

#endif
