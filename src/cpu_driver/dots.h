/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of short vectors: one instruction of the CPU, as functions that kernels call.
 *
 *     int16 ze_cpu_dot_u8s8(int16 sum, int16 a, int16 b);
 *     float16 ze_cpu_dot_bf16(float16 sum, int16 a, int16 b);
 *
 * Lane i of the result is that of `sum` plus the products of the elements that lane i of a and of b
 * hold: four unsigned bytes by four signed ones, exactly and modulo 2^32; or two bf16 by two bf16,
 * with subnormal numbers taken as zero, in the order and with the roundings of the CPU.
 *
 * A function that calls one of these is no kernel, returns nothing, and is declared noinline: it is
 * compiled apart.
 * A driver with the extension ZE_cpu_device_dots says which of them kernels may call, in two flags
 * of its own of ze_device_module_properties_t. */
#ifndef ZE_CPU_DOTS_H
#define ZE_CPU_DOTS_H

#include "common.h"

#define CPU_DOTS_NAME "ZE_cpu_device_dots"

enum { CPU_DOTS_U8S8 = 1 << 28, CPU_DOTS_BF16 = 1 << 29 };

/* The flags of the device. */
uint32_t dots_module_flags(void);

/* The functions whose instructions the CPU has. */
uint32_t dots_of_host(void);

#endif
