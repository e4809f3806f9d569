/* SPDX-License-Identifier: Apache-2.0 */
/* Memory objects of several buffers, for tests that fill each themselves. Failures end the test. */
#ifndef TESTS_KERNELS_BUFFERS_H
#define TESTS_KERNELS_BUFFERS_H

#include "core/memory_desc.h"

dnnl_memory_t buffers_new(const md_t *md); /* allocates all buffers on the engine of the tests */
void *buffers_map(dnnl_memory_t memory, int handle);
void buffers_unmap(dnnl_memory_t memory, void *mapped, int handle);
void buffers_write(dnnl_memory_t memory, int handle, const int32_t *from, size_t count);

#endif
