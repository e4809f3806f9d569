/* SPDX-License-Identifier: Apache-2.0 */
/* What the harness needs of the library's public interface and of a descriptor's inside. */
#ifndef TESTS_KERNELS_BACKEND_H
#define TESTS_KERNELS_BACKEND_H

#include "harness.h"

const pd_t *backend_pd(const_dnnl_primitive_desc_t handle);
/* Executes with copies of the case's buffers on the device, and copies what it wrote back. */
void backend_run(case_t *c);
void backend_close(dnnl_primitive_desc_t handle);

#endif
