/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of strict mode: between guard pages, poisoned, and device memory out of the host's reach. */
#ifndef ZE_CPU_GUARD_H
#define ZE_CPU_GUARD_H

#include "device.h"

typedef struct allocation {
    char *base;
    size_t size;
    void *mapping; /* what munmap takes; NULL: from the heap */
    size_t mapping_size;
    uint64_t id;
    ze_context_handle_t context;
    ze_device_handle_t device;
    ze_memory_type_t type;
    /* Of strict mode. Device memory is mapped twice: at `base`, where nobody has access, and at `view` for
     * kernels. */
    char *view; /* equals `base` where the host has access */
    void *view_mapping;
    size_t pages; /* bytes that are not guard pages */
} allocation_t;

bool guard_obtain(allocation_t *a, size_t alignment); /* false: no memory */
void guard_give_back(const allocation_t *a);          /* its addresses are out of use for long */
/* Whether something was written in front of or behind the allocation; complains of `call` then, and forgets.
 */
bool guard_is_broken(const allocation_t *a, const char *call, const char *kernel);
/* While a kernel runs that finds pointers in memory, device memory is open at its own address. */
void guard_open(const allocation_t *a, bool open);

/* Says what is at an address that a thread may not touch; false: it is none of ours. The list of live
 * allocations and its length come from memory.c. */
bool guard_explain(const allocation_t *live, size_t n, const char *address, const char *verb,
        const char *kernels);
/* An allocation that the address lay in and that was freed; false: none that is remembered. */
bool guard_was_freed(const void *address, allocation_t *out);

#endif
