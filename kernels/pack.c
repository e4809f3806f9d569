/* SPDX-License-Identifier: Apache-2.0 */
/* A program of the build: writes a pack (src/plan/packed.h).
 * Usage: pack_kernels OUTPUT spirv|native LIST...
 *   LIST     a file with the paths of the members, one in a line
 *   spirv    the members are SPIR-V modules, which become packed_spirv()'s form
 *   native   the members are native code, which becomes two members: the instructions, and the rest
 *            with their place in it; - instead of a path: both are empty. The rest and the first of
 *            the instructions go into a grammar, other members into blocks.
 * Built without zstd, it does not compress. Equal members are stored once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar.h"
#include "plan/packed.h"
#include "zebin.h"

#ifdef DNNL_ZE_ZSTD
#include <zstd.h>
#endif

enum { MOST_MEMBERS = 1 << 16, MOST_BYTES = 1 << 30, LEVEL = 22 };

/* Members of a kind share blocks, which are compressed but for those of PLAIN. Those in the grammar
 * are read sooner. */
typedef enum { SPIRV, INSTRUCTIONS, PLAIN, NBLOCK_KINDS, IN_GRAMMAR = NBLOCK_KINDS } kind_t;

/* The instructions of one module in EARLY are in the grammar, the first of the list: it begins with
 * what programs need most. They take about twice as much room there as in a block. */
enum { EARLY = 24 };
/* Those of them that have LONG bytes or more are not packed at all, up to PLAIN_SHARE bytes for
 * each member of the pack. Reading 13 KB of the grammar takes 0.1 ms. The share suffices for the
 * convolutions and the matmul with bias at the beginning of the list, and leaves a library for one
 * product below 4 MB. */
enum { LONG = 7 << 10, PLAIN_SHARE = 17 };

/* Bytes of a block, unless a member is larger. Someone waits until what is before a member is
 * unpacked, too; blocks of half the size would make a library for one product larger than 4 MB.
 * SPIR-V is compiled afterwards, which takes longer. */
static const uint32_t block_size[NBLOCK_KINDS] = {
        [SPIRV] = 2 << 20, [INSTRUCTIONS] = 288 << 10, [PLAIN] = 1 << 20};

typedef struct {
    packed_t header;
    kind_t *kinds; /* of each member */
    packed_block_t *blocks;
    packed_member_t *members;
    uint8_t **data; /* of each member */
    uint8_t *bytes; /* of all blocks, compressed, and of the grammar */
    size_t size;
} output_t;

static void fail(const char *what, const char *path) {
    fprintf(stderr, "pack_kernels: %s%s%s\n", what, *path ? ": " : "", path);
    exit(1);
}

static void *room(size_t size) {
    void *memory = calloc(1, size + 1);
    if (!memory) fail("no memory", "");
    return memory;
}

static uint8_t *read_file(const char *path, uint32_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail("cannot read", path);
    const long length = ftell(file);
    if (length < 0 || length > MOST_BYTES) fail("cannot read", path);
    uint8_t *data = room((size_t)length);
    rewind(file);
    if (fread(data, 1, (size_t)length, file) != (size_t)length) fail("cannot read", path);
    fclose(file);
    *size = (uint32_t)length;
    return data;
}

/* Returns room for more bytes behind the others. */
static uint8_t *more_bytes(output_t *out, size_t size) {
    out->bytes = realloc(out->bytes, out->size + size);
    if (!out->bytes) fail("no memory", "");
    if (out->size + size > MOST_BYTES) fail("more than 1 GiB", "");
    return out->bytes + out->size;
}

/* Returns the number of an equal member before member n, or n. */
static uint32_t find_equal(const output_t *out, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (out->members[i].size == out->members[n].size &&
                !memcmp(out->data[i], out->data[n], out->members[n].size))
            return i;
    return n;
}

