/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the two functions that make memory objects on an engine. */
#ifndef API_MEMORY_H
#define API_MEMORY_H

#include "ze/memory.h"

dnnl_status_t memory_create_checked(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
        dnnl_engine_t engine, int nhandles, void *const *handles, handles_t kind);

#endif
