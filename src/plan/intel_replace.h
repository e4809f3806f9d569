/* SPDX-License-Identifier: Apache-2.0 */
/* The replacements of intel_builtins() for variables, memory and matrix units. Each returns false
 * if an instruction is none of its own; nothing is written then. */
#ifndef PLAN_INTEL_REPLACE_H
#define PLAN_INTEL_REPLACE_H

#include "plan/intel_module.h"

/* ---- intel_memory.c ---- */

/* Loads of variables that the device sets: numbers of work-groups, sub-groups and lanes. */
bool intel_replace_variable(module_t *m, const uint32_t *w);
/* Reads and writes of blocks of all lanes. */
bool intel_replace_block(module_t *m, const uint32_t *w);
/* vloadn(), vstoren(), and those of halves. */
bool intel_replace_access(module_t *m, const uint32_t *w);

/* ---- intel_matrix.c ---- */

/* Whether an imported function of this mangled name is one of 2D blocks or matrix units; its
 * calls. */
bool intel_knows_function(const char *mangled);
bool intel_replace_function(module_t *m, const uint32_t *w);

#endif
