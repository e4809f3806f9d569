/* SPDX-License-Identifier: Apache-2.0 */
/* Memory between pages that nobody may touch: kernels are not instrumented, so an access outside
 * of a tensor has to hit something. */
#ifndef TESTS_FUZZ_GUARDED_H
#define TESTS_FUZZ_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t *data; /* `size` bytes: end at a guard page, but for alignment, or begin behind one */
    size_t size;
    uint8_t *mapping;
    size_t mapped;
} guarded_t;

bool guarded_new(guarded_t *g, size_t size, size_t align, bool at_end);
/* From here on a write is a fault as well. */
void guarded_read_only(guarded_t *g);
/* The first byte outside of the data that is no longer as guarded_new() left it, as an offset
 * from data; 0: none. */
ptrdiff_t guarded_damage(const guarded_t *g);
void guarded_free(guarded_t *g); /* a zeroed one is fine */

#endif
