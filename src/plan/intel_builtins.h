/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces what Intel's compiler has a library of functions for: minima, mathematical functions,
 * numbers of work-groups and lanes, accesses to blocks, vectors and halves, operations of
 * sub-groups, barriers, and products on matrix units. A module that calls one of these functions
 * costs the compiler 8 to 32 ms, because it reads the library, links and optimises what the
 * function calls. The functions end in operations of the compiler's own, which a module may call
 * directly: the code of the kernel is the same.
 *
 * The compiler of 2022 that Debian 12 has and that of 2026 know the operations by the same names
 * and arguments; the older one has no 2D blocks. A driver that does not know one refuses the
 * module; the caller then hands it the module as it was.
 *
 * 2D blocks are vectors of up to 64 components, where SPIR-V has at most 16. Intel's compiler reads
 * such types; a capability that allows them would make it another compiler's module. */
#ifndef PLAN_INTEL_BUILTINS_H
#define PLAN_INTEL_BUILTINS_H

#include <stddef.h>
#include <stdint.h>

/* Returns a module, to be freed with dz_free(), for a module without specialisation constants that
 * specialise() has made. NULL: there is no memory, or there is nothing to replace.
 * ip_version: of the device (caps_t). */
uint32_t *intel_builtins(const uint32_t *words, size_t nwords, uint32_t ip_version, size_t *size);

#endif
