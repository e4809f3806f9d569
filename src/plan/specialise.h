/* SPDX-License-Identifier: Apache-2.0 */
/* Specialises SPIR-V before a driver sees it. Modules have code for all data types and all epilogue
 * ops, and their constants choose a part of it. Drivers read, inline and optimise everything before
 * they drop what is never run, which takes them most of the time of a creation. */
#ifndef PLAN_SPECIALISE_H
#define PLAN_SPECIALISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/plan.h"

/* Returns a module without specialisation constants in which branches on them are taken, and
 * functions are specific to the constants that they are called with; to be freed with dz_free().
 * Constants that are not in `given` keep their default values.
 * NULL: there is no memory, or the module has instructions that are not known. `words` remains
 * valid then; the given values may have become the defaults. The sizes are in words; `size` is set
 * with a result only. */
uint32_t *specialise(uint32_t *words, size_t nwords, const spec_t *given, int ngiven, size_t *size);
/* Whether a module has a barrier. */
bool specialise_finds_barriers(const uint32_t *words, size_t nwords);

#endif
