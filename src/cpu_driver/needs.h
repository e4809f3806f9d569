/* SPDX-License-Identifier: Apache-2.0 */
/* What PoCL needs of the system. PoCL ends the process where something is missing, so the driver
 * looks first. Each function says what is missing. */
#ifndef ZE_CPU_NEEDS_H
#define ZE_CPU_NEEDS_H

#include "common.h"

/* File descriptors: for PoCL's start, and for the first run of a kernel in each group size. */
ze_result_t needs_files(void);
/* Threads: for PoCL's start. */
ze_result_t needs_threads(void);
/* The linker: for building kernels. If only the system's folders have it, they are appended to
 * PATH, because PoCL searches PATH. */
ze_result_t needs_linker(void);

#endif
