/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the dynamic symbol table and the dynamic section of a 64-bit ELF file. */
#include "elf_file.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_file(elf_file_t *elf, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return -1;
    int status = -1;
    if (fseek(file, 0, SEEK_END) == 0) {
        const long size = ftell(file);
        rewind(file);
        if (size > 0) elf->bytes = malloc((size_t)size);
        if (elf->bytes && fread(elf->bytes, 1, (size_t)size, file) == (size_t)size) {
            elf->size = (size_t)size;
            status = 0;
        }
    }
    fclose(file);
    return status;
}

/* The bytes of a section, or NULL if it is not in the file as a whole. */
static const void *section_bytes(const elf_file_t *elf, const Elf64_Shdr *section) {
    if (section->sh_offset > elf->size || section->sh_size > elf->size - section->sh_offset)
        return NULL;
    return (const char *)elf->bytes + section->sh_offset;
}

static int is_export(const Elf64_Sym *symbol) {
    const unsigned bind = ELF64_ST_BIND(symbol->st_info),
                   visibility = ELF64_ST_VISIBILITY(symbol->st_other);
    return symbol->st_shndx != SHN_UNDEF &&
           (bind == STB_GLOBAL || bind == STB_WEAK || bind == STB_GNU_UNIQUE) &&
           (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

static int read_symbols(
        elf_file_t *elf, const Elf64_Sym *symbols, size_t n, const char *names, size_t names_size) {
    elf->exports = calloc(n, sizeof(*elf->exports));
    elf->imports = calloc(n, sizeof(*elf->imports));
    if (!elf->exports || !elf->imports) return -1;
    for (size_t i = 0; i < n; i++) {
        if (symbols[i].st_name >= names_size) return -1;
        const char *name = names + symbols[i].st_name;
        if (is_export(&symbols[i])) elf->exports[elf->nexports++] = name;
        else if (symbols[i].st_shndx == SHN_UNDEF) elf->imports[elf->nimports++] = name;
    }
    return 0;
}

static int read_dynamic(
        elf_file_t *elf, const Elf64_Dyn *dyn, size_t n, const char *names, size_t names_size) {
    elf->needed = calloc(n, sizeof(*elf->needed));
    if (!elf->needed) return -1;
    for (size_t i = 0; i < n && dyn[i].d_tag != DT_NULL; i++) {
        if ((dyn[i].d_tag == DT_FLAGS && dyn[i].d_un.d_val & DF_BIND_NOW) ||
                (dyn[i].d_tag == DT_FLAGS_1 && dyn[i].d_un.d_val & DF_1_NOW) ||
                dyn[i].d_tag == DT_BIND_NOW)
            elf->binds_now = 1;
        if (dyn[i].d_tag != DT_NEEDED && dyn[i].d_tag != DT_SONAME) continue;
        if (dyn[i].d_un.d_val >= names_size) return -1;
        const char *name = names + dyn[i].d_un.d_val;
        if (dyn[i].d_tag == DT_NEEDED) elf->needed[elf->nneeded++] = name;
        else elf->soname = name;
    }
    return 0;
}

static int read_segments(elf_file_t *elf, const Elf64_Ehdr *header) {
    const size_t size = (size_t)header->e_phnum * sizeof(Elf64_Phdr);
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff > elf->size ||
            size > elf->size - header->e_phoff)
        return -1;
    const Elf64_Phdr *segments = (const void *)((const char *)elf->bytes + header->e_phoff);
    for (size_t i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type == PT_GNU_RELRO) elf->has_relro = 1;
        if (segments[i].p_type == PT_GNU_STACK && segments[i].p_flags & PF_X) elf->stack_codes = 1;
    }
    return 0;
}

static int parse(elf_file_t *elf) {
    const Elf64_Ehdr *header = elf->bytes;
    if (elf->size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
            header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_type != ET_DYN)
        return -1;
    const size_t table_size = (size_t)header->e_shnum * sizeof(Elf64_Shdr);
    if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > elf->size ||
            table_size > elf->size - header->e_shoff)
        return -1;
    if (read_segments(elf, header) != 0) return -1;
    const Elf64_Shdr *sections = (const void *)((const char *)elf->bytes + header->e_shoff);
    int found = 0;
    for (size_t i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        if ((s->sh_type != SHT_DYNSYM && s->sh_type != SHT_DYNAMIC) ||
                s->sh_link >= header->e_shnum)
            continue;
        const Elf64_Shdr *names = &sections[s->sh_link];
        const void *bytes = section_bytes(elf, s);
        const char *strings = section_bytes(elf, names);
        if (!bytes || !strings) return -1;
        const int status = s->sh_type == SHT_DYNSYM
                                   ? read_symbols(elf, bytes, s->sh_size / sizeof(Elf64_Sym),
                                             strings, names->sh_size)
                                   : read_dynamic(elf, bytes, s->sh_size / sizeof(Elf64_Dyn),
                                             strings, names->sh_size);
        if (status != 0) return -1;
        found++;
    }
    return found == 2 ? 0 : -1;
}

int elf_file_open(elf_file_t *elf, const char *path) {
    memset(elf, 0, sizeof(*elf));
    if (read_file(elf, path) == 0 && parse(elf) == 0) return 0;
    elf_file_close(elf);
    return -1;
}

void elf_file_close(elf_file_t *elf) {
    free(elf->exports);
    free(elf->imports);
    free(elf->needed);
    free(elf->bytes);
    memset(elf, 0, sizeof(*elf));
}

size_t elf_count(const char *const *strings, size_t n, const char *string) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += strcmp(strings[i], string) == 0;
    return count;
}
