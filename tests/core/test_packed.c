/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded SPIR-V: what the library unpacks is what the kernels' compiler wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <elf.h>

#include "core/alloc.h"
#include "kernels/zebin.h"
#include "plan/packed.h"
#include "plan/spirv_form.h"
#include "plan/variant.h"

enum { SPIRV_MAGIC = 0x07230203 };

static uint8_t *read_module(const char *id, size_t *size) {
    char path[1024];
    snprintf(path, sizeof path, KERNELS "/%s.spv", id);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*size);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

static void modules_are_unpacked(void **unused) {
    (void)unused;
    for (int i = 0; i < variant_count; i++) {
        size_t size, wanted_size;
        uint32_t *words = variant_spirv_new(i, &size);
        uint8_t *wanted = read_module(variants[i].id, &wanted_size);
        assert_non_null(words);
        assert_int_equal(words[0], SPIRV_MAGIC);
        assert_int_equal(size, wanted_size);
        assert_memory_equal(words, wanted, size);
        free(wanted);
        dz_free(words);
    }
}

/* Definitions are numbered in order: it is what the modules' size rests on. */
static void identifiers_follow_definitions(void **unused) {
    (void)unused;
    for (int i = 0; i < variant_count; i++) {
        size_t size;
        uint32_t *words = variant_spirv_new(i, &size), last = 0;
        assert_non_null(words);
        for (size_t at = SPIRV_HEADER; at < size / 4; at += spirv_length(words + at)) {
            const uint32_t id = spirv_result(words + at);
            if (id && id <= last) fail_msg("%s: %u behind %u", variants[i].id, id, last);
            if (id) last = id;
        }
        assert_true(last > 100);
        dz_free(words);
    }
}

/* Five words of header; OpTypeVoid %7, OpDecorate %9 44, OpFunctionCall %7 %9 = %3 %8, OpReturn. */
static const uint32_t module[] = {SPIRV_MAGIC, 0, 0, 10, 0, 2u << 16 | 19, 7, 3u << 16 | 71, 9, 44,
        5u << 16 | 57, 7, 9, 3, 8, 1u << 16 | 253};
enum { WORDS = sizeof module / sizeof *module };

static void words_become_parts(void **unused) {
    (void)unused;
    const uint32_t wanted[WORDS] = {SPIRV_MAGIC, 0, 0, 10, 0, 2u << 16 | 19, 3u << 16 | 71,
            5u << 16 | 57, 1u << 16 | 253, 7, -6u, -1u, -2u, 44, 6, 1};
    uint32_t words[WORDS], packed[WORDS], again[WORDS];
    memcpy(words, module, sizeof words);
    assert_true(packed_spirv(words, packed, WORDS, true));
    assert_memory_equal(packed, wanted, sizeof wanted);
    assert_memory_equal(words, module, sizeof words);
    assert_true(packed_spirv(again, packed, WORDS, false));
    assert_memory_equal(again, module, sizeof again);
}

/* An instruction ends behind the module, or has no length. */
static void damaged_modules_are_refused(void **unused) {
    (void)unused;
    uint32_t longer[] = {SPIRV_MAGIC, 0, 0, 10, 0, 9u << 16 | 57, 1, 2};
    uint32_t endless[] = {SPIRV_MAGIC, 0, 0, 10, 0, 57, 1, 2};
    uint32_t to[8];
    for (int pack = 0; pack < 2; pack++) {
        assert_false(packed_spirv(pack ? longer : to, pack ? to : longer, 8, pack));
        assert_false(packed_spirv(pack ? endless : to, pack ? to : endless, 8, pack));
    }
    assert_false(packed_spirv(longer, to, 4, true));
}

/* ---- native code ---- */

/* A small file as the compiler writes it. Differs by `product` outside the instructions, and by
 * `filler` inside. */
typedef struct {
    Elf64_Ehdr head;
    uint8_t text[10 << 10];
    char info[48];
    char options[16];
    uint32_t note;
    char names[48];
    Elf64_Shdr sections[6];
} file_t;

static Elf64_Shdr section(Elf64_Word name, Elf64_Word type, size_t at, size_t size) {
    return (Elf64_Shdr){.sh_name = name, .sh_type = type, .sh_offset = at, .sh_size = size};
}

static void make_file(file_t *f, uint8_t filler, uint32_t product) {
    memset(f, 0, sizeof *f);
    memcpy(f->head.e_ident, ELFMAG, SELFMAG);
    f->head.e_ident[EI_CLASS] = ELFCLASS64;
    f->head.e_shoff = offsetof(file_t, sections);
    f->head.e_shentsize = sizeof *f->sections;
    f->head.e_shnum = 6;
    f->head.e_shstrndx = 5;
    memset(f->text, filler, sizeof f->text);
    strcpy(f->info, "kernels:\nkernels_misc_info:\n  - names\n...\n");
    strcpy(f->options, "-some-options");
    f->note = product;
    memcpy(f->names, "\0.text.k\0.ze_info\0.misc.buildOptions\0.note", 43);
    f->sections[1] = section(1, SHT_PROGBITS, offsetof(file_t, text), sizeof f->text);
    f->sections[2] = section(9, 0xff000011, offsetof(file_t, info), strlen(f->info));
    f->sections[3] = section(18, 0xff000014, offsetof(file_t, options), sizeof f->options);
    f->sections[4] = section(37, SHT_NOTE, offsetof(file_t, note), sizeof f->note);
    f->sections[5] = section(0, SHT_STRTAB, offsetof(file_t, names), sizeof f->names);
}

