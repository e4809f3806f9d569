/* SPDX-License-Identifier: Apache-2.0 */
/* Sub-groups of kernels that leave their size to the driver, and functions of groups. OpenCL
 * devices for CPUs choose what no query tells: PoCL takes the whole row of a work-group. */
#ifndef ZE_CPU_SUBGROUPS_H
#define ZE_CPU_SUBGROUPS_H

#include "module.h"

/* Notes the kernels that use sub-groups, themselves or in a function that they call. The module was
 * accepted by spirv_read(), which has filled in the rest of *info. imports_use: imported functions
 * may use sub-groups. False: out of memory. */
bool subgroups_find(const uint32_t *words, size_t n_words, module_info_t *info, bool imports_use);
/* Whether a function of the module uses sub-groups. */
bool subgroups_are_used(const uint32_t *words, size_t n_words);
/* Whether a kernel is to require a size that it does not. Those that use sub-groups get the one
 * that the driver tells. Those that do not, with wide vectors, get sub-groups of 1 where the
 * compiler cannot vectorise them (ocl_t: breaks_vectors). */
bool subgroups_are_open(const ocl_t *ocl, const module_info_t *info);
/* Copies the module, and makes these kernels require their size. The caller frees the copy; NULL:
 * out of memory. */
uint32_t *subgroups_require(const ocl_t *ocl, const uint32_t *words, size_t n_words,
        const module_info_t *info, size_t *n_out);

/* Copies the module with each OpGroupAll as the inverse of OpGroupAny of the inverse: PoCL 6
 * answers no to the former whatever the work-items say. The caller frees the copy; NULL: out of
 * memory. */
uint32_t *subgroups_mend_votes(const uint32_t *words, size_t n_words, size_t *n_out);

/* Whether a launch in this group size has the sub-groups, and the functions of work-groups, that
 * the specification describes. If not, says so. */
bool subgroups_fit(const kernel_info_t *kernel, const uint32_t group_size[3]);

#endif
