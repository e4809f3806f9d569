/* SPDX-License-Identifier: Apache-2.0 */
/* A program of the build: writes a pack (src/plan/packed.h).
 * Usage: pack_kernels OUTPUT spirv|native LIST...
 *   LIST     a file with the paths of the members, one in a line
 *   spirv    the members are SPIR-V modules: their identifiers become distances
 *   native   the members are native code, which becomes two members: the instructions, and the rest
 *            with their place in it; - instead of a path: both are empty
 * Built without zstd, it does not compress. Equal members are stored once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/packed.h"
#include "zebin.h"

#ifdef DNNL_ZE_ZSTD
#include <zstd.h>
#endif

enum { MOST_MEMBERS = 1 << 16, MOST_BYTES = 1 << 30, LEVEL = 19 };

/* Members of a kind share blocks. */
typedef enum { SPIRV, INSTRUCTIONS, REST, NKINDS } kind_t;

/* Bytes of a block, unless a member is larger. Unpacking takes 0.2 ms for 512 KiB of instructions;
 * the rest is so alike that it takes less. SPIR-V is compiled afterwards, which takes longer. */
static const uint32_t block_size[NKINDS] = {
        [SPIRV] = 2 << 20, [INSTRUCTIONS] = 512 << 10, [REST] = 256 << 10};

typedef struct {
    packed_t header;
    kind_t *kinds; /* of each member */
    packed_block_t *blocks;
    packed_member_t *members;
    uint8_t **data; /* of each member */
    uint8_t *bytes; /* of all blocks, compressed */
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

/* Returns the number of an equal member before member n, or n. */
static uint32_t find_equal(const output_t *out, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (out->members[i].size == out->members[n].size &&
                !memcmp(out->data[i], out->data[n], out->members[n].size))
            return i;
    return n;
}

/* Returns the bytes in `to`; as many as before if they are not compressed. */
static size_t compress(uint8_t *to, size_t capacity, const uint8_t *from, size_t size) {
#ifdef DNNL_ZE_ZSTD
    const size_t packed = ZSTD_compress(to, capacity, from, size, LEVEL);
    if (ZSTD_isError(packed)) fail("zstd", ZSTD_getErrorName(packed));
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
    out->bytes = realloc(out->bytes, out->size + most);
    if (!out->bytes) fail("no memory", "");
    b->at = (uint32_t)out->size;
    b->packed = (uint32_t)compress(out->bytes + out->size, most, whole, b->size);
    out->size += b->packed;
    if (out->size > MOST_BYTES) fail("more than 1 GiB", "");
    free(whole);
}

/* Gives each member its place. */
static void place(output_t *out) {
    packed_block_t *last[NKINDS] = {0};
    for (uint32_t i = 0; i < out->header.nmembers; i++) {
        packed_member_t *m = &out->members[i];
        const uint32_t equal = find_equal(out, i);
        const kind_t kind = out->kinds[i];
        if (equal < i) {
            *m = out->members[equal];
            continue;
        }
        if (!last[kind] || last[kind]->size + m->size > block_size[kind])
            last[kind] = &out->blocks[out->header.nblocks++];
        m->block = (uint32_t)(last[kind] - out->blocks);
        m->at = last[kind]->size;
        last[kind]->size += m->size;
    }
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
    uint8_t *data = read_file(path, &size);
    packed_spirv_ids((uint32_t *)(void *)data, size / sizeof(uint32_t), true);
    add_member(out, SPIRV, data, size);
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
    add_member(out, REST, rest, size ? size - (to - from) + (uint32_t)sizeof from : 0);
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
    place(&out);
    for (uint32_t block = 0; block < out.header.nblocks; block++) {
        uint32_t first = 0;
        while (out.members[first].block != block) first++;
        write_block(&out, block, first);
    }
    const size_t before = sizeof out.header + out.header.nblocks * sizeof *out.blocks +
                          out.header.nmembers * sizeof *out.members;
    for (uint32_t block = 0; block < out.header.nblocks; block++)
        out.blocks[block].at += (uint32_t)before;
    write_pack(&out, argv[1]);
    for (uint32_t i = 0; i < out.header.nmembers; i++) free(out.data[i]);
    free(out.bytes);
    free(out.kinds);
    free(out.data);
    free(out.members);
    free(out.blocks);
    return 0;
}
