/* SPDX-License-Identifier: Apache-2.0 */
/* Unified shared memory: allocations, and queries about pointers. */
#define _GNU_SOURCE
#include "fault.h"
#include "guard.h"
#include "host.h"
#include "keep.h"
#include "memory.h"
#include "order.h"
#include "strict.h"
#include "svm.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    MIN_ALIGNMENT = 64, /* bytes: a cache line */
    PAGE = 4096,
    BIG = 1 << 20, /* bytes: larger allocations are mapped, in huge pages if possible */
    HUGE_PAGE = 2 << 20,
    DEVICE_FLAGS_ALL = 0x7,
    HOST_FLAGS_ALL = 0xf,
    FREE_POLICIES_ALL = 0x3,
};

/* All allocations, sorted by address. */
static struct {
    pthread_rwlock_t lock;
    allocation_t *list;
    size_t n, capacity, bytes;
    uint64_t next_id;
    uint32_t n_openers; /* kernels that need device memory open at its own address */
} memory = {.lock = PTHREAD_RWLOCK_INITIALIZER, .next_id = 1};

/* The index of the first allocation that starts after `address`. */
static size_t upper_bound(const void *address) {
    size_t low = 0, high = memory.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((uintptr_t)memory.list[middle].base <= (uintptr_t)address) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The allocation that contains the address, even if it is freed and kept. */
static allocation_t *find(const void *address) {
    size_t i = upper_bound(address);
    if (i == 0) return NULL;
    allocation_t *a = &memory.list[i - 1];
    return (uintptr_t)address - (uintptr_t)a->base < a->size ? a : NULL;
}

/* The same, but not if it is freed. */
static allocation_t *find_live(const void *address) {
    allocation_t *a = find(address);
    return a && !a->is_freed ? a : NULL;
}

static bool insert(const allocation_t *a) {
    if (memory.n == memory.capacity) {
        size_t capacity = memory.capacity ? memory.capacity * 2 : 64;
        allocation_t *list = realloc(memory.list, capacity * sizeof *list);
        if (!list) return false;
        memory.list = list;
        memory.capacity = capacity;
    }
    size_t i = upper_bound(a->base);
    memmove(memory.list + i + 1, memory.list + i, (memory.n - i) * sizeof *memory.list);
    memory.list[i] = *a;
    memory.n++;
    memory.bytes += a->size;
    return true;
}

static void give_back(const allocation_t *a) {
    if (a->pages) {
        guard_give_back(a);
        return;
    }
    if (a->is_svm) svm_give_back(a->base, a->mapping);
    else if (a->mapping) munmap(a->mapping, a->mapping_size);
    else free(a->base);
}

static bool explain(const char *address, const char *verb, const char *kernels) {
    /* The faulting thread may hold the lock for writing: then it reports nothing. */
    if (pthread_rwlock_tryrdlock(&memory.lock) != 0) return false;
    const bool known = guard_explain(memory.list, memory.n, address, verb, kernels);
    pthread_rwlock_unlock(&memory.lock);
    return known;
}

static bool obtain(allocation_t *a, size_t alignment) {
    if (svm_is_used()) {
        a->is_svm = true;
        return svm_obtain(a->size, alignment, &a->base, &a->mapping);
    }
    if (strict_level) {
        fault_report(explain);
        return guard_obtain(a, alignment);
    }
    if (a->size < BIG && alignment <= PAGE) {
        size_t rounded = (a->size + alignment - 1) / alignment * alignment;
        a->base = aligned_alloc(alignment, rounded);
        return a->base != NULL;
    }
    if (alignment < PAGE) alignment = PAGE;
    if (a->size >= HUGE_PAGE && alignment < HUGE_PAGE) alignment = HUGE_PAGE;
    if (a->size > SIZE_MAX - alignment) return false;
    a->mapping_size = a->size + alignment;
    void *p = mmap(NULL, a->mapping_size, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    a->mapping = p;
    a->base = (char *)(((uintptr_t)p + alignment - 1) / alignment * alignment);
    if (a->size >= HUGE_PAGE) madvise(a->base, a->size, MADV_HUGEPAGE);
    return true;
}

static bool limits_are_relaxed(const void *next) {
    for (const ze_base_desc_t *d = next; d; d = d->pNext)
        if (d->stype == ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC)
            return ((const ze_relaxed_allocation_limits_exp_desc_t *)(const void *)d)->flags &
                   ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE;
    return false;
}

/* Whether so many bytes are left: what does not fit is refused at once, because the system would
 * overcommit, and kill the process that uses the memory. Called with the lock held. */
static bool fits(const host_t *host, size_t size) {
    return memory.bytes < host->memory && size <= host->memory - memory.bytes;
}

bool memory_claim(size_t size) {
    const host_t *host;
    if (host_get(&host) != ZE_RESULT_SUCCESS) return false;
    pthread_rwlock_wrlock(&memory.lock);
    const bool good = fits(host, size);
    if (good) memory.bytes += size;
    pthread_rwlock_unlock(&memory.lock);
    return good;
}

void memory_unclaim(size_t size) {
    pthread_rwlock_wrlock(&memory.lock);
    memory.bytes -= size;
    pthread_rwlock_unlock(&memory.lock);
}

/* The alignment in bytes where the program asks for none. Programs for GPUs rely on more than a
 * cache line. In strict mode, less of it shows more accesses behind the end. */
static size_t usual_alignment(void) {
    if (svm_is_used()) return SVM_MAX_ALIGNMENT;
    return strict_level ? MIN_ALIGNMENT : PAGE;
}

static ze_result_t allocate(ze_context_handle_t context, ze_device_handle_t device,
        ze_memory_type_t type, size_t size, size_t alignment, const void *next, void **out) {
    CHECK(size > 0, ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    const host_t *host;
    TRY(host_get(&host));
    const uint64_t most = host->memory / (device ? device_parts(device) : 1);
    CHECK(size <= most || limits_are_relaxed(next), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    CHECK((alignment & (alignment - 1)) == 0, ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    ze_result_t no_memory = type == ZE_MEMORY_TYPE_HOST ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                                        : ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    if (!alignment) alignment = usual_alignment();
    if (alignment < MIN_ALIGNMENT) alignment = MIN_ALIGNMENT;
    allocation_t a = {.size = size, .context = context, .device = device, .type = type};

    pthread_rwlock_wrlock(&memory.lock);
    bool good = fits(host, size);
    a.id = memory.next_id++;
    good = good && obtain(&a, alignment);
    if (good && memory.n_openers) guard_open(&a, true);
    if (good && !insert(&a)) {
        give_back(&a);
        good = false;
    }
    pthread_rwlock_unlock(&memory.lock);
    CHECK(good, no_memory);
    *out = a.base;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeMemAllocDevice(ze_context_handle_t context, const ze_device_mem_alloc_desc_t *desc,
        size_t size, size_t alignment, ze_device_handle_t device, void **out) {
    CHECK_CONTEXT_AND_DEVICE(context, device);
    CHECK_POINTER(desc);
    CHECK_POINTER(out);
    CHECK((desc->flags & ~(uint32_t)DEVICE_FLAGS_ALL) == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK(desc->ordinal == 0, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    return allocate(context, device, ZE_MEMORY_TYPE_DEVICE, size, alignment, desc->pNext, out);
}

ze_result_t zeMemAllocHost(ze_context_handle_t context, const ze_host_mem_alloc_desc_t *desc,
        size_t size, size_t alignment, void **out) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    CHECK_POINTER(desc);
    CHECK_POINTER(out);
    CHECK((desc->flags & ~(uint32_t)HOST_FLAGS_ALL) == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    return allocate(context, NULL, ZE_MEMORY_TYPE_HOST, size, alignment, desc->pNext, out);
}

ze_result_t zeMemAllocShared(ze_context_handle_t context,
        const ze_device_mem_alloc_desc_t *device_desc, const ze_host_mem_alloc_desc_t *host_desc,
        size_t size, size_t alignment, ze_device_handle_t device, void **out) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    if (device) CHECK_CONTEXT_AND_DEVICE(context, device);
    CHECK_POINTER(device_desc);
    CHECK_POINTER(host_desc);
    CHECK_POINTER(out);
    CHECK((device_desc->flags & ~(uint32_t)DEVICE_FLAGS_ALL) == 0,
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK((host_desc->flags & ~(uint32_t)HOST_FLAGS_ALL) == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK(device_desc->ordinal == 0, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const void *next =
            limits_are_relaxed(device_desc->pNext) ? device_desc->pNext : host_desc->pNext;
    return allocate(context, device, ZE_MEMORY_TYPE_SHARED, size, alignment, next, out);
}

/* Takes an allocation out of the list and gives its memory back. Called with the lock held. */
static void remove_allocation(allocation_t *a) {
    const allocation_t freed = *a;
    memory.n--;
    memmove(a, a + 1, (size_t)(memory.list + memory.n - a) * sizeof *a);
    if (freed.pages) guard_is_broken(&freed, "zeMemFree", NULL);
    give_back(&freed);
}

void memory_release(char *base) {
    pthread_rwlock_wrlock(&memory.lock);
    remove_allocation(find(base));
    pthread_rwlock_unlock(&memory.lock);
}

/* What happens to commands that use the memory. */
typedef enum {
    FREE_AT_ONCE, /* strict mode reports them */
    FREE_LATER,   /* they may use it until they are over */
    FREE_AND_WAIT /* the call returns when they are over */
} free_how_t;

static ze_result_t free_memory(ze_context_handle_t context, void *pointer, free_how_t how) {
    size_t size = 0;
    bool was_freed = false;
    pthread_rwlock_wrlock(&memory.lock);
    allocation_t *a = find_live(pointer), unused;
    const bool good = a && a->base == pointer && a->context == context;
    if (good) {
        a->is_freed = true;
        size = a->size;
        memory.bytes -= size; /* at once: the program may have waited for the commands */
        if (how == FREE_AT_ONCE) remove_allocation(a);
    } else if (strict_level) {
        a = find(pointer);
        was_freed = a ? a->is_freed : guard_was_freed(pointer, &unused);
    }
    pthread_rwlock_unlock(&memory.lock);
    if (!good)
        COMPLAIN("%p %s", pointer,
                was_freed ? "was freed before"
                          : "is not the beginning of an allocation of this context");
    CHECK(good, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    if (how == FREE_AND_WAIT) order_host_waits();
    if (how != FREE_AT_ONCE && !keep_while_used(pointer, size, how == FREE_AND_WAIT))
        memory_release(pointer);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeMemFree(ze_context_handle_t context, void *pointer) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    CHECK_POINTER(pointer);
    return free_memory(context, pointer, strict_level ? FREE_AT_ONCE : FREE_LATER);
}

ze_result_t zeMemFreeExt(
        ze_context_handle_t context, const ze_memory_free_ext_desc_t *desc, void *pointer) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    CHECK_POINTER(desc);
    CHECK_POINTER(pointer);
    CHECK((desc->freePolicy & ~(uint32_t)FREE_POLICIES_ALL) == 0,
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    if (!desc->freePolicy) return zeMemFree(context, pointer);
    const bool waits = desc->freePolicy & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE;
    return free_memory(context, pointer, waits ? FREE_AND_WAIT : FREE_LATER);
}

/* Copies the record of the allocation that contains an address; false: no allocation of the context
 * does. */
static bool look_up(ze_context_handle_t context, const void *address, allocation_t *out) {
    pthread_rwlock_rdlock(&memory.lock);
    const allocation_t *a = find_live(address);
    bool known = a && a->context == context;
    if (known) *out = *a;
    pthread_rwlock_unlock(&memory.lock);
    return known;
}

bool memory_range(const void *address, char **base, size_t *size) {
    pthread_rwlock_rdlock(&memory.lock);
    const allocation_t *a = find(address);
    if (a) {
        *base = a->base;
        *size = a->size;
    }
    pthread_rwlock_unlock(&memory.lock);
    return a != NULL;
}

void *memory_view(const void *address) {
    void *view = (void *)(uintptr_t)address;
    if (!strict_level) return view;
    pthread_rwlock_rdlock(&memory.lock);
    const allocation_t *a = find(address);
    if (a) view = a->view + ((const char *)address - a->base);
    pthread_rwlock_unlock(&memory.lock);
    return view;
}

size_t memory_list(void **bases, size_t room) {
    pthread_rwlock_rdlock(&memory.lock);
    const size_t n = memory.n;
    for (size_t i = 0; i < n && i < room; i++) bases[i] = memory.list[i].base;
    pthread_rwlock_unlock(&memory.lock);
    return n;
}

bool memory_check(const void *address, size_t size, const char *what, bool is_running) {
    if (!strict_level || size == 0) return true;
    allocation_t a = {0};
    bool good = true;
    pthread_rwlock_rdlock(&memory.lock);
    const allocation_t *found = find(address);
    const bool is_kept = found && found->is_freed && !is_running;
    if (found) {
        a = *found;
        good = size <= a.size - (size_t)((const char *)address - a.base);
    }
    const bool was_freed = is_kept || (!found && guard_was_freed(address, &a));
    pthread_rwlock_unlock(&memory.lock);
    if (was_freed)
        strict_complain("%s %p lies in the freed allocation %p of %zu bytes", what, address,
                (void *)a.base, a.size);
    else if (!good)
        strict_complain("%s: %zu bytes from %p on are more than the allocation %p of %zu bytes has",
                what, size, address, (void *)a.base, a.size);
    return good && !was_freed;
}

bool memory_is_broken(const void *address, const char *call, const char *kernel) {
    pthread_rwlock_rdlock(&memory.lock);
    const allocation_t *a = find(address);
    const bool broken = a && a->pages && guard_is_broken(a, call, kernel);
    pthread_rwlock_unlock(&memory.lock);
    return broken;
}

void memory_open(bool open) {
    pthread_rwlock_wrlock(&memory.lock);
    if (open ? memory.n_openers++ == 0 : --memory.n_openers == 0)
        for (size_t i = 0; i < memory.n; i++) guard_open(&memory.list[i], open);
    pthread_rwlock_unlock(&memory.lock);
}

ze_result_t zeMemGetAllocProperties(ze_context_handle_t context, const void *pointer,
        ze_memory_allocation_properties_t *out, ze_device_handle_t *device) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    CHECK_POINTER(pointer);
    CHECK_POINTER(out);
    allocation_t a = {.type = ZE_MEMORY_TYPE_UNKNOWN};
    bool known = look_up(context, pointer, &a);
    out->type = a.type;
    out->id = a.id;
    out->pageSize = known ? PAGE : 0;
    if (device) *device = a.device;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeMemGetAddressRange(
        ze_context_handle_t context, const void *pointer, void **base, size_t *size) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    CHECK_POINTER(pointer);
    allocation_t a;
    CHECK(look_up(context, pointer, &a), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    if (base) *base = a.base;
    if (size) *size = a.size;
    return ZE_RESULT_SUCCESS;
}
