/* SPDX-License-Identifier: Apache-2.0 */
/* Products of short vectors and of small matrices: single instructions of the CPU, as functions
 * that kernels call.
 *
 *     int16 ze_cpu_dot_u8s8(int16 sum, int16 a, int16 b);
 *     float16 ze_cpu_dot_bf16(float16 sum, int16 a, int16 b);
 *
 * Lane i of the result is that of `sum` plus the products of the elements that lane i of a and of b
 * hold: four unsigned bytes by four signed ones, exactly and modulo 2^32; or two bf16 by two bf16,
 * with subnormal numbers taken as zero, in the order and with the roundings of the CPU.
 *
 *     void ze_cpu_tile_configure(__private const char *shapes);
 *     void ze_cpu_tile_load(uchar tile, __private const char *from, long pitch);
 *     void ze_cpu_tile_zero(uchar tile);
 *     void ze_cpu_tile_store(uchar tile, __private char *to, long pitch);
 *     void ze_cpu_tile_dot_u8s8(uchar sum, uchar a, uchar b);
 *     void ze_cpu_tile_dot_bf16(uchar sum, uchar a, uchar b);
 *     void ze_cpu_tile_release(void);
 *
 * Eight tile registers (Intel's AMX) hold matrices of up to 16 rows of up to 64 bytes. `shapes` has
 * 64 bytes: byte 0 is 1, bytes 16 to 31 are the row sizes of the tiles in bytes (16 bits each),
 * bytes 48 to 55 their numbers of rows, and the others 0. The products are those of above, for a
 * matrix: row m, lane n of `sum` gets, for each word k of row m of a, its products by lane n of row
 * k of b. Numbers of tiles are constants. `pitch` counts bytes from row to row; pointers are of any
 * address space, converted through an integer. A function configures the tiles before it uses
 * them, and releases them before it returns.
 *
 * A function that calls one of these is no kernel, returns nothing, and is declared noinline: it is
 * compiled apart.
 * With ZE_CPU_DOTS=vectors, emulate/dots.cl computes the former two, and with ZE_CPU_DOTS=tiles all
 * of them, on any CPU: for tests. With ZE_CPU_DOTS=none there are none.
 * A driver with the extension ZE_cpu_device_dots says which of them kernels may call, in three
 * flags of its own of ze_device_module_properties_t. */
#ifndef ZE_CPU_DOTS_H
#define ZE_CPU_DOTS_H

#include "common.h"

#define CPU_DOTS_NAME "ZE_cpu_device_dots"

enum { CPU_DOTS_U8S8 = 1 << 28, CPU_DOTS_BF16 = 1 << 29, CPU_DOTS_TILES = 1 << 30 };

/* The flags of the device. */
uint32_t dots_module_flags(void);
/* Does emulate/dots.cl compute them? */
bool dots_are_software(void);

#endif
