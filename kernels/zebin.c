/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and shortens native code. */
#include "zebin.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16 }; /* bytes, of sections; the compiler's is 8 or 16 */

typedef struct {
    Elf64_Ehdr head;
    Elf64_Shdr *sections;
    const char *names;
} zebin_t;

static bool lies_within(uint64_t at, uint64_t bytes, uint32_t size) {
    return at <= size && bytes <= size - at;
}

/* The sections are to be freed. */
static bool read_zebin(zebin_t *zebin, const uint8_t *data, uint32_t size) {
    if (size < sizeof zebin->head) return false;
    memcpy(&zebin->head, data, sizeof zebin->head);
    const Elf64_Ehdr *head = &zebin->head;
    const size_t bytes = head->e_shnum * sizeof *zebin->sections;
    if (memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_ident[EI_CLASS] != ELFCLASS64 ||
            head->e_phnum || head->e_shentsize != sizeof *zebin->sections ||
            head->e_shstrndx >= head->e_shnum || !lies_within(head->e_shoff, bytes, size))
        return false;
    zebin->sections = malloc(bytes);
    if (!zebin->sections) return false;
    memcpy(zebin->sections, data + head->e_shoff, bytes);
    bool good = true;
    for (int i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *s = &zebin->sections[i];
        good &= s->sh_type == SHT_NOBITS || lies_within(s->sh_offset, s->sh_size, size);
    }
    const Elf64_Shdr *names = &zebin->sections[head->e_shstrndx];
    good = good && names->sh_type != SHT_NOBITS && names->sh_size &&
           !data[names->sh_offset + names->sh_size - 1];
    for (int i = 0; i < head->e_shnum; i++) good &= zebin->sections[i].sh_name < names->sh_size;
    if (good) zebin->names = (const char *)data + names->sh_offset;
    else free(zebin->sections);
    return good;
}

/* The size that a section has without what the driver does not need. May alter its end. */
static uint64_t slim_size(const char *name, uint8_t *data, uint64_t size) {
    static const char arguments[] = "kernels_misc_info:", end[] = "...\n";
    if (!strcmp(name, ".misc.buildOptions")) return 0;
    uint8_t *found =
            strcmp(name, ".ze_info") ? NULL : memmem(data, size, arguments, strlen(arguments));
    if (!found) return size;
    memcpy(found, end, strlen(end));
    return (uint64_t)(found - data) + strlen(end);
}

static uint32_t append(uint8_t *to, uint32_t *size, const void *from, uint64_t bytes) {
    while (*size % ALIGNMENT) to[(*size)++] = 0;
    const uint32_t at = *size;
    memcpy(to + at, from, bytes);
    *size += (uint32_t)bytes;
    return at;
}

uint32_t zebin_slim(uint8_t *data, uint32_t size) {
    zebin_t zebin;
    if (!read_zebin(&zebin, data, size)) return size;
    const int n = zebin.head.e_shnum;
    const size_t bytes = (size_t)n * sizeof *zebin.sections;
    /* With room for the bytes that align each section. */
    uint8_t *out = calloc(1, size + ((size_t)n + 2) * ALIGNMENT);
    uint32_t made = sizeof zebin.head;
    for (int i = 1; out && i < n; i++) {
        Elf64_Shdr *s = &zebin.sections[i];
        if (s->sh_type == SHT_NOBITS) continue;
        uint8_t *from = data + s->sh_offset;
        s->sh_size = slim_size(zebin.names + s->sh_name, from, s->sh_size);
        s->sh_offset = append(out, &made, from, s->sh_size);
    }
    if (out) {
        zebin.head.e_shoff = append(out, &made, zebin.sections, bytes);
        memcpy(out, &zebin.head, sizeof zebin.head);
        if (made <= size) memcpy(data, out, made);
    }
    free(out);
    free(zebin.sections);
    return out && made <= size ? made : size;
}

bool zebin_find_code(const uint8_t *data, uint32_t size, uint32_t *from, uint32_t *to) {
    zebin_t zebin;
    *from = size;
    *to = 0;
    if (!read_zebin(&zebin, data, size)) return false;
    for (int i = 1; i < zebin.head.e_shnum; i++) {
        const Elf64_Shdr *s = &zebin.sections[i];
        const char *name = zebin.names + s->sh_name;
        if (strncmp(name, ".text", 5) || s->sh_type != SHT_PROGBITS || !s->sh_size) continue;
        const uint32_t begin = (uint32_t)s->sh_offset, end = begin + (uint32_t)s->sh_size;
        if (begin < *from) *from = begin;
        if (end > *to) *to = end;
    }
    free(zebin.sections);
    return *from < *to;
}
