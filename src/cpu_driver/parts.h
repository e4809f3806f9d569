/* SPDX-License-Identifier: Apache-2.0 */
/* The SPIR-V modules of a program: one, or several that are linked when the module is created. */
#ifndef ZE_CPU_PARTS_H
#define ZE_CPU_PARTS_H

#include "ocl.h"
#include "spirv.h"

/* One module, with its constants set. */
typedef struct {
    uint32_t *words;
    size_t n_words;
    module_info_t info;
} part_t;

/* Reads the modules that the descriptor names: its own, or those of a ze_module_program_exp_desc_t
 * behind it. On failure there are none, and the log says why. */
ze_result_t parts_read(
        const ocl_t *ocl, const ze_module_desc_t *desc, part_t **out, uint32_t *n, log_t *log);
void parts_free(part_t *parts, uint32_t n);
/* ze_module_program_exp_desc_t behind the descriptor; NULL: none, or it names no module. */
const ze_module_program_exp_desc_t *parts_described(const ze_module_desc_t *desc);
/* Copies the words of all parts, one after another, and the build flags: what a cache compares. The
 * caller frees both; false: out of memory. */
bool parts_key(const part_t *parts, uint32_t n, const ze_module_desc_t *desc, void **key,
        size_t *size, char **flags);
/* Moves what is known of all parts to *info. False: out of memory. */
bool parts_merge(part_t *parts, uint32_t n, module_info_t *info);

#endif