/* Code loses what the driver does not read, and nothing else. */
static void code_becomes_shorter(void **unused) {
    (void)unused;
    file_t f;
    make_file(&f, 7, 1);
    uint8_t *bytes = (uint8_t *)&f;
    const uint32_t size = zebin_slim(bytes, sizeof f);
    uint32_t from, to;
    assert_in_range(size, 1, sizeof f - 1);
    Elf64_Shdr sections[6];
    memcpy(sections, bytes + f.head.e_shoff, sizeof sections);
    assert_true(zebin_find_code(bytes, size, &from, &to));
    assert_int_equal(from, sections[1].sh_offset);
    assert_int_equal(to - from, sizeof f.text);
    for (uint32_t i = from; i < to; i++) assert_int_equal(bytes[i], 7);
    assert_int_equal(sections[2].sh_size, strlen("kernels:\n...\n"));
    assert_memory_equal(bytes + sections[2].sh_offset, "kernels:\n...\n", sections[2].sh_size);
    assert_int_equal(sections[3].sh_size, 0);
    assert_int_equal(bytes[sections[4].sh_offset], 1);
    assert_int_equal(zebin_slim(bytes, size), size);
    make_file(&f, 7, 1);
    f.sections[1].sh_size = sizeof f; /* ends behind the file */
    assert_int_equal(zebin_slim(bytes, sizeof f), sizeof f);
    assert_false(zebin_find_code(bytes, sizeof f, &from, &to));
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* The library knows what it unpacked by its address, so packs are not freed. */
static const uint8_t *read_pack(const char *path) {
    enum { PACKS = 3 };
    static _Alignas(uint32_t) uint8_t packs[PACKS][1 << 20];
    static int npacks;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_in_range(npacks, 0, PACKS - 1);
    uint8_t *pack = packs[npacks++];
    assert_in_range(fread(pack, 1, sizeof *packs, file), sizeof(packed_t), sizeof *packs - 1);
    fclose(file);
    return pack;
}

/* Two products share instructions; a refused module and a file that is no ELF are members too. */
static void code_is_packed(void **unused) {
    (void)unused;
    enum { FILES = 5, REFUSED = 3, NO_ELF = 4 };
    static const uint8_t fillers[] = {1, 1, 2};
    static const char text[] = "no code";
    file_t files[REFUSED];
    char list[FILES * 1024] = "";
    for (int i = 0; i < FILES; i++) {
        char path[1000];
        snprintf(path, sizeof path, i == REFUSED ? "-" : SCRATCH "%d.bin", i);
        strcat(strcat(list, path), "\n");
        if (i < REFUSED) make_file(&files[i], fillers[i], (uint32_t)i + 1);
        if (i < REFUSED) write_file(path, &files[i], sizeof files[i]);
        if (i == NO_ELF) write_file(path, text, sizeof text);
    }
    write_file(SCRATCH ".txt", list, strlen(list));
    assert_int_equal(system(PACK_KERNELS " " SCRATCH ".pack native " SCRATCH ".txt"), 0);
    const uint8_t *pack = read_pack(SCRATCH ".pack");
    for (int i = 0; i < FILES; i++) {
        uint8_t *code = packed_code_new(pack, i);
        if (i < REFUSED) {
            const uint32_t size = zebin_slim((uint8_t *)&files[i], sizeof files[i]);
            assert_int_equal(packed_code_size(pack, i), size);
            assert_memory_equal(code, &files[i], size);
        } else if (i == REFUSED) {
            assert_int_equal(packed_code_size(pack, i), 0);
            assert_null(code);
        } else {
            assert_int_equal(packed_code_size(pack, i), sizeof text);
            assert_memory_equal(code, text, sizeof text);
        }
        dz_free(code);
    }
    const packed_t *head = (const packed_t *)(const void *)pack;
    const packed_block_t *blocks = (const packed_block_t *)(const void *)(head + 1);
    const packed_member_t *members =
            (const packed_member_t *)(const void *)(blocks + head->nblocks);
    assert_int_equal(head->nmembers, 2 * FILES);
    assert_memory_equal(&members[0], &members[2], sizeof *members);
}

/* Text n: some bytes that repeat one another, in ways that differ from text to text. */
static size_t make_text(uint8_t *text, int n) {
    enum { KINDS = 5 };
    static const size_t sizes[] = {1, 7, 8, 300, 5000};
    const size_t size = sizes[n / KINDS % 5] + (size_t)n / 25;
    uint32_t random = 1;
    for (size_t i = 0; i < size; i++) {
        random = random * 1664525 + 1013904223;
        switch (n % KINDS) {
        case 0: text[i] = 'a'; break;                                    /* runs */
        case 1: text[i] = (uint8_t)(random >> 24); break;                /* the same noise */
        case 2: text[i] = (uint8_t)(i % 100 * 7); break;                 /* periods */
        case 3: text[i] = (uint8_t)(i % 17 ? i % 17 : (size_t)n); break; /* with differences */
        default: text[i] = (uint8_t)((random >> 24) * (uint32_t)n);      /* noise of its own */
        }
    }
    return size;
}

/* Early code lies in the grammar whole, of other code what is not instructions. */
static void grammar_keeps_texts(void **unused) {
    (void)unused;
    enum { FILES = 75, MOST = 16384 };
    static uint8_t texts[FILES][MOST];
    static file_t files[FILES];
    static char list[FILES * 1024];
    size_t sizes[FILES];
    for (int i = 0; i < FILES; i++) {
        char path[1000];
        snprintf(path, sizeof path, SCRATCH "t%d.bin", i);
        strcat(strcat(list, path), "\n");
        sizes[i] = make_text(texts[i], i);
        if (i % 2) {
            make_file(&files[i], 0, (uint32_t)i);
            memcpy(files[i].text, texts[i], sizes[i]);
            write_file(path, &files[i], sizeof files[i]);
            sizes[i] = zebin_slim((uint8_t *)&files[i], sizeof files[i]);
            memcpy(texts[i], &files[i], sizes[i]);
        } else {
            write_file(path, texts[i], sizes[i]);
        }
    }
    write_file(SCRATCH "t.txt", list, strlen(list));
    assert_int_equal(system(PACK_KERNELS " " SCRATCH "t.pack native " SCRATCH "t.txt"), 0);
    const uint8_t *pack = read_pack(SCRATCH "t.pack");
    const packed_t *head = (const packed_t *)(const void *)pack;
    assert_true(head->nphrases > 10);
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < FILES; i++) {
            uint8_t *code = packed_code_new(pack, i);
            assert_int_equal(packed_code_size(pack, i), sizes[i]);
            assert_memory_equal(code, texts[i], sizes[i]);
            dz_free(code);
        }
    const void *members_at = (const packed_block_t *)(const void *)(head + 1) + head->nblocks;
    const packed_member_t *members = members_at;
    int instructions = 0;
    for (int i = 0; i < FILES; i++)
        instructions += members[2 * i].size && members[2 * i].block == PACKED_IN_GRAMMAR;
    assert_in_range(instructions, 1, FILES / 2 - 1);
}

