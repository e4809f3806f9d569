/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in strict mode: it lies between guard pages, it is poisoned, and the host cannot access
 * device memory. */
#ifndef ZE_CPU_GUARD_H
#define ZE_CPU_GUARD_H

#include "device.h"

typedef struct allocation {
    char *base;
    size_t size;
    void *mapping; /* the argument of munmap(); NULL: heap memory */
    size_t mapping_size;
    uint64_t id;
    ze_context_handle_t context;
    ze_device_handle_t device;
    ze_memory_type_t type;
    bool is_freed; /* kept for commands that use it */
    /* Only in strict mode. Device memory is mapped twice: at `base`, without access, and at
         * `view`, for kernels. */
    char *view; /* equals `base` if the host has access */
    void *view_mapping;
    size_t pages; /* bytes that are not guard pages */
    bool is_svm;  /* of svm.c */
} allocation_t;

bool guard_obtain(allocation_t *a, size_t alignment); /* false: out of memory */
void guard_give_back(const allocation_t *a);          /* keeps the addresses reserved for long */
/* Whether bytes in front of or past the end of the allocation were overwritten. If so, complains
 * about `call` once. */
bool guard_is_broken(const allocation_t *a, const char *call, const char *kernel);
/* Opens device memory at `base`, or closes it again. It is open while a kernel runs that may use
 * pointers that it finds in memory. */
void guard_open(const allocation_t *a, bool open);

/* Reports what lies at an address that a thread must not touch; false: not memory of the driver.
 * memory.c passes the list of live allocations and its length. */
bool guard_explain(const allocation_t *live, size_t n, const char *address, const char *verb,
        const char *kernels);
/* Finds the freed allocation that contained the address; false: none is remembered. */
bool guard_was_freed(const void *address, allocation_t *out);

#endif
