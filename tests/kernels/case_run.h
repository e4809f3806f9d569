/* SPDX-License-Identifier: Apache-2.0 */
/* What a case needs of a descriptor's inside, and of its buffers. */
#ifndef TESTS_KERNELS_CASE_RUN_H
#define TESTS_KERNELS_CASE_RUN_H

#include "case.h"

enum { CASE_GUARD = 64 }; /* bytes after every buffer that nobody may touch */

const pd_t *case_pd(const_dnnl_primitive_desc_t handle);

#endif