/* Early code that is long is not packed, as long as the share of the pack for it lasts. */
static void long_code_is_plain(void **unused) {
    (void)unused;
    enum { FILES = 310 };
    static file_t files[FILES];
    static char list[FILES * 1024];
    for (int i = 0; i < FILES; i++) {
        char path[1000];
        snprintf(path, sizeof path, SCRATCH "l%d.bin", i);
        strcat(strcat(list, path), "\n");
        make_file(&files[i], 0, (uint32_t)i);
        for (size_t at = 0; i < 3 && at < sizeof files[i].text; at++)
            files[i].text[at] = (uint8_t)(at * at >> (i == 1 ? 5 : 7)); /* 0 and 2 are equal */
        write_file(path, &files[i], sizeof files[i]);
    }
    write_file(SCRATCH "l.txt", list, strlen(list));
    assert_int_equal(system(PACK_KERNELS " " SCRATCH "l.pack native " SCRATCH "l.txt"), 0);
    const uint8_t *pack = read_pack(SCRATCH "l.pack");
    for (int i = 0; i < FILES; i++) {
        uint8_t *code = packed_code_new(pack, i);
        const uint32_t size = zebin_slim((uint8_t *)&files[i], sizeof files[i]);
        assert_int_equal(packed_code_size(pack, i), size);
        assert_memory_equal(code, &files[i], size);
        dz_free(code);
    }
    const packed_t *head = (const packed_t *)(const void *)pack;
    const packed_block_t *blocks = (const packed_block_t *)(const void *)(head + 1);
    const packed_member_t *members =
            (const packed_member_t *)(const void *)(blocks + head->nblocks);
    assert_in_range(members[0].block, 0, head->nblocks - 1);
    assert_int_equal(blocks[members[0].block].packed, sizeof files->text);
    assert_int_equal(blocks[members[0].block].size, sizeof files->text);
    assert_int_equal(members[2].block, PACKED_IN_GRAMMAR);
    assert_memory_equal(&members[4], &members[0], sizeof *members);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(modules_are_unpacked),
            cmocka_unit_test(identifiers_follow_definitions), cmocka_unit_test(words_become_parts),
            cmocka_unit_test(damaged_modules_are_refused), cmocka_unit_test(code_becomes_shorter),
            cmocka_unit_test(code_is_packed), cmocka_unit_test(grammar_keeps_texts),
            cmocka_unit_test(long_code_is_plain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
