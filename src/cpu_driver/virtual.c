/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory: reserved addresses, and physical memory that is mapped to them. A device that
 * reads the memory of the process needs nothing but the system's own mappings. */
#define _GNU_SOURCE
#include "device.h"
#include "host.h"
#include "memory.h"
#include "ocl.h"
#include "say.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes of a page, whatever the size: 32 GiB of addresses have half a million pages then. */
enum { VIRTUAL_PAGE = 1 << 16, PHYSICAL_FLAGS_ALL = 0x3 };

struct _ze_physical_mem_handle_t {
    object_t object;
    ze_context_handle_t context;
    int file;
    size_t size;
};

static object_pool_t physicals = OBJECT_POOL(OBJECT_PHYSICAL, struct _ze_physical_mem_handle_t);

/* Reserved addresses. A page has 0 if nothing is mapped, else 1 + ze_memory_access_attribute_t. */
typedef struct reservation {
    struct reservation *next;
    ze_context_handle_t context;
    char *base;
    size_t size;
    uint8_t pages[];
} reservation_t;

static struct {
    pthread_mutex_t lock;
    reservation_t *first;
} reserved = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_whole(size_t size) {
    return size > 0 && size % VIRTUAL_PAGE == 0;
}

/* Whether the OpenCL device reads any address of the process. */
static ze_result_t check_device(void) {
    const ocl_t *ocl;
    TRY(ocl_open(&ocl));
    if (ocl->memory != MEMORY_OF_PROCESS) say("virtual memory needs a device that is the CPU");
    CHECK(ocl->memory == MEMORY_OF_PROCESS, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeVirtualMemQueryPageSize(
        ze_context_handle_t context, ze_device_handle_t device, size_t size, size_t *out) {
    CHECK_CONTEXT_AND_DEVICE(context, device);
    CHECK_POINTER(out);
    CHECK(size > 0, ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    *out = VIRTUAL_PAGE;
    return ZE_RESULT_SUCCESS;
}

/* Returns addresses that nothing can be read from; NULL: there are none. */
static char *reserve(const void *wish, size_t size) {
    const size_t room = size + VIRTUAL_PAGE;
    if (room < size) return NULL;
    char *start = mmap((void *)(uintptr_t)wish, room, PROT_NONE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return NULL;
    const size_t front = (VIRTUAL_PAGE - (uintptr_t)start % VIRTUAL_PAGE) % VIRTUAL_PAGE;
    if (front) munmap(start, front);
    munmap(start + front + size, room - front - size);
    return start + front;
}

ze_result_t zeVirtualMemReserve(
        ze_context_handle_t context, const void *wish, size_t size, void **out) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    CHECK_POINTER(out);
    CHECK(is_whole(size), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    TRY(check_device());
    reservation_t *own = calloc(1, sizeof *own + size / VIRTUAL_PAGE);
    CHECK(own, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    own->context = context;
    own->size = size;
    own->base = reserve(wish, size);
    if (!own->base) {
        free(own);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    pthread_mutex_lock(&reserved.lock);
    own->next = reserved.first;
    reserved.first = own;
    pthread_mutex_unlock(&reserved.lock);
    *out = own->base;
    return ZE_RESULT_SUCCESS;
}

/* Finds the reservation with the whole range. Called with the lock held. */
static reservation_t *find(ze_context_handle_t context, const void *address, size_t size) {
    for (reservation_t *r = reserved.first; r; r = r->next) {
        const size_t at = (uintptr_t)address - (uintptr_t)r->base;
        if (r->context == context && at < r->size && size <= r->size - at)
            return at % VIRTUAL_PAGE ? NULL : r;
    }
    return NULL;
}

/* Whether all pages of the range are mapped, or none is. */
static bool all_are(const reservation_t *r, const void *address, size_t size, bool mapped) {
    const size_t first = (size_t)((const char *)address - r->base) / VIRTUAL_PAGE;
    for (size_t i = 0; i < size / VIRTUAL_PAGE; i++)
        if ((r->pages[first + i] != 0) != mapped) return false;
    return true;
}

static void set_pages(reservation_t *r, const void *address, size_t size, uint8_t value) {
    const size_t first = (size_t)((const char *)address - r->base) / VIRTUAL_PAGE;
    for (size_t i = 0; i < size / VIRTUAL_PAGE; i++) r->pages[first + i] = value;
}

ze_result_t zeVirtualMemFree(ze_context_handle_t context, const void *address, size_t size) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    CHECK_POINTER(address);
    CHECK(is_whole(size), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    pthread_mutex_lock(&reserved.lock);
    reservation_t *own = find(context, address, size), **link = &reserved.first;
    const bool good = own && own->size == size && all_are(own, address, size, false);
    if (good) {
        while (*link != own) link = &(*link)->next;
        *link = own->next;
    }
    pthread_mutex_unlock(&reserved.lock);
    CHECK(good, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    munmap(own->base, size);
    free(own);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zePhysicalMemCreate(ze_context_handle_t context, ze_device_handle_t device,
        ze_physical_mem_desc_t *desc, ze_physical_mem_handle_t *out) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    if (device) CHECK_CONTEXT_AND_DEVICE(context, device);
    CHECK_POINTER(desc);
    CHECK_POINTER(out);
    CHECK((desc->flags & ~(uint32_t)PHYSICAL_FLAGS_ALL) == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK(is_whole(desc->size), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    TRY(check_device());
    CHECK(memory_claim(desc->size), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    const int file = memfd_create("ze_cpu", MFD_CLOEXEC);
    ze_physical_mem_handle_t own = NULL;
    if (file >= 0 && ftruncate(file, (off_t)desc->size) == 0) own = object_new(&physicals);
    if (!own) {
        if (file >= 0) close(file);
        memory_unclaim(desc->size);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    own->context = context;
    own->file = file;
    own->size = desc->size;
    *out = own;
    return ZE_RESULT_SUCCESS;
}

/* What is mapped stays, until it is unmapped. */
ze_result_t zePhysicalMemDestroy(ze_context_handle_t context, ze_physical_mem_handle_t memory) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    CHECK_HANDLE(memory, OBJECT_PHYSICAL);
    CHECK(memory->context == context, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    close(memory->file);
    memory_unclaim(memory->size);
    object_delete(&physicals, memory);
    return ZE_RESULT_SUCCESS;
}

static int protection(ze_memory_access_attribute_t access) {
    static const int protections[] = {
            [ZE_MEMORY_ACCESS_ATTRIBUTE_NONE] = PROT_NONE,
            [ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE] = PROT_READ | PROT_WRITE,
            [ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY] = PROT_READ,
    };
    return protections[access];
}

#define CHECK_ACCESS(access)                                                                       \
    CHECK((unsigned)(access) <= ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY,                               \
            ZE_RESULT_ERROR_INVALID_ENUMERATION)

ze_result_t zeVirtualMemMap(ze_context_handle_t context, const void *address, size_t size,
        ze_physical_mem_handle_t memory, size_t offset, ze_memory_access_attribute_t access) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    CHECK_HANDLE(memory, OBJECT_PHYSICAL);
    CHECK_POINTER(address);
    CHECK_ACCESS(access);
    CHECK(is_whole(size), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    CHECK(offset % VIRTUAL_PAGE == 0, ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    CHECK(memory->context == context && offset <= memory->size && size <= memory->size - offset,
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ze_result_t result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&reserved.lock);
    reservation_t *own = find(context, address, size);
    if (own && all_are(own, address, size, false)) {
        const void *got = mmap((void *)(uintptr_t)address, size, protection(access),
                MAP_SHARED | MAP_FIXED, memory->file, (off_t)offset);
        result = got == MAP_FAILED ? ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY : ZE_RESULT_SUCCESS;
        if (got != MAP_FAILED) set_pages(own, address, size, (uint8_t)(1 + access));
    }
    pthread_mutex_unlock(&reserved.lock);
    return result;
}

ze_result_t zeVirtualMemUnmap(ze_context_handle_t context, const void *address, size_t size) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    CHECK_POINTER(address);
    CHECK(is_whole(size), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    pthread_mutex_lock(&reserved.lock);
    reservation_t *own = find(context, address, size);
    const bool good =
            own && all_are(own, address, size, true) &&
            mmap((void *)(uintptr_t)address, size, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
    if (good) set_pages(own, address, size, 0);
    pthread_mutex_unlock(&reserved.lock);
    CHECK(good, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeVirtualMemSetAccessAttribute(ze_context_handle_t context, const void *address,
        size_t size, ze_memory_access_attribute_t access) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    CHECK_POINTER(address);
    CHECK_ACCESS(access);
    CHECK(is_whole(size), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    pthread_mutex_lock(&reserved.lock);
    reservation_t *own = find(context, address, size);
    const bool good = own && all_are(own, address, size, true) &&
                      mprotect((void *)(uintptr_t)address, size, protection(access)) == 0;
    if (good) set_pages(own, address, size, (uint8_t)(1 + access));
    pthread_mutex_unlock(&reserved.lock);
    CHECK(good, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeVirtualMemGetAccessAttribute(ze_context_handle_t context, const void *address,
        size_t size, ze_memory_access_attribute_t *access, size_t *same) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    CHECK_POINTER(address);
    CHECK_POINTER(access);
    CHECK_POINTER(same);
    CHECK(is_whole(size), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    pthread_mutex_lock(&reserved.lock);
    const reservation_t *own = find(context, address, size);
    if (own) {
        const uint8_t *page = own->pages + ((const char *)address - own->base) / VIRTUAL_PAGE;
        size_t n = 1;
        while (n < size / VIRTUAL_PAGE && page[n] == *page) n++;
        *access =
                *page ? (ze_memory_access_attribute_t)(*page - 1) : ZE_MEMORY_ACCESS_ATTRIBUTE_NONE;
        *same = n * VIRTUAL_PAGE;
    }
    pthread_mutex_unlock(&reserved.lock);
    CHECK(own, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    return ZE_RESULT_SUCCESS;
}
