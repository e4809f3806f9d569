/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a shared library exports, imports, needs and is called, and how it is protected,
 * without any tool. */
#ifndef TESTS_ABI_ELF_FILE_H
#define TESTS_ABI_ELF_FILE_H

#include <stddef.h>

typedef struct {
    void *bytes;
    size_t size;
    const char **exports; /* defined symbols that other objects can bind to */
    size_t nexports;
    const char **imports; /* symbols that other libraries define */
    size_t nimports;
    int binds_now;       /* all functions are bound when the library is loaded */
    int has_relro;       /* the tables of addresses are read-only from then on */
    int stack_codes;     /* the stack may hold code */
    const char **needed; /* SONAMEs of the libraries it is linked with */
    size_t nneeded;
    const char *soname; /* NULL if it has none */
} elf_file_t;

/* Returns 0, or -1 for a file that cannot be read or is no 64-bit ELF shared object of this
 * machine. */
int elf_file_open(elf_file_t *elf, const char *path);
void elf_file_close(elf_file_t *elf);
/* The number of times that a string is among n others. */
size_t elf_count(const char *const *strings, size_t n, const char *string);

#endif