#ifdef DNNL_ZE_ZSTD
static size_t compress_units(uint8_t *to, size_t capacity, const uint8_t *from, size_t size) {
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_outBuffer out = {to, capacity, 0};
    if (!context) fail("no memory", "");
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setPledgedSrcSize(context, size);
    for (size_t at = 0; at < size; at += PACKED_UNIT) {
        const bool last = size - at <= PACKED_UNIT;
        ZSTD_inBuffer in = {from + at, last ? size - at : PACKED_UNIT, 0};
        const size_t left =
                ZSTD_compressStream2(context, &out, &in, last ? ZSTD_e_end : ZSTD_e_flush);
        if (left) fail("zstd", ZSTD_isError(left) ? ZSTD_getErrorName(left) : "no room");
    }
    ZSTD_freeCCtx(context);
    return out.pos;
}
#endif

/* Returns the bytes in `to`; as many as before if they are not compressed. */
static size_t compress(uint8_t *to, size_t capacity, const uint8_t *from, size_t size) {
#ifdef DNNL_ZE_ZSTD
    const size_t packed = compress_units(to, capacity, from, size);
    if (packed < size) return packed;
#endif
    (void)capacity;
    memcpy(to, from, size);
    return size;
}

/* Compresses the members from `first` on that begin in block `block`. */
static void write_block(output_t *out, uint32_t block, uint32_t first) {
    packed_block_t *b = &out->blocks[block];
    uint8_t *whole = room(b->size);
    for (uint32_t i = first; i < out->header.nmembers; i++)
        if (out->members[i].block == block)
            memcpy(whole + out->members[i].at, out->data[i], out->members[i].size);
    const size_t most = b->size + b->size / 128 + 1024; /* more than zstd's bound */
    b->at = (uint32_t)out->size;
    if (out->kinds[first] == PLAIN) {
        memcpy(more_bytes(out, b->size), whole, b->size);
        b->packed = b->size;
    } else {
        b->packed = (uint32_t)compress(more_bytes(out, most), most, whole, b->size);
    }
    out->size += b->packed;
    free(whole);
}

/* ---- which members share a block ---- */

/* A member that has no place yet, and hashes of a quarter of its windows of 16 bytes. */
typedef struct {
    uint32_t member, nhashes;
    uint32_t *hashes;
} sketch_t;

/* Which hashes the members of a block have. */
enum { SET_BITS = 22 };
static uint8_t set[1 << SET_BITS];

static sketch_t sketch(const output_t *out, uint32_t member) {
    const uint32_t nwords = out->members[member].size / 4;
    sketch_t s = {member, 0, room(4 * (size_t)nwords)};
    for (uint32_t i = 0; i + 4 <= nwords; i++) {
        uint32_t w[4], hash = 0;
        memcpy(w, out->data[member] + 4 * (size_t)i, sizeof w);
        for (int k = 0; k < 4; k++) hash = (hash ^ w[k]) * 0x9E3779B1u ^ hash >> 15;
        if (hash >> 30 == 0) s.hashes[s.nhashes++] = hash & ((1 << SET_BITS) - 1);
    }
    return s;
}

/* The share of the hashes that the block has already. */
static double likeness(const sketch_t *s) {
    uint32_t known = 0;
    for (uint32_t i = 0; i < s->nhashes; i++) known += set[s->hashes[i]];
    return s->nhashes ? (double)known / s->nhashes : 0;
}

/* The most alike member that fits; n: none does. */
static uint32_t find_alike(
        const output_t *out, const sketch_t *sketches, uint32_t n, uint32_t left) {
    uint32_t best = n;
    double most = -1;
    for (uint32_t i = 0; i < n; i++) {
        if (out->members[sketches[i].member].size > left) continue;
        const double share = likeness(&sketches[i]);
        if (share > most) {
            most = share;
            best = i;
        }
    }
    return best;
}

static int by_number(const void *a, const void *b) {
    const packed_member_t *x = *(packed_member_t *const *)a, *y = *(packed_member_t *const *)b;
    return (x > y) - (x < y);
}

/* Fills a block with the first of n members and what is most like the members that it has. In the
 * block they have the order of the list, which begins with what programs need most: readers unpack
 * all that is before a member. Returns how many members are left. */
