/* SPDX-License-Identifier: Apache-2.0 */
/* Pages without access around data; what is left of the data's own pages has a pattern. */
#define _GNU_SOURCE
#include "guarded.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, PATTERN = 0xc7, FILL = 0xa5 };

bool guarded_new(guarded_t *g, size_t size, size_t align, bool at_end) {
    const size_t inner = size ? (size + PAGE - 1) / PAGE * PAGE : PAGE;
    *g = (guarded_t){.size = size, .mapped = inner + 2 * PAGE};
    uint8_t *p =
            mmap(NULL, g->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    g->mapping = p;
    if (mprotect(p + PAGE, inner, PROT_READ | PROT_WRITE)) {
        guarded_free(g);
        return false;
    }
    g->data = p + PAGE + (at_end ? (inner - size) / align * align : 0);
    memset(p + PAGE, PATTERN, inner);
    memset(g->data, FILL, size);
    return true;
}

void guarded_read_only(guarded_t *g) {
    mprotect(g->mapping + PAGE, g->mapped - 2 * PAGE, PROT_READ);
}

ptrdiff_t guarded_damage(const guarded_t *g) {
    const uint8_t *from = g->mapping + PAGE, *to = g->mapping + g->mapped - PAGE;
    for (const uint8_t *p = from; p < to; p++)
        if ((p < g->data || p >= g->data + g->size) && *p != PATTERN) return p - g->data;
    return 0;
}

void guarded_free(guarded_t *g) {
    if (g->mapping) munmap(g->mapping, g->mapped);
    *g = (guarded_t){0};
}
