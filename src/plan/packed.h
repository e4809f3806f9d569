/* SPDX-License-Identifier: Apache-2.0 */
/* Files that the build compresses and embeds: the SPIR-V of the variants, and native code. They are
 * the members of a pack. Members lie in blocks, and each block is compressed as a whole, because
 * neighbouring members are similar; some lie in a grammar. kernels/pack.c writes packs. */
#ifndef PLAN_PACKED_H
#define PLAN_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a block that zstd packs together and unpacks together. Its own units have 128 KiB; a
 * reader of these stops soon behind the member that it needs, for 1 % more bytes. */
enum { PACKED_UNIT = 32 << 10 };

/* A pack begins with this structure. Its blocks, its members, and the bytes of the grammar and of
 * the blocks follow. */
typedef struct {
    uint32_t nblocks, nmembers;
    uint32_t phrases, symbols; /* bytes from the beginning of the pack to those of the grammar */
    uint32_t nphrases, bits;   /* bits of a symbol */
} packed_t;

/* A grammar holds texts that are much alike, so that each can be read alone. A symbol is a number,
 * shifted left by one, and GRAMMAR_LAST in the last symbol of a rule. Numbers below GRAMMAR_BYTES
 * are bytes, and the next are the phrases. Behind these, number n is the rule that begins at symbol
 * n. A text ends where it has all its bytes. */
enum {
    GRAMMAR_BYTES = 256,
    GRAMMAR_LAST = 1,
    GRAMMAR_PHRASE = 7, /* the most bytes of a phrase; longer ones are rules */
    GRAMMAR_DEPTH = 64, /* the most rules within one another */
    GRAMMAR_BITS = 24   /* the most bits of a symbol */
};

typedef struct {
    uint8_t bytes[GRAMMAR_PHRASE], size;
} packed_phrase_t;

typedef struct {
    uint32_t at, packed; /* bytes from the beginning of the pack; bytes there */
    uint32_t size;       /* bytes of the members; if equal to `packed`, they are not compressed */
} packed_block_t;

typedef struct {
    uint32_t block, at, size; /* bytes from the beginning of the block; size 0: an empty member */
} packed_member_t;
/* Instead of a block: the member is in the grammar, from symbol `at` on. */
#define PACKED_IN_GRAMMAR UINT32_MAX

/* Bytes that n symbols take: those of the last can be read as four bytes. */
static inline size_t grammar_size(uint32_t n, uint32_t bits) {
    return ((size_t)n * bits + 7) / 8 + 3;
}

/* pack: aligned to 4 bytes. */
size_t packed_size(const uint8_t *pack, int member);
/* The bytes of a member, to be freed with dz_free(); NULL: no memory. */
uint8_t *packed_new(const uint8_t *pack, int member);

/* Native code is two members: its instructions, which products may share, and a packed_rest_t with
 * the rest. `code` counts pairs. The size is 0 if the compiler refused the module. */
typedef struct {
    uint32_t at; /* where the instructions belong, in bytes of what follows */
    uint8_t bytes[];
} packed_rest_t;
size_t packed_code_size(const uint8_t *pack, int code);
/* To be freed with dz_free(); NULL: no memory. */
uint8_t *packed_code_new(const uint8_t *pack, int code);

/* Writes the packed form of a SPIR-V module (`pack`), or the module: both have nwords words. In the
 * packed form an identifier is its distance from the one that was defined last, so that similar
 * instructions become equal, and words of a kind lie together. It compresses to half of what the
 * module does.
 * False: not a module. */
bool packed_spirv(uint32_t *words, uint32_t *packed, size_t nwords, bool pack);

#endif
