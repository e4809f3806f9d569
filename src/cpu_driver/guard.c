/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations between guard pages. An allocation ends as close to the end of a page as its
 * alignment allows. The rest of the page, and the bytes in front of the allocation, hold a pattern
 * that is checked later. Freed addresses are not reused for some time. */
#define _GNU_SOURCE
#include "guard.h"
#include "strict.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    POISON = 0xff,          /* NaN in every floating-point type */
    CANARY = 0xc5,          /* the pattern around an allocation */
    KEPT = 4096,            /* freed allocations whose addresses are not reused */
    POISON_ALL = 256 << 20, /* bytes: larger allocations are poisoned at the ends, to save time */
    POISON_ENDS = 16 << 20, /* bytes at each end of such an allocation */
};

/* The allocations that were freed last; new entries overwrite the oldest. The lock of memory.c
 * guards them, but the fault handler reads them without it. */
static allocation_t freed[KEPT];
static uint32_t n_freed;

static size_t round_up(size_t n, size_t to) {
    return (n + to - 1) / to * to;
}

static size_t mapping_size(const allocation_t *a, size_t alignment) {
    return a->pages + 2 * PAGE + (alignment > PAGE ? alignment : 0);
}

/* Reserves address space, and returns the place of the pages in it; NULL: out of address space. */
static char *reserve(const allocation_t *a, size_t alignment, void **mapping) {
    char *p = mmap(NULL, mapping_size(a, alignment), PROT_NONE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    *mapping = p;
    return alignment > PAGE ? (char *)round_up((uintptr_t)p + PAGE, alignment) : p + PAGE;
}

static bool map_twice(allocation_t *a, char *own, char *view) {
    const int file = memfd_create("ze_cpu", MFD_CLOEXEC);
    if (file < 0) return false;
    const bool good =
            ftruncate(file, (off_t)a->pages) == 0 &&
            mmap(own, a->pages, PROT_NONE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED &&
            mmap(view, a->pages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) !=
                    MAP_FAILED;
    close(file);
    return good;
}

static void poison(const allocation_t *a) {
    if (a->size <= POISON_ALL) {
        memset(a->view, POISON, a->size);
    } else {
        memset(a->view, POISON, POISON_ENDS);
        memset(a->view + a->size - POISON_ENDS, POISON, POISON_ENDS);
    }
}

static char *pages_of(const allocation_t *a) {
    return a->view - (uintptr_t)a->view % PAGE;
}

bool guard_obtain(allocation_t *a, size_t alignment) {
    const size_t step = alignment < PAGE ? alignment : PAGE;
    if (a->size > SIZE_MAX / 2 || alignment > SIZE_MAX / 4) return false;
    a->pages = round_up(a->size, PAGE);
    a->mapping_size = mapping_size(a, alignment);
    char *own = reserve(a, alignment, &a->mapping), *view = own;
    if (!own) return false;
    bool good;
    if (a->type == ZE_MEMORY_TYPE_DEVICE) {
        view = reserve(a, alignment, &a->view_mapping);
        good = view && map_twice(a, own, view);
    } else {
        good = mprotect(own, a->pages, PROT_READ | PROT_WRITE) == 0;
    }
    if (!good) {
        munmap(a->mapping, a->mapping_size);
        if (a->view_mapping) munmap(a->view_mapping, a->mapping_size);
        return false;
    }
    const size_t front = a->pages - round_up(a->size, step);
    a->base = own + front;
    a->view = view + front;
    memset(view, CANARY, front);
    memset(a->view + a->size, CANARY, a->pages - front - a->size);
    poison(a);
    return true;
}

static void forget(const allocation_t *a) {
    munmap(a->mapping, a->mapping_size);
    if (a->view_mapping) munmap(a->view_mapping, a->mapping_size);
}

void guard_give_back(const allocation_t *a) {
    void *const mappings[2] = {a->mapping, a->view_mapping};
    for (int i = 0; i < 2; i++)
        if (mappings[i])
            mmap(mappings[i], a->mapping_size, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    allocation_t *place = &freed[n_freed++ % KEPT];
    if (place->base) forget(place);
    *place = *a;
}

bool guard_was_freed(const void *address, allocation_t *out) {
    for (uint32_t i = 0; i < KEPT && i < n_freed; i++)
        if ((uintptr_t)address - (uintptr_t)freed[i].base < freed[i].size) {
            *out = freed[i];
            return true;
        }
    return false;
}

static bool check(const allocation_t *a, char *from, size_t n, const char *where, const char *call,
        const char *kernel) {
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)from[i] == CANARY) continue;
        const long at = from + i < a->view ? a->view - (from + i) : from + i - (a->view + a->size);
        strict_complain_of(call, "%s%s%s wrote %ld bytes %s the allocation %p of %zu bytes",
                kernel ? "kernel \"" : "something", kernel ? kernel : "", kernel ? "\"" : "", at,
                where, (void *)a->base, a->size);
        memset(from, CANARY, n);
        return true;
    }
    return false;
}