static uint32_t fill_block(output_t *out, sketch_t *sketches, uint32_t n, uint32_t size) {
    const uint32_t block = out->header.nblocks++;
    packed_block_t *b = &out->blocks[block];
    packed_member_t **chosen = room(n * sizeof(packed_member_t *));
    uint32_t nchosen = 0, at = 0;
    memset(set, 0, sizeof set);
    for (uint32_t i = 0; i < n;
            i = find_alike(out, sketches, n, b->size < size ? size - b->size : 0)) {
        packed_member_t *m = chosen[nchosen++] = &out->members[sketches[i].member];
        m->block = block;
        b->size += m->size;
        for (uint32_t k = 0; k < sketches[i].nhashes; k++) set[sketches[i].hashes[k]] = 1;
        free(sketches[i].hashes);
        memmove(sketches + i, sketches + i + 1, (--n - i) * sizeof *sketches);
    }
    qsort(chosen, nchosen, sizeof(packed_member_t *), by_number);
    for (uint32_t i = 0; i < nchosen; at += chosen[i++]->size) chosen[i]->at = at;
    free(chosen);
    return n;
}

/* Gives each member its place. A compressor finds again what is in the block, so alike members
 * share one: that saves an eighth of the packed code beside blocks in the order of the list. */
static void place(output_t *out) {
    sketch_t *sketches = room(out->header.nmembers * sizeof *sketches);
    for (int kind = 0; kind < NBLOCK_KINDS; kind++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < out->header.nmembers; i++)
            if ((int)out->kinds[i] == kind && find_equal(out, i) == i)
                sketches[n++] = sketch(out, i);
        while (n) n = fill_block(out, sketches, n, block_size[kind]);
    }
    free(sketches);
}

/* Chooses how the instructions are packed that programs need most. */
static void choose_early(output_t *out) {
    uint32_t room_left = out->header.nmembers * PLAIN_SHARE;
    for (uint32_t i = 0; i < out->header.nmembers / EARLY; i++) {
        if (out->kinds[i] != INSTRUCTIONS) continue;
        const uint32_t size = find_equal(out, i) == i ? out->members[i].size : 0;
        const bool plain = out->members[i].size >= LONG && size <= room_left;
        out->kinds[i] = plain ? PLAIN : IN_GRAMMAR;
        if (plain) room_left -= size;
    }
}

/* ---- the grammar ---- */

static void write_grammar(output_t *out) {
    const uint32_t most = out->header.nmembers;
    packed_member_t **members = room(most * sizeof *members);
    uint8_t **texts = room(most * sizeof *texts);
    uint32_t *sizes = room(most * sizeof *sizes), *begins = room(most * sizeof *begins), n = 0;
    for (uint32_t i = 0; i < most; i++) {
        if (out->kinds[i] != IN_GRAMMAR || find_equal(out, i) != i) continue;
        members[n] = &out->members[i];
        texts[n] = out->data[i];
        sizes[n++] = out->members[i].size;
    }
    grammar_t grammar;
    if (!grammar_make(&grammar, begins, texts, sizes, n)) fail("no memory", "");
    if (grammar.depth > GRAMMAR_DEPTH) fail("the grammar is too deep", "");
    uint32_t greatest = 1;
    for (uint32_t i = 0; i < grammar.nsymbols; i++)
        if (grammar.symbols[i] > greatest) greatest = grammar.symbols[i];
    while (greatest >> out->header.bits) out->header.bits++;
    if (out->header.bits > GRAMMAR_BITS) fail("the grammar has too many symbols", "");
    const size_t bytes = grammar_size(grammar.nsymbols, out->header.bits),
                 phrases = grammar.nphrases * sizeof *grammar.phrases;
    memcpy(more_bytes(out, phrases), grammar.phrases, phrases);
    out->header.nphrases = grammar.nphrases;
    out->header.phrases = (uint32_t)out->size;
    out->size += phrases;
    uint8_t *to = more_bytes(out, bytes);
    memset(to, 0, bytes);
    for (uint32_t i = 0; i < grammar.nsymbols; i++)
        for (uint32_t bit = 0; bit < out->header.bits; bit++) {
            const size_t at = (size_t)i * out->header.bits + bit;
            to[at / 8] |= (uint8_t)((grammar.symbols[i] >> bit & 1) << at % 8);
        }
    out->header.symbols = (uint32_t)out->size;
    out->size += bytes;
    for (uint32_t i = 0; i < n; i++) {
        members[i]->block = PACKED_IN_GRAMMAR;
        members[i]->at = begins[i];
    }
    grammar_free(&grammar);
    free(members);
    free(texts);
    free(sizes);
    free(begins);
}

