/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a descriptor in verbose lines. */
#ifndef OPS_VERBOSE_COLUMNS_H
#define OPS_VERBOSE_COLUMNS_H

#include "core/primitive_desc.h"

/* "matmul,ze:cpu:matmul,undef,src:f32::blocked:ab::f0 ...,attr-...,alg:...,2x3:3x4": the columns
 * of a verbose line from the kind on. Made at the first call; out of memory answers a shorter
 * text, never NULL. */
const char *pd_info(const pd_t *pd);
/* The same, like snprintf; mds (may be NULL): the descriptors that the memories really have, by
 * slot, for run-time dimensions. */
int pd_format(const pd_t *pd, const md_t *const *mds, char *buf, size_t size);

#endif
