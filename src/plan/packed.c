/* SPDX-License-Identifier: Apache-2.0 */
/* Reads packs. */
#include "plan/packed.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/alloc.h"

#ifdef DNNL_ZE_ZSTD
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_d_stableOutBuffer */
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
/* The blocks that were unpacked last, each as far as somebody needed it. They are kept until the
 * process ends, because getting as much new memory from the system takes longer than unpacking.
 * There are two, for readers that go to and fro between two blocks. The memory is not
 * dz_malloc()'s, whose tests expect all of it back. */
typedef struct {
    const packed_block_t *block;
    ZSTD_DCtx *context;
    uint8_t *data;
    size_t room, unpacked, read; /* bytes of `data`, and those of the packed block */
} kept_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards: */
static kept_t kept[2];                                   /* the one that was used last first */

/* Makes room for a block. */
static bool begin(kept_t *to, const packed_block_t *block) {
    to->block = NULL;
    if (!to->context) to->context = ZSTD_createDCtx();
    if (to->room < block->size) {
        free(to->data);
        to->data = malloc(block->size);
        to->room = to->data ? block->size : 0;
    }
    if (!to->context || !to->data) return false;
    ZSTD_DCtx_reset(to->context, ZSTD_reset_session_and_parameters);
    /* What was unpacked stays where it is: no copy of it is needed. */
    if (ZSTD_isError(ZSTD_DCtx_setParameter(to->context, ZSTD_d_stableOutBuffer, 1))) return false;
    to->unpacked = to->read = 0;
    to->block = block;
    return true;
}

/* Has the system provide the pages that unpacking until there writes, in one call: a fault for each
 * of them takes longer. Systems that cannot do this give them one by one. */
static void provide(kept_t *to, size_t until) {
#ifdef MADV_POPULATE_WRITE
    enum { PAGE = 4096 }; /* bytes */
    const size_t whole = (until + PACKED_UNIT - 1) / PACKED_UNIT * PACKED_UNIT;
    uint8_t *first = to->data + to->unpacked,
            *end = to->data + (whole < to->room ? whole : to->room);
    first += -(uintptr_t)first & (PAGE - 1);
    if (first < end) madvise(first, (size_t)(end - first), MADV_POPULATE_WRITE);
#else
    (void)to, (void)until;
#endif
}

/* Unpacks a block until it has `until` bytes or more. Called with the lock held. Fails for want of
 * memory only: the build made what is unpacked. */
static bool unpack(kept_t *to, const packed_block_t *block, const uint8_t *packed, size_t until) {
    enum { STEP = 4096 }; /* bytes that are read before the next look */
    ZSTD_outBuffer out = {to->data, block->size, to->unpacked};
    ZSTD_inBuffer in = {packed, to->read, to->read};
    if (to->unpacked < until) provide(to, until);
    while (out.pos < until) {
        const size_t left = block->packed - in.pos;
        in.size = in.pos + (left < STEP ? left : STEP);
        const size_t more = ZSTD_decompressStream(to->context, &out, &in);
        if (ZSTD_isError(more) || (!left && out.pos < until)) {
            to->block = NULL;
            return false;
        }
    }
    to->unpacked = out.pos;
    to->read = in.pos;
    return true;
}

static bool copy_packed(
        uint8_t *to, const packed_block_t *block, const uint8_t *packed, const packed_member_t *m) {
    pthread_mutex_lock(&lock);
    if (kept[0].block != block) {
        const kept_t other = kept[0];
        kept[0] = kept[1];
        kept[1] = other;
    }
    const bool good = (kept[0].block == block || begin(&kept[0], block)) &&
                      unpack(&kept[0], block, packed, (size_t)m->at + m->size);
    if (good) memcpy(to, kept[0].data + m->at, m->size);
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

static uint32_t symbol(const uint8_t *symbols, uint32_t bits, uint32_t n) {
    const size_t at = (size_t)n * bits;
    uint32_t word;
    memcpy(&word, symbols + at / 8, sizeof word);
    return word >> at % 8 & ((1u << bits) - 1);
}

/* Writes what the symbols from number `at` on say. */
static void say(uint8_t *to, size_t size, const uint8_t *pack, uint32_t at) {
    const packed_t *header = header_of(pack);
    const uint32_t first_rule = GRAMMAR_BYTES + header->nphrases;
    uint32_t behind[GRAMMAR_DEPTH]; /* the rules that have been begun: what follows them */
    int n = 0;
    for (size_t i = 0; i < size;) {
        const uint32_t s = symbol(pack + header->symbols, header->bits, at++), number = s >> 1;
        const bool last = s & GRAMMAR_LAST;
        if (number >= first_rule) {
            if (!last) behind[n++] = at;
            at = number - first_rule;
            continue;
        }
        if (number < GRAMMAR_BYTES) {
            to[i++] = (uint8_t)number;
        } else {
            packed_phrase_t phrase;
            const size_t where = header->phrases + (number - GRAMMAR_BYTES) * sizeof phrase;
            memcpy(&phrase, pack + where, sizeof phrase);
            /* As a whole, where there is room: the bytes behind it are written afterwards. */
            memcpy(to + i, &phrase, size - i >= sizeof phrase ? sizeof phrase : phrase.size);
            i += phrase.size;
        }
        if (last && n) at = behind[--n];
    }
}

static bool copy(uint8_t *to, const uint8_t *pack, const packed_member_t *m) {
    if (m->block == PACKED_IN_GRAMMAR) {
        say(to, m->size, pack, m->at);
        return true;
    }
    const packed_block_t *block = &blocks_of(pack)[m->block];
    const uint8_t *bytes = pack + block->at;
    if (block->packed != block->size) return copy_packed(to, block, bytes, m);
    memcpy(to, bytes + m->at, m->size);
    return true;
}

uint8_t *packed_new(const uint8_t *pack, int member) {
    const packed_member_t m = find(pack, member);
    uint8_t *data = dz_malloc(m.size + 1u);
    if (!data || copy(data, pack, &m)) return data;
    dz_free(data);
    return NULL;
}

size_t packed_code_size(const uint8_t *pack, int code) {
    const uint32_t rest = find(pack, 2 * code + 1).size;
    return rest ? find(pack, 2 * code).size + rest - sizeof(packed_rest_t) : 0;
}

uint8_t *packed_code_new(const uint8_t *pack, int code) {
    const packed_member_t instructions = find(pack, 2 * code);
    const size_t size = packed_code_size(pack, code);
    uint8_t *data = dz_malloc(size + 1);
    packed_rest_t *rest = (packed_rest_t *)(void *)packed_new(pack, 2 * code + 1);
    bool good = data && rest && size;
    if (good) {
        const size_t before = rest->at, until = before + instructions.size;
        memcpy(data, rest->bytes, before);
        memcpy(data + until, rest->bytes + before, size - until);
        good = !instructions.size || copy(data + before, pack, &instructions);
    }
    dz_free(rest);
    if (good) return data;
    dz_free(data);
    return NULL;
}