bool guard_is_broken(const allocation_t *a, const char *call, const char *kernel) {
    char *begin = pages_of(a), *end = begin + a->pages;
    const bool front = check(a, begin, (size_t)(a->view - begin), "in front of", call, kernel);
    return check(a, a->view + a->size, (size_t)(end - (a->view + a->size)), "past the end of", call,
                   kernel) ||
           front;
}

void guard_open(const allocation_t *a, bool open) {
    if (a->view != a->base)
        mprotect(a->base - (uintptr_t)a->base % PAGE, a->pages,
                open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

static const char *allocated_by(const allocation_t *a) {
    if (a->type == ZE_MEMORY_TYPE_DEVICE) return "zeMemAllocDevice";
    return a->type == ZE_MEMORY_TYPE_HOST ? "zeMemAllocHost" : "zeMemAllocShared";
}

static bool is_in(const void *mapping, size_t size, const char *address) {
    return mapping && (uintptr_t)address - (uintptr_t)mapping < size;
}

static bool explain_one(const allocation_t *a, bool is_freed, const char *address, const char *verb,
        const char *kernels) {
    const bool in_view = is_in(a->view_mapping, a->mapping_size, address);
    if (!in_view && !is_in(a->mapping, a->mapping_size, address)) return false;
    const long at = address - (in_view ? a->view : a->base);
    char where[64];
    if (at < 0) snprintf(where, sizeof where, "%ld bytes in front of", -at);
    else if ((size_t)at >= a->size)
        snprintf(where, sizeof where, "%ld bytes past the end of", at - (long)a->size);
    else snprintf(where, sizeof where, "at byte %ld of", at);
    /* Only kernels know the address of the view. The other address may be used by the host or by
     * kernels. */
    const bool inside = at >= 0 && (size_t)at < a->size;
    const bool by_kernel = in_view || (kernels && !(inside && a->view != a->base && !is_freed));
    strict_complain_of(by_kernel ? "zeCommandListAppendLaunchKernel" : "the host",
            "%s%s%s %s %s the %sallocation %p of %zu bytes (%s)%s",
            by_kernel && kernels ? "kernel " : "it", by_kernel && kernels ? kernels : "", "", verb,
            where, is_freed ? "freed " : "", (void *)a->base, a->size, allocated_by(a),
            inside && !is_freed && !by_kernel ? ": only copies and kernels reach device memory"
                                              : "");
    return true;
}

bool guard_explain(const allocation_t *live, size_t n, const char *address, const char *verb,
        const char *kernels) {
    for (size_t i = 0; i < n; i++)
        if (explain_one(&live[i], false, address, verb, kernels)) return true;
    for (uint32_t i = 0; i < KEPT && i < n_freed; i++)
        if (freed[i].base && explain_one(&freed[i], true, address, verb, kernels)) return true;
    return false;
}