static void add_member(output_t *out, kind_t kind, uint8_t *data, uint32_t size) {
    const uint32_t n = out->header.nmembers;
    if (n == MOST_MEMBERS) fail("too many members", "");
    out->kinds[n] = kind;
    out->data[n] = data;
    out->members[n].size = size;
    out->header.nmembers++;
}

static void add_spirv(output_t *out, const char *path) {
    uint32_t size;
    uint8_t *data = read_file(path, &size), *packed = room(size);
    if (!packed_spirv((uint32_t *)(void *)data, (uint32_t *)(void *)packed, size / 4, true))
        fail("no SPIR-V", path);
    add_member(out, SPIRV, packed, size);
    free(data);
}

static void add_native(output_t *out, const char *path) {
    uint32_t size = 0, from, to;
    uint8_t *data = strcmp(path, "-") ? read_file(path, &size) : room(0);
    size = zebin_slim(data, size);
    if (!zebin_find_code(data, size, &from, &to)) from = to = size;
    uint8_t *code = room(to - from), *rest = room(size + sizeof from);
    memcpy(code, data + from, to - from);
    memcpy(rest, &from, sizeof from);
    memcpy(rest + sizeof from, data, from);
    memcpy(rest + sizeof from + from, data + to, size - to);
    add_member(out, INSTRUCTIONS, code, to - from);
    add_member(out, IN_GRAMMAR, rest, size ? size - (to - from) + (uint32_t)sizeof from : 0);
    free(data);
}

static void read_members(output_t *out, const char *list, bool is_spirv) {
    static char path[4096];
    FILE *file = fopen(list, "r");
    if (!file) fail("cannot read", list);
    while (fgets(path, sizeof path, file)) {
        path[strcspn(path, "\n")] = 0;
        if (!*path) continue;
        if (is_spirv) add_spirv(out, path);
        else add_native(out, path);
    }
    fclose(file);
}

static void write_pack(const output_t *out, const char *path) {
    FILE *file = fopen(path, "wb");
    const packed_t *h = &out->header;
    if (!file || fwrite(h, sizeof *h, 1, file) != 1 ||
            fwrite(out->blocks, sizeof *out->blocks, h->nblocks, file) != h->nblocks ||
            fwrite(out->members, sizeof *out->members, h->nmembers, file) != h->nmembers ||
            fwrite(out->bytes, 1, out->size, file) != out->size || fclose(file))
        fail("cannot write", path);
}

int main(int argc, char **argv) {
    const bool is_spirv = argc > 2 && !strcmp(argv[2], "spirv");
    if (argc < 3 || (!is_spirv && strcmp(argv[2], "native")))
        fail("usage: pack_kernels OUTPUT spirv|native LIST...", "");
    output_t out = {.blocks = room(MOST_MEMBERS * sizeof *out.blocks),
            .members = room(MOST_MEMBERS * sizeof *out.members),
            .kinds = room(MOST_MEMBERS * sizeof *out.kinds),
            .data = room(MOST_MEMBERS * sizeof *out.data)};
    for (int i = 3; i < argc; i++) read_members(&out, argv[i], is_spirv);
    choose_early(&out);
    place(&out);
    write_grammar(&out);
    for (uint32_t i = 0; i < out.header.nmembers; i++)
        out.members[i] = out.members[find_equal(&out, i)];
    for (uint32_t block = 0; block < out.header.nblocks; block++) {
        uint32_t first = 0;
        while (out.members[first].block != block) first++;
        write_block(&out, block, first);
    }
    const size_t before = sizeof out.header + out.header.nblocks * sizeof *out.blocks +
                          out.header.nmembers * sizeof *out.members;
    for (uint32_t block = 0; block < out.header.nblocks; block++)
        out.blocks[block].at += (uint32_t)before;
    out.header.phrases += (uint32_t)before;
    out.header.symbols += (uint32_t)before;
    write_pack(&out, argv[1]);
    for (uint32_t i = 0; i < out.header.nmembers; i++) free(out.data[i]);
    free(out.bytes);
    free(out.kinds);
    free(out.data);
    free(out.members);
    free(out.blocks);
    return 0;
}
