/* SPDX-License-Identifier: Apache-2.0 */
/* Removes what a kernel never reads from the structures that it receives by value. The structures
 * have room for the most loops and the longest epilogue; a specialised kernel reads little of them.
 * Each thread of a GPU loads all of them before it begins (about a kilobyte), and a compiler makes
 * a value of each number in them.
 *
 * The kernel's new name tells what is left, so that native code tells it wherever it is kept:
 *     lines_a2s32f8n4f100n4f112n8f264n8t24
 * Argument 2 has 32 bytes now: 4 bytes from offset 8 come first, then 4 from 100 and 8 from 112; 8
 * from 264 are at 24. Arguments that are not named are whole. Arguments that the kernel never uses
 * are gone, and later ones have lower numbers: _d3n8 says that these are 8 from number 3 on. All
 * numbers are those of the kernel that has all. */
#ifndef PLAN_SLIM_PARAMS_H
#define PLAN_SLIM_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SLIM_NAME_ROOM = 256,
    SLIM_VALUE_ROOM = 4096 /* bytes of a value; all arguments of a kernel have 2048 at most */
};

/* Returns a module, to be freed with dz_free(), for one without specialisation constants that
 * specialise() has made. NULL: there is no memory, or nothing to remove. Sizes are in words. */
uint32_t *slim_params(const uint32_t *words, size_t nwords, size_t *size);
/* The same in place of a module that dz_free() can free. Returns this module if there is nothing to
 * remove. */
uint32_t *slim_params_of(uint32_t *words, size_t *nwords);

/* Whether a name is that of the kernel `entry`, which may have lost something. */
bool slim_is_name_of(const char *name, const char *entry);
/* A bit for each argument that the kernel of this name does not have any more. */
uint64_t slim_dropped(const char *kernel);
/* Writes the value of an argument as the kernel of this name receives it, and returns its bytes,
 * which are `size` at most. */
size_t slim_value(
        const char *kernel, uint32_t argument, const void *value, size_t size, void *slim);

#endif
