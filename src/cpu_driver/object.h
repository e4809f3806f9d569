/* SPDX-License-Identifier: Apache-2.0 */
/* Handles: each object starts with a magic number, and its storage is never freed. */
#ifndef ZE_CPU_OBJECT_H
#define ZE_CPU_OBJECT_H

#include "common.h"
#include "fork.h"
#include "strict.h"
#include <pthread.h>

typedef struct {
    uint32_t magic; /* one of OBJECT_*, 0 once the handle is destroyed */
} object_t;

enum {
    OBJECT_DRIVER = 0x5a430001,
    OBJECT_DEVICE,
    OBJECT_CONTEXT,
    OBJECT_QUEUE,
    OBJECT_LIST,
    OBJECT_FENCE,
    OBJECT_EVENT_POOL,
    OBJECT_EVENT,
    OBJECT_MODULE,
    OBJECT_BUILD_LOG,
    OBJECT_KERNEL,
    OBJECT_PHYSICAL,
};

/* A pool of objects of one kind. A destroyed handle stays readable, so that its use ends in an
 * error and not in a crash. The oldest free slot is reused first, so that a stale handle is
 * recognised for long. */
typedef struct object_slot object_slot_t;
typedef struct {
    uint32_t magic;
    uint32_t size;
    uint32_t kept_at, kept; /* offset and size of bytes that survive reuse; 0 0: none */
    pthread_mutex_t lock;
    object_slot_t *first_free, *last_free;
    uint32_t n_free;
    object_slot_t *first_retired, *last_retired; /* destroyed, but not free yet */
    uint32_t n_retired;
    void *chunks;
} object_pool_t;
/* `keep` is a member that a thread may still touch when another thread has destroyed the object. */
#define OBJECT_POOL_KEEPING(kind, type, keep)                                                      \
    {.magic = (kind),                                                                              \
            .size = sizeof(type),                                                                  \
            .kept_at = offsetof(type, keep),                                                       \
            .kept = sizeof(((type *)0)->keep),                                                     \
            .lock = PTHREAD_MUTEX_INITIALIZER}
#define OBJECT_POOL(kind, type)                                                                    \
    {.magic = (kind), .size = sizeof(type), .lock = PTHREAD_MUTEX_INITIALIZER}

/* Returns an object that is zeroed except for the magic number and the kept bytes; NULL: out of
 * memory. */
void *object_new(object_pool_t *pool);
void object_delete(object_pool_t *pool, void *object);

const char *object_kind_name(uint32_t magic);

/* The check of a handle, at the head of an entry point. */
#define CHECK_HANDLE(h, kind)                                                                      \
    do {                                                                                           \
        CHECK_PROCESS();                                                                           \
        strict_enter(__func__);                                                                    \
        if (!(h)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;                                      \
        if ((h)->object.magic != (kind)) {                                                         \
            COMPLAIN("%p is %s, not a live %s", (const void *)(h),                                 \
                    (h)->object.magic ? "another object" : "a destroyed one",                      \
                    object_kind_name(kind));                                                       \
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;                                               \
        }                                                                                          \
    } while (0)

#endif
