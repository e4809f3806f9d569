/* SPDX-License-Identifier: Apache-2.0 */
/* Reads packs. */
#include "plan/packed.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

#ifdef DNNL_ZE_ZSTD
#include <zstd.h>
#endif

static const packed_t *header_of(const uint8_t *pack) {
    return (const packed_t *)(const void *)pack;
}

static const packed_block_t *blocks_of(const uint8_t *pack) {
    return (const packed_block_t *)(const void *)(pack + sizeof(packed_t));
}

static packed_member_t find(const uint8_t *pack, int member) {
    const void *members = blocks_of(pack) + header_of(pack)->nblocks;
    return ((const packed_member_t *)members)[member];
}

size_t packed_size(const uint8_t *pack, int member) {
    return find(pack, member).size;
}

#ifdef DNNL_ZE_ZSTD
/* The block that was unpacked last, and what unpacking needs. They are kept until the process ends,
 * because getting as much new memory from the system takes longer than unpacking. The memory is not
 * dz_malloc()'s, whose tests expect all of it back. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards: */
static const packed_block_t *kept;
static uint8_t *kept_data;
static size_t kept_room;
static ZSTD_DCtx *context;

/* Called with the lock held. Fails for want of memory only: the build made what is unpacked. */
static bool keep(const packed_block_t *block, const uint8_t *packed) {
    if (kept == block) return true;
    kept = NULL;
    if (!context) context = ZSTD_createDCtx();
    if (kept_room < block->size) {
        free(kept_data);
        kept_data = malloc(block->size);
        kept_room = kept_data ? block->size : 0;
    }
    if (!context || !kept_data) return false;
    if (ZSTD_decompressDCtx(context, kept_data, kept_room, packed, block->packed) != block->size)
        return false;
    kept = block;
    return true;
}

static bool copy_packed(
        uint8_t *to, const packed_block_t *block, const uint8_t *packed, const packed_member_t *m) {
    pthread_mutex_lock(&lock);
    const bool good = keep(block, packed);
    if (good) memcpy(to, kept_data + m->at, m->size);
    pthread_mutex_unlock(&lock);
    return good;
}
#else
static bool copy_packed(
        uint8_t *to, const packed_block_t *block, const uint8_t *packed, const packed_member_t *m) {
    (void)to, (void)block, (void)packed, (void)m;
    return false; /* the build packed nothing */
}
#endif

uint8_t *packed_new(const uint8_t *pack, int member) {
    const packed_member_t m = find(pack, member);
    const packed_block_t *block = &blocks_of(pack)[m.block];
    const uint8_t *bytes = pack + block->at;
    uint8_t *data = dz_malloc(m.size + 1u);
    if (!data) return NULL;
    if (block->packed == block->size) memcpy(data, bytes + m.at, m.size);
    else if (!copy_packed(data, block, bytes, &m)) {
        dz_free(data);
        return NULL;
    }
    return data;
}
